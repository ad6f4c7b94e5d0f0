//! Calls as a person writes them: `push(1)`, `pop() → none`.

use super::decode::{CellNames, value};
use linchpin_core::history::Call;
use linchpin_core::ir::{OpId, Program};
use linchpin_core::semantics::{self, Value};
use linchpin_core::types::{TypeId, Word};
use std::sync::Arc;

/// An operation with its arguments.
pub fn call_text(program: &Program, op: OpId, args: &[Word]) -> String {
    let operation = &program.ops[op];
    let mut rest = args;
    let mut shown = Vec::new();
    for &param in &operation.params {
        let (words, others) = rest.split_at_checked(program.types.width(param)).unwrap_or((rest, &[]));
        rest = others;
        shown.push(value_text(program, param, words));
    }
    format!("{}({})", operation.name, shown.join(", "))
}

/// What an operation gave back; `None` where it gives nothing.
pub fn result_text(program: &Program, op: OpId, words: &[Word]) -> Option<String> {
    program.ops[op].result.map(|ty| value_text(program, ty, words))
}

/// A call with its result, if it has one.
pub fn completed_text(program: &Program, op: OpId, args: &[Word], result: &[Word]) -> String {
    match result_text(program, op, result) {
        Some(result) => format!("{} → {result}", call_text(program, op, args)),
        None => call_text(program, op, args),
    }
}

/// A call of a history, with its result if it returned.
pub fn history_call_text(program: &Program, call: &Call) -> String {
    match &call.returned {
        Some(returned) => completed_text(program, call.op, &call.args, &returned.result),
        None => format!("{} …", call_text(program, call.op, &call.args)),
    }
}

/// The variables of a specification's state: `items = [1, 2]`.
pub fn state_text(program: &Program, variables: &[(Arc<str>, Value)]) -> String {
    let mut names = CellNames::default();
    let shown =
        variables.iter().zip(program.spec.globals.variables.iter()).map(|((name, words), variable)| {
            format!("{name} = {}", value(&program.types, &mut names, variable.ty, words))
        });
    shown.collect::<Vec<_>>().join(", ")
}

fn value_text(program: &Program, ty: TypeId, words: &[Word]) -> String {
    let decoded = semantics::Value::outside(&program.types, ty, words);
    value(&program.types, &mut CellNames::default(), ty, &decoded).to_string()
}
