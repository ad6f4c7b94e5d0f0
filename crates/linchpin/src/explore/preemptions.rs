//! A bound on preemptions (Musuvathi and Qadeer 2007): who ran last, and how often another thread was let go first.
//!
//! A *preemption* is a step of one thread while another one, which made the step before, is in the middle of a call and could go
//! on with it. Between calls, and where it waits, a thread may be left for nothing. With a bound a search visits fewer executions:
//! that is a restriction, which the scope names, and no reduction. What it decides on (the thread that ran last, the number
//! of preemptions so far) is part of the state: two bytes behind its bits. Partial order reduction makes steps of
//! several threads at once, so it is left out.

use super::search::Search;
use linchpin_core::semantics::Renaming;

/// What a bound on preemptions has to know of an execution so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Running {
    /// Who made the last step.
    pub last: Option<u8>,
    /// Preemptions so far.
    pub used: u8,
}

const NOBODY: u8 = u8::MAX;
const BYTES: usize = 2;

impl Running {
    /// After a step of a thread; `preempts` if the one that ran last could have gone on.
    pub fn after(self, thread: usize, preempts: bool) -> Running {
        Running { last: Some(thread as u8), used: self.used.saturating_add(u8::from(preempts)) }
    }

    pub fn is_last(self, thread: usize) -> bool {
        self.last == Some(thread as u8)
    }

    /// Behind the bytes of a state, under the names that it is written with.
    pub fn append(self, renaming: Renaming, bytes: &mut Vec<u8>) {
        let last = self.last.map_or(NOBODY, |thread| renaming.thread(usize::from(thread)) as u8);
        bytes.extend([last, self.used]);
    }

    pub fn read(bytes: &[u8]) -> Running {
        match bytes.last_chunk::<BYTES>() {
            Some(&[last, used]) => Running { last: Some(last).filter(|last| *last != NOBODY), used },
            None => Running::default(),
        }
    }
}

impl Search<'_> {
    /// Only executions with so many preemptions. To be said before the search runs, which makes steps one by one then.
    pub fn bound_preemptions(&mut self, most: u32) {
        self.reduction.preemptions = Some(u8::try_from(most).unwrap_or(u8::MAX));
        self.reduction.movers = None;
        self.reduction.late_calls = false;
        self.question.reductions.partial_order = false;
    }
}
