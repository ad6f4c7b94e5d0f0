//! The visited set: every node of the search once, in full, in shards that workers fill side by side.
//!
//! A *node* is a state, as bits ([`crate::reduce::Canonicalizer`]), and a monitor state. A shard keeps its nodes one
//! after the other, in the order in which they came, in chunks that never move:
//!
//! ```text
//! | monitor and mark (4 bytes) | length (1 to 5) | the state's bytes | …
//! ```
//!
//! Its table finds nodes by the hash of their state alone, since pruning asks for all nodes of a state. States are
//! compared in full: no two are ever taken for one. A level of the search is a stretch of each shard.
//!
//! The last bytes of a state may be its *tail*: what a search remembers of the way there ([`super::preemptions`]). Like the
//! monitor state it tells nodes of one state apart.

use super::monitor::MonitorId;
use hashbrown::HashTable;
use linchpin_engine::lock;
use linchpin_ir::index::{byte_of, number_of};
use smallvec::SmallVec;
use std::sync::{Mutex, MutexGuard};
use xxhash_rust::xxh3::xxh3_64;

/// Where a node lies in its shard: the number of its chunk times the size of one, plus its first byte there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place(u32);

impl Place {
    fn new(chunk: usize, at: usize) -> Place {
        Place(number_of(chunk * CHUNK + at))
    }

    fn chunk(self) -> usize {
        self.0 as usize / CHUNK
    }

    fn at(self) -> usize {
        self.0 as usize % CHUNK
    }
}

/// A node by its shard and place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId {
    pub shard: u8,
    pub place: Place,
}

/// A node, read.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub monitor: MonitorId,
    /// A node of the same level covers it: it is not gone on from.
    pub is_pruned: bool,
    pub state: &'a [u8],
}

/// What tells the nodes of one state apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag<'a> {
    pub monitor: MonitorId,
    pub tail: &'a [u8],
}

pub struct Store {
    shards: Vec<Mutex<Shard>>,
    tail: usize,
}

/// Shards: a power of two, more than the workers that anybody has.
pub const SHARDS: usize = 64;
/// Above the bits that a table uses to find a slot, below those that it compares first.
const SHARD_SHIFT: u32 = 48;
const PRUNED: u32 = 1 << 31;
const CHUNK: usize = 1 << 20;
/// What a place can number.
const MOST_CHUNKS: usize = (1 << 32) / CHUNK - 1;

impl Store {
    /// For states with so many bytes of tail.
    pub fn new(tail: usize) -> Store {
        let shard = |_| Mutex::new(Shard { tail, ..Shard::default() });
        Store { shards: (0..SHARDS).map(shard).collect(), tail }
    }

    /// The hash of a state, and the shard that it belongs to.
    pub fn locate(&self, state: &[u8]) -> (u64, usize) {
        let hash = xxh3_64(without_tail(state, self.tail));
        (hash, (hash >> SHARD_SHIFT) as usize % SHARDS)
    }

    /// A shard for oneself.
    pub fn shard(&self, shard: usize) -> MutexGuard<'_, Shard> {
        lock(&self.shards[shard])
    }

    /// Where the next node of each shard will lie.
    pub fn ends(&self) -> Vec<Place> {
        (0..SHARDS).map(|shard| self.shard(shard).end()).collect()
    }

    pub fn number_of_states(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).states).sum()
    }

    pub fn number_of_nodes(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).nodes).sum()
    }

    /// What it holds, and what it will hold for a moment when a table next grows.
    pub fn bytes(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).bytes()).sum()
    }

    /// Whether some shard can take no more.
    pub fn is_full(&self) -> bool {
        (0..SHARDS).any(|shard| self.shard(shard).chunks.len() >= MOST_CHUNKS)
    }

    /// The node of a state and a monitor state, if it is known.
    pub fn find(&self, state: &[u8], monitor: MonitorId) -> Option<NodeId> {
        let (hash, shard) = self.locate(state);
        let place = self.shard(shard).find(hash, state, monitor)?;
        Some(NodeId { shard: byte_of(shard), place })
    }

    /// All nodes of a state and its tail that are gone on from, in the order of their places.
    pub fn nodes_of(&self, state: &[u8]) -> Vec<(NodeId, MonitorId)> {
        let (hash, shard) = self.locate(state);
        let nodes = self.shard(shard);
        let mut found: Vec<(NodeId, MonitorId)> = Vec::new();
        for &place in nodes.table.iter_hash(hash) {
            let (record, _) = nodes.read(place);
            if record.state == state && !record.is_pruned {
                found.push((NodeId { shard: byte_of(shard), place }, record.monitor));
            }
        }
        found.sort_unstable();
        found
    }

    /// Copies a node out.
    pub fn copy(&self, node: NodeId, state: &mut Vec<u8>) -> MonitorId {
        let shard = self.shard(node.shard as usize);
        let (record, _) = shard.read(node.place);
        state.clear();
        state.extend_from_slice(record.state);
        record.monitor
    }
}

#[derive(Default)]
pub struct Shard {
    chunks: Vec<Vec<u8>>,
    table: HashTable<Place>,
    tail: usize,
    pub states: usize,
    /// Without those that are marked.
    pub nodes: usize,
}

/// What became of a node that was to be inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    New,
    /// It was known.
    Known,
    /// The state was known with a tag that makes this one unnecessary.
    Covered,
}

impl Shard {
    /// Inserts a node unless it is known, or `covers(its tag, that of a known node)`. Nodes from `level` on (those of the level
    /// being built) that it makes unnecessary are marked.
    pub fn insert(
        &mut self,
        hash: u64,
        state: &[u8],
        monitor: MonitorId,
        level: Place,
        covers: &mut dyn FnMut(Tag<'_>, Tag<'_>) -> bool,
    ) -> Inserted {
        let (bare, tail) = state.split_at(state.len() - self.tail);
        let tag = Tag { monitor, tail };
        let mut others: SmallVec<[(Place, Tag<'_>); 8]> = SmallVec::new();
        for &place in self.table.iter_hash(hash) {
            let (record, _) = read(&self.chunks, place);
            if without_tail(record.state, self.tail) == bare {
                let other = Tag { monitor: record.monitor, tail: &record.state[bare.len()..] };
                if other == tag {
                    return Inserted::Known;
                }
                others.push((place, other));
            }
        }
        if others.iter().any(|(_, other)| covers(tag, *other)) {
            return Inserted::Covered;
        }
        let is_unnecessary = |(place, other): &(Place, Tag<'_>)| *place >= level && covers(*other, tag);
        let is_first = others.is_empty();
        let unnecessary: SmallVec<[Place; 8]> =
            others.into_iter().filter(is_unnecessary).map(|(place, _)| place).collect();
        unnecessary.into_iter().for_each(|place| self.mark(place));
        let place = self.push(state, monitor);
        self.states += usize::from(is_first);
        self.nodes += 1;
        let (chunks, tail) = (&self.chunks, self.tail);
        let hash_of = |place: &Place| xxh3_64(without_tail(read(chunks, *place).0.state, tail));
        self.table.insert_unique(hash, place, hash_of);
        Inserted::New
    }

    pub fn find(&self, hash: u64, state: &[u8], monitor: MonitorId) -> Option<Place> {
        let is_it = |place: &&Place| {
            let (record, _) = read(&self.chunks, **place);
            record.monitor == monitor && record.state == state
        };
        self.table.iter_hash(hash).find(is_it).copied()
    }

    /// The first node of a state.
    pub fn find_state(&self, hash: u64, state: &[u8]) -> Option<Place> {
        let is_it = |place: &&Place| read(&self.chunks, **place).0.state == state;
        self.table.iter_hash(hash).filter(is_it).min().copied()
    }

    /// The node at a place, and the place of the next one.
    pub fn read(&self, place: Place) -> (Record<'_>, Place) {
        read(&self.chunks, place)
    }

    /// Where the next node will lie, or behind the last one of its chunk.
    pub fn end(&self) -> Place {
        match self.chunks.last() {
            None => Place::new(0, 0),
            Some(chunk) => Place::new(self.chunks.len() - 1, chunk.len()),
        }
    }

    /// The first node at a place or behind it: a chunk may end before its successor begins.
    pub fn first_at(&self, place: Place) -> Place {
        match self.chunks.get(place.chunk()) {
            Some(chunk) if place.at() >= chunk.len() && place.chunk() + 1 < self.chunks.len() => {
                Place::new(place.chunk() + 1, 0)
            }
            _ => place,
        }
    }

    fn mark(&mut self, place: Place) {
        if let Some(byte) = self.chunks[place.chunk()].get_mut(place.at() + 3) {
            self.nodes -= usize::from(*byte & (PRUNED >> 24) as u8 == 0);
            *byte |= (PRUNED >> 24) as u8;
        }
    }

    fn push(&mut self, state: &[u8], monitor: MonitorId) -> Place {
        let needed = state.len() + 9;
        if self.chunks.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < needed) {
            // The first chunks are small: a search of a few states should not take a few megabytes.
            let size = (4096 << (2 * self.chunks.len().min(8))).min(CHUNK);
            self.chunks.push(Vec::with_capacity(size.max(needed)));
        }
        let chunk_number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[chunk_number];
        let place = Place::new(chunk_number, chunk.len());
        chunk.extend_from_slice(&monitor.0.to_le_bytes());
        let mut length = state.len();
        while length >= 0x80 {
            chunk.push(byte_of(length & 0x7f) | 0x80);
            length >>= 7;
        }
        chunk.push(byte_of(length));
        chunk.extend_from_slice(state);
        place
    }

    fn bytes(&self) -> usize {
        let table = self.table.capacity() * 8 / 7 * (size_of::<Place>() + 1);
        let growth = if self.table.len() * 16 > self.table.capacity() * 15 { 2 * table } else { 0 };
        self.chunks.iter().map(Vec::capacity).sum::<usize>() + table + growth
    }
}

fn without_tail(state: &[u8], tail: usize) -> &[u8] {
    &state[..state.len() - tail]
}

fn read(chunks: &[Vec<u8>], place: Place) -> (Record<'_>, Place) {
    let chunk = &chunks[place.chunk()];
    let at = place.at();
    let word = chunk[at..].first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let (mut length, mut shift, mut start) = (0, 0, at + 4);
    loop {
        let byte = chunk[start];
        start += 1;
        length |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    let state = &chunk[start..start + length];
    let record = Record { monitor: MonitorId(word & !PRUNED), is_pruned: word & PRUNED != 0, state };
    (record, Place::new(place.chunk(), start + length))
}
