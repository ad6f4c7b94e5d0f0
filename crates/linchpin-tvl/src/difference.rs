//! Finite differencing: the update of a derived predicate, computed from its definition.
//!
//! A derived predicate *p* is defined by a formula ψ. After a step its value is that of ψ with every
//! predicate replaced by its new value. Evaluated so, the stored value of *p* is lost: ψ is often unknown in
//! an abstract structure where *p* is known. So two formulas are computed, where ψ is *gained* and where it
//! is *lost*, and the update is `(p ∧ ¬lost) ∨ (¬p ∧ gained)`. A step that does not touch ψ has neither.
//!
//! **Claim.** In two-valued structures: gained implies that ψ holds after the step, and holds wherever ψ
//! becomes true. Lost implies that ψ does not hold after the step, and holds wherever ψ becomes false. So the
//! update is right. **Proof**: by induction over ψ, a line for each connective in [`Difference::of`]; the
//! update then gives ψ after the step in each of the four cases of *p*, gained and lost. ∎ In three-valued
//! structures the update is sound by the embedding theorem. **Guarding tests**: `difference`.
//!
//! The method is that of Reps, Sagiv and Loginov. Transitive closure is computed again, but for
//! [`PathUpdate`], which has edge rules for fields.

use crate::formula::{Closure, Formula, TooManyVariables, Var};
use crate::literal::Atom;
use crate::update::{Change, MalformedRule, Rule, Update, arguments};
use crate::vocabulary::{Binary, Predicate};
use std::fmt;

/// The reason why no update was derived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DifferenceError {
    Rule(MalformedRule),
    TooManyVariables,
}

impl fmt::Display for DifferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DifferenceError::Rule(rule) => rule.fmt(f),
            DifferenceError::TooManyVariables => TooManyVariables.fmt(f),
        }
    }
}

impl std::error::Error for DifferenceError {}

impl From<MalformedRule> for DifferenceError {
    fn from(rule: MalformedRule) -> DifferenceError {
        DifferenceError::Rule(rule)
    }
}

impl From<TooManyVariables> for DifferenceError {
    fn from(_: TooManyVariables) -> DifferenceError {
        DifferenceError::TooManyVariables
    }
}

impl Update {
    /// Adds the rule of a derived predicate, from its definition and the rules that are there.
    ///
    /// A definition that reads derived predicates needs their rules first. No rule is added if the step does
    /// not touch the definition.
    pub fn derive(&mut self, of: Atom, definition: &Formula) -> Result<(), DifferenceError> {
        let difference = Difference::of(definition, self)?;
        if difference.lost == Formula::FALSE && difference.gained == Formula::FALSE {
            return Ok(());
        }
        let gained = (!of.formula()).and(difference.gained);
        self.change(of, Change::Edit { lost: difference.lost, gained })?;
        Ok(())
    }

    /// Returns a formula with every predicate replaced by its value after the step.
    pub fn after(&self, formula: &Formula) -> Result<Formula, TooManyVariables> {
        let parts = |parts: &[Formula]| -> Result<Vec<Formula>, TooManyVariables> {
            parts.iter().map(|part| self.after(part)).collect()
        };
        Ok(match formula {
            Formula::Constant(_) | Formula::Equal(..) => formula.clone(),
            Formula::Nullary(p) => self.value_after(Atom::Nullary(*p))?,
            Formula::Unary(p, x) => self.value_after(Atom::Unary(*p, *x))?,
            Formula::Binary(p, x, y) => self.value_after(Atom::Binary(*p, *x, *y))?,
            Formula::Not(inner) => !self.after(inner)?,
            Formula::And(inner) => Formula::all(parts(inner)?),
            Formula::Or(inner) => Formula::any(parts(inner)?),
            Formula::Exists(x, inner) => self.after(inner)?.for_some(*x),
            Formula::Forall(x, inner) => self.after(inner)?.for_each(*x),
            Formula::Closure(closure) => {
                let step = self.after(&closure.step)?;
                Formula::Closure(Box::new(Closure { step, ..(**closure).clone() }))
            }
        })
    }

    fn value_after(&self, atom: Atom) -> Result<Formula, TooManyVariables> {
        match atom.predicate().and_then(|predicate| self.rule(predicate)) {
            None => Ok(atom.formula()),
            Some(rule) => applied(rule.value(), rule, atom),
        }
    }

    fn touches(&self, formula: &Formula) -> bool {
        let mut touched = false;
        formula.predicates(&mut |predicate: Predicate| touched |= self.rule(predicate).is_some());
        touched
    }
}

/// A formula about the parameters of a rule, applied to the arguments of an atom.
fn applied(formula: &Formula, rule: &Rule, atom: Atom) -> Result<Formula, TooManyVariables> {
    let map: Vec<(Var, Var)> = rule.parameters().into_iter().zip(arguments(atom)).collect();
    formula.renamed(&map)
}

/// Where a formula becomes true and where it becomes false.
struct Difference {
    gained: Formula,
    lost: Formula,
}

impl Difference {
    const NONE: Difference = Difference { gained: Formula::FALSE, lost: Formula::FALSE };

    fn of(formula: &Formula, update: &Update) -> Result<Difference, TooManyVariables> {
        if !update.touches(formula) {
            return Ok(Difference::NONE);
        }
        match formula {
            Formula::Constant(_) | Formula::Equal(..) => Ok(Difference::NONE),
            Formula::Nullary(p) => Difference::of_atom(Atom::Nullary(*p), update),
            Formula::Unary(p, x) => Difference::of_atom(Atom::Unary(*p, *x), update),
            Formula::Binary(p, x, y) => Difference::of_atom(Atom::Binary(*p, *x, *y), update),
            Formula::Not(inner) => {
                let Difference { gained, lost } = Difference::of(inner, update)?;
                Ok(Difference { gained: lost, lost: gained })
            }
            Formula::And(parts) => Difference::of_conjunction(parts, update),
            // ψ ∨ χ is ¬(¬ψ ∧ ¬χ).
            Formula::Or(parts) => {
                let negated: Vec<Formula> = parts.iter().map(|part| !part.clone()).collect();
                let Difference { gained, lost } = Difference::of_conjunction(&negated, update)?;
                Ok(Difference { gained: lost, lost: gained })
            }
            // A witness is gained; or one is lost, and none is left.
            Formula::Exists(x, inner) => {
                let Difference { gained, lost } = Difference::of(inner, update)?;
                let lost = some(*x, lost).and(!some(*x, update.after(inner)?));
                Ok(Difference { gained: some(*x, gained), lost })
            }
            // ∀ is ¬∃¬.
            Formula::Forall(x, inner) => {
                let Difference { gained, lost } = Difference::of(inner, update)?;
                let gained = some(*x, gained).and(!some(*x, !update.after(inner)?));
                Ok(Difference { gained, lost: some(*x, lost) })
            }
            Formula::Closure(_) => {
                let after = update.after(formula)?;
                let gained = after.clone().and(!formula.clone());
                Ok(Difference { gained, lost: formula.clone().and(!after) })
            }
        }
    }

    fn of_atom(atom: Atom, update: &Update) -> Result<Difference, TooManyVariables> {
        let Some(rule) = atom.predicate().and_then(|predicate| update.rule(predicate)) else {
            return Ok(Difference::NONE);
        };
        let old = atom.formula();
        Ok(match &rule.change {
            Change::Set(value) => {
                let new = applied(value, rule, atom)?;
                Difference { gained: new.clone().and(!old.clone()), lost: old.and(!new) }
            }
            Change::Edit { lost, gained } => {
                let (lost, gained) = (applied(lost, rule, atom)?, applied(gained, rule, atom)?);
                Difference { lost: old.clone().and(lost).and(!gained.clone()), gained: gained.and(!old) }
            }
        })
    }

    /// A part is gained, and the others hold after the step; or a part is lost, and the others held before
    /// it.
    fn of_conjunction(parts: &[Formula], update: &Update) -> Result<Difference, TooManyVariables> {
        let mut gained = Vec::new();
        let mut lost = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let difference = Difference::of(part, update)?;
            let others = || parts.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, other)| other);
            if difference.gained != Formula::FALSE {
                let after = others().map(|other| update.after(other)).collect::<Result<Vec<_>, _>>()?;
                gained.push(difference.gained.and(Formula::all(after)));
            }
            if difference.lost != Formula::FALSE {
                lost.push(difference.lost.and(Formula::all(others().cloned())));
            }
        }
        Ok(Difference { gained: Formula::any(gained), lost: Formula::any(lost) })
    }
}

/// "For some x"; a formula that is false stays the constant.
fn some(x: Var, formula: Formula) -> Formula {
    if formula == Formula::FALSE { Formula::FALSE } else { formula.for_some(x) }
}

/// A write of one field of one cell, and the edge rules for paths along this field.
///
/// `path` is the reflexive transitive closure of `field`. **Claim.** If `field` is functional and has no
/// cycle before the write, and the new target does not lead to the cell, then the rules give the closure
/// after the write, and it has no cycle. **Proof.** Without a cycle a path visits the cell at most once, and
/// then goes on by its one edge. So a path from *x* to *y* uses the old edge exactly if *x* leads to the cell
/// and the cell leads to *y*, another individual. Those paths are lost. A new path goes from *x* to the cell,
/// along the new edge, and from the target to *y*. Its last part does not use the old edge, since the target
/// does not lead to the cell. A new cycle would have to use the new edge. ∎ **Guarding test**:
/// `edge_rules_are_the_closure`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathUpdate {
    /// A formula about the variable `cell`: it is the cell that is written, and at most one is.
    pub is_cell: Formula,
    pub cell: Var,
    /// A formula about the variable `target`: it is the new target. None is for null.
    pub is_target: Formula,
    pub target: Var,
}

impl PathUpdate {
    /// Adds the rules of the field and of its paths.
    pub fn add_to(&self, update: &mut Update, field: Binary, path: Binary) -> Result<(), DifferenceError> {
        let [x, y, c, d] = Var::first();
        let is_cell = |at: Var| self.is_cell.renamed(&[(self.cell, at)]);
        let is_target = |at: Var| self.is_target.renamed(&[(self.target, at)]);
        let write = Change::Edit { lost: is_cell(x)?, gained: is_cell(x)?.and(is_target(y)?) };
        update.change(Atom::Binary(field, x, y), write)?;
        let through = [is_cell(c)?, path.of(x, c), path.of(c, y), !Formula::equal(c, y)];
        let to_cell = is_cell(c)?.and(path.of(x, c)).for_some(c);
        let from_target = is_target(d)?.and(path.of(d, y)).for_some(d);
        let paths =
            Change::Edit { lost: Formula::all(through).for_some(c), gained: to_cell.and(from_target) };
        update.change(Atom::Binary(path, x, y), paths)?;
        Ok(())
    }

    /// Returns the formula that must be false before the write: the target leads to the cell.
    pub fn closes_a_cycle(&self, path: Binary) -> Result<Formula, TooManyVariables> {
        let [c, d] = Var::first();
        let is_cell = self.is_cell.renamed(&[(self.cell, c)])?;
        let is_target = self.is_target.renamed(&[(self.target, d)])?;
        Ok(Formula::all([is_cell, is_target, path.of(d, c)]).for_some(d).for_some(c))
    }
}
