//! Searches for an execution behind an alarm, along the abstract trace of the prover.
//!
//! An abstract trace becomes three searches. Each uses a part of the time of the alarm; alarms share the
//! remaining budget.
//!
//! 1. **Its calls**: every interleaving of exactly the calls of the trace, with as many threads (the pair and
//!    the interfering threads). There is a cell for each allocation of these calls, and a different value for
//!    each call that adds one.
//! 2. **Its size**: any calls, with as many threads, cells and values.
//! 3. **Growing instances**, from the smallest.
//!
//! With `linearizable` the annotated points are judged too, because the alarm concerns the points. An
//! execution of the few calls that refutes only the points says little about the object; the next search then
//! judges the object. An execution is replayed like every other. Without an execution the alarm stays open.

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
use linchpin_prove::alarm::Call;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Each of the first two searches gets at most one part in this many of the remaining time.
const SHARE: u32 = 3;

/// Limits of the second search: threads, cells besides the initial ones, and values. A larger search would
/// not end.
const MOST_THREADS: u32 = 3;
const MOST_CELLS: u32 = 4;
const MOST_VALUES: u32 = 3;

/// The maximal number of calls of the first search. A longer trace is not a useful hint.
const MOST_CALLS: usize = 12;

impl ProofRun<'_> {
    /// Searches for an execution behind an alarm. Returns the finding of the property.
    pub(super) fn confirm_alarm(
        &self,
        program: &Arc<Program>,
        Alarm { property, trace, alarms }: Alarm,
        effort: Effort,
        result: &mut ProofResult,
        listener: &mut dyn Listener,
    ) -> Result<Finding, RequestError> {
        let limit = Limit::Unconfirmed(format!("it is not excluded that {}", trace.alarm.kind.text()));
        let mut report = AlarmReport { property, trace, searched: Vec::new(), shown_by: None };
        let mut found = None;
        if let Some(most) = self.confirm_time {
            let share = |left: Duration| left / number_of(alarms.max(1));
            let time = self.left().time.map_or(most, |left| share(left).min(most));
            let search = AlarmSearch { run: self, program, property, until: Instant::now() + time };
            found = search.search(&mut report, listener)?;
        }
        result.alarms.push(report);
        Ok(found.unwrap_or_else(|| not_proved(self.method, property, effort, limit)))
    }
}

struct AlarmSearch<'a> {
    run: &'a ProofRun<'a>,
    program: &'a Arc<Program>,
    property: Property,
    until: Instant,
}

impl AlarmSearch<'_> {
    fn search(
        &self,
        report: &mut AlarmReport,
        listener: &mut dyn Listener,
    ) -> Result<Option<Finding>, RequestError> {
        let calls = &report.trace.calls;
        let mut refuted = None;
        for (request, what) in [self.its_calls(calls), self.its_size(calls)].into_iter().flatten() {
            let budget = self.budget(SHARE);
            let findings = match check(self.run.model, &request, &budget, listener) {
                Ok(findings) => findings,
                // The instance of the trace may be impossible: `init` alone may need more cells.
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
                    report.shown_by = Some(what);
                    return Ok(Some(finding));
                }
                Shown::Points => {
                    let says_more = request.client == ClientRequest::General && !is_limit;
                    let first = refuted.is_none();
                    if first {
                        report.shown_by = Some(what);
                    }
                    if says_more {
                        return Ok(Some(finding));
                    }
                    refuted = refuted.or(Some(finding));
                }
                Shown::Nothing if !is_limit => report.searched.push(what),
                Shown::Nothing => {}
            }
        }
        let by_points = self.property == Property::Linearizable;
        let hunted = hunt_for(self.run.model, &[self.property], by_points, &self.budget(1), listener)?;
        let own = hunted.findings.into_iter().find(|finding| finding.property() == self.property);
        if let Some(finding) = own.filter(|finding| shows(finding) != Shown::Nothing) {
            report.shown_by = hunted.scope.as_ref().map(size);
            return Ok(Some(finding));
        }
        report.searched.extend(hunted.scope.as_ref().map(size));
        Ok(refuted)
    }

    /// Returns the request for exactly the calls of the trace; `None` for a program with roles, or too many
    /// calls.
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

    /// Returns the request for any calls, in an instance as large as the trace; `None` for a program with
    /// roles.
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

    /// Returns the number of allocations in the code of an operation.
    fn cells_made_by(&self, op: OpId) -> u32 {
        let code = &self.program.methods[self.program.ops[op].method].code;
        number_of(code.iter().filter(|instr| matches!(instr.op, Op::New { .. })).count())
    }

    /// Lists the data values among the arguments of a call.
    fn values_of(&self, call: &Call) -> impl Iterator<Item = u32> {
        let types = &self.program.types;
        let slots = self.program.ops[call.op].params.iter().flat_map(|param| types.slots(*param));
        let data = slots.zip(&call.args).filter(|(slot, _)| slot.scalar == Scalar::Data);
        data.filter_map(|(_, word): (_, &Word)| u32::try_from(*word).ok()).collect::<Vec<_>>().into_iter()
    }

    /// Returns a budget of one part in `parts` of the remaining time.
    fn budget(&self, parts: u32) -> Budget {
        let left = self.until.saturating_duration_since(Instant::now()).max(Duration::from_millis(10));
        Budget { time: Some(left / parts), ..self.run.budget.clone() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Violation,
    /// Only the annotated points are wrong.
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
