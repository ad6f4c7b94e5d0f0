//! Checks concurrent data structures written in Rust, in `cargo test`.
//!
//! A test names the operations of an object and a sequential specification. Linchpin makes small scenarios of
//! concurrent calls, runs them, and judges the results: is there an order of the calls that the specification
//! allows?
//!
//! ```
//! use linchpin_test::{Value, object};
//! use std::collections::VecDeque;
//! use std::sync::Mutex;
//!
//! // In a test: `#[test] fn the_queue_is_a_queue() { … }`
//! object(|| Mutex::new(VecDeque::new()))
//!     .op("enq", |queue, value: Value| queue.lock().unwrap().push_back(value))
//!     .op("deq", |queue, ()| queue.lock().unwrap().pop_front())
//!     .spec("Queue")
//! #   .budget(std::time::Duration::from_millis(200))
//!     .check();
//! ```
//!
//! [`Object::check`] panics with the calls, and with the reason why no order of them is legal:
//!
//! ```
//! # use linchpin_test::{Value, object};
//! # use std::sync::Mutex;
//! // A stack is not a queue.
//! let failed = object(|| Mutex::new(Vec::new()))
//!     .op("enq", |stack, value: Value| stack.lock().unwrap().push(value))
//!     .op("deq", |stack, ()| stack.lock().unwrap().pop())
//!     .spec("Queue")
//!     .run()
//!     .expect_err("last in, first out");
//! assert!(failed.to_string().contains("must return 1, but returned 2"));
//! ```
//!
//! A test says what it covered, and never that the object is correct.
//!
//! # Specifications
//!
//! A name of the library (`Queue`, `Stack`, `Set`, `Map`, …), a `.lin` file, or a
//! [`model`] in plain Rust.
//!
//! # Arguments and results
//!
//! A closure takes its argument as a [`Value`], a [`Key`], a [`Token`], a `bool`, a [`Below`], or a tuple of
//! these. `()` is no argument. It returns any [`Reply`].
//!
//! # Ways to run
//!
//! | way | how | memory |
//! |---|---|---|
//! | *threads* | real threads, many times | of this machine |
//! | *shuttle* | every schedule up to a number of preemptions | sequentially consistent |
//!
//! `cargo test` uses *threads*. `cargo linchpin test --way shuttle` builds the test for *shuttle*.
//!
//! | file | contents |
//! |---|---|
//! | `test` | the builder of a test |
//! | `value`, `token`, `ledger` | arguments and results |
//! | `object` | objects without their types |
//! | `scenario` | which calls each thread makes |
//! | `record`, `saved` | what an execution did, in memory and as a file |
//! | `spec` | specifications, and the judge of a record |
//! | `case`, `check`, `verdicts` | one run of a test |
//! | `way` | the ways to run |
//! | `outcome`, `timeline` | the report |

mod case;
mod check;
mod ledger;
mod object;
mod outcome;
mod record;
mod saved;
mod scenario;
mod spec;
mod test;
mod timeline;
mod token;
mod value;
mod verdicts;
mod way;

pub use case::Way;
pub use linchpin_order::{Consistency as Property, Sequential};
pub use object::{Role, role};
pub use outcome::{Covered, Failed, Fault};
pub use spec::{Call, Model, SequentialModel, Spec, model};
pub use test::{Object, object};
pub use token::Token;
pub use value::{Argument, Below, Choices, Datum, Key, Parts, Reply, Value};
