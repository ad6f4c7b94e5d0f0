//! Recorded histories: what a running program wrote down, read, judged and shown.
//!
//! | file | what it says |
//! |---|---|
//! | [`lines`] | the format: a JSON object a line, a call or a return |
//! | [`values`] | numbers and texts from outside as values of the specification, and back |
//! | [`reading`] | lines as a history of a specification's operations, or what is wrong with them |
//! | [`judged`] | what is said of it |
//! | [`view`] | the same for a person |
//! | [`json`] | the same for a program |
//!
//! The judgement itself is the core's (`linchpin_judge::history`).

pub mod fuzzing;
pub mod json;
pub mod judged;
pub mod lines;
pub mod reading;
pub mod values;
pub mod view;

pub use judged::{HistoryQuery, Judged, PROPERTIES, judge};
pub use lines::{Line, parse};
pub use reading::{Recorded, read};
