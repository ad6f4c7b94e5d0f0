//! `linchpin replay`: runs a saved counterexample again and shows it.

use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::input;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct Arguments {
    /// The trace that `check --trace` saved
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
}

pub fn run(_terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    input::read_text(&arguments.trace).map_err(Failure::Input)?;
    Err(Failure::unsupported("replaying traces"))
}
