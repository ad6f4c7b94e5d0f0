//! Text of states and steps, for the report of a contradiction.

use super::layout::StateRecord;
use super::observed_step::Label;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{NONE, Scalar, SlotKind, UNDEFINED, Word};

/// Returns the text of a step, such as `thread 0: push(1), lin, returns`.
pub fn label(program: &Program, label: &Label) -> String {
    let mut text = format!("thread {}:", label.thread);
    match &label.call {
        Some((op, args)) => {
            let args: Vec<String> = args.iter().map(|word| plain(*word)).collect();
            text += &format!(" calls {}({})", op_name(program, *op), args.join(", "));
        }
        None => text += " step",
    }
    for (thread, maybe) in &label.points {
        let whose = if *thread == label.thread { String::new() } else { format!(" of thread {thread}") };
        text += &format!(", lin{}{whose}", if *maybe { " maybe" } else { "" });
    }
    if let Some((op, result)) = &label.returned {
        let result: Vec<String> = result.iter().map(|word| plain(*word)).collect();
        text += &format!(", `{}` returns {}", op_name(program, *op), result.join(" "));
    }
    text.trim_end().to_string()
}

/// Returns the name of an operation.
pub fn op_name(program: &Program, op: OpId) -> &str {
    program.ops.get(op).map_or("?", |op| &op.name)
}

/// Returns the text of a state, in one line. `numbers` has the number of each thread by its name.
pub fn record(record: StateRecord, numbers: &[usize]) -> String {
    let layout = record.layout;
    let program = layout.program;
    let mut parts = Vec::new();
    for variable in program.globals.variables.iter() {
        let slots = variable.offset..variable.offset + program.types.width(variable.ty);
        let words: Vec<String> =
            slots.map(|slot| word(program.globals.slots[slot], record.global(slot))).collect();
        parts.push(format!("{} = {}", variable.name, words.join("/")));
    }
    for cell in 0..record.cells() {
        let fields = layout.cells.slots.iter().enumerate();
        let words: Vec<String> = fields.map(|(at, slot)| word(*slot, record.field(cell, at))).collect();
        let freed = if record.is_freed(cell) { " freed" } else { "" };
        parts.push(format!("n{}{freed}: {}", cell + 1, words.join("/")));
    }
    for (thread, number) in numbers.iter().enumerate() {
        let Some((op, pc)) = record.place(thread) else {
            parts.push(format!("thread {number} idle"));
            continue;
        };
        let method = &program.methods[program.ops[op].method];
        let live = method.code[pc].live.iter().map(|local| {
            let variable = &method.locals[local];
            let words = (0..program.types.width(variable.ty))
                .filter_map(|part| record.local(thread, op, local, part))
                .map(|(slot, value)| word(slot, value));
            format!("{} = {}", variable.name, words.collect::<Vec<_>>().join("/"))
        });
        let live: Vec<String> = live.collect();
        parts.push(format!("thread {number} in `{}` ({})", op_name(program, op), live.join(", ")));
    }
    parts.join("; ")
}

fn word(slot: SlotKind, value: Word) -> String {
    match (slot.scalar, value) {
        (Scalar::Pointer, 0) => "null".into(),
        (Scalar::Pointer, cell) if cell != NONE => format!("n{cell}"),
        _ => plain(value),
    }
}

fn plain(value: Word) -> String {
    match value {
        UNDEFINED => "undefined".into(),
        NONE => "none".into(),
        value => value.to_string(),
    }
}
