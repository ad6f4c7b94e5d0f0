//! Samples: states of bounded runs as plain data, with ghosts.
//!
//! A prover guesses lemmas and drops those that a sample falsifies. The prover knows no concrete states. So
//! an engine that has some gives them in this form. A sample is a state in which every thread rests or is
//! idle.
//!
//! **Ghosts.** For one *watched key* and a [`Presence`] that says when a key is in the object:
//! - [`Sample::is_in`]: whether the watched key is in the object;
//! - an *event* of a thread is a step of it that changes this;
//! - [`SampleThread::has_seen_in`] and [`SampleThread::has_seen_out`]: what a pending call on the key has
//!   met, at its invocation or by events of other threads;
//! - [`SampleThread::took_effect`]: whether an event of the pending call has happened, or, without a watched
//!   key, whether the call passed a definite linearization point;
//! - [`SampleCell::is_published`]: whether the cell was ever reachable from a shared variable.

use crate::Budget;
use crate::model::RequestError;
use linchpin_ir::program::{LocalId, OpId, Pc};
use linchpin_ir::types::Word;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A value of a sample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SampleValue {
    /// A value that no lemma mentions: undefined, absent, or a collection.
    Other,
    Null,
    /// An index into [`Sample::cells`].
    Cell(usize),
    Bool(bool),
    /// A number, or a value of type `data` or `key`.
    Number(Word),
    KeyMin,
    KeyMax,
    /// A lock, and the thread that holds it.
    Lock(Option<usize>),
    /// The fields of a word or struct.
    Record(Vec<(Arc<str>, SampleValue)>),
}

impl SampleValue {
    /// Returns a field of a record.
    pub fn field(&self, name: &str) -> Option<&SampleValue> {
        let SampleValue::Record(fields) = self else { return None };
        fields.iter().find(|(field, _)| **field == *name).map(|(_, value)| value)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampleCell {
    pub fields: SampleValue,
    pub is_published: bool,
}

/// A thread that rests in a call. Idle threads have no entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampleThread {
    pub thread: usize,
    pub op: OpId,
    /// The location, in the method of the operation.
    pub rest: Pc,
    /// The live locals.
    pub locals: Vec<(LocalId, SampleValue)>,
    /// `None`: not known.
    pub took_effect: Option<bool>,
    /// `None` for a call on another key, and without a watched key.
    pub has_seen_in: Option<bool>,
    pub has_seen_out: Option<bool>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The shared variables, by number.
    pub shared: Vec<SampleValue>,
    pub cells: Vec<SampleCell>,
    pub threads: Vec<SampleThread>,
    /// `None`: no key is watched.
    pub is_in: Option<bool>,
    /// The cell that holds the watched key, if the key is in the object.
    pub watched: Option<usize>,
}

/// When a key is in the object: a published cell with the key is reachable from a shared variable, and not
/// marked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Presence {
    /// The path from a cell to its key.
    pub key: Vec<Arc<str>>,
    /// The path from a cell to its mark; `None`: marks do not count.
    pub mark: Option<Vec<Arc<str>>>,
}

/// What a sampling covered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sampled {
    pub states: usize,
    /// Every state within the bounds was given.
    pub is_complete: bool,
}

/// A source of samples.
pub trait Samples {
    /// Gives samples in a fixed order until all are given, the receiver breaks, or the budget ends. With a
    /// presence, each key of the bounds is watched in turn.
    fn for_each(
        &self,
        presence: Option<&Presence>,
        budget: &Budget,
        receive: &mut dyn FnMut(&Sample) -> ControlFlow<()>,
    ) -> Result<Sampled, RequestError>;
}
