//! Checks whether words from outside are a value of a type.
//!
//! Values are self-contained, as [`linchpin_semantics`] passes them: a collection is the number of its
//! elements, then the elements.

use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{NONE, Scalar, SlotKind, TypeId, TypeKind, TypeTable, Word};

/// Returns the result type of the object's operation. The declared signature is that of the specification.
pub(super) fn result_type(program: &Program, op: OpId) -> Option<TypeId> {
    program.methods[program.ops[op].method].results.first().copied()
}

/// Checks that the words are one value of each type, in order, and nothing else.
pub(crate) fn fits(types: &TypeTable, values: &[TypeId], words: &[Word]) -> bool {
    values.iter().try_fold(words, |words, &ty| take(types, ty, words)) == Some(&[])
}

/// Returns the words after a value of the type; `None` if there is no such value.
fn take<'w>(types: &TypeTable, ty: TypeId, words: &'w [Word]) -> Option<&'w [Word]> {
    match types.kind(ty) {
        TypeKind::Unit => Some(words),
        TypeKind::Word(_) | TypeKind::Struct(_) => {
            types.record(ty)?.fields.iter().try_fold(words, |words, field| take(types, field.ty, words))
        }
        TypeKind::Array(of, len) => (0..len).try_fold(words, |words, _| take(types, of, words)),
        TypeKind::Option(of) if !types.option_is_flat(of) => match words.split_first()? {
            (0, rest) => rest.strip_prefix(types.defaults(of).as_slice()),
            (1, rest) => take(types, of, rest),
            _ => None,
        },
        TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of) => elements(types, &[of], words),
        TypeKind::Map(key, value) => elements(types, &[key, value], words),
        _ => {
            let (&word, rest) = words.split_first()?;
            types.slots(ty).first().is_some_and(|slot| holds(types, *slot, word)).then_some(rest)
        }
    }
}

/// Returns the words after a collection whose elements consist of these types.
fn elements<'w>(types: &TypeTable, of: &[TypeId], words: &'w [Word]) -> Option<&'w [Word]> {
    let (&count, mut rest) = words.split_first()?;
    for _ in 0..usize::try_from(count).ok()? {
        let after = of.iter().try_fold(rest, |rest, &ty| take(types, ty, rest))?;
        if after.len() == rest.len() {
            break; // Elements without words: any number of them takes no words.
        }
        rest = after;
    }
    Some(rest)
}

/// Checks that a slot can hold the word, and that the word means the same outside the machine.
fn holds(types: &TypeTable, slot: SlotKind, word: Word) -> bool {
    if word == NONE {
        return slot.optional;
    }
    match slot.scalar {
        Scalar::Bool => (0..=1).contains(&word),
        Scalar::Int => true,
        Scalar::Range { low, high } => (low..=high).contains(&i64::from(word)),
        Scalar::Enum(id) => {
            usize::try_from(word).is_ok_and(|variant| variant < types.enums[id].variants.len())
        }
        Scalar::Data => word >= 1,
        Scalar::Key | Scalar::Age | Scalar::Thread => word >= 0,
        // No operation takes or returns these.
        Scalar::Pointer | Scalar::Lock | Scalar::Condvar | Scalar::Collection(_) | Scalar::Present => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::types::UNDEFINED;

    #[test]
    fn values_and_others() {
        let mut types = TypeTable::new();
        let data = types.intern(TypeKind::Data);
        let maybe = types.intern(TypeKind::Option(data));
        let flag = types.intern(TypeKind::Bool);
        let small = types.intern(TypeKind::Range { low: 2, high: 3 });
        let seq = types.intern(TypeKind::Seq(maybe));
        let map = types.intern(TypeKind::Map(data, flag));
        let unit = types.intern(TypeKind::Unit);
        let pair = types.intern(TypeKind::Array(data, 2));
        let maybe_pair = types.intern(TypeKind::Option(pair));
        let empties = types.intern(TypeKind::Seq(unit));
        for (values, words, expected) in [
            (vec![], vec![], true),
            (vec![], vec![1], false),
            (vec![data], vec![5], true),
            (vec![data], vec![], false),
            (vec![data], vec![NONE], false),
            (vec![data], vec![UNDEFINED], false),
            (vec![maybe, flag], vec![NONE, 1], true),
            (vec![maybe, flag], vec![NONE, 2], false),
            (vec![small], vec![3], true),
            (vec![small], vec![4], false),
            (vec![seq, flag], vec![2, 1, NONE, 0], true),
            (vec![seq, flag], vec![3, 1, NONE, 0], false),
            (vec![seq], vec![-1], false),
            (vec![map], vec![2, 1, 0, 2, 1], true),
            (vec![map], vec![2, 1, 0, 2], false),
            (vec![empties], vec![3], true),
            (vec![maybe_pair, flag], vec![1, 4, 5, 0], true),
            (vec![maybe_pair, flag], vec![0, UNDEFINED, UNDEFINED, 0], true),
            (vec![maybe_pair, flag], vec![0, 4, 5, 0], false),
            (vec![maybe_pair, flag], vec![1, 4, UNDEFINED, 0], false),
        ] {
            assert_eq!(fits(&types, &values, &words), expected, "{words:?}");
        }
    }
}
