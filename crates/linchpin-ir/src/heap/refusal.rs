//! Makes the description of a construct that a heap program cannot have.

use super::UnsupportedConstruct;
use crate::source::Span;

pub(super) fn refusal(construct: &str, span: Span) -> UnsupportedConstruct {
    UnsupportedConstruct { construct: construct.into(), span }
}
