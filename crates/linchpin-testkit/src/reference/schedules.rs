//! Every schedule of given calls, one access at a time.

use super::canonical::{Ending, Snapshot, ThreadEnd};
use super::memory::Memory;
use super::thread::{Fault, Picks, Run, Stop, Thread};
use super::value::Value;
use linchpin_frontend::typing::hir::{OpId, Program};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeTable, Word};
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub op: OpId,
    pub args: Vec<Value>,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Cells that live at one time, in pool and manual memory.
    pub nodes: usize,
    pub states: usize,
    /// Accesses of one call.
    pub accesses: usize,
    /// All schedules; without it the one in which the first thread that can go on does.
    pub all_schedules: bool,
}

impl Call {
    /// The words of its arguments.
    pub fn encode(&self, types: &TypeTable, params: &[TypeId]) -> Vec<Word> {
        let mut words = Vec::new();
        for (arg, ty) in self.args.iter().zip(params) {
            arg.encode(types, *ty, &mut words);
        }
        words
    }
}

/// What the schedules end in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explored {
    pub endings: BTreeSet<Ending>,
    /// Some execution was discarded by an `assume`.
    pub discarded: bool,
}

/// All ends of the schedules in which thread `t` makes the calls `calls[t]`; `None` if a limit was reached.
pub fn explore(program: &Program, limits: Limits, calls: &[Vec<Call>]) -> Option<Explored> {
    let mut search =
        Search { program, limits, calls, seen: HashSet::new(), work: Vec::new(), found: Explored::default() };
    search.initial_states()?;
    while let Some(state) = search.work.pop() {
        search.successors(&state)?;
    }
    Some(search.found)
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    memory: Memory,
    threads: Vec<Progress>,
}

/// How far a thread is.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Progress {
    results: Vec<Value>,
    /// What the accesses of the call after the last result gave so far.
    log: Vec<Value>,
    /// Variables of the thread when that call began.
    vars: Vec<Value>,
}

struct Search<'p> {
    program: &'p Program,
    limits: Limits,
    calls: &'p [Vec<Call>],
    seen: HashSet<Rc<State>>,
    work: Vec<Rc<State>>,
    found: Explored,
}

impl Search<'_> {
    fn initial_states(&mut self) -> Option<()> {
        let mut picks = Picks::default();
        loop {
            let mut thread =
                Thread::new(self.program, self.limits.nodes, None, Memory::new(self.program), &mut picks);
            let outcome = thread.atomically(initialise);
            let memory = thread.memory;
            match outcome {
                Ok(()) => {
                    let mut threads = Vec::new();
                    for me in 0..self.calls.len() {
                        let vars = self.thread_vars(me, &memory);
                        threads.push(Progress { vars, ..Progress::default() });
                    }
                    self.enqueue(State { memory, threads })?;
                }
                Err(stop) => self.stopped(None, stop)?,
            }
            if !picks.advance() {
                return Some(());
            }
        }
    }

    fn thread_vars(&self, me: usize, memory: &Memory) -> Vec<Value> {
        let mut picks = Picks::default();
        let mut thread = Thread::new(self.program, self.limits.nodes, Some(me), memory.clone(), &mut picks);
        let given = self.program.thread_vars.iter().map(|var| match &var.init {
            Some(init) => thread.value(init).expect("the initial value of a thread's variable is plain"),
            None => Value::default_of(&self.program.types, var.ty),
        });
        given.collect()
    }

    fn successors(&mut self, state: &State) -> Option<()> {
        let mut moved = false;
        for me in 0..state.threads.len() {
            let Some(call) = self.calls[me].get(state.threads[me].results.len()) else { continue };
            let mut picks = Picks::default();
            loop {
                let progress = &state.threads[me];
                let mut thread =
                    Thread::new(self.program, self.limits.nodes, Some(me), state.memory.clone(), &mut picks);
                thread.thread_vars = progress.vars.clone();
                thread.log = progress.log.clone();
                thread.log_limit = self.limits.accesses;
                let outcome = thread.run(self.program.ops[call.op].function, &call.args);
                let (memory, vars, log) = (thread.memory, thread.thread_vars, thread.log);
                let mut next = State { memory, threads: state.threads.clone() };
                let progress = &mut next.threads[me];
                match outcome {
                    Ok(result) => {
                        progress.results.push(result);
                        progress.log.clear();
                        progress.vars = vars;
                        moved = true;
                        self.enqueue(next)?;
                    }
                    Err(Stop::Rests) => {
                        progress.log = log;
                        moved = true;
                        self.enqueue(next)?;
                    }
                    Err(Stop::Disabled) => {}
                    Err(stop) => {
                        moved = true;
                        self.stopped(Some(me), stop)?;
                    }
                }
                if !picks.advance() {
                    break;
                }
            }
            if moved && !self.limits.all_schedules {
                break;
            }
        }
        if !moved {
            let ending = Ending::Ended(self.snapshot(state).render());
            self.found.endings.insert(ending);
        }
        Some(())
    }

    fn enqueue(&mut self, state: State) -> Option<()> {
        if self.seen.len() >= self.limits.states {
            return None;
        }
        let state = Rc::new(state);
        if self.seen.insert(Rc::clone(&state)) {
            self.work.push(state);
        }
        Some(())
    }

    fn stopped(&mut self, thread: Option<usize>, stop: Stop) -> Option<()> {
        match stop {
            Stop::Fault(fault, span) => self.fault(thread, fault, span),
            Stop::Discarded => self.found.discarded = true,
            Stop::TooLong => return None,
            Stop::Disabled | Stop::Rests => panic!("`init` never waits"),
        }
        Some(())
    }

    fn fault(&mut self, thread: Option<usize>, fault: Fault, span: Span) {
        self.found.endings.insert(Ending::Fault { thread, fault, span });
    }

    fn snapshot(&self, state: &State) -> Snapshot<'_> {
        let program = self.program;
        let shared = program.shared.iter().zip(&state.memory.shared);
        Snapshot {
            types: &program.types,
            memory: state.memory.kind,
            shared: shared.map(|(var, value)| (var.name.to_string(), var.ty, value.clone())).collect(),
            cells: state.memory.cells.clone(),
            threads: (0..state.threads.len()).map(|me| self.thread_end(me, state)).collect(),
        }
    }

    fn thread_end(&self, me: usize, state: &State) -> ThreadEnd {
        let (program, progress) = (self.program, &state.threads[me]);
        let vars = program.thread_vars.iter().zip(self.vars_now(me, state));
        let called = self.calls[me].iter().zip(&progress.results);
        ThreadEnd {
            vars: vars.map(|(var, value)| (var.name.to_string(), var.ty, value)).collect(),
            results: called.map(|(call, value)| (program.ops[call.op].result, value.clone())).collect(),
            stuck: progress.results.len() < self.calls[me].len(),
        }
    }

    /// Variables of a thread where it rests: the local work before its next access is done.
    fn vars_now(&self, me: usize, state: &State) -> Vec<Value> {
        let progress = &state.threads[me];
        let Some(call) = self.calls[me].get(progress.results.len()) else { return progress.vars.clone() };
        let mut picks = Picks::default();
        let mut thread =
            Thread::new(self.program, self.limits.nodes, Some(me), state.memory.clone(), &mut picks);
        thread.thread_vars = progress.vars.clone();
        thread.log = progress.log.clone();
        let outcome = thread.look(self.program.ops[call.op].function, &call.args);
        assert_eq!(outcome, Err(Stop::Rests), "a stuck thread stands in front of an access");
        thread.thread_vars
    }
}

fn initialise(thread: &mut Thread) -> Run<()> {
    let program = thread.program;
    for (id, variable) in program.shared.entries() {
        if let Some(init) = &variable.init {
            let value = thread.value(init)?;
            thread.memory.shared[linchpin_ir::index::Index::index(id)] = value;
        }
    }
    if let Some(init) = program.init {
        thread.enter(init, None, Vec::new())?;
    }
    Ok(())
}
