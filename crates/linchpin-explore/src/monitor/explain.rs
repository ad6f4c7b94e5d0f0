//! Orders that explain results: whether completed calls can have taken effect one after the other.
//!
//! Used by the criteria that are judged at ends. Calls lie in *lanes*. The calls of a lane take effect in its
//! order, calls of different lanes in any order. Program order has one lane for each thread. No order has one
//! lane for each call.

use super::criterion::Tables;
use super::spec_table::{CallId, ResultId, SpecId};
use linchpin_semantics::SpecError;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// A completed call; with its thread where that matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Completed {
    pub call: CallId,
    pub result: ResultId,
    pub thread: Option<u8>,
}

impl Completed {
    fn by(&self) -> usize {
        self.thread.map_or(0, usize::from)
    }
}

/// The number of calls of each lane that have taken effect.
type Taken = SmallVec<[u8; 12]>;

impl Tables<'_> {
    /// Returns the specification states after all calls of all lanes, each with its result, from any state of
    /// `from`.
    pub(super) fn ends(&mut self, from: &[SpecId], lanes: &[&[Completed]]) -> Result<Vec<SpecId>, SpecError> {
        let nothing: Taken = SmallVec::from_elem(0, lanes.len());
        let mut seen: FxHashSet<(Taken, SpecId)> = from.iter().map(|spec| (nothing.clone(), *spec)).collect();
        let mut work: Vec<(Taken, SpecId)> = seen.iter().cloned().collect();
        let mut ends = Vec::new();
        while let Some((taken, spec)) = work.pop() {
            let mut heads: SmallVec<[(usize, Completed); 8]> = (lanes.iter().enumerate())
                .filter_map(|(lane, calls)| Some((lane, *calls.get(usize::from(taken[lane]))?)))
                .collect();
            heads.sort_by_key(|(_, head)| head.by());
            if heads.is_empty() {
                ends.push(spec);
            }
            for (group, next) in self.steps(spec, &heads)? {
                let mut after = taken.clone();
                group.iter().for_each(|lane| after[*lane] += 1);
                if seen.insert((after.clone(), next)) {
                    work.push((after, next));
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        Ok(ends)
    }

    /// Checks whether a pending call cannot take effect, neither by itself nor together with other pending
    /// calls.
    pub(super) fn must_wait(
        &mut self,
        spec: SpecId,
        pending: &[(CallId, usize)],
        (call, thread): (CallId, usize),
    ) -> Result<bool, SpecError> {
        if !self.spec.alone(spec, call, thread)?.is_empty() {
            return Ok(false);
        }
        for group in self.spec.rendezvous(pending) {
            let takes_part = group.iter().any(|(_, member)| *member == thread);
            if takes_part && !self.spec.outcomes(spec, &group)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the calls that may take effect next with their results: their lanes, and the state after them.
    /// `heads` are in the order of their threads.
    fn steps(
        &mut self,
        spec: SpecId,
        heads: &[(usize, Completed)],
    ) -> Result<Vec<(SmallVec<[usize; 2]>, SpecId)>, SpecError> {
        let mut found = Vec::new();
        for (lane, head) in heads {
            for &(next, result) in self.spec.alone(spec, head.call, head.by())?.iter() {
                if result == head.result {
                    found.push((SmallVec::from_slice(&[*lane]), next));
                }
            }
        }
        for group in self.spec.groups(heads, |(_, head)| head.by()) {
            let calls: Vec<(CallId, usize)> = group.iter().map(|(_, head)| (head.call, head.by())).collect();
            for (next, results) in self.spec.outcomes(spec, &calls)?.iter() {
                if group.iter().zip(results.iter()).all(|((_, head), result)| head.result == *result) {
                    found.push((group.iter().map(|(lane, _)| *lane).collect(), *next));
                }
            }
        }
        Ok(found)
    }
}
