//! The value of a checked expression that needs no run: patterns of `match`, arguments of specifications.

use super::body::Body;
use crate::typing::hir::{BinaryOp, TypedExpr, TypedExprKind, UnaryOp};
use linchpin_ir::types::{TypeId, Word, word_of};

impl Body<'_, '_> {
    /// The words of a constant; `None` if it is none, or leaves what a word can hold.
    pub fn fold(&self, expr: &TypedExpr) -> Option<Vec<Word>> {
        match &expr.kind {
            TypedExprKind::Constant(words) => Some(words.clone()),
            TypedExprKind::Some(inner) => {
                let mut words = self.fold(inner)?;
                if !self.cx.types.option_is_flat(inner.ty) {
                    words.insert(0, 1);
                }
                Some(words)
            }
            TypedExprKind::ToRange { value, low, high } => {
                let words = self.fold(value)?;
                let value = i64::from(*words.first()?);
                (*low..=*high).contains(&value).then_some(words)
            }
            TypedExprKind::Unary(op, inner) => {
                let value = self.fold_number(inner)?;
                word(match op {
                    UnaryOp::Neg => -value,
                    UnaryOp::Not => 1 - value,
                })
            }
            TypedExprKind::Binary(op, left, right) => self.fold_binary(*op, left, right),
            TypedExprKind::Word { fields, .. } => self.concatenate(fields.iter()),
            TypedExprKind::Array(elements) => self.concatenate(elements.iter()),
            TypedExprKind::Repeat(value, count) => {
                self.concatenate(std::iter::repeat_n(&**value, *count as usize))
            }
            _ => None,
        }
    }

    fn concatenate<'e>(&self, parts: impl Iterator<Item = &'e TypedExpr>) -> Option<Vec<Word>> {
        let parts: Option<Vec<Vec<Word>>> = parts.map(|part| self.fold(part)).collect();
        Some(parts?.concat())
    }

    fn fold_number(&self, expr: &TypedExpr) -> Option<i64> {
        self.is_scalar(expr.ty)
            .then(|| self.fold(expr))
            .flatten()
            .and_then(|words| Some(i64::from(*words.first()?)))
    }

    fn is_scalar(&self, ty: TypeId) -> bool {
        self.cx.types.width(ty) == 1
    }

    fn fold_binary(&self, op: BinaryOp, left: &TypedExpr, right: &TypedExpr) -> Option<Vec<Word>> {
        if let BinaryOp::Eq | BinaryOp::Ne = op {
            let equal = self.fold(left)? == self.fold(right)?;
            return Some(vec![Word::from(equal == (op == BinaryOp::Eq))]);
        }
        let (left, right) = (self.fold_number(left)?, self.fold_number(right)?);
        word(match op {
            BinaryOp::Add => left + right,
            BinaryOp::Sub => left - right,
            BinaryOp::Mul => left * right,
            BinaryOp::Div => left.checked_div(right)?,
            BinaryOp::Rem => left.checked_rem(right)?,
            BinaryOp::Lt => i64::from(left < right),
            BinaryOp::Le => i64::from(left <= right),
            BinaryOp::Gt => i64::from(left > right),
            BinaryOp::Ge => i64::from(left >= right),
            BinaryOp::And => i64::from(left == 1 && right == 1),
            BinaryOp::Or => i64::from(left == 1 || right == 1),
            BinaryOp::Eq | BinaryOp::Ne => return None,
        })
    }
}

fn word(value: i64) -> Option<Vec<Word>> {
    (crate::typing::declare::consts::LEAST..=crate::typing::declare::consts::GREATEST)
        .contains(&value)
        .then(|| vec![word_of(value)])
}
