//! Answers to a request: each property judged over every instance, each violation replayed before it counts.
//!
//! A property is *violated* at the first instance (smallest first) that violates it, *holds* if it holds of every instance, and
//! is *unknown* if some search ended early and none found a violation.

mod endless;

use super::answers::Answers;
use super::concretise::Choices;
use super::expand::planned_call;
use super::monitor::Method;
use super::progress::Rule;
use super::reduction::Reductions;
use super::request::{ClientRequest, Request, Size};
use super::schedules::{Schedule, schedules};
use super::search::{Kind, Question, Search, Summary, Unsearchable};
use crate::engine::{Budget, Listener};
use linchpin_core::diagnostic::Diagnostic;
use linchpin_core::ir::{Op, Program};
use linchpin_core::replay::{fingerprint, replay};
use linchpin_core::semantics::{Blocked, Client, Machine, Outcome, SpecError, SpecMachine};
use linchpin_core::source::SourceMap;
use linchpin_core::typing::Setting;
use linchpin_core::verdict::{Claim, Counterexample, Finding, Instance, Property, Trace, TraceClient};
use std::sync::Arc;
use std::time::Instant;

/// A model that can be lowered for different numbers of threads and values of constants.
pub trait Model {
    fn compile(&self, setting: &Setting) -> Result<Compiled, Uncheckable>;
}

/// A program and the text that it comes from.
#[derive(Clone)]
pub struct Compiled {
    pub sources: Arc<SourceMap>,
    pub program: Arc<Program>,
}

/// Why a request has no answer at all: the model or the bounds are wrong.
#[derive(Clone, Debug)]
pub enum Uncheckable {
    Model { sources: Arc<SourceMap>, findings: Vec<Diagnostic> },
    Message { text: String, help: String },
}

/// Judges every property of the request.
pub fn check(
    model: &dyn Model,
    request: &Request,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<Vec<Finding>, Uncheckable> {
    let started = Instant::now();
    let mut answers = Answers::new(request);
    for size in request.sizes() {
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
        };
        run.instance()?;
    }
    Ok(answers.findings(request, started.elapsed()))
}

/// One instance of a request.
struct Run<'r> {
    request: &'r Request,
    budget: &'r Budget,
    listener: &'r mut dyn Listener,
    started: Instant,
    answers: &'r mut Answers,
    compiled: &'r Compiled,
    size: &'r Size,
}

impl Run<'_> {
    fn instance(&mut self) -> Result<(), Uncheckable> {
        let program = &self.compiled.program;
        let refuse = |findings| self.model_error(findings);
        let machine = Machine::new(program, &self.size.bounds).map_err(refuse)?;
        let spec = SpecMachine::new(program, &self.size.bounds).map_err(refuse)?;
        let general = Client::general(program, &self.size.bounds).map_err(refuse)?;
        self.answers.begin(&machine, self.request);
        if self.answers.is_settled() {
            return Ok(());
        }
        match &self.request.client {
            ClientRequest::General => self.client(&machine, &spec, &general, &TraceClient::General)?,
            ClientRequest::Schedules { steps, preadds, restrictions } => {
                let Client::General(general) = general else { return Ok(()) };
                let threads = self.size.bounds.threads as usize;
                for steps in steps.clone() {
                    for preadds in preadds.clone() {
                        let (steps, preadds) = (steps as usize, preadds as usize);
                        for schedule in schedules(program, &general, threads, steps, preadds, restrictions) {
                            if self.answers.is_settled() {
                                break;
                            }
                            let trace_client = trace_client(program, &schedule);
                            self.answers.effort.schedules =
                                Some(self.answers.effort.schedules.unwrap_or(0) + 1);
                            self.client(&machine, &spec, &schedule.client(), &trace_client)?;
                        }
                    }
                }
            }
        }
        self.answers.end(&self.compiled.sources, &machine);
        Ok(())
    }

    /// Every open property, with one client.
    fn client(
        &mut self,
        machine: &Machine,
        spec: &SpecMachine,
        client: &Client,
        trace_client: &TraceClient,
    ) -> Result<(), Uncheckable> {
        let program = &self.compiled.program;
        let wanted = self.answers.wanted();
        let (fair, unfair): (Vec<Rule>, Vec<Rule>) =
            self.answers.open_rules(self.request.fair).into_iter().partition(|rule| rule.fair);
        let consistency = wanted.contains(&Kind::Inconsistent);
        let by_points = consistency && self.answers.points_are_open();
        let waits = wanted.contains(&Kind::Deadlocked) && spec_blocks(program);
        let method = if by_points {
            Some(Method::Points { floats: program.ops.iter().map(|op| op.free_point).collect() })
        } else {
            (consistency || waits).then_some(Method::Refinement)
        };
        // A wrong annotation must not decide which calls may wait: that is asked of the specification itself.
        let (first, later): (Vec<Kind>, Vec<Kind>) =
            wanted.into_iter().partition(|kind| !(by_points && waits && *kind == Kind::Deadlocked));
        let question = Question {
            machine,
            client,
            spec,
            monitor: method,
            wanted: first,
            reductions: self.request.reductions,
            jobs: self.request.jobs,
            most_levels: None,
            most_nodes: None,
        };
        let unwatched = Question { monitor: None, wanted: Vec::new(), ..question.clone() };
        if question.monitor.is_none() && !unfair.is_empty() {
            // One search serves both: what needs no monitor, and cycles.
            self.endless(question, &unfair, trace_client)?;
            return self.endless(unwatched, &fair, trace_client);
        }
        self.watched(question, later, trace_client, by_points)?;
        self.endless(unwatched.clone(), &unfair, trace_client)?;
        self.endless(unwatched, &fair, trace_client)
    }

    /// What is judged step by step, beside a monitor where one is needed.
    fn watched(
        &mut self,
        question: Question<'_>,
        later: Vec<Kind>,
        trace_client: &TraceClient,
        by_points: bool,
    ) -> Result<(), Uncheckable> {
        if question.wanted.is_empty() {
            return Ok(());
        }
        let refuted = self.search(question.clone(), trace_client, by_points)?;
        // If the annotation is wrong, what of the object? Judged again without it.
        let mut wanted = later;
        wanted.extend(refuted.then_some(Kind::Inconsistent));
        if !wanted.is_empty() {
            self.search(
                Question { monitor: Some(Method::Refinement), wanted, ..question },
                trace_client,
                false,
            )?;
        }
        Ok(())
    }

    /// Whether annotated points were refuted.
    fn search(
        &mut self,
        question: Question<'_>,
        client: &TraceClient,
        by_points: bool,
    ) -> Result<bool, Uncheckable> {
        let mut search = Search::new(question);
        let summary =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.answers.note(&summary, (self.budget.memory_in_use)());
        Ok(self.judge(&search, &summary, client, by_points))
    }

    /// What a search found of what it was asked for; whether annotated points were refuted.
    fn judge(
        &mut self,
        search: &Search<'_>,
        summary: &Summary,
        client: &TraceClient,
        by_points: bool,
    ) -> bool {
        let machine = search.question.machine;
        let mut refuted = false;
        for &kind in &search.question.wanted {
            let property = property_of(kind);
            let points = by_points && kind == Kind::Inconsistent;
            let Some((found, steps)) = shortest(summary, kind) else {
                if let Some(exhausted) = summary.exhausted {
                    self.answers.gave_up(property, exhausted, self.budget.time, points);
                }
                continue;
            };
            refuted |= points;
            let claim = if points { Claim::RefutesPoints } else { Claim::Violates(property) };
            match self.shortest_witness(search, machine, client, claim, (found, steps)) {
                Ok(counterexample) if points => self.answers.refute_points(counterexample),
                Ok(counterexample) => self.answers.violate(property, counterexample),
                Err(why) => self.answers.unconfirmed(property, why, points),
            }
        }
        refuted
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
        machine: &Machine,
        client: &TraceClient,
        claim: Claim,
        (kind, moves): (Kind, usize),
    ) -> Result<Counterexample, String> {
        let found = self.witness(search, machine, client, claim, (kind, moves));
        if !search.question.reductions.partial_order {
            return found;
        }
        let nodes = search.store.number_of_nodes();
        let wanted = if kind == Kind::Stuck { Kind::Inconsistent } else { kind };
        let mut second = Search::new(Question {
            reductions: Reductions { partial_order: false, ..search.question.reductions },
            wanted: vec![wanted],
            most_levels: found.as_ref().ok().map(|found| found.trace().choices.len()),
            most_nodes: found.is_ok().then_some(nodes * 16 + 100_000),
            ..search.question.clone()
        });
        let Ok(summary) = second.run(&self.rest_of_budget(), self.listener) else { return found };
        match shortest(&summary, wanted) {
            Some(shorter) => self.witness(&second, machine, client, claim, shorter).or(found),
            None => found,
        }
    }

    /// The execution that shows the violation, replayed; or why there is none to show.
    fn witness(
        &self,
        search: &Search<'_>,
        machine: &Machine,
        client: &TraceClient,
        claim: Claim,
        (kind, moves): (Kind, usize),
    ) -> Result<Counterexample, String> {
        let lost = |_: SpecError| "the specification failed on the way".to_string();
        let path = search.witness(kind, moves).map_err(lost)?;
        let path = path.ok_or("no execution leads there")?;
        let choices = search.concretise(kind, &path).map_err(lost)?;
        let choices = choices.ok_or("no execution of the plain semantics goes along")?;
        self.confirmed(machine, client, claim, choices, None)
    }

    /// The execution, run again.
    fn confirmed(
        &self,
        machine: &Machine,
        client: &TraceClient,
        claim: Claim,
        Choices { initial, steps }: Choices,
        cycle: Option<usize>,
    ) -> Result<Counterexample, String> {
        let program = machine.program();
        let instance = Instance {
            model: program.name.to_string(),
            fingerprint: fingerprint(program),
            bounds: machine.bounds().clone(),
            constants: program.constants.iter().map(|c| (c.name.to_string(), c.value)).collect(),
            client: client.clone(),
            fair: self.request.fair,
        };
        let trace = Trace { instance, claim, initial, choices: steps, cycle };
        replay(program, &trace).map_err(|refused| refused.to_string())
    }

    fn model_error(&self, findings: Vec<Diagnostic>) -> Uncheckable {
        Uncheckable::Model { sources: self.compiled.sources.clone(), findings }
    }

    fn unsearchable(&self, error: Unsearchable) -> Uncheckable {
        match error {
            Unsearchable::Init(Outcome::Fault(fault)) => {
                let finding = Diagnostic::error("`init` fails", fault.span, fault.message.clone());
                self.model_error(vec![finding])
            }
            Unsearchable::Init(Outcome::Disabled(Blocked::NoCell)) => Uncheckable::Message {
                text: format!("`init` needs more than {} nodes", self.size.bounds.nodes),
                help: "raise `--nodes`: it counts every cell, sentinels and dummies too".into(),
            },
            Unsearchable::Init(outcome) => Uncheckable::Message {
                text: format!("`init` does not end: {outcome:?}"),
                help: "raise the bounds, or look at `init`".into(),
            },
            Unsearchable::Spec(SpecError::Fault(fault)) => {
                let title = "the specification itself fails";
                self.model_error(vec![Diagnostic::error(title, fault.span, fault.message.clone())])
            }
            Unsearchable::Spec(SpecError::Cut(cut)) => Uncheckable::Message {
                text: format!("the specification leaves the bounds before anything happens: {cut:?}"),
                help: "raise `ints` in a `check` block".into(),
            },
        }
    }
}

/// The kind of violation that a property is about, if a search over states can judge it.
pub fn kind_of_property(property: Property) -> Option<Kind> {
    Some(match property {
        Property::Linearizable => Kind::Inconsistent,
        Property::MemorySafe => Kind::MemoryUnsafe,
        Property::Assertions => Kind::AssertionFails,
        Property::DeadlockFree => Kind::Deadlocked,
        Property::Terminating => Kind::TooDeep,
        _ => return None,
    })
}

pub fn property_of(kind: Kind) -> Property {
    match kind {
        Kind::Inconsistent | Kind::Stuck => Property::Linearizable,
        Kind::MemoryUnsafe => Property::MemorySafe,
        Kind::AssertionFails => Property::Assertions,
        Kind::Deadlocked => Property::DeadlockFree,
        Kind::TooDeep => Property::Terminating,
    }
}

/// The shortest violation that was found of what was asked for: a stuck history is inconsistent too.
fn shortest(summary: &Summary, kind: Kind) -> Option<(Kind, usize)> {
    let found = |kind: Kind| summary.found.get(&kind).map(|steps| (kind, *steps));
    let stuck = found(Kind::Stuck).filter(|_| kind == Kind::Inconsistent);
    found(kind).into_iter().chain(stuck).min_by_key(|(_, steps)| *steps)
}

/// Whether some clause can be disabled: then a call may have to wait.
fn spec_blocks(program: &Program) -> bool {
    let code = program.spec.clauses.iter().flat_map(|clause| clause.method.code.iter());
    program.spec.has_rendezvous
        || code.into_iter().any(|instr| matches!(instr.op, Op::Await(_) | Op::Choose { .. }))
}

fn trace_client(program: &Program, schedule: &Schedule) -> TraceClient {
    let calls = |list: &[super::schedules::Call]| -> Vec<_> {
        list.iter().map(|(op, args)| planned_call(program, *op, args)).collect()
    };
    TraceClient::Schedule {
        prefix: calls(&schedule.preadds),
        threads: schedule.threads.iter().map(|list| calls(list)).collect(),
    }
}
