//! A proof of a set: for each place where a thread rests, what the thread knows of the cells that it names.
//!
//! A certificate of a set has views of one thread for an arbitrary watched key k. The sketches are those of a
//! call on k itself, so a key is below, equal to, or above the key of the call. They forget the ghosts of the
//! call. Sketches are for people: no verdict rests on them.

use super::proof::{ProofPlace, Sketch};
use crate::scene::{Cell, CellName, Field, HeapSnapshot, Holder, Value};
use crate::visible::visible;
use linchpin_certify::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, KeyClass, NextFact, SetCertificate, SlotValue, SmallFields,
    ThreadView,
};
use linchpin_ir::heap::sets::{LinkPart, SetField, SetGlobal, SetLayout};
use linchpin_ir::program::{OpId, Pc, Program};
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::{TypeId, TypeKind};
use std::collections::BTreeMap;

/// Returns the sketches of each place, first those of two neighbouring cells at any time.
pub fn set_places(sources: &SourceMap, program: &Program, certificate: &SetCertificate) -> Vec<ProofPlace> {
    let Ok(layout) = SetLayout::of(program) else { return Vec::new() };
    let reading = Reading { program, layout: &layout };
    let mut places = vec![ProofPlace {
        title: "Neighbours, at any time".into(),
        line: None,
        sketches: reading.neighbours(certificate),
    }];
    let mut by_rest: BTreeMap<(OpId, Pc), Vec<&ThreadView>> = BTreeMap::new();
    for view in &certificate.threads {
        let is_on_key = matches!(view.ghost, CallGhost::Watched { .. } | CallGhost::Done);
        if let Some(at) = view.at.filter(|_| is_on_key) {
            by_rest.entry(at).or_default().push(view);
        }
    }
    for ((op, pc), views) in by_rest {
        let Some(operation) = program.ops.get(op) else { continue };
        let Some(instr) = program.methods.get(operation.method).and_then(|method| method.code.get(pc)) else {
            continue;
        };
        let number = sources.line_of(instr.span);
        let text = visible(sources.file(instr.span.file).line(number).trim());
        places.push(ProofPlace {
            title: operation.name.to_string(),
            line: Some((number, text)),
            sketches: reading.sketches(op, &views),
        });
    }
    places
}

struct Reading<'a> {
    program: &'a Program,
    layout: &'a SetLayout,
}

/// What a sketch keeps of a view.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    /// The shared locks that the thread holds, as bits.
    locks: u32,
    shared: Vec<SlotValue>,
    slots: Vec<SlotValue>,
    cells: Vec<CellFact>,
}

/// How many views look alike, and whether the set has the key in them.
#[derive(Clone, Copy, Default)]
struct Counted {
    views: usize,
    has_key: bool,
    lacks_key: bool,
}

impl Counted {
    fn add(&mut self, is_in: bool) {
        self.views += 1;
        self.has_key |= is_in;
        self.lacks_key |= !is_in;
    }

    fn remark(self) -> Option<String> {
        match (self.has_key, self.lacks_key) {
            (true, false) => Some("the set has k".into()),
            (false, true) => Some("the set does not have k".into()),
            _ => None,
        }
    }
}

impl Reading<'_> {
    /// Returns the different pairs of a published cell and its successor, those of most views first.
    fn neighbours(&self, certificate: &SetCertificate) -> Vec<Sketch> {
        let mut found: BTreeMap<(CellLabel, Option<CellLabel>), Counted> = BTreeMap::new();
        for edge in certificate.edges.iter().filter(|edge| edge.ghost == CallGhost::None) {
            found.entry((edge.from.label, edge.to.map(|to| to.label))).or_default().add(edge.is_in);
        }
        let draw = |((from, to), counted): ((CellLabel, Option<CellLabel>), Counted)| {
            let next = if to.is_some() { NextFact::Cell(1) } else { NextFact::Null };
            let fact = |label, next| CellFact { label, mine: false, fresh: false, next };
            let mut cells = vec![self.cell(0, &fact(from, next))];
            cells.extend(to.map(|to| self.cell(1, &fact(to, NextFact::Unknown))));
            let heap = HeapSnapshot { cells, ..HeapSnapshot::default() };
            Sketch { heap, remarks: counted.remark().into_iter().collect(), views: counted.views }
        };
        // What is reachable from the shared pointers comes first.
        let is_linked = |(from, to): &(CellLabel, Option<CellLabel>)| {
            from.place == CellPlace::Linked && to.is_none_or(|to| to.place == CellPlace::Linked)
        };
        let (linked, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(pair, _)| is_linked(pair));
        let sketches = |pairs: Vec<_>| most_first(pairs.into_iter().map(draw).collect());
        [sketches(linked), sketches(others)].concat()
    }

    /// Returns the different sketches of a place, those of most views first.
    fn sketches(&self, op: OpId, views: &[&ThreadView]) -> Vec<Sketch> {
        let mut found: BTreeMap<Kept, Counted> = BTreeMap::new();
        for view in views {
            let without_ghost = |fact: &CellFact| CellFact { fresh: false, ..*fact };
            let kept = Kept {
                locks: view.locks,
                shared: view.shared.clone(),
                slots: view.slots.clone(),
                cells: view.cells.iter().map(without_ghost).collect(),
            };
            found.entry(kept).or_default().add(view.is_in);
        }
        let draw = |(kept, counted): (Kept, Counted)| self.draw(op, &kept, counted);
        most_first(found.into_iter().map(draw).collect())
    }

    fn draw(&self, op: OpId, kept: &Kept, counted: Counted) -> Sketch {
        let mut heap = HeapSnapshot::default();
        for (at, value) in kept.shared.iter().enumerate() {
            heap.variables.push(Field::new(self.shared_name(at), self.value(*value)));
        }
        let mut remarks: Vec<String> = Vec::new();
        for (name, values) in self.locals(op, &kept.slots) {
            for value in values {
                match value {
                    SlotValue::Cell(_) => heap.holders.push(Holder {
                        thread: 0,
                        variable: Field::new(name.clone(), self.value(value)),
                        is_temporary: false,
                    }),
                    // Dead variables have their defaults, which say nothing.
                    SlotValue::Null | SlotValue::Absent | SlotValue::Undefined => {}
                    SlotValue::Number(number) => remarks.push(format!("{name} = {number}")),
                    // The key of the call has this name in every sketch.
                    SlotValue::Key(KeyClass::Watched) if name == "k" => {}
                    SlotValue::Key(class) => remarks.push(format!("{name} is {}", class_text(class))),
                }
            }
        }
        heap.cells = kept.cells.iter().enumerate().map(|(at, fact)| self.cell(at, fact)).collect();
        remarks.extend(self.held(kept.locks));
        remarks.extend(counted.remark());
        Sketch { heap, remarks, views: counted.views }
    }

    /// Returns the names of the shared locks that the thread holds.
    fn held(&self, locks: u32) -> Option<String> {
        let variables = self.program.globals.variables.entries();
        let is_held = |id| match self.layout.global(id) {
            Some(SetGlobal::Lock(lock)) => locks.checked_shr(lock).unwrap_or(0) & 1 == 1,
            _ => false,
        };
        let held = variables.filter(|(id, _)| is_held(*id)).map(|(_, variable)| variable.name.to_string());
        let held: Vec<String> = held.collect();
        (!held.is_empty()).then(|| format!("t0 holds {}", held.join(", ")))
    }

    fn cell(&self, at: usize, fact: &CellFact) -> Cell {
        let of = self.layout.cell();
        let mut fields = Vec::new();
        let declared = self.program.types.structs.get(of.of).map_or(&[][..], |record| &record.fields[..]);
        for (field, meaning) in declared.iter().zip(&of.fields) {
            let name = field.name.to_string();
            match meaning {
                SetField::Key => {
                    fields.push(Field::new(name, Value::Plain(class_text(fact.label.class).into())));
                }
                SetField::Small(small) => {
                    fields.push(Field::new(name, self.small(field.ty, *small, fact.label.fields)));
                }
                SetField::Link(parts) => {
                    for (part, (name, ty)) in parts.iter().zip(self.parts(&name, field.ty)) {
                        // A chain leads over cells that are not in the set.
                        let is_chain = matches!((part, fact.next), (LinkPart::Pointer, NextFact::Chain(_)));
                        let name = if is_chain { format!("{name} ⋯") } else { name };
                        let value = match part {
                            LinkPart::Pointer => pointer(fact.next),
                            LinkPart::Small(small) => self.small(ty, *small, fact.label.fields),
                        };
                        fields.push(Field::new(name, value));
                    }
                }
                SetField::Lock if fact.mine => fields.push(Field::new(name, Value::Lock(Some("t0".into())))),
                SetField::Lock => {}
            }
        }
        let place = match fact.label.place {
            CellPlace::Private => Some("private"),
            CellPlace::Linked => None,
            CellPlace::Unlinked => Some("unlinked"),
        };
        fields.extend(place.map(|place| Field::new("is", Value::Plain(place.into()))));
        Cell { name: CellName::nth(at), value: Value::Struct(fields), free: false }
    }

    /// Returns the parts of a field: of a word its own fields.
    fn parts(&self, name: &str, ty: TypeId) -> Vec<(String, TypeId)> {
        match self.program.types.kind(ty) {
            TypeKind::Word(_) => {
                let record = self.program.types.record(ty);
                let fields = record.map_or(&[][..], |record| &record.fields[..]);
                fields.iter().map(|field| (format!("{name}.{}", field.name), field.ty)).collect()
            }
            _ => vec![(name.to_string(), ty)],
        }
    }

    /// Returns the value of a small field: a digit of the number of the fields.
    fn small(&self, ty: TypeId, at: usize, fields: SmallFields) -> Value {
        let mut rest = fields.0;
        let mut digit = 0;
        for field in self.layout.cell().small.iter().take(at + 1) {
            digit = rest.checked_rem(field.count).unwrap_or(0);
            rest = rest.checked_div(field.count).unwrap_or(0);
        }
        let least = self.layout.cell().small.get(at).map_or(0, |field| field.least);
        let number = i32::from(least) + i32::from(digit);
        match self.program.types.kind(ty) {
            TypeKind::Bool => Value::Bool(number == 1),
            TypeKind::Enum(id) => {
                let variants =
                    self.program.types.enums.get(id).map_or(&[][..], |definition| &definition.variants[..]);
                let variant = variants.get(usize::from(digit)).map(|variant| variant.to_string());
                Value::Plain(variant.unwrap_or_else(|| number.to_string()))
            }
            _ => Value::Plain(number.to_string()),
        }
    }

    fn value(&self, value: SlotValue) -> Value {
        match value {
            SlotValue::Null => Value::Pointer(None),
            SlotValue::Undefined => Value::Undefined,
            SlotValue::Absent => Value::Plain("none".into()),
            SlotValue::Number(number) => Value::Plain(number.to_string()),
            SlotValue::Key(class) => Value::Plain(class_text(class).into()),
            SlotValue::Cell(cell) => Value::Pointer(Some(CellName::nth(usize::from(cell)))),
        }
    }

    /// Returns the name of a shared pointer by its number.
    fn shared_name(&self, at: usize) -> String {
        let variables = self.program.globals.variables.entries();
        let mut named = variables.filter(|(id, _)| self.layout.global(*id) == Some(SetGlobal::Pointer(at)));
        named.next().map_or_else(|| "variable".into(), |(_, variable)| variable.name.to_string())
    }

    /// Returns the variables of an operation with their parts. Temporaries of the lowering are left out.
    fn locals(&self, op: OpId, slots: &[SlotValue]) -> Vec<(String, Vec<SlotValue>)> {
        let Some(frame) = self.layout.frame(Some(op)) else { return Vec::new() };
        let Some(operation) = self.program.ops.get(op) else { return Vec::new() };
        let Some(method) = self.program.methods.get(operation.method) else { return Vec::new() };
        let mut found = Vec::new();
        for (id, local) in method.locals.entries().filter(|(_, local)| !local.temporary) {
            let Some(range) = frame.local(id, None) else { continue };
            found.push((local.name.to_string(), range.filter_map(|at| slots.get(at).copied()).collect()));
        }
        found
    }
}

fn most_first(mut sketches: Vec<Sketch>) -> Vec<Sketch> {
    sketches.sort_by_key(|sketch| std::cmp::Reverse(sketch.views));
    sketches
}

fn pointer(next: NextFact) -> Value {
    match next {
        NextFact::Unknown => Value::Plain("any".into()),
        NextFact::Null => Value::Pointer(None),
        NextFact::Cell(cell) | NextFact::Chain(cell) => {
            Value::Pointer(Some(CellName::nth(usize::from(cell))))
        }
    }
}

fn class_text(class: KeyClass) -> &'static str {
    match class {
        KeyClass::Min => "-∞",
        KeyClass::Below => "below k",
        KeyClass::Watched => "k",
        KeyClass::Above => "above k",
        KeyClass::Max => "∞",
    }
}
