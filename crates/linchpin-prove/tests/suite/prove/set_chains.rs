//! Sets in which one write unlinks a whole chain of cells, all of them removed before.

use super::Text;
use super::sets::{program, search};
use crate::local::sets::{Counts, examine};
use fastrand::Rng;
use linchpin_certify::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, KeyClass, NextFact, SetCertificate, SlotValue, SmallFields,
    ThreadView,
};
use linchpin_certify::sets::action::Action;
use linchpin_certify::sets::check;
use linchpin_certify::sets::world::{Witness, World, canonical};
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Pc};
use linchpin_ir::property::Property;
use linchpin_prove::sets::SetStopped;
use std::collections::BTreeSet;

/// A list whose `remove` only marks. The next search under the lock unlinks a chain of marked nodes at once.
const SWEPT: &str = "
object SweptList: Set<key>;

struct Node { key: key, next: *Node, marked: bool }
word Window { left: *Node, right: *Node }

shared head: *Node;
shared tail: *Node;
shared access: lock;

init {
    tail = new Node { key: key::MAX };
    head = new Node { key: key::MIN, next: tail };
}

fn search(k: key) -> Window {
    let left = head;
    let left_next = left.next;
    let node = left_next;
    loop {
        if node.marked {
            node = node.next;
        } else {
            if node.key >= k { break; }
            left = node;
            left_next = node.next;
            node = left_next;
        }
    }
    if left_next != node { cas(left.next, left_next, node); }
    return Window { left, right: node };
}

op add(k: key) -> bool {
    access.lock();
    let w = search(k);
    if w.right.key == k { access.unlock(); return false; }
    w.left.next = new Node { key: k, next: w.right };
    access.unlock();
    return true;
}

op remove(k: key) -> bool {
    access.lock();
    let w = search(k);
    if w.right.key != k { access.unlock(); return false; }
    w.right.marked = true;
    access.unlock();
    return true;
}

op contains(k: key) -> bool {
    let node = head;
    while node.key < k { node = node.next; }
    return node.key == k && !node.marked;
}
";

fn swept() -> (std::sync::Arc<linchpin_ir::program::Program>, SetCertificate) {
    let program = program(&Text::new("swept_list", SWEPT));
    let found = search(&program, 60).unwrap_or_else(|stopped| panic!("{stopped:?}"));
    (program, found)
}

fn chains(certificate: &SetCertificate) -> usize {
    let cells = certificate.threads.iter().flat_map(|view| &view.cells);
    cells.filter(|cell| matches!(cell.next, NextFact::Chain(_))).count()
}

#[test]
fn a_chain_of_removed_cells_may_be_unlinked_at_once() {
    let (program, certificate) = swept();
    assert!(certificate.chains && chains(&certificate) > 0);
    let proved = check(&program, &certificate, &|| true);
    assert!(proved.is_ok_and(|proved| proved.contains(&Property::Linearizable)));
}

/// The states of the local test are in all views, those with chains included.
#[test]
fn certificates_with_chains_are_inductive() {
    let (program, certificate) = swept();
    let enough = |counts: &Counts| counts.confirmed < 2_000 && counts.drawn < 400_000;
    let counts = examine(&program, &certificate, &mut Rng::with_seed(7), enough);
    println!("{counts}");
    assert!(counts.failures.is_empty(), "{}", counts.failures.join("\n"));
    assert!(counts.confirmed == 2_000 && counts.steps > 2_000, "{counts}");
}

#[test]
fn one_wrong_place_beside_a_chain_is_noticed() {
    let mutations = [
        ("cells that are in the set are passed", "if node.marked {", "if node.marked || node.key < k {"),
        (
            "a reader puts removed cells back",
            "    return node.key == k &&",
            "    node.marked = false;\n    return node.key == k &&",
        ),
        (
            "the walk of `add` begins without the lock",
            "    access.lock();\n    let w = search(k);\n    if w.right.key == k",
            "    let w = search(k);\n    access.lock();\n    if w.right.key == k",
        ),
        (
            "the lock is given back before the mark",
            "    w.right.marked = true;\n    access.unlock();",
            "    access.unlock();\n    w.right.marked = true;",
        ),
        ("marks are not looked at", "node.key == k && !node.marked", "node.key == k"),
    ];
    for (what, right, wrong) in mutations {
        let changed = SWEPT.replacen(right, wrong, 1);
        assert_ne!(SWEPT, changed, "{what}");
        assert!(search(&program(&Text::new("swept_list", changed)), 60).is_err(), "{what}");
    }
}

/// The walk looks at marks only up to the first removed cell, and passes what follows.
#[test]
fn a_chain_does_not_pass_cells_of_the_set() {
    let passing = SWEPT
        .replacen("    let node = left_next;\n", "    let node = left_next;\n    let passing = false;\n", 1)
        .replacen(
            "if node.marked {\n",
            "if node.marked || (passing && node.key < k) {\n            passing = true;\n",
            1,
        );
    let stopped = search(&program(&Text::new("swept_list", passing)), 60);
    assert!(matches!(stopped, Err(SetStopped::Failed(_))), "{stopped:?}");
}

/// A thread that names four cells: the two of shared pointers, a removed cell, and the end of a chain from
/// it.
fn view_with_a_chain() -> ThreadView {
    let label = |class, fields| CellLabel { class, fields: SmallFields(fields), place: CellPlace::Linked };
    let fact = |class, fields, next| CellFact { label: label(class, fields), mine: false, fresh: true, next };
    ThreadView {
        at: Some((OpId::new(0), Pc::new(0))),
        ghost: CallGhost::Other,
        is_in: false,
        locks: 0,
        shared: vec![SlotValue::Cell(0), SlotValue::Cell(1)],
        slots: vec![SlotValue::Cell(2), SlotValue::Cell(3)],
        cells: vec![
            fact(KeyClass::Min, 0, NextFact::Unknown),
            fact(KeyClass::Max, 0, NextFact::Unknown),
            fact(KeyClass::Below, 1, NextFact::Chain(3)),
            fact(KeyClass::Above, 0, NextFact::Unknown),
        ],
    }
}

const CHAINS: fn() -> Witness =
    || Witness { root: 0, present: vec![SmallFields(0)], deadlock_free: false, chains: true };

/// What a thread does that writes the small fields of the removed cell with this view.
fn written(fields: u16) -> Action {
    let mut world = World::of(&view_with_a_chain());
    world.cells[2].label.fields = SmallFields(fields);
    world.touched[2] = true;
    Action::of(&world).expect("others see it").seen_by_others()
}

#[test]
fn a_view_keeps_a_chain_through_removed_cells_only() {
    let (program, _) = swept();
    let layout = SetLayout::of(&program).unwrap_or_else(|_| panic!("a set"));
    // The removed cell leads to a cell without a name, and this one to the end.
    let behind = |fields: u16| {
        let mut world = World::of(&view_with_a_chain());
        let label = CellLabel { fields: SmallFields(fields), ..world.cells[2].label };
        let between = CellFact { label, next: NextFact::Cell(3), ..world.cells[2] };
        let number = world.discover(between).expect("a fifth cell");
        world.learn_next(2, NextFact::Cell(number));
        canonical(&layout, &CHAINS(), &world, view_with_a_chain().at).cells[2].next
    };
    assert_eq!(behind(1), NextFact::Chain(3));
    assert_eq!(behind(0), NextFact::Unknown);
}

#[test]
fn a_write_to_a_removed_cell_ends_all_chains() {
    let (program, _) = swept();
    let layout = SetLayout::of(&program).unwrap_or_else(|_| panic!("a set"));
    let after = written(0).on_view(&layout, &CHAINS(), &view_with_a_chain());
    assert!(!after.is_empty());
    let chains =
        after.iter().flat_map(|view| &view.cells).filter(|cell| matches!(cell.next, NextFact::Chain(_)));
    assert_eq!(chains.count(), 0, "{after:?}");
}

#[test]
fn cells_of_a_chain_are_unlinked_in_the_views_of_others() {
    let (program, _) = swept();
    let layout = SetLayout::of(&program).unwrap_or_else(|_| panic!("a set"));
    let mut world = World::of(&view_with_a_chain());
    world.cells[2].label.place = CellPlace::Unlinked;
    world.touched[2] = true;
    world.unlinked = Some((KeyClass::Below, KeyClass::Above));
    let action = Action::of(&world).expect("others see it").seen_by_others();
    // Another thread stands on a removed cell with the watched key.
    let mut view = view_with_a_chain();
    view.cells[2].label.class = KeyClass::Watched;
    view.cells[2].next = NextFact::Unknown;
    let places: BTreeSet<CellPlace> =
        action.on_view(&layout, &CHAINS(), &view).iter().map(|view| view.cells[2].label.place).collect();
    assert_eq!(places, BTreeSet::from([CellPlace::Linked, CellPlace::Unlinked]));
    // A cell of the set is on no chain.
    view.cells[2].label = CellLabel { class: KeyClass::Above, fields: SmallFields(0), ..view.cells[2].label };
    assert!(action.on_view(&layout, &CHAINS(), &view).iter().all(|after| *after == view));
}

#[test]
fn false_chains_are_refused() {
    let (program, whole) = swept();
    let refused = |what: &str, edit: &dyn Fn(&mut SetCertificate)| {
        let mut forged = whole.clone();
        edit(&mut forged);
        forged.threads.sort_unstable();
        forged.threads.dedup();
        assert!(check(&program, &forged, &|| true).is_err(), "{what}");
    };
    refused("no view keeps a chain", &|forged| forged.chains = false);
    refused("views with chains are missing", &|forged| {
        forged.threads.retain(|view| view.cells.iter().all(|cell| !matches!(cell.next, NextFact::Chain(_))));
    });
    refused("every cell that was unlinked leads to the last cell by a chain", &|forged| {
        for view in &mut forged.threads {
            for cell in &mut view.cells {
                if cell.label.place == CellPlace::Unlinked && cell.next == NextFact::Unknown {
                    cell.next = NextFact::Chain(1);
                }
            }
        }
    });
}
