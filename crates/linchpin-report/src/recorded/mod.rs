//! Recorded histories: events that a running program wrote to a file. This module reads, judges and shows
//! them.
//!
//! | file | contents |
//! |---|---|
//! | [`lines`] | the format: one JSON object on each line, a call or a return |
//! | [`jepsen`], [`edn`] | the logs of Jepsen: calls, returns, failures and unknown outcomes in EDN |
//! | [`values`] | conversion between recorded values and values of the specification |
//! | [`reading`] | conversion of lines to a history, with error messages |
//! | `load` | text to history and specification |
//! | [`judged`] | the verdict |
//! | [`view`] | the verdict as text |
//! | [`shown`] | the verdict in the report model |
//! | [`json`] | the verdict as JSON |
//!
//! `linchpin_judge::history` decides the verdict.

pub mod edn;
pub mod fuzzing;
pub mod jepsen;
pub mod json;
pub mod judged;
pub mod lines;
mod load;
pub mod reading;
pub mod shown;
pub mod values;
pub mod view;

pub use judged::{HistoryQuery, Judged, PROPERTIES, judge};
pub use lines::{RecordedLine, parse};
pub use load::{LoadError, Loaded, load};
pub use reading::{Recorded, read};
