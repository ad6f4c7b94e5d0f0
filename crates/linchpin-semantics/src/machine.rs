//! The machine: a program within bounds, ready to run. [`Machine::call`] and [`Machine::step`] define what a
//! step does.

use crate::assemble::{Pieces, assemble};
use crate::code::Code;
use crate::code::age_slots::effective_bounds;
use crate::code::layout::{AT, OP, POSITION};
use crate::code::outcome::Outcome;
use crate::compile::{Unit, compile};
use crate::exec::events::{Events, NoEvents};
use crate::exec::hash_functions::{choose_tables, fill_tables};
use crate::exec::op_table::{OpCode, op_table};
use crate::exec::picks::Picks;
use crate::exec::run::{Mode, Run, outcome_of};
use crate::instance::Words;
use crate::instance::bounds::{Bounds, CellId, ThreadId};
use crate::normal::compact::compact;
use crate::normal::encode::{flatten, restore};
use crate::normal::normalise::normalise;
use crate::state::slots::for_each_slot;
use crate::state::{CellStatus, State, portable, roots};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{MemoryKind, OpId, Program};
use linchpin_ir::types::{SlotKind, UNDEFINED, Word, word_of};
use std::sync::Arc;

/// A compiled program. Immutable: any number of searches may share one.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) program: Arc<Program>,
    pub(crate) bounds: Bounds,
    pub(crate) code: Code,
    ops: Vec<OpCode>,
}

impl Machine {
    /// Compiles a program. The diagnostics name what cannot run within these bounds.
    pub fn new(program: &Arc<Program>, bounds: &Bounds) -> Result<Machine, Vec<Diagnostic>> {
        let bounds = &effective_bounds(program, bounds);
        let mut code = compile(&Unit::object(program, bounds))?;
        fill_tables(program, &mut code);
        let ops = op_table(program);
        Ok(Machine { program: program.clone(), bounds: bounds.clone(), code, ops })
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns the bounds in use. Ages that would grow for ever have a bound.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Returns a state before any call: hash functions are chosen, `init` has run, then each thread's
    /// variables are initialised. The error is never [`Outcome::Done`].
    pub fn initial(&self, picks: &mut Picks) -> Result<State, Outcome> {
        let mut state = State::blank(&self.code);
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

    /// Makes a call of an idle thread. Binds the arguments ([self-contained](crate::portable)) and runs to
    /// the first access and, unless that access can block, through its step. `position` is the client's next
    /// position.
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
            let rest = portable::import(&self.code, state, params, args, &mut words);
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

    /// Makes the next step of a thread with a pending call.
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

    /// Visits every slot that carries a value, with its kind; the tables of hash functions are left out. What
    /// `visit` writes must keep different collections different.
    pub fn for_each_slot(&self, state: &mut State, visit: &mut impl FnMut(SlotKind, &mut Word)) {
        for_each_slot(&self.code, state, visit);
    }

    /// Returns the cells that are allocated and unreachable: a violation in pool and manual memory.
    pub fn leaks(&self, state: &State) -> Vec<CellId> {
        match self.program.memory {
            MemoryKind::Gc => Vec::new(),
            MemoryKind::Pool | MemoryKind::Manual => roots::unreachable_cells(&self.code, state).collect(),
        }
    }

    /// Collects garbage before a state is shown: unreachable cells vanish, the others keep their names. The
    /// name of a vanished cell may be used again.
    pub fn collect_keeping_names(&self, state: &mut State) {
        if self.program.memory == MemoryKind::Gc {
            state.collect(&self.code, None);
            while state.cells.last().is_some_and(|cell| cell.status == CellStatus::Vacant) {
                state.cells.pop();
            }
        }
        compact(&self.code, state);
    }

    /// Replaces the state by its normal form.
    pub fn normalise(&self, state: &mut State) {
        normalise(&self.code, state);
    }

    /// Writes the state into `out`, which is emptied first.
    pub fn flatten(&self, state: &State, out: &mut Vec<Word>) {
        out.clear();
        flatten(&self.code, state, out);
    }

    /// Returns the state that was flattened. `None`: the words are not those of a state of this machine.
    pub fn restore(&self, words: &[Word]) -> Option<State> {
        let mut state = State::default();
        restore(&self.code, words, &mut state)?;
        Some(state)
    }

    /// Restores into a state, whose buffers are reused. After `None` the state is garbage.
    #[must_use]
    pub fn restore_into(&self, words: &[Word], state: &mut State) -> Option<()> {
        restore(&self.code, words, state)
    }

    /// Builds a state from its parts. `None` if the parts do not fit the program.
    #[doc(hidden)]
    pub fn assemble(&self, pieces: &Pieces) -> Option<State> {
        assemble(&self.program, &self.code, pieces)
    }
}
