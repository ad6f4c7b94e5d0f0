//! Mines linearization points: the `lin` annotations that bounded runs support.
//!
//! 1. Every candidate is written into the text at once ([`mod@sites`], [`instrument`]).
//! 2. Random executions of this program are recorded ([`record`]).
//! 3. For each operation, the sets of candidates that fit its recorded calls are listed, those with fewest
//!    sites first ([`options`]). Each is judged on the recorded executions ([`judge`]), with the other
//!    operations free. Then the sets of all operations are combined and judged together.
//! 4. A combination that survives is written into the text and confirmed by `--lin-points` in growing bounds.
//!    An execution that refutes it joins the record, and the search goes on.
//!
//! Annotations of the source are tried first. What is returned was confirmed in the bounds that it names, and
//! is not a proof. A proof that uses mined points shows them: points are part of the program that the checker
//! reads, and a wrong point makes a proof fail.

mod instrument;
mod judge;
mod options;
mod record;
mod sites;
#[cfg(test)]
mod tests;

pub use instrument::Annotated;
pub use sites::has_points;

use instrument::{CandidateId, Instrumented};
use judge::{Points, Role, SpecTable};
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Annotation, BoundedScope, Scope, Verdict};
use linchpin_engine::{Budget, BudgetMeter, Listener};
use linchpin_explore::Request;
use linchpin_explore::hunt::hunt_for;
use linchpin_frontend::syntax::{format, parse};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::OpId;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::trace::Trace;
use linchpin_prove::Prover;
use linchpin_prove::pairs::PairsProver;
use linchpin_semantics::{Client, Machine, SpecMachine};
use options::{Choice, Options, conditions};
use record::{CallKind, Record, ResultId};
use sites::{Sites, sites};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The result of mining.
pub struct Mined {
    pub found: Found,
    /// The number of candidates: places with their conditions.
    pub candidates: usize,
    /// The number of sets of points that were judged.
    pub tried: usize,
    /// The number of recorded executions.
    pub executions: usize,
    pub time: Duration,
}

/// What mining found.
pub enum Found {
    /// The annotations of the source are confirmed.
    Source(Confirmed),
    /// The annotations of the source are not confirmed. These other points are.
    Points(Confirmed),
    /// No set of points is confirmed.
    Nothing,
    /// The object is not linearizable: no points are right.
    NotLinearizable(BoundedScope),
    /// A limit ended the search.
    Stopped,
}

/// Points that were confirmed in bounds.
pub struct Confirmed {
    /// The text of the model with the points.
    pub text: String,
    pub compiled: Compiled,
    pub sites: Vec<Site>,
    /// The operations without points: they may take effect at any step of their interval.
    pub free: Vec<String>,
    /// The largest instance in which `--lin-points` confirms the points.
    pub scope: BoundedScope,
    pub states: u64,
}

/// A `lin` of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The operation or function.
    pub function: String,
    /// Its line in the annotated text, from 1.
    pub line: usize,
}

/// The time for the confirmation of one set of points.
const CONFIRMATION: Duration = Duration::from_millis(2_500);
/// The recorded executions on which the points of one operation are judged alone.
const ALONE: usize = 100;
/// The numbers of sets that are kept for each operation. If no combination of the first survives, more are
/// kept.
const KEPT: [usize; 2] = [25, 1_000];
/// The number of combinations that are judged.
const MOST_COMBINATIONS: usize = 200_000;
/// The number of combinations that are confirmed by a search.
const MOST_CONFIRMATIONS: usize = 60;
/// The number of spec states that decide which results only read.
const SPEC_STATES: usize = 200;

/// Mines the points of a compiled model. The model has its default setting.
pub fn mine(
    compiled: &Compiled,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<Mined, RequestError> {
    let program = &compiled.program;
    if program.spec.has_rendezvous {
        return Err(RequestError::Message {
            text: format!("operations of `{}` happen together and have no points", program.spec.name),
            help: "run `linchpin check`: it judges rendezvous without points".into(),
        });
    }
    let file = compiled.sources.file(program.object_span.file);
    let base =
        Annotated { name: file.name.clone(), text: file.text.to_string(), modules: compiled.sources.clone() };
    let mut miner = Miner {
        base,
        budget,
        meter: BudgetMeter::start(budget.clone()),
        started: Instant::now(),
        tried: 0,
        executions: 0,
        candidates: 0,
    };
    let found = miner.mine(compiled, listener)?;
    Ok(Mined {
        found,
        candidates: miner.candidates,
        tried: miner.tried,
        executions: miner.executions,
        time: miner.started.elapsed(),
    })
}

/// The time limit of the mining before a proof.
const BEFORE_A_PROOF: Duration = Duration::from_secs(20);

/// Mines points for a proof. `None`: the program needs none, is refused for other reasons, or no points are
/// found for each operation.
pub fn missing_points(
    compiled: &Compiled,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<Option<(Annotated, Confirmed)>, RequestError> {
    let program = &compiled.program;
    let Err(refusals) = PairsProver::new(program) else { return Ok(None) };
    let is_free = |span| program.ops.iter().any(|op| op.free_point && op.span == span);
    if refusals.is_empty() || !refusals.iter().all(|refusal| is_free(refusal.span)) {
        return Ok(None);
    }
    let time = budget.time.map_or(BEFORE_A_PROOF, |time| (time / 2).min(BEFORE_A_PROOF));
    let mined = mine(compiled, &Budget { time: Some(time), ..budget.clone() }, listener)?;
    Ok(match mined.found {
        Found::Points(points) if points.free.is_empty() => {
            let name = compiled.sources.file(program.object_span.file).name.clone();
            let modules = compiled.sources.clone();
            Some((Annotated { name, text: points.text.clone(), modules }, points))
        }
        _ => None,
    })
}

struct Miner<'m> {
    base: Annotated,
    budget: &'m Budget,
    meter: BudgetMeter,
    started: Instant,
    tried: usize,
    executions: usize,
    candidates: usize,
}

/// The answer of `--lin-points`.
enum Answer {
    Confirmed(BoundedScope, u64),
    Refuted(Box<Trace>),
    NotLinearizable(BoundedScope),
    Unknown,
}

impl Miner<'_> {
    fn mine(&mut self, compiled: &Compiled, listener: &mut dyn Listener) -> Result<Found, RequestError> {
        let free_of_source = free_operations(compiled);
        let mut source = None;
        if has_points(&self.base.text) {
            match self.confirm(&self.base.text.clone(), listener)? {
                Answer::Confirmed(scope, states) => {
                    let confirmed = self.confirmed(self.base.text.clone(), scope, states)?;
                    if free_of_source.is_empty() {
                        return Ok(Found::Source(confirmed));
                    }
                    source = Some(confirmed);
                }
                Answer::NotLinearizable(scope) => return Ok(Found::NotLinearizable(scope)),
                Answer::Refuted(_) | Answer::Unknown => {}
            }
        }
        let found = self.search(listener)?;
        // Points of the source are kept unless mined ones leave fewer operations without a point.
        Ok(match (found, source) {
            (Found::Points(mined), Some(source)) if mined.free.len() < source.free.len() => {
                Found::Points(mined)
            }
            (Found::NotLinearizable(scope), _) => Found::NotLinearizable(scope),
            (_, Some(source)) => Found::Source(source),
            (found, None) => found,
        })
    }

    fn search(&mut self, listener: &mut dyn Listener) -> Result<Found, RequestError> {
        let setting = Setting::default();
        let sites = sites(&self.base.text);
        let mut instrumented = Instrumented::new(&sites, &self.base, &setting)?;
        // A candidate whose condition fails in some execution is dropped, and the recording begins again.
        let mut record = loop {
            self.candidates = instrumented.candidates.len();
            let (machine, client) = self.machine(&instrumented)?;
            let mut record = Record::default();
            let meter = &self.meter;
            let go_on = || meter.exhausted(0).is_none();
            match record.simulate(&instrumented, &machine, &client, &go_on) {
                Ok(()) => break record,
                Err(failing) => {
                    let dropped = BTreeSet::from([failing]);
                    instrumented = instrumented.without(&dropped, &sites, &self.base, &setting)?;
                }
            }
        };
        let bounds = bounds(&instrumented);
        let refuse = |findings: Vec<Diagnostic>| self.refusal(findings);
        let spec = SpecMachine::new(&instrumented.program, &bounds).map_err(refuse)?;
        let mut table = SpecTable::new(&spec);
        let mut refuted: BTreeSet<Vec<(CandidateId, Role)>> = BTreeSet::new();
        for _ in 0..MOST_CONFIRMATIONS {
            self.executions = record.executions.len();
            let mut next = None;
            for most in KEPT {
                if next.is_none() {
                    next = self.best(&instrumented, &mut record, &mut table, &refuted, most);
                }
            }
            let Some(points) = next else {
                return Ok(if self.is_over() { Found::Stopped } else { Found::Nothing });
            };
            let text = annotate(&sites, &instrumented, &points);
            match self.confirm(&text, listener)? {
                Answer::Confirmed(scope, states) => {
                    return Ok(Found::Points(self.confirmed(text, scope, states)?));
                }
                Answer::NotLinearizable(scope) => return Ok(Found::NotLinearizable(scope)),
                Answer::Unknown => {
                    if self.is_over() {
                        return Ok(Found::Stopped);
                    }
                }
                Answer::Refuted(trace) => self.learn(&instrumented, &mut record, &trace),
            }
            refuted.insert(points);
        }
        Ok(Found::Nothing)
    }

    /// Adds a refuting execution to the record, before the others. Traces of another program are left out.
    fn learn(&self, instrumented: &Instrumented, record: &mut Record, trace: &Trace) {
        if instrumented.program.threads_used_at.is_some() || !trace.instance.constants.is_empty() {
            return;
        }
        let Ok(machine) = Machine::new(&instrumented.program, &trace.instance.bounds) else { return };
        if record.add_trace(instrumented, &machine, trace).is_ok() {
            record.executions.rotate_right(1);
        }
    }

    /// Returns the first set of points that every recorded execution allows.
    fn best(
        &mut self,
        instrumented: &Instrumented,
        record: &mut Record,
        table: &mut SpecTable,
        refuted: &BTreeSet<Choice>,
        most: usize,
    ) -> Option<Choice> {
        let program = instrumented.program.clone();
        let executions = std::mem::take(&mut record.executions);
        let mut order: Vec<usize> = (0..executions.len()).collect();
        let nothing = Points {
            roles: vec![Role::Unused; instrumented.candidates.len()],
            free: vec![true; program.ops.len()],
        };
        // The sets of each operation that are right if the others may take effect at any step.
        let mut survivors: Vec<(OpId, Vec<Choice>)> = Vec::new();
        record.executions = executions;
        let mut options = Vec::new();
        for op in program.ops.ids() {
            let calls: Vec<CallKind> = calls_of(record, op);
            let reading: BTreeSet<ResultId> = table.results_that_only_read(&calls, record, SPEC_STATES);
            options.push((op, Options::new(op, &program, instrumented, record, &reading)));
        }
        let executions = std::mem::take(&mut record.executions);
        for (op, options) in options {
            let mut kept = Vec::new();
            for choice in options.choices() {
                if self.is_over() || kept.len() >= most {
                    break;
                }
                let mut points = nothing.clone();
                points.free[op.index()] = false;
                set(&mut points, &choice);
                self.tried += 1;
                let bound = order.len().min(ALONE);
                let failing =
                    order[..bound].iter().position(|at| !table.accepts(&executions[*at], &points, record));
                match failing {
                    Some(position) => order[..=position].rotate_right(1),
                    None => kept.push(choice),
                }
            }
            survivors.push((op, kept));
        }
        let mut found = None;
        for free in subsets(program.ops.len()) {
            let open = |op: &OpId| free.contains(&op.index());
            if survivors.iter().any(|(op, kept)| !open(op) && kept.is_empty()) {
                continue;
            }
            for points_of in combinations(instrumented, &survivors, &free) {
                if self.is_over() {
                    break;
                }
                let mut points = nothing.clone();
                let mut choice: Choice = Vec::new();
                for (op, kept) in &survivors {
                    points.free[op.index()] = open(op);
                    if let Some(at) = points_of.get(&op.index()) {
                        choice.extend(&kept[*at]);
                    }
                }
                choice.sort_unstable();
                choice.dedup();
                // A function that two operations call has one `lin` at a place.
                let places: BTreeSet<CandidateId> = choice.iter().map(|(candidate, _)| *candidate).collect();
                if places.len() < choice.len() || refuted.contains(&choice) {
                    continue;
                }
                set(&mut points, &choice);
                self.tried += 1;
                let failing = order.iter().position(|at| !table.accepts(&executions[*at], &points, record));
                match failing {
                    Some(position) => order[..=position].rotate_right(1),
                    None => {
                        found = Some(choice);
                        break;
                    }
                }
            }
            if found.is_some() {
                break;
            }
        }
        record.executions = executions;
        found
    }

    /// Judges the points of a text in growing bounds.
    fn confirm(&self, text: &str, listener: &mut dyn Listener) -> Result<Answer, RequestError> {
        let model = self.annotated(text.to_string());
        let left = self.budget.time.map(|time| time.saturating_sub(self.started.elapsed()));
        let time = left.map_or(CONFIRMATION, |left| left.min(CONFIRMATION));
        let budget = Budget { time: Some(time), ..self.budget.clone() };
        let hunted = hunt_for(&model, &[Property::Linearizable], true, &budget, listener)?;
        let Some(finding) =
            hunted.findings.iter().find(|finding| finding.property() == Property::Linearizable)
        else {
            return Ok(Answer::Unknown);
        };
        let scope = match finding.scope() {
            Scope::Bounded(scope) => (**scope).clone(),
            Scope::Unbounded { .. } => return Ok(Answer::Unknown),
        };
        Ok(match (finding.verdict(), &finding.annotation) {
            (Verdict::Violated(_), _) => Answer::NotLinearizable(scope),
            (_, Some(Annotation::Refuted(refuted))) => Answer::Refuted(Box::new(refuted.trace().clone())),
            (Verdict::Holds, Some(Annotation::Confirmed)) => Answer::Confirmed(scope, hunted.states),
            _ => Answer::Unknown,
        })
    }

    fn annotated(&self, text: String) -> Annotated {
        Annotated { name: self.base.name.clone(), text, modules: self.base.modules.clone() }
    }

    fn confirmed(&self, text: String, scope: BoundedScope, states: u64) -> Result<Confirmed, RequestError> {
        let compiled = self.annotated(text.clone()).compile(&Setting::default())?;
        let sites = lines_of_points(&text);
        let free = free_operations(&compiled);
        Ok(Confirmed { text, compiled, sites, free, scope, states })
    }

    fn machine(&self, instrumented: &Instrumented) -> Result<(Machine, Client), RequestError> {
        let refuse = |findings: Vec<Diagnostic>| self.refusal(findings);
        let bounds = bounds(instrumented);
        let machine = Machine::new(&instrumented.program, &bounds).map_err(refuse)?;
        let client = Client::general(&instrumented.program, &bounds).map_err(refuse)?;
        Ok((machine, client))
    }

    /// Returns the error of bounds in which the model cannot run.
    fn refusal(&self, findings: Vec<Diagnostic>) -> RequestError {
        let titles: Vec<String> = findings.into_iter().map(|finding| finding.title).collect();
        RequestError::Message {
            text: format!("no execution can be recorded: {}", titles.join("; ")),
            help: "run `linchpin check` with larger bounds".into(),
        }
    }

    fn is_over(&self) -> bool {
        self.meter.exhausted(0).is_some()
    }
}

/// Returns the bounds of the recording: those of the first `check` block, with two values and keys.
fn bounds(instrumented: &Instrumented) -> linchpin_semantics::Bounds {
    let request =
        instrumented.program.checks.first().map_or(Request::default(), |check| Request::of_check(check).0);
    let first = request.sizes().next().map(|size| size.bounds).unwrap_or_default();
    linchpin_semantics::Bounds { threads: 2, values: 2, keys: 2, nodes: first.nodes.min(8), ..first }
}

fn set(points: &mut Points, choice: &Choice) {
    for (candidate, role) in choice {
        points.roles[candidate.index()] = *role;
    }
}

fn calls_of(record: &Record, op: OpId) -> Vec<CallKind> {
    let all = record.calls.iter().enumerate();
    all.filter(|(_, called)| called.op == op).map(|(at, _)| CallKind::new(at)).collect()
}

/// Returns the operations without a `lin`.
fn free_operations(compiled: &Compiled) -> Vec<String> {
    let ops = compiled.program.ops.iter().filter(|op| op.free_point);
    ops.map(|op| op.name.to_string()).collect()
}

/// Returns the sets of operations that may stay without points, the smallest first; never all.
fn subsets(ops: usize) -> Vec<BTreeSet<usize>> {
    let most = ops.min(6);
    let mut all: Vec<BTreeSet<usize>> =
        (0..(1_usize << most) - 1).map(|bits| (0..most).filter(|at| bits >> at & 1 == 1).collect()).collect();
    all.sort_by_key(|set: &BTreeSet<usize>| (set.len(), std::cmp::Reverse(set.clone())));
    all
}

/// Returns the combinations of the operations' sets, those with fewest sites first: an index for each
/// operation that is not free.
fn combinations(
    instrumented: &Instrumented,
    survivors: &[(OpId, Vec<Choice>)],
    free: &BTreeSet<usize>,
) -> Vec<BTreeMap<usize, usize>> {
    let ops: Vec<&(OpId, Vec<Choice>)> =
        survivors.iter().filter(|(op, _)| !free.contains(&op.index())).collect();
    // The largest number for each operation with at most MOST_COMBINATIONS combinations.
    let mut each = 1;
    let product = |each: usize| ops.iter().map(|(_, kept)| kept.len().min(each)).product::<usize>();
    while each < MOST_COMBINATIONS
        && product(each + 1) <= MOST_COMBINATIONS
        && product(each) < product(each + 1)
    {
        each += 1;
    }
    let mut all = vec![BTreeMap::new()];
    for (op, kept) in &ops {
        let extend = |chosen: BTreeMap<usize, usize>| {
            (0..kept.len().min(each)).map(move |at| {
                let mut chosen = chosen.clone();
                chosen.insert(op.index(), at);
                chosen
            })
        };
        all = all.into_iter().flat_map(extend).collect();
    }
    let cost = |chosen: &BTreeMap<usize, usize>| {
        let (mut sites, mut maybe, mut tests) = (0, 0, 0);
        for (op, kept) in &ops {
            let Some(at) = chosen.get(&op.index()) else { continue };
            for (candidate, role) in &kept[*at] {
                sites += 1;
                maybe += usize::from(*role == Role::Maybe);
                tests += conditions(&instrumented.candidates[candidate.index()].condition);
            }
        }
        (sites, maybe, tests, chosen.values().sum::<usize>())
    };
    all.sort_by_cached_key(cost);
    all
}

/// Writes points into the text, formatted.
fn annotate(sites: &Sites, instrumented: &Instrumented, points: &Choice) -> String {
    let mut insertions: Vec<(usize, String)> = points
        .iter()
        .map(|(candidate, role)| {
            let candidate = &instrumented.candidates[candidate.index()];
            (candidate.at, format!(" {}", candidate.statement(*role == Role::Maybe)))
        })
        .collect();
    insertions.sort();
    let all = insertions.iter().map(|(at, text)| (*at, text.as_str()));
    let (text, _) = sites::insert(&sites.text, all);
    let mut sources = SourceMap::default();
    let root = sources.add("model", text.as_str());
    let (tree, _) = parse(root, &text);
    format(&tree, &text)
}

/// Returns every `lin` of a text.
fn lines_of_points(text: &str) -> Vec<Site> {
    let mut sources = SourceMap::default();
    let root = sources.add("model", text);
    let points = sites::points_of(text);
    let line = |start: usize| sources.file(root).line_column(linchpin_ir::index::number_of(start)).0;
    points.into_iter().map(|(function, bytes)| Site { function, line: line(bytes.start) }).collect()
}
