//! Observers: automata that watch operations take effect and accept what the specification forbids
//! (Observers, section 3).
//!
//! An observer has finitely many locations and variables. The variables stand for *different* values of the
//! unbounded domain, chosen before the first step and never changed: an observer quantifies over all values.
//! An *event* is an operation that takes effect, with its arguments and its result. In each location the
//! observer takes the first step whose patterns fit the event. If no step fits, the observer stays. It
//! accepts when it reaches an accepting location.

use super::OpId;
use crate::source::Span;
use std::sync::Arc;

crate::index_types! {
    /// A location of one observer; the first is where it begins.
    pub struct LocationId;
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observer {
    /// With the values of its finite parameters: `Priority(0, 1)`.
    pub name: Arc<str>,
    /// Names of the variables, all of type `data`.
    pub variables: Vec<Arc<str>>,
    pub locations: Vec<Location>,
    pub steps: Vec<ObserverStep>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub name: Arc<str>,
    pub accepting: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObserverStep {
    pub from: LocationId,
    pub op: OpId,
    /// One for each argument.
    pub args: Vec<Pattern>,
    /// `None` where the operation has no result.
    pub result: Option<Pattern>,
    pub to: LocationId,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    Any,
    /// The value of a variable.
    Variable(usize),
    /// `none`.
    Absent,
    /// A truth value, range or enum.
    Constant(i32),
}

/// A value of an event, as an observer sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ObservedValue {
    /// The value of a variable.
    Variable(usize),
    /// Data that is not the value of a variable.
    Other,
    Absent,
    Constant(i32),
}

/// An operation takes effect.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Event {
    pub op: OpId,
    pub args: Vec<ObservedValue>,
    pub result: Option<ObservedValue>,
}

impl Observer {
    /// Where an event leads.
    pub fn step(&self, from: LocationId, event: &Event) -> LocationId {
        let fits = |step: &&ObserverStep| step.from == from && step.fits(event);
        self.steps.iter().find(fits).map_or(from, |step| step.to)
    }
}

impl ObserverStep {
    fn fits(&self, event: &Event) -> bool {
        let result = match (self.result, event.result) {
            (Some(pattern), Some(seen)) => pattern.fits(seen),
            (Some(pattern), None) => pattern == Pattern::Any,
            (None, _) => true,
        };
        let args = self.args.iter().zip(&event.args).all(|(pattern, seen)| pattern.fits(*seen));
        self.op == event.op && args && result
    }
}

impl Pattern {
    fn fits(self, seen: ObservedValue) -> bool {
        match self {
            Pattern::Any => true,
            Pattern::Variable(variable) => seen == ObservedValue::Variable(variable),
            Pattern::Absent => seen == ObservedValue::Absent,
            Pattern::Constant(word) => seen == ObservedValue::Constant(word),
        }
    }
}
