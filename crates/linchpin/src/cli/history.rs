//! `linchpin history`: judges a recorded history against a specification.

use super::property;
use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::input;
use clap::Args;
use linchpin_core::verdict::Property;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct Arguments {
    /// The history, a JSON object a line
    pub file: PathBuf,
    /// The specification to judge it by
    #[arg(long, value_name = "NAME")]
    pub spec: String,
    /// What to ask of it (repeatable)
    #[arg(long = "property", value_name = "P", value_parser = property::parser())]
    pub properties: Vec<Property>,
}

pub fn run(_terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    input::read_text(&arguments.file).map_err(Failure::Input)?;
    Err(Failure::unsupported("judging recorded histories"))
}
