//! Stacks: compare-and-swap loops, ages, the exchanger of the elimination stack, and the counter with their
//! pattern.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "treiber_push_cas_always_succeeds",
        model: "treiber_stack",
        edits: &[edit("op push", "if cas(head, top, n) { lin; return; }", "head = n; lin; return;")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "treiber_pop_cas_always_succeeds",
        model: "treiber_stack",
        edits: &[edit("op pop", "if cas(head, top, next) { lin; return v; }", "head = next; lin; return v;")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "treiber_push_linked_after_it_is_published",
        model: "treiber_stack",
        edits: &[edit(
            "op push",
            "n.next = top;\n\
             if cas(head, top, n) { lin; return; }",
            "if cas(head, top, n) { lin; n.next = top; return; }",
        )],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 10),
    },
    Mutant {
        name: "treiber_pop_next_of_another_head",
        model: "treiber_stack",
        edits: &[edit("op pop", "let next = top.next;", "let next = head.next;")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 9),
    },
    Mutant {
        name: "treiber_pop_empty_not_tested",
        model: "treiber_stack",
        edits: &[edit("op pop", "if top == null { return none; }", "")],
        bounds: "threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 2),
    },
    Mutant {
        name: "treiber_pop_failed_cas_says_empty",
        model: "treiber_stack",
        edits: &[edit(
            "op pop",
            "if cas(head, top, next) { lin; return v; }",
            "if cas(head, top, next) { lin; return v; }\n\
             return none;",
        )],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 7),
    },
    Mutant {
        name: "treiber_pop_point_before_the_cas",
        model: "treiber_stack",
        edits: &[
            edit(
                "op pop",
                "let next = top.next;",
                "let next = top.next;\n\
             lin;",
            ),
            edit("op pop", "{ lin; return v; }", "{ return v; }"),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::RefutesPoints(7),
    },
    Mutant {
        name: "treiber_push_point_at_the_read",
        model: "treiber_stack",
        edits: &[
            edit(
                "op push",
                "let top = head;",
                "let top = head;\n\
             lin;",
            ),
            edit("op push", "{ lin; return; }", "{ return; }"),
        ],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::RefutesPoints(2),
    },
    Mutant {
        name: "treiber_pop_value_of_the_head_read_again",
        model: "treiber_stack",
        edits: &[edit("op pop", "let v = top.val;", "let v = head.val;")],
        bounds: "threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 9),
    },
    Mutant {
        name: "treiber_tagged_no_age_stepped",
        model: "treiber_stack_tagged",
        edits: &[
            edit("op push", "age: top.age + 1", "age: top.age"),
            edit("op pop", "age: top.age + 1", "age: top.age"),
        ],
        bounds: "threads: 2, nodes: 2, values: 2",
        fate: Fate::Violates(Property::Linearizable, 27),
    },
    // The head can come back to a pointer only through a pop: of that node, before it is pushed again, or
    // of the node above it. Every pop steps the age.
    Mutant {
        name: "treiber_tagged_push_age_not_stepped",
        model: "treiber_stack_tagged",
        edits: &[edit("op push", "age: top.age + 1", "age: top.age")],
        bounds: "threads: 2, nodes: 2, values: 2",
        fate: Fate::Holds,
    },
    // The head can come back to a pointer only through a push: of that node, after it was popped, or of a
    // node above it. Every push steps the age.
    Mutant {
        name: "treiber_tagged_pop_age_not_stepped",
        model: "treiber_stack_tagged",
        edits: &[edit("op pop", "age: top.age + 1", "age: top.age")],
        bounds: "threads: 2, nodes: 2, values: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "treiber_tagged_value_read_after_free",
        model: "treiber_stack_tagged",
        edits: &[edit(
            "op pop",
            "let v = top.ptr.val;         // no other thread frees it\n\
             free(top.ptr);",
            "free(top.ptr);\n\
             let v = top.ptr.val;",
        )],
        bounds: "threads: 2, nodes: 1, values: 2",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    Mutant {
        name: "treiber_tagged_freed_before_the_cas",
        model: "treiber_stack_tagged",
        edits: &[
            edit(
                "op pop",
                "let next = top.ptr.next;",
                "let next = top.ptr.next;\n\
             free(top.ptr);",
            ),
            edit(
                "op pop",
                "free(top.ptr);\n\
             return v;",
                "return v;",
            ),
        ],
        bounds: "threads: 2, nodes: 1, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 12),
    },
    Mutant {
        name: "treiber_tagged_freed_twice",
        model: "treiber_stack_tagged",
        edits: &[edit(
            "op pop",
            "free(top.ptr);",
            "free(top.ptr);\n\
             free(top.ptr);",
        )],
        bounds: "threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 12),
    },
    Mutant {
        name: "treiber_tagged_never_freed",
        model: "treiber_stack_tagged",
        edits: &[edit("op pop", "free(top.ptr);\n", "")],
        bounds: "threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::MemorySafe, 10),
    },
    // If the cell was given out again after the read, the age has moved on and the cas fails.
    Mutant {
        name: "treiber_tagged_value_read_before_the_cas",
        model: "treiber_stack_tagged",
        edits: &[
            edit(
                "op pop",
                "let next = top.ptr.next;",
                "let next = top.ptr.next;\n\
             let v = top.ptr.val;",
            ),
            edit("op pop", "let v = top.ptr.val;         // no other thread frees it\n", ""),
        ],
        bounds: "threads: 2, nodes: 2, values: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "elimination_push_meets_a_push",
        model: "elimination_stack",
        edits: &[edit("op push", "if other.ok && other.item == none { return; }", "if other.ok { return; }")],
        bounds: "client: schedules, threads: 3..3, steps: 4..4, preadds: 1..1, nodes: 5, values: 1",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    Mutant {
        name: "elimination_push_takes_a_timeout_for_a_pop",
        model: "elimination_stack",
        edits: &[edit(
            "op push",
            "if other.ok && other.item == none { return; }",
            "if other.item == none { return; }",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 3..3, preadds: 0..1, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "elimination_exchange_gives_its_own_item",
        model: "elimination_stack",
        edits: &[edit(
            "impl Exchanger",
            "return Swapped { ok: true, item: s.item };",
            "return Swapped { ok: true, item: mine };",
        )],
        bounds: "client: schedules, threads: 3..3, steps: 4..4, preadds: 1..1, nodes: 5, values: 1",
        fate: Fate::Violates(Property::Linearizable, 18),
    },
    Mutant {
        name: "elimination_exchange_withdrawal_written",
        model: "elimination_stack",
        edits: &[edit(
            "impl Exchanger",
            "if cas(self.slot, Slot { item: mine, state: State::Waiting }, Slot {}) {\n\
             return Swapped { ok: false };\n\
             }",
            "self.slot = Slot {};\n\
             return Swapped { ok: false };",
        )],
        bounds: "client: schedules, threads: 3..3, steps: 4..4, preadds: 1..1, nodes: 5, values: 1",
        fate: Fate::Violates(Property::Linearizable, 17),
    },
    Mutant {
        name: "counter_push_written",
        model: "counter",
        edits: &[edit(
            "op push",
            "if cas(h, ss, n) { lin; return; }",
            "h = n;\n\
             return;",
        )],
        bounds: "threads: 2, ints: 3",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
    Mutant {
        name: "counter_pop_returns_the_new_height",
        model: "counter",
        edits: &[edit("op pop", "return ss;", "return n;")],
        bounds: "threads: 2, ints: 3",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "counter_pop_zero_not_tested",
        model: "counter",
        edits: &[edit("op pop", "if ss == 0 { return 0; }\n", "")],
        bounds: "threads: 2, ints: 3",
        fate: Fate::Violates(Property::Assertions, 4),
    },
    Mutant {
        name: "counter_pop_zero_point_at_every_read",
        model: "counter",
        edits: &[edit("op pop", "lin if ss == 0;", "lin;")],
        bounds: "threads: 2, ints: 3",
        fate: Fate::RefutesPoints(4),
    },
];
