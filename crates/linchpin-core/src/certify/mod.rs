//! The only maker of a [`Proof`]: checks certificates, with no code of any engine.
//!
//! A proof by pairs ([`certificate`]) claims sets of views. This room runs every step of the program on them with its own reading of the
//! instructions ([`run`], [`memory`], [`labels`], [`ending`], on [`graph`]) and accepts the claim if nothing leads out of it ([`check`]). That an object on which no
//! observer accepts is linearizable is the [`link`]'s matter; that nobody waits for ever, that of [`locks`].
//!
//! What is trusted besides: the front end and [`HeapProgram`](crate::ir::fragment::HeapProgram), which refuses everything else than copying `data` (data
//! independence), and [`ages`](crate::ir::ages), which says that ages are only compared with copies of the same place.

pub mod certificate;
pub mod link;

mod check;
mod config;
mod ending;
mod graph;
mod labels;
mod layout;
mod locks;
#[cfg(test)]
mod meaning;
mod memory;
mod run;

use crate::index::Index;
use crate::ir::Program;
use crate::ir::fragment::Refusal;
use crate::source::Span;
use crate::verdict::{Proof, Property};
use certificate::{Certificate, Invariant, Question, Slot};
use config::What;
use graph::Algebra;
use layout::Layout;
use run::Runner;
use std::collections::BTreeSet;
use std::fmt;

/// Why a certificate proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The program has what the method does not take.
    Program(Vec<Refusal>),
    /// It is not known what observers of this specification have to watch for.
    Specification(Span),
    /// This is no certificate of this program.
    Malformed(String),
    /// A step leads out of what is claimed, or to what must not be.
    Broken(Box<Broken>),
    Interrupted,
}

/// The step that breaks an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub question: Question,
    pub why: String,
    /// Where the thread that moves was.
    pub step: Option<Span>,
    /// What it does there.
    pub span: Option<Span>,
}

/// Checks a certificate; gives the properties that it proves. `go_on` is asked now and then.
pub fn certify(
    program: &Program,
    certificate: &Certificate,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Proof>, Refused> {
    let layout = Layout::of(program).map_err(Refused::Program)?;
    let rest_numbers = rest_numbers(&layout, certificate)?;
    let groups =
        link::groups(program, layout.heap.spec()).ok_or(Refused::Specification(program.spec.span))?;
    let algebra = Algebra::new();
    let mut observed = BTreeSet::new();
    let mut memory_safe = false;
    for invariant in &certificate.invariants {
        let (group, root) = match invariant.question {
            Question::Observers(at) => match groups.get(at) {
                Some(group) => (Some((group, group.dead(program))), None),
                None => return Err(Refused::Malformed("there is no such group of observers".into())),
            },
            Question::Memory { root } => (None, root),
        };
        let runner = Runner {
            layout: &layout,
            algebra: &algebra,
            rests: &certificate.rests,
            rest_numbers: &rest_numbers,
            group: group.as_ref().map(|(group, dead)| (*group, dead)),
            root,
            ordered: invariant.ordered,
        };
        check::check(&runner, invariant, go_on)?;
        match invariant.question {
            Question::Observers(at) => {
                locks::check(&layout, &certificate.rests, invariant)?;
                observed.insert(at);
            }
            Question::Memory { .. } => memory_safe = true,
        }
    }
    let mut proofs = Vec::new();
    if (0..groups.len()).all(|group| observed.contains(&group)) {
        proofs.push(Proof::new(Property::Linearizable, METHOD));
        proofs.push(Proof::new(Property::DeadlockFree, METHOD));
    }
    if memory_safe {
        proofs.push(Proof::new(Property::MemorySafe, METHOD));
    }
    Ok(proofs)
}

const METHOD: &str = "pairs";

/// By operation and instruction, the rest in front of it; refuses rests that are none.
fn rest_numbers(layout: &Layout, certificate: &Certificate) -> Result<Vec<Vec<Option<u16>>>, Refused> {
    let malformed = |text: &str| Err(Refused::Malformed(text.to_string()));
    let mut numbers: Vec<Vec<Option<u16>>> =
        layout.heap.ops().iter().map(|op| vec![None; op.method.code.len()]).collect();
    for (at, rest) in certificate.rests.iter().enumerate() {
        let (Some(operation), Ok(number)) = (layout.heap.ops().get(rest.op), u16::try_from(at)) else {
            return malformed("a place to rest is in no operation");
        };
        match operation.method.code.get(rest.pc) {
            Some(instr) if instr.access.is_step() => {}
            _ => return malformed("a place to rest is in front of no access"),
        }
        let frame = &layout.frames[rest.op.index()];
        let is_there = |slot: &Slot| !frame.local(slot.local, Some(slot.part)).is_empty();
        if !rest.slots.iter().all(|slot| is_there(&slot.slot)) {
            return malformed("a variable is not there");
        }
        let entry = &mut numbers[rest.op.index()][rest.pc.index()];
        if entry.replace(number).is_some() {
            return malformed("a place to rest is there twice");
        }
    }
    Ok(numbers)
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Program(refusals) => {
                let constructs: Vec<&str> =
                    refusals.iter().map(|refusal| refusal.construct.as_str()).collect();
                write!(f, "the program has {}", constructs.join(", "))
            }
            Refused::Specification(_) => {
                f.write_str("it is not known what to watch for in this specification")
            }
            Refused::Malformed(why) => f.write_str(why),
            Refused::Broken(broken) => f.write_str(&broken.why),
            Refused::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Conformance(text) => f.write_str(text),
            What::Memory(text) | What::Method(text) => f.write_str(text),
        }
    }
}

impl Certificate {
    /// How many constraints it has.
    pub fn size(&self) -> usize {
        self.invariants.iter().map(|invariant: &Invariant| invariant.views.len()).sum()
    }
}
