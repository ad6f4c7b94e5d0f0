//! Standard output, standard error and output files. Colours are removed if the stream is not a terminal or
//! `NO_COLOR` is set.
//!
//! A failed write never hides a verdict: the command continues, and [`Terminal::last`] reports the failure at
//! the end. A closed pipe is not a failure.

use super::ending::{Ending, Failure};
use super::files::{is_standard_output, write_whole};
use super::fit::fitted;
use std::io::{self, Write};
use std::path::Path;

/// The width without a terminal.
const DEFAULT_WIDTH: usize = 100;
/// The least width for columns.
const LEAST_WIDTH: usize = 40;

pub struct Terminal {
    out: anstream::Stdout,
    /// Number of columns of a line.
    pub width: usize,
    /// Standard output is a terminal, so a line beyond the width would be broken.
    pub is_terminal: bool,
    /// Standard output is closed or cannot be written.
    is_closed: bool,
    failures: Vec<Failure>,
}

impl Terminal {
    pub fn new() -> Terminal {
        let width = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        Terminal {
            out: anstream::stdout(),
            width: width.unwrap_or(DEFAULT_WIDTH).max(LEAST_WIDTH),
            is_terminal: width.is_some(),
            is_closed: false,
            failures: Vec::new(),
        }
    }

    /// Writes to standard output. On a terminal, lines beyond the width are broken at blanks.
    pub fn print(&mut self, text: &str) {
        match self.is_terminal {
            true => self.print_as_it_is(&fitted(text, self.width)),
            false => self.print_as_it_is(text),
        }
    }

    /// Writes a text for other programs, or source text, to standard output.
    pub fn print_as_it_is(&mut self, text: &str) {
        if self.is_closed {
            return;
        }
        if let Err(error) = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            self.is_closed = true;
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.failures.push(Failure::Output(error));
            }
        }
    }

    /// Writes a file; `-` is standard output.
    pub fn save(&mut self, path: &Path, text: Result<String, serde_json::Error>) {
        let text =
            text.map_err(|error| Failure::input(format!("`{}` cannot be written: {error}", path.display())));
        match text {
            Ok(text) if is_standard_output(path) => self.print_as_it_is(&text),
            Ok(text) => self.failures.extend(write_whole(path, &text).err()),
            Err(failure) => self.failures.push(failure),
        }
    }

    /// Keeps a failure for the end.
    pub fn fail(&mut self, result: Result<(), Failure>) {
        self.failures.extend(result.err());
    }

    /// Writes to standard error, like [`Terminal::print`]. A failed write is ignored.
    pub fn note(&mut self, text: impl std::fmt::Display) {
        let width = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
        let text = text.to_string();
        let text = width.map_or(text.clone(), |width| fitted(&text, width.max(LEAST_WIDTH)));
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// Reports failed writes and returns the final ending. A violation outweighs a failed write.
    pub fn last(mut self, ending: Ending) -> Ending {
        let failures = std::mem::take(&mut self.failures);
        failures.iter().for_each(|failure| self.note(failure));
        failures.iter().fold(ending, |ending, failure| ending.worst(failure.ending()))
    }
}
