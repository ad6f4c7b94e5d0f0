//! Values outside a state: arguments and results of operations.
//!
//! Inside a state a collection is a handle, which has no meaning elsewhere. A *self-contained* value has the
//! number of elements and the elements instead of the handle. A value without collections is the same inside
//! and outside. Two self-contained values of one type are equal iff their words are equal.

use crate::code::Code;
use crate::code::definedness::{Definedness, Undefined};
use crate::instance::Words;
use crate::state::State;
use linchpin_ir::types::{Scalar, SlotKind, TypeId, TypeKind, TypeTable, Word, word_of};

/// Checks that values with these slots are the same inside and outside.
pub(crate) fn is_flat(slots: &[SlotKind]) -> bool {
    !slots.iter().any(|slot| matches!(slot.scalar, Scalar::Collection(_)))
}

/// Appends a value in self-contained form.
pub(crate) fn export(code: &Code, state: &State, slots: &[SlotKind], words: &[Word], out: &mut Words) {
    for (slot, &word) in slots.iter().zip(words) {
        match collection(code, *slot) {
            None => out.push(word),
            Some(class) => {
                let elements = state.contents.get(word);
                let class = code.classes.get(class);
                out.push(word_of(elements.len() / class.stride()));
                for element in elements.chunks_exact(class.stride()) {
                    export(code, state, &class.slots, element, out);
                }
            }
        }
    }
}

/// Renames a self-contained value and sorts its collections again. `None`: the words are not such a value.
pub fn rename(
    types: &TypeTable,
    ty: TypeId,
    words: &[Word],
    name: &mut impl FnMut(SlotKind, Word) -> Word,
) -> Option<Vec<Word>> {
    let mut out = Vec::with_capacity(words.len());
    let rest = rename_slots(types, &types.slots(ty), words, name, &mut out)?;
    rest.is_empty().then_some(out)
}

fn rename_slots<'w>(
    types: &TypeTable,
    slots: &[SlotKind],
    words: &'w [Word],
    name: &mut impl FnMut(SlotKind, Word) -> Word,
    out: &mut Vec<Word>,
) -> Option<&'w [Word]> {
    let mut words = words;
    for slot in slots {
        let (&word, rest) = words.split_first()?;
        words = rest;
        let Scalar::Collection(ty) = slot.scalar else {
            out.push(name(*slot, word));
            continue;
        };
        let (element, is_sorted) = match types.kind(ty) {
            TypeKind::Seq(t) => (types.slots(t), false),
            TypeKind::Set(t) | TypeKind::Bag(t) => (types.slots(t), true),
            TypeKind::Map(k, v) => ([types.slots(k), types.slots(v)].concat(), true),
            _ => return None,
        };
        let mut elements = Vec::new();
        for _ in 0..word {
            let mut renamed = Vec::new();
            words = rename_slots(types, &element, words, name, &mut renamed)?;
            elements.push(renamed);
        }
        if is_sorted {
            elements.sort_unstable();
        }
        out.push(word);
        out.extend(elements.into_iter().flatten());
    }
    Some(words)
}

/// Imports a self-contained value: appends its slots to `out` and returns the remaining words. `None`: the
/// words are not such a value.
pub(crate) fn import<'w>(
    code: &Code,
    state: &mut State,
    slots: &[SlotKind],
    words: &'w [Word],
    out: &mut Words,
) -> Option<&'w [Word]> {
    let mut words = words;
    for slot in slots {
        let (&word, rest) = words.split_first()?;
        words = rest;
        match collection(code, *slot) {
            None => out.push(word),
            Some(class) => {
                let mut elements = Words::new();
                for _ in 0..word {
                    words = import(code, state, &code.classes.get(class).slots, words, &mut elements)?;
                }
                crate::state::collection::arrange(code.classes.get(class), &mut elements).ok()?;
                out.push(state.contents.intern(class, &elements));
            }
        }
    }
    Some(words)
}

/// Checks that nothing in a value is undefined, elements of its collections included.
pub(crate) fn check_defined(
    code: &Code,
    state: &State,
    definedness: &Definedness,
    slots: &[SlotKind],
    words: &[Word],
) -> Result<(), Undefined> {
    definedness.check(words)?;
    for (slot, &word) in slots.iter().zip(words) {
        let Some(class) = collection(code, *slot) else { continue };
        let class = code.classes.get(class);
        for element in state.contents.get(word).chunks_exact(class.stride()) {
            let (key, value) = element.split_at(class.key_width);
            check_defined(code, state, &class.key_definedness, &class.slots[..class.key_width], key)?;
            if let Some(definedness) = &class.value_definedness {
                check_defined(code, state, definedness, &class.slots[class.key_width..], value)?;
            }
        }
    }
    Ok(())
}

fn collection(code: &Code, slot: SlotKind) -> Option<u32> {
    match slot.scalar {
        Scalar::Collection(ty) => code.classes.of_type(ty),
        _ => None,
    }
}
