//! Linchpin beside Spin: `cargo run --release -p benchmarks -- spin`.
//!
//! Measurements, never tests: machines are noisy. What the tests of this crate check is how outputs are read,
//! and that the reference explorers of [`mod@reference`] are right.

mod audit;
mod compare;
mod histories;
mod instance;
mod measure;
mod pan;
mod problem;
mod product;
mod reference;
mod spin;

use clap::{Parser, Subcommand};
use histories::Plan;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser, Debug)]
#[command(name = "benchmarks", about = "Measures Linchpin, beside Spin and Porcupine")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Run both programs on each instance; print states, CPU, memory and their ratios
    Spin {
        /// Only instances with this in their name
        #[arg(long, value_name = "PART")]
        only: Option<String>,
        /// Run each program so many times; the run with the least CPU counts
        #[arg(long, value_name = "N", default_value_t = 1)]
        times: u32,
        /// The binary to measure [default: the release build of this workspace]
        #[arg(long, value_name = "FILE")]
        linchpin: Option<PathBuf>,
    },
    /// Judge generated and recorded histories; print verdicts, CPU and memory
    Histories {
        /// Only rows with this in their name
        #[arg(long, value_name = "PART")]
        only: Option<String>,
        /// The number of calls of generated histories (repeatable)
        #[arg(long, value_name = "N", default_values_t = [10_000, 100_000])]
        calls: Vec<usize>,
        /// The number of threads of generated histories
        #[arg(long, value_name = "N", default_value_t = 8)]
        threads: usize,
        /// The time limit of one run
        #[arg(long, value_name = "TIME", default_value = "60s")]
        timeout: String,
        /// The binary to measure [default: the release build of this workspace]
        #[arg(long, value_name = "FILE")]
        linchpin: Option<PathBuf>,
        /// A program that judges a file with Porcupine
        #[arg(long, value_name = "BINARY")]
        porcupine: Option<PathBuf>,
        /// A directory with recorded logs and the verdicts that are expected
        #[arg(long, value_name = "DIR")]
        logs: Option<PathBuf>,
    },
    /// Check that the Promela models find the bugs they should and have the states they should
    Audit,
}

fn main() -> ExitCode {
    match carry_out(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn carry_out(task: Task) -> Result<bool, String> {
    if matches!(task, Task::Spin { .. } | Task::Audit) {
        println!("{}", spin::versions()?);
    }
    let print = |line: &str| println!("{line}");
    match task {
        Task::Spin { only, times, linchpin } => {
            let binary = linchpin.map_or_else(product::build, Ok)?;
            compare::run(&binary, only.as_deref(), times, print).map(|()| true)
        }
        Task::Histories { only, calls, threads, timeout, linchpin, porcupine, logs } => {
            let linchpin = linchpin.map_or_else(product::build, Ok)?;
            histories::run(&Plan { linchpin, porcupine, logs, only, calls, threads, timeout }, print)
        }
        Task::Audit => audit::run(print),
    }
}
