//! The judges: histories, linearization points, and executions that are run again.

mod explanation;
mod judgement;
mod long;
mod points;
mod replay;
mod support;
