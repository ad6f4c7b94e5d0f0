//! Focus: cases in which a formula is definite.
//!
//! A formula that is unknown has an atom that is unknown. Focus splits that atom: it is true, or it is false;
//! and where it is about a summary, the summary may also split in two parts, one for each value.
//! Together the cases stand for the same states as before. Sharpening each case at once (see
//! [`Constraints`](crate::Constraints)) keeps their number small.
//!
//! An atom about two summaries, or about two individuals of one summary, has no finite split: it is an error.

use crate::evaluate::Assignment;
use crate::formula::{Formula, Var};
use crate::kleene::{Kleene, bits};
use crate::structure::{Individual, Structure, TooManyIndividuals};
use crate::vocabulary::{Binary, Nullary, Predicate, Unary};
use std::fmt;

/// The reason why there are no finitely many cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FocusError {
    /// The predicate is unknown of two summaries.
    Summaries(Predicate),
    /// Whether two individuals of one summary are equal.
    Equality,
    /// The formula has the constant *unknown*.
    Constant,
    TooManyIndividuals,
    /// More than [`Focus::MOST_CASES`] cases.
    TooManyCases,
}

impl fmt::Display for FocusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FocusError::Summaries(_) => f.write_str("a predicate is unknown of two summaries"),
            FocusError::Equality => f.write_str("the formula compares two individuals of one summary"),
            FocusError::Constant => f.write_str("the formula has the constant unknown"),
            FocusError::TooManyIndividuals => TooManyIndividuals.fmt(f),
            FocusError::TooManyCases => write!(f, "focus makes more than {} cases", Focus::MOST_CASES),
        }
    }
}

impl std::error::Error for FocusError {}

/// A formula to be made definite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Focus {
    formula: Formula,
    free: Vec<Var>,
}

enum Atom {
    Nullary(Nullary),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
}

impl Focus {
    pub const MOST_CASES: usize = 10_000;

    /// Asks for definite values of the formula for all individuals of its free variables.
    pub fn on(formula: Formula) -> Focus {
        let free = formula.free_variables().collect();
        Focus { formula, free }
    }

    /// Returns structures that stand for the same states and in which the formula is definite.
    pub fn cases(&self, structure: &Structure) -> Result<Vec<Structure>, FocusError> {
        self.sharpened_cases(structure, &mut Some)
    }

    /// As [`Focus::cases`]; `sharpen` sees each case, and may make it sharper or find that it has no state.
    pub fn sharpened_cases(
        &self,
        structure: &Structure,
        sharpen: &mut dyn FnMut(Structure) -> Option<Structure>,
    ) -> Result<Vec<Structure>, FocusError> {
        let mut open = vec![structure.clone()];
        let mut done = Vec::new();
        while let Some(structure) = open.pop() {
            let Some(atom) = self.unknown_atom(&structure)? else {
                done.push(structure);
                continue;
            };
            // The first case is looked at first.
            open.extend(split(&structure, &atom)?.into_iter().filter_map(&mut *sharpen).rev());
            if open.len() + done.len() > Focus::MOST_CASES {
                return Err(FocusError::TooManyCases);
            }
        }
        Ok(done)
    }

    fn unknown_atom(&self, structure: &Structure) -> Result<Option<Atom>, FocusError> {
        let mut env = Assignment::new();
        self.unknown_from(structure, &self.free, &mut env)
    }

    fn unknown_from(
        &self,
        structure: &Structure,
        free: &[Var],
        env: &mut Assignment,
    ) -> Result<Option<Atom>, FocusError> {
        let Some((first, rest)) = free.split_first() else {
            return match structure.value(&self.formula, env) {
                Kleene::Unknown => blame(structure, &self.formula, env).map(Some),
                Kleene::False | Kleene::True => Ok(None),
            };
        };
        for u in 0..structure.size {
            env.set(*first, u);
            if let Some(atom) = self.unknown_from(structure, rest, env)? {
                return Ok(Some(atom));
            }
        }
        Ok(None)
    }
}

/// An unknown atom because of which a formula is unknown.
fn blame(structure: &Structure, formula: &Formula, env: &mut Assignment) -> Result<Atom, FocusError> {
    match formula {
        Formula::Constant(_) => Err(FocusError::Constant),
        Formula::Equal(..) => Err(FocusError::Equality),
        Formula::Nullary(p) => Ok(Atom::Nullary(*p)),
        Formula::Unary(p, x) => Ok(Atom::Unary(*p, env.get(*x))),
        Formula::Binary(p, x, y) => Ok(Atom::Binary(*p, env.get(*x), env.get(*y))),
        Formula::Not(inner) => blame(structure, inner, env),
        Formula::And(parts) | Formula::Or(parts) => {
            // An error is returned only if no unknown part can be split.
            let mut result = Err(FocusError::Constant);
            for part in parts {
                if structure.value(part, env) == Kleene::Unknown {
                    result = blame(structure, part, env);
                    if result.is_ok() {
                        break;
                    }
                }
            }
            result
        }
        Formula::Exists(x, inner) | Formula::Forall(x, inner) => {
            let saved = *env;
            let unknown = structure.row(inner, env, *x).unknown();
            let mut result = Err(FocusError::Constant);
            for u in bits(unknown) {
                env.set(*x, u);
                result = blame(structure, inner, env);
                *env = saved;
                if result.is_ok() {
                    break;
                }
            }
            result
        }
        Formula::Closure(closure) => {
            let saved = *env;
            let mut result = Err(FocusError::Constant);
            for (u, v) in (0..structure.size).flat_map(|u| (0..structure.size).map(move |v| (u, v))) {
                env.set(closure.from, u);
                env.set(closure.to, v);
                if structure.value(&closure.step, env) == Kleene::Unknown {
                    result = blame(structure, &closure.step, env);
                }
                *env = saved;
                if result.is_ok() {
                    break;
                }
            }
            result
        }
    }
}

/// The cases of an unknown atom.
fn split(structure: &Structure, atom: &Atom) -> Result<Vec<Structure>, FocusError> {
    let summary = |u: usize| structure.summary >> u & 1 == 1;
    let splits = match *atom {
        Atom::Nullary(_) => None,
        Atom::Unary(_, u) => summary(u).then_some(u),
        Atom::Binary(p, u, v) if summary(u) && summary(v) => {
            return Err(FocusError::Summaries(Predicate::Binary(p)));
        }
        Atom::Binary(_, u, v) => [u, v].into_iter().find(|w| summary(*w)),
    };
    let mut cases = Vec::new();
    for value in [Kleene::True, Kleene::False] {
        let mut case = structure.clone();
        assign(&mut case, atom, value);
        cases.push(case);
    }
    if let Some(u) = splits {
        let mut case = structure.bifurcate(u).map_err(|TooManyIndividuals| FocusError::TooManyIndividuals)?;
        let copy = structure.size;
        assign(&mut case, atom, Kleene::True);
        let of_copy = match *atom {
            Atom::Nullary(p) => Atom::Nullary(p),
            Atom::Unary(p, _) => Atom::Unary(p, copy),
            Atom::Binary(p, from, to) => {
                Atom::Binary(p, if from == u { copy } else { from }, if to == u { copy } else { to })
            }
        };
        assign(&mut case, &of_copy, Kleene::False);
        cases.push(case);
    }
    Ok(cases)
}

fn assign(structure: &mut Structure, atom: &Atom, value: Kleene) {
    match *atom {
        Atom::Nullary(p) => structure.set_nullary(p, value),
        Atom::Unary(p, u) => structure.set_unary(p, Individual::of(u), value),
        Atom::Binary(p, u, v) => structure.set_binary(p, Individual::of(u), Individual::of(v), value),
    }
}
