//! Which specification it is, by what it does and not by its name: provers know a few of the library's, and a
//! user's own of the same name may do something else.

use crate::index::Index;
use crate::interface::BinaryOp;
use crate::program::{
    Base, Candidates, Clause, CollectionMethod, Expr, ExprKind, GlobalId, LocalId, Method, Op, Pc, Place,
    Program, Target,
};
use crate::types::{NONE, TypeId, TypeKind};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpecShape {
    Stack,
    Queue,
    /// With `key`, a range or an enum as priority; any of the least.
    PriorityQueue,
    /// Of `key`.
    Set,
}

/// What an operation of a set does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetOperation {
    Add,
    Remove,
    Contains,
}

/// What each operation of a set of keys does, in the order of the operations; `None` for another object.
pub(super) fn set_operations(program: &Program) -> Option<Vec<SetOperation>> {
    if recognise(program) != Some(SpecShape::Set) {
        return None;
    }
    let mut all = vec![None; program.ops.len()];
    for clause in &program.spec.clauses {
        let operation = match body(program, clause)? {
            Body::SetAdd => SetOperation::Add,
            Body::SetRemove => SetOperation::Remove,
            Body::SetContains => SetOperation::Contains,
            _ => return None,
        };
        let [head] = clause.heads.as_slice() else { return None };
        *all.get_mut(head.op.index())? = Some(operation);
    }
    all.into_iter().collect()
}

/// The shape of the program's specification, if provers know it.
pub(super) fn recognise(program: &Program) -> Option<SpecShape> {
    let spec = &program.spec;
    let [state] = spec.globals.variables.iter().collect::<Vec<_>>()[..] else { return None };
    if !matches!(spec.init.code.get(spec.init.entry)?.op, Op::Return(_)) {
        return None;
    }
    let kind = |ty: TypeId| program.types.kind(ty);
    let bodies: Option<Vec<Body>> = spec.clauses.iter().map(|clause| body(program, clause)).collect();
    let mut bodies = bodies?;
    bodies.sort();
    match kind(state.ty) {
        TypeKind::Seq(of) if kind(of) == TypeKind::Data => match bodies.as_slice() {
            [Body::Push { front: true }, Body::Pop { front: true }]
            | [Body::Push { front: false }, Body::Pop { front: false }] => Some(SpecShape::Stack),
            [Body::Push { front: a }, Body::Pop { front: b }] if a != b => Some(SpecShape::Queue),
            _ => None,
        },
        TypeKind::Set(of) if kind(of) == TypeKind::Key => {
            (bodies == [Body::SetAdd, Body::SetRemove, Body::SetContains]).then_some(SpecShape::Set)
        }
        TypeKind::Bag(of) if is_entry(program, of) => {
            (bodies == [Body::AddEntry, Body::RemoveLeast]).then_some(SpecShape::PriorityQueue)
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Body {
    Push {
        front: bool,
    },
    /// `none` if empty.
    Pop {
        front: bool,
    },
    SetAdd,
    SetRemove,
    SetContains,
    AddEntry,
    RemoveLeast,
}

fn body(program: &Program, clause: &Clause) -> Option<Body> {
    let method = &clause.method;
    if clause.heads.len() != 1 {
        return None;
    }
    let first = method.code.get(method.entry)?;
    let called = on_state(&first.op)?;
    let argument = called.args.first();
    let takes_param =
        argument.and_then(local).is_some_and(|x| is_param(method, x, 0)) && method.params.len() == 1;
    let ends = matches!(&method.code.get(first.next)?.op, Op::Return(values) if values.is_empty());
    let gives_result = match &method.code.get(first.next)?.op {
        Op::Return(values) => {
            matches!(values.as_slice(), [value] if called.into.is_some() && local(value) == called.into)
        }
        _ => false,
    };
    match called.method {
        CollectionMethod::IsEmpty => removal(program, method, first.next, called.into?),
        CollectionMethod::PushFront if takes_param && ends => Some(Body::Push { front: true }),
        CollectionMethod::PushBack if takes_param && ends => Some(Body::Push { front: false }),
        CollectionMethod::Add if takes_param && gives_result => Some(Body::SetAdd),
        CollectionMethod::Remove if takes_param && gives_result => Some(Body::SetRemove),
        CollectionMethod::Contains if takes_param && gives_result => Some(Body::SetContains),
        CollectionMethod::Add if ends => {
            let ExprKind::Word(parts) = &argument?.kind else { return None };
            let in_order = parts.iter().map(local).eq(method.params.iter().map(|&param| Some(param)));
            in_order.then_some(Body::AddEntry)
        }
        _ => None,
    }
}

/// The code after `empty = items.is_empty()`.
fn removal(program: &Program, method: &Method, at: Pc, empty: LocalId) -> Option<Body> {
    let Op::Branch { cond, then, otherwise } = &method.code.get(at)?.op else { return None };
    let Op::Return(nothing) = &method.code.get(*then)?.op else { return None };
    let gives_none =
        matches!(nothing.as_slice(), [Expr { kind: ExprKind::Constant(words), .. }] if words == &[NONE]);
    if local(cond) != Some(empty) || !gives_none {
        return None;
    }
    let next = method.code.get(*otherwise)?;
    if let Some(Called { method: taking, into: Some(taken), .. }) = on_state(&next.op) {
        let front = match taking {
            CollectionMethod::PopFront => true,
            CollectionMethod::PopBack => false,
            _ => return None,
        };
        let value = returned_some(method, next.next)?;
        return (local(value) == Some(taken)).then_some(Body::Pop { front });
    }
    let candidates = loaded_state(&next.op)?;
    let next = method.code.get(next.next)?;
    let all = loaded_state(&next.op)?;
    let next = method.code.get(next.next)?;
    let Op::Choose { into, from: Candidates::Elements(from), cond: Some(cond) } = &next.op else {
        return None;
    };
    let least = is_least(program, cond, *into, all);
    let next = method.code.get(next.next)?;
    let called = on_state(&next.op)?;
    let removed =
        called.method == CollectionMethod::Remove && called.args.first().and_then(local) == Some(*into);
    let ExprKind::Field(entry, 0) = &returned_some(method, next.next)?.kind else { return None };
    (local(from) == Some(candidates) && least && removed && local(entry) == Some(*into))
        .then_some(Body::RemoveLeast)
}

/// `all.all(|f| e.priority <= f.priority)`
fn is_least(program: &Program, cond: &Expr, chosen: LocalId, all: LocalId) -> bool {
    let ExprKind::Quantifier { all: true, collection, var, body } = &cond.kind else { return false };
    let ExprKind::Binary(BinaryOp::Le, a, b) = &body.kind else { return false };
    let priority_of = |expr: &Expr, of: LocalId| matches!(&expr.kind, ExprKind::Field(entry, 1) if local(entry) == Some(of) && is_entry(program, entry.ty));
    local(collection) == Some(all) && priority_of(a, chosen) && priority_of(b, *var)
}

/// A word of an item and its priority.
fn is_entry(program: &Program, ty: TypeId) -> bool {
    let fields = program.types.record(ty).map_or(&[][..], |record| &record.fields);
    let kinds: Vec<TypeKind> = fields.iter().map(|field| program.types.kind(field.ty)).collect();
    matches!(kinds[..], [TypeKind::Data, TypeKind::Key | TypeKind::Range { .. } | TypeKind::Enum(_)])
}

/// A method called on the state.
struct Called<'p> {
    method: CollectionMethod,
    args: &'p [Expr],
    into: Option<LocalId>,
}

fn on_state(op: &Op) -> Option<Called<'_>> {
    match op {
        Op::Collection { into, on: Target::Shared(place), method, args } if is_state(place) => {
            let into = into.as_ref().and_then(|into| into.whole_local());
            Some(Called { method: *method, args, into })
        }
        _ => None,
    }
}

fn is_state(place: &Place) -> bool {
    use crate::index::Index;
    place.path.is_empty() && matches!(place.base, Base::Global(id) if id == GlobalId::new(0))
}

fn loaded_state(op: &Op) -> Option<LocalId> {
    match op {
        Op::Load { into, from } if is_state(from) => into.whole_local(),
        _ => None,
    }
}

fn local(expr: &Expr) -> Option<LocalId> {
    match expr.kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}

fn is_param(method: &Method, local: LocalId, position: usize) -> bool {
    method.params.get(position) == Some(&local)
}

fn returned_some(method: &Method, at: Pc) -> Option<&Expr> {
    let Op::Return(values) = &method.code.get(at)?.op else { return None };
    match values.as_slice() {
        [Expr { kind: ExprKind::Some(value), .. }] => Some(value),
        _ => None,
    }
}
