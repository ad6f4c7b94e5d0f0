//! Reads registers off the clauses of a specification: one, or one for each key of a map.
//!
//! **Register.** The state is one variable. Each operation stores its only argument in it and returns
//! nothing, or returns its value. **Cells.** The state is one map. Each operation inserts a value at a key
//! and returns nothing, or returns the value at a key.
//!
//! So a legal sequential execution consists of blocks: a write and the reads of its value. It stays legal
//! without any of its blocks.

use super::clauses::{begins_with_defaults, is_whole, local, only_head, straight};
use super::record::{Call, ShownCall};
use super::value_check::result_type;
use linchpin_ir::index::{IndexVec, number_of};
use linchpin_ir::program::{Clause, CollectionMethod, LocalId, Op, OpId, Program, Target};
use linchpin_ir::types::{TypeKind, Word};
use linchpin_order::{RegisterCall, Registers};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The effect of an operation of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RegisterRole {
    /// The words of the arguments that are written.
    Write(Range<usize>),
    /// The position of the value in the result. Words before it say that there is a value.
    Read(usize),
}

/// Returns the roles of the operations if the specification is one register.
pub(super) fn register(program: &Program) -> Option<IndexVec<OpId, RegisterRole>> {
    let [state] = program.spec.globals.variables.iter().collect::<Vec<_>>()[..] else { return None };
    if matches!(
        program.types.kind(state.ty),
        TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..)
    ) {
        return None;
    }
    roles(program, |program, clause| {
        let op = only_head(clause)?.op;
        match straight(&clause.method, 2)?[..] {
            [Op::Store { to, value }, Op::Return(nothing)] => {
                let is_write = is_whole(to)
                    && nothing.is_empty()
                    && clause.method.params.len() == 1
                    && local(value) == clause.method.params.first().copied()
                    && program.ops[op].params[..] == [state.ty];
                is_write.then(|| RegisterRole::Write(0..program.types.width(state.ty)))
            }
            [Op::Load { into, from }, Op::Return(values)] => {
                let [value] = &values[..] else { return None };
                let is_read = is_whole(from)
                    && clause.method.params.is_empty()
                    && into.whole_local().is_some()
                    && local(value) == into.whole_local()
                    && result_type(program, op) == Some(state.ty)
                    && only_head(clause)?.result == Some(state.ty);
                is_read.then_some(RegisterRole::Read(0))
            }
            _ => None,
        }
    })
}

/// Returns the roles of the operations if the specification is a map of registers.
pub(super) fn cells(program: &Program) -> Option<IndexVec<OpId, RegisterRole>> {
    let [state] = program.spec.globals.variables.iter().collect::<Vec<_>>()[..] else { return None };
    let TypeKind::Map(_, value_type) = program.types.kind(state.ty) else { return None };
    if !begins_with_defaults(program) || matches!(program.types.kind(value_type), TypeKind::Option(_)) {
        return None;
    }
    roles(program, |program, clause| {
        let op = only_head(clause)?.op;
        let [Op::Collection { into, on: Target::Shared(place), method, args }, Op::Return(values)] =
            straight(&clause.method, 2)?[..]
        else {
            return None;
        };
        if !is_whole(place) {
            return None;
        }
        let args: Vec<LocalId> = args.iter().map(local).collect::<Option<_>>()?;
        match (method, &args[..], &values[..]) {
            (CollectionMethod::Insert, [_, written], []) => {
                let at = clause.method.params.iter().position(|param| param == written)?;
                let widths = |params: &[linchpin_ir::types::TypeId]| -> usize {
                    params.iter().map(|&ty| program.types.width(ty)).sum()
                };
                let params = &program.ops[op].params;
                let start = widths(params.get(..at)?);
                let is_value = params.len() == 2 && params.get(at) == Some(&value_type);
                is_value.then(|| RegisterRole::Write(start..start + program.types.width(value_type)))
            }
            (CollectionMethod::Lookup, [_], [value]) => {
                let into = into.as_ref()?.whole_local();
                let of = match program.types.kind(result_type(program, op)?) {
                    TypeKind::Option(of) => of,
                    _ => return None,
                };
                let is_read = local(value).is_some()
                    && local(value) == into
                    && of == value_type
                    && result_type(program, op) == only_head(clause)?.result;
                is_read.then(|| RegisterRole::Read(usize::from(!program.types.option_is_flat(of))))
            }
            _ => None,
        }
    })
}

/// Returns the role of each operation; `None` if an operation has none, or two.
fn roles(
    program: &Program,
    role_of: impl Fn(&Program, &Clause) -> Option<RegisterRole>,
) -> Option<IndexVec<OpId, RegisterRole>> {
    let mut roles: IndexVec<OpId, Option<RegisterRole>> = program.ops.iter().map(|_| None).collect();
    for clause in &program.spec.clauses {
        let op = only_head(clause)?.op;
        if roles[op].is_some() {
            return None;
        }
        roles[op] = Some(role_of(program, clause)?);
    }
    roles.iter().cloned().collect::<Option<Vec<_>>>().map(IndexVec::from_iter)
}

/// Returns the role of each call. `initial` returns the result of a call in the initial state.
pub(super) fn of_calls<'h>(
    roles: &IndexVec<OpId, RegisterRole>,
    calls: impl Iterator<Item = ShownCall<'h>> + Clone,
    initial: impl Fn(&'h Call) -> Option<Vec<Word>>,
) -> Option<Registers> {
    let mut numbers: FxHashMap<Vec<Word>, u32> = FxHashMap::default();
    let mut number = |words: &[Word]| {
        let next = number_of(numbers.len());
        *numbers.entry(words.to_vec()).or_insert(next)
    };
    // No value has these words, so the number stands for a value that no call reads or writes.
    let mut initial_value = number(&[]);
    let mut all = calls.clone().map(|shown| shown.call);
    let first_read = all.find(|call| matches!(roles[call.op], RegisterRole::Read(_)));
    if let Some(read) = first_read {
        let result = initial(read)?;
        initial_value = number(value_of(&result, &roles[read.op]));
    }
    let role = |shown: ShownCall| match (&roles[shown.call.op], shown.result) {
        (RegisterRole::Write(words), _) => {
            RegisterCall::Write(number(shown.call.args.get(words.clone()).unwrap_or(&[])))
        }
        (RegisterRole::Read(_), None) => RegisterCall::Read(None),
        (role, Some(result)) => RegisterCall::Read(Some(number(value_of(result, role)))),
    };
    Some(Registers { calls: calls.map(role).collect(), initial: initial_value })
}

/// Returns the words of a value in a result. A result without a value gives all its words.
fn value_of<'w>(result: &'w [Word], role: &RegisterRole) -> &'w [Word] {
    match (role, result) {
        (RegisterRole::Read(1), [1, value @ ..]) => value,
        _ => result,
    }
}
