//! The properties that can be asked for, by the names of the command line.

use clap::ValueEnum;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub enum Property {
    Linearizable,
    SequentiallyConsistent,
    QuiescentlyConsistent,
    MemorySafe,
    DeadlockFree,
    Assertions,
    Terminating,
    LockFree,
    WaitFree,
    ObstructionFree,
    StarvationFree,
}

impl Property {
    /// Judged at the ends of schedules only: the general client has none.
    pub fn needs_schedules(self) -> bool {
        matches!(self, Property::SequentiallyConsistent | Property::QuiescentlyConsistent)
    }

    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}
