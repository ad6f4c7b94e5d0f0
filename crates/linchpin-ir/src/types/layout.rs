//! How values lie in memory: a value of type `T` is `width(T)` consecutive slots, one [`Word`] each.
//!
//! | type | slots | encoding |
//! |---|---|---|
//! | `bool`, `enum`, ranges, `int` | 1 | 0 or 1, the variant's number, the number |
//! | `data` | 1 | 1 to `values`; [`UNDEFINED`] |
//! | `key` | 1 | 1 to `keys`; `key::MIN` is 0, `key::MAX` is [`KEY_MAX`]; [`UNDEFINED`] |
//! | `age` | 1 | the count |
//! | `thread` | 1 | its number from 0; [`UNDEFINED`] |
//! | `*T`, `*[T]` | 1 | [`NULL`], or the number of the cell from 1 |
//! | `T?`, `T` of one slot and neither optional nor a collection | 1 | as `T`, or [`NONE`] |
//! | other `T?` | 1 + `width(T)` | 0 and `T`'s default, or 1 and the value |
//! | `word`, `struct` | sum of its fields | in the order of the text |
//! | `[T; n]` | n × `width(T)` | in order |
//! | `seq`, `set`, `bag`, `map` | 1 | a handle to the contents, which the state keeps |
//! | `lock` | 1 | 0 free, or the holder's number + 1 |
//! | `condvar` | 1 | a bit for each thread that waits and has not been notified |

use super::{EnumId, TypeId, TypeKind, TypeTable};

/// One slot of memory.
pub type Word = i32;

pub const NULL: Word = 0;
pub const UNDEFINED: Word = Word::MIN;
pub const NONE: Word = Word::MIN + 1;
pub const KEY_MIN: Word = 0;
pub const KEY_MAX: Word = Word::MAX;

/// The word of a number that a slot is meant to hold. The language's numbers and constants lie between the
/// least and the greatest word; threads, cells, slots and elements are counted far below; bounds beyond a
/// word are refused before anything runs.
#[inline(always)]
#[track_caller]
pub fn word_of(number: impl TryInto<Word>) -> Word {
    number.try_into().unwrap_or_else(|_| crate::index::beyond("more than a word holds"))
}

/// What one slot holds; renaming, printing and packing need no more than this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SlotKind {
    pub scalar: Scalar,
    /// It may also hold [`NONE`].
    pub optional: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    Bool,
    Int,
    Range {
        low: i64,
        high: i64,
    },
    Enum(EnumId),
    Data,
    Key,
    Age,
    Thread,
    Pointer,
    Lock,
    Condvar,
    /// A handle to the contents of a collection of this type.
    Collection(TypeId),
    /// Whether the optional value in the slots behind it is there.
    Present,
}

impl TypeTable {
    /// The number of slots of a value.
    pub fn width(&self, id: TypeId) -> usize {
        match self.kind(id) {
            TypeKind::Unit => 0,
            TypeKind::Option(t) => self.width(t) + usize::from(!self.option_is_flat(t)),
            TypeKind::Word(_) | TypeKind::Struct(_) => {
                self.record(id).map_or(0, |r| r.fields.iter().map(|f| self.width(f.ty)).sum())
            }
            TypeKind::Array(t, n) => self.width(t) * n as usize,
            _ => 1,
        }
    }

    /// Where a field of a struct or word begins.
    pub fn field_offset(&self, id: TypeId, field: usize) -> usize {
        self.record(id).map_or(0, |r| r.fields.iter().take(field).map(|f| self.width(f.ty)).sum())
    }

    /// Whether `T?` is one slot, with [`NONE`] for its absence; otherwise a slot [`Scalar::Present`] stands
    /// before it.
    pub fn option_is_flat(&self, of: TypeId) -> bool {
        !matches!(
            self.kind(of),
            TypeKind::Unit
                | TypeKind::Option(_)
                | TypeKind::Word(_)
                | TypeKind::Struct(_)
                | TypeKind::Array(..)
                | TypeKind::Seq(_)
                | TypeKind::Set(_)
                | TypeKind::Bag(_)
                | TypeKind::Map(..)
        )
    }

    /// The kinds of a value's slots, in order.
    pub fn slots(&self, id: TypeId) -> Vec<SlotKind> {
        let mut out = Vec::new();
        self.append_slots(id, &mut out);
        out
    }

    /// The words of a type's default value. A collection's handle is left 0: the empty contents.
    pub fn defaults(&self, id: TypeId) -> Vec<Word> {
        let mut out = Vec::new();
        self.append_defaults(id, &mut out);
        out
    }

    fn append_slots(&self, id: TypeId, out: &mut Vec<SlotKind>) {
        let scalar = match self.kind(id) {
            TypeKind::Unit => return,
            TypeKind::Bool => Scalar::Bool,
            TypeKind::Int => Scalar::Int,
            TypeKind::Range { low, high } => Scalar::Range { low, high },
            TypeKind::Enum(e) => Scalar::Enum(e),
            TypeKind::Data => Scalar::Data,
            TypeKind::Key => Scalar::Key,
            TypeKind::Age => Scalar::Age,
            TypeKind::Thread => Scalar::Thread,
            TypeKind::Pointer(_) => Scalar::Pointer,
            TypeKind::Lock => Scalar::Lock,
            TypeKind::Condvar => Scalar::Condvar,
            TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..) => {
                Scalar::Collection(id)
            }
            TypeKind::Option(t) => {
                if self.option_is_flat(t) {
                    let at = out.len();
                    self.append_slots(t, out);
                    out[at].optional = true;
                } else {
                    out.push(SlotKind { scalar: Scalar::Present, optional: false });
                    self.append_slots(t, out);
                }
                return;
            }
            TypeKind::Word(_) | TypeKind::Struct(_) => {
                for field in self.record(id).into_iter().flat_map(|r| &r.fields) {
                    self.append_slots(field.ty, out);
                }
                return;
            }
            TypeKind::Array(t, n) => {
                for _ in 0..n {
                    self.append_slots(t, out);
                }
                return;
            }
        };
        out.push(SlotKind { scalar, optional: false });
    }

    fn append_defaults(&self, id: TypeId, out: &mut Vec<Word>) {
        match self.kind(id) {
            TypeKind::Unit => {}
            TypeKind::Range { low, high } => out.push(if low <= 0 && 0 <= high { 0 } else { word_of(low) }),
            TypeKind::Data | TypeKind::Key | TypeKind::Thread => out.push(UNDEFINED),
            TypeKind::Option(t) if self.option_is_flat(t) => out.push(NONE),
            TypeKind::Option(t) => {
                out.push(0);
                self.append_defaults(t, out);
            }
            TypeKind::Word(_) | TypeKind::Struct(_) => {
                for field in self.record(id).into_iter().flat_map(|r| &r.fields) {
                    self.append_defaults(field.ty, out);
                }
            }
            TypeKind::Array(t, n) => {
                for _ in 0..n {
                    self.append_defaults(t, out);
                }
            }
            _ => out.push(0),
        }
    }
}
