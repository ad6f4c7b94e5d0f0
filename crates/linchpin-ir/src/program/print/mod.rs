//! Prints a program: for each operation its numbered steps. A step has its access, its line and the live
//! variables. Below it stand the local work of the step and its successors.
//!
//! ```text
//! op push(v: data)
//!    call   n = new Node { val: v }
//!           → 1
//!      1  top = head                                          line 14  [n]
//!           n.next = top
//!           → 2
//! ```

mod text;
mod work;

use super::{Global, Globals, Method, Op, Program};
use crate::interface::MemoryKind;
use crate::source::SourceMap;
use crate::types::TypeTable;
use std::fmt::Write;
use text::LocalNames;
use work::MethodPrinter;

/// The whole program; ends with a newline.
pub fn print(sources: &SourceMap, program: &Program) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_program(sources, program, &mut out);
    out
}

fn write_program(sources: &SourceMap, program: &Program, out: &mut String) -> std::fmt::Result {
    let memory = match program.memory {
        MemoryKind::Gc => "gc",
        MemoryKind::Pool => "pool",
        MemoryKind::Manual => "manual",
    };
    writeln!(out, "object {}: {}    memory {memory}", program.name, program.spec.name)?;
    records(&program.types, out)?;
    if !program.globals.variables.is_empty() || !program.thread_vars.is_empty() {
        writeln!(out)?;
    }
    variables(&program.types, "shared", &program.globals, out)?;
    for variable in program.thread_vars.iter() {
        writeln!(out, "local {}", typed(&program.types, variable))?;
    }
    hashes(program, out)?;

    let methods = |method, kind: &str, remark: &str, out: &mut String| {
        MethodPrinter::new(sources, program, &program.globals, method).write(kind, remark, out)
    };
    let init = &program.methods[program.init];
    if !matches!(init.code[init.entry].op, Op::Return(_)) {
        methods(init, "", "", out)?;
    }
    if let Some(id) = program.thread_init {
        methods(&program.methods[id], "", "", out)?;
    }
    let mut shown = vec![program.init];
    shown.extend(program.thread_init);
    shown.extend(program.hashes.iter().filter_map(|hash| hash.body));
    for op in program.ops.iter() {
        let remark = if op.free_point { "    no points: takes effect at any step" } else { "" };
        methods(&program.methods[op.method], "op ", remark, out)?;
        shown.push(op.method);
    }
    for (_, method) in program.methods.entries().filter(|(id, _)| !shown.contains(id)) {
        let rests = method.code.iter().any(|instr| instr.access.is_step());
        methods(method, "fn ", if rests { "" } else { "    within one step" }, out)?;
    }

    writeln!(out, "\nspec {}", program.spec.name)?;
    variables(&program.types, "  state", &program.spec.globals, out)?;
    for clause in &program.spec.clauses {
        MethodPrinter::new(sources, program, &program.spec.globals, &clause.method).write(
            "  clause ",
            "",
            out,
        )?;
    }
    Ok(())
}

fn records(types: &TypeTable, out: &mut String) -> std::fmt::Result {
    let words = types.words.iter().map(|record| ("word", record));
    let structs = types.structs.iter().map(|record| ("struct", record));
    for (position, (kind, record)) in words.chain(structs).enumerate() {
        if position == 0 {
            writeln!(out)?;
        }
        let fields: Vec<String> =
            record.fields.iter().map(|field| format!("{}: {}", field.name, types.name(field.ty))).collect();
        writeln!(out, "{kind} {} {{ {} }}", record.name, fields.join(", "))?;
    }
    Ok(())
}

fn variables(types: &TypeTable, kind: &str, globals: &Globals, out: &mut String) -> std::fmt::Result {
    for variable in globals.variables.iter() {
        let constant = if variable.constant { "    constant" } else { "" };
        writeln!(out, "{kind} {}{constant}", typed(types, variable))?;
    }
    Ok(())
}

fn typed(types: &TypeTable, variable: &Global) -> String {
    format!("{}: {}", variable.name, types.name(variable.ty))
}

fn hashes(program: &Program, out: &mut String) -> std::fmt::Result {
    for hash in program.hashes.iter() {
        let (domain, result) = (program.types.name(hash.domain), program.types.name(hash.result));
        write!(out, "hash {}({domain}) -> {result}", hash.name)?;
        let body = hash.body.and_then(|id| returned(program, &program.methods[id]));
        writeln!(out, "{}", body.map(|body| format!(" = {body}")).unwrap_or_default())?;
    }
    Ok(())
}

/// The value of a method that does nothing but return it.
fn returned(program: &Program, method: &Method) -> Option<String> {
    match &method.code.get(method.entry)?.op {
        Op::Return(values) => {
            let names = LocalNames::new(program, &program.globals, method);
            Some(values.iter().map(|value| names.expr(value)).collect::<Vec<_>>().join(", "))
        }
        _ => None,
    }
}
