//! Reads bags and priority queues off the clauses of a specification.
//!
//! The state is one `bag`. An operation adds its arguments as one element, or takes an element out and
//! returns a field of it. The element is any one, or any one of the least rank. The rank is a field that has
//! an order. An operation that takes may return `none` if the `bag` is empty, or wait.
//!
//! So *projection* holds: without all calls about some values, and without any calls that found the `bag`
//! empty, a legal execution stays legal. Proof: the `bag` is always that of the whole execution without these
//! values. An element of the least rank stays one among fewer elements, and an empty `bag` stays empty.

use super::clauses::{begins_with_defaults, is_whole, local, only_head};
use super::record::ShownCall;
use super::spec_oracle::as_returned;
use linchpin_ir::index::{Index, IndexVec, number_of};
use linchpin_ir::interface::BinaryOp;
use linchpin_ir::program::{
    Candidates, Clause, CollectionMethod, Expr, ExprKind, Instr, LocalId, Op, OpId, Program, Target,
};
use linchpin_ir::types::{TypeKind, Word};
use linchpin_order::{About, ContainerCall, Structure};
use rustc_hash::FxHashMap;

/// The effect of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum UnorderedRole {
    Put {
        /// The argument that is returned when the value is taken.
        value: usize,
        /// The argument by which values are ordered; `None` if they are not.
        rank: Option<usize>,
    },
    Take {
        /// The result if the container is empty; `None` if the operation waits then.
        nothing: Option<Vec<Word>>,
    },
}

/// An element of the `bag`, as a clause makes or reads it. Elements have at most two fields of one word each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fields {
    /// The field that is returned; `None` if the element is.
    value: Option<usize>,
    rank: Option<usize>,
}

/// Returns the roles of the operations if the specification is an unordered container.
pub(super) fn unordered(program: &Program) -> Option<IndexVec<OpId, UnorderedRole>> {
    let [state] = program.spec.globals.variables.iter().collect::<Vec<_>>()[..] else { return None };
    let TypeKind::Bag(element) = program.types.kind(state.ty) else { return None };
    if !begins_with_defaults(program) || matches!(program.types.kind(element), TypeKind::Option(_)) {
        return None;
    }
    let mut fields = None;
    let mut takes: IndexVec<OpId, Option<UnorderedRole>> = program.ops.iter().map(|_| None).collect();
    for clause in &program.spec.clauses {
        let Some((found, nothing)) = taken(program, clause) else { continue };
        let op = only_head(clause)?.op;
        if fields.is_some_and(|known| known != found) || takes[op].is_some() {
            return None;
        }
        fields = Some(found);
        takes[op] = Some(UnorderedRole::Take { nothing });
    }
    let fields = fields?;
    let mut roles = takes.clone();
    for clause in &program.spec.clauses {
        let op = only_head(clause)?.op;
        if takes[op].is_none() {
            if roles[op].is_some() {
                return None;
            }
            roles[op] = Some(put(program, clause, fields)?);
        }
    }
    roles.iter().cloned().collect::<Option<Vec<_>>>().map(IndexVec::from_iter)
}

/// Returns the role of a clause that adds its arguments as one element.
fn put(program: &Program, clause: &Clause, fields: Fields) -> Option<UnorderedRole> {
    let ops = super::clauses::straight(&clause.method, 2)?;
    let [
        Op::Collection { on: Target::Shared(place), method: CollectionMethod::Add, args, .. },
        Op::Return(values),
    ] = ops[..]
    else {
        return None;
    };
    let ([element], []) = (&args[..], &values[..]) else { return None };
    let param = |expr: &Expr| clause.method.params.iter().position(|param| Some(*param) == local(expr));
    let parts: Vec<usize> = match (&element.kind, fields.value) {
        (ExprKind::Word(parts), Some(_)) => parts.iter().map(param).collect::<Option<_>>()?,
        (_, None) => vec![param(element)?],
        _ => return None,
    };
    let op = only_head(clause)?.op;
    let params = &program.ops[op].params;
    let is_one_word = params.iter().all(|&ty| program.types.width(ty) == 1);
    let is_each_once = (0..params.len()).all(|at| parts.iter().filter(|part| **part == at).count() == 1);
    let role = UnorderedRole::Put {
        value: *parts.get(fields.value.unwrap_or(0))?,
        rank: match fields.rank {
            Some(rank) => Some(*parts.get(rank)?),
            None => None,
        },
    };
    (is_whole(place) && is_one_word && is_each_once).then_some(role)
}

/// Returns what a clause takes, and its result if there is nothing; `None` if it does not take.
fn taken(program: &Program, clause: &Clause) -> Option<(Fields, Option<Vec<Word>>)> {
    let head = only_head(clause)?;
    if !clause.method.params.is_empty() {
        return None;
    }
    let code = &clause.method.code;
    let mut instr = code.get(clause.method.entry)?;
    let mut nothing = None;
    if let Op::Collection { into, on: Target::Shared(place), method: CollectionMethod::IsEmpty, .. } =
        &instr.op
    {
        let branch = code.get(instr.next)?;
        let Op::Branch { cond, then, otherwise } = &branch.op else { return None };
        let is_test = is_whole(place) && local(cond).is_some() && local(cond) == into.as_ref()?.whole_local();
        let (Op::Return(values), true) = (&code.get(*then)?.op, is_test) else { return None };
        let result = head.result.filter(|ty| matches!(program.types.kind(*ty), TypeKind::Option(_)))?;
        let words = program.types.defaults(result);
        let [Expr { kind: ExprKind::Constant(none), .. }] = &values[..] else { return None };
        if *none != words {
            return None;
        }
        nothing = Some(as_returned(program, head.op, Some(words.into())));
        instr = code.get(*otherwise)?;
    }
    let mut copies: Vec<LocalId> = Vec::new();
    while let Op::Load { into, from } = &instr.op {
        if !is_whole(from) {
            return None;
        }
        copies.push(into.whole_local()?);
        instr = code.get(instr.next)?;
    }
    let Op::Choose { into: chosen, from: Candidates::Elements(from), cond } = &instr.op else { return None };
    let is_copy = |expr: &Expr| local(expr).is_some_and(|local| copies.contains(&local));
    let rank = match cond {
        None => None,
        Some(cond) => Some(least_field(cond, *chosen, &is_copy)?),
    };
    let remove: &Instr = code.get(instr.next)?;
    let Op::Collection { on: Target::Shared(place), method: CollectionMethod::Remove, args, .. } = &remove.op
    else {
        return None;
    };
    let [removed] = &args[..] else { return None };
    let Op::Return(values) = &code.get(remove.next)?.op else { return None };
    let [result] = &values[..] else { return None };
    let inner = match &result.kind {
        ExprKind::Some(inner) => inner,
        _ => result,
    };
    let value = match &inner.kind {
        ExprKind::Field(of, field) if local(of) == Some(*chosen) => Some(*field),
        ExprKind::Local(local) if local == chosen => None,
        _ => return None,
    };
    let is_flat = program.ops[head.op].result.is_some_and(|ty| program.types.width(ty) == 1);
    let is_taking = is_copy(from) && is_whole(place) && local(removed) == Some(*chosen) && is_flat;
    is_taking.then_some((Fields { value, rank }, nothing))
}

/// Returns the field that is least in the chosen element: the condition says so of all elements.
fn least_field(cond: &Expr, chosen: LocalId, is_copy: &impl Fn(&Expr) -> bool) -> Option<usize> {
    let ExprKind::Quantifier { all: true, collection, var, body } = &cond.kind else { return None };
    let ExprKind::Binary(BinaryOp::Le, left, right) = &body.kind else { return None };
    let (ExprKind::Field(one, field), ExprKind::Field(other, same)) = (&left.kind, &right.kind) else {
        return None;
    };
    let is_least =
        is_copy(collection) && field == same && local(one) == Some(chosen) && local(other) == Some(*var);
    is_least.then_some(*field)
}

/// Returns the role of each call.
pub(super) fn of_calls<'h>(
    roles: &IndexVec<OpId, UnorderedRole>,
    calls: impl Iterator<Item = ShownCall<'h>> + Clone,
) -> Structure {
    let mut numbers: FxHashMap<&'h [Word], u32> = FxHashMap::default();
    let mut number = |words: &'h [Word]| {
        let next = number_of(numbers.len());
        *numbers.entry(words).or_insert(next)
    };
    let mut role = |ShownCall { call, result }: ShownCall<'h>| {
        let about = match (&roles[call.op], result) {
            (UnorderedRole::Put { value, .. }, _) => {
                About::Value(number(call.args.get(*value..=*value).unwrap_or(&[])))
            }
            (UnorderedRole::Take { .. }, None) => About::Anything,
            (UnorderedRole::Take { nothing }, Some(result)) => match nothing {
                Some(nothing) if nothing == result => About::Nothing,
                _ => About::Value(number(result)),
            },
        };
        let is_put = matches!(roles[call.op], UnorderedRole::Put { .. });
        ContainerCall { kind: number_of(call.op.index()), is_put, about }
    };
    let rank = |ShownCall { call, .. }: ShownCall| match roles[call.op] {
        UnorderedRole::Put { rank: Some(rank), .. } => i64::from(call.args.get(rank).copied().unwrap_or(0)),
        _ => 0,
    };
    Structure::Unordered { ranks: calls.clone().map(rank).collect(), calls: calls.map(&mut role).collect() }
}
