//! Makes the report model of a small state space.

use crate::heap;
use crate::line::Line;
use crate::record::Recorder;
use crate::trace::Step;
use crate::view::state_space::{EdgeView, StateSpaceView, StateView};
use linchpin_engine::state_space::{Edge, StateSpace};
use linchpin_ir::index::Index;
use linchpin_ir::source::SourceMap;
use linchpin_semantics::{Machine, Picks};

/// The widest line of a state.
const WIDTH: usize = 100;

/// Makes the view. Cells have letters of their own in each state.
pub fn view(machine: &Machine, sources: &SourceMap, bounds: &str, space: &StateSpace) -> StateSpaceView {
    let states = space.states.iter().enumerate().map(|(at, state)| {
        let trace = Recorder::new(machine, sources, state).into_trace();
        let memory = heap::draw(&trace.start, None, WIDTH);
        let rests = trace.rests.into_iter().next().unwrap_or_default();
        StateView {
            memory: memory.iter().map(Line::text).collect(),
            threads: rests.iter().enumerate().filter_map(|(thread, rest)| rest.text(thread)).collect(),
            is_initial: at < space.initial,
        }
    });
    let edges = space.edges.iter().map(|edge| EdgeView {
        from: edge.from,
        to: edge.to,
        thread: edge.thread.index(),
        text: made(machine, sources, space, edge).as_ref().map(Step::lines).unwrap_or_default(),
    });
    StateSpaceView {
        object: machine.program().name.to_string(),
        bounds: bounds.into(),
        states: states.collect(),
        edges: edges.collect(),
    }
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
