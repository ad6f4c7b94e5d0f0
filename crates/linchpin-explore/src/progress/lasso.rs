//! From a bad component to one execution: a stem to a state, and a loop that leads back to it.
//!
//! Of all such executions one with the shortest stem; of those one with the shortest loop; of those one with the fewest context
//! switches. The stem leads to a state of a bad component with the fewest moves before it, along the search's levels
//! ([`super::super::witness`], [`super::super::concretise`]). No thread has to be the last of a stem that is one switch dearer than
//! the cheapest: a switch to that thread costs no more. The loop is searched for from the concrete state where the
//! stem ends ([`super::circuit`]). In the quotient a loop is as long or shorter, so states with a longer one there than what
//! was found need not be tried.
//!
//! Where there are very many states to begin from, or very large loops, not all are looked at: then the execution may
//! have a longer loop or more switches than needed. The stem is always a shortest one.

use super::super::concretise::Choices;
use super::super::search::Search;
use super::super::witness::Path;
use super::circuit::AllowedRegion;
use super::rule::{Bad, Mark, Marked};
use linchpin_judge::trace::context_switches;
use linchpin_semantics::SpecError;
use rustc_hash::FxHashSet;

/// An execution that goes on for ever.
pub struct Lasso {
    pub choices: Choices,
    /// Where the loop begins among the steps.
    pub start: usize,
}

/// Edges looked at for how long loops are.
const MOST_LOOKED_AT: usize = 4_000_000;
/// States from which loops are searched for.
const MOST_STARTS: usize = 100;
/// States of these searches.
const LARGEST_LOOP_SEARCH: usize = 400_000;

/// The execution that shows a bad component, if one is found.
pub fn lasso(search: &Search<'_>, marked: &Marked<'_>, bad: &Bad) -> Result<Option<Lasso>, SpecError> {
    let starts = starts(search, marked, bad);
    let place = |number: usize| marked.graph.place(marked.split(number).0);
    let Some((_, first)) = starts.first() else { return Ok(None) };
    let places: Vec<_> = starts.iter().map(|(_, number)| place(*number)).collect();
    let stems = search.ways_to(&places, search.level_of(place(*first)))?;
    let mut left = LARGEST_LOOP_SEARCH;
    let mut best: Option<Lasso> = None;
    for ((length, number), stems) in starts.into_iter().zip(stems) {
        if best.as_ref().is_some_and(|best| best.rank().1 < length) {
            break;
        }
        for stem in stems {
            let (node, mark) = marked.split(number);
            debug_assert_eq!(stem.moves.len(), search.level_of(marked.graph.place(node)));
            let Some(found) = along(search, marked, bad, &stem, mark, &mut left)? else { continue };
            if best.as_ref().is_none_or(|best| found.rank() < best.rank()) {
                best = Some(found);
            }
        }
    }
    Ok(best)
}

impl Lasso {
    /// Steps of the stem, steps of the loop, context switches.
    fn rank(&self) -> (usize, usize, usize) {
        let steps = &self.choices.steps;
        (self.start, steps.len() - self.start, context_switches(steps))
    }
}

/// The execution along a stem, if there is a loop where it ends.
fn along(
    search: &Search<'_>,
    marked: &Marked<'_>,
    bad: &Bad,
    stem: &Path,
    mark: Mark,
    left: &mut usize,
) -> Result<Option<Lasso>, SpecError> {
    let Some((mut choices, here)) = search.arrive(stem)? else { return Ok(None) };
    let mut threads = 0..marked.graph.threads;
    let Some(thread) = threads.find(|thread| here.renaming.thread(*thread) == mark.thread) else {
        return Ok(None);
    };
    let territory = AllowedRegion { search, marked, bad, mark: Mark { thread, ..mark } };
    let last = choices.steps.last().map(|choice| choice.thread);
    let Some(steps) = territory.shortest_loop(&here, last, left)? else { return Ok(None) };
    let start = choices.steps.len();
    choices.steps.extend(steps);
    Ok(Some(Lasso { choices, start }))
}

/// The numbers of bad components with the fewest moves before them, each after the moves of its shortest loop in the quotient; those
/// with the shortest loops first.
fn starts(search: &Search<'_>, marked: &Marked<'_>, bad: &Bad) -> Vec<(usize, usize)> {
    let level = |number: usize| search.level_of(marked.graph.place(marked.split(number).0));
    let Some(least) = bad.members().map(level).min() else { return Vec::new() };
    let mut candidates: Vec<(Vec<u8>, Mark, usize)> = Vec::new();
    for number in bad.members().filter(|number| level(*number) == least) {
        let (node, mark) = marked.split(number);
        let mut bytes = Vec::new();
        search.store.copy(marked.graph.place(node), &mut bytes);
        candidates.push((bytes, mark, number));
    }
    candidates.sort_unstable();
    let mut left = MOST_LOOKED_AT;
    let mut starts = Vec::new();
    for (_, _, number) in candidates {
        match loop_length(marked, bad, number, &mut left) {
            Some(length) => starts.push((length, number)),
            None if left == 0 && starts.is_empty() => starts.push((usize::MAX, number)),
            None => {}
        }
        if left == 0 {
            break;
        }
    }
    starts.sort_by_key(|(length, _)| *length);
    starts.truncate(MOST_STARTS);
    starts
}

/// The moves of a shortest loop in the quotient.
fn loop_length(marked: &Marked<'_>, bad: &Bad, from: usize, left: &mut usize) -> Option<usize> {
    let component = bad.component(from)?;
    let required = marked.rule.required(marked.graph.threads);
    let mut known: FxHashSet<(usize, u32)> = FxHashSet::default();
    let mut level = vec![(from, marked.met_at(from) & required)];
    for length in 1.. {
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
