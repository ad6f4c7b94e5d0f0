//! Decides histories of a register in which no value is written twice, in O(n log n).
//!
//! A *block* is a write and the reads of its value. The reads of the initial value are a block too; its write
//! ends before all calls. In a legal order the calls of a block are neighbours: its write, then its reads.
//! [`blocks`](super::blocks) places the blocks.
//!
//! **Claim.** The history is legal iff two conditions hold. No read ends before the write of its value
//! starts. The blocks can be placed. This is theorem 4.2 of Gibbons and Korach 1997, extended by pending
//! calls.
//!
//! A pending write whose value is read never ends. A pending write whose value is not read, and a pending
//! read, are dropped: they explain no result.

use super::blocks::{Extent, place};
use super::values::Span;
use super::{Decision, RegisterProblem};
use crate::call::CallId;
use crate::spec::RegisterCall;
use rustc_hash::FxHashMap;

/// A write and the reads of its value.
struct Block {
    /// `None`: the initial value.
    write: Option<(CallId, Span)>,
    reads: Vec<(CallId, Span)>,
    extent: Extent,
}

/// Decides a history; `None` if a value is written twice.
pub(super) fn decide(problem: &RegisterProblem) -> Option<Decision> {
    let blocks = match blocks(problem)? {
        Ok(blocks) => blocks,
        Err(core) => return Some(Decision::Core(core)),
    };
    let extents: Vec<Extent> = blocks.iter().map(|block| block.extent).collect();
    Some(match place(&extents) {
        Err(conflict) => {
            Decision::Core([blocks[conflict.first].core(), blocks[conflict.second].core()].concat())
        }
        Ok(placed) => {
            let mut order = Vec::new();
            for number in placed {
                let mut reads = blocks[number].reads.clone();
                reads.sort_unstable_by_key(|(call, span)| (span.start, *call));
                order.extend(blocks[number].write.map(|(call, _)| call));
                order.extend(reads.into_iter().map(|(call, _)| call));
            }
            Decision::Order(order)
        }
    })
}

/// Returns the blocks that have a place in the order, or calls without a legal order; `None` if a value is
/// written twice.
fn blocks(problem: &RegisterProblem) -> Option<Result<Vec<Block>, Vec<CallId>>> {
    let extent = Extent { first_end: (1, None), last_start: (0, None) };
    let mut blocks = vec![Block { write: None, reads: Vec::new(), extent }];
    let mut block_of: FxHashMap<u32, usize> = FxHashMap::default();
    block_of.insert(problem.initial, 0);
    for (call, span) in problem.calls() {
        let RegisterCall::Write(value) = problem.roles[call] else { continue };
        if block_of.insert(value, blocks.len()).is_some() {
            return None;
        }
        let extent = Extent { first_end: (span.end, Some(call)), last_start: (span.start, Some(call)) };
        blocks.push(Block { write: Some((call, span)), reads: Vec::new(), extent });
    }
    for (call, span) in problem.calls() {
        let RegisterCall::Read(Some(value)) = problem.roles[call] else { continue };
        let Some(&at) = block_of.get(&value) else { return Some(Err(vec![call])) };
        let block = &mut blocks[at];
        if let Some((write, _)) = block.write.filter(|(_, write)| span.end < write.start) {
            return Some(Err(vec![write, call]));
        }
        block.reads.push((call, span));
        block.extent.first_end = block.extent.first_end.min((span.end, Some(call)));
        block.extent.last_start = block.extent.last_start.max((span.start, Some(call)));
    }
    blocks.retain(|block| match block.write {
        None => !block.reads.is_empty(),
        Some((call, _)) => !problem.is_pending(call) || !block.reads.is_empty(),
    });
    Some(Ok(blocks))
}

impl Block {
    /// Returns calls of the block that have the same first end and last start.
    fn core(&self) -> Vec<CallId> {
        let write = self.write.map(|(call, _)| call);
        let extent = self.extent;
        let mut calls: Vec<CallId> =
            [write, extent.first_end.1, extent.last_start.1].into_iter().flatten().collect();
        calls.sort();
        calls.dedup();
        calls
    }
}
