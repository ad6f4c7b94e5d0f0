//! Every schedule of given calls, by the steps of the program.

use crate::reference::{Call, Cell, CellId, CellMemory, Ending, Fault, Snapshot, ThreadEnd, Value};
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{Pointee, TypeId, Word};
use linchpin_semantics::{
    Bounds, CellView, Client, Events, FaultKind, Machine, Outcome, Picks, State, Status, ThreadId,
};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What all schedules end in; with an error, its message.
#[derive(Default)]
pub struct Fused {
    pub endings: BTreeMap<Ending, Option<String>>,
    /// Executions that left the bounds.
    pub cut: usize,
    /// Waiting for a cell, in some end.
    pub out_of_cells: bool,
}

/// All ends of all schedules in which thread `t` makes the calls `calls[t]`. There must be as many threads as
/// the program was made for.
pub fn explore_fused(program: &Arc<Program>, bounds: &Bounds, calls: &[Vec<Call>]) -> Fused {
    let machine = Machine::new(program, bounds).unwrap_or_else(|problems| panic!("{problems:?}"));
    let mut search = Search {
        client: schedule(program, calls),
        machine,
        seen: HashSet::new(),
        work: Vec::new(),
        found: Fused::default(),
    };
    search.initial_states(calls.len());
    while let Some((state, results)) = search.work.pop() {
        search.successors(&state, &results);
    }
    search.found
}

/// The results of each thread so far: the operation and its words.
type Results = Vec<Vec<(OpId, Vec<Word>)>>;

struct Search {
    client: Client,
    machine: Machine,
    seen: HashSet<(Vec<Word>, Results)>,
    work: Vec<(State, Results)>,
    found: Fused,
}

impl Search {
    fn initial_states(&mut self, threads: usize) {
        let mut picks = Picks::new();
        loop {
            picks.restart();
            match self.machine.initial(&mut picks) {
                Ok(state) => self.enqueue(state, vec![Vec::new(); threads]),
                Err(outcome) => self.stopped(None, outcome),
            }
            if !picks.advance() {
                return;
            }
        }
    }

    fn successors(&mut self, state: &State, results: &Results) {
        let mut moved = false;
        for thread in (0..results.len()).map(ThreadId::new) {
            let mut picks = Picks::new();
            loop {
                picks.restart();
                let mut next = state.clone();
                let mut returned = Returned::default();
                let outcome = if self.machine.is_idle(state, thread) {
                    let Some(call) = self.client.calls(&self.machine, state, thread).next() else { break };
                    let position = call.next_position;
                    self.machine.call(
                        &mut next,
                        thread,
                        call.op,
                        &call.args,
                        position,
                        &mut picks,
                        &mut returned,
                    )
                } else {
                    self.machine.step(&mut next, thread, &mut picks, &mut returned)
                };
                match outcome {
                    Outcome::Done => {
                        moved = true;
                        let mut results = results.clone();
                        results[thread.index()].extend(returned.result);
                        self.enqueue(next, results);
                    }
                    Outcome::Disabled(blocked) => self.found.out_of_cells |= blocked.by_bound(),
                    other => {
                        moved = true;
                        self.stopped(Some(thread), other);
                    }
                }
                if !picks.advance() {
                    break;
                }
            }
        }
        if !moved {
            let ending = Ending::Ended(self.snapshot(state, results).render());
            self.found.endings.insert(ending, None);
        }
    }

    fn enqueue(&mut self, mut state: State, results: Results) {
        self.machine.normalise(&mut state);
        let mut words = Vec::new();
        self.machine.flatten(&state, &mut words);
        if self.seen.insert((words, results.clone())) {
            self.work.push((state, results));
        }
    }

    fn stopped(&mut self, thread: Option<ThreadId>, outcome: Outcome) {
        match outcome {
            Outcome::Fault(fault) => {
                let ending = Ending::Fault {
                    thread: thread.map(Index::index),
                    fault: kind(fault.kind),
                    span: fault.span,
                };
                self.found.endings.insert(ending, Some(fault.message));
            }
            Outcome::Cut(_) => self.found.cut += 1,
            Outcome::Discarded => {}
            Outcome::Done | Outcome::Disabled(_) => panic!("no thread stopped"),
        }
    }

    fn snapshot(&self, state: &State, results: &Results) -> Snapshot<'_> {
        let program = self.machine.program();
        let globals = program.globals.variables.entries();
        Snapshot {
            types: &program.types,
            memory: CellMemory::of(program.memory),
            shared: globals
                .map(|(id, global)| {
                    let words = self.machine.global_words(state, id);
                    (global.name.to_string(), global.ty, self.decode(state, global.ty, words))
                })
                .collect(),
            cells: self
                .machine
                .cells(state)
                .map(|cell| (CellId(cell.id.index() + 1), self.cell(state, cell)))
                .collect(),
            threads: (0..results.len())
                .map(|at| self.thread_end(state, ThreadId::new(at), &results[at]))
                .collect(),
        }
    }

    fn cell(&self, state: &State, view: CellView) -> Cell {
        let types = &self.machine.program().types;
        let mut words = view.words;
        let contents = |handle| self.machine.contents(state, handle);
        let contents = match view.pointee {
            Pointee::Struct(id) => {
                let fields = &types.structs[id].fields;
                Value::Record(
                    fields
                        .iter()
                        .map(|field| Value::decode(types, &contents, field.ty, &mut words))
                        .collect(),
                )
            }
            Pointee::Array(element) => Value::Array(
                (0..view.len).map(|_| Value::decode(types, &contents, element, &mut words)).collect(),
            ),
        };
        Cell { of: view.pointee, free: view.is_freed, contents }
    }

    fn thread_end(&self, state: &State, thread: ThreadId, results: &[(OpId, Vec<Word>)]) -> ThreadEnd {
        let program = self.machine.program();
        let vars = program.thread_vars.entries().map(|(id, var)| {
            let words = self.machine.thread_var_words(state, thread, id);
            (var.name.to_string(), var.ty, self.decode(state, var.ty, words))
        });
        let called = results.iter().map(|(op, words)| {
            let ty = program.ops[*op].result;
            (ty, ty.map_or(Value::Unit, |ty| self.decode(state, ty, words)))
        });
        ThreadEnd {
            vars: vars.collect(),
            results: called.collect(),
            stuck: self.machine.status(state, thread) != Status::Idle
                || !self.client.is_finished(&self.machine, state, thread),
        }
    }

    fn decode(&self, state: &State, ty: TypeId, mut words: &[Word]) -> Value {
        let contents = |handle| self.machine.contents(state, handle);
        Value::decode(&self.machine.program().types, &contents, ty, &mut words)
    }
}

/// The result of the call that a step ended, if it did.
#[derive(Default)]
struct Returned {
    result: Option<(OpId, Vec<Word>)>,
}

impl Events for Returned {
    fn returned(&mut self, _: ThreadId, op: OpId, result: &[Word]) {
        self.result = Some((op, result.to_vec()));
    }
}

/// The client that makes these calls.
pub fn schedule(program: &Program, calls: &[Vec<Call>]) -> Client {
    let encode = |call: &Call| (call.op, call.encode(&program.types, &program.ops[call.op].params));
    let threads: Vec<Vec<_>> = calls.iter().map(|calls| calls.iter().map(encode).collect()).collect();
    Client::schedule(&[], &threads)
}

fn kind(kind: FaultKind) -> Fault {
    match kind {
        FaultKind::NullAccess => Fault::Null,
        FaultKind::FreedAccess(_) => Fault::Freed,
        FaultKind::DoubleFree(_) => Fault::DoubleFree,
        FaultKind::UndefinedUsed | FaultKind::UndefinedReturned => Fault::Undefined,
        FaultKind::Assert => Fault::Assert,
        FaultKind::Range { .. } => Fault::Range,
        FaultKind::Index { .. } | FaultKind::Length(_) | FaultKind::Empty => Fault::Index,
        FaultKind::Unwrap => Fault::Unwrap,
        FaultKind::DivisionByZero => Fault::Division,
        FaultKind::NotHolder { .. } => Fault::NotHeld,
        FaultKind::Endless => Fault::Endless,
    }
}
