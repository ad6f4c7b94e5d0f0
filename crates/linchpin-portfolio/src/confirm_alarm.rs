//! Alarms are settled: what the prover could not exclude is looked for by the explorer, along the way that the analysis came.
//!
//! An abstract trace becomes three searches, each in what is left of the time that one alarm may take (alarms share what is left of
//! the budget):
//!
//! 1. **its calls**: every interleaving of just the calls on the trace, by as many threads as are on it (the pair, and those that
//!    interfere), with a cell for each that these calls make and a different value for each that they add;
//! 2. **its size**: any calls of so many threads, with so many nodes and values;
//! 3. instances that grow from the smallest.
//!
//! With `linearizable` the annotated points are judged too, since these are what the analysis speaks of. A search that refutes the
//! points alone says little of the object, if it was one of the few calls: then the next one says what of the object holds. Either there is an execution, which
//! was replayed as every other, or the alarm stands open.

use super::{Alarm, AlarmReport, ProofResult, ProofRun, SearchedInstance, not_proved};
use linchpin_engine::model::RequestError;
use linchpin_engine::verdict::{Annotation, BoundedScope, Effort, Finding, Limit, Verdict};
use linchpin_engine::{Budget, Listener, cores};
use linchpin_explore::hunt::{hunt_for, initial_cells};
use linchpin_explore::{ClientRequest, Request, check};
use linchpin_ir::index::number_of;
use linchpin_ir::program::{Op, OpId, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::{Scalar, Word};
use linchpin_judge::trace::PlannedCall;
use linchpin_prove::pairs::Call;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What of its time an alarm gives to each of the first two searches, at most.
const SHARE: u32 = 3;

/// Threads, cells besides the first ones, and values of the second search, at most: beyond that it would not end.
const MOST_THREADS: u32 = 3;
const MOST_CELLS: u32 = 4;
const MOST_VALUES: u32 = 3;

/// More calls than this are no hint any more.
const MOST_CALLS: usize = 12;

impl ProofRun<'_> {
    /// What is known of the property after an alarm.
    pub(super) fn settle(
        &self,
        program: &Arc<Program>,
        Alarm { property, story, alarms }: Alarm,
        effort: Effort,
        proving: &mut ProofResult,
        listener: &mut dyn Listener,
    ) -> Result<Finding, RequestError> {
        let limit = Limit::Unconfirmed(format!("it is not excluded that {}", story.alarm.kind.text()));
        let mut alarmed = AlarmReport { property, story, searched: Vec::new(), shown_by: None };
        let mut found = None;
        if let Some(settling) = self.settling {
            let share = |left: Duration| left / number_of(alarms.max(1));
            let settling = self.left().time.map_or(settling, |left| share(left).min(settling));
            let search = AlarmSearch { attempt: self, program, property, until: Instant::now() + settling };
            found = search.run(&mut alarmed, listener)?;
        }
        proving.alarms.push(alarmed);
        Ok(found.unwrap_or_else(|| not_proved(property, effort, limit)))
    }
}

struct AlarmSearch<'a> {
    attempt: &'a ProofRun<'a>,
    program: &'a Arc<Program>,
    property: Property,
    until: Instant,
}

impl AlarmSearch<'_> {
    fn run(
        &self,
        alarmed: &mut AlarmReport,
        listener: &mut dyn Listener,
    ) -> Result<Option<Finding>, RequestError> {
        let calls = &alarmed.story.calls;
        let mut refuted = None;
        for (request, what) in [self.its_calls(calls), self.its_size(calls)].into_iter().flatten() {
            let budget = self.budget(SHARE);
            let findings = match check(self.attempt.model, &request, &budget, listener) {
                Ok(findings) => findings,
                // What the trace suggests need not be possible: `init` alone may take more.
                Err(_) => continue,
            };
            let Some(finding) = findings.into_iter().find(|finding| finding.property() == self.property)
            else {
                continue;
            };
            let is_limit =
                matches!(finding.verdict(), Verdict::Unknown(limit) if !matches!(limit, Limit::Vacuous(_)));
            match shows(&finding) {
                Shown::Violation => {
                    alarmed.shown_by = Some(what);
                    return Ok(Some(finding));
                }
                Shown::Points => {
                    let says_more = request.client == ClientRequest::General && !is_limit;
                    let first = refuted.is_none();
                    if first {
                        alarmed.shown_by = Some(what);
                    }
                    if says_more {
                        return Ok(Some(finding));
                    }
                    refuted = refuted.or(Some(finding));
                }
                Shown::Nothing if !is_limit => alarmed.searched.push(what),
                Shown::Nothing => {}
            }
        }
        let by_points = self.property == Property::Linearizable;
        let hunted = hunt_for(self.attempt.model, &[self.property], by_points, &self.budget(1), listener)?;
        let own = hunted.findings.into_iter().find(|finding| finding.property() == self.property);
        if let Some(finding) = own.filter(|finding| shows(finding) != Shown::Nothing) {
            alarmed.shown_by = hunted.scope.as_ref().map(size);
            return Ok(Some(finding));
        }
        alarmed.searched.extend(hunted.scope.as_ref().map(size));
        Ok(refuted)
    }

    /// Just the calls of the trace. Not where roles say who may call what.
    fn its_calls(&self, calls: &[Vec<Call>]) -> Option<(Request, SearchedInstance)> {
        let number: usize = calls.iter().map(Vec::len).sum();
        if !self.program.roles.is_empty() || !(1..=MOST_CALLS).contains(&number) {
            return None;
        }
        let planned = |call: &Call| {
            let op = self.program.ops[call.op].name.to_string();
            PlannedCall { op, args: call.args.clone() }
        };
        let threads: Vec<Vec<PlannedCall>> =
            calls.iter().map(|calls| calls.iter().map(planned).collect()).collect();
        let all = || calls.iter().flatten();
        let nodes = initial_cells(self.program) + all().map(|call| self.cells_made_by(call.op)).sum::<u32>();
        let values = all().flat_map(|call| self.values_of(call)).max().unwrap_or(1).max(1);
        let (number, what) = (number_of(threads.len()), SearchedInstance::Calls(threads.clone()));
        let client = ClientRequest::Calls { threads };
        Some((self.request(client, number, nodes.max(1), values), what))
    }

    /// Any calls, in an instance as large as the trace.
    fn its_size(&self, calls: &[Vec<Call>]) -> Option<(Request, SearchedInstance)> {
        let all = || calls.iter().flatten();
        let cells: u32 = all().map(|call| self.cells_made_by(call.op)).sum();
        let nodes = initial_cells(self.program) + cells.clamp(1, MOST_CELLS);
        let values = all().flat_map(|call| self.values_of(call)).max().unwrap_or(1);
        let threads = number_of(calls.len()).clamp(2, MOST_THREADS);
        let request = self.request(ClientRequest::General, threads, nodes, values.clamp(1, MOST_VALUES));
        let what = SearchedInstance::Size { threads, nodes, values: *request.values.end() };
        self.program.roles.is_empty().then_some((request, what))
    }

    fn request(&self, client: ClientRequest, threads: u32, nodes: u32, values: u32) -> Request {
        let ages = self.program.checks.first().and_then(|check| Request::of_check(check).0.ages);
        Request {
            client,
            threads: threads..=threads,
            nodes: Some(nodes..=nodes),
            values: values..=values,
            ages,
            lin_points: self.property == Property::Linearizable,
            properties: vec![self.property],
            jobs: cores(),
            ..Request::default()
        }
    }

    /// The cells that a call makes, if it makes each once.
    fn cells_made_by(&self, op: OpId) -> u32 {
        let code = &self.program.methods[self.program.ops[op].method].code;
        number_of(code.iter().filter(|instr| matches!(instr.op, Op::New { .. })).count())
    }

    /// The values among the arguments of a call.
    fn values_of(&self, call: &Call) -> impl Iterator<Item = u32> {
        let types = &self.program.types;
        let slots = self.program.ops[call.op].params.iter().flat_map(|param| types.slots(*param));
        let data = slots.zip(&call.args).filter(|(slot, _)| slot.scalar == Scalar::Data);
        data.filter_map(|(_, word): (_, &Word)| u32::try_from(*word).ok()).collect::<Vec<_>>().into_iter()
    }

    /// One part of so many of the time that is left.
    fn budget(&self, parts: u32) -> Budget {
        let left = self.until.saturating_duration_since(Instant::now()).max(Duration::from_millis(10));
        Budget { time: Some(left / parts), ..self.attempt.budget.clone() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Violation,
    /// The points are wrong, whatever the object is.
    Points,
    Nothing,
}

fn shows(finding: &Finding) -> Shown {
    match (finding.verdict(), &finding.annotation) {
        (Verdict::Violated(_), _) => Shown::Violation,
        (_, Some(Annotation::Refuted(_))) => Shown::Points,
        _ => Shown::Nothing,
    }
}

fn size(scope: &BoundedScope) -> SearchedInstance {
    let bounds = &scope.bounds;
    SearchedInstance::Size { threads: bounds.threads, nodes: bounds.nodes, values: bounds.values }
}
