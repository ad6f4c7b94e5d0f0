//! The smallest bounds that show a violation (Friggens 6.1.2).
//!
//! A request with ranges spans a lattice: a point for each choice of threads, nodes, values, keys and
//! constants. With the general client a violation stays when a bound grows, since its execution does not use
//! the new part. So the points that violate a property are an up-set, and its *minimal* elements describe it.
//! The lattice is searched from below, by the sum of the bounds. A point above a minimal one is not searched.
//! A point whose search meets a limit is *open*: a minimal point above it may not be minimal.
//!
//! Whether violations stay when a constant of the model grows is not known. Constants are treated as bounds,
//! and the result is minimal among the searched points.

use crate::check::check;
use crate::problem::Request;
use linchpin_engine::model::{Model, RequestError};
use linchpin_engine::verdict::{Finding, Limit, Verdict};
use linchpin_engine::{Budget, Listener};
use linchpin_ir::property::Property;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// How far the lattice is searched after a violation. Every point of the sum that shows the first violation
/// is searched in any case. So each result is minimal, whatever the extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All minimal points of all properties.
    All,
    /// For each property the minimal points of the least sum.
    FirstOfEach,
    /// The minimal points of the least sum that shows a violation of any property.
    First,
}

/// Receives the answers of a minimisation when they are known.
pub trait MinimiseListener: Listener {
    /// The search of a point begins.
    fn at(&mut self, point: &Point);
    /// A minimal point was found.
    fn found(&mut self, point: &Point, finding: &Finding);
}

/// A bound of an instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bound {
    Threads,
    Nodes,
    Values,
    Keys,
    Constant(String),
}

/// A value for each bound, in the order of [`Bound`].
pub type Point = Vec<(Bound, i64)>;

/// The result for one property.
pub struct Minimised {
    pub property: Property,
    /// The minimal points that violate the property, with their findings.
    pub minimal: Vec<(Point, Finding)>,
    /// The points whose searches met a limit.
    pub open: Vec<Point>,
    /// The finding of the largest point at which the property holds. If there is none, of a point at which
    /// some operation never completes. `None`: `init` needs more cells at every point.
    pub largest: Option<Finding>,
    /// Points were left out after a violation, because of the [`Extent`].
    pub is_cut_short: bool,
}

impl Minimised {
    /// Checks whether the property holds at all points. Points that are too small for any call do not count.
    pub fn holds(&self) -> bool {
        let holds = |finding: &Finding| matches!(finding.verdict(), Verdict::Holds);
        let is_searched = self.open.is_empty() && !self.is_cut_short;
        self.minimal.is_empty() && is_searched && self.largest.as_ref().is_some_and(holds)
    }
}

/// The result of a minimisation.
pub struct MinimiseRun {
    pub properties: Vec<Minimised>,
    pub instances: usize,
    pub states: u64,
}

/// Searches the lattice of a request's ranges for minimal points.
pub fn minimise(
    model: &dyn Model,
    request: &Request,
    extent: Extent,
    budget: &Budget,
    listener: &mut dyn MinimiseListener,
) -> Result<MinimiseRun, RequestError> {
    let started = Instant::now();
    let mut run = MinimiseRun { properties: Vec::new(), instances: 0, states: 0 };
    let blank = |&property| Minimised {
        property,
        minimal: Vec::new(),
        open: Vec::new(),
        largest: None,
        is_cut_short: false,
    };
    run.properties = request.properties.iter().map(blank).collect();
    for point in points(request) {
        let settled: Vec<bool> =
            run.properties.iter().map(|found| run.is_settled(found, extent, sum(&point))).collect();
        let mut open: Vec<Property> = Vec::new();
        for (found, is_settled) in run.properties.iter_mut().zip(&settled) {
            let is_known = found.minimal.iter().any(|(least, _)| is_above(&point, least));
            found.is_cut_short |= *is_settled && !is_known;
            if !is_settled && !is_known {
                open.push(found.property);
            }
        }
        if open.is_empty() {
            continue;
        }
        listener.at(&point);
        let left = budget.time.map(|time| time.saturating_sub(started.elapsed()));
        if left == Some(Duration::ZERO) || budget.stop.is_asked() {
            let is_open = |found: &&mut Minimised| open.contains(&found.property);
            run.properties.iter_mut().filter(is_open).for_each(|found| found.open.push(point.clone()));
            break;
        }
        let budget = Budget { time: left, ..budget.clone() };
        let findings = match check(model, &at(request, &point, open), &budget, listener) {
            Ok(findings) => findings,
            // `init` needs more cells: the point has no executions.
            Err(RequestError::Message { .. }) => continue,
            Err(error) => return Err(error),
        };
        run.instances += 1;
        run.states += findings.first().map_or(0, |finding| finding.effort.states);
        for finding in findings {
            let Some(found) = run.properties.iter_mut().find(|f| f.property == finding.property()) else {
                continue;
            };
            match finding.verdict() {
                Verdict::Violated(_) => {
                    listener.found(&point, &finding);
                    found.minimal.push((point.clone(), finding));
                }
                Verdict::Holds => found.largest = Some(finding),
                Verdict::Unknown(Limit::Vacuous(_)) => {
                    found.largest.get_or_insert(finding);
                }
                Verdict::Unknown(_) => found.open.push(point.clone()),
            }
        }
    }
    Ok(run)
}

impl MinimiseRun {
    /// Returns whether the extent leaves out the points of this sum for a property.
    fn is_settled(&self, found: &Minimised, extent: Extent, at: i64) -> bool {
        let is_less = |found: &Minimised| found.minimal.iter().any(|(point, _)| sum(point) < at);
        match extent {
            Extent::All => false,
            Extent::FirstOfEach => is_less(found),
            Extent::First => self.properties.iter().any(is_less),
        }
    }
}

fn sum(point: &Point) -> i64 {
    point.iter().fold(0, |sum, (_, value)| sum.saturating_add(*value))
}

/// Returns every point, the least sum first; points of one sum in the order of their bounds. The iterator is
/// lazy: a range may be longer than any search.
fn points(request: &Request) -> impl Iterator<Item = Point> {
    let wide = |range: &RangeInclusive<u32>| i64::from(*range.start())..=i64::from(*range.end());
    let mut ranges = vec![
        (Bound::Threads, wide(&request.threads)),
        (Bound::Nodes, wide(&request.nodes())),
        (Bound::Values, wide(&request.values)),
        (Bound::Keys, wide(&request.keys)),
    ];
    ranges
        .extend(request.constants.iter().map(|(name, range)| (Bound::Constant(name.clone()), range.clone())));
    (least(&ranges)..=most(&ranges)).flat_map(move |sum| {
        let mut points = Vec::new();
        with_sum(&ranges, sum, &mut Vec::new(), &mut points);
        points
    })
}

fn least(ranges: &[(Bound, RangeInclusive<i64>)]) -> i64 {
    ranges.iter().fold(0, |sum, (_, range)| sum.saturating_add(*range.start()))
}

fn most(ranges: &[(Bound, RangeInclusive<i64>)]) -> i64 {
    ranges.iter().fold(0, |sum, (_, range)| sum.saturating_add(*range.end()))
}

/// Appends every point that begins with `begun` and whose other bounds have the sum `left`.
fn with_sum(ranges: &[(Bound, RangeInclusive<i64>)], left: i64, begun: &mut Point, points: &mut Vec<Point>) {
    let Some(((bound, range), others)) = ranges.split_first() else {
        if left == 0 {
            points.push(begun.clone());
        }
        return;
    };
    let low = left.saturating_sub(most(others)).max(*range.start());
    let high = left.saturating_sub(least(others)).min(*range.end());
    for value in low..=high {
        begun.push((bound.clone(), value));
        with_sum(others, left - value, begun, points);
        begun.pop();
    }
}

fn is_above(point: &Point, other: &Point) -> bool {
    point.iter().zip(other).all(|((_, mine), (_, theirs))| mine >= theirs)
}

/// Returns the request at one point, for some of its properties.
fn at(request: &Request, point: &Point, properties: Vec<Property>) -> Request {
    let mut request = Request { properties, ..request.clone() };
    for (bound, value) in point {
        let count = u32::try_from(*value).unwrap_or(u32::MAX);
        match bound {
            Bound::Threads => request.threads = count..=count,
            Bound::Nodes => request.nodes = Some(count..=count),
            Bound::Values => request.values = count..=count,
            Bound::Keys => request.keys = count..=count,
            Bound::Constant(name) => {
                request.constants.insert(name.clone(), *value..=*value);
            }
        }
    }
    request
}
