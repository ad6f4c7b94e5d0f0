//! Orders that explain results: whether calls that have returned can have taken effect one after the other.
//!
//! For the properties that are judged at ends. Calls lie in *lanes*; a lane's calls take effect in its order, calls of
//! different lanes in any order. Program order is one lane a thread, no order at all is one lane a call.

use super::Monitor;
use super::sequential::{CallId, ResultId, SpecId};
use linchpin_semantics::SpecError;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// A call that returned, and whose it was where that matters.
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

/// How many calls of each lane have taken effect.
type Taken = SmallVec<[u8; 12]>;

impl Monitor<'_> {
    /// The specification states after all calls of all lanes, each with its result, from any of the first states.
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

    /// Whether a pending call cannot happen: neither by itself nor together with other pending calls.
    pub(super) fn must_wait(
        &mut self,
        spec: SpecId,
        pending: &[(CallId, usize)],
        (call, thread): (CallId, usize),
    ) -> Result<bool, SpecError> {
        if !self.sequential.alone(spec, call, thread)?.is_empty() {
            return Ok(false);
        }
        for group in self.sequential.rendezvous(pending) {
            let takes_part = group.iter().any(|(_, member)| *member == thread);
            if takes_part && !self.sequential.outcomes(spec, &group)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Which of the calls, in the order of their threads, may take effect next with the results that they gave: their lanes,
    /// and the state after it.
    fn steps(
        &mut self,
        spec: SpecId,
        heads: &[(usize, Completed)],
    ) -> Result<Vec<(SmallVec<[usize; 2]>, SpecId)>, SpecError> {
        let mut found = Vec::new();
        for (lane, head) in heads {
            for &(next, result) in self.sequential.alone(spec, head.call, head.by())?.iter() {
                if result == head.result {
                    found.push((SmallVec::from_slice(&[*lane]), next));
                }
            }
        }
        for group in self.sequential.groups(heads, |(_, head)| head.by()) {
            let calls: Vec<(CallId, usize)> = group.iter().map(|(_, head)| (head.call, head.by())).collect();
            for (next, results) in self.sequential.outcomes(spec, &calls)?.iter() {
                if group.iter().zip(results.iter()).all(|((_, head), result)| head.result == *result) {
                    found.push((group.iter().map(|(lane, _)| *lane).collect(), *next));
                }
            }
        }
        Ok(found)
    }
}
