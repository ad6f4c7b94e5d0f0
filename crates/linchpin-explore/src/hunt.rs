//! Hunting: checks a model in growing bounds, until a violation or the end of the budget.
//!
//! The first instance is the smallest in which two threads can interfere. Then nodes, values and threads grow
//! in turn. Cheap bounds grow before expensive ones, so a violation is found near a smallest one. A verdict
//! `holds` is about the last finished instance.

use crate::check::{check, try_observers};
use crate::problem::{ClientRequest, Request};
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Annotation, BoundedScope, Finding, Limit, Scope, Verdict};
use linchpin_engine::{Budget, Listener, cores};
use linchpin_ir::index::number_of;
use linchpin_ir::interface::Setting;
use linchpin_ir::interface::threads_of;
use linchpin_ir::program::{Op, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::Scalar;
use linchpin_semantics::{Bounds, Machine, Picks};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of a hunt.
pub struct Hunted {
    /// The model, compiled for the first instance.
    pub compiled: Compiled,
    /// The findings of the largest finished instance, or of the instance with a violation.
    pub findings: Vec<Finding>,
    pub scope: Option<BoundedScope>,
    /// The number of states of all instances.
    pub states: u64,
    pub time: Duration,
    /// The bound that grows in the next instance; `None` after a violation, or where no bound can grow.
    pub next: Option<String>,
}

/// The properties that a hunt judges.
pub const PROPERTIES: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];

/// The limit on instances.
const MOST_INSTANCES: usize = 40;

/// Hunts for violations of [`PROPERTIES`].
pub fn hunt(model: &dyn Model, budget: &Budget, listener: &mut dyn Listener) -> Result<Hunted, RequestError> {
    hunt_for(model, &PROPERTIES, false, budget, listener)
}

/// Hunts for violations of these properties; with `lin_points` also of the annotated points.
pub fn hunt_for(
    model: &dyn Model,
    properties: &[Property],
    lin_points: bool,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<Hunted, RequestError> {
    let started = Instant::now();
    let compiled = model.compile(&Setting::default())?;
    try_observers(&compiled)?;
    let mut ladder = Ladder::of(&compiled.program);
    ladder.base.properties = properties.to_vec();
    ladder.base.lin_points = lin_points;
    let mut hunted =
        Hunted { compiled, findings: Vec::new(), scope: None, states: 0, time: Duration::ZERO, next: None };
    for rung in 0..MOST_INSTANCES {
        let left = budget.time.map(|time| time.saturating_sub(started.elapsed()));
        let budget = Budget { time: left, ..budget.clone() };
        let findings = match check(model, &ladder.request(rung), &budget, listener) {
            Ok(findings) => findings,
            // An instance that cannot be built must not lose the findings of smaller ones.
            Err(_) if !hunted.findings.is_empty() => {
                hunted.next = None;
                break;
            }
            Err(error) => return Err(error),
        };
        hunted.states += findings.first().map_or(0, |finding| finding.effort.states);
        let is_cut_short = findings.iter().any(|finding| is_limit(finding.verdict()));
        let is_violated = findings.iter().any(shows_an_execution);
        if is_cut_short && !is_violated && !hunted.findings.is_empty() {
            hunted.next = ladder.step(rung - 1);
            break;
        }
        let is_vacuous = |f: &Finding| matches!(f.verdict(), Verdict::Unknown(Limit::Vacuous(_)));
        let was_vacuous = hunted.findings.iter().any(is_vacuous);
        if hunted.findings.is_empty() || was_vacuous || !findings.iter().any(is_vacuous) {
            hunted.scope = scope_of(&findings);
            hunted.findings = findings;
        }
        hunted.next = ladder.step(rung).filter(|_| !is_violated);
        if is_cut_short || hunted.next.is_none() {
            break;
        }
    }
    hunted.time = started.elapsed();
    Ok(hunted)
}

/// Checks whether a finding has a counterexample, of the object or of its points.
fn shows_an_execution(finding: &Finding) -> bool {
    matches!(finding.verdict(), Verdict::Violated(_))
        || matches!(finding.annotation, Some(Annotation::Refuted(_)))
}

/// Checks whether the search ended early.
fn is_limit(verdict: &Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Unknown(Limit::Time(_) | Limit::Memory(_) | Limit::States(_) | Limit::Interrupted)
    )
}

fn scope_of(findings: &[Finding]) -> Option<BoundedScope> {
    let violated = findings.iter().find(|finding| shows_an_execution(finding));
    match violated.or(findings.first())?.scope() {
        Scope::Bounded(scope) => Some((**scope).clone()),
        Scope::Unbounded { .. } => None,
    }
}

/// The instances of a hunt, smallest first. Client, restrictions and the bounds of numbers come from the
/// first `check` block of the model.
struct Ladder {
    base: Request,
    /// The bounds that the program has. `threads`: its roles allow any number of threads.
    nodes: bool,
    values: bool,
    keys: bool,
    threads: bool,
}

/// The bound that grows from one instance to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Growth {
    Nodes,
    Values,
    Threads,
    Calls,
    Preadds,
}

impl Ladder {
    fn of(program: &Arc<Program>) -> Ladder {
        let code = program.methods.entries().filter(|(id, _)| *id != program.init);
        let allocates = |op: &Op| matches!(op, Op::New { .. } | Op::NewArray { .. });
        let nodes = code.flat_map(|(_, method)| method.code.iter()).any(|instr| allocates(&instr.op));
        let params = || program.ops.iter().flat_map(|op| &op.params).flat_map(|ty| program.types.slots(*ty));
        let values = params().any(|slot| slot.scalar == Scalar::Data);
        let keys = params().any(|slot| slot.scalar == Scalar::Key);
        let mut base = program.checks.first().map_or(Request::default(), |check| Request::of_check(check).0);
        base.jobs = cores();
        base.constants.clear();
        let (fewest, most) = threads_of(&program.roles);
        // Some thread must have the role without a fixed count.
        let has_open_role = program.roles.iter().any(|role| role.count.is_none());
        let threads = most.unwrap_or((fewest + u32::from(has_open_role)).max(2));
        match &mut base.client {
            ClientRequest::General | ClientRequest::Calls { .. } => {
                let cells = initial_cells(program);
                let least = if nodes { cells + 1 } else { cells.max(1) };
                base.nodes = Some(least..=least);
                base.values = 1..=1;
                base.keys = 1..=1;
                base.threads = threads..=threads;
            }
            ClientRequest::Schedules { steps, preadds, .. } => {
                *steps = 1..=2;
                *preadds = 0..=0;
                base.nodes = None;
                base.threads = 1..=threads;
            }
        }
        Ladder { base, nodes, values, keys, threads: most.is_none() }
    }

    fn request(&self, rung: usize) -> Request {
        (0..rung)
            .filter_map(|at| self.growth(at))
            .fold(self.base.clone(), |request, growth| self.grown(request, growth))
    }

    /// Returns the text of the bound that grows after an instance; `None` if no bound can grow.
    fn step(&self, rung: usize) -> Option<String> {
        let next = self.request(rung + 1);
        let count = |range: &std::ops::RangeInclusive<u32>, what: &str| {
            format!("{} {what}{}", range.end(), if *range.end() == 1 { "" } else { "s" })
        };
        Some(match (self.growth(rung)?, &next.client) {
            (Growth::Nodes, _) => count(&next.nodes(), "node"),
            (Growth::Values, _) if self.values => count(&next.values, "value"),
            (Growth::Values, _) => count(&next.keys, "key"),
            (Growth::Threads, _) => count(&next.threads, "thread"),
            (Growth::Calls, ClientRequest::Schedules { steps, .. }) => count(steps, "call"),
            (Growth::Preadds, ClientRequest::Schedules { preadds, .. }) => count(preadds, "pre-add"),
            (Growth::Calls | Growth::Preadds, _) => String::new(),
        })
    }

    fn growth(&self, rung: usize) -> Option<Growth> {
        let cycle: &[Growth] = match self.base.client {
            ClientRequest::General | ClientRequest::Calls { .. } => {
                &[Growth::Nodes, Growth::Values, Growth::Nodes, Growth::Threads, Growth::Nodes]
            }
            ClientRequest::Schedules { .. } => {
                &[Growth::Preadds, Growth::Calls, Growth::Threads, Growth::Calls]
            }
        };
        let is_possible = |growth: &&Growth| match growth {
            Growth::Nodes => self.nodes,
            Growth::Values => self.values || self.keys,
            Growth::Threads => self.threads,
            Growth::Calls | Growth::Preadds => true,
        };
        let possible = cycle.iter().filter(is_possible);
        possible.clone().nth(rung % possible.count().max(1)).copied()
    }

    fn grown(&self, mut request: Request, growth: Growth) -> Request {
        let more = |range: &mut std::ops::RangeInclusive<u32>, is_point: bool| {
            let end = range.end() + 1;
            *range = if is_point { end..=end } else { *range.start()..=end };
        };
        match growth {
            Growth::Nodes => {
                let mut nodes = request.nodes();
                more(&mut nodes, true);
                request.nodes = Some(nodes);
            }
            Growth::Values => {
                if self.values {
                    more(&mut request.values, true);
                }
                if self.keys {
                    more(&mut request.keys, true);
                }
            }
            Growth::Threads => {
                let is_point = request.client == ClientRequest::General;
                more(&mut request.threads, is_point);
            }
            Growth::Calls => more(request.schedules().0, false),
            Growth::Preadds => more(request.schedules().1, false),
        }
        request
    }
}

/// Returns the number of cells that `init` allocates.
pub fn initial_cells(program: &Arc<Program>) -> u32 {
    let bounds = Bounds { nodes: 1 << 12, ..Bounds { threads: program.threads, ..Bounds::default() } };
    let Ok(machine) = Machine::new(program, &bounds) else { return 0 };
    let Ok(mut state) = machine.initial(&mut Picks::new()) else { return 0 };
    machine.normalise(&mut state);
    number_of(state.allocated_cells())
}
