//! The visited set: every implementation state once, in full, and the product nodes that share it.
//!
//! A state is a string of bytes ([`super::encode`]) in an arena of fixed chunks, so that growing never copies what is there.
//! A *node* of the search is a state together with a monitor state; the nodes of one state hang on a list, since subset
//! pruning asks for all of them.

use super::monitor::MonitorId;
use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub state: StateId,
    pub monitor: MonitorId,
    /// Where it was first reached from; its own id for the initial ones.
    pub parent: NodeId,
    next_of_state: u32,
}

pub struct Store {
    arena: Arena,
    table: HashTable<StateId>,
    first_node: Chunked<u32>,
    nodes: Chunked<Node>,
}

/// No node, in the lists of nodes.
const END: u32 = u32::MAX;

/// The most states and nodes that the ids can name.
pub const CAPACITY: usize = (u32::MAX - 1) as usize;

impl Store {
    pub fn new() -> Store {
        Store {
            arena: Arena::new(),
            table: HashTable::new(),
            first_node: Chunked::new(),
            nodes: Chunked::new(),
        }
    }

    /// The id of a state, and whether it is new.
    pub fn insert_state(&mut self, bytes: &[u8]) -> (StateId, bool) {
        let hash = xxh3_64(bytes);
        let arena = &self.arena;
        if let Some(&known) = self.table.find(hash, |id| arena.get(*id) == bytes) {
            return (known, false);
        }
        let id = self.arena.push(bytes);
        let arena = &self.arena;
        self.table.insert_unique(hash, id, |id| xxh3_64(arena.get(*id)));
        self.first_node.push(END);
        (id, true)
    }

    pub fn find_state(&self, bytes: &[u8]) -> Option<StateId> {
        self.table.find(xxh3_64(bytes), |id| self.arena.get(*id) == bytes).copied()
    }

    pub fn state(&self, id: StateId) -> &[u8] {
        self.arena.get(id)
    }

    /// `parent` is `None` for an initial node.
    pub fn push_node(&mut self, state: StateId, monitor: MonitorId, parent: Option<NodeId>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let first = self.first_node.get_mut(state.0 as usize);
        self.nodes.push(Node { state, monitor, parent: parent.unwrap_or(id), next_of_state: *first });
        *first = id.0;
        id
    }

    pub fn node(&self, id: NodeId) -> Node {
        *self.nodes.get(id.0 as usize)
    }

    /// The nodes of a state, youngest first.
    pub fn nodes_of(&self, state: StateId) -> impl Iterator<Item = (NodeId, Node)> + '_ {
        let mut at = *self.first_node.get(state.0 as usize);
        std::iter::from_fn(move || {
            if at == END {
                return None;
            }
            let id = NodeId(at);
            let node = self.node(id);
            at = node.next_of_state;
            Some((id, node))
        })
    }

    pub fn number_of_states(&self) -> usize {
        self.arena.len()
    }

    pub fn number_of_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// What it holds, and what it will hold for a moment when the table next grows, if that is soon.
    pub fn bytes(&self) -> usize {
        let table = self.table.capacity() * 8 / 7 * 5;
        let growth = if self.table.len() * 16 > self.table.capacity() * 15 { 2 * table } else { 0 };
        self.arena.bytes() + self.first_node.bytes() + self.nodes.bytes() + table + growth
    }
}

/// Strings of bytes one after the other, each within one chunk.
struct Arena {
    chunks: Vec<Vec<u8>>,
    /// Chunk and position of each string.
    places: Chunked<(u32, u32)>,
}

const ARENA_CHUNK: usize = 1 << 20;

impl Arena {
    fn new() -> Arena {
        Arena { chunks: Vec::new(), places: Chunked::new() }
    }

    fn push(&mut self, bytes: &[u8]) -> StateId {
        let needed = bytes.len() + 4;
        if self.chunks.last().is_none_or(|c| c.capacity() - c.len() < needed) {
            self.chunks.push(Vec::with_capacity(ARENA_CHUNK.max(needed)));
        }
        let chunk_index = self.chunks.len() - 1;
        let chunk = &mut self.chunks[chunk_index];
        let place = (chunk_index as u32, chunk.len() as u32);
        chunk.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        chunk.extend_from_slice(bytes);
        self.places.push(place);
        StateId(self.places.len() as u32 - 1)
    }

    fn get(&self, id: StateId) -> &[u8] {
        let (chunk, at) = *self.places.get(id.0 as usize);
        let chunk = &self.chunks[chunk as usize];
        let (length, rest) = chunk[at as usize..].split_first_chunk::<4>().unwrap_or((&[0; 4], &[]));
        &rest[..u32::from_le_bytes(*length) as usize]
    }

    fn len(&self) -> usize {
        self.places.len()
    }

    fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum::<usize>() + self.places.bytes()
    }
}

/// A vector that never moves its elements.
pub struct Chunked<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

const CHUNK_BITS: usize = 14;

impl<T> Chunked<T> {
    pub fn new() -> Chunked<T> {
        Chunked { chunks: Vec::new(), len: 0 }
    }

    pub fn push(&mut self, item: T) {
        if self.len >> CHUNK_BITS == self.chunks.len() {
            self.chunks.push(Vec::with_capacity(1 << CHUNK_BITS));
        }
        self.chunks[self.len >> CHUNK_BITS].push(item);
        self.len += 1;
    }

    pub fn get(&self, index: usize) -> &T {
        &self.chunks[index >> CHUNK_BITS][index & ((1 << CHUNK_BITS) - 1)]
    }

    pub fn get_mut(&mut self, index: usize) -> &mut T {
        &mut self.chunks[index >> CHUNK_BITS][index & ((1 << CHUNK_BITS) - 1)]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        (self.chunks.len() << CHUNK_BITS) * size_of::<T>()
    }
}
