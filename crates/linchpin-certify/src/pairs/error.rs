//! The reasons why the checker refuses a certificate.

use crate::certificate::Obligation;
use crate::sets::{SetError, SetRefusal};
use linchpin_ir::heap::UnsupportedConstruct;
use linchpin_ir::source::Span;
use std::fmt;

/// The reason why the checker refuses a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckError {
    /// The program has constructs that the method does not support.
    Program(Vec<UnsupportedConstruct>),
    /// No adequate observers are known for the specification at this span.
    Specification(Span),
    /// The data is not a certificate of this program.
    Malformed(String),
    /// A step leads out of the invariant, or to an error.
    Broken(Box<Broken>),
    /// The same, of a certificate of a set.
    Set(Box<SetRefusal>),
    Interrupted,
}

/// The step that breaks an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub question: Obligation,
    pub why: String,
    /// The location where the acting thread rested.
    pub step: Option<Span>,
    /// The instruction that fails.
    pub span: Option<Span>,
}

impl From<SetError> for CheckError {
    fn from(error: SetError) -> CheckError {
        match error {
            SetError::Program(refusals) => CheckError::Program(refusals),
            SetError::Malformed(why) => CheckError::Malformed(why),
            SetError::Refused(refusal) => CheckError::Set(Box::new(refusal)),
            SetError::Interrupted => CheckError::Interrupted,
        }
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Program(refusals) => {
                let constructs: Vec<&str> =
                    refusals.iter().map(|refusal| refusal.construct.as_str()).collect();
                write!(f, "the program has {}", constructs.join(", "))
            }
            CheckError::Specification(_) => f.write_str("no observers are known for this specification"),
            CheckError::Malformed(why) => f.write_str(why),
            CheckError::Broken(broken) => f.write_str(&broken.why),
            CheckError::Set(refusal) => match &**refusal {
                SetRefusal::Failed(failure) => write!(f, "{failure}"),
                SetRefusal::Outside { .. } => f.write_str("a step leads out of the views"),
                SetRefusal::Lemma { .. } => f.write_str("a lemma is not shown in a view"),
            },
            CheckError::Interrupted => f.write_str("interrupted"),
        }
    }
}
