//! Explicit nondeterminism. A step takes a pick wherever the language leaves a choice open. Running the step
//! again with other picks enumerates all its outcomes.
//!
//! **Law.** For a run that is a function of its picks, the loop
//!
//! ```
//! # use linchpin_semantics::Picks;
//! # let mut seen = Vec::new();
//! let mut picks = Picks::new();
//! loop {
//!     picks.restart();
//!     let first = picks.pick(2);
//!     let second = if first == 0 { picks.pick(3) } else { 0 };
//!     seen.push((first, second));
//!     if !picks.advance() { break; }
//! }
//! # assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 0)]);
//! ```
//!
//! visits every sequence of picks once, in lexicographic order.

/// The picks of one run. A pick beyond the given ones is recorded as 0.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    taken: Vec<Pick>,
    cursor: usize,
    diverged: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pick {
    chosen: u32,
    /// The number of alternatives; 0 while a replayed pick has not been requested.
    of: u32,
}

impl Picks {
    pub fn new() -> Picks {
        Picks::default()
    }

    /// Returns picks to be made again.
    pub fn replay(chosen: &[u32]) -> Picks {
        let taken = chosen.iter().map(|&chosen| Pick { chosen, of: 0 }).collect();
        Picks { taken, cursor: 0, diverged: false }
    }

    /// Removes all picks: the next run is the first one.
    pub fn clear(&mut self) {
        self.taken.clear();
        self.restart();
    }

    /// Begins a run.
    pub fn restart(&mut self) {
        self.cursor = 0;
        self.diverged = false;
    }

    /// Picks one of `0..n`. With at most one alternative nothing is recorded.
    pub fn pick(&mut self, n: usize) -> usize {
        if n <= 1 {
            return 0;
        }
        let of = u32::try_from(n).unwrap_or(u32::MAX);
        let at = self.cursor;
        self.cursor += 1;
        match self.taken.get_mut(at) {
            None => {
                self.taken.push(Pick { chosen: 0, of });
                0
            }
            Some(pick) if pick.chosen < of && (pick.of == of || pick.of == 0) => {
                pick.of = of;
                pick.chosen as usize
            }
            Some(_) => {
                self.diverged = true;
                0
            }
        }
    }

    /// Advances to the next sequence of picks. `false`: the last run was the last sequence.
    pub fn advance(&mut self) -> bool {
        self.taken.truncate(self.cursor);
        while let Some(last) = self.taken.last_mut() {
            if last.chosen + 1 < last.of {
                last.chosen += 1;
                return true;
            }
            self.taken.pop();
        }
        false
    }

    /// Returns the picks made since [`Picks::restart`].
    pub fn chosen(&self) -> impl Iterator<Item = u32> + '_ {
        self.taken.iter().take(self.cursor).map(|pick| pick.chosen)
    }

    /// Checks that the run requested exactly the given picks.
    pub fn is_faithful(&self) -> bool {
        !self.diverged && self.cursor == self.taken.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks down a random tree of choices. The number of alternatives depends on the earlier picks.
    fn walk(picks: &mut Picks, seed: u64) -> Vec<u32> {
        let mut here = seed;
        for _ in 0..5 {
            let mut random = fastrand::Rng::with_seed(here);
            let chosen = picks.pick(random.usize(1..4));
            here = random.u64(..) ^ chosen as u64;
            if random.u32(..4) == 0 {
                break;
            }
        }
        picks.chosen().collect()
    }

    #[test]
    fn every_sequence_once_in_order() {
        for seed in 0..200 {
            let mut picks = Picks::new();
            let mut seen = Vec::new();
            loop {
                picks.restart();
                seen.push(walk(&mut picks, seed));
                assert!(picks.is_faithful());
                if !picks.advance() {
                    break;
                }
            }
            assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "seed {seed}: not in order, or twice");
            for path in &seen {
                let mut again = Picks::replay(path);
                assert_eq!(&walk(&mut again, seed), path);
                assert!(again.is_faithful());
            }
        }
    }

    #[test]
    fn a_pick_that_does_not_fit_is_noticed() {
        let mut picks = Picks::replay(&[5]);
        assert_eq!(picks.pick(2), 0);
        assert!(!picks.is_faithful());
        assert!(!Picks::replay(&[0]).is_faithful(), "a pick that no run requests");
    }
}
