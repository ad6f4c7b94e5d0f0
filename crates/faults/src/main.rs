//! Seeded faults: does any test notice when a judgement is wrong?
//!
//! A [fault](seeded::Fault) edits one place of the source and breaks one judgement. For example, an
//! obligation is skipped, a reduction merges too much, a monitor forgets. The command plants each fault in a
//! copy of the workspace. It builds the copy, runs the tests that should notice the fault, and prints a
//! table. A fault is *caught* if the copy compiles and a test fails.
//!
//! ```text
//! cargo run -p faults                                 plants every fault, one after the other
//! cargo run -p faults -- --only gate --only shape     plants the faults whose name contains one of the words
//! cargo run -p faults -- --table docs/soundness.md    writes each row into the table of that page as well
//! cargo run -p faults -- --list                       prints the names of the faults
//! ```
//!
//! A build takes most of the time of a fault. Faults of one file stand together in the list, so a build
//! repeats little of the one before it. With `--table` the test that noticed the fault last time is run
//! first.

mod plant;
mod seeded;
mod table;

use clap::Parser;
use plant::{Caught, Tree};
use seeded::Fault;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    about = "Plants seeded faults in a copy of the workspace and runs the tests that should notice them"
)]
struct Options {
    /// Plant only the faults whose name contains WORD. May be given several times.
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,
    /// Print the names of the faults. Plant no fault.
    #[arg(long)]
    list: bool,
    /// Write each row into the table of this page, as soon as it is known.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Directory of the copy of the workspace and of its build. Only one run at a time may use it.
    #[arg(long, default_value = "target/faults")]
    directory: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let faults: Vec<_> =
        seeded::all().into_iter().filter(|fault| is_selected(fault.name, &options.only)).collect();
    if options.list {
        for fault in &faults {
            println!("{}: {}", fault.name, fault.breaks);
        }
        return ExitCode::SUCCESS;
    }
    let tree = match Tree::copy(&options.directory) {
        Ok(tree) => tree,
        Err(error) => {
            let directory = options.directory.display();
            return failed(&format!("cannot copy the workspace to `{directory}`: {error}"));
        }
    };
    let page = options.table.as_ref().map(std::fs::read_to_string).transpose();
    let page = match page {
        Ok(page) => page.unwrap_or_default(),
        Err(error) => return failed(&format!("cannot read the table: {error}")),
    };
    let likely = |fault: &Fault| table::test_of(&page, fault).map(str::to_string);
    let faults: Vec<_> = faults.into_iter().map(|fault| (fault, likely(fault))).collect();
    if let Err(error) = tree.check_likely(&faults) {
        return failed(&error);
    }
    println!("{}", table::HEADING);
    let mut missed = 0;
    for (fault, likely) in &faults {
        let noticed = match tree.plant(fault, likely.as_deref()) {
            Ok(Caught::By(test)) => format!("`{test}`"),
            Ok(Caught::NotAtAll) => {
                missed += 1;
                "**nothing**".into()
            }
            Err(error) => {
                missed += 1;
                println!("{}", table::row(fault, &format!("**not planted**: {error}")));
                continue;
            }
        };
        println!("{}", table::row(fault, &noticed));
        if let Some(page) = &options.table
            && let Err(error) = table::write(page, fault, &noticed)
        {
            return failed(&format!("cannot write the row to `{}`: {error}", page.display()));
        }
    }
    let caught = faults.len() - missed;
    println!("\n{} faults, {caught} noticed, {missed} not", faults.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn failed(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

/// Whether the name contains one of the words. Without words every name is selected.
fn is_selected(name: &str, words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| name.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_may_be_given_several_times() {
        let options = Options::try_parse_from(["faults", "--only", "gate", "--only", "shape"]).unwrap();
        assert!(is_selected("gate_skips_a_state", &options.only));
        assert!(is_selected("a_shape_is_lost", &options.only));
        assert!(!is_selected("monitor_forgets", &options.only));
        assert!(is_selected("monitor_forgets", &[]));
    }
}
