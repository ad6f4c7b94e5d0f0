//! Runs the specification, by the same code as the object. Its clauses are methods on their own memory, one
//! step each.

use crate::code::definedness::{Definedness, Undefined};
use crate::code::outcome::{Cut, Fault, FaultKind, Outcome, TextId, Trap};
use crate::code::{Code, Op};
use crate::compile::{Unit, compile};
use crate::exec::events::NoEvents;
use crate::exec::hash_functions::fill_tables;
use crate::exec::picks::Picks;
use crate::exec::run::{Mode, Run, outcome_of};
use crate::instance::Words;
use crate::instance::bounds::{Bounds, ThreadId};
use crate::normal::compact::compact;
use crate::normal::encode::{flatten_contents, restore_contents};
use crate::state::State;
use crate::state::portable;
use crate::state::slots::for_each_slot;
use crate::value::Value;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{Clause, OpId, Program};
use linchpin_ir::types::{SlotKind, UNDEFINED, Word};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The compiled specification of a program. Immutable.
#[derive(Clone, Debug)]
pub struct SpecMachine {
    program: Arc<Program>,
    bounds: Bounds,
    code: Code,
    /// The method of the first clause; `init` precedes it.
    first_clause: u32,
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

    /// Returns the initial states, in order.
    pub fn initial(&self) -> Result<Vec<SpecState>, SpecError> {
        let mut found = BTreeSet::new();
        let blank = State::blank(&self.code);
        self.each_way(&blank, UNDEFINED, self.first_clause - 1, &[], |machine, state, _| {
            found.insert(machine.pack(state));
            Ok(())
        })?;
        Ok(found.into_iter().collect())
    }

    /// Returns every way in which the calls take effect at one moment, in order: one call by itself, or the
    /// calls of a rendezvous. Any clause with these heads may run. An empty list: no clause is enabled.
    pub fn outcomes(
        &self,
        state: &SpecState,
        participants: &[Participant],
    ) -> Result<Vec<SpecOutcome>, SpecError> {
        let mut found = BTreeSet::new();
        let mut before = None;
        for (at, clause) in self.program.spec.clauses.iter().enumerate() {
            let mut failed = None;
            castings(clause, participants, &mut |cast| {
                let before = before.get_or_insert_with(|| self.unpack(state));
                failed =
                    failed.take().or_else(|| self.perform(before, at, cast, participants, &mut found).err());
            });
            if let Some(error) = failed {
                return Err(error);
            }
        }
        Ok(found.into_iter().collect())
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

    /// Runs a clause; `cast[head]` is the participant of each head.
    fn perform(
        &self,
        before: &State,
        at: usize,
        cast: &[usize],
        participants: &[Participant],
        found: &mut BTreeSet<SpecOutcome>,
    ) -> Result<(), SpecError> {
        let clause = &self.program.spec.clauses[at];
        let me = cast.first().map_or(UNDEFINED, |first| participants[*first].thread.word());
        let method = self.first_clause + number_of(at);
        let mut args: Vec<Word> = Vec::new();
        cast.iter().for_each(|player| args.extend_from_slice(participants[*player].args));
        self.each_way(before, me, method, &args, |machine, state, words| {
            let mut results = vec![None; participants.len()];
            let mut words = words;
            for (head, player) in clause.heads.iter().zip(cast) {
                let Some(ty) = head.result else { continue };
                let types = &machine.program.types;
                let slots = types.slots(ty);
                let (own, others) = words.split_at(slots.len());
                words = others;
                portable::check_defined(&machine.code, state, &Definedness::of(types, ty), &slots, own)?;
                let mut out = Words::new();
                portable::export(&machine.code, state, &slots, own, &mut out);
                results[*player] = Some(out.into_vec().into());
            }
            found.insert(SpecOutcome { state: machine.pack(state), results });
            Ok(())
        })
    }

    /// Runs a method from a state with all picks. Passes the state and the results to `done`; disabled runs
    /// are skipped.
    fn each_way(
        &self,
        before: &State,
        me: Word,
        method: u32,
        args: &[Word],
        mut done: impl FnMut(&SpecMachine, &mut State, &[Word]) -> Result<(), Undefined>,
    ) -> Result<(), SpecError> {
        let mut picks = Picks::new();
        let mut state = State::default();
        let params: Vec<_> = self.params(method);
        loop {
            picks.restart();
            state.clone_from(before);
            let mut words = Words::new();
            let rest = portable::import(&self.code, &mut state, &params, args, &mut words);
            debug_assert_eq!(rest, Some(&[][..]), "the arguments of the clause");
            let mut events = NoEvents;
            let thread = ThreadId::new(0);
            let mut run = Run::new(&self.code, &mut state, thread, me, &mut picks, &mut events, Mode::Bare);
            let result = run.bare(method, &words);
            let at = run.at;
            let results = std::mem::take(&mut run.results);
            let returned = |_: Undefined| match self.code.instrs[at].op {
                Op::Return { text, .. } => Trap::Fault(FaultKind::UndefinedReturned, text),
                _ => Trap::Fault(FaultKind::UndefinedReturned, TextId(0)),
            };
            if let Err(trap) = result.and_then(|()| done(self, &mut state, &results).map_err(returned)) {
                match outcome_of(&self.program, &self.code, at, trap) {
                    Outcome::Fault(fault) => return Err(SpecError::Fault(fault)),
                    Outcome::Cut(cut) => return Err(SpecError::Cut(cut)),
                    Outcome::Done | Outcome::Disabled(_) | Outcome::Discarded => {}
                }
            }
            if !picks.advance() {
                return Ok(());
            }
        }
    }

    /// Returns the slots of a method's parameters.
    fn params(&self, method: u32) -> Vec<SlotKind> {
        let method = &self.code.methods[method as usize];
        method.params.iter().flat_map(|param| method.slots[param.range()].iter().copied()).collect()
    }

    /// Returns a state after a change of names. No clause runs.
    pub(crate) fn renamed(&self, state: &SpecState, rename: impl FnOnce(&Code, &mut State)) -> SpecState {
        let mut unpacked = self.unpack(state);
        rename(&self.code, &mut unpacked);
        self.pack(&mut unpacked)
    }

    fn pack(&self, state: &mut State) -> SpecState {
        compact(&self.code, state);
        let mut words = state.words[..self.code.layout.globals].to_vec();
        flatten_contents(state, &mut words);
        SpecState(words.into())
    }

    fn unpack(&self, packed: &SpecState) -> State {
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

/// Visits every assignment of the participants to the heads of a clause: `cast[head]` is the participant.
fn castings(clause: &Clause, participants: &[Participant], visit: &mut dyn FnMut(&[usize])) {
    fn extend(
        clause: &Clause,
        participants: &[Participant],
        cast: &mut Vec<usize>,
        visit: &mut dyn FnMut(&[usize]),
    ) {
        let Some(head) = clause.heads.get(cast.len()) else { return visit(cast) };
        for (at, participant) in participants.iter().enumerate() {
            if participant.op == head.op && !cast.contains(&at) {
                cast.push(at);
                extend(clause, participants, cast, visit);
                cast.pop();
            }
        }
    }
    if clause.heads.len() == participants.len() {
        extend(clause, participants, &mut Vec::new(), visit);
    }
}
