//! Queues with locks and conditions: which lock, how long, and who is woken.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "two_lock_enq_without_lock",
        model: "two_lock_queue",
        edits: &[edit("op enq", "tail_lock.lock();\n", ""), edit("op enq", "tail_lock.unlock();\n", "")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 14),
    },
    Mutant {
        name: "two_lock_deq_without_lock",
        model: "two_lock_queue",
        edits: &[
            edit("op deq", "head_lock.lock();\n", ""),
            edit(
                "op deq",
                "head_lock.unlock();\n\
             return none;",
                "return none;",
            ),
            edit(
                "op deq",
                "head_lock.unlock();\n\
             free",
                "free",
            ),
        ],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 16),
    },
    // Only the holder of the lock reads `tail`.
    Mutant {
        name: "two_lock_enq_tail_moved_before_linking",
        model: "two_lock_queue",
        edits: &[edit(
            "op enq",
            "tail.next = node;\n\
             lin;                                 // a dequeuer can see it from here on, whatever `tail` says\n\
             tail = node;",
            "let last = tail;\n\
             tail = node;\n\
             last.next = node;\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "two_lock_enq_links_after_the_new_tail",
        model: "two_lock_queue",
        edits: &[edit(
            "op enq",
            "tail.next = node;\n\
             lin;                                 // a dequeuer can see it from here on, whatever `tail` says\n\
             tail = node;",
            "tail = node;\n\
             tail.next = node;\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    Mutant {
        name: "two_lock_deq_lock_kept_when_empty",
        model: "two_lock_queue",
        edits: &[edit(
            "op deq",
            "head_lock.unlock();\n\
             return none;",
            "return none;",
        )],
        bounds: "threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 5),
    },
    Mutant {
        name: "two_lock_deq_head_not_moved",
        model: "two_lock_queue",
        edits: &[edit("op deq", "head = new_head;\n", "")],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 18),
    },
    Mutant {
        name: "two_lock_deq_value_read_after_the_lock",
        model: "two_lock_queue",
        edits: &[
            edit(
                "op deq",
                "let v = new_head.val;\n\
             head",
                "head",
            ),
            edit(
                "op deq",
                "free(node);\n",
                "free(node);\n\
             let v = new_head.val;\n",
            ),
        ],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 33),
    },
    Mutant {
        name: "two_lock_deq_frees_before_reading_next",
        model: "two_lock_queue",
        edits: &[
            edit(
                "op deq",
                "let new_head = node.next;",
                "free(node);\n\
             let new_head = node.next;",
            ),
            edit(
                "op deq",
                "head_lock.unlock();\n\
             free(node);",
                "head_lock.unlock();",
            ),
        ],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 5),
    },
    Mutant {
        name: "two_lock_enq_point_at_the_tail",
        model: "two_lock_queue",
        edits: &[edit(
            "op enq",
            "lin;                                 // a dequeuer can see it from here on, whatever `tail` says\n\
             tail = node;",
            "tail = node;\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::RefutesPoints(15),
    },
    // One lock for both ends excludes more, not less.
    Mutant {
        name: "two_lock_enq_takes_the_lock_of_the_head",
        model: "two_lock_queue",
        edits: &[
            edit("op enq", "tail_lock.lock", "head_lock.lock"),
            edit("op enq", "tail_lock.unlock", "head_lock.unlock"),
        ],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "two_lock_enq_gives_up_the_lock_of_the_head",
        model: "two_lock_queue",
        edits: &[edit("op enq", "tail_lock.unlock", "head_lock.unlock")],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Assertions, 9),
    },
    // No other thread reaches the old dummy, with the lock or without.
    Mutant {
        name: "two_lock_deq_freed_inside_the_lock",
        model: "two_lock_queue",
        edits: &[edit(
            "op deq",
            "head_lock.unlock();\n\
             free(node);",
            "free(node);\n\
             head_lock.unlock();",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "unbounded_enq_without_lock",
        model: "unbounded_queue",
        edits: &[edit(
            "op enq",
            "enq_lock.lock();\n\
             defer enq_lock.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 20),
    },
    Mutant {
        name: "unbounded_deq_without_lock",
        model: "unbounded_queue",
        edits: &[edit(
            "op deq",
            "deq_lock.lock();\n\
             defer deq_lock.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 17),
    },
    Mutant {
        name: "unbounded_deq_lock_kept_when_empty",
        model: "unbounded_queue",
        edits: &[
            edit("op deq", "defer deq_lock.unlock();\n", ""),
            edit("op deq", "return result;", "deq_lock.unlock();\nreturn result;"),
        ],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 5),
    },
    Mutant {
        name: "unbounded_enq_point_at_the_tail",
        model: "unbounded_queue",
        edits: &[edit(
            "op enq",
            "lin;                                 // a dequeuer can see it from here on, whatever `tail` says\n\
             tail = e;",
            "tail = e;\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::RefutesPoints(14),
    },
    // One lock for both ends is enough; two only let them work at the same time.
    Mutant {
        name: "unbounded_deq_takes_the_lock_of_the_tail",
        model: "unbounded_queue",
        edits: &[edit(
            "op deq",
            "deq_lock.lock();\n\
             defer deq_lock.unlock();",
            "enq_lock.lock();\n\
             defer enq_lock.unlock();",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "bounded_enq_wakes_no_thread",
        model: "bounded_queue",
        edits: &[edit("op enq", "not_empty.notify_all();\n", "")],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 18),
    },
    Mutant {
        name: "bounded_deq_wakes_no_thread",
        model: "bounded_queue",
        edits: &[edit("op deq", "not_full.notify_all();\n", "")],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 31),
    },
    Mutant {
        name: "bounded_enq_wakes_without_the_lock",
        model: "bounded_queue",
        edits: &[edit(
            "op enq",
            "deq_lock.lock();\n\
             not_empty.notify_all();\n\
             deq_lock.unlock();",
            "not_empty.notify_all();",
        )],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 17),
    },
    Mutant {
        name: "bounded_deq_waits_once",
        model: "bounded_queue",
        edits: &[edit("op deq", "while size == 0 {", "if size == 0 {")],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 28),
    },
    Mutant {
        name: "bounded_enq_waits_once",
        model: "bounded_queue",
        edits: &[edit("op enq", "while size == CAP {", "if size == CAP {")],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Assertions, 41),
    },
    Mutant {
        name: "bounded_enq_counted_before_linking",
        model: "bounded_queue",
        edits: &[edit(
            "op enq",
            "tail.next = e;\n\
             tail = e;\n\
             if fetch_add(size, 1) == 0 { must_wake_dequeuers = true; }",
            "if fetch_add(size, 1) == 0 { must_wake_dequeuers = true; }\n\
             tail.next = e;\n\
             tail = e;",
        )],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 9),
    },
    Mutant {
        name: "bounded_enq_room_not_tested",
        model: "bounded_queue",
        edits: &[edit("op enq", "while size == CAP { not_full.wait(enq_lock); }", "")],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Assertions, 13),
    },
    Mutant {
        name: "bounded_enq_waits_for_the_wrong_condition",
        model: "bounded_queue",
        edits: &[edit("op enq", "not_full.wait", "not_empty.wait")],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 32),
    },
    Mutant {
        name: "bounded_enq_lock_kept",
        model: "bounded_queue",
        edits: &[edit(
            "op enq",
            "enq_lock.unlock();\n\
             if",
            "if",
        )],
        bounds: "CAP: 1, threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 21),
    },
    Mutant {
        name: "bounded_enq_size_read_and_written",
        model: "bounded_queue",
        edits: &[edit(
            "op enq",
            "if fetch_add(size, 1) == 0 { must_wake_dequeuers = true; }",
            "let s = size;\n\
             size = s + 1;\n\
             if s == 0 { must_wake_dequeuers = true; }",
        )],
        bounds: "CAP: 2, threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 39),
    },
    Mutant {
        name: "bounded_enq_wakes_one",
        model: "bounded_queue",
        edits: &[edit("op enq", "not_empty.notify_all", "not_empty.notify_one")],
        bounds: "CAP: 2, client: schedules, threads: 3..3, steps: 4..4, nodes: 4, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 39),
    },
];
