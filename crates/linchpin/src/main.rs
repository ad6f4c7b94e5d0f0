//! The binary: command line, files, environment, exit codes.

mod cli;
mod input;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
