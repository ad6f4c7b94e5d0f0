//! Expressions, places and instructions in the notation of the language.

use crate::index::IndexVec;
use crate::interface::{BinaryOp, UnaryOp};
use crate::program::{
    Base, Candidates, CollectionMethod, Expr, ExprKind, Globals, LocalBase, LocalId, LocalPlace, Method, Op,
    Place, Program, Projection, Target,
};
use crate::types::{KEY_MAX, KEY_MIN, NONE, NULL, TypeId, TypeKind, TypeTable, UNDEFINED, Word};

/// Names of the locals of one method: variables by their own, temporaries by numbers.
pub(super) struct LocalNames<'p> {
    program: &'p Program,
    globals: &'p Globals,
    locals: IndexVec<LocalId, String>,
}

impl<'p> LocalNames<'p> {
    pub fn new(program: &'p Program, globals: &'p Globals, method: &Method) -> LocalNames<'p> {
        let mut locals: IndexVec<LocalId, String> = IndexVec::new();
        let mut temporaries = 0;
        for local in method.locals.iter() {
            let plain = if local.temporary {
                temporaries += 1;
                format!("t{temporaries}")
            } else {
                local.name.to_string()
            };
            let mut name = plain.clone();
            let mut number = 1;
            while locals.iter().any(|taken| *taken == name) {
                number += 1;
                name = format!("{plain}_{number}");
            }
            locals.push(name);
        }
        LocalNames { program, globals, locals }
    }

    pub fn local(&self, local: LocalId) -> &str {
        self.locals.get(local).map_or("?", String::as_str)
    }

    pub fn op(&self, op: &Op) -> String {
        match op {
            Op::Assign { to, value } => format!("{} = {}", self.local_place(to), self.expr(value)),
            Op::Branch { cond, .. } => format!("if {}", self.expr(cond)),
            Op::Choose { into, from, cond } => {
                let into = self.local(*into);
                let from = match from {
                    Candidates::Bool => "bool".into(),
                    Candidates::Range(low, high) => format!("{}..={}", self.expr(low), self.expr(high)),
                    Candidates::Threads => "threads".into(),
                    Candidates::Elements(collection) => self.expr(collection),
                };
                match cond {
                    Some(cond) => format!("{into} = choose {into} in {from} where {}", self.expr(cond)),
                    None => format!("{into} = choose {from}"),
                }
            }
            Op::Assert(cond) => format!("assert {}", self.expr(cond)),
            Op::Assume(cond) => format!("assume {}", self.expr(cond)),
            Op::Await(cond) => format!("await {}", self.expr(cond)),
            Op::Lin { maybe, of, cond } => {
                let maybe = if *maybe { " maybe" } else { "" };
                let of = of.as_ref().map(|of| format!(" of {}", self.expr(of))).unwrap_or_default();
                let cond = cond.as_ref().map(|cond| format!(" if {}", self.expr(cond))).unwrap_or_default();
                format!("lin{maybe}{of}{cond}")
            }
            Op::Call { method, args, into } => {
                let name = self.program.methods.get(*method).map_or("?", |method| &method.name);
                self.result(into.as_ref(), format!("{name}({})", self.exprs(args)))
            }
            Op::Return(values) if values.is_empty() => "return".into(),
            Op::Return(values) => format!("return {}", self.exprs(values)),
            Op::Load { into, from } => self.result(Some(into), self.place(from)),
            Op::Store { to, value } => format!("{} = {}", self.place(to), self.expr(value)),
            Op::New { into, of, fields } => {
                let record = &self.program.types.structs[*of];
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(field, value)| {
                        let name = record.fields.get(*field).map_or("?", |field| &field.name);
                        format!("{name}: {}", self.expr(value))
                    })
                    .collect();
                let fields =
                    if fields.is_empty() { "{}".into() } else { format!("{{ {} }}", fields.join(", ")) };
                self.result(Some(into), format!("new {} {fields}", record.name))
            }
            Op::NewArray { into, value, len, .. } => {
                self.result(Some(into), format!("new [{}; {}]", self.expr(value), self.expr(len)))
            }
            Op::ArrayLen { into, array } => self.result(Some(into), format!("{}.len()", self.operand(array))),
            Op::Free(pointer) => format!("free({})", self.expr(pointer)),
            Op::Collection { into, on, method, args } => {
                let on = match on {
                    Target::Local(place) => self.local_place(place),
                    Target::Shared(place) => self.place(place),
                };
                self.result(into.as_ref(), self.method(*method, &on, args))
            }
            Op::Cas { into, place, old, new } => self.primitive(into.as_ref(), "cas", [place], &[old, new]),
            Op::CmpXchg { into, place, old, new } => {
                self.primitive(into.as_ref(), "cmpxchg", [place], &[old, new])
            }
            Op::Dcas { into, places, olds, news } => {
                let operands = [&olds[0], &olds[1], &news[0], &news[1]];
                self.primitive(into.as_ref(), "dcas", [&places[0], &places[1]], &operands)
            }
            Op::Swap { into, place, value } => self.primitive(into.as_ref(), "swap", [place], &[value]),
            Op::FetchAdd { into, place, value } => {
                self.primitive(into.as_ref(), "fetch_add", [place], &[value])
            }
            Op::LoadLinked { into, place } => self.primitive(into.as_ref(), "ll", [place], &[]),
            Op::StoreConditional { into, place, value } => {
                self.primitive(into.as_ref(), "sc", [place], &[value])
            }
            Op::Lock(place) => format!("{}.lock()", self.place(place)),
            Op::Unlock(place) => format!("{}.unlock()", self.place(place)),
            Op::TryLock { into, place } => {
                self.result(into.as_ref(), format!("{}.try_lock()", self.place(place)))
            }
            Op::IsLocked { into, place } => {
                self.result(into.as_ref(), format!("{}.is_locked()", self.place(place)))
            }
            Op::WaitBegin { condvar, lock } => {
                format!("{}.wait({}): release and wait", self.place(condvar), self.place(lock))
            }
            Op::WaitEnd { condvar, lock } => {
                format!("{}.wait({}): notified, take it again", self.place(condvar), self.place(lock))
            }
            Op::Notify { condvar, all: true } => format!("{}.notify_all()", self.place(condvar)),
            Op::Notify { condvar, all: false } => format!("{}.notify_one()", self.place(condvar)),
            Op::Atomic { .. } => "atomic".into(),
        }
    }

    pub fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Constant(words) => constant(&self.program.types, expr.ty, words),
            ExprKind::Me => "me".into(),
            ExprKind::Local(local) => self.local(*local).into(),
            ExprKind::ThreadVar(id) => {
                self.program.thread_vars.get(*id).map_or("?".into(), |v| v.name.to_string())
            }
            ExprKind::Field(of, field) => format!("{}.{}", self.operand(of), self.field(of.ty, *field)),
            ExprKind::Index(of, index) => format!("{}[{}]", self.operand(of), self.expr(index)),
            ExprKind::Unary(UnaryOp::Not, e) => format!("!{}", self.operand(e)),
            ExprKind::Unary(UnaryOp::Neg, e) => format!("-{}", self.operand(e)),
            ExprKind::Binary(op, a, b) => {
                let side = |e: &Expr, left: bool| match &e.kind {
                    ExprKind::Binary(inner, ..) if !binds_closer(*inner, *op, left) => {
                        format!("({})", self.expr(e))
                    }
                    _ => self.expr(e),
                };
                format!("{} {} {}", side(a, true), op.spelling(), side(b, false))
            }
            // Conversions that the text does not show either.
            ExprKind::Some(e) | ExprKind::ToRange { value: e, .. } => self.expr(e),
            ExprKind::Unwrap(e) => format!("{}.unwrap()", self.operand(e)),
            ExprKind::Word(parts) => {
                let name = self.program.types.name(expr.ty);
                let parts: Vec<String> = parts
                    .iter()
                    .enumerate()
                    .map(|(field, part)| format!("{}: {}", self.field(expr.ty, field), self.expr(part)))
                    .collect();
                format!("{name} {{ {} }}", parts.join(", "))
            }
            ExprKind::Array(parts) | ExprKind::Collection(parts) => format!("[{}]", self.exprs(parts)),
            ExprKind::Repeat(e, n) => format!("[{}; {n}]", self.expr(e)),
            ExprKind::Hash(id, e) => {
                let name = self.program.hashes.get(*id).map_or("?", |hash| &hash.name);
                format!("{name}({})", self.expr(e))
            }
            ExprKind::Ord(e) => format!("ord({})", self.expr(e)),
            ExprKind::Method(method, on, args) => self.method(*method, &self.operand(on), args),
            ExprKind::Quantifier { all, collection, var, body } => {
                let name = if *all { "all" } else { "any" };
                format!("{}.{name}(|{}| {})", self.operand(collection), self.local(*var), self.expr(body))
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        let (base, follows) = match &place.base {
            Base::Global(id) => {
                (self.globals.variables.get(*id).map_or("?".into(), |v| v.name.to_string()), false)
            }
            Base::Cell { pointer, .. } => (self.operand(pointer), true),
        };
        if follows && place.path.is_empty() { format!("*{base}") } else { self.path(base, &place.path) }
    }

    fn local_place(&self, place: &LocalPlace) -> String {
        let base = match place.base {
            LocalBase::Local(local) => self.local(local).into(),
            LocalBase::ThreadVar(id) => {
                self.program.thread_vars.get(id).map_or("?".into(), |v| v.name.to_string())
            }
        };
        self.path(base, &place.path)
    }

    fn path(&self, mut text: String, path: &[Projection]) -> String {
        for projection in path {
            match projection {
                Projection::Field { of, field } => {
                    text.push('.');
                    text.push_str(self.field(*of, *field));
                }
                Projection::Index { index, .. } => {
                    text.push('[');
                    text.push_str(&self.expr(index));
                    text.push(']');
                }
            }
        }
        text
    }

    fn field(&self, of: TypeId, field: usize) -> &str {
        self.program
            .types
            .record(of)
            .and_then(|record| record.fields.get(field))
            .map_or("?", |field| &field.name)
    }

    /// An expression that something is applied to.
    fn operand(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Word(_) => {
                format!("({})", self.expr(expr))
            }
            ExprKind::Some(e) | ExprKind::ToRange { value: e, .. } => self.operand(e),
            _ => self.expr(expr),
        }
    }

    fn exprs(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn result(&self, into: Option<&LocalPlace>, what: String) -> String {
        match into {
            Some(into) => format!("{} = {what}", self.local_place(into)),
            None => what,
        }
    }

    fn primitive<const N: usize>(
        &self,
        into: Option<&LocalPlace>,
        name: &str,
        places: [&Place; N],
        operands: &[&Expr],
    ) -> String {
        let places = places.iter().map(|place| self.place(place));
        let arguments: Vec<String> =
            places.chain(operands.iter().map(|operand| self.expr(operand))).collect();
        self.result(into, format!("{name}({})", arguments.join(", ")))
    }

    fn method(&self, method: CollectionMethod, on: &str, args: &[Expr]) -> String {
        let name = match method {
            CollectionMethod::Get => return format!("{on}[{}]", self.exprs(args)),
            CollectionMethod::Set => {
                let (index, value) =
                    args.split_first().map_or((String::new(), args), |(i, v)| (self.expr(i), v));
                return format!("{on}[{index}] = {}", self.exprs(value));
            }
            CollectionMethod::Len => "len",
            CollectionMethod::IsEmpty => "is_empty",
            CollectionMethod::Clear => "clear",
            CollectionMethod::Contains => "contains",
            CollectionMethod::PushBack => "push_back",
            CollectionMethod::PushFront => "push_front",
            CollectionMethod::PopBack => "pop_back",
            CollectionMethod::PopFront => "pop_front",
            CollectionMethod::RemoveAt => "remove_at",
            CollectionMethod::InsertAt => "insert_at",
            CollectionMethod::Add => "add",
            CollectionMethod::Remove | CollectionMethod::RemoveKey => "remove",
            CollectionMethod::Count => "count",
            CollectionMethod::Insert => "insert",
            CollectionMethod::Lookup => "get",
        };
        format!("{on}.{name}({})", self.exprs(args))
    }
}

/// A constant as a person writes it.
fn constant(types: &TypeTable, ty: TypeId, words: &[Word]) -> String {
    let Some(&first) = words.first() else { return "nothing".into() };
    match types.kind(ty) {
        TypeKind::Bool => if first == 0 { "false" } else { "true" }.into(),
        TypeKind::Enum(id) => {
            let record = &types.enums[id];
            let variant = usize::try_from(first).ok().and_then(|variant| record.variants.get(variant));
            format!("{}::{}", record.name, variant.map_or("?", |name| name))
        }
        TypeKind::Data | TypeKind::Key | TypeKind::Thread if first == UNDEFINED => "undefined".into(),
        TypeKind::Key if first == KEY_MIN => "key::MIN".into(),
        TypeKind::Key if first == KEY_MAX => "key::MAX".into(),
        TypeKind::Thread => format!("thread {first}"),
        TypeKind::Pointer(_) if first == NULL => "null".into(),
        TypeKind::Option(of) if types.option_is_flat(of) => {
            if first == NONE {
                "none".into()
            } else {
                constant(types, of, words)
            }
        }
        TypeKind::Option(of) => {
            if first == 0 {
                "none".into()
            } else {
                constant(types, of, &words[1..])
            }
        }
        TypeKind::Word(_) => {
            let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
            let parts: Vec<String> = fields
                .iter()
                .enumerate()
                .map(|(number, field)| {
                    let start = types.field_offset(ty, number);
                    let part = words.get(start..start + types.width(field.ty)).unwrap_or(&[]);
                    format!("{}: {}", field.name, constant(types, field.ty, part))
                })
                .collect();
            format!("{} {{ {} }}", types.name(ty), parts.join(", "))
        }
        TypeKind::Array(of, _) => {
            let parts: Vec<String> =
                words.chunks(types.width(of).max(1)).map(|part| constant(types, of, part)).collect();
            format!("[{}]", parts.join(", "))
        }
        TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..) => "[]".into(),
        _ => first.to_string(),
    }
}

fn binds_closer(inner: BinaryOp, outer: BinaryOp, left: bool) -> bool {
    let rank = |op| match op {
        BinaryOp::Or => 0,
        BinaryOp::And => 1,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 2,
        BinaryOp::Add | BinaryOp::Sub => 3,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 4,
    };
    // Comparisons do not chain; everything else groups to the left.
    rank(inner) > rank(outer) || rank(inner) == rank(outer) && left && rank(inner) != 2
}
