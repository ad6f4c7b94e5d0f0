//! Tokens: values with an owner. Each token is dropped or given back exactly once.
//!
//! An object that copies the bytes of a value twice drops it twice, or gives it to two callers. A [`Token`]
//! holds no memory of its own, so the second drop is harmless here, and the [`Ledger`] counts it.

use crate::ledger::Ledger;
use crate::value::{Argument, Choices, Datum, Parts, Reply};

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
