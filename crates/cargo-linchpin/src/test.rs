//! `cargo linchpin test`: builds and runs the tests for a way, in a target directory of its own.
//!
//! The way *shuttle* needs three things. The flags `--cfg linchpin_way="shuttle"` and `--cfg loom` switch the
//! facades of crates on. So does `--cfg crossbeam_loom` for crossbeam, which needs its feature `loom` too. A
//! crate with the name `loom` takes the place of loom. And the lock file of the project must stay as it is:
//! cargo writes the replacement into it, so it is written back afterwards.

use crate::Problem;
use crate::metadata::{Metadata, cargo};
use clap::{Args, ValueEnum};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct Arguments {
    /// How executions are made
    #[arg(long, value_enum, default_value_t = Way::Shuttle)]
    way: Way,
    /// The time limit of each test in seconds
    #[arg(long, value_name = "SECONDS")]
    budget: Option<f64>,
    /// A failure to run again: the value of `LINCHPIN_REPLAY` in its report
    #[arg(long, value_name = "FAILURE")]
    replay: Option<String>,
    /// Arguments of `cargo test`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    cargo: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    /// Real threads
    Threads,
    /// Every schedule up to a number of preemptions
    Shuttle,
}

/// The stand-in for loom: its sources.
const STAND_IN: &str = include_str!("../../loom/src/lib.rs");
const STAND_IN_MANIFEST: &str = include_str!("../../loom/Cargo.toml");

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Problem> {
    let metadata = Metadata::read(manifest(&arguments.cargo).as_deref())?;
    let instrument = metadata.sibling("linchpin-instrument")?;
    let mut command = cargo();
    command.arg("test");
    let lock = metadata.root().join("Cargo.lock");
    let before = fs::read(&lock).ok();
    if arguments.way == Way::Shuttle {
        let target = metadata.target_directory().join("linchpin-shuttle");
        let mut flags = r#"--cfg linchpin_way="shuttle" --cfg loom"#.to_string();
        // Without the feature crossbeam-utils does not compile with the flag.
        if metadata.has_feature("crossbeam-utils", "loom") {
            flags += " --cfg crossbeam_loom";
        }
        let own = env::var("RUSTFLAGS").unwrap_or_default();
        command.env("RUSTFLAGS", format!("{own} {flags}").trim());
        command.env_remove("CARGO_ENCODED_RUSTFLAGS");
        command.env("CARGO_TARGET_DIR", &target);
        if !metadata.packages("loom").is_empty() {
            let stand_in = write_stand_in(&target, &instrument)?;
            let path = stand_in.display().to_string().replace('\\', "/");
            command.arg("--config").arg(format!("patch.crates-io.loom.path=\"{path}\""));
        }
    }
    if let Some(seconds) = arguments.budget {
        command.env("LINCHPIN_BUDGET", seconds.to_string());
    }
    if let Some(failure) = &arguments.replay {
        command.env("LINCHPIN_REPLAY", failure);
    }
    let status = command.args(&arguments.cargo).status();
    if let Some(before) = before.filter(|before| fs::read(&lock).is_ok_and(|now| now != *before)) {
        fs::write(&lock, before).map_err(|error| {
            Problem::new(format!("cannot restore `{}`: {error}", lock.display()), "restore the file")
        })?;
    }
    let status = status.map_err(|error| {
        Problem::new(format!("cannot start cargo: {error}"), "install cargo, or set the variable CARGO")
    })?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(ExitCode::from(code))
}

/// Returns the manifest that the arguments of `cargo test` name.
fn manifest(arguments: &[String]) -> Option<PathBuf> {
    let mut arguments = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == "--manifest-path" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(path) = argument.strip_prefix("--manifest-path=") {
            return Some(path.into());
        }
    }
    None
}

/// Writes the stand-in for loom. Returns its directory.
fn write_stand_in(target: &Path, instrument: &Path) -> Result<PathBuf, Problem> {
    let directory = target.join("stand-in");
    let path = instrument.display().to_string().replace('\\', "/");
    let manifest = STAND_IN_MANIFEST.replace("../linchpin-instrument", &path);
    let files = [("Cargo.toml", manifest.as_str()), ("src/lib.rs", STAND_IN)];
    let write = || {
        fs::create_dir_all(directory.join("src"))?;
        for (name, text) in files {
            let file = directory.join(name);
            // An unchanged file keeps its date, so that cargo builds nothing again.
            if fs::read_to_string(&file).is_ok_and(|old| old == text) {
                continue;
            }
            fs::write(file, text)?;
        }
        Ok(())
    };
    write().map(|()| directory.clone()).map_err(|error: std::io::Error| {
        let at = directory.display();
        Problem::new(format!("cannot write the stand-in for loom to `{at}`: {error}"), "free the directory")
    })
}
