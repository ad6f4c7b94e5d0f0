//! Decides histories of a register in which no value is written twice, in O(n log n).
//!
//! The claim is that of Gibbons and Korach (1997, theorem 4.2), extended by pending calls.
//!
//! A *block* is a write and the reads of its value. The reads of the initial value are a block too; its write
//! ends before all calls. In a legal order the calls of a block are neighbours: its write, then its reads.
//! Let *f* be the first end of a call of the block, and *s* the last start.
//!
//! - *Forward*: `f < s`. Some call of the block is over at *f*, and another one begins at *s*. So the block
//!   has the register at all moments from *f* to *s*.
//! - *Backward*: `s < f`. All calls of the block have a common moment, and can take effect there.
//!
//! **Claim.** The history is legal iff three conditions hold. No read ends before the write of its value
//! starts. No two forward blocks have a common moment. No backward block lies within a forward one.
//!
//! Proof. Only if: two blocks
//! cannot have the register at the same moment. If: let each call of a forward block take effect at the
//! moment *f*, or at its start if it starts later. Let the calls of a backward block take effect at *s*, or
//! at the end of the forward block that has the register at *s*.
//!
//! A pending write whose value is read never ends. A pending write whose value is not read, and a pending
//! read, are dropped: they explain no result.

use super::values::{Moment, Span};
use super::{Decision, RegisterProblem};
use crate::call::CallId;
use crate::spec::RegisterCall;
use rustc_hash::FxHashMap;

/// A write and the reads of its value.
struct Block {
    /// `None`: the initial value.
    write: Option<(CallId, Span)>,
    reads: Vec<(CallId, Span)>,
    /// The first end of a call, and the call.
    first_end: (Moment, Option<CallId>),
    /// The last start of a call, and the call.
    last_start: (Moment, Option<CallId>),
}

/// Decides a history; `None` if a value is written twice.
pub(super) fn decide(problem: &RegisterProblem) -> Option<Decision> {
    let blocks = match blocks(problem)? {
        Ok(blocks) => blocks,
        Err(core) => return Some(Decision::Core(core)),
    };
    let mut forward: Vec<&Block> =
        blocks.iter().filter(|block| block.first_end.0 < block.last_start.0).collect();
    forward.sort_by_key(|block| block.first_end.0);
    if let Some(two) = forward.windows(2).find(|two| two[1].first_end.0 < two[0].last_start.0) {
        return Some(Decision::Core([two[0].core(), two[1].core()].concat()));
    }
    // The moment of each block, the first of two blocks at one moment first.
    let mut placed: Vec<(Moment, bool, usize)> = Vec::with_capacity(blocks.len());
    for (number, block) in blocks.iter().enumerate() {
        let (end, start) = (block.first_end.0, block.last_start.0);
        if end < start {
            placed.push((end, false, number));
            continue;
        }
        let before = forward.partition_point(|other| other.first_end.0 <= start);
        let around = before.checked_sub(1).map(|at| forward[at]).filter(|other| start < other.last_start.0);
        match around {
            Some(other) if end < other.last_start.0 => {
                return Some(Decision::Core([other.core(), block.core()].concat()));
            }
            Some(other) => placed.push((other.last_start.0, true, number)),
            None => placed.push((start, true, number)),
        }
    }
    placed.sort_unstable();
    let mut order = Vec::new();
    for (_, _, number) in placed {
        let mut reads = blocks[number].reads.clone();
        reads.sort_unstable_by_key(|(call, span)| (span.start, *call));
        order.extend(blocks[number].write.map(|(call, _)| call));
        order.extend(reads.into_iter().map(|(call, _)| call));
    }
    Some(Decision::Order(order))
}

/// Returns the blocks that have a place in the order, or calls without a legal order; `None` if a value is
/// written twice.
fn blocks(problem: &RegisterProblem) -> Option<Result<Vec<Block>, Vec<CallId>>> {
    let start = Block { write: None, reads: Vec::new(), first_end: (1, None), last_start: (0, None) };
    let mut blocks = vec![start];
    let mut block_of: FxHashMap<u32, usize> = FxHashMap::default();
    block_of.insert(problem.initial, 0);
    for (call, span) in problem.calls() {
        let RegisterCall::Write(value) = problem.roles[call] else { continue };
        if block_of.insert(value, blocks.len()).is_some() {
            return None;
        }
        blocks.push(Block {
            write: Some((call, span)),
            reads: Vec::new(),
            first_end: (span.end, Some(call)),
            last_start: (span.start, Some(call)),
        });
    }
    for (call, span) in problem.calls() {
        let RegisterCall::Read(Some(value)) = problem.roles[call] else { continue };
        let Some(&at) = block_of.get(&value) else { return Some(Err(vec![call])) };
        let block = &mut blocks[at];
        if let Some((write, _)) = block.write.filter(|(_, write)| span.end < write.start) {
            return Some(Err(vec![write, call]));
        }
        block.reads.push((call, span));
        block.first_end = block.first_end.min((span.end, Some(call)));
        block.last_start = block.last_start.max((span.start, Some(call)));
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
        let mut calls: Vec<CallId> =
            [write, self.first_end.1, self.last_start.1].into_iter().flatten().collect();
        calls.sort();
        calls.dedup();
        calls
    }
}
