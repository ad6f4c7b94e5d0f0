//! What is known so far of each property of a request, over the instances searched.

use super::check::{kind_of_property, method_at_ends};
use super::coverage::Coverage;
use super::failures::Collection;
use super::progress::Rule;
use super::request::{ClientRequest, Request};
use super::search::SearchResult;
use linchpin_engine::Exhausted;
use linchpin_engine::verdict;
use linchpin_engine::verdict::{Annotation, BoundedScope, ClientScope, Effort, Finding, Limit, Verdict};
use linchpin_ir::property::Property;
use linchpin_ir::source::{SourceMap, Span};
use linchpin_judge::replay::Counterexample;
use linchpin_semantics::{FaultProperty, Machine};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// States from which on it is fair to say how many bytes one takes: before, tables are mostly empty.
const LARGE: usize = 10_000;

/// The name of this engine in results.
const ENGINE: &str = "explore";

pub struct PropertyResults {
    answers: BTreeMap<Property, Answer>,
    annotation: Option<Annotation>,
    /// Whether progress goes by the annotated points, where that is asked for.
    progress_annotation: Option<Annotation>,
    /// The most own steps of a call of each operation, where all calls are wait-free so far.
    own_steps: Vec<(Arc<str>, u64)>,
    pub effort: Effort,
    /// Of the instance that is being searched.
    coverage: Coverage,
    /// Of all instances before.
    completed: Vec<(Arc<str>, u64)>,
    unreached: Option<BTreeSet<Span>>,
    scope: Option<BoundedScope>,
    /// Violations of properties that are open again.
    known: BTreeMap<Property, Counterexample>,
    /// Of schedules judged one by one.
    failures: Collection,
    /// Schedules of which it is not known whether they violate a property.
    left_out: BTreeMap<Property, u64>,
    /// What was not judged.
    notes: BTreeMap<Property, BTreeSet<String>>,
}

#[derive(Clone, Debug)]
enum Answer {
    /// Nothing speaks against it so far.
    Open,
    Violated(Box<(Counterexample, BoundedScope)>),
    Unknown(Limit),
}

impl PropertyResults {
    pub fn new(request: &Request) -> PropertyResults {
        let answer = |&property: &Property| {
            let at_end = method_at_ends(property).is_some();
            let rule = Rule::of(property, request.fair);
            let answer = if at_end && request.client == ClientRequest::General {
                let what = format!("`{property}` is judged at ends, and the general client has none");
                Answer::Unknown(Limit::NotSupported(what + "; use `client: schedules`"))
            } else if request.preemptions.is_some() && rule.is_some() {
                Answer::Unknown(Limit::NotSupported("progress under a bound on preemptions".into()))
            } else if kind_of_property(property).is_some() || rule.is_some() {
                Answer::Open
            } else {
                Answer::Unknown(Limit::NotSupported(format!("`{property}` is not judged yet")))
            };
            (property, answer)
        };
        PropertyResults {
            answers: request.properties.iter().map(answer).collect(),
            annotation: request.lin_points.then_some(Annotation::Confirmed),
            progress_annotation: (request.lin_points && request.properties.contains(&Property::LockFree))
                .then_some(Annotation::Confirmed),
            own_steps: Vec::new(),
            effort: Effort::default(),
            coverage: Coverage::default(),
            completed: Vec::new(),
            unreached: None,
            scope: None,
            known: BTreeMap::new(),
            failures: Collection::default(),
            left_out: BTreeMap::new(),
            notes: BTreeMap::new(),
        }
    }

    /// Some instance was looked at.
    pub fn has_scope(&self) -> bool {
        self.scope.is_some()
    }

    /// Nothing is open any more.
    pub fn is_settled(&self) -> bool {
        self.open().is_empty() && !matches!(self.progress_annotation, Some(Annotation::Confirmed))
    }

    /// The properties that nothing speaks against so far.
    pub fn open(&self) -> Vec<Property> {
        let is_open = |(_, answer): &(&Property, &Answer)| matches!(answer, Answer::Open);
        self.answers.iter().filter(is_open).map(|(property, _)| *property).collect()
    }

    /// The questions about cycles that are still open.
    pub fn open_rules(&self, fair: bool) -> Vec<Rule> {
        let open = self.answers.iter().filter(|(_, answer)| matches!(answer, Answer::Open));
        let by_points = matches!(self.progress_annotation, Some(Annotation::Confirmed)) && !fair;
        let rules = open.filter_map(|(property, _)| Rule::of(*property, fair));
        rules.chain(by_points.then(Rule::by_points)).collect()
    }

    /// Points are judged, and nothing speaks against them so far.
    pub fn points_are_open(&self) -> bool {
        matches!(self.annotation, Some(Annotation::Confirmed))
    }

    pub fn begin(&mut self, machine: &Machine, request: &Request) {
        self.coverage = Coverage::new(machine);
        self.scope = Some(scope(machine, request));
    }

    pub fn end(&mut self, sources: &SourceMap, machine: &Machine) {
        let verdict::Coverage { completed, unreached } = self.coverage.report(sources, machine);
        for (name, calls) in completed {
            match self.completed.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += calls,
                None => self.completed.push((name, calls)),
            }
        }
        let unreached: BTreeSet<Span> = unreached.into_iter().collect();
        self.unreached = Some(match self.unreached.take() {
            Some(before) => before.intersection(&unreached).copied().collect(),
            None => unreached,
        });
    }

    pub fn note(&mut self, summary: &SearchResult, in_use: Option<u64>) {
        self.effort.states += summary.nodes as u64;
        self.effort.transitions += summary.transitions;
        let search = &mut self.effort.search;
        search.depth = search.depth.max(summary.depth as u64);
        if summary.exhausted.is_some() {
            (search.frontier, search.forecast) = (summary.frontier as u64, summary.forecast);
        }
        let bytes = summary.bytes as u64 / summary.nodes.max(1) as u64;
        if summary.nodes >= LARGE {
            search.bytes_per_state = Some(search.bytes_per_state.unwrap_or(0).max(bytes));
        }
        search.exchanges |= summary.work.exchanges;
        search.run_ahead += summary.work.run_ahead;
        for obstacle in &summary.obstacles {
            if !search.asymmetries.contains(obstacle) {
                search.asymmetries.push(obstacle.clone());
            }
        }
        let cuts = summary.coverage.cuts();
        self.effort.cuts.nodes += cuts.nodes;
        for (cut, times) in cuts.others {
            *self.effort.cuts.others.entry(cut).or_default() += times;
        }
        for (property, times) in cuts.faults {
            *self.effort.cuts.faults.entry(property).or_default() += times;
        }
        self.note_memory(summary, in_use);
        self.coverage.add(&summary.coverage);
    }

    /// What a search took that looks again at what another one counted.
    pub fn note_memory(&mut self, summary: &SearchResult, in_use: Option<u64>) {
        let held = in_use.unwrap_or(0).max(summary.bytes as u64);
        self.effort.peak_memory_bytes = Some(self.effort.peak_memory_bytes.unwrap_or(0).max(held));
    }

    /// What the longest calls of an instance are, by operation.
    pub fn note_own_steps(&mut self, most: impl Iterator<Item = (Arc<str>, u64)>) {
        for (name, steps) in most {
            match self.own_steps.iter_mut().find(|(known, _)| *known == name) {
                Some((_, most)) => *most = (*most).max(steps),
                None => self.own_steps.push((name, steps)),
            }
        }
    }

    /// A reduction is not used, and why.
    pub fn remark(&mut self, remark: String) {
        if !self.effort.search.remarks.contains(&remark) {
            self.effort.search.remarks.push(remark);
        }
    }

    pub fn violate(&mut self, property: Property, counterexample: Counterexample) {
        if let Some(scope) = &self.scope {
            let violated = Answer::Violated(Box::new((counterexample, scope.clone())));
            self.answers.insert(property, violated);
        }
    }

    /// The violations; the properties are open again.
    pub fn take_violations(&mut self) -> Vec<(Property, Counterexample)> {
        let mut violated = Vec::new();
        for (property, answer) in &mut self.answers {
            if matches!(answer, Answer::Violated(_))
                && let Answer::Violated(found) = std::mem::replace(answer, Answer::Open)
            {
                violated.push((*property, found.0));
            }
        }
        violated
    }

    /// Asks violated properties of the next instance as well; which these are. A shortest counterexample of each is kept.
    pub fn reopen(&mut self) -> Vec<Property> {
        let mut properties = Vec::new();
        for (property, counterexample) in self.take_violations() {
            properties.push(property);
            let known = self.known.get(&property);
            if known.is_none_or(|known| length(&counterexample) < length(known)) {
                self.known.insert(property, counterexample);
            }
        }
        properties
    }

    pub fn take_failures(&mut self) -> Collection {
        std::mem::take(&mut self.failures)
    }

    pub fn put_failures(&mut self, failures: Collection) {
        self.failures = failures;
    }

    /// So many schedules were not judged by a property.
    pub fn left_out(&mut self, property: Property, schedules: u64) {
        *self.left_out.entry(property).or_default() += schedules;
    }

    /// So many schedules were not judged by the properties that met a limit.
    pub fn leave_out_what_is_unknown(&mut self, schedules: u64) {
        let is_unknown = |(_, answer): &(&Property, &Answer)| matches!(answer, Answer::Unknown(_));
        let unknown: Vec<Property> =
            self.answers.iter().filter(is_unknown).map(|(property, _)| *property).collect();
        unknown.into_iter().for_each(|property| self.left_out(property, schedules));
    }

    pub fn refute_points(&mut self, counterexample: Counterexample) {
        self.annotation = Some(Annotation::Refuted(Box::new(counterexample)));
    }

    pub fn gave_up(
        &mut self,
        property: Property,
        exhausted: Exhausted,
        time: Option<Duration>,
        points: bool,
    ) {
        self.unknown(property, limit(exhausted, time), points);
    }

    /// Whatever is open was given up before any search of it.
    pub fn give_up_what_is_open(&mut self, exhausted: Exhausted, time: Option<Duration>) {
        for property in self.open() {
            let points = property == Property::Linearizable && self.points_are_open();
            self.unknown(property, limit(exhausted, time), points);
        }
        if matches!(self.progress_annotation, Some(Annotation::Confirmed)) {
            self.progress_annotation = Some(Annotation::Unknown(limit(exhausted, time)));
        }
    }

    /// Progress does not go by the annotated points.
    pub fn refute_progress(&mut self, counterexample: Counterexample) {
        self.progress_annotation = Some(Annotation::Refuted(Box::new(counterexample)));
    }

    /// A question about cycles was given up.
    pub fn stalled(&mut self, rule: Rule, exhausted: Exhausted, time: Option<Duration>) {
        self.undecided(rule, limit(exhausted, time));
    }

    /// A question about cycles has no answer.
    pub fn undecided(&mut self, rule: Rule, limit: Limit) {
        if rule.by_points {
            self.progress_annotation = Some(Annotation::Unknown(limit));
        } else {
            self.unknown(rule.property, limit, false);
        }
    }

    /// Something that belongs to a property was not judged, and why: it stands beside the verdict.
    pub fn not_judged(&mut self, property: Property, note: String) {
        self.notes.entry(property).or_default().insert(note);
    }

    pub fn unconfirmed(&mut self, property: Property, why: String, points: bool) {
        self.unknown(property, Limit::Unconfirmed(why), points);
    }

    pub fn unknown(&mut self, property: Property, limit: Limit, points: bool) {
        if points {
            self.annotation = Some(Annotation::Unknown(limit.clone()));
        }
        self.answers.insert(property, Answer::Unknown(limit));
    }

    /// One finding for each property, in the order of the request.
    pub fn findings(mut self, request: &Request, time: Duration) -> Vec<Finding> {
        let Some(last) = self.scope else { return Vec::new() };
        let coverage = verdict::Coverage {
            completed: self.completed,
            unreached: self.unreached.unwrap_or_default().into_iter().collect(),
        };
        let mut effort = Effort { time, ..self.effort };
        effort.cuts.faults.retain(|property, _| {
            !request.properties.contains(&match property {
                FaultProperty::MemorySafe => Property::MemorySafe,
                FaultProperty::Assertions => Property::Assertions,
            })
        });
        let mut findings = Vec::new();
        let schedules = effort.schedules.unwrap_or(0);
        for property in &request.properties {
            let left_out = self.left_out.get(property).copied().unwrap_or(0);
            let failures = self.failures.failures(*property, schedules, schedules.saturating_sub(left_out));
            let firsts = failures.groups.first().map(|group| &group.counterexample);
            let shortest = firsts.into_iter().chain(self.known.get(property)).min_by_key(|c| length(c));
            if let Some(counterexample) = shortest {
                let found = Box::new((counterexample.clone(), last.clone()));
                self.answers.insert(*property, Answer::Violated(found));
            }
            let (verdict, scope) = match self.answers.get(property).cloned() {
                Some(Answer::Violated(found)) => (Verdict::Violated(Box::new(found.0)), found.1),
                Some(Answer::Unknown(limit)) => (Verdict::Unknown(limit), last.clone()),
                Some(Answer::Open) | None => (Verdict::Holds, last.clone()),
            };
            let mut finding =
                Finding::bounded(ENGINE, *property, scope, coverage.clone(), effort.clone(), verdict);
            finding.failures = request.keep_going.then_some(failures);
            if matches!(finding.verdict(), Verdict::Holds) {
                finding.notes = self.notes.remove(property).unwrap_or_default().into_iter().collect();
            }
            match (property, finding.verdict()) {
                (Property::Linearizable, _) => finding.annotation = self.annotation.clone(),
                (Property::LockFree, _) => finding.annotation = self.progress_annotation.clone(),
                (Property::WaitFree, Verdict::Holds) => finding.own_steps = self.own_steps.clone(),
                _ => {}
            }
            findings.push(finding);
        }
        findings
    }
}

fn length(counterexample: &Counterexample) -> usize {
    counterexample.trace().choices.len()
}

fn limit(exhausted: Exhausted, time: Option<Duration>) -> Limit {
    match exhausted {
        Exhausted::Time(limit) => Limit::Time(time.unwrap_or(limit)),
        Exhausted::Memory(bytes) => Limit::Memory(bytes),
        Exhausted::Interrupted => Limit::Interrupted,
        Exhausted::States(states) => Limit::States(states as u64),
    }
}

fn scope(machine: &Machine, request: &Request) -> BoundedScope {
    let program = machine.program();
    BoundedScope {
        bounds: machine.bounds().clone(),
        constants: program.constants.iter().map(|c| (c.name.clone(), c.value)).collect(),
        memory: program.memory,
        client: match &request.client {
            ClientRequest::General => ClientScope::General,
            ClientRequest::Schedules { steps, preadds, restrictions } => ClientScope::Schedules {
                calls: (*steps.start(), *steps.end()),
                preadds: (*preadds.start(), *preadds.end()),
                restrictions: restrictions.iter().map(|r| Arc::from(r.name())).collect(),
            },
            ClientRequest::Calls { threads } => ClientScope::Calls { threads: threads.clone() },
        },
        fair: request.fair,
        preemptions: request.preemptions,
    }
}
