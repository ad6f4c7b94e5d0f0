//! The set of calls that an order has taken, kept small.
//!
//! At modest contention the completed calls that were taken are a long prefix of all calls, and a few more.
//! So the set is the length of the prefix and a bit for each call after it. Trailing zeros are not kept, so
//! equal sets are equal values. Pending calls, at most one a thread, have bits of their own. A pending call
//! that never takes effect would end the prefix for ever.

use crate::call::number_of;
use smallvec::SmallVec;

type Bits = SmallVec<[u64; 2]>;

/// A set of calls, by their positions among the completed and among the pending calls of a [call
/// set](super::call_set).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct CallPrefix {
    /// The first completed call that is not in the set.
    first: u32,
    /// A bit for each completed call from `first` on.
    after: Bits,
    pending: Bits,
    /// The number of completed calls in the set.
    completed: u32,
}

impl CallPrefix {
    pub fn completed(&self) -> usize {
        self.completed as usize
    }

    pub fn contains(&self, at: usize) -> bool {
        at.checked_sub(self.first as usize).is_none_or(|place| contains(&self.after, place))
    }

    pub fn contains_pending(&self, at: usize) -> bool {
        contains(&self.pending, at)
    }

    /// Returns the completed calls that are not in the set, in order; `count` is the number of all completed
    /// calls.
    pub fn missing(&self, count: usize) -> impl Iterator<Item = usize> + '_ {
        let mut place = 0;
        std::iter::from_fn(move || {
            // A call that stays open for long makes the rest of the window long and nearly full: skip whole
            // words.
            while let Some(&bits) = self.after.get(place / 64) {
                match (!bits >> (place % 64)).trailing_zeros() as usize {
                    64 => place = (place / 64 + 1) * 64,
                    taken => {
                        place += taken;
                        break;
                    }
                }
            }
            let at = self.first as usize + place;
            place += 1;
            (at < count).then_some(at)
        })
    }

    pub fn missing_pending(&self, count: usize) -> impl Iterator<Item = usize> + '_ {
        (0..count).filter(|&at| !contains(&self.pending, at))
    }

    pub fn take(&mut self, at: usize) {
        let place = at - self.first as usize;
        insert(&mut self.after, place);
        self.completed += 1;
        if place == 0 {
            self.close_prefix();
        }
    }

    pub fn take_pending(&mut self, at: usize) {
        insert(&mut self.pending, at);
    }

    /// Moves `first` past the calls that are in the set.
    fn close_prefix(&mut self) {
        let whole = self.after.iter().take_while(|&&bits| bits == u64::MAX).count();
        let partial = self.after.get(whole).map_or(0, |bits| bits.trailing_ones());
        self.first += number_of(whole) * 64 + partial;
        self.after.drain(..whole);
        if partial > 0 {
            for at in 0..self.after.len() {
                let above = self.after.get(at + 1).map_or(0, |next| next << (64 - partial));
                self.after[at] = (self.after[at] >> partial) | above;
            }
        }
        while self.after.last() == Some(&0) {
            self.after.pop();
        }
    }
}

fn contains(bits: &Bits, at: usize) -> bool {
    bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn insert(bits: &mut Bits, at: usize) {
    if bits.len() <= at / 64 {
        bits.resize(at / 64 + 1, 0);
    }
    bits[at / 64] |= 1 << (at % 64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Compares with a set of numbers. Equal sets are equal values, whatever the order of insertion.
    #[test]
    fn is_a_set() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..300 {
            let count = random.usize(1..300);
            let mut all: Vec<usize> = (0..count).collect();
            // Mostly in order, as in histories; sometimes in any order.
            if random.bool() {
                random.shuffle(&mut all);
            } else {
                for at in 1..count {
                    if random.bool() {
                        all.swap(at - 1, at);
                    }
                }
            }
            let taken = random.usize(0..=count);
            let mut set = CallPrefix::default();
            let mut naive = BTreeSet::new();
            for &at in &all[..taken] {
                set.take(at);
                naive.insert(at);
                let missing: Vec<usize> = (0..count).filter(|at| !naive.contains(at)).collect();
                assert_eq!(set.missing(count).collect::<Vec<_>>(), missing);
                assert!((0..count).all(|at| set.contains(at) == naive.contains(&at)));
            }
            assert_eq!(set.completed(), taken);
            let mut sorted = CallPrefix::default();
            naive.iter().for_each(|&at| sorted.take(at));
            assert_eq!(set, sorted);
        }
    }

    #[test]
    fn pending_calls_are_apart() {
        let mut set = CallPrefix::default();
        set.take_pending(70);
        set.take(0);
        assert_eq!(set.completed(), 1);
        assert_eq!(set.missing_pending(72).filter(|&at| at >= 69).collect::<Vec<_>>(), [69, 71]);
        assert_eq!(set.missing(3).collect::<Vec<_>>(), [1, 2]);
    }
}
