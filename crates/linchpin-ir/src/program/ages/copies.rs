//! The known value of the age in a slot.
//!
//! ```text
//!              Mixed                    of several homes, of one that is no longer known, or stepped too often
//!            /       \
//!     Constant     Copy { home, … }     a constant; the age of a home
//!                     |
//!                  with `read`          read by this instruction when it last ran, and stepped `least` to `most` times
//!                  with `name`          equal to what was so named last, and stepped `since` times
//! ```
//!
//! A copy without a definition is still of its home and stepped `most` times at most. Joins lose definitions:
//! a value that is one thing or another, depending on the way, has no instruction that read it. In front of
//! each instruction what has no name gets one, so that copies made from it afterwards are known to be equal
//! to it.

use super::AgeOrigin;
use crate::program::Pc;

/// A copy that is kept, compared or expected is stepped at most so often.
pub const MOST_STEPS: u8 = 1;

/// A point of the lattice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    Constant,
    Copy(Copied),
    Mixed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copied {
    pub home: AgeOrigin,
    /// The instruction that read it, when that ran last.
    pub read: Option<Pc>,
    /// Steps since it was read.
    pub least: u8,
    pub most: u8,
    pub name: Option<Name>,
    /// Steps since it was named.
    since: u8,
}

/// The value of a slot in front of an instruction, when that ran last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    pub at: Pc,
    pub slot: usize,
}

impl Point {
    pub fn read(home: AgeOrigin, at: Pc) -> Point {
        Point::Copy(Copied { home, read: Some(at), least: 0, most: 0, name: None, since: 0 })
    }

    pub fn join(self, other: Point) -> Point {
        match (self, other) {
            (Point::Copy(a), Point::Copy(b)) if a.home == b.home => Point::Copy(a.join(b)),
            (Point::Constant, Point::Constant) => Point::Constant,
            _ => Point::Mixed,
        }
    }

    /// `+ 1`. A constant that grows is not an age of a home.
    pub fn stepped(self) -> Point {
        match self {
            Point::Copy(copy) if copy.most <= MOST_STEPS => Point::Copy(Copied {
                least: copy.least + 1,
                most: copy.most + 1,
                since: copy.since + 1,
                ..copy
            }),
            _ => Point::Mixed,
        }
    }

    /// Returns the age as memory keeps it: beyond the counted steps an age is mixed.
    pub fn kept(self) -> Point {
        match self {
            Point::Copy(copy) if copy.most > MOST_STEPS => Point::Mixed,
            point => point,
        }
    }

    /// The instruction runs again: what it read or named before is no longer what it reads and names. Then
    /// what has no name gets one.
    pub fn renewed(self, at: Pc, slot: usize) -> Point {
        let Point::Copy(mut copy) = self else { return self };
        copy.read = copy.read.filter(|read| *read != at);
        copy.name = copy.name.filter(|name| name.at != at);
        if copy.name.is_none() {
            (copy.name, copy.since) = (Some(Name { at, slot }), 0);
        }
        Point::Copy(copy)
    }

    /// Whether two copies may be compared.
    pub fn is_comparable(self, other: Point) -> bool {
        match (self.kept(), other.kept()) {
            (Point::Copy(a), Point::Copy(b)) => a.home == b.home,
            _ => false,
        }
    }
}

impl Copied {
    fn join(self, other: Copied) -> Copied {
        let is_named_alike = self.name == other.name && self.since == other.since;
        Copied {
            home: self.home,
            read: self.read.filter(|_| self.read == other.read),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            name: self.name.filter(|_| is_named_alike),
            since: if is_named_alike { self.since } else { 0 },
        }
    }

    /// Whether it is certainly the same age as another of its home, or the successor of that.
    pub fn follows(self, old: Copied) -> bool {
        let by_name =
            self.name.is_some() && self.name == old.name && (old.since..=old.since + 1).contains(&self.since);
        let by_read = self.read.is_some()
            && self.read == old.read
            && self.least >= old.most
            && self.most <= old.least + 1;
        self.home == old.home && (by_name || by_read)
    }
}

#[cfg(test)]
mod tests {
    use super::{AgeOrigin, Copied, Name, Point};
    use crate::index::Index;
    use crate::program::Pc;

    /// Every copy of one home with one of two readers or none, one of two names or none, and few steps.
    fn copies() -> Vec<Copied> {
        let mut copies = Vec::new();
        for read in [None, Some(Pc::new(0)), Some(Pc::new(1))] {
            for (least, most) in [(0, 0), (0, 1), (1, 1)] {
                for name in
                    [None, Some(Name { at: Pc::new(2), slot: 0 }), Some(Name { at: Pc::new(2), slot: 1 })]
                {
                    for since in 0..=u8::from(name.is_some()) {
                        copies.push(Copied { home: AgeOrigin::Global(0), read, least, most, name, since });
                    }
                }
            }
        }
        copies
    }

    /// Returns whether a number agrees with the copy. `reads` and `names` are the values last read and named.
    fn fits(copy: Copied, value: i32, reads: [i32; 2], names: [i32; 2]) -> bool {
        let by_read = copy.read.is_none_or(|read| {
            let read = reads[read.index()];
            (read + i32::from(copy.least)..=read + i32::from(copy.most)).contains(&value)
        });
        by_read && copy.name.is_none_or(|name| value == names[name.slot] + i32::from(copy.since))
    }

    fn for_each_world(visit: &mut dyn FnMut([i32; 2], [i32; 2])) {
        for world in 0..81 {
            let digit = |place: u32| world / 3_i32.pow(place) % 3;
            visit([digit(0), digit(1)], [digit(2), digit(3)]);
        }
    }

    /// What follows by the lattice follows in every world that fits.
    #[test]
    fn what_follows_is_equal_or_next() {
        let copies = copies();
        for old in &copies {
            for new in copies.iter().filter(|new| new.follows(*old)) {
                for_each_world(&mut |reads, names| {
                    for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
                        if fits(*old, a, reads, names) && fits(*new, b, reads, names) {
                            assert!(b == a || b == a + 1, "{old:?} {new:?} {a} {b}");
                        }
                    }
                });
            }
        }
    }

    /// A join is true of whatever one of the two was true of.
    #[test]
    fn a_join_loses_no_value() {
        let copies = copies();
        for (a, b) in copies.iter().flat_map(|a| copies.iter().map(move |b| (a, b))) {
            let Point::Copy(joined) = Point::Copy(*a).join(Point::Copy(*b)) else { panic!("one home") };
            assert_eq!(joined, b.join(*a));
            for_each_world(&mut |reads, names| {
                for value in 0..5 {
                    let either = fits(*a, value, reads, names) || fits(*b, value, reads, names);
                    assert!(!either || fits(joined, value, reads, names), "{a:?} {b:?} {value}");
                }
            });
        }
    }
}
