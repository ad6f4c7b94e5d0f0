//! Clauses: disjunctions of literals that hold for all individuals.
//!
//! A clause is one law of the states. As constraints it is several: each of its literals can be the head.

use crate::constraint::Constraint;
use crate::formula::Formula;
use crate::literal::Literal;

/// "For all individuals, one of these literals holds."
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Clause(Vec<Literal>);

impl Clause {
    pub fn new(literals: impl IntoIterator<Item = Literal>) -> Clause {
        let mut literals: Vec<Literal> = literals.into_iter().collect();
        literals.sort_unstable();
        literals.dedup();
        Clause(literals)
    }

    /// Makes the clause "if all premises hold, so does the conclusion".
    pub fn implication(premises: impl IntoIterator<Item = Literal>, conclusion: Literal) -> Clause {
        Clause::new(premises.into_iter().map(|premise| !premise).chain([conclusion]))
    }

    pub fn literals(&self) -> &[Literal] {
        &self.0
    }

    /// Tells whether the clause says nothing: a literal and its negation.
    pub fn is_tautology(&self) -> bool {
        self.0.iter().any(|literal| self.0.contains(&!*literal))
    }

    /// Returns the clause as a closed formula.
    pub fn formula(&self) -> Formula {
        let body = Formula::any(self.0.iter().map(|literal| literal.formula()));
        body.free_variables().collect::<Vec<_>>().into_iter().fold(body, Formula::for_each)
    }

    /// Returns a constraint for each literal that can be a head: the others are false, so it holds.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.0.iter().filter_map(|head| {
            let others = self.0.iter().filter(|other| *other != head).map(|other| !*other);
            Constraint::of_literals(&others.collect::<Vec<_>>(), *head).ok()
        })
    }
}
