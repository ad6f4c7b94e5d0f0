//! Typed indices: newtypes over `u32`, and vectors that they index. Checked conversions to smaller numbers: a
//! number beyond the bound of its kind ends the run, since a truncated number would name another thing.

use std::marker::PhantomData;
use std::ops;

/// A newtype over `u32` that indexes one kind of thing.
pub trait Index: Copy + Eq + std::hash::Hash + std::fmt::Debug {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Declares newtype indices: `index_types! { /// A thing. pub struct ThingId; }`
#[macro_export]
macro_rules! index_types {
    ($($(#[$meta:meta])* pub struct $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(u32);

        impl $crate::index::Index for $name {
            fn new(index: usize) -> Self { $name($crate::index::number_of(index)) }
            fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

/// The number of a thing, or of how many there are. Fewer than 2³² things of a kind lie in memory together:
/// no file is larger than 1 GiB, no object than 2¹⁶ slots, and what a search keeps takes several bytes apiece
/// and ends with its memory.
#[inline(always)]
#[track_caller]
pub fn number_of(count: impl TryInto<u32>) -> u32 {
    count.try_into().unwrap_or_else(|_| beyond("2³² things of a kind"))
}

/// The number of one of a few: threads (at most 31), shards of a visited set, sets of
/// alike threads.
#[inline(always)]
#[track_caller]
pub fn byte_of(count: impl TryInto<u8>) -> u8 {
    count.try_into().unwrap_or_else(|_| beyond("256 of what there are a few of"))
}

/// Ends the run: a number beyond what its kind of thing is held to.
#[cold]
#[inline(never)]
#[track_caller]
pub fn beyond(bound: &str) -> ! {
    panic!("a number that should be within bounds is not: it counts {bound}");
}

/// A vector indexed by `I` alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<I>,
}

impl<I: Index, T> IndexVec<I, T> {
    pub fn new() -> Self {
        IndexVec { items: Vec::new(), index: PhantomData }
    }

    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, item)| (I::new(i), item))
    }
}

impl<I: Index, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        IndexVec::new()
    }
}

impl<I: Index, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        IndexVec { items: items.into_iter().collect(), index: PhantomData }
    }
}

impl<I: Index, T> ops::Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    index_types! {
        pub struct ThingId;
    }

    #[test]
    fn numbers_within_bounds_stay_as_they_are() {
        assert_eq!(ThingId::new(u32::MAX as usize).index(), u32::MAX as usize);
        assert_eq!((number_of(7i64), byte_of(255usize)), (7, 255));
    }

    #[test]
    #[should_panic(expected = "2³² things")]
    fn an_index_is_not_cut_short() {
        ThingId::new(1 << 32);
    }

    #[test]
    #[should_panic(expected = "a few")]
    fn a_byte_is_not_cut_short() {
        byte_of(256u32);
    }
}
