//! Pure expressions: construction, constant folding, and which of them cannot fail.
//!
//! **Law.** A folded expression has the value of the original wherever the original has one. It fails
//! wherever the original fails: a part is dropped only if it is *total*. The evaluation of a total part never
//! ends the execution (language 3.7) and never leaves the bound on `int`.

use linchpin_ir::interface::{BinaryOp, UnaryOp};
use linchpin_ir::program::{Expr, ExprKind, LocalId};
use linchpin_ir::types::{TypeId, TypeTable, UNDEFINED, Word};

pub(super) fn constant(ty: TypeId, words: Vec<Word>) -> Expr {
    Expr { kind: ExprKind::Constant(words), ty }
}

pub(super) fn local(ty: TypeId, local: LocalId) -> Expr {
    Expr { kind: ExprKind::Local(local), ty }
}

pub(super) fn unary(ty: TypeId, op: UnaryOp, operand: Expr) -> Expr {
    if let (UnaryOp::Not, Some(value)) = (op, truth(&operand)) {
        return constant(ty, vec![Word::from(!value)]);
    }
    match (op, operand.kind) {
        (UnaryOp::Not, ExprKind::Unary(UnaryOp::Not, inner)) => *inner,
        (UnaryOp::Neg, ExprKind::Constant(words)) if words.len() == 1 && words[0] != Word::MIN => {
            constant(ty, vec![-words[0]])
        }
        (_, kind) => {
            let operand = Box::new(Expr { kind, ty: operand.ty });
            Expr { kind: ExprKind::Unary(op, operand), ty }
        }
    }
}

pub(super) fn binary(types: &TypeTable, ty: TypeId, op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (op, truth(&left)) {
        (BinaryOp::And, Some(true)) | (BinaryOp::Or, Some(false)) => return right,
        (BinaryOp::And, Some(false)) | (BinaryOp::Or, Some(true)) => return left,
        _ => {}
    }
    if let (ExprKind::Constant(a), ExprKind::Constant(b)) = (&left.kind, &right.kind)
        && let Some(word) = constant_binary(types, op, left.ty, a, b)
    {
        return constant(ty, vec![word]);
    }
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
}

pub(super) fn field(types: &TypeTable, ty: TypeId, of: Expr, field: usize) -> Expr {
    match of.kind {
        ExprKind::Constant(ref words) => {
            let start = types.field_offset(of.ty, field);
            if let Some(part) = words.get(start..start + types.width(ty)) {
                return constant(ty, part.to_vec());
            }
        }
        ExprKind::Word(ref parts) if parts.iter().all(|part| is_total(types, part)) => {
            if let Some(part) = parts.get(field) {
                return part.clone();
            }
        }
        _ => {}
    }
    Expr { kind: ExprKind::Field(Box::new(of), field), ty }
}

pub(super) fn index(types: &TypeTable, ty: TypeId, of: Expr, index: Expr) -> Expr {
    if let (ExprKind::Constant(words), ExprKind::Constant(number)) = (&of.kind, &index.kind)
        && let Some(number) = number.first().and_then(|&number| usize::try_from(number).ok())
        && let Some(part) = words.chunks_exact(types.width(ty).max(1)).nth(number)
    {
        return constant(ty, part.to_vec());
    }
    Expr { kind: ExprKind::Index(Box::new(of), Box::new(index)), ty }
}

pub(super) fn word(ty: TypeId, parts: Vec<Expr>) -> Expr {
    match constant_words(&parts) {
        Some(words) => constant(ty, words),
        None => Expr { kind: ExprKind::Word(parts), ty },
    }
}

pub(super) fn array(ty: TypeId, parts: Vec<Expr>) -> Expr {
    match constant_words(&parts) {
        Some(words) => constant(ty, words),
        None => Expr { kind: ExprKind::Array(parts), ty },
    }
}

pub(super) fn some(types: &TypeTable, ty: TypeId, of: Expr) -> Expr {
    match of.kind {
        ExprKind::Constant(words) if types.option_is_flat(of.ty) => constant(ty, words),
        kind => Expr { kind: ExprKind::Some(Box::new(Expr { kind, ty: of.ty })), ty },
    }
}

/// A number where a range is wanted.
pub(super) fn to_range(ty: TypeId, value: Expr, low: i64, high: i64) -> Expr {
    match value.kind {
        ExprKind::Constant(words) if words.len() == 1 && (low..=high).contains(&i64::from(words[0])) => {
            constant(ty, words)
        }
        kind => {
            let value = Box::new(Expr { kind, ty: value.ty });
            Expr { kind: ExprKind::ToRange { value, low, high }, ty }
        }
    }
}

/// The value of a constant of type `bool`.
pub(super) fn truth(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Constant(words) => match words.as_slice() {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// It is total, and its value is the same whenever it is evaluated, whatever operands and calls are evaluated
/// meanwhile: constants, and variables of the frame that no expression changes.
pub(super) fn is_stable(changed_in_expressions: &dyn Fn(LocalId) -> bool, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Me => true,
        ExprKind::Local(local) => !changed_in_expressions(*local),
        ExprKind::Field(of, _) | ExprKind::Some(of) => is_stable(changed_in_expressions, of),
        ExprKind::Word(parts) => parts.iter().all(|part| is_stable(changed_in_expressions, part)),
        _ => false,
    }
}

/// Evaluating it again costs no more than reading a variable.
pub(super) fn is_cheap(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Me | ExprKind::Local(_) => true,
        ExprKind::Field(of, _) | ExprKind::Some(of) => is_cheap(of),
        _ => false,
    }
}

/// Its evaluation never ends or cuts the execution.
pub(super) fn is_total(types: &TypeTable, expr: &Expr) -> bool {
    let parts_are_total = || {
        let mut total = true;
        expr.for_each_part(&mut |part| total &= is_total(types, part));
        total
    };
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Me | ExprKind::Local(_) | ExprKind::ThreadVar(_) => true,
        ExprKind::Field(..)
        | ExprKind::Some(_)
        | ExprKind::Word(_)
        | ExprKind::Array(_)
        | ExprKind::Repeat(..) => parts_are_total(),
        ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
            parts_are_total()
        }
        ExprKind::Binary(op, left, _) => {
            use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
            matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
                && !may_be_undefined(types, left.ty)
                && parts_are_total()
        }
        _ => false,
    }
}

/// Whether a value of the type may hold [`UNDEFINED`].
fn may_be_undefined(types: &TypeTable, ty: TypeId) -> bool {
    types.slots(ty).iter().any(|slot| {
        use linchpin_ir::types::Scalar;
        matches!(slot.scalar, Scalar::Data | Scalar::Key | Scalar::Thread | Scalar::Collection(_))
    })
}

fn constant_words(parts: &[Expr]) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    for part in parts {
        match &part.kind {
            ExprKind::Constant(more) => words.extend_from_slice(more),
            _ => return None,
        }
    }
    Some(words)
}

fn constant_binary(types: &TypeTable, op: BinaryOp, operand: TypeId, a: &[Word], b: &[Word]) -> Option<Word> {
    use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Sub};
    if types.is_collection(operand) || a.contains(&UNDEFINED) || b.contains(&UNDEFINED) {
        return None;
    }
    match op {
        Eq => return Some(Word::from(a == b)),
        Ne => return Some(Word::from(a != b)),
        _ => {}
    }
    let (&[a], &[b]) = (a, b) else { return None };
    if !types.is_number(operand) {
        return None;
    }
    let number = match op {
        Add => a.checked_add(b),
        Sub => a.checked_sub(b),
        Mul => a.checked_mul(b),
        Lt => Some(Word::from(a < b)),
        Le => Some(Word::from(a <= b)),
        Gt => Some(Word::from(a > b)),
        Ge => Some(Word::from(a >= b)),
        Div | Rem | And | Or | Eq | Ne => None,
    };
    number.filter(|n| n.unsigned_abs() < 1 << 30)
}
