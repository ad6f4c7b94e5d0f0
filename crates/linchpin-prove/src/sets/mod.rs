//! Proofs of list-based sets, with no annotation.
//!
//! The method watches one arbitrary key. It computes what any one thread and any one edge can be like
//! ([`set_certificate`](linchpin_certify::set_certificate)). Two witnesses are guessed: the shared pointer to
//! the first cell, and the small fields of the cells whose keys are in the set. Each pair of guesses is tried
//! in turn: a wrong one ends in a failed obligation. Where one write unlinks many cells, the views keep
//! chains of cells that are not in the set.

mod fixpoint;

use fixpoint::{Fixpoint, Stopped};
use linchpin_certify::set_certificate::{SetCertificate, SmallFields};
use linchpin_certify::sets::failure::{SetFailure, SetFailureKind};
use linchpin_certify::sets::world::Witness;
use linchpin_engine::{BudgetMeter, Exhausted};
use linchpin_ir::heap::UnsupportedConstruct;
use linchpin_ir::heap::sets::{SetGlobal, SetLayout};
use linchpin_ir::program::Program;

/// The name of the method.
pub const SETS: &str = "sets";

/// The method of sets, applied to a program that it supports.
pub struct SetProver {
    layout: SetLayout,
}

/// The reason why no certificate was found.
#[derive(Clone, Debug)]
pub enum SetStopped {
    /// An obligation that the analysis could not discharge, for the most successful guess.
    Failed(SetFailure),
    Exhausted(Exhausted),
    /// No shared pointer can be the root, or a step does what the method does not follow.
    NoWitness,
}

impl SetProver {
    pub fn new(program: &Program) -> Result<SetProver, Vec<UnsupportedConstruct>> {
        Ok(SetProver { layout: SetLayout::of(program)? })
    }

    /// Searches for a certificate. Returns it with the number of steps that were computed.
    pub fn prove(&self, meter: &mut BudgetMeter) -> Result<(SetCertificate, u64), SetStopped> {
        let mut best: Option<(u64, SetFailure)> = None;
        for (id, root) in roots(&self.layout) {
            for present in meanings_of_presence(&self.layout) {
                let (mut deadlock_free, mut chains) = (true, false);
                loop {
                    let witness = Witness { root, present: present.clone(), deadlock_free, chains };
                    let mut fixpoint = Fixpoint::new(&self.layout, witness);
                    let stopped = match fixpoint.run(meter) {
                        Ok(()) => {
                            let steps = fixpoint.steps;
                            return Ok((fixpoint.certificate(id), steps));
                        }
                        Err(stopped) => stopped,
                    };
                    match stopped {
                        Stopped::Exhausted(exhausted) => return Err(SetStopped::Exhausted(exhausted)),
                        Stopped::Failed(failure)
                            if deadlock_free && failure.kind == SetFailureKind::LockOrder =>
                        {
                            deadlock_free = false;
                            continue;
                        }
                        Stopped::Failed(failure) if !chains && failure.kind == SetFailureKind::LongChain => {
                            chains = true;
                            continue;
                        }
                        Stopped::Failed(failure) => {
                            if best.as_ref().is_none_or(|(steps, _)| fixpoint.steps > *steps) {
                                best = Some((fixpoint.steps, failure));
                            }
                        }
                        Stopped::Unfollowed => {}
                    }
                    break;
                }
            }
        }
        Err(best.map_or(SetStopped::NoWitness, |(_, failure)| SetStopped::Failed(failure)))
    }
}

/// The shared pointers that may be the root, and their numbers.
pub(crate) fn roots(
    layout: &SetLayout,
) -> impl Iterator<Item = (linchpin_ir::program::GlobalId, usize)> + '_ {
    layout.heap().globals().ids().filter_map(|id| match layout.global(id) {
        Some(SetGlobal::Pointer(number)) => Some((id, number)),
        _ => None,
    })
}

/// The guesses of what makes the key of a linked cell a member: nothing more, or one small field with one
/// of its values, defaults first.
pub(crate) fn meanings_of_presence(layout: &SetLayout) -> Vec<Vec<SmallFields>> {
    let small = &layout.cell().small;
    let combinations: u16 = small.iter().map(|field| field.count).product();
    let all = || (0..combinations).map(SmallFields);
    let mut guesses = vec![all().collect()];
    let mut others = Vec::new();
    let mut weight = 1;
    for field in small {
        for digit in 0..field.count {
            let has = |fields: &SmallFields| fields.0 / weight % field.count == digit;
            let guess: Vec<SmallFields> = all().filter(has).collect();
            match field.least + i16::try_from(digit).unwrap_or(0) == field.default {
                true => guesses.push(guess),
                false => others.push(guess),
            }
        }
        weight *= field.count;
    }
    guesses.extend(others);
    guesses
}
