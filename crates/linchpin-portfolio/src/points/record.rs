//! Recorded executions: calls, returns, and the candidates that each step passes.
//!
//! Random executions in small bounds are recorded once. Every set of points is judged on them
//! ([`super::judge`]), so most sets need no search. Executions that refute a set of points are recorded too.

use super::instrument::{CandidateId, Instrumented};
use linchpin_explore::simulate::{Length, Simulation, simulate, start_of};
use linchpin_ir::index::Index;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_judge::trace::{Action, Trace};
use linchpin_semantics::{CallChoice, Client, Events, Fault, Machine, Outcome, Picks, State, ThreadId};
use rustc_hash::FxHashMap;

linchpin_ir::index_types! {
    /// An operation with its arguments and its thread.
    pub struct CallKind;
    /// A result, by its words.
    pub struct ResultId;
}

/// The call of an operation by a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Called {
    pub thread: ThreadId,
    pub op: OpId,
    pub args: Box<[Word]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    Call(CallKind),
    /// A step of the thread passes the candidate.
    Mark {
        thread: ThreadId,
        step: u32,
        candidate: CandidateId,
    },
    Return {
        thread: ThreadId,
        result: ResultId,
    },
}

/// The events of one execution.
#[derive(Clone, Default, Debug)]
pub struct Execution {
    pub events: Vec<Event>,
}

/// The recorded executions.
#[derive(Default)]
pub struct Record {
    pub executions: Vec<Execution>,
    pub calls: Interned<Called>,
    pub results: Interned<Option<Box<[Word]>>>,
}

/// Numbers for values that are equal.
pub struct Interned<T> {
    ids: FxHashMap<T, usize>,
    values: Vec<T>,
}

impl<T> Default for Interned<T> {
    fn default() -> Interned<T> {
        Interned { ids: FxHashMap::default(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Interned<T> {
    pub fn id<I: Index>(&mut self, value: T) -> I {
        let next = self.values.len();
        let at = *self.ids.entry(value.clone()).or_insert(next);
        if at == next {
            self.values.push(value);
        }
        I::new(at)
    }

    pub fn get<I: Index>(&self, id: I) -> &T {
        &self.values[id.index()]
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }
}

/// The size of the recording.
const EXECUTIONS: u64 = 1_500;
const LENGTH: Length = Length { steps: 70, calls: None };

impl Record {
    /// Adds random executions. The error is a candidate whose condition can fail.
    pub fn simulate(
        &mut self,
        instrumented: &Instrumented,
        machine: &Machine,
        client: &Client,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), CandidateId> {
        for seed in 0..EXECUTIONS {
            if !go_on() {
                break;
            }
            let simulation = simulate(machine, client, seed, LENGTH);
            self.add_simulation(instrumented, machine, &simulation)?;
        }
        Ok(())
    }

    fn add_simulation(
        &mut self,
        instrumented: &Instrumented,
        machine: &Machine,
        simulation: &Simulation,
    ) -> Result<(), CandidateId> {
        let Ok(mut state) = start_of(machine, simulation) else { return Ok(()) };
        let mut recorder = Recorder::new(self, instrumented, machine);
        for made in &simulation.moves {
            let mut picks = Picks::replay(&made.picks);
            let outcome = match &made.call {
                Some(call) => recorder.call(&mut state, made.thread, call, &mut picks),
                None => recorder.step(&mut state, made.thread, &mut picks),
            };
            if !recorder.keep(&outcome)? {
                break;
            }
        }
        let execution = recorder.execution;
        self.executions.push(execution);
        Ok(())
    }

    /// Adds the execution of a trace. The machine has the trace's bounds.
    pub fn add_trace(
        &mut self,
        instrumented: &Instrumented,
        machine: &Machine,
        trace: &Trace,
    ) -> Result<(), CandidateId> {
        let Ok(mut state) = machine.initial(&mut Picks::replay(&trace.initial)) else { return Ok(()) };
        let mut recorder = Recorder::new(self, instrumented, machine);
        let ops = &instrumented.program.ops;
        for choice in &trace.choices {
            let mut picks = Picks::replay(&choice.picks);
            let outcome = match &choice.action {
                Action::Call(call) => {
                    let Some((op, _)) = ops.entries().find(|(_, op)| *op.name == *call.op) else { break };
                    let call = CallChoice { op, args: call.args.as_slice().into(), next_position: 0 };
                    recorder.call(&mut state, choice.thread, &call, &mut picks)
                }
                Action::Step => recorder.step(&mut state, choice.thread, &mut picks),
                Action::Wait => continue,
            };
            if !recorder.keep(&outcome)? {
                break;
            }
        }
        let execution = recorder.execution;
        self.executions.push(execution);
        Ok(())
    }
}

/// Records one execution.
struct Recorder<'r> {
    record: &'r mut Record,
    instrumented: &'r Instrumented,
    machine: &'r Machine,
    execution: Execution,
    step: u32,
    /// The events of the step.
    events: Vec<Event>,
    /// The address of the running instruction.
    address: usize,
    thread: ThreadId,
}

impl<'r> Recorder<'r> {
    fn new(record: &'r mut Record, instrumented: &'r Instrumented, machine: &'r Machine) -> Recorder<'r> {
        Recorder {
            record,
            instrumented,
            machine,
            execution: Execution::default(),
            step: 0,
            events: Vec::new(),
            address: 0,
            thread: ThreadId::new(0),
        }
    }

    fn call(&mut self, state: &mut State, thread: ThreadId, call: &CallChoice, picks: &mut Picks) -> Outcome {
        self.thread = thread;
        let machine = self.machine;
        machine.call(state, thread, call.op, &call.args, call.next_position, picks, self)
    }

    fn step(&mut self, state: &mut State, thread: ThreadId, picks: &mut Picks) -> Outcome {
        self.thread = thread;
        let machine = self.machine;
        machine.step(state, thread, picks, self)
    }

    /// Keeps the events of a step that is done. Returns whether the execution goes on.
    fn keep(&mut self, outcome: &Outcome) -> Result<bool, CandidateId> {
        match outcome {
            Outcome::Done => {
                self.execution.events.append(&mut self.events);
                self.step += 1;
                Ok(true)
            }
            Outcome::Fault(fault) => match self.candidate_of(fault) {
                Some(candidate) => Err(candidate),
                None => Ok(false),
            },
            Outcome::Disabled(_) | Outcome::Cut(_) | Outcome::Discarded => Ok(false),
        }
    }

    fn candidate_of(&self, fault: &Fault) -> Option<CandidateId> {
        self.instrumented.candidate_at(fault.span)
    }
}

impl Events for Recorder<'_> {
    const ADDRESSES: bool = true;

    fn reached(&mut self, address: usize) {
        self.address = address;
    }

    fn call(&mut self, thread: ThreadId, op: OpId, args: &[Word]) {
        let call = self.record.calls.id(Called { thread, op, args: args.into() });
        self.events.push(Event::Call(call));
    }

    fn lin(&mut self, _: ThreadId, _: bool) {
        let (method, pc) = self.machine.instruction_at(self.address);
        if let Some(candidate) = self.instrumented.mark(method, pc) {
            self.events.push(Event::Mark { thread: self.thread, step: self.step, candidate });
        }
    }

    fn returned(&mut self, thread: ThreadId, op: OpId, result: &[Word]) {
        let has_result = self.instrumented.program.ops[op].result.is_some();
        let result = self.record.results.id(has_result.then(|| result.into()));
        self.events.push(Event::Return { thread, result });
    }
}
