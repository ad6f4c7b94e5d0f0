//! Events between client and object, as an execution produces them and as a monitor reads them.

use super::spec_table::{CallId, ResultId};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::ThreadId;
use smallvec::SmallVec;

/// An event between client and object in one step. A step has its events in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientEvent {
    Call { thread: ThreadId, op: OpId, args: SmallVec<[Word; 4]> },
    Lin { thread: ThreadId, maybe: bool },
    Return { thread: ThreadId, op: OpId, result: SmallVec<[Word; 4]> },
}

/// An event with interned call and result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    Call { thread: u8, call: CallId },
    Lin { thread: u8, maybe: bool },
    Return { thread: u8, result: ResultId },
}
