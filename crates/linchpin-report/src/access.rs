//! Describes an access beside its source line: `top = A`, `head: A → B`, `cas fails: head is B`.

use super::heap_snapshot::Value;
use linchpin_ir::program::{Expr, ExprKind, LocalBase, LocalPlace, Method, Op};

/// An access with names and values. `after` is `None` if the access wrote nothing.
pub struct Access<'a> {
    pub method: &'a Method,
    pub op: &'a Op,
    pub place: String,
    pub before: Value,
    pub after: Option<Value>,
}

impl Access<'_> {
    /// Returns the description.
    pub fn describe(&self) -> String {
        let Access { place, before, .. } = self;
        match (self.op, &self.after) {
            (_, Some(after)) => self.written(after),
            (Op::Load { into, .. }, None) => match variable(self.method, into) {
                Some(variable) => format!("{variable} = {before}"),
                None => format!("{place} is {before}"),
            },
            (Op::Cas { .. } | Op::CmpXchg { .. }, None) => format!("cas fails: {place} is {before}"),
            (Op::Dcas { .. }, None) => format!("dcas fails: {place} is {before}"),
            (Op::StoreConditional { .. }, None) => format!("sc fails: {place} is {before}"),
            (_, None) => format!("{place} is {before}"),
        }
    }

    fn written(&self, after: &Value) -> String {
        let Access { place, before, .. } = self;
        match (before, after) {
            (_, Value::Lock(Some(_))) => format!("takes {place}"),
            (Value::Lock(_), _) => format!("releases {place}"),
            (Value::Condvar(waited), Value::Condvar(waiting)) => match self.op {
                Op::WaitBegin { .. } => format!("waits on {place}"),
                Op::Notify { .. } => {
                    let woken: Vec<&str> = waited
                        .iter()
                        .filter(|thread| !waiting.contains(thread))
                        .map(String::as_str)
                        .collect();
                    if woken.is_empty() {
                        format!("no thread waits on {place}")
                    } else {
                        format!("wakes {}", woken.join(", "))
                    }
                }
                _ => format!("wakes up from {place} without a notification"),
            },
            _ if before == after => format!("{place} = {after}, unchanged"),
            (Value::Undefined, _) => format!("{place} = {after}"),
            _ => format!("{place}: {before} → {after}"),
        }
    }
}

/// Returns the variable at a place. `None`: a temporary of the lowering, or a part of a variable.
pub fn variable<'m>(method: &'m Method, place: &LocalPlace) -> Option<&'m str> {
    let LocalBase::Local(id) = place.base else { return None };
    let local = method.locals.get(id)?;
    (place.path.is_empty() && !local.temporary).then_some(&*local.name)
}

/// Returns whether a value is computed: its text in the model does not show it.
pub fn is_computed(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::ToRange { .. }
            | ExprKind::Hash(..)
            | ExprKind::Ord(..)
            | ExprKind::Method(..)
            | ExprKind::Quantifier { .. }
    )
}
