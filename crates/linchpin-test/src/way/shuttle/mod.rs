//! The way *shuttle*: explores the schedules of each scenario on shuttle's engine.
//!
//! All scenarios of so many calls run with so many preemptions, in the order of the sum: a larger scenario
//! with one preemption fails more often than a small one with two, and costs less. A part of the budget is
//! kept for the rest: scenarios of all sizes, by priorities and at random. A failure is made smaller: calls
//! are left out, then switches, as long as it fails.
//!
//! **What is claimed.** The claim names calls and preemptions. Every scenario with so many calls, or fewer,
//! ran to the end. Executions that the limit on steps cut are counted beside.
//!
//! | file | contents |
//! |---|---|
//! | `engine` | executions of one scenario |
//! | `plan` | how the scheduler chooses |
//! | `choices` | choices as text |

mod choices;
mod engine;
mod plan;

use crate::case::{Case, Way};
use crate::ledger::Ledger;
use crate::outcome::{Covered, Failed, Failure, Replay, counted, grouped};
use crate::scenario::{Outline, Scenario, Size};
use crate::timeline;
use crate::verdicts::Verdicts;
use choices::Choices;
use engine::{Batch, Executed, Switch};
use plan::{Exhaustive, Plan, Priorities};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of executions between two looks at the clock.
const BATCH: usize = 200;
/// The share of the budget for the exhaustive search.
const IN_ORDER: f64 = 0.7;
/// The budgets after which a failure is shown as it is.
const LATEST: f64 = 2.0;
/// Number of executions of a scenario that was drawn.
const DRAWN: usize = 60;
/// Time limit to begin a schedule again.
const AGAIN: Duration = Duration::from_secs(3600);
/// Number of schedules with a switch less that are tried.
const FEWER: usize = 1000;
/// Number of switches that are shown of an execution that was cut.
const SHOWN: usize = 16;
/// Number of executions with which each smaller scenario is tried after a failure.
const SMALLER: usize = 3000;

pub(crate) fn run(
    case: &Arc<Case>,
    verdicts: &mut Verdicts,
    asked: Option<Replay>,
) -> Result<Covered, Box<Failed>> {
    let mut runner = Runner { case, ledger: Ledger::leaked(), found: None };
    if let Some(Replay::Schedule { outline, choices, .. }) = asked {
        return runner.replay(&outline, &choices, verdicts);
    }
    runner.in_order(verdicts);
    runner.shrink(verdicts);
    runner.drawn(verdicts);
    runner.take_switches_out(verdicts);
    match runner.found.take() {
        Some(found) => Err(Box::new(runner.failed(found, verdicts))),
        None => Ok(verdicts.covered(Way::Shuttle)),
    }
}

struct Runner<'a> {
    case: &'a Arc<Case>,
    ledger: &'static Ledger,
    found: Option<Found>,
}

/// A failure with its scenario.
struct Found {
    outline: Outline,
    executed: Executed,
}

/// How the exploration of one scenario ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Explored {
    /// Every schedule within the bound ran. `all`: every schedule at all.
    Done {
        all: bool,
    },
    OutOfTime,
    Failed,
}

impl Runner<'_> {
    /// Explores all scenarios in the order of calls plus preemptions, as far as the budget goes.
    fn in_order(&mut self, verdicts: &mut Verdicts) {
        let sizes = self.case.scenarios.sizes();
        let most = sizes.last().map_or(0, |size| size.calls);
        let bound = self.case.options.preemptions;
        let mut stages: Vec<(usize, usize)> =
            (1..=most).flat_map(|calls| (0..=bound).map(move |preemptions| (calls, preemptions))).collect();
        stages.sort_by_key(|(calls, preemptions)| (calls + preemptions, *calls));
        // Scenarios with nothing left: every schedule ran, or they do not repeat.
        let mut settled: FxHashSet<String> = FxHashSet::default();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let mut complete = true;
        // The number of calls that each number of preemptions was explored for.
        let mut done = vec![0; bound + 1];
        let mut is_over = false;
        for (calls, preemptions) in stages {
            for size in sizes.iter().filter(|size| size.calls == calls) {
                let ended = self.case.scenarios.each(*size, &mut |outline| {
                    let name = outline.to_string();
                    if settled.contains(&name) {
                        return ControlFlow::Continue(());
                    }
                    verdicts.progress(format_args!("{calls} calls, {preemptions} preemptions, {name}"));
                    let over: &dyn Fn(&Verdicts) -> bool = &|verdicts| verdicts.is_over(IN_ORDER);
                    match self.explore(outline, verdicts, preemptions, over) {
                        Explored::Done { all } => {
                            seen.insert(name.clone());
                            if all {
                                settled.insert(name);
                            } else {
                                complete &= preemptions < bound;
                            }
                            ControlFlow::Continue(())
                        }
                        Explored::OutOfTime | Explored::Failed => ControlFlow::Break(()),
                    }
                });
                is_over |= ended.is_break();
                if is_over {
                    break;
                }
            }
            if is_over {
                complete = false;
                break;
            }
            done[preemptions] = calls;
        }
        let covered = &mut verdicts.covered;
        covered.scenarios = seen.len();
        covered.complete = complete && covered.cut == 0 && covered.unrepeatable == 0;
        covered.exhausted = claim(&done, most, covered.complete, covered.cut);
    }

    /// Explores a scenario with at most so many preemptions.
    fn explore(
        &mut self,
        outline: &Outline,
        verdicts: &mut Verdicts,
        preemptions: usize,
        is_over: &dyn Fn(&Verdicts) -> bool,
    ) -> Explored {
        let scenario = Arc::new(self.case.scenario(outline));
        let mut plan = Plan::Exhaustive(Exhaustive::new(preemptions));
        loop {
            let batch =
                engine::run(self.case, &scenario, plan, BATCH, verdicts.deadline(), false, self.ledger);
            verdicts.covered.cut += batch.cut;
            let exhausted = batch.is_exhausted;
            plan = match self.judge(outline, batch, verdicts) {
                Some(plan) => plan,
                None => return Explored::Failed,
            };
            if exhausted {
                break;
            }
            if is_over(verdicts) {
                return Explored::OutOfTime;
            }
        }
        let Plan::Exhaustive(search) = plan else { return Explored::OutOfTime };
        if search.differs {
            verdicts.covered.unrepeatable += 1;
        }
        Explored::Done { all: search.differs || !search.is_bounded }
    }

    /// Explores a scenario with 0, 1, … preemptions. Returns whether it failed.
    fn fails(
        &mut self,
        outline: &Outline,
        verdicts: &mut Verdicts,
        bound: usize,
        is_over: &dyn Fn(&Verdicts) -> bool,
    ) -> bool {
        for preemptions in 0..=bound {
            match self.explore(outline, verdicts, preemptions, is_over) {
                Explored::Failed => return true,
                Explored::Done { all: false } => {}
                Explored::Done { all: true } | Explored::OutOfTime => return false,
            }
        }
        false
    }

    /// Draws scenarios and schedules until the budget is used up.
    fn drawn(&mut self, verdicts: &mut Verdicts) {
        if verdicts.covered.complete {
            return;
        }
        let mut random = fastrand::Rng::with_seed(self.case.options.seed);
        let sizes: Vec<Size> =
            self.case.scenarios.sizes().into_iter().filter(|size| size.threads > 1).collect();
        let mut misses = 0;
        while self.found.is_none() && !verdicts.is_over(1.0) && !sizes.is_empty() && misses < 1000 {
            let at = random.usize(..sizes.len()).max(random.usize(..sizes.len()));
            let Some(outline) = self.case.scenarios.random(sizes[at], &mut random) else {
                misses += 1;
                continue;
            };
            misses = 0;
            verdicts.progress(format_args!("drawn scenario {outline}"));
            let fork = random.fork();
            let plan = match random.u32(..4) {
                0 => Plan::Random(fork),
                changes => Plan::Priorities(Priorities::new(fork, changes as usize)),
            };
            let scenario = Arc::new(self.case.scenario(&outline));
            let batch =
                engine::run(self.case, &scenario, plan, DRAWN, verdicts.deadline(), false, self.ledger);
            verdicts.covered.cut += batch.cut;
            if self.judge(&outline, batch, verdicts).is_none() {
                self.shrink(verdicts);
            }
        }
    }

    /// Looks for a failure with fewer calls, then with fewer preemptions.
    fn shrink(&mut self, verdicts: &mut Verdicts) {
        let Some(mut best) = self.found.take() else { return };
        let limit =
            |started: usize| move |verdicts: &Verdicts| verdicts.covered.executions > started + SMALLER;
        'smaller: loop {
            for outline in smaller(&best.outline) {
                let started = verdicts.covered.executions;
                let bound = self.case.options.preemptions;
                if self.fails(&outline, verdicts, bound, &limit(started))
                    && let Some(found) = self.found.take()
                {
                    best = found;
                    continue 'smaller;
                }
            }
            break;
        }
        let started = verdicts.covered.executions;
        let bound = best.executed.preemptions.saturating_sub(1);
        let again =
            best.executed.preemptions > 0 && self.fails(&best.outline, verdicts, bound, &limit(started));
        self.found = match (again, self.found.take()) {
            (true, Some(found)) => Some(found),
            _ => Some(best),
        };
    }

    /// Takes switches out of the schedule of a failure, one after the other, as long as it fails.
    fn take_switches_out(&mut self, verdicts: &mut Verdicts) {
        let Some(mut best) = self.found.take() else { return };
        let mut tries = 0;
        let mut at = 0;
        while at < best.executed.choices.0.len() && tries < FEWER && !verdicts.is_over(LATEST) {
            if best.executed.choices.0[at] == 0 {
                at += 1;
                continue;
            }
            tries += 1;
            let mut choices = best.executed.choices.clone();
            choices.0[at] = 0;
            match self.again(&best.outline, choices) {
                Ok((executed, _))
                    if executed.preemptions < best.executed.preemptions
                        && verdicts.judge(&executed.record).is_err() =>
                {
                    best.executed = executed;
                }
                _ => at += 1,
            }
        }
        self.found = Some(best);
    }

    /// Judges a batch. `None`: an execution failed.
    fn judge(&mut self, outline: &Outline, batch: Batch, verdicts: &mut Verdicts) -> Option<Plan> {
        if let Some(cut) = batch.cut_example.filter(|_| verdicts.covered.cut_example.is_empty()) {
            verdicts.covered.cut_example = self.code(outline, &cut.choices).text().unwrap_or_default();
        }
        for executed in batch.executed {
            if verdicts.judge(&executed.record).is_err() {
                self.found = Some(Found { outline: outline.clone(), executed });
                return None;
            }
        }
        Some(batch.plan)
    }

    fn replay(
        &mut self,
        outline: &str,
        choices: &str,
        verdicts: &mut Verdicts,
    ) -> Result<Covered, Box<Failed>> {
        let refused = |why: &str| Box::new(Failed::refused(&self.case.options.name, why.into()));
        let stale = "the failure to run again does not fit this test: its operations have changed";
        let outline = self.case.scenarios.parse(outline).ok_or_else(|| refused(stale))?;
        let choices = Choices::parse(choices).ok_or_else(|| refused("the schedule is not readable"))?;
        let (executed, differs) = match self.again(&outline, choices) {
            Ok(again) => again,
            Err(cut) => return Err(refused(&cut_text(self.case, cut))),
        };
        if verdicts.verdict(&executed.record).is_err() {
            return Err(Box::new(self.failed(Found { outline, executed }, verdicts)));
        }
        if differs {
            return Err(refused(
                "the schedule does not fit this program: its code has changed, or it did not repeat",
            ));
        }
        Ok(verdicts.covered(Way::Shuttle))
    }

    /// Runs one schedule again, with its switches. The flag says that the schedule does not fit. An error is
    /// an execution that was cut.
    fn again(&self, outline: &Outline, choices: Choices) -> Result<(Executed, bool), Option<Executed>> {
        let scenario: Arc<Scenario> = Arc::new(self.case.scenario(outline));
        let plan = Plan::Replay { choices, at: 0, differs: false };
        let deadline = Instant::now() + AGAIN;
        let mut batch = engine::run(self.case, &scenario, plan, 1, deadline, true, self.ledger);
        let executed = batch.executed.pop().ok_or(batch.cut_example)?;
        let differs = matches!(batch.plan, Plan::Replay { differs: true, .. });
        Ok((executed, differs))
    }

    fn code(&self, outline: &Outline, choices: &Choices) -> Replay {
        let test = self.case.options.name.clone();
        Replay::Schedule { test, outline: outline.to_string(), choices: choices.text() }
    }

    fn failed(&self, found: Found, verdicts: &mut Verdicts) -> Failed {
        let Found { outline, executed } = found;
        let again = self.again(&outline, executed.choices.clone());
        let repeats = again.as_ref().is_ok_and(|(again, _)| again.record == executed.record);
        let mut notes: Vec<String> = match &again {
            Ok((again, _)) if repeats => again.switches.iter().map(note).collect(),
            _ => Vec::new(),
        };
        notes.insert(0, counted(executed.preemptions, "preemption"));
        if !repeats {
            notes.push("this schedule did not repeat: the object looks at addresses, time or chance".into());
        }
        let fault = match verdicts.verdict(&executed.record) {
            Err(fault) => fault,
            Ok(()) => crate::Fault::Illegal(String::new()),
        };
        let replay = self.code(&outline, &executed.choices);
        let failure = Failure { fault, record: executed.record, replay, notes };
        Failed::after(self.case, Way::Shuttle, failure, verdicts.covered.executions)
    }
}

/// Describes an execution that was cut: its calls, and the last switches.
fn cut_text(case: &Case, cut: Option<Executed>) -> String {
    let mut text = "the schedule was cut at the limit on steps, and is not judged".to_string();
    if let Some(cut) = cut {
        text += &format!("\n\n{}\nThe last switches\n", timeline::draw(&case.interface, &cut.record));
        let last = cut.switches.len().saturating_sub(SHOWN);
        cut.switches[last..].iter().for_each(|switch| text += &format!("  {}\n", note(switch)));
    }
    text
}

/// Says which schedules all ran. `done` has the number of calls for each number of preemptions.
fn claim(done: &[usize], most: usize, complete: bool, cut: usize) -> String {
    let cut = match cut {
        0 => String::new(),
        some => format!(", but for {} that were cut", grouped(some)),
    };
    if complete {
        return format!("all schedules of all scenarios of up to {}", counted(most, "call"));
    }
    let mut parts: Vec<String> = Vec::new();
    let mut last = 0;
    for (preemptions, &calls) in done.iter().enumerate().rev() {
        if calls > last {
            let most = counted(preemptions, "preemption");
            parts.push(format!("at most {most}: up to {}", counted(calls, "call")));
            last = calls;
        }
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("all schedules of all scenarios with {}{cut}", parts.join("; ")),
    }
}

/// Returns the outlines with one call less.
fn smaller(outline: &Outline) -> Vec<Outline> {
    let mut all = Vec::new();
    for at in 0..outline.before.len() {
        let mut less = outline.clone();
        less.before.remove(at);
        all.push(less);
    }
    for thread in 0..outline.threads.len() {
        for at in 0..outline.threads[thread].1.len() {
            let mut less = outline.clone();
            less.threads[thread].1.remove(at);
            less.threads.retain(|(_, calls)| !calls.is_empty());
            if !less.threads.is_empty() {
                all.push(less);
            }
        }
    }
    all
}

/// Returns the line of a switch.
fn note(switch: &Switch) -> String {
    let to = format!("T{} runs", switch.to + 1);
    match &switch.from {
        None => to,
        Some((from, place)) => {
            let place = place.map_or_else(String::new, |place| {
                format!(" at {}, before its {}", shown(place.location), place.what)
            });
            let kind = if switch.is_preemption { "is preempted" } else { "waits" };
            format!("T{} {kind}{place}; {to}", from + 1)
        }
    }
}

/// Returns a place without the directories of a registry.
fn shown(location: &std::panic::Location) -> String {
    let file = location.file();
    let parts: Vec<&str> = file.split('/').collect();
    let short = parts
        .iter()
        .rposition(|part| *part == "src")
        .map_or(file.to_string(), |at| parts[at.saturating_sub(1)..].join("/"));
    format!("{short}:{}", location.line())
}
