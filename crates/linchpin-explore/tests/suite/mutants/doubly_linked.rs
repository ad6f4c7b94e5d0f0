//! Doubly linked lists: the optimistic queue and the Snark deque.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "lms_enq_written",
        model: "lms_queue",
        edits: &[edit(
            "op enq",
            "if cas(tail, t, n) {\n\
             lin;\n\
             t.prev = n;\n\
             return;\n\
             }",
            "tail = n;\n\
             t.prev = n;\n\
             return;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 27),
    },
    Mutant {
        name: "lms_enq_prev_written_first",
        model: "lms_queue",
        edits: &[edit(
            "op enq",
            "n.next = t;\n",
            "n.next = t;\n\
             t.prev = n;\n",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 35),
    },
    // The tail is never behind the head, and the other ways end in a cas of the head.
    Mutant {
        name: "lms_deq_head_not_looked_at_again",
        model: "lms_queue",
        edits: &[edit("op deq", "if h != head { continue; }\n", "")],
        bounds: "threads: 2, nodes: 3, values: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "lms_deq_no_dummy",
        model: "lms_queue",
        edits: &[edit(
            "op deq",
            "if cas(tail, t, dummy) { h.prev = dummy; }",
            "if cas(head, h, null) { return v; }",
        )],
        bounds: "threads: 1, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 17),
    },
    Mutant {
        name: "lms_deq_list_not_fixed",
        model: "lms_queue",
        edits: &[edit(
            "op deq",
            "} else if first == null {\n\
             fix_list(t, h);\n\
             } else if cas(head",
            "} else if cas(head",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 20),
    },
    Mutant {
        name: "lms_deq_head_written",
        model: "lms_queue",
        edits: &[edit(
            "op deq",
            "} else if cas(head, h, first) {\n\
             lin;\n",
            "} else {\n\
             head = first;\n\
             lin;\n",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 27),
    },
    Mutant {
        name: "lms_fix_list_end_not_seen",
        model: "lms_queue",
        edits: &[edit(
            "fn fix_list",
            "if next == null { return; }                          // `curr` has been removed\n",
            "",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 25),
    },
    Mutant {
        name: "lms_tagged_deq_tag_of_prev_not_looked_at",
        model: "lms_queue_tagged",
        edits: &[edit(
            "op deq",
            "} else if first.tag != h.tag {\n\
             fix_list(t, h);\n\
             } else if cas(head, h, Link { ptr: first.ptr, tag: h.tag + 1 }) {\n\
             lin;",
            "} else if first.ptr == null {\n\
             fix_list(t, h);\n\
             } else if cas(head, h, Link { ptr: first.ptr, tag: h.tag + 1 }) {\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 48),
    },
    Mutant {
        name: "lms_tagged_deq_frees_too_early",
        model: "lms_queue_tagged",
        edits: &[edit(
            "op deq",
            "let v = h.ptr.val;\n",
            "let v = h.ptr.val;\n\
             if v != none && t != h { free(h.ptr); }\n",
        )],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 29),
    },
    Mutant {
        name: "snark_pop_right_hat_not_looked_at_again",
        model: "snark_deque_repaired",
        edits: &[edit(
            "op pop_right",
            "if right_hat == rh { return none; }\n\
             continue;",
            "return none;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 13),
    },
    Mutant {
        name: "snark_pop_left_value_not_claimed",
        model: "snark_deque_repaired",
        edits: &[edit("op pop_left", "if !cas(lh.val, result, none) { return none; }\n", "")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 17),
    },
    Mutant {
        name: "snark_pop_right_node_not_closed",
        model: "snark_deque_repaired",
        edits: &[edit(
            "op pop_right",
            "dcas(right_hat, rh.left, rh, rh_l, rh_l, rh)",
            "dcas(right_hat, rh.left, rh, rh_l, rh_l, rh_l)",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    Mutant {
        name: "snark_push_right_on_an_empty_deque_moves_one_hat",
        model: "snark_deque_repaired",
        edits: &[edit(
            "op push_right",
            "dcas(right_hat, left_hat, rh, lh, n, n)",
            "dcas(right_hat, left_hat, rh, lh, n, lh)",
        )],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 7),
    },
    Mutant {
        name: "snark_push_left_neighbour_not_compared",
        model: "snark_deque_repaired",
        edits: &[edit(
            "op push_left",
            "if dcas(left_hat, lh.left, lh, lh_l, n, n) { return; }",
            "if cas(left_hat, lh, n) {\n\
             lh.left = n;\n\
             return;\n\
             }",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
];
