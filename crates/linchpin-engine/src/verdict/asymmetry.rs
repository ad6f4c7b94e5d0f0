//! What keeps threads or values from being interchangeable, and where the text of a model shows it.

use linchpin_ir::source::Span;

/// A construct that distinguishes threads, or values of `data`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Asymmetry {
    /// The construct in the source text.
    pub span: Span,
    /// The construct as a noun phrase, for messages.
    pub what: &'static str,
}
