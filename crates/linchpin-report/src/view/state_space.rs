//! A whole small state space: each state with its memory and its threads, each step with its text.

use crate::heap;
use crate::plain;
use crate::record::Recorder;
use crate::trace::{Rest, Step};
use linchpin_engine::state_space::{Edge, StateSpace};
use linchpin_ir::source::SourceMap;
use linchpin_semantics::{Machine, Picks};

/// The widest line of a state.
const WIDTH: usize = 100;

/// A state space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSpaceView {
    /// The name of the object.
    pub object: String,
    /// Sizes of the instance: `2 threads, 1 node`.
    pub bounds: String,
    pub states: Vec<StateView>,
    pub edges: Vec<EdgeView>,
}

/// One state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateView {
    /// The memory as text, line by line.
    pub memory: Vec<String>,
    /// Where each thread rests: `t0 push(1), line 16`. Idle threads have no entry.
    pub threads: Vec<String>,
    pub is_initial: bool,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeView {
    pub from: usize,
    /// `None`: a fault ends the execution.
    pub to: Option<usize>,
    pub thread: usize,
    /// What the step does: `push(1)`, `16 let top = head;`.
    pub text: Vec<String>,
}

impl StateSpaceView {
    /// Makes the view. Cells have letters of their own in each state.
    pub fn of(machine: &Machine, sources: &SourceMap, bounds: &str, space: &StateSpace) -> StateSpaceView {
        let states = space.states.iter().enumerate().map(|(at, state)| {
            let trace = Recorder::new(machine, sources, state).into_trace();
            let memory = heap::draw(&trace.start, None, WIDTH);
            let rests = trace.rests.into_iter().next().unwrap_or_default();
            StateView {
                memory: memory.iter().map(|line| plain::text(&line.to_string())).collect(),
                threads: rests
                    .iter()
                    .enumerate()
                    .filter_map(|(thread, rest)| rest_text(thread, rest))
                    .collect(),
                is_initial: at < space.initial,
            }
        });
        let edges = space.edges.iter().map(|edge| EdgeView {
            from: edge.from,
            to: edge.to,
            thread: linchpin_ir::index::Index::index(edge.thread),
            text: made(machine, sources, space, edge).as_ref().map(step_text).unwrap_or_default(),
        });
        StateSpaceView {
            object: machine.program().name.to_string(),
            bounds: bounds.into(),
            states: states.collect(),
            edges: edges.collect(),
        }
    }
}

/// Returns what a step does, line by line: the call, the source line, the accesses, the result.
pub fn step_text(step: &Step) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(step.call.clone());
    lines.extend(step.line.as_ref().map(|line| format!("{} {}", line.number, line.text)));
    lines.extend(step.accesses.iter().cloned());
    lines.extend(step.effects.iter().cloned());
    lines.extend(step.fault.as_ref().map(|(_, text)| text.clone()));
    lines.extend(step.result.as_ref().map(|result| format!("→ {result}")));
    lines
}

/// Returns where a thread rests. `None`: the thread is idle.
pub fn rest_text(thread: usize, rest: &Rest) -> Option<String> {
    let call = rest.call.as_ref()?;
    let line = rest.line.as_ref().map(|line| format!(", line {}", line.number)).unwrap_or_default();
    let locals: Vec<String> =
        rest.locals.iter().map(|field| format!("{} = {}", field.name, field.value)).collect();
    let locals = if locals.is_empty() { String::new() } else { format!(": {}", locals.join(", ")) };
    Some(format!("t{thread} {call}{line}{locals}"))
}

fn made(machine: &Machine, sources: &SourceMap, space: &StateSpace, edge: &Edge) -> Option<Step> {
    let mut state = space.states.get(edge.from)?.clone();
    let mut recorder = Recorder::new(machine, sources, &state);
    let mut picks = Picks::replay(&edge.picks);
    let _ends = match &edge.call {
        Some(call) => recorder.call(&mut state, edge.thread, call, &mut picks),
        None => recorder.step(&mut state, edge.thread, &mut picks),
    };
    recorder.into_trace().steps.pop()
}
