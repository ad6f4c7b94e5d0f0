//! Reads the text of a recorded history against a specification.

use super::jepsen::{self, LogLine};
use super::lines::{self, RecordedLine};
use super::reading::{Recorded, read};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::number_of;
use linchpin_ir::program::Program;
use linchpin_ir::source::{FileId, SourceMap};
use linchpin_ir::types::Word;
use linchpin_semantics::{Bounds, MAX_THREADS, SpecMachine};
use rustc_hash::FxHashSet;
use std::fmt;
use std::sync::Arc;

/// A recorded history and the specification to judge it by.
pub struct Loaded {
    pub spec: SpecMachine,
    pub recorded: Recorded,
}

/// Reason why a history cannot be judged. `E` is the error of the caller's compiler.
#[derive(Debug)]
pub enum LoadError<E> {
    /// `go_on` returned false.
    Stopped,
    /// A text without events.
    Empty,
    /// Errors of the text, with places.
    History(Vec<Diagnostic>),
    /// An error of the specification.
    Specification(E),
    /// The specification counts threads. The history has more threads than a specification can count.
    TooManyThreads(usize),
}

/// Reads a history. `compile` makes the specification for a number of threads. `go_on` is polled; false ends
/// the work.
pub fn load<E>(
    sources: &SourceMap,
    file: FileId,
    compile: impl FnOnce(u32) -> Result<Program, E>,
    go_on: &dyn Fn() -> bool,
) -> Result<Loaded, LoadError<E>> {
    let text = &sources.file(file).text;
    let (events, mut findings) = Events::parse(file, text, go_on).ok_or(LoadError::Stopped)?;
    if events.is_empty() && findings.is_empty() {
        return Err(LoadError::Empty);
    }
    let threads = events.threads();
    let counted = threads.min(MAX_THREADS as usize);
    let program = compile(number_of(counted)).map_err(LoadError::Specification)?;
    if program.threads_used_at.is_some() && threads > counted {
        return Err(LoadError::TooManyThreads(threads));
    }
    let parsed = events.lines(&program);
    let recorded = match read(sources, &program, &parsed, go_on) {
        Ok(None) => return Err(LoadError::Stopped),
        Ok(Some(recorded)) if findings.is_empty() => recorded,
        Ok(_) => return Err(LoadError::History(findings)),
        Err(more) => {
            findings.extend(more);
            return Err(LoadError::History(findings));
        }
    };
    let bounds = Bounds {
        threads: program.threads,
        values: number_of(recorded.dictionary.data()),
        keys: number_of(recorded.dictionary.keys()),
        ints: Word::MAX - 1,
        ..Bounds::default()
    };
    let spec = SpecMachine::new(&Arc::new(program), &bounds).map_err(LoadError::History)?;
    Ok(Loaded { spec, recorded })
}

/// The events of a file, in its format.
enum Events {
    Lines(Vec<RecordedLine>),
    Log(Vec<LogLine>),
}

impl Events {
    /// Reads all events. `None`: `go_on` returned false.
    fn parse(file: FileId, text: &str, go_on: &dyn Fn() -> bool) -> Option<(Events, Vec<Diagnostic>)> {
        if jepsen::is_log(text) {
            let (log, findings) = jepsen::parse(file, text, go_on)?;
            return Some((Events::Log(log), findings));
        }
        let (lines, findings) = lines::parse(file, text, go_on)?;
        Some((Events::Lines(lines), findings))
    }

    fn is_empty(&self) -> bool {
        match self {
            Events::Lines(lines) => lines.is_empty(),
            Events::Log(log) => log.is_empty(),
        }
    }

    fn threads(&self) -> usize {
        match self {
            Events::Lines(lines) => lines.iter().map(|line| &line.thread).collect::<FxHashSet<_>>().len(),
            Events::Log(log) => jepsen::most_threads(log),
        }
    }

    fn lines(self, program: &Program) -> Vec<RecordedLine> {
        match self {
            Events::Lines(lines) => lines,
            Events::Log(log) => jepsen::resolve(program, log),
        }
    }
}

impl<E: fmt::Display> fmt::Display for LoadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Stopped => f.write_str("stopped before the end of the history"),
            LoadError::Empty => f.write_str("the history has no events"),
            LoadError::History(findings) => {
                let titles: Vec<&str> = findings.iter().map(|finding| &*finding.title).collect();
                f.write_str(&titles.join("\n"))
            }
            LoadError::Specification(error) => error.fmt(f),
            LoadError::TooManyThreads(threads) => {
                write!(f, "the specification counts at most {MAX_THREADS} threads; the history has {threads}")
            }
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for LoadError<E> {}
