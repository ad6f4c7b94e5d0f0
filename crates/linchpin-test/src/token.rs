//! Tokens: values with an owner. Each token is dropped or given back exactly once.
//!
//! An object that copies the bytes of a value twice drops it twice, or gives it to two callers. A [`Token`]
//! holds no memory of its own, so the second drop is harmless here, and the [`Ledger`] counts it.

use crate::value::{Argument, Choices, Datum, Parts, Reply};
use std::sync::{Mutex, PoisonError};

/// A value that is neither copied nor cloned. A second drop of one token is a violation.
#[derive(Debug)]
pub struct Token {
    number: u32,
    /// The execution that made the token.
    execution: u64,
    ledger: &'static Ledger,
}

impl Token {
    /// Returns the number of the value.
    pub fn number(&self) -> u32 {
        self.number
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.ledger.end(self.execution, self.number);
    }
}

impl Argument for Token {
    fn choices() -> Vec<Choices> {
        vec![Choices::Fresh]
    }

    fn make(parts: &mut Parts) -> Token {
        let ledger = parts.ledger();
        let number = match parts.take() {
            Datum::Value(number) => number,
            _ => 0,
        };
        Token { number, execution: ledger.begin(number), ledger }
    }
}

impl Reply for Token {
    fn datum(self) -> Datum {
        Datum::Value(self.number)
    }
}

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

    fn begin(&self, number: u32) -> u64 {
        let mut entries = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        entries.tokens.push((number, 0));
        entries.execution
    }

    fn end(&self, execution: u64, number: u32) {
        let mut entries = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.execution != execution {
            return;
        }
        if let Some((_, ends)) = entries.tokens.iter_mut().find(|(other, _)| *other == number) {
            *ends += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_counts_second_ends_and_missing_ends() {
        let ledger = Ledger::leaked();
        let make = |number| Token { number, execution: ledger.begin(number), ledger };
        let (kept, twice) = (make(1), make(2));
        let again = Token { number: 2, execution: twice.execution, ledger };
        drop((twice, again));
        assert_eq!(ledger.faults(), (vec![2], vec![1]));
        ledger.clear();
        // A token of an earlier execution.
        drop(kept);
        assert_eq!(ledger.faults(), (vec![], vec![]));
    }
}
