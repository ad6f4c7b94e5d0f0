//! Seeded faults: does any test notice when a judgement is wrong?
//!
//! A [fault](seeded::Fault) is an edit of one place of the source that breaks one judgement: an obligation is skipped, a reduction merges too much, a monitor
//! forgets. The command plants each fault in a copy of the workspace, builds it, runs the tests that should notice and prints a table. A fault is
//! *caught* if the copy compiles and a test fails.
//!
//! ```text
//! cargo run -p faults                   plants all of them, one after the other
//! cargo run -p faults -- --only gate    those whose name contains a word
//! cargo run -p faults -- --list         names them
//! ```

mod plant;
mod seeded;

use clap::Parser;
use plant::{Caught, Tree};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    about = "Plants seeded faults in a copy of the workspace and runs the tests that should notice them"
)]
struct Options {
    /// Only faults whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Name the faults; plant none.
    #[arg(long)]
    list: bool,
    /// Where the copy of the workspace and its build are kept.
    #[arg(long, default_value = "target/faults")]
    directory: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let wanted = |name: &str| options.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let faults: Vec<_> = seeded::all().into_iter().filter(|fault| wanted(fault.name)).collect();
    if options.list {
        for fault in &faults {
            println!("{}: {}", fault.name, fault.breaks);
        }
        return ExitCode::SUCCESS;
    }
    let tree = match Tree::copy(&options.directory) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("error: the workspace cannot be copied: {error}");
            return ExitCode::from(2);
        }
    };
    println!("| fault | what is wrong then | noticed by |\n|---|---|---|");
    let mut missed = 0;
    for fault in &faults {
        let noticed = match tree.plant(fault) {
            Ok(Caught::By(test)) => format!("`{test}`"),
            Ok(Caught::NotAtAll) => {
                missed += 1;
                "**nothing**".into()
            }
            Err(error) => {
                missed += 1;
                format!("**not planted**: {error}")
            }
        };
        println!("| `{}` | {} | {noticed} |", fault.name, fault.breaks);
    }
    let caught = faults.len() - missed;
    println!("\n{} faults, {caught} noticed, {missed} not", faults.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
