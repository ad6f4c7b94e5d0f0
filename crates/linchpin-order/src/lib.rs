//! Histories of concurrent calls over plain Rust types, and the search for a legal order.
//!
//! A [`History`] is a list of calls and returns, in the order of time. A [`Sequential`] specification says
//! which results are possible when operations take effect one after the other. [`linearizable`] searches for
//! an order of the calls that explains all results. It returns a [`Verdict`] with a legal order as witness,
//! or with the reason why there is none.
//!
//! A register:
//!
//! ```
//! use linchpin_order::{History, Sequential, linearizable};
//!
//! struct Register;
//! enum Op { Write(u32), Read }
//!
//! impl Sequential for Register {
//!     type State = u32;
//!     type Op = Op;
//!     type Ret = Option<u32>;
//!
//!     fn initial(&self) -> Vec<u32> {
//!         vec![0]
//!     }
//!
//!     fn outcomes(&self, state: &u32, op: &Op) -> Vec<(u32, Option<u32>)> {
//!         match op {
//!             Op::Write(value) => vec![(*value, None)],
//!             Op::Read => vec![(*state, Some(*state))],
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), linchpin_order::Malformed> {
//! // Thread 1 reads the old value while thread 0 writes: legal.
//! let overlapping = History::builder().call(0, Op::Write(1)).call(1, Op::Read).ret(1, Some(0)).ret(0, None);
//! assert!(linearizable(&Register, &overlapping.build()?).is_legal());
//! // Thread 1 reads the old value after the write has returned: illegal.
//! let late = History::builder().call(0, Op::Write(1)).ret(0, None).call(1, Op::Read).ret(1, Some(0));
//! assert!(linearizable(&Register, &late.build()?).is_illegal());
//! # Ok(())
//! # }
//! ```
//!
//! A queue, with the explanation of a violation:
//!
//! ```
//! use linchpin_order::{Broken, Explanation, History, Sequential, Verdict, linearizable};
//! use std::collections::VecDeque;
//!
//! struct Queue;
//! enum Op { Enq(u32), Deq }
//!
//! impl Sequential for Queue {
//!     type State = VecDeque<u32>;
//!     type Op = Op;
//!     type Ret = Option<u32>;
//!
//!     fn initial(&self) -> Vec<VecDeque<u32>> {
//!         vec![VecDeque::new()]
//!     }
//!
//!     fn outcomes(&self, state: &VecDeque<u32>, op: &Op) -> Vec<(VecDeque<u32>, Option<u32>)> {
//!         let mut state = state.clone();
//!         let result = match op {
//!             Op::Enq(value) => { state.push_back(*value); None }
//!             Op::Deq => state.pop_front(),
//!         };
//!         vec![(state, result)]
//!     }
//! }
//!
//! # fn main() -> Result<(), linchpin_order::Malformed> {
//! // Value 1 is enqueued before value 2, but value 2 is dequeued first.
//! let history = History::builder()
//!     .call(0, Op::Enq(1)).ret(0, None)
//!     .call(0, Op::Enq(2)).ret(0, None)
//!     .call(1, Op::Deq).ret(1, Some(2))
//!     .build()?;
//! let Verdict::Illegal(Explanation::NoOrder { dead_ends, .. }) = linearizable(&Queue, &history) else {
//!     panic!("a queue is first in, first out");
//! };
//! // After the two enqueues the queue allows the result 1 only.
//! assert_eq!(dead_ends[0].ways[0].broken, Broken::Results(vec![vec![Some(1)]]));
//! # Ok(())
//! # }
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `call`, `history`, `spec` | histories and specifications |
//! | `precedence`, `judge` | when a history is legal |
//! | `oracle`, `search`, `call_set`, `call_prefix`, `configurations`, `decide` | the search for a legal order |
//! | `key_partition`, `value_pairs`, `illegal_core` | deciders that take a long history apart |
//! | `sweep` | one pass over the events, for few calls at a time and few states |
//! | `unambiguous` | log-linear deciders for histories in which no value is put twice |
//! | `verdict` | a witness, or the reason why there is none |
//! | `first_break` | the event at which a history stops being linearizable |
//! | `stop` | a request to end |

mod call;
mod call_prefix;
mod call_set;
mod configurations;
mod decide;
mod first_break;
mod history;
mod illegal_core;
mod judge;
mod key_partition;
mod oracle;
mod precedence;
mod search;
mod spec;
pub mod stop;
mod sweep;
mod unambiguous;
mod value_pairs;
mod verdict;

pub use call::{CallId, CallMap};
pub use first_break::{Break, first_break};
pub use history::{Call, Event, History, HistoryBuilder, Malformed, Reason, Returned};
pub use judge::{Answer, Ending, Method, Strategy, check, examine, linearizable};
pub use precedence::Consistency;
pub use spec::{
    About, Cells, ContainerCall, LogCall, Logs, Outcome, OutcomesOf, RegisterCall, Registers, Removal,
    Sequential, Specification, Structure,
};
pub use verdict::{
    Broken, Budget, DeadEnd, Effect, Enabled, Explanation, ExplanationOf, Justification, LegalOrder, Limit,
    OutOfBudget, Verdict, VerdictOf, Way, Witness,
};
