//! The sets of points of one operation that its recorded calls allow.
//!
//! Two candidates that every call passes in the same steps are one: the effect belongs to the step. The one
//! with fewer conditions stands for both. A set of points must cover each call that returned: exactly one
//! point, or some `lin maybe` if the result says that the specification stays as it is. No call passes two
//! points. For each result at most [`MOST_SITES`] candidates are used.

use super::instrument::{CandidateId, Instrumented};
use super::judge::Role;
use super::record::{Event, Record, ResultId};
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_semantics::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Points of one operation, with their roles.
pub type Choice = Vec<(CandidateId, Role)>;

/// The candidates of one operation, and the calls that they have to cover.
pub struct Options {
    /// One candidate of each class of equal ones, simplest first.
    candidates: Vec<CandidateId>,
    /// The candidates that no call passes twice.
    once: Vec<usize>,
    rows: Vec<Row>,
}

/// What calls that are alike passed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Row {
    /// The kind of result; `None` while the call is pending.
    kind: Option<ResultShape>,
    only_reads: bool,
    /// Whether each candidate was passed: 1 or 0.
    passed: Vec<u8>,
}

/// A kind of result: results of one kind may share their points.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum ResultShape {
    /// `true`, `none`, a variant of an enum, or nothing.
    Exactly(String),
    Other,
}

/// The number of sites for each operation and result.
pub const MOST_SITES: usize = 2;
/// The number of sets that are kept for one operation.
const MOST_CHOICES: usize = 3_000;
/// The number of sets that are looked at.
const MOST_VISITED: usize = 50_000;

impl Options {
    /// Collects the recorded calls of an operation. `reading` are the results that leave the specification as
    /// it is.
    pub fn new(
        op: OpId,
        program: &Program,
        instrumented: &Instrumented,
        record: &Record,
        reading: &BTreeSet<ResultId>,
    ) -> Options {
        let calls = calls_of(op, record);
        // The steps of each candidate, by call.
        let mut columns: BTreeMap<CandidateId, Vec<(usize, u32)>> = BTreeMap::new();
        for (at, call) in calls.iter().enumerate() {
            for (step, candidate) in &call.marks {
                columns.entry(*candidate).or_default().push((at, *step));
            }
        }
        let cost = |candidate: CandidateId| {
            let candidate = &instrumented.candidates[candidate.index()];
            (conditions(&candidate.condition), candidate.condition.len(), candidate.at)
        };
        let mut classes: BTreeMap<Vec<(usize, u32)>, CandidateId> = BTreeMap::new();
        for (candidate, column) in columns {
            let kept = classes.entry(column).or_insert(candidate);
            if cost(candidate) < cost(*kept) {
                *kept = candidate;
            }
        }
        let mut candidates: Vec<CandidateId> = classes.into_values().collect();
        candidates.sort_by_key(|candidate| cost(*candidate));
        let place: BTreeMap<CandidateId, usize> =
            candidates.iter().enumerate().map(|(at, candidate)| (*candidate, at)).collect();
        let mut rows = Vec::new();
        for call in &calls {
            let mut passed = vec![0_u8; candidates.len()];
            for (_, candidate) in &call.marks {
                if let Some(at) = place.get(candidate) {
                    passed[*at] = (passed[*at] + 1).min(2);
                }
            }
            let kind = call.result.map(|result| shape(op, program, record, result));
            let only_reads = call.result.is_some_and(|result| reading.contains(&result));
            rows.push(Row { kind, only_reads, passed });
        }
        let once: Vec<usize> =
            (0..candidates.len()).filter(|at| rows.iter().all(|row| row.passed[*at] < 2)).collect();
        // What decides nothing is left out, so that more rows are equal.
        for row in &mut rows {
            for (at, passed) in row.passed.iter_mut().enumerate() {
                *passed = if row.only_reads || once.contains(&at) { (*passed).min(1) } else { 0 };
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Options { candidates, once, rows }
    }

    /// Returns the sets of points that fit every row, those with fewest sites first.
    pub fn choices(&self) -> Vec<Choice> {
        let kinds: BTreeSet<&ResultShape> = self.rows.iter().filter_map(|row| row.kind.as_ref()).collect();
        let mut search = Cover { options: self, found: BTreeSet::new(), visited: 0 };
        search.extend(&mut Vec::new(), &mut BTreeMap::new(), kinds.len() * MOST_SITES);
        let mut found: Vec<Vec<(usize, Role)>> = search.found.into_iter().collect();
        found.sort_by_key(|set| {
            let maybe = set.iter().filter(|(_, role)| *role == Role::Maybe).count();
            (set.len(), maybe, set.iter().map(|(at, _)| *at).sum::<usize>(), set.clone())
        });
        found.truncate(MOST_CHOICES);
        let named = |set: Vec<(usize, Role)>| {
            set.into_iter().map(|(at, role)| (self.candidates[at], role)).collect::<Choice>()
        };
        found.into_iter().map(named).collect()
    }
}

/// Searches for sets that cover every row.
struct Cover<'o> {
    options: &'o Options,
    found: BTreeSet<Vec<(usize, Role)>>,
    visited: usize,
}

impl<'o> Cover<'o> {
    fn extend(
        &mut self,
        chosen: &mut Vec<(usize, Role)>,
        sites: &mut BTreeMap<&'o ResultShape, usize>,
        left: usize,
    ) {
        self.visited += 1;
        if self.visited > MOST_VISITED || self.found.len() >= 4 * MOST_CHOICES {
            return;
        }
        let open = self.options.rows.iter().find_map(|row| {
            let kind = row.kind.as_ref()?;
            (!is_covered(row, chosen)).then_some((row, kind))
        });
        let Some((row, kind)) = open else {
            let mut set = chosen.clone();
            set.sort_unstable();
            self.found.insert(set);
            return;
        };
        if left == 0 || sites.get(kind).copied().unwrap_or(0) >= MOST_SITES {
            return;
        }
        let mut roles = Vec::new();
        for at in &self.options.once {
            if row.passed[*at] == 1 && self.fits(chosen, *at) {
                roles.push((*at, Role::Point));
            }
        }
        if row.only_reads {
            let passed = (0..row.passed.len()).filter(|at| row.passed[*at] > 0);
            roles.extend(passed.map(|at| (at, Role::Maybe)));
        }
        *sites.entry(kind).or_default() += 1;
        for (at, role) in roles {
            if chosen.iter().all(|(other, _)| *other != at) {
                chosen.push((at, role));
                self.extend(chosen, sites, left - 1);
                chosen.pop();
            }
        }
        if let Some(used) = sites.get_mut(kind) {
            *used -= 1;
        }
    }

    /// Whether no call passes the candidate and a chosen point.
    fn fits(&self, chosen: &[(usize, Role)], at: usize) -> bool {
        let points = || chosen.iter().filter(|(_, role)| *role == Role::Point);
        self.options
            .rows
            .iter()
            .all(|row| row.passed[at] == 0 || points().all(|(other, _)| row.passed[*other] == 0))
    }
}

fn is_covered(row: &Row, chosen: &[(usize, Role)]) -> bool {
    chosen.iter().any(|(at, role)| match role {
        Role::Point => row.passed[*at] == 1,
        Role::Maybe => row.only_reads && row.passed[*at] > 0,
        Role::Unused => false,
    })
}

/// Returns the number of conditions that a candidate tests.
pub fn conditions(condition: &str) -> usize {
    if condition.is_empty() {
        0
    } else {
        1 + condition.matches("&&").count() + condition.matches("||").count()
    }
}

/// A recorded call.
#[derive(Default)]
struct Call {
    /// The candidates that it passed, with the steps.
    marks: Vec<(u32, CandidateId)>,
    result: Option<ResultId>,
}

fn calls_of(op: OpId, record: &Record) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for execution in &record.executions {
        let mut running: BTreeMap<_, usize> = BTreeMap::new();
        for event in &execution.events {
            match *event {
                Event::Call(call) => {
                    let called = record.calls.get(call);
                    if called.op == op {
                        running.insert(called.thread, calls.len());
                        calls.push(Call::default());
                    }
                }
                Event::Mark { thread, step, candidate } => {
                    if let Some(at) = running.get(&thread) {
                        calls[*at].marks.push((step, candidate));
                    }
                }
                Event::Return { thread, result } => {
                    if let Some(at) = running.remove(&thread) {
                        calls[at].result = Some(result);
                    }
                }
            }
        }
    }
    calls
}

fn shape(op: OpId, program: &Program, record: &Record, result: ResultId) -> ResultShape {
    let Some(ty) = program.ops[op].result else { return ResultShape::Exactly(String::new()) };
    let Some(words) = record.results.get(result) else { return ResultShape::Exactly(String::new()) };
    match Value::outside(&program.types, ty, words) {
        value @ (Value::None | Value::Bool(_) | Value::Variant(..)) => {
            ResultShape::Exactly(value.to_string())
        }
        _ => ResultShape::Other,
    }
}
