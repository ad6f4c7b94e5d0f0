//! What is known of which instances finish, and where to look next.
//!
//! Instances are ordered by threads, nodes and values. If one finishes in the budget, everything below it does; if one does
//! not, nothing above it does. What is known is thus a staircase, and for each number of threads and of values (a *stair*)
//! the most nodes lie between two bounds, which are moved towards each other.
//!
//! *Growth.* On a stair let g(n) be the logarithm of the factor from n to n + 1 nodes. It falls with n, and falls ever more
//! slowly; the same is seen of threads and of values. Through three instances that finished goes a line; gone on with, it stays below g. The last of its points, gone on with as a
//! constant, stays above. Both are summed to tell how large an instance is at least and at most: with the latter a stair is
//! climbed in few leaps, with the former instances that cannot finish are left.

use std::collections::BTreeMap;

/// (threads, nodes, values).
pub type Triple = [u32; 3];

/// What became of one instance.
#[derive(Clone, PartialEq, Debug)]
pub struct Tried {
    pub outcome: Outcome,
    pub states: u64,
    pub seconds: f64,
    pub megabytes: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Holds,
    /// It was not searched to its end: why, and what it would have taken.
    Unfinished(String),
    /// It would have taken far more than the budget: how much.
    NotBegun(String),
}

impl Tried {
    pub fn not_begun(forecast: String) -> Tried {
        Tried { outcome: Outcome::NotBegun(forecast), states: 0, seconds: 0.0, megabytes: 0 }
    }

    pub fn finished(&self) -> bool {
        self.outcome == Outcome::Holds
    }
}

/// Everything tried, by instance.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Staircase {
    tried: BTreeMap<Triple, Tried>,
}

/// No object here does anything with fewer nodes.
const FEWEST_NODES: u32 = 2;
/// Larger ones are not asked for.
const MOST_NODES: u32 = 32;

impl Staircase {
    pub fn note(&mut self, triple: Triple, tried: Tried) {
        self.tried.insert(triple, tried);
    }

    /// Whether an instance finishes, as far as others tell.
    pub fn finishes(&self, triple: Triple) -> Option<bool> {
        let mut tried = self.tried.iter();
        tried.find_map(|(other, tried)| match tried.finished() {
            true => is_below(triple, *other).then_some(true),
            false => is_below(*other, triple).then_some(false),
        })
    }

    /// The next instance to try on a stair; none if its end is known. Where the instances so far tell how large others are, the largest
    /// that takes no more than these seconds; where they do not, those below that will.
    pub fn next(&self, threads: u32, values: u32, seconds: f64) -> Option<Triple> {
        let open: Vec<u32> = (FEWEST_NODES..=MOST_NODES)
            .filter(|nodes| self.finishes([threads, *nodes, values]).is_none())
            .collect();
        let (first, last) = (*open.first()?, *open.last()?);
        let is_small = |nodes: &u32| {
            let expected = self.growth([threads, *nodes, values]);
            expected.is_some_and(|expected| expected.at_most.seconds <= seconds)
        };
        let by_growth = open.iter().copied().rfind(is_small);
        // Something larger did not finish: what lies between is halved.
        let is_bounded = last < MOST_NODES;
        let nodes = match by_growth {
            Some(nodes) if is_bounded => nodes.min(first + (last - first) / 2),
            Some(nodes) => nodes,
            None => self.missing_below([threads, first, values]).unwrap_or(first),
        };
        Some([threads, nodes, values])
    }

    /// The nodes of an instance that has to be tried, so that it is known how large another is.
    fn missing_below(&self, triple: Triple) -> Option<u32> {
        let [threads, nodes, values] = triple;
        let below = FEWEST_NODES.max(nodes.saturating_sub(POINTS as u32))..nodes;
        let is_missing = |nodes: &u32| !self.tried.contains_key(&[threads, *nodes, values]);
        below.into_iter().find(is_missing).filter(|_| self.growth(triple).is_none())
    }

    /// The most nodes of a stair that are known to finish, and whether no more do.
    pub fn most_nodes(&self, threads: u32, values: u32) -> Option<(u32, bool)> {
        let finishes = |nodes: u32| self.finishes([threads, nodes, values]);
        let most = (FEWEST_NODES..=MOST_NODES).take_while(|nodes| finishes(*nodes) == Some(true)).last()?;
        Some((most, finishes(most + 1) == Some(false)))
    }

    /// The largest that finished and the smallest that did not, on every stair; of the former as many as growth is told from.
    pub fn edges(&self) -> impl Iterator<Item = (Triple, &Tried)> {
        let is_edge = |triple: Triple, tried: &Tried| {
            let on_stair = |other: &Triple| other[0] == triple[0] && other[2] == triple[2];
            let others = self
                .tried
                .iter()
                .filter(|(other, of)| on_stair(other) && of.finished() == tried.finished())
                .map(|(other, _)| other[1]);
            match tried.finished() {
                true => others.filter(|nodes| *nodes > triple[1]).count() < POINTS,
                false => others.filter(|nodes| *nodes < triple[1]).count() == 0,
            }
        };
        self.tried
            .iter()
            .map(|(triple, tried)| (*triple, tried))
            .filter(move |(triple, tried)| is_edge(*triple, tried))
    }

    /// How large an instance is, from the last three that finished below it: with fewer nodes, with fewer threads, or with fewer
    /// values. Of several guesses the narrowest bounds.
    pub fn growth(&self, triple: Triple) -> Option<Expected> {
        (0..triple.len()).filter_map(|axis| self.growth_along(axis, triple)).reduce(|one, other| {
            let (low, high) =
                (one.at_least.states >= other.at_least.states, one.at_most.states <= other.at_most.states);
            let at_least = if low { one.at_least } else { other.at_least };
            Expected { at_least, at_most: if high { one.at_most } else { other.at_most } }
        })
    }

    /// What an instance takes at least: by growth or, where that is not known, what the slowest below it took.
    pub fn seconds_at_least(&self, triple: Triple) -> f64 {
        if let Some(expected) = self.growth(triple) {
            return expected.at_least.seconds;
        }
        let below = self.tried.iter().filter(|(other, tried)| tried.finished() && is_below(**other, triple));
        below.map(|(_, tried)| tried.seconds).fold(0.0, f64::max)
    }

    fn growth_along(&self, axis: usize, triple: Triple) -> Option<Expected> {
        let mut below = (1..triple[axis]).rev().filter_map(|number| {
            let mut other = triple;
            other[axis] = number;
            self.tried.get(&other).filter(|tried| tried.finished()).map(|tried| (number, tried))
        });
        let [last, middle, first]: [_; POINTS] = [below.next()?, below.next()?, below.next()?];
        let logarithm =
            |(number, tried): (u32, &Tried)| (f64::from(number), (tried.states.max(1) as f64).ln());
        let [low, high] = growth([first, middle, last].map(logarithm), f64::from(triple[axis]));
        let rate = (last.1.states as f64 / last.1.seconds.max(0.001)).max(SLOWEST);
        let size = |states: f64| Size { states: states as u64, seconds: states / rate };
        Some(Expected { at_least: size(low), at_most: size(high) })
    }
}

/// What an instance will take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    pub states: u64,
    pub seconds: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expected {
    pub at_least: Size,
    pub at_most: Size,
}

/// How many instances growth is told from.
const POINTS: usize = 3;
/// States a second: what small instances seem to do is less.
const SLOWEST: f64 = 20_000.0;

/// The two sums of the header, from three points (nodes, logarithm of the states).
fn growth([(a, la), (b, lb), (c, lc)]: [(f64, f64); 3], nodes: f64) -> [f64; 2] {
    let (early, late) = ((lb - la) / (b - a), (lc - lb) / (c - b));
    let slope = ((late - early) / ((c - a) / 2.0)).min(0.0);
    let (mut low, mut at) = (lc, c + 0.5);
    while at < nodes {
        low += (late + slope * (at - (b + c) / 2.0)).max(0.0);
        at += 1.0;
    }
    [low.exp(), (lc + late * (nodes - c)).exp()]
}

fn is_below(small: Triple, large: Triple) -> bool {
    small.iter().zip(large).all(|(small, large)| *small <= large)
}

/// Those that nothing else is above, in order.
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
    use super::*;

    fn tried(finished: bool, states: u64) -> Tried {
        let outcome = if finished { Outcome::Holds } else { Outcome::Unfinished("time".into()) };
        Tried { outcome, states, seconds: states as f64 / 1000.0, megabytes: 1 }
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
        assert_eq!(stairs.most_nodes(3, 2), Some((4, false)));
        stairs.note([3, 5, 2], tried(false, 900));
        assert_eq!((stairs.next(3, 2, 10.0), stairs.most_nodes(3, 2)), (None, Some((4, true))));
        [2, 3, 4]
            .into_iter()
            .for_each(|nodes| stairs.note([3, nodes, 1], tried(true, 10 * u64::from(nodes))));
        assert_eq!(stairs.next(3, 1, 10.0), Some([3, 5, 1]), "5 nodes with one value are still open");
        assert_eq!(stairs.next(4, 3, 10.0), Some([4, 2, 3]));
        assert_eq!(stairs.most_nodes(4, 3), None);
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
        stairs.note([3, 4, 2], tried(true, 9_000));
        stairs.note([2, 5, 2], tried(true, 2_000));
        stairs.note([2, 2, 1], tried(false, 90_000));
        stairs.note([4, 4, 2], tried(true, 90_000));
        assert_eq!(stairs.seconds_at_least([3, 5, 2]), 9.0);
    }

    #[test]
    fn the_edges_of_a_stair_are_the_last_three_that_finished_and_the_first_that_did_not() {
        let mut stairs = Staircase::default();
        for (nodes, finished) in [(2, true), (3, true), (4, true), (5, true), (6, false), (7, false)] {
            stairs.note([2, nodes, 1], tried(finished, 1));
        }
        stairs.note([3, 2, 1], tried(true, 1));
        let edges: Vec<Triple> = stairs.edges().map(|(triple, _)| triple).collect();
        assert_eq!(edges, [[2, 3, 1], [2, 4, 1], [2, 5, 1], [2, 6, 1], [3, 2, 1]]);
    }

    /// The LMS queue with two nodes and one value, 3 to 6 threads.
    #[test]
    fn threads_grow_likewise() {
        let mut stairs = Staircase::default();
        for (states, threads) in [1_455, 8_631, 41_493].into_iter().zip(3..) {
            stairs.note([threads, 2, 1], tried(true, states));
        }
        let Some(Expected { at_least, at_most }) = stairs.growth([6, 2, 1]) else {
            panic!("three are below")
        };
        assert!((at_least.states..=at_most.states).contains(&170_138), "{at_least:?} {at_most:?}");
        assert_eq!(stairs.growth([6, 3, 1]), None);
    }

    /// The Treiber stack with three threads, 2 to 7 nodes; two values, and one.
    #[test]
    fn growth_lies_between_its_bounds() {
        for sizes in [[246, 1_494, 7_019, 27_729, 97_637, 317_021], [138, 459, 1_173, 2_510, 4_762, 8_290]] {
            let mut stairs = Staircase::default();
            for (states, nodes) in sizes.into_iter().zip(2..) {
                if let Some(Expected { at_least, at_most }) = stairs.growth([3, nodes, 2]) {
                    let range = at_least.states..=at_most.states;
                    assert!(range.contains(&states), "{range:?} for {states}");
                    assert!(at_least.states * 5 > states * 4, "{range:?} for {states}");
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
