//! The commands, one file each. A command takes its arguments and the terminal and returns an ending.

mod budget;
mod certify;
mod check;
mod compile;
mod completions;
mod ending;
mod explore;
mod files;
mod fit;
mod fmt;
mod guard;
mod history;
mod history_spec;
mod history_text;
mod input;
mod instance;
mod ir;
mod limits;
mod lsp;
mod man;
mod models;
mod new;
mod points;
mod property;
mod prove;
mod replay;
mod reports;
mod run;
mod source;
mod summary;
mod terminal;
mod values;
mod verify;

pub use ending::{Ending, Failure};

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;
use terminal::Terminal;

/// Parses the command line, runs the command and returns the exit code.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut terminal = Terminal::new();
    let ending = match arguments.command.run(&mut terminal) {
        Ok(ending) => ending,
        Err(failure) => {
            terminal.note(&failure);
            failure.ending()
        }
    };
    terminal.last(ending).into()
}

/// A verifier for concurrent data structures. Finds a shortest execution that violates a property, or shows
/// that there is none.
#[derive(Parser, Debug)]
#[command(name = "linchpin", version, after_help = AFTER_HELP, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
MODEL is a path to a `.lin` file or a name of the catalogue (`linchpin models`).

Exit codes: 0 everything holds, 1 a violation, 2 a bad command line, model or input file, 3 unknown.

First steps:  linchpin run treiber_stack           show one execution
              linchpin models show treiber_stack   print the model
              linchpin new my_queue --spec Queue   write a new model";

#[derive(Subcommand, Debug)]
enum Command {
    /// Search for violations in growing bounds, then prove; print a table of verdicts
    Verify(verify::Arguments),
    /// Explore every execution within bounds
    Check(Box<check::Arguments>),
    /// Prove an object correct for any number of threads, nodes and values
    Prove(prove::Arguments),
    /// Find linearization points and confirm them within bounds
    Points(points::Arguments),
    /// Check a certificate, without prover code
    Certify(certify::Arguments),
    /// Replay a saved counterexample and show it
    Replay(replay::Arguments),
    /// Judge a recorded history against a specification
    History(history::Arguments),
    /// Show one random execution
    Run(run::Arguments),
    /// Explore executions by hand, in a browser or in the terminal
    Explore(explore::Arguments),
    /// Print the steps that a model becomes
    Ir(ir::Arguments),
    /// List the catalogue, or show one of its models
    Models(models::Arguments),
    /// Write a first model from a template
    New(new::Arguments),
    /// Run the language server over the standard streams, for editors
    Lsp(lsp::Arguments),
    /// Format models in place
    Fmt(fmt::Arguments),
    /// Print a script that completes the command line in a shell
    Completions(completions::Arguments),
    /// Write the manual pages into a directory
    Man(man::Arguments),
}

impl Command {
    fn run(&self, terminal: &mut Terminal) -> Result<Ending, Failure> {
        match self {
            Command::Verify(arguments) => verify::run(terminal, arguments),
            Command::Check(arguments) => check::run(terminal, arguments),
            Command::Prove(arguments) => prove::run(terminal, arguments),
            Command::Points(arguments) => points::run(terminal, arguments),
            Command::Certify(arguments) => certify::run(terminal, arguments),
            Command::Replay(arguments) => replay::run(terminal, arguments),
            Command::History(arguments) => history::run(terminal, arguments),
            Command::Run(arguments) => run::run(terminal, arguments),
            Command::Explore(arguments) => explore::run(terminal, arguments),
            Command::Ir(arguments) => ir::run(terminal, arguments),
            Command::Models(arguments) => models::run(terminal, arguments),
            Command::New(arguments) => new::run(terminal, arguments),
            Command::Lsp(arguments) => lsp::run(arguments),
            Command::Fmt(arguments) => fmt::run(terminal, arguments),
            Command::Completions(arguments) => completions::run(terminal, arguments, Arguments::command()),
            Command::Man(arguments) => man::run(terminal, arguments, Arguments::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
