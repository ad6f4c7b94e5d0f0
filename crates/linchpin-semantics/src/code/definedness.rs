//! Which slots of a value may be undefined, and which may be absent.
//!
//! A slot is absent if it belongs to an optional value whose [`Scalar::Present`](linchpin_ir::types::Scalar)
//! is 0. Absent slots are ignored. Using any other slot that is [`UNDEFINED`] is an error, whatever the rest
//! of the value is. The one exception is a comparison with `none`.

use linchpin_ir::index::number_of;
use linchpin_ir::types::{NONE, TypeId, TypeKind, TypeTable, UNDEFINED, Word};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    Defined,
    Undefinable,
    /// Decides whether the next slots are present, so many.
    Present(u32),
}

/// The slots of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definedness {
    slots: Box<[Slot]>,
    /// Whether every slot is always present and defined.
    plain: bool,
}

/// The error for an undefined value that is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undefined;

impl Definedness {
    pub fn of(types: &TypeTable, ty: TypeId) -> Definedness {
        let mut slots = Vec::new();
        append(types, ty, &mut slots);
        let plain = slots.iter().all(|&slot| slot == Slot::Defined);
        Definedness { slots: slots.into(), plain }
    }

    pub fn is_plain(&self) -> bool {
        self.plain
    }

    pub fn same(&self, left: &[Word], right: &[Word]) -> Result<bool, Undefined> {
        debug_assert!(left.len() == self.slots.len() && right.len() == self.slots.len());
        if self.plain {
            return Ok(left == right);
        }
        let mut same = true;
        let mut at = 0;
        while let Some(slot) = self.slots.get(at) {
            let (a, b) = (left[at], right[at]);
            at += 1;
            match *slot {
                Slot::Defined => {}
                Slot::Undefinable => check_pair(a, b)?,
                Slot::Present(payload) if a == 0 || b == 0 => at += payload as usize,
                Slot::Present(_) => {}
            }
            same &= a == b;
        }
        Ok(same)
    }

    /// Checks that a value may be used.
    pub fn check(&self, value: &[Word]) -> Result<(), Undefined> {
        if self.plain {
            return Ok(());
        }
        let mut at = 0;
        while let Some(slot) = self.slots.get(at) {
            let word = value[at];
            at += 1;
            match *slot {
                Slot::Undefinable if word == UNDEFINED => return Err(Undefined),
                Slot::Present(payload) if word == 0 => at += payload as usize,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Checks that two slots may be compared.
pub fn check_pair(a: Word, b: Word) -> Result<(), Undefined> {
    if a == NONE || b == NONE || (a != UNDEFINED && b != UNDEFINED) { Ok(()) } else { Err(Undefined) }
}

/// Checks whether a one-slot value of the type may be undefined.
pub fn is_undefinable(types: &TypeTable, ty: TypeId) -> bool {
    match types.kind(ty) {
        TypeKind::Data | TypeKind::Key | TypeKind::Thread => true,
        TypeKind::Option(t) => is_undefinable(types, t),
        _ => false,
    }
}

fn append(types: &TypeTable, ty: TypeId, out: &mut Vec<Slot>) {
    match types.kind(ty) {
        TypeKind::Unit => {}
        TypeKind::Option(t) if !types.option_is_flat(t) => {
            out.push(Slot::Present(number_of(types.width(t))));
            append(types, t, out);
        }
        TypeKind::Word(_) | TypeKind::Struct(_) => {
            for field in types.record(ty).into_iter().flat_map(|record| &record.fields) {
                append(types, field.ty, out);
            }
        }
        TypeKind::Array(t, n) => {
            for _ in 0..n {
                append(types, t, out);
            }
        }
        _ if is_undefinable(types, ty) => out.push(Slot::Undefinable),
        _ => out.push(Slot::Defined),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::types::NULL;

    #[test]
    fn absent_values_are_not_looked_at() {
        let mut types = TypeTable::new();
        let data = types.intern(TypeKind::Data);
        let pair = types.intern(TypeKind::Array(data, 2));
        let maybe = types.intern(TypeKind::Option(pair));
        let definedness = Definedness::of(&types, maybe);
        let absent = [0, UNDEFINED, UNDEFINED];
        assert_eq!(definedness.same(&absent, &absent), Ok(true));
        assert_eq!(definedness.same(&absent, &[1, 1, 2]), Ok(false));
        assert_eq!(definedness.same(&[1, 1, UNDEFINED], &[1, 2, 2]), Err(Undefined));
        assert_eq!(definedness.check(&absent), Ok(()));
        assert_eq!(definedness.check(&[1, UNDEFINED, 1]), Err(Undefined));
    }

    #[test]
    fn none_needs_no_defined_partner() {
        let mut types = TypeTable::new();
        let data = types.intern(TypeKind::Data);
        let maybe = types.intern(TypeKind::Option(data));
        let definedness = Definedness::of(&types, maybe);
        assert_eq!(definedness.same(&[UNDEFINED], &[NONE]), Ok(false));
        assert_eq!(definedness.same(&[UNDEFINED], &[1]), Err(Undefined));
        assert!(is_undefinable(&types, maybe));
        let int = types.intern(TypeKind::Int);
        assert!(Definedness::of(&types, int).is_plain());
        assert_eq!(Definedness::of(&types, int).same(&[NULL], &[NULL]), Ok(true));
    }
}
