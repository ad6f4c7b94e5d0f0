//! The results of the gate: its report, and the reasons for a refusal.

use crate::certificate::Obligation;
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use std::fmt;
use std::sync::Arc;

/// The size of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub threads: u32,
    /// The maximal number of cells at one time, including those of `init`.
    pub nodes: u32,
    /// The number of values of type `data`, and of type `key`.
    pub values: u32,
}

/// An instance whose states were compared with the certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    pub size: Size,
    pub states: u64,
    pub transitions: u64,
    /// The number of complete levels of the search; `None` if all reachable states were compared.
    pub depth: Option<u32>,
    /// The number of transitions cut because an age exceeded its limit.
    pub cut_by_age: u64,
}

/// The report of an accepted certificate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GateReport {
    pub instances: Vec<Compared>,
    /// Instructions of operations that never ran.
    pub never_reached: Vec<Span>,
    /// Instructions of operations that ran.
    pub reached: Vec<Span>,
}

/// An execution of the plain semantics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    pub size: Size,
    /// The steps, one text each.
    pub steps: Vec<String>,
    /// The last state.
    pub state: String,
}

/// A construct that the gate cannot compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsupported(pub &'static str);

/// The reason why a checked certificate is not a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GateRefused {
    /// A reachable state is not composed of the views.
    Outside {
        question: Obligation,
        threads: [usize; 2],
        execution: Box<Execution>,
    },
    /// A step, or `init`, ends in a fault, or leaks a cell.
    Fault {
        property: Property,
        message: String,
        span: Option<Span>,
        execution: Box<Execution>,
    },
    /// In every order that the annotated points allow, an observer accepts or a result differs from that of
    /// the point.
    Observer {
        question: Obligation,
        execution: Box<Execution>,
    },
    /// A reachable state is not in a certificate for sets. The text names the missing view.
    View {
        what: String,
        execution: Box<Execution>,
    },
    /// A step changes a set, or a call returns, as no set allows.
    Effect {
        what: String,
        execution: Box<Execution>,
    },
    /// The history has no legal order.
    Refinement {
        execution: Box<Execution>,
    },
    /// Calls are pending, and no thread can move.
    Deadlock {
        execution: Box<Execution>,
    },
    /// No call of this operation completes with this kind of result in instances up to this size.
    Vacuous {
        operation: Arc<str>,
        kind: &'static str,
        up_to: Size,
    },
    InitNeverEnds,
    /// The first instance exceeds the limits.
    Unfinished {
        size: Size,
        states: u64,
    },
    /// The gate cannot compare a construct of the program.
    Unsupported(Unsupported),
    Interrupted,
}

impl GateRefused {
    /// Returns whether an execution contradicts the accepted certificate. Then prover and checker have a bug.
    pub fn is_contradiction(&self) -> bool {
        self.execution().is_some()
    }

    /// Returns the execution that contradicts the certificate.
    pub fn execution(&self) -> Option<&Execution> {
        use GateRefused::*;
        match self {
            Outside { execution, .. }
            | Fault { execution, .. }
            | Observer { execution, .. }
            | View { execution, .. }
            | Effect { execution, .. }
            | Refinement { execution }
            | Deadlock { execution } => Some(execution),
            Vacuous { .. } | InitNeverEnds | Unfinished { .. } | Unsupported(_) | Interrupted => None,
        }
    }
}

impl From<Unsupported> for GateRefused {
    fn from(unsupported: Unsupported) -> GateRefused {
        GateRefused::Unsupported(unsupported)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let Size { threads, nodes, values } = *self;
        let parts = [count(threads, "thread"), count(nodes, "node"), count(values, "value")];
        f.write_str(&parts.join(", "))
    }
}

impl fmt::Display for GateRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateRefused::Outside { execution, threads: [a, b], .. } => write!(
                f,
                "a reachable state of {} is not in the certificate's views (threads {a} and {b})",
                execution.size
            ),
            GateRefused::Fault { property, message, execution, .. } => {
                write!(f, "an execution of {} violates `{property}`: {message}", execution.size)
            }
            GateRefused::Observer { execution, .. } => write!(
                f,
                "in an execution of {} no order of the annotated points satisfies the observers",
                execution.size
            ),
            GateRefused::View { what, execution } => {
                write!(f, "a reachable state of {} is not in the certificate: {what}", execution.size)
            }
            GateRefused::Effect { what, execution } => {
                write!(f, "in an execution of {}, {what}", execution.size)
            }
            GateRefused::Refinement { execution } => {
                write!(f, "a history of {} has no legal order", execution.size)
            }
            GateRefused::Deadlock { execution } => {
                write!(f, "an execution of {} ends in a deadlock", execution.size)
            }
            GateRefused::Vacuous { operation, kind, up_to } => {
                write!(f, "vacuous up to {up_to}: no call of `{operation}` {kind}")
            }
            GateRefused::InitNeverEnds => f.write_str("vacuous: `init` never ends"),
            GateRefused::Unfinished { size, states } => {
                write!(f, "the comparison with every state of {size} is not finished after {states} states")
            }
            GateRefused::Unsupported(Unsupported(what)) => {
                write!(f, "the states of a program with {what} cannot be compared")
            }
            GateRefused::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(f, "  {step}")?;
        }
        write!(f, "  {}", self.state)
    }
}
