//! Numbers of calls, and a vector that these numbers index.

use std::ops;

/// The number of a call in its history. Calls are numbered from 0, in the order in which they begin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallId(u32);

impl CallId {
    /// Returns the call with this number.
    pub fn new(index: usize) -> CallId {
        CallId(number_of(index))
    }

    /// Returns the number of the call.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One item for each call of a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallMap<T> {
    items: Vec<T>,
}

impl<T> CallMap<T> {
    /// Adds the item of the next call.
    pub fn push(&mut self, item: T) -> CallId {
        self.items.push(item);
        CallId::new(self.items.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the item of a call; `None` if the history has no such call.
    pub fn get(&self, call: CallId) -> Option<&T> {
        self.items.get(call.index())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Returns all calls in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = CallId> + use<T> {
        (0..self.items.len()).map(CallId::new)
    }

    /// Returns all calls in order, each with its item.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (CallId, &T)> {
        self.items.iter().enumerate().map(|(at, item)| (CallId::new(at), item))
    }
}

impl<T> Default for CallMap<T> {
    fn default() -> CallMap<T> {
        CallMap { items: Vec::new() }
    }
}

impl<T> FromIterator<T> for CallMap<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> CallMap<T> {
        CallMap { items: items.into_iter().collect() }
    }
}

impl<T> ops::Index<CallId> for CallMap<T> {
    type Output = T;

    fn index(&self, call: CallId) -> &T {
        &self.items[call.index()]
    }
}

impl<T> ops::IndexMut<CallId> for CallMap<T> {
    fn index_mut(&mut self, call: CallId) -> &mut T {
        &mut self.items[call.index()]
    }
}

/// Converts a count to `u32`. A history with 2³² calls does not fit into memory.
#[track_caller]
pub(crate) fn number_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or_else(|_| panic!("more than 2³² calls or configurations: {count}"))
}
