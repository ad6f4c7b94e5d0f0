//! Runs the specification, by the same code as the object. Its clauses are methods on their own memory, one
//! step each. [`spec_runner`](super::spec_runner) runs them.

use crate::code::Code;
use crate::code::outcome::{Cut, Fault};
use crate::compile::{Unit, compile};
use crate::exec::hash_functions::fill_tables;
use crate::instance::bounds::{Bounds, ThreadId};
use crate::normal::compact::compact;
use crate::normal::encode::{flatten_contents, restore_contents};
use crate::state::State;
use crate::state::slots::for_each_slot;
use crate::value::Value;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::number_of;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{SlotKind, Word};
use std::sync::Arc;

/// The compiled specification of a program. Immutable.
#[derive(Clone, Debug)]
pub struct SpecMachine {
    program: Arc<Program>,
    bounds: Bounds,
    pub(crate) code: Code,
    /// The method of the first clause; `init` precedes it.
    pub(crate) first_clause: u32,
}

/// A state of the specification. Two states are equal iff their words are equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpecState(Box<[Word]>);

/// A pending call that takes effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Participant<'a> {
    pub op: OpId,
    /// The arguments, self-contained ([`crate::portable`]).
    pub args: &'a [Word],
    pub thread: ThreadId,
}

/// One way in which the participants take effect together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpecOutcome {
    pub state: SpecState,
    /// The result of each participant, self-contained; `None` for an operation without one.
    pub results: Vec<Option<Box<[Word]>>>,
}

/// The specification itself has a fault, or leaves the bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecError {
    Fault(Box<Fault>),
    Cut(Cut),
}

impl SpecMachine {
    pub fn new(program: &Arc<Program>, bounds: &Bounds) -> Result<SpecMachine, Vec<Diagnostic>> {
        let mut code = compile(&Unit::spec(program, bounds))?;
        fill_tables(program, &mut code);
        let first_clause = number_of(program.methods.len()) + 1;
        Ok(SpecMachine { program: program.clone(), bounds: bounds.clone(), code, first_clause })
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Returns the variables of a state by name.
    pub fn values(&self, state: &SpecState) -> Vec<(Arc<str>, Value)> {
        let types = &self.program.types;
        let unpacked = self.unpack(state);
        let value = |variable: &linchpin_ir::program::Global| {
            let words = &unpacked.words[variable.offset..][..types.width(variable.ty)];
            (variable.name.clone(), Value::inside(types, &unpacked, variable.ty, words))
        };
        self.program.spec.globals.variables.iter().map(value).collect()
    }

    /// Visits every slot of a state that carries a value, with its kind.
    pub fn for_each_word(&self, state: &SpecState, visit: &mut impl FnMut(SlotKind, Word)) {
        let mut unpacked = self.unpack(state);
        for_each_slot(&self.code, &mut unpacked, &mut |kind, word| visit(kind, *word));
    }

    /// Returns a state after a change of names. No clause runs.
    pub(crate) fn renamed(&self, state: &SpecState, rename: impl FnOnce(&Code, &mut State)) -> SpecState {
        let mut unpacked = self.unpack(state);
        rename(&self.code, &mut unpacked);
        self.pack(&mut unpacked)
    }

    pub(crate) fn pack(&self, state: &mut State) -> SpecState {
        compact(&self.code, state);
        let mut words = state.words[..self.code.layout.globals].to_vec();
        flatten_contents(state, &mut words);
        SpecState(words.into())
    }

    pub(crate) fn unpack(&self, packed: &SpecState) -> State {
        let mut state = State::blank(&self.code);
        let (globals, contents) = packed.0.split_at(self.code.layout.globals);
        state.words[..globals.len()].copy_from_slice(globals);
        let restored = restore_contents(contents, &mut state);
        debug_assert!(restored.is_some(), "a state that was packed");
        state
    }
}

impl SpecState {
    /// Returns a state from other words, for data that is stored like states of a specification.
    pub fn of_words(words: Vec<Word>) -> SpecState {
        SpecState(words.into())
    }

    /// Returns the words. They are equal iff the states are equal.
    pub fn words(&self) -> &[Word] {
        &self.0
    }
}
