//! Configurations: possible states of the specification, and of the pending calls, after the execution so
//! far.
//!
//! A configuration is a specification state and, for each pending call, whether it *waits* to take effect or
//! is *done* with a result. A set of configurations is stored as one sorted slice. Its configurations have
//! equal widths.
//!
//! **Readers.** By refinement, a call that can never change the specification's state may take effect at any
//! moment, whatever other calls do. So a reader neither waits nor is done. A configuration has the results
//! that the reader may *have had* at earlier states. It stands for every choice of one of these results, or
//! of waiting, for each reader: a box instead of its points. A result that the present state gives too is
//! left out, so that equal boxes have equal representations. With n readers pending during m writes, one box
//! replaces (m + 1)^n configurations.

use super::spec_table::{ResultId, ResultSetId, SpecId};
use crate::reduce::Renaming;

/// A set of threads: those whose pending call is a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Readers(u64);

impl Readers {
    pub fn insert(&mut self, thread: usize) {
        self.0 |= 1 << thread;
    }

    pub fn contains(self, thread: usize) -> bool {
        self.0 >> thread & 1 == 1
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..64).filter(move |thread| self.contains(*thread))
    }
}

/// A configuration: the specification state, then for each thread 0 (idle or waiting) or 1 + the result. For
/// a reader, the set of the results that it may have had.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Configuration {
    pub spec: SpecId,
    done: smallvec::SmallVec<[u32; 6]>,
}

impl Clone for Configuration {
    /// Copies the words at once; the derived implementation copies them one by one.
    fn clone(&self) -> Configuration {
        Configuration { spec: self.spec, done: smallvec::SmallVec::from_slice(&self.done) }
    }
}

impl Configuration {
    /// Returns a configuration without pending calls.
    pub fn quiet(spec: SpecId, threads: usize) -> Configuration {
        Configuration { spec, done: smallvec::smallvec![0; threads] }
    }

    /// Returns the result with which the call of a thread took effect.
    pub fn result(&self, thread: usize) -> Option<ResultId> {
        self.done[thread].checked_sub(1).map(ResultId)
    }

    /// Returns the results that a reader may have had at earlier states.
    pub fn past(&self, reader: usize) -> ResultSetId {
        ResultSetId(self.done[reader])
    }

    pub fn set_past(&mut self, reader: usize, past: ResultSetId) {
        self.done[reader] = past.0;
    }

    /// Returns the word of a thread.
    pub fn column(&self, thread: usize) -> u32 {
        self.done[thread]
    }

    pub fn is_done(&self, thread: usize) -> bool {
        self.done[thread] != 0
    }

    /// Returns the configuration without the results of its readers.
    pub fn without(&self, readers: Readers) -> Configuration {
        let mut core = self.clone();
        (0..core.done.len())
            .filter(|thread| readers.contains(*thread))
            .for_each(|thread| core.done[thread] = 0);
        core
    }

    pub fn number_done(&self, readers: Readers) -> usize {
        self.others(readers).filter(|&d| d != 0).count()
    }

    /// Checks whether no pending call has taken effect. Readers do not count.
    pub fn nothing_done(&self, readers: Readers) -> bool {
        self.number_done(readers) == 0
    }

    /// Checks whether all calls that are done here are done in `other`, with the same results.
    pub fn agrees_with(&self, other: &Configuration, readers: Readers) -> bool {
        self.others(readers).zip(other.others(readers)).all(|(mine, theirs)| mine == 0 || mine == theirs)
    }

    /// Checks whether the same calls are done.
    pub fn is_as_done_as(&self, other: &Configuration, readers: Readers) -> bool {
        self.others(readers).zip(other.others(readers)).all(|(mine, theirs)| (mine == 0) == (theirs == 0))
    }

    fn others(&self, readers: Readers) -> impl Iterator<Item = u32> {
        self.done
            .iter()
            .enumerate()
            .filter(move |(thread, _)| !readers.contains(*thread))
            .map(|(_, done)| *done)
    }

    pub fn with_done(&self, spec: SpecId, thread: usize, result: ResultId) -> Configuration {
        let mut next = Configuration { spec, ..self.clone() };
        next.done[thread] = result.0 + 1;
        next
    }

    pub fn returned(&self, thread: usize) -> Configuration {
        let mut next = self.clone();
        next.done[thread] = 0;
        next
    }

    pub fn append_to(&self, words: &mut Vec<u32>) {
        words.push(self.spec.0);
        words.extend_from_slice(&self.done);
    }

    /// As [`Configuration::read`], with renamed threads.
    pub fn read_renamed(words: &[u32], renaming: Renaming) -> Configuration {
        let mut read = Configuration::quiet(SpecId(words[0]), words.len() - 1);
        words[1..].iter().enumerate().for_each(|(thread, done)| read.done[renaming.thread(thread)] = *done);
        read
    }

    pub fn read(words: &[u32]) -> Configuration {
        Configuration { spec: SpecId(words[0]), done: smallvec::SmallVec::from_slice(&words[1..]) }
    }
}
