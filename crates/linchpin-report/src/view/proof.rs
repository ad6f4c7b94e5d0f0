//! A proof by pairs: for each place where a thread rests, the small heaps that the invariant allows there.
//!
//! A certificate is a set of views of two threads. A sketch forgets the second thread, the observers and the
//! tracked cells of a view, and keeps the shared pointers and the variables of one thread. Every reachable state
//! looks, from that thread, like one of the sketches of the place where the thread rests. Sketches are for
//! people: no verdict rests on them.

use super::source::SourceText;
use super::verdicts::VerdictRow;
use crate::scene::{Cell, CellName, Field, HeapSnapshot, Holder, Value};
use crate::visible::visible;
use linchpin_certify::certificate::{
    ANY, APART, BEFORE, Certificate, FAR, FAR_BEFORE, FREE, GARBAGE, Invariant, LocalState, NEXT, NULL,
    Obligation, SAME, SharedState, Symbol, View,
};
use linchpin_ir::heap::cell::LabelValues;
use linchpin_ir::heap::layout::HeapLayout;
use linchpin_ir::program::Program;
use linchpin_ir::source::SourceMap;

/// What a report shows of a search for proofs.
#[derive(Clone, Debug)]
pub struct ProofView {
    pub object: String,
    pub rows: Vec<VerdictRow>,
    /// What was assumed and compared, sizes, times: one line each.
    pub notes: Vec<String>,
    /// The invariant that the sketches show: `linearizable`. `None`: no certificate.
    pub invariant: Option<String>,
    pub places: Vec<ProofPlace>,
    pub source: SourceText,
}

/// The sketches of one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofPlace {
    /// `enq`; of the whole object `at any time`.
    pub title: String,
    /// The line of the next access, with its text. `None`: at any time.
    pub line: Option<(usize, String)>,
    pub sketches: Vec<Sketch>,
}

/// A small heap, and what the drawing cannot show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sketch {
    pub heap: HeapSnapshot,
    pub remarks: Vec<String>,
    /// Number of views that look like this.
    pub views: usize,
}

/// Returns the name of the invariant that is shown, and its sketches. The invariant is the first one for
/// `linearizable`, otherwise the first one.
pub fn places(
    sources: &SourceMap,
    program: &Program,
    certificate: &Certificate,
) -> (Option<String>, Vec<ProofPlace>) {
    let Ok(layout) = HeapLayout::of(program) else { return (None, Vec::new()) };
    let is_observed = |invariant: &&Invariant| matches!(invariant.question, Obligation::Observers(_));
    let shown = certificate.invariants.iter().find(is_observed).or(certificate.invariants.first());
    let Some(invariant) = shown else { return (None, Vec::new()) };
    let reading = Reading { program, layout: &layout, certificate, invariant };
    let name = match invariant.question {
        Obligation::Observers(_) => "linearizable",
        Obligation::Memory { .. } => "memory-safe",
        Obligation::Assertions => "assertions",
    };
    let mut places =
        vec![ProofPlace { title: "At any time".into(), line: None, sketches: reading.sketches(None) }];
    for (at, rest) in certificate.rests.iter().enumerate() {
        let Some(op) = program.ops.get(rest.op) else { continue };
        let Some(instr) = program.methods.get(op.method).and_then(|method| method.code.get(rest.pc)) else {
            continue;
        };
        let number = sources.line_of(instr.span);
        let text = visible(sources.file(instr.span.file).line(number).trim());
        let sketches = reading.sketches(Some(at));
        if !sketches.is_empty() {
            places.push(ProofPlace { title: op.name.to_string(), line: Some((number, text)), sketches });
        }
    }
    (Some(name.into()), places)
}

struct Reading<'a> {
    program: &'a Program,
    layout: &'a HeapLayout,
    certificate: &'a Certificate,
    invariant: &'a Invariant,
}

/// A node of a view with a name: a sentinel, a shared pointer or a variable of the thread.
struct Term {
    /// The position among the terms of the view.
    at: usize,
    name: TermName,
}

enum TermName {
    Sentinel,
    Shared(String),
    Own(String),
}

impl Reading<'_> {
    /// Returns the different sketches of a rest, those of most views first. `None`: the shared pointers alone.
    fn sketches(&self, rest: Option<usize>) -> Vec<Sketch> {
        let mut sketches: Vec<Sketch> = Vec::new();
        for view in &self.invariant.views {
            let sides: &[usize] = if rest.is_some() { &[0, 1] } else { &[0] };
            for &side in sides {
                let Some(sketch) = self.sketch(view, side, rest) else { continue };
                let known =
                    |known: &&mut Sketch| known.heap == sketch.heap && known.remarks == sketch.remarks;
                match sketches.iter_mut().find(known) {
                    Some(known) => known.views += 1,
                    None => sketches.push(sketch),
                }
            }
        }
        sketches.sort_by_key(|sketch| std::cmp::Reverse(sketch.views));
        sketches
    }

    /// Returns the sketch of a view for one of its threads. `None`: the thread does not rest there.
    fn sketch(&self, view: &View, side: usize, rest: Option<usize>) -> Option<Sketch> {
        let shared = self.invariant.shared.get(view.shared)?;
        let locals = [0, 1].map(|side: usize| self.invariant.locals.get(view.locals[side]));
        let local = locals[side]?;
        if rest.is_some() && local.at.map(usize::from) != rest {
            return None;
        }
        let shown = rest.is_some().then_some(local);
        let sentinels = if self.layout.is_collected() { 1 } else { 3 };
        let mut terms: Vec<Term> = (0..sentinels).map(|at| Term { at, name: TermName::Sentinel }).collect();
        let mut at = sentinels;
        for (part, symbol) in shared.globals.iter().enumerate() {
            if *symbol == Symbol::Cell {
                terms.push(Term { at, name: TermName::Shared(self.shared_name(part)) });
                at += 1;
            }
        }
        at += shared.tracked.iter().filter(|tracked| **tracked).count();
        for (of, state) in locals.iter().enumerate() {
            for (slot, symbol) in state.map_or(&[][..], |state| &state.slots).iter().enumerate() {
                if *symbol != Symbol::Cell {
                    continue;
                }
                if of == side && shown.is_some() {
                    terms.push(Term { at, name: TermName::Own(self.slot_name(local, slot)) });
                }
                at += 1;
            }
        }
        let shape = Shape { view, sentinels, count: at, terms };
        Some(self.draw(&shape, shared, shown))
    }

    fn draw(&self, shape: &Shape<'_>, shared: &SharedState, local: Option<&LocalState>) -> Sketch {
        let classes = shape.classes();
        let mut heap = HeapSnapshot::default();
        let name = |class: usize| CellName::nth(class);
        let class_of = |term: usize| classes.iter().position(|class| class.contains(&term));
        for (part, symbol) in shared.globals.iter().enumerate() {
            let text = self.shared_name(part);
            let value = match symbol {
                Symbol::Null => Some(Value::Pointer(None)),
                Symbol::Garbage => Some(Value::Plain("any cell".into())),
                Symbol::Small(number) => Some(Value::Plain(number.to_string())),
                _ => None,
            };
            heap.variables.extend(value.map(|value| Field::new(text, value)));
        }
        for (at, term) in shape.terms.iter().enumerate() {
            let Some(class) = class_of(at) else { continue };
            let pointer = |text: &String| Field::new(text.clone(), Value::Pointer(Some(name(class))));
            match &term.name {
                TermName::Sentinel => {}
                TermName::Shared(text) => heap.variables.push(pointer(text)),
                TermName::Own(text) => {
                    heap.holders.push(Holder { thread: 0, variable: pointer(text), is_temporary: false });
                }
            }
        }
        for (class, members) in classes.iter().enumerate() {
            let mut fields: Vec<Field> = self.label(shape, members[0]).into_iter().collect();
            let (field, value) = match shape.successor(members[0]) {
                None => ("next", Value::Plain("any".into())),
                Some((to, set)) => {
                    let field = match set {
                        NEXT => "next",
                        FAR => "⋯ over others",
                        _ => "next ⋯",
                    };
                    (
                        field,
                        match (shape.terms[to].at, class_of(to)) {
                            (_, Some(class)) => Value::Pointer(Some(name(class))),
                            (NULL, _) => Value::Pointer(None),
                            (FREE, _) => Value::Plain("freed".into()),
                            (GARBAGE, _) => Value::Plain("unknown".into()),
                            _ => Value::Plain("any".into()),
                        },
                    )
                }
            };
            fields.push(Field::new(field, value));
            heap.cells.push(Cell { name: name(class), value: Value::Struct(fields), free: false });
        }
        let mut remarks = shape.remarks(&classes);
        let nulls = local.into_iter().flat_map(|local| {
            let slots = local.slots.iter().enumerate();
            slots.filter_map(|(slot, symbol)| {
                let text = symbol_text(*symbol)?;
                Some(format!("{} = {text}", self.slot_name(local, slot)))
            })
        });
        remarks.extend(nulls);
        Sketch { heap, remarks, views: 1 }
    }

    /// Returns the label of a cell, as a field. `None`: cells have no labels.
    fn label(&self, shape: &Shape<'_>, term: usize) -> Option<Field> {
        let label = self.layout.cell().label?;
        let set = *shape.view.labels.get(shape.terms[term].at.checked_sub(shape.sentinels)?)?;
        let structs = self.layout.heap().structs();
        let field =
            structs.iter().find_map(|of| of.fields.get(label.field)).map_or("label", |field| &field.name);
        let value = |bit: u8| match label.values {
            LabelValues::Numbers { least: 0, count: 2, .. } => {
                if bit == 0 { "false" } else { "true" }.to_string()
            }
            LabelValues::Numbers { least, .. } => (i16::from(least) + i16::from(bit)).to_string(),
            LabelValues::Keys => if bit == 0 { "≤ k" } else { "> k" }.to_string(),
        };
        let values: Vec<String> = (0..8).filter(|bit| set & (1 << bit) != 0).map(value).collect();
        Some(Field::new(field, Value::Plain(values.join(" or "))))
    }

    /// Returns the name of a part of the shared variables: `head`, `table[2]`.
    fn shared_name(&self, part: usize) -> String {
        for (id, variable) in self.layout.heap().globals().entries() {
            let parts = self.layout.variable_parts(id);
            if parts.contains(&part) {
                let elements = self.layout.elements(id);
                let of_element = parts.len().checked_div(elements).unwrap_or(1).max(1);
                return match elements {
                    0 | 1 => variable.name.to_string(),
                    _ => format!("{}[{}]", variable.name, (part - parts.start) / of_element),
                };
            }
        }
        "variable".into()
    }

    fn slot_name(&self, local: &LocalState, slot: usize) -> String {
        let rest = local.at.and_then(|at| self.certificate.rests.get(usize::from(at)));
        let name = rest.and_then(|rest| {
            let method = self.program.methods.get(self.program.ops.get(rest.op)?.method)?;
            Some(method.locals.get(rest.slots.get(slot)?.slot.local)?.name.to_string())
        });
        name.unwrap_or_else(|| "variable".into())
    }
}

/// Returns the class of a value. `None`: nothing is known, or the value is drawn.
fn symbol_text(symbol: Symbol) -> Option<String> {
    match symbol {
        Symbol::Null => Some("null".into()),
        Symbol::Absent => Some("none".into()),
        Symbol::Garbage => Some("any cell".into()),
        Symbol::Small(number) => Some(number.to_string()),
        Symbol::Current => Some("the current age".into()),
        Symbol::Stale => Some("an old age".into()),
        Symbol::Key(0) => Some("a key up to k".into()),
        Symbol::Key(_) => Some("a key above k".into()),
        Symbol::Unknown | Symbol::Cell | Symbol::Tracked(_) | Symbol::Other | Symbol::Undefined => None,
    }
}

/// The relations of some terms of a view.
struct Shape<'a> {
    view: &'a View,
    sentinels: usize,
    /// Number of all terms of the view.
    count: usize,
    terms: Vec<Term>,
}

impl Shape<'_> {
    /// Returns the set of relations from one kept term to another.
    fn relation(&self, first: usize, second: usize) -> u8 {
        let (a, b) = (self.terms[first].at, self.terms[second].at);
        if a == b {
            return SAME;
        }
        let (low, high) = (a.min(b), a.max(b));
        let before: usize = (0..low).map(|row| self.count - row - 1).sum();
        let set = self.view.shape.get(before + high - low - 1).copied().unwrap_or(0);
        if a < b { set } else { inverse(set) }
    }

    /// Returns the terms that are not sentinels, in groups of one cell.
    fn classes(&self) -> Vec<Vec<usize>> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for term in self.sentinels..self.terms.len() {
            match classes.iter_mut().find(|class| self.relation(class[0], term) == SAME) {
                Some(class) => class.push(term),
                None => classes.push(vec![term]),
            }
        }
        classes
    }

    /// Returns the nearest term behind a cell, with the relation to it. `None`: not known.
    fn successor(&self, term: usize) -> Option<(usize, u8)> {
        let leads = |set: u8| set != 0 && set & !(NEXT | FAR) == 0;
        let behind: Vec<usize> = (0..self.terms.len()).filter(|&to| leads(self.relation(term, to))).collect();
        let nearest = |&&to: &&usize| behind.iter().filter(|&&other| leads(self.relation(to, other))).count();
        let to = *behind.iter().max_by_key(nearest)?;
        Some((to, self.relation(term, to)))
    }

    /// Returns relations that arrows do not show.
    fn remarks(&self, classes: &[Vec<usize>]) -> Vec<String> {
        let mut remarks = Vec::new();
        for (at, first) in classes.iter().enumerate() {
            for second in &classes[at + 1..] {
                let set = self.relation(first[0], second[0]);
                let is_drawn = [NEXT | FAR, BEFORE | FAR_BEFORE, APART].iter().any(|drawn| set & !drawn == 0);
                if !is_drawn && set != ANY {
                    remarks.push(format!(
                        "{} {} {}",
                        self.name(first[0]),
                        phrases(set).join(" or "),
                        self.name(second[0])
                    ));
                }
            }
        }
        remarks
    }

    fn name(&self, term: usize) -> String {
        match &self.terms[term].name {
            TermName::Sentinel => "null".into(),
            TermName::Shared(name) => name.clone(),
            TermName::Own(name) => format!("t0 {name}"),
        }
    }
}

fn inverse(set: u8) -> u8 {
    let swap = |one: u8, other: u8| if set & one != 0 { other } else { 0 };
    set & (SAME | APART)
        | swap(NEXT, BEFORE)
        | swap(BEFORE, NEXT)
        | swap(FAR, FAR_BEFORE)
        | swap(FAR_BEFORE, FAR)
}

fn phrases(set: u8) -> Vec<&'static str> {
    let all = [
        (SAME, "is"),
        (NEXT, "leads to"),
        (BEFORE, "comes after"),
        (FAR, "leads over others to"),
        (FAR_BEFORE, "comes long after"),
        (APART, "is apart from"),
    ];
    all.into_iter().filter(|(bit, _)| set & bit != 0).map(|(_, phrase)| phrase).collect()
}
