//! What two values of a container tell about the order of all calls.
//!
//! Two enqueues that overlap can come in either order, and which one it was shows only when the values are dequeued: the
//! search would have to keep both possibilities for as long as the values are in the queue, for every such pair. But a
//! container's legal orders stay legal when [projected](super::structure) on the calls about two values. So whatever is
//! true of all legal orders of these few calls is true of all legal orders of the whole history:
//!
//! - if there are none, there is none for the whole history;
//! - if *a* comes before *b* in all of them, it does so in the whole history: an [edge](Edges) for the search.
//!
//! The calls about one value are a *particle*; a call that found nothing is a particle by itself. A pending call that may take
//! any value belongs to every projection, and may be absent from each. By renaming, the answer depends on how the calls of
//! the two particles lie relative to each other only, so that a few hundred small searches answer for millions of pairs.
//!
//! *Crowds.* A pending call takes one value. In each pair it may have taken the value that stands in the way, but it cannot have
//! taken all of them: a value with more others in its way than there are pending calls to take them has no place. Such a
//! crowd is a projection like any other, on a few more values.

use super::decide::run;
use super::judgement::Budget;
use super::precedence::{Edges, Interval, NEVER};
use super::record::CallId;
use super::roster::Roster;
use super::search::{Ended, OrderProblem, Search};
use super::structure::{About, Role, about};
use linchpin_ir::index::{Index, IndexVec, number_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::SpecError;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

linchpin_ir::index_types! {
    /// Particles are numbered in the order of their first calls.
    pub struct ParticleId;
}

/// Calls that are in a projection together or not at all.
#[derive(Clone, Debug)]
pub(super) struct Particle {
    pub calls: SmallVec<[CallId; 2]>,
    /// From the first start to the last end; for ever, if more was put in than taken out.
    lifetime: Interval,
    is_value: bool,
    /// How often the value was put in, without how often it was taken out.
    left: i32,
}

/// The calls of a roster, by what they are about.
#[derive(Debug, Default)]
pub(super) struct Particles {
    all: IndexVec<ParticleId, Particle>,
    of: FxHashMap<CallId, ParticleId>,
    /// Pending calls that may take any value.
    loose: Vec<CallId>,
}

/// Calls for which there is no legal order.
pub(super) type Refuted = Vec<CallId>;

pub(super) struct Pairs<'a> {
    /// Without edges.
    question: OrderProblem<'a>,
    intervals: &'a IndexVec<CallId, Interval>,
    particles: Particles,
    known: FxHashMap<Shape, Rc<Finding>>,
    seen: FxHashSet<(ParticleId, ParticleId)>,
    learnt: Vec<Learnt>,
    budget: Budget<'a>,
}

/// An edge, and the particles without which it need not be there.
struct Learnt {
    of: (ParticleId, ParticleId),
    first: CallId,
    second: CallId,
}

/// How the calls of a projection lie relative to each other: operation, what it is about, start and end of each.
type Shape = SmallVec<[u32; 32]>;

/// What is true of all legal orders of a projection.
enum Finding {
    NoOrder,
    /// Pairs of calls, by their numbers in the projection.
    Edges(Vec<(usize, usize)>),
}

/// Larger projections are not looked at: a value that was put in again and again tells little.
const MOST_CALLS: usize = 10;

/// Crowds with more calls are not looked at.
const LARGEST_CROWD: usize = 40;

/// Configurations for the search of one projection.
const SMALL: usize = 5_000;

/// How many pairs of particles are looked at that do not overlap by a call.
const MOST_PAIRS: usize = 4_000_000;

impl Particles {
    pub fn of(
        roles: &IndexVec<OpId, Role>,
        question: OrderProblem,
        intervals: &IndexVec<CallId, Interval>,
    ) -> Particles {
        let history = question.ask.history();
        let mut calls: Vec<CallId> = question.roster.calls().collect();
        calls.sort();
        let mut particles = Particles::default();
        let mut by_value: FxHashMap<&[Word], ParticleId> = FxHashMap::default();
        for call in calls {
            let fresh =
                |is_value| Particle { calls: SmallVec::new(), lifetime: intervals[call], is_value, left: 0 };
            let particle = match about(roles, history.call(call)) {
                About::Anything => {
                    particles.loose.push(call);
                    continue;
                }
                About::Nothing => particles.all.push(fresh(false)),
                About::Value(value) => {
                    *by_value.entry(value).or_insert_with(|| particles.all.push(fresh(true)))
                }
            };
            let Particle { calls, lifetime, left, is_value } = &mut particles.all[particle];
            calls.push(call);
            lifetime.start = lifetime.start.min(intervals[call].start);
            lifetime.end = lifetime.end.max(intervals[call].end);
            if *is_value {
                *left += if roles[history.call(call).op] == Role::Put { 1 } else { -1 };
            }
            particles.of.insert(call, particle);
        }
        for particle in particles.all.iter_mut().filter(|particle| particle.left > 0) {
            particle.lifetime.end = NEVER;
        }
        particles
    }

    pub fn ids(&self) -> Vec<ParticleId> {
        self.all.ids().collect()
    }

    /// The calls about these, and those that may be about them.
    pub fn calls(&self, some: &[ParticleId]) -> impl Iterator<Item = CallId> {
        some.iter().flat_map(|&id| self.all[id].calls.iter()).chain(&self.loose).copied()
    }
}

impl<'a> Pairs<'a> {
    pub fn new(
        roles: &IndexVec<OpId, Role>,
        question: OrderProblem<'a>,
        intervals: &'a IndexVec<CallId, Interval>,
        budget: Budget<'a>,
    ) -> Pairs<'a> {
        Pairs {
            question,
            intervals,
            particles: Particles::of(roles, question, intervals),
            known: FxHashMap::default(),
            seen: FxHashSet::default(),
            learnt: Vec::new(),
            budget,
        }
    }

    /// What is true of all legal orders.
    pub fn edges(&self) -> Edges {
        self.learnt.iter().map(|learnt| (learnt.first, learnt.second)).collect()
    }

    /// What is true of all legal orders of these particles: an edge may come from a third one that is not among them.
    pub fn edges_within(&self, some: &[ParticleId]) -> Edges {
        let some: FxHashSet<ParticleId> = some.iter().copied().collect();
        let is_within = |learnt: &&Learnt| some.contains(&learnt.of.0) && some.contains(&learnt.of.1);
        self.learnt.iter().filter(is_within).map(|learnt| (learnt.first, learnt.second)).collect()
    }

    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Looks at every particle by itself, and at those of which calls overlap: only there an edge says something new.
    pub fn learn(&mut self) -> Result<Option<Refuted>, SpecError> {
        for id in self.particles.all.ids() {
            if self.budget.is_stopped() {
                return Ok(None);
            }
            if let Some(refuted) = self.look_at((id, id))? {
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
                if let Some(refuted) = self.look_at_pair(one, other)? {
                    return Ok(Some(refuted));
                }
            }
            open.push(call);
        }
        Ok(None)
    }

    /// Looks at the particles of these calls beside all others.
    pub fn suspect(&mut self, calls: &[CallId]) -> Result<Option<Refuted>, SpecError> {
        let suspects: Vec<ParticleId> =
            calls.iter().filter_map(|call| self.particles.of.get(call).copied()).collect();
        for one in suspects {
            for other in self.particles.all.ids() {
                if self.budget.is_stopped() {
                    return Ok(None);
                }
                if self.lives_with(one, other)
                    && let Some(refuted) = self.look_at_pair(one, other)?
                {
                    return Ok(Some(refuted));
                }
            }
        }
        Ok(None)
    }

    /// Looks at each of these calls' particles beside values that are left in, one more than there are calls to take them.
    pub fn crowd(&self, calls: &[CallId]) -> Result<Option<Refuted>, SpecError> {
        let mut suspects: Vec<ParticleId> =
            calls.iter().filter_map(|call| self.particles.of.get(call).copied()).collect();
        suspects.sort();
        suspects.dedup();
        let enough = self.particles.loose.len() + 2;
        for one in suspects {
            let mut crowd = vec![one];
            for other in self.particles.all.ids() {
                let is_left = other != one && self.particles.all[other].left > 0;
                if is_left && self.lives_with(one, other) && self.needs_loose_calls(one, other)? {
                    crowd.push(other);
                }
                if crowd.len() == enough || self.budget.is_stopped() {
                    break;
                }
            }
            // With nobody to take them, two are a crowd; those have been looked at.
            let calls = self.projection(&crowd);
            let is_crowd = crowd.len() == enough && crowd.len() > 2 && calls.len() <= LARGEST_CROWD;
            let roster = Roster::new(self.question.ask.history(), calls.iter().copied());
            if is_crowd && self.is_impossible(&roster, &Edges::default())? {
                return Ok(Some(calls.to_vec()));
            }
        }
        Ok(None)
    }

    /// Whether the calls about two values have no legal order unless a pending call takes one of them.
    fn needs_loose_calls(&self, one: ParticleId, other: ParticleId) -> Result<bool, SpecError> {
        let calls = [one, other].into_iter().flat_map(|id| self.particles.all[id].calls.iter().copied());
        let roster = Roster::new(self.question.ask.history(), calls);
        self.is_impossible(&roster, &Edges::default())
    }

    /// Looks at all particles that are there at the same time, as far as they are not too many.
    pub fn look_at_all(&mut self) -> Result<Option<Refuted>, SpecError> {
        let mut open: Vec<ParticleId> = Vec::new();
        let mut pairs = 0;
        for one in self.particles.all.ids() {
            open.retain(|&other| self.lives_with(one, other));
            pairs += open.len();
            if pairs > MOST_PAIRS {
                break;
            }
            for &other in &open {
                if self.budget.is_stopped() {
                    return Ok(None);
                }
                if let Some(refuted) = self.look_at_pair(one, other)? {
                    return Ok(Some(refuted));
                }
            }
            open.push(one);
        }
        Ok(None)
    }

    /// Two values that are never there at the same time say no more than each by itself: the second one finds the container
    /// as it was at the beginning.
    fn lives_with(&self, one: ParticleId, other: ParticleId) -> bool {
        let (one, other) = (&self.particles.all[one].lifetime, &self.particles.all[other].lifetime);
        one.start <= other.end && other.start <= one.end
    }

    fn look_at_pair(&mut self, one: ParticleId, other: ParticleId) -> Result<Option<Refuted>, SpecError> {
        let pair = (one.min(other), one.max(other));
        if one == other || !self.seen.insert(pair) {
            return Ok(None);
        }
        self.look_at(pair)
    }

    /// Adds the edges of a projection on two particles, or one twice; or gives its calls, if they have no legal order.
    fn look_at(&mut self, of: (ParticleId, ParticleId)) -> Result<Option<Refuted>, SpecError> {
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

    /// The calls of some particles in the order of their starts, and the loose ones that can come before one of them.
    fn projection(&self, some: &[ParticleId]) -> SmallVec<[CallId; MOST_CALLS]> {
        let own = || some.iter().flat_map(|&id| self.particles.all[id].calls.iter().copied());
        let ends = own().map(|call| self.intervals[call].end).filter(|end| *end != NEVER);
        let last_end = ends.max().unwrap_or(0);
        let loose = self.particles.loose.iter().copied().filter(|&c| self.intervals[c].start <= last_end);
        let mut calls: SmallVec<[CallId; MOST_CALLS]> = own().chain(loose).collect();
        calls.sort_by_key(|&call| (self.intervals[call].start, call));
        calls
    }

    fn shape(&self, some: &[ParticleId], calls: &[CallId]) -> Shape {
        let history = self.question.ask.history();
        let mut times: SmallVec<[usize; 2 * MOST_CALLS]> =
            calls.iter().flat_map(|&c| [self.intervals[c].start, self.intervals[c].end]).collect();
        times.sort_unstable();
        times.dedup();
        let rank = |time: usize| number_of(times.partition_point(|&other| other < time));
        let mut shape = Shape::new();
        for &call in calls {
            let about = match self.particles.of.get(&call) {
                Some(id) if self.particles.all[*id].is_value => 2 + u32::from(*id != some[0]),
                Some(_) => 1,
                None => 0,
            };
            let Interval { start, end } = self.intervals[call];
            let end = if end == NEVER { u32::MAX } else { rank(end) };
            shape.extend([number_of(history.call(call).op.index()), about, rank(start), end]);
        }
        shape
    }

    fn find(&self, calls: &[CallId]) -> Result<Finding, SpecError> {
        let history = self.question.ask.history();
        let roster = Roster::new(history, calls.iter().copied());
        if self.is_impossible(&roster, &Edges::default())? {
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
                // A loose call that is not here may have taken another value: no edge can keep it from coming early.
                if first == second || is_ordered || both_pending || is_loose(b) {
                    continue;
                }
                let reverse = Edges::from_iter([(b, a)]);
                if self.is_impossible(&roster, &reverse)? {
                    found.push((first, second));
                }
            }
        }
        Ok(Finding::Edges(found))
    }

    /// Whether the calls are known to have no legal order that keeps these edges.
    fn is_impossible(&self, roster: &Roster, edges: &Edges) -> Result<bool, SpecError> {
        let question = OrderProblem { roster, edges, ..self.question };
        let mut search = Search::new(question, Budget { configurations: SMALL, ..self.budget });
        Ok(matches!(run(&mut search, None)?, Ended::Exhausted))
    }
}
