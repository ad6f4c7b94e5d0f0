//! Judges the properties of a request: each property over every instance. Each violation is replayed before
//! it counts.
//!
//! A property is *violated* at the first instance (smallest first) that violates it. It *holds* if it holds
//! at every instance. It is *unknown* if some search ended early and no search found a violation.
//!
//! | file | contents |
//! |---|---|
//! | [`property_results`] | the results so far, and the findings made of them |
//! | [`progress`] | properties about infinite executions |
//! | [`spinning`] | stuck executions in which threads move |
//! | [`per_schedule`] | every schedule of a scope by itself |
//! | [`failures`] | equal failures of many schedules, grouped |
//! | [`observers`] | observers, compared with their specification |

mod failures;
mod observers;
mod per_schedule;
mod progress;
mod property_results;
mod spinning;

pub use failures::{CallShape, Failure};
pub use observers::try_observers;

use crate::expand::MOST_THREADS;
use crate::problem::{
    ClientRequest, Counted, MonitorKind, Reductions, Request, ScheduleLists, SearchProblem, Size,
    ViolationKind,
};
use crate::progress::Rule;
use crate::search::{Search, SearchError, SearchResult};
use crate::trace::Choices;
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Finding, Limit};
use linchpin_engine::{Budget, BudgetMeter, Exhausted, Listener, OfSchedules, Schedules};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::Index;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_judge::history::{NotWatched, Watching};
use linchpin_judge::replay::Counterexample;
use linchpin_judge::replay::{fingerprint, replay};
use linchpin_judge::trace::{Action, Choice, Claim, Instance, PlannedCall, Trace, TraceClient};
use linchpin_semantics::client::General;
use linchpin_semantics::{Blocked, Client, Cut, Machine, Outcome, ScheduleScope, SpecError, SpecMachine};
use property_results::{PropertyResults, monitor_at_ends, violation_of};
use std::time::Instant;

/// Judges every property of the request.
pub fn check(
    model: &dyn Model,
    request: &Request,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<Vec<Finding>, RequestError> {
    let started = Instant::now();
    let mut results = PropertyResults::new(request);
    let numbers = numbers_in_scope(model, request, budget)?;
    let mut schedules = Schedules {
        of: numbers.iter().flatten().map(|counted| counted.number).sum(),
        ..Schedules::default()
    };
    for (at, size) in request.sizes().enumerate() {
        if results.is_settled() && results.has_scope() {
            break;
        }
        let compiled = model.compile(&size.setting)?;
        let mut run = CheckRun {
            request,
            budget,
            listener,
            started,
            results: &mut results,
            compiled: &compiled,
            size: &size,
            schedules,
        };
        run.instance(numbers.get(at).map_or(&[], |numbers| numbers))?;
        schedules = run.schedules;
    }
    Ok(results.findings(request, started.elapsed()))
}

/// The divisor of the time budget for counting schedules. The number is only reported: it decides nothing.
const SHARE_OF_COUNTING: u32 = 10;

/// Counts the schedules of a request, by instance and number of pre-adds; empty with the general client.
/// After an instance with too many schedules, later instances are not counted.
fn numbers_in_scope(
    model: &dyn Model,
    request: &Request,
    budget: &Budget,
) -> Result<Vec<Vec<Counted>>, RequestError> {
    let ClientRequest::Schedules { steps, preadds, restrictions } = &request.client else {
        return Ok(Vec::new());
    };
    // Where schedules are judged one by one, their number is part of the result.
    let share = if request.keep_going { 1 } else { SHARE_OF_COUNTING };
    let time = budget.time.map(|time| time / share);
    let watch = BudgetMeter::start(Budget { time, ..budget.clone() });
    let mut go_on = || watch.exhausted(0).is_none();
    let mut numbers: Vec<Vec<Counted>> = Vec::new();
    for size in request.sizes() {
        if numbers.last().is_some_and(|last| last.iter().any(|counted| !counted.is_all)) || !go_on() {
            break;
        }
        let program = model.compile(&size.setting)?.program;
        let scope =
            |preadds| ScheduleScope { steps: steps.clone(), preadds, restrictions: restrictions.clone() };
        numbers.push(match Client::general(&program, &size.bounds) {
            Ok(Client::General(general)) => {
                let mut of_preadds: Vec<Counted> = Vec::new();
                for preadds in preadds.clone() {
                    if of_preadds.last().is_some_and(|last| !last.is_all) || !go_on() {
                        break;
                    }
                    of_preadds.push(number_in(&program, &general, &size, &scope(preadds), &mut go_on));
                }
                of_preadds
            }
            // The search of the instance reports the error.
            _ => Vec::new(),
        });
    }
    Ok(numbers)
}

/// Counts the schedules of a scope.
fn number_in(
    program: &Program,
    general: &General,
    size: &Size,
    scope: &ScheduleScope,
    go_on: &mut dyn FnMut() -> bool,
) -> Counted {
    let (threads, restrictions) = (size.bounds.threads as usize, &*scope.restrictions);
    let lists = ScheduleLists { program, general, threads, restrictions };
    sum_of(scope.steps.clone().map(|steps| lists.number(steps as usize, scope.preadds as usize, go_on)))
}

/// Returns the sum, up to the first incomplete count.
fn sum_of(numbers: impl Iterator<Item = Counted>) -> Counted {
    let mut sum = Counted { number: 0, is_all: true };
    for counted in numbers {
        sum = Counted { number: sum.number + counted.number, is_all: counted.is_all };
        if !sum.is_all {
            break;
        }
    }
    sum
}

/// One instance of a request.
struct CheckRun<'r> {
    request: &'r Request,
    budget: &'r Budget,
    listener: &'r mut dyn Listener,
    started: Instant,
    results: &'r mut PropertyResults,
    compiled: &'r Compiled,
    size: &'r Size,
    schedules: Schedules,
}

impl CheckRun<'_> {
    /// Judges every open property. `numbers` has the number of schedules for each number of pre-adds.
    fn instance(&mut self, numbers: &[Counted]) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        let refuse = |findings| self.model_error(findings);
        let machine = Machine::new(program, &self.size.bounds).map_err(refuse)?;
        let spec = SpecMachine::new(program, &self.size.bounds).map_err(refuse)?;
        let general = Client::general(program, &self.size.bounds).map_err(refuse)?;
        self.results.begin(&machine, self.request);
        if self.size.bounds.threads as usize > MOST_THREADS {
            for rule in self.results.open_rules(self.request.fair) {
                let what = format!("progress of more than {MOST_THREADS} threads");
                self.results.undecided(rule, Limit::NotSupported(what));
            }
        }
        if self.results.is_settled() {
            return Ok(());
        }
        match &self.request.client {
            ClientRequest::General => self.client(&machine, &spec, &general)?,
            ClientRequest::Schedules { steps, preadds, restrictions } => {
                let Client::General(general) = general else { return Ok(()) };
                for (at, preadds) in preadds.clone().enumerate() {
                    if self.results.is_settled() {
                        break;
                    }
                    let number = numbers.get(at).copied().unwrap_or_default();
                    let scope =
                        ScheduleScope { steps: steps.clone(), preadds, restrictions: restrictions.clone() };
                    self.schedules((&machine, &spec), &general, &scope, number)?;
                }
            }
            ClientRequest::Calls { threads } => self.calls(&machine, &spec, threads)?,
        }
        self.results.end(&self.compiled.sources, &machine);
        Ok(())
    }

    /// Judges every open property, with these calls of each thread.
    fn calls(
        &mut self,
        machine: &Machine,
        spec: &SpecMachine,
        threads: &[Vec<PlannedCall>],
    ) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        let planned = |call: &PlannedCall| {
            let named = program.ops.entries().find(|(_, op)| *op.name == *call.op);
            let (op, _) = named.ok_or_else(|| RequestError::Message {
                text: format!("there is no operation `{}`", call.op),
                help: "name an operation of the object".into(),
            })?;
            Ok((op, call.args.clone()))
        };
        let list = |calls: &Vec<PlannedCall>| calls.iter().map(planned).collect::<Result<Vec<_>, _>>();
        let threads = threads.iter().map(list).collect::<Result<Vec<_>, _>>()?;
        self.client(machine, spec, &Client::schedule(&[], &threads))
    }

    /// Judges every open property, with all schedules of a scope.
    fn schedules(
        &mut self,
        (machine, spec): (&Machine, &SpecMachine),
        general: &General,
        scope: &ScheduleScope,
        counted: Counted,
    ) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        if counted == (Counted { number: 0, is_all: true }) || self.results.is_settled() {
            return Ok(());
        }
        let watch = BudgetMeter::start(self.rest_of_budget());
        let mut go_on = || watch.exhausted(0).is_none();
        let Ok(client) = Client::schedules_while(program, general, scope, &mut go_on) else {
            let exhausted = watch.exhausted(0).unwrap_or(Exhausted::Interrupted);
            self.results.give_up_what_is_open(exhausted, self.budget.time);
            return Ok(());
        };
        let Some(client) = client else { return Ok(()) };
        if !counted.is_all {
            self.results.remark("there are more schedules than were counted".into());
        }
        let schedules = counted.number;
        *self.results.effort.schedules.get_or_insert(0) += schedules;
        let mut run = CheckRun {
            request: self.request,
            budget: self.budget,
            listener: &mut OfSchedules {
                listener: &mut *self.listener,
                schedules: Schedules { at_once: schedules, ..self.schedules },
            },
            started: self.started,
            results: &mut *self.results,
            compiled: self.compiled,
            size: self.size,
            schedules: self.schedules,
        };
        run.client(machine, spec, &client)?;
        if self.request.keep_going {
            let violated = self.results.reopen();
            self.results.leave_out_what_is_unknown(schedules);
            if !violated.is_empty() {
                self.per_schedule((machine, spec), general, scope, (violated, schedules))?;
            }
        }
        self.schedules.done += schedules;
        Ok(())
    }

    /// Judges every open property, with one client.
    fn client(&mut self, machine: &Machine, spec: &SpecMachine, client: &Client) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        let (fair, unfair): (Vec<Rule>, Vec<Rule>) =
            self.results.open_rules(self.request.fair).into_iter().partition(|rule| rule.fair);
        let mut open = self.results.open();
        let watches = open.contains(&Property::Observers);
        open.retain(|property| *property != Property::Observers);
        let (at_ends, others): (Vec<Property>, Vec<Property>) =
            open.into_iter().partition(|property| monitor_at_ends(*property).is_some());
        let wanted = others.iter().filter_map(|property| violation_of(*property));
        // Whether endless recursion is fair is judged on the graph.
        let wanted: Vec<ViolationKind> =
            wanted.filter(|kind| !(self.request.fair && *kind == ViolationKind::TooDeep)).collect();
        let consistency = wanted.contains(&ViolationKind::Inconsistent);
        let by_points = consistency && self.results.points_are_open();
        let waits = wanted.contains(&ViolationKind::Deadlocked) && program.spec.may_block();
        let method = if by_points {
            Some(MonitorKind::Points { floats: program.ops.iter().map(|op| op.free_point).collect() })
        } else {
            (consistency || waits).then_some(MonitorKind::Refinement)
        };
        // A wrong annotation must not decide which calls may wait: the specification decides that.
        let (first, later): (Vec<ViolationKind>, Vec<ViolationKind>) =
            wanted.into_iter().partition(|kind| !(by_points && waits && *kind == ViolationKind::Deadlocked));
        let problem = SearchProblem {
            machine,
            client,
            spec,
            monitor: method,
            wanted: first,
            reductions: self.request.reductions,
            jobs: self.request.jobs,
            most_levels: None,
            most_nodes: None,
            planted: self.request.planted,
        };
        let unwatched = SearchProblem { monitor: None, wanted: Vec::new(), ..problem.clone() };
        let stuck = [Property::Linearizable, Property::DeadlockFree];
        if problem.monitor.is_none() && !unfair.is_empty() {
            // One search serves both: properties without a monitor, and cycles.
            self.endless(problem, &unfair)?;
            self.stuck(&unwatched, &stuck)?;
        } else {
            let is_judged = self.watched(problem, later, by_points)?;
            self.endless(unwatched.clone(), &unfair)?;
            let monitor = program.spec.may_block().then_some(MonitorKind::Refinement);
            if !is_judged {
                self.stuck(&SearchProblem { monitor, ..unwatched.clone() }, &stuck)?;
            }
        }
        self.endless(unwatched.clone(), &fair)?;
        if watches {
            self.observers(unwatched.clone())?;
        }
        for property in at_ends {
            let (monitor, wanted) = (monitor_at_ends(property), vec![ViolationKind::Inconsistent]);
            let problem = SearchProblem { monitor, wanted, ..unwatched.clone() };
            if !self.search(problem.clone(), property, false)?.judged_stuck {
                self.stuck(&problem, &[property])?;
            }
        }
        Ok(())
    }

    /// Judges whether an observer of the specification accepts, at the annotated points.
    fn observers(&mut self, problem: SearchProblem<'_>) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        let why = match Watching::new(program, problem.machine.bounds()) {
            Ok(watching) => {
                for observer in watching.idle() {
                    self.results.remark(format!(
                        "the observer `{observer}` watches nothing: it has more variables than there are values"
                    ));
                }
                let floats = program.ops.iter().map(|op| op.free_point).collect();
                let (monitor, wanted) =
                    (Some(MonitorKind::Observers { floats }), vec![ViolationKind::Inconsistent]);
                self.search(SearchProblem { monitor, wanted, ..problem }, Property::Observers, false)?;
                return Ok(());
            }
            Err(NotWatched::NoObservers) => {
                return Err(RequestError::Message {
                    text: format!("the specification `{}` has no observers", program.spec.name),
                    help: "write `observer NAME(a: data) { … }` into it, or ask for `linearizable`".into(),
                });
            }
            Err(NotWatched::Rendezvous) => "observers of operations with a rendezvous".to_string(),
            Err(NotWatched::Result(op)) => format!("observers of `{op}`, whose results cannot be listed"),
            Err(NotWatched::TooFew(values)) => {
                return Err(RequestError::Message {
                    text: format!(
                        "the observers of `{}` have more variables than there are values",
                        program.spec.name
                    ),
                    help: format!("run with `--values {values}` or more"),
                });
            }
            Err(NotWatched::TooMany) => "observers with this many values".to_string(),
        };
        self.results.unknown(Property::Observers, Limit::NotSupported(why), false);
        Ok(())
    }

    /// Judges the properties that a search judges step by step, with a monitor where one is needed. Returns
    /// whether stuck states were judged.
    fn watched(
        &mut self,
        problem: SearchProblem<'_>,
        later: Vec<ViolationKind>,
        by_points: bool,
    ) -> Result<bool, RequestError> {
        if problem.wanted.is_empty() && later.is_empty() {
            return Ok(false);
        }
        let linearizable = Property::Linearizable;
        let mut first = Searched::default();
        if !problem.wanted.is_empty() {
            first = self.search(problem.clone(), linearizable, by_points)?;
        }
        // Where the annotation is wrong, the object is judged again without it.
        let mut wanted = later;
        wanted.extend(first.refuted.then_some(ViolationKind::Inconsistent));
        if wanted.is_empty() {
            return Ok(first.judged_stuck);
        }
        let monitor = Some(MonitorKind::Refinement);
        let second = self.search(SearchProblem { monitor, wanted, ..problem }, linearizable, false)?;
        Ok(second.judged_stuck)
    }

    /// Judges the wanted violations. `consistency` is the property that the monitor judges.
    fn search(
        &mut self,
        problem: SearchProblem<'_>,
        consistency: Property,
        by_points: bool,
    ) -> Result<Searched, RequestError> {
        let mut search = self.bounded(Search::new(problem));
        let result =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.results.note(&result, (self.budget.memory_in_use)());
        let refuted = self.judge(&search, &result, consistency, by_points);
        let judged_stuck = !by_points && result.exhausted.is_none() && self.can_judge_stuck(&search);
        if judged_stuck {
            self.stuck_in(&search, &[consistency, Property::DeadlockFree])?;
        }
        Ok(Searched { refuted, judged_stuck })
    }

    /// Stores what a search found. Returns whether annotated points were refuted.
    fn judge(
        &mut self,
        search: &Search<'_>,
        result: &SearchResult,
        consistency: Property,
        by_points: bool,
    ) -> bool {
        let mut refuted = false;
        for &kind in &search.problem.wanted {
            let property = property_of(kind, consistency);
            let points = by_points && kind == ViolationKind::Inconsistent;
            let Some((found, steps)) = shortest(result, kind) else {
                if let Some(exhausted) = result.exhausted {
                    self.results.gave_up(property, exhausted, self.budget.time, points);
                }
                continue;
            };
            refuted |= points;
            let claim = if points { Claim::RefutesPoints } else { Claim::Violates(property) };
            match self.shortest_witness(search, claim, (found, steps)) {
                Ok(counterexample) if points => self.results.refute_points(counterexample),
                Ok(counterexample) => self.results.violate(property, counterexample),
                Err(why) => self.results.unconfirmed(property, why, points),
            }
        }
        refuted
    }

    /// Returns the search with the request's bound on preemptions.
    fn bounded<'q>(&self, mut search: Search<'q>) -> Search<'q> {
        if let Some(most) = self.request.preemptions {
            search.bound_preemptions(most);
        }
        search
    }

    fn rest_of_budget(&self) -> Budget {
        let mut budget = self.budget.clone();
        budget.time = budget.time.map(|limit| limit.saturating_sub(self.started.elapsed()));
        budget
    }

    /// Returns a shortest execution that shows the violation. Partial order reduction keeps verdicts, not
    /// lengths. So a second search without it looks for a shorter execution. The second search is limited in
    /// depth and size.
    fn shortest_witness(
        &mut self,
        search: &Search<'_>,
        claim: Claim,
        (kind, moves): (ViolationKind, usize),
    ) -> Result<Counterexample, String> {
        let found = self.witness(search, claim, (kind, moves));
        if !search.problem.reductions.partial_order {
            return found;
        }
        let nodes = search.store.number_of_nodes();
        let wanted = if kind == ViolationKind::Stuck { ViolationKind::Inconsistent } else { kind };
        let mut second = self.bounded(Search::new(SearchProblem {
            reductions: Reductions { partial_order: false, ..search.problem.reductions },
            wanted: vec![wanted],
            most_levels: found.as_ref().ok().map(|found| found.trace().choices.len()),
            most_nodes: found.is_ok().then_some(nodes * 16 + 100_000),
            ..search.problem.clone()
        }));
        let Ok(result) = second.run(&self.rest_of_budget(), self.listener) else { return found };
        match shortest(&result, wanted) {
            Some(shorter) => self.witness(&second, claim, shorter).or(found),
            None => found,
        }
    }

    /// Returns the replayed execution that shows the violation; the error tells why there is none.
    fn witness(
        &self,
        search: &Search<'_>,
        claim: Claim,
        (kind, moves): (ViolationKind, usize),
    ) -> Result<Counterexample, String> {
        let lost = |_: SpecError| "the specification has a fault on the path".to_string();
        let path = search.witness(kind, moves).map_err(lost)?;
        let path = path.ok_or("no path leads to the violation")?;
        let choices = search.concretise(kind, &path).map_err(lost)?;
        let choices = choices.ok_or("no execution of the plain semantics follows the path")?;
        self.confirmed(search, claim, choices, None)
    }

    /// Replays an execution.
    fn confirmed(
        &self,
        search: &Search<'_>,
        claim: Claim,
        Choices { initial, steps }: Choices,
        cycle: Option<usize>,
    ) -> Result<Counterexample, String> {
        let SearchProblem { machine, client, .. } = search.problem;
        let program = machine.program();
        let instance = Instance {
            model: program.name.to_string(),
            fingerprint: fingerprint(program),
            bounds: machine.bounds().clone(),
            constants: program.constants.iter().map(|c| (c.name.to_string(), c.value)).collect(),
            client: trace_client(client, machine, &steps),
            fair: self.request.fair,
        };
        let trace = Trace { instance, claim, initial, choices: steps, cycle };
        replay(program, &trace).map_err(|refused| refused.to_string())
    }

    fn model_error(&self, findings: Vec<Diagnostic>) -> RequestError {
        RequestError::Model { sources: self.compiled.sources.clone(), findings }
    }

    fn unsearchable(&self, error: SearchError) -> RequestError {
        match error {
            SearchError::Init(Outcome::Fault(fault)) => {
                let finding = Diagnostic::error("`init` fails", fault.span, fault.message.clone());
                self.model_error(vec![finding])
            }
            SearchError::Init(Outcome::Disabled(Blocked::NoCell)) => RequestError::Message {
                text: format!("`init` needs more than {} nodes", self.size.bounds.nodes),
                help: "raise `--nodes`: it counts every cell, sentinels and dummies too".into(),
            },
            SearchError::Init(outcome) => RequestError::Message {
                text: format!("`init` does not end: {}", why_init_fails(&outcome)),
                help: "raise the bounds, or change `init`".into(),
            },
            SearchError::Spec(SpecError::Fault(fault)) => {
                let title = "the specification itself fails";
                self.model_error(vec![Diagnostic::error(title, fault.span, fault.message.clone())])
            }
            SearchError::Spec(SpecError::Cut(cut)) => RequestError::Message {
                text: format!("the specification leaves the bounds: {}", cut.what()),
                help: match cut {
                    Cut::Ints | Cut::Depth => "raise `ints` or `depth` in a `check` block".into(),
                    Cut::Work | Cut::Words | Cut::Size => {
                        "simplify the operations of the specification".into()
                    }
                },
            },
        }
    }
}

/// Returns the reason why the object has no initial state.
fn why_init_fails(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Cut(cut) => cut.what(),
        Outcome::Disabled(Blocked::Lock { .. }) => "it waits for a lock",
        Outcome::Disabled(_) => "it waits for ever",
        Outcome::Fault(_) | Outcome::Done | Outcome::Discarded => "it fails",
    }
}

/// Facts about a search, beside its findings.
#[derive(Clone, Copy, Default)]
struct Searched {
    /// Annotated points were refuted.
    refuted: bool,
    /// Stuck states were judged on the graph of the search.
    judged_stuck: bool,
}

/// Returns the property that a kind of violation violates. `consistency` is the property that the monitor
/// judges.
fn property_of(kind: ViolationKind, consistency: Property) -> Property {
    match kind {
        ViolationKind::Inconsistent | ViolationKind::Stuck => consistency,
        ViolationKind::MemoryUnsafe => Property::MemorySafe,
        ViolationKind::AssertionFails => Property::Assertions,
        ViolationKind::Deadlocked => Property::DeadlockFree,
        ViolationKind::TooDeep => Property::Terminating,
    }
}

/// Returns the shortest violation of a kind. An illegal end is also inconsistent.
fn shortest(result: &SearchResult, kind: ViolationKind) -> Option<(ViolationKind, usize)> {
    let found = |kind: ViolationKind| result.found.get(&kind).map(|steps| (kind, *steps));
    let stuck = found(ViolationKind::Stuck).filter(|_| kind == ViolationKind::Inconsistent);
    found(kind).into_iter().chain(stuck).min_by_key(|(_, steps)| *steps)
}

/// Returns the client of one execution: the schedule of the calls that were made.
fn trace_client(client: &Client, machine: &Machine, choices: &[Choice]) -> TraceClient {
    let preadds = match client {
        Client::General(_) => return TraceClient::General,
        Client::Schedule(schedule) => schedule.prefix(),
        Client::Schedules(schedules) => schedules.preadds(),
    };
    let mut threads: Vec<Vec<PlannedCall>> = vec![Vec::new(); machine.bounds().threads as usize];
    let mut prefix = Vec::new();
    for choice in choices {
        let Action::Call(call) = &choice.action else { continue };
        let list = if prefix.len() < preadds as usize {
            Some(&mut prefix)
        } else {
            threads.get_mut(choice.thread.index())
        };
        list.into_iter().for_each(|list| list.push(call.clone()));
    }
    TraceClient::Schedule { prefix, threads }
}
