//! The gate of sets: exact certificates of small instances pass, every view is needed, and steps that no set
//! allows are refused whatever the certificate contains.

use super::program;
use crate::prove::{QUICK, Text};
use linchpin_certify::gate::{GateOptions, GateRefused, sets};
use linchpin_certify::set_certificate::{
    CallGhost, CellFact, CellPlace, KeyClass, NextFact, SetCertificate, SlotValue, SmallFields,
};
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::TypeKind;
use std::sync::Arc;

/// Only the first instance, whose states a collected certificate contains.
const FIRST: GateOptions = GateOptions { second_states: 0, ..QUICK };

/// Sets of the catalogue, with the marks of members.
const SETS: [(&str, &[u16]); 6] = [
    ("coarse_list", &[0]),
    ("fine_list", &[0]),
    ("optimistic_list", &[0]),
    ("lazy_list", &[0]),
    ("lock_free_list", &[0]),
    // A marked cell is a member until it is unlinked.
    ("vechev_yahav_set", &[0, 1]),
];

/// The first shared pointer as root; cells with these small fields are members.
fn witness(program: &Program, present: &[u16]) -> SetCertificate {
    let mut globals = program.globals.variables.entries();
    let is_pointer = |ty| matches!(program.types.kind(ty), TypeKind::Pointer(_));
    let (root, _) = globals.find(|(_, variable)| is_pointer(variable.ty)).expect("a shared pointer");
    SetCertificate {
        root,
        present: present.iter().copied().map(SmallFields).collect(),
        deadlock_free: false,
        chains: false,
        threads: Vec::new(),
        edges: Vec::new(),
    }
}

/// Collects a certificate; cells without a mark are members.
fn collected(program: &Arc<Program>) -> Result<SetCertificate, GateRefused> {
    sets::collect(program, &witness(program, &[0]), &FIRST, true)
}

#[test]
fn exact_certificates_pass() {
    for (name, present) in SETS {
        let program = program(&Text::of_catalogue(name));
        let certificate = sets::collect(&program, &witness(&program, present), &FIRST, true)
            .unwrap_or_else(|refused| panic!("{name}: {refused}"));
        assert!(certificate.threads.len() > 30 && certificate.edges.len() > 20, "{name}: {certificate:?}");
        let claims = [Property::Linearizable, Property::MemorySafe];
        let passed = sets::examine(&program, &certificate, &claims, &FIRST, &|| true);
        assert!(passed.is_ok(), "{name}: {passed:?}");
    }
}

/// A view does not say which thread it is of. So the views of all states are those of the states up to the
/// names of threads.
#[test]
fn threads_may_change_their_names() {
    for (name, present) in SETS {
        let program = program(&Text::of_catalogue(name));
        let witness = witness(&program, present);
        let named = |symmetric: bool| {
            sets::collect(&program, &witness, &FIRST, symmetric)
                .unwrap_or_else(|refused| panic!("{name}: {refused}"))
        };
        assert!(named(true) == named(false), "{name}");
    }
}

/// The names of threads change only where no instruction tells one thread from another.
#[test]
fn threads_that_the_program_names_keep_their_names() {
    for (name, _) in SETS {
        assert!(!program(&Text::of_catalogue(name)).names_threads(), "{name}");
    }
    // One has `me` in its code, the other has variables of threads.
    for name in ["mcs_lock", "clh_lock"] {
        assert!(program(&Text::of_catalogue(name)).names_threads(), "{name}");
    }
}

/// Facts that follow from the algorithm of the lazy list.
#[test]
fn ghosts_of_the_lazy_list() {
    let certificate = collected(&program(&Text::of_catalogue("lazy_list"))).expect("a set");
    let cells = || certificate.threads.iter().flat_map(|view| &view.cells);
    let some =
        |place: CellPlace, fresh: bool| cells().any(|cell| cell.label.place == place && cell.fresh == fresh);
    // A thread allocates under its locks. The cell is never linked before it is published.
    assert!(some(CellPlace::Private, false) && !some(CellPlace::Private, true));
    // A walk stands on a cell that another thread unlinks.
    assert!(some(CellPlace::Unlinked, true));
    // The thread then takes the lock of this cell: it is not linked from there on.
    assert!(some(CellPlace::Unlinked, false));
    assert!(some(CellPlace::Linked, true));
    // Only an idle thread sees linked cells as not fresh.
    let pending = certificate.threads.iter().filter(|view| view.at.is_some());
    let mut linked =
        pending.flat_map(|view| &view.cells).filter(|cell| cell.label.place == CellPlace::Linked);
    assert!(linked.all(|cell| cell.fresh));
    let seen_both = CallGhost::Watched { seen_in: true, seen_out: true };
    let ghosts = || certificate.threads.iter().map(|view| view.ghost);
    assert!(ghosts().any(|ghost| ghost == seen_both) && ghosts().any(|ghost| ghost == CallGhost::Done));
    let never = CallGhost::Watched { seen_in: false, seen_out: false };
    assert!(ghosts().all(|ghost| ghost != never));
}

/// With the wrong meaning of the abstract set, results do not fit events.
#[test]
fn a_wrong_meaning_is_refused() {
    for (name, present) in
        SETS.into_iter().filter(|(name, _)| name.contains("lazy") || name.contains("vechev"))
    {
        let program = program(&Text::of_catalogue(name));
        let other: &[u16] = if present.len() == 1 { &[0, 1] } else { &[0] };
        let judged = sets::collect(&program, &witness(&program, other), &FIRST, true);
        assert!(matches!(judged, Err(GateRefused::Effect { .. })), "{name}");
    }
}

#[test]
fn every_view_is_needed() {
    let program = program(&Text::of_catalogue("fine_list"));
    let whole = collected(&program).expect("a set");
    let refused = |certificate: &SetCertificate| {
        let judged = sets::examine(&program, certificate, &[], &FIRST, &|| true);
        matches!(judged, Err(GateRefused::View { .. }))
    };
    assert!(!refused(&whole));
    // Each eleventh view, so that the test is quick.
    for at in (0..whole.threads.len()).step_by(11) {
        let mut less = whole.clone();
        less.threads.remove(at);
        assert!(refused(&less), "{:?}", whole.threads[at]);
    }
    for at in (0..whole.edges.len()).step_by(11) {
        let mut less = whole.clone();
        less.edges.remove(at);
        assert!(refused(&less), "{:?}", whole.edges[at]);
    }
}

/// Each fact of a view counts: if all views say the opposite of it, a state is outside.
#[test]
fn every_fact_is_compared() {
    let program = program(&Text::of_catalogue("lazy_list"));
    let whole = collected(&program).expect("a set");
    let refused = |edit: &dyn Fn(&mut SetCertificate)| {
        let mut certificate = whole.clone();
        edit(&mut certificate);
        assert_ne!(certificate, whole);
        let judged = sets::examine(&program, &certificate, &[], &FIRST, &|| true);
        matches!(judged, Err(GateRefused::View { .. }))
    };
    let edit_cells = |edit: &dyn Fn(&mut CellFact)| {
        refused(&|certificate| {
            certificate.threads.iter_mut().flat_map(|view| &mut view.cells).for_each(edit);
        })
    };
    assert!(edit_cells(&|cell| cell.mine = false));
    assert!(edit_cells(&|cell| cell.fresh = true));
    assert!(edit_cells(&|cell| cell.label.fields = SmallFields(0)));
    assert!(edit_cells(&|cell| cell.label.place = CellPlace::Linked));
    assert!(edit_cells(&|cell| {
        if cell.label.class == KeyClass::Watched {
            cell.label.class = KeyClass::Below;
        }
    }));
    assert!(edit_cells(&|cell| {
        if let NextFact::Cell(to) = &mut cell.next {
            *to = 0;
        }
    }));
    assert!(refused(&|certificate| certificate.threads.iter_mut().for_each(|view| view.is_in = false)));
    assert!(refused(&|certificate| certificate.edges.iter_mut().for_each(|edge| edge.from.fresh = false)));
    assert!(refused(&|certificate| certificate.edges.iter_mut().for_each(|edge| edge.to = None)));
}

/// A thread may hold the lock of a cell that no variable names. The facts of this cell count too.
#[test]
fn cells_without_a_name_are_compared() {
    let text = coarse(ADD, REMOVE, CONTAINS).replace("next: *Node }", "next: *Node, lock: lock }").replace(
        "op contains(k: key) -> bool { mutex.lock();",
        "op contains(k: key) -> bool { let p = head.next; p.lock.lock(); p = head; mutex.lock();",
    );
    let program = program(&Text::new("never gives a lock back", text));
    let whole = collected(&program).expect("its calls return what a set returns");
    let judged = |certificate: &SetCertificate| sets::examine(&program, certificate, &[], &FIRST, &|| true);
    assert!(!matches!(judged(&whole), Err(GateRefused::View { .. })));
    let mut edited = whole.clone();
    let mut unnamed = 0;
    for view in &mut edited.threads {
        let values: Vec<SlotValue> = view.shared.iter().chain(&view.slots).copied().collect();
        for (number, cell) in (0..).zip(&mut view.cells) {
            if !values.contains(&SlotValue::Cell(number)) {
                cell.label.class = KeyClass::Max;
                unnamed += 1;
            }
        }
    }
    assert!(unnamed > 0 && edited != whole);
    assert!(matches!(judged(&edited), Err(GateRefused::View { .. })));
}

/// A list with a coarse lock, with the bodies of its operations.
fn coarse(add: &str, remove: &str, contains: &str) -> String {
    format!(
        "object Wrong: Set<key>;
        struct Node {{ key: key, next: *Node }}
        shared head: *Node;
        shared mutex: lock;
        init {{ let last = new Node {{ key: key::MAX }}; head = new Node {{ key: key::MIN, next: last }}; }}
        word Window {{ pred: *Node, curr: *Node }}
        fn find(k: key) -> Window {{
            let pred = head;
            let curr = pred.next;
            while curr.key < k {{ pred = curr; curr = curr.next; }}
            return Window {{ pred, curr }};
        }}
        op add(k: key) -> bool {{ mutex.lock(); defer mutex.unlock(); let w = find(k); {add} }}
        op remove(k: key) -> bool {{ mutex.lock(); defer mutex.unlock(); let w = find(k); {remove} }}
        op contains(k: key) -> bool {{ mutex.lock(); defer mutex.unlock(); let w = find(k); {contains} }}"
    )
}

const ADD: &str = "if w.curr.key == k { return false; }
    let node = new Node { key: k, next: w.curr }; w.pred.next = node; return true;";
const REMOVE: &str = "if w.curr.key != k { return false; } w.pred.next = w.curr.next; return true;";
const CONTAINS: &str = "return w.curr.key == k;";

#[test]
fn the_frame_of_the_wrong_objects_is_right() {
    let right = collected(&program(&Text::new("right", coarse(ADD, REMOVE, CONTAINS))));
    assert!(right.is_ok(), "{right:?}");
}

#[test]
fn steps_that_no_set_allows_are_refused() {
    let insert = "let node = new Node { key: k, next: w.curr }; w.pred.next = node;";
    let wrong = [
        ("inserts and says no", coarse(&ADD.replace("return true", "return false"), REMOVE, CONTAINS)),
        ("says yes and inserts nothing", coarse("return w.curr.key != k;", REMOVE, CONTAINS)),
        ("removes and says no", coarse(ADD, &REMOVE.replace("return true", "return false"), CONTAINS)),
        ("says yes and removes nothing", coarse(ADD, "return w.curr.key == k;", CONTAINS)),
        (
            "a reader inserts",
            coarse(ADD, REMOVE, &format!("if w.curr.key == k {{ return true; }} {insert} return false;")),
        ),
        (
            "a reader removes",
            coarse(
                ADD,
                REMOVE,
                "if w.curr.key != k { return false; } w.pred.next = w.curr.next; return true;",
            ),
        ),
        ("inserts twice", coarse(&format!("{insert} return true;"), REMOVE, CONTAINS)),
        (
            "removes another key",
            coarse(
                ADD,
                "if w.curr.key == key::MAX { return false; } w.pred.next = w.curr.next; return true;",
                CONTAINS,
            ),
        ),
        ("always absent", coarse(ADD, REMOVE, "return false;")),
        (
            "remove inserts",
            coarse(
                ADD,
                &format!(
                    "if w.curr.key == k {{ w.pred.next = w.curr.next; return true; }} {insert} return false;"
                ),
                CONTAINS,
            ),
        ),
        (
            "removes the next key too",
            coarse(
                ADD,
                "if w.curr.key != k { return false; } let n = w.curr.next; \
                 if n.key != key::MAX { n = n.next; } w.pred.next = n; return true;",
                CONTAINS,
            ),
        ),
        (
            "inserts, removes and inserts",
            coarse(
                &ADD.replace("return true", "w.pred.next = w.curr; w.pred.next = node; return true"),
                REMOVE,
                CONTAINS,
            ),
        ),
        (
            "inserts and removes",
            coarse(&ADD.replace("return true", "w.pred.next = w.curr; return true"), REMOVE, CONTAINS),
        ),
    ];
    for (what, text) in wrong {
        match collected(&program(&Text::new("wrong", text))) {
            Err(GateRefused::Effect { .. }) => {}
            other => panic!("{what}: {:?}", other.map(|certificate| certificate.size())),
        }
    }
}

#[test]
fn mistakes_in_lists_of_the_catalogue_are_refused() {
    let edits = [
        ("lazy_list", "if validate(pred, curr) {", "if true {"),
        ("lazy_list", "return curr.key == k && !curr.marked;", "return curr.key == k;"),
        (
            "lazy_list",
            "return !pred.marked && !curr.marked && pred.next == curr;",
            "return pred.next == curr;",
        ),
        (
            "lock_free_list",
            "w.curr.next.compare_and_set(succ, succ, false, true)",
            "w.pred.next.compare_and_set(w.curr, succ, false, false)",
        ),
    ];
    for (name, right, wrong) in edits {
        let model = Text::of_catalogue(name);
        assert!(model.text.contains(right), "{name} has no `{right}`");
        let text = model.text.replace(right, wrong);
        match collected(&program(&Text::new(name, text))) {
            Err(GateRefused::Effect { .. }) => {}
            other => panic!("{name}, {wrong}: {:?}", other.map(|certificate| certificate.size())),
        }
    }
}

/// In Harris' walk, all cells from `left_next` up to `node` are removed: the chain is in every state.
#[test]
fn chains_of_the_walk_of_harris() {
    let program = program(&Text::of_catalogue("harris_list"));
    let layout = SetLayout::of(&program).unwrap_or_else(|_| panic!("a set"));
    let exact = collected(&program).expect("a set");
    let with_chains = |to: &dyn Fn(u8) -> u8| {
        let mut changed = 0;
        let mut certificate = SetCertificate { chains: true, ..exact.clone() };
        for view in &mut certificate.threads {
            let Some((op, _)) = view.at else { continue };
            for (left_next, node) in walks(&layout, op) {
                let (SlotValue::Cell(from), SlotValue::Cell(end)) = (view.slots[left_next], view.slots[node])
                else {
                    continue;
                };
                let fact = &mut view.cells[usize::from(from)];
                if from != end && fact.label.fields == SmallFields(1) && fact.next == NextFact::Unknown {
                    fact.next = NextFact::Chain(to(end));
                    changed += 1;
                }
            }
        }
        assert!(changed > 10, "{changed} chains");
        sets::examine(&program, &certificate, &[Property::Linearizable], &FIRST, &|| true)
    };
    assert!(with_chains(&|end| end).is_ok());
    assert!(matches!(with_chains(&|_| 0), Err(GateRefused::View { .. })), "no cell leads to the first");
}

/// The parts of `left_next` and `node` in each copy of `search`, where `node` is declared first.
fn walks(layout: &SetLayout, op: OpId) -> Vec<(usize, usize)> {
    let locals = || layout.method(Some(op)).locals.entries();
    let part = |id| layout.frame(Some(op)).and_then(|frame| Some(frame.local(id, None)?.start));
    let named =
        |name: &'static str| locals().filter(move |(_, local)| &*local.name == name).map(|(id, _)| id);
    let walk = |left_next| {
        let node = named("node").rfind(|id| *id < left_next)?;
        Some((part(left_next)?, part(node)?))
    };
    named("left_next").filter_map(walk).collect()
}
