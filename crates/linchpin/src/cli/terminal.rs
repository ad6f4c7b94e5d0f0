//! Standard output and standard error. Text is written with its colours; they are taken out where the stream is no
//! terminal or `NO_COLOR` is set.

use std::io::{self, Write};

/// The width of what is not a terminal.
const DEFAULT_WIDTH: usize = 100;
/// Below this nothing can be laid out in columns.
const LEAST_WIDTH: usize = 40;

pub struct Terminal {
    out: anstream::Stdout,
    /// How many characters a line has.
    pub width: usize,
}

impl Terminal {
    pub fn new() -> Terminal {
        let width = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        Terminal { out: anstream::stdout(), width: width.unwrap_or(DEFAULT_WIDTH).max(LEAST_WIDTH) }
    }

    /// Writes to standard output.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Tells something beside the result. A closed standard error is nobody's business.
    pub fn note(&mut self, text: impl std::fmt::Display) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}
