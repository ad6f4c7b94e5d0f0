//! The instances that finish in the budget, as far as known, and the next instance to run.
//!
//! Instances are ordered by threads, nodes and values. If an instance finishes in the budget, all smaller
//! ones do. If it does not, no larger one does. So the known results are a staircase. For each number of
//! threads and of values (a *stair*) the largest number of nodes lies between two bounds, and each run
//! narrows them.
//!
//! Where measured instances predict the size of the next ones ([`growth`](super::growth)), a forecast gives
//! the end of a stair without a run.

use super::allowance::Allowance;
use super::growth::{Axis, Expected, POINTS};
use super::tried::Tried;
use linchpin_ir::index::number_of;
use std::collections::{BTreeMap, BTreeSet};

/// (threads, nodes, values).
pub type Triple = [u32; 3];

/// All results, by instance.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Staircase {
    tried: BTreeMap<Triple, Tried>,
}

/// The end of a stair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// The largest number of nodes that finished in a run, of this instance or of a larger one.
    pub finished: u32,
    /// The largest number of nodes that finish, by runs and forecasts.
    pub at_least: u32,
    /// Larger numbers of nodes do not finish; `None` if nothing is known about larger ones.
    pub at_most: Option<u32>,
}

/// The least number of nodes with which the objects can complete a call.
const FEWEST_NODES: u32 = 2;
/// The limit on nodes.
pub const MOST_NODES: u32 = 32;

impl Staircase {
    pub fn note(&mut self, triple: Triple, tried: Tried) {
        self.tried.insert(triple, tried);
    }

    /// Returns whether an instance finishes, as far as other instances decide.
    pub fn finishes(&self, triple: Triple) -> Option<bool> {
        let mut tried = self.tried.iter();
        tried.find_map(|(other, tried)| match tried.finished() {
            true => is_below(triple, *other).then_some(true),
            false => is_below(*other, triple).then_some(false),
        })
    }

    /// Returns the next instance to run on a stair; `None` if its end is known. Where forecasts exist, the
    /// largest instance that takes no more than these seconds. Otherwise smaller instances that make a
    /// forecast possible.
    pub fn next(&self, threads: u32, values: u32, seconds: f64) -> Option<Triple> {
        let open: Vec<u32> = (FEWEST_NODES..=MOST_NODES)
            .filter(|nodes| self.finishes([threads, *nodes, values]).is_none())
            .collect();
        let (first, last) = (*open.first()?, *open.last()?);
        let is_small = |nodes: &u32| {
            let expected = self.growth([threads, *nodes, values]);
            expected.is_some_and(|expected| expected.seconds_at_most() <= seconds)
        };
        let by_growth = open.iter().copied().rfind(is_small);
        // A larger instance did not finish: the interval is halved.
        let is_bounded = last < MOST_NODES;
        let nodes = match by_growth {
            Some(nodes) if is_bounded => nodes.min(first + (last - first) / 2),
            Some(nodes) => nodes,
            None => return Some(self.missing_below([threads, first, values])),
        };
        Some([threads, nodes, values])
    }

    /// Returns the instance, or a smaller one that must run first for a forecast: with fewer nodes or, where
    /// there are too few of those, with fewer threads.
    fn missing_below(&self, triple: Triple) -> Triple {
        let [threads, nodes, values] = triple;
        let points = number_of(POINTS);
        let is_missing = |other: &Triple| !self.tried.contains_key(other);
        let mut fewer_nodes =
            (FEWEST_NODES.max(nodes.saturating_sub(points))..nodes).map(|nodes| [threads, nodes, values]);
        let fewer_threads =
            (1.max(threads.saturating_sub(points))..threads).map(|threads| [threads, nodes, values]);
        let is_small = |other: &Triple| is_missing(other) && self.finishes(*other) == Some(true);
        let wants_threads = nodes < FEWEST_NODES + points && threads > points;
        let below = || {
            let by_threads = fewer_threads.filter(|_| wants_threads).find(is_small);
            fewer_nodes.find(is_missing).or(by_threads)
        };
        if self.growth(triple).is_some() { triple } else { below().unwrap_or(triple) }
    }

    /// Returns the end of a stair; `None` if no instance on it is known to finish.
    pub fn end(&self, threads: u32, values: u32, allowance: &Allowance) -> Option<End> {
        let run = |nodes: &u32| self.finishes([threads, *nodes, values]);
        let told = |nodes: &u32| self.told([threads, *nodes, values], allowance);
        let finished = (FEWEST_NODES..=MOST_NODES).take_while(|nodes| run(nodes) == Some(true)).last()?;
        let more = (finished..=MOST_NODES).skip(1);
        let at_least = more.clone().take_while(|nodes| told(nodes) == Some(true)).last();
        let too_many = more.clone().find(|nodes| told(nodes) == Some(false));
        Some(End {
            finished,
            at_least: at_least.unwrap_or(finished),
            at_most: too_many.map(|nodes| nodes - 1),
        })
    }

    /// Returns whether an instance finishes: by runs, by its forecast, or by the forecast of a smaller one
    /// that does not.
    fn told(&self, triple: Triple, allowance: &Allowance) -> Option<bool> {
        let forecast = || self.growth(triple)?.finishes(allowance);
        let by_smaller = || {
            [Axis::Threads, Axis::Values].into_iter().find_map(|axis| {
                let mut smaller = triple;
                smaller[axis.place()] = triple[axis.place()].checked_sub(1).filter(|number| *number > 0)?;
                self.told(smaller, allowance).filter(|finishes| !finishes)
            })
        };
        self.finishes(triple).or_else(forecast).or_else(by_smaller)
    }

    /// Returns the stairs with other results than these, as threads and values.
    pub fn climbed(&self, apart_from: &[Triple]) -> BTreeSet<(u32, u32)> {
        let tried = self.tried.keys().filter(|triple| !apart_from.contains(triple));
        tried.map(|triple| (triple[0], triple[2])).collect()
    }

    /// Returns all results, in order.
    pub fn all(&self) -> impl Iterator<Item = (Triple, &Tried)> {
        self.tried.iter().map(|(triple, tried)| (*triple, tried))
    }

    /// Predicts the size of an instance from the last three smaller ones that finished: with fewer nodes,
    /// with fewer values, or with fewer threads.
    pub fn growth(&self, triple: Triple) -> Option<Expected> {
        let line = |axis: Axis| Some(Expected::new(axis, self.below(axis, triple)?, triple[axis.place()]));
        Axis::ALL.into_iter().filter_map(line).reduce(Expected::and)
    }

    /// Returns the least time of an instance: by growth or, without a forecast, the time of the slowest
    /// smaller one.
    pub fn seconds_at_least(&self, triple: Triple) -> f64 {
        if let Some(expected) = self.growth(triple) {
            return expected.seconds_at_least();
        }
        let below = self.tried.iter().filter(|(other, tried)| tried.finished() && is_below(**other, triple));
        below.map(|(_, tried)| tried.seconds).fold(0.0, f64::max)
    }

    /// Returns the last three instances of a line that finished, below an instance.
    fn below(&self, axis: Axis, triple: Triple) -> Option<[(u32, &Tried); POINTS]> {
        let at = axis.place();
        let mut below = (1..triple[at]).rev().filter_map(|number| {
            let mut other = triple;
            other[at] = number;
            self.tried.get(&other).filter(|tried| tried.finished()).map(|tried| (number, tried))
        });
        let [last, middle, first] = [below.next()?, below.next()?, below.next()?];
        Some([first, middle, last])
    }
}

fn is_below(small: Triple, large: Triple) -> bool {
    small.iter().zip(large).all(|(small, large)| *small <= large)
}

/// Returns the maximal instances, in order.
pub fn maximal(triples: &[Triple]) -> Vec<Triple> {
    let is_maximal =
        |triple: &Triple| !triples.iter().any(|other| other != triple && is_below(*triple, *other));
    let mut maximal: Vec<Triple> = triples.iter().copied().filter(is_maximal).collect();
    maximal.sort_unstable();
    maximal.dedup();
    maximal
}

#[cfg(test)]
mod tests {
    use super::super::tried::Outcome;
    use super::*;

    fn tried(finished: bool, states: u64) -> Tried {
        let outcome = if finished { Outcome::Holds } else { Outcome::Unfinished("time".into()) };
        Tried { outcome, states, seconds: states as f64 / 20_000.0, megabytes: 1 }
    }

    /// Finished, at least, at most, in 600 s.
    fn end(stairs: &Staircase, threads: u32, values: u32) -> Option<(u32, u32, Option<u32>)> {
        let allowance = Allowance { seconds: 600, mebibytes: 16_384, workers: 2, version: "0.1.0".into() };
        let End { finished, at_least, at_most } = stairs.end(threads, values, &allowance)?;
        Some((finished, at_least, at_most))
    }

    #[test]
    fn what_is_below_finishes_and_what_is_above_does_not() {
        let mut stairs = Staircase::default();
        assert_eq!(stairs.next(3, 2, 10.0), Some([3, 2, 2]));
        stairs.note([3, 4, 2], tried(true, 100));
        stairs.note([3, 6, 1], tried(false, 900));
        assert_eq!(stairs.finishes([2, 4, 1]), Some(true));
        assert_eq!(stairs.finishes([4, 6, 3]), Some(false));
        assert_eq!(stairs.finishes([3, 5, 2]), None);
        assert_eq!(stairs.next(3, 2, 10.0), Some([3, 2, 2]), "what tells how large 5 nodes are");
        [2, 3].into_iter().for_each(|nodes| stairs.note([3, nodes, 2], tried(true, 10 * u64::from(nodes))));
        assert_eq!(stairs.next(3, 2, 10.0), Some([3, 5, 2]));
        assert_eq!(end(&stairs, 3, 2), Some((4, 4, Some(5))), "6 nodes do not finish with one value");
        stairs.note([3, 5, 2], tried(false, 900));
        assert_eq!((stairs.next(3, 2, 10.0), end(&stairs, 3, 2)), (None, Some((4, 4, Some(4)))));
        [2, 3, 4]
            .into_iter()
            .for_each(|nodes| stairs.note([3, nodes, 1], tried(true, 10 * u64::from(nodes))));
        assert_eq!(stairs.next(3, 1, 10.0), Some([3, 5, 1]), "5 nodes with one value are still open");
        assert_eq!(stairs.next(4, 3, 10.0), Some([4, 2, 3]));
        assert_eq!(end(&stairs, 4, 3), None);
    }

    #[test]
    fn the_end_of_a_stair_may_be_forecast() {
        let mut stairs = Staircase::default();
        for (states, nodes) in [246, 1_494, 7_019, 27_729].into_iter().zip(2..) {
            stairs.note([3, nodes, 2], tried(true, 20 * states));
        }
        // At this rate 6 nodes take some 90 s, 7 some 300 s, 8 some 950 s.
        assert_eq!(end(&stairs, 3, 2), Some((5, 6, Some(8))));
        stairs.note([3, 6, 2], tried(true, 20 * 97_637));
        assert_eq!(end(&stairs, 3, 2), Some((6, 7, Some(8))));
        stairs.note([3, 7, 2], tried(true, 20 * 317_021));
        assert_eq!(end(&stairs, 3, 2), Some((7, 7, Some(7))));
        stairs.note([4, 6, 2], tried(true, 97_637));
        assert_eq!(stairs.climbed(&[[4, 6, 2], [3, 6, 2]]), BTreeSet::from([(3, 2)]));
    }

    #[test]
    fn what_grows_slowly_is_climbed_in_leaps() {
        let mut stairs = Staircase::default();
        for nodes in [2, 3, 4] {
            stairs.note([2, nodes, 1], tried(true, 100_000 << nodes));
        }
        // Twice as much with each node, 20,000 a second: 80 s for 4 nodes, 320 s for 6.
        assert_eq!(stairs.next(2, 1, 400.0), Some([2, 6, 1]));
        assert_eq!(stairs.next(2, 1, 90.0), Some([2, 5, 1]), "the next one, if none is small enough");
        stairs.note([2, 9, 1], tried(false, 1));
        assert_eq!(stairs.next(2, 1, 4000.0), Some([2, 6, 1]), "half way");
    }

    #[test]
    fn an_instance_takes_as_long_as_what_is_below_it() {
        let mut stairs = Staircase::default();
        assert_eq!(stairs.seconds_at_least([3, 5, 2]), 0.0, "nothing is below it");
        stairs.note([3, 4, 2], tried(true, 180_000));
        stairs.note([2, 5, 2], tried(true, 40_000));
        stairs.note([2, 2, 1], tried(false, 900_000));
        stairs.note([4, 4, 2], tried(true, 900_000));
        assert_eq!(stairs.seconds_at_least([3, 5, 2]), 9.0);
    }

    /// The LMS queue with two nodes and one value, 3 to 6 threads.
    #[test]
    fn threads_grow_likewise() {
        let mut stairs = Staircase::default();
        for (states, threads) in [1_455, 8_631, 41_493].into_iter().zip(3..) {
            stairs.note([threads, 2, 1], tried(true, states));
        }
        let Some(expected) = stairs.growth([6, 2, 1]) else { panic!("three are below") };
        assert!((expected.least..=expected.most).contains(&170_138), "{expected:?}");
        assert_eq!(stairs.growth([6, 3, 1]), None);
    }

    /// The Treiber stack with three threads, 2 to 7 nodes; two values, and one.
    #[test]
    fn growth_lies_between_its_bounds() {
        for sizes in [[246, 1_494, 7_019, 27_729, 97_637, 317_021], [138, 459, 1_173, 2_510, 4_762, 8_290]] {
            let mut stairs = Staircase::default();
            for (states, nodes) in sizes.into_iter().zip(2..) {
                if let Some(expected) = stairs.growth([3, nodes, 2]) {
                    let range = expected.least..=expected.most;
                    assert!(range.contains(&states), "{range:?} for {states}");
                    assert!(expected.least * 5 > states * 4, "{range:?} for {states}");
                }
                stairs.note([3, nodes, 2], tried(true, states));
            }
        }
    }

    #[test]
    fn maximal_ones_have_nothing_above_them() {
        let all = [[2, 2, 2], [2, 3, 2], [3, 1, 1], [2, 3, 1], [2, 3, 2]];
        assert_eq!(maximal(&all), [[2, 3, 2], [3, 1, 1]]);
    }
}
