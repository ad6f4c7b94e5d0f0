//! Predicts the size of an instance from three smaller ones of its *line*: instances that differ in threads,
//! nodes or values only.
//!
//! Let g(n) be the logarithm of the factor between the states of n and of n + 1 nodes. It decreases with n,
//! ever more slowly. The same is observed for threads and for values. Three instances give two values of g.
//! The line through them stays below g. The last of them as a constant stays above g. Both are summed, which
//! gives a lower and an upper bound of the number of states. As a function of nodes, states grow at least as
//! a power: with one value they are nearly a polynomial, and the line underestimates that. It is different
//! for values: more values than can be distinguished at once add nothing.
//!
//! *Time.* The rate (states a second) decreases for larger instances, since caches do not grow: by at most
//! [`SLOWING`], as a power of the size. The rate of the largest measured instance gives the lower bound of
//! the time. The decreased rate gives the upper bound. Each further thread decreases the rate by at most
//! half. Only an instance of at least [`TELLING`] seconds gives a rate.

use super::allowance::Allowance;
use super::tried::Tried;
use linchpin_engine::whole;
use linchpin_report::quantities::{duration_text, rounded};
use std::fmt;

/// The bound in which the instances of a line differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    Threads,
    Nodes,
    Values,
}

impl Axis {
    /// All lines, the most informative first.
    pub const ALL: [Axis; 3] = [Axis::Nodes, Axis::Values, Axis::Threads];

    /// Returns the position of the bound in an instance.
    pub fn place(self) -> usize {
        match self {
            Axis::Threads => 0,
            Axis::Nodes => 1,
            Axis::Values => 2,
        }
    }

    /// Returns the least part of the rate that is left at the next instance of the line, apart from size.
    fn rate_left(self) -> f64 {
        match self {
            Axis::Threads => 0.5,
            Axis::Nodes | Axis::Values => 1.0,
        }
    }

    fn grows_as_a_power(self) -> bool {
        self == Axis::Nodes
    }
}

/// The prediction of an instance: bounds of its states, and the cost of states.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expected {
    pub least: u64,
    pub most: u64,
    /// The largest measured instance: its states, states a second, megabytes a state.
    states: f64,
    rate: f64,
    megabytes: f64,
    /// The least part of that rate that is left, apart from size.
    rate_left: f64,
    /// The rate is known, so the seconds are meaningful.
    is_timed: bool,
}

/// The number of instances that growth is computed from.
pub const POINTS: usize = 3;
/// The least rate in states a second: the measured rate of a small instance is too low.
const SLOWEST: f64 = 20_000.0;
const SLOWING: f64 = 0.1;
const TELLING: f64 = 1.0;
/// How far from its budget an instance has to be, by the bounds above, for it to be said without a run
/// whether it finishes. What was run took up to a third more or less time than the bounds (docs/limits.md
/// says how often): on a machine that is not ours alone the same instance takes a fifth more or less from one
/// hour to the next.
const MARGIN: f64 = 1.5;

impl Expected {
    /// Predicts from three instances of one line, smallest first, each with its position on the line.
    pub fn new(axis: Axis, line: [(u32, &Tried); POINTS], at: u32) -> Expected {
        let logarithm =
            |(number, tried): (u32, &Tried)| (f64::from(number), (tried.states.max(1) as f64).ln());
        let (number, last) = line[POINTS - 1];
        let further = at - number;
        let (points, at) = (line.map(logarithm), f64::from(at));
        let [low, high] = sums(points, at);
        let low = if axis.grows_as_a_power() { low.max(power(points, at)) } else { low };
        let [least, most] = [low, high].map(|logarithm| whole(logarithm.exp()));
        let states = last.states.max(1) as f64;
        let (rate, is_telling) = (states / last.seconds.max(0.001), last.seconds >= TELLING);
        Expected {
            least,
            most,
            states,
            rate: if is_telling { rate } else { rate.max(SLOWEST) },
            megabytes: last.megabytes as f64 / states,
            rate_left: axis.rate_left().powf(f64::from(further)),
            is_timed: is_telling,
        }
    }

    /// Combines the predictions of two lines: the narrower bounds, and the first known rate.
    pub fn and(self, other: Expected) -> Expected {
        let (least, most) = (self.least.max(other.least), self.most.min(other.most));
        let rate = if other.is_timed && !self.is_timed { other } else { self };
        Expected { least: least.min(most), most: most.max(least), ..rate }
    }

    /// Checks whether the seconds are bounded.
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }

    pub fn seconds_at_least(&self) -> f64 {
        self.least as f64 / self.rate
    }

    pub fn seconds_at_most(&self) -> f64 {
        let most = self.most as f64;
        most / (self.rate * self.rate_left * (self.states / most).min(1.0).powf(SLOWING))
    }

    /// Returns the distance of a number of states from the bounds, relative to the bound.
    pub fn miss_of_states(&self, states: u64) -> f64 {
        miss(self.least as f64, self.most as f64, states as f64)
    }

    /// Returns the distance of seconds from the bounds, where these are bounded.
    pub fn miss_of_seconds(&self, seconds: f64) -> Option<f64> {
        self.is_timed.then(|| miss(self.seconds_at_least(), self.seconds_at_most(), seconds))
    }

    /// Returns whether the instance finishes; `None` if only a run can decide.
    pub fn finishes(&self, allowance: &Allowance) -> Option<bool> {
        let (seconds, megabytes) = (allowance.seconds as f64, allowance.megabytes());
        let of = |states: u64| states as f64 * self.megabytes;
        if !self.is_timed {
            return None;
        }
        if self.seconds_at_least() > MARGIN * seconds || of(self.least) > MARGIN * megabytes {
            return Some(false);
        }
        let fits = MARGIN * self.seconds_at_most() <= seconds && MARGIN * of(self.most) <= megabytes;
        fits.then_some(true)
    }
}

/// Formats the bounds.
impl fmt::Display for Expected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = between(rounded(self.least), rounded(self.most));
        write!(out, "{states} states")?;
        if self.is_timed {
            write!(out, ", {}", time_between(self.seconds_at_least(), self.seconds_at_most()))?;
        }
        Ok(())
    }
}

fn miss(least: f64, most: f64, found: f64) -> f64 {
    let bound = found.max(least).min(most);
    (found - bound).abs() / bound.max(f64::MIN_POSITIVE)
}

fn between(low: String, high: String) -> String {
    if low == high { low } else { format!("{low} to {high}") }
}

/// Formats the unit once, where both bounds have the same.
fn time_between(low: f64, high: f64) -> String {
    let (low, high) = (duration_text(low), duration_text(high));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other && low != high => {
            between(number.into(), high)
        }
        _ => between(low, high),
    }
}

/// Returns the two sums of the header, as logarithms, from three points (position on the line, logarithm of
/// the states).
fn sums([(a, la), (b, lb), (c, lc)]: [(f64, f64); POINTS], at: f64) -> [f64; 2] {
    let (early, late) = ((lb - la) / (b - a), (lc - lb) / (c - b));
    let slope = ((late - early) / ((c - a) / 2.0)).min(0.0);
    let (mut low, mut middle) = (lc, c + 0.5);
    while middle < at {
        low += (late + slope * (middle - (b + c) / 2.0)).max(0.0);
        middle += 1.0;
    }
    [low, lc + late * (at - c)]
}

/// Returns the power through the last two points, as a logarithm.
fn power([_, (b, lb), (c, lc)]: [(f64, f64); POINTS], at: f64) -> f64 {
    lc + (lc - lb) / (c / b).ln() * (at / c).ln()
}

#[cfg(test)]
mod tests {
    use super::super::tried::Outcome;
    use super::*;

    fn took(states: u64, seconds: f64) -> Tried {
        Tried { outcome: Outcome::Holds, states, seconds, megabytes: states / 25_000 }
    }

    fn allowance(seconds: u64) -> Allowance {
        Allowance { seconds, mebibytes: 16_384, workers: 2, version: "0.1.0".into() }
    }

    /// The Treiber stack with 4 threads and 3 values: 5 to 7 nodes tell of 8, which have 86,917,118 states
    /// and took 352 s.
    fn treiber() -> Expected {
        let sizes = [took(419_522, 1.1), took(2_721_815, 8.3), took(15_993_564, 63.6)];
        Expected::new(Axis::Nodes, [(5, &sizes[0]), (6, &sizes[1]), (7, &sizes[2])], 8)
    }

    #[test]
    fn a_known_instance_lies_between_its_bounds() {
        let expected = treiber();
        assert!((expected.least..=expected.most).contains(&86_917_118), "{expected:?}");
        let seconds = expected.seconds_at_least()..=expected.seconds_at_most();
        assert!(seconds.contains(&352.0), "{seconds:?}");
    }

    /// The same with one value: 6 to 8 nodes tell of 17.
    #[test]
    fn what_is_nearly_a_polynomial_is_told_over_many_nodes() {
        let sizes = [took(34_338, 0.1), took(72_545, 0.2), took(140_676, 0.3)];
        let expected = Expected::new(Axis::Nodes, [(6, &sizes[0]), (7, &sizes[1]), (8, &sizes[2])], 17);
        assert!((expected.least..=expected.most).contains(&7_432_419), "{expected:?}");
        assert!(expected.least > 5_000_000, "{expected:?}");
    }

    /// The LMS queue with 4 nodes and 3 values: 2 to 4 threads tell of 5.
    #[test]
    fn threads_tell_a_wide_range() {
        let sizes = [took(22_807, 0.1), took(630_000, 1.2), took(15_226_242, 34.3)];
        let line = [(2, &sizes[0]), (3, &sizes[1]), (4, &sizes[2])];
        let expected = Expected::new(Axis::Threads, line, 5);
        assert!(expected.seconds_at_most() > 2.0 * expected.seconds_at_least(), "{expected}");
        assert_eq!(expected.finishes(&allowance(600)), None, "{expected}");
        assert_eq!(expected.finishes(&allowance(300)), Some(false), "{expected}");
    }

    #[test]
    fn two_lines_tell_more_than_one() {
        let nodes = treiber();
        let values = Expected { least: 86_000_000, most: 99_000_000, rate: 1.0, ..nodes };
        let both = nodes.and(values);
        assert_eq!((both.least, both.most, both.rate), (86_000_000, nodes.most, nodes.rate));
        assert_eq!(Expected { is_timed: false, ..nodes }.and(values).rate, 1.0);
        let elsewhere = nodes.and(Expected { least: 99_000_000, most: 100_000_000, ..nodes });
        assert_eq!((elsewhere.least, elsewhere.most), (nodes.most, 99_000_000), "they disagree");
    }

    #[test]
    fn what_is_near_the_budget_is_not_told_without_a_run() {
        let expected = treiber();
        assert_eq!(expected.finishes(&allowance(700)), Some(true), "{expected}");
        assert_eq!(expected.finishes(&allowance(500)), None);
        assert_eq!(expected.finishes(&allowance(200)), Some(false));
        let little = Allowance { mebibytes: 1_000, ..allowance(700) };
        assert_eq!(expected.finishes(&little), Some(false), "memory");
        assert_eq!(Expected { is_timed: false, ..expected }.finishes(&allowance(700)), None);
    }

    #[test]
    fn what_lies_outside_is_a_miss() {
        let expected = Expected { least: 100, most: 200, ..treiber() };
        let misses = [90, 100, 150, 200, 220].map(|states| expected.miss_of_states(states));
        assert_eq!(misses, [0.1, 0.0, 0.0, 0.0, 0.1]);
        assert_eq!(treiber().miss_of_seconds(352.0), Some(0.0));
        assert!(treiber().miss_of_seconds(3_520.0) > Some(1.0));
        assert_eq!(Expected { is_timed: false, ..expected }.miss_of_seconds(352.0), None);
    }

    #[test]
    fn bounds_say_their_unit_once() {
        assert_eq!(treiber().to_string(), "85,000,000 to 94,000,000 states, 6 to 7 min");
        assert_eq!(time_between(61.0, 61.0), "61 s");
        assert_eq!(time_between(61.0, 95.0), "61 s to 2 min");
    }
}
