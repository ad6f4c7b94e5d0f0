//! One shard of the visited set: its chunks of nodes, and the table that finds them.

use super::node::{self, CHUNK, MOST_CHUNKS, NodeOffset, StoredNode, Tag, read, without_tail};
use crate::monitor::MonitorId;
use hashbrown::HashTable;
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

/// A shard.
#[derive(Default)]
pub struct Shard {
    chunks: Vec<Vec<u8>>,
    table: HashTable<NodeOffset>,
    /// The number of bytes of a tail.
    tail: usize,
    states: usize,
    /// The number of nodes that are not pruned.
    nodes: usize,
}

/// The result of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    New,
    /// The node was known.
    Known,
    /// A known node of the same state covers the node.
    Covered,
}

impl Shard {
    /// Returns an empty shard for states with a tail of so many bytes.
    pub(super) fn new(tail: usize) -> Shard {
        Shard { tail, ..Shard::default() }
    }

    pub fn number_of_states(&self) -> usize {
        self.states
    }

    pub fn number_of_nodes(&self) -> usize {
        self.nodes
    }

    /// Checks whether the shard cannot take more nodes.
    pub fn is_full(&self) -> bool {
        self.chunks.len() >= MOST_CHUNKS
    }

    /// Inserts a node, unless it is known or `covers(its tag, the tag of a known node)`. Marks nodes from
    /// `level` on that the new node covers; these are nodes of the level that is being built.
    pub fn insert(
        &mut self,
        hash: u64,
        state: &[u8],
        monitor: MonitorId,
        level: NodeOffset,
        covers: &mut dyn FnMut(Tag<'_>, Tag<'_>) -> bool,
    ) -> Inserted {
        let (bare, tail) = state.split_at(state.len() - self.tail);
        let tag = Tag { monitor, tail };
        let mut others: SmallVec<[(NodeOffset, Tag<'_>); 8]> = SmallVec::new();
        for &offset in self.table.iter_hash(hash) {
            let (node, _) = read(&self.chunks, offset);
            if without_tail(node.state, self.tail) == bare {
                let other = Tag { monitor: node.monitor, tail: &node.state[bare.len()..] };
                if other == tag {
                    return Inserted::Known;
                }
                others.push((offset, other));
            }
        }
        if others.iter().any(|(_, other)| covers(tag, *other)) {
            return Inserted::Covered;
        }
        let is_unnecessary =
            |(offset, other): &(NodeOffset, Tag<'_>)| *offset >= level && covers(*other, tag);
        let is_first = others.is_empty();
        let unnecessary: SmallVec<[NodeOffset; 8]> =
            others.into_iter().filter(is_unnecessary).map(|(offset, _)| offset).collect();
        for offset in unnecessary {
            self.nodes -= usize::from(node::mark_pruned(&mut self.chunks, offset));
        }
        let offset = self.push(state, monitor);
        self.states += usize::from(is_first);
        self.nodes += 1;
        let (chunks, tail) = (&self.chunks, self.tail);
        let hash_of = |offset: &NodeOffset| xxh3_64(without_tail(read(chunks, *offset).0.state, tail));
        self.table.insert_unique(hash, offset, hash_of);
        Inserted::New
    }

    /// Returns the offset of a node; `None` if the node is not known.
    pub fn find(&self, hash: u64, state: &[u8], monitor: MonitorId) -> Option<NodeOffset> {
        let is_it = |offset: &&NodeOffset| {
            let (node, _) = read(&self.chunks, **offset);
            node.monitor == monitor && node.state == state
        };
        self.table.iter_hash(hash).find(is_it).copied()
    }

    /// Returns the offset of the first node of a state.
    pub fn find_state(&self, hash: u64, state: &[u8]) -> Option<NodeOffset> {
        let is_it = |offset: &&NodeOffset| read(&self.chunks, **offset).0.state == state;
        self.table.iter_hash(hash).filter(is_it).min().copied()
    }

    /// Returns the nodes with a hash, in no particular order.
    pub(super) fn with_hash(&self, hash: u64) -> impl Iterator<Item = (NodeOffset, StoredNode<'_>)> {
        self.table.iter_hash(hash).map(|&offset| (offset, read(&self.chunks, offset).0))
    }

    /// Returns the node at an offset, and the offset behind it.
    pub fn read(&self, offset: NodeOffset) -> (StoredNode<'_>, NodeOffset) {
        read(&self.chunks, offset)
    }

    /// Returns the end of the shard: the offset of the next node, or the end of the last chunk.
    pub fn end(&self) -> NodeOffset {
        match self.chunks.last() {
            None => NodeOffset::new(0, 0),
            Some(chunk) => NodeOffset::new(self.chunks.len() - 1, chunk.len()),
        }
    }

    /// Returns the offset of the first node at or behind an offset. A chunk may end before the next chunk
    /// begins.
    pub fn first_at(&self, offset: NodeOffset) -> NodeOffset {
        let mut offset = offset;
        while self.chunks.get(offset.chunk()).is_some_and(|chunk| offset.at() >= chunk.len())
            && offset.chunk() + 1 < self.chunks.len()
        {
            offset = NodeOffset::new(offset.chunk() + 1, 0);
        }
        offset
    }

    fn push(&mut self, state: &[u8], monitor: MonitorId) -> NodeOffset {
        let needed = node::encoded_size(state);
        let room = |chunk: &Vec<u8>| chunk.capacity().min(CHUNK).saturating_sub(chunk.len());
        if self.chunks.last().is_none_or(|chunk| room(chunk) < needed) {
            // The first chunks are small: a search of a few states should not take megabytes.
            let size = (4096 << (2 * self.chunks.len().min(8))).min(CHUNK);
            self.chunks.push(Vec::with_capacity(size.max(needed)));
        }
        let chunk_number = self.chunks.len() - 1;
        // A node larger than a chunk lies in a chunk of its own. The empty chunks behind it take up the
        // offsets of its bytes, so that no offset names two nodes.
        self.chunks.extend((1..needed.div_ceil(CHUNK)).map(|_| Vec::new()));
        let chunk = &mut self.chunks[chunk_number];
        let offset = NodeOffset::new(chunk_number, chunk.len());
        node::write(chunk, state, monitor);
        offset
    }

    /// Returns the memory of the shard, and of the next growth of its table if that is near.
    pub(super) fn bytes(&self) -> usize {
        let table = self.table.capacity() * 8 / 7 * (size_of::<NodeOffset>() + 1);
        let growth = if self.table.len() * 16 > self.table.capacity() * 15 { 2 * table } else { 0 };
        self.chunks.iter().map(Vec::capacity).sum::<usize>() + table + growth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes around the size of a chunk are all found again, in the order of their insertion.
    #[test]
    fn nodes_larger_than_a_chunk_keep_their_neighbours() {
        let mut shard = Shard::new(0);
        let sizes = [3, CHUNK - 9, 5, CHUNK, 7, CHUNK + 1, 2 * CHUNK - 9, 2 * CHUNK, 11, 3 * CHUNK + 17, 13];
        let states: Vec<Vec<u8>> =
            sizes.iter().enumerate().map(|(at, &size)| vec![u8::try_from(at).unwrap_or(0); size]).collect();
        let begin = shard.end();
        let mut ends = Vec::new();
        for state in &states {
            let inserted = shard.insert(xxh3_64(state), state, MonitorId(7), begin, &mut |_, _| false);
            assert_eq!(inserted, Inserted::New);
            ends.push(shard.end());
        }
        assert!(ends.is_sorted(), "{ends:?}");
        let mut offset = shard.first_at(begin);
        for (state, end) in states.iter().zip(&ends) {
            let (node, next) = shard.read(offset);
            assert!(node.state == state, "{} bytes", state.len());
            assert_eq!(shard.find(xxh3_64(state), state, MonitorId(7)), Some(offset));
            let is_last = state.as_ptr() == states[states.len() - 1].as_ptr();
            assert!(is_last || shard.first_at(next) >= *end);
            offset = shard.first_at(next);
        }
        assert!(offset >= shard.end());
    }
}
