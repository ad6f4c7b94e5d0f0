//! Atoms and literals: the smallest formulas.

use crate::formula::{Formula, Var};
use crate::vocabulary::{Binary, Nullary, Predicate, Unary};

/// A predicate or equality, of variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Atom {
    Nullary(Nullary),
    Unary(Unary, Var),
    Binary(Binary, Var, Var),
    Equal(Var, Var),
}

impl Atom {
    pub fn formula(self) -> Formula {
        match self {
            Atom::Nullary(p) => Formula::Nullary(p),
            Atom::Unary(p, x) => Formula::Unary(p, x),
            Atom::Binary(p, x, y) => Formula::Binary(p, x, y),
            Atom::Equal(x, y) => Formula::Equal(x, y),
        }
    }

    /// Tells whether two arguments are one variable.
    pub fn repeats_a_variable(self) -> bool {
        matches!(self, Atom::Binary(_, x, y) | Atom::Equal(x, y) if x == y)
    }

    /// Returns the predicate; `None` for equality.
    pub fn predicate(self) -> Option<Predicate> {
        match self {
            Atom::Nullary(p) => Some(Predicate::Nullary(p)),
            Atom::Unary(p, _) => Some(Predicate::Unary(p)),
            Atom::Binary(p, ..) => Some(Predicate::Binary(p)),
            Atom::Equal(..) => None,
        }
    }

    pub(crate) fn variables(self) -> u32 {
        match self {
            Atom::Nullary(_) => 0,
            Atom::Unary(_, x) => x.bit(),
            Atom::Binary(_, x, y) | Atom::Equal(x, y) => x.bit() | y.bit(),
        }
    }

    pub fn holds(self) -> Literal {
        Literal { atom: self, positive: true }
    }

    pub fn fails(self) -> Literal {
        Literal { atom: self, positive: false }
    }
}

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal {
    pub atom: Atom,
    pub positive: bool,
}

impl Literal {
    pub fn formula(self) -> Formula {
        if self.positive { self.atom.formula() } else { !self.atom.formula() }
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal { atom: self.atom, positive: !self.positive }
    }
}
