//! From a bad component to one execution: a stem to a state, and a loop that leads back to it.
//!
//! The lasso has the shortest stem. Among those it has the shortest loop, and among those the fewest context
//! switches. The stem leads to a state of a bad component with the fewest moves, along the search's levels
//! ([`crate::trace`]). Only cheapest stems are tried: a stem with one switch more and another last thread is
//! not better, since a switch to that thread costs no more. The search for the loop begins at the concrete
//! state where the stem ends ([`super::concrete_loop`]). In the quotient a loop is at most as long. So states
//! whose loop in the quotient is longer than the best loop need not be tried.
//!
//! With very many start states, or very large loops, not all are tried. Then the lasso may have a longer loop
//! or more switches than needed. The stem is always a shortest one.

use super::concrete_loop::AllowedRegion;
use super::rule::{BadComponents, ProductGraph, TrackedThread};
use crate::search::Search;
use crate::trace::{Choices, Path};
use linchpin_judge::trace::context_switches;
use linchpin_semantics::SpecError;
use rustc_hash::FxHashSet;

/// An infinite execution: a stem, and a loop that is repeated for ever.
pub struct Lasso {
    pub choices: Choices,
    /// The number of steps of the stem.
    pub start: usize,
}

/// The limit on edges that are visited to compute lengths of loops.
const MOST_EDGES: usize = 4_000_000;
/// The limit on start states of loops.
const MOST_STARTS: usize = 100;
/// The limit on states of all searches for loops.
const LARGEST_LOOP_SEARCH: usize = 400_000;

/// Returns the lasso that shows a bad component, if one is found.
pub fn lasso(
    search: &Search<'_>,
    product: &ProductGraph<'_>,
    bad: &BadComponents,
) -> Result<Option<Lasso>, SpecError> {
    let starts = starts(search, product, bad);
    let node_id = |number: usize| product.graph.node_id(product.split(number).0);
    let Some((_, first)) = starts.first() else { return Ok(None) };
    let nodes: Vec<_> = starts.iter().map(|(_, number)| node_id(*number)).collect();
    let stems = search.paths_to(&nodes, search.level_of(node_id(*first)))?;
    let mut left = LARGEST_LOOP_SEARCH;
    let mut best: Option<Lasso> = None;
    for ((length, number), stems) in starts.into_iter().zip(stems) {
        if best.as_ref().is_some_and(|best| best.rank().1 < length) {
            break;
        }
        for stem in stems {
            let (node, tracked) = product.split(number);
            debug_assert_eq!(stem.moves.len(), search.level_of(product.graph.node_id(node)));
            let Some(found) = along(search, product, bad, &stem, tracked, &mut left)? else { continue };
            if best.as_ref().is_none_or(|best| found.rank() < best.rank()) {
                best = Some(found);
            }
        }
    }
    Ok(best)
}

impl Lasso {
    /// Returns the number of steps of the stem, the number of steps of the loop, and the number of context
    /// switches.
    fn rank(&self) -> (usize, usize, usize) {
        let steps = &self.choices.steps;
        (self.start, steps.len() - self.start, context_switches(steps))
    }
}

/// Returns the lasso along a stem, if there is a loop at its end.
fn along(
    search: &Search<'_>,
    product: &ProductGraph<'_>,
    bad: &BadComponents,
    stem: &Path,
    tracked: TrackedThread,
    left: &mut usize,
) -> Result<Option<Lasso>, SpecError> {
    let Some((mut choices, end)) = search.arrive(stem)? else { return Ok(None) };
    let mut threads = 0..product.graph.threads;
    let Some(thread) = threads.find(|thread| end.renaming.thread(*thread) == tracked.thread) else {
        return Ok(None);
    };
    let region = AllowedRegion { search, product, bad, tracked: TrackedThread { thread, ..tracked } };
    let last = choices.steps.last().map(|choice| choice.thread);
    let Some(steps) = region.shortest_loop(&end, last, left)? else { return Ok(None) };
    let start = choices.steps.len();
    choices.steps.extend(steps);
    Ok(Some(Lasso { choices, start }))
}

/// Returns the members of bad components that the fewest moves reach. Each comes with the length of its
/// shortest loop in the quotient; the shortest loops come first.
fn starts(search: &Search<'_>, product: &ProductGraph<'_>, bad: &BadComponents) -> Vec<(usize, usize)> {
    let level = |number: usize| search.level_of(product.graph.node_id(product.split(number).0));
    let Some(least) = bad.members().map(level).min() else { return Vec::new() };
    let mut candidates: Vec<(Vec<u8>, TrackedThread, usize)> = Vec::new();
    for number in bad.members().filter(|number| level(*number) == least) {
        let (node, tracked) = product.split(number);
        let mut bytes = Vec::new();
        search.store.copy(product.graph.node_id(node), &mut bytes);
        candidates.push((bytes, tracked, number));
    }
    candidates.sort_unstable();
    let mut left = MOST_EDGES;
    let mut starts = Vec::new();
    for (_, _, number) in candidates {
        match loop_length(product, bad, number, &mut left) {
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

/// Returns the number of moves of a shortest loop in the quotient.
fn loop_length(
    product: &ProductGraph<'_>,
    bad: &BadComponents,
    from: usize,
    left: &mut usize,
) -> Option<usize> {
    let component = bad.component(from)?;
    let required = product.rule.required(product.graph.threads);
    let mut known: FxHashSet<(usize, u32)> = FxHashSet::default();
    let mut level = vec![(from, product.met_at(from) & required)];
    for length in 1.. {
        let mut below = Vec::new();
        let mut is_closed = false;
        for (number, met) in level {
            product.edges(number, &mut |to, more| {
                *left = left.saturating_sub(1);
                let met = (met | more | product.met_at(to)) & required;
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
