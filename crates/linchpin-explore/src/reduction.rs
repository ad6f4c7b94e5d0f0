//! Which reductions a search uses, and what stands in the way of the others.
//!
//! Symmetry (PAT 4.2; Friggens 6.1.3): states that differ in the names of cells, of interchangeable threads and of values are
//! one. It keeps verdicts, shortest lengths and the number of levels. Threads of one role are interchangeable, and values; in a
//! single schedule only threads with the same calls, and no values, since the calls name them. Pre-adds and generic values
//! name a value that does not occur yet, so any other such value would do.
//! What the program's text does not allow is left out by itself, with the place that is to blame.
//!
//! Partial order (PAT 4.3, 4.5): see [`super::expand`]. It keeps verdicts, not lengths. Both together are sound, since whether a step
//! is local does not depend on names.

use super::monitor::SpecSymmetry;
use crate::reduce::{Canonicalizer, DataSymmetry, MAX_SYMMETRIC, Movers, StateSymmetry, ThreadSymmetry};
use linchpin_engine::verdict::Asymmetry;
use linchpin_ir::index::byte_of;
use linchpin_ir::types::{Scalar, SlotKind};
use linchpin_semantics::{Client, Machine};

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    pub symmetry: bool,
    pub partial_order: bool,
}

impl Reductions {
    pub const ALL: Reductions = Reductions { symmetry: true, partial_order: true };
    pub const NONE: Reductions = Reductions { symmetry: false, partial_order: false };
}

/// What is done.
pub struct Reduction {
    pub canonicalizer: Canonicalizer,
    pub movers: Option<Movers>,
    /// A call whose first step can block is made together with that step.
    pub late_calls: bool,
    /// The most preemptions: not a reduction, but a restriction.
    pub preemptions: Option<u8>,
    pub exchanged: SpecSymmetry,
    /// Values are interchangeable, but for those whose bit is set; and how many there are.
    pub data: Option<(u64, u32)>,
    /// For each operation where its `data` arguments lie; `None`: in a collection, somewhere.
    pub data_arguments: Vec<Option<Vec<usize>>>,
    /// Threads with equal numbers are interchangeable.
    pub classes: Vec<u8>,
    /// Why threads, or values, are told apart although symmetry was asked for.
    pub obstacles: Vec<Asymmetry>,
}

impl Reduction {
    pub fn new(machine: &Machine, client: &Client, asked: Reductions) -> Reduction {
        Reduction::exchanging(machine, client, asked, asked.symmetry)
    }

    /// Threads keep their names: for questions that depend on who steps.
    pub fn keeping_threads(machine: &Machine, client: &Client, asked: Reductions) -> Reduction {
        Reduction::exchanging(machine, client, asked, false)
    }

    fn exchanging(machine: &Machine, client: &Client, asked: Reductions, of_threads: bool) -> Reduction {
        let threads = machine.bounds().threads as usize;
        let mut exchange = StateSymmetry::nothing(threads);
        let mut exchanged = SpecSymmetry::default();
        let mut obstacles = Vec::new();
        let mut data = None;
        if of_threads && threads <= MAX_SYMMETRIC {
            match ThreadSymmetry::of(machine) {
                Ok(symmetry) if symmetry.is_shallow() => {
                    exchange.threads = classes(client, machine);
                    exchanged.threads = Some(symmetry);
                }
                Ok(_) => obstacles.push(Asymmetry {
                    span: machine.program().object_span,
                    what: "an array indexed by threads that is not a shared variable",
                }),
                Err(found) => obstacles.extend(found),
            }
        }
        let values = machine.bounds().values;
        let exchanges_values = !matches!(client, Client::Schedule(_));
        if asked.symmetry && exchanges_values && values as usize <= MAX_SYMMETRIC {
            match DataSymmetry::of(machine) {
                Ok(symmetry) => data = Some((symmetry.fixed, values)),
                Err(found) => obstacles.extend(found),
            }
        }
        exchange.data = data.map(|(fixed, _)| fixed);
        exchanged.data = data;
        let canonicalizer =
            Canonicalizer::new(machine, exchange.clone(), exchanged.threads.as_ref(), client.positions());
        Reduction {
            canonicalizer,
            movers: asked.partial_order.then(|| Movers::of(machine)),
            late_calls: asked.partial_order,
            preemptions: None,
            exchanged,
            data,
            data_arguments: data_arguments(machine),
            classes: exchange.threads,
            obstacles,
        }
    }

    /// Nothing but cells is renamed.
    pub fn renames_nothing(&self) -> bool {
        self.data.is_none() && self.classes.iter().enumerate().all(|(at, class)| at == *class as usize)
    }
}

/// Numbers the threads by who may be exchanged with whom.
fn classes(client: &Client, machine: &Machine) -> Vec<u8> {
    let threads: Vec<_> = machine.bounds().thread_ids().collect();
    let class = |(at, &thread): (usize, &_)| {
        let first = threads[..at].iter().position(|&earlier| client.are_alike(earlier, thread));
        byte_of(first.unwrap_or(at))
    };
    threads.iter().enumerate().map(class).collect()
}

fn data_arguments(machine: &Machine) -> Vec<Option<Vec<usize>>> {
    let program = machine.program();
    let of_op = |params: &Vec<_>| {
        let slots: Vec<SlotKind> = params.iter().flat_map(|param| program.types.slots(*param)).collect();
        let is_flat = !slots.iter().any(|slot| matches!(slot.scalar, Scalar::Collection(_)));
        let is_data = |(_, slot): &(usize, &SlotKind)| slot.scalar == Scalar::Data;
        is_flat.then(|| slots.iter().enumerate().filter(is_data).map(|(at, _)| at).collect())
    };
    program.ops.iter().map(|op| of_op(&op.params)).collect()
}
