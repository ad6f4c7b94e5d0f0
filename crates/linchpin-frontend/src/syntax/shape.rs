//! A tree without its positions, as S-expressions. Two texts mean the same to the parser iff their shapes are
//! equal.
//!
//! Parentheses are part of the shape, since the tree keeps them. Comments, white space and trailing commas
//! are not. The bounds `n..n` and `n` have the same shape, and so have `use m::{a}` and `use m::a`.

use super::ast::*;

/// One line for the header, one for the object, one for each item.
pub fn shape(file: &File) -> String {
    let mut lines = vec![node("file", file.header.iter().map(|line| format!("{line:?}")))];
    lines.extend(file.object.as_ref().map(|o| {
        node(
            "object",
            [name(&o.name), name(&o.spec), all("targs", &o.type_args, ty), all("args", &o.args, expr)],
        )
    }));
    lines.extend(file.items.iter().map(|i| item(&i.kind)));
    lines.join("\n")
}

fn node(head: &str, parts: impl IntoIterator<Item = String>) -> String {
    let mut out = format!("({head}");
    for part in parts {
        out.push(' ');
        out.push_str(&part);
    }
    out.push(')');
    out
}

fn all<T>(head: &str, parts: &[T], shape: impl Fn(&T) -> String) -> String {
    node(head, parts.iter().map(shape))
}

fn optional<T>(part: Option<&T>, shape: impl Fn(&T) -> String) -> String {
    part.map_or_else(|| "-".to_owned(), shape)
}

fn name(name: &Name) -> String {
    name.text.to_string()
}

fn item(kind: &ItemKind) -> String {
    match kind {
        ItemKind::Memory(kind) => node("memory", [format!("{kind:?}")]),
        ItemKind::Use { module, names: UseNames::All } => node("use", [name(module), "*".to_owned()]),
        ItemKind::Use { module, names: UseNames::Some(names) } => {
            node("use", [name(module), all("names", names, name)])
        }
        ItemKind::Const { name: n, value } => node("const", [name(n), expr(value)]),
        ItemKind::TypeAlias { name: n, ty: t } => node("type", [name(n), ty(t)]),
        ItemKind::Enum { name: n, variants } => node("enum", [name(n), all("values", variants, name)]),
        ItemKind::Struct(record) => self::record("struct", record),
        ItemKind::Word(record) => self::record("word", record),
        ItemKind::Shared(v) => variable("shared", v),
        ItemKind::Local(v) => variable("local", v),
        ItemKind::Init(body) => node("init", [block(body)]),
        ItemKind::Op(f) => function("op", f),
        ItemKind::Fn(f) => function("fn", f),
        ItemKind::Impl { type_params, target, target_params, functions } => node(
            "impl",
            [
                all("tparams", type_params, name),
                name(target),
                all("of", target_params, name),
                all("methods", functions, |f| function("fn", f)),
            ],
        ),
        ItemKind::Hash { name: n, param, param_type, result, body } => {
            node("hash", [name(n), name(param), ty(param_type), ty(result), optional(body.as_ref(), expr)])
        }
        ItemKind::Role { name: n, count, calls: c } => {
            node("role", [name(n), optional(count.as_ref(), expr), calls(c)])
        }
        ItemKind::Spec(s) => node(
            "spec",
            [
                name(&s.name),
                all("tparams", &s.type_params, name),
                all("params", &s.params, param),
                all("members", &s.members, spec_member),
            ],
        ),
        ItemKind::Check(c) => {
            node("check", [all("bounds", &c.bounds, bound), all("expects", &c.expects, expectation)])
        }
        ItemKind::Prove { method, expects } => {
            node("prove", [name(method), all("expects", expects, expectation)])
        }
    }
}

fn record(head: &str, record: &Record) -> String {
    node(
        head,
        [name(&record.name), all("tparams", &record.type_params, name), all("fields", &record.fields, param)],
    )
}

fn param(param: &Param) -> String {
    node(&param.name.text, [ty(&param.ty)])
}

fn variable(head: &str, v: &Variable) -> String {
    node(head, [name(&v.name), ty(&v.ty), optional(v.init.as_ref(), expr)])
}

fn function(head: &str, f: &Function) -> String {
    node(head, [signature(&f.signature), optional(f.body.as_ref(), block)])
}

fn signature(s: &Signature) -> String {
    let receiver = s.self_param.map_or("-", |_| "self").to_owned();
    node(&s.name.text, [receiver, all("params", &s.params, param), optional(s.result.as_ref(), ty)])
}

fn calls(c: &Calls) -> String {
    match c {
        Calls::Op(n) => name(n),
        Calls::Sequence(parts) => all("then", parts, calls),
        Calls::Choice(parts) => all("or", parts, calls),
        Calls::Star(inner) => node("star", [calls(inner)]),
        Calls::Optional(inner) => node("optional", [calls(inner)]),
    }
}

fn spec_member(member: &SpecMember) -> String {
    match member {
        SpecMember::State(v, _) => variable("state", v),
        SpecMember::Clause(c) => {
            let head = |h: &ClauseHead| node("op", [all("#", &h.attributes, name), signature(&h.signature)]);
            node("clause", [all("heads", &c.heads, head), optional(c.when.as_ref(), expr), block(&c.body)])
        }
        SpecMember::Observer(o) => node(
            "observer",
            [
                name(&o.name),
                all("params", &o.params, param),
                optional(o.when.as_ref(), expr),
                all("steps", &o.steps, observer_step),
            ],
        ),
    }
}

fn observer_step(step: &ObserverStep) -> String {
    let pattern = |pattern: &Pattern| optional(pattern.value.as_ref(), expr);
    node(
        &step.from.text,
        [
            name(&step.op),
            all("args", &step.args, pattern),
            optional(step.result.as_ref(), pattern),
            name(&step.to),
        ],
    )
}

fn bound((n, bound): &(Name, Bound)) -> String {
    let value = match bound {
        Bound::Range(low, high, _) => format!("{low}..{high}"),
        Bound::Name(n) => name(n),
        Bound::Names(names, _) => all("names", names, name),
    };
    node(&n.text, [value])
}

fn expectation(e: &Expect) -> String {
    node(if e.violated { "violated" } else { "holds" }, [name(&e.property)])
}

fn ty(t: &Type) -> String {
    match &t.kind {
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Int => "int".to_owned(),
        TypeKind::Data => "data".to_owned(),
        TypeKind::Key => "key".to_owned(),
        TypeKind::Age => "age".to_owned(),
        TypeKind::Thread => "thread".to_owned(),
        TypeKind::Lock => "lock".to_owned(),
        TypeKind::Condvar => "condvar".to_owned(),
        TypeKind::Range { low, high, inclusive } => range(low, high, *inclusive),
        TypeKind::Named { name: n, args } => all(&n.text, args, ty),
        TypeKind::Pointer(to) => node("*", [ty(to)]),
        TypeKind::PointerToArray(of) => node("*[]", [ty(of)]),
        TypeKind::Array(of, length) => node("[]", [ty(of), expr(length)]),
        TypeKind::Option(of) => node("?", [ty(of)]),
        TypeKind::Seq(of) => node("seq", [ty(of)]),
        TypeKind::Set(of) => node("set", [ty(of)]),
        TypeKind::Bag(of) => node("bag", [ty(of)]),
        TypeKind::Map(from, to) => node("map", [ty(from), ty(to)]),
        TypeKind::Error => "<error>".to_owned(),
    }
}

fn range(low: &Expr, high: &Expr, inclusive: bool) -> String {
    node(if inclusive { "..=" } else { ".." }, [expr(low), expr(high)])
}

fn block(b: &Block) -> String {
    all("block", &b.stmts, stmt)
}

fn stmt(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Let { name: n, ty: t, value } => {
            node("let", [name(n), optional(t.as_ref(), ty), optional(value.as_ref(), expr)])
        }
        StmtKind::Assign { place, op, value } => {
            let head = match op {
                AssignOp::Set => "=",
                AssignOp::Add => "+=",
                AssignOp::Sub => "-=",
            };
            node(head, [expr(place), expr(value)])
        }
        StmtKind::Expr(e) => node("do", [expr(e)]),
        StmtKind::Block(b) => block(b),
        StmtKind::If(i) => conditional(i),
        StmtKind::Match { value, arms, .. } => node("match", [expr(value), all("arms", arms, arm)]),
        StmtKind::Loop { label, body } => node("loop", [optional(label.as_ref(), name), block(body)]),
        StmtKind::While { label, cond, body } => {
            node("while", [optional(label.as_ref(), name), expr(cond), block(body)])
        }
        StmtKind::For { label, var, range, body } => {
            node("for", [optional(label.as_ref(), name), name(var), expr(range), block(body)])
        }
        StmtKind::Break(label) => node("break", [optional(label.as_ref(), name)]),
        StmtKind::Continue(label) => node("continue", [optional(label.as_ref(), name)]),
        StmtKind::Return(values) => all("return", values, expr),
        StmtKind::Defer(s) => node("defer", [stmt(s)]),
        StmtKind::Atomic(b) => node("atomic", [block(b)]),
        StmtKind::Await(e) => node("await", [expr(e)]),
        StmtKind::Assert(e) => node("assert", [expr(e)]),
        StmtKind::Assume(e) => node("assume", [expr(e)]),
        StmtKind::Lin { maybe, of, cond } => {
            let head = if *maybe { "lin-maybe" } else { "lin" };
            node(head, [optional(of.as_ref(), expr), optional(cond.as_ref(), expr)])
        }
    }
}

fn conditional(i: &If) -> String {
    let otherwise = match &i.otherwise {
        None => "-".to_owned(),
        Some(Else::If(next)) => conditional(next),
        Some(Else::Block(b)) => block(b),
    };
    node("if", [expr(&i.cond), block(&i.then), otherwise])
}

fn arm(a: &Arm) -> String {
    let pattern = a.pattern.as_ref().map_or_else(|| "_".to_owned(), expr);
    node("arm", [pattern, block(&a.body)])
}

fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Null => "null".to_owned(),
        ExprKind::None => "none".to_owned(),
        ExprKind::Me => "me".to_owned(),
        ExprKind::SelfPlace => "self".to_owned(),
        ExprKind::Name(n) => name(n),
        ExprKind::Path(of, member) => format!("{}::{}", of.text, member.text),
        ExprKind::Field(of, field) => node(".", [expr(of), name(field)]),
        ExprKind::Index(of, index) => node("[]", [expr(of), expr(index)]),
        ExprKind::Binary(op, left, right) => node(op.spelling(), [expr(left), expr(right)]),
        ExprKind::Unary(op, operand) => node(op.spelling(), [expr(operand)]),
        ExprKind::Paren(inner) => node("paren", [expr(inner)]),
        ExprKind::Word { name: n, fields } => node("word", [name(n), all("fields", fields, field)]),
        ExprKind::Array(elements) => all("array", elements, expr),
        ExprKind::Repeat { value, len } => node("repeat", [expr(value), expr(len)]),
        ExprKind::Range { low, high, inclusive } => range(low, high, *inclusive),
        ExprKind::New { ty: t, fields } => node("new", [ty(t), all("fields", fields, field)]),
        ExprKind::NewArray { value, len } => node("new-array", [expr(value), expr(len)]),
        ExprKind::Call { receiver: None, name: n, args } => node("call", [name(n), all("args", args, expr)]),
        ExprKind::Call { receiver: Some(of), name: n, args } => {
            node("method", [expr(of), name(n), all("args", args, expr)])
        }
        ExprKind::ChooseBool => "choose-bool".to_owned(),
        ExprKind::Choose { var, from, cond } => {
            node("choose", [optional(var.as_ref(), name), expr(from), optional(cond.as_deref(), expr)])
        }
        ExprKind::Lambda { param, body } => node("lambda", [name(param), expr(body)]),
        ExprKind::Error => "<error>".to_owned(),
    }
}

fn field(f: &FieldInit) -> String {
    node(&f.name.text, f.value.as_ref().map(expr))
}
