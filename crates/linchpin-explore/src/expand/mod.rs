//! Expands a node: generates its successor moves under partial order and symmetry reduction.
//!
//! | file | contents |
//! |---|---|
//! | [`expander`] | the moves of a node, given to a [`MoveSink`] |
//! | [`local_steps`] | the local steps that a move includes |
//! | [`representatives`] | the representative of a state's orbit |
//! | [`successors`] | the outcomes of one action of one thread |
//! | [`move_summary`] | what each thread does in a move |
//! | [`preemption`] | the bound on preemptions |
//! | [`coverage`] | what the moves covered |
//!
//! # Partial order reduction
//!
//! Without this reduction a *move* is one step of one thread. With it, a move is a call or step, and all
//! steps that may happen with it at once (Lipton 1975; PAT 4.3, A.1):
//!
//! - **Delayed calls.** A call whose first step can block is made together with that step. The position of a
//!   call in the history is its only visible effect. A later call loses freedom only: more operations end
//!   before it. Where the step is disabled, the call is made alone only if no other thread can move. A stuck
//!   execution can make all such calls at its end.
//! - **Local steps.** After each move, every thread makes the steps that are local in the state reached,
//!   until none is left. [`crate::reduce::Movers`] has the rules, and the reason why they stay valid.
//!   Local steps commute with everything that other threads can do. So neither their moment nor their order
//!   matters.
//!
//! **Claim.** The reduced graph shows a violation if the plain graph does.
//!
//! **Assumptions.** Every kept node is expanded for every thread: the reduction never omits a thread, it only
//! adds local steps to moves. A step with an annotated point is visible when points are judged, and then it
//! is not a local step. A return is a local step, since a return only makes the history stricter.
//!
//! **Proof.** Let σ be an execution from a kept state that shows a violation. Let a be its first move and e₁
//! … eₖ the local steps that follow a in the reduced graph. Each eᵢ is the next step of its thread after a.
//! If eᵢ occurs in σ, it commutes to the front. If it does not, adding it changes nothing that other threads
//! do. So some execution from the state after a, e₁ … eₖ shows the same violation, and is shorter than σ by
//! at least a. No cycle postpones a step for ever: the local steps of a move are bounded in number, and at
//! the bound the state is kept and expanded like any other. A stuck execution ends where no thread can move,
//! hence after all local steps. ∎
//!
//! The tests in `tests/suite/reductions` compare every reduction with the search without it.
//!
//! # Symmetry reduction
//!
//! **Symmetric threads.** Of two threads that are equal in state and monitor up to their names, only the one
//! with the smaller number moves.
//!
//! **Fresh values.** The arguments of a call are values that occur, or the least value that does not. Every
//! other value that does not occur leads to the same states up to names.

mod coverage;
mod expander;
mod local_steps;
mod move_summary;
mod preemption;
mod representatives;
mod successors;

pub use coverage::Coverage;
pub use expander::{
    Counters, ExpandOptions, Expander, Expansion, IgnoreMoves, Move, MoveSink, NodeFacts, planned_call,
};
pub use move_summary::{MOST_THREADS, MoveSummary, bit, thread_bits};
pub use preemption::PreemptionState;
pub use representatives::{Representative, Representatives};
