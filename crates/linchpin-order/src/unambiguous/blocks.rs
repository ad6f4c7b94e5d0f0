//! Places blocks of calls: groups of calls that are neighbours in every legal order.
//!
//! The claim is that of Gibbons and Korach (1997, theorem 4.2).
//!
//! Let *f* be the first end of a call of a block, and *s* the last start.
//!
//! - *Forward*: `f < s`. Some call of the block is over at *f*, and another one begins at *s*. So the block
//!   has the object at all moments from *f* to *s*.
//! - *Backward*: `s < f`. All calls of the block have a common moment, and can take effect there.
//!
//! Each block has an order of its own calls, in which no call ends before an earlier one starts.
//!
//! **Claim.** The blocks can be placed one after the other iff two conditions hold. No two forward blocks
//! have a common moment. No backward block lies within a forward one.
//!
//! Proof. Only if: two blocks cannot have the object at the same moment. If: let each call of a forward block
//! take effect at the moment *f*. If one of the calls up to this one starts later, let the call take effect
//! there. No such moment lies behind the end of the call, by the order of the block. Let the calls of a
//! backward block take effect at *s*, or at the end of the forward block that has the object at *s*.

use super::values::Moment;
use crate::call::CallId;

/// The first end and the last start of the calls of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// The first end of a call, and the call.
    pub first_end: (Moment, Option<CallId>),
    /// The last start of a call, and the call.
    pub last_start: (Moment, Option<CallId>),
}

/// Two blocks, by their numbers. The first one must come first, and cannot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    pub first: usize,
    pub second: usize,
}

/// Returns the numbers of the blocks in an order that is possible.
pub(super) fn place(blocks: &[Extent]) -> Result<Vec<usize>, Conflict> {
    let is_forward = |number: &usize| blocks[*number].first_end.0 < blocks[*number].last_start.0;
    let mut forward: Vec<usize> = (0..blocks.len()).filter(is_forward).collect();
    forward.sort_by_key(|&number| blocks[number].first_end.0);
    let crossing = forward.windows(2).find(|two| blocks[two[1]].first_end.0 < blocks[two[0]].last_start.0);
    if let Some(two) = crossing {
        return Err(Conflict { first: two[0], second: two[1] });
    }
    // The moment of each block, the first of two blocks at one moment first.
    let mut placed: Vec<(Moment, bool, usize)> = Vec::with_capacity(blocks.len());
    for (number, block) in blocks.iter().enumerate() {
        let (end, start) = (block.first_end.0, block.last_start.0);
        if end < start {
            placed.push((end, false, number));
            continue;
        }
        let before = forward.partition_point(|&other| blocks[other].first_end.0 <= start);
        let around = before.checked_sub(1).map(|at| forward[at]);
        match around.filter(|&other| start < blocks[other].last_start.0) {
            Some(other) if end < blocks[other].last_start.0 => {
                return Err(Conflict { first: other, second: number });
            }
            Some(other) => placed.push((blocks[other].last_start.0, true, number)),
            None => placed.push((start, true, number)),
        }
    }
    placed.sort_unstable();
    Ok(placed.into_iter().map(|(_, _, number)| number).collect())
}
