//! Published tables beside ours: `cargo run --release -p tables -- friggens-6.1`.
//!
//! Only the published columns are constants; ours are measured in the run that prints them.

mod cmp;
mod collect;
mod edited;
mod friggens_6_1;
mod friggens_6_7;
mod friggens_bounded;
mod length;
mod limits;
mod lock_freedom;
mod measure;
mod minimal;
mod observers;
mod pat_1;
mod rolling;
mod sets;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};

#[derive(Parser, Debug)]
#[command(name = "tables", about = "Prints a published table with our own measurements beside it")]
struct Arguments {
    /// Which table
    #[arg(value_enum)]
    table: TableName,

    /// Long rows and configurations too
    #[arg(long)]
    long: bool,

    #[command(flatten)]
    collect: collect::Options,

    #[command(flatten)]
    limits: limits::Options,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum TableName {
    /// COLLECT, table 2: classes of The Art of Multiprocessor Programming in five configurations
    Collect,
    /// docs/casebook.md: a shortest counterexample for each violation of COLLECT 5.4
    Casebook,
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
    /// Friggens, table 6.7: minimum parameters for counterexamples to nonblocking properties
    #[value(name = "friggens-6.7")]
    Friggens67,
    /// Friggens, table 6.8: lock-freedom of the Treiber stack
    #[value(name = "friggens-6.8")]
    Friggens68,
    /// Friggens, table 6.9: lock-freedom of the MS queue
    #[value(name = "friggens-6.9")]
    Friggens69,
    /// Friggens, table 6.10: lock-freedom of the DGLM queue
    #[value(name = "friggens-6.10")]
    Friggens610,
    /// Friggens, table 6.11: lock-freedom of the LMS queue
    #[value(name = "friggens-6.11")]
    Friggens611,
    /// PAT, table 1: refinement with and without reductions
    #[value(name = "pat-1")]
    Pat1,
    /// Observers, tables 1 and 2: proofs for all sizes, and what is wrong
    Observers,
    /// List-based sets: proofs for all sizes, with no annotation
    Sets,
    /// The same by one thread and mined lemmas, beside Sethi, Talupur and Malik
    Cmp,
    /// docs/limits.md: the largest instances of Friggens' tables 6.2 to 6.6 that finish in a budget
    Limits,
}

fn main() -> std::process::ExitCode {
    let matches = Arguments::command().get_matches();
    let Arguments { table, long, collect, limits } = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    if let Some((option, of)) = foreign_option(&matches, table) {
        let what = format!("--{option} is an option of `{of}` alone");
        Arguments::command().error(ErrorKind::ArgumentConflict, what).exit();
    }
    let tell = &mut |text: &str| anstream::print!("{text}");
    let mut bounded = |table| friggens_bounded::print(table, long, tell).map(|()| String::new());
    let printed = match table {
        TableName::Friggens62 => bounded(&friggens_bounded::TABLE_6_2),
        TableName::Friggens63 => bounded(&friggens_bounded::TABLE_6_3),
        TableName::Friggens64 => bounded(&friggens_bounded::TABLE_6_4),
        TableName::Friggens65 => bounded(&friggens_bounded::TABLE_6_5),
        TableName::Friggens66 => bounded(&friggens_bounded::TABLE_6_6),
        TableName::Collect => collect::print(&collect, long, tell).map(|()| String::new()),
        TableName::Casebook => collect::casebook::print(),
        TableName::Friggens61 => friggens_6_1::print(),
        TableName::Friggens67 => friggens_6_7::print(),
        TableName::Friggens68 => lock_freedom::print(&lock_freedom::TABLE_6_8, long),
        TableName::Friggens69 => lock_freedom::print(&lock_freedom::TABLE_6_9, long),
        TableName::Friggens610 => lock_freedom::print(&lock_freedom::TABLE_6_10, long),
        TableName::Friggens611 => lock_freedom::print(&lock_freedom::TABLE_6_11, long),
        TableName::Pat1 => pat_1::print(long, tell).map(|()| String::new()),
        TableName::Sets => sets::print(),
        TableName::Cmp => cmp::print(),
        TableName::Observers => observers::print(tell).map(|()| String::new()),
        TableName::Limits => limits::print(&limits, tell).map(|()| String::new()),
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

/// The first option on the command line that is of another table, and the name of that.
fn foreign_option(matches: &clap::ArgMatches, table: TableName) -> Option<(&'static str, &'static str)> {
    let is_given = |id: &str| matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
    let of = |name, options: &[(&str, &'static str)]| {
        options.iter().find(|(id, _)| is_given(id)).map(|(_, option)| (*option, name))
    };
    let of_limits = of("limits", &limits::Options::ALL).filter(|_| table != TableName::Limits);
    let of_collect = of("collect", &collect::Options::ALL).filter(|_| table != TableName::Collect);
    of_limits.or(of_collect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_for_their_table_alone() {
        Arguments::command().debug_assert();
        let foreign = |line: &str| {
            let matches = Arguments::command().try_get_matches_from(line.split(' ')).ok()?;
            foreign_option(&matches, Arguments::from_arg_matches(&matches).ok()?.table)
        };
        assert_eq!(foreign("tables pat-1 --long"), None);
        assert_eq!(foreign("tables limits --continue"), None);
        assert_eq!(foreign("tables collect --class CoarseList --configuration D"), None);
        assert_eq!(foreign("tables pat-1 --timeout 5s"), Some(("timeout", "limits")));
        assert_eq!(foreign("tables collect --continue"), Some(("continue", "limits")));
        assert_eq!(foreign("tables limits --class CoarseList"), Some(("class", "collect")));
    }
}
