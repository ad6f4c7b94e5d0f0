//! Decides histories of a stack in which no value is put twice, in O(n log n).
//!
//! Let `put(a)` and `take(a)` be [normal intervals](super::values), and P(a) the [presence](super::values) of
//! *a*: the moments at which *a* is present in every order.
//!
//! **Values without a presence.** If P(a) is empty, `put(a)` and `take(a)` have a common moment. Both can
//! take effect there, one after the other, at any height of the stack. So *a* can be left out, and put in
//! again later. From here on every value has a presence.
//!
//! **Claim 1 (gaps).** Let *m* be a moment outside of all presences. If the history is legal, some legal
//! order has an empty stack at *m*. Proof. Each value is taken from a start before *m* on, or put up to an
//! end after *m*; since it has a presence, not both. Let G be the values of the first kind. Take a legal
//! order. Its restriction to G is legal, also with moments after *m* moved to *m*. The same is true of the
//! others, with moments before *m* moved to *m*. The first followed by the second is legal. The proof works
//! for several gaps at once. So values on different sides of a gap are independent, and each empty result can
//! take effect at any gap in its interval. Without such a gap it has no place.
//!
//! **Claim 2 (bottom).** Let the presences cover all moments from *l*, the first end of a put, to *r*, the
//! last start of a take. In a legal order exactly one value is put on the empty stack. Proof. Otherwise the
//! stack is empty between the take of one such value and the put of the next. No value is present then, so
//! the moment is before *l* or after *r*. Before *l* the first value cannot have been taken, since its
//! presence is not over. After *r* the next value cannot be put, since the end of its put is over. So the put
//! of the bottom value *b* comes first of all calls, and its take last: `put(b)` starts before *l*, and
//! `take(b)` ends after *r*.
//!
//! **Claim 3 (choice).** Any value *b* with these two properties can be the bottom. Proof. Take a legal order
//! of all values, and leave *b* out. Put *b* first and take it last. The result is legal, and keeps the
//! precedence by the two properties. So the history is legal iff it is legal without *b*.
//!
//! **Core.** If the presences from *l* to *r* leave no gap and no value can be the bottom, these values
//! suffice to show it: the value whose put ends at *l*, the value whose take starts at *r*, and values whose
//! presences cover the moments between. No value of this core can be its bottom.
//!
//! **Search.** Values are sorted by the ends of their puts. Then the values between two gaps are neighbours,
//! and so is each part after a split. A tree of counts finds gaps. Values whose put starts before *l* are
//! activated once, since *l* only grows from a part to its parts. The active value with the last end of a
//! take is the candidate. Each step splits a part or leaves a value out.

use super::Decision;
use super::cover::{Cover, chain};
use super::queue::presences;
use super::ranges::{Counts, Minima, NOTHING};
use super::values::{Moment, Span, Value, Values};
use crate::call::CallId;

pub(super) fn decide(all: &Values) -> Decision {
    let values = &all.values;
    let spans: Vec<(usize, Span)> = presences(values);
    let cover = Cover::new(spans.iter().map(|(_, span)| *span));
    let mut empties = Vec::new();
    for empty in &all.empties {
        let Some(moment) = cover.first_gap(empty.span) else {
            let some = chain(&spans, empty.span.start, empty.span.end).unwrap_or_default();
            let calls = some.iter().flat_map(|&at| values[at].calls());
            return Decision::Core(calls.chain([empty.call]).collect());
        };
        empties.push((moment, empty.call));
    }
    empties.sort_unstable();
    match Parts::new(values, &spans).nest(empties) {
        Ok(steps) => Decision::Order(order(all, steps)),
        Err(core) => Decision::Core(core.into_iter().flat_map(|at| values[at].calls()).collect()),
    }
}

/// A step of the order of values with a presence: a call, and the start of its interval.
type Step = (CallId, Moment);

/// Gives each step the first possible moment, and puts in the values without a presence.
fn order(all: &Values, steps: Vec<Step>) -> Vec<CallId> {
    let mut moment = 0;
    let mut placed: Vec<(Moment, [Option<CallId>; 2])> = Vec::with_capacity(2 * all.values.len());
    for (call, start) in steps {
        moment = moment.max(start);
        placed.push((moment, [Some(call), None]));
    }
    for value in all.values.iter().filter(|value| value.presence().is_none()) {
        placed.push((value.take_span.start, [Some(value.put), value.take]));
    }
    // Stable: steps at one moment keep their order.
    placed.sort_by_key(|(moment, _)| *moment);
    placed.into_iter().flat_map(|(_, calls)| calls).flatten().collect()
}

/// The values with a presence that are not left out yet. A place is a position among them.
struct Parts<'a> {
    values: &'a [Value],
    /// The value at each place, by the end of its put.
    places: Vec<usize>,
    /// For each place the end of its put.
    put_ends: Vec<Moment>,
    /// The largest start of a take of a range, and the largest end of a take of the active places. Trees have
    /// minima, so they hold the distances from a moment after all others.
    take_starts: Minima,
    active_take_ends: Minima,
    /// The starts of the puts of places that are not active.
    put_starts: Minima,
    /// All starts and ends of presences.
    moments: Vec<Moment>,
    /// For each span between two of these, the number of values that are present.
    present: Counts,
}

/// Work that is left.
enum Task {
    /// The places from one to just before another.
    Part(usize, usize),
    Take(usize),
}

impl<'a> Parts<'a> {
    fn new(values: &'a [Value], spans: &[(usize, Span)]) -> Parts<'a> {
        let mut places: Vec<usize> = spans.iter().map(|(at, _)| *at).collect();
        places.sort_unstable_by_key(|&at| (values[at].put_span.end, at));
        let mut moments: Vec<Moment> = spans.iter().flat_map(|(_, span)| [span.start, span.end]).collect();
        moments.sort_unstable();
        moments.dedup();
        let mut parts = Parts {
            values,
            put_ends: places.iter().map(|&at| values[at].put_span.end).collect(),
            take_starts: Minima::new(places.iter().map(|&at| NOTHING - 1 - values[at].take_span.start)),
            active_take_ends: Minima::new(places.iter().map(|_| NOTHING)),
            put_starts: Minima::new(places.iter().map(|&at| values[at].put_span.start)),
            present: Counts::new(moments.len().max(1)),
            places,
            moments,
        };
        for place in 0..parts.places.len() {
            parts.count(place, 1);
        }
        parts
    }

    fn value(&self, place: usize) -> &'a Value {
        &self.values[self.places[place]]
    }

    fn count(&mut self, place: usize, change: i32) {
        let value = self.value(place);
        let (from, to) = (self.moment(value.put_span.end), self.moment(value.take_span.start));
        self.present.add(from, to, change);
    }

    fn moment(&self, moment: Moment) -> usize {
        self.moments.partition_point(|other| *other < moment)
    }

    /// Returns the puts and takes of a legal order with the empty results between them, or the numbers of
    /// values without a legal order.
    fn nest(mut self, empties: Vec<(Moment, CallId)>) -> Result<Vec<Step>, Vec<usize>> {
        let mut empties = empties.into_iter().peekable();
        let mut steps = Vec::with_capacity(2 * self.places.len());
        let mut tasks = vec![Task::Part(0, self.places.len())];
        // The number of values that are being nested.
        let mut height = 0;
        while let Some(task) = tasks.pop() {
            let (from, to) = match task {
                Task::Take(place) => {
                    height -= 1;
                    let value = self.value(place);
                    steps.extend(value.take.map(|take| (take, value.take_span.start)));
                    continue;
                }
                Task::Part(from, to) => (from, to),
            };
            let Some((_, last)) = self.take_starts.minimum(from, to) else { continue };
            let right = NOTHING - 1 - last;
            let Some(first) = self.first(from, to) else { continue };
            let left = self.put_ends[first];
            let is_gap = self.present.first_zero(self.moment(left), self.moment(right));
            if let Some(gap) = is_gap {
                let split = self.put_ends.partition_point(|end| *end <= self.moments[gap]);
                tasks.push(Task::Part(split, to));
                tasks.push(Task::Part(first, split));
                continue;
            }
            if height == 0 {
                while let Some((moment, call)) = empties.next_if(|(moment, _)| *moment < left) {
                    steps.push((call, moment));
                }
            }
            let Some(bottom) = self.bottom(first, to, left, right) else {
                return Err(self.core(first, to, left, right));
            };
            self.leave_out(bottom);
            height += 1;
            let value = self.value(bottom);
            steps.push((value.put, value.put_span.start));
            tasks.push(Task::Take(bottom));
            tasks.push(Task::Part(first, to));
        }
        steps.extend(empties.map(|(moment, call)| (call, moment)));
        Ok(steps)
    }

    /// Returns the first place of a range that is not left out.
    fn first(&self, from: usize, to: usize) -> Option<usize> {
        let (mut from, to) = (from, to);
        while from < to && self.is_left_out(from) {
            from += 1;
        }
        (from < to).then_some(from)
    }

    fn is_left_out(&self, place: usize) -> bool {
        self.take_starts.minimum(place, place + 1).is_none()
    }

    /// Returns a place that can be the bottom of its part.
    fn bottom(&mut self, from: usize, to: usize, left: Moment, right: Moment) -> Option<usize> {
        while let Some((place, start)) = self.put_starts.minimum(from, to)
            && start < left
        {
            self.put_starts.set(place, NOTHING);
            self.active_take_ends.set(place, NOTHING - 1 - self.value(place).take_span.end);
        }
        let (place, distance) = self.active_take_ends.minimum(from, to)?;
        (NOTHING - 1 - distance > right).then_some(place)
    }

    fn leave_out(&mut self, place: usize) {
        self.count(place, -1);
        self.take_starts.set(place, NOTHING);
        self.active_take_ends.set(place, NOTHING);
    }

    fn core(&self, from: usize, to: usize, left: Moment, right: Moment) -> Vec<usize> {
        let left_in: Vec<usize> = (from..to).filter(|&place| !self.is_left_out(place)).collect();
        let spans: Vec<(usize, Span)> = left_in
            .iter()
            .filter_map(|&place| Some((self.places[place], self.value(place).presence()?)))
            .collect();
        let last = left_in.iter().find(|&&place| self.value(place).take_span.start == right);
        let mut core = chain(&spans, left, right).unwrap_or_default();
        core.extend([Some(&from), last].into_iter().flatten().map(|&place| self.places[place]));
        core.sort_unstable();
        core.dedup();
        core
    }
}
