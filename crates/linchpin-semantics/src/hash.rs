//! Hash functions as tables. A given function is computed once, when the machine is made; an arbitrary one is a part of
//! the state, chosen before the first step. A given one that calls an arbitrary one lies in the state too.

use super::collection::Words;
use super::eval::undefined;
use super::outcome::{Cut, TextId, Trap};
use linchpin_ir::types::{SlotKind, UNDEFINED, Word};

#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub tables: Vec<Table>,
    /// The given functions, each after those that its body calls.
    pub given: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Table {
    /// Sorted.
    pub domain: Vec<Words>,
    pub domain_slots: Box<[SlotKind]>,
    pub result_slots: Box<[SlotKind]>,
    pub width: usize,
    pub source: Source,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// What the function gives for each value of the domain; an error is one of the caller's.
    Fixed(Vec<Result<Words, Trap>>),
    /// Where the table lies in the state. `method`: it is computed, not chosen.
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
    /// How many words of the state it needs.
    pub fn words(&self) -> usize {
        match self.source {
            Source::Fixed(_) => 0,
            Source::InState { .. } => self.domain.len() * self.width,
        }
    }
}
