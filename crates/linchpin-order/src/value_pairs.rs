//! Learns from pairs of values of a container about the order of all calls.
//!
//! Two overlapping enqueues can take effect in either order. Which order it was shows only when the values
//! are dequeued. The plain search would keep both possibilities as long as the values are in the queue, for
//! every such pair. But a legal order of a container stays legal when
//! [projected](crate::Structure::Container) on the calls about two values. So a fact about all legal orders
//! of these few calls is a fact about all legal orders of the whole history:
//!
//! - If the few calls have no legal order, the whole history has none.
//! - If *a* comes before *b* in all of them, it does so in the whole history. This is an [edge](Edges) for
//!   the search.
//!
//! The calls about one value are a *particle*. A call that found the container empty is a particle by itself.
//! A pending call that may take any value belongs to every projection, and may be absent from each. By
//! renaming, the answer depends only on how the calls of the two particles lie relative to each other. So a
//! few hundred small searches answer for millions of pairs.
//!
//! *Crowds.* A pending call takes one value. In each pair it may have taken the value that is in the way, but
//! it cannot have taken all of them. A value with more others in its way than there are pending calls has no
//! place. Such a crowd is a projection on a few more values.

use crate::call::{CallId, CallMap, number_of};
use crate::call_set::CallSet;
use crate::decide::run;
use crate::precedence::{Edges, Interval, NEVER};
use crate::search::{Ended, OrderProblem, Search};
use crate::spec::{About, ContainerCall, Specification};
use crate::verdict::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// The number of a particle. Particles are numbered in the order of their first calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ParticleId(u32);

/// Calls that a projection contains all together or not.
#[derive(Clone, Debug)]
pub(crate) struct Particle {
    pub calls: SmallVec<[CallId; 2]>,
    /// The time from the first start to the last end; without end if the value was put in more often than
    /// taken out.
    lifetime: Interval,
    is_value: bool,
    /// The number of times the value was put in, minus the number of times it was taken out.
    left: i32,
}

/// The particles of a set of calls.
#[derive(Debug, Default)]
pub(crate) struct Particles {
    all: Vec<Particle>,
    of: FxHashMap<CallId, ParticleId>,
    /// Pending calls that may take any value.
    loose: Vec<CallId>,
}

/// Calls that have no legal order.
pub(crate) type Refuted = Vec<CallId>;

/// What is known from pairs of values.
pub(crate) struct ValuePairs<'a, S: Specification> {
    /// The order problem, without edges.
    problem: OrderProblem<'a, S>,
    roles: &'a CallMap<ContainerCall>,
    intervals: &'a CallMap<Interval>,
    particles: Particles,
    known: FxHashMap<Shape, Rc<Finding>>,
    seen: FxHashSet<(ParticleId, ParticleId)>,
    learnt: Vec<Learnt>,
    budget: Budget<'a>,
}

/// An edge, and the two particles that it comes from.
struct Learnt {
    of: (ParticleId, ParticleId),
    first: CallId,
    second: CallId,
}

/// The relative position of the calls of a projection: operation, value, start and end of each call.
type Shape = SmallVec<[u32; 32]>;

/// A fact about all legal orders of a projection.
enum Finding {
    NoOrder,
    /// Pairs of calls, by their positions in the projection.
    Edges(Vec<(usize, usize)>),
}

/// The largest number of calls in a projection. A value that was put in again and again has little
/// information.
const MOST_CALLS: usize = 10;

/// The largest number of calls in a crowd.
const LARGEST_CROWD: usize = 40;

/// The number of configurations for the search of one projection.
const SMALL: usize = 5_000;

/// The largest number of pairs of particles without overlapping calls.
const MOST_PAIRS: usize = 4_000_000;

impl Particles {
    fn of(roles: &CallMap<ContainerCall>, set: &CallSet, intervals: &CallMap<Interval>) -> Particles {
        let mut calls: Vec<CallId> = set.calls().collect();
        calls.sort();
        let mut particles = Particles::default();
        let mut by_value: FxHashMap<u32, ParticleId> = FxHashMap::default();
        for call in calls {
            let fresh =
                |is_value| Particle { calls: SmallVec::new(), lifetime: intervals[call], is_value, left: 0 };
            let particle = match roles[call].about {
                About::Anything => {
                    particles.loose.push(call);
                    continue;
                }
                About::Nothing => particles.push(fresh(false)),
                About::Value(value) => *by_value.entry(value).or_insert_with(|| particles.push(fresh(true))),
            };
            let Particle { calls, lifetime, left, is_value } = &mut particles.all[particle.0 as usize];
            calls.push(call);
            lifetime.start = lifetime.start.min(intervals[call].start);
            lifetime.end = lifetime.end.max(intervals[call].end);
            if *is_value {
                *left += if roles[call].is_put { 1 } else { -1 };
            }
            particles.of.insert(call, particle);
        }
        for particle in particles.all.iter_mut().filter(|particle| particle.left > 0) {
            particle.lifetime.end = NEVER;
        }
        particles
    }

    pub fn ids(&self) -> Vec<ParticleId> {
        (0..number_of(self.all.len())).map(ParticleId).collect()
    }

    fn push(&mut self, particle: Particle) -> ParticleId {
        self.all.push(particle);
        ParticleId(number_of(self.all.len() - 1))
    }

    fn get(&self, id: ParticleId) -> &Particle {
        &self.all[id.0 as usize]
    }

    /// Returns the calls of these particles, and the pending calls that may take any value.
    pub fn calls(&self, some: &[ParticleId]) -> impl Iterator<Item = CallId> {
        some.iter().flat_map(|&id| self.get(id).calls.iter()).chain(&self.loose).copied()
    }
}

impl<'a, S: Specification> ValuePairs<'a, S> {
    pub fn new(
        roles: &'a CallMap<ContainerCall>,
        problem: OrderProblem<'a, S>,
        intervals: &'a CallMap<Interval>,
        budget: Budget<'a>,
    ) -> ValuePairs<'a, S> {
        ValuePairs {
            problem,
            roles,
            intervals,
            particles: Particles::of(roles, problem.set, intervals),
            known: FxHashMap::default(),
            seen: FxHashSet::default(),
            learnt: Vec::new(),
            budget,
        }
    }

    /// Returns the edges that all legal orders keep.
    pub fn edges(&self) -> Edges {
        self.learnt.iter().map(|learnt| (learnt.first, learnt.second)).collect()
    }

    /// Returns the edges that all legal orders of these particles keep. An edge from another particle need
    /// not be one.
    pub fn edges_within(&self, some: &[ParticleId]) -> Edges {
        let some: FxHashSet<ParticleId> = some.iter().copied().collect();
        let is_within = |learnt: &&Learnt| some.contains(&learnt.of.0) && some.contains(&learnt.of.1);
        self.learnt.iter().filter(is_within).map(|learnt| (learnt.first, learnt.second)).collect()
    }

    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Examines each particle by itself, and each pair with overlapping calls. An edge between other
    /// particles is not new.
    pub fn learn(&mut self) -> Result<Option<Refuted>, S::Error> {
        for id in self.particles.ids() {
            if self.budget.is_stopped() {
                return Ok(None);
            }
            if let Some(refuted) = self.examine((id, id))? {
                return Ok(Some(refuted));
            }
        }
        let mut calls: Vec<CallId> = self.particles.of.keys().copied().collect();
        calls.sort_by_key(|&call| (self.intervals[call].start, call));
        let mut open: Vec<CallId> = Vec::new();
        for call in calls {
            open.retain(|&other| self.intervals[other].end >= self.intervals[call].start);
            let one = self.particles.of[&call];
            for &other in &open {
                if self.budget.is_stopped() {
                    return Ok(None);
                }
                let other = self.particles.of[&other];
                if let Some(refuted) = self.examine_pair(one, other)? {
                    return Ok(Some(refuted));
                }
            }
            open.push(call);
        }
        Ok(None)
    }

    /// Examines each particle of these calls together with each other particle.
    pub fn suspect(&mut self, calls: &[CallId]) -> Result<Option<Refuted>, S::Error> {
        let suspects: Vec<ParticleId> =
            calls.iter().filter_map(|call| self.particles.of.get(call).copied()).collect();
        for one in suspects {
            for other in self.particles.ids() {
                if self.budget.is_stopped() {
                    return Ok(None);
                }
                if self.lives_with(one, other)
                    && let Some(refuted) = self.examine_pair(one, other)?
                {
                    return Ok(Some(refuted));
                }
            }
        }
        Ok(None)
    }

    /// Examines each particle of these calls together with values that stay in: one more than there are calls
    /// to take them.
    pub fn crowd(&self, calls: &[CallId]) -> Result<Option<Refuted>, S::Error> {
        let mut suspects: Vec<ParticleId> =
            calls.iter().filter_map(|call| self.particles.of.get(call).copied()).collect();
        suspects.sort();
        suspects.dedup();
        let enough = self.particles.loose.len() + 2;
        for one in suspects {
            let mut crowd = vec![one];
            for other in self.particles.ids() {
                let is_left = other != one && self.particles.get(other).left > 0;
                if is_left && self.lives_with(one, other) && self.needs_loose_calls(one, other)? {
                    crowd.push(other);
                }
                if crowd.len() == enough || self.budget.is_stopped() {
                    break;
                }
            }
            // Without a call to take them, two particles are a crowd. All pairs have been examined.
            let calls = self.projection(&crowd);
            let is_crowd = crowd.len() == enough && crowd.len() > 2 && calls.len() <= LARGEST_CROWD;
            let set = CallSet::new(self.problem.oracle.history(), calls.iter().copied());
            if is_crowd && self.is_impossible(&set, &Edges::default())? {
                return Ok(Some(calls.to_vec()));
            }
        }
        Ok(None)
    }

    /// Checks that the calls about two values have no legal order unless a pending call takes one of the
    /// values.
    fn needs_loose_calls(&self, one: ParticleId, other: ParticleId) -> Result<bool, S::Error> {
        let calls = [one, other].into_iter().flat_map(|id| self.particles.get(id).calls.iter().copied());
        let set = CallSet::new(self.problem.oracle.history(), calls);
        self.is_impossible(&set, &Edges::default())
    }

    /// Examines all pairs of particles whose lifetimes overlap, up to [`MOST_PAIRS`].
    pub fn examine_all(&mut self) -> Result<Option<Refuted>, S::Error> {
        let mut open: Vec<ParticleId> = Vec::new();
        let mut pairs = 0;
        for one in self.particles.ids() {
            open.retain(|&other| self.lives_with(one, other));
            pairs += open.len();
            if pairs > MOST_PAIRS {
                break;
            }
            for &other in &open {
                if self.budget.is_stopped() {
                    return Ok(None);
                }
                if let Some(refuted) = self.examine_pair(one, other)? {
                    return Ok(Some(refuted));
                }
            }
            open.push(one);
        }
        Ok(None)
    }

    /// Checks whether the lifetimes overlap. Otherwise the pair has no more information than each value by
    /// itself: the second value finds the container as it was at the beginning.
    fn lives_with(&self, one: ParticleId, other: ParticleId) -> bool {
        let (one, other) = (&self.particles.get(one).lifetime, &self.particles.get(other).lifetime);
        one.start <= other.end && other.start <= one.end
    }

    fn examine_pair(&mut self, one: ParticleId, other: ParticleId) -> Result<Option<Refuted>, S::Error> {
        let pair = (one.min(other), one.max(other));
        if one == other || !self.seen.insert(pair) {
            return Ok(None);
        }
        self.examine(pair)
    }

    /// Adds the edges of a projection on two particles, or on one if both are equal. Returns the calls of the
    /// projection if they have no legal order.
    fn examine(&mut self, of: (ParticleId, ParticleId)) -> Result<Option<Refuted>, S::Error> {
        let both = [of.0, of.1];
        let some = if of.0 == of.1 { &both[..1] } else { &both[..] };
        let calls = self.projection(some);
        if calls.len() > MOST_CALLS {
            return Ok(None);
        }
        let shape = self.shape(some, &calls);
        let finding = match self.known.get(&shape) {
            Some(known) => known.clone(),
            None => {
                let finding = Rc::new(self.find(&calls)?);
                self.known.insert(shape, finding.clone());
                finding
            }
        };
        match &*finding {
            Finding::NoOrder => Ok(Some(calls.to_vec())),
            Finding::Edges(edges) => {
                let learnt = |&(first, second): &(usize, usize)| Learnt {
                    of,
                    first: calls[first],
                    second: calls[second],
                };
                self.learnt.extend(edges.iter().map(learnt));
                Ok(None)
            }
        }
    }

    /// Returns the calls of some particles, and the loose calls that can come before one of them, in the
    /// order of their starts.
    fn projection(&self, some: &[ParticleId]) -> SmallVec<[CallId; MOST_CALLS]> {
        let own = || some.iter().flat_map(|&id| self.particles.get(id).calls.iter().copied());
        let ends = own().map(|call| self.intervals[call].end).filter(|end| *end != NEVER);
        let last_end = ends.max().unwrap_or(0);
        let loose = self.particles.loose.iter().copied().filter(|&c| self.intervals[c].start <= last_end);
        let mut calls: SmallVec<[CallId; MOST_CALLS]> = own().chain(loose).collect();
        calls.sort_by_key(|&call| (self.intervals[call].start, call));
        calls
    }

    fn shape(&self, some: &[ParticleId], calls: &[CallId]) -> Shape {
        let mut times: SmallVec<[usize; 2 * MOST_CALLS]> =
            calls.iter().flat_map(|&c| [self.intervals[c].start, self.intervals[c].end]).collect();
        times.sort_unstable();
        times.dedup();
        let rank = |time: usize| number_of(times.partition_point(|&other| other < time));
        let mut shape = Shape::new();
        for &call in calls {
            let about = match self.particles.of.get(&call) {
                Some(id) if self.particles.get(*id).is_value => 2 + u32::from(*id != some[0]),
                Some(_) => 1,
                None => 0,
            };
            let Interval { start, end } = self.intervals[call];
            let end = if end == NEVER { u32::MAX } else { rank(end) };
            shape.extend([self.roles[call].kind, about, rank(start), end]);
        }
        shape
    }

    fn find(&self, calls: &[CallId]) -> Result<Finding, S::Error> {
        let history = self.problem.oracle.history();
        let set = CallSet::new(history, calls.iter().copied());
        if self.is_impossible(&set, &Edges::default())? {
            return Ok(Finding::NoOrder);
        }
        let is_loose = |call: CallId| !self.particles.of.contains_key(&call);
        let mut found = Vec::new();
        for first in 0..calls.len() {
            for second in 0..calls.len() {
                let (a, b) = (calls[first], calls[second]);
                let (start, end) = (self.intervals[a], self.intervals[b]);
                let is_ordered = start.end < end.start || end.end < start.start;
                let both_pending = history.call(a).is_pending() && history.call(b).is_pending();
                // A loose call outside the projection may have taken another value: no edge restricts it.
                if first == second || is_ordered || both_pending || is_loose(b) {
                    continue;
                }
                let reverse = Edges::from_iter([(b, a)]);
                if self.is_impossible(&set, &reverse)? {
                    found.push((first, second));
                }
            }
        }
        Ok(Finding::Edges(found))
    }

    /// Checks that the calls are known to have no legal order that keeps these edges.
    fn is_impossible(&self, set: &CallSet, edges: &Edges) -> Result<bool, S::Error> {
        let problem = OrderProblem { set, edges, ..self.problem };
        let mut search = Search::new(problem, Budget { configurations: SMALL, ..self.budget });
        Ok(matches!(run(&mut search, None)?, Ended::Exhausted))
    }
}
