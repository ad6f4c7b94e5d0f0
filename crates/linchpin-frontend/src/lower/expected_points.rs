//! A `check` block that has the points judged needs points to judge.
//!
//! Without any `lin` every operation may take effect at any step, so judging by points would be judging by
//! refinement and confirm whatever holds. Operations that happen together have no points of their own
//! (language 8).

use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::{Bound, Check};
use linchpin_ir::source::Span;

/// Why there is nothing to judge.
pub(super) enum Nothing {
    /// No operation has a `lin`.
    NoPoints,
    /// The specification, where operations meet.
    Rendezvous(Span),
}

/// A report for each block that names `points` or `lin_points: on`.
pub(super) fn refuse(checks: &[Check], why: &Nothing, mut report: impl FnMut(Diagnostic)) {
    for (asked, span) in checks.iter().filter_map(asks_for_points) {
        let title = "there are no linearization points to check";
        report(match why {
            Nothing::NoPoints => Diagnostic::error(title, span, "no operation has a `lin`")
                .help(format!("write `lin` where the operations take effect, or remove `{asked}`")),
            Nothing::Rendezvous(meeting) => {
                Diagnostic::error(title, span, "operations of a rendezvous have no points of their own")
                    .label(*meeting, "the rendezvous is here")
                    .help(format!("remove `{asked}`: `linearizable` is checked without points"))
            }
        });
    }
}

/// Returns the part of a `check` block that asks for a judgement of points, and its place.
fn asks_for_points(check: &Check) -> Option<(&'static str, Span)> {
    let expected = check.points.as_ref().map(|points| ("points", points.span));
    let is_on = |bound: &Bound| matches!(bound, Bound::Name(value) if &**value == "on");
    let mut switches = check.bounds.iter().filter(|(name, bound, _)| &**name == "lin_points" && is_on(bound));
    expected.or_else(|| switches.next().map(|(_, _, span)| ("lin_points: on", *span)))
}
