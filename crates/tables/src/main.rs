//! Published tables beside ours: `cargo run --release -p tables -- friggens-6.1`.
//!
//! Only the published columns are constants; ours are measured in the run that prints them.

mod friggens_6_1;
mod friggens_bounded;
mod length;
mod measure;
mod pat_1;

use clap::{Parser, ValueEnum};

#[derive(Parser, Debug)]
#[command(name = "tables", about = "Prints a published table with our own measurements beside it")]
struct Arguments {
    /// Which table
    #[arg(value_enum)]
    table: TableName,

    /// Long rows too
    #[arg(long)]
    long: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum TableName {
    /// Friggens, table 6.1: minimum parameters for counterexamples to linearizability
    #[value(name = "friggens-6.1")]
    Friggens61,
    /// Friggens, table 6.2: Treiber stack, bounded verification
    #[value(name = "friggens-6.2")]
    Friggens62,
    /// Friggens, table 6.3: MS queue
    #[value(name = "friggens-6.3")]
    Friggens63,
    /// Friggens, table 6.4: DGLM queue
    #[value(name = "friggens-6.4")]
    Friggens64,
    /// Friggens, table 6.5: LMS queue
    #[value(name = "friggens-6.5")]
    Friggens65,
    /// Friggens, table 6.6: Treiber stack with symmetry reduction
    #[value(name = "friggens-6.6")]
    Friggens66,
    /// PAT, table 1: refinement with and without reductions
    #[value(name = "pat-1")]
    Pat1,
}

fn main() -> std::process::ExitCode {
    let Arguments { table, long } = Arguments::parse();
    let bounded = |table| friggens_bounded::print(table, long);
    let printed = match table {
        TableName::Friggens61 => friggens_6_1::print(),
        TableName::Friggens62 => bounded(&friggens_bounded::TABLE_6_2),
        TableName::Friggens63 => bounded(&friggens_bounded::TABLE_6_3),
        TableName::Friggens64 => bounded(&friggens_bounded::TABLE_6_4),
        TableName::Friggens65 => bounded(&friggens_bounded::TABLE_6_5),
        TableName::Friggens66 => bounded(&friggens_bounded::TABLE_6_6),
        TableName::Pat1 => pat_1::print(long),
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
