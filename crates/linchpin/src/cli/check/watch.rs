//! `check --watch`: runs again when a file of the models changes.
//!
//! The command polls the time of change and the length of each file. It does not need a service of the
//! operating system, and a poll of a few files costs nothing that a user notices.

use super::super::files::model_inputs;
use super::super::guard::Interrupts;
use super::super::source::Source;
use super::super::terminal::Terminal;
use super::super::{Ending, Failure};
use super::arguments::Arguments;
use crate::cli::input::model_file;
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_ir::interface::Setting;
use linchpin_report::line::DIM;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Time between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Checks the models now and after each change, until an interrupt. The ending is that of the last run.
pub fn run(
    terminal: &mut Terminal,
    arguments: &Arguments,
    interrupts: &Interrupts,
) -> Result<Ending, Failure> {
    let watched_models: Vec<PathBuf> =
        arguments.models.iter().filter_map(|model| model_file(model)).collect();
    if watched_models.is_empty() {
        return Err(Failure::input(
            "`--watch` does not apply to models of the catalogue: they do not change",
        )
        .help("save a model with `linchpin models show NAME > FILE.lin`"));
    }
    loop {
        // The files are looked at before the run: a change during the run is a change.
        let before = Snapshot::of(files(arguments, &watched_models));
        let ending = match super::run_once(terminal, arguments, interrupts) {
            Ok(ending) => ending,
            Err(failure) => {
                terminal.note(&failure);
                failure.ending()
            }
        };
        if interrupts.have_come() {
            return Ok(ending);
        }
        let count = before.files.len();
        let files = if count == 1 { "the file".to_string() } else { format!("{count} files") };
        terminal.note(format_args!("{DIM}waiting for a change of {files}; Ctrl-C ends{DIM:#}\n"));
        while before.is_current() {
            if interrupts.have_come() {
                return Ok(ending);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        // An editor may still be writing.
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Returns the models and their modules. A model with errors is watched with the modules that it could read.
fn files(arguments: &Arguments, models: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = models.to_vec();
    for model in &arguments.models {
        let Ok(source) = Source::new(model) else { continue };
        let sources = match source.compile(&Setting::default()) {
            Ok(Compiled { sources, .. }) | Err(RequestError::Model { sources, .. }) => sources,
            Err(RequestError::Message { .. }) => continue,
        };
        files.extend(model_inputs(&sources).into_iter().filter(|file| file.is_file()));
    }
    files.sort();
    files.dedup();
    files
}

/// Files with their times of change and lengths. `None`: the file cannot be read.
struct Snapshot {
    files: Vec<(PathBuf, Option<(SystemTime, u64)>)>,
}

impl Snapshot {
    fn of(files: Vec<PathBuf>) -> Snapshot {
        let seen = |path: PathBuf| {
            let state = state_of(&path);
            (path, state)
        };
        Snapshot { files: files.into_iter().map(seen).collect() }
    }

    fn is_current(&self) -> bool {
        self.files.iter().all(|(path, state)| state_of(path) == *state)
    }
}

fn state_of(path: &PathBuf) -> Option<(SystemTime, u64)> {
    let known = fs::metadata(path).ok()?;
    Some((known.modified().ok()?, known.len()))
}
