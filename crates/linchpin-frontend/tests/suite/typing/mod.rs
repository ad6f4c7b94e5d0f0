//! The checker: its messages for wrong programs, word for word, and its output for correct ones.

mod code;
mod literals;
mod models;
mod modules;
mod names;
mod object;
mod program;
mod support;
mod types;
mod values;
