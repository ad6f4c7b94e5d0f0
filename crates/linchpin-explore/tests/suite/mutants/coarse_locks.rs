//! Objects with coarse locks, in the two ways to manage memory: stacks, queues, priority queues.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "coarse_stack_push_without_lock",
        model: "coarse_stack",
        edits: &[
            edit(
                "op push",
                "guard.lock();\n\
             lin;\n",
                "",
            ),
            edit("op push", "guard.unlock();\n", ""),
        ],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    Mutant {
        name: "coarse_stack_pop_lock_given_up_early",
        model: "coarse_stack",
        edits: &[
            edit("op pop", "defer guard.unlock();\n", ""),
            edit(
                "op pop",
                "let v = head.val;\n\
             head = head.next;\n",
                "let top = head;\n\
             guard.unlock();\n\
             let v = top.val;\n\
             head = top.next;\n",
            ),
            edit(
                "op pop",
                "if head == null { return none; }",
                "if head == null {\n\
             guard.unlock();\n\
             return none;\n\
             }",
            ),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 17),
    },
    Mutant {
        name: "coarse_stack_pop_lock_kept_when_empty",
        model: "coarse_stack",
        edits: &[
            edit("op pop", "defer guard.unlock();\n", ""),
            edit(
                "op pop",
                "return v;",
                "guard.unlock();\n\
             return v;",
            ),
        ],
        bounds: "threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 4),
    },
    // No other thread sees the stack before the lock is free again.
    Mutant {
        name: "coarse_stack_push_point_at_the_end",
        model: "coarse_stack",
        edits: &[
            edit(
                "op push",
                "guard.lock();\n\
             lin;",
                "guard.lock();",
            ),
            edit(
                "op push",
                "guard.unlock();",
                "guard.unlock();\n\
             lin;",
            ),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "coarse_stack_manual_freed_before_it_is_read",
        model: "coarse_stack_manual",
        edits: &[edit(
            "op pop",
            "let v = top.val;\n\
             head = top.next;\n\
             free(top);",
            "free(top);\n\
             let v = top.val;\n\
             head = top.next;",
        )],
        bounds: "threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 13),
    },
    Mutant {
        name: "coarse_stack_manual_not_freed",
        model: "coarse_stack_manual",
        edits: &[edit("op pop", "free(top);\n", "")],
        bounds: "threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 14),
    },
    Mutant {
        name: "coarse_stack_manual_top_read_before_locking",
        model: "coarse_stack_manual",
        edits: &[edit(
            "op pop",
            "guard.lock();\n\
             lin;\n\
             defer guard.unlock();\n\
             let top = head;",
            "let top = head;\n\
             guard.lock();\n\
             defer guard.unlock();",
        )],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 18),
    },
    Mutant {
        name: "coarse_queue_enq_without_lock",
        model: "coarse_queue",
        edits: &[
            edit(
                "op enq",
                "guard.lock();\n\
             lin;\n",
                "",
            ),
            edit("op enq", "guard.unlock();\n", ""),
        ],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 16),
    },
    Mutant {
        name: "coarse_queue_enq_tail_moved_first",
        model: "coarse_queue",
        edits: &[edit(
            "op enq",
            "tail.next = n;\n\
             tail = n;",
            "tail = n;\n\
             tail.next = n;",
        )],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 11),
    },
    Mutant {
        name: "coarse_queue_deq_value_of_the_dummy",
        model: "coarse_queue",
        edits: &[edit(
            "op deq",
            "head = first;\n\
             return first.val;",
            "let v = head.val;\n\
             head = first;\n\
             return v;",
        )],
        bounds: "threads: 1, nodes: 3, values: 2",
        fate: Fate::Violates(Property::MemorySafe, 13),
    },
    Mutant {
        name: "coarse_queue_manual_frees_the_new_dummy",
        model: "coarse_queue_manual",
        edits: &[edit("op deq", "free(dummy);", "free(first);")],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 15),
    },
    Mutant {
        name: "coarse_queue_manual_freed_twice",
        model: "coarse_queue_manual",
        edits: &[edit("op deq", "head = first;\n", "")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 18),
    },
    Mutant {
        name: "two_lock_gc_enq_without_lock",
        model: "two_lock_queue_gc",
        edits: &[edit("op enq", "tail_lock.lock();\n", ""), edit("op enq", "tail_lock.unlock();\n", "")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 16),
    },
    Mutant {
        name: "two_lock_gc_deq_without_lock",
        model: "two_lock_queue_gc",
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
             return v;",
                "return v;",
            ),
        ],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 12),
    },
    Mutant {
        name: "two_lock_gc_enq_point_at_the_tail",
        model: "two_lock_queue_gc",
        edits: &[
            edit(
                "op enq",
                "lin;                                 // a dequeuer can see it from here on, whatever `tail` says\n",
                "",
            ),
            edit(
                "op enq",
                "tail = node;\n",
                "tail = node;\n\
             lin;\n",
            ),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::RefutesPoints(10),
    },
    Mutant {
        name: "coarse_buckets_remove_from_above",
        model: "coarse_pqueue_buckets",
        edits: &[edit("op remove_min", "for i in 0..N", "for i in (0..N).rev()")],
        bounds: "threads: 1, nodes: 2, values: 2",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    Mutant {
        name: "coarse_buckets_remove_without_lock",
        model: "coarse_pqueue_buckets",
        edits: &[edit(
            "op remove_min",
            "guard.lock();\n\
             lin;\n\
             defer guard.unlock();\n",
            "",
        )],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 9),
    },
    Mutant {
        name: "coarse_plist_add_least_last",
        model: "coarse_pqueue_list",
        edits: &[edit("op add", "curr.priority < priority", "curr.priority > priority")],
        bounds: "threads: 1, nodes: 3, values: 2, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 16),
    },
    // Among equals any may be the first.
    Mutant {
        name: "coarse_plist_add_behind_equals",
        model: "coarse_pqueue_list",
        edits: &[edit("op add", "curr.priority < priority", "curr.priority <= priority")],
        bounds: "threads: 2, nodes: 3, values: 2, keys: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "coarse_plist_add_without_lock",
        model: "coarse_pqueue_list",
        edits: &[
            edit(
                "op add",
                "guard.lock();\n\
             lin;\n",
                "",
            ),
            edit("op add", "guard.unlock();\n", ""),
        ],
        bounds: "threads: 2, nodes: 3, values: 1, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    Mutant {
        name: "bucket_locks_remove_gives_locks_up",
        model: "bucket_lock_pqueue",
        edits: &[
            edit(
                "op remove_min",
                "locked += 1;",
                "bucket[locked].lock.unlock();\n\
             locked += 1;",
            ),
            edit("op remove_min", "for i in (0..locked).rev() { bucket[i].lock.unlock(); }\n", ""),
        ],
        bounds: "threads: 2, nodes: 2, values: 2",
        fate: Fate::Violates(Property::Linearizable, 18),
    },
    Mutant {
        name: "bucket_locks_add_without_lock",
        model: "bucket_lock_pqueue",
        edits: &[
            edit("op add", "bucket[priority].lock.lock();\n", ""),
            edit("op add", "bucket[priority].lock.unlock();\n", ""),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 16),
    },
    Mutant {
        name: "bucket_locks_add_takes_them_from_above",
        model: "bucket_lock_pqueue",
        edits: &[
            edit(
                "op add",
                "bucket[priority].lock.lock();\n",
                "for i in (priority..N).rev() { bucket[i].lock.lock(); }\n",
            ),
            edit(
                "op add",
                "bucket[priority].lock.unlock();\n",
                "for i in priority..N { bucket[i].lock.unlock(); }\n",
            ),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 5),
    },
    Mutant {
        name: "bucket_locks_remove_point_at_the_first_bucket",
        model: "bucket_lock_pqueue",
        edits: &[edit("op remove_min", "lin if top != null || locked == N - 1;", "lin if locked == 0;")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::RefutesPoints(13),
    },
];
