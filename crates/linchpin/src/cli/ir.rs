//! `linchpin ir`: prints the steps of a model.

use super::compile::compile;
use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::cli::input;
use clap::Args;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::print;

#[derive(Args, Debug)]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let compiled = compile(input::load(&arguments.model)?, &Setting::default())?;
    compiled.print_warnings(terminal);
    terminal.print(&print(&compiled.sources, &compiled.program));
    Ok(Ending::AsAsked)
}
