//! Writes expressions and places as source text, for messages. Temporaries are named after what they hold.

use linchpin_ir::interface::UnaryOp;
use linchpin_ir::program::{
    Base, CollectionMethod, Expr, ExprKind, Globals, LocalBase, LocalPlace, Method, Place, Program,
    Projection,
};
use linchpin_ir::types::{KEY_MAX, KEY_MIN, NONE, TypeId, TypeKind, UNDEFINED, Word};

/// Writes the expressions of one method.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub program: &'a Program,
    pub globals: &'a Globals,
    pub method: &'a Method,
}

impl Writer<'_> {
    pub fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Constant(words) => self.constant(expr.ty, words),
            ExprKind::Me => "me".into(),
            ExprKind::Local(local) => self.method.locals[*local].name.to_string(),
            ExprKind::ThreadVar(var) => self.program.thread_vars[*var].name.to_string(),
            ExprKind::Field(of, field) => format!("{}.{}", self.operand(of), self.field(of.ty, *field)),
            ExprKind::Index(of, index) => format!("{}[{}]", self.operand(of), self.expr(index)),
            ExprKind::Unary(UnaryOp::Not, of) => format!("!{}", self.operand(of)),
            ExprKind::Unary(UnaryOp::Neg, of) => format!("-{}", self.operand(of)),
            ExprKind::Binary(op, left, right) => {
                format!("{} {} {}", self.operand(left), op.spelling(), self.operand(right))
            }
            ExprKind::Some(of) | ExprKind::ToRange { value: of, .. } => self.expr(of),
            ExprKind::Unwrap(of) => format!("{}.unwrap()", self.operand(of)),
            ExprKind::Word(fields) => {
                let field = |(at, value): (usize, &Expr)| {
                    format!("{}: {}", self.field(expr.ty, at), self.expr(value))
                };
                let fields: Vec<String> = fields.iter().enumerate().map(field).collect();
                format!("{} {{ {} }}", self.program.types.name(expr.ty), fields.join(", "))
            }
            ExprKind::Array(items) | ExprKind::Collection(items) => format!("[{}]", self.list(items)),
            ExprKind::Repeat(of, times) => format!("[{}; {times}]", self.expr(of)),
            ExprKind::Hash(hash, of) => format!("{}({})", self.program.hashes[*hash].name, self.expr(of)),
            ExprKind::Ord(of) => format!("ord({})", self.expr(of)),
            ExprKind::Method(CollectionMethod::Get, on, args) => {
                format!("{}[{}]", self.operand(on), self.list(args))
            }
            ExprKind::Method(method, on, args) => {
                format!("{}.{}({})", self.operand(on), method_name(*method), self.list(args))
            }
            ExprKind::Quantifier { all, collection, var, body } => {
                let name = if *all { "all" } else { "any" };
                let var = &self.method.locals[*var].name;
                format!("{}.{name}(|{var}| {})", self.operand(collection), self.expr(body))
            }
        }
    }

    pub fn place(&self, place: &Place) -> String {
        let base = match &place.base {
            Base::Global(global) => self.globals.variables[*global].name.to_string(),
            Base::Cell { pointer, .. } => self.operand(pointer),
        };
        self.path(base, &place.path)
    }

    pub fn local(&self, place: &LocalPlace) -> String {
        let base = match place.base {
            LocalBase::Local(local) => self.method.locals[local].name.to_string(),
            LocalBase::ThreadVar(var) => self.program.thread_vars[var].name.to_string(),
        };
        self.path(base, &place.path)
    }

    fn path(&self, base: String, path: &[Projection]) -> String {
        path.iter().fold(base, |base, projection| match projection {
            Projection::Field { of, field } => format!("{base}.{}", self.field(*of, *field)),
            Projection::Index { index, .. } => format!("{base}[{}]", self.expr(index)),
        })
    }

    fn constant(&self, ty: TypeId, words: &[Word]) -> String {
        let types = &self.program.types;
        match (types.kind(ty), words) {
            (_, &[UNDEFINED]) => "undefined".into(),
            (TypeKind::Option(_), &[NONE] | &[0, ..]) => "none".into(),
            (TypeKind::Option(of), _) if types.option_is_flat(of) => self.constant(of, words),
            (TypeKind::Bool, &[word]) => (word != 0).to_string(),
            (TypeKind::Key, &[KEY_MIN]) => "key::MIN".into(),
            (TypeKind::Key, &[KEY_MAX]) => "key::MAX".into(),
            (TypeKind::Pointer(_), &[0]) => "null".into(),
            (TypeKind::Enum(id), &[word]) => {
                let variant = usize::try_from(word).ok().and_then(|at| types.enums[id].variants.get(at));
                format!("{}::{}", types.enums[id].name, variant.map_or("?", |name| name))
            }
            (_, &[word]) => word.to_string(),
            _ => types.name(ty),
        }
    }

    /// Writes an operand, with parentheses around a binary expression.
    fn operand(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        match &expr.kind {
            ExprKind::Binary(..) => format!("({text})"),
            ExprKind::Some(of) | ExprKind::ToRange { value: of, .. } => self.operand(of),
            _ => text,
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn field(&self, ty: TypeId, field: usize) -> &str {
        self.program
            .types
            .record(ty)
            .and_then(|record| record.fields.get(field))
            .map_or("?", |field| &field.name)
    }
}

fn method_name(method: CollectionMethod) -> &'static str {
    use CollectionMethod::*;
    match method {
        Len => "len",
        IsEmpty => "is_empty",
        Clear => "clear",
        Contains => "contains",
        PushBack => "push_back",
        PushFront => "push_front",
        PopBack => "pop_back",
        PopFront => "pop_front",
        Get | Lookup => "get",
        Set => "set",
        RemoveAt => "remove_at",
        InsertAt => "insert_at",
        Add => "add",
        Remove | RemoveKey => "remove",
        Count => "count",
        Insert => "insert",
    }
}
