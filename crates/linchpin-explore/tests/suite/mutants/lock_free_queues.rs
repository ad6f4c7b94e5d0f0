//! Queues without locks: a tail that lags, a dummy that moves, ages that must survive reuse, an array.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "ms_queue_enq_link_cas_always_succeeds",
        model: "ms_queue",
        edits: &[edit(
            "op enq",
            "if cas(t.next, next, n) {",
            "t.next = n;\n\
             {",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 19),
    },
    Mutant {
        name: "ms_queue_enq_next_not_tested",
        model: "ms_queue",
        edits: &[edit("op enq", "if next == null {", "if true {")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 19),
    },
    Mutant {
        name: "ms_queue_enq_tail_moved_before_linking",
        model: "ms_queue",
        edits: &[edit(
            "op enq",
            "if cas(t.next, next, n) {\n\
             lin;\n\
             cas(tail, t, n);",
            "cas(tail, t, n);\n\
             if cas(t.next, next, n) {\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 8),
    },
    Mutant {
        name: "ms_queue_enq_tail_written",
        model: "ms_queue",
        edits: &[edit("op enq", "cas(tail, t, n);", "tail = n;")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 28),
    },
    Mutant {
        name: "ms_queue_deq_head_written",
        model: "ms_queue",
        edits: &[edit("op deq", "if cas(head, h, next) { lin; return v; }", "head = next; lin; return v;")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    Mutant {
        name: "ms_queue_deq_tail_read_before_head",
        model: "ms_queue",
        edits: &[edit(
            "op deq",
            "let h = head;\n\
             let t = tail;",
            "let t = tail;\n\
             let h = head;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 14),
    },
    Mutant {
        name: "ms_queue_deq_value_of_the_dummy",
        model: "ms_queue",
        edits: &[edit("op deq", "let v = next.val;", "let v = h.val;")],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 10),
    },
    // The object survives: an enqueue then takes effect when `tail` moves, and none returns before that.
    Mutant {
        name: "ms_queue_deq_lagging_tail_taken_for_empty",
        model: "ms_queue",
        edits: &[edit(
            "op deq",
            "if next == null { return none; }\n\
             cas(tail, t, next);",
            "return none;",
        )],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::RefutesPoints(8),
    },
    Mutant {
        name: "ms_queue_enq_point_at_the_tail",
        model: "ms_queue",
        edits: &[edit(
            "op enq",
            "lin;\n\
             cas(tail, t, n);",
            "cas(tail, t, n);\n\
             lin;",
        )],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::RefutesPoints(14),
    },
    Mutant {
        name: "ms_queue_deq_empty_point_for_sure",
        model: "ms_queue",
        edits: &[edit("op deq", "lin maybe if", "lin if")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::RefutesPoints(17),
    },
    // The second look at `tail` guards against nodes that are used again. A collected node whose `next` is
    // null is the last one, whatever `tail` says, and the cas makes sure that it still is.
    Mutant {
        name: "ms_queue_enq_tail_not_read_again",
        model: "ms_queue",
        edits: &[edit("op enq", "if t == tail {", "if true {")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    // A collected head whose `next` is null was the head at that read: `head` leaves a node only for its
    // `next`. In the other case the cas on `head` decides.
    Mutant {
        name: "ms_queue_deq_head_not_read_again",
        model: "ms_queue",
        edits: &[edit("op deq", "if h == head {", "if true {")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    // `tail` lags by more than one node then, and the next operation that minds moves it on.
    Mutant {
        name: "ms_queue_enq_tail_left_behind",
        model: "ms_queue",
        edits: &[edit("op enq", "cas(tail, t, n);\n", "")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    // Nothing is read through `tail` but the way to the last node, and a dequeued node still leads there.
    Mutant {
        name: "ms_queue_deq_overtakes_the_tail",
        model: "ms_queue",
        edits: &[edit(
            "op deq",
            "if h == t {\n\
             if next == null { return none; }\n\
             cas(tail, t, next);\n\
             } else {",
            "if next == null { return none; } else {",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    // `tail` may be thrown back, but never out of the chain that leads to the last node, and a dequeuer that
    // meets it only moves it on. (In `ms_queue` it is compared with `head`: `ms_queue_enq_tail_written`.)
    Mutant {
        name: "lock_free_queue_enq_linked_by_a_write",
        model: "lock_free_queue",
        edits: &[edit(
            "op enq",
            "if cas(last.next, next, node) {",
            "last.next = node;\n\
             {",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 19),
    },
    Mutant {
        name: "lock_free_queue_deq_head_written",
        model: "lock_free_queue",
        edits: &[edit(
            "op deq",
            "if cas(head, first, next) { lin; return value; }",
            "head = next;\n\
             lin;\n\
             return value;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    // A lagging tail means that an `enq` has not returned yet: it may as well come later.
    Mutant {
        name: "lock_free_queue_deq_lagging_tail_taken_for_empty",
        model: "lock_free_queue",
        edits: &[edit(
            "op deq",
            "if next == null { return none; }\n\
             cas(tail, last, next);",
            "return none;",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::RefutesPoints(8),
    },
    Mutant {
        name: "dglm_queue_enq_tail_written",
        model: "dglm_queue",
        edits: &[edit("op enq", "cas(tail, t, n);", "tail = n;")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    // Enqueuers find their way from any node that was in the queue.
    Mutant {
        name: "dglm_queue_deq_tail_not_repaired",
        model: "dglm_queue",
        edits: &[edit(
            "op deq",
            "let t = tail;\n\
             if h == t { cas(tail, t, next); }\n",
            "",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "dglm_queue_deq_cas_always_succeeds",
        model: "dglm_queue",
        edits: &[edit(
            "op deq",
            "if cas(head, h, next) {",
            "head = next;\n\
             {",
        )],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    Mutant {
        name: "dglm_queue_deq_empty_not_tested",
        model: "dglm_queue",
        edits: &[edit("op deq", "if next == null { return none; }", "")],
        bounds: "threads: 1, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 3),
    },
    Mutant {
        name: "dglm_queue_enq_lag_helped_past_the_end",
        model: "dglm_queue",
        edits: &[edit("op enq", "cas(tail, t, next);", "tail = next.next;")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 11),
    },
    // `head` never comes back to a node that is held, so if it is `h` before and after, it was `h` in
    // between.
    Mutant {
        name: "dglm_queue_deq_next_read_through_head",
        model: "dglm_queue",
        edits: &[edit("op deq", "let next = h.next;", "let next = head.next;")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "ms_queue_tagged_head_age_not_stepped",
        model: "ms_queue_tagged",
        edits: &[edit("op deq", "age: h.age + 1", "age: h.age")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 39),
    },
    Mutant {
        name: "ms_queue_tagged_deq_head_not_read_again",
        model: "ms_queue_tagged",
        edits: &[edit("op deq", "if h == head {", "if true {")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 36),
    },
    Mutant {
        name: "ms_queue_tagged_enq_tail_not_read_again",
        model: "ms_queue_tagged",
        edits: &[edit("op enq", "if t == tail {", "if true {")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 31),
    },
    Mutant {
        name: "ms_queue_tagged_link_age_not_stepped",
        model: "ms_queue_tagged",
        edits: &[edit("op enq", "age: next.age + 1", "age: next.age")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 33),
    },
    Mutant {
        name: "ms_queue_tagged_next_cleared_with_its_age",
        model: "ms_queue_tagged",
        edits: &[edit("op enq", "n.next.ptr = null;", "n.next = Link {};")],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::Linearizable, 33),
    },
    Mutant {
        name: "ms_queue_tagged_next_not_cleared",
        model: "ms_queue_tagged",
        edits: &[edit("op enq", "n.next.ptr = null;", "")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 42),
    },
    Mutant {
        name: "ms_queue_tagged_deq_value_read_after_the_cas",
        model: "ms_queue_tagged",
        edits: &[
            edit("op deq", "let v = next.ptr.val;", "let v0 = next.ptr.val;"),
            edit(
                "op deq",
                "free(h.ptr);\n\
             return v;",
                "free(h.ptr);\n\
             return next.ptr.val;",
            ),
        ],
        bounds: "threads: 2, nodes: 2, values: 2",
        fate: Fate::Violates(Property::Linearizable, 37),
    },
    Mutant {
        name: "ms_queue_tagged_deq_frees_the_new_dummy",
        model: "ms_queue_tagged",
        edits: &[edit("op deq", "free(h.ptr);", "free(next.ptr);")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 15),
    },
    Mutant {
        name: "ms_queue_tagged_deq_frees_before_the_cas",
        model: "ms_queue_tagged",
        edits: &[
            edit(
                "op deq",
                "if cas(head, h, Link",
                "free(h.ptr);\n\
             if cas(head, h, Link",
            ),
            edit(
                "op deq",
                "lin;\n\
             free(h.ptr);",
                "lin;",
            ),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 21),
    },
    Mutant {
        name: "ms_queue_tagged_tail_age_not_stepped",
        model: "ms_queue_tagged",
        edits: &[
            edit("op enq", "Link { ptr: n, age: t.age + 1 }", "Link { ptr: n, age: t.age }"),
            edit("op enq", "Link { ptr: next.ptr, age: t.age + 1 }", "Link { ptr: next.ptr, age: t.age }"),
            edit("op deq", "age: t.age + 1", "age: t.age"),
        ],
        bounds: "threads: 2, nodes: 3, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 41),
    },
    Mutant {
        name: "herlihy_wing_deq_read_and_cleared",
        model: "herlihy_wing_queue",
        edits: &[edit(
            "op deq",
            "let x = swap(items[i], none);",
            "let x = items[i];\n\
             if x != none { items[i] = none; }",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..3, preadds: 0..1, values: 1",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "herlihy_wing_deq_back_read_once",
        model: "herlihy_wing_queue",
        edits: &[edit(
            "op deq",
            "loop {\n\
             let range = back;",
            "let range = back;\n\
             loop {",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..3, values: 1",
        fate: Fate::Violates(Property::Assertions, 1),
    },
    Mutant {
        name: "herlihy_wing_deq_goes_down",
        model: "herlihy_wing_queue",
        edits: &[edit("op deq", "0..range {", "(0..range).rev() {")],
        bounds: "client: schedules, threads: 1..1, steps: 3..3, values: 2",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
];
