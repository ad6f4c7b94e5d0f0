//! An end of an execution as text, equal for two ends that differ in the names of cells only.

use super::memory::{Cell, CellId, CellMemory};
use super::thread::Fault;
use super::value::Value;
use linchpin_ir::source::Span;
use linchpin_ir::types::{KEY_MAX, Pointee, TypeId, TypeKind, TypeTable};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ending {
    /// No thread can continue: the final memory, the results, and the stuck threads.
    Ended(String),
    /// `thread` is `None` in `init`.
    Fault { thread: Option<usize>, fault: Fault, span: Span },
}

/// The memory and the threads at an end.
pub struct Snapshot<'s> {
    pub types: &'s TypeTable,
    pub memory: CellMemory,
    pub shared: Vec<(String, TypeId, Value)>,
    pub cells: BTreeMap<CellId, Cell>,
    pub threads: Vec<ThreadEnd>,
}

pub struct ThreadEnd {
    pub vars: Vec<(String, TypeId, Value)>,
    pub results: Vec<(Option<TypeId>, Value)>,
    /// It has a call that did not return.
    pub stuck: bool,
}

impl Snapshot<'_> {
    pub fn render(&self) -> String {
        let mut writer = Writer { snapshot: self, names: BTreeMap::new(), out: String::new() };
        for (name, ty, value) in &self.shared {
            let _ = write!(writer.out, "{name} = ");
            writer.value(*ty, value);
            writer.out.push('\n');
        }
        for (number, thread) in self.threads.iter().enumerate() {
            let _ = write!(writer.out, "thread {number}:");
            for (name, ty, value) in &thread.vars {
                let _ = write!(writer.out, " {name} = ");
                writer.value(*ty, value);
            }
            for (ty, value) in &thread.results {
                writer.out.push_str(" → ");
                match ty {
                    Some(ty) => writer.value(*ty, value),
                    None => writer.out.push_str("done"),
                }
            }
            writer.out.push_str(if thread.stuck { " stuck\n" } else { "\n" });
        }
        if self.memory != CellMemory::Gc {
            writer.unreached();
        }
        writer.out
    }
}

struct Writer<'s> {
    snapshot: &'s Snapshot<'s>,
    names: BTreeMap<CellId, String>,
    out: String,
}

impl Writer<'_> {
    fn value(&mut self, ty: TypeId, value: &Value) {
        let types = self.snapshot.types;
        match (types.kind(ty), value) {
            (_, Value::Unit) => self.out.push_str("()"),
            (_, Value::Undefined) => self.out.push('?'),
            (_, Value::Null) => self.out.push_str("null"),
            (_, Value::None) => self.out.push_str("none"),
            (TypeKind::Option(of), Value::Some(value)) if matches!(types.kind(of), TypeKind::Option(_)) => {
                self.out.push_str("some ");
                self.value(of, value);
            }
            (TypeKind::Option(of), Value::Some(value)) => self.value(of, value),
            (_, Value::Bool(b)) => self.out.push_str(if *b { "true" } else { "false" }),
            (TypeKind::Enum(id), Value::Number(n)) => {
                self.out.push_str(&types.enums[id].variants[usize::try_from(*n).expect("a variant's number")])
            }
            (TypeKind::Key, Value::Number(0)) => self.out.push_str("MIN"),
            (TypeKind::Key, Value::Number(n)) if *n == i64::from(KEY_MAX) => self.out.push_str("MAX"),
            (_, Value::Number(n)) => self.out.push_str(&n.to_string()),
            (_, Value::Thread(t)) => self.out.push_str(&format!("t{t}")),
            (_, Value::Lock(None)) => self.out.push_str("free"),
            (_, Value::Lock(Some(t))) => self.out.push_str(&format!("held by t{t}")),
            (_, Value::Condvar(waiters)) if waiters.is_empty() => self.out.push_str("no thread waits"),
            (_, Value::Condvar(waiters)) => {
                let names: Vec<String> = waiters.iter().map(|thread| format!("t{thread}")).collect();
                self.out.push_str(&format!("{} waits", names.join(", ")));
            }
            (_, Value::Pointer(cell)) => self.cell(*cell),
            (TypeKind::Word(_) | TypeKind::Struct(_), Value::Record(values)) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                self.record(fields, values);
            }
            (TypeKind::Array(element, _), Value::Array(values))
            | (TypeKind::Seq(element), Value::Seq(values)) => {
                self.list(["[", "]"], values, |writer, value| writer.value(element, value));
            }
            (TypeKind::Set(element), Value::Set(values)) => {
                self.list(["{", "}"], values, |writer, value| writer.value(element, value));
            }
            (TypeKind::Bag(element), Value::Bag(values)) => {
                let each = values.iter().flat_map(|(value, times)| std::iter::repeat_n(value, *times));
                self.list(["{", "}"], each, |writer, value| writer.value(element, value));
            }
            (TypeKind::Map(key, of), Value::Map(entries)) => {
                self.list(["{", "}"], entries, |writer, (entry, value)| {
                    writer.value(key, entry);
                    writer.out.push_str(": ");
                    writer.value(of, value);
                });
            }
            (kind, value) => panic!("{value:?} is not of {kind:?}"),
        }
    }

    fn list<T>(
        &mut self,
        [open, close]: [&str; 2],
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T),
    ) {
        self.out.push_str(open);
        for (position, item) in items.into_iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            write(self, item);
        }
        self.out.push_str(close);
    }

    fn record(&mut self, fields: &[linchpin_ir::types::Field], values: &[Value]) {
        self.out.push('{');
        for (position, (field, value)) in fields.iter().zip(values).enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            self.out.push_str(&format!("{comma}{}: ", field.name));
            self.value(field.ty, value);
        }
        self.out.push('}');
    }

    /// Named when it is first met, in the order of the text; its contents follow then.
    fn cell(&mut self, id: CellId) {
        if let Some(name) = self.names.get(&id) {
            self.out.push_str(name);
            return;
        }
        let name = format!("n{}", self.names.len());
        self.out.push_str(&name);
        self.names.insert(id, name);
        let cell = &self.snapshot.cells[&id];
        if cell.free {
            self.out.push_str(" (freed) ");
        }
        // No thread may read a freed cell of manual memory.
        if !cell.free || self.snapshot.memory == CellMemory::Pool {
            self.contents(cell);
        }
    }

    fn contents(&mut self, cell: &Cell) {
        match (cell.of, &cell.contents) {
            (Pointee::Struct(of), Value::Record(values)) => {
                self.record(&self.snapshot.types.structs[of].fields, values)
            }
            (Pointee::Array(element), Value::Array(values)) => {
                self.list(["[", "]"], values, |writer, value| writer.value(element, value));
            }
            (of, contents) => panic!("{contents:?} is not behind a pointer to {of:?}"),
        }
    }

    /// The cells that nothing leads to, in no order, but for those that are as good as new. Two of them that
    /// lead to each other are not distinguished from two that do not; that is coarse, not wrong.
    fn unreached(&mut self) {
        let Snapshot { types, memory, cells, .. } = self.snapshot;
        let as_new = |cell: &Cell| {
            cell.free
                && (*memory == CellMemory::Manual || cell.contents == Value::default_cell(types, cell.of))
        };
        let left: Vec<(CellId, &Cell)> = (cells.iter())
            .filter(|(id, cell)| !self.names.contains_key(id) && !as_new(cell))
            .map(|(id, cell)| (*id, cell))
            .collect();
        for (id, _) in &left {
            self.names.insert(*id, "elsewhere".into());
        }
        let mut lines = Vec::new();
        for (_, cell) in left {
            let before = self.out.len();
            self.out.push_str(if cell.free { "free: " } else { "unreachable: " });
            self.contents(cell);
            lines.push(self.out.split_off(before));
        }
        lines.sort();
        for line in lines {
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }
}
