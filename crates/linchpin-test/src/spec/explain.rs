//! Says why no order of the calls of a model is legal.

use super::call::Call;
use crate::value::Datum;
use linchpin_order::{Broken, CallId, DeadEnd, Effect, Enabled, Explanation, History, LegalOrder, Way};
use std::fmt::{Debug, Write};

/// Number of orders to show.
const MOST_ORDERS: usize = 4;

/// Returns the longest legal orders and the reason why each next call is illegal, in lines.
pub(super) fn explain<S: Debug>(history: &History<Call, Datum>, why: &Explanation<S, Datum>) -> String {
    let names = Names(history);
    let mut out = String::new();
    match why {
        Explanation::NoOrder { dead_ends, omitted, .. } => {
            let mut texts: Vec<String> = dead_ends.iter().map(|end| names.dead_end(end)).collect();
            texts.dedup();
            let more = omitted + texts.len().saturating_sub(MOST_ORDERS);
            out.extend(texts.into_iter().take(MOST_ORDERS));
            if more > 0 {
                let _ = writeln!(out, "  and {more} other orders, not longer");
            }
        }
        Explanation::Unjustified { call, ends, .. } => {
            let _ = writeln!(out, "  {} never returns, although the model allows it:", names.call(*call));
            for Enabled { order, results } in ends.iter().take(MOST_ORDERS) {
                let results: Vec<String> = results.iter().map(Datum::to_string).collect();
                let _ = writeln!(out, "    {} it gives {}", names.after(order), results.join(" or "));
            }
        }
    }
    out
}

struct Names<'a>(&'a History<Call, Datum>);

impl Names<'_> {
    fn call(&self, id: CallId) -> String {
        let call = self.0.call(id);
        let parts: Vec<String> = call.op.parts.iter().map(Datum::to_string).collect();
        format!("T{}'s {}({})", call.thread + 1, call.op.operation, parts.join(", "))
    }

    fn dead_end<S: Debug>(&self, end: &DeadEnd<S, Datum>) -> String {
        let ways = end.ways.iter().map(|way| format!("    {}\n", self.way(way)));
        format!("  {}\n{}", self.after(&end.order), ways.collect::<String>())
    }

    fn after<S: Debug>(&self, order: &LegalOrder<S, Datum>) -> String {
        let effect = |effect: &Effect<Datum>| {
            let each = effect.calls.iter().zip(&effect.results);
            let each = each.map(|(&id, result)| match result {
                Datum::Nothing => self.call(id),
                some => format!("{} → {some}", self.call(id)),
            });
            each.collect::<Vec<_>>().join(" with ")
        };
        let effects: Vec<String> = order.effects.iter().map(effect).collect();
        match effects.is_empty() {
            true => format!("at the beginning ({:?}),", order.state),
            false => format!("after {} ({:?}),", effects.join(", "), order.state),
        }
    }

    fn way(&self, way: &Way<Datum>) -> String {
        let who: Vec<String> = way.calls.iter().map(|&id| self.call(id)).collect();
        let who = who.join(" with ");
        match &way.broken {
            Broken::NotEnabled => format!("{who} must wait"),
            Broken::NoPartner => format!("{who} has no partner"),
            Broken::Results(allowed) => {
                let list = |results: &Vec<Datum>| {
                    results.iter().map(Datum::to_string).collect::<Vec<_>>().join(", ")
                };
                let allowed: Vec<String> = allowed.iter().map(list).collect();
                let given = way.calls.iter().filter_map(|&id| self.0.call(id).returned.as_ref());
                let given: Vec<Datum> = given.map(|returned| returned.result.clone()).collect();
                format!("{who} must return {}, but returned {}", allowed.join(" or "), list(&given))
            }
        }
    }
}
