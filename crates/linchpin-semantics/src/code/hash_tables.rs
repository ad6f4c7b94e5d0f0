//! Hash functions as tables.
//!
//! A given function is computed once, when the machine is made. An arbitrary function is a part of the state,
//! chosen before the first step. A given function that calls an arbitrary one lies in the state too.

use crate::code::outcome::{Cut, TextId, Trap, undefined};
use crate::instance::Words;
use linchpin_ir::types::{SlotKind, UNDEFINED, Word};

#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub tables: Vec<Table>,
    /// The given functions; each one follows those that its body calls.
    pub given: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Table {
    /// The arguments, sorted.
    pub domain: Vec<Words>,
    pub domain_slots: Box<[SlotKind]>,
    pub result_slots: Box<[SlotKind]>,
    pub width: usize,
    pub source: Source,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// The result for each value of the domain. An error is reported where the function is called.
    Fixed(Vec<Result<Words, Trap>>),
    /// The first word of the table in the state. `method`: the body, if the table is computed and not chosen.
    InState { at: usize, method: Option<u32>, results: Vec<Words> },
}

impl Tables {
    pub fn look_up(
        &self,
        hash: u32,
        value: &[Word],
        state: &[Word],
        text: TextId,
        out: &mut Words,
    ) -> Result<(), Trap> {
        let table = &self.tables[hash as usize];
        let at = table.domain.binary_search_by(|known| known.as_slice().cmp(value));
        let Ok(at) = at else {
            return Err(if value.contains(&UNDEFINED) { undefined(text) } else { Trap::Cut(Cut::Ints) });
        };
        match &table.source {
            Source::Fixed(results) => out.extend_from_slice(results[at].as_ref().map_err(|trap| *trap)?),
            Source::InState { at: start, .. } => {
                let start = start + at * table.width;
                out.extend_from_slice(&state[start..start + table.width]);
            }
        }
        Ok(())
    }
}

impl Table {
    /// Returns the number of words that the table takes in the state.
    pub fn words(&self) -> usize {
        match self.source {
            Source::Fixed(_) => 0,
            Source::InState { .. } => self.domain.len() * self.width,
        }
    }
}
