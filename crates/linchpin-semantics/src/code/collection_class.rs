//! Classes of collections: the layout and the order of their elements.
//!
//! The contents of a `seq` are its elements in order. The contents of a `set`, a `bag` and a `map` are sorted
//! by their words, so equal collections have equal contents. An entry of a map is its key, then its value.
//! Types that differ only in the bounds of numbers share a class, because their values may be compared.

use crate::code::definedness::Definedness;
use linchpin_ir::index::number_of;
use linchpin_ir::types::{Scalar, SlotKind, TypeId, TypeKind, TypeTable, Word};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Discipline {
    Seq,
    Set,
    Bag,
    Map,
}

#[derive(Clone, Debug)]
pub struct Class {
    pub discipline: Discipline,
    /// The slots of an element, or of an entry of a map.
    pub slots: Box<[SlotKind]>,
    pub roots: Box<[Root]>,
    /// The number of an element's slots that are compared: all, or those of a map's key.
    pub key_width: usize,
    pub key_definedness: Definedness,
    pub value_definedness: Option<Definedness>,
    /// Whether a map's `V?` is one slot.
    pub value_is_flat: bool,
    pub value_default: Box<[Word]>,
    /// The depth of collections nested in its elements; 0 for none.
    pub depth: u32,
    /// Whether an element leads to a cell, perhaps through a nested collection.
    pub has_pointers: bool,
}

impl Class {
    pub fn stride(&self) -> usize {
        self.slots.len()
    }

    pub fn is_sorted(&self) -> bool {
        self.discipline != Discipline::Seq
    }
}

/// A slot that leads to a cell or to contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    pub slot: u32,
    pub kind: RootKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootKind {
    Pointer,
    /// A collection of this class.
    Collection(u32),
}

/// All classes of a program.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    classes: Vec<Class>,
    by_type: FxHashMap<TypeId, u32>,
    by_key: FxHashMap<Key, u32>,
    open: Vec<TypeId>,
}

/// The properties that make two types one class.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    discipline: Discipline,
    key_width: usize,
    slots: Vec<(Scalar, bool, Option<u32>)>,
}

/// The error for a collection without a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClassError {
    /// The elements of the type contain the type.
    Circular(TypeId),
    /// The elements of the type have no slots.
    Empty(TypeId),
}

impl Classes {
    /// Returns the classes of every collection type of the table.
    pub fn of(types: &TypeTable) -> Result<Classes, ClassError> {
        let mut classes = Classes::default();
        for ty in types.ids().filter(|&ty| types.is_collection(ty)) {
            classes.add(types, ty)?;
        }
        Ok(classes)
    }

    pub fn get(&self, class: u32) -> &Class {
        &self.classes[class as usize]
    }

    pub fn len(&self) -> usize {
        self.classes.len()
    }

    pub fn of_type(&self, ty: TypeId) -> Option<u32> {
        self.by_type.get(&ty).copied()
    }

    /// Returns the slots of a region that lead to cells or contents, in order.
    pub fn roots(&self, slots: &[SlotKind]) -> Box<[Root]> {
        let root = |(slot, kind): (usize, &SlotKind)| {
            let kind = match kind.scalar {
                Scalar::Pointer => RootKind::Pointer,
                Scalar::Collection(ty) => RootKind::Collection(self.of_type(ty)?),
                _ => return None,
            };
            Some(Root { slot: number_of(slot), kind })
        };
        slots.iter().enumerate().filter_map(root).collect()
    }

    fn add(&mut self, types: &TypeTable, ty: TypeId) -> Result<u32, ClassError> {
        if let Some(class) = self.of_type(ty) {
            return Ok(class);
        }
        if self.open.contains(&ty) {
            return Err(ClassError::Circular(ty));
        }
        self.open.push(ty);
        let (discipline, element, value) = match types.kind(ty) {
            TypeKind::Seq(t) => (Discipline::Seq, t, None),
            TypeKind::Set(t) => (Discipline::Set, t, None),
            TypeKind::Bag(t) => (Discipline::Bag, t, None),
            TypeKind::Map(k, v) => (Discipline::Map, k, Some(v)),
            _ => return Err(ClassError::Empty(ty)),
        };
        let mut slots = types.slots(element);
        let key_width = slots.len();
        if key_width == 0 {
            return Err(ClassError::Empty(ty));
        }
        slots.extend(value.into_iter().flat_map(|v| types.slots(v)));
        for slot in &slots {
            if let Scalar::Collection(inner) = slot.scalar {
                self.add(types, inner)?;
            }
        }
        self.open.pop();
        let key = Key {
            discipline,
            key_width,
            slots: slots
                .iter()
                .map(|slot| (unbounded(slot.scalar), slot.optional, self.nested(*slot)))
                .collect(),
        };
        let class = match self.by_key.get(&key) {
            Some(&class) => class,
            None => {
                let roots = self.roots(&slots);
                let nested = || slots.iter().filter_map(|slot| self.nested(*slot)).map(|c| self.get(c));
                let class = Class {
                    discipline,
                    key_width,
                    key_definedness: Definedness::of(types, element),
                    value_definedness: value.map(|v| Definedness::of(types, v)),
                    value_is_flat: value.is_some_and(|v| types.option_is_flat(v)),
                    value_default: value.map(|v| types.defaults(v)).unwrap_or_default().into(),
                    depth: nested().map(|class| class.depth + 1).max().unwrap_or(0),
                    has_pointers: roots.iter().any(|root| root.kind == RootKind::Pointer)
                        || nested().any(|class| class.has_pointers),
                    roots,
                    slots: slots.into(),
                };
                self.classes.push(class);
                self.by_key.insert(key, number_of(self.classes.len()) - 1);
                number_of(self.classes.len()) - 1
            }
        };
        self.by_type.insert(ty, class);
        Ok(class)
    }

    fn nested(&self, slot: SlotKind) -> Option<u32> {
        match slot.scalar {
            Scalar::Collection(ty) => self.of_type(ty),
            _ => None,
        }
    }
}

/// Removes the bounds of a number. A nested collection counts by its class.
fn unbounded(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Range { .. } | Scalar::Collection(_) => Scalar::Int,
        other => other,
    }
}
