//! The ending of a command and its exit code. No other module chooses exit codes.

use anstyle::{AnsiColor, Style};
use linchpin_engine::verdict::{ExpectationResult, Finding, Match, Verdict};
use linchpin_report::visible::visible_lines;
use std::fmt::{self, Display};
use std::io;
use std::process::ExitCode;

/// The ending of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Everything holds, or is as its `check` block expects.
    AsAsked,
    Violated,
    /// A bad command line, model or input file.
    BadInput,
    /// A limit was reached, or the request is not supported.
    Unknown,
}

impl Ending {
    /// Combines two endings: a violation outweighs an error, an error outweighs an unknown verdict.
    pub fn worst(self, other: Ending) -> Ending {
        let weight = |ending: Ending| match ending {
            Ending::AsAsked => 0,
            Ending::Unknown => 1,
            Ending::BadInput => 2,
            Ending::Violated => 3,
        };
        if weight(other) > weight(self) { other } else { self }
    }

    /// Returns the ending of verdicts with their expectations.
    pub fn of<'f>(findings: impl IntoIterator<Item = (&'f Finding, ExpectationResult)>) -> Ending {
        findings
            .into_iter()
            .map(|(finding, judged)| Ending::of_one(finding, judged))
            .fold(Ending::AsAsked, Ending::worst)
    }

    fn of_one(finding: &Finding, judged: ExpectationResult) -> Ending {
        let of_verdict = match (finding.verdict(), judged.verdict) {
            (Verdict::Unknown(_), _) => Ending::Unknown,
            (_, Match::AsExpected) | (Verdict::Holds, Match::NotSaid) => Ending::AsAsked,
            (_, Match::NotAsExpected) | (Verdict::Violated(_), Match::NotSaid) => Ending::Violated,
        };
        let of_points = match judged.points {
            Some(Match::AsExpected) => Ending::AsAsked,
            Some(Match::NotAsExpected) => Ending::Violated,
            Some(Match::NotSaid) => Ending::Unknown,
            None if judged.is_surprised_by_points(finding) => Ending::Violated,
            None => Ending::AsAsked,
        };
        of_verdict.worst(of_points)
    }

    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            Ending::AsAsked => 0,
            Ending::Violated => 1,
            Ending::BadInput => 2,
            Ending::Unknown => 3,
        }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> ExitCode {
        ExitCode::from(ending.code())
    }
}

/// The reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// An error of the command line or of an input file.
    Input(Message),
    /// Errors of a model: the rendered diagnostics and the number of errors.
    Model { file: String, findings: Vec<String>, errors: usize },
    /// An unsupported request, or a limit. The exit code is never 0.
    Unsupported(Message),
    /// Standard output cannot be written.
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

    /// Adds an action that resolves the failure.
    pub fn help(self, help: impl Into<String>) -> Failure {
        match self {
            Failure::Input(message) => Failure::Input(message.help(help)),
            Failure::Unsupported(message) => Failure::Unsupported(message.help(help)),
            other => other,
        }
    }

    /// Makes the failure of an unsupported request. `what` is the subject of "is not supported yet".
    pub fn unsupported(what: impl Display) -> Failure {
        Failure::Unsupported(Message::new(format!("{what} is not supported yet")))
    }

    /// Makes the failure of a limit that was reached before the first result.
    pub fn unknown(title: impl Into<String>) -> Failure {
        Failure::Unsupported(Message::new(title))
    }

    /// Returns the ending of the failure.
    pub fn ending(&self) -> Ending {
        match self {
            Failure::Input(_) | Failure::Model { .. } | Failure::Output(_) => Ending::BadInput,
            Failure::Unsupported(_) => Ending::Unknown,
        }
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
    // Names of files may contain escape sequences.
    write!(f, "{style}{word}{style:#}{BOLD}: {}{BOLD:#}", visible_lines(&message.title))?;
    if let Some(help) = &message.help {
        write!(f, "\n  {HELP}help{HELP:#}: {}", visible_lines(help))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use linchpin_engine::verdict::{BoundedScope, ClientScope, Coverage, Effort, Limit};
    use linchpin_ir::program::MemoryKind;
    use linchpin_ir::property::Property;
    use linchpin_semantics::{Bounds, Cut};

    const FITS: [Match; 3] = [Match::NotSaid, Match::AsExpected, Match::NotAsExpected];

    /// A finding with a given verdict and random other fields.
    fn finding(rng: &mut Rng, holds: bool) -> Finding {
        let mut effort = Effort { states: rng.u64(..), ..Effort::default() };
        effort.cuts.nodes = rng.u64(..9);
        effort.cuts.others.insert(Cut::Ints, rng.u64(..9));
        effort.search.remarks.extend(rng.bool().then(|| "something".to_string()));
        let bounds = Bounds { threads: rng.u32(1..9), spurious: rng.bool(), ..Bounds::default() };
        let scope = BoundedScope {
            bounds,
            constants: Vec::new(),
            memory: MemoryKind::Gc,
            client: ClientScope::General,
            fair: rng.bool(),
            preemptions: rng.bool().then(|| rng.u32(..3)),
        };
        let coverage = Coverage { completed: vec![("push".into(), 1)], unreached: Vec::new() };
        let verdict = if holds { Verdict::Holds } else { Verdict::Unknown(Limit::Interrupted) };
        Finding::bounded(
            "explore",
            Property::ALL[rng.usize(..Property::ALL.len())],
            scope,
            coverage,
            effort,
            verdict,
        )
    }

    #[test]
    fn the_exit_code_is_a_function_of_the_verdicts_alone() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..2_000 {
            let verdicts: Vec<(bool, Match)> =
                (0..rng.usize(1..5)).map(|_| (rng.bool(), FITS[rng.usize(..3)])).collect();
            let ending = |rng: &mut Rng| {
                let findings: Vec<(Finding, ExpectationResult)> = verdicts
                    .iter()
                    .map(|(holds, verdict)| {
                        (finding(rng, *holds), ExpectationResult { verdict: *verdict, points: None })
                    })
                    .collect();
                Ending::of(findings.iter().map(|(finding, judged)| (finding, *judged)))
            };
            let is_bad = verdicts.iter().any(|(holds, fit)| *holds && *fit == Match::NotAsExpected);
            let is_open = verdicts.iter().any(|(holds, _)| !holds);
            let expected = match (is_bad, is_open) {
                (true, _) => Ending::Violated,
                (false, true) => Ending::Unknown,
                (false, false) => Ending::AsAsked,
            };
            assert_eq!((ending(&mut rng), ending(&mut rng)), (expected, expected), "{verdicts:?}");
        }
    }

    #[test]
    fn a_violation_outweighs_all_others() {
        let all = [Ending::AsAsked, Ending::Unknown, Ending::BadInput, Ending::Violated];
        for (at, worse) in all.iter().enumerate() {
            for other in &all[..=at] {
                assert_eq!((worse.worst(*other), other.worst(*worse)), (*worse, *worse));
            }
        }
        assert_eq!(all.map(Ending::code), [0, 3, 2, 1]);
    }
}
