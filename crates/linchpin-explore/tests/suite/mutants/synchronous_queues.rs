//! Queues whose callers meet: who waits for whom, who is woken, and an item that is taken once.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "synchronous_deq_wakes_no_thread",
        model: "synchronous_queue",
        edits: &[edit("op deq", "changed.notify_all();\n", "")],
        bounds: "threads: 2, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 18),
    },
    Mutant {
        name: "synchronous_deq_wakes_one",
        model: "synchronous_queue",
        edits: &[edit("op deq", "changed.notify_all", "changed.notify_one")],
        bounds: "threads: 3, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 26),
    },
    Mutant {
        name: "synchronous_deq_waits_once",
        model: "synchronous_queue",
        edits: &[edit("op deq", "while item == none {", "if item == none {")],
        bounds: "threads: 3, values: 1",
        fate: Fate::Violates(Property::Assertions, 23),
    },
    Mutant {
        name: "synchronous_deq_item_left_behind",
        model: "synchronous_queue",
        edits: &[edit("op deq", "item = none;\n", "")],
        bounds: "threads: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 20),
    },
    Mutant {
        name: "synchronous_enq_turn_not_taken",
        model: "synchronous_queue",
        edits: &[edit("op enq", "enqueuing = true;\n", "")],
        bounds: "threads: 3, values: 2",
        fate: Fate::Violates(Property::Linearizable, 26),
    },
    Mutant {
        name: "synchronous_enq_does_not_wait",
        model: "synchronous_queue",
        edits: &[edit("op enq", "while item != none { changed.wait(monitor); }\n", "")],
        bounds: "threads: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 9),
    },
    Mutant {
        name: "dual_deq_nothing_taken_for_an_item",
        model: "synchronous_dual_queue_patched",
        edits: &[edit("op deq", "if item == none { continue; }                    // the correction\n", "")],
        bounds: "client: schedules, threads: 3..3, steps: 3..3, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 21),
    },
    Mutant {
        name: "dual_deq_item_cleared_by_a_write",
        model: "synchronous_dual_queue_patched",
        edits: &[edit(
            "op deq",
            "let success = cas(n.item, item, none);",
            "n.item = none;\n\
             let success = true;",
        )],
        bounds: "client: schedules, threads: 3..3, steps: 3..3, nodes: 4, values: 2",
        fate: Fate::Violates(Property::Linearizable, 22),
    },
    Mutant {
        name: "dual_enq_reservation_filled_by_a_write",
        model: "synchronous_dual_queue_patched",
        edits: &[edit(
            "op enq",
            "let success = cas(n.item, none, v);",
            "n.item = v;\n\
             let success = true;",
        )],
        bounds: "client: schedules, threads: 3..3, steps: 3..3, nodes: 4, values: 2",
        fate: Fate::Violates(Property::Linearizable, 20),
    },
    Mutant {
        name: "dual_enq_does_not_wait",
        model: "synchronous_dual_queue_patched",
        edits: &[edit("op enq", "while offer.item == v {}\n", "")],
        bounds: "client: schedules, threads: 2..2, steps: 3..3, nodes: 4, values: 2",
        fate: Fate::Violates(Property::Linearizable, 9),
    },
];
