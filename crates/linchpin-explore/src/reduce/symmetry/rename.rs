//! Renaming the values of `data` in a state, for searches in which values are interchangeable.
//!
//! Nothing here shows that a renaming is a symmetry: [`DataSymmetry`](super::DataSymmetry) does. After a
//! renaming the state has to be [normalised](Machine::normalise), because sets may be out of order.

use linchpin_ir::types::{Scalar, SlotKind, Word};
use linchpin_semantics::raw::{self, Code, Source, for_each_slot};
use linchpin_semantics::{Machine, SpecMachine, SpecState, State};

/// Replaces each value `v` of `data` by `names[v - 1]`, a permutation; in the tables of arbitrary hash
/// functions too.
pub fn rename_data(machine: &Machine, state: &mut State, names: &[Word]) {
    let rename = |kind: SlotKind, word: &mut Word| rename_value(names, kind, word);
    for_each_slot(raw::code(machine), state, &mut { rename });
    rename_tables(raw::code(machine), state, &rename);
}

/// Renames the values of a state of the specification, as [`rename_data`] does.
pub fn rename_spec_data(machine: &SpecMachine, state: &SpecState, names: &[Word]) -> SpecState {
    raw::renamed_spec_state(machine, state, |code, state| {
        for_each_slot(code, state, &mut |kind, word| rename_value(names, kind, word));
    })
}

/// Renames the word of one slot, if the slot holds a value of `data`.
fn rename_value(names: &[Word], kind: SlotKind, word: &mut Word) {
    if kind.scalar == Scalar::Data
        && let Some(name) = usize::try_from(*word).ok().and_then(|at| names.get(at.checked_sub(1)?))
    {
        *word = *name;
    }
}

/// Replaces each function `h` by the function that maps `rename(x)` to `rename(h(x))`.
fn rename_tables(code: &Code, state: &mut State, rename: &impl Fn(SlotKind, &mut Word)) {
    for table in &code.tables.tables {
        let Source::InState { at, .. } = table.source else { continue };
        let old = state.words[at..at + table.words()].to_vec();
        for (entry, value) in table.domain.iter().enumerate() {
            let mut value = value.clone();
            table.domain_slots.iter().zip(&mut value).for_each(|(kind, word)| rename(*kind, word));
            let Ok(target) = table.domain.binary_search(&value) else { continue };
            let result = &mut state.words[at + target * table.width..][..table.width];
            result.copy_from_slice(&old[entry * table.width..][..table.width]);
            table.result_slots.iter().zip(result).for_each(|(kind, word)| rename(*kind, word));
        }
    }
}
