//! Evaluates expressions in a configuration.
//!
//! Where a configuration does not determine a condition, it is split into cases. An undefined value may be
//! copied; comparing it is a fault of `memory-safe`. A number outside of its range is a fault of
//! `assertions`. A fault ends the case.

use super::config::{Age, Config, FailureKind, Home, ObligationFailure, Val, Values};
use super::faults::Fault;
use super::run::{Case, Cases, Runner, Split};
use crate::certificate::{SAME, Symbol};
use linchpin_ir::heap::HeapExpr;
use linchpin_ir::heap::layout::{Content, Frame, Sort};
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

/// A sum with a larger absolute value becomes any number.
const MOST_COUNTED: i16 = 16;

/// The cases of an expression, each with its value.
pub(super) type Evaluated = SmallVec<[(Case, Values); 2]>;

/// The instruction that is being run: the frame of its variables, its span, and the failures found.
pub(super) struct Site<'s> {
    pub frame: &'s Frame,
    pub span: Span,
    pub failures: &'s mut Vec<ObligationFailure>,
}

impl Site<'_> {
    pub fn report(&mut self, kind: FailureKind) {
        let failure = ObligationFailure { kind, span: self.span };
        if !self.failures.contains(&failure) {
            self.failures.push(failure);
        }
    }

    /// Assigns values to a local, or to one part of a local. Returns false if they do not fit.
    pub fn assign(&mut self, case: &mut Config, to: &linchpin_ir::heap::HeapLocal, values: &[Val]) -> bool {
        let slots = self.frame.local(to.local, to.part).filter(|slots| slots.len() == values.len());
        let Some(slots) = slots.and_then(|slots| case.vars.get_mut(slots)) else {
            self.report(FailureKind::Method("a value does not fit its variable"));
            return false;
        };
        slots.copy_from_slice(values);
        true
    }
}

impl Runner<'_> {
    pub fn eval(&self, site: &mut Site, case: Case, expr: &HeapExpr) -> Evaluated {
        let one = |case: Case, value: Val| -> Evaluated { smallvec![(case, smallvec![value])] };
        match expr {
            HeapExpr::Null => one(case, Val::Null),
            HeapExpr::None => one(case, Val::Absent),
            HeapExpr::Undefined => one(case, Val::Undefined),
            HeapExpr::Bool(yes) => one(case, Val::Small(i8::from(*yes))),
            HeapExpr::Small(number) => {
                one(case, i8::try_from(*number).map_or(Val::Any(Sort::Number), Val::Small))
            }
            HeapExpr::KeyMin => one(case, Val::Key(0)),
            HeapExpr::KeyMax => one(case, Val::Key(crate::observer_adequacy::KEY_CLASSES - 1)),
            HeapExpr::FirstAge => one(case, Val::Any(Sort::Age)),
            HeapExpr::Local(local) => {
                let slots = site.frame.local(*local, None);
                let Some(values) = slots.and_then(|slots| case.vars.get(slots)) else {
                    site.report(FailureKind::Method("the variable does not exist"));
                    return Evaluated::new();
                };
                let values = Values::from_slice(values);
                smallvec![(case, values)]
            }
            HeapExpr::Part(of, part) => {
                let mut all = self.eval(site, case, of);
                for (_, values) in &mut all {
                    let Some(value) = values.get(*part).copied() else {
                        site.report(FailureKind::Method("the part does not exist"));
                        return Evaluated::new();
                    };
                    *values = smallvec![value];
                }
                all
            }
            HeapExpr::Some(of) => self.eval(site, case, of),
            HeapExpr::Word(parts) => {
                let mut all: Evaluated = smallvec![(case, Values::new())];
                for part in parts {
                    let mut longer = Evaluated::new();
                    for (case, values) in all {
                        for (case, more) in self.eval(site, case, part) {
                            longer.push((case, values.iter().copied().chain(more).collect()));
                        }
                    }
                    all = longer;
                }
                all
            }
            HeapExpr::NextAge(of) => {
                let mut all = self.eval(site, case, of);
                for (_, values) in &mut all {
                    *values = smallvec![match values[..] {
                        [Val::Age(Age { stepped: false, current, home })] => {
                            Val::Age(Age { stepped: true, current, home })
                        }
                        _ => Val::Any(Sort::Age),
                    }];
                }
                all
            }
            HeapExpr::Plus(a, b) => self.sum(site, case, a, b, 1),
            HeapExpr::Minus(a, b) => self.sum(site, case, a, b, -1),
            HeapExpr::InRange { value, low, high } => {
                let mut all = Evaluated::new();
                for (case, values) in self.eval(site, case, value) {
                    match values[..] {
                        [Val::Small(number)] if (*low..=*high).contains(&i64::from(number)) => {
                            all.push((case, values));
                        }
                        [Val::Small(_)] => site.report(FailureKind::Fault(Fault::Range)),
                        [Val::Any(Sort::Number)] => {
                            site.report(FailureKind::Fault(Fault::Range));
                            all.push((case, values));
                        }
                        _ => site.report(FailureKind::Method("a value with a range is not a number")),
                    }
                }
                all
            }
            HeapExpr::Not(_)
            | HeapExpr::And(..)
            | HeapExpr::Or(..)
            | HeapExpr::Equal(..)
            | HeapExpr::Less(..) => {
                let split = self.condition(site, case, expr).into_iter();
                split.map(|(case, yes)| (case, smallvec![Val::Small(i8::from(yes))])).collect()
            }
        }
    }

    fn sum(&self, site: &mut Site, case: Case, a: &HeapExpr, b: &HeapExpr, sign: i16) -> Evaluated {
        let mut all = Evaluated::new();
        for (case, left) in self.eval(site, case, a) {
            for (case, right) in self.eval(site, case, b) {
                let value = match (&left[..], &right[..]) {
                    ([Val::Small(a)], [Val::Small(b)]) => {
                        let sum = i16::from(*a) + sign * i16::from(*b);
                        let counted = Some(sum).filter(|sum| sum.abs() <= MOST_COUNTED);
                        let counted = counted.and_then(|sum| i8::try_from(sum).ok());
                        counted.map_or(Val::Any(Sort::Number), Val::Small)
                    }
                    ([Val::Small(_) | Val::Any(Sort::Number)], [Val::Small(_) | Val::Any(Sort::Number)]) => {
                        Val::Any(Sort::Number)
                    }
                    _ => {
                        site.report(FailureKind::Method("an operand of a sum is not a number"));
                        continue;
                    }
                };
                all.push((case, smallvec![value]));
            }
        }
        all
    }

    pub fn condition(&self, site: &mut Site, case: Case, cond: &HeapExpr) -> Split {
        match cond {
            HeapExpr::Not(inner) => {
                let split = self.condition(site, case, inner).into_iter();
                split.map(|(case, yes)| (case, !yes)).collect()
            }
            HeapExpr::And(a, b) | HeapExpr::Or(a, b) => {
                let goes_on = matches!(cond, HeapExpr::And(..));
                let mut all = Split::new();
                for (case, yes) in self.condition(site, case, a) {
                    if yes == goes_on {
                        all.extend(self.condition(site, case, b));
                    } else {
                        all.push((case, yes));
                    }
                }
                all
            }
            HeapExpr::Equal(a, b) => {
                let mut all = Split::new();
                for (case, left) in self.eval(site, case, a) {
                    for (case, right) in self.eval(site, case, b) {
                        all.extend(self.equal(site, case, &left, &right));
                    }
                }
                all
            }
            HeapExpr::Less(a, b) => {
                let mut all = Split::new();
                for (case, left) in self.eval(site, case, a) {
                    for (case, right) in self.eval(site, case, b) {
                        match (&left[..], &right[..]) {
                            ([left], [right]) => all.extend(self.less(site, case, *left, *right)),
                            _ => site.report(FailureKind::Method("words have no order")),
                        }
                    }
                }
                all
            }
            _ => {
                let mut all = Split::new();
                for (case, values) in self.eval(site, case, cond) {
                    match values[..] {
                        [Val::Small(number)] => all.push((case, number != 0)),
                        [Val::Any(Sort::Number)] => all.extend(both(case)),
                        _ => site.report(FailureKind::Method("a condition is not a truth value")),
                    }
                }
                all
            }
        }
    }

    fn less(&self, site: &mut Site, case: Case, a: Val, b: Val) -> Split {
        if !self.can_use(site, a) || !self.can_use(site, b) {
            return Split::new();
        }
        match (a, b) {
            (Val::Small(a), Val::Small(b)) => smallvec![(case, a < b)],
            // Every key of a class is smaller than every key of the next class.
            (Val::Key(a), Val::Key(b)) if a != b => smallvec![(case, a < b)],
            (Val::Key(_) | Val::Any(Sort::Key), Val::Key(_) | Val::Any(Sort::Key))
            | (Val::Small(_) | Val::Any(Sort::Number), Val::Small(_) | Val::Any(Sort::Number)) => both(case),
            _ => {
                site.report(FailureKind::Method("a comparison of values without an order"));
                Split::new()
            }
        }
    }

    /// Reports the use of a value that may be undefined. Returns false if the value is undefined: this ends
    /// the execution.
    fn can_use(&self, site: &mut Site, value: Val) -> bool {
        let is_undefined = self.is_undefined(value);
        let may_be = is_undefined || matches!(value, Val::Any(sort) if sort.may_be_undefined());
        if may_be {
            site.report(FailureKind::Fault(Fault::UndefinedUsed));
        }
        !is_undefined
    }

    /// Returns whether a value is certainly undefined.
    pub fn is_undefined(&self, value: Val) -> bool {
        value == Val::Undefined || (self.is_memory() && matches!(value, Val::Tracked(_)))
    }

    /// Splits a case: all parts of two values are equal, or one part differs. If a part is known to differ,
    /// the other parts are not compared.
    pub fn equal(&self, site: &mut Site, case: Case, left: &[Val], right: &[Val]) -> Split {
        if left.len() != right.len() {
            site.report(FailureKind::Method("values of different types are compared"));
            return Split::new();
        }
        for (a, b) in left.iter().zip(right) {
            // A comparison with `none` does not use the value.
            let is_compared = *a != Val::Absent && *b != Val::Absent;
            if is_compared && (!self.can_use(site, *a) || !self.can_use(site, *b)) {
                return Split::new();
            }
        }
        if left.iter().zip(right).any(|(a, b)| known_equal(&case, *a, *b) == Some(false)) {
            return smallvec![(case, false)];
        }
        let mut all = Split::new();
        let mut equal: Cases = smallvec![case];
        for (a, b) in left.iter().zip(right) {
            let mut still = Cases::new();
            for case in equal {
                for (case, yes) in self.equal_part(case, *a, *b) {
                    if yes {
                        still.push(case);
                    } else {
                        all.push((case, false));
                    }
                }
            }
            equal = still;
        }
        all.extend(equal.into_iter().map(|case| (case, true)));
        all
    }

    fn equal_part(&self, case: Case, a: Val, b: Val) -> Split {
        match (known_equal(&case, a, b), a, b) {
            (Some(yes), _, _) => smallvec![(case, yes)],
            (None, Val::Node(a), Val::Node(b)) => self.split(case, a, b, SAME),
            (None, _, _) => both(case),
        }
    }

    /// Lists every class of data that a value may have.
    pub fn data_cases(&self, value: Val) -> SmallVec<[Val; 3]> {
        let Val::Any(sort) = value else { return smallvec![value] };
        let variables = u8::try_from(self.variables()).unwrap_or(u8::MAX);
        let tracked = (0..variables).map(Val::Tracked).chain([Val::Other, Val::Undefined]);
        match sort {
            Sort::Optional(Content::Data) => tracked.chain([Val::Absent]).collect(),
            _ => tracked.collect(),
        }
    }
}

fn both(case: Case) -> Split {
    smallvec![(case.clone(), true), (case, false)]
}

/// Returns whether two parts are equal; `None` if this is not known.
fn known_equal(case: &Config, a: Val, b: Val) -> Option<bool> {
    use Val::{Absent, Key, Node, Null, Other, Small, Tracked, Undefined};
    match (a, b) {
        (Node(a), Node(b)) => match case.graph.get(a.index(), b.index()) {
            SAME => Some(true),
            set if set & SAME == 0 => Some(false),
            _ => None,
        },
        (Null, Null) | (Absent, Absent) => Some(true),
        (Null, Node(_)) | (Node(_), Null) => Some(false),
        (Small(a), Small(b)) => Some(a == b),
        (Key(a), Key(b)) if a != b => Some(false),
        (Absent, Small(_) | Key(_) | Tracked(_) | Other | Undefined)
        | (Small(_) | Key(_) | Tracked(_) | Other | Undefined, Absent) => Some(false),
        // Two copies of one age: a current copy differs from every stale copy.
        (Val::Age(a), Val::Age(b)) if a.stepped == b.stepped && a.home == b.home && a.home != Home::Lost => {
            match (a.current, b.current) {
                (true, true) => Some(true),
                (false, false) => None,
                _ => Some(false),
            }
        }
        _ => None,
    }
}

/// Returns the class of a result or argument; `None` if the class does not determine the value.
pub(super) fn known_class(value: Val) -> Option<Symbol> {
    match value {
        Val::Absent => Some(Symbol::Absent),
        Val::Tracked(variable) => Some(Symbol::Tracked(variable)),
        // By data independence: the obligation also covers this value as an observer variable.
        Val::Other => Some(Symbol::Other),
        Val::Undefined => Some(Symbol::Undefined),
        Val::Small(number) => Some(Symbol::Small(number)),
        Val::Any(_) | Val::Null | Val::Wild | Val::Node(_) | Val::Age(_) | Val::Key(_) => None,
    }
}
