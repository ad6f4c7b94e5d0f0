//! Linchpin's engines and reports. Nothing here reads a file, a clock or the environment, or writes to a terminal:
//! the binary (`main.rs`, `cli/`, `input.rs`) does that alone.

pub mod catalogue;
pub mod embedded;
pub mod engine;
pub mod explore;
pub mod history;
pub mod hunt;
pub mod minimise;
pub mod nearest;
pub mod portfolio;
pub mod prove;
pub mod report;
pub mod walk;
