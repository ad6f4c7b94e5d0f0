//! The state of a step: a view in the middle of a step of its actor, and the obligation of the analysis.
//!
//! Wherever the abstraction does not determine how the step continues, the run is split into cases. Each case
//! keeps its assumption.

use super::scene::UnpackedView;
use crate::alarm::{Alarm, AlarmKind};
use crate::pairs::domain::shape::Labels;
use crate::pairs::domain::value::Value;
use crate::pairs::program::{AnalyzedMethod, AnalyzedProgram};
use linchpin_certify::certificate::Obligation;
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_ir::heap::HeapMethod;
use linchpin_ir::program::OpId;
use linchpin_ir::source::Span;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The obligation that one run of the analysis discharges, and the program.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub program: &'a AnalyzedProgram<'a>,
    pub obligation: Obligation,
    /// Alarms that the analysis ignores; empty except in tests.
    pub ignored: &'a [AlarmKind],
    /// The observers; `None` for memory and assertions.
    pub observers: Option<&'a ObserverProduct>,
    /// The locations of the product from which no observer can accept.
    pub dead: &'a BTreeSet<u16>,
    /// The only shared variable that counts as a root of cells; `None`: all variables are roots.
    pub root: Option<usize>,
    /// Skip results of a step that other threads cannot see.
    pub visible_only: bool,
    /// The analysis shows that no edge leads to a smaller label.
    pub ordered: bool,
}

/// A case of a step; boxed, because cases are moved often.
pub type Case = Box<AbstractRun>;

/// The cases of a step.
pub type Cases = SmallVec<[Case; 2]>;

/// The cases of a condition, each with its truth value.
pub type Decided = SmallVec<[(Case, bool); 2]>;

/// The parts of a value.
pub type Parts = SmallVec<[Value; 3]>;

/// The cases of a read, each with the value found.
pub type Reads = SmallVec<[(Case, Parts); 2]>;

/// The cases of an allocation, each with the pointer.
pub type Made = SmallVec<[(Case, Value); 2]>;

#[derive(Clone)]
pub struct AbstractRun {
    pub scene: UnpackedView,
    pub actor: usize,
    /// The operation of the call; `None` for the object's `init`.
    pub op: Option<OpId>,
    /// The values of all slots of the actor.
    pub env: SmallVec<[Value; 20]>,
    /// The arguments with which the call takes effect in this step.
    pub event: Option<SmallVec<[Value; 2]>>,
    /// The number of instructions executed in this step.
    pub work: u32,
}

/// The results of a step.
#[derive(Default)]
pub struct Outcomes {
    pub cases: SmallVec<[Case; 4]>,
    pub alarms: Vec<Alarm>,
}

impl Outcomes {
    pub fn alarm(&mut self, kind: AlarmKind, span: Span) {
        let alarm = Alarm { kind, span };
        if !self.alarms.contains(&alarm) {
            self.alarms.push(alarm);
        }
    }
}

impl Context<'_> {
    /// Returns whether this part of the shared variables is a root of cells.
    pub fn is_root(&self, part: usize) -> bool {
        self.root.is_none_or(|root| root == part)
    }

    /// Returns the facts about labels; `None` if cells have no labels.
    pub fn labels(&self) -> Option<Labels> {
        self.program.cell.label.map(|label| Labels { all: label.all, ordered: self.ordered })
    }

    pub fn is_memory(&self) -> bool {
        matches!(self.obligation, Obligation::Memory { .. })
    }

    /// Returns the number of tracked cells.
    pub fn variables(&self) -> usize {
        match self.obligation {
            Obligation::Observers(_) => self.observers.map_or(0, |observers| observers.variables),
            Obligation::Memory { .. } => 1,
            Obligation::Assertions => 0,
        }
    }

    /// Returns whether a value is certainly undefined.
    pub fn is_undefined(&self, value: Value) -> bool {
        value == Value::Undefined || (self.is_memory() && matches!(value, Value::Tracked(_)))
    }

    pub fn code(&self, op: Option<OpId>) -> (&HeapMethod, &AnalyzedMethod) {
        match op {
            Some(op) => self.program.method(op),
            None => (self.program.heap().init(), &self.program.init),
        }
    }
}

impl AbstractRun {
    /// Returns whether the call of the actor has returned.
    pub fn ends(&self) -> bool {
        self.scene.threads[self.actor].at.is_none()
    }

    pub fn assign(&mut self, slots: std::ops::Range<usize>, values: &[Value]) {
        for (slot, value) in slots.zip(values) {
            self.env[slot] = *value;
        }
    }

    pub fn take_lock(&mut self, lock: u32) {
        self.scene.held |= lock;
        let actor = self.actor;
        self.scene.threads[actor].holds |= lock;
        self.scene.mark_visible();
    }
}
