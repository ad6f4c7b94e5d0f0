//! Calls as text: `push(1)`, `pop() → none`.

use super::decode::{CellNames, value};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{TypeId, TypeTable, Word};
use linchpin_judge::trace::PlannedCall;
use linchpin_semantics::{ThreadId, Value, thread_name};
use std::sync::Arc;

/// Names of threads and values.
pub trait ValueNaming {
    fn thread(&self, thread: ThreadId) -> String;
    fn value(&self, types: &TypeTable, ty: TypeId, value: &Value) -> String;
}

/// The names of the model: threads and values are numbers.
pub struct Plain;

impl ValueNaming for Plain {
    fn thread(&self, thread: ThreadId) -> String {
        thread_name(thread)
    }

    fn value(&self, types: &TypeTable, ty: TypeId, decoded: &Value) -> String {
        value(types, &mut CellNames::default(), ty, decoded).to_string()
    }
}

/// Returns an operation with its arguments.
pub fn call_text(names: &dyn ValueNaming, program: &Program, op: OpId, args: &[Word]) -> String {
    let operation = &program.ops[op];
    let mut rest = args;
    let mut shown = Vec::new();
    for &param in &operation.params {
        let (words, others) = rest.split_at_checked(program.types.width(param)).unwrap_or((rest, &[]));
        rest = others;
        shown.push(value_text(names, program, param, words));
    }
    format!("{}({})", operation.name, shown.join(", "))
}

/// Returns the result of an operation. `None`: the operation has no result.
pub fn result_text(names: &dyn ValueNaming, program: &Program, op: OpId, words: &[Word]) -> Option<String> {
    program.ops[op].result.map(|ty| value_text(names, program, ty, words))
}

/// Returns a call with its result, if the operation has one.
pub fn completed_text(
    names: &dyn ValueNaming,
    program: &Program,
    op: OpId,
    args: &[Word],
    result: &[Word],
) -> String {
    match result_text(names, program, op, result) {
        Some(result) => format!("{} → {result}", call_text(names, program, op, args)),
        None => call_text(names, program, op, args),
    }
}

/// Number of characters shown of a state.
const LONGEST_STATE: usize = 200;

/// Returns the variables of a spec state: `items = [1, 2]`.
pub fn state_text(names: &dyn ValueNaming, program: &Program, variables: &[(Arc<str>, Value)]) -> String {
    let shown =
        variables.iter().zip(program.spec.globals.variables.iter()).map(|((name, value), variable)| {
            format!("{name} = {}", names.value(&program.types, variable.ty, value))
        });
    let text = shown.collect::<Vec<_>>().join(", ");
    match text.char_indices().nth(LONGEST_STATE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn value_text(names: &dyn ValueNaming, program: &Program, ty: TypeId, words: &[Word]) -> String {
    names.value(&program.types, ty, &Value::outside(&program.types, ty, words))
}

/// Returns the calls of each thread: `t0: push(1) pop(); t1: pop()`.
pub fn planned_text(threads: &[Vec<PlannedCall>]) -> String {
    let call = |call: &PlannedCall| {
        let args: Vec<String> = call.args.iter().map(|word| word.to_string()).collect();
        format!("{}({})", call.op, args.join(", "))
    };
    let of_thread = |(at, calls): (usize, &Vec<PlannedCall>)| {
        let calls: Vec<String> = calls.iter().map(call).collect();
        format!("t{at}: {}", calls.join(" "))
    };
    threads.iter().enumerate().map(of_thread).collect::<Vec<_>>().join("; ")
}
