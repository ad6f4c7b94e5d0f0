//! From a bad component to one execution: a stem to a state, and a loop that leads back to it.
//!
//! The stem is a shortest one to any state of a bad component; of the states that are reached by as many moves, the one with the
//! shortest loop in the quotient. Both are made concrete: the stem along the search's levels with the fewest context
//! switches ([`super::super::witness`], [`super::super::concretise`]), the loop by a search of its own from the concrete
//! state where the stem ends, with real names, inside the nodes of bad components, until the very same state comes back and
//! everything that the rule asks for has been met. There is such a loop whatever names the stem's end has: the quotient's
//! cycle, gone along as often as the order of its renaming ([`super::rule`]). It is a shortest one. (Inside the nodes, and not
//! the marked nodes: a representative may have symmetries of its own, and then marks are renamed in more than one way.)

use super::super::concretise::{Choices, Here};
use super::super::expand::{Origin, Visit, Worker};
use super::super::monitor::{MonitorId, UNWATCHED};
use super::super::search::{Kind, Search};
use super::graph::{Graph, excused};
use super::rule::{Bad, Mark, Marked, Rule};
use linchpin_core::index::Index;
use linchpin_core::semantics::{SpecError, State, ThreadId};
use linchpin_core::types::Word;
use linchpin_core::verdict::{Action, Choice};
use rustc_hash::{FxHashMap, FxHashSet};

/// An execution that goes on for ever.
pub struct Lasso {
    pub choices: Choices,
    /// Where the loop begins among the steps.
    pub start: usize,
}

/// Edges looked at for the start with the shortest loop.
const MOST_LOOKED_AT: usize = 4_000_000;
/// States of the search for a loop.
const LARGEST_LOOP_SEARCH: usize = 400_000;

/// The execution that shows a bad component, if one is found.
pub fn lasso(search: &Search<'_>, marked: &Marked<'_>, bad: &Bad) -> Result<Option<Lasso>, SpecError> {
    let Some(start) = start(search, marked, bad) else { return Ok(None) };
    let (node, mark) = marked.split(start);
    let place = marked.graph.place(node);
    let Some(path) = search.way_to(place, search.level_of(place))? else { return Ok(None) };
    let Some((mut choices, here)) = search.arrive(&path)? else { return Ok(None) };
    let mut threads = 0..marked.graph.threads;
    let Some(thread) = threads.find(|thread| here.renaming.thread(*thread) == mark.thread) else {
        return Ok(None);
    };
    let mark = Mark { thread, ..mark };
    let territory = Territory { search, marked, bad, mark };
    let Some(steps) = territory.shortest_loop(&here)? else { return Ok(None) };
    let start = choices.steps.len();
    choices.steps.extend(steps);
    Ok(Some(Lasso { choices, start }))
}

/// Of the numbers of bad components with the fewest moves before them, one with the shortest loop.
fn start(search: &Search<'_>, marked: &Marked<'_>, bad: &Bad) -> Option<usize> {
    let level = |number: usize| search.level_of(marked.graph.place(marked.split(number).0));
    let least = bad.members().map(level).min()?;
    let mut candidates: Vec<(Vec<u8>, Mark, usize)> = Vec::new();
    for number in bad.members().filter(|number| level(*number) == least) {
        let (node, mark) = marked.split(number);
        let mut bytes = Vec::new();
        search.store.copy(marked.graph.place(node), &mut bytes);
        candidates.push((bytes, mark, number));
    }
    candidates.sort_unstable();
    let mut left = MOST_LOOKED_AT;
    let mut best: Option<(usize, usize)> = None;
    for (_, _, number) in candidates {
        let most = best.map_or(usize::MAX, |(length, _)| length);
        if let Some(length) = loop_length(marked, bad, number, most, &mut left) {
            best = Some((length, number));
        }
        if left == 0 {
            best = best.or(Some((usize::MAX, number)));
            break;
        }
    }
    best.map(|(_, number)| number)
}

/// The moves of a shortest loop in the quotient, if it has fewer than `most`.
fn loop_length(marked: &Marked<'_>, bad: &Bad, from: usize, most: usize, left: &mut usize) -> Option<usize> {
    let component = bad.component(from)?;
    let required = marked.rule.required(marked.graph.threads);
    let mut known: FxHashSet<(usize, u32)> = FxHashSet::default();
    let mut level = vec![(from, marked.met_at(from) & required)];
    for length in 1..most {
        let mut below = Vec::new();
        let mut is_closed = false;
        for (number, met) in level {
            marked.edges(number, &mut |to, more| {
                *left = left.saturating_sub(1);
                let met = (met | more | marked.met_at(to)) & required;
                if bad.component(to) == Some(component) && known.insert((to, met)) {
                    is_closed |= to == from && met == required;
                    below.push((to, met));
                }
            });
            if *left == 0 {
                return None;
            }
        }
        if is_closed {
            return Some(length);
        }
        if below.is_empty() {
            return None;
        }
        level = below;
    }
    None
}

/// Where a loop may go.
struct Territory<'t, 's> {
    search: &'t Search<'s>,
    marked: &'t Marked<'t>,
    bad: &'t Bad,
    /// The marked thread by its real name.
    mark: Mark,
}

/// A state that the loop may pass, and how it came there.
struct Spot {
    state: State,
    met: u32,
    before: usize,
    steps: Vec<Choice>,
}

/// One way to go on.
struct Way {
    state: State,
    met: u32,
    steps: Vec<Choice>,
}

impl Territory<'_, '_> {
    fn shortest_loop(&self, here: &Here) -> Result<Option<Vec<Choice>>, SpecError> {
        let machine = self.search.question.machine;
        let required = self.rule().required(self.graph().threads);
        let mut worker = self.search.worker();
        worker.is_recording = true;
        let first = key(machine, &here.state);
        let mut spots = vec![Spot { state: here.state.clone(), met: 0, before: 0, steps: Vec::new() }];
        let mut known: FxHashMap<(Vec<Word>, u32), ()> = FxHashMap::default();
        let mut at = 0;
        while at < spots.len() && spots.len() < LARGEST_LOOP_SEARCH {
            let (state, met) = (spots[at].state.clone(), spots[at].met);
            let (ways, here_met) = self.ways(&mut worker, &state)?;
            for way in ways {
                let met = (met | here_met | way.met) & required;
                let key = key(machine, &way.state);
                if key == first && met == required {
                    let mut legs = vec![way.steps];
                    while at != 0 {
                        legs.push(std::mem::take(&mut spots[at].steps));
                        at = spots[at].before;
                    }
                    return Ok(Some(legs.into_iter().rev().flatten().collect()));
                }
                if known.insert((key, met), ()).is_none() {
                    spots.push(Spot { state: way.state, met, before: at, steps: way.steps });
                }
            }
            at += 1;
        }
        Ok(None)
    }

    /// The moves of a concrete state that stay in bad components, and what is met in the state itself.
    fn ways(&self, worker: &mut Worker<'_, '_>, state: &State) -> Result<(Vec<Way>, u32), SpecError> {
        let mut gathering = Gathering { territory: self, ways: Vec::new() };
        worker.expand(Origin { state, monitor: UNWATCHED, values: u64::MAX }, &mut gathering)?;
        let mut ways = gathering.ways;
        let waiting = worker.waiting as u16;
        let spinning = self.rule().spins_by_waiting(waiting, self.mark);
        if spinning != 0 {
            let thread = ThreadId::new(spinning.trailing_zeros() as usize);
            let steps = vec![Choice { thread, action: Action::Wait, picks: Vec::new() }];
            ways.insert(0, Way { state: state.clone(), met: self.rule().met_by(spinning, self.mark), steps });
        }
        let excused = excused(self.search.question.machine, self.search.question.client, state, waiting);
        Ok((ways, self.rule().met_at(excused)))
    }

    fn rule(&self) -> Rule {
        self.marked.rule
    }

    fn graph(&self) -> &Graph {
        self.marked.graph
    }
}

struct Gathering<'t, 's, 'q> {
    territory: &'t Territory<'s, 'q>,
    ways: Vec<Way>,
}

impl<'s, 'p> Visit<'s, 'p> for Gathering<'_, '_, '_> {
    fn arrive(&mut self, worker: &mut Worker<'s, 'p>, next: &mut State, monitor: MonitorId) {
        let Territory { search, marked, bad, mark } = *self.territory;
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

    fn violate(&mut self, _: &mut Worker<'s, 'p>, _: Kind) {}
}

/// The state up to the names of cells.
fn key(machine: &linchpin_core::semantics::Machine, state: &State) -> Vec<Word> {
    let mut normal = state.clone();
    machine.normalise(&mut normal);
    let mut words = Vec::new();
    machine.flatten(&normal, &mut words);
    words
}
