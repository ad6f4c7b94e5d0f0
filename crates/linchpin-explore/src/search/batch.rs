//! A sequence of encoded nodes in one buffer.

use crate::monitor::MonitorId;

/// Nodes on their way from or to a shard.
#[derive(Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    monitors: Vec<MonitorId>,
    /// The hashes of the states; empty for nodes that are read from a shard.
    hashes: Vec<u64>,
}

impl Batch {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.monitors.clear();
        self.hashes.clear();
    }

    pub fn len(&self) -> usize {
        self.monitors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.monitors.is_empty()
    }

    pub fn push(&mut self, bytes: &[u8], monitor: MonitorId) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self.monitors.push(monitor);
    }

    pub fn push_hashed(&mut self, hash: u64, bytes: &[u8], monitor: MonitorId) {
        self.push(bytes, monitor);
        self.hashes.push(hash);
    }

    pub fn node(&self, at: usize) -> (&[u8], MonitorId) {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        (&self.bytes[start..self.ends[at]], self.monitors[at])
    }

    pub fn hash(&self, at: usize) -> u64 {
        self.hashes[at]
    }
}
