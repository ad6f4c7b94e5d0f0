//! A store of abstract structures, each kept once as a string of bits.
//!
//! With [`Join::Isomorphic`] the store keeps each structure. With [`Join::Partial`] it keeps one structure
//! for each class of congruent structures: a new one widens what is there. Then a stored structure grows
//! monotonically and finitely often, so a search that explores again what was widened ends.

use crate::abstraction::Abstraction;
use crate::kleene::{Kleene, Row, bits};
use crate::structure::Structure;
use crate::vocabulary::{Binary, Counts, Vocabulary};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::fmt;

/// Which structures are replaced by their join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// None: only equal structures are one.
    Isomorphic,
    /// Congruent ones (*partially disjunctive*).
    Partial,
}

/// The number of a stored structure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StructureId(u32);

impl StructureId {
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// The effect of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// A stored structure already stands for all states of this one.
    Known(StructureId),
    New(StructureId),
    /// The stored structure stands for more states than before.
    Widened(StructureId),
}

/// More than 2^32 - 1 structures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreIsFull;

impl fmt::Display for StoreIsFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("more than 4,294,967,295 structures")
    }
}

impl std::error::Error for StoreIsFull {}

/// Abstract structures over one vocabulary and one abstraction.
#[derive(Clone, Debug)]
pub struct Store {
    counts: Counts,
    abstraction: Abstraction,
    join: Join,
    encodings: Vec<Box<[u64]>>,
    /// By encoding, or by congruence class.
    ids: FxHashMap<Box<[u64]>, StructureId>,
}

impl Store {
    pub fn new(vocabulary: &Vocabulary, abstraction: Abstraction, join: Join) -> Store {
        let (encodings, ids) = (Vec::new(), FxHashMap::default());
        Store { counts: vocabulary.counts(), abstraction, join, encodings, ids }
    }

    pub fn len(&self) -> usize {
        self.encodings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.encodings.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = StructureId> + use<> {
        (0..u32::try_from(self.encodings.len()).unwrap_or(u32::MAX)).map(StructureId)
    }

    /// Returns a stored structure; `None` for a number of another store.
    pub fn get(&self, id: StructureId) -> Option<Structure> {
        self.encodings.get(id.index()).map(|encoding| decode(self.counts, encoding))
    }

    /// Blurs a structure and adds the result.
    pub fn insert(&mut self, structure: &Structure) -> Result<Inserted, StoreIsFull> {
        let blurred = self.abstraction.blur(structure);
        let encoding = encode(&blurred);
        let key = match self.join {
            Join::Isomorphic => encoding.clone(),
            Join::Partial => self.abstraction.key(&blurred),
        };
        let next = StructureId(u32::try_from(self.encodings.len()).map_err(|_| StoreIsFull)?);
        let id = match self.ids.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(next);
                self.encodings.push(encoding);
                return Ok(Inserted::New(next));
            }
            Entry::Occupied(entry) => *entry.get(),
        };
        let stored = &mut self.encodings[id.index()];
        if **stored == *encoding {
            return Ok(Inserted::Known(id));
        }
        // Different structures with one key are congruent.
        let joined = self.abstraction.join(&decode(self.counts, stored), &blurred).unwrap_or(blurred);
        let widened = encode(&joined);
        if **stored == *widened {
            return Ok(Inserted::Known(id));
        }
        *stored = widened;
        Ok(Inserted::Widened(id))
    }
}

/// Writes a structure as words: its size and summaries, then two bits for each value.
fn encode(structure: &Structure) -> Box<[u64]> {
    let mut writer = Writer { words: Vec::new(), used: 64 };
    writer.put(u64::try_from(structure.size).unwrap_or(u64::MAX), 7);
    writer.put(structure.summary, structure.size);
    for value in &structure.nullary {
        writer.put(u64::from(value.may()), 1);
        writer.put(u64::from(value.must()), 1);
    }
    for row in structure.unary.iter().chain(&structure.binary) {
        writer.put(row.may, structure.size);
        writer.put(row.must, structure.size);
    }
    writer.words.into_boxed_slice()
}

fn decode(counts: Counts, words: &[u64]) -> Structure {
    let mut reader = Reader { words, position: 0 };
    let size = usize::try_from(reader.take(7)).unwrap_or(0);
    let mut structure = Structure::falsehood(counts, size);
    structure.summary = reader.take(size);
    for value in &mut structure.nullary {
        let may = reader.take(1) == 1;
        *value = Kleene::of_bits(may, reader.take(1) == 1);
    }
    for row in structure.unary.iter_mut() {
        *row = Row { may: reader.take(size), must: reader.take(size) };
    }
    for p in (0..=u16::MAX).map(Binary).take(counts.binary) {
        for u in bits(structure.universe()) {
            let row = Row { may: reader.take(size), must: reader.take(size) };
            structure.set_row_from(p, u, row);
        }
    }
    structure
}

struct Writer {
    words: Vec<u64>,
    /// The number of bits used in the last word.
    used: usize,
}

impl Writer {
    fn put(&mut self, value: u64, width: usize) {
        if width == 0 {
            return;
        }
        if self.used == 64 {
            self.words.push(0);
            self.used = 0;
        }
        let used = self.used;
        if let Some(last) = self.words.last_mut() {
            *last |= value << used;
        }
        let room = 64 - used;
        if width < room {
            self.used += width;
        } else {
            self.used = 64;
            if width > room {
                self.words.push(value >> room);
                self.used = width - room;
            }
        }
    }
}

struct Reader<'a> {
    words: &'a [u64],
    position: usize,
}

impl Reader<'_> {
    fn take(&mut self, width: usize) -> u64 {
        if width == 0 {
            return 0;
        }
        let (word, offset) = (self.position / 64, self.position % 64);
        self.position += width;
        let at = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let mut value = at(word) >> offset;
        if offset + width > 64 {
            value |= at(word + 1) << (64 - offset);
        }
        if width == 64 { value } else { value & ((1 << width) - 1) }
    }
}
