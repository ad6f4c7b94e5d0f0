//! PropertyResults to a request: each property judged over every instance, each violation replayed before it counts.
//!
//! A property is *violated* at the first instance (smallest first) that violates it, *holds* if it holds of every instance, and
//! is *unknown* if some search ended early and none found a violation.

mod endless;
mod one_by_one;
mod stuck;

use super::answers::PropertyResults;
use super::concretise::Choices;
use super::deeds::MOST_THREADS;
use super::monitor::MonitorKind;
use super::progress::Rule;
use super::reduction::Reductions;
use super::request::{ClientRequest, Request, Size};
use super::schedules::{Counted, ScheduleLists};
use super::search::{Search, SearchError, SearchProblem, SearchResult, ViolationKind};
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
use std::time::Instant;

/// Judges every property of the request.
pub fn check(
    model: &dyn Model,
    request: &Request,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<Vec<Finding>, RequestError> {
    let started = Instant::now();
    let mut answers = PropertyResults::new(request);
    let numbers = numbers_in_scope(model, request, budget)?;
    let mut schedules = Schedules {
        of: numbers.iter().flatten().map(|counted| counted.number).sum(),
        ..Schedules::default()
    };
    for (at, size) in request.sizes().enumerate() {
        if answers.is_settled() && answers.has_scope() {
            break;
        }
        let compiled = model.compile(&size.setting)?;
        let mut run = Run {
            request,
            budget,
            listener,
            started,
            answers: &mut answers,
            compiled: &compiled,
            size: &size,
            schedules,
        };
        run.instance(numbers.get(at).map_or(&[], |numbers| numbers))?;
        schedules = run.schedules;
    }
    Ok(answers.findings(request, started.elapsed()))
}

/// The part of the time in which schedules are counted: the number is told, and decides nothing.
const SHARE_OF_COUNTING: u32 = 10;

/// How many schedules a request is about, by instance and number of pre-adds; none with the general client. Where there are too many
/// to count, those of the instances after it are not counted at all.
fn numbers_in_scope(
    model: &dyn Model,
    request: &Request,
    budget: &Budget,
) -> Result<Vec<Vec<Counted>>, RequestError> {
    let ClientRequest::Schedules { steps, preadds, restrictions } = &request.client else {
        return Ok(Vec::new());
    };
    // Where schedules are judged one by one, how many there are is part of the answer.
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
            // Whoever searches the instance says what is wrong with it.
            _ => Vec::new(),
        });
    }
    Ok(numbers)
}

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

/// The sum, up to the first that is not all there is.
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
struct Run<'r> {
    request: &'r Request,
    budget: &'r Budget,
    listener: &'r mut dyn Listener,
    started: Instant,
    answers: &'r mut PropertyResults,
    compiled: &'r Compiled,
    size: &'r Size,
    schedules: Schedules,
}

impl Run<'_> {
    /// `numbers` of schedules are by the number of pre-adds.
    fn instance(&mut self, numbers: &[Counted]) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        let refuse = |findings| self.model_error(findings);
        let machine = Machine::new(program, &self.size.bounds).map_err(refuse)?;
        let spec = SpecMachine::new(program, &self.size.bounds).map_err(refuse)?;
        let general = Client::general(program, &self.size.bounds).map_err(refuse)?;
        self.answers.begin(&machine, self.request);
        if self.size.bounds.threads as usize > MOST_THREADS {
            for rule in self.answers.open_rules(self.request.fair) {
                let what = format!("progress of more than {MOST_THREADS} threads");
                self.answers.undecided(rule, Limit::NotSupported(what));
            }
        }
        if self.answers.is_settled() {
            return Ok(());
        }
        match &self.request.client {
            ClientRequest::General => self.client(&machine, &spec, &general)?,
            ClientRequest::Schedules { steps, preadds, restrictions } => {
                let Client::General(general) = general else { return Ok(()) };
                for (at, preadds) in preadds.clone().enumerate() {
                    if self.answers.is_settled() {
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
        self.answers.end(&self.compiled.sources, &machine);
        Ok(())
    }

    /// Every open property, with these calls of each thread.
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

    /// Every open property, with all schedules of a scope, of which so many were counted.
    fn schedules(
        &mut self,
        (machine, spec): (&Machine, &SpecMachine),
        general: &General,
        scope: &ScheduleScope,
        counted: Counted,
    ) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        if counted == (Counted { number: 0, is_all: true }) || self.answers.is_settled() {
            return Ok(());
        }
        let watch = BudgetMeter::start(self.rest_of_budget());
        let mut go_on = || watch.exhausted(0).is_none();
        let Ok(client) = Client::schedules_while(program, general, scope, &mut go_on) else {
            let exhausted = watch.exhausted(0).unwrap_or(Exhausted::Interrupted);
            self.answers.give_up_what_is_open(exhausted, self.budget.time);
            return Ok(());
        };
        let Some(client) = client else { return Ok(()) };
        if !counted.is_all {
            self.answers.remark("there are more schedules than were counted".into());
        }
        let schedules = counted.number;
        *self.answers.effort.schedules.get_or_insert(0) += schedules;
        let mut run = Run {
            request: self.request,
            budget: self.budget,
            listener: &mut OfSchedules {
                listener: &mut *self.listener,
                schedules: Schedules { at_once: schedules, ..self.schedules },
            },
            started: self.started,
            answers: &mut *self.answers,
            compiled: self.compiled,
            size: self.size,
            schedules: self.schedules,
        };
        run.client(machine, spec, &client)?;
        if self.request.keep_going {
            let violated = self.answers.reopen();
            self.answers.leave_out_what_is_unknown(schedules);
            if !violated.is_empty() {
                self.one_by_one((machine, spec), general, scope, (violated, schedules))?;
            }
        }
        self.schedules.done += schedules;
        Ok(())
    }

    /// Every open property, with one client.
    fn client(&mut self, machine: &Machine, spec: &SpecMachine, client: &Client) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        let (fair, unfair): (Vec<Rule>, Vec<Rule>) =
            self.answers.open_rules(self.request.fair).into_iter().partition(|rule| rule.fair);
        let mut open = self.answers.open();
        let watches = open.contains(&Property::Observers);
        open.retain(|property| *property != Property::Observers);
        let (at_ends, others): (Vec<Property>, Vec<Property>) =
            open.into_iter().partition(|property| method_at_ends(*property).is_some());
        let wanted = others.iter().filter_map(|property| kind_of_property(*property));
        // Whether recursion without end is fair is asked of the graph.
        let wanted: Vec<ViolationKind> =
            wanted.filter(|kind| !(self.request.fair && *kind == ViolationKind::TooDeep)).collect();
        let consistency = wanted.contains(&ViolationKind::Inconsistent);
        let by_points = consistency && self.answers.points_are_open();
        let waits = wanted.contains(&ViolationKind::Deadlocked) && program.spec.may_block();
        let method = if by_points {
            Some(MonitorKind::Points { floats: program.ops.iter().map(|op| op.free_point).collect() })
        } else {
            (consistency || waits).then_some(MonitorKind::Refinement)
        };
        // A wrong annotation must not decide which calls may wait: that is asked of the specification itself.
        let (first, later): (Vec<ViolationKind>, Vec<ViolationKind>) =
            wanted.into_iter().partition(|kind| !(by_points && waits && *kind == ViolationKind::Deadlocked));
        let question = SearchProblem {
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
        let unwatched = SearchProblem { monitor: None, wanted: Vec::new(), ..question.clone() };
        let stuck = [Property::Linearizable, Property::DeadlockFree];
        if question.monitor.is_none() && !unfair.is_empty() {
            // One search serves both: what needs no monitor, and cycles.
            self.endless(question, &unfair)?;
            self.stuck(&unwatched, &stuck)?;
        } else {
            let is_judged = self.watched(question, later, by_points)?;
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
            let (monitor, wanted) = (method_at_ends(property), vec![ViolationKind::Inconsistent]);
            let question = SearchProblem { monitor, wanted, ..unwatched.clone() };
            if !self.search(question.clone(), property, false)?.judged_stuck {
                self.stuck(&question, &[property])?;
            }
        }
        Ok(())
    }

    /// Whether an observer of the specification accepts, at the annotated points.
    fn observers(&mut self, question: SearchProblem<'_>) -> Result<(), RequestError> {
        let program = &self.compiled.program;
        let why = match Watching::new(program, question.machine.bounds()) {
            Ok(watching) => {
                for observer in watching.idle() {
                    self.answers.remark(format!(
                        "the observer `{observer}` watches nothing: it speaks of more values than there are"
                    ));
                }
                let floats = program.ops.iter().map(|op| op.free_point).collect();
                let (monitor, wanted) =
                    (Some(MonitorKind::Observers { floats }), vec![ViolationKind::Inconsistent]);
                self.search(SearchProblem { monitor, wanted, ..question }, Property::Observers, false)?;
                return Ok(());
            }
            Err(NotWatched::NoObservers) => {
                return Err(RequestError::Message {
                    text: format!("the specification `{}` has no observers", program.spec.name),
                    help: "write `observer NAME(a: data) { … }` into it, or ask for `linearizable`".into(),
                });
            }
            Err(NotWatched::Rendezvous) => "observers of operations that happen together".to_string(),
            Err(NotWatched::Result(op)) => format!("observers where `{op}` returns what cannot be listed"),
            Err(NotWatched::TooFew(values)) => {
                return Err(RequestError::Message {
                    text: format!(
                        "the observers of `{}` speak of more values than there are",
                        program.spec.name
                    ),
                    help: format!("run with `--values {values}` or more"),
                });
            }
            Err(NotWatched::TooMany) => "observers with so many values".to_string(),
        };
        self.answers.unknown(Property::Observers, Limit::NotSupported(why), false);
        Ok(())
    }

    /// What is judged step by step, beside a monitor where one is needed. Whether states from which no call completes were judged.
    fn watched(
        &mut self,
        question: SearchProblem<'_>,
        later: Vec<ViolationKind>,
        by_points: bool,
    ) -> Result<bool, RequestError> {
        if question.wanted.is_empty() && later.is_empty() {
            return Ok(false);
        }
        let linearizable = Property::Linearizable;
        let mut first = Searched::default();
        if !question.wanted.is_empty() {
            first = self.search(question.clone(), linearizable, by_points)?;
        }
        // If the annotation is wrong, what of the object? Judged again without it.
        let mut wanted = later;
        wanted.extend(first.refuted.then_some(ViolationKind::Inconsistent));
        if wanted.is_empty() {
            return Ok(first.judged_stuck);
        }
        let monitor = Some(MonitorKind::Refinement);
        let second = self.search(SearchProblem { monitor, wanted, ..question }, linearizable, false)?;
        Ok(second.judged_stuck)
    }

    /// Judges what is wanted; `consistency` is the property that the monitor is about.
    fn search(
        &mut self,
        question: SearchProblem<'_>,
        consistency: Property,
        by_points: bool,
    ) -> Result<Searched, RequestError> {
        let mut search = self.bounded(Search::new(question));
        let summary =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.answers.note(&summary, (self.budget.memory_in_use)());
        let refuted = self.judge(&search, &summary, consistency, by_points);
        let judged_stuck = !by_points && summary.exhausted.is_none() && self.can_judge_stuck(&search);
        if judged_stuck {
            self.stuck_in(&search, &[consistency, Property::DeadlockFree])?;
        }
        Ok(Searched { refuted, judged_stuck })
    }

    /// What a search found of what it was asked for; whether annotated points were refuted.
    fn judge(
        &mut self,
        search: &Search<'_>,
        summary: &SearchResult,
        consistency: Property,
        by_points: bool,
    ) -> bool {
        let mut refuted = false;
        for &kind in &search.question.wanted {
            let property = property_of(kind, consistency);
            let points = by_points && kind == ViolationKind::Inconsistent;
            let Some((found, steps)) = shortest(summary, kind) else {
                if let Some(exhausted) = summary.exhausted {
                    self.answers.gave_up(property, exhausted, self.budget.time, points);
                }
                continue;
            };
            refuted |= points;
            let claim = if points { Claim::RefutesPoints } else { Claim::Violates(property) };
            match self.shortest_witness(search, claim, (found, steps)) {
                Ok(counterexample) if points => self.answers.refute_points(counterexample),
                Ok(counterexample) => self.answers.violate(property, counterexample),
                Err(why) => self.answers.unconfirmed(property, why, points),
            }
        }
        refuted
    }

    /// The search, with the request's bound on preemptions.
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

    /// A shortest execution that shows the violation. Partial order reduction keeps verdicts, not lengths: a second search
    /// without it, no deeper than what was found and not much larger, looks for a shorter one.
    fn shortest_witness(
        &mut self,
        search: &Search<'_>,
        claim: Claim,
        (kind, moves): (ViolationKind, usize),
    ) -> Result<Counterexample, String> {
        let found = self.witness(search, claim, (kind, moves));
        if !search.question.reductions.partial_order {
            return found;
        }
        let nodes = search.store.number_of_nodes();
        let wanted = if kind == ViolationKind::Stuck { ViolationKind::Inconsistent } else { kind };
        let mut second = self.bounded(Search::new(SearchProblem {
            reductions: Reductions { partial_order: false, ..search.question.reductions },
            wanted: vec![wanted],
            most_levels: found.as_ref().ok().map(|found| found.trace().choices.len()),
            most_nodes: found.is_ok().then_some(nodes * 16 + 100_000),
            ..search.question.clone()
        }));
        let Ok(summary) = second.run(&self.rest_of_budget(), self.listener) else { return found };
        match shortest(&summary, wanted) {
            Some(shorter) => self.witness(&second, claim, shorter).or(found),
            None => found,
        }
    }

    /// The execution that shows the violation, replayed; or why there is none to show.
    fn witness(
        &self,
        search: &Search<'_>,
        claim: Claim,
        (kind, moves): (ViolationKind, usize),
    ) -> Result<Counterexample, String> {
        let lost = |_: SpecError| "the specification failed on the way".to_string();
        let path = search.witness(kind, moves).map_err(lost)?;
        let path = path.ok_or("no execution leads there")?;
        let choices = search.concretise(kind, &path).map_err(lost)?;
        let choices = choices.ok_or("no execution of the plain semantics goes along")?;
        self.confirmed(search, claim, choices, None)
    }

    /// The execution, run again.
    fn confirmed(
        &self,
        search: &Search<'_>,
        claim: Claim,
        Choices { initial, steps }: Choices,
        cycle: Option<usize>,
    ) -> Result<Counterexample, String> {
        let SearchProblem { machine, client, .. } = search.question;
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
                text: format!("`init` does not end: {}", why_init_ends_not(&outcome)),
                help: "raise the bounds, or look at `init`".into(),
            },
            SearchError::Spec(SpecError::Fault(fault)) => {
                let title = "the specification itself fails";
                self.model_error(vec![Diagnostic::error(title, fault.span, fault.message.clone())])
            }
            SearchError::Spec(SpecError::Cut(cut)) => RequestError::Message {
                text: format!("the specification leaves the bounds: {}", cut.what()),
                help: match cut {
                    Cut::Ints | Cut::Depth => "raise `ints` or `depth` in a `check` block".into(),
                    Cut::Work | Cut::Words | Cut::Size => "make its operations do less".into(),
                },
            },
        }
    }
}

/// Why the object has no initial state, for a person.
fn why_init_ends_not(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Cut(cut) => cut.what(),
        Outcome::Disabled(Blocked::Lock { .. }) => "it waits for a lock",
        Outcome::Disabled(_) => "it waits for ever",
        Outcome::Fault(_) | Outcome::Done | Outcome::Discarded => "it fails",
    }
}

/// What came of a search, beside its findings.
#[derive(Clone, Copy, Default)]
struct Searched {
    /// Annotated points were refuted.
    refuted: bool,
    /// States from which no pending call completes were judged on its graph.
    judged_stuck: bool,
}

/// The kind of violation that a property is about, if a search over states can judge it.
pub fn kind_of_property(property: Property) -> Option<ViolationKind> {
    Some(match property {
        Property::Linearizable
        | Property::SequentiallyConsistent
        | Property::QuiescentlyConsistent
        | Property::BarrierConsistent
        | Property::Observers => ViolationKind::Inconsistent,
        Property::MemorySafe => ViolationKind::MemoryUnsafe,
        Property::Assertions => ViolationKind::AssertionFails,
        Property::DeadlockFree => ViolationKind::Deadlocked,
        Property::Terminating => ViolationKind::TooDeep,
        _ => return None,
    })
}

/// How a property is judged that only the ends of executions decide.
pub fn method_at_ends(property: Property) -> Option<MonitorKind> {
    match property {
        Property::SequentiallyConsistent => Some(MonitorKind::ProgramOrder),
        Property::QuiescentlyConsistent => Some(MonitorKind::Quiescence),
        Property::BarrierConsistent => Some(MonitorKind::Barrier),
        _ => None,
    }
}

/// The property that a kind of violation is about, where the monitor judges this consistency.
fn property_of(kind: ViolationKind, consistency: Property) -> Property {
    match kind {
        ViolationKind::Inconsistent | ViolationKind::Stuck => consistency,
        ViolationKind::MemoryUnsafe => Property::MemorySafe,
        ViolationKind::AssertionFails => Property::Assertions,
        ViolationKind::Deadlocked => Property::DeadlockFree,
        ViolationKind::TooDeep => Property::Terminating,
    }
}

/// The shortest violation that was found of what was asked for: an end that is not legal is inconsistent too.
fn shortest(summary: &SearchResult, kind: ViolationKind) -> Option<(ViolationKind, usize)> {
    let found = |kind: ViolationKind| summary.found.get(&kind).map(|steps| (kind, *steps));
    let stuck = found(ViolationKind::Stuck).filter(|_| kind == ViolationKind::Inconsistent);
    found(kind).into_iter().chain(stuck).min_by_key(|(_, steps)| *steps)
}

/// The client of one execution: of all schedules the one whose calls were made.
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
