//! Trees over a fixed number of places: the minimum of a range, and a count that is changed for a range.

/// Numbers at places, with the minimum of each range.
#[derive(Debug)]
pub(super) struct Minima {
    /// The leaves stand from `leaves` on; the parent of `i` is `i / 2`.
    tree: Vec<usize>,
    leaves: usize,
}

/// The number of a place without a number.
pub(super) const NOTHING: usize = usize::MAX;

impl Minima {
    pub fn new(numbers: impl ExactSizeIterator<Item = usize>) -> Minima {
        let leaves = numbers.len().next_power_of_two();
        let mut tree = vec![NOTHING; 2 * leaves];
        for (at, number) in numbers.enumerate() {
            tree[leaves + at] = number;
        }
        for at in (1..leaves).rev() {
            tree[at] = tree[2 * at].min(tree[2 * at + 1]);
        }
        Minima { tree, leaves }
    }

    pub fn set(&mut self, place: usize, number: usize) {
        let mut at = self.leaves + place;
        self.tree[at] = number;
        while at > 1 {
            at /= 2;
            self.tree[at] = self.tree[2 * at].min(self.tree[2 * at + 1]);
        }
    }

    /// Returns the place and the number of the first minimum from `from` to just before `to`; `None` if there
    /// are no numbers.
    pub fn minimum(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let (mut left, mut right) = (self.leaves + from, self.leaves + to);
        let mut best: Option<usize> = None;
        let mut consider = |node: usize| {
            let is_better =
                |old: usize| (self.tree[node], self.first(node)) < (self.tree[old], self.first(old));
            if best.is_none_or(is_better) {
                best = Some(node);
            }
        };
        while left < right {
            if left % 2 == 1 {
                consider(left);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                consider(right);
            }
            left /= 2;
            right /= 2;
        }
        let mut node = best.filter(|&node| self.tree[node] != NOTHING)?;
        let number = self.tree[node];
        while node < self.leaves {
            node = if self.tree[2 * node] == number { 2 * node } else { 2 * node + 1 };
        }
        Some((node - self.leaves, number))
    }

    /// Returns the first place below a node.
    fn first(&self, node: usize) -> usize {
        let depth = node.ilog2();
        (node << (self.leaves.ilog2() - depth)) - self.leaves
    }
}

/// A count at each place, changed for whole ranges.
#[derive(Debug)]
pub(super) struct Counts {
    /// For each node the minimum below it, without the changes of the nodes above it.
    minima: Vec<i32>,
    /// For each node the change of all places below it.
    changes: Vec<i32>,
    leaves: usize,
}

impl Counts {
    /// Returns counts of zero.
    pub fn new(places: usize) -> Counts {
        let leaves = places.next_power_of_two();
        Counts { minima: vec![0; 2 * leaves], changes: vec![0; 2 * leaves], leaves }
    }

    /// Adds to all counts from `from` to just before `to`.
    pub fn add(&mut self, from: usize, to: usize, change: i32) {
        self.add_below(1, (0, self.leaves), (from, to), change);
    }

    /// Returns the first place with count zero from `from` to just before `to`. No count is negative.
    pub fn first_zero(&self, from: usize, to: usize) -> Option<usize> {
        self.first_zero_below(1, (0, self.leaves), (from, to), 0)
    }

    fn add_below(&mut self, node: usize, (low, high): (usize, usize), range: (usize, usize), change: i32) {
        if range.1 <= low || high <= range.0 {
            return;
        }
        if range.0 <= low && high <= range.1 {
            self.minima[node] += change;
            self.changes[node] += change;
            return;
        }
        let middle = low.midpoint(high);
        self.add_below(2 * node, (low, middle), range, change);
        self.add_below(2 * node + 1, (middle, high), range, change);
        self.minima[node] = self.minima[2 * node].min(self.minima[2 * node + 1]) + self.changes[node];
    }

    fn first_zero_below(
        &self,
        node: usize,
        (low, high): (usize, usize),
        range: (usize, usize),
        above: i32,
    ) -> Option<usize> {
        if range.1 <= low || high <= range.0 || self.minima[node] + above > 0 {
            return None;
        }
        if high - low == 1 {
            return Some(low);
        }
        let middle = low.midpoint(high);
        let above = above + self.changes[node];
        self.first_zero_below(2 * node, (low, middle), range, above)
            .or_else(|| self.first_zero_below(2 * node + 1, (middle, high), range, above))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn trees_agree_with_lists() {
        let mut rng = Rng::with_seed(9);
        for _ in 0..200 {
            let places = rng.usize(1..20);
            let mut numbers: Vec<usize> = (0..places).map(|_| rng.usize(0..9)).collect();
            let mut minima = Minima::new(numbers.iter().copied());
            let mut counts = Counts::new(places);
            let mut naive = vec![0; places];
            let mut added = Vec::new();
            for _ in 0..30 {
                let place = rng.usize(0..places);
                numbers[place] = if rng.bool() { NOTHING } else { rng.usize(0..9) };
                minima.set(place, numbers[place]);
                let from = rng.usize(0..places);
                let to = rng.usize(from..=places);
                let expected = (from..to).min_by_key(|&at| numbers[at]).filter(|&at| numbers[at] != NOTHING);
                assert_eq!(minima.minimum(from, to), expected.map(|at| (at, numbers[at])), "{numbers:?}");
                let (from, to, change) = match added.pop() {
                    Some((from, to)) if rng.bool() => (from, to, -1),
                    other => {
                        added.extend(other);
                        added.push((from, to));
                        (from, to, 1)
                    }
                };
                counts.add(from, to, change);
                naive[from..to].iter_mut().for_each(|count| *count += change);
                let from = rng.usize(0..places);
                let to = rng.usize(from..=places);
                assert_eq!(counts.first_zero(from, to), (from..to).find(|&at| naive[at] == 0), "{naive:?}");
            }
        }
    }
}
