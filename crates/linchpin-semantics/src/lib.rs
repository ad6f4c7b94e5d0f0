//! The meaning of a program: concrete states, and the steps that change them.
//!
//! A [`Machine`] is a [`Program`](linchpin_ir::program::Program) within [`Bounds`], compiled once. A
//! [`State`] is a few flat vectors. Two things happen to a state, both in place:
//!
//! - [`Machine::call`]: an idle thread calls an operation;
//! - [`Machine::step`]: a thread with a pending call makes its next access and the local work after it.
//!
//! Both return an [`Outcome`]. Where the language leaves a choice open, the run takes a [pick](Picks). So a
//! step is a function of the state, the thread and the picks. Observers receive [`Events`].
//!
//! Names of cells carry no meaning: [`Machine::normalise`] renames them, [`Machine::flatten`] makes a state a
//! key. A [`Client`] decides which calls are made. The specification runs on a [`SpecMachine`], by the same
//! code.
//!
//! # Layers
//!
//! A folder uses only the folders above it in this table. Inside [`exec`] the interpreter's loop is the one
//! cycle.
//!
//! | folder | contents |
//! |---|---|
//! | [`instance`] | bounds, the values within them, names |
//! | [`code`] | the compiled program, and how a step can end; data only |
//! | [`state`] | states, and functions that read or change a part of one |
//! | [`compile`] | from the program to [`code`] |
//! | [`exec`] | what a step does; picks and events |
//! | [`normal`] | normal forms, encoding |
//! | [`value`], [`assemble`] | values for people; states built for tests |
//! | [`machine`], [`spec_machine`], [`view`] | the facades; `view` reads states by name |
//! | [`client`], [`raw`] | which calls are made; the layout of states for reductions |

mod assemble;
pub mod client;
mod code;
mod compile;
mod exec;
mod instance;
mod machine;
mod normal;
#[doc(hidden)]
pub mod raw;
mod spec_machine;
mod spec_runner;
mod state;
mod value;
mod view;

#[doc(hidden)]
pub use assemble::{CellPiece, Pending, Pieces};
pub use client::{CallChoice, Client, Restriction, ScheduleScope};
pub use code::outcome::{
    Blocked, Cut, Fault, FaultKind, FaultProperty, Location, LocationBase, Outcome, Site, site_method,
};
pub use exec::events::{AccessEvent, Events, NoEvents};
pub use exec::picks::Picks;
pub use instance::bounds::{Bounds, CellId, MAX_THREADS, ThreadId};
pub use instance::domain::results;
pub use instance::names::{cell_name, thread_name};
pub use machine::Machine;
pub use spec_machine::{Participant, SpecError, SpecMachine, SpecOutcome, SpecState};
pub use spec_runner::{Results, SpecRunner};
pub use state::{State, portable};
pub use value::Value;
pub use view::{CellView, FrameView, Status};
