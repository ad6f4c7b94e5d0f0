//! The machine: a program within bounds, ready to run. [`Machine::call`] and [`Machine::step`] are the only meaning of a step.

use super::ages::effective_bounds;
use super::bounds::{Bounds, ThreadId};
use super::code::Code;
use super::collection::Words;
use super::compile::{Unit, compile};
use super::definedness::Definedness;
use super::events::{Events, NoEvents};
use super::hash::Source;
use super::layout::{AT, OP, POSITION};
use super::outcome::{Fault, Outcome, Trap};
use super::picks::Picks;
use super::reach;
use super::run::{Mode, Run};
use super::slots::for_each_slot;
use super::state::State;
use super::transfer;
use crate::CellId;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{HashId, MemoryKind, OpId, Pc, Program};
use linchpin_ir::types::{SlotKind, UNDEFINED, Word, word_of};
use std::sync::Arc;

/// A program in its executable form. Immutable: any number of searches may share one.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) program: Arc<Program>,
    pub(crate) bounds: Bounds,
    pub(crate) code: Code,
    ops: Vec<OpCode>,
}

/// An operation, as far as calls and returns are concerned.
#[derive(Clone, Debug)]
pub(crate) struct OpCode {
    pub method: u32,
    params: Box<[SlotKind]>,
    params_are_flat: bool,
    pub result: Box<[SlotKind]>,
    pub result_is_flat: bool,
    /// `None`: no result can be undefined.
    pub result_definedness: Option<Definedness>,
}

impl Machine {
    /// The diagnostics say what these bounds, or this machine, cannot run.
    pub fn new(program: &Arc<Program>, bounds: &Bounds) -> Result<Machine, Vec<Diagnostic>> {
        let bounds = &effective_bounds(program, bounds);
        let mut code = compile(&Unit::object(program, bounds))?;
        fill_tables(program, &mut code);
        let types = &program.types;
        let op = |op: &linchpin_ir::program::Operation| {
            let params: Box<[SlotKind]> = op.params.iter().flat_map(|param| types.slots(*param)).collect();
            let result: Box<[SlotKind]> =
                op.result.map(|result| types.slots(result)).unwrap_or_default().into();
            OpCode {
                method: number_of(op.method.index()),
                params_are_flat: transfer::is_flat(&params),
                params,
                result_is_flat: transfer::is_flat(&result),
                result_definedness: op
                    .result
                    .map(|result| Definedness::of(types, result))
                    .filter(|definedness| !definedness.is_plain() || !transfer::is_flat(&result)),
                result,
            }
        };
        let ops = program.ops.iter().map(op).collect();
        Ok(Machine { program: program.clone(), bounds: bounds.clone(), code, ops })
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Those it was made with; ages that would grow for ever have a bound.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// A state before any call: hash functions chosen, `init` run, then each thread's own variables initialised. The error is
    /// never [`Outcome::Done`].
    pub fn initial(&self, picks: &mut Picks) -> Result<State, Outcome> {
        let mut state = blank(&self.code);
        let code = &self.code;
        let mut at = 0;
        let outcome = (|| {
            choose_tables(code, &mut state, picks)?;
            let mut run = |state: &mut State, method: u32, thread: ThreadId, me: Word| {
                let mut events = NoEvents;
                let mut run = Run::new(code, state, thread, me, picks, &mut events, Mode::Bare);
                let result = run.bare(method, &[]);
                at = run.at;
                result
            };
            run(&mut state, number_of(self.program.init.index()), ThreadId::new(0), UNDEFINED)?;
            if let Some(method) = self.program.thread_init {
                for thread in self.bounds.thread_ids() {
                    run(&mut state, number_of(method.index()), thread, thread.word())?;
                }
            }
            Ok(())
        })();
        match outcome {
            Ok(()) => Ok(state),
            Err(trap) => Err(outcome_of(&self.program, code, at, trap)),
        }
    }

    /// A call by an idle thread: binds the arguments ([self-contained](super::transfer)), runs to the first access and,
    /// unless that can block, through its step. `position` is where the client will be with this thread.
    #[expect(
        clippy::too_many_arguments,
        reason = "a call is a thread, an operation, arguments and a position"
    )]
    pub fn call<E: Events>(
        &self,
        state: &mut State,
        thread: ThreadId,
        op: OpId,
        args: &[Word],
        position: u32,
        picks: &mut Picks,
        events: &mut E,
    ) -> Outcome {
        let block = self.code.layout.block_of(thread);
        debug_assert_eq!(state.words[block + AT], 0, "only an idle thread calls");
        let OpCode { method, params, params_are_flat, .. } = &self.ops[op.index()];
        state.words[block + OP] = word_of(op.index()) + 1;
        state.words[block + POSITION] = position.cast_signed();
        if *params_are_flat {
            state.enter(&self.code, thread, *method, args);
        } else {
            let mut words = Words::new();
            let rest = transfer::import(&self.code, state, params, args, &mut words);
            debug_assert_eq!(rest, Some(&[][..]), "the arguments of the operation");
            state.enter(&self.code, thread, *method, &words);
        }
        events.call(thread, op, args);
        let entry = self.code.methods[*method as usize].entry;
        let mode = Mode::Step(&self.ops);
        let mut run = Run::new(&self.code, state, thread, thread.word(), picks, events, mode);
        match run.begin(entry) {
            Ok(_) => Outcome::Done,
            Err(trap) => outcome_of(&self.program, &self.code, run.at, trap),
        }
    }

    /// The next step of a thread with a pending call.
    pub fn step<E: Events>(
        &self,
        state: &mut State,
        thread: ThreadId,
        picks: &mut Picks,
        events: &mut E,
    ) -> Outcome {
        let at = state.words[self.code.layout.block_of(thread) + AT];
        debug_assert!(at > 0, "an idle thread has no step");
        let Some(start) = usize::try_from(at).ok().and_then(|at| at.checked_sub(1)) else {
            return Outcome::Discarded;
        };
        let mode = Mode::Step(&self.ops);
        let mut run = Run::new(&self.code, state, thread, thread.word(), picks, events, mode);
        match run.go(start) {
            Ok(_) => Outcome::Done,
            Err(trap) => outcome_of(&self.program, &self.code, run.at, trap),
        }
    }

    /// Visits every slot that means something, with its kind; the tables of hash functions are left out. What is written
    /// must keep different collections different.
    pub fn for_each_slot(&self, state: &mut State, visit: &mut impl FnMut(SlotKind, &mut Word)) {
        for_each_slot(&self.code, state, visit);
    }

    /// Cells that are allocated but that nobody can reach any more: a violation in pool and manual memory.
    pub fn leaks(&self, state: &State) -> Vec<CellId> {
        match self.program.memory {
            MemoryKind::Gc => Vec::new(),
            MemoryKind::Pool | MemoryKind::Manual => reach::unreachable_cells(&self.code, state).collect(),
        }
    }

    /// Garbage collection for those who show states to people: cells that cannot be reached vanish, the others keep their
    /// names. The name of a vanished cell may be used again.
    pub fn collect_keeping_names(&self, state: &mut State) {
        if self.program.memory == MemoryKind::Gc {
            state.collect(&self.code, None);
            while state.cells.last().is_some_and(|cell| cell.life == super::state::CellStatus::Vacant) {
                state.cells.pop();
            }
        }
        super::normalise::compact(&self.code, state);
    }
}

/// A state in which nothing has happened: every variable at its type's default.
pub(crate) fn blank(code: &Code) -> State {
    let mut state = State::default();
    let layout = &code.layout;
    state.words.resize(layout.len(), 0);
    state.words[..layout.globals].copy_from_slice(&code.global_defaults);
    for thread in (0..layout.threads).map(ThreadId::new) {
        let vars = layout.block_of(thread) + layout.vars;
        state.words[vars..vars + code.var_defaults.len()].copy_from_slice(&code.var_defaults);
    }
    state
}

/// What a trap at an address means for the caller.
pub(crate) fn outcome_of(program: &Program, code: &Code, at: usize, trap: Trap) -> Outcome {
    match trap {
        Trap::Blocked(blocked) => Outcome::Disabled(blocked),
        Trap::Cut(cut) => Outcome::Cut(cut),
        Trap::Discarded => Outcome::Discarded,
        Trap::Fault(kind, text) => {
            let method = &code.methods[code.instrs[at].method as usize];
            let pc = Pc::new(at - method.start);
            let source = super::site_method(program, method.site);
            let instr = &source.code[pc];
            let message = kind.message(code.text(text));
            let (span, context) = (instr.span, instr.context);
            Outcome::Fault(Box::new(Fault { kind, message, site: method.site, pc, span, context }))
        }
    }
}

/// Computes the tables of given hash functions.
pub(crate) fn fill_tables(program: &Program, code: &mut Code) {
    for at in code.tables.given.clone() {
        let Some(body) = program.hashes[HashId::new(at)].body else { continue };
        let table = &code.tables.tables[at];
        if let Source::Fixed(_) = table.source {
            let result = |value: &Words| evaluate(code, &mut blank(code), number_of(body.index()), value);
            let results = table.domain.iter().map(result).collect();
            code.tables.tables[at].source = Source::Fixed(results);
        }
    }
}

/// Chooses the arbitrary hash functions, then computes those that depend on them.
fn choose_tables(code: &Code, state: &mut State, picks: &mut Picks) -> Result<(), Trap> {
    for table in &code.tables.tables {
        if let Source::InState { at, method: None, results } = &table.source {
            for entry in (0..table.domain.len()).filter(|_| !results.is_empty()) {
                let result = &results[picks.pick(results.len())];
                state.words[at + entry * table.width..][..table.width].copy_from_slice(result);
            }
        }
    }
    for table in code.tables.given.iter().map(|at| &code.tables.tables[*at]) {
        if let Source::InState { at, method: Some(method), .. } = &table.source {
            for (entry, value) in table.domain.iter().enumerate() {
                let result = evaluate(code, state, *method, value)?;
                state.words[at + entry * table.width..][..table.width].copy_from_slice(&result);
            }
        }
    }
    Ok(())
}

/// The result of a function of one value.
fn evaluate(code: &Code, state: &mut State, method: u32, value: &[Word]) -> Result<Words, Trap> {
    let (mut picks, mut events) = (Picks::new(), NoEvents);
    let mut run = Run::new(code, state, ThreadId::new(0), UNDEFINED, &mut picks, &mut events, Mode::Bare);
    run.bare(method, value)?;
    Ok(run.results)
}
