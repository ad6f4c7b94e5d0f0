//! Why the gate stays closed, and what it compared where it opens.

use crate::certificate::Obligation;
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use std::fmt;
use std::sync::Arc;

/// The size of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub threads: u32,
    /// Cells that live at one time, those of `init` included.
    pub nodes: u32,
    /// Arguments of type `data`, and of type `key`.
    pub values: u32,
}

/// An instance whose states were compared with the certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    pub size: Size,
    pub states: u64,
    pub transitions: u64,
    /// `None`: all reachable states. Otherwise the number of levels of the search that are complete.
    pub depth: Option<u32>,
    /// Transitions that were left out because an age exceeded its limit.
    pub cut_by_age: u64,
}

/// What was compared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GateReport {
    pub instances: Vec<Compared>,
    /// Instructions of operations that ran in no instance.
    pub never_reached: Vec<Span>,
    /// Those that ran.
    pub reached: Vec<Span>,
}

/// An execution of the plain semantics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    pub size: Size,
    /// Its steps, one text each.
    pub steps: Vec<String>,
    /// The state that it ends in.
    pub state: String,
}

/// A construct that the gate cannot compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsupported(pub &'static str);

/// Why a checked certificate gives no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GateRefused {
    /// A reachable state is not made up of the views.
    Outside {
        question: Obligation,
        threads: [usize; 2],
        way: Box<Way>,
    },
    /// A step, or `init`, ends in an error; a leak counts as one.
    Fault {
        property: Property,
        message: String,
        span: Option<Span>,
        way: Box<Way>,
    },
    /// In every order that the annotated points allow an observer accepts, or a result is not the one of the point.
    Observer {
        question: Obligation,
        way: Box<Way>,
    },
    /// The history has no legal order.
    Refinement {
        way: Box<Way>,
    },
    /// Calls are pending, and no thread can move.
    Deadlock {
        way: Box<Way>,
    },
    /// No call of this operation completes with this kind of result in instances up to this size.
    Vacuous {
        operation: Arc<str>,
        kind: &'static str,
        up_to: Size,
    },
    InitNeverEnds,
    /// The first instance is not finished within its limits.
    Unfinished {
        size: Size,
        states: u64,
    },
    /// A part of the program that cannot be compared.
    Unsupported(Unsupported),
    Interrupted,
}

impl GateRefused {
    /// Whether prover or checker are wrong: the certificate was accepted, and an execution contradicts it.
    pub fn is_contradiction(&self) -> bool {
        use GateRefused::*;
        matches!(self, Outside { .. } | Fault { .. } | Observer { .. } | Refinement { .. } | Deadlock { .. })
    }

    /// The execution that contradicts the certificate.
    pub fn way(&self) -> Option<&Way> {
        use GateRefused::*;
        match self {
            Outside { way, .. }
            | Fault { way, .. }
            | Observer { way, .. }
            | Refinement { way }
            | Deadlock { way } => Some(way),
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
            GateRefused::Outside { way, threads: [a, b], .. } => write!(
                f,
                "a reachable state of {} is not in the certificate's views (threads {a} and {b})",
                way.size
            ),
            GateRefused::Fault { property, message, way, .. } => {
                write!(f, "an execution of {} violates `{property}`: {message}", way.size)
            }
            GateRefused::Observer { way, .. } => write!(
                f,
                "in an execution of {} no order of the annotated points satisfies the observers",
                way.size
            ),
            GateRefused::Refinement { way } => {
                write!(f, "a history of {} has no legal order", way.size)
            }
            GateRefused::Deadlock { way } => {
                write!(f, "an execution of {} ends in a deadlock", way.size)
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

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(f, "  {step}")?;
        }
        write!(f, "  {}", self.state)
    }
}
