//! Runs the clauses of a specification, again and again from states that are often the same.
//!
//! A history is judged by many questions about few states: may this call take effect here, with this result?
//! The runner unpacks a state once for all questions about the state. It packs the state after an effect only
//! if the results are wanted, and never after a clause that only reads.

use crate::code::Op;
use crate::code::definedness::{Definedness, Undefined};
use crate::code::outcome::{FaultKind, Outcome, TextId, Trap};
use crate::exec::events::NoEvents;
use crate::exec::picks::Picks;
use crate::exec::run::{Mode, Run, outcome_of};
use crate::instance::Words;
use crate::instance::bounds::ThreadId;
use crate::spec_machine::{Participant, SpecError, SpecMachine, SpecOutcome, SpecState};
use crate::state::State;
use crate::state::portable;
use linchpin_ir::index::{Index, IndexVec, number_of};
use linchpin_ir::program::{Clause, OpId};
use linchpin_ir::types::{SlotKind, UNDEFINED, Word};
use std::collections::BTreeSet;

/// The result of each participant, self-contained; `None` for an operation without one.
pub type Results = Vec<Option<Box<[Word]>>>;

/// A specification, and the state that was asked about last.
#[derive(Clone, Debug)]
pub struct SpecRunner<'a> {
    machine: &'a SpecMachine,
    reads: IndexVec<OpId, bool>,
    /// The parameters of the method of each clause.
    params: Vec<Box<[SlotKind]>>,
    unpacked: Option<(SpecState, State)>,
    scratch: State,
}

impl SpecMachine {
    /// Returns the initial states, in order.
    pub fn initial(&self) -> Result<Vec<SpecState>, SpecError> {
        let mut found = BTreeSet::new();
        let blank = State::blank(&self.code);
        let method = self.first_clause - 1;
        let params = params(self, method);
        let call = Call { before: &blank, me: UNDEFINED, method, params: &params, args: &[] };
        each_way(self, &call, &mut State::default(), |state, _| {
            found.insert(self.pack(state));
            Ok(())
        })?;
        Ok(found.into_iter().collect())
    }

    /// Returns every way in which the calls take effect at one moment, in order: one call by itself, or the
    /// calls of a rendezvous. Any clause with these heads may run. An empty list: no clause is enabled.
    ///
    /// A [`SpecRunner`] answers many questions about one state faster.
    pub fn outcomes(
        &self,
        state: &SpecState,
        participants: &[Participant],
    ) -> Result<Vec<SpecOutcome>, SpecError> {
        SpecRunner::new(self).outcomes(state, participants, &mut |_| true)
    }
}

impl<'a> SpecRunner<'a> {
    pub fn new(machine: &'a SpecMachine) -> SpecRunner<'a> {
        let program = machine.program();
        let clauses = number_of(program.spec.clauses.len());
        SpecRunner {
            machine,
            reads: program.ops.ids().map(|op| program.spec.only_reads(op)).collect(),
            params: (0..clauses).map(|at| params(machine, machine.first_clause + at)).collect(),
            unpacked: None,
            scratch: State::default(),
        }
    }

    /// Returns every way in which the calls take effect at one moment and have results that are wanted, in
    /// order. The list is that of [`SpecMachine::outcomes`] without the other ways; `wanted` must answer
    /// alike for equal results.
    pub fn outcomes(
        &mut self,
        state: &SpecState,
        participants: &[Participant],
        wanted: &mut dyn FnMut(&Results) -> bool,
    ) -> Result<Vec<SpecOutcome>, SpecError> {
        let mut found: Vec<SpecOutcome> = Vec::new();
        for (at, clause) in self.machine.program().spec.clauses.iter().enumerate() {
            let mut failed = None;
            castings(clause, participants, &mut |cast| {
                if failed.is_none() {
                    failed = self.perform(state, at, cast, participants, wanted, &mut found).err();
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Runs a clause; `cast[head]` is the participant of each head.
    fn perform(
        &mut self,
        packed: &SpecState,
        at: usize,
        cast: &[usize],
        participants: &[Participant],
        wanted: &mut dyn FnMut(&Results) -> bool,
        found: &mut Vec<SpecOutcome>,
    ) -> Result<(), SpecError> {
        let machine = self.machine;
        let clause = &machine.program().spec.clauses[at];
        let only_reads = clause.heads.iter().all(|head| self.reads[head.op]);
        let me = cast.first().map_or(UNDEFINED, |first| participants[*first].thread.word());
        let method = machine.first_clause + number_of(at);
        let mut args = Words::new();
        cast.iter().for_each(|player| args.extend_from_slice(participants[*player].args));
        if self.unpacked.as_ref().is_none_or(|(known, _)| known != packed) {
            self.unpacked = Some((packed.clone(), machine.unpack(packed)));
        }
        let Some((_, before)) = &self.unpacked else { return Ok(()) };
        let call = Call { before, me, method, params: &self.params[at], args: &args };
        each_way(machine, &call, &mut self.scratch, |state, mut words| {
            let mut results: Results = vec![None; participants.len()];
            for (head, player) in clause.heads.iter().zip(cast) {
                let Some(ty) = head.result else { continue };
                let types = &machine.program().types;
                let slots = types.slots(ty);
                let (own, others) = words.split_at(slots.len());
                words = others;
                portable::check_defined(&machine.code, state, &Definedness::of(types, ty), &slots, own)?;
                let mut out = Words::new();
                portable::export(&machine.code, state, &slots, own, &mut out);
                results[*player] = Some(out.into_vec().into());
            }
            if wanted(&results) {
                let state = if only_reads { packed.clone() } else { machine.pack(state) };
                found.push(SpecOutcome { state, results });
            }
            Ok(())
        })
    }
}

/// One run of a method: the state before, and the arguments.
struct Call<'c> {
    before: &'c State,
    me: Word,
    method: u32,
    params: &'c [SlotKind],
    args: &'c [Word],
}

/// Runs a method from a state with all picks. Passes the state and the results to `done`; disabled runs are
/// skipped.
fn each_way(
    machine: &SpecMachine,
    call: &Call,
    state: &mut State,
    mut done: impl FnMut(&mut State, &[Word]) -> Result<(), Undefined>,
) -> Result<(), SpecError> {
    let code = &machine.code;
    let mut picks = Picks::new();
    loop {
        picks.restart();
        state.clone_from(call.before);
        let mut words = Words::new();
        let rest = portable::import(code, state, call.params, call.args, &mut words);
        debug_assert_eq!(rest, Some(&[][..]), "the arguments of the clause");
        let mut events = NoEvents;
        let thread = ThreadId::new(0);
        let mut run = Run::new(code, state, thread, call.me, &mut picks, &mut events, Mode::Bare);
        let result = run.bare(call.method, &words);
        let at = run.at;
        let results = std::mem::take(&mut run.results);
        let returned = |_: Undefined| match code.instrs[at].op {
            Op::Return { text, .. } => Trap::Fault(FaultKind::UndefinedReturned, text),
            _ => Trap::Fault(FaultKind::UndefinedReturned, TextId(0)),
        };
        if let Err(trap) = result.and_then(|()| done(state, &results).map_err(returned)) {
            match outcome_of(machine.program(), code, at, trap) {
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
fn params(machine: &SpecMachine, method: u32) -> Box<[SlotKind]> {
    let method = &machine.code.methods[method as usize];
    method.params.iter().flat_map(|param| method.slots[param.range()].iter().copied()).collect()
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
