//! A bound on preemptions (Musuvathi and Qadeer 2007): who ran last, and how often another thread was let go first.
//!
//! A *preemption* is a step of one thread while another one, which made the step before, is in the middle of a call and could go
//! on with it. Between calls, and where it waits, a thread may be left for nothing; waiting for a cell that the bounds do not
//! have is no such waiting. With a bound a search visits fewer executions: that is a restriction, which the scope names, and
//! no reduction. What it decides on (the thread that ran last, the number of preemptions so far) is part of the state: two
//! bytes behind its bits. Between calls it does not matter who ran last, so it is forgotten there.
//!
//! **Partial order reduction** ([`super::expand`]) is left with less, since an execution may be changed only into one with no
//! more preemptions. Only whoever made the move runs ahead. Let e be its next step, local, and not made at once in an execution
//! σ: another thread u runs first, which is a preemption, since e could be made. Make e before that. Leaving the thread is then
//! a preemption still, or free. Where e was made in σ, coming from u′, there is either one more step of the thread, and coming to
//! that from u′ costs what coming to e did, since e neither stops nor frees u′; or there is none, and going from u′
//! to whoever follows costs no more than going there by way of e. Calls are not made late: that would add switches.
//!
//! **Alone.** When no preemption is left, whoever runs in a call goes on until it waits or returns: there is nobody else to let
//! go first. One that has just called or preempted makes these steps at once, whether they are local or not. One that is
//! resumed makes them one by one: executions that left it at different places of its call meet there.
//!
//! **Covering.** Of two nodes of one state the one with more preemptions used up is dropped, whoever ran last in it: the other
//! one lets anybody go first and has no fewer left then. Of two with equally many the one is dropped in which somebody ran
//! last who could go on, if nobody did so in the other.

use super::search::Search;
use super::store::Store;
use crate::reduce::Renaming;
use linchpin_ir::index::{Index, byte_of};
use linchpin_semantics::{Machine, State, ThreadId};

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
        Running { last: Some(byte_of(thread)), used: self.used.saturating_add(u8::from(preempts)) }
    }

    /// The same as far as anything can come of it.
    pub fn at_rest(self, machine: &Machine, state: &State) -> Running {
        let is_in_call = |thread: &u8| !machine.is_idle(state, ThreadId::new(usize::from(*thread)));
        Running { last: self.last.filter(is_in_call), ..self }
    }

    /// Whatever can be done after this can be done after the other.
    pub fn is_covered_by(self, other: Running) -> bool {
        let is_as_free = other.last.is_none() || other.last == self.last;
        other.used < self.used || (other.used == self.used && is_as_free)
    }

    pub fn is_last(self, thread: usize) -> bool {
        self.last == Some(byte_of(thread))
    }

    /// Behind the bytes of a state, under the names that it is written with.
    pub fn append(self, renaming: Renaming, bytes: &mut Vec<u8>) {
        let last = self.last.map_or(NOBODY, |thread| byte_of(renaming.thread(usize::from(thread))));
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
    /// Only executions with so many preemptions. To be said before the search runs.
    pub fn bound_preemptions(&mut self, most: u32) {
        self.reduction.preemptions = Some(u8::try_from(most).unwrap_or(u8::MAX));
        self.reduction.late_calls = false;
        self.store = Store::new(BYTES);
    }
}
