//! The only maker of a [`Proof`]: checks certificates, with no code of any engine, and lets them pass the [gate].
//!
//! A proof by pairs ([`certificate`]) claims sets of views. This room runs every step of the program on them with its own reading of the
//! instructions ([`run`], [`eval`], [`memory`], [`alloc`], [`labels`], [`ending`], on [`graph`]) and accepts the claim if nothing leads out of it ([`check`]). That an
//! object on which no observer accepts is linearizable is the [`link`]'s matter; that nobody waits for ever, that of [`locks`].
//!
//! **What the certificate cannot do.** Whatever it leaves out may be anything of its sort ([`config`]). Which operations have a result, where
//! calls take effect, where ages are written and what `init` reaches is computed from the program.
//!
//! What is trusted besides: the front end, and the vocabulary of heap programs ([`HeapProgram`](linchpin_ir::heap::HeapProgram),
//! [`HeapLayout`]), which this room shares with the prover and which refuses everything else than copying `data` (data independence).

pub mod certificate;
pub mod gate;
pub mod link;

mod alloc;
mod check;
mod config;
mod ending;
mod eval;
mod faults;
mod graph;
mod labels;
mod locks;
#[cfg(test)]
mod meaning;
mod memory;
mod obligations;
mod proof;
mod run;

use crate::gate::{GateOptions, GateRefused, GateReport};
use linchpin_ir::heap::layout::HeapLayout;
use linchpin_ir::heap::{HeapOp, UnsupportedConstruct};
use linchpin_ir::index::Index;
use linchpin_ir::program::Program;
use linchpin_ir::source::Span;

use certificate::{Certificate, Invariant, Obligation, Returned};
use config::{What, slot_part};
use graph::Algebra;
use linchpin_ir::property::Property;
use run::Runner;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use proof::Proof;

/// Why a certificate proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CertificateError {
    /// The program has what the method does not take.
    Program(Vec<UnsupportedConstruct>),
    /// It is not known what observers of this specification have to watch for.
    Specification(Span),
    /// This is no certificate of this program.
    Malformed(String),
    /// A step leads out of what is claimed, or to what must not be.
    Broken(Box<Broken>),
    /// The certificate passes the check, and the gate stays closed.
    Gate(Box<GateRefused>),
    Interrupted,
}

/// The step that breaks an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub question: Obligation,
    pub why: String,
    /// Where the thread that moves was.
    pub step: Option<Span>,
    /// What it does there.
    pub span: Option<Span>,
}

/// Checks a certificate, compares it with the states of small instances ([`gate`]), and makes proofs of the properties that it
/// shows. `go_on` is asked now and then.
pub fn certify(
    program: &Arc<Program>,
    certificate: &Certificate,
    options: &GateOptions,
    go_on: &dyn Fn() -> bool,
) -> Result<Certified, CertificateError> {
    let properties = check(program, certificate, go_on)?;
    if properties.is_empty() {
        return Ok(Certified {
            proofs: Vec::new(),
            report: GateReport::default(),
            compared_in: Duration::ZERO,
        });
    }
    let started = Instant::now();
    let gate = gate::examine(program, certificate, &properties, options, go_on);
    let report = gate.map_err(|refused| match refused {
        GateRefused::Interrupted => CertificateError::Interrupted,
        refused => CertificateError::Gate(Box::new(refused)),
    })?;
    let proofs = properties.into_iter().map(|property| Proof::new(property, METHOD)).collect();
    Ok(Certified { proofs, report, compared_in: started.elapsed() })
}

/// What a certificate is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certified {
    pub proofs: Vec<Proof>,
    /// What the gate compared, and how long that took.
    pub report: GateReport,
    pub compared_in: Duration,
}

/// Checks a certificate by itself; gives the properties that it shows. This alone makes no proof.
pub fn check(
    program: &Program,
    certificate: &Certificate,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Property>, CertificateError> {
    let layout = HeapLayout::of(program).map_err(CertificateError::Program)?;
    let rest_numbers = rest_numbers(&layout, certificate)?;
    let groups = link::groups(program, layout.heap().spec())
        .ok_or(CertificateError::Specification(program.spec.span))?;
    let algebra = Algebra::new();
    let mut observed = BTreeSet::new();
    let mut proved = BTreeSet::new();
    let pristine = !layout.heap().init().code.iter().any(|instr| matches!(instr.op, HeapOp::Free(_)));
    for invariant in &certificate.invariants {
        let group = match invariant.question {
            Obligation::Observers(at) => match groups.get(at) {
                Some(group) => Some((group, group.dead(program))),
                None => {
                    return Err(CertificateError::Malformed("there is no such group of observers".into()));
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
            group: group.as_ref().map(|(group, dead)| (*group, dead)),
            ordered: invariant.ordered,
            pristine,
        };
        check::check(&runner, invariant, go_on)?;
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
    if (0..groups.len()).all(|group| observed.contains(&group)) {
        proved.extend([Property::Linearizable, Property::DeadlockFree]);
    }
    Ok(proved.into_iter().collect())
}

const METHOD: &str = "pairs";

/// By operation and instruction, the rest in front of it; refuses rests that are none.
fn rest_numbers(
    layout: &HeapLayout,
    certificate: &Certificate,
) -> Result<Vec<Vec<Option<u16>>>, CertificateError> {
    let malformed = |text: &str| Err(CertificateError::Malformed(text.to_string()));
    let mut numbers: Vec<Vec<Option<u16>>> =
        layout.heap().ops().iter().map(|op| vec![None; op.method.code.len()]).collect();
    for (at, rest) in certificate.rests.iter().enumerate() {
        let (Some(operation), Ok(number)) = (layout.heap().ops().get(rest.op), u16::try_from(at)) else {
            return malformed("a place to rest is in no operation");
        };
        match operation.method.code.get(rest.pc) {
            Some(instr) if instr.access.is_step() => {}
            _ => return malformed("a place to rest is in front of no access"),
        }
        let Some(frame) = layout.frame(Some(rest.op)) else {
            return malformed("a place to rest is in no operation");
        };
        if !rest.slots.iter().all(|slot| slot_part(frame, slot.slot).is_some()) {
            return malformed("a variable is not there");
        }
        if operation.has_result && rest.returned == Returned::Nothing {
            return malformed("an operation that has a result is said to return nothing");
        }
        let entry = &mut numbers[rest.op.index()][rest.pc.index()];
        if entry.replace(number).is_some() {
            return malformed("a place to rest is there twice");
        }
    }
    Ok(numbers)
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Program(refusals) => {
                let constructs: Vec<&str> =
                    refusals.iter().map(|refusal| refusal.construct.as_str()).collect();
                write!(f, "the program has {}", constructs.join(", "))
            }
            CertificateError::Specification(_) => {
                f.write_str("it is not known what to watch for in this specification")
            }
            CertificateError::Malformed(why) => f.write_str(why),
            CertificateError::Broken(broken) => f.write_str(&broken.why),
            CertificateError::Gate(refused) => write!(f, "{refused}"),
            CertificateError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Conformance(text) => f.write_str(text),
            What::Fault(fault) => f.write_str(fault.text()),
            What::Method(text) => f.write_str(text),
        }
    }
}

impl Certificate {
    /// How many constraints it has.
    pub fn size(&self) -> usize {
        self.invariants.iter().map(|invariant: &Invariant| invariant.views.len()).sum()
    }
}
