//! COLLECT's configurations (table 1): how many values, threads, calls and pre-adds, and what is left out.

use linchpin_explore::{ClientRequest, Request, Restriction};
use linchpin_ir::property::Property;
use std::ops::RangeInclusive;

/// The five configurations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
pub enum Configuration {
    A,
    B,
    C,
    D,
    E,
}

impl Configuration {
    pub const ALL: [Configuration; 5] =
        [Configuration::A, Configuration::B, Configuration::C, Configuration::D, Configuration::E];

    /// How many values there are.
    pub fn values(self) -> u32 {
        match self {
            Configuration::A => 2,
            Configuration::B | Configuration::C => 3,
            Configuration::D => 4,
            Configuration::E => 5,
        }
    }

    fn threads(self) -> RangeInclusive<u32> {
        if self < Configuration::D { 1..=2 } else { 1..=3 }
    }

    fn steps(self) -> RangeInclusive<u32> {
        match self {
            Configuration::A | Configuration::B | Configuration::C => 1..=2,
            Configuration::D => 1..=3,
            Configuration::E => 1..=4,
        }
    }
}

/// What a collection is, as far as schedules depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Set,
    Queue,
    SynchronousQueue,
    PriorityQueue,
}

impl Kind {
    /// The published number of schedules.
    pub fn schedules(self, configuration: Configuration) -> u64 {
        let numbers = match self {
            Kind::Set => [63, 270, 270, 8_108, 322_930],
            Kind::Queue => [9, 18, 18, 58, 166],
            Kind::SynchronousQueue => [9, 25, 25, 83, 223],
            Kind::PriorityQueue => [7, 25, 25, 156, 1_096],
        };
        numbers[configuration as usize]
    }

    /// What is asked in a configuration. Synchronous queues have no pre-adds and one call more from B on.
    pub fn request(self, configuration: Configuration, properties: Vec<Property>) -> Request {
        let is_first = configuration == Configuration::A;
        let is_synchronous = self == Kind::SynchronousQueue;
        let preadds = if is_first || is_synchronous { 0..=0 } else { 0..=1 };
        let steps = configuration.steps();
        let more = u32::from(is_synchronous && !is_first);
        let restrictions = match self {
            Kind::Set => Vec::new(),
            Kind::Queue | Kind::SynchronousQueue => vec![Restriction::GenericValues],
            Kind::PriorityQueue => Restriction::ALL.to_vec(),
        };
        let values = configuration.values();
        Request {
            threads: configuration.threads(),
            values: values..=values,
            keys: values..=values,
            client: ClientRequest::Schedules {
                steps: *steps.start()..=steps.end() + more,
                preadds,
                restrictions,
            },
            any_hashes: configuration == Configuration::C,
            properties,
            ..Request::default()
        }
    }
}
