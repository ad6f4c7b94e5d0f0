//! Draws a history: calls as bars, orders of calls, and the reason why no order is legal.

use super::calls::{ValueNaming, call_text, completed_text, result_text, state_text};
use super::line::{DIM, Palette, thread_style};
use super::quantities::grouped;
use super::view::intervals::{Interval, Intervals};
use super::view::why::{EffectOf, NextCall, OrderTried, Part};
use linchpin_ir::index::Index;
use linchpin_judge::history::{
    Broken, CallId, DeadEnd, Effect, Enabled, Explanation, History, LegalOrder, Results, Way,
};
use linchpin_semantics::{SpecMachine, SpecState, ThreadId};
use std::fmt::Write;
use textwrap::core::display_width;

/// A history with the names of its values.
#[derive(Clone, Copy)]
pub struct HistoryView<'a> {
    pub names: &'a dyn ValueNaming,
    pub spec: &'a SpecMachine,
    pub history: &'a History,
}

/// Number of calls shown at the end of a long order.
const BEFORE_THE_END: usize = 12;

impl HistoryView<'_> {
    /// Draws one row for each call: thread, call, bar, note. The time axis has only the events of these
    /// calls.
    pub fn draw(
        &self,
        calls: &[CallId],
        limit: usize,
        palette: Palette,
        note: impl Fn(CallId) -> String,
    ) -> String {
        let ends = |&id: &CallId| {
            let call = self.history.call(id);
            [Some(call.called), call.returned.as_ref().map(|returned| returned.event)]
        };
        let mut events: Vec<usize> = calls.iter().flat_map(ends).flatten().collect();
        events.sort();
        let texts: Vec<String> = calls.iter().map(|&id| self.call(id)).collect();
        let names: Vec<String> = calls.iter().map(|&id| self.thread(id)).collect();
        let notes: Vec<String> = calls.iter().map(|&id| note(id)).collect();
        let column = |texts: &[String]| texts.iter().map(|text| display_width(text)).max().unwrap_or(0);
        let (text_column, name_column) = (column(&texts), column(&names));
        let around = match column(&notes) {
            0 => text_column + name_column + 6,
            notes => text_column + name_column + notes + 8,
        };
        let scale = (limit.saturating_sub(around) / events.len().max(1)).clamp(1, 4);
        let place = |event: usize| events.partition_point(|&other| other < event) * scale;
        let last = events.len() * scale;
        let dim = palette.style(DIM);
        let mut out = String::new();
        for (at, &id) in calls.iter().enumerate() {
            let call = self.history.call(id);
            let style = palette.style(thread_style(call.thread.index()));
            let (name, text, note) = (&names[at], &texts[at], &notes[at]);
            let start = place(call.called);
            let (end, close) = match &call.returned {
                Some(returned) => (place(returned.event), "┤"),
                None => (last, "┄"),
            };
            let bar = format!("├{}{close}", "─".repeat((end - start).saturating_sub(1)));
            let rest = if note.is_empty() { 0 } else { last - end + 2 };
            let _ = writeln!(
                out,
                "  {style}{name}{style:#}{}  {text}{}  {}{style}{bar}{style:#}{}{dim}{note}{dim:#}",
                " ".repeat(name_column - display_width(name)),
                " ".repeat(text_column - display_width(text)),
                " ".repeat(start),
                " ".repeat(rest),
            );
        }
        out
    }

    /// Returns the longest legal orders and the reason why each next call is illegal, as text.
    pub fn explain(&self, explanation: &Explanation, palette: Palette) -> String {
        let mut out = String::new();
        self.reasons(explanation).write(&mut out, palette);
        out
    }

    /// Returns the longest legal orders and the reason why each next call is illegal.
    pub fn reasons(&self, explanation: &Explanation) -> Part {
        match explanation {
            Explanation::NoOrder { dead_ends, omitted, .. } => {
                // Orders that swap two equal calls have the same text.
                let mut orders: Vec<OrderTried> = Vec::new();
                for order in dead_ends.iter().map(|dead_end| self.dead_end(dead_end)) {
                    if !orders.iter().any(|shown| shown.reads_like(&order)) {
                        orders.push(order);
                    }
                }
                let more = || format!("and {} other orders, not longer", grouped(*omitted as u64));
                Part { orders, omitted: (*omitted > 0).then(more), ..Part::default() }
            }
            Explanation::Unjustified { call, ends, omitted } => {
                let (who, what) = (self.thread(*call), self.bare(*call));
                let op = self.history.call(*call).op;
                let end = |Enabled { order, results }: &Enabled| {
                    let results: Vec<String> = (results.iter())
                        .filter_map(|words| result_text(self.names, self.spec.program(), op, words))
                        .collect();
                    let gives = match results.as_slice() {
                        [] => String::new(),
                        some => format!(" and gives {}", some.join(" or ")),
                    };
                    let text = format!("{} it is enabled{gives}", self.after(order));
                    NextCall { calls: vec![call.index()], text }
                };
                let more = || format!("and {} more orders", grouped(*omitted as u64));
                let order = OrderTried {
                    text: format!("{what} of {who} never returns, although the specification enables it:"),
                    next: ends.iter().map(end).collect(),
                    omitted: (*omitted > 0).then(more),
                    ..OrderTried::default()
                };
                Part { orders: vec![order], ..Part::default() }
            }
        }
    }

    /// Returns the calls as intervals of events. `at_fault` are the calls that have no legal order.
    pub fn intervals(&self, at_fault: &[CallId], note: impl Fn(CallId) -> String) -> Intervals {
        let call = |id: CallId| {
            let call = self.history.call(id);
            Interval {
                thread: call.thread.index(),
                text: self.call(id),
                start: call.called,
                end: call.returned.as_ref().map(|returned| returned.event),
                at_fault: at_fault.contains(&id),
                note: note(id),
                lines: None,
                steps: None,
            }
        };
        let calls: Vec<Interval> = self.history.calls().ids().map(call).collect();
        let last = calls.iter().map(|call| call.thread).max();
        let name = |thread| self.names.thread(ThreadId::new(thread));
        Intervals {
            threads: (0..last.map_or(0, |last| last + 1)).map(name).collect(),
            events: self.history.events().len(),
            calls,
        }
    }

    /// Returns a call, with its result if the call returned: `deq() → 7`.
    pub fn call(&self, id: CallId) -> String {
        match &self.history.call(id).returned {
            Some(returned) => {
                let call = self.history.call(id);
                completed_text(self.names, self.spec.program(), call.op, &call.args, &returned.result)
            }
            None => format!("{} …", self.bare(id)),
        }
    }

    /// Returns a call without its result.
    pub fn bare(&self, id: CallId) -> String {
        let call = self.history.call(id);
        call_text(self.names, self.spec.program(), call.op, &call.args)
    }

    /// Returns the thread of a call.
    pub fn thread(&self, id: CallId) -> String {
        self.names.thread(self.history.call(id).thread)
    }

    /// Returns calls that take effect together, with the results of the specification.
    pub fn effect(&self, effect: &Effect) -> String {
        let one = |(&id, result): (&CallId, &Vec<_>)| {
            let call = self.history.call(id);
            completed_text(self.names, self.spec.program(), call.op, &call.args, result)
        };
        effect.calls.iter().zip(&effect.results).map(one).collect::<Vec<_>>().join(" with ")
    }

    /// `items = [1, 2]`
    pub fn state(&self, state: &SpecState) -> String {
        state_text(self.names, self.spec.program(), &self.spec.values(state))
    }

    fn dead_end(&self, dead_end: &DeadEnd) -> OrderTried {
        let order = &dead_end.order;
        let effect = |effect: &Effect| EffectOf {
            calls: effect.calls.iter().map(|call| call.index()).collect(),
            text: self.effect(effect),
        };
        let next = |way: &Way| NextCall {
            calls: way.calls.iter().map(|call| call.index()).collect(),
            text: self.way(way),
        };
        OrderTried {
            text: self.after(order),
            effects: order.effects.iter().map(effect).collect(),
            state: self.state(&order.state),
            next: dead_end.ways.iter().map(next).collect(),
            omitted: None,
        }
    }

    /// `after push(1), pop() → 1 (items = []),`
    fn after(&self, order: &LegalOrder) -> String {
        let state = self.state(&order.state);
        let state = if state.is_empty() { String::new() } else { format!(" ({state})") };
        let skipped = order.effects.len().saturating_sub(BEFORE_THE_END);
        let shown: Vec<String> =
            order.effects.iter().skip(skipped).map(|effect| self.effect(effect)).collect();
        match (shown.is_empty(), skipped) {
            (true, _) => format!("at the beginning{state}"),
            (false, 0) => format!("after {}{state}", shown.join(", ")),
            (false, more) => {
                let calls = if more == 1 { "other call" } else { "other calls" };
                format!("after {} {calls} and {}{state}", grouped(more as u64), shown.join(", "))
            }
        }
    }

    fn way(&self, way: &Way) -> String {
        let who: Vec<String> =
            way.calls.iter().map(|&id| format!("{}'s {}", self.thread(id), self.bare(id))).collect();
        let who = who.join(" with ");
        match &way.broken {
            Broken::NotEnabled => format!("{who} is not enabled"),
            Broken::NoPartner => format!("{who} has no partner for its rendezvous"),
            Broken::Results(allowed) => {
                let mut allowed: Vec<String> = allowed.iter().map(|some| self.results(way, some)).collect();
                allowed.sort();
                allowed.dedup();
                let returned =
                    |id: &CallId| self.history.call(*id).returned.as_ref().map(|r| r.result.clone());
                let gave: Results = way.calls.iter().map(|id| returned(id).unwrap_or_default()).collect();
                format!(
                    "{who} must return {}, but returned {}",
                    allowed.join(" or "),
                    self.results(way, &gave)
                )
            }
        }
    }

    fn results(&self, way: &Way, results: &Results) -> String {
        let program = self.spec.program();
        let each = way.calls.iter().zip(results);
        let shown =
            each.filter_map(|(&id, words)| result_text(self.names, program, self.history.call(id).op, words));
        shown.collect::<Vec<_>>().join(", ")
    }
}
