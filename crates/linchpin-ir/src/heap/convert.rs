//! Types, expressions and instructions, one by one. Everything that has no counterpart is named.

use super::build::Builder;
use super::{HeapBase, HeapExpr, HeapInstr, HeapLocal, HeapOp, HeapPlace, HeapScalar, HeapType, ProofMethod};
use crate::interface::{BinaryOp, UnaryOp};
use crate::program::{Base, Candidates, Expr, ExprKind, Instr, LocalBase, LocalPlace, Op, Place, Projection};
use crate::source::Span;
use crate::types::{KEY_MAX, KEY_MIN, NONE, NULL, Pointee, TypeId, TypeKind, UNDEFINED, Word};

impl Builder<'_> {
    /// The type of a variable of an operation.
    pub fn local_type(&mut self, ty: TypeId, span: Span) -> Option<HeapType> {
        match self.program.types.kind(ty) {
            TypeKind::Lock => Some(HeapType::Lock),
            TypeKind::Option(of) => Some(HeapType::Optional(self.scalar(of, span)?)),
            TypeKind::Word(_) => {
                let fields = self.program.types.record(ty).map_or(&[][..], |record| &record.fields);
                let parts: Vec<Option<HeapScalar>> = fields
                    .iter()
                    .map(|field| match self.scalar(field.ty, field.span)? {
                        part @ (HeapScalar::Bool | HeapScalar::Pointer(_) | HeapScalar::Age) => Some(part),
                        _ => {
                            let name = self.program.types.name(field.ty);
                            self.refuse(format!("`{name}` inside a word"), field.span)
                        }
                    })
                    .collect();
                Some(HeapType::Word(parts.into_iter().collect::<Option<_>>()?))
            }
            _ => Some(HeapType::Scalar(self.scalar(ty, span)?)),
        }
    }

    fn scalar(&mut self, ty: TypeId, span: Span) -> Option<HeapScalar> {
        let types = &self.program.types;
        let few = |values: i64| values <= HeapScalar::MOST_VALUES;
        let variants = |id| i64::try_from(types.enums[id].variants.len()).unwrap_or(i64::MAX);
        match types.kind(ty) {
            TypeKind::Bool => Some(HeapScalar::Bool),
            TypeKind::Enum(id) if few(variants(id)) => {
                Some(HeapScalar::Small { low: 0, high: variants(id) - 1 })
            }
            TypeKind::Range { low, high } if few(high - low + 1) => Some(HeapScalar::Small { low, high }),
            TypeKind::Enum(_) | TypeKind::Range { .. } => {
                let name = types.name(ty);
                self.refuse(format!("`{name}`, of more than {} values,", HeapScalar::MOST_VALUES), span)
            }
            TypeKind::Data => Some(HeapScalar::Data),
            TypeKind::Key => Some(HeapScalar::Key),
            TypeKind::Age if self.method == ProofMethod::Pairs => Some(HeapScalar::Age),
            TypeKind::Pointer(Pointee::Struct(id)) => Some(HeapScalar::Pointer(id)),
            TypeKind::Pointer(Pointee::Array(_)) | TypeKind::Array(..) => self.refuse("an array", span),
            TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..) => {
                self.refuse("a collection", span)
            }
            TypeKind::Condvar => self.refuse("a condition variable", span),
            TypeKind::Struct(_) => self.refuse("a struct inside a variable, array or struct", span),
            TypeKind::Option(_) | TypeKind::Word(_) | TypeKind::Lock | TypeKind::Unit => {
                let name = types.name(ty);
                self.refuse(format!("`{name}` inside another type"), span)
            }
            TypeKind::Int if matches!(self.method, ProofMethod::Pairs | ProofMethod::Sets) => {
                Some(HeapScalar::Int)
            }
            TypeKind::Int => self.refuse("an `int`", span),
            TypeKind::Thread => self.refuse("a `thread`", span),
            TypeKind::Age => self.refuse("an `age`", span),
        }
    }

    pub fn instruction(&mut self, instr: &Instr) -> Option<HeapInstr> {
        let op = self.op(&instr.op, instr.span)?;
        Some(HeapInstr {
            op,
            next: instr.next,
            access: instr.access,
            live: instr.live.clone(),
            span: instr.span,
        })
    }

    fn op(&mut self, op: &Op, span: Span) -> Option<HeapOp> {
        Some(match op {
            Op::Assign { to, value } => {
                HeapOp::Assign { to: self.local(to, span)?, value: self.expr(value, span)? }
            }
            Op::Branch { cond, then, otherwise } => {
                HeapOp::Branch { cond: self.expr(cond, span)?, then: *then, otherwise: *otherwise }
            }
            Op::Choose { into, from: Candidates::Bool, cond: None } => HeapOp::ChooseBool { into: *into },
            Op::Choose { .. } => return self.refuse("`choose` of anything but `bool`", span),
            Op::Assert(cond) => HeapOp::Assert(self.expr(cond, span)?),
            Op::Assume(cond) => HeapOp::Assume(self.expr(cond, span)?),
            Op::Await(cond) => HeapOp::Await(self.expr(cond, span)?),
            Op::Lin { of: Some(_), .. } => return self.refuse("`lin of`", span),
            Op::Lin { maybe, of: None, cond } => {
                let cond = match cond {
                    Some(cond) => Some(self.expr(cond, span)?),
                    None => None,
                };
                HeapOp::Lin { maybe: *maybe, cond }
            }
            Op::Call { .. } => return self.refuse("recursion", span),
            Op::Return(values) => match values.as_slice() {
                [] => HeapOp::Return(None),
                [value] => HeapOp::Return(Some(self.expr(value, span)?)),
                _ => return self.refuse("more than one result", span),
            },
            Op::Load { into, from } => {
                HeapOp::Load { from: self.place(from, span)?, into: self.local(into, span)? }
            }
            Op::Store { to, value } => {
                HeapOp::Store { to: self.place(to, span)?, value: self.expr(value, span)? }
            }
            Op::New { into, of, fields } => {
                let fields: Vec<Option<(usize, HeapExpr)>> =
                    fields.iter().map(|(field, value)| Some((*field, self.expr(value, span)?))).collect();
                let fields = fields.into_iter().collect::<Option<_>>()?;
                HeapOp::New { into: self.local(into, span)?, of: *of, fields }
            }
            Op::NewArray { .. } | Op::ArrayLen { .. } => return self.refuse("an array", span),
            Op::Free(pointer) => HeapOp::Free(self.expr(pointer, span)?),
            Op::Collection { .. } => return self.refuse("a collection", span),
            // It compares: what may not be compared by `==` may not be here.
            Op::Cas { place, .. } | Op::CmpXchg { place, .. }
                if self.comparable(BinaryOp::Eq, place.ty, span).is_none() =>
            {
                return None;
            }
            Op::Cas { into, place, old, new } => HeapOp::Cas {
                place: self.place(place, span)?,
                old: self.expr(old, span)?,
                new: self.expr(new, span)?,
                into: self.optional_local(into.as_ref(), span)?,
            },
            Op::CmpXchg { into, place, old, new } => HeapOp::CmpXchg {
                place: self.place(place, span)?,
                old: self.expr(old, span)?,
                new: self.expr(new, span)?,
                into: self.optional_local(into.as_ref(), span)?,
            },
            Op::Dcas { .. } if !matches!(self.method, ProofMethod::Canonical | ProofMethod::Sets) => {
                return self.refuse("`dcas`", span);
            }
            Op::Dcas { into, places, olds, news } => HeapOp::Dcas {
                places: Box::new([self.place(&places[0], span)?, self.place(&places[1], span)?]),
                olds: Box::new([self.expr(&olds[0], span)?, self.expr(&olds[1], span)?]),
                news: Box::new([self.expr(&news[0], span)?, self.expr(&news[1], span)?]),
                into: self.optional_local(into.as_ref(), span)?,
            },
            Op::Swap { into, place, value } => HeapOp::Swap {
                place: self.place(place, span)?,
                value: self.expr(value, span)?,
                into: self.optional_local(into.as_ref(), span)?,
            },
            Op::FetchAdd { .. } => return self.refuse("`fetch_add`", span),
            Op::LoadLinked { .. } => return self.refuse("`ll`", span),
            Op::StoreConditional { .. } => return self.refuse("`sc`", span),
            Op::Lock(place) => HeapOp::Lock(self.place(place, span)?),
            Op::Unlock(place) => HeapOp::Unlock(self.place(place, span)?),
            Op::TryLock { into, place } => HeapOp::TryLock {
                place: self.place(place, span)?,
                into: self.optional_local(into.as_ref(), span)?,
            },
            Op::IsLocked { into, place } => HeapOp::IsLocked {
                place: self.place(place, span)?,
                into: self.optional_local(into.as_ref(), span)?,
            },
            Op::WaitBegin { .. } | Op::WaitEnd { .. } | Op::Notify { .. } => {
                return self.refuse("a condition variable", span);
            }
            Op::Atomic { end } => HeapOp::Atomic { end: *end },
        })
    }

    fn local(&mut self, place: &LocalPlace, span: Span) -> Option<HeapLocal> {
        match (place.base, place.path.as_slice()) {
            (LocalBase::Local(local), []) => Some(HeapLocal { local, part: None }),
            (LocalBase::Local(local), [Projection::Field { field, .. }]) => {
                Some(HeapLocal { local, part: Some(*field) })
            }
            (LocalBase::Local(_), _) => self.refuse("an array", span),
            (LocalBase::ThreadVar(_), _) => self.refuse("a `local` variable", span),
        }
    }

    fn optional_local(&mut self, place: Option<&LocalPlace>, span: Span) -> Option<Option<HeapLocal>> {
        match place {
            Some(place) => Some(Some(self.local(place, span)?)),
            None => Some(None),
        }
    }

    fn place(&mut self, place: &Place, span: Span) -> Option<HeapPlace> {
        let part_of = |path: &[Projection]| match path {
            [] => Some(None),
            [Projection::Field { field, .. }] => Some(Some(*field)),
            _ => None,
        };
        let (base, path) = match (&place.base, place.path.as_slice()) {
            (Base::Global(array), [Projection::Index { index, element, .. }, rest @ ..])
                if self.method == ProofMethod::Pairs =>
            {
                let index = self.expr(index, span)?;
                let (field, rest) = match (self.program.types.kind(*element), rest) {
                    (TypeKind::Struct(_), [Projection::Field { field, .. }, rest @ ..]) => (*field, rest),
                    (TypeKind::Struct(_), _) => return self.refuse("a struct as a value", span),
                    _ => (0, rest),
                };
                (HeapBase::Element { array: *array, index, field }, rest)
            }
            (Base::Global(id), path) => (HeapBase::Global(*id), path),
            (
                Base::Cell { pointer, of: Pointee::Struct(of) },
                [Projection::Field { field, .. }, rest @ ..],
            ) => {
                let pointer = self.expr(pointer, span)?;
                (HeapBase::Field { pointer, of: *of, field: *field }, rest)
            }
            (Base::Cell { .. }, _) => return self.refuse("an array", span),
        };
        match part_of(path) {
            Some(part) => Some(HeapPlace { base, part }),
            None => self.refuse("an array", span),
        }
    }

    fn expr(&mut self, expr: &Expr, span: Span) -> Option<HeapExpr> {
        Some(match &expr.kind {
            ExprKind::Constant(words) => return self.constant(expr.ty, words, span),
            ExprKind::Local(local) => HeapExpr::Local(*local),
            ExprKind::Field(of, field) => HeapExpr::Part(Box::new(self.expr(of, span)?), *field),
            ExprKind::Unary(UnaryOp::Not, e) => HeapExpr::Not(Box::new(self.expr(e, span)?)),
            ExprKind::Binary(op, a, b) => return self.binary(*op, a, b, span),
            ExprKind::Some(e) => HeapExpr::Some(Box::new(self.expr(e, span)?)),
            ExprKind::ToRange { value, low, high } => {
                HeapExpr::InRange { value: Box::new(self.expr(value, span)?), low: *low, high: *high }
            }
            ExprKind::Word(parts) => {
                let parts: Vec<Option<HeapExpr>> = parts.iter().map(|part| self.expr(part, span)).collect();
                HeapExpr::Word(parts.into_iter().collect::<Option<_>>()?)
            }
            ExprKind::Me => return self.refuse("`me`", span),
            ExprKind::ThreadVar(_) => return self.refuse("a `local` variable", span),
            ExprKind::Index(..) | ExprKind::Array(_) | ExprKind::Repeat(..) => {
                return self.refuse("an array", span);
            }
            ExprKind::Unary(UnaryOp::Neg, _) => return self.refuse("arithmetic", span),
            ExprKind::Unwrap(_) => return self.refuse("`unwrap`", span),
            ExprKind::Hash(..) => return self.refuse("a `hash`", span),
            ExprKind::Ord(_) => return self.refuse("`ord`", span),
            ExprKind::Collection(_) | ExprKind::Method(..) | ExprKind::Quantifier { .. } => {
                return self.refuse("a collection", span);
            }
        })
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Option<HeapExpr> {
        let not = |e| HeapExpr::Not(Box::new(e));
        if matches!(op, BinaryOp::Add) && self.program.types.kind(a.ty) == TypeKind::Age {
            let is_one = matches!(&b.kind, ExprKind::Constant(words) if words[..] == [1]);
            return match is_one {
                true => Some(HeapExpr::NextAge(Box::new(self.expr(a, span)?))),
                false => self.refuse("an age that is stepped by anything but 1", span),
            };
        }
        let finds_nothing = self.method == ProofMethod::Pairs && (self.is_none(a) || self.is_none(b));
        if !finds_nothing {
            self.comparable(op, a.ty, span)?;
        }
        let (x, y) = (Box::new(self.expr(a, span)?), Box::new(self.expr(b, span)?));
        Some(match op {
            BinaryOp::And => HeapExpr::And(x, y),
            BinaryOp::Or => HeapExpr::Or(x, y),
            BinaryOp::Eq => HeapExpr::Equal(x, y),
            BinaryOp::Ne => not(HeapExpr::Equal(x, y)),
            BinaryOp::Lt => HeapExpr::Less(x, y),
            BinaryOp::Gt => HeapExpr::Less(y, x),
            BinaryOp::Ge => not(HeapExpr::Less(x, y)),
            BinaryOp::Le => not(HeapExpr::Less(y, x)),
            BinaryOp::Add if self.method == ProofMethod::Pairs => HeapExpr::Plus(x, y),
            BinaryOp::Sub if self.method == ProofMethod::Pairs => HeapExpr::Minus(x, y),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                return self.refuse("arithmetic", span);
            }
        })
    }

    /// The constant `none`: whether there is a value may be asked of every type.
    fn is_none(&self, expr: &Expr) -> bool {
        let is_optional = matches!(self.program.types.kind(expr.ty), TypeKind::Option(_));
        is_optional && matches!(&expr.kind, ExprKind::Constant(words) if words[..] == [NONE])
    }

    /// What may be compared how: `data` by `canonical` only, keys by order not by `canonical`.
    fn comparable(&mut self, op: BinaryOp, ty: TypeId, span: Span) -> Option<()> {
        let inner = match self.program.types.kind(ty) {
            TypeKind::Option(of) => of,
            _ => ty,
        };
        let ordered = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        match self.program.types.kind(inner) {
            TypeKind::Data if self.method != ProofMethod::Canonical => self.refuse("`==` of `data`", span),
            TypeKind::Key if ordered && self.method == ProofMethod::Canonical => {
                self.refuse("the order of `key`s", span)
            }
            _ => Some(()),
        }
    }

    fn constant(&mut self, ty: TypeId, words: &[Word], span: Span) -> Option<HeapExpr> {
        let types = &self.program.types;
        let first = words.first().copied().unwrap_or(NULL);
        Some(match types.kind(ty) {
            TypeKind::Bool => HeapExpr::Bool(first != 0),
            TypeKind::Enum(_) | TypeKind::Range { .. } | TypeKind::Int => HeapExpr::Small(i64::from(first)),
            TypeKind::Data | TypeKind::Key if first == UNDEFINED => HeapExpr::Undefined,
            TypeKind::Key if first == KEY_MIN => HeapExpr::KeyMin,
            TypeKind::Key if first == KEY_MAX => HeapExpr::KeyMax,
            TypeKind::Age if first == 0 => HeapExpr::FirstAge,
            TypeKind::Pointer(_) if first == NULL => HeapExpr::Null,
            TypeKind::Option(of) if types.option_is_flat(of) && first == NONE => HeapExpr::None,
            TypeKind::Option(of) if types.option_is_flat(of) => {
                HeapExpr::Some(Box::new(self.constant(of, words, span)?))
            }
            TypeKind::Word(_) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                let mut parts = Vec::new();
                for (number, field) in fields.iter().enumerate() {
                    let start = types.field_offset(ty, number);
                    let part = words.get(start..start + types.width(field.ty)).unwrap_or(&[]);
                    parts.push(self.constant(field.ty, part, span)?);
                }
                HeapExpr::Word(parts)
            }
            TypeKind::Thread => return self.refuse("a `thread`", span),
            TypeKind::Array(..) => return self.refuse("an array", span),
            TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..) => {
                return self.refuse("a collection", span);
            }
            _ => {
                let name = types.name(ty);
                return self.refuse(format!("a constant of type `{name}`"), span);
            }
        })
    }
}
