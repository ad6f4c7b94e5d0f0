//! What a monitor state looks like without names. Symmetry reduction orders threads and values by it.

use smallvec::SmallVec;

/// What a monitor state looks like without names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MonitorSignature {
    /// For each thread a hash of its pending call without names.
    pub colours: SmallVec<[u64; 8]>,
    /// A number for each thread. Exchanging threads with equal numbers keeps the monitor state.
    pub columns: SmallVec<[u8; 8]>,
    /// A mask of the values that occur.
    pub values: u64,
}

impl MonitorSignature {
    /// Returns the signature of a state that distinguishes no threads and has no values.
    pub(super) fn blank(threads: usize) -> MonitorSignature {
        MonitorSignature {
            colours: SmallVec::from_elem(0, threads),
            columns: SmallVec::from_elem(0, threads),
            ..MonitorSignature::default()
        }
    }
}
