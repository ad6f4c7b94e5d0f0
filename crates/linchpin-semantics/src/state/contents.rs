//! The contents of collections.
//!
//! A slot of a collection type holds a *handle*: 0 for the empty collection, or the number (from 1) of its
//! contents in this store.
//!
//! **Law.** Stored contents never change, and no two are equal. So two collections of one class in one state
//! are equal iff their handles are equal. A copied handle never sees a later change by another holder.
//! Normalisation drops contents without a handle.

use linchpin_ir::index::number_of;
use linchpin_ir::types::{Word, word_of};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Head {
    class: u32,
    start: u32,
    len: u32,
}

#[derive(Debug, Default)]
pub struct Contents {
    heads: Vec<Head>,
    words: Vec<Word>,
}

impl Clone for Contents {
    fn clone(&self) -> Contents {
        Contents { heads: self.heads.clone(), words: self.words.clone() }
    }

    fn clone_from(&mut self, source: &Contents) {
        self.heads.clone_from(&source.heads);
        self.words.clone_from(&source.words);
    }
}

impl Contents {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Returns the number of words of all contents.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub fn clear(&mut self) {
        self.heads.clear();
        self.words.clear();
    }

    /// Returns the elements of a handle, one after the other.
    pub fn get(&self, handle: Word) -> &[Word] {
        match self.head(handle) {
            Some(head) => &self.words[head.start as usize..(head.start + head.len) as usize],
            None => &[],
        }
    }

    pub fn class(&self, handle: Word) -> Option<u32> {
        self.head(handle).map(|head| head.class)
    }

    pub fn get_mut(&mut self, handle: Word) -> &mut [Word] {
        match self.head(handle) {
            Some(head) => &mut self.words[head.start as usize..(head.start + head.len) as usize],
            None => &mut [],
        }
    }

    /// Returns the handle of these elements. Elements of an unordered collection must be sorted.
    pub fn intern(&mut self, class: u32, words: &[Word]) -> Word {
        if words.is_empty() {
            return 0;
        }
        let known = self.heads.iter().position(|head| {
            head.class == class
                && head.len as usize == words.len()
                && self.words[head.start as usize..][..words.len()] == *words
        });
        match known {
            Some(at) => word_of(at) + 1,
            None => self.push(class, words),
        }
    }

    /// Stores elements, as [`Contents::intern`] does. The elements must be new and not empty.
    pub fn push(&mut self, class: u32, words: &[Word]) -> Word {
        debug_assert!(!words.is_empty());
        let start = number_of(self.words.len());
        self.words.extend_from_slice(words);
        self.heads.push(Head { class, start, len: number_of(words.len()) });
        word_of(self.heads.len())
    }

    fn head(&self, handle: Word) -> Option<Head> {
        usize::try_from(handle).ok()?.checked_sub(1).and_then(|at| self.heads.get(at)).copied()
    }
}
