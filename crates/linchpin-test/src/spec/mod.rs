//! Specifications: what the object should be.
//!
//! A specification is a name of Linchpin's library, a `.lin` file, or a plain Rust type. All three answer the
//! same question about a record, by the same search ([`linchpin_order`]).
//!
//! | file | contents |
//! |---|---|
//! | `language` | the library and `.lin` files |
//! | `model`, `call` | plain Rust |
//! | `explain` | why no order of the calls of a model is legal |

mod call;
mod explain;
mod language;
mod model;

pub use call::Call;
pub use model::{Model, SequentialModel, model};

use crate::object::Interface;
use crate::record::Record;
use linchpin_order::{Consistency, Ending};
use std::sync::Arc;

/// A specification. Texts and [models](model()) become one by `into`.
#[derive(Clone)]
pub struct Spec(pub(crate) Arc<dyn Oracle>);

/// The judge of records by one specification.
pub(crate) trait Oracle: Send + Sync {
    /// Returns the name for reports.
    fn name(&self) -> String;

    /// Checks the operations of the object against those of the specification.
    fn check(&self, interface: &Interface) -> Result<(), String>;

    /// Whether the operation adds something, so that it may be a pre-add.
    fn adds(&self, operation: &str) -> bool;

    fn judge(&self, question: Question) -> Judged;
}

/// A record and the property to judge.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub interface: &'a Interface,
    pub record: &'a Record,
    pub consistency: Consistency,
    pub ending: Ending,
}

/// The answer about one record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Judged {
    Legal,
    /// The reason why no order is legal, in lines.
    Illegal(String),
    /// The limit of the search, or an error of the specification.
    Unknown(String),
}

impl From<&str> for Spec {
    /// A specification of the library (`Queue`, `Set<key>`, `BoundedQueue(2)`), a file (`queue.lin`) or a
    /// specification of a file (`queue.lin::Name`).
    fn from(name: &str) -> Spec {
        Spec(Arc::new(language::LanguageSpec::new(name)))
    }
}

impl From<String> for Spec {
    fn from(name: String) -> Spec {
        Spec::from(name.as_str())
    }
}

impl<S: SequentialModel> From<S> for Spec {
    fn from(model: S) -> Spec {
        Spec(Arc::new(model::ModelOracle(model)))
    }
}
