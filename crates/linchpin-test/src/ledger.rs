//! The ledger of tokens: how often each token of an execution was dropped or given back.

use std::sync::{Mutex, PoisonError};

/// The tokens of the current execution. Plain memory: no switch of threads happens inside.
#[derive(Debug, Default)]
pub struct Ledger {
    inner: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    execution: u64,
    /// The number of each token, and how often it ended.
    tokens: Vec<(u32, u32)>,
}

impl Ledger {
    /// Makes a ledger that lives for ever: a token may be dropped long after its test.
    pub(crate) fn leaked() -> &'static Ledger {
        Box::leak(Box::default())
    }

    /// Forgets all tokens. A token of an earlier execution does not count any more.
    pub(crate) fn clear(&self) {
        let mut entries = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        entries.execution += 1;
        entries.tokens.clear();
    }

    /// Returns the tokens that ended more than once, and those that did not end.
    pub(crate) fn faults(&self) -> (Vec<u32>, Vec<u32>) {
        let entries = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let with = |accept: fn(u32) -> bool| {
            let some = entries.tokens.iter().filter(|(_, ends)| accept(*ends));
            some.map(|(number, _)| *number).collect()
        };
        (with(|ends| ends > 1), with(|ends| ends == 0))
    }

    /// Adds a token. Returns the number of the execution.
    pub(crate) fn begin(&self, number: u32) -> u64 {
        let mut entries = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        entries.tokens.push((number, 0));
        entries.execution
    }

    /// Counts the end of a token.
    pub(crate) fn end(&self, execution: u64, number: u32) {
        let mut entries = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.execution != execution {
            return;
        }
        if let Some((_, ends)) = entries.tokens.iter_mut().find(|(other, _)| *other == number) {
            *ends += 1;
        }
    }
}
