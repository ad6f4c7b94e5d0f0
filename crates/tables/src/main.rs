//! Published tables beside ours: `cargo run --release -p tables -- friggens-6.1`.
//!
//! Only the published columns are constants; ours are measured in the run that prints them.

mod friggens_6_1;

use clap::{Parser, ValueEnum};

#[derive(Parser, Debug)]
#[command(name = "tables", about = "Prints a published table with our own measurements beside it")]
struct Arguments {
    /// Which table
    #[arg(value_enum)]
    table: TableName,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum TableName {
    /// Friggens, table 6.1: minimum parameters for counterexamples to linearizability
    #[value(name = "friggens-6.1")]
    Friggens61,
}

fn main() -> std::process::ExitCode {
    let printed = match Arguments::parse().table {
        TableName::Friggens61 => friggens_6_1::print(),
    };
    match printed {
        Ok(text) => {
            anstream::print!("{text}");
            std::process::ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            std::process::ExitCode::from(2)
        }
    }
}
