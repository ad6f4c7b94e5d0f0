//! Decides histories of a queue in which no value is put twice, in O(n log n).
//!
//! **Constraints.** Let `put(a)` and `take(a)` be [normal intervals](super::values). In a legal order *a* is
//! put before *b* iff it is taken before *b*. So *a* comes before *b*, written `a < b`, if `put(a)` ends
//! before `put(b)` starts, or `take(a)` ends before `take(b)` starts.
//!
//! **Claim 1.** Without empty results: the history is legal iff `<` has no cycle.
//! Proof. Only if: each constraint holds in every legal order. If: extend `<` to a total order. Give the
//! i-th value the put moment `e(i)`: the largest start of a put up to i. Give it the take moment `d(i)`: the
//! largest start of a put or a take up to i. Then `e` and `d` grow, `e(i) <= d(i)`, and puts and takes are in
//! the same order. `e(i)` is before the end of `put(i)`, since no later value is before an earlier one. For
//! the same reason `d(i)` is before the end of `take(i)`, if the largest start is one of a take. If it is
//! `put(k)`, and `take(i)` ended before it, then `put(i)`, which is normal, would end before it too, so
//! `i < k`.
//!
//! **Claim 2.** If `<` has a cycle, it has one of two values. Proof. `<` is the union of two interval orders.
//! Take a shortest cycle. Its steps alternate between the two, since each is transitive. Let `a < b` and
//! `c < d` be two of its steps by puts. An interval order has no two such steps without a third: `a < d` or
//! `c < b`. Either makes the cycle shorter, unless it has two values.
//!
//! **Empty results.** At the moment of an empty result no value is present, so the moment is outside of all
//! [presences](super::values). Claim 3: any such moment *m* in its interval is as good as any other. Proof.
//! Add a value with the intervals `[m, m]` for put and take. If it is in a cycle, it is in one of two values:
//! *a* is put before *m* and taken after *m* by force, so *a* is present at *m*. Otherwise there is a total
//! order. Values before *m* in it have a `d` up to *m*, and values after it an `e` from *m*.
//!
//! **Search.** The total order is made from its front. A value can come next iff no remaining put ends before
//! its put starts, and no remaining take ends before its take starts. If there is no such value, the value
//! whose put ends first and the value whose take ends first form the cycle.

use super::Decision;
use super::cover::{Cover, chain};
use super::values::{Moment, Span, Value, Values};
use crate::call::CallId;

/// A value, or an empty result with its moment as both spans.
struct Item {
    put: Span,
    take: Span,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Value(usize),
    Empty(CallId),
}

pub(super) fn decide(all: &Values) -> Decision {
    let presences: Vec<(usize, Span)> = presences(&all.values);
    let cover = Cover::new(presences.iter().map(|(_, span)| *span));
    let value = |(at, value): (usize, &Value)| Item {
        put: value.put_span,
        take: value.take_span,
        what: What::Value(at),
    };
    let mut items: Vec<Item> = all.values.iter().enumerate().map(value).collect();
    for empty in &all.empties {
        let Some(moment) = cover.first_gap(empty.span) else {
            let some = chain(&presences, empty.span.start, empty.span.end).unwrap_or_default();
            let calls = some.iter().flat_map(|&at| all.values[at].calls());
            return Decision::Core(calls.chain([empty.call]).collect());
        };
        let both = Span { start: moment, end: moment };
        items.push(Item { put: both, take: both, what: What::Empty(empty.call) });
    }
    match total_order(&items) {
        Ok(order) => Decision::Order(merge(all, &items, &order)),
        Err(two) => {
            let calls = two.into_iter().flat_map(|at| match items[at].what {
                What::Value(at) => all.values[at].calls().collect(),
                What::Empty(call) => vec![call],
            });
            Decision::Core(calls.collect())
        }
    }
}

/// Returns the presence of each value that has one.
pub(super) fn presences(values: &[Value]) -> Vec<(usize, Span)> {
    values.iter().enumerate().filter_map(|(at, value)| Some((at, value.presence()?))).collect()
}

/// Returns the items in an order that keeps all constraints, or two items that form a cycle.
fn total_order(items: &[Item]) -> Result<Vec<usize>, [usize; 2]> {
    let sorted = |key: fn(&Item) -> Moment| {
        let mut numbers: Vec<usize> = (0..items.len()).collect();
        numbers.sort_unstable_by_key(|&at| (key(&items[at]), at));
        numbers
    };
    let by_start = [sorted(|item| item.put.start), sorted(|item| item.take.start)];
    let by_end = [sorted(|item| item.put.end), sorted(|item| item.take.end)];
    let start = |side: usize, at: usize| if side == 0 { items[at].put.start } else { items[at].take.start };
    let end = |side: usize, at: usize| if side == 0 { items[at].put.end } else { items[at].take.end };
    let mut is_placed = vec![false; items.len()];
    // The number of sides on which an item can come next.
    let mut sides = vec![0_u8; items.len()];
    let mut next_start = [0, 0];
    let mut first_end = [0, 0];
    let mut ready = Vec::new();
    let mut order = Vec::with_capacity(items.len());
    while order.len() < items.len() {
        for side in [0, 1] {
            while is_placed[by_end[side][first_end[side]]] {
                first_end[side] += 1;
            }
            let limit = end(side, by_end[side][first_end[side]]);
            while let Some(&at) = by_start[side].get(next_start[side]).filter(|&&at| start(side, at) <= limit)
            {
                sides[at] += 1;
                if sides[at] == 2 {
                    ready.push(at);
                }
                next_start[side] += 1;
            }
        }
        let Some(at) = ready.pop() else {
            return Err([by_end[0][first_end[0]], by_end[1][first_end[1]]]);
        };
        is_placed[at] = true;
        order.push(at);
    }
    Ok(order)
}

/// Merges puts and takes by their moments. All takes before an empty result come before it, and all puts
/// after it come after it.
fn merge(all: &Values, items: &[Item], order: &[usize]) -> Vec<CallId> {
    let mut moments = Vec::with_capacity(order.len());
    let (mut put, mut take) = (0, 0);
    for &at in order {
        put = put.max(items[at].put.start);
        take = take.max(put).max(items[at].take.start);
        moments.push((put, take));
    }
    let mut calls = Vec::with_capacity(2 * order.len());
    let (mut puts, mut takes) = (0, 0);
    while takes < order.len() {
        let is_put_next = puts < order.len() && (puts == takes || moments[puts].0 <= moments[takes].1);
        match items[order[if is_put_next { puts } else { takes }]].what {
            What::Empty(call) if puts == takes => {
                calls.push(call);
                puts += 1;
                takes += 1;
            }
            // The empty result waits for the takes before it.
            What::Value(at) if is_put_next => {
                calls.push(all.values[at].put);
                puts += 1;
            }
            _ => {
                if let What::Value(at) = items[order[takes]].what {
                    calls.extend(all.values[at].take);
                }
                takes += 1;
            }
        }
    }
    calls
}
