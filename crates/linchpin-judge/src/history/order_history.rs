//! Histories and results in the form that the search of [`linchpin_order`] takes.

use super::record::{Call, Event, History};
use super::value_check::result_type;
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{TypeKind, Word};

/// A history as the search takes it.
pub(super) type OrderHistory<'a> = linchpin_order::History<&'a Call, Vec<Word>>;

/// Returns the history as the search takes it. Calls and events keep their numbers.
pub(super) fn order_history(history: &History) -> OrderHistory<'_> {
    let mut calls = history.calls().iter();
    let events = history.events().iter().filter_map(|event| {
        let thread = event.thread().index();
        Some(match event {
            Event::Call { .. } => linchpin_order::Event::Call { thread, op: calls.next()? },
            Event::Return { result, .. } => linchpin_order::Event::Return { thread, result: result.clone() },
        })
    });
    linchpin_order::History::from_events(events).expect("a history is well-formed")
}

/// Returns a result of the specification in the words of the object's operation; no words if there is no
/// result.
pub fn as_returned(program: &Program, op: OpId, result: Option<Box<[Word]>>) -> Vec<Word> {
    let Some(result) = result else { return Vec::new() };
    is_wrapped(program, op).then_some(1).into_iter().chain(result).collect()
}

/// Checks whether the object returns `T?` in more words than `T`, where the specification returns `T`.
pub(super) fn is_wrapped(program: &Program, op: OpId) -> bool {
    let by_object = result_type(program, op);
    let heads = program.spec.clauses.iter().flat_map(|clause| &clause.heads);
    let by_spec = heads.filter(|head| head.op == op).find_map(|head| head.result);
    by_object != by_spec
        && by_object.is_some_and(|ty| match program.types.kind(ty) {
            TypeKind::Option(inside) => !program.types.option_is_flat(inside),
            _ => false,
        })
}
