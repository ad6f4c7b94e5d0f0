//! The results so far for each property of a request, over the searched instances; and the findings made of
//! them.

use super::failures::Collection;
use crate::expand::Coverage;
use crate::problem::{ClientRequest, MonitorKind, Request, ViolationKind};
use crate::progress::Rule;
use crate::search::SearchResult;
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

/// The least number of states for a report of bytes per state. With fewer states, tables are mostly empty.
const LARGE: usize = 10_000;

/// The name of this engine in findings.
const ENGINE: &str = "explore";

/// The results so far.
pub struct PropertyResults {
    results: BTreeMap<Property, PropertyResult>,
    annotation: Option<Annotation>,
    /// Whether progress follows the annotated points; `None` if the request does not ask for that.
    progress_annotation: Option<Annotation>,
    /// The largest number of own steps of a call of each operation, where all calls are wait-free so far.
    own_steps: Vec<(Arc<str>, u64)>,
    pub effort: Effort,
    /// The coverage of the current instance.
    coverage: Coverage,
    /// The completed calls of all earlier instances.
    completed: Vec<(Arc<str>, u64)>,
    unreached: Option<BTreeSet<Span>>,
    scope: Option<BoundedScope>,
    /// The counterexamples of properties that are open again.
    known: BTreeMap<Property, Counterexample>,
    /// The failures of schedules that were judged one by one.
    failures: Collection,
    /// The number of schedules that were not judged, by property.
    left_out: BTreeMap<Property, u64>,
    /// Notes on what was not judged, by property.
    notes: BTreeMap<Property, BTreeSet<String>>,
}

/// The result so far for one property.
#[derive(Clone, Debug)]
enum PropertyResult {
    /// No violation and no limit so far.
    Open,
    Violated(Box<(Counterexample, BoundedScope)>),
    Unknown(Limit),
}

impl PropertyResults {
    pub fn new(request: &Request) -> PropertyResults {
        let result = |&property: &Property| {
            let at_end = monitor_at_ends(property).is_some();
            let rule = Rule::of(property, request.fair);
            let result = if at_end && request.client == ClientRequest::General {
                let what = format!("`{property}` is judged at ends, and the general client has none");
                PropertyResult::Unknown(Limit::NotSupported(what + "; use `client: schedules`"))
            } else if request.preemptions.is_some() && rule.is_some() {
                PropertyResult::Unknown(Limit::NotSupported("progress under a bound on preemptions".into()))
            } else if violation_of(property).is_some() || rule.is_some() {
                PropertyResult::Open
            } else {
                PropertyResult::Unknown(Limit::NotSupported(format!("`{property}` is not judged yet")))
            };
            (property, result)
        };
        PropertyResults {
            results: request.properties.iter().map(result).collect(),
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

    /// Checks whether some instance was searched.
    pub fn has_scope(&self) -> bool {
        self.scope.is_some()
    }

    /// Checks whether no property is open.
    pub fn is_settled(&self) -> bool {
        self.open().is_empty() && !matches!(self.progress_annotation, Some(Annotation::Confirmed))
    }

    /// Returns the properties without violation and without limit so far.
    pub fn open(&self) -> Vec<Property> {
        let is_open = |(_, result): &(&Property, &PropertyResult)| matches!(result, PropertyResult::Open);
        self.results.iter().filter(is_open).map(|(property, _)| *property).collect()
    }

    /// Returns the progress rules that are open.
    pub fn open_rules(&self, fair: bool) -> Vec<Rule> {
        let open = self.results.iter().filter(|(_, result)| matches!(result, PropertyResult::Open));
        let by_points = matches!(self.progress_annotation, Some(Annotation::Confirmed)) && !fair;
        let rules = open.filter_map(|(property, _)| Rule::of(*property, fair));
        rules.chain(by_points.then(Rule::by_points)).collect()
    }

    /// Checks whether points are judged and not refuted so far.
    pub fn points_are_open(&self) -> bool {
        matches!(self.annotation, Some(Annotation::Confirmed))
    }

    /// Begins an instance.
    pub fn begin(&mut self, machine: &Machine, request: &Request) {
        self.coverage = Coverage::new(machine);
        self.scope = Some(scope(machine, request));
    }

    /// Ends an instance.
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

    /// Adds the effort and the coverage of a search.
    pub fn note(&mut self, result: &SearchResult, in_use: Option<u64>) {
        self.effort.states += result.nodes as u64;
        self.effort.transitions += result.transitions;
        let search = &mut self.effort.search;
        search.depth = search.depth.max(result.depth as u64);
        // Of several searches that were cut short, the largest one says how far the work came.
        if result.exhausted.is_some() && result.frontier as u64 >= search.frontier {
            (search.frontier, search.forecast) = (result.frontier as u64, result.forecast);
        }
        let bytes = result.bytes as u64 / result.nodes.max(1) as u64;
        if result.nodes >= LARGE {
            search.bytes_per_state = Some(search.bytes_per_state.unwrap_or(0).max(bytes));
        }
        search.exchanges |= result.work.exchanges;
        search.run_ahead += result.work.run_ahead;
        for obstacle in &result.obstacles {
            if !search.asymmetries.contains(obstacle) {
                search.asymmetries.push(obstacle.clone());
            }
        }
        self.effort.cuts.add(&result.coverage.cuts());
        self.note_memory(result, in_use);
        self.coverage.add(&result.coverage);
    }

    /// Adds the memory of a search whose effort is not counted.
    pub fn note_memory(&mut self, result: &SearchResult, in_use: Option<u64>) {
        let held = in_use.unwrap_or(0).max(result.bytes as u64);
        self.effort.peak_memory_bytes = Some(self.effort.peak_memory_bytes.unwrap_or(0).max(held));
    }

    /// Adds the largest number of own steps, by operation.
    pub fn note_own_steps(&mut self, most: impl Iterator<Item = (Arc<str>, u64)>) {
        for (name, steps) in most {
            match self.own_steps.iter_mut().find(|(known, _)| *known == name) {
                Some((_, most)) => *most = (*most).max(steps),
                None => self.own_steps.push((name, steps)),
            }
        }
    }

    /// Adds a remark, such as why a reduction is not used.
    pub fn remark(&mut self, remark: String) {
        if !self.effort.search.remarks.contains(&remark) {
            self.effort.search.remarks.push(remark);
        }
    }

    pub fn violate(&mut self, property: Property, counterexample: Counterexample) {
        if let Some(scope) = &self.scope {
            let violated = PropertyResult::Violated(Box::new((counterexample, scope.clone())));
            self.results.insert(property, violated);
        }
    }

    /// Takes the violations out. Their properties are open again.
    pub fn take_violations(&mut self) -> Vec<(Property, Counterexample)> {
        let mut violated = Vec::new();
        for (property, result) in &mut self.results {
            if matches!(result, PropertyResult::Violated(_))
                && let PropertyResult::Violated(found) = std::mem::replace(result, PropertyResult::Open)
            {
                violated.push((*property, found.0));
            }
        }
        violated
    }

    /// Opens violated properties again, and returns them. A shortest counterexample of each is kept.
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

    /// Adds a number of schedules that a property was not judged for.
    pub fn left_out(&mut self, property: Property, schedules: u64) {
        *self.left_out.entry(property).or_default() += schedules;
    }

    /// Adds a number of schedules that unknown properties were not judged for.
    pub fn leave_out_what_is_unknown(&mut self, schedules: u64) {
        let is_unknown =
            |(_, result): &(&Property, &PropertyResult)| matches!(result, PropertyResult::Unknown(_));
        let unknown: Vec<Property> =
            self.results.iter().filter(is_unknown).map(|(property, _)| *property).collect();
        unknown.into_iter().for_each(|property| self.left_out(property, schedules));
    }

    pub fn refute_points(&mut self, counterexample: Counterexample) {
        self.annotation = Some(Annotation::Refuted(Box::new(counterexample)));
    }

    /// Makes a property unknown because the budget is exhausted.
    pub fn gave_up(
        &mut self,
        property: Property,
        exhausted: Exhausted,
        time: Option<Duration>,
        points: bool,
    ) {
        self.unknown(property, limit(exhausted, time), points);
    }

    /// Makes all open properties unknown because the budget is exhausted.
    pub fn give_up_what_is_open(&mut self, exhausted: Exhausted, time: Option<Duration>) {
        for property in self.open() {
            let points = property == Property::Linearizable && self.points_are_open();
            self.unknown(property, limit(exhausted, time), points);
        }
        if matches!(self.progress_annotation, Some(Annotation::Confirmed)) {
            self.progress_annotation = Some(Annotation::Unknown(limit(exhausted, time)));
        }
    }

    /// Stores that progress does not follow the annotated points.
    pub fn refute_progress(&mut self, counterexample: Counterexample) {
        self.progress_annotation = Some(Annotation::Refuted(Box::new(counterexample)));
    }

    /// Makes a progress rule unknown because the budget is exhausted.
    pub fn stalled(&mut self, rule: Rule, exhausted: Exhausted, time: Option<Duration>) {
        self.undecided(rule, limit(exhausted, time));
    }

    /// Makes a progress rule unknown.
    pub fn undecided(&mut self, rule: Rule, limit: Limit) {
        if rule.by_points {
            self.progress_annotation = Some(Annotation::Unknown(limit));
        } else {
            self.unknown(rule.property, limit, false);
        }
    }

    /// Adds a note that a part of a property was not judged. The note stands beside the verdict.
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
        self.results.insert(property, PropertyResult::Unknown(limit));
    }

    /// Returns one finding for each property, in the order of the request.
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
                self.results.insert(*property, PropertyResult::Violated(found));
            }
            let (verdict, scope) = match self.results.get(property).cloned() {
                Some(PropertyResult::Violated(found)) => (Verdict::Violated(Box::new(found.0)), found.1),
                Some(PropertyResult::Unknown(limit)) => (Verdict::Unknown(limit), last.clone()),
                Some(PropertyResult::Open) | None => (Verdict::Holds, last.clone()),
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

/// Returns the kind of violation that a search over states finds for a property; `None` if such a search
/// cannot judge it.
pub fn violation_of(property: Property) -> Option<ViolationKind> {
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

/// Returns the monitor of a property that only the ends of executions decide; `None` for other properties.
pub fn monitor_at_ends(property: Property) -> Option<MonitorKind> {
    match property {
        Property::SequentiallyConsistent => Some(MonitorKind::ProgramOrder),
        Property::QuiescentlyConsistent => Some(MonitorKind::Quiescence),
        Property::BarrierConsistent => Some(MonitorKind::Barrier),
        _ => None,
    }
}
