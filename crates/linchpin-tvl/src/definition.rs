//! Definitions of derived predicates, and the constraints that follow from them.
//!
//! A definition says: `p(x…)` holds if there are witnesses `w…` such that each *conjunct* holds; a conjunct
//! is a disjunction of literals. Most derived predicates of shape analysis have this form: *has a field*,
//! *referenced by*, *shared*, *reachable*, and the triangles and squares between a structure and its
//! specification.
//!
//! [`Definition::constraints`] makes three families.
//!
//! 1. **The definition**: ψ ▷ p, and ¬ψ ▷ ¬p.
//! 2. **Refutation**: for each choice of one literal of each conjunct, "p, or one of these literals is
//!    false". *Proof*: if all chosen literals hold, each conjunct holds, so ψ does. ∎
//! 3. **Unique witnesses**. Let *D* be some conjuncts of one positive literal each, and *C* another conjunct.
//!    Let *D* determine the witnesses in *D* and *C*: each is the target of a functional predicate, or the
//!    source of an inversely functional one, whose other argument is a parameter or determined before; or a
//!    predicate of at most one individual holds of it. Then "p and *D* imply *C*" follows.
//!    *Proof*: let p(x…) and *D* hold for some individuals u…. By p there are witnesses w… for which all
//!    conjuncts hold, *D* and *C* among them. By induction over the order in which *D* determines, each u is
//!    its w: both are the one target, source or individual. So *C* holds for u…. ∎
//!
//! Family 3 contains the families A.3 and A.4 of appendix A (*to null*, *same*, *ordered*, the triangles and
//! the squares) and A.2 (soft invariants). It cannot contain the wrong rule that derives `spec` from
//! `matching`: the data of a cell does not determine the cell. **Guarding tests**: `schemata`.

use crate::clause::Clause;
use crate::constraint::{Constraint, RepeatedVariable};
use crate::formula::{Formula, Var};
use crate::literal::{Atom, Literal};
use crate::vocabulary::{Binary, Unary};
use std::collections::BTreeSet;
use std::fmt;

/// Which predicates determine an argument.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Functionality {
    /// Those with at most one target for each source.
    pub functional: BTreeSet<Binary>,
    /// Those with at most one source for each target.
    pub inverse: BTreeSet<Binary>,
    /// Those that hold of at most one individual.
    pub unique: BTreeSet<Unary>,
}

/// The reason why a definition is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MalformedDefinition {
    /// The defined atom is an equality.
    Equality,
    /// Two parameters are one variable.
    RepeatedParameter,
    /// A witness is a parameter, or a variable of a conjunct is neither.
    Variable,
    /// More than [`Definition::MOST_CONJUNCTS`] conjuncts.
    TooManyConjuncts,
}

impl fmt::Display for MalformedDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MalformedDefinition::Equality => f.write_str("a definition is about equality"),
            MalformedDefinition::RepeatedParameter => f.write_str("a definition repeats a parameter"),
            MalformedDefinition::Variable => {
                f.write_str("a variable of a definition is not exactly one of parameter and witness")
            }
            MalformedDefinition::TooManyConjuncts => {
                write!(f, "a definition has more than {} conjuncts", Definition::MOST_CONJUNCTS)
            }
        }
    }
}

impl std::error::Error for MalformedDefinition {}

/// The definition of a derived predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    of: Atom,
    witnesses: u32,
    conjuncts: Vec<Vec<Literal>>,
}

impl Definition {
    pub const MOST_CONJUNCTS: usize = 8;

    /// Defines the predicate of `of`, whose variables are the parameters.
    pub fn new(
        of: Atom,
        witnesses: &[Var],
        conjuncts: Vec<Vec<Literal>>,
    ) -> Result<Definition, MalformedDefinition> {
        if of.predicate().is_none() {
            return Err(MalformedDefinition::Equality);
        }
        if of.repeats_a_variable() {
            return Err(MalformedDefinition::RepeatedParameter);
        }
        if conjuncts.len() > Definition::MOST_CONJUNCTS {
            return Err(MalformedDefinition::TooManyConjuncts);
        }
        let bound = witnesses.iter().fold(0, |set, x| set | x.bit());
        let used = conjuncts.iter().flatten().fold(0, |set, literal| set | literal.atom.variables());
        if bound & of.variables() != 0 || used & !bound & !of.variables() != 0 {
            return Err(MalformedDefinition::Variable);
        }
        Ok(Definition { of, witnesses: bound, conjuncts })
    }

    /// Defines a predicate by a conjunction of literals.
    pub fn conjunction(
        of: Atom,
        witnesses: &[Var],
        literals: impl IntoIterator<Item = Literal>,
    ) -> Result<Definition, MalformedDefinition> {
        Definition::new(of, witnesses, literals.into_iter().map(|literal| vec![literal]).collect())
    }

    /// Returns the defined predicate and its parameters.
    pub fn of(&self) -> Atom {
        self.of
    }

    /// Returns the defining formula ψ.
    pub fn formula(&self) -> Formula {
        let parts = self.conjuncts.iter().map(|conjunct| disjunction(conjunct));
        Var::in_set(self.witnesses).fold(Formula::all(parts), Formula::for_some)
    }

    /// Returns all constraints of the three families.
    pub fn constraints(&self, known: &Functionality) -> Result<Vec<Constraint>, RepeatedVariable> {
        let mut result = vec![
            Constraint::new(self.formula(), self.of.holds())?,
            Constraint::new(!self.formula(), self.of.fails())?,
        ];
        result.extend(self.clauses(known).iter().flat_map(Clause::constraints));
        Ok(result)
    }

    /// Returns the clauses of families 2 and 3.
    pub fn clauses(&self, known: &Functionality) -> BTreeSet<Clause> {
        let mut clauses = self.refutations();
        clauses.append(&mut self.unique_witnesses(known));
        clauses
    }

    /// Family 2.
    fn refutations(&self) -> BTreeSet<Clause> {
        let mut choices: Vec<Vec<Literal>> = vec![Vec::new()];
        for conjunct in &self.conjuncts {
            let extended = choices.iter().flat_map(|choice| {
                conjunct.iter().map(|literal| choice.iter().copied().chain([*literal]).collect())
            });
            choices = extended.collect();
        }
        let clauses = choices.into_iter().map(|choice| Clause::implication(choice, self.of.holds()));
        clauses.filter(|clause| !clause.is_tautology()).collect()
    }

    /// Family 3, with the smallest sets *D*.
    fn unique_witnesses(&self, known: &Functionality) -> BTreeSet<Clause> {
        let mut clauses = BTreeSet::new();
        for (i, conjunct) in self.conjuncts.iter().enumerate() {
            let needed = conjunct.iter().fold(0, |set, literal| set | literal.atom.variables());
            let units: Vec<Literal> = self
                .conjuncts
                .iter()
                .enumerate()
                .filter(|(j, other)| *j != i && other.len() == 1 && other[0].positive)
                .map(|(_, other)| other[0])
                .collect();
            let mut found: Vec<u32> = Vec::new();
            let mut sets: Vec<u32> = (0..1u32 << units.len()).collect();
            sets.sort_by_key(|set| (set.count_ones(), *set));
            for set in sets {
                if found.iter().any(|smaller| smaller & set == *smaller) {
                    continue;
                }
                let chosen: Vec<Literal> = units
                    .iter()
                    .enumerate()
                    .filter(|(j, _)| set >> j & 1 == 1)
                    .map(|(_, literal)| *literal)
                    .collect();
                let used = chosen.iter().fold(needed, |set, literal| set | literal.atom.variables());
                if self.determined(&chosen, known) & used & self.witnesses != used & self.witnesses {
                    continue;
                }
                found.push(set);
                let premises = chosen.iter().copied().chain([self.of.holds()]).map(|literal| !literal);
                let clause = Clause::new(premises.chain(conjunct.iter().copied()));
                if !clause.is_tautology() {
                    clauses.insert(clause);
                }
            }
        }
        clauses
    }

    /// The parameters, and the witnesses that these literals determine.
    fn determined(&self, literals: &[Literal], known: &Functionality) -> u32 {
        let mut determined = self.of.variables();
        loop {
            let before = determined;
            for literal in literals {
                match literal.atom {
                    Atom::Unary(p, x) if known.unique.contains(&p) => determined |= x.bit(),
                    Atom::Binary(p, x, y) => {
                        if determined & x.bit() != 0 && known.functional.contains(&p) {
                            determined |= y.bit();
                        }
                        if determined & y.bit() != 0 && known.inverse.contains(&p) {
                            determined |= x.bit();
                        }
                    }
                    Atom::Nullary(_) | Atom::Unary(..) | Atom::Equal(..) => {}
                }
            }
            if determined == before {
                return determined;
            }
        }
    }
}

fn disjunction(literals: &[Literal]) -> Formula {
    Formula::any(literals.iter().map(|literal| literal.formula()))
}
