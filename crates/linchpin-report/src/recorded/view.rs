//! The verdict about a recorded history as text.

use super::judged::Judged;
use super::reading::Recorded;
use crate::history_view::HistoryView;
use crate::line::{BOLD, DIM, ERROR, Palette};
use crate::quantities::grouped;
use crate::verdicts::{GOOD, OPEN};
use crate::visible::visible;
use linchpin_judge::history::{CallId, Effect, Explanation, Judgement, LegalOrder, Witness};
use linchpin_semantics::SpecMachine;
use std::fmt::Write;
use textwrap::core::display_width;

/// Formats a history with the recorded names of values and threads.
pub struct View<'a> {
    pub spec: &'a SpecMachine,
    pub recorded: &'a Recorded,
    pub palette: Palette,
}

/// The first event that has no legal order, in words.
pub struct FirstBreak {
    /// The part of the history before the event. `None`: it is the first event.
    pub before: Option<String>,
    /// `Line 7 breaks it`
    pub line: String,
    /// `: t1 returns from deq() → 2`. Empty: the event is not a return.
    pub returns: String,
}

/// Number of calls of an order to show. Of a longer order only the beginning and the end are shown.
const LONGEST_ORDER: usize = 40;
/// Number of calls to draw.
const MOST_BARS: usize = 24;

impl View<'_> {
    /// Returns the heading: file, specification, sizes.
    pub fn heading(&self, file: &str, spec: &str) -> String {
        let (bold, dim) = (self.palette.style(BOLD), self.palette.style(DIM));
        let (file, spec) = (visible(file), visible(spec));
        format!("{bold}{file}{bold:#} {dim}as {spec}: {}{dim:#}\n", self.size())
    }

    /// Returns the sizes: `400 events, 200 calls, 4 threads`.
    pub fn size(&self) -> String {
        let history = &self.recorded.history;
        let pending = history.pending().count();
        let parts = [
            count(history.events().len(), "event"),
            count(history.calls().len(), "call"),
            count(self.recorded.dictionary.threads(), "thread"),
            if pending == 0 { "none pending".into() } else { format!("{} pending", grouped(pending as u64)) },
        ];
        parts.join(", ")
    }

    /// Returns the verdicts, one line each.
    pub fn verdicts(&self, answers: &[Judged]) -> String {
        let name = |judged: &Judged| judged.question.property().to_string();
        let column = answers.iter().map(|judged| name(judged).len()).max().unwrap_or(0);
        let mut out = String::new();
        for judged in answers {
            let verdict = judged.verdict();
            let style = match verdict {
                "holds" => GOOD,
                "violated" => ERROR,
                _ => OPEN,
            };
            let style = self.palette.style(style);
            let name = name(judged);
            let remark = judged.limit().map_or(String::new(), |limit| format!("  {limit}"));
            let _ = writeln!(out, "  {name:column$}  {style}{verdict}{style:#}{remark}");
        }
        out
    }

    /// Returns a legal order or the reason for a violation. Empty for an unknown verdict.
    pub fn reasons(&self, judged: &Judged, limit: usize) -> String {
        let bold = self.palette.style(BOLD);
        let Ok(answer) = &judged.answer else { return String::new() };
        match (&answer.verdict, &judged.first_break) {
            (Judgement::Legal(witness), _) => self.witness(judged, witness),
            (Judgement::Illegal(_), Some(found)) => {
                self.first_break(found.event) + &self.explanation(&found.explanation, limit)
            }
            (Judgement::Illegal(explanation), None) => {
                let property = judged.question.property();
                format!("{bold}Not {property}{bold:#}\n") + &self.explanation(explanation, limit)
            }
            (Judgement::Unknown(_), _) => String::new(),
        }
    }

    pub fn named(&self) -> HistoryView<'_> {
        let Recorded { history, dictionary, .. } = self.recorded;
        HistoryView { names: dictionary, spec: self.spec, history }
    }

    fn witness(&self, judged: &Judged, witness: &Witness) -> String {
        let (bold, dim) = (self.palette.style(BOLD), self.palette.style(DIM));
        let named = self.named();
        match witness {
            Witness::Order(order) => {
                let property = judged.question.property();
                format!("{bold}A legal order{bold:#} {dim}({property}){dim:#}\n") + &self.order(order)
            }
            Witness::Stuck(justifications) => {
                let mut out = format!("{bold}Every pending call may wait{bold:#}\n");
                for justification in justifications {
                    let (who, what) = (named.thread(justification.call), named.bare(justification.call));
                    let state = named.state(&justification.order.state);
                    let at = if state.is_empty() { String::new() } else { format!(", at {state}") };
                    let _ = writeln!(
                        out,
                        "  {what} of {who} is disabled after a legal order of the other calls{at}"
                    );
                }
                out
            }
        }
    }

    fn order(&self, order: &LegalOrder) -> String {
        let dim = self.palette.style(DIM);
        let rows: Vec<(String, String)> = order.effects.iter().map(|effect| self.row(effect)).collect();
        let column = rows.iter().map(|(text, _)| display_width(text)).max().unwrap_or(0).min(40);
        let is_long = rows.len() > LONGEST_ORDER;
        let mut out = String::new();
        for (at, (text, who)) in rows.iter().enumerate() {
            if is_long && at == LONGEST_ORDER / 2 {
                let left = rows.len() - LONGEST_ORDER;
                let _ = writeln!(
                    out,
                    "  {dim}… {} more calls; `--json` writes all of them{dim:#}",
                    grouped(left as u64)
                );
            }
            if !is_long || at < LONGEST_ORDER / 2 || at >= rows.len() - LONGEST_ORDER / 2 {
                let padding = " ".repeat(column.saturating_sub(display_width(text)));
                let _ = writeln!(out, "  {text}{padding}  {dim}{who}{dim:#}");
            }
        }
        let state = self.named().state(&order.state);
        if !state.is_empty() {
            let _ = writeln!(out, "  {dim}final state: {state}{dim:#}");
        }
        out
    }

    fn row(&self, effect: &Effect) -> (String, String) {
        let named = self.named();
        let who: Vec<String> =
            effect.calls.iter().map(|&id| format!("{}, {}", named.thread(id), self.lines(id))).collect();
        (named.effect(effect), who.join("; "))
    }

    fn first_break(&self, event: usize) -> String {
        let bold = self.palette.style(BOLD);
        let FirstBreak { before, line, returns } = self.break_at(event);
        let before = before.map_or(String::new(), |before| before + "\n");
        format!("{before}{bold}{line}{bold:#}{returns}\n")
    }

    /// Describes the first event that has no legal order.
    pub fn break_at(&self, event: usize) -> FirstBreak {
        let named = self.named();
        let line = self.recorded.line(event);
        let broken = named
            .history
            .calls()
            .entries()
            .find(|(_, call)| call.returned.as_ref().is_some_and(|returned| returned.event == event));
        let last = event.checked_sub(1).map(|last| self.recorded.line(last));
        FirstBreak {
            before: last.map(|last| format!("The history is linearizable up to line {last}.")),
            line: format!("Line {line} breaks it"),
            returns: broken.map_or(String::new(), |(id, _)| {
                format!(": {} returns from {}", named.thread(id), named.call(id))
            }),
        }
    }

    fn explanation(&self, explanation: &Explanation, limit: usize) -> String {
        let bold = self.palette.style(BOLD);
        let named = self.named();
        let mut out = String::from("\n");
        if let Explanation::NoOrder { among, .. } = explanation {
            let all: Vec<CallId> = named.history.calls().ids().collect();
            match among {
                Some(calls) => {
                    let whom = if calls.len() == 1 { "this call" } else { "these calls" };
                    let _ = writeln!(
                        out,
                        "{bold}No order of {whom} is legal{bold:#}, whatever the other calls do"
                    );
                    out += &self.bars(calls, limit);
                }
                None => {
                    let _ = writeln!(out, "{bold}No order of the calls is legal{bold:#}");
                    if all.len() <= MOST_BARS {
                        out += &self.bars(&all, limit);
                    }
                }
            }
        }
        out + &named.explain(explanation, self.palette)
    }

    fn bars(&self, calls: &[CallId], limit: usize) -> String {
        let dim = self.palette.style(DIM);
        let shown = &calls[calls.len().saturating_sub(MOST_BARS)..];
        let mut out = String::new();
        if shown.len() < calls.len() {
            let left = grouped((calls.len() - shown.len()) as u64);
            let _ = writeln!(out, "  {dim}{left} earlier calls are not drawn{dim:#}");
        }
        out + &self.named().draw(shown, limit, self.palette, |id| self.lines(id))
    }

    /// Returns the lines of a call in the file: `lines 3 and 8`.
    pub fn lines(&self, id: CallId) -> String {
        let call = self.recorded.history.call(id);
        let called = self.recorded.line(call.called);
        match &call.returned {
            Some(returned) => format!("lines {called} and {}", self.recorded.line(returned.event)),
            None => format!("line {called}, pending"),
        }
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(n as u64), if n == 1 { "" } else { "s" })
}
