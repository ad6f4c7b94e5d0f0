//! List-based sets with locks: what is locked, in which order, and what is looked at again afterwards.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "coarse_add_without_lock",
        model: "coarse_list",
        edits: &[edit(
            "op add",
            "list_lock.lock();\n\
             lin;\n\
             defer list_lock.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "coarse_remove_lock_kept",
        model: "coarse_list",
        edits: &[edit("op remove", "defer list_lock.unlock();\n", "")],
        bounds: "threads: 1, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::DeadlockFree, 4),
    },
    Mutant {
        name: "coarse_add_walks_past_its_key",
        model: "coarse_list",
        edits: &[edit("op add", "curr.key < k", "curr.key <= k")],
        bounds: "threads: 1, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 11),
    },
    Mutant {
        name: "coarse_add_presence_not_tested",
        model: "coarse_list",
        edits: &[edit("op add", "if curr.key == k { return false; }\n", "")],
        bounds: "threads: 1, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 10),
    },
    Mutant {
        name: "coarse_remove_unlinks_one_too_many",
        model: "coarse_list",
        edits: &[edit("op remove", "pred.next = curr.next;", "pred.next = curr.next.next;")],
        bounds: "threads: 1, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::MemorySafe, 15),
    },
    Mutant {
        name: "coarse_remove_point_at_the_unlink",
        model: "coarse_list",
        edits: &[
            edit("op remove", "lin;\n", ""),
            edit(
                "op remove",
                "pred.next = curr.next;\n",
                "pred.next = curr.next;\n\
             lin;\n",
            ),
        ],
        bounds: "threads: 1, nodes: 3, keys: 1",
        fate: Fate::RefutesPoints(4),
    },
    // The object survives: removed nodes keep their `next`, so a walk over one answers what was true when it
    // stepped onto it. But then writers take effect at their writes.
    Mutant {
        name: "coarse_contains_without_lock",
        model: "coarse_list",
        edits: &[edit(
            "op contains",
            "list_lock.lock();\n\
             lin;\n\
             defer list_lock.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::RefutesPoints(3),
    },
    Mutant {
        name: "coarse_add_walks_before_it_locks",
        model: "coarse_list",
        edits: &[edit(
            "op add",
            "list_lock.lock();\n\
             lin;\n\
             defer list_lock.unlock();\n\
             let pred = head;\n\
             let curr = pred.next;",
            "let pred = head;\n\
             let curr = pred.next;\n\
             list_lock.lock();\n\
             lin;\n\
             defer list_lock.unlock();",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "fine_remove_pred_locked_alone",
        model: "fine_list",
        edits: &[
            edit(
                "op remove",
                "curr.lock.lock();\n\
             defer curr.lock.unlock();\n",
                "",
            ),
            edit(
                "op remove",
                "pred.lock.unlock();\n\
             pred = curr;\n\
             curr = curr.next;\n\
             curr.lock.lock();",
                "curr.lock.lock();\n\
             pred.lock.unlock();\n\
             pred = curr;\n\
             curr = curr.next;",
            ),
        ],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 27),
    },
    Mutant {
        name: "fine_add_lock_given_up_before_the_next",
        model: "fine_list",
        edits: &[edit(
            "op add",
            "pred.lock.unlock();\n\
             pred = curr;\n\
             curr = curr.next;\n\
             curr.lock.lock();",
            "pred.lock.unlock();\n\
             curr.lock.unlock();\n\
             pred = curr;\n\
             pred.lock.lock();\n\
             curr = curr.next;\n\
             curr.lock.lock();",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 33),
    },
    Mutant {
        name: "fine_add_pred_not_given_up",
        model: "fine_list",
        edits: &[edit(
            "op add",
            "pred.lock.unlock();\n\
             pred",
            "pred",
        )],
        bounds: "threads: 1, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::DeadlockFree, 17),
    },
    Mutant {
        name: "fine_add_curr_read_before_locking",
        model: "fine_list",
        edits: &[edit(
            "op add",
            "pred.lock.lock();\n\
             defer pred.lock.unlock();\n\
             let curr = pred.next;",
            "let curr = pred.next;\n\
             pred.lock.lock();\n\
             defer pred.lock.unlock();",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 12),
    },
    Mutant {
        name: "fine_remove_backs_up",
        model: "fine_list",
        edits: &[edit(
            "op remove",
            "pred.lock.lock();\n\
             defer pred.lock.unlock();\n\
             let curr = pred.next;\n\
             curr.lock.lock();\n\
             defer curr.lock.unlock();",
            "let curr = pred.next;\n\
             curr.lock.lock();\n\
             defer curr.lock.unlock();\n\
             pred.lock.lock();\n\
             defer pred.lock.unlock();",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::DeadlockFree, 5),
    },
    // No thread passes `pred` and `curr` while they are locked. So it does not show that `add` took effect a
    // step early.
    Mutant {
        name: "fine_add_point_when_curr_is_locked",
        model: "fine_list",
        edits: &[
            edit("op add", "lin if curr.key == k;", "lin;"),
            edit(
                "op add",
                "pred.next = node;\n\
             lin;",
                "pred.next = node;",
            ),
        ],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "optimistic_add_not_validated",
        model: "optimistic_list",
        edits: &[edit("op add", "if validate(pred, curr) {", "if true {")],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 12),
    },
    Mutant {
        name: "optimistic_remove_not_validated",
        model: "optimistic_list",
        edits: &[edit("op remove", "if validate(pred, curr) {", "if true {")],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 21),
    },
    Mutant {
        name: "optimistic_validate_next_not_compared",
        model: "optimistic_list",
        edits: &[edit("fn validate", "return pred.next == curr;", "return true;")],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 12),
    },
    Mutant {
        name: "optimistic_validate_reachability_not_tested",
        model: "optimistic_list",
        edits: &[edit(
            "fn validate",
            "let node = head;\n\
             while node.key <= pred.key {\n\
             if node == pred { return pred.next == curr; }\n\
             node = node.next;\n\
             }\n\
             return false;",
            "return pred.next == curr;",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 29),
    },
    Mutant {
        name: "optimistic_remove_locks_curr_first",
        model: "optimistic_list",
        edits: &[edit(
            "op remove",
            "pred.lock.lock();\n\
             defer pred.lock.unlock();\n\
             curr.lock.lock();\n\
             defer curr.lock.unlock();",
            "curr.lock.lock();\n\
             defer curr.lock.unlock();\n\
             pred.lock.lock();\n\
             defer pred.lock.unlock();",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::DeadlockFree, 4),
    },
    Mutant {
        name: "optimistic_remove_curr_not_locked",
        model: "optimistic_list",
        edits: &[edit(
            "op remove",
            "curr.lock.lock();\n\
             defer curr.lock.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 5, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 26),
    },
    Mutant {
        name: "lazy_remove_forgets_the_mark",
        model: "lazy_list",
        edits: &[edit(
            "op remove",
            "curr.marked = true;\n\
             lin;\n",
            "",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 23),
    },
    Mutant {
        name: "lazy_validate_pred_mark_not_tested",
        model: "lazy_list",
        edits: &[edit("fn validate", "!pred.marked && ", "")],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 27),
    },
    Mutant {
        name: "lazy_validate_next_not_compared",
        model: "lazy_list",
        edits: &[edit("fn validate", " && pred.next == curr", "")],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 16),
    },
    Mutant {
        name: "lazy_remove_curr_not_locked",
        model: "lazy_list",
        edits: &[edit(
            "op remove",
            "curr.lock.lock();\n\
             defer curr.lock.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 5, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 28),
    },
    // A node that is marked is unlinked before its lock is given up, so with both locks held an unmarked
    // `pred` leads to no marked `curr`.
    Mutant {
        name: "lazy_validate_curr_mark_not_tested",
        model: "lazy_list",
        edits: &[edit("fn validate", "!curr.marked && ", "")],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Holds,
    },
    // A call that removes `curr`, or inserts before it, needs the lock of `pred`.
    Mutant {
        name: "lazy_add_curr_not_locked",
        model: "lazy_list",
        edits: &[edit(
            "op add",
            "curr.lock.lock();\n\
             defer curr.lock.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Holds,
    },
    // The object survives: without readers of the mark a removal takes effect at the unlink.
    Mutant {
        name: "lazy_contains_mark_not_tested",
        model: "lazy_list",
        edits: &[edit("op contains", " && !curr.marked", "")],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::RefutesPoints(17),
    },
    // No other thread gets the lock of `curr` in between. A `contains` at `curr` reached it before the
    // unlink.
    Mutant {
        name: "lazy_remove_marks_after_the_unlink",
        model: "lazy_list",
        edits: &[edit(
            "op remove",
            "curr.marked = true;\n\
             lin;\n\
             pred.next = curr.next;",
            "pred.next = curr.next;\n\
             lin;\n\
             curr.marked = true;",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "lazy_remove_point_at_the_unlink",
        model: "lazy_list",
        edits: &[edit(
            "op remove",
            "lin;\n\
             pred.next = curr.next;",
            "pred.next = curr.next;\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::RefutesPoints(18),
    },
];
