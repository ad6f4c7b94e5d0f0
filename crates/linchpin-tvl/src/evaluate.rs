//! The value of a formula in a structure.
//!
//! [`Structure::evaluate`] gives the value for one assignment. Inside, one variable of the assignment may
//! stay open: the value is then a [`Row`], and connectives work on all individuals at once. A quantifier
//! opens its variable, so the innermost one costs one pass. A formula with *k* variables on *n* individuals
//! costs about *n*^(*k*-1) steps.
//!
//! `x = x` is true, also of a summary: each individual that the summary stands for equals itself. Two
//! different variables at one summary may name different individuals, so their equality is unknown.

use crate::formula::{Closure, Formula, Var};
use crate::kleene::{Kleene, Row, bits};
use crate::structure::{Individual, Structure};

/// Individuals for variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: [u8; Var::COUNT],
    assigned: u32,
}

impl Assignment {
    pub fn new() -> Assignment {
        Assignment::default()
    }

    pub fn with(mut self, x: Var, u: Individual) -> Assignment {
        self.set(x, u.index());
        self
    }

    pub(crate) fn set(&mut self, x: Var, u: usize) {
        self.values[x.index()] = Individual::of(u).0;
        self.assigned |= x.bit();
    }

    pub(crate) fn get(&self, x: Var) -> usize {
        usize::from(self.values[x.index()])
    }

    /// Returns the individual of a variable, if it has one.
    pub fn individual(&self, x: Var) -> Option<Individual> {
        (self.assigned & x.bit() != 0).then(|| Individual(self.values[x.index()]))
    }
}

impl Structure {
    /// Returns the value of a formula; `None` if a free variable has no individual of this structure.
    pub fn evaluate(&self, formula: &Formula, assignment: &Assignment) -> Option<Kleene> {
        let known = |x: Var| assignment.individual(x).is_some_and(|u| u.index() < self.size);
        formula.free_variables().all(known).then(|| self.value(formula, &mut { *assignment }))
    }

    /// The value; the assignment has all free variables, and is as before afterwards.
    pub(crate) fn value(&self, formula: &Formula, env: &mut Assignment) -> Kleene {
        match formula {
            Formula::Constant(value) => *value,
            Formula::Nullary(p) => self.nullary(*p),
            Formula::Unary(p, x) => self.unary[p.index()].get(env.get(*x)),
            Formula::Binary(p, x, y) => self.row_from(*p, env.get(*x)).get(env.get(*y)),
            Formula::Equal(x, y) => match x == y {
                true => Kleene::True,
                false => self.equal(Individual::of(env.get(*x)), Individual::of(env.get(*y))),
            },
            Formula::Not(inner) => !self.value(inner, env),
            Formula::And(parts) => {
                let mut result = Kleene::True;
                for part in parts {
                    result = result & self.value(part, env);
                    if result == Kleene::False {
                        break;
                    }
                }
                result
            }
            Formula::Or(parts) => {
                let mut result = Kleene::False;
                for part in parts {
                    result = result | self.value(part, env);
                    if result == Kleene::True {
                        break;
                    }
                }
                result
            }
            Formula::Exists(x, inner) => self.row(inner, env, *x).any(),
            Formula::Forall(x, inner) => self.row(inner, env, *x).all(self.universe()),
            Formula::Closure(closure) => {
                let end = env.get(closure.end);
                self.reached(closure, env, env.get(closure.start), Direction::Forwards).get(end)
            }
        }
    }

    /// The value for each individual that `open` can be; any value of `open` in the assignment is ignored.
    pub(crate) fn row(&self, formula: &Formula, env: &mut Assignment, open: Var) -> Row {
        let universe = self.universe();
        match formula {
            Formula::Constant(_) | Formula::Nullary(_) => Row::constant(self.value(formula, env), universe),
            Formula::Unary(p, x) if *x == open => self.unary[p.index()],
            Formula::Binary(p, x, y) if *x == open && *y == open => self.diagonal(*p),
            Formula::Binary(p, x, y) if *y == open => self.row_from(*p, env.get(*x)),
            Formula::Binary(p, x, y) if *x == open => self.row_to(*p, env.get(*y)),
            Formula::Equal(x, y) if *x != *y && (*x == open || *y == open) => {
                let other = env.get(if *x == open { *y } else { *x });
                Row { may: 1 << other, must: (1 << other) & !self.summary }
            }
            Formula::Unary(..) | Formula::Binary(..) | Formula::Equal(..) => {
                Row::constant(self.value(formula, env), universe)
            }
            Formula::Not(inner) => self.row(inner, env, open).not(universe),
            Formula::And(parts) => {
                let mut result = Row::constant(Kleene::True, universe);
                for part in parts {
                    result = result & self.row(part, env, open);
                    if result.may == 0 {
                        break;
                    }
                }
                result
            }
            Formula::Or(parts) => {
                let mut result = Row::FALSE;
                for part in parts {
                    result = result | self.row(part, env, open);
                    if result.must == universe {
                        break;
                    }
                }
                result
            }
            Formula::Exists(x, _) | Formula::Forall(x, _) if *x == open => {
                Row::constant(self.value(formula, env), universe)
            }
            Formula::Exists(x, inner) => {
                self.over(*x, env, Row::FALSE, &mut |env, result| result | self.row(inner, env, open))
            }
            Formula::Forall(x, inner) => {
                self.over(*x, env, Row::constant(Kleene::True, universe), &mut |env, result| {
                    result & self.row(inner, env, open)
                })
            }
            Formula::Closure(closure) => self.closure_row(closure, env, open),
        }
    }

    fn diagonal(&self, p: crate::vocabulary::Binary) -> Row {
        let mut result = Row::FALSE;
        for u in 0..self.size {
            result.set(u, self.row_from(p, u).get(u));
        }
        result
    }

    /// Gives `x` each individual in turn, and its old value at the end.
    fn over(
        &self,
        x: Var,
        env: &mut Assignment,
        start: Row,
        step: &mut dyn FnMut(&mut Assignment, Row) -> Row,
    ) -> Row {
        let saved = *env;
        let mut result = start;
        for u in 0..self.size {
            env.set(x, u);
            result = step(env, result);
        }
        *env = saved;
        result
    }

    fn closure_row(&self, closure: &Closure, env: &mut Assignment, open: Var) -> Row {
        let Closure { from, to, step, start, end } = closure;
        let bound = from.bit() | to.bit();
        let step_is_open = step.free() & !bound & open.bit() != 0;
        if !step_is_open && *start != open && *end == open {
            return self.reached(closure, env, env.get(*start), Direction::Forwards);
        }
        if !step_is_open && *start == open && *end != open {
            return self.reached(closure, env, env.get(*end), Direction::Backwards);
        }
        if !step_is_open && *start != open && *end != open {
            let value = self.reached(closure, env, env.get(*start), Direction::Forwards).get(env.get(*end));
            return Row::constant(value, self.universe());
        }
        let saved = *env;
        let mut result = Row::FALSE;
        for u in 0..self.size {
            env.set(open, u);
            let row = self.reached(closure, env, env.get(*start), Direction::Forwards);
            result.set(u, row.get(env.get(*end)));
        }
        *env = saved;
        result
    }

    /// Where paths of one or more steps lead from `origin`, or come from if `direction` is backwards.
    fn reached(&self, closure: &Closure, env: &mut Assignment, origin: usize, direction: Direction) -> Row {
        let saved = *env;
        let (near, far) = match direction {
            Direction::Forwards => (closure.from, closure.to),
            Direction::Backwards => (closure.to, closure.from),
        };
        let mut result = Row::FALSE;
        let mut expanded = Row::FALSE;
        let (mut may, mut must) = (1u64 << origin, 1u64 << origin);
        while may != 0 {
            // What surely leads on comes first: each individual is then expanded at most twice.
            let next = if must != 0 { must } else { may };
            let Some(u) = bits(next).next() else { break };
            env.set(near, u);
            let row = self.row(&closure.step, env, far);
            expanded.may |= 1 << u;
            result.may |= row.may;
            if must >> u & 1 == 1 {
                expanded.must |= 1 << u;
                result.must |= row.must;
            }
            may = (result.may | 1 << origin) & !expanded.may;
            must = (result.must | 1 << origin) & !expanded.must;
            may |= must;
        }
        *env = saved;
        result
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forwards,
    Backwards,
}
