//! The encoding of one slot: as few bits as its type and the bounds allow.
//!
//! The words of a slot are numbered: `undefined` and `none` first if the type has them, then the values in
//! order. A slot without a largest value (`int`, `age`) is written in groups of three bits. No step writes
//! any other word. If a state holds one nevertheless, the whole state is written with 32 bits a slot, so
//! nothing is lost.

use super::bits::{BitReader, BitWriter};
use linchpin_ir::index::{byte_of, number_of};
use linchpin_ir::types::{KEY_MAX, NONE, Scalar, SlotKind, TypeTable, UNDEFINED, Word};
use linchpin_semantics::Bounds;
use linchpin_semantics::raw::Code;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// The position in its region.
    pub at: u32,
    pub meaning: Meaning,
    pub coding: Coding,
}

/// What a word of the slot names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Plain,
    Pointer,
    Data,
    Thread,
    Lock,
    Condvar,
    /// The class of the collection.
    Collection(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coding {
    low: Word,
    /// The number of values from `low` up; 0 for an elastic slot.
    count: u32,
    /// The word whose code is 0 by distance: `low` minus the number of special words.
    base: Word,
    /// The number of bits; 0 for an elastic slot.
    bits: u8,
    is_elastic: bool,
    /// The number of special words; their codes precede those of the values.
    specials: u8,
    undefined: bool,
    none: bool,
    /// Whether [`KEY_MAX`] is the last value.
    top: bool,
}

/// The error for a word that its slot cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfRange;

impl Coding {
    fn of(types: &TypeTable, bounds: &Bounds, cells: u32, kind: SlotKind) -> Coding {
        let (low, count): (Word, Option<u32>) = match kind.scalar {
            Scalar::Bool | Scalar::Present => (0, Some(2)),
            Scalar::Int | Scalar::Collection(_) => (0, None),
            Scalar::Age => (0, bounds.ages),
            Scalar::Range { low, high } => match (Word::try_from(low), u32::try_from(high - low + 1)) {
                (Ok(low), Ok(count)) => (low, Some(count)),
                _ => (0, None),
            },
            Scalar::Enum(id) => (0, Some(number_of(types.enums[id].variants.len()))),
            Scalar::Data => (1, Some(bounds.values)),
            Scalar::Key => (0, Some(bounds.keys + 2)),
            Scalar::Thread => (0, Some(bounds.threads)),
            Scalar::Lock => (0, Some(bounds.threads + 1)),
            Scalar::Condvar => (0, Some(1 << bounds.threads)),
            Scalar::Pointer => (0, Some(cells.saturating_add(1))),
        };
        let undefined = matches!(kind.scalar, Scalar::Data | Scalar::Key | Scalar::Thread);
        let specials = u32::from(undefined) + u32::from(kind.optional);
        Coding {
            low,
            count: count.unwrap_or(0),
            base: low.wrapping_sub(specials.cast_signed()),
            bits: count.map_or(0, |count| byte_of(bits_for(count.saturating_add(specials)))),
            is_elastic: count.is_none(),
            specials: byte_of(specials),
            undefined,
            none: kind.optional,
            top: kind.scalar == Scalar::Key,
        }
    }

    fn specials(self) -> u32 {
        u32::from(self.specials)
    }

    /// Returns code and bits of a word between the least and the largest value. `None` for any other word.
    #[inline(always)]
    pub fn of_value(self, word: Word) -> Option<(u32, u32)> {
        let is_value = word.wrapping_sub(self.low).cast_unsigned() < self.count;
        is_value.then_some((word.wrapping_sub(self.base).cast_unsigned(), u32::from(self.bits)))
    }

    pub fn write(self, word: Word, out: &mut BitWriter) -> Result<(), OutOfRange> {
        match self.of_value(word) {
            Some((code, bits)) => out.put(code, bits),
            None => self.write_special(word, out)?,
        }
        Ok(())
    }

    /// Writes a word that is not between the least and the largest value.
    #[cold]
    pub fn write_special(self, word: Word, out: &mut BitWriter) -> Result<(), OutOfRange> {
        let code = match word {
            UNDEFINED if self.undefined => 0,
            NONE if self.none => u32::from(self.undefined),
            KEY_MAX if self.top => self.specials() + self.count - 1,
            _ if !self.is_elastic || zigzag(word) > u32::MAX - 2 => return Err(OutOfRange),
            word => zigzag(word) + self.specials(),
        };
        match self.is_elastic {
            false => out.put(code, u32::from(self.bits)),
            true => out.put_elastic(code),
        }
        Ok(())
    }

    #[inline(always)]
    pub fn read(self, from: &mut BitReader<'_>) -> Word {
        if self.is_elastic {
            return self.read_elastic(from);
        }
        let code = from.take(u32::from(self.bits));
        if code < self.specials() || self.top && code == self.specials() + self.count - 1 {
            return self.special(code);
        }
        self.base.wrapping_add(code.cast_signed())
    }

    #[cold]
    fn read_elastic(self, from: &mut BitReader<'_>) -> Word {
        let code = from.take_elastic();
        if code < self.specials() { self.special(code) } else { unzigzag(code - self.specials()) }
    }

    fn special(self, code: u32) -> Word {
        match code {
            0 if self.undefined => UNDEFINED,
            code if code < self.specials() => NONE,
            _ => KEY_MAX,
        }
    }
}

/// Returns the slots of a region that begins at `start`.
pub(super) fn region(
    types: &TypeTable,
    bounds: &Bounds,
    code: &Code,
    start: usize,
    kinds: &[SlotKind],
) -> Vec<Slot> {
    let cells = bounds.nodes.saturating_mul(number_of(code.kinds.len().max(1)));
    let slot = |(at, kind): (usize, &SlotKind)| Slot {
        at: number_of(start + at),
        meaning: match kind.scalar {
            Scalar::Pointer => Meaning::Pointer,
            Scalar::Data => Meaning::Data,
            Scalar::Thread => Meaning::Thread,
            Scalar::Lock => Meaning::Lock,
            Scalar::Condvar => Meaning::Condvar,
            Scalar::Collection(ty) => code.classes.of_type(ty).map_or(Meaning::Plain, Meaning::Collection),
            _ => Meaning::Plain,
        },
        coding: Coding::of(types, bounds, cells, *kind),
    };
    kinds.iter().enumerate().map(slot).collect()
}

/// Returns the number of bits that distinguish `count` things.
pub(super) fn bits_for(count: u32) -> u32 {
    count.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1)
}

fn zigzag(word: Word) -> u32 {
    (word << 1 ^ word >> 31).cast_unsigned()
}

fn unzigzag(code: u32) -> Word {
    (code >> 1).cast_signed() ^ -(code & 1).cast_signed()
}
