//! The layout of states and code, for the reductions of an engine.
//!
//! Everything else reads states through [`Machine`] and never sees an offset. Reductions run for every state
//! of a search; they read and write the vectors of a [`State`] themselves. Nothing here is a stable
//! interface.

pub use crate::code::collection_class::{Root, RootKind};
pub use crate::code::hash_tables::Source;
pub use crate::code::layout::{AT, LINK_CELL, LINK_NONE, LINK_WIDTH, Layout, OP, POSITION, STACK};
pub use crate::code::outcome::holder;
pub use crate::code::{Base, CellKind, Code, Method, Op, ResolvedPlace, Target, Term};
pub use crate::compile::methods_of_operations;
pub use crate::exec::eval::Thread;
pub use crate::normal::ages::close_gaps;
pub use crate::normal::normalise::out_of_reach;
pub use crate::state::collection::sort_elements;
pub use crate::state::frames::saved_frames;
pub use crate::state::roots::{for_each_element, for_each_field};
pub use crate::state::slots::for_each_slot;
pub use crate::state::{CellHead, CellStatus};

use crate::machine::Machine;
use crate::spec_machine::{SpecMachine, SpecState};
use crate::state::State;

/// Returns the executable form of a machine's program.
#[inline]
pub fn code(machine: &Machine) -> &Code {
    &machine.code
}

/// Returns a state of the specification after a change of names. No clause runs.
pub fn renamed_spec_state(
    machine: &SpecMachine,
    state: &SpecState,
    rename: impl FnOnce(&Code, &mut State),
) -> SpecState {
    machine.renamed(state, rename)
}
