//! Locks, the wait-free snapshot and the obstruction-free deque.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "test_and_set_acquire_reads_and_writes",
        model: "test_and_set_lock",
        edits: &[edit(
            "op acquire",
            "while swap(held, true) {}\n\
             lin;",
            "while held {}\n\
             held = true;",
        )],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "test_and_set_acquire_does_not_look",
        model: "test_and_set_lock",
        edits: &[edit("op acquire", "while swap(held, true) {}", "swap(held, true);")],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 2),
    },
    Mutant {
        name: "ticket_acquire_ticket_drawn_in_two_steps",
        model: "ticket_lock",
        edits: &[edit(
            "op acquire",
            "atomic {                             // fetch-and-increment, modulo the number of threads\n\
             ticket = next;\n\
             next = (ticket + 1) % threads;\n\
             }",
            "ticket = next;\n\
             next = (ticket + 1) % threads;",
        )],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
    Mutant {
        name: "ticket_acquire_does_not_wait",
        model: "ticket_lock",
        edits: &[edit("op acquire", "await serving == ticket;", "let s = serving;")],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "ticket_release_serves_no_thread",
        model: "ticket_lock",
        edits: &[edit("op release", "serving = (t + 1) % threads;", "serving = t;")],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::DeadlockFree, 10),
    },
    Mutant {
        name: "mcs_acquire_locked_after_linking",
        model: "mcs_lock",
        edits: &[edit(
            "op acquire",
            "node[me].locked = true;\n\
             node[pred.unwrap()].next = me;",
            "node[pred.unwrap()].next = me;\n\
             node[me].locked = true;",
        )],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::DeadlockFree, 13),
    },
    Mutant {
        name: "mcs_acquire_old_successor_kept",
        model: "mcs_lock",
        edits: &[edit("op acquire", "node[me].next = none;\n", "")],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 20),
    },
    Mutant {
        name: "mcs_release_successor_not_waited_for",
        model: "mcs_lock",
        edits: &[edit("op release", "await node[me].next != none;\n", "")],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Assertions, 8),
    },
    Mutant {
        name: "mcs_acquire_point_at_every_swap",
        model: "mcs_lock",
        edits: &[
            edit(
                "op acquire",
                "lin if pred == none;\n\
             if pred == none { return; }",
                "lin;\n\
             if pred == none { return; }",
            ),
            edit(
                "op acquire",
                "await !node[me].locked;\n\
             lin;",
                "await !node[me].locked;",
            ),
        ],
        bounds: "threads: 2",
        fate: Fate::RefutesPoints(4),
    },
    Mutant {
        name: "clh_acquire_not_locked_first",
        model: "clh_lock",
        edits: &[edit(
            "op acquire",
            "mine.locked = true;\n\
             pred = swap(tail, mine);",
            "pred = swap(tail, mine);\n\
             mine.locked = true;",
        )],
        bounds: "threads: 2, nodes: 3",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
    Mutant {
        name: "clh_release_own_node_used_again",
        model: "clh_lock",
        edits: &[edit("op release", "mine = pred;                         // its owner has left it\n", "")],
        bounds: "threads: 2, nodes: 3",
        fate: Fate::Violates(Property::DeadlockFree, 8),
    },
    Mutant {
        name: "clh_acquire_tail_read_and_written",
        model: "clh_lock",
        edits: &[edit(
            "op acquire",
            "pred = swap(tail, mine);",
            "pred = tail;\n\
             tail = mine;",
        )],
        bounds: "threads: 2, nodes: 3",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "snapshot_scan_once",
        model: "wait_free_snapshot",
        edits: &[
            edit(
                "op scan",
                "let old = collect();\n\
             loop {",
                "loop {",
            ),
            edit(
                "op scan",
                "let clean = true;\n\
             for t in threads {\n\
             if clean && old[t] != new_copy[t] {\n\
             if moved[t] { return new_copy[t].snap.of; }\n\
             moved[t] = true;\n\
             clean = false;\n\
             }\n\
             }\n\
             if clean { return values_of(new_copy); }\n\
             old = new_copy;",
                "return values_of(new_copy);",
            ),
            edit("op scan", "let moved: [bool; threads] = [false; threads];\n", ""),
        ],
        bounds: "threads: 3, nodes: 6, values: 1",
        fate: Fate::Violates(Property::Linearizable, 11),
    },
    Mutant {
        name: "snapshot_scan_borrows_after_one_change",
        model: "wait_free_snapshot",
        edits: &[edit("op scan", "if moved[t] {", "if true {")],
        bounds: "threads: 2, nodes: 5, values: 2",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    Mutant {
        name: "snapshot_scan_borrows_the_first_of_two",
        model: "wait_free_snapshot",
        edits: &[edit("op scan", "return new_copy[t].snap", "return old[t].snap")],
        bounds: "threads: 2, nodes: 5, values: 2",
        fate: Fate::Violates(Property::Linearizable, 21),
    },
    Mutant {
        name: "snapshot_update_writes_no_snapshot",
        model: "wait_free_snapshot",
        edits: &[edit(
            "op update",
            "let snap = scan();\n",
            "let snap: [data?; threads] = [none; threads];\n",
        )],
        bounds: "threads: 2, nodes: 5, values: 2",
        fate: Fate::Violates(Property::Linearizable, 9),
    },
    Mutant {
        name: "hlm_push_right_neighbour_not_made_older",
        model: "hlm_deque",
        edits: &[edit(
            "op push_right",
            "if cas(p.cell, prev, Cell { kind: prev.kind, val: prev.val, age: prev.age + 1 }) {",
            "if true {",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 19),
    },
    Mutant {
        name: "hlm_pop_right_neighbour_not_made_older",
        model: "hlm_deque",
        edits: &[edit(
            "op pop_right",
            "if cas(q.cell, next, Cell { kind: Kind::RightNull, age: next.age + 1 }) {",
            "if true {",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 20),
    },
    Mutant {
        name: "hlm_pop_left_empty_not_looked_at_again",
        model: "hlm_deque",
        edits: &[edit(
            "op pop_left",
            "if p.cell == cur { return none; }\n\
             continue;",
            "return none;",
        )],
        bounds: "SIZE: 3, START: 2, threads: 2, nodes: 5, values: 1",
        fate: Fate::Violates(Property::Linearizable, 38),
    },
    Mutant {
        name: "hlm_push_left_item_written",
        model: "hlm_deque",
        edits: &[edit(
            "op push_left",
            "if cas(q.cell, cur, Cell { kind: Kind::Item, val: v, age: cur.age + 1 }) { lin; return true; }",
            "q.cell = Cell { kind: Kind::Item, val: v };\n\
             return true;",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 23),
    },
    Mutant {
        name: "hlm_pop_right_empty_point_too_late",
        model: "hlm_deque",
        edits: &[
            edit(
                "op pop_right",
                "lin maybe if cur.kind == Kind::LeftNull && next.kind == Kind::RightNull;\n",
                "",
            ),
            edit(
                "op pop_right",
                "if p.cell == cur { return none; }",
                "if p.cell == cur { lin; return none; }",
            ),
        ],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::RefutesPoints(9),
    },
];
