//! Each obligation of the checker of sets is the reason why some wrong object has no certificate.
//!
//! The objects are lists under one lock with one mistake. The search asks the checker what a step does, so
//! its failure names the obligation.

use super::Text;
use super::sets::{certificate, program, search};
use linchpin_certify::set_certificate::CallGhost;
use linchpin_certify::sets::check;
use linchpin_certify::sets::failure::SetFailureKind;
use linchpin_certify::sets::failure::SetFailureKind::*;
use linchpin_ir::property::Property;
use linchpin_prove::sets::SetStopped;

const ADD: &str = "if w.curr.key == k { return false; }
    let node = new Node { key: k, next: w.curr }; w.pred.next = node; return true;";
const REMOVE: &str = "if w.curr.key != k { return false; } w.pred.next = w.curr.next; return true;";
const CONTAINS: &str = "return w.curr.key == k;";

/// A list with one lock for all operations, and a lock in each cell.
fn list(add: &str, remove: &str, contains: &str) -> String {
    format!(
        "object List: Set<key>;
        struct Node {{ key: key, next: *Node, lock: lock }}
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

#[test]
fn each_obligation_is_the_reason_of_a_refusal() {
    let insert = "let node = new Node { key: k, next: w.curr }; w.pred.next = node;";
    let contains = |before: &str| list(ADD, REMOVE, &format!("{before} {CONTAINS}"));
    let kept = list(ADD, REMOVE, CONTAINS).replace(
        "op contains(k: key) -> bool { mutex.lock(); defer mutex.unlock();",
        "op contains(k: key) -> bool { mutex.lock();",
    );
    let wrong: [(SetFailureKind, String); 11] = [
        (
            ForeignEvent,
            list(
                ADD,
                "if w.curr.key != k { return false; } let n = w.curr.next;
                 if n.key != key::MAX { n = n.next; } w.pred.next = n; return true;",
                CONTAINS,
            ),
        ),
        (
            ForeignEvent,
            list(ADD, REMOVE, &format!("if w.curr.key == k {{ return true; }} {insert} return false;")),
        ),
        (
            WrongEvent,
            list(ADD, &format!("if w.curr.key == k {{ return false; }} {insert} return true;"), CONTAINS),
        ),
        (
            SecondEvent,
            list(
                &ADD.replace("return true", "w.pred.next = w.curr; w.pred.next = node; return true"),
                REMOVE,
                CONTAINS,
            ),
        ),
        (WrongResult, list("return w.curr.key != k;", REMOVE, CONTAINS)),
        (NoMoment, list(ADD, REMOVE, "return false;")),
        (
            OutOfOrder,
            list(
                "let node = new Node { key: k, next: head.next }; head.next = node; return true;",
                REMOVE,
                CONTAINS,
            ),
        ),
        (LockKept, kept),
        (NullAccess, contains("let n = w.curr.next; if n.key == k { return true; }")),
        (Assertion, contains("assert(w.curr.key != k);")),
        (NotHolder, contains("mutex.unlock();")),
    ];
    assert!(search(&program(&Text::new("right", list(ADD, REMOVE, CONTAINS))), 60).is_ok());
    for (kind, text) in wrong {
        match search(&program(&Text::new("wrong", text.as_str())), 60) {
            Err(SetStopped::Failed(failure)) => assert_eq!(failure.kind, kind, "{text}"),
            Ok(_) => panic!("{kind:?}: there is a certificate\n{text}"),
            Err(stopped) => panic!("{kind:?}: {stopped:?}\n{text}"),
        }
    }
}

/// Locks that are taken against the order of keys leave `memory-safe` and `assertions` proved, and no more.
#[test]
fn locks_against_the_order_of_keys() {
    let locked = |first: &str, second: &str| {
        let take = format!(
            "{first}.lock.lock(); {second}.lock.lock(); {first}.lock.unlock(); {second}.lock.unlock();"
        );
        let text = list(ADD, REMOVE, &format!("let a = w.pred; let b = w.curr; {take} {CONTAINS}"));
        let program = program(&Text::new("locks", text));
        let certificate = search(&program, 60).expect("a certificate");
        let proved = check(&program, &certificate, &|| true).expect("an inductive certificate");
        // A call that waits for ever is not linearizable.
        assert_eq!(proved.contains(&Property::Linearizable), certificate.deadlock_free);
        certificate.deadlock_free
    };
    assert!(locked("a", "b"));
    assert!(!locked("b", "a"));
}

/// A call sees the set in and out only by steps of other threads.
#[test]
fn views_that_only_other_threads_lead_to_are_needed() {
    let (program, mut certificate) = certificate("lazy_list");
    let both = CallGhost::Watched { seen_in: true, seen_out: true };
    let before = certificate.threads.len();
    certificate.threads.retain(|view| view.ghost != both);
    assert!(certificate.threads.len() < before);
    assert!(check(&program, &certificate, &|| true).is_err());
}
