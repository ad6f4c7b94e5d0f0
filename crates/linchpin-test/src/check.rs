//! Runs a test: chooses the way, judges records, and ends with what was covered or with a failure.

use crate::object::{Factory, Interface};
use crate::outcome::{Covered, Failed, Failure, Fault, Replay, Way};
use crate::record::{End, Record};
use crate::scenario::{Outline, Scenario, Scenarios};
use crate::spec::{Judged, Question, Spec};
use crate::way;
use linchpin_order::{Consistency, Ending};
use rustc_hash::FxHashMap;
use std::env;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The environment variable with a failure to run again.
pub(crate) const REPLAY: &str = "LINCHPIN_REPLAY";
/// The environment variable with the time limit of each test, in seconds.
const BUDGET: &str = "LINCHPIN_BUDGET";

/// A test without its types.
pub(crate) struct Case {
    pub interface: Interface,
    pub factory: Arc<dyn Factory>,
    pub spec: Spec,
    pub scenarios: Scenarios,
    pub options: Options,
}

/// The options of a test.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub name: String,
    pub consistency: Consistency,
    pub budget: Duration,
    pub preemptions: usize,
    pub steps: usize,
    pub patience: Duration,
    pub seed: u64,
    pub reports_lost_tokens: bool,
    pub only: Option<Way>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: String::new(),
            consistency: Consistency::Linearizable,
            budget: Duration::from_secs(5),
            preemptions: 2,
            steps: 4000,
            patience: Duration::from_secs(1),
            seed: 0,
            reports_lost_tokens: false,
            only: None,
        }
    }
}

/// Runs a test in the way that the program was built for.
pub(crate) fn run(mut case: Case) -> Result<Covered, Box<Failed>> {
    if case.options.name.is_empty() {
        let thread = std::thread::current();
        case.options.name = thread.name().filter(|name| *name != "main").unwrap_or("test").to_string();
    }
    let name = case.options.name.clone();
    let refused = |why: String| Box::new(Failed::refused(&name, why));
    if let Ok(text) = env::var(BUDGET) {
        let seconds = text.trim_end_matches('s').parse().ok().filter(|seconds: &f64| seconds.is_finite());
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds < 1e9);
        let Some(seconds) = seconds else {
            return Err(refused(format!("`{BUDGET}={text}` is not a number of seconds, such as `30s`")));
        };
        case.options.budget = Duration::from_secs_f64(seconds);
    }
    let way = Way::built();
    if case.options.only.is_some_and(|only| only != way) {
        return Ok(Covered::skipped(&case.options.name, way));
    }
    let case = Arc::new(case);
    let mut verdicts = Verdicts::new(&case);
    let asked = env::var(REPLAY).ok().and_then(|text| Replay::parse(&text, &case.options.name));
    match (asked, way) {
        (Some(Replay::Record(path)), _) => {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| refused(format!("cannot read `{}`: {error}", path.display())))?;
            let record = crate::saved::parse(&case.interface, &text)
                .map_err(|why| refused(format!("`{}`: {why}", path.display())))?;
            match verdicts.judge(&record) {
                Err(fault) => {
                    let failure = Failure { fault, record, replay: Replay::Record(path), notes: Vec::new() };
                    Err(Box::new(Failed::new(&case, way, failure)))
                }
                Ok(()) => Ok(verdicts.covered(way)),
            }
        }
        (asked, Way::Threads) => {
            if asked.is_some() {
                let why = "the failure is a schedule of another way: run `cargo linchpin test --way shuttle`";
                return Err(refused(why.into()));
            }
            way::threads::run(&case, &mut verdicts)
        }
        #[cfg(linchpin_way = "shuttle")]
        (asked, Way::Shuttle) => way::shuttle::run(&case, &mut verdicts, asked),
        #[allow(unreachable_patterns, reason = "which ways are built depends on the configuration")]
        (_, way) => Err(refused(format!("the way {way} is not built into this program"))),
    }
}

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

    /// Judges the record of one execution.
    pub fn judge(&mut self, record: &Record) -> Result<(), Fault> {
        self.covered.executions += 1;
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

/// A scenario with its outline.
pub(crate) fn scenario(case: &Case, outline: &Outline) -> Scenario {
    case.scenarios.fill(outline)
}
