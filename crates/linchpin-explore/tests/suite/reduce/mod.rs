//! The laws of the reductions, on random executions of every model of the catalogue.

mod encoding;
mod renaming;
mod representatives;
mod support;
