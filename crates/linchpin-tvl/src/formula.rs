//! Formulas of first-order logic with equality and transitive closure.
//!
//! Formulas are built with methods: `p.of(x)`, `a.and(b)`, `a.for_some(x)`. A variable is a number below
//! [`Var::COUNT`], so an assignment is a small array.

use crate::kleene::Kleene;
use crate::vocabulary::{Binary, Nullary, Predicate, Unary};

/// A variable for individuals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(u8);

impl Var {
    /// How many variables there are.
    pub const COUNT: usize = 32;

    /// Returns the first variables, each with a name of the caller's: `let [x, y] = Var::first();`.
    pub const fn first<const N: usize>() -> [Var; N] {
        const { assert!(N <= Var::COUNT) };
        let mut vars = [Var(0); N];
        let mut number = 0;
        let mut i = 0;
        while i < N {
            vars[i] = Var(number);
            number += 1;
            i += 1;
        }
        vars
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn bit(self) -> u32 {
        1 << self.0
    }

    pub(crate) fn in_set(set: u32) -> impl Iterator<Item = Var> {
        Var::first::<{ Var::COUNT }>().into_iter().filter(move |var| set & var.bit() != 0)
    }
}

/// A formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    Constant(Kleene),
    Nullary(Nullary),
    Unary(Unary, Var),
    Binary(Binary, Var, Var),
    Equal(Var, Var),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Exists(Var, Box<Formula>),
    Forall(Var, Box<Formula>),
    Closure(Box<Closure>),
}

/// A path of one or more steps leads from `start` to `end`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Closure {
    /// The two variables of a step, bound in `step`.
    pub from: Var,
    pub to: Var,
    pub step: Formula,
    pub start: Var,
    pub end: Var,
}

impl Nullary {
    pub fn holds(self) -> Formula {
        Formula::Nullary(self)
    }
}

impl Unary {
    pub fn of(self, x: Var) -> Formula {
        Formula::Unary(self, x)
    }
}

impl Binary {
    pub fn of(self, x: Var, y: Var) -> Formula {
        Formula::Binary(self, x, y)
    }

    /// Returns "a path of one or more edges leads from `x` to `y`".
    pub fn plus(self, x: Var, y: Var) -> Formula {
        let [from, to] = Var::first();
        Formula::Closure(Box::new(Closure { from, to, step: self.of(from, to), start: x, end: y }))
    }

    /// Returns "`x` is `y`, or a path leads from `x` to `y`".
    pub fn star(self, x: Var, y: Var) -> Formula {
        Formula::Equal(x, y).or(self.plus(x, y))
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        match self {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }
}

impl Formula {
    pub const TRUE: Formula = Formula::Constant(Kleene::True);
    pub const FALSE: Formula = Formula::Constant(Kleene::False);
    pub const UNKNOWN: Formula = Formula::Constant(Kleene::Unknown);

    pub fn equal(x: Var, y: Var) -> Formula {
        Formula::Equal(x, y)
    }

    /// The conjunction; constants and nested conjunctions are simplified.
    pub fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::Constant(Kleene::True) => {}
                Formula::Constant(Kleene::False) => return Formula::FALSE,
                Formula::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Formula::TRUE,
            1 => flat.swap_remove(0),
            _ => Formula::And(flat),
        }
    }

    /// The disjunction; constants and nested disjunctions are simplified.
    pub fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::Constant(Kleene::False) => {}
                Formula::Constant(Kleene::True) => return Formula::TRUE,
                Formula::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Formula::FALSE,
            1 => flat.swap_remove(0),
            _ => Formula::Or(flat),
        }
    }

    pub fn and(self, other: Formula) -> Formula {
        Formula::all([self, other])
    }

    pub fn or(self, other: Formula) -> Formula {
        Formula::any([self, other])
    }

    pub fn implies(self, other: Formula) -> Formula {
        (!self).or(other)
    }

    pub fn for_some(self, x: Var) -> Formula {
        Formula::Exists(x, Box::new(self))
    }

    pub fn for_each(self, x: Var) -> Formula {
        Formula::Forall(x, Box::new(self))
    }

    /// The variables without a binder, as bits.
    pub(crate) fn free(&self) -> u32 {
        match self {
            Formula::Constant(_) | Formula::Nullary(_) => 0,
            Formula::Unary(_, x) => x.bit(),
            Formula::Binary(_, x, y) | Formula::Equal(x, y) => x.bit() | y.bit(),
            Formula::Not(inner) => inner.free(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().fold(0, |set, part| set | part.free()),
            Formula::Exists(x, inner) | Formula::Forall(x, inner) => inner.free() & !x.bit(),
            Formula::Closure(closure) => {
                let Closure { from, to, step, start, end } = &**closure;
                (step.free() & !from.bit() & !to.bit()) | start.bit() | end.bit()
            }
        }
    }

    /// Returns the variables without a binder.
    pub fn free_variables(&self) -> impl Iterator<Item = Var> + use<> {
        Var::in_set(self.free())
    }

    /// Calls `see` with each predicate of the formula.
    pub fn predicates(&self, see: &mut dyn FnMut(Predicate)) {
        match self {
            Formula::Constant(_) | Formula::Equal(..) => {}
            Formula::Nullary(p) => see(Predicate::Nullary(*p)),
            Formula::Unary(p, _) => see(Predicate::Unary(*p)),
            Formula::Binary(p, ..) => see(Predicate::Binary(*p)),
            Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => {
                inner.predicates(see);
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.predicates(see));
            }
            Formula::Closure(closure) => closure.step.predicates(see),
        }
    }
}

/// A renaming would need more variables than there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyVariables;

impl std::fmt::Display for TooManyVariables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a formula needs more than {} variables", Var::COUNT)
    }
}

impl std::error::Error for TooManyVariables {}

impl Formula {
    /// Replaces free variables by others. Binders whose variable is in the way get another variable.
    pub fn renamed(&self, map: &[(Var, Var)]) -> Result<Formula, TooManyVariables> {
        let rename = |x: &Var| map.iter().find(|(from, _)| from == x).map_or(*x, |(_, to)| *to);
        Ok(match self {
            Formula::Constant(_) | Formula::Nullary(_) => self.clone(),
            Formula::Unary(p, x) => Formula::Unary(*p, rename(x)),
            Formula::Binary(p, x, y) => Formula::Binary(*p, rename(x), rename(y)),
            Formula::Equal(x, y) => Formula::Equal(rename(x), rename(y)),
            Formula::Not(inner) => Formula::Not(Box::new(inner.renamed(map)?)),
            Formula::And(parts) => {
                Formula::And(parts.iter().map(|part| part.renamed(map)).collect::<Result<_, _>>()?)
            }
            Formula::Or(parts) => {
                Formula::Or(parts.iter().map(|part| part.renamed(map)).collect::<Result<_, _>>()?)
            }
            Formula::Exists(x, inner) => {
                let (bound, inner) = inner.rebound(&[*x], map)?;
                Formula::Exists(bound[0], Box::new(inner))
            }
            Formula::Forall(x, inner) => {
                let (bound, inner) = inner.rebound(&[*x], map)?;
                Formula::Forall(bound[0], Box::new(inner))
            }
            Formula::Closure(closure) => {
                let (bound, step) = closure.step.rebound(&[closure.from, closure.to], map)?;
                let (start, end) = (rename(&closure.start), rename(&closure.end));
                Formula::Closure(Box::new(Closure { from: bound[0], to: bound[1], step, start, end }))
            }
        })
    }

    /// Renames under a binder of `bound`, whose variables may change.
    fn rebound(&self, bound: &[Var], map: &[(Var, Var)]) -> Result<(Vec<Var>, Formula), TooManyVariables> {
        let outer: Vec<(Var, Var)> = map.iter().filter(|(from, _)| !bound.contains(from)).copied().collect();
        let mut taken = self.free() | outer.iter().fold(0, |set, (_, to)| set | to.bit());
        taken |= bound.iter().fold(0, |set, x| set | x.bit());
        let mut inner = outer.clone();
        let mut fresh = Vec::new();
        for x in bound {
            let mut to = *x;
            if outer.iter().any(|(_, target)| target == x) {
                to = Var::in_set(!taken).next().ok_or(TooManyVariables)?;
                taken |= to.bit();
                inner.push((*x, to));
            }
            fresh.push(to);
        }
        Ok((fresh, self.renamed(&inner)?))
    }
}
