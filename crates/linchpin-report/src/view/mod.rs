//! The report model: what a report shows, computed once, without a layout.
//!
//! Text, pages, SARIF and DOT are printed from these values. Each value can be serialised; a page contains its
//! model under the name [`FORMAT`]. New versions may add fields, but never rename one.
//!
//! | file | contents |
//! |---|---|
//! | [`execution`] | an execution with its memory, its source text and the reason for the violation |
//! | [`exploration`] | an execution by hand, with the moves that are possible |
//! | [`intervals`] | a history as intervals |
//! | [`why`] | the reason for a violation |
//! | [`overview`] | the results of many models |
//! | [`proof`] | a proof, as sketches of heaps |
//! | [`rules`] | what can be violated, in words |
//! | [`set_proof`] | a proof of a set, as sketches of heaps |
//! | [`source`] | the text of a model |
//! | [`state_space`] | every state of a small instance |
//! | [`verdicts`] | verdicts of one request |
//!
//! All texts are [`visible`](crate::visible): no control characters, no characters that change directions.

pub mod execution;
pub mod exploration;
pub mod intervals;
pub mod overview;
pub mod proof;
pub mod rules;
pub mod set_proof;
pub mod source;
pub mod state_space;
pub mod verdicts;
pub mod why;

/// The format of the model in pages.
pub const FORMAT: &str = "linchpin-view/1";
