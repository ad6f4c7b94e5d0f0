//! Hunting: a model in growing bounds, until a violation or the end of the budget.
//!
//! The first instance is the smallest in which two threads can get in each other's way; then nodes, values and threads grow
//! in turn, so that cheap dimensions are exhausted before dear ones and a violation found is near a smallest one. What
//! holds, holds of the last instance that was finished.

use crate::engine::{Budget, Listener};
use crate::explore::{Compiled, Model, Request, Uncheckable, check};
use linchpin_core::ir::{Op, Program};
use linchpin_core::semantics::{Bounds, Machine, Picks};
use linchpin_core::types::Scalar;
use linchpin_core::typing::Setting;
use linchpin_core::verdict::{Finding, Limit, Property, Scope, Verdict};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a hunt brought.
pub struct Hunted {
    /// As lowered for the first instance.
    pub compiled: Compiled,
    /// Of the largest instance that was finished, or of the one that shows a violation.
    pub findings: Vec<Finding>,
    pub scope: Option<Bounds>,
    /// Over all instances.
    pub states: u64,
    pub time: Duration,
    /// The instance that comes next, as options.
    pub next: Option<String>,
}

/// What is judged.
pub const PROPERTIES: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];

/// Instances beyond which nobody waits.
const MOST_INSTANCES: usize = 40;

pub fn hunt(model: &dyn Model, budget: &Budget, listener: &mut dyn Listener) -> Result<Hunted, Uncheckable> {
    let started = Instant::now();
    let compiled = model.compile(&Setting::default())?;
    let mut hunted = Hunted {
        compiled: compiled.clone(),
        findings: Vec::new(),
        scope: None,
        states: 0,
        time: Duration::ZERO,
        next: None,
    };
    let dimensions = Dimensions::of(&compiled.program);
    for instance in 0..MOST_INSTANCES {
        let bounds = dimensions.instance(instance);
        let left = budget.time.map(|time| time.saturating_sub(started.elapsed()));
        let request = request(&bounds);
        let findings = check(model, &request, &Budget { time: left, ..budget.clone() }, listener)?;
        hunted.states += findings.first().map_or(0, |finding| finding.effort.states);
        let is_cut_short = findings.iter().any(|finding| is_limit(finding.verdict()));
        let is_violated = findings.iter().any(|f| matches!(f.verdict(), Verdict::Violated(_)));
        if is_cut_short && !is_violated && !hunted.findings.is_empty() {
            hunted.next = Some(dimensions.options(&bounds));
            break;
        }
        let is_vacuous = |f: &Finding| matches!(f.verdict(), Verdict::Unknown(Limit::Vacuous(_)));
        let was_vacuous = hunted.findings.iter().any(is_vacuous);
        if hunted.findings.is_empty() || was_vacuous || !findings.iter().any(is_vacuous) {
            hunted.scope = scope_of(&findings);
            hunted.findings = findings;
        }
        if is_violated {
            break;
        }
        hunted.next = Some(dimensions.options(&dimensions.instance(instance + 1)));
        if is_cut_short {
            break;
        }
    }
    hunted.time = started.elapsed();
    Ok(hunted)
}

/// The search ended before its time.
fn is_limit(verdict: &Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Unknown(Limit::Time(_) | Limit::Memory(_) | Limit::States(_) | Limit::Interrupted)
    )
}

fn scope_of(findings: &[Finding]) -> Option<Bounds> {
    let violated = findings.iter().find(|f| matches!(f.verdict(), Verdict::Violated(_)));
    match violated.or(findings.first())?.scope() {
        Scope::Bounded(scope) => Some(scope.bounds.clone()),
        Scope::Unbounded { .. } => None,
    }
}

fn request(bounds: &Bounds) -> Request {
    Request {
        threads: bounds.threads..=bounds.threads,
        nodes: Some(bounds.nodes..=bounds.nodes),
        values: bounds.values..=bounds.values,
        keys: bounds.keys..=bounds.keys,
        properties: PROPERTIES.to_vec(),
        ..Request::default()
    }
}

/// Which bounds a program has, and where they begin.
struct Dimensions {
    least: Bounds,
    nodes: bool,
    values: bool,
    keys: bool,
}

impl Dimensions {
    fn of(program: &Arc<Program>) -> Dimensions {
        let code = program.methods.entries().filter(|(id, _)| *id != program.init);
        let allocates = |op: &Op| matches!(op, Op::New { .. } | Op::NewArray { .. });
        let nodes = code.flat_map(|(_, method)| method.code.iter()).any(|instr| allocates(&instr.op));
        let params = || program.ops.iter().flat_map(|op| &op.params).flat_map(|ty| program.types.slots(*ty));
        let values = params().any(|slot| slot.scalar == Scalar::Data);
        let keys = params().any(|slot| slot.scalar == Scalar::Key);
        let roles: u32 = program.roles.iter().filter_map(|role| role.count).sum();
        let open_role = u32::from(program.roles.iter().any(|role| role.count.is_none()));
        let cells = initial_cells(program);
        let least = Bounds {
            threads: (roles + open_role).max(2),
            nodes: if nodes { cells + 1 } else { cells.max(1) },
            values: 1,
            keys: 1,
            ..Bounds::default()
        };
        Dimensions { least, nodes, values, keys }
    }

    /// The n-th instance: in turn a node, a value (and a key) and every other time a thread more.
    fn instance(&self, n: usize) -> Bounds {
        let mut bounds = self.least.clone();
        for step in 0..n {
            match step % 5 {
                0 | 2 | 4 if self.nodes => bounds.nodes += 1,
                1 if self.values || self.keys => {
                    bounds.values += u32::from(self.values);
                    bounds.keys += u32::from(self.keys);
                }
                3 => bounds.threads += 1,
                _ => {}
            }
        }
        bounds
    }

    /// The bounds as options of the command line.
    fn options(&self, bounds: &Bounds) -> String {
        let all = [
            (true, "--threads", bounds.threads),
            (self.nodes, "--nodes", bounds.nodes),
            (self.values, "--values", bounds.values),
            (self.keys, "--keys", bounds.keys),
        ];
        let given = all.into_iter().filter(|(has, ..)| *has).map(|(_, option, n)| format!("{option} {n}"));
        given.collect::<Vec<_>>().join(" ")
    }
}

/// The cells that `init` makes.
fn initial_cells(program: &Arc<Program>) -> u32 {
    let bounds = Bounds { nodes: 1 << 12, ..Bounds { threads: program.threads, ..Bounds::default() } };
    let Ok(machine) = Machine::new(program, &bounds) else { return 0 };
    let Ok(mut state) = machine.initial(&mut Picks::new()) else { return 0 };
    machine.normalise(&mut state);
    state.allocated_cells() as u32
}
