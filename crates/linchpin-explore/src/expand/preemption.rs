//! A bound on preemptions (Musuvathi and Qadeer 2007).
//!
//! A *preemption* is a step of one thread directly after a step of another thread that is in a call and could
//! continue it. Leaving a thread is free between calls, and where the thread waits. A thread that waits for a
//! cell beyond the node bound does not count as waiting. With a bound a search visits fewer executions. The
//! bound is a restriction, which the scope names; it is not a reduction. The bound needs the thread that
//! stepped last and the number of preemptions so far. Both are part of the state: two bytes behind its
//! encoding. Between calls the last thread does not matter, and is forgotten.
//!
//! **Partial order reduction** ([`crate::expand`]) must not add preemptions, so it does less here. Only the
//! thread that made the move makes local steps, and calls are not delayed: that would add switches.
//!
//! *Claim.* Local steps of the moving thread t add no preemption. *Proof.* Let e be the next step of t,
//! local, and not made at once in an execution σ. Another thread u runs first, which is a preemption, since t
//! could make e. Make e before that. Leaving t is then still a preemption, or free. Let t make e in σ after a
//! step of u′. Either t makes one more step. Switching to that step from u′ costs as much as switching to e
//! did, since e neither stops nor frees u′. Or t makes none. Then switching from u′ to the next thread costs
//! no more than switching there by way of e. ∎
//!
//! **No preemption left.** A thread in a call continues until it waits or returns: no other thread may run
//! first. A thread that has just called or preempted makes these steps in one move, whether they are local or
//! not. A thread that is resumed makes them one by one: executions that left the thread at different places
//! of its call meet there.
//!
//! **Covering.** Of two nodes of one state, the search drops the node with more preemptions. The other node
//! lets every thread run first, and has no fewer preemptions left after that. Of two nodes with equally many,
//! one may have a last thread that could continue, and the other none. Then the search drops the first.

use crate::reduce::Renaming;
use linchpin_ir::index::{Index, byte_of};
use linchpin_semantics::{Machine, State, ThreadId};

/// The part of an execution's past that a bound on preemptions depends on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PreemptionState {
    /// The thread that made the last step; `None`: no thread is in the middle of a call.
    pub last: Option<u8>,
    /// The number of preemptions so far.
    pub used: u8,
}

/// The encoding of "no last thread".
const NO_THREAD: u8 = u8::MAX;

impl PreemptionState {
    /// The number of bytes behind an encoded state.
    pub const BYTES: usize = 2;

    /// Returns the state after a step of a thread. `preempts`: another thread stepped last and could have
    /// continued.
    pub fn after(self, thread: usize, preempts: bool) -> PreemptionState {
        PreemptionState { last: Some(byte_of(thread)), used: self.used.saturating_add(u8::from(preempts)) }
    }

    /// Forgets the last thread if that thread is not in a call.
    pub fn at_rest(self, machine: &Machine, state: &State) -> PreemptionState {
        let is_in_call = |thread: &u8| !machine.is_idle(state, ThreadId::new(usize::from(*thread)));
        PreemptionState { last: self.last.filter(is_in_call), ..self }
    }

    /// Checks whether every continuation of `self` is a continuation of `other`.
    pub fn is_covered_by(self, other: PreemptionState) -> bool {
        let is_as_free = other.last.is_none() || other.last == self.last;
        other.used < self.used || (other.used == self.used && is_as_free)
    }

    pub fn is_last(self, thread: usize) -> bool {
        self.last == Some(byte_of(thread))
    }

    /// Appends the bytes to an encoded state, under the names of that encoding.
    pub fn append(self, renaming: Renaming, bytes: &mut Vec<u8>) {
        let last = self.last.map_or(NO_THREAD, |thread| byte_of(renaming.thread(usize::from(thread))));
        bytes.extend([last, self.used]);
    }

    /// Reads the last bytes of an encoded state.
    pub fn read(bytes: &[u8]) -> PreemptionState {
        match bytes.last_chunk::<{ PreemptionState::BYTES }>() {
            Some(&[last, used]) => {
                PreemptionState { last: Some(last).filter(|last| *last != NO_THREAD), used }
            }
            None => PreemptionState::default(),
        }
    }
}
