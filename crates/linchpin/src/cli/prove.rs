//! `linchpin prove`: correct for any number of threads, nodes and values.

use super::compile::compile;
use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::input;
use clap::{Args, ValueEnum};
use linchpin_core::typing::Setting;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,
    /// Which abstraction to prove with
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    pub method: Method,
    /// Write the proof's certificate
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Method {
    /// Whichever takes the model
    Auto,
    /// Pairs of threads, with observers for the specification
    Pairs,
    /// Canonical abstraction
    Canonical,
    /// Sorted lists
    Cmp,
}

pub fn run(_terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    compile(input::load(&arguments.model)?, &Setting::default())?;
    Err(Failure::unsupported("proving for all sizes"))
}
