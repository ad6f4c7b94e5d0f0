//! The calls of a `run` block: `push(1) | pop(); pop()`.

use linchpin_frontend::typing::hir::Program;
use linchpin_ir::index::number_of;
use linchpin_ir::types::{TypeId, TypeKind, TypeTable};
use linchpin_testkit::reference::{Call, Value};

/// How many threads a `run` block names.
pub fn threads(calls: &str) -> u32 {
    number_of(calls.split('|').count())
}

/// The calls of each thread.
pub fn parse(program: &Program, calls: &str) -> Result<Vec<Vec<Call>>, String> {
    calls
        .split('|')
        .map(|thread| thread.split(';').map(|call| parse_call(program, call.trim())).collect())
        .collect()
}

fn parse_call(program: &Program, call: &str) -> Result<Call, String> {
    let parts = call.strip_suffix(')').and_then(|call| call.split_once('('));
    let (name, args) = parts.ok_or_else(|| format!("`{call}` is not a call"))?;
    let found = program.ops.entries().find(|(_, op)| &*op.name == name);
    let (op, definition) = found.ok_or_else(|| format!("there is no operation `{name}`"))?;
    let args: Vec<&str> = args.split(',').map(str::trim).filter(|arg| !arg.is_empty()).collect();
    if args.len() != definition.params.len() {
        return Err(format!("`{name}` takes {} arguments", definition.params.len()));
    }
    let values = args.iter().zip(&definition.params).map(|(arg, &ty)| parse_value(&program.types, ty, arg));
    Ok(Call { op, args: values.collect::<Result<_, _>>()? })
}

fn parse_value(types: &TypeTable, ty: TypeId, text: &str) -> Result<Value, String> {
    let problem = || format!("`{text}` is no `{}`", types.name(ty));
    match types.kind(ty) {
        TypeKind::Bool => text.parse().map(Value::Bool).map_err(|_| problem()),
        TypeKind::Option(_) if text == "none" => Ok(Value::None),
        TypeKind::Option(of) => Ok(Value::Some(Box::new(parse_value(types, of, text)?))),
        TypeKind::Enum(id) => {
            let variants = &types.enums[id].variants;
            let at = variants.iter().position(|variant| &**variant == text).ok_or_else(problem)?;
            Ok(Value::count(at))
        }
        _ => text.parse().map(Value::Number).map_err(|_| problem()),
    }
}
