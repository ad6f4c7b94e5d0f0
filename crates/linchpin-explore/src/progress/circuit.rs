//! A loop from a concrete state back to itself, with real names, inside the nodes of bad components: of the shortest ones one
//! with the fewest context switches.
//!
//! States are met level by level, each with what the rule asks for and has been met on the way (a *spot*), and with every move that
//! leads there from the level before. A part of a shortest loop is a shortest way to where it ends, so these moves are all
//! that shortest loops consist of. Over them, for each spot n and each thread v that may have stepped last,
//!
//! cost(n, v) = min over moves m → n whose first step is u's and whose last is v's, and over t, of
//! cost(m, t) + \[t ≠ u\] + switches within the move,
//!
//! where at the beginning the stem's last thread has stepped last, at no cost. Ties go to the first.
//!
//! There is a loop whatever names the stem's end has: the quotient's cycle, gone along as often as the order of its renaming
//! ([`super::rule`]). (Inside the nodes, and not the marked nodes: a representative may have symmetries of its own, and then
//! marks are renamed in more than one way.)

use super::super::concretise::Here;
use super::super::deeds::told_apart;
use super::super::expand::{Origin, Visit, Worker};
use super::super::monitor::{MonitorId, UNWATCHED};
use super::super::search::{Search, ViolationKind};
use super::graph::excused;
use super::rule::{Bad, Mark, Marked};
use linchpin_ir::index::Index;
use linchpin_ir::types::Word;
use linchpin_judge::trace::{Action, Choice, context_switches};
use linchpin_semantics::{SpecError, State, ThreadId};
use rustc_hash::FxHashMap;

/// Where a loop may go.
pub struct AllowedRegion<'t, 's> {
    pub search: &'t Search<'s>,
    pub marked: &'t Marked<'t>,
    pub bad: &'t Bad,
    /// The marked thread by its real name.
    pub mark: Mark,
}

impl AllowedRegion<'_, '_> {
    /// The loop from here, where `last` made the last step. `left` is how many spots may still be looked at: where that was
    /// too few, none is found, or one of as few steps with more switches.
    pub fn shortest_loop(
        &self,
        here: &Here,
        last: Option<ThreadId>,
        left: &mut usize,
    ) -> Result<Option<Vec<Choice>>, SpecError> {
        let machine = self.search.question.machine;
        let required = self.marked.rule.required(self.marked.graph.threads);
        let mut worker = self.search.worker();
        worker.is_recording = true;
        let start = key(machine, &here.state);
        let mut spots = vec![Spot { state: here.state.clone(), met: 0, legs: Vec::new() }];
        let mut known: FxHashMap<(Vec<Word>, u32), usize> = FxHashMap::default();
        let mut closing = Vec::new();
        let mut level = 0..1;
        while closing.is_empty() && !level.is_empty() && *left > 0 {
            let looked_at = level.clone().take(*left);
            *left -= looked_at.len();
            for from in looked_at {
                let (state, met) = (std::mem::take(&mut spots[from].state), spots[from].met);
                let (ways, here_met) = self.ways(&mut worker, &state)?;
                for Way { state, met: more, steps } in ways {
                    let met = (met | here_met | more) & required;
                    let (key, leg) = (key(machine, &state), Leg { from, steps });
                    if key == start && met == required {
                        closing.push(leg);
                        continue;
                    }
                    let number = *known.entry((key, met)).or_insert(spots.len());
                    if number == spots.len() {
                        spots.push(Spot { state, met, legs: Vec::new() });
                    }
                    if number >= level.end {
                        spots[number].legs.push(leg);
                    }
                }
            }
            level = level.end..spots.len();
        }
        Ok(fewest_switches(&spots, &closing, last))
    }

    /// The moves of a concrete state that stay in bad components, and what is met in the state itself.
    fn ways(&self, worker: &mut Worker<'_, '_>, state: &State) -> Result<(Vec<Way>, u32), SpecError> {
        let AllowedRegion { search, marked: Marked { rule, .. }, mark, .. } = *self;
        let mut gathering = Gathering { territory: self, ways: Vec::new() };
        worker.expand(Origin { state, monitor: UNWATCHED, values: u64::MAX }, &mut gathering)?;
        let waiting = told_apart(worker.waiting);
        let spinning = rule.spins_by_waiting(waiting, mark);
        let spinners = (0..self.marked.graph.threads).filter(|thread| spinning & (1 << thread) != 0);
        let waits = spinners.map(|thread| {
            let wait = Choice { thread: ThreadId::new(thread), action: Action::Wait, picks: Vec::new() };
            Way { state: state.clone(), met: rule.met_by(spinning, mark), steps: vec![wait] }
        });
        let ways = waits.chain(gathering.ways).collect();
        let excused = excused(search.question.machine, search.question.client, state, waiting);
        Ok((ways, rule.met_at(excused)))
    }
}

/// A state that the loop may pass.
struct Spot {
    /// Until it is looked at.
    state: State,
    met: u32,
    /// The moves that lead there, of as few moves as any.
    legs: Vec<Leg>,
}

/// A move that leads to a spot, or closes the loop.
struct Leg {
    from: usize,
    steps: Vec<Choice>,
}

/// One way to go on.
struct Way {
    state: State,
    met: u32,
    steps: Vec<Choice>,
}

struct Gathering<'t, 's, 'q> {
    territory: &'t AllowedRegion<'s, 'q>,
    ways: Vec<Way>,
}

impl<'s, 'p> Visit<'s, 'p> for Gathering<'_, '_, '_> {
    fn arrive(&mut self, worker: &mut Worker<'s, 'p>, next: &mut State, monitor: MonitorId) {
        let AllowedRegion { search, marked, bad, mark } = *self.territory;
        let (deeds, stepped) = (worker.deeds, worker.deeds.stepped());
        if !marked.rule.allows(&deeds, stepped, mark) {
            return;
        }
        let steps = worker.trail().to_vec();
        let mut state = next.clone();
        worker.question.machine.collect_keeping_names(&mut state);
        worker.canonical(next, monitor);
        let Some(node) = marked.graph.find(&search.store, &worker.bytes) else { return };
        if marked.numbers(node).any(|number| bad.component(number).is_some()) {
            self.ways.push(Way { state, met: marked.rule.met_by(stepped, mark), steps });
        }
    }

    fn violate(&mut self, _: &mut Worker<'s, 'p>, _: ViolationKind) {}
}

/// The cheapest way to come somewhere with one thread stepping last.
#[derive(Clone, Copy)]
struct Arrival {
    last: Option<ThreadId>,
    cost: usize,
    /// By which of the legs.
    leg: usize,
    /// And by which of the arrivals at the spot where it begins.
    before: usize,
}

/// The steps of the cheapest loop, of all that the legs tell.
fn fewest_switches(spots: &[Spot], closing: &[Leg], last: Option<ThreadId>) -> Option<Vec<Choice>> {
    let mut reached = vec![vec![Arrival { last, cost: 0, leg: 0, before: 0 }]];
    for spot in &spots[1..] {
        let arrivals = arrivals(&spot.legs, &reached);
        reached.push(arrivals);
    }
    let end = arrivals(closing, &reached).into_iter().min_by_key(|arrival| arrival.cost)?;
    let mut legs = vec![&closing[end.leg]];
    let (mut at, mut arrival) = (closing[end.leg].from, end.before);
    while at != 0 {
        let Arrival { leg, before, .. } = reached[at][arrival];
        let leg = &spots[at].legs[leg];
        legs.push(leg);
        (at, arrival) = (leg.from, before);
    }
    Some(legs.into_iter().rev().flat_map(|leg| leg.steps.iter().cloned()).collect())
}

/// The cheapest ways along these legs, one for each thread that makes the last step.
fn arrivals(legs: &[Leg], reached: &[Vec<Arrival>]) -> Vec<Arrival> {
    let mut best: Vec<Arrival> = Vec::new();
    for (leg, Leg { from, steps }) in legs.iter().enumerate() {
        let [first, last] = [steps.first(), steps.last()].map(|choice| choice.map(|choice| choice.thread));
        let inner = context_switches(steps);
        for (before, earlier) in reached[*from].iter().enumerate() {
            let is_switch = earlier.last.is_some() && earlier.last != first;
            let arrival = Arrival { last, cost: earlier.cost + inner + usize::from(is_switch), leg, before };
            match best.iter_mut().find(|known| known.last == last) {
                Some(known) if known.cost <= arrival.cost => {}
                Some(known) => *known = arrival,
                None => best.push(arrival),
            }
        }
    }
    best
}

/// The state up to the names of cells.
fn key(machine: &linchpin_semantics::Machine, state: &State) -> Vec<Word> {
    let mut normal = state.clone();
    machine.normalise(&mut normal);
    let mut words = Vec::new();
    machine.flatten(&normal, &mut words);
    words
}
