//! Expressions: their values in a run, and conditions, at which a run is split where the abstraction does not decide them.

use super::relation::Relations;
use super::scene::{AgePlace, Value};
use super::shape::Term;
use super::step::{Case, Cases, Context, Decided, Run};
use linchpin_core::certify::certificate::SAME;
use linchpin_core::certify::link::KEY_CLASSES;
use linchpin_core::ir::fragment::HeapExpr;
use smallvec::{SmallVec, smallvec};

/// The parts of a value.
pub type Parts = SmallVec<[Value; 3]>;

impl Context<'_> {
    /// The value of an expression; a condition may split the run.
    pub fn values(&self, run: Case, expr: &HeapExpr) -> SmallVec<[(Case, Parts); 1]> {
        match expr {
            HeapExpr::Not(_)
            | HeapExpr::And(..)
            | HeapExpr::Or(..)
            | HeapExpr::Equal(..)
            | HeapExpr::Less(..) => {
                let decided = self.decide(run, expr).into_iter();
                decided.map(|(run, yes)| (run, smallvec![Value::Small(i8::from(yes))])).collect()
            }
            _ => {
                let parts = self.parts(&run, expr);
                smallvec![(run, parts)]
            }
        }
    }

    /// The value of an expression that is no condition.
    pub fn parts(&self, run: &Run, expr: &HeapExpr) -> Parts {
        let (_, plan) = self.code(run.op);
        match expr {
            HeapExpr::Bool(yes) => smallvec![Value::Small(i8::from(*yes))],
            HeapExpr::Small(number) => {
                smallvec![i8::try_from(*number).map_or(Value::Unknown, Value::Small)]
            }
            HeapExpr::Null => smallvec![Value::Null],
            HeapExpr::None => smallvec![Value::Absent],
            HeapExpr::Undefined => smallvec![Value::Undefined],
            HeapExpr::Local(local) => plan.slots_of(*local, None).map(|slot| run.env[slot]).collect(),
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
            // Conditions in the middle of a word or an argument, and the first age: nothing is known of them.
            _ => smallvec![Value::Unknown],
        }
    }

    /// The cases in which a condition holds, and those in which it does not.
    pub fn decide(&self, run: Case, cond: &HeapExpr) -> Decided {
        match cond {
            HeapExpr::Not(inner) => {
                self.decide(run, inner).into_iter().map(|(run, yes)| (run, !yes)).collect()
            }
            HeapExpr::And(a, b) => self.both(run, a, b, true),
            HeapExpr::Or(a, b) => self.both(run, a, b, false),
            HeapExpr::Equal(a, b) => {
                let mut all = Decided::new();
                for (run, left) in self.values(run, a) {
                    for (run, right) in self.values(run, b) {
                        all.extend(self.same(run, &left, &right));
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

    /// `a && b`, or with `and` false `a || b`: the second is evaluated only where the first leaves it open.
    fn both(&self, run: Case, a: &HeapExpr, b: &HeapExpr, and: bool) -> Decided {
        let mut all = Decided::new();
        for (run, yes) in self.decide(run, a) {
            if yes == and {
                all.extend(self.decide(run, b));
            } else {
                all.push((run, yes));
            }
        }
        all
    }

    /// The cases in which two values are equal, part by part, and those in which they are not. Where one part differs for certain
    /// the others do not matter.
    pub fn same(&self, run: Case, left: &[Value], right: &[Value]) -> Decided {
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

/// Whether two parts are equal, where that is known.
fn known_same(run: &Run, a: Value, b: Value) -> Option<bool> {
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

/// Numbers beyond this, which only local counters come to, may be anything: the analysis has to end.
const MOST_COUNTED: i16 = 16;

/// The sum of a number and another with this sign.
fn counted(a: &[Value], b: &[Value], sign: i16) -> Value {
    match (a, b) {
        ([Value::Small(a)], [Value::Small(b)]) => {
            let sum = i16::from(*a) + sign * i16::from(*b);
            if sum.abs() <= MOST_COUNTED { Value::Small(sum as i8) } else { Value::Unknown }
        }
        _ => Value::Unknown,
    }
}

/// The cases in which two terms are so related, and those in which they are not.
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

/// Both cases.
fn either(run: Case) -> Decided {
    smallvec![(run.clone(), true), (run, false)]
}
