//! The judges: histories, linearization points, and replayed executions.

mod explanation;
mod judgement;
mod long;
mod points;
mod replay;
pub mod support;
