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
//! A build takes most of the time of a fault. Faults of one file stand together in the list, so a build repeats
//! little of the one before it. With `--table` the test that noticed the fault last time is run first.

mod plant;
mod seeded;
mod table;

use clap::Parser;
use plant::{Caught, Tree};
use seeded::Fault;
use std::path::{Path, PathBuf};
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
            eprintln!("error: cannot copy the workspace to `{}`: {error}", options.directory.display());
            return ExitCode::from(2);
        }
    };
    println!("{}", table::HEADING);
    let mut missed = 0;
    for fault in &faults {
        let noticed = match plant(&tree, fault, options.table.as_deref()) {
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
            eprintln!("error: cannot write the row to `{}`: {error}", page.display());
            return ExitCode::from(2);
        }
    }
    let caught = faults.len() - missed;
    println!("\n{} faults, {caught} noticed, {missed} not", faults.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plants a fault. The page tells which test noticed it last time.
fn plant(tree: &Tree, fault: &Fault, page: Option<&Path>) -> Result<Caught, String> {
    let page = page.and_then(|page| std::fs::read_to_string(page).ok()).unwrap_or_default();
    tree.plant(fault, table::test_of(&page, fault))
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
