//! Sets in which one write unlinks a whole chain of cells, all of them removed before.

use super::Text;
use super::sets::{program, search};
use crate::local::sets::{Counts, examine};
use fastrand::Rng;
use linchpin_certify::set_certificate::{CellPlace, NextFact, SetCertificate};
use linchpin_certify::sets::check;
use linchpin_ir::property::Property;

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

/// Most facts of chains are true in the states of the local test, and stay true.
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
