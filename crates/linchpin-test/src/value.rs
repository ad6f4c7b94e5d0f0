//! Arguments and results of operations: what a scenario may pass, and what a history records.
//!
//! A scenario fixes each argument as a [`Datum`]. An [`Argument`] type says which data it can be made of. A
//! [`Reply`] type becomes a datum when a call returns. So the judge compares data only, and needs none of the
//! user's types.

use crate::ledger::Ledger;
use std::borrow::Cow;
use std::fmt;

/// An argument or a result, as a history records it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Datum {
    /// The operation returns nothing.
    Nothing,
    Bool(bool),
    Number(i64),
    Text(Cow<'static, str>),
    /// A [`Value`].
    Value(u32),
    /// A [`Key`].
    Key(u32),
    /// `None`.
    Absent,
    /// `Some`.
    Present(Box<Datum>),
    List(Vec<Datum>),
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Nothing => f.write_str("()"),
            Datum::Bool(value) => write!(f, "{value}"),
            Datum::Number(number) => write!(f, "{number}"),
            Datum::Text(text) => f.write_str(text),
            Datum::Value(number) | Datum::Key(number) => write!(f, "{number}"),
            Datum::Absent => f.write_str("none"),
            Datum::Present(inside) => inside.fmt(f),
            Datum::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
        }
    }
}

/// A value that an object stores. A scenario gives a different value to each call.
///
/// A correct object does not look at its values. So different values expose the most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u32);

/// A key of a set or a map. A scenario uses the keys `0`, `1`, … up to a bound, in every combination.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(pub u32);

/// A number below `N`. A scenario uses every number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Below<const N: u32>(pub u32);

/// The data that one part of an argument can be made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choices {
    /// A value that no other call has.
    Fresh,
    /// A key below the bound of the test.
    Keys,
    /// One of these.
    Of(Vec<Datum>),
}

/// The data of one call, from which its argument is made.
#[derive(Debug)]
pub struct Parts<'a> {
    parts: std::slice::Iter<'a, Datum>,
    ledger: &'static Ledger,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(parts: &'a [Datum], ledger: &'static Ledger) -> Parts<'a> {
        Parts { parts: parts.iter(), ledger }
    }

    /// Takes the next part. After the last part it returns [`Datum::Nothing`].
    pub fn take(&mut self) -> Datum {
        self.parts.next().cloned().unwrap_or(Datum::Nothing)
    }

    pub(crate) fn ledger(&self) -> &'static Ledger {
        self.ledger
    }

    fn number(&mut self) -> u32 {
        match self.take() {
            Datum::Value(number) | Datum::Key(number) => number,
            Datum::Number(number) => u32::try_from(number).unwrap_or_default(),
            _ => 0,
        }
    }
}

/// An argument of an operation. `()` is no argument, a tuple is several.
pub trait Argument: 'static {
    /// Returns the choices for each part.
    fn choices() -> Vec<Choices>;

    /// Makes the argument from its parts.
    fn make(parts: &mut Parts) -> Self;
}

impl Argument for Value {
    fn choices() -> Vec<Choices> {
        vec![Choices::Fresh]
    }

    fn make(parts: &mut Parts) -> Value {
        Value(parts.number())
    }
}

impl Argument for Key {
    fn choices() -> Vec<Choices> {
        vec![Choices::Keys]
    }

    fn make(parts: &mut Parts) -> Key {
        Key(parts.number())
    }
}

impl<const N: u32> Argument for Below<N> {
    fn choices() -> Vec<Choices> {
        vec![Choices::Of((0..N).map(|number| Datum::Number(number.into())).collect())]
    }

    fn make(parts: &mut Parts) -> Below<N> {
        Below(parts.number())
    }
}

impl Argument for bool {
    fn choices() -> Vec<Choices> {
        vec![Choices::Of(vec![Datum::Bool(false), Datum::Bool(true)])]
    }

    fn make(parts: &mut Parts) -> bool {
        parts.take() == Datum::Bool(true)
    }
}

macro_rules! tuples {
    ($(($($name:ident),*)),* $(,)?) => { $(
        impl<$($name: Argument),*> Argument for ($($name,)*) {
            fn choices() -> Vec<Choices> {
                let parts: Vec<Vec<Choices>> = vec![$($name::choices()),*];
                parts.concat()
            }

            #[allow(clippy::unused_unit, reason = "the tuple without parts")]
            fn make(_parts: &mut Parts) -> Self {
                ($($name::make(_parts),)*)
            }
        }
    )* };
}

tuples!((), (A), (A, B), (A, B, C), (A, B, C, D));

/// A result of an operation.
pub trait Reply {
    /// Returns the datum that the history records.
    fn datum(self) -> Datum;
}

impl Reply for Datum {
    fn datum(self) -> Datum {
        self
    }
}

impl Reply for () {
    fn datum(self) -> Datum {
        Datum::Nothing
    }
}

impl Reply for bool {
    fn datum(self) -> Datum {
        Datum::Bool(self)
    }
}

impl Reply for Value {
    fn datum(self) -> Datum {
        Datum::Value(self.0)
    }
}

impl Reply for Key {
    fn datum(self) -> Datum {
        Datum::Key(self.0)
    }
}

impl<const N: u32> Reply for Below<N> {
    fn datum(self) -> Datum {
        Datum::Number(self.0.into())
    }
}

impl Reply for &'static str {
    fn datum(self) -> Datum {
        Datum::Text(self.into())
    }
}

impl Reply for String {
    fn datum(self) -> Datum {
        Datum::Text(self.into())
    }
}

impl<R: Reply> Reply for Option<R> {
    fn datum(self) -> Datum {
        self.map_or(Datum::Absent, |inside| Datum::Present(Box::new(inside.datum())))
    }
}

impl<R: Reply> Reply for Vec<R> {
    fn datum(self) -> Datum {
        Datum::List(self.into_iter().map(Reply::datum).collect())
    }
}

macro_rules! numbers {
    ($($name:ty),*) => { $(
        impl Reply for $name {
            /// A number beyond 64 bits with a sign becomes its text.
            fn datum(self) -> Datum {
                i64::try_from(self).map_or_else(|_| Datum::Text(self.to_string().into()), Datum::Number)
            }
        }
    )* };
}

numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_made_of_the_parts_that_it_asks_for() {
        type All = (Key, (bool, Value), ());
        assert_eq!(All::choices().len(), 3);
        let parts = [Datum::Key(3), Datum::Bool(true), Datum::Value(7)];
        let ledger = Ledger::leaked();
        assert_eq!(All::make(&mut Parts::new(&parts, ledger)), (Key(3), (true, Value(7)), ()));
    }

    #[test]
    fn an_optional_result_is_not_its_value() {
        assert_ne!(Some(Value(1)).datum(), Value(1).datum());
        assert_ne!(None::<Value>.datum(), ().datum());
        assert_eq!(u64::MAX.datum(), Datum::Text("18446744073709551615".into()));
    }
}
