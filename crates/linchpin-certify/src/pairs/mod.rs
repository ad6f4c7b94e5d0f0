//! The trusted checker of certificates of pairs of threads. It shares no code with a prover, and uses nothing
//! of the [gate](crate::gate).
//!
//! - **Claim.** If [`check`] returns a property, the property holds for any number of threads, cells and
//!   values.
//! - **Assumptions.** The front end; the vocabulary of heap programs
//!   ([`HeapProgram`](linchpin_ir::heap::HeapProgram), [`HeapLayout`]). The provers share it. It refuses
//!   every use of `data` except copying (data independence).
//! - **Proof.** A proof by pairs ([`certificate`](crate::certificate)) claims sets of views. The checker runs
//!   every step of the program on the views. It has its own reading of the instructions (`run`, `eval`,
//!   `memory`, `alloc`, `labels`, `ending`, on `graph`). It accepts if no step leads out of the views
//!   (`inductive`) and no step is an error. An object on which no observer accepts is linearizable
//!   ([`observer_adequacy`]). No thread waits for ever (`locks`).
//! - **Omissions.** A part that the certificate leaves out may be any value of its sort (`config`). The
//!   checker computes from the program: which operations have a result, where calls take effect, where ages
//!   are written, and the states after `init`.
//! - **Tests.** `meaning` compares the graph operations with random graphs, `obligations` with ages and data.
//!   The suite of `linchpin-prove` has `forgery` (false certificates) and `concretisation` (states of small
//!   instances). The seeded faults of `faults/src/seeded/checker.rs` show that these tests notice a broken
//!   checker.

mod alloc;
mod config;
mod ending;
mod error;
mod eval;
mod faults;
mod graph;
mod inductive;
mod labels;
mod locks;
#[cfg(test)]
mod meaning;
mod memory;
mod obligations;
mod run;

pub use error::{Broken, CheckError};

use crate::certificate::{Certificate, Obligation, Returned};
use crate::observer_adequacy;
use config::slot_part;
use graph::Algebra;
use linchpin_ir::heap::HeapOp;
use linchpin_ir::heap::layout::HeapLayout;
use linchpin_ir::index::Index;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use run::Runner;
use std::collections::BTreeSet;

/// Checks a certificate without the gate. Returns the properties that it shows. The result is not yet a
/// proof. Polls `go_on` regularly, and stops when it returns false.
pub fn check(
    program: &Program,
    certificate: &Certificate,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Property>, CheckError> {
    let layout = HeapLayout::of(program).map_err(CheckError::Program)?;
    let rest_numbers = rest_numbers(&layout, certificate)?;
    let products = observer_adequacy::products(program, layout.heap().spec())
        .ok_or(CheckError::Specification(program.spec.span))?;
    let algebra = Algebra::new();
    let mut observed = BTreeSet::new();
    let mut proved = BTreeSet::new();
    let pristine = !layout.heap().init().code.iter().any(|instr| matches!(instr.op, HeapOp::Free(_)));
    for invariant in &certificate.invariants {
        let product = match invariant.question {
            Obligation::Observers(at) => match products.get(at) {
                Some(product) => Some((product, product.dead(program))),
                None => {
                    return Err(CheckError::Malformed("there is no such product of observers".into()));
                }
            },
            Obligation::Memory { .. } | Obligation::Assertions => None,
        };
        let runner = Runner {
            layout: &layout,
            algebra: &algebra,
            rests: &certificate.rests,
            rest_numbers: &rest_numbers,
            question: invariant.question,
            observers: product.as_ref().map(|(product, dead)| (*product, dead)),
            ordered: invariant.ordered,
            pristine,
        };
        inductive::check(&runner, invariant, go_on)?;
        match invariant.question {
            Obligation::Observers(at) => {
                locks::check(&layout, &certificate.rests, invariant)?;
                observed.insert(at);
            }
            Obligation::Memory { .. } => {
                proved.insert(Property::MemorySafe);
            }
            Obligation::Assertions => {
                proved.insert(Property::Assertions);
            }
        }
    }
    if (0..products.len()).all(|product| observed.contains(&product)) {
        proved.extend([Property::Linearizable, Property::DeadlockFree]);
    }
    Ok(proved.into_iter().collect())
}

/// Returns the rest in front of each instruction, by operation. Refuses a rest that is not in front of an
/// access.
fn rest_numbers(layout: &HeapLayout, certificate: &Certificate) -> Result<Vec<Vec<Option<u16>>>, CheckError> {
    let malformed = |text: &str| Err(CheckError::Malformed(text.to_string()));
    let mut numbers: Vec<Vec<Option<u16>>> =
        layout.heap().ops().iter().map(|op| vec![None; op.method.code.len()]).collect();
    for (at, rest) in certificate.rests.iter().enumerate() {
        let (Some(operation), Ok(number)) = (layout.heap().ops().get(rest.op), u16::try_from(at)) else {
            return malformed("a rest is not in any operation");
        };
        match operation.method.code.get(rest.pc) {
            Some(instr) if instr.access.is_step() => {}
            _ => return malformed("a rest is not in front of an access"),
        }
        let Some(frame) = layout.frame(Some(rest.op)) else {
            return malformed("a rest is not in any operation");
        };
        if !rest.slots.iter().all(|slot| slot_part(frame, slot.slot).is_some()) {
            return malformed("a rest names a variable that does not exist");
        }
        if operation.has_result && rest.returned == Returned::Nothing {
            return malformed("a rest predicts no result for an operation with a result");
        }
        let entry = &mut numbers[rest.op.index()][rest.pc.index()];
        if entry.replace(number).is_some() {
            return malformed("two rests are at the same instruction");
        }
    }
    Ok(numbers)
}
