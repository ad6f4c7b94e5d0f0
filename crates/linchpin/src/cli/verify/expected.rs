//! The expected verdict of a model, and the search in the `check` blocks that expect a violation.
//!
//! Such a violation can need other bounds, other properties or points than the search in growing bounds
//! tries. So the blocks are searched first.

use super::super::Failure;
use super::super::budget::ProgressLine;
use super::super::source::Source;
use super::{SearchResult, group_of, scope, violations};
use linchpin_engine::model::Compiled;
use linchpin_engine::verdict::{Expectation, Finding, Scope, Verdict};
use linchpin_engine::{Budget, cores};
use linchpin_explore as explore;
use linchpin_explore::Request;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{Check, Program};
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue::Group;
use std::time::{Duration, Instant};

/// The expected verdict of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// No `check` block.
    Unstated,
    Holds,
    Violated,
}

impl Expected {
    /// Returns the expectation: of a model of the catalogue by its group, of another model by its `check`
    /// blocks. Progress properties of other models do not count: most correct objects violate one.
    pub fn of(name: &str, program: &Program) -> Expected {
        match group_of(name) {
            Some(Group::Correct) => return Expected::Holds,
            Some(Group::Wrong) => return Expected::Violated,
            None => {}
        }
        let mut expected = Expected::Unstated;
        for expectation in program.checks.iter().flat_map(|check| Request::of_check(check).1) {
            if is_violation(&expectation) && !is_progress(&expectation) {
                return Expected::Violated;
            }
            expected = Expected::Holds;
        }
        expected
    }

    pub fn text(self) -> &'static str {
        match self {
            Expected::Unstated => "–",
            Expected::Holds => "holds",
            Expected::Violated => "violated",
        }
    }
}

/// Returns whether a block expects a violation of this property, or of the points.
fn is_violation(expectation: &Expectation) -> bool {
    expectation.violated || expectation.points_violated == Some(true)
}

fn is_progress(expectation: &Expectation) -> bool {
    const PROGRESS: [Property; 5] = [
        Property::Terminating,
        Property::LockFree,
        Property::WaitFree,
        Property::ObstructionFree,
        Property::StarvationFree,
    ];
    PROGRESS.contains(&expectation.property) && expectation.points_violated != Some(true)
}

/// The result of the `check` blocks that expect a violation.
#[derive(Default)]
pub struct OwnChecks {
    /// The violation of the first block that shows one.
    pub found: Option<SearchResult>,
    /// The blocks that were not searched to the end, and the limit: `line 12 (2 threads, 3 nodes):
    /// interrupted`.
    pub unfinished: Vec<String>,
}

/// Searches the `check` blocks that expect a violation, until one shows it. Blocks that expect only
/// violations of progress come last. The blocks share the budget.
pub fn own_checks(
    source: &Source,
    compiled: &Compiled,
    budget: &Budget,
    line: &mut ProgressLine,
) -> Result<OwnChecks, Failure> {
    let started = Instant::now();
    let mut own = OwnChecks::default();
    for check in wrong_first(&compiled.program) {
        let (mut request, expectations) = Request::of_check(check);
        request.jobs = cores();
        let left = budget.time.map(|time| time.saturating_sub(started.elapsed()));
        let budget = Budget { time: left, ..budget.clone() };
        let searched = Instant::now();
        let findings =
            explore::check(source, &request, &budget, line).map_err(|error| source.failure(error))?;
        let setting = request.largest().map_or(Setting::default(), |size| size.setting);
        let compiled = source.compiled(&setting)?;
        let result = shown(&compiled, findings, &expectations, searched.elapsed());
        if !result.violations.is_empty() {
            own.found = Some(result);
            return Ok(own);
        }
        let limit = result.findings.iter().find_map(|finding| match finding.verdict() {
            Verdict::Unknown(limit) => Some(limit),
            Verdict::Holds | Verdict::Violated(_) => None,
        });
        if let Some(limit) = limit {
            let place = compiled.sources.line_of(check.span);
            own.unfinished.push(format!("line {place} ({}): {limit}", result.scope));
        }
    }
    Ok(own)
}

/// Returns the blocks that expect a violation.
fn wrong_first(program: &Program) -> Vec<&Check> {
    let expectations = |check: &Check| Request::of_check(check).1;
    let mut blocks: Vec<&Check> =
        program.checks.iter().filter(|check| expectations(check).iter().any(is_violation)).collect();
    let is_progress_alone =
        |check: &&Check| expectations(check).iter().filter(|e| is_violation(e)).all(is_progress);
    blocks.sort_by_key(is_progress_alone);
    blocks
}

/// Keeps the findings that are expected to be violated, and all other violations.
fn shown(
    compiled: &Compiled,
    mut findings: Vec<Finding>,
    expectations: &[Expectation],
    time: Duration,
) -> SearchResult {
    findings.retain(|finding| {
        let mut expected = expectations.iter().filter(|expected| expected.property == finding.property());
        expected.any(is_violation) || matches!(finding.verdict(), Verdict::Violated(_))
    });
    findings.sort_by_key(|finding| {
        matches!(finding.verdict(), Verdict::Holds) && finding.points_refuted() != Some(true)
    });
    let (scope, restricted) = match findings.first().map(|first| (first.scope(), &first.effort.cuts)) {
        Some((Scope::Bounded(of), cuts)) => scope(&compiled.program, of, cuts),
        _ => Default::default(),
    };
    let states = findings.first().map_or(0, |finding| finding.effort.states);
    SearchResult { violations: violations(compiled, &findings), findings, scope, restricted, states, time }
}
