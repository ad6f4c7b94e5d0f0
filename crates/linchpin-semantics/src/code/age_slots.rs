//! The slots that hold ages, for a program whose ages are renamed; and the bound on ages for any other
//! program.

use crate::code::Code;
use crate::code::outcome::Site;
use crate::instance::bounds::Bounds;
use linchpin_ir::index::Index;
use linchpin_ir::program::ages::{AgeOrigin, age_origins, uses_ages};
use linchpin_ir::program::{Pc, Program};
use linchpin_ir::types::{Scalar, SlotKind};

/// The bound on ages for a program that breaks the rules, if no bound is given.
const AGES_BY_DEFAULT: u32 = 4;

/// Returns the bounds in use: ages that would grow for ever get a bound.
pub fn effective_bounds(program: &Program, bounds: &Bounds) -> Bounds {
    let needs_bound = bounds.ages.is_none() && uses_ages(program) && age_origins(program).is_err();
    Bounds { ages: if needs_bound { Some(AGES_BY_DEFAULT) } else { bounds.ages }, ..bounds.clone() }
}

/// The slots that hold ages, for a program whose ages are renamed.
#[derive(Clone, Debug, Default)]
pub struct AgeSlots {
    /// The slots of the shared variables.
    pub globals: Box<[usize]>,
    /// The slots of a cell, or of one element of an array, by kind.
    pub kinds: Box<[Box<[usize]>]>,
    /// The live copies in a frame, by the address that the thread rests at.
    pub copies: Box<[Box<[(usize, AgeOrigin)]>]>,
}

impl AgeSlots {
    /// Returns the slots. `None`: there is nothing to rename, because there are no ages or they have a bound.
    pub fn of(program: &Program, bounds: &Bounds, code: &Code) -> Option<AgeSlots> {
        if bounds.ages.is_some() || !uses_ages(program) {
            return None;
        }
        let origins = age_origins(program).ok()?;
        let slots = |slots: &[SlotKind]| -> Box<[usize]> {
            let is_age = |(_, slot): &(usize, &SlotKind)| slot.scalar == Scalar::Age;
            slots.iter().enumerate().filter(is_age).map(|(at, _)| at).collect()
        };
        let copies = |address: usize| -> Box<[(usize, AgeOrigin)]> {
            let method = &code.methods[code.instrs[address].method as usize];
            match method.site {
                Site::Method(id) => origins.at(id, Pc::new(address - method.start)).into(),
                Site::SpecInit | Site::Clause(_) => Box::default(),
            }
        };
        Some(AgeSlots {
            globals: slots(&code.global_slots),
            kinds: code.kinds.iter().map(|kind| slots(&kind.slots)).collect(),
            copies: (0..code.instrs.len()).map(copies).collect(),
        })
    }
}
