//! The concrete state and `step`: the only meaning of a program.
//!
//! A [`Machine`] is a [`Program`](linchpin_ir::program::Program) within [`Bounds`], made executable once. A [`State`] is a few flat vectors. Everything that
//! happens is one of two things, done to a state in place:
//!
//! - [`Machine::call`]: an idle thread calls an operation;
//! - [`Machine::step`]: a thread with a pending call makes its next access and the local work after it.
//!
//! Either ends in an [`Outcome`]. Where the language leaves a choice open, the run takes a [pick](Picks), so that a step
//! is a function of the state, the thread and its picks. What can be observed on the way goes to [`Events`].
//!
//! Names of cells mean nothing: [`Machine::normalise`] chooses them anew, [`Machine::flatten`] makes a state a key.
//! Who calls what is a [`Client`]'s business; the specification runs on a [`SpecMachine`], by the same code.
//!
//! | file | what it says |
//! |---|---|
//! | [`bounds`], [`picks`], [`outcome`], [`events`] | the instance, its nondeterminism, how a step ends, what it shows |
//! | [`state`], [`layout`], [`contents`], [`class`], [`definedness`] | what a state is made of |
//! | [`compile`], [`code`], [`text`] | the program, made executable |
//! | [`machine`], [`run`], [`execute`], [`eval`], [`memory`], [`frames`], [`collection`], [`alloc`], [`hash`] | what a step does |
//! | [`reach`], [`ages`], [`normalise`], [`slots`], [`flatten`] | states up to names |
//! | [`view`], [`value`], [`transfer`], [`assemble`] | reading states, values outside of them; building a state for a test |
//! | [`client`], [`spec_machine`], [`domain`] | who calls; what should happen |

mod ages;
mod alloc;
mod assemble;
mod bounds;
mod class;
pub mod client;
mod code;
mod collection;
mod compile;
mod contents;
mod definedness;
mod domain;
mod eval;
mod events;
mod execute;
mod flatten;
mod frames;
mod hash;
mod layout;
mod machine;
mod memory;
mod normalise;
mod outcome;
mod picks;
#[doc(hidden)]
pub mod raw;
mod reach;
mod run;
mod slots;
mod spec_machine;
mod state;
mod text;
pub mod transfer;
mod value;
mod view;

#[doc(hidden)]
pub use assemble::{CellPiece, Pending, Pieces};
pub use bounds::{Bounds, CellId, MAX_THREADS, ThreadId};
pub use client::{CallChoice, Client, Restriction, ScheduleScope};
pub use domain::results;
pub use events::{AccessEvent, Events, NoEvents};
pub use machine::Machine;
pub use outcome::{Blocked, Cut, Fault, FaultKind, FaultProperty, Location, LocationBase, Outcome, Site};
pub use picks::Picks;
pub use spec_machine::{Participant, SpecError, SpecMachine, SpecOutcome, SpecState};
pub use state::State;
pub use value::{Value, cell_name, thread_name};
pub use view::{CellView, FrameView, Status};

use linchpin_ir::program::{Method, Program};

/// The text that runs at a site.
pub fn site_method(program: &Program, site: Site) -> &Method {
    match site {
        Site::Method(method) => &program.methods[method],
        Site::SpecInit => &program.spec.init,
        Site::Clause(clause) => &program.spec.clauses[clause].method,
    }
}
