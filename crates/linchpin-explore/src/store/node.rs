//! Nodes in a shard: where a node lies, and how it is encoded.

use crate::monitor::MonitorId;
use linchpin_ir::index::{byte_of, number_of};

/// The size of a chunk in bytes.
pub(super) const CHUNK: usize = 1 << 20;
/// The limit on chunks: beyond it an offset does not fit into 32 bits.
pub(super) const MOST_CHUNKS: usize = (1 << 32) / CHUNK - 1;
/// The mark of a pruned node, in the word of its monitor state.
const PRUNED: u32 = 1 << 31;
/// The last byte of the word of a pruned node.
const PRUNED_BYTE: u8 = PRUNED.to_le_bytes()[3];

/// The position of a node in its shard: the number of its chunk times [`CHUNK`], plus its first byte in the
/// chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeOffset(u32);

impl NodeOffset {
    pub(super) fn new(chunk: usize, at: usize) -> NodeOffset {
        NodeOffset(number_of(chunk * CHUNK + at))
    }

    pub(super) fn chunk(self) -> usize {
        self.0 as usize / CHUNK
    }

    pub(super) fn at(self) -> usize {
        self.0 as usize % CHUNK
    }
}

/// A node by its shard and offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId {
    pub shard: u8,
    pub offset: NodeOffset,
}

/// A decoded node.
#[derive(Clone, Copy, Debug)]
pub struct StoredNode<'a> {
    pub monitor: MonitorId,
    /// A node of the same level covers this node, so the search does not expand it.
    pub is_pruned: bool,
    pub state: &'a [u8],
}

/// The part of a node that distinguishes nodes of one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag<'a> {
    pub monitor: MonitorId,
    pub tail: &'a [u8],
}

/// Returns a state without its tail.
pub(super) fn without_tail(state: &[u8], tail: usize) -> &[u8] {
    &state[..state.len() - tail]
}

/// Returns the limit on the bytes that [`write()`] appends.
pub(super) fn encoded_size(state: &[u8]) -> usize {
    state.len() + 9
}

/// Appends a node to a chunk.
pub(super) fn write(chunk: &mut Vec<u8>, state: &[u8], monitor: MonitorId) {
    chunk.extend_from_slice(&monitor.0.to_le_bytes());
    let mut length = state.len();
    while length >= 0x80 {
        chunk.push(byte_of(length & 0x7f) | 0x80);
        length >>= 7;
    }
    chunk.push(byte_of(length));
    chunk.extend_from_slice(state);
}

/// Marks a node as pruned. Returns whether it was not pruned before.
pub(super) fn mark_pruned(chunks: &mut [Vec<u8>], offset: NodeOffset) -> bool {
    let Some(byte) = chunks[offset.chunk()].get_mut(offset.at() + 3) else { return false };
    let is_new = *byte & PRUNED_BYTE == 0;
    *byte |= PRUNED_BYTE;
    is_new
}

/// Decodes a node. Returns also the offset behind it.
pub(super) fn read(chunks: &[Vec<u8>], offset: NodeOffset) -> (StoredNode<'_>, NodeOffset) {
    let chunk = &chunks[offset.chunk()];
    let at = offset.at();
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
    let node = StoredNode { monitor: MonitorId(word & !PRUNED), is_pruned: word & PRUNED != 0, state };
    (node, NodeOffset::new(offset.chunk(), start + length))
}
