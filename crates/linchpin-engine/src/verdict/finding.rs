//! One answer to one question: a property, a scope, a verdict, and what it cost.

use super::Asymmetry;
use super::failures::Failures;
use super::scope::{BoundedScope, Scope};
use linchpin_certify::Proof;
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use linchpin_judge::Counterexample;
use linchpin_semantics::{Cut, FaultProperty};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Debug)]
pub enum Verdict {
    Holds,
    Violated(Box<Counterexample>),
    Unknown(Limit),
}

impl Verdict {
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Why nothing is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    Time(Duration),
    /// In bytes.
    Memory(u64),
    States(u64),
    Interrupted,
    /// Executions were cut where calls nest deeper than this: nothing is known of what comes after.
    Depth(u32),
    /// What an engine cannot do yet.
    NotSupported(String),
    /// Operations of which no call ever completed: whatever holds of them holds of nothing.
    Vacuous(Vec<Arc<str>>),
    /// The specification itself has a fault, or left the bounds.
    Specification(String),
    /// An alarm that no execution was found for, or that could not be confirmed.
    Unconfirmed(String),
    /// A checked certificate that did not pass the comparison with small instances, and why.
    Gate(String),
    /// A certificate that has no invariant for the property.
    NotClaimed,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Time(limit) => write!(f, "stopped after {:.1} s", limit.as_secs_f64()),
            Limit::Memory(bytes) => write!(f, "stopped at {} MiB of memory", bytes >> 20),
            Limit::States(states) => write!(f, "stopped after {states} states"),
            Limit::Interrupted => f.write_str("interrupted"),
            Limit::Depth(depth) => {
                write!(f, "calls nest deeper than `depth` ({depth}), where executions are cut")
            }
            Limit::NotSupported(what) => write!(f, "not supported: {what}"),
            Limit::Vacuous(ops) => write!(f, "vacuous: no call of `{}` ever completed", ops.join("`, `")),
            Limit::Specification(what) => write!(f, "the specification itself is at fault: {what}"),
            Limit::Unconfirmed(why) => write!(f, "an alarm that was not confirmed: {why}"),
            Limit::Gate(why) => f.write_str(why),
            Limit::NotClaimed => f.write_str("the certificate has no invariant for it"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Finding {
    property: Property,
    scope: Scope,
    verdict: Verdict,
    /// Which engine says so.
    pub engine: &'static str,
    pub effort: Effort,
    /// What a bounded search saw happen.
    pub coverage: Option<Coverage>,
    /// Whether the annotated linearization points are right, where they were judged.
    pub annotation: Option<Annotation>,
    /// Of an object that is wait-free: the most steps of its own that a call takes, by operation.
    pub own_steps: Vec<(Arc<str>, u64)>,
    /// Where each schedule was judged by itself: which fail, and how.
    pub failures: Option<Failures>,
    /// What was not judged, beside a verdict that holds.
    pub notes: Vec<String>,
}

impl Finding {
    /// The outcome of a search within bounds. `Holds` becomes `Unknown` if some operation never completed.
    pub fn bounded(
        engine: &'static str,
        property: Property,
        scope: BoundedScope,
        coverage: Coverage,
        effort: Effort,
        verdict: Verdict,
    ) -> Finding {
        let idle = coverage.never_completed();
        let verdict = match verdict {
            Verdict::Holds if !idle.is_empty() => Verdict::Unknown(Limit::Vacuous(idle)),
            verdict => verdict,
        };
        let finding = Finding::new(engine, property, Scope::Bounded(Box::new(scope)), effort, verdict);
        Finding { coverage: Some(coverage), ..finding }
    }

    /// The property holds of every instance.
    pub fn proved(engine: &'static str, proof: &Proof, effort: Effort) -> Finding {
        let scope = Scope::Unbounded { method: proof.method().clone() };
        Finding::new(engine, proof.property(), scope, effort, Verdict::Holds)
    }

    /// A prover ended without a proof.
    pub fn not_proved(
        engine: &'static str,
        property: Property,
        method: Arc<str>,
        effort: Effort,
        limit: Limit,
    ) -> Finding {
        Finding::new(engine, property, Scope::Unbounded { method }, effort, Verdict::Unknown(limit))
    }

    pub fn property(&self) -> Property {
        self.property
    }

    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Whether the annotated points are refuted, where that is known. Where nothing is known of the object, it says nothing that
    /// no execution spoke against its points.
    pub fn points_refuted(&self) -> Option<bool> {
        match (&self.annotation, &self.verdict) {
            (Some(Annotation::Refuted(_)), _) => Some(true),
            (Some(Annotation::Confirmed), Verdict::Holds | Verdict::Violated(_)) => Some(false),
            (Some(Annotation::Confirmed), Verdict::Unknown(_)) => None,
            (Some(Annotation::Unknown(_)) | None, _) => None,
        }
    }

    /// Private: what holds is said through the others, which see to it that it may be.
    fn new(
        engine: &'static str,
        property: Property,
        scope: Scope,
        effort: Effort,
        verdict: Verdict,
    ) -> Finding {
        Finding {
            property,
            scope,
            verdict,
            engine,
            effort,
            coverage: None,
            annotation: None,
            own_steps: Vec::new(),
            failures: None,
            notes: Vec::new(),
        }
    }
}

/// What the annotated points turned out to be; the object itself is judged without them.
#[derive(Clone, Debug)]
pub enum Annotation {
    Confirmed,
    Refuted(Box<Counterexample>),
    Unknown(Limit),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    pub states: u64,
    pub transitions: u64,
    /// How many schedules were run, where there were schedules.
    pub schedules: Option<u64>,
    pub cuts: Cuts,
    pub time: Duration,
    pub peak_memory_bytes: Option<u64>,
    pub search: SearchEffort,
}

impl Effort {
    /// What two runs took together, one after the other.
    pub fn add(&mut self, other: &Effort) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.cuts.nodes += other.cuts.nodes;
        for (cut, times) in &other.cuts.others {
            *self.cuts.others.entry(*cut).or_default() += times;
        }
        for (property, times) in &other.cuts.faults {
            *self.cuts.faults.entry(*property).or_default() += times;
        }
        self.peak_memory_bytes = self.peak_memory_bytes.max(other.peak_memory_bytes);
        self.search.depth = self.search.depth.max(other.search.depth);
        self.search.exchanges |= other.search.exchanges;
        self.search.run_ahead += other.search.run_ahead;
    }
}

/// How a search over states went.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchEffort {
    /// Levels of the deepest search.
    pub depth: u64,
    /// States found but not gone on from, where a limit was met.
    pub frontier: u64,
    /// The number of states that it would have had, as far as its levels tell.
    pub forecast: Option<u64>,
    /// Bytes that a state takes in the visited set, its share of everything included.
    pub bytes_per_state: Option<u64>,
    /// Threads or values were taken for interchangeable.
    pub exchanges: bool,
    /// Steps that were run ahead of others.
    pub run_ahead: u64,
    /// What kept threads or values from being interchangeable.
    pub asymmetries: Vec<Asymmetry>,
    /// Which reductions were not used, and why, a line each.
    pub remarks: Vec<String>,
}

/// Transitions that left the scope: nothing is known of what comes after them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cuts {
    /// No cell was left.
    pub nodes: u64,
    pub others: BTreeMap<Cut, u64>,
    /// Executions that ended in an error of a property that was not asked for; asked for, it would be a violation.
    pub faults: BTreeMap<FaultProperty, u64>,
}

impl Cuts {
    pub fn total(&self) -> u64 {
        self.nodes + self.others.values().sum::<u64>()
    }
}

/// What happened at all, so that `holds` is no empty praise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Calls completed, by operation.
    pub completed: Vec<(Arc<str>, u64)>,
    /// Lines of the operations that no execution reached.
    pub unreached: Vec<Span>,
}

impl Coverage {
    pub fn never_completed(&self) -> Vec<Arc<str>> {
        self.completed.iter().filter(|(_, calls)| *calls == 0).map(|(op, _)| op.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::scope::ClientScope;
    use super::*;
    use linchpin_ir::program::MemoryKind;
    use linchpin_semantics::Bounds;

    fn finding(verdict: Verdict, pops: u64) -> Finding {
        let scope = BoundedScope {
            bounds: Bounds::default(),
            constants: Vec::new(),
            memory: MemoryKind::Gc,
            client: ClientScope::General,
            fair: false,
            preemptions: None,
        };
        let coverage =
            Coverage { completed: vec![("push".into(), 7), ("pop".into(), pops)], unreached: Vec::new() };
        Finding::bounded("explore", Property::Linearizable, scope, coverage, Effort::default(), verdict)
    }

    #[test]
    fn what_never_happened_does_not_hold() {
        assert!(matches!(finding(Verdict::Holds, 1).verdict(), Verdict::Holds));
        let Verdict::Unknown(limit) = finding(Verdict::Holds, 0).verdict().clone() else {
            panic!("it holds of nothing")
        };
        assert_eq!(limit.to_string(), "vacuous: no call of `pop` ever completed");
    }

    #[test]
    fn other_limits_stay() {
        let limited = finding(Verdict::Unknown(Limit::Interrupted), 0);
        assert!(matches!(limited.verdict(), Verdict::Unknown(Limit::Interrupted)));
    }
}
