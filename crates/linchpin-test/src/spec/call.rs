//! A call of a record, as a model sees it.

use crate::value::Datum;

/// A call as a specification sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The name of the operation.
    pub operation: String,
    /// The thread that makes the call, from 0.
    pub thread: usize,
    /// The parts of the argument.
    pub parts: Vec<Datum>,
}
