//! The command line as scripts and people meet it: exit codes, messages, outputs.

mod budgets;
mod catalogue;
mod cmp;
mod documents;
mod errors;
mod examples;
mod explore;
mod fmt;
mod formats;
mod help;
mod history;
mod history_files;
mod history_logs;
mod inputs;
mod keep_going;
mod minimise;
mod new;
mod observers;
mod options;
mod outputs;
mod overrides;
mod pages;
mod points;
mod prove;
mod qualified;
mod readers;
mod run;
mod shell;
mod verify;

use snapbox::cmd::{Command, cargo_bin};
use std::fs;
use std::path::{Path, PathBuf};

/// The program, in a directory.
pub fn linchpin_in(directory: &Path) -> Command {
    Command::new(cargo_bin!("linchpin"))
        .current_dir(directory)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
}

/// The program, where it does not matter.
pub fn linchpin() -> Command {
    linchpin_in(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

/// An empty directory for one test.
pub fn scratch(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a test can make a directory");
    directory
}

/// A directory with one file.
pub fn scratch_with(test: &str, file: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let directory = scratch(test);
    fs::write(directory.join(file), text).expect("a test can write a file");
    directory
}
