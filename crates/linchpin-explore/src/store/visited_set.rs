//! The visited set: all shards, each behind its own lock.

use super::node::{NodeId, NodeOffset, without_tail};
use super::shard::Shard;
use crate::monitor::MonitorId;
use linchpin_engine::lock;
use linchpin_ir::index::byte_of;
use std::sync::{Mutex, MutexGuard};
use xxhash_rust::xxh3::xxh3_64;

/// The number of shards: a power of two, larger than the number of workers.
pub const SHARDS: usize = 64;
/// The position of the shard number in a hash: above the bits that find a slot of a table, below the bits
/// that a table compares first.
const SHARD_SHIFT: u32 = 48;

/// All nodes of a search.
pub struct VisitedSet {
    shards: Vec<Mutex<Shard>>,
    /// The number of bytes of a tail.
    tail: usize,
}

impl VisitedSet {
    /// Returns an empty set for states with a tail of so many bytes.
    pub fn new(tail: usize) -> VisitedSet {
        VisitedSet { shards: (0..SHARDS).map(|_| Mutex::new(Shard::new(tail))).collect(), tail }
    }

    /// Returns the hash of a state, and its shard.
    pub fn locate(&self, state: &[u8]) -> (u64, usize) {
        let hash = xxh3_64(without_tail(state, self.tail));
        (hash, (hash >> SHARD_SHIFT) as usize % SHARDS)
    }

    /// Locks a shard.
    pub fn shard(&self, shard: usize) -> MutexGuard<'_, Shard> {
        lock(&self.shards[shard])
    }

    /// Returns the end of each shard.
    pub fn ends(&self) -> Vec<NodeOffset> {
        (0..SHARDS).map(|shard| self.shard(shard).end()).collect()
    }

    pub fn number_of_states(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).number_of_states()).sum()
    }

    pub fn number_of_nodes(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).number_of_nodes()).sum()
    }

    /// Returns the memory of the set, and of the next growth of its tables where that is near.
    pub fn bytes(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).bytes()).sum()
    }

    /// Checks whether some shard cannot take more nodes.
    pub fn is_full(&self) -> bool {
        (0..SHARDS).any(|shard| self.shard(shard).is_full())
    }

    /// Returns the node of a state and a monitor state; `None` if it is not known.
    pub fn find(&self, state: &[u8], monitor: MonitorId) -> Option<NodeId> {
        let (hash, shard) = self.locate(state);
        let offset = self.shard(shard).find(hash, state, monitor)?;
        Some(NodeId { shard: byte_of(shard), offset })
    }

    /// Returns all nodes of a state and its tail that are not pruned, in the order of their offsets.
    pub fn nodes_of(&self, state: &[u8]) -> Vec<(NodeId, MonitorId)> {
        let (hash, shard) = self.locate(state);
        let nodes = self.shard(shard);
        let mut found: Vec<(NodeId, MonitorId)> = Vec::new();
        for (offset, node) in nodes.with_hash(hash) {
            if node.state == state && !node.is_pruned {
                found.push((NodeId { shard: byte_of(shard), offset }, node.monitor));
            }
        }
        found.sort_unstable();
        found
    }

    /// Copies the state of a node into `state`. Returns its monitor state.
    pub fn copy(&self, node: NodeId, state: &mut Vec<u8>) -> MonitorId {
        let shard = self.shard(node.shard as usize);
        let (stored, _) = shard.read(node.offset);
        state.clear();
        state.extend_from_slice(stored.state);
        stored.monitor
    }
}
