//! Monitor states under other names (PAT 4.2: the specification is renamed along with the implementation).
//!
//! A renaming of threads and values acts on pending calls, results and specification states. Moves commute
//! with it. Values that occur only in the monitor get the names that are left. All orders of these names are
//! tried, and the least result wins: least by a digest of its contents, so that neither numbers nor the order
//! of insertion decide.

use super::criterion::Criterion;
use super::signature::MonitorSignature;
use super::{Monitor, MonitorId, REJECTED, UNWATCHED};
use crate::reduce::Renaming;
use linchpin_ir::types::word_of;
use smallvec::SmallVec;
use std::sync::Arc;

/// The limit on values whose names are tried in every order. Beyond the limit names are given in order.
const MOST_TRIED: usize = 4;

impl Monitor<'_> {
    /// Returns what a state looks like without names.
    pub fn signature(&mut self, state: MonitorId) -> Arc<MonitorSignature> {
        if let Some(known) = self.signatures.get(&state) {
            return known.clone();
        }
        let signature = Arc::new(if state == REJECTED || state == UNWATCHED {
            MonitorSignature::blank(self.tables.threads)
        } else {
            self.criterion.signature(&mut self.tables, state)
        });
        self.signatures.insert(state, signature.clone());
        self.bytes += 96 + 9 * self.tables.threads;
        signature
    }

    /// Renames a state. Values that the renaming does not name get the names that are left.
    pub fn renamed(&mut self, state: MonitorId, renaming: Renaming) -> MonitorId {
        if state == REJECTED || state == UNWATCHED {
            return state;
        }
        let values = self.signature(state).values;
        let Some((fixed, number)) = self.tables.symmetry.data else {
            return self.criterion.rename(&mut self.tables, state, renaming);
        };
        let (mut open, mut used): (SmallVec<[u64; 16]>, u64) = (SmallVec::new(), fixed);
        for value in 1..=u64::from(number) {
            match renaming.value(word_of(value)) {
                Some(name) => used |= 1 << name,
                None if fixed >> value & 1 == 1 => {}
                None if values >> value & 1 == 1 => open.push(value),
                None => {}
            }
        }
        let renaming = (1..=u64::from(number))
            .filter(|value| fixed >> value & 1 == 1)
            .fold(renaming, |renaming, value| with(renaming, value, value));
        let left: SmallVec<[u64; 16]> =
            (1..=u64::from(number)).filter(|name| used >> name & 1 == 0).take(open.len()).collect();
        if open.len() > MOST_TRIED || open.len() < 2 {
            let whole = open
                .iter()
                .zip(&left)
                .fold(renaming, |renaming, (value, name)| with(renaming, *value, *name));
            return self.criterion.rename(&mut self.tables, state, whole);
        }
        let mut least: Option<(u128, MonitorId)> = None;
        let mut order: SmallVec<[usize; 4]> = (0..open.len()).collect();
        loop {
            let whole =
                (0..open.len()).fold(renaming, |renaming, at| with(renaming, open[at], left[order[at]]));
            let renamed = self.criterion.rename(&mut self.tables, state, whole);
            let rank = (self.digest(renamed), renamed);
            if least.is_none_or(|least| rank.0 < least.0) {
                least = Some(rank);
            }
            if !next_permutation(&mut order) {
                return least.map_or(state, |(_, state)| state);
            }
        }
    }

    /// Returns a digest of a state's contents: the same in every run.
    pub fn digest(&mut self, state: MonitorId) -> u128 {
        if state == REJECTED || state == UNWATCHED {
            return u128::from(state.0);
        }
        if let Some(&known) = self.digests.get(&state) {
            return known;
        }
        let whole = self.criterion.digest(&self.tables, state);
        self.digests.insert(state, whole);
        self.bytes += 32;
        whole
    }
}

/// Adds the name of a value to a renaming.
fn with(renaming: Renaming, value: u64, name: u64) -> Renaming {
    Renaming { data: renaming.data & !(15 << (4 * value)) | name << (4 * value), ..renaming }
}

/// Advances a sequence without repetitions to the next permutation. Returns `false` after the last one.
pub fn next_permutation<T: Ord>(items: &mut [T]) -> bool {
    let Some(at) = (1..items.len()).rev().find(|&at| items[at - 1] < items[at]) else { return false };
    let swap = (at..items.len()).rev().find(|&other| items[at - 1] < items[other]).unwrap_or(at);
    items.swap(at - 1, swap);
    items[at..].reverse();
    true
}
