//! Converts states to heap snapshots: cells get letters.

use super::heap_snapshot::{Cell, CellName, Field, HeapSnapshot, Holder, Value};
use super::line;
use linchpin_ir::index::Index;
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::{Pointee, TypeId, TypeKind, TypeTable};
use linchpin_semantics as semantics;
use linchpin_semantics::{CellId, Machine, State, ThreadId};
use std::collections::BTreeMap;

/// The letters of one run. A cell keeps its letter after `free`. The letter of a collected cell is not used
/// again.
#[derive(Clone, Debug, Default)]
pub struct CellNames {
    names: BTreeMap<usize, CellName>,
    next: usize,
}

impl CellNames {
    /// Names a new cell.
    pub fn allocated(&mut self, memory: MemoryKind, cell: CellId) {
        if memory == MemoryKind::Gc {
            self.names.remove(&cell.index());
        }
        self.name(cell);
    }

    /// Returns the letter of a cell. A cell without a letter gets the next one.
    pub fn name(&mut self, cell: CellId) -> CellName {
        let next = &mut self.next;
        let fresh = || {
            *next += 1;
            CellName::nth(*next - 1)
        };
        self.names.entry(cell.index()).or_insert_with(fresh).clone()
    }
}

/// Converts a value; pointers become letters.
pub fn value(types: &TypeTable, names: &mut CellNames, ty: TypeId, value: &semantics::Value) -> Value {
    use semantics::Value as Source;
    let mut inner = |ty, item: &Source| self::value(types, names, ty, item);
    match (value, types.kind(ty)) {
        (Source::Undefined, _) => Value::Undefined,
        (Source::None | Source::Unit, _) => Value::Plain("none".into()),
        (_, TypeKind::Option(of)) => inner(of, value),
        (Source::Null, _) => Value::Pointer(None),
        (Source::Pointer(cell), _) => Value::Pointer(Some(names.name(*cell))),
        (Source::Bool(value), _) => Value::Bool(*value),
        (Source::Number(number), _) => Value::Plain(number.to_string()),
        (Source::KeyMin, _) => Value::Plain("-∞".into()),
        (Source::KeyMax, _) => Value::Plain("∞".into()),
        (Source::Variant(_, variant), _) => Value::Plain(variant.to_string()),
        (Source::Thread(thread), _) => Value::Plain(thread_name(*thread)),
        (Source::Record(_, fields), kind) => {
            let record = types.record(ty);
            let types_of = record.into_iter().flat_map(|record| &record.fields);
            let fields = fields
                .iter()
                .zip(types_of)
                .map(|((name, value), field)| Field::new(&**name, inner(field.ty, value)))
                .collect();
            if matches!(kind, TypeKind::Struct(_)) { Value::Struct(fields) } else { Value::Word(fields) }
        }
        (Source::List(items), TypeKind::Array(of, _)) => {
            Value::Array(items.iter().map(|item| inner(of, item)).collect())
        }
        (
            Source::List(items) | Source::Bag(items),
            TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of),
        ) => {
            let (open, close) = if matches!(value, Source::List(_)) { ("[", "]") } else { ("{", "}") };
            Value::Collection { open, items: items.iter().map(|item| inner(of, item)).collect(), close }
        }
        (Source::Map(entries), TypeKind::Map(of_key, of_value)) => {
            let entry = |(key, value): &(Source, Source)| {
                Value::Entry(Box::new(inner(of_key, key)), Box::new(inner(of_value, value)))
            };
            Value::Collection { open: "{", items: entries.iter().map(entry).collect(), close: "}" }
        }
        (Source::Lock(holder), _) => Value::Lock(holder.map(thread_name)),
        (Source::Condvar(waiting), _) => Value::Condvar(waiting.iter().map(|t| thread_name(*t)).collect()),
        // Lists and maps have collection types.
        (Source::List(_) | Source::Bag(_) | Source::Map(_), _) => Value::Plain(value.to_string()),
    }
}

/// Converts the memory of a state. Cells without a letter get letters in their order.
pub fn scene(machine: &Machine, names: &mut CellNames, state: &State) -> HeapSnapshot {
    let program = machine.program();
    let types = &program.types;
    let mut scene = HeapSnapshot::default();
    for (id, global) in program.globals.variables.entries() {
        let shown = value(types, names, global.ty, &machine.global(state, id));
        scene.variables.push(Field::new(&*global.name, shown));
    }
    for cell in machine.cells(state) {
        let fields = machine.fields(state, cell);
        let shown = match cell.pointee {
            Pointee::Struct(id) => {
                let types_of = types.structs[id].fields.iter().map(|field| field.ty);
                let field = |((name, item), ty): (&(String, semantics::Value), TypeId)| {
                    Field::new(name.clone(), value(types, names, ty, item))
                };
                Value::Struct(fields.iter().zip(types_of).map(field).collect())
            }
            Pointee::Array(element) => {
                Value::Array(fields.iter().map(|(_, item)| value(types, names, element, item)).collect())
            }
        };
        scene.cells.push(Cell { name: names.name(cell.id), value: shown, free: cell.is_freed });
    }
    scene.cells.sort_by(|a, b| a.name.cmp(&b.name));
    for thread in machine.bounds().thread_ids() {
        scene.holders.extend(holders(machine, names, state, thread));
    }
    scene
}

pub fn thread_name(thread: ThreadId) -> String {
    line::thread_name(thread.index())
}

/// Returns the variables of a thread that point into the heap.
fn holders(machine: &Machine, names: &mut CellNames, state: &State, thread: ThreadId) -> Vec<Holder> {
    let program = machine.program();
    let types = &program.types;
    let mut variables = Vec::new();
    for (id, variable) in program.thread_vars.entries() {
        let shown = value(types, names, variable.ty, &machine.thread_var(state, thread, id));
        variables.push((Field::new(&*variable.name, shown), false));
    }
    for frame in machine.frames(state, thread) {
        let Some(method) = program.methods.get(frame.method) else { continue };
        for (id, item) in &frame.locals {
            let Some(local) = method.locals.get(*id) else { continue };
            variables.push((Field::new(&*local.name, value(types, names, local.ty, item)), local.temporary));
        }
    }
    variables.retain(|(variable, _)| variable.value.pointers().iter().any(Option::is_some));
    let holder = |(variable, is_temporary)| Holder { thread: thread.index(), variable, is_temporary };
    variables.into_iter().map(holder).collect()
}
