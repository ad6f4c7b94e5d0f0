//! The operations of a program, as far as calls and returns need them.

use crate::code::definedness::Definedness;
use crate::state::portable;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{Operation, Program};
use linchpin_ir::types::SlotKind;

/// The slots of an operation's parameters and result.
#[derive(Clone, Debug)]
pub(crate) struct OpCode {
    pub method: u32,
    pub params: Box<[SlotKind]>,
    pub params_are_flat: bool,
    pub result: Box<[SlotKind]>,
    pub result_is_flat: bool,
    /// What to check of a result. `None`: no result can be undefined.
    pub result_definedness: Option<Definedness>,
}

/// Returns the table, in the order of the program's operations.
pub(crate) fn op_table(program: &Program) -> Vec<OpCode> {
    let types = &program.types;
    let op = |op: &Operation| {
        let params: Box<[SlotKind]> = op.params.iter().flat_map(|param| types.slots(*param)).collect();
        let result: Box<[SlotKind]> = op.result.map(|result| types.slots(result)).unwrap_or_default().into();
        OpCode {
            method: number_of(op.method.index()),
            params_are_flat: portable::is_flat(&params),
            params,
            result_is_flat: portable::is_flat(&result),
            result_definedness: op
                .result
                .map(|result| Definedness::of(types, result))
                .filter(|definedness| !definedness.is_plain() || !portable::is_flat(&result)),
            result,
        }
    };
    program.ops.iter().map(op).collect()
}
