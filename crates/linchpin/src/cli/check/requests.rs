//! The requests of `check`: those of the `check` blocks, with the bounds of the command line in the place of
//! theirs.
//!
//! 1. `--client`, an option of schedules or a property of schedules selects the blocks of that client.
//! 2. Each bound of the command line replaces this bound of every selected block. `--property` replaces the
//!    properties.
//! 3. Blocks that no longer differ in bounds become one request with the properties of all.
//! 4. Without a selected block, the command line and the defaults make one request.
//!
//! An expectation belongs to the bounds of its block. In other sizes an expected violation need not exist, so
//! its absence is not judged. With another constant, client or scheduler an expected violation is not judged
//! at all. A violation of a property that is expected to hold is always judged: it is never excused.

use super::super::Failure;
use super::super::files::{model_inputs, outputs_apply};
use super::super::instance::{points_apply, sizes_apply};
use super::super::limits::{Hashes, Limits, Switch};
use super::super::property::needs_schedules;
use super::super::source::Source;
use super::super::values::BoundRange;
use super::arguments::{Arguments, Bounds, ClientKind, Restriction};
use super::try_observers;
use linchpin_engine::verdict::{Expectation, ExpectationResult, Finding, Match, Verdict};
use linchpin_explore as explore;
use linchpin_explore::{ClientRequest, Request};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;

/// A request with the `check` blocks that it answers.
pub struct CheckRequest {
    pub request: Request,
    /// `None`: a request of the command line alone.
    pub blocks: Option<Blocks>,
}

/// The `check` blocks of a request.
pub struct Blocks {
    pub spans: Vec<Span>,
    pub expectations: Vec<Expectation>,
    /// Properties of which the blocks expect different verdicts.
    contradicted: Vec<Property>,
    changed: Changed,
}

/// What the command line replaced in a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Changed {
    Nothing,
    /// A bound of the general client that can only grow the set of executions. Violations stay when it grows.
    Sizes,
    /// Another bound.
    Other,
}

impl Changed {
    fn of(before: &Request, after: &Request) -> Changed {
        if !has_other_bounds(before, after) {
            return Changed::Nothing;
        }
        let resized = Request {
            threads: after.threads.clone(),
            nodes: after.nodes.clone(),
            values: after.values.clone(),
            keys: after.keys.clone(),
            ints: after.ints,
            depth: after.depth,
            ..before.clone()
        };
        match before.client {
            ClientRequest::General if !has_other_bounds(&resized, after) => Changed::Sizes,
            _ => Changed::Other,
        }
    }
}

impl CheckRequest {
    /// Compares a finding with the expectations. Without one, or where the expectation does not apply to the
    /// bounds of the command line, the result is [`Match::NotSaid`].
    pub fn judge(&self, finding: &Finding) -> ExpectationResult {
        let Some((blocks, expected)) = self.expectation(finding) else { return ExpectationResult::default() };
        let mut judged = expected.judge(finding);
        if blocks.is_out_of_place(expected.violated, matches!(finding.verdict(), Verdict::Holds)) {
            judged.verdict = Match::NotSaid;
        }
        let has_points = finding.points_refuted() == Some(false);
        if !self.request.lin_points
            || blocks.is_out_of_place(expected.points_violated == Some(true), has_points)
        {
            judged.points = None;
        }
        judged
    }

    /// Returns the properties that the file expects to be violated, and whose expectation does not apply to
    /// the bounds of the command line.
    pub fn out_of_place<'f>(&self, findings: impl IntoIterator<Item = &'f Finding>) -> Vec<Property> {
        let is_out = |finding: &&Finding| {
            self.expectation(finding).is_some_and(|(blocks, expected)| {
                blocks.is_out_of_place(expected.violated, matches!(finding.verdict(), Verdict::Holds))
            })
        };
        findings.into_iter().filter(is_out).map(Finding::property).collect()
    }

    fn expectation(&self, finding: &Finding) -> Option<(&Blocks, &Expectation)> {
        let blocks = self.blocks.as_ref()?;
        let mut all = blocks.expectations.iter();
        Some((blocks, all.find(|expected| expected.property == finding.property())?))
    }
}

impl Blocks {
    /// Returns whether the expectation of a violation does not apply to the bounds of the command line.
    fn is_out_of_place(&self, violated: bool, holds: bool) -> bool {
        violated
            && match self.changed {
                Changed::Nothing => false,
                Changed::Sizes => holds,
                Changed::Other => true,
            }
    }
}

/// Returns the requests for one model.
pub fn requests(source: &Source, arguments: &Arguments) -> Result<Vec<CheckRequest>, Failure> {
    let compiled = source.compiled(&Setting::default())?;
    outputs_apply(&arguments.outputs(), &model_inputs(&compiled.sources))?;
    if arguments.asks_for_points() {
        points_apply(&compiled.program)?;
    }
    sizes_apply(&compiled.program, &arguments.bounds.sizes())?;
    let of_blocks: Vec<CheckRequest> = compiled
        .program
        .checks
        .iter()
        .map(|check| {
            let (request, expectations) = Request::of_check(check);
            let blocks = Blocks {
                spans: vec![check.span],
                expectations,
                contradicted: Vec::new(),
                changed: Changed::Nothing,
            };
            CheckRequest { request, blocks: Some(blocks) }
        })
        .collect();
    let mut selected = select(of_blocks, arguments)?;
    for asked in &mut selected {
        let before = asked.request.clone();
        apply(arguments, &mut asked.request);
        let changed = Changed::of(&before, &asked.request);
        asked.blocks.iter_mut().for_each(|blocks| blocks.changed = changed);
    }
    if has_option(arguments) {
        selected = merged(selected);
    }
    if selected.is_empty() {
        selected.push(CheckRequest { request: request(arguments), blocks: None });
    }
    let properties: Vec<Property> =
        selected.iter().flat_map(|asked| asked.request.properties.iter().copied()).collect();
    try_observers(source, &compiled, &properties)?;
    for asked in &mut selected {
        asked.request.reductions = arguments.reductions();
        asked.request.jobs = super::jobs(arguments.jobs);
    }
    Ok(selected)
}

/// Makes a request of the command line and the defaults.
pub fn request(arguments: &Arguments) -> Request {
    let mut request = Request { properties: DEFAULT_PROPERTIES.to_vec(), ..Request::default() };
    if arguments.client.client == Some(ClientKind::Schedules) {
        request.schedules();
    }
    apply(arguments, &mut request);
    request
}

/// The properties that are judged by default.
pub const DEFAULT_PROPERTIES: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];

/// Selects the blocks of the client that the command line asks for.
fn select(all: Vec<CheckRequest>, arguments: &Arguments) -> Result<Vec<CheckRequest>, Failure> {
    let client = &arguments.client;
    let is_of_schedules =
        |asked: &CheckRequest| matches!(asked.request.client, ClientRequest::Schedules { .. });
    let option = client.only_for_schedules();
    let property = arguments.properties.iter().find(|property| needs_schedules(**property));
    let without_schedules = || match (option, property) {
        (Some(option), _) => Some(
            Failure::input(format!("`{option}` does not apply to the general client"))
                .help("add `--client schedules`"),
        ),
        (None, Some(property)) => Some(
            Failure::input(format!(
                "`{property}` is judged at the end of schedules; the general client has no schedules"
            ))
            .help("add `--client schedules`"),
        ),
        (None, None) => None,
    };
    match client.client {
        Some(ClientKind::Schedules) => Ok(all.into_iter().filter(is_of_schedules).collect()),
        Some(ClientKind::General) => match without_schedules() {
            Some(failure) => Err(failure),
            None => Ok(all.into_iter().filter(|asked| !is_of_schedules(asked)).collect()),
        },
        None => match without_schedules() {
            Some(_) if all.iter().any(is_of_schedules) => {
                Ok(all.into_iter().filter(is_of_schedules).collect())
            }
            Some(failure) => Err(failure),
            None => Ok(all),
        },
    }
}

/// Replaces what the command line names.
fn apply(arguments: &Arguments, request: &mut Request) {
    let Bounds { threads, nodes, values, keys, constants, limits } = &arguments.bounds;
    let range = |bound: &BoundRange| bound.low..=bound.high;
    let replace = |place: &mut std::ops::RangeInclusive<u32>, bound: &Option<BoundRange>| {
        if let Some(bound) = bound {
            *place = range(bound);
        }
    };
    replace(&mut request.threads, threads);
    if let Some(nodes) = nodes {
        request.nodes = Some(range(nodes));
    }
    replace(&mut request.values, values);
    replace(&mut request.keys, keys);
    for constant in constants {
        request.constants.insert(constant.name.clone(), constant.value..=constant.value);
    }
    apply_limits(limits, request);
    if matches!(request.client, ClientRequest::Schedules { .. }) {
        let client = &arguments.client;
        let (steps, preadds, restrictions) = request.schedules();
        replace(steps, &client.steps);
        replace(preadds, &client.preadds);
        if !client.restrict.is_empty() {
            *restrictions = client.restrict.iter().map(|given| restriction(*given)).collect();
        }
        request.preemptions = client.preemptions.or(request.preemptions);
        request.keep_going |= client.keep_going;
    }
    request.fair = arguments.fair.map_or(request.fair, Switch::is_on);
    if !arguments.properties.is_empty() {
        request.properties.clone_from(&arguments.properties);
        // The points of a block belong to its expectation of linearizability.
        request.lin_points &= request.properties.contains(&Property::Linearizable);
    }
    request.lin_points = arguments.lin_points.map_or(request.lin_points, Switch::is_on);
}

fn apply_limits(limits: &Limits, request: &mut Request) {
    let Limits { ints, ages, depth, spurious, hashes } = limits;
    request.ints = ints.unwrap_or(request.ints);
    request.ages = ages.or(request.ages);
    request.depth = depth.unwrap_or(request.depth);
    request.spurious = spurious.map_or(request.spurious, Switch::is_on);
    request.any_hashes = hashes.map_or(request.any_hashes, |hashes| hashes == Hashes::Any);
}

fn restriction(given: Restriction) -> explore::Restriction {
    match given {
        Restriction::GenericValues => explore::Restriction::GenericValues,
        Restriction::DistinctPriorities => explore::Restriction::DistinctPriorities,
        Restriction::AddsDominate => explore::Restriction::AddsDominate,
    }
}

/// Returns whether the command line has an option that changes requests.
fn has_option(arguments: &Arguments) -> bool {
    let Bounds { threads, nodes, values, keys, constants, limits } = &arguments.bounds;
    [threads, nodes, values, keys].iter().any(|bound| bound.is_some())
        || !constants.is_empty()
        || !limits.is_empty()
        || !arguments.properties.is_empty()
        || arguments.lin_points.is_some()
        || arguments.fair.is_some()
        || arguments.client.only_for_schedules().is_some()
}

/// Merges requests with equal bounds. Expectations that contradict each other are dropped.
fn merged(all: Vec<CheckRequest>) -> Vec<CheckRequest> {
    let mut merged: Vec<CheckRequest> = Vec::new();
    for asked in all {
        match merged.iter_mut().find(|known| !has_other_bounds(&known.request, &asked.request)) {
            Some(known) => join(known, asked),
            None => merged.push(asked),
        }
    }
    merged
}

fn join(known: &mut CheckRequest, other: CheckRequest) {
    for property in other.request.properties {
        if !known.request.properties.contains(&property) {
            known.request.properties.push(property);
        }
    }
    known.request.lin_points |= other.request.lin_points;
    let (Some(blocks), Some(others)) = (&mut known.blocks, other.blocks) else { return };
    blocks.spans.extend(others.spans);
    blocks.changed = blocks.changed.max(others.changed);
    for expected in others.expectations {
        let same = blocks.expectations.iter_mut().find(|known| known.property == expected.property);
        match same {
            None if !blocks.contradicted.contains(&expected.property) => blocks.expectations.push(expected),
            None => {}
            Some(known) => {
                let points = (known.points_violated, expected.points_violated);
                let is_other = matches!(points, (Some(one), Some(other)) if one != other);
                known.points_violated = points.0.or(points.1);
                if is_other || known.violated != expected.violated {
                    blocks.contradicted.push(expected.property);
                }
            }
        }
    }
    blocks.expectations.retain(|known| !blocks.contradicted.contains(&known.property));
}

/// Returns whether two requests differ in more than properties and points.
fn has_other_bounds(one: &Request, other: &Request) -> bool {
    let bounds = |request: &Request| Request { properties: Vec::new(), lin_points: false, ..request.clone() };
    bounds(one) != bounds(other)
}
