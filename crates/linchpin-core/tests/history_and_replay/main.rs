//! The judges: histories, linearization points, and executions that are run again.

mod explanation;
mod judgement;
mod points;
mod replay;
mod support;
