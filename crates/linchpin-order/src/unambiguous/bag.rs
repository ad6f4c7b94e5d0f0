//! Decides histories of a bag and of a priority queue in which no value is put twice, in O(n log n).
//!
//! A take of *v* is legal iff *v* is present and no value of a smaller rank is present. All values of a bag
//! have the same rank. The ranks of a priority queue are its priorities. An empty result is the take of a
//! value with the largest rank of all.
//!
//! **Lemma.** Let some moments be outside of all [presences](super::values). If the history is legal, then
//! some legal order has no value present at these moments. Proof, for one moment *m*. Each value is taken
//! from a start before *m*, or put with an end after *m*; let G be the values of the first kind. Take a legal
//! order. Its restriction to G, with moments after *m* moved to *m*, is legal, since fewer values forbid
//! less. So is its restriction to the others, with moments before *m* moved to *m*. The first followed by the
//! second is legal, and is empty at *m*.
//!
//! **Claim.** The history is legal iff each take has a *free* moment in its interval. A moment is free for a
//! value if it is outside of all presences of values of smaller ranks. Proof. Only if: no such value is
//! present at the moment of the take. If, by induction over ranks: the calls about values of smaller ranks
//! have a legal order. By the lemma, they have one that is empty at the moments of the takes of the largest
//! rank. Putting these values disturbs no other call.
//!
//! **Order.** Let *v* be taken at the first such moment `t(v)`. Let *v* be put just before its put ends, or
//! before its take if that is earlier. Takes at one moment are in the order of ranks. This order is legal:
//! let *u* have a smaller rank than *v*. `t(v)` is outside of the presence of *u*. So *u* is put later, or
//! `take(u)` has started, and then `t(u) <= t(v)`, since `t(u)` is the first moment outside of fewer
//! presences.

use super::Decision;
use super::cover::chain;
use super::queue::presences;
use super::values::{Moment, Span, Value, Values};
use crate::call::CallId;

/// Decides a history; the rank of a value is that of its put.
pub(super) fn decide(all: &Values, rank: impl Fn(CallId) -> i64) -> Decision {
    let values = &all.values;
    let mut by_rank: Vec<usize> = (0..values.len()).collect();
    by_rank.sort_by_key(|&at| rank(values[at].put));
    let mut covered = Covered::new(all);
    // The moment of each take, in the order of ranks.
    let mut taken: Vec<Option<Moment>> = vec![None; values.len()];
    let mut at = 0;
    while at < by_rank.len() {
        let this = rank(values[by_rank[at]].put);
        let equal = by_rank[at..].partition_point(|&other| rank(values[other].put) == this);
        let group = &by_rank[at..at + equal];
        for &number in group.iter().filter(|&&number| values[number].take.is_some()) {
            let span = values[number].take_span;
            let Some(moment) = covered.first_gap(span) else {
                let calls = values[number].calls().collect();
                return core(values, &by_rank[..at], span, calls);
            };
            taken[number] = Some(moment);
        }
        group.iter().filter_map(|&number| values[number].presence()).for_each(|span| covered.cover(span));
        at += equal;
    }
    let mut empties = Vec::new();
    for empty in &all.empties {
        let Some(moment) = covered.first_gap(empty.span) else {
            return core(values, &by_rank, empty.span, vec![empty.call]);
        };
        empties.push((moment, empty.call));
    }
    Decision::Order(order(values, &by_rank, &taken, empties))
}

/// Returns the calls, and the calls about values that cover their span.
fn core(values: &[Value], smaller: &[usize], span: Span, calls: Vec<CallId>) -> Decision {
    let spans: Vec<(usize, Span)> = presences(values);
    let mut is_smaller = vec![false; values.len()];
    smaller.iter().for_each(|&at| is_smaller[at] = true);
    let spans: Vec<(usize, Span)> = spans.into_iter().filter(|(at, _)| is_smaller[*at]).collect();
    let chain = chain(&spans, span.start, span.end).unwrap_or_default();
    Decision::Core(chain.into_iter().flat_map(|at| values[at].calls()).chain(calls).collect())
}

fn order(
    values: &[Value],
    by_rank: &[usize],
    taken: &[Option<Moment>],
    empties: Vec<(Moment, CallId)>,
) -> Vec<CallId> {
    // Sorted by moment; the sort is stable, so takes at one moment keep the order of ranks.
    let mut steps: Vec<(Moment, [Option<CallId>; 2])> = Vec::with_capacity(2 * values.len());
    for &at in by_rank {
        let value = &values[at];
        match taken[at] {
            Some(moment) if moment < value.put_span.end => {
                steps.push((moment, [Some(value.put), value.take]));
            }
            Some(moment) => {
                steps.push((value.put_span.end, [Some(value.put), None]));
                steps.push((moment, [value.take, None]));
            }
            None => steps.push((value.put_span.end, [Some(value.put), None])),
        }
    }
    steps.extend(empties.into_iter().map(|(moment, call)| (moment, [Some(call), None])));
    steps.sort_by_key(|(moment, _)| *moment);
    steps.into_iter().flat_map(|(_, calls)| calls).flatten().collect()
}

/// A growing set of covered moments. Only starts are asked for, so only these are kept.
struct Covered {
    starts: Vec<Moment>,
    /// For each start a later start, if it is covered; itself, if not. Paths are shortened as they are used.
    next: Vec<usize>,
}

impl Covered {
    fn new(all: &Values) -> Covered {
        let takes = all.values.iter().map(|value| value.take_span.start);
        let mut starts: Vec<Moment> = takes.chain(all.empties.iter().map(|empty| empty.span.start)).collect();
        starts.sort_unstable();
        starts.dedup();
        let next = (0..=starts.len()).collect();
        Covered { starts, next }
    }

    fn place(&self, moment: Moment) -> usize {
        self.starts.partition_point(|start| *start < moment)
    }

    fn find(&mut self, from: usize) -> usize {
        let mut end = from;
        while self.next[end] != end {
            end = self.next[end];
        }
        let mut at = from;
        while at != end {
            (at, self.next[at]) = (self.next[at], end);
        }
        end
    }

    /// Covers the moments of a presence. A presence ends at a start.
    fn cover(&mut self, span: Span) {
        let end = self.place(span.end);
        let mut at = self.find(self.place(span.start));
        while at < end {
            self.next[at] = at + 1;
            at = self.find(at);
        }
    }

    /// Returns the first moment of the span that is not covered. The span begins at a start.
    fn first_gap(&mut self, span: Span) -> Option<Moment> {
        let at = self.find(self.place(span.start));
        self.starts.get(at).copied().filter(|moment| *moment < span.end)
    }
}
