//! `cargo linchpin`: runs tests of `linchpin-test` in a way that needs another build.
//!
//! | file | contents |
//! |---|---|
//! | `metadata` | where cargo has the packages |
//! | `test` | `cargo linchpin test`: the build for a way |
//! | `vendor` | `cargo linchpin vendor`: a copy of a crate that uses instrumented atomics |
//! | `rewrite` | changes the paths in a source file |

mod metadata;
mod rewrite;
mod test;
mod vendor;

use clap::{Parser, Subcommand};
use std::fmt;
use std::process::ExitCode;

/// Cargo starts the program as `cargo-linchpin linchpin …`.
#[derive(Parser)]
#[command(bin_name = "cargo")]
enum Cargo {
    /// Tests of concurrent data structures with linchpin-test
    #[command(version)]
    Linchpin {
        #[command(subcommand)]
        command: Command,
    },
}

#[derive(Subcommand)]
enum Command {
    /// Builds and runs tests in a way: real threads, or every schedule up to a number of preemptions
    Test(test::Arguments),
    /// Copies a crate and makes the copy use instrumented atomics, locks and threads
    Vendor(vendor::Arguments),
}

/// An error with the action that resolves it.
#[derive(Debug)]
pub(crate) struct Problem {
    text: String,
    help: String,
}

impl Problem {
    pub fn new(text: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem { text: text.into(), help: help.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\n  = help: {}", self.text, self.help)
    }
}

fn main() -> ExitCode {
    let Cargo::Linchpin { command } = Cargo::parse();
    let ended = match command {
        Command::Test(arguments) => test::run(&arguments),
        Command::Vendor(arguments) => vendor::run(&arguments).map(|()| ExitCode::SUCCESS),
    };
    ended.unwrap_or_else(|problem| {
        eprintln!("{problem}");
        ExitCode::from(2)
    })
}
