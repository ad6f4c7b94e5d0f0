//! The result of a test: what was covered, or a failure, as text.

use crate::case::{Case, Way};
use crate::record::{Record, bare_text};
use crate::timeline;
use linchpin_order::Consistency;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The environment variable with a failure to run again.
pub(crate) const REPLAY: &str = "LINCHPIN_REPLAY";

/// What a test covered without a violation. It is never a proof.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Covered {
    /// The name of the test.
    pub name: String,
    pub way: Way,
    /// The test does not run in this way: nothing was covered.
    pub skipped: bool,
    /// The name of the specification.
    pub spec: String,
    /// The property, in words.
    pub property: String,
    /// The number of executions.
    pub executions: usize,
    /// The number of different records.
    pub histories: usize,
    /// The number of different records in which calls wait for ever, as the specification allows.
    pub waits: usize,
    /// The number of scenarios that ran.
    pub scenarios: usize,
    /// What was explored exhaustively; empty if nothing was.
    pub exhausted: String,
    /// Every schedule of every scenario was explored, without a bound on preemptions or steps.
    pub complete: bool,
    /// The number of executions that the limit on steps cut. They are not judged.
    pub cut: usize,
    /// The setting that shows the first of these; empty if there is none.
    pub cut_example: String,
    /// The number of records that the judge could not decide.
    pub unjudged: usize,
    /// Why the judge could not decide the first of these.
    pub unjudged_because: Option<String>,
    /// Scenarios whose executions were not repeatable: the object looks at addresses, time or random numbers.
    pub unrepeatable: usize,
    pub time: Duration,
    /// The part of `time` that the judge took.
    pub judging: Duration,
}

impl Covered {
    pub(crate) fn new(name: &str, spec: &str, consistency: Consistency) -> Covered {
        Covered {
            name: name.into(),
            spec: spec.into(),
            property: property(consistency).into(),
            ..Covered::default()
        }
    }

    pub(crate) fn skipped(name: &str, way: Way) -> Covered {
        Covered { name: name.into(), way, skipped: true, ..Covered::default() }
    }
}

fn property(consistency: Consistency) -> &'static str {
    match consistency {
        Consistency::Linearizable => "linearizable",
        Consistency::Sequential => "sequentially consistent",
        Consistency::Quiescent => "quiescently consistent",
        Consistency::Barrier => "barrier consistent",
    }
}

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Covered { name, way, spec, property, .. } = self;
        if self.skipped {
            return write!(f, "{name}: not run in the way {way}");
        }
        let executions = counted(self.executions, "execution");
        writeln!(f, "{name}: no violation in {executions} ({way}, {property}, {spec})")?;
        let mut facts = vec![format!(
            "{} scenarios, {} different histories",
            grouped(self.scenarios),
            grouped(self.histories)
        )];
        match (way, self.exhausted.is_empty()) {
            (Way::Threads, _) => facts.push("real threads: a sample of the schedules of this machine".into()),
            (_, true) => facts.push("no size of scenarios was explored to its end".into()),
            (_, false) => facts.push(self.exhausted.clone()),
        }
        if *way == Way::Shuttle {
            facts.push("memory is sequentially consistent: errors of weak memory are not seen".into());
        }
        if self.cut > 0 {
            let cut = grouped(self.cut);
            facts.push(format!(
                "{cut} executions were cut at the limit on steps; the first: {}",
                self.cut_example
            ));
        }
        if self.waits > 0 {
            let waits = grouped(self.waits);
            facts.push(format!("in {waits} histories calls wait for ever, as the specification allows"));
        }
        if self.unrepeatable > 0 {
            let some = grouped(self.unrepeatable);
            facts.push(format!("{some} scenarios did not repeat: the object uses addresses, time or chance"));
        }
        if let Some(why) = &self.unjudged_because {
            facts.push(format!("{} histories were not judged: {why}", grouped(self.unjudged)));
        }
        for fact in facts {
            writeln!(f, "  {fact}")?;
        }
        let seconds = self.time.as_secs_f64();
        let judging = self.judging.as_secs_f64();
        write!(
            f,
            "  {seconds:.1} s, {judging:.1} s of it the judge; not checked: data races, leaks of memory"
        )
    }
}

/// What is wrong with an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// No order of the calls is legal. The text says why.
    Illegal(String),
    /// Calls wait for ever, and the specification does not allow it. The text says why.
    Stuck(String),
    /// The code of the object panicked. `None`: when the object was made or dropped.
    Panic { thread: Option<usize>, message: String },
    /// The invariant does not hold after the last call.
    Invariant(String),
    /// These tokens were given back or dropped more than once.
    Twice(Vec<u32>),
    /// These tokens were neither given back nor dropped.
    Lost(Vec<u32>),
}

/// How to run a failure again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Replay {
    /// The record of real threads, saved in this file.
    Record(PathBuf),
    /// The outline of a scenario, and the choices of the scheduler.
    Schedule { test: String, outline: String, choices: String },
    /// The record could not be saved: the reason.
    Unsaved(String),
}

impl Replay {
    /// Reads the value of the variable. `None`: the failure belongs to another test.
    pub fn parse(text: &str, test: &str) -> Option<Replay> {
        if text.ends_with(".jsonl") {
            let path = PathBuf::from(text);
            let own = path.file_stem().is_some_and(|stem| *stem.to_string_lossy() == file_name(test));
            return own.then_some(Replay::Record(path));
        }
        let (rest, choices) = text.rsplit_once(':')?;
        let (name, outline) = rest.rsplit_once(':')?;
        let schedule =
            || Replay::Schedule { test: name.into(), outline: outline.into(), choices: choices.into() };
        (name == test).then(schedule)
    }

    pub fn text(&self) -> Result<String, String> {
        match self {
            Replay::Record(path) => Ok(format!("{REPLAY}='{}'", path.display())),
            Replay::Schedule { test, outline, choices } => {
                Ok(format!("{REPLAY}='{test}:{outline}:{choices}'"))
            }
            Replay::Unsaved(why) => Err(why.clone()),
        }
    }
}

/// Returns the name of a test as a file name.
pub(crate) fn file_name(test: &str) -> String {
    test.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

/// A violation that a way found.
pub(crate) struct Failure {
    pub fault: Fault,
    pub record: Record,
    pub replay: Replay,
    /// Further lines: the switches of the schedule.
    pub notes: Vec<String>,
}

/// A failed test.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Failed {
    /// `None`: the test itself has an error.
    pub fault: Option<Fault>,
    /// The number of calls of the execution, without those before the threads start.
    pub calls: usize,
    /// The number of threads that make calls.
    pub threads: usize,
    /// The number of executions until the failure.
    pub executions: usize,
    /// The value of `LINCHPIN_REPLAY` that runs the failure again; empty if there is none.
    pub replay: String,
    text: String,
}

impl Failed {
    /// A test that cannot run.
    pub(crate) fn refused(name: &str, why: String) -> Failed {
        let name = if name.is_empty() { "the test" } else { name };
        let text = format!("{name}: {why}");
        Failed { fault: None, calls: 0, threads: 0, executions: 0, replay: String::new(), text }
    }

    pub(crate) fn new(case: &Case, way: Way, failure: Failure) -> Failed {
        Failed::after(case, way, failure, 0)
    }

    /// The failure of a test after a number of executions.
    pub(crate) fn after(case: &Case, way: Way, failure: Failure, executions: usize) -> Failed {
        let Failure { fault, record, replay, notes } = failure;
        let (interface, options) = (&case.interface, &case.options);
        let calls = record.calls();
        let early = |called: usize| called < record.before;
        let mut threads: Vec<usize> =
            calls.iter().filter(|call| !early(call.called)).map(|call| call.thread).collect();
        let later = threads.len();
        threads.sort();
        threads.dedup();
        let property = property(options.consistency);
        let name = &options.name;
        let after = match executions {
            0 => String::new(),
            some => format!(", execution {}", grouped(some)),
        };
        let title = match &fault {
            Fault::Illegal(_) => format!("not {property}"),
            Fault::Stuck(_) => "calls wait for ever".into(),
            Fault::Panic { .. } => "the object panicked".into(),
            Fault::Invariant(_) => "the invariant does not hold at the end".into(),
            Fault::Twice(_) => "a value was given back or dropped twice".into(),
            Fault::Lost(_) => "a value was lost".into(),
        };
        let mut text = format!("{name}: {title} ({way}, {}{after})\n\n", case.spec.0.name());
        text += &timeline::draw(interface, &record);
        let listed = |tokens: &[u32]| tokens.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        text += &match &fault {
            Fault::Illegal(why) => format!("\nNo order of the calls is legal\n{why}"),
            Fault::Stuck(why) => {
                format!("\nA call never returns, and the specification does not allow it\n{why}")
            }
            Fault::Panic { thread: Some(thread), message } => {
                let pending =
                    calls.iter().rev().find(|call| call.thread == *thread && call.returned.is_none());
                let during = pending.map_or_else(
                    || "after its last call".into(),
                    |call| format!("in {}", bare_text(interface, call.operation, &call.parts)),
                );
                format!("\nT{} panicked {during}: {message}\n", thread + 1)
            }
            Fault::Panic { thread: None, message } => {
                format!("\nThe object panicked when it was made or dropped: {message}\n")
            }
            Fault::Invariant(why) => format!("\nThe invariant says: {why}\n"),
            Fault::Twice(tokens) => format!("\nValue {} ended more than once\n", listed(tokens)),
            Fault::Lost(tokens) => format!("\nValue {} was neither given back nor dropped\n", listed(tokens)),
        };
        if !notes.is_empty() {
            text += "\nThe schedule\n";
            notes.iter().for_each(|note| text += &format!("  {note}\n"));
        }
        let code = replay.text();
        text += &match (&code, &replay) {
            (Ok(code), Replay::Record(_)) => {
                format!(
                    "\nJudge the recorded calls again (real threads do not repeat a schedule)\n  {code}\n"
                )
            }
            (Ok(code), _) => format!("\nRun exactly this schedule again\n  {code}\n"),
            (Err(why), _) => format!("\nThe record was not saved: {why}\n"),
        };
        let replay = code.unwrap_or_default();
        Failed { fault: Some(fault), calls: later, threads: threads.len(), executions, replay, text }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failed {}

/// Formats a number of things: `1 call`, `2,000 calls`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Formats a number with commas between groups of three digits.
pub(crate) fn grouped(number: usize) -> String {
    linchpin_report::quantities::grouped(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_belongs_to_one_test() {
        let schedule = Replay::Schedule {
            test: "queue::works".into(),
            outline: "0_1_2".into(),
            choices: "0x3.1".into(),
        };
        let text = schedule.text().expect("a schedule has a text");
        let value = text.trim_start_matches("LINCHPIN_REPLAY='").trim_end_matches('\'');
        assert_eq!(Replay::parse(value, "queue::works"), Some(schedule));
        assert_eq!(Replay::parse(value, "works"), None);
        let record = Replay::Record("target/linchpin/queue__works.jsonl".into());
        assert_eq!(Replay::parse("target/linchpin/queue__works.jsonl", "queue::works"), Some(record));
        assert_eq!(Replay::parse("target/linchpin/queue__works.jsonl", "other"), None);
    }
}
