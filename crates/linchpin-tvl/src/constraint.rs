//! Compatibility constraints and Coerce.
//!
//! A constraint `body ▷ head` says of concrete states that the head holds wherever the body does. The head is
//! a literal. Coerce makes a structure sharper: where the body is *true* and the head is unknown, the head
//! becomes true; where the head is false, the structure stands for no state.
//!
//! **Claim.** Coerce keeps the states in γ that satisfy all constraints. **Assumptions**: embeddings are
//! onto, and the variables of a head are distinct. **Proof.** Let a state *C* in γ(*S*) satisfy the
//! constraint, and let the body be true in *S* at some individuals. Each choice of individuals of *C* that
//! stand behind them makes the body true in *C*, by the embedding theorem. So it makes the head true. Since
//! the variables of the head are distinct, these choices are *all* tuples behind the head. So *C* refines the
//! sharper value. There is such a choice, since the embedding is onto; so a false head excludes *C*. An
//! equality of a summary with itself says the same of all pairs behind it: the summary stands for one
//! individual. ∎ **Guarding tests**: `coerce`.
//!
//! The assumption matters. ¬circ(*v*) ▷ ¬next(*v*, *v*) is true of all states. At a summary its head is about
//! all pairs behind the summary, and the proof covers the pairs of equals only. The rule would delete the
//! edges between different cells. [`Constraint::new`] refuses it; write `v = w` in the body.

use crate::evaluate::Assignment;
use crate::formula::{Formula, Var};
use crate::kleene::Row;
use crate::literal::{Atom, Literal};
use crate::structure::Structure;
use crate::vocabulary::Predicate;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;

/// The head of a constraint repeats a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepeatedVariable;

impl fmt::Display for RepeatedVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the head of a constraint repeats a variable: at a summary it would change the value of all \
             pairs, and the body speaks of equal pairs only; use two variables, and `x = y` in the body",
        )
    }
}

impl std::error::Error for RepeatedVariable {}

/// `body ▷ head`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    body: Formula,
    /// `None` is the head that is never true.
    head: Option<Literal>,
}

impl Constraint {
    /// Makes a constraint. A free variable of the body that the head does not have means "for some".
    pub fn new(body: Formula, head: Literal) -> Result<Constraint, RepeatedVariable> {
        if head.atom.repeats_a_variable() {
            return Err(RepeatedVariable);
        }
        let extra = body.free() & !head.atom.variables();
        Ok(Constraint { body: Var::in_set(extra).fold(body, Formula::for_some), head: Some(head) })
    }

    /// Makes the constraint that the body is nowhere true.
    pub fn never(body: Formula) -> Constraint {
        let free: Vec<Var> = body.free_variables().collect();
        Constraint { body: free.into_iter().fold(body, Formula::for_some), head: None }
    }

    /// Makes a constraint whose body is a conjunction, with each quantifier as far inside as it goes.
    pub fn of_literals(body: &[Literal], head: Literal) -> Result<Constraint, RepeatedVariable> {
        let all = body.iter().fold(0, |set, literal| set | literal.atom.variables());
        let given = head.atom.variables();
        Constraint::new(nested(body, given, all & !given), head)
    }

    pub fn body(&self) -> &Formula {
        &self.body
    }

    pub fn head(&self) -> Option<Literal> {
        self.head
    }

    /// Returns the constraint as a formula of two-valued logic.
    pub fn formula(&self) -> Formula {
        let head = self.head.map_or(Formula::FALSE, Literal::formula);
        let body = self.body.clone().implies(head);
        let free: Vec<Var> = body.free_variables().collect();
        free.into_iter().fold(body, Formula::for_each)
    }

    /// Sharpens a structure where the body is true.
    fn apply(&self, structure: &mut Structure) -> Effect {
        let mut env = Assignment::new();
        let Some(Literal { atom, positive }) = self.head else {
            return match structure.value(&self.body, &mut env).must() {
                true => Effect::Contradiction,
                false => Effect::None,
            };
        };
        match atom {
            Atom::Nullary(p) => {
                if !structure.value(&self.body, &mut env).must() {
                    return Effect::None;
                }
                let old = structure.nullary(p);
                let new = positive.into();
                structure.set_nullary(p, new);
                match old {
                    old if old == new => Effect::None,
                    old if old.is_definite() => Effect::Contradiction,
                    _ => Effect::Sharper,
                }
            }
            Atom::Unary(p, x) => {
                let fires = structure.row(&self.body, &mut env, x).must;
                match sharpened(structure.unary[p.index()], fires, positive) {
                    None => Effect::Contradiction,
                    Some(row) => {
                        let old = std::mem::replace(&mut structure.unary[p.index()], row);
                        if old == row { Effect::None } else { Effect::Sharper }
                    }
                }
            }
            Atom::Binary(p, x, y) => {
                let mut effect = Effect::None;
                for u in 0..structure.size {
                    env.set(x, u);
                    let fires = structure.row(&self.body, &mut env, y).must;
                    if fires == 0 {
                        continue;
                    }
                    let old = structure.row_from(p, u);
                    let Some(row) = sharpened(old, fires, positive) else { return Effect::Contradiction };
                    if old != row {
                        structure.set_row_from(p, u, row);
                        effect = Effect::Sharper;
                    }
                }
                effect
            }
            Atom::Equal(x, y) => {
                let mut effect = Effect::None;
                for u in 0..structure.size {
                    env.set(x, u);
                    let fires = structure.row(&self.body, &mut env, y).must;
                    let here = 1 << u;
                    if (positive && fires & !here != 0) || (!positive && fires & here != 0) {
                        return Effect::Contradiction;
                    }
                    if positive && fires & structure.summary & here != 0 {
                        structure.summary &= !here;
                        effect = Effect::Sharper;
                    }
                }
                effect
            }
        }
    }
}

/// The conjunction of literals under "for some" of `bound`; literals that need no more variables come first.
fn nested(literals: &[Literal], given: u32, bound: u32) -> Formula {
    let (mut now, later): (Vec<Literal>, Vec<Literal>) =
        literals.iter().partition(|literal| literal.atom.variables() & !given == 0);
    // Facts of one individual decide sooner.
    now.sort_by_key(|literal| literal.atom.variables().count_ones());
    let here = Formula::all(now.into_iter().map(Literal::formula));
    // The next variable is the one that most literals can then be decided with.
    let decided =
        |x: &Var| later.iter().filter(|literal| literal.atom.variables() & !given & !x.bit() == 0).count();
    match Var::in_set(bound).max_by_key(|x| (decided(x), std::cmp::Reverse(*x))) {
        None => here,
        Some(x) => here.and(nested(&later, given | x.bit(), bound & !x.bit()).for_some(x)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    Sharper,
    Contradiction,
}

/// The row with the value `positive` where `fires`; `None` if it has the other value somewhere there.
fn sharpened(row: Row, fires: u64, positive: bool) -> Option<Row> {
    match positive {
        true if fires & !row.may != 0 => None,
        true => Some(Row { may: row.may, must: row.must | fires }),
        false if fires & row.must != 0 => None,
        false => Some(Row { may: row.may & !fires, must: row.must }),
    }
}

/// A set of constraints, with the index that Coerce uses.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    constraints: Vec<Constraint>,
    /// The constraints whose body reads a predicate.
    readers: FxHashMap<Predicate, Vec<usize>>,
    /// The constraints whose body has an equality.
    equality_readers: Vec<usize>,
}

impl Constraints {
    /// Collects constraints; of equal ones it keeps one.
    pub fn new(constraints: impl IntoIterator<Item = Constraint>) -> Constraints {
        let mut result = Constraints::default();
        for constraint in constraints {
            if result.constraints.contains(&constraint) {
                continue;
            }
            let index = result.constraints.len();
            let mut read = Vec::new();
            constraint.body.predicates(&mut |predicate| read.push(predicate));
            read.sort_unstable();
            read.dedup();
            for predicate in read {
                result.readers.entry(predicate).or_default().push(index);
            }
            if has_equality(&constraint.body) {
                result.equality_readers.push(index);
            }
            result.constraints.push(constraint);
        }
        result
    }

    pub fn iter(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints.iter()
    }

    pub fn len(&self) -> usize {
        self.constraints.len()
    }

    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// Sharpens a structure until no constraint says more; `None` if no state satisfies the constraints.
    pub fn coerce(&self, mut structure: Structure) -> Option<Structure> {
        let mut queue: VecDeque<usize> = (0..self.constraints.len()).collect();
        let mut queued = vec![true; self.constraints.len()];
        while let Some(index) = queue.pop_front() {
            queued[index] = false;
            let constraint = &self.constraints[index];
            match constraint.apply(&mut structure) {
                Effect::None => continue,
                Effect::Contradiction => return None,
                Effect::Sharper => {}
            }
            let readers = match constraint.head.and_then(|head| head.atom.predicate()) {
                Some(predicate) => self.readers.get(&predicate).map_or(&[][..], Vec::as_slice),
                None => &self.equality_readers,
            };
            for reader in readers {
                if !std::mem::replace(&mut queued[*reader], true) {
                    queue.push_back(*reader);
                }
            }
        }
        Some(structure)
    }
}

impl FromIterator<Constraint> for Constraints {
    fn from_iter<I: IntoIterator<Item = Constraint>>(constraints: I) -> Constraints {
        Constraints::new(constraints)
    }
}

fn has_equality(formula: &Formula) -> bool {
    match formula {
        Formula::Equal(..) => true,
        Formula::Constant(_) | Formula::Nullary(_) | Formula::Unary(..) | Formula::Binary(..) => false,
        Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => has_equality(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(has_equality),
        Formula::Closure(closure) => has_equality(&closure.step),
    }
}
