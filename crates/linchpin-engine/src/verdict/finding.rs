//! A finding: the verdict about one property in one scope, with its cost.

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

/// The verdict about a property.
#[derive(Clone, Debug)]
pub enum Verdict {
    Holds,
    Violated(Box<Counterexample>),
    Unknown(Limit),
}

impl Verdict {
    /// Returns the word of the verdict in text and JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Reason for the verdict `unknown`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    Time(Duration),
    /// Memory limit in bytes.
    Memory(u64),
    States(u64),
    Interrupted,
    /// Calls nest deeper than this bound. The search cut these executions.
    Depth(u32),
    /// A request that the engine does not support.
    NotSupported(String),
    /// Operations without a completed call: the property holds vacuously.
    Vacuous(Vec<Arc<str>>),
    /// A fault of the specification, or an execution of the specification out of bounds.
    Specification(String),
    /// An alarm without a confirming execution.
    Unconfirmed(String),
    /// A checked certificate that failed the comparison with small instances, and the reason.
    Gate(String),
    /// A certificate without an invariant for the property.
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

/// The verdict about one property in one scope.
#[derive(Clone, Debug)]
pub struct Finding {
    property: Property,
    scope: Scope,
    verdict: Verdict,
    /// Name of the engine.
    pub engine: &'static str,
    pub effort: Effort,
    /// Coverage of a bounded search.
    pub coverage: Option<Coverage>,
    /// Result for the annotated linearization points. `None`: not judged.
    pub annotation: Option<Annotation>,
    /// For a wait-free object: the greatest number of own steps of a call, by operation.
    pub own_steps: Vec<(Arc<str>, u64)>,
    /// Results per schedule. `None`: schedules were not judged one by one.
    pub failures: Option<Failures>,
    /// Parts of the property that the engine did not judge.
    pub notes: Vec<String>,
}

impl Finding {
    /// Makes the finding of a bounded search. `Holds` becomes `Unknown` if an operation never completed.
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

    /// Makes the finding of a proof: the property holds for every instance.
    pub fn proved(engine: &'static str, proof: &Proof, effort: Effort) -> Finding {
        let scope = Scope::Unbounded { method: proof.method().clone() };
        Finding::new(engine, proof.property(), scope, effort, Verdict::Holds)
    }

    /// Makes the finding of a prover that ended without a proof.
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

    /// Returns whether the annotated points are refuted. `None`: not judged, or the verdict about the object
    /// is unknown.
    pub fn points_refuted(&self) -> Option<bool> {
        match (&self.annotation, &self.verdict) {
            (Some(Annotation::Refuted(_)), _) => Some(true),
            (Some(Annotation::Confirmed), Verdict::Holds | Verdict::Violated(_)) => Some(false),
            (Some(Annotation::Confirmed), Verdict::Unknown(_)) => None,
            (Some(Annotation::Unknown(_)) | None, _) => None,
        }
    }

    /// Private: the public constructors check the justification of `Holds`.
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

/// Result for the annotated points. The verdict about the object does not use the points.
#[derive(Clone, Debug)]
pub enum Annotation {
    Confirmed,
    Refuted(Box<Counterexample>),
    Unknown(Limit),
}

/// Cost of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    pub states: u64,
    pub transitions: u64,
    /// Number of schedules. `None`: the client has no schedules.
    pub schedules: Option<u64>,
    pub cuts: Cuts,
    pub time: Duration,
    pub peak_memory_bytes: Option<u64>,
    pub search: SearchEffort,
}

impl Effort {
    /// Adds the cost of a second run. The time is not added.
    pub fn add(&mut self, other: &Effort) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.cuts.add(&other.cuts);
        self.peak_memory_bytes = self.peak_memory_bytes.max(other.peak_memory_bytes);
        self.search.depth = self.search.depth.max(other.search.depth);
        self.search.exchanges |= other.search.exchanges;
        self.search.run_ahead += other.search.run_ahead;
    }
}

/// Statistics of a search over states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchEffort {
    /// Number of levels of the deepest search.
    pub depth: u64,
    /// Number of states found but not expanded, after a limit.
    pub frontier: u64,
    /// Estimated number of states of the finished search. `None`: no estimate.
    pub forecast: Option<u64>,
    /// Bytes per state in the visited set, overhead included.
    pub bytes_per_state: Option<u64>,
    /// Symmetry reduction of threads or values was active.
    pub exchanges: bool,
    /// Number of local steps that partial-order reduction ran early.
    pub run_ahead: u64,
    /// Constructs that prevent symmetry of threads or values.
    pub asymmetries: Vec<Asymmetry>,
    /// Reductions that were off and why, one line each.
    pub remarks: Vec<String>,
}

/// Transitions out of the scope. Executions after these transitions are not explored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cuts {
    /// Transitions cut because no cell was left.
    pub nodes: u64,
    pub others: BTreeMap<Cut, u64>,
    /// Executions that an `assume` of the model discarded.
    pub discarded: u64,
    /// Executions that ended in a fault of a property outside the request.
    pub faults: BTreeMap<FaultProperty, u64>,
}

impl Cuts {
    /// Adds the cuts of a second run.
    pub fn add(&mut self, other: &Cuts) {
        self.nodes += other.nodes;
        for (cut, times) in &other.others {
            *self.others.entry(*cut).or_default() += times;
        }
        self.discarded += other.discarded;
        for (property, times) in &other.faults {
            *self.faults.entry(*property).or_default() += times;
        }
    }

    /// Returns the number of cut transitions.
    pub fn total(&self) -> u64 {
        self.nodes + self.others.values().sum::<u64>()
    }
}

/// Coverage of a search, against vacuous `holds`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Number of completed calls, by operation.
    pub completed: Vec<(Arc<str>, u64)>,
    /// Lines of operations that no execution reached.
    pub unreached: Vec<Span>,
}

impl Coverage {
    /// Returns the operations without a completed call.
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
    fn a_property_without_a_completed_call_does_not_hold() {
        assert!(matches!(finding(Verdict::Holds, 1).verdict(), Verdict::Holds));
        let Verdict::Unknown(limit) = finding(Verdict::Holds, 0).verdict().clone() else {
            panic!("it holds vacuously")
        };
        assert_eq!(limit.to_string(), "vacuous: no call of `pop` ever completed");
    }

    #[test]
    fn other_limits_stay() {
        let limited = finding(Verdict::Unknown(Limit::Interrupted), 0);
        assert!(matches!(limited.verdict(), Verdict::Unknown(Limit::Interrupted)));
    }
}
