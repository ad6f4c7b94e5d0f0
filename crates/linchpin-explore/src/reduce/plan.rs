//! Decides which reductions a search uses, and records what prevents the others.
//!
//! **Symmetry** (PAT 4.2; Friggens 6.1.3). States are equal if they differ only in the names of cells, of
//! interchangeable threads and of values. Symmetry keeps verdicts, shortest lengths and the number of levels.
//! Threads of one role are interchangeable, and so are values. In a single schedule only threads with the
//! same calls are interchangeable. Values of a single schedule are not, since its calls name them. Pre-adds
//! and generic values name a value that does not occur yet, so every other such value gives the same states.
//! Where the program's text breaks a symmetry, the plan leaves that symmetry out and records the place.
//!
//! **Partial order** (PAT 4.3, 4.5): see [`crate::expand`]. It keeps verdicts, not lengths. Both reductions
//! together are sound, since whether a step is local does not depend on names.

use crate::problem::Reductions;
use crate::reduce::{Canonicalizer, DataSymmetry, MAX_SYMMETRIC, Movers, StateSymmetry, ThreadSymmetry};
use linchpin_engine::verdict::Asymmetry;
use linchpin_ir::index::byte_of;
use linchpin_ir::types::{Scalar, SlotKind};
use linchpin_semantics::{Client, Machine};

/// The symmetries of the specification's states.
#[derive(Clone, Default)]
pub struct SpecSymmetry {
    pub threads: Option<ThreadSymmetry>,
    /// A mask of the values that are not interchangeable, and the number of values. `None`: no value is
    /// interchangeable.
    pub data: Option<(u64, u32)>,
}

/// The reductions that a search uses.
pub struct ReductionPlan {
    pub canonicalizer: Canonicalizer,
    /// The classification of local steps; `None`: no partial order reduction.
    pub movers: Option<Movers>,
    /// A move makes a call together with its first step if that step can block.
    pub delayed_calls: bool,
    /// The limit on preemptions; `None` means unlimited. The limit is a restriction, not a reduction.
    pub preemptions: Option<u8>,
    pub spec_symmetry: SpecSymmetry,
    /// A mask of the values that are not interchangeable, and the number of values. `None`: no value is
    /// interchangeable.
    pub data: Option<(u64, u32)>,
    /// For each operation the positions of its `data` arguments; `None`: a collection holds them.
    pub data_arguments: Vec<Option<Vec<usize>>>,
    /// A number for each thread. Threads with equal numbers are interchangeable.
    pub classes: Vec<u8>,
    /// The causes that break the symmetry of threads, or of values.
    pub obstacles: Vec<Asymmetry>,
}

impl ReductionPlan {
    pub fn new(machine: &Machine, client: &Client, asked: Reductions) -> ReductionPlan {
        ReductionPlan::with_thread_symmetry(machine, client, asked, asked.symmetry)
    }

    /// Returns a plan in which threads keep their names, for properties that depend on which thread steps.
    pub fn keeping_threads(machine: &Machine, client: &Client, asked: Reductions) -> ReductionPlan {
        ReductionPlan::with_thread_symmetry(machine, client, asked, false)
    }

    fn with_thread_symmetry(
        machine: &Machine,
        client: &Client,
        asked: Reductions,
        thread_symmetry: bool,
    ) -> ReductionPlan {
        let threads = machine.bounds().threads as usize;
        let mut state_symmetry = StateSymmetry::nothing(threads);
        let mut spec_symmetry = SpecSymmetry::default();
        let mut obstacles = Vec::new();
        let mut data = None;
        if thread_symmetry && threads <= MAX_SYMMETRIC {
            match ThreadSymmetry::of(machine) {
                Ok(symmetry) if symmetry.is_shallow() => {
                    state_symmetry.threads = classes(client, machine);
                    spec_symmetry.threads = Some(symmetry);
                }
                Ok(_) => obstacles.push(Asymmetry {
                    span: machine.program().object_span,
                    what: "an array indexed by threads that is not a shared variable",
                }),
                Err(found) => obstacles.extend(found),
            }
        }
        let values = machine.bounds().values;
        let values_are_free = !matches!(client, Client::Schedule(_));
        if asked.symmetry && values_are_free && values as usize <= MAX_SYMMETRIC {
            match DataSymmetry::of(machine) {
                Ok(symmetry) => data = Some((symmetry.fixed, values)),
                Err(found) => obstacles.extend(found),
            }
        }
        state_symmetry.data = data.map(|(fixed, _)| fixed);
        spec_symmetry.data = data;
        let canonicalizer = Canonicalizer::new(
            machine,
            state_symmetry.clone(),
            spec_symmetry.threads.as_ref(),
            client.positions(),
        );
        ReductionPlan {
            canonicalizer,
            movers: asked.partial_order.then(|| Movers::of(machine)),
            delayed_calls: asked.partial_order,
            preemptions: None,
            spec_symmetry,
            data,
            data_arguments: data_arguments(machine),
            classes: state_symmetry.threads,
            obstacles,
        }
    }

    /// Checks whether states keep the names of threads and values.
    pub fn renames_nothing(&self) -> bool {
        self.data.is_none() && self.classes.iter().enumerate().all(|(at, class)| at == *class as usize)
    }
}

/// Numbers the classes of interchangeable threads.
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
