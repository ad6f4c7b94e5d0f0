//! Vacuity: whether each operation completes, with each kind of result that its code can return.
//!
//! The `return` instructions determine the kinds. A constant has its kind: `none`, `true`, `false`; `some(…)`
//! has the kind *some*. A variable has the kinds of all values assigned to it as a whole. Any other value
//! (read, compared or computed) has no known kind, and requires only that a call completes. A kind that the
//! code cannot return must not make a right object look vacuous.

use super::graph::Graph;
use linchpin_ir::index::Index;
use linchpin_ir::program::{ExprKind, LocalBase, LocalId, LocalPlace, Method, Op, OpId, Program};
use linchpin_ir::types::{NONE, TypeId, TypeKind, Word};
use std::collections::BTreeSet;

/// A kind of result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ResultKind {
    /// Any result, or no result.
    Completes,
    Absent,
    Present,
    True,
    False,
}

impl ResultKind {
    /// Describes the kind; the text continues "no call of `op`".
    pub fn text(self) -> &'static str {
        match self {
            ResultKind::Completes => "completes",
            ResultKind::Absent => "returns `none`",
            ResultKind::Present => "returns a value",
            ResultKind::True => "returns `true`",
            ResultKind::False => "returns `false`",
        }
    }
}

/// Returns the kinds of result that each operation must have at least once.
pub fn wanted(program: &Program) -> Vec<(OpId, ResultKind)> {
    let mut all = Vec::new();
    for (id, op) in program.ops.entries() {
        all.push((id, ResultKind::Completes));
        let Some(ty) = op.result else { continue };
        let method = &program.methods[op.method];
        let mut kinds = BTreeSet::new();
        for instr in method.code.iter() {
            if let Op::Return(values) = &instr.op
                && let Some(value) = values.first()
            {
                kinds_of(program, method, ty, &value.kind, &mut BTreeSet::new(), &mut kinds);
            }
        }
        all.extend(kinds.into_iter().map(|kind| (id, kind)));
    }
    all
}

/// Returns whether a call of the graph has a result of this kind.
pub fn is_seen(program: &Program, graph: &Graph, op: OpId, kind: ResultKind) -> bool {
    let ty = program.ops[op].result;
    let is_flat = ty.is_some_and(|ty| match program.types.kind(ty) {
        TypeKind::Option(inner) => program.types.option_is_flat(inner),
        _ => true,
    });
    graph.completed[op.index()].iter().any(|result| match (kind, result.first()) {
        (ResultKind::Completes, _) => true,
        (ResultKind::Absent, Some(word)) => {
            if is_flat {
                *word == NONE
            } else {
                *word == 0
            }
        }
        (ResultKind::Present, Some(word)) => {
            if is_flat {
                *word != NONE
            } else {
                *word == 1
            }
        }
        (ResultKind::True, Some(word)) => *word == 1,
        (ResultKind::False, Some(word)) => *word == 0,
        (_, None) => false,
    })
}

fn kinds_of(
    program: &Program,
    method: &Method,
    ty: TypeId,
    value: &ExprKind,
    visited: &mut BTreeSet<LocalId>,
    kinds: &mut BTreeSet<ResultKind>,
) {
    match (program.types.kind(ty), value) {
        (TypeKind::Bool, ExprKind::Constant(words)) => {
            kinds.insert(if words.first() == Some(&1) { ResultKind::True } else { ResultKind::False });
        }
        (TypeKind::Option(inner), ExprKind::Constant(words)) => {
            let absent: Word = if program.types.option_is_flat(inner) { NONE } else { 0 };
            kinds.insert(if words.first() == Some(&absent) {
                ResultKind::Absent
            } else {
                ResultKind::Present
            });
        }
        (TypeKind::Option(_), ExprKind::Some(_)) => {
            kinds.insert(ResultKind::Present);
        }
        (TypeKind::Bool | TypeKind::Option(_), ExprKind::Local(local)) if visited.insert(*local) => {
            for instr in method.code.iter() {
                if let Op::Assign { to, value } = &instr.op
                    && to.path.is_empty()
                    && local_of(to) == Some(*local)
                {
                    kinds_of(program, method, ty, &value.kind, visited, kinds);
                }
            }
        }
        _ => {}
    }
}

/// Returns the locals that an instruction writes.
pub fn targets(op: &Op) -> Vec<LocalId> {
    let into = match op {
        Op::Choose { into, .. } => return vec![*into],
        op => op.result_place(),
    };
    into.and_then(local_of).into_iter().collect()
}

fn local_of(place: &LocalPlace) -> Option<LocalId> {
    match place.base {
        LocalBase::Local(local) => Some(local),
        LocalBase::ThreadVar(_) => None,
    }
}
