//! How a run of the program ends, and the one place where that becomes an exit code.

use anstyle::{AnsiColor, Style};
use std::fmt::{self, Display};
use std::io;
use std::process::ExitCode;

/// What the exit code says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Everything holds, or is as its `check` block expects.
    AsAsked,
    Violated,
    /// A bad command line, model or input file.
    BadInput,
    /// A limit was reached, or nothing supports the question yet.
    Unknown,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> ExitCode {
        ExitCode::from(match ending {
            Ending::AsAsked => 0,
            Ending::Violated => 1,
            Ending::BadInput => 2,
            Ending::Unknown => 3,
        })
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// The command line or an input file is at fault.
    Input(Message),
    /// A model is at fault: its findings, rendered, and how many of them are errors.
    Model { file: String, findings: Vec<String>, errors: usize },
    /// Nothing does this yet: never a pass.
    Unsupported(Message),
    /// Standard output is gone or full.
    Output(io::Error),
}

/// An error without a place in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub title: String,
    pub help: Option<String>,
}

impl Message {
    pub fn new(title: impl Into<String>) -> Message {
        Message { title: title.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Message {
        self.help = Some(help.into());
        self
    }
}

impl Failure {
    pub fn input(title: impl Into<String>) -> Failure {
        Failure::Input(Message::new(title))
    }

    /// Adds the way out.
    pub fn help(self, help: impl Into<String>) -> Failure {
        match self {
            Failure::Input(message) => Failure::Input(message.help(help)),
            Failure::Unsupported(message) => Failure::Unsupported(message.help(help)),
            other => other,
        }
    }

    /// `unknown (not supported)`: `what` reads as the subject of "is not supported yet".
    pub fn unsupported(what: impl Display) -> Failure {
        Failure::Unsupported(Message::new(format!("{what} is not supported yet")))
    }

    pub fn ending(&self) -> Ending {
        match self {
            Failure::Input(_) | Failure::Model { .. } | Failure::Output(_) => Ending::BadInput,
            Failure::Unsupported(_) => Ending::Unknown,
        }
    }

    /// The reader of our output has left (`linchpin models | head`): nobody to tell, nothing wrong.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(message) => write_message(f, "error", ERROR, message),
            Failure::Unsupported(message) => write_message(f, "unknown", UNKNOWN, message),
            Failure::Output(error) => {
                write_message(f, "error", ERROR, &Message::new(format!("cannot write the output: {error}")))
            }
            Failure::Model { file, findings, errors } => {
                for finding in findings {
                    writeln!(f, "{finding}\n")?;
                }
                let many = if *errors == 1 { "an error".into() } else { format!("{errors} errors") };
                write_message(f, "error", ERROR, &Message::new(format!("`{file}` has {many}")))
            }
        }
    }
}

const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
const UNKNOWN: Style = AnsiColor::BrightYellow.on_default().bold();
const HELP: Style = AnsiColor::BrightCyan.on_default().bold();
const BOLD: Style = Style::new().bold();

fn write_message(f: &mut fmt::Formatter<'_>, word: &str, style: Style, message: &Message) -> fmt::Result {
    write!(f, "{style}{word}{style:#}{BOLD}: {}{BOLD:#}", message.title)?;
    if let Some(help) = &message.help {
        write!(f, "\n  {HELP}help{HELP:#}: {help}")?;
    }
    Ok(())
}
