//! Judges the records of a test, and counts what was covered.

use crate::case::{Case, Way};
use crate::outcome::{Covered, Fault};
use crate::record::{End, Record};
use crate::spec::{Judged, Question};
use linchpin_order::Ending;
use rustc_hash::FxHashMap;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Judges records, each different record once, and counts.
pub(crate) struct Verdicts<'a> {
    case: &'a Case,
    known: FxHashMap<Record, Result<(), Fault>>,
    started: Instant,
    printed: Instant,
    pub covered: Covered,
    /// The time that the judge took.
    pub judging: Duration,
}

impl<'a> Verdicts<'a> {
    pub fn new(case: &'a Case) -> Verdicts<'a> {
        let covered = Covered::new(&case.options.name, &case.spec.0.name(), case.options.consistency);
        let now = Instant::now();
        Verdicts {
            case,
            known: FxHashMap::default(),
            started: now,
            printed: now,
            covered,
            judging: Duration::ZERO,
        }
    }

    /// Judges the record of one execution, and counts it.
    pub fn judge(&mut self, record: &Record) -> Result<(), Fault> {
        self.covered.executions += 1;
        self.verdict(record)
    }

    /// Judges a record without counting an execution.
    pub fn verdict(&mut self, record: &Record) -> Result<(), Fault> {
        if let Some(known) = self.known.get(record) {
            return known.clone();
        }
        let started = Instant::now();
        let verdict = self.decide(record);
        self.judging += started.elapsed();
        self.covered.histories += 1;
        self.known.insert(record.clone(), verdict.clone());
        verdict
    }

    /// Whether a part of the budget is used up.
    pub fn is_over(&self, part: f64) -> bool {
        self.started.elapsed() >= self.case.options.budget.mul_f64(part)
    }

    /// Returns the end of the budget.
    #[cfg(linchpin_way = "shuttle")]
    pub fn deadline(&self) -> Instant {
        self.started + self.case.options.budget
    }

    /// Returns what was covered so far.
    pub fn covered(&self, way: Way) -> Covered {
        Covered { way, time: self.started.elapsed(), judging: self.judging, ..self.covered.clone() }
    }

    /// Writes a progress line to a terminal, twice a second.
    pub fn progress(&mut self, what: impl fmt::Display) {
        if self.printed.elapsed() < Duration::from_millis(500) || !stderr().is_terminal() {
            return;
        }
        self.printed = Instant::now();
        let Covered { name, executions, histories, .. } = &self.covered;
        eprint!("\r\u{1b}[K{name}: {executions} executions, {histories} histories, {what}\r");
    }

    fn decide(&mut self, record: &Record) -> Result<(), Fault> {
        let ending = match &record.end {
            End::Complete => Ending::Open,
            End::Stuck => Ending::Stuck,
            End::Panicked { thread, message } => {
                return Err(Fault::Panic { thread: *thread, message: message.clone() });
            }
            End::Invariant(why) => return Err(Fault::Invariant(why.clone())),
            End::Twice(tokens) => return Err(Fault::Twice(tokens.clone())),
            End::Lost(tokens) => return Err(Fault::Lost(tokens.clone())),
        };
        let Case { interface, spec, options, .. } = self.case;
        let question = Question { interface, record, consistency: options.consistency, ending };
        match spec.0.judge(question) {
            Judged::Legal => {
                self.covered.waits += usize::from(record.end == End::Stuck);
                Ok(())
            }
            Judged::Illegal(why) if ending == Ending::Stuck => Err(Fault::Stuck(why)),
            Judged::Illegal(why) => Err(Fault::Illegal(why)),
            Judged::Unknown(why) => {
                self.covered.unjudged += 1;
                self.covered.unjudged_because.get_or_insert(why);
                Ok(())
            }
        }
    }
}
