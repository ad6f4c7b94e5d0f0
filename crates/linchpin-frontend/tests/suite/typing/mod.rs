//! The checker: what it says about wrong programs, word for word, and what it makes of right ones.

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
