//! What is legal but hardly meant.

use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{Method, Op, Pc, Program};

/// Operations that no way through their text returns from.
pub fn warnings(program: &Program) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for op in program.ops.iter() {
        if !returns(&program.methods[op.method]) {
            warnings.push(
                Diagnostic::warning(
                    format!("`{}` never returns", op.name),
                    op.span,
                    "no path reaches its end",
                )
                .help(
                    "leave the loop with `break` or `return`, unless the operation is meant to run for ever",
                ),
            );
        }
    }
    warnings
}

fn returns(method: &Method) -> bool {
    let mut reached: IndexVec<Pc, bool> = method.code.iter().map(|_| false).collect();
    let mut open = vec![method.entry];
    while let Some(pc) = open.pop() {
        if !std::mem::replace(&mut reached[pc], true) {
            if matches!(method.code[pc].op, Op::Return(_)) {
                return true;
            }
            open.extend(method.code[pc].successors());
        }
    }
    false
}
