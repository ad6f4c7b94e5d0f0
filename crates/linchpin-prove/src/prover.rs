//! The interface of all provers.

use crate::alarm::AbstractTrace;
use linchpin_certify::certificate::{Certificate, Invariant};
use linchpin_engine::{BudgetMeter, Exhausted, Listener};
use linchpin_ir::heap::UnsupportedConstruct;
use linchpin_ir::program::Program;

/// One analysis of a prover. It may show several properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Analysis {
    /// No observer accepts, and every call takes effect once, with the result that it returns.
    Conformance,
    /// No access, release or result is an error, and no cell is lost.
    Memory,
    /// No assertion fails, no index or number leaves its bounds, no thread unlocks a lock that it does not
    /// hold, and local work ends.
    Assertions,
}

/// The invariants that an analysis found, and its cost.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub invariants: Vec<Invariant>,
    /// The number of thread steps computed.
    pub steps: u64,
}

/// The reason why an analysis found no invariant.
#[derive(Clone, Debug)]
pub enum Failure {
    Alarm(Box<AbstractTrace>),
    Exhausted(Exhausted),
}

/// A proof method applied to one program.
pub trait Prover<'p> {
    /// Accepts a program, or returns everything in it that the method does not support.
    fn new(program: &'p Program) -> Result<Self, Vec<UnsupportedConstruct>>
    where
        Self: Sized;

    /// Returns the name of the method.
    fn name(&self) -> &'static str;

    /// Searches for invariants until the budget is exhausted.
    fn prove(
        &self,
        analysis: Analysis,
        meter: &mut BudgetMeter,
        listener: &mut dyn Listener,
    ) -> Result<Found, Failure>;

    /// Returns the certificate with all these invariants.
    fn certificate(&self, found: Vec<Found>) -> Certificate;
}
