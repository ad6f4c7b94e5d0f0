//! Update: the effect of a step, as a rule for each predicate that changes.
//!
//! All rules are read in the structure before the step. A predicate without a rule stays as it is. By the
//! embedding theorem the result stands for the state after the step, for each state before it.
//!
//! A rule gives the new value, or says where the predicate is lost and gained. The second form says more
//! where the old value is unknown: nothing lost and nothing gained means no change.

use crate::evaluate::Assignment;
use crate::formula::{Formula, Var};
use crate::literal::Atom;
use crate::structure::Structure;
use crate::vocabulary::Predicate;
use std::fmt;

/// The reason why a rule is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MalformedRule {
    /// Equality does not change.
    Equality,
    /// The two parameters are one variable.
    RepeatedParameter,
    /// A formula has a free variable that is not a parameter.
    FreeVariable,
}

impl fmt::Display for MalformedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MalformedRule::Equality => "an update rule is about equality",
            MalformedRule::RepeatedParameter => "an update rule repeats a parameter",
            MalformedRule::FreeVariable => "an update rule reads a variable that is not a parameter",
        })
    }
}

impl std::error::Error for MalformedRule {}

/// The new values of one predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// The new value.
    Set(Formula),
    /// False where it is lost, true where it is gained, as before elsewhere; *gained* decides where both
    /// hold.
    Edit { lost: Formula, gained: Formula },
}

/// The new values of some predicates.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Update {
    rules: Vec<Rule>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    /// The predicate and its parameters.
    pub of: Atom,
    pub change: Change,
    /// The new value.
    value: Formula,
}

impl Update {
    pub fn new() -> Update {
        Update::default()
    }

    /// Adds a rule for the predicate of `of`, whose variables are the parameters. It replaces an earlier rule
    /// for this predicate.
    pub fn change(&mut self, of: Atom, change: Change) -> Result<(), MalformedRule> {
        let Some(predicate) = of.predicate() else { return Err(MalformedRule::Equality) };
        if of.repeats_a_variable() {
            return Err(MalformedRule::RepeatedParameter);
        }
        let value = match &change {
            Change::Set(formula) => formula.clone(),
            Change::Edit { lost, gained } => of.formula().and(!lost.clone()).or(gained.clone()),
        };
        if value.free() & !of.variables() != 0 {
            return Err(MalformedRule::FreeVariable);
        }
        self.rules.retain(|rule| rule.of.predicate() != Some(predicate));
        self.rules.push(Rule { of, change, value });
        Ok(())
    }

    /// Returns the predicates that have a rule.
    pub fn changed(&self) -> impl Iterator<Item = Predicate> + '_ {
        self.rules.iter().filter_map(|rule| rule.of.predicate())
    }

    pub(crate) fn rule(&self, predicate: Predicate) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.of.predicate() == Some(predicate))
    }

    /// Computes the structure after the step.
    pub fn apply(&self, before: &Structure) -> Structure {
        let mut after = before.clone();
        let mut env = Assignment::new();
        for Rule { of, value, .. } in &self.rules {
            match *of {
                Atom::Nullary(p) => after.set_nullary(p, before.value(value, &mut env)),
                Atom::Unary(p, x) => after.unary[p.index()] = before.row(value, &mut env, x),
                Atom::Binary(p, x, y) => {
                    for u in 0..before.size {
                        env.set(x, u);
                        after.set_row_from(p, u, before.row(value, &mut env, y));
                    }
                }
                // `change` refuses rules about equality.
                Atom::Equal(..) => {}
            }
        }
        after
    }
}

impl Rule {
    /// The parameters, in order.
    pub fn parameters(&self) -> Vec<Var> {
        arguments(self.of)
    }

    pub fn value(&self) -> &Formula {
        &self.value
    }
}

pub(crate) fn arguments(atom: Atom) -> Vec<Var> {
    match atom {
        Atom::Nullary(_) => Vec::new(),
        Atom::Unary(_, x) => vec![x],
        Atom::Binary(_, x, y) | Atom::Equal(x, y) => vec![x, y],
    }
}
