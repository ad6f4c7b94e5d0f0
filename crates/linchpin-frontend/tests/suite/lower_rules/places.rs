//! The vocabulary of heap programs against the machine: every place that [`HeapLayout`] resolves is the one
//! that a step touches.
//!
//! Programs are drawn with shared variables of every kind between each other: words of several ages and
//! pointers, arrays of scalars, of words and of structs, keys, locks, and at times some hundred more. An
//! operation writes each place, reads it into a variable, changes one part of that, and takes each lock. It
//! is run by the plain machine, step by step. The machine alone says which words changed, counted over all
//! variables as it shows them; the layout must name these and no others.

use crate::lower_rules::support::lowered;
use fastrand::Rng;
use linchpin_ir::heap::layout::{Component, Default, Frame, HeapLayout};
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapLocal, HeapOp, HeapPlace};
use linchpin_ir::index::Index;
use linchpin_ir::program::{LocalId, MethodId, OpId, Pc, Program};
use linchpin_ir::types::{NONE, UNDEFINED, Word};
use linchpin_semantics::{Bounds, CellId, Machine, NoEvents, Outcome, Picks, State, Status, ThreadId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const PROGRAMS: u64 = 150;

/// Places that were compared, by kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum PlaceSort {
    Shared,
    SharedPart,
    Local,
    LocalPart,
    Field,
    Lock,
    DefaultOfShared,
    DefaultOfLocal,
}

type Counts = BTreeMap<PlaceSort, usize>;

#[test]
fn every_place_is_the_one_that_the_machine_touches() {
    let mut counts = Counts::new();
    for seed in 0..PROGRAMS {
        let text = drawn(&mut Rng::with_seed(seed));
        let (_, program) = lowered(&text);
        let layout = HeapLayout::of(&program).unwrap_or_else(|refusals| panic!("{refusals:?}\n{text}"));
        let program = Arc::new(program);
        let bounds = Bounds { threads: 1, nodes: 4, ages: Some(64), ..Bounds::default() };
        let machine = Machine::new(&program, &bounds).unwrap_or_else(|_| panic!("it runs:\n{text}"));
        let walk = PlaceWalk { program: &program, layout: &layout, machine: &machine, text: &text };
        walk.go(&mut counts);
    }
    println!("{counts:?}");
    let kinds = [
        PlaceSort::Shared,
        PlaceSort::SharedPart,
        PlaceSort::Local,
        PlaceSort::LocalPart,
        PlaceSort::Field,
        PlaceSort::Lock,
    ];
    assert!(kinds.iter().all(|kind| counts.get(kind).is_some_and(|count| *count > 20)), "{counts:?}");
}

struct PlaceWalk<'w> {
    program: &'w Program,
    layout: &'w HeapLayout,
    machine: &'w Machine,
    text: &'w str,
}

impl PlaceWalk<'_> {
    /// Runs the operation to its end.
    fn go(&self, counts: &mut Counts) {
        let mut count = |kind: PlaceSort| *counts.entry(kind).or_default() += 1;
        let mut picks = Picks::new();
        let mut state = self.machine.initial(&mut picks).unwrap_or_else(|_| panic!("it begins"));
        let shared = self.shared(&state);
        assert_eq!(shared.len(), self.layout.shared().len(), "{}", self.text);
        for (word, part) in shared.iter().zip(self.layout.shared()) {
            assert_eq!(*word, default(*part), "{}", self.text);
            count(PlaceSort::DefaultOfShared);
        }
        // By slot of the shared variables: the number of the lock.
        let mut locks = BTreeMap::new();
        self.run(&mut state, OpId::new(0), &[1], &mut locks, &mut count);
        self.run(&mut state, OpId::new(1), &[], &mut locks, &mut count);
        // Locks are numbered as they lie; every one was taken.
        for (number, (slot, bit)) in locks.iter().enumerate() {
            assert_eq!(*bit, 1 << number, "the lock at slot {slot}\n{}", self.text);
        }
    }

    /// One call, step by step.
    fn run(
        &self,
        state: &mut State,
        op: OpId,
        args: &[Word],
        locks: &mut BTreeMap<usize, u32>,
        count: &mut impl FnMut(PlaceSort),
    ) {
        let mut picks = Picks::new();
        let outcome = self.machine.call(state, thread(), op, args, 0, &mut picks, &mut NoEvents);
        assert_eq!(outcome, Outcome::Done, "{}", self.text);
        let frame = self.layout.frame(Some(op)).expect("it is an operation");
        // What no step reads yet, or reads any more, holds its default.
        let Status::Busy { method, pc, .. } = self.machine.status(state, thread()) else {
            panic!("it is over")
        };
        let live = self.live_slots(state, method, pc);
        for (at, word) in self.locals(state).iter().enumerate().filter(|(at, _)| !live.contains(at)) {
            assert_eq!(*word, default(frame.parts()[at]), "slot {at}\n{}", self.text);
            count(PlaceSort::DefaultOfLocal);
        }
        while let Status::Busy { pc, .. } = self.machine.status(state, thread()) {
            let before = state.clone();
            let outcome = self.machine.step(state, thread(), &mut picks, &mut NoEvents);
            assert_eq!(outcome, Outcome::Done, "{}", self.text);
            let changed = differing(&self.shared(&before), &self.shared(state));
            let instr = &self.layout.method(Some(op)).code[pc];
            match &instr.op {
                HeapOp::Store { to, .. } => match &to.base {
                    HeapBase::Field { field, .. } => {
                        assert!(changed.is_empty(), "{}", self.text);
                        self.field(&before, state, *field, to.part);
                        count(PlaceSort::Field);
                    }
                    HeapBase::Global(_) | HeapBase::Element { .. } => {
                        let named = self.parts(&before, to);
                        // Some values are stored again.
                        if changed.is_empty() {
                            continue;
                        }
                        assert_eq!(changed, named, "{to:?}\n{}", self.text);
                        count(if to.part.is_some() { PlaceSort::SharedPart } else { PlaceSort::Shared });
                    }
                },
                HeapOp::Lock(place) => {
                    let named = self.parts(&before, place);
                    assert_eq!(changed, named, "{place:?}\n{}", self.text);
                    let start = *named.first().expect("a lock is one part");
                    let lock = self.layout.lock(&(start..start + 1)).expect("it is a lock");
                    locks.insert(start, lock.bit());
                    count(PlaceSort::Lock);
                }
                HeapOp::Load { .. } => {
                    assert!(changed.is_empty(), "{}", self.text);
                    self.targets(&before, state, op, frame, pc, count);
                }
                _ => {}
            }
        }
    }

    /// The words of all shared variables, one after the other.
    fn shared(&self, state: &State) -> Vec<Word> {
        let ids = self.program.globals.variables.ids();
        ids.flat_map(|id| self.machine.global_words(state, id)).copied().collect()
    }

    /// The words of all variables of the operation, one after the other.
    fn locals(&self, state: &State) -> Vec<Word> {
        let Status::Busy { method, .. } = self.machine.status(state, thread()) else { return Vec::new() };
        let method = &self.program.methods[method];
        let words = |local| self.machine.local_words(state, thread(), local).unwrap_or(&[]);
        method.locals.ids().flat_map(words).copied().collect()
    }

    /// The words of variables that a later step may read.
    fn live_slots(&self, state: &State, method: MethodId, pc: Pc) -> BTreeSet<usize> {
        let live = self.program.methods[method].code[pc].live.iter();
        let slots = live.flat_map(|local| {
            let (start, words) = (self.start(state, local), self.machine.local_words(state, thread(), local));
            start..start + words.map_or(0, <[Word]>::len)
        });
        slots.collect()
    }

    /// Where the words of a variable begin among those of all.
    fn start(&self, state: &State, local: LocalId) -> usize {
        let before = (0..local.index()).map(LocalId::new);
        before.map(|local| self.machine.local_words(state, thread(), local).map_or(0, <[Word]>::len)).sum()
    }

    /// The shared parts that the layout names.
    fn parts(&self, state: &State, place: &HeapPlace) -> BTreeSet<usize> {
        let parts = match &place.base {
            HeapBase::Global(id) => self.layout.shared_parts(*id, 0, 0, place.part),
            HeapBase::Element { array, index, field } => {
                let index = match index {
                    HeapExpr::Small(index) => usize::try_from(*index).ok(),
                    HeapExpr::Local(local) => {
                        let words = self.machine.local_words(state, thread(), *local);
                        words.and_then(|words| usize::try_from(words[0]).ok())
                    }
                    other => panic!("{other:?} is not an index of these programs"),
                };
                self.layout.shared_parts(*array, index.expect("it is inside"), *field, place.part)
            }
            HeapBase::Field { .. } => None,
        };
        parts.unwrap_or_else(|| panic!("{place:?} resolves\n{}", self.text)).collect()
    }

    /// The field of a cell that a step wrote: the layout says what it is, its words say what was written.
    fn field(&self, before: &State, after: &State, field: usize, part: Option<usize>) {
        let cell = self.layout.cell();
        let words = |state: &State, at: usize, field: usize| -> Vec<Word> {
            let cell = self.machine.cell(state, CellId::new(at)).expect("it is there");
            self.machine.field_words(cell, field).expect("it has the field").to_vec()
        };
        let fields = self.program.types.structs.iter().find(|record| &*record.name == "Node");
        let fields = fields.map_or(0, |record| record.fields.len());
        let mut changed = BTreeSet::new();
        for at in 0..self.machine.cells(before).count() {
            for field in 0..fields {
                let slots = differing(&words(before, at, field), &words(after, at, field));
                changed.extend(slots.into_iter().map(|slot| (at, field, slot)));
            }
        }
        let Some((at, ..)) = changed.first().copied() else { panic!("nothing changed\n{}", self.text) };
        let now = words(after, at, field);
        let slots: Vec<usize> = match (cell.link, part) {
            (Some(link), part) if link.field == field => match (link.word, part) {
                (None, None) => vec![0],
                (Some(word), None) => std::iter::once(word.pointer).chain(word.age).collect(),
                (Some(word), Some(part)) => {
                    assert!(part == word.pointer || Some(part) == word.age, "{}", self.text);
                    vec![part]
                }
                (None, Some(_)) => panic!("a part of a pointer\n{}", self.text),
            },
            _ => vec![0],
        };
        let named: BTreeSet<_> = slots.iter().map(|slot| (at, field, *slot)).collect();
        assert_eq!(changed, named, "{}", self.text);
        // Pointers are to the second cell, data is the argument, labels are the largest there is.
        let is_pointer = |slot: usize| {
            cell.link
                .is_some_and(|link| link.field == field && link.word.is_none_or(|word| word.pointer == slot))
        };
        for slot in slots {
            let is_age = cell.link.is_some_and(|link| link.field == field) && !is_pointer(slot);
            let expected = match () {
                () if is_pointer(slot) => Some(CellId::new(1).pointer()),
                () if is_age || cell.data == Some(field) => Some(1),
                () => {
                    assert_eq!(cell.label.map(|label| label.field), Some(field), "{}", self.text);
                    None
                }
            };
            assert!(expected.is_none_or(|expected| now[slot] == expected), "{now:?}\n{}", self.text);
        }
    }

    /// The variables that a step which reads wrote: those of its way to the next rest, as far as they are
    /// read again.
    fn targets(
        &self,
        before: &State,
        after: &State,
        op: OpId,
        frame: &Frame,
        from: Pc,
        count: &mut impl FnMut(PlaceSort),
    ) {
        let Status::Busy { pc: to, method, .. } = self.machine.status(after, thread()) else { return };
        let code = &self.layout.method(Some(op)).code;
        let mut targets: Vec<HeapLocal> = Vec::new();
        let mut at = from;
        while at != to {
            code[at].op.targets(&mut |target| targets.push(*target));
            at = code[at].next;
        }
        let live = &self.program.methods[method].code[to].live;
        targets.retain(|target| live.contains(target.local));
        let named: BTreeSet<usize> = targets
            .iter()
            .flat_map(|target| frame.local(target.local, target.part).expect("it resolves"))
            .collect();
        let is_live = self.live_slots(after, method, to);
        let changed = differing(&self.locals(before), &self.locals(after));
        let changed: BTreeSet<usize> = changed.intersection(&is_live).copied().collect();
        assert_eq!(changed, named, "{targets:?} at {from:?}\n{}", self.text);
        targets.iter().for_each(|target| {
            count(if target.part.is_some() { PlaceSort::LocalPart } else { PlaceSort::Local });
        });
    }
}

/// The only one.
fn thread() -> ThreadId {
    ThreadId::new(0)
}

fn differing(a: &[Word], b: &[Word]) -> BTreeSet<usize> {
    assert_eq!(a.len(), b.len());
    (0..a.len()).filter(|at| a[*at] != b[*at]).collect()
}

fn default(part: Component) -> Word {
    match part.default {
        Default::Null | Default::Unused => 0,
        Default::Undefined => UNDEFINED,
        Default::None => NONE,
        Default::Number(number) => Word::from(number),
    }
}

/// A shared place: how it is written, and a value that it does not have at first.
struct Drawn {
    place: String,
    value: &'static str,
    /// Of a word: the part that is changed in a copy of it.
    bool_part: Option<&'static str>,
}

/// A type by its name, and a value.
const SCALARS: [(&str, &str); 7] = [
    ("bool", "true"),
    ("*Node", "n"),
    ("data", "v"),
    ("key", "key::MAX"),
    ("0..3", "2"),
    ("2..6", "5"),
    ("Colour", "Colour::Blue"),
];

/// A word by its name, a value, and a part that is a truth value. Those with ages do not stand in arrays;
/// they come last.
const WORDS: [(&str, &str, &str); 4] = [
    ("Flags", "Flags { e: true, f: true, g: true }", "f"),
    ("Links", "Links { p: n, q: n, f: true, r: n }", "f"),
    ("One", "One { p: n, a: zero.a + 1, f: true }", "f"),
    ("Two", "Two { a: zero.a + 1, p: n, b: zero.a + 1, f: true, q: n }", "f"),
];
/// No further array of locks is drawn beyond so many.
const MOST_LOCKS: usize = 16;
/// How many words have no age.
const AGELESS: usize = 2;

/// A program that writes, reads and locks every place of its shared variables.
fn drawn(rng: &mut Rng) -> String {
    let mut shared: Vec<String> = Vec::new();
    let mut places: Vec<Drawn> = Vec::new();
    let mut locks: Vec<String> = Vec::new();
    let (mut structs, mut statements) = (String::new(), Vec::new());
    for number in 0..rng.usize(4..12) {
        let name = format!("g{number}");
        let index = |rng: &mut Rng, len: usize| match rng.usize(..len) {
            1 if rng.bool() => "i".to_string(),
            at => at.to_string(),
        };
        let mut take = |place: String, rng: &mut Rng| {
            if rng.u8(..3) == 0 {
                let words = if place.contains('[') { AGELESS } else { WORDS.len() };
                let (ty, value, part) = WORDS[rng.usize(..words)];
                places.push(Drawn { place, value, bool_part: Some(part) });
                ty
            } else {
                let (ty, value) = SCALARS[rng.usize(..SCALARS.len())];
                places.push(Drawn { place, value, bool_part: None });
                ty
            }
        };
        let ty = match rng.u8(..6) {
            0 => {
                locks.push(name.clone());
                "lock".to_string()
            }
            1 => {
                let len = rng.usize(2..6);
                let place = format!("{name}[{}]", index(rng, len));
                format!("[{}; {len}]", take(place, rng))
            }
            2 => {
                let len = rng.usize(2..5);
                let mut fields = Vec::new();
                for field in 0..rng.usize(1..4) {
                    if rng.u8(..3) == 0 && locks.len() < MOST_LOCKS {
                        (0..len).for_each(|at| locks.push(format!("{name}[{at}].f{field}")));
                        fields.push(format!("f{field}: lock"));
                    } else {
                        let place = format!("{name}[{}].f{field}", index(rng, len));
                        fields.push(format!("f{field}: {}", take(place, rng)));
                    }
                }
                structs += &format!("struct S{number} {{ {} }}\n", fields.join(", "));
                format!("[S{number}; {len}]")
            }
            _ => take(name.clone(), rng).to_string(),
        };
        shared.push(format!("shared {name}: {ty};"));
    }
    if rng.u8(..4) == 0 {
        let at = rng.usize(..=shared.len());
        shared.splice(at..at, (0..rng.usize(250..300)).map(|number| format!("shared unused{number}: bool;")));
    }
    let link = ["next: *Node", "next: One2", "next: Rest"][rng.usize(..3)];
    let label = ["", ", mark: bool", ", mark: 1..4", ", mark: key"][rng.usize(..4)];
    let mut fields: Vec<String> = vec!["val: data".into(), link.into()];
    fields.extend(label.strip_prefix(", ").map(String::from));
    rng.shuffle(&mut fields);
    rng.shuffle(&mut locks);
    for (number, Drawn { place, value, bool_part }) in places.iter().enumerate() {
        statements.push(format!("{place} = {value};"));
        statements.push(format!("let t{number} = {place};"));
        if let Some(part) = bool_part {
            statements.push(format!("{place}.{part} = false;"));
            statements.push(format!("let d{number} = clock; t{number}.{part} = false;"));
        }
    }
    statements.push("n.val = v;".into());
    statements.push(
        match link {
            "next: *Node" => "n.next = m;",
            "next: One2" => "n.next = One2 { a: zero.a + 1, p: m };",
            _ => "n.next.p = m;",
        }
        .into(),
    );
    match label {
        "" => {}
        ", mark: bool" => statements.push("n.mark = true;".into()),
        ", mark: 1..4" => statements.push("n.mark = 3;".into()),
        _ => statements.push("n.mark = key::MAX;".into()),
    }
    statements.extend(locks.iter().map(|lock| format!("{lock}.lock();")));
    statements.extend(locks.iter().map(|lock| format!("{lock}.unlock();")));
    // What was read is read again, so that it stays.
    statements
        .extend(places.iter().enumerate().map(|(number, drawn)| format!("{} = t{number};", drawn.place)));
    format!(
        "object Drawn: Stack;
word One {{ p: *Node, a: age, f: bool }}
word Two {{ a: age, p: *Node, b: age, f: bool, q: *Node }}
word Flags {{ e: bool, f: bool, g: bool }}
word Links {{ p: *Node, q: *Node, f: bool, r: *Node }}
word One2 {{ a: age, p: *Node }}
word Rest {{ p: *Node, a: age }}
enum Colour {{ Red, Green, Blue }}
struct Node {{ {} }}
{structs}shared clock: bool;
shared shelf: data;
{}
shared zeros: One;
op push(v: data) {{
    let first = clock;
    let zero = zeros;
    let n = new Node {{}};
    let m = new Node {{}};
    let i = 1;
    {}
    shelf = v;
    clock = true;
    lin;
}}
op pop() -> data? {{
    let first = clock;
    let found: data? = none;
    let item = shelf;
    let second = clock; found = item;
    shelf = item;
    lin;
    return found;
}}
",
        fields.join(", "),
        shared.join("\n"),
        statements.join("\n    ")
    )
}
