//! A proof by pairs: for each place where a thread rests, the small heaps that the invariant allows there.
//!
//! A certificate is a set of views of two threads. A sketch forgets the second thread, the observers and the
//! tracked cells of a view. It keeps the shared pointers and the variables of one thread. Every reachable
//! state looks, from that thread, like one of the sketches of the place where the thread rests. Sketches are
//! for people: no verdict rests on them.

use super::source::SourceText;
use super::verdicts::VerdictRow;
use crate::heap_snapshot::{Cell, CellName, Field, HeapSnapshot, Holder, Value};
use crate::visible::visible;
use linchpin_certify::certificate::{
    APART, BEFORE, Certificate, FAR, FAR_BEFORE, FREE, GARBAGE, Invariant, LocalState, NEXT, NULL,
    Obligation, SAME, Symbol, View,
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

/// A node of a view with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
enum TermName {
    /// `null`, free or garbage, by number.
    Sentinel(usize),
    Shared(String),
    Own(String),
}

impl Reading<'_> {
    /// Returns the different sketches of a rest, those of most views first. `None`: the shared pointers
    /// alone.
    fn sketches(&self, rest: Option<usize>) -> Vec<Sketch> {
        let mut cases: Vec<(Shape, Symbols)> = Vec::new();
        for view in &self.invariant.views {
            let sides: &[usize] = if rest.is_some() { &[0, 1] } else { &[0] };
            for &side in sides {
                let Some((shape, symbols)) = self.shape(view, side, rest) else { continue };
                for case in shape.cases() {
                    match cases.iter_mut().find(|(known, of)| *of == symbols && known.covers(&case)) {
                        Some((known, _)) => known.views += 1,
                        None => {
                            cases.retain(|(known, of)| *of != symbols || !case.covers(known));
                            cases.push((case, symbols.clone()));
                        }
                    }
                }
            }
        }
        cases.sort_by_key(|(shape, _)| std::cmp::Reverse(shape.views));
        cases.iter().map(|(shape, symbols)| self.draw(shape, symbols)).collect()
    }

    /// Returns the shape of a view for one of its threads. `None`: the thread does not rest there.
    fn shape(&self, view: &View, side: usize, rest: Option<usize>) -> Option<(Shape, Symbols)> {
        let shared = self.invariant.shared.get(view.shared)?;
        let locals = [0, 1].map(|side: usize| self.invariant.locals.get(view.locals[side]));
        let local = locals[side]?;
        if rest.is_some() && local.at.map(usize::from) != rest {
            return None;
        }
        let sentinels = if self.layout.is_collected() { 1 } else { 3 };
        let mut terms: Vec<(usize, TermName)> =
            (0..sentinels).map(|at| (at, TermName::Sentinel(at))).collect();
        let mut at = sentinels;
        for (part, symbol) in shared.globals.iter().enumerate() {
            if *symbol == Symbol::Cell {
                terms.push((at, TermName::Shared(self.shared_name(part))));
                at += 1;
            }
        }
        at += shared.tracked.iter().filter(|tracked| **tracked).count();
        for (of, state) in locals.iter().enumerate() {
            for (slot, symbol) in state.map_or(&[][..], |state| &state.slots).iter().enumerate() {
                if *symbol != Symbol::Cell {
                    continue;
                }
                if of == side && rest.is_some() {
                    terms.push((at, TermName::Own(self.slot_name(local, slot))));
                }
                at += 1;
            }
        }
        let relation = |first: usize, second: usize| relation(view, at, first, second);
        let label = |term: usize| term.checked_sub(sentinels).and_then(|term| view.labels.get(term)).copied();
        let shape = Shape {
            relations: terms
                .iter()
                .map(|(a, _)| terms.iter().map(|(b, _)| relation(*a, *b)).collect())
                .collect(),
            labels: terms.iter().map(|(at, _)| label(*at).unwrap_or(0)).collect(),
            terms: terms.into_iter().map(|(_, name)| name).collect(),
            views: 1,
        };
        let mut symbols = Symbols { shared: Vec::new(), own: Vec::new() };
        for (part, symbol) in shared.globals.iter().enumerate() {
            let value = match symbol {
                Symbol::Null => Value::Pointer(None),
                Symbol::Garbage => Value::Plain("any cell".into()),
                Symbol::Small(number) => Value::Plain(number.to_string()),
                _ => continue,
            };
            symbols.shared.push(Field::new(self.shared_name(part), value));
        }
        if rest.is_some() {
            let slots = local.slots.iter().enumerate();
            let text = |(slot, symbol): (usize, &Symbol)| {
                Some(format!("{} = {}", self.slot_name(local, slot), symbol_text(*symbol)?))
            };
            symbols.own = slots.filter_map(text).collect();
        }
        Some((shape, symbols))
    }

    fn draw(&self, shape: &Shape, symbols: &Symbols) -> Sketch {
        let classes = shape.classes();
        let mut heap = HeapSnapshot { variables: symbols.shared.clone(), ..HeapSnapshot::default() };
        let class_of = |term: usize| classes.iter().position(|class| class.contains(&term));
        for (at, term) in shape.terms.iter().enumerate() {
            let Some(class) = class_of(at) else { continue };
            let pointer =
                |text: &String| Field::new(text.clone(), Value::Pointer(Some(CellName::nth(class))));
            match term {
                TermName::Sentinel(_) => {}
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
                    let value = match (&shape.terms[to], class_of(to)) {
                        (_, Some(class)) => Value::Pointer(Some(CellName::nth(class))),
                        (TermName::Sentinel(NULL), _) => Value::Pointer(None),
                        (TermName::Sentinel(FREE), _) => Value::Plain("freed".into()),
                        (TermName::Sentinel(GARBAGE), _) => Value::Plain("unknown".into()),
                        _ => Value::Plain("any".into()),
                    };
                    (field, value)
                }
            };
            fields.push(Field::new(field, value));
            heap.cells.push(Cell { name: CellName::nth(class), value: Value::Struct(fields), free: false });
        }
        Sketch { heap, remarks: symbols.own.clone(), views: shape.views }
    }

    /// Returns the label of a cell, as a field. `None`: cells have no labels.
    fn label(&self, shape: &Shape, term: usize) -> Option<Field> {
        let label = self.layout.cell().label?;
        let set = shape.labels[term];
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

/// Returns the set of relations from one term of a view to another. `count` is the number of its terms.
fn relation(view: &View, count: usize, first: usize, second: usize) -> u8 {
    if first == second {
        return SAME;
    }
    let (low, high) = (first.min(second), first.max(second));
    let before: usize = (0..low).map(|row| count - row - 1).sum();
    let set = view.shape.get(before + high - low - 1).copied().unwrap_or(0);
    if first < second { set } else { inverse(set) }
}

/// What the drawing of a shape shows beside its arrows.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Symbols {
    /// Shared variables without a cell.
    shared: Vec<Field>,
    /// `next = null`
    own: Vec<String>,
}

/// The relations of the terms that a sketch keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shape {
    terms: Vec<TermName>,
    relations: Vec<Vec<u8>>,
    /// The set of labels of each term.
    labels: Vec<u8>,
    /// Number of views that look like this.
    views: usize,
}

/// The kinds of relations that a drawing can show.
const KINDS: [u8; 4] = [SAME, NEXT | FAR, BEFORE | FAR_BEFORE, APART];
/// Limit on the cases of one view.
const MOST_CASES: usize = 64;

impl Shape {
    /// Splits the shape until each pair has one kind of relation. Cases without a heap are left out.
    fn cases(self) -> Vec<Shape> {
        let mut waiting = vec![self];
        let mut cases = Vec::new();
        while let Some(shape) = waiting.pop() {
            if !shape.is_possible() {
                continue;
            }
            match shape.open_pair() {
                Some((first, second)) if waiting.len() + cases.len() < MOST_CASES => {
                    for kind in KINDS {
                        let set = shape.relations[first][second] & kind;
                        if set != 0 {
                            let mut case = shape.clone();
                            case.relations[first][second] = set;
                            case.relations[second][first] = inverse(set);
                            waiting.push(case);
                        }
                    }
                }
                _ => cases.push(shape),
            }
        }
        cases
    }

    fn open_pair(&self) -> Option<(usize, usize)> {
        let pairs = (0..self.terms.len()).flat_map(|first| (0..first).map(move |second| (first, second)));
        pairs
            .into_iter()
            .find(|&(first, second)| KINDS.iter().all(|kind| self.relations[first][second] & !kind != 0))
    }

    /// Returns false if three terms contradict each other. A cell has one edge, so what it leads to is a
    /// chain.
    fn is_possible(&self) -> bool {
        let all = 0..self.terms.len();
        let is = |a: usize, b: usize, kind: u8| self.relations[a][b] & !kind == 0;
        let leads = NEXT | FAR;
        all.clone().all(|a| {
            all.clone().all(|b| {
                all.clone().all(|c| {
                    let same = !is(a, b, SAME) || self.relations[a][c] & self.relations[b][c] != 0;
                    let chain = !(is(a, b, leads) && is(b, c, leads)) || self.relations[a][c] & FAR != 0;
                    let fork =
                        b == c || !(is(a, b, leads) && is(a, c, leads)) || self.relations[b][c] != APART;
                    let next =
                        b == c || !(is(a, b, NEXT) && is(a, c, NEXT)) || self.relations[b][c] & SAME != 0;
                    self.relations[a][b] != 0 && same && chain && fork && next
                })
            })
        })
    }

    /// Returns whether each heap of the other shape is one of this shape.
    fn covers(&self, other: &Shape) -> bool {
        let pairs = self.relations.iter().flatten().zip(other.relations.iter().flatten());
        self.terms == other.terms
            && pairs.clone().count() == self.terms.len() * self.terms.len()
            && pairs.into_iter().all(|(set, other)| other & !set == 0)
            && self.labels.iter().zip(&other.labels).all(|(set, other)| other & !set == 0)
    }

    /// Returns the terms that are not sentinels, in groups of one cell.
    fn classes(&self) -> Vec<Vec<usize>> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for (term, name) in self.terms.iter().enumerate() {
            if matches!(name, TermName::Sentinel(_)) {
                continue;
            }
            match classes.iter_mut().find(|class| self.relations[class[0]][term] == SAME) {
                Some(class) => class.push(term),
                None => classes.push(vec![term]),
            }
        }
        classes
    }

    /// Returns the nearest term behind a cell, with the relation to it. `None`: not known.
    fn successor(&self, term: usize) -> Option<(usize, u8)> {
        let leads = |set: u8| set != 0 && set & !(NEXT | FAR) == 0;
        let behind: Vec<usize> =
            (0..self.terms.len()).filter(|&to| leads(self.relations[term][to])).collect();
        let nearest =
            |&&to: &&usize| behind.iter().filter(|&&other| leads(self.relations[to][other])).count();
        let to = *behind.iter().max_by_key(nearest)?;
        Some((to, self.relations[term][to]))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(relations: Vec<Vec<u8>>) -> Shape {
        let own = (1..relations.len()).map(|at| TermName::Own(at.to_string()));
        let terms: Vec<TermName> = std::iter::once(TermName::Sentinel(NULL)).chain(own).collect();
        Shape { labels: vec![0; terms.len()], terms, relations, views: 1 }
    }

    /// Two pointers into one list: they are equal, or one leads to the other; a cell leads to `null`.
    #[test]
    fn a_shape_is_split_into_drawings_and_contradictions_are_left_out() {
        let (null, back) = (NEXT | FAR, BEFORE | FAR_BEFORE);
        let any = SAME | NEXT | FAR | BEFORE | FAR_BEFORE;
        let list = shape(vec![vec![SAME, back, back], vec![null, SAME, any], vec![null, any, SAME]]);
        let cases = list.cases();
        assert_eq!(cases.len(), 3);
        assert!(cases.iter().all(|case| case.open_pair().is_none()));
        // The last cell of a list leads to no other cell.
        let last = shape(vec![vec![SAME, BEFORE, BEFORE], vec![NEXT, SAME, any], vec![NEXT, any, SAME]]);
        let cases = last.cases();
        assert_eq!(cases.len(), 1, "{cases:?}");
        assert_eq!(cases[0].classes(), [vec![1, 2]]);
    }
}
