//! The loop of a lasso: a shortest loop from a concrete state back to itself, with real names, inside bad
//! components. Among the shortest loops it has the fewest context switches.
//!
//! The search goes level by level over *loop states*: a concrete state and the conditions of the rule that
//! were met so far. Each loop state keeps every move that reaches it from the level before. A part of a
//! shortest loop is a shortest path to its end. So shortest loops consist of these moves. Over them, for each
//! loop state n and each thread v that may have stepped last,
//!
//! ```text
//! cost(n, v) = min over t and moves m → n (first step by u, last step by v): cost(m, t) + [t ≠ u] + switches in the move
//! ```
//!
//! where at the beginning the stem's last thread has stepped last, at no cost. Ties go to the first.
//!
//! A loop exists for all names of the stem's end: the cycle of the quotient, repeated as often as the order
//! of its renaming ([`super::rule`]). The loop stays inside the nodes of bad components, not inside their
//! vertices. A representative may have symmetries of its own, and then the tracked thread is renamed in more
//! than one way.

use super::graph::fairness_exempt;
use super::rule::{BadComponents, ProductGraph, TrackedThread};
use crate::expand::{
    ExpandOptions, Expander, Expansion, Move, MoveSink, PreemptionState, Representatives, thread_bits,
};
use crate::monitor::UNWATCHED;
use crate::problem::ViolationKind;
use crate::search::Search;
use crate::trace::ConcretePosition;
use linchpin_ir::index::Index;
use linchpin_ir::types::Word;
use linchpin_judge::trace::{Action, Choice, context_switches};
use linchpin_semantics::{SpecError, State, ThreadId};
use rustc_hash::FxHashMap;

/// The region that a loop must stay in.
pub struct AllowedRegion<'t, 's> {
    pub search: &'t Search<'s>,
    pub product: &'t ProductGraph<'t>,
    pub bad: &'t BadComponents,
    /// The tracked thread by its real name.
    pub tracked: TrackedThread,
}

impl AllowedRegion<'_, '_> {
    /// Returns the loop from a position at which `last` made the last step. `left` is the number of loop
    /// states that may still be expanded. If it is too small, no loop is found, or a shortest loop with more
    /// switches than needed.
    pub fn shortest_loop(
        &self,
        start: &ConcretePosition,
        last: Option<ThreadId>,
        left: &mut usize,
    ) -> Result<Option<Vec<Choice>>, SpecError> {
        let machine = self.search.problem.machine;
        let required = self.product.rule.required(self.product.graph.threads);
        let mut expander = self.search.expander(ExpandOptions::RECORD);
        let start_key = key(machine, &start.state);
        let mut states = vec![LoopState { state: start.state.clone(), met: 0, incoming: Vec::new() }];
        let mut known: FxHashMap<(Vec<Word>, u32), usize> = FxHashMap::default();
        let mut closing = Vec::new();
        let mut level = 0..1;
        while closing.is_empty() && !level.is_empty() && *left > 0 {
            let expanded = level.clone().take(*left);
            *left -= expanded.len();
            for from in expanded {
                let (state, met) = (std::mem::take(&mut states[from].state), states[from].met);
                let (moves, met_here) = self.moves(&mut expander, &state)?;
                for LoopMove { state, met: more, steps } in moves {
                    let met = (met | met_here | more) & required;
                    let (key, edge) = (key(machine, &state), LoopEdge { from, steps });
                    if key == start_key && met == required {
                        closing.push(edge);
                        continue;
                    }
                    let number = *known.entry((key, met)).or_insert(states.len());
                    if number == states.len() {
                        states.push(LoopState { state, met, incoming: Vec::new() });
                    }
                    if number >= level.end {
                        states[number].incoming.push(edge);
                    }
                }
            }
            level = level.end..states.len();
        }
        Ok(fewest_switches(&states, &closing, last))
    }

    /// Returns the moves of a concrete state that stay in bad components, and the conditions that the state
    /// meets.
    fn moves(
        &self,
        expander: &mut Expander<'_, '_>,
        state: &State,
    ) -> Result<(Vec<LoopMove>, u32), SpecError> {
        let AllowedRegion { search, product: ProductGraph { rule, .. }, tracked, .. } = *self;
        let mut collector = LoopCollector { region: self, moves: Vec::new() };
        let preemption = PreemptionState::default();
        let node = Expansion { state, monitor: UNWATCHED, values: u64::MAX, preemption };
        let facts = expander.expand(node, &mut collector)?;
        let waiting = thread_bits(facts.blocked);
        let spinning = rule.spins_by_waiting(waiting, tracked);
        let spinners = (0..self.product.graph.threads).filter(|thread| spinning & (1 << thread) != 0);
        let waits = spinners.map(|thread| {
            let wait = Choice { thread: ThreadId::new(thread), action: Action::Wait, picks: Vec::new() };
            LoopMove { state: state.clone(), met: rule.met_by(spinning, tracked), steps: vec![wait] }
        });
        let moves = waits.chain(collector.moves).collect();
        let exempt = fairness_exempt(search.problem.machine, search.problem.client, state, waiting);
        Ok((moves, rule.met_at(exempt)))
    }
}

/// A concrete state, with the conditions that were met on the way to it.
struct LoopState {
    /// Taken when the loop state is expanded.
    state: State,
    met: u32,
    /// The moves that reach the loop state from the level before.
    incoming: Vec<LoopEdge>,
}

/// A move between loop states.
struct LoopEdge {
    from: usize,
    steps: Vec<Choice>,
}

/// A move of a concrete state.
struct LoopMove {
    state: State,
    met: u32,
    steps: Vec<Choice>,
}

/// Collects the moves that stay in the region.
struct LoopCollector<'t, 's, 'q> {
    region: &'t AllowedRegion<'s, 'q>,
    moves: Vec<LoopMove>,
}

impl MoveSink for LoopCollector<'_, '_, '_> {
    fn on_successor(&mut self, representatives: &mut Representatives<'_, '_>, found: Move<'_>) {
        let AllowedRegion { search, product, bad, tracked } = *self.region;
        let stepped = found.summary.stepped();
        if !product.rule.allows(found.summary, stepped, tracked) {
            return;
        }
        let mut state = found.target.clone();
        search.problem.machine.collect_keeping_names(&mut state);
        let node = representatives.of(found.target, found.monitor, found.preemption);
        let Some(node) = product.graph.find(&search.store, node.bytes) else { return };
        if product.vertices(node).any(|vertex| bad.component(vertex).is_some()) {
            let (met, steps) = (product.rule.met_by(stepped, tracked), found.choices.to_vec());
            self.moves.push(LoopMove { state, met, steps });
        }
    }

    fn on_violation(&mut self, _: ViolationKind, _: &[Choice]) {}
}

/// The cheapest path to a loop state on which one thread steps last.
#[derive(Clone, Copy)]
struct Arrival {
    last: Option<ThreadId>,
    cost: usize,
    /// The index of its last edge.
    edge: usize,
    /// The index of the arrival at the start of that edge.
    before: usize,
}

/// Returns the steps of the cheapest loop. `closing` are the edges that close a loop.
fn fewest_switches(
    states: &[LoopState],
    closing: &[LoopEdge],
    last: Option<ThreadId>,
) -> Option<Vec<Choice>> {
    let mut reached = vec![vec![Arrival { last, cost: 0, edge: 0, before: 0 }]];
    for state in &states[1..] {
        let arrivals = arrivals(&state.incoming, &reached);
        reached.push(arrivals);
    }
    let end = arrivals(closing, &reached).into_iter().min_by_key(|arrival| arrival.cost)?;
    let mut edges = vec![&closing[end.edge]];
    let (mut at, mut arrival) = (closing[end.edge].from, end.before);
    while at != 0 {
        let Arrival { edge, before, .. } = reached[at][arrival];
        let edge = &states[at].incoming[edge];
        edges.push(edge);
        (at, arrival) = (edge.from, before);
    }
    Some(edges.into_iter().rev().flat_map(|edge| edge.steps.iter().cloned()).collect())
}

/// Returns the cheapest paths that end with one of the edges, one for each thread that steps last.
fn arrivals(edges: &[LoopEdge], reached: &[Vec<Arrival>]) -> Vec<Arrival> {
    let mut best: Vec<Arrival> = Vec::new();
    for (edge, LoopEdge { from, steps }) in edges.iter().enumerate() {
        let [first, last] = [steps.first(), steps.last()].map(|choice| choice.map(|choice| choice.thread));
        let inner = context_switches(steps);
        for (before, earlier) in reached[*from].iter().enumerate() {
            let is_switch = earlier.last.is_some() && earlier.last != first;
            let arrival = Arrival { last, cost: earlier.cost + inner + usize::from(is_switch), edge, before };
            match best.iter_mut().find(|known| known.last == last) {
                Some(known) if known.cost <= arrival.cost => {}
                Some(known) => *known = arrival,
                None => best.push(arrival),
            }
        }
    }
    best
}

/// Returns the words of a state up to the names of cells.
fn key(machine: &linchpin_semantics::Machine, state: &State) -> Vec<Word> {
    let mut normal = state.clone();
    machine.normalise(&mut normal);
    let mut words = Vec::new();
    machine.flatten(&normal, &mut words);
    words
}
