//! The configurations that a search has reached: what each came from, and its state while it is likely to be needed.
//!
//! A long history has about as many configurations as calls, and a queue with thousands of elements takes thousands of
//! words: all states together would not fit. A state is a function of the way to it, so that it can be computed again.
//! Those of the last configurations are kept, and on each way one of every [`STRIDE`].
//!
//! **Law.** [`Configurations::state`] gives the state that was put in, kept or not.

use super::ask::{Ask, Calls};
use super::progress::Progress;
use linchpin_ir::index::number_of;
use linchpin_semantics::{SpecError, SpecState};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// How many steps a state that is not kept is away from one that is, at most.
const STRIDE: u32 = 64;

pub(super) struct Configurations<'a> {
    ask: &'a Ask<'a>,
    nodes: Vec<Node>,
    /// By what has taken effect, and a hash of the state: one set of calls may lead to thousands of states.
    visited: FxHashMap<(Progress, u64), SmallVec<[NodeId; 1]>>,
    /// Nodes whose state can be given up, the oldest first.
    kept: VecDeque<NodeId>,
    kept_words: usize,
    most_words: usize,
}

/// A configuration by its way from the beginning.
struct Node {
    parent: Option<NodeId>,
    /// How many steps from the beginning.
    depth: u32,
    /// What took effect last.
    calls: Calls,
    /// Which of the ways in which these calls can take effect; of an initial state its number.
    way: u32,
    state: Option<Rc<SpecState>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(u32);

/// How a configuration is reached: by what, from where.
pub(super) struct Step {
    pub parent: Option<NodeId>,
    pub calls: Calls,
    /// Which of the outcomes that [`Ask`] gives, in its order.
    pub way: usize,
}

impl<'a> Configurations<'a> {
    /// Keeps about so many words of states.
    pub fn new(ask: &'a Ask<'a>, most_words: usize) -> Configurations<'a> {
        Configurations {
            ask,
            nodes: Vec::new(),
            visited: FxHashMap::default(),
            kept: VecDeque::new(),
            kept_words: 0,
            most_words,
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A new node, unless its configuration was reached before.
    pub fn visit(
        &mut self,
        step: Step,
        progress: &Progress,
        state: SpecState,
    ) -> Result<Option<NodeId>, SpecError> {
        let key = (progress.clone(), hash(&state));
        let alike: SmallVec<[NodeId; 1]> = self.visited.get(&key).cloned().unwrap_or_default();
        for node in alike {
            if *self.state(node)? == state {
                return Ok(None);
            }
        }
        let id = NodeId(number_of(self.nodes.len()));
        self.visited.entry(key).or_default().push(id);
        let depth = step.parent.map_or(0, |parent| self.node(parent).depth + 1);
        self.nodes.push(Node {
            parent: step.parent,
            depth,
            calls: step.calls,
            way: number_of(step.way),
            state: None,
        });
        self.keep(id, Rc::new(state));
        Ok(Some(id))
    }

    pub fn state(&mut self, id: NodeId) -> Result<Rc<SpecState>, SpecError> {
        match &self.node(id).state {
            Some(state) => Ok(state.clone()),
            None => self.compute(id),
        }
    }

    /// What took effect on the way to a node, from the beginning, and in which of its ways.
    pub fn path(&self, id: NodeId) -> Vec<(&Calls, usize)> {
        let mut path: Vec<(&Calls, usize)> =
            self.ancestry(id).map(|node| (&node.calls, node.way as usize)).collect();
        path.reverse();
        // The first node is an initial state.
        path.remove(0);
        path
    }

    pub fn depth(&self, id: NodeId) -> usize {
        self.node(id).depth as usize
    }

    /// The initial state that the way to a node begins with.
    pub fn beginning(&self, id: NodeId) -> usize {
        self.ancestry(id).last().map_or(0, |first| first.way as usize)
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn ancestry(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        std::iter::successors(Some(self.node(id)), |node| node.parent.map(|parent| self.node(parent)))
    }

    /// Goes back to a state that is kept, and computes those after it again.
    fn compute(&mut self, id: NodeId) -> Result<Rc<SpecState>, SpecError> {
        let mut missing = Vec::new();
        let mut at = id;
        let mut state = loop {
            let node = self.node(at);
            match (&node.state, node.parent) {
                (Some(state), _) => break state.clone(),
                (None, Some(parent)) => {
                    missing.push(at);
                    at = parent;
                }
                (None, None) => break Rc::new(self.ask.initial()?.swap_remove(node.way as usize)),
            }
        };
        for &id in missing.iter().rev() {
            let node = self.node(id);
            state = Rc::new(self.ask.outcomes(&state, &node.calls)?.swap_remove(node.way as usize).state);
            self.keep(id, state.clone());
        }
        Ok(state)
    }

    fn keep(&mut self, id: NodeId, state: Rc<SpecState>) {
        let words = state.words().len();
        let node = &mut self.nodes[id.0 as usize];
        node.state = Some(state);
        if node.depth.is_multiple_of(STRIDE) {
            return;
        }
        self.kept.push_back(id);
        self.kept_words += words;
        while self.kept_words > self.most_words
            && let Some(oldest) = self.kept.pop_front()
        {
            let state = self.nodes[oldest.0 as usize].state.take();
            self.kept_words -= state.map_or(0, |state| state.words().len());
        }
    }
}

fn hash(state: &SpecState) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::super::record::{Event, History};
    use super::*;
    use linchpin_frontend::lower::lower;
    use linchpin_frontend::typing::check;
    use linchpin_ir::index::Index;
    use linchpin_ir::interface::Setting;
    use linchpin_ir::program::OpId;
    use linchpin_ir::source::SourceMap;
    use linchpin_semantics::{Bounds, SpecMachine, ThreadId};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    /// A queue that only grows: with no room for states, each is computed again, and is what it was.
    #[test]
    fn states_that_are_not_kept_are_the_same() {
        let mut sources = SourceMap::default();
        let text = "object O: Queue; op enq(v: data) { loop {} } op deq() -> data? { loop {} }";
        let root = sources.add("model.lin", text);
        let checked = check(&mut sources, &BTreeMap::new(), root, &Setting::default());
        let program = Arc::new(lower(&sources, &checked.program.expect("a model")).expect("a program"));
        let bounds = Bounds { ints: 1000, ..Bounds::default() };
        let spec = SpecMachine::new(&program, &bounds).expect("a specification");
        let thread = ThreadId::new(0);
        let enq = |value| {
            [
                Event::Call { thread, op: OpId::new(0), args: vec![value] },
                Event::Return { thread, result: vec![] },
            ]
        };
        let history = History::new(&program, (1..=200).flat_map(enq).collect()).expect("a history");
        let ask = Ask::new(&spec, &history);
        for room in [0, 300, 1 << 20] {
            let mut configurations = Configurations::new(&ask, room);
            let mut states = vec![ask.initial().expect("no fault").remove(0)];
            let mut progress = Progress::default();
            let first = Step { parent: None, calls: Calls::new(), way: 0 };
            let mut nodes = vec![
                configurations.visit(first, &progress, states[0].clone()).expect("no fault").expect("new"),
            ];
            for (at, call) in history.calls().ids().enumerate() {
                let calls: Calls = [call].into_iter().collect();
                let state = ask.outcomes(&states[at], &calls).expect("no fault").remove(0).state;
                progress.take(at);
                let step = |calls| Step { parent: Some(nodes[at]), calls, way: 0 };
                let visited = configurations.visit(step(calls.clone()), &progress, state.clone());
                let node = visited.expect("no fault").expect("new");
                let again = configurations.visit(step(calls), &progress, state.clone());
                assert_eq!(again.expect("no fault"), None);
                nodes.push(node);
                states.push(state);
            }
            let kept = configurations.nodes.iter().filter(|node| node.state.is_some()).count();
            assert!(kept < 20 || room > 300, "{kept}");
            for (node, state) in nodes.iter().zip(&states).rev() {
                assert_eq!(*configurations.state(*node).expect("no fault"), *state);
            }
        }
    }
}
