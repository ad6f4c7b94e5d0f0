//! Expressions: their values in a run, and conditions. A condition that the abstraction does not decide
//! splits the run.

use super::run::{AbstractRun, Case, Cases, Context, Decided, Outcomes, Parts};
use crate::alarm::AlarmKind;
use crate::pairs::domain::relation::Relations;
use crate::pairs::domain::shape::Term;
use crate::pairs::domain::value::{AgePlace, Value};
use linchpin_certify::certificate::SAME;
use linchpin_certify::observer_adequacy::KEY_CLASSES;
use linchpin_ir::heap::{HeapExpr, HeapInstr};
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

impl Context<'_> {
    /// Returns the value of an expression, in each case. A condition may split the run.
    pub fn values(
        &self,
        run: Case,
        expr: &HeapExpr,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> SmallVec<[(Case, Parts); 1]> {
        match expr {
            HeapExpr::Not(_)
            | HeapExpr::And(..)
            | HeapExpr::Or(..)
            | HeapExpr::Equal(..)
            | HeapExpr::Less(..) => {
                let decided = self.decide(run, expr, span, outcomes).into_iter();
                decided.map(|(run, yes)| (run, smallvec![Value::Small(i8::from(yes))])).collect()
            }
            _ => {
                let parts = self.parts(&run, expr);
                smallvec![(run, parts)]
            }
        }
    }

    /// Returns the value of an expression that is not a condition.
    pub fn parts(&self, run: &AbstractRun, expr: &HeapExpr) -> Parts {
        let (_, analyzed) = self.code(run.op);
        match expr {
            HeapExpr::Bool(yes) => smallvec![Value::Small(i8::from(*yes))],
            HeapExpr::Small(number) => {
                smallvec![i8::try_from(*number).map_or(Value::Unknown, Value::Small)]
            }
            HeapExpr::Null => smallvec![Value::Null],
            HeapExpr::None => smallvec![Value::Absent],
            HeapExpr::Undefined => smallvec![Value::Undefined],
            HeapExpr::Local(local) => {
                analyzed.slots.of_local(*local, None).map(|slot| run.env[slot]).collect()
            }
            HeapExpr::Part(of, part) => {
                let parts = self.parts(run, of);
                smallvec![parts.get(*part).copied().unwrap_or(Value::Unknown)]
            }
            HeapExpr::Some(of) => self.parts(run, of),
            HeapExpr::Word(fields) => fields.iter().flat_map(|field| self.parts(run, field)).collect(),
            HeapExpr::NextAge(of) => {
                let stepped = self.parts(run, of).into_iter().map(|value| match value {
                    Value::Age { current, stepped: false, of } => Value::Age { current, stepped: true, of },
                    _ => Value::Age { current: false, stepped: true, of: AgePlace::Lost },
                });
                stepped.collect()
            }
            HeapExpr::KeyMin => smallvec![Value::Key(0)],
            HeapExpr::KeyMax => smallvec![Value::Key(KEY_CLASSES - 1)],
            HeapExpr::Plus(a, b) => smallvec![counted(&self.parts(run, a), &self.parts(run, b), 1)],
            HeapExpr::Minus(a, b) => smallvec![counted(&self.parts(run, a), &self.parts(run, b), -1)],
            HeapExpr::InRange { value, .. } => self.parts(run, value),
            // The first age and conditions inside of a word are not tracked.
            HeapExpr::FirstAge
            | HeapExpr::Not(_)
            | HeapExpr::And(..)
            | HeapExpr::Or(..)
            | HeapExpr::Equal(..)
            | HeapExpr::Less(..) => smallvec![Value::Unknown],
        }
    }

    /// Splits a run: a condition holds, or does not hold.
    pub fn decide(&self, run: Case, cond: &HeapExpr, span: Span, outcomes: &mut Outcomes) -> Decided {
        match cond {
            HeapExpr::Not(inner) => {
                let decided = self.decide(run, inner, span, outcomes).into_iter();
                decided.map(|(run, yes)| (run, !yes)).collect()
            }
            HeapExpr::And(a, b) => self.both(run, [a, b], true, span, outcomes),
            HeapExpr::Or(a, b) => self.both(run, [a, b], false, span, outcomes),
            HeapExpr::Equal(a, b) => {
                let mut all = Decided::new();
                for (run, left) in self.values(run, a, span, outcomes) {
                    for (run, right) in self.values(run, b, span, outcomes) {
                        all.extend(self.same(run, &left, &right, span, outcomes));
                    }
                }
                all
            }
            HeapExpr::Less(a, b) => match (self.parts(&run, a).as_slice(), self.parts(&run, b).as_slice()) {
                ([Value::Small(a)], [Value::Small(b)]) => {
                    let less = a < b;
                    smallvec![(run, less)]
                }
                ([Value::Key(a)], [Value::Key(b)]) if a != b => {
                    let less = a < b;
                    smallvec![(run, less)]
                }
                ([a], [b]) if !self.may_compare(*a, *b, span, outcomes) => Decided::new(),
                _ => either(run),
            },
            expr => match self.parts(&run, expr).as_slice() {
                [Value::Small(number)] => {
                    let yes = *number != 0;
                    smallvec![(run, yes)]
                }
                _ => either(run),
            },
        }
    }

    /// Decides `a && b`, or `a || b` if `and` is false. The second operand is evaluated only if the first
    /// does not decide.
    fn both(
        &self,
        run: Case,
        [a, b]: [&HeapExpr; 2],
        and: bool,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Decided {
        let mut all = Decided::new();
        for (run, yes) in self.decide(run, a, span, outcomes) {
            if yes == and {
                all.extend(self.decide(run, b, span, outcomes));
            } else {
                all.push((run, yes));
            }
        }
        all
    }

    /// Splits a run: two values are equal in all parts, or they differ. If one part certainly differs, the
    /// other parts are not compared.
    pub fn same(
        &self,
        run: Case,
        left: &[Value],
        right: &[Value],
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Decided {
        let mut compared =
            left.iter().zip(right).filter(|(a, b)| **a != Value::Absent && **b != Value::Absent);
        if !compared.all(|(a, b)| self.may_compare(*a, *b, span, outcomes)) {
            return Decided::new();
        }
        if left.iter().zip(right).any(|(a, b)| known_same(&run, *a, *b) == Some(false)) {
            return smallvec![(run, false)];
        }
        let mut equal: Cases = smallvec![run];
        let mut all = Decided::new();
        for (a, b) in left.iter().zip(right) {
            let mut still = Cases::new();
            for run in equal {
                for (run, yes) in same_value(run, *a, *b) {
                    if yes {
                        still.push(run);
                    } else {
                        all.push((run, false));
                    }
                }
            }
            equal = still;
        }
        all.extend(equal.into_iter().map(|run| (run, true)));
        all
    }
}

impl Context<'_> {
    /// Raises an alarm if a compared value may be undefined. Returns false if a value is undefined: this ends
    /// the execution.
    fn may_compare(&self, a: Value, b: Value, span: Span, outcomes: &mut Outcomes) -> bool {
        let is_undefined = self.is_undefined(a) || self.is_undefined(b);
        let may_be = matches!((a, b), (Value::Key(_), Value::Unknown) | (Value::Unknown, Value::Key(_)));
        if is_undefined || may_be {
            outcomes.alarm(AlarmKind::UndefinedUsed, span);
        }
        !is_undefined
    }

    /// Raises an alarm for each number of an instruction that may leave its range. Returns false if a number
    /// certainly does: this ends the execution. Skips operands that a condition may not evaluate.
    pub fn keeps_ranges(&self, run: &AbstractRun, instr: &HeapInstr, outcomes: &mut Outcomes) -> bool {
        let mut keeps = true;
        let mut ranged: SmallVec<[(Parts, i64, i64); 1]> = SmallVec::new();
        instr.op.operands(&mut |expr| self.ranges(run, expr, &mut ranged));
        instr.op.places(&mut |place| place.operands(&mut |expr| self.ranges(run, expr, &mut ranged)));
        for (parts, low, high) in ranged {
            let is_in =
                matches!(parts[..], [Value::Small(number)] if (low..=high).contains(&i64::from(number)));
            if !is_in {
                outcomes.alarm(AlarmKind::OutOfRange, instr.span);
                keeps &= !matches!(parts[..], [Value::Small(_)]);
            }
        }
        keeps
    }

    /// Adds the numbers of an expression that have a range, and the ranges.
    fn ranges(&self, run: &AbstractRun, expr: &HeapExpr, all: &mut SmallVec<[(Parts, i64, i64); 1]>) {
        match expr {
            HeapExpr::And(a, _) | HeapExpr::Or(a, _) => self.ranges(run, a, all),
            _ => expr.children(&mut |child| self.ranges(run, child, all)),
        }
        if let HeapExpr::InRange { value, low, high } = expr {
            all.push((self.parts(run, value), *low, *high));
        }
    }
}

/// Returns whether two parts are equal; `None` if this is not known.
fn known_same(run: &AbstractRun, a: Value, b: Value) -> Option<bool> {
    use Value::*;
    match (a, b) {
        (Unknown | Garbage, _) | (_, Unknown | Garbage) => None,
        (Cell(a), Cell(b)) => match run.scene.shape.get(a, b) {
            SAME => Some(true),
            relations if relations & SAME == 0 => Some(false),
            _ => None,
        },
        (Small(a), Small(b)) => Some(a == b),
        (Key(a), Key(b)) if a != b => Some(false),
        (Null, Null) | (Absent, Absent) => Some(true),
        (Age { current: a, stepped: s, of: p }, Age { current: b, stepped: t, of: q }) => {
            let is_comparable = s == t && p == q && p != AgePlace::Lost;
            (is_comparable && (a || b)).then_some(a == b)
        }
        (Null, Cell(_)) | (Cell(_), Null) | (Absent, _) | (_, Absent) => Some(false),
        _ => None,
    }
}

fn same_value(run: Case, a: Value, b: Value) -> Decided {
    match (known_same(&run, a, b), a, b) {
        (Some(yes), _, _) => smallvec![(run, yes)],
        (None, Value::Cell(a), Value::Cell(b)) => split(run, a, b, SAME),
        (None, _, _) => either(run),
    }
}

/// A sum with a larger absolute value becomes unknown, so that the analysis ends. Only local counters reach
/// it.
const MOST_COUNTED: i16 = 16;

/// Returns the sum of two numbers; `sign` is the sign of the second.
fn counted(a: &[Value], b: &[Value], sign: i16) -> Value {
    match (a, b) {
        ([Value::Small(a)], [Value::Small(b)]) => {
            let sum = i16::from(*a) + sign * i16::from(*b);
            let counted = Some(sum).filter(|sum| sum.abs() <= MOST_COUNTED);
            counted.and_then(|sum| i8::try_from(sum).ok()).map_or(Value::Unknown, Value::Small)
        }
        _ => Value::Unknown,
    }
}

/// Splits a run: two terms have one of these relations, or they do not.
pub fn split(run: Case, a: Term, b: Term, relations: Relations) -> Decided {
    let now = run.scene.shape.get(a, b);
    if now & !relations == 0 {
        return smallvec![(run, true)];
    }
    if now & relations == 0 {
        return smallvec![(run, false)];
    }
    let mut all = Decided::new();
    let mut yes = run.clone();
    if yes.scene.shape.refine(a, b, relations).is_ok() {
        all.push((yes, true));
    }
    let mut no = run;
    if no.scene.shape.refine(a, b, !relations).is_ok() {
        all.push((no, false));
    }
    all
}

/// Returns both cases of an undecided condition.
fn either(run: Case) -> Decided {
    smallvec![(run.clone(), true), (run, false)]
}
