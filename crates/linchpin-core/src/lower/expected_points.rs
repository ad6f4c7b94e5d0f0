//! A `check` block that expects something of the points needs points to judge.
//!
//! Without any `lin` every operation may take effect at any step, so judging by points would be judging by refinement and confirm
//! whatever holds. Operations that happen together have no points of their own (language 8).

use crate::diagnostic::Diagnostic;
use crate::interface::Check;
use crate::source::Span;

/// Why there is nothing to judge.
pub(super) enum Nothing {
    /// No operation has a `lin`.
    NoPoints,
    /// The specification, where operations meet.
    Rendezvous(Span),
}

/// A report for each block that names `points`.
pub(super) fn refuse(checks: &[Check], why: &Nothing, mut report: impl FnMut(Diagnostic)) {
    for points in checks.iter().filter_map(|check| check.points.as_ref()) {
        report(match why {
            Nothing::NoPoints => {
                Diagnostic::error("there are no points to judge", points.span, "no operation has a `lin`")
                    .help("write `lin` where the operations take effect, or leave `points` out")
            }
            Nothing::Rendezvous(meeting) => Diagnostic::error(
                "there are no points to judge",
                points.span,
                "operations that happen together have no points of their own",
            )
            .label(*meeting, "they happen together here")
            .help("leave `points` out: `linearizable` is judged without them"),
        });
    }
}
