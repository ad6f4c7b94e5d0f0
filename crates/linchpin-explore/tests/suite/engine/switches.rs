//! The fewest context switches with which an execution comes somewhere, by the thread that made the last
//! step.

use linchpin_semantics::ThreadId;
use std::collections::BTreeMap;

#[derive(Clone, Default)]
pub struct Switches(BTreeMap<Option<ThreadId>, usize>);

impl Switches {
    /// No thread has made a step.
    pub fn at_start() -> Switches {
        Switches(BTreeMap::from([(None, 0)]))
    }

    /// With a step of this thread.
    pub fn and_then(&self, thread: ThreadId) -> usize {
        let and_then = |(last, switches): (&Option<ThreadId>, &usize)| {
            switches + usize::from(last.is_some_and(|last| last != thread))
        };
        self.0.iter().map(and_then).min().expect("it was reached")
    }

    /// It can also be reached with so many, this thread stepping last.
    pub fn lower(&mut self, thread: ThreadId, switches: usize) {
        let known = self.0.entry(Some(thread)).or_insert(switches);
        *known = switches.min(*known);
    }

    pub fn fewest(&self) -> Option<usize> {
        self.0.values().copied().min()
    }
}
