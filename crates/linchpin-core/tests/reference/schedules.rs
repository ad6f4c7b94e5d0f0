//! Every schedule of given calls, one access at a time.

use super::canonical::{Ending, Snapshot, ThreadEnd};
use super::memory::Memory;
use super::thread::{Fault, Picks, Run, Stop, Thread};
use super::value::Value;
use linchpin_core::source::Span;
use linchpin_core::typing::hir::{OpId, Program};
use std::collections::{BTreeSet, HashSet};

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
}

/// What all schedules end in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explored {
    pub endings: BTreeSet<Ending>,
    /// Some execution was discarded by an `assume`.
    pub discarded: bool,
}

/// All ends of all schedules in which thread `t` makes the calls `calls[t]`; `None` if a limit was reached.
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
    /// Variables of the thread when that call began, and as they are now.
    vars_before: Vec<Value>,
    vars_now: Vec<Value>,
}

struct Search<'p> {
    program: &'p Program,
    limits: Limits,
    calls: &'p [Vec<Call>],
    seen: HashSet<State>,
    work: Vec<State>,
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
                        threads.push(Progress {
                            vars_before: vars.clone(),
                            vars_now: vars,
                            ..Progress::default()
                        });
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
                thread.thread_vars = progress.vars_before.clone();
                thread.log = progress.log.clone();
                thread.log_limit = self.limits.accesses;
                let outcome = thread.run(self.program.ops[call.op].function, &call.args);
                let (memory, vars_now, log) = (thread.memory, thread.thread_vars, thread.log);
                let mut next = state.clone();
                next.memory = memory;
                let progress = &mut next.threads[me];
                progress.vars_now = vars_now;
                match outcome {
                    Ok(result) => {
                        progress.results.push(result);
                        progress.log.clear();
                        progress.vars_before = progress.vars_now.clone();
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
        if self.seen.insert(state.clone()) {
            self.work.push(state);
        }
        Some(())
    }

    fn stopped(&mut self, thread: Option<usize>, stop: Stop) -> Option<()> {
        match stop {
            Stop::Fault(fault, span) => self.fault(thread, fault, span),
            Stop::Discarded => self.found.discarded = true,
            Stop::TooLong => return None,
            Stop::Disabled | Stop::Rests => panic!("`init` waits for nobody"),
        }
        Some(())
    }

    fn fault(&mut self, thread: Option<usize>, fault: Fault, span: Span) {
        self.found.endings.insert(Ending::Fault { thread, fault, start: span.start });
    }

    fn snapshot(&self, state: &State) -> Snapshot<'_> {
        let program = self.program;
        let shared = program.shared.iter().zip(&state.memory.shared);
        Snapshot {
            types: &program.types,
            collected: state.memory.kind == super::memory::Kind::Gc,
            shared: shared.map(|(var, value)| (var.name.to_string(), var.ty, value.clone())).collect(),
            cells: state.memory.cells.clone(),
            threads: state
                .threads
                .iter()
                .enumerate()
                .map(|(me, progress)| self.thread_end(me, progress))
                .collect(),
        }
    }

    fn thread_end(&self, me: usize, progress: &Progress) -> ThreadEnd {
        let program = self.program;
        let vars = program.thread_vars.iter().zip(&progress.vars_now);
        let called = self.calls[me].iter().zip(&progress.results);
        ThreadEnd {
            vars: vars.map(|(var, value)| (var.name.to_string(), var.ty, value.clone())).collect(),
            results: called.map(|(call, value)| (program.ops[call.op].result, value.clone())).collect(),
            stuck: progress.results.len() < self.calls[me].len(),
        }
    }
}

fn initialise(thread: &mut Thread) -> Run<()> {
    let program = thread.program;
    for (id, variable) in program.shared.entries() {
        if let Some(init) = &variable.init {
            let value = thread.value(init)?;
            thread.memory.shared[linchpin_core::index::Index::index(id)] = value;
        }
    }
    if let Some(init) = program.init {
        thread.enter(init, None, Vec::new())?;
    }
    Ok(())
}
