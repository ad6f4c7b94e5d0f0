//! The command line: the only input, output, environment and exit codes.

mod cli;
mod input;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
