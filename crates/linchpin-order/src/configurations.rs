//! The configurations that a search has reached: the parent of each one, and its state as long as the search
//! is likely to need it.
//!
//! A long history has about as many configurations as calls. A queue with thousands of elements takes
//! thousands of words, so not all states fit into memory. A state is a function of the path to it, so it can
//! be computed again. The states of the last configurations are kept, and on each path one of every
//! [`STRIDE`].
//!
//! Claim: [`Configurations::state`] returns the state that was put in, kept or not. Assumption: the
//! specification gives the same outcomes in the same order. Guarding test:
//! `states_that_are_not_kept_are_the_same`.

use crate::call::number_of;
use crate::call_prefix::CallPrefix;
use crate::oracle::{Calls, Oracle};
use crate::spec::Specification;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The largest number of effects between a state that is not kept and one that is.
const STRIDE: u32 = 64;

pub(crate) struct Configurations<'a, S: Specification> {
    oracle: &'a Oracle<'a, S>,
    nodes: Vec<Node<S::State>>,
    /// Nodes by their calls and a hash of the state: one set of calls may lead to thousands of states.
    visited: FxHashMap<(CallPrefix, u64), SmallVec<[NodeId; 1]>>,
    /// Nodes whose state can be dropped, the oldest first.
    kept: VecDeque<NodeId>,
    kept_words: usize,
    max_words: usize,
}

/// A configuration and the last effect on the path to it.
struct Node<State> {
    /// `None` for an initial state.
    parent: Option<NodeId>,
    /// The number of effects on the path.
    depth: u32,
    /// The calls of the last effect.
    calls: Calls,
    /// The number of the outcome of these calls; the number of an initial state.
    way: u32,
    /// `None` if the state was dropped.
    state: Option<Rc<State>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId(u32);

/// The last effect on the path to a configuration.
pub(crate) struct Step {
    /// `None` for an initial state.
    pub parent: Option<NodeId>,
    pub calls: Calls,
    /// The number of the outcome that [`Oracle`] gives.
    pub way: usize,
}

impl<'a, S: Specification> Configurations<'a, S> {
    /// Keeps states of about `max_words` words.
    pub fn new(oracle: &'a Oracle<'a, S>, max_words: usize) -> Configurations<'a, S> {
        Configurations {
            oracle,
            nodes: Vec::new(),
            visited: FxHashMap::default(),
            kept: VecDeque::new(),
            kept_words: 0,
            max_words,
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node; returns `None` if its configuration was reached before.
    pub fn visit(
        &mut self,
        step: Step,
        taken: &CallPrefix,
        state: S::State,
    ) -> Result<Option<NodeId>, S::Error> {
        let key = (taken.clone(), hash(&state));
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

    pub fn state(&mut self, id: NodeId) -> Result<Rc<S::State>, S::Error> {
        match &self.node(id).state {
            Some(state) => Ok(state.clone()),
            None => self.compute(id),
        }
    }

    /// Returns the effects on the path to a node: the calls, and the number of their outcome.
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

    /// Returns the number of the initial state of the path to a node.
    pub fn beginning(&self, id: NodeId) -> usize {
        self.ancestry(id).last().map_or(0, |first| first.way as usize)
    }

    fn node(&self, id: NodeId) -> &Node<S::State> {
        &self.nodes[id.0 as usize]
    }

    fn ancestry(&self, id: NodeId) -> impl Iterator<Item = &Node<S::State>> {
        std::iter::successors(Some(self.node(id)), |node| node.parent.map(|parent| self.node(parent)))
    }

    /// Goes back to a kept state, and computes the states after it again.
    fn compute(&mut self, id: NodeId) -> Result<Rc<S::State>, S::Error> {
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
                (None, None) => break Rc::new(self.oracle.spec().initial()?.swap_remove(node.way as usize)),
            }
        };
        for &id in missing.iter().rev() {
            let node = self.node(id);
            let mut outcomes = self.oracle.outcomes_as_returned(&state, &node.calls)?;
            state = Rc::new(outcomes.swap_remove(node.way as usize).state);
            self.keep(id, state.clone());
        }
        Ok(state)
    }

    fn keep(&mut self, id: NodeId, state: Rc<S::State>) {
        let words = self.oracle.spec().words(&state);
        let node = &mut self.nodes[id.0 as usize];
        node.state = Some(state);
        if node.depth.is_multiple_of(STRIDE) {
            return;
        }
        self.kept.push_back(id);
        self.kept_words += words;
        while self.kept_words > self.max_words
            && let Some(oldest) = self.kept.pop_front()
        {
            let state = self.nodes[oldest.0 as usize].state.take();
            self.kept_words -= state.map_or(0, |state| self.oracle.spec().words(&state));
        }
    }
}

fn hash(state: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallId;
    use crate::history::{Event, History};
    use crate::spec::{Outcome, OutcomesOf};
    use std::convert::Infallible;

    /// A queue that only grows.
    struct Growing;

    impl Specification for Growing {
        type State = Vec<u32>;
        type Op = u32;
        type Ret = ();
        type Error = Infallible;

        fn initial(&self) -> Result<Vec<Vec<u32>>, Infallible> {
            Ok(vec![Vec::new()])
        }

        fn outcomes(&self, state: &Vec<u32>, ops: &[&u32]) -> OutcomesOf<Growing> {
            let state = state.iter().chain(ops.iter().copied()).copied().collect();
            Ok(vec![Outcome { state, results: vec![()] }])
        }

        fn words(&self, state: &Vec<u32>) -> usize {
            state.len()
        }
    }

    /// With no room for states, each state is computed again, and is what it was.
    #[test]
    fn states_that_are_not_kept_are_the_same() {
        let enq = |op| [Event::Call { thread: 0, op }, Event::Return { thread: 0, result: () }];
        let history = History::from_events((1..=200).flat_map(enq)).expect("well-formed");
        let oracle = Oracle::new(&Growing, &history);
        for room in [0, 300, 1 << 20] {
            let mut configurations = Configurations::new(&oracle, room);
            let mut states = vec![Vec::new()];
            let mut taken = CallPrefix::default();
            let first = Step { parent: None, calls: Calls::new(), way: 0 };
            let Ok(root) = configurations.visit(first, &taken, states[0].clone());
            let mut nodes = vec![root.expect("new")];
            for (at, call) in history.calls().ids().enumerate() {
                let calls: Calls = [call].into_iter().collect();
                let Ok(mut outcomes) = oracle.outcomes(&states[at], &calls);
                let state = outcomes.remove(0).state;
                taken.take(at);
                let step = |calls| Step { parent: Some(nodes[at]), calls, way: 0 };
                let Ok(node) = configurations.visit(step(calls.clone()), &taken, state.clone());
                let node = node.expect("new");
                let Ok(again) = configurations.visit(step(calls), &taken, state.clone());
                assert_eq!(again, None);
                nodes.push(node);
                states.push(state);
            }
            let kept = configurations.nodes.iter().filter(|node| node.state.is_some()).count();
            assert!(kept < 20 || room > 300, "{kept}");
            for (node, state) in nodes.iter().zip(&states).rev() {
                let Ok(computed) = configurations.state(*node);
                assert_eq!(*computed, *state);
            }
            let last = *nodes.last().expect("200 calls");
            let path: Vec<CallId> = configurations.path(last).iter().map(|(calls, _)| calls[0]).collect();
            assert!(path.into_iter().eq(history.calls().ids()));
        }
    }
}
