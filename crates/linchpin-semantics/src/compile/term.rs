//! Compiles pure expressions and places.

use super::MethodCompiler;
use crate::code::definedness::is_undefinable;
use crate::code::{Arithmetic, Base, Index, Local, Order, ResolvedPlace, Span, Term};
use linchpin_ir::index::Index as _;
use linchpin_ir::index::number_of;
use linchpin_ir::interface::{BinaryOp, UnaryOp};
use linchpin_ir::program as ir;
use linchpin_ir::program::{Expr, ExprKind, LocalBase, Projection};
use linchpin_ir::types::{TypeId, TypeKind, TypeTable, word_of};

impl MethodCompiler<'_, '_> {
    /// Compiles a value that is only read.
    pub(super) fn term(&mut self, expr: &Expr) -> Term {
        self.compile(expr, false)
    }

    /// Compiles a value that is stored: its `int`s must be within their bound.
    pub(super) fn kept(&mut self, expr: &Expr) -> Term {
        self.compile(expr, true)
    }

    pub(super) fn kept_all(&mut self, exprs: &[Expr]) -> Box<[Term]> {
        exprs.iter().map(|expr| self.kept(expr)).collect()
    }

    /// Compiles a value that goes into a variable of the thread. A temporary does not count as stored.
    pub(super) fn kept_in(&mut self, to: &ir::LocalPlace, expr: &Expr) -> Term {
        let temporary = matches!(to.base, LocalBase::Local(local) if self.method.locals[local].temporary);
        self.compile(expr, !temporary)
    }

    pub(super) fn place(&mut self, place: &ir::Place) -> ResolvedPlace {
        let (base, start) = match &place.base {
            ir::Base::Global(global) => {
                (Base::Global(*global), number_of(self.compiler.unit.globals.variables[*global].offset))
            }
            ir::Base::Cell { pointer, .. } => {
                (Base::Cell { pointer: self.term(pointer), text: self.expr_text(pointer) }, 0)
            }
        };
        let (offset, indices) = self.path(&place.path);
        let text = self.writer().place(place);
        ResolvedPlace {
            base,
            offset: start + offset,
            width: number_of(self.types().width(place.ty)),
            indices,
            ty: place.ty,
            text: self.compiler.text(text),
        }
    }

    pub(super) fn local(&mut self, place: &ir::LocalPlace) -> Local {
        let start = match place.base {
            LocalBase::Local(local) => self.local_at(local),
            LocalBase::ThreadVar(var) => self.thread_var_at(var),
        };
        let (offset, indices) = self.path(&place.path);
        Local { at: start + offset, width: number_of(self.types().width(place.ty)), indices }
    }

    pub(super) fn maybe_local(&mut self, place: &Option<ir::LocalPlace>) -> Option<Local> {
        place.as_ref().map(|place| self.local(place))
    }

    /// Returns the slots of a whole local, in the thread's block.
    pub(super) fn local_span(&self, local: ir::LocalId) -> Span {
        Span { at: self.local_at(local), width: number_of(self.types().width(self.method.locals[local].ty)) }
    }

    pub(super) fn types(&self) -> &TypeTable {
        &self.compiler.unit.program.types
    }

    pub(super) fn class(&self, collection: TypeId) -> u32 {
        self.compiler.code.classes.of_type(collection).unwrap_or(0)
    }

    fn local_at(&self, local: ir::LocalId) -> u32 {
        number_of(self.compiler.code.layout.frame + self.method.locals[local].offset)
    }

    fn thread_var_at(&self, var: ir::ThreadVarId) -> u32 {
        number_of(self.compiler.code.layout.vars + self.compiler.unit.program.thread_vars[var].offset)
    }

    fn path(&mut self, path: &[Projection]) -> (u32, Box<[Index]>) {
        let mut offset = 0;
        let mut indices = Vec::new();
        for projection in path {
            match projection {
                Projection::Field { of, field } => {
                    offset += number_of(self.types().field_offset(*of, *field))
                }
                Projection::Index { index, element, len } => {
                    let index = self.index(index, *element, *len);
                    match (&index.index, index.len) {
                        (Term::Constant(at), Some(len)) if (0..i64::from(len)).contains(&i64::from(*at)) => {
                            offset += number_of(*at) * index.stride;
                        }
                        _ => indices.push(index),
                    }
                }
            }
        }
        (offset, indices.into())
    }

    fn index(&mut self, index: &Expr, element: TypeId, len: Option<u32>) -> Index {
        let stride = number_of(self.types().width(element));
        Index { index: self.term(index), stride, len, text: self.expr_text(index) }
    }

    fn compile(&mut self, expr: &Expr, keep: bool) -> Term {
        let is_number = matches!(self.types().kind(expr.ty), TypeKind::Int);
        let is_kept_already =
            matches!(expr.kind, ExprKind::ThreadVar(_) | ExprKind::Field(..) | ExprKind::Index(..));
        let term = self.compile_kind(expr, keep);
        if keep && is_number && !is_kept_already { Term::WithinInts(Box::new(term)) } else { term }
    }

    fn compile_kind(&mut self, expr: &Expr, keep: bool) -> Term {
        match &expr.kind {
            ExprKind::Constant(words) => match words[..] {
                [word] => Term::Constant(word),
                _ => Term::Words(words.as_slice().into()),
            },
            ExprKind::Me => Term::Me,
            ExprKind::Local(local) => slots(self.local_span(*local)),
            ExprKind::ThreadVar(var) => {
                let at = self.thread_var_at(*var);
                slots(Span { at, width: number_of(self.types().width(expr.ty)) })
            }
            ExprKind::Field(of, field) => {
                let at = number_of(self.types().field_offset(of.ty, *field));
                let width = number_of(self.types().width(expr.ty));
                part(self.term(of), Span { at, width })
            }
            ExprKind::Index(of, index) => self.element(of, index),
            ExprKind::Unary(UnaryOp::Not, of) => Term::Not(Box::new(self.term(of))),
            ExprKind::Unary(UnaryOp::Neg, of) => Term::Negate(Box::new(self.term(of))),
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right),
            ExprKind::Some(of) => {
                let inner = self.compile(of, keep);
                if self.types().option_is_flat(of.ty) { inner } else { Term::Present(Box::new(inner)) }
            }
            ExprKind::ToRange { value, low, high } => Term::ToRange {
                value: Box::new(self.term(value)),
                low: *low,
                high: *high,
                text: self.expr_text(value),
            },
            ExprKind::Unwrap(of) => {
                let (inner, text) = (Box::new(self.term(of)), self.expr_text(of));
                match self.types().kind(of.ty) {
                    TypeKind::Option(t) if !self.types().option_is_flat(t) => {
                        Term::UnwrapWide { of: inner, text }
                    }
                    _ => Term::UnwrapFlat { of: inner, text },
                }
            }
            ExprKind::Word(parts) | ExprKind::Array(parts) => {
                concat(parts.iter().map(|part| self.compile(part, keep)).collect())
            }
            ExprKind::Repeat(of, times) => Term::Repeat(Box::new(self.compile(of, keep)), *times),
            ExprKind::Collection(elements) => Term::Collection {
                class: self.class(expr.ty),
                elements: elements.iter().map(|element| self.compile(element, keep)).collect(),
                text: self.expr_text(expr),
            },
            ExprKind::Hash(hash, of) => Term::Hash {
                hash: number_of(hash.index()),
                of: Box::new(self.term(of)),
                text: self.expr_text(of),
            },
            ExprKind::Ord(of) => Term::Ord { of: Box::new(self.term(of)), text: self.expr_text(of) },
            ExprKind::Method(method, on, args) => {
                let text = self.expr_text(on);
                Term::Method {
                    method: *method,
                    class: self.class(on.ty),
                    on: Box::new(self.term(on)),
                    args: args.iter().map(|arg| self.term(arg)).collect(),
                    texts: [text, args.first().map_or(text, |arg| self.expr_text(arg))],
                }
            }
            ExprKind::Quantifier { all, collection, var, body } => Term::Quantifier {
                all: *all,
                class: self.class(collection.ty),
                collection: Box::new(self.term(collection)),
                var: self.local_span(*var),
                body: Box::new(self.term(body)),
            },
        }
    }

    fn element(&mut self, of: &Expr, index: &Expr) -> Term {
        let (element, len) = match self.types().kind(of.ty) {
            TypeKind::Array(element, len) => (element, len),
            _ => (of.ty, 0),
        };
        let index = self.index(index, element, Some(len));
        let width = index.stride;
        match self.term(of) {
            Term::Slot(at) => Term::Indexed(Box::new(Local { at, width, indices: [index].into() })),
            Term::Slots(span) => {
                Term::Indexed(Box::new(Local { at: span.at, width, indices: [index].into() }))
            }
            Term::Indexed(local) => {
                let Local { at, indices, .. } = *local;
                let indices = indices.into_vec().into_iter().chain([index]).collect();
                Term::Indexed(Box::new(Local { at, width, indices }))
            }
            of => Term::Element { of: Box::new(of), index: Box::new(index) },
        }
    }

    fn binary(&mut self, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Term {
        if op == BinaryOp::Add && self.types().kind(expr.ty) == TypeKind::Age {
            let of = if self.types().kind(left.ty) == TypeKind::Age { left } else { right };
            let modulo = self.compiler.unit.bounds.ages.map(|ages| word_of(ages.max(1)));
            return Term::NextAge { of: Box::new(self.term(of)), modulo };
        }
        let sides = Box::new([self.term(left), self.term(right)]);
        let texts = [self.expr_text(left), self.expr_text(right)];
        let order = |order, sides, texts| Term::Order { order, sides, texts };
        let arithmetic = |arithmetic, sides, text| Term::Arithmetic { arithmetic, sides, text };
        match op {
            BinaryOp::Or => Term::Or(sides),
            BinaryOp::And => Term::And(sides),
            BinaryOp::Eq | BinaryOp::Ne => {
                let negated = op == BinaryOp::Ne;
                if self.types().width(left.ty) != 1 {
                    let definedness = self.compiler.definedness(left.ty);
                    return Term::SameWide { sides, negated, definedness, text: self.expr_text(expr) };
                }
                if is_undefinable(self.types(), left.ty) || is_undefinable(self.types(), right.ty) {
                    Term::SameDefined { sides, negated, texts }
                } else {
                    Term::Same { sides, negated }
                }
            }
            BinaryOp::Lt => order(Order::Less, sides, texts),
            BinaryOp::Le => order(Order::LessOrEqual, sides, texts),
            BinaryOp::Gt => order(Order::Greater, sides, texts),
            BinaryOp::Ge => order(Order::GreaterOrEqual, sides, texts),
            BinaryOp::Add => arithmetic(Arithmetic::Add, sides, texts[1]),
            BinaryOp::Sub => arithmetic(Arithmetic::Sub, sides, texts[1]),
            BinaryOp::Mul => arithmetic(Arithmetic::Mul, sides, texts[1]),
            BinaryOp::Div => arithmetic(Arithmetic::Div, sides, texts[1]),
            BinaryOp::Rem => arithmetic(Arithmetic::Rem, sides, texts[1]),
        }
    }
}

fn slots(span: Span) -> Term {
    if span.width == 1 { Term::Slot(span.at) } else { Term::Slots(span) }
}

/// Returns some slots of a value, without a copy if the value is a variable.
fn part(of: Term, part: Span) -> Term {
    match of {
        Term::Slot(at) if part.width == 1 => Term::Slot(at),
        Term::Slots(span) => slots(Span { at: span.at + part.at, width: part.width }),
        Term::Indexed(local) => {
            Term::Indexed(Box::new(Local { at: local.at + part.at, width: part.width, ..*local }))
        }
        Term::Part { of, part: outer } => {
            Term::Part { of, part: Span { at: outer.at + part.at, width: part.width } }
        }
        of => Term::Part { of: Box::new(of), part },
    }
}

/// Concatenates values. The result is a constant if all are.
fn concat(parts: Vec<Term>) -> Term {
    let mut words = Vec::new();
    for part in &parts {
        match part {
            Term::Constant(word) => words.push(*word),
            Term::Words(more) => words.extend_from_slice(more),
            _ => return if parts.len() == 1 { single(parts) } else { Term::Concat(parts.into()) },
        }
    }
    match words[..] {
        [word] => Term::Constant(word),
        _ => Term::Words(words.into()),
    }
}

fn single(mut parts: Vec<Term>) -> Term {
    parts.pop().unwrap_or(Term::Words(Box::default()))
}
