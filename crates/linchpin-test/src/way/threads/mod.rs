//! The way *threads*: runs scenarios with real threads, many times, and judges what they recorded.
//!
//! Executions run in batches of one scenario. The threads of a batch meet before each execution, and each
//! waits for a random time before each of its calls. So calls overlap in many ways. The first half of the
//! budget goes through all scenarios, smallest first, again and again. The second half draws scenarios of all
//! sizes.
//!
//! Each call takes numbers from a shared counter before and after it. This adds synchronisation, so errors of
//! weak memory are seen less often.

mod crew;

use crate::case::{Case, Way};
use crate::ledger::Ledger;
use crate::object::Instance;
use crate::outcome::{Covered, Failed, Failure, Replay, file_name};
use crate::record::{End, Log, Record};
use crate::saved;
use crate::scenario::{Outline, Scenario, Size};
use crate::verdicts::Verdicts;
use crew::{Batch, Crew, Lane, Outcome};
use rustc_hash::FxHashSet;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of executions in a batch.
const BATCH: usize = 48;
/// The share of the budget for scenarios in order.
const IN_ORDER: f64 = 0.5;
/// Calls that do not return within so many times the patience are stuck, whatever the load of the machine.
const LONG_PATIENCE: u32 = 5;

pub(crate) fn run(case: &Case, verdicts: &mut Verdicts) -> Result<Covered, Box<Failed>> {
    let mut runner = Runner {
        case,
        crew: Crew::default(),
        ledgers: (0..BATCH).map(|_| Ledger::leaked()).collect(),
        random: fastrand::Rng::with_seed(case.options.seed),
        waiting: FxHashSet::default(),
    };
    let mut failure = None;
    let mut seen = 0;
    let mut round = 0;
    while failure.is_none() && !verdicts.is_over(IN_ORDER) {
        for size in case.scenarios.sizes() {
            let ended = case.scenarios.each(size, &mut |outline| {
                if verdicts.is_over(IN_ORDER) {
                    return ControlFlow::Break(());
                }
                seen += usize::from(round == 0);
                failure = runner.batch(outline, verdicts);
                if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if ended.is_break() {
                break;
            }
        }
        round += 1;
        if verdicts.covered.executions == 0 {
            break;
        }
    }
    verdicts.covered.scenarios = seen;
    let sizes: Vec<Size> = case.scenarios.sizes().into_iter().filter(|size| size.threads > 1).collect();
    let mut misses = 0;
    while failure.is_none() && !verdicts.is_over(1.0) && !sizes.is_empty() && misses < 1000 {
        // Larger sizes have more scenarios, so they are drawn more often.
        let at = runner.random.usize(..sizes.len()).max(runner.random.usize(..sizes.len()));
        match case.scenarios.random(sizes[at], &mut runner.random) {
            Some(outline) => {
                misses = 0;
                failure = runner.batch(&outline, verdicts);
            }
            None => misses += 1,
        }
    }
    match failure {
        Some(failure) => {
            Err(Box::new(Failed::after(case, Way::Threads, failure, verdicts.covered.executions)))
        }
        None => Ok(verdicts.covered(Way::Threads)),
    }
}

struct Runner<'a> {
    case: &'a Case,
    crew: Crew,
    ledgers: Vec<&'static Ledger>,
    random: fastrand::Rng,
    /// Scenarios in which calls may wait for ever. They leave threads behind, so they run once.
    waiting: FxHashSet<String>,
}

impl Runner<'_> {
    /// Runs a batch of a scenario and judges its records.
    fn batch(&mut self, outline: &Outline, verdicts: &mut Verdicts) -> Option<Failure> {
        let text = outline.to_string();
        if self.waiting.contains(&text) {
            return None;
        }
        verdicts.progress(format_args!("scenario {text}"));
        let scenario = self.case.scenario(outline);
        let made: Vec<Execution> = (0..BATCH).map(|at| self.execution(&scenario, self.ledgers[at])).collect();
        let mut lanes: Vec<Vec<Lane>> = scenario.threads.iter().map(|_| Vec::new()).collect();
        let mut finishes = Vec::new();
        for Execution { log, before, ledger, instance } in made {
            let Some(instance) = instance else {
                finishes.push((log, before, ledger, None));
                continue;
            };
            for (thread, client) in instance.clients.into_iter().enumerate() {
                let delays = scenario.threads[thread].calls.iter().map(|_| self.delay()).collect();
                lanes[thread].push(Lane { thread, client, log: log.clone(), ledger, delays });
            }
            finishes.push((log, before, ledger, Some(instance.finish)));
        }
        let plans = scenario.threads.into_iter().map(|plan| plan.calls).collect();
        let batch = Batch::new(plans, lanes);
        let patience = self.case.options.patience;
        let mut outcome = self.crew.run(batch, patience);
        if let Outcome::Stuck { execution, .. } = &outcome {
            // A wait that the specification allows needs no further patience.
            let (log, before, ..) = &finishes[*execution];
            if verdicts.judge(&log.record(*before, End::Stuck)).is_err() {
                outcome = self.crew.wait_on(outcome, patience * LONG_PATIENCE);
            }
        }
        let stuck = match outcome {
            Outcome::Finished => None,
            Outcome::Stuck { execution, .. } => {
                self.crew = Crew::default();
                self.waiting.insert(text);
                Some(execution)
            }
        };
        for (at, (log, before, ledger, finish)) in finishes.into_iter().enumerate() {
            let record = match stuck {
                Some(execution) if at == execution => {
                    // Threads still use the object.
                    std::mem::forget(finish);
                    log.record(before, End::Stuck)
                }
                Some(execution) if at > execution => {
                    std::mem::forget(finish);
                    continue;
                }
                _ => self.finish(&log, before, ledger, finish),
            };
            if let Err(fault) = verdicts.judge(&record) {
                let replay = self.save(&record);
                return Some(Failure { fault, record, replay, notes: Vec::new() });
            }
        }
        None
    }

    /// Makes an object and the calls before the threads start.
    fn execution(&self, scenario: &Scenario, ledger: &'static Ledger) -> Execution {
        ledger.clear();
        let log = Arc::new(Log::new(scenario.threads.len()));
        let roles = scenario.roles();
        let made = catch_unwind(AssertUnwindSafe(|| self.case.factory.make(&roles)));
        let mut instance = match made {
            Ok(instance) => Some(instance),
            Err(payload) => {
                log.panicked(None, &*payload);
                None
            }
        };
        for (thread, call) in &scenario.before {
            let Some(made) = &mut instance else { break };
            if !log.call(*thread, &mut *made.clients[*thread], call, ledger) {
                instance = None;
            }
        }
        Execution { before: log.events(), log, ledger, instance }
    }

    fn finish(
        &self,
        log: &Log,
        before: usize,
        ledger: &'static Ledger,
        finish: Option<Box<dyn FnOnce() -> Result<(), String>>>,
    ) -> Record {
        let mut end = End::Complete;
        if let Some(finish) = finish {
            match catch_unwind(AssertUnwindSafe(finish)) {
                Ok(Ok(())) => {}
                Ok(Err(why)) => end = End::Invariant(why),
                Err(payload) => log.panicked(None, &*payload),
            }
        }
        let (twice, lost) = ledger.faults();
        if !twice.is_empty() {
            end = End::Twice(twice);
        } else if !lost.is_empty() && self.case.options.reports_lost_tokens && end == End::Complete {
            end = End::Lost(lost);
        }
        log.record(before, end)
    }

    /// Draws the number of turns that a thread waits before a call.
    fn delay(&mut self) -> u32 {
        match self.random.u32(..8) {
            0..3 => 0,
            3..6 => self.random.u32(..32),
            6 => self.random.u32(..400),
            _ => crew::YIELD,
        }
    }

    fn save(&self, record: &Record) -> Replay {
        let directory = directory();
        let path = directory.join(format!("{}.jsonl", file_name(&self.case.options.name)));
        let text = saved::lines(&self.case.interface, record);
        match fs::create_dir_all(&directory).and_then(|()| fs::write(&path, text)) {
            Ok(()) => Replay::Record(path),
            Err(error) => Replay::Unsaved(format!("cannot write `{}`: {error}", path.display())),
        }
    }
}

struct Execution {
    log: Arc<Log>,
    /// The number of events before the threads start.
    before: usize,
    ledger: &'static Ledger,
    /// `None`: a panic ended the execution before the threads started.
    instance: Option<Instance>,
}

/// Returns the directory for records: `linchpin` in cargo's target directory, if the program lies in one.
fn directory() -> PathBuf {
    let program = std::env::current_exe().ok();
    let deps = program.as_deref().and_then(Path::parent).filter(|path| path.ends_with("deps"));
    let target = deps.and_then(Path::parent).and_then(Path::parent).map(Path::to_path_buf);
    target.unwrap_or_else(std::env::temp_dir).join("linchpin")
}
