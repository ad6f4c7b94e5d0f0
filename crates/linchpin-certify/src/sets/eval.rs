//! Expressions in a world. Keys are compared by their classes; two keys of one side compare either way.

use super::failure::{Checked, SetFailureKind, Stop};
use super::run::Run;
use crate::set_certificate::{KeyClass, SlotValue};
use linchpin_ir::heap::HeapExpr;
use linchpin_ir::heap::layout::Frame;
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

/// The parts of a value.
pub type Values = SmallVec<[SlotValue; 2]>;

/// The largest `int` that is followed.
const MOST_NUMBER: i16 = 64;

impl Run<'_> {
    pub fn eval(&mut self, expr: &HeapExpr, span: Span) -> Checked<Values> {
        let small = |number: i64| i16::try_from(number).map(SlotValue::Number).map_err(|_| big(span));
        Ok(match expr {
            HeapExpr::Bool(value) => smallvec![SlotValue::Number(i16::from(*value))],
            HeapExpr::Small(number) => smallvec![small(*number)?],
            HeapExpr::Null => smallvec![SlotValue::Null],
            HeapExpr::None => smallvec![SlotValue::Absent],
            HeapExpr::KeyMin => smallvec![SlotValue::Key(KeyClass::Min)],
            HeapExpr::KeyMax => smallvec![SlotValue::Key(KeyClass::Max)],
            HeapExpr::Undefined => smallvec![SlotValue::Undefined],
            HeapExpr::Local(local) => {
                let Some(range) = self.frame.local(*local, None) else { return Err(misfit(span)) };
                self.world.slots.get(range).map(Values::from).ok_or_else(|| misfit(span))?
            }
            HeapExpr::Part(of, part) => {
                let values = self.eval(of, span)?;
                smallvec![*values.get(*part).ok_or_else(|| misfit(span))?]
            }
            HeapExpr::Some(of) => self.eval(of, span)?,
            HeapExpr::Word(parts) => {
                let mut all = Values::new();
                for part in parts {
                    all.extend(self.eval(part, span)?);
                }
                all
            }
            HeapExpr::Not(of) => smallvec![truth(!self.condition(of, span)?)],
            HeapExpr::And(a, b) => {
                let value = self.condition(a, span)? && self.condition(b, span)?;
                smallvec![truth(value)]
            }
            HeapExpr::Or(a, b) => {
                let value = self.condition(a, span)? || self.condition(b, span)?;
                smallvec![truth(value)]
            }
            HeapExpr::Equal(a, b) => {
                let (a, b) = (self.eval(a, span)?, self.eval(b, span)?);
                smallvec![truth(self.equal(&a, &b, span)?)]
            }
            HeapExpr::Less(a, b) => {
                let (a, b) = (self.eval(a, span)?, self.eval(b, span)?);
                let less = match (&a[..], &b[..]) {
                    ([SlotValue::Key(a)], [SlotValue::Key(b)]) => self.key_is_less(*a, *b),
                    ([SlotValue::Number(a)], [SlotValue::Number(b)]) => a < b,
                    ([SlotValue::Undefined], _) | (_, [SlotValue::Undefined]) => {
                        return Err(Stop::Failed(SetFailureKind::Undefined, span));
                    }
                    _ => return Err(misfit(span)),
                };
                smallvec![truth(less)]
            }
            HeapExpr::Plus(a, b) | HeapExpr::Minus(a, b) => {
                let (a, b) = (self.eval(a, span)?, self.eval(b, span)?);
                let ([SlotValue::Number(x)], [SlotValue::Number(y)]) = (&a[..], &b[..]) else {
                    return Err(misfit(span));
                };
                let y = if matches!(expr, HeapExpr::Minus(..)) { y.saturating_neg() } else { *y };
                let sum = x.saturating_add(y);
                if sum.saturating_abs() > MOST_NUMBER {
                    return Err(big(span));
                }
                smallvec![SlotValue::Number(sum)]
            }
            HeapExpr::InRange { value, low, high } => {
                let values = self.eval(value, span)?;
                let [SlotValue::Number(number)] = values[..] else { return Err(misfit(span)) };
                if !(*low..=*high).contains(&i64::from(number)) {
                    return Err(Stop::Failed(SetFailureKind::OutOfRange, span));
                }
                values
            }
            HeapExpr::FirstAge | HeapExpr::NextAge(_) => return Err(misfit(span)),
        })
    }

    pub fn condition(&mut self, expr: &HeapExpr, span: Span) -> Checked<bool> {
        match self.eval(expr, span)?[..] {
            [SlotValue::Number(value)] => Ok(value != 0),
            _ => Err(misfit(span)),
        }
    }

    /// Whether two values are equal, part by part.
    pub fn equal(&mut self, a: &[SlotValue], b: &[SlotValue], span: Span) -> Checked<bool> {
        if a.len() != b.len() {
            return Err(misfit(span));
        }
        let mut all = true;
        for (a, b) in a.iter().zip(b) {
            all &= match (*a, *b) {
                (SlotValue::Undefined, SlotValue::Absent) | (SlotValue::Absent, SlotValue::Undefined) => {
                    false
                }
                (SlotValue::Undefined, _) | (_, SlotValue::Undefined) => {
                    return Err(Stop::Failed(SetFailureKind::Undefined, span));
                }
                (SlotValue::Key(a), SlotValue::Key(b)) if a == b && is_side(a) => {
                    self.sides_compared += 1;
                    self.chooser.pick(2) == 1
                }
                (a, b) => a == b,
            };
        }
        Ok(all)
    }

    fn key_is_less(&mut self, a: KeyClass, b: KeyClass) -> bool {
        if a == b && is_side(a) {
            self.sides_compared += 1;
            return self.chooser.pick(2) == 1;
        }
        a < b
    }
}

fn is_side(class: KeyClass) -> bool {
    matches!(class, KeyClass::Below | KeyClass::Above)
}

/// How many comparisons an expression makes.
pub fn comparisons(expr: &HeapExpr) -> usize {
    let mut all = usize::from(matches!(expr, HeapExpr::Equal(..) | HeapExpr::Less(..)));
    expr.children(&mut |child| all += comparisons(child));
    all
}

pub fn truth(value: bool) -> SlotValue {
    SlotValue::Number(i16::from(value))
}

pub fn misfit(span: Span) -> Stop {
    Stop::Failed(SetFailureKind::Misfit, span)
}

fn big(span: Span) -> Stop {
    Stop::Failed(SetFailureKind::BigNumber, span)
}

/// The values of the locals of a method that nothing was assigned to.
pub fn defaults(frame: &Frame) -> Vec<SlotValue> {
    use linchpin_ir::heap::layout::Default;
    let default = |default| match default {
        Default::Null => SlotValue::Null,
        Default::Undefined => SlotValue::Undefined,
        Default::None => SlotValue::Absent,
        Default::Number(number) => SlotValue::Number(i16::from(number)),
        Default::Unused => SlotValue::Number(0),
    };
    frame.parts().iter().map(|part| default(part.default)).collect()
}
