//! Expressions and types.

use super::super::ast::{BinaryOp, Expr, ExprKind, FieldInit, Name, Type, TypeKind};
use super::doc::{Doc, concat_docs};
use super::{Delimiters, Printer, Spanned};
use linchpin_ir::source::Span;

impl Spanned for Expr {
    fn span(&self) -> Span {
        self.span
    }
}

impl Spanned for Type {
    fn span(&self) -> Span {
        self.span
    }
}

impl Spanned for Name {
    fn span(&self) -> Span {
        self.span
    }
}

impl Spanned for FieldInit {
    fn span(&self) -> Span {
        self.value.as_ref().map_or(self.name.span, |value| self.name.span.to(value.span))
    }
}

impl Printer<'_> {
    pub(super) fn name(&mut self, name: &Name) -> Doc {
        self.leaf(name.span, &*name.text)
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Doc {
        if let ExprKind::Binary(..) = expr.kind {
            return self.operands(expr).group();
        }
        let before = self.flush(expr.span.start as usize);
        concat_docs![before, self.expr_after_comments(expr)]
    }

    /// What stands between the first word of a statement and the `{` at `brace`, and the gap before the
    /// brace. A chain of operators is not grouped: it breaks together with its line, and the brace then gets
    /// a line of its own.
    pub(super) fn condition(&mut self, expr: &Expr, brace: usize) -> (Doc, Doc) {
        match expr.kind {
            ExprKind::Binary(..) => {
                let operands = self.operands(expr);
                (concat_docs![operands, Vec::from_iter(self.comments.trailing(brace))], Doc::Line)
            }
            _ => (self.expr(expr), " ".into()),
        }
    }

    /// A chain of operators of one level, as in `a && b && c`, broken before each.
    fn operands(&mut self, expr: &Expr) -> Doc {
        let ExprKind::Binary(op, left, right) = &expr.kind else { return self.expr(expr) };
        let chained = matches!(&left.kind, ExprKind::Binary(inner, ..) if level(*inner) == level(*op));
        let left = if chained { self.operands(left) } else { self.expr(left) };
        let start = right.span.start as usize;
        let trailing = Doc::from(Vec::from_iter(self.comments.trailing(start)));
        let before = self.flush(start);
        let right = concat_docs![Doc::Line, before, op.spelling(), " ", self.expr(right)].nest();
        concat_docs![left, trailing, right]
    }

    fn expr_after_comments(&mut self, expr: &Expr) -> Doc {
        match &expr.kind {
            ExprKind::Int(_) => self.comments.text(expr.span.start as usize, expr.span.end as usize).into(),
            ExprKind::Bool(true) => "true".into(),
            ExprKind::Bool(false) => "false".into(),
            ExprKind::Null => "null".into(),
            ExprKind::None => "none".into(),
            ExprKind::Me => "me".into(),
            ExprKind::SelfPlace => "self".into(),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Path(of, member) => concat_docs![self.name(of), "::", self.name(member)],
            ExprKind::Field(of, field) => {
                let of = self.expr(of);
                concat_docs![of, self.flush(field.span.start as usize), ".", self.name(field)]
            }
            ExprKind::Index(of, index) => concat_docs![self.expr(of), "[", self.expr(index), "]"],
            ExprKind::Binary(..) => self.operands(expr),
            ExprKind::Unary(op, operand) => concat_docs![op.spelling(), self.expr(operand)],
            ExprKind::Paren(inner) => concat_docs!["(", self.expr(inner), ")"],
            ExprKind::Word { name, fields } => {
                concat_docs![self.name(name), " ", self.field_inits(fields, expr)]
            }
            ExprKind::Array(elements) => {
                self.delimited(elements, Delimiters::tight("[", "]", before_end(expr)), Self::expr)
            }
            ExprKind::Repeat { value, len } => {
                concat_docs!["[", self.expr(value), "; ", self.expr(len), "]"]
            }
            ExprKind::Range { low, high, inclusive } => self.range(low, high, *inclusive),
            ExprKind::New { ty, fields } => {
                concat_docs!["new ", self.ty(ty), " ", self.field_inits(fields, expr)]
            }
            ExprKind::NewArray { value, len } => {
                concat_docs!["new [", self.expr(value), "; ", self.expr(len), "]"]
            }
            ExprKind::Call { receiver, name, args } => {
                let receiver = match receiver {
                    Some(of) => {
                        let of = self.expr(of);
                        concat_docs![of, self.flush(name.span.start as usize), "."]
                    }
                    None => Doc::empty(),
                };
                let name = self.name(name);
                let args = self.delimited(args, Delimiters::tight("(", ")", before_end(expr)), Self::expr);
                concat_docs![receiver, name, args]
            }
            ExprKind::ChooseBool => "choose bool".into(),
            ExprKind::Choose { var, from, cond } => {
                let var = match var {
                    Some(name) => concat_docs![self.name(name), " in "],
                    None => Doc::empty(),
                };
                let from = self.expr(from);
                let cond = match cond {
                    Some(cond) => concat_docs![Doc::Line, "where ", self.expr(cond)].nest(),
                    None => Doc::empty(),
                };
                concat_docs!["choose ", var, from, cond].group()
            }
            ExprKind::Lambda { param, body } => {
                concat_docs!["|", self.name(param), "| ", self.expr(body)]
            }
            ExprKind::Error => Doc::empty(),
        }
    }

    fn field_inits(&mut self, fields: &[FieldInit], literal: &Expr) -> Doc {
        self.delimited(fields, Delimiters::padded("{", "}", before_end(literal)), |p, field| {
            let name = p.name(&field.name);
            match &field.value {
                Some(value) => concat_docs![name, ": ", p.expr(value)],
                None => name,
            }
        })
    }

    fn range(&mut self, low: &Expr, high: &Expr, inclusive: bool) -> Doc {
        concat_docs![self.expr(low), if inclusive { "..=" } else { ".." }, self.expr(high)]
    }

    pub(super) fn ty(&mut self, ty: &Type) -> Doc {
        let before = self.flush(ty.span.start as usize);
        concat_docs![before, self.ty_after_comments(ty)]
    }

    fn ty_after_comments(&mut self, ty: &Type) -> Doc {
        match &ty.kind {
            TypeKind::Bool => "bool".into(),
            TypeKind::Int => "int".into(),
            TypeKind::Data => "data".into(),
            TypeKind::Key => "key".into(),
            TypeKind::Age => "age".into(),
            TypeKind::Thread => "thread".into(),
            TypeKind::Lock => "lock".into(),
            TypeKind::Condvar => "condvar".into(),
            TypeKind::Range { low, high, inclusive } => self.range(low, high, *inclusive),
            TypeKind::Named { name, args } => concat_docs![self.name(name), self.type_args(args)],
            TypeKind::Pointer(to) => concat_docs!["*", self.ty(to)],
            TypeKind::PointerToArray(of) => concat_docs!["*[", self.ty(of), "]"],
            TypeKind::Array(of, length) => concat_docs!["[", self.ty(of), "; ", self.expr(length), "]"],
            TypeKind::Option(of) => concat_docs![self.ty(of), "?"],
            TypeKind::Seq(of) => concat_docs!["seq<", self.ty(of), ">"],
            TypeKind::Set(of) => concat_docs!["set<", self.ty(of), ">"],
            TypeKind::Bag(of) => concat_docs!["bag<", self.ty(of), ">"],
            TypeKind::Map(from, to) => concat_docs!["map<", self.ty(from), ", ", self.ty(to), ">"],
            TypeKind::Error => Doc::empty(),
        }
    }

    pub(super) fn type_args(&mut self, args: &[Type]) -> Doc {
        if args.is_empty() {
            return Doc::empty();
        }
        concat_docs!["<", self.joined(args, Self::ty), ">"]
    }

    pub(super) fn type_params(&mut self, params: &[Name]) -> Doc {
        if params.is_empty() {
            return Doc::empty();
        }
        concat_docs!["<", self.joined(params, Self::name), ">"]
    }

    /// Separated by commas, on one line.
    pub(super) fn joined<T>(&mut self, elements: &[T], mut build: impl FnMut(&mut Self, &T) -> Doc) -> Doc {
        let mut parts = Vec::new();
        for element in elements {
            if !parts.is_empty() {
                parts.push(", ".into());
            }
            parts.push(build(self, element));
        }
        parts.into()
    }
}

/// The place of the last character of an expression, its closing bracket.
fn before_end(expr: &Expr) -> usize {
    (expr.span.end as usize).saturating_sub(1)
}

fn level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 0,
        BinaryOp::And => 1,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 2,
        BinaryOp::Add | BinaryOp::Sub => 3,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 4,
    }
}
