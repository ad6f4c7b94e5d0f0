//! Configurations: one way in which the specification may have gone along with the execution so far.
//!
//! A configuration is a specification state and, for each pending call, whether it still *waits* to take effect or is
//! *done* with a result. A set of them is stored as one sorted slice, configurations of equal width one after the other.

use super::sequential::{ResultId, SpecId};
use linchpin_core::semantics::Renaming;

/// A configuration in a set: its specification state, then for each thread 0 (idle, or waiting) or 1 + the result.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Configuration {
    pub spec: SpecId,
    done: smallvec::SmallVec<[u32; 6]>,
}

impl Clone for Configuration {
    /// As one copy of memory; the derived one goes word by word.
    fn clone(&self) -> Configuration {
        Configuration { spec: self.spec, done: smallvec::SmallVec::from_slice(&self.done) }
    }
}

impl Configuration {
    pub fn quiet(spec: SpecId, threads: usize) -> Configuration {
        Configuration { spec, done: smallvec::smallvec![0; threads] }
    }

    /// The result with which the call of a thread took effect.
    pub fn result(&self, thread: usize) -> Option<ResultId> {
        self.done[thread].checked_sub(1).map(ResultId)
    }

    pub fn is_done(&self, thread: usize) -> bool {
        self.done[thread] != 0
    }

    pub fn number_done(&self) -> usize {
        self.done.iter().filter(|&&d| d != 0).count()
    }

    /// No pending call has taken effect.
    pub fn nothing_done(&self) -> bool {
        self.done.iter().all(|&d| d == 0)
    }

    /// What is done here is done there, with the same results.
    pub fn agrees_with(&self, other: &Configuration) -> bool {
        self.done.iter().zip(&other.done).all(|(mine, theirs)| *mine == 0 || mine == theirs)
    }

    /// The same calls are done.
    pub fn is_as_done_as(&self, other: &Configuration) -> bool {
        self.done.iter().zip(&other.done).all(|(mine, theirs)| (*mine == 0) == (*theirs == 0))
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

    /// As [`Configuration::read`], each thread under its new name.
    pub fn read_renamed(words: &[u32], renaming: Renaming) -> Configuration {
        let mut read = Configuration::quiet(SpecId(words[0]), words.len() - 1);
        words[1..].iter().enumerate().for_each(|(thread, done)| read.done[renaming.thread(thread)] = *done);
        read
    }

    pub fn read(words: &[u32]) -> Configuration {
        Configuration { spec: SpecId(words[0]), done: smallvec::SmallVec::from_slice(&words[1..]) }
    }
}
