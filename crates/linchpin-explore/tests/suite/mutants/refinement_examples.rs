//! The examples of PAT that are not elsewhere: the mailbox, the list-based set, the queue in an array.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "mailbox_deliver_change_not_looked_for",
        model: "mailbox",
        edits: &[edit("op deliver", "if removed == his {", "if true {")],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 20),
    },
    Mutant {
        name: "mailbox_remove_change_not_looked_for",
        model: "mailbox",
        edits: &[edit("op remove", "if delivered == his {", "if true {")],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 21),
    },
    Mutant {
        name: "mailbox_deliver_flag_before_the_count",
        model: "mailbox",
        edits: &[
            edit(
                "op deliver",
                "delivered = Info { count: count + 1, stamp };\n",
                "postman_flag = Flag { some: count + 1 > his.count, stamp };\n\
             delivered = Info { count: count + 1, stamp };\n",
            ),
            edit(
                "op deliver",
                "if removed == his {\n\
             postman_flag = Flag { some: count + 1 > his.count, stamp };\n",
                "if removed == his {\n",
            ),
        ],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 33),
    },
    Mutant {
        name: "mailbox_deliver_stamp_not_later_than_the_count",
        model: "mailbox",
        edits: &[edit(
            "op deliver",
            "later_than(his.stamp, owner_flag.stamp)",
            "later_than(owner_flag.stamp, owner_flag.stamp)",
        )],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 24),
    },
    Mutant {
        name: "mailbox_remove_stamp_not_later_than_the_flag",
        model: "mailbox",
        edits: &[edit(
            "op remove",
            "later_than(his.stamp, postman_flag.stamp)",
            "later_than(his.stamp, his.stamp)",
        )],
        bounds: "LETTERS: 5, threads: 2",
        fate: Fate::Violates(Property::Linearizable, 30),
    },
    Mutant {
        name: "mailbox_no_stamp_later_than_two",
        model: "mailbox",
        edits: &[edit(
            "fn later(",
            "return d == 1 || d == 2 || d == 4;",
            "return d == 1 || d == 2 || d == 3;",
        )],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Assertions, 23),
    },
    Mutant {
        name: "mailbox_check_believes_the_postman",
        model: "mailbox",
        edits: &[edit(
            "op check",
            "if later(p.stamp, o.stamp) { allowed = p.some; } else { allowed = o.some; }",
            "allowed = p.some;",
        )],
        bounds: "threads: 2",
        fate: Fate::Violates(Property::Linearizable, 16),
    },
    Mutant {
        name: "vechev_yahav_remove_without_mark",
        model: "vechev_yahav_set",
        edits: &[edit("op remove", "mark: true", "mark: succ.mark")],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 10),
    },
    Mutant {
        name: "vechev_yahav_remove_marked_is_removed",
        model: "vechev_yahav_set",
        edits: &[edit(
            "op remove",
            "if cas(w.pred.next, Link { ptr: w.curr }, Link { ptr: succ.ptr }) { return true; }",
            "cas(w.pred.next, Link { ptr: w.curr }, Link { ptr: succ.ptr });\n\
             return true;",
        )],
        bounds: "threads: 2, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 10),
    },
    Mutant {
        name: "vechev_yahav_add_written",
        model: "vechev_yahav_set",
        edits: &[edit(
            "op add",
            "if cas(w.pred.next, Link { ptr: w.curr }, Link { ptr: node }) { return true; }",
            "w.pred.next = Link { ptr: node };\n\
             return true;",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "vechev_yahav_contains_respects_marks",
        model: "vechev_yahav_set",
        edits: &[edit(
            "op contains",
            "return w.curr.key == k;",
            "return w.curr.key == k && !w.curr.next.mark;",
        )],
        bounds: "threads: 2, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "shann_enq_looks_at_the_slot_first",
        model: "shann_queue_repaired",
        edits: &[
            edit(
                "op enq",
                "let r = rear;\n",
                "let r = rear;\n\
             let slot = slots[r.at % SIZE];\n\
             let x = slot.item;\n",
            ),
            edit(
                "op enq",
                "continue;\n\
             }\n\
             let slot = slots[r.at % SIZE];\n\
             let x = slot.item;\n",
                "continue;\n\
             }\n",
            ),
        ],
        bounds: "SIZE: 2, threads: 2, nodes: 2, values: 2",
        fate: Fate::Violates(Property::Linearizable, 31),
    },
    Mutant {
        name: "shann_deq_looks_at_the_slot_first",
        model: "shann_queue_repaired",
        edits: &[
            edit(
                "op deq",
                "let f = front;\n",
                "let f = front;\n\
             let slot = slots[f.at % SIZE];\n\
             let x = slot.item;\n",
            ),
            edit(
                "op deq",
                "continue;\n\
             }\n\
             let slot = slots[f.at % SIZE];\n\
             let x = slot.item;\n",
                "continue;\n\
             }\n",
            ),
        ],
        bounds: "SIZE: 2, threads: 2, nodes: 2, values: 2",
        fate: Fate::Violates(Property::Linearizable, 19),
    },
    Mutant {
        name: "shann_enq_full_not_looked_at_again",
        model: "shann_queue_repaired",
        edits: &[edit(
            "op enq",
            "if r == rear { return false; }\n\
             continue;",
            "return false;",
        )],
        bounds: "SIZE: 2, threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 26),
    },
    Mutant {
        name: "shann_deq_empty_not_looked_at_again",
        model: "shann_queue_repaired",
        edits: &[edit(
            "op deq",
            "if f == front { return none; }\n\
             continue;",
            "return none;",
        )],
        bounds: "SIZE: 2, threads: 2, nodes: 2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 38),
    },
    Mutant {
        name: "shann_enq_rear_not_looked_at_again",
        model: "shann_queue_repaired",
        edits: &[edit("op enq", "if r != rear { continue; }\n", "")],
        bounds: "SIZE: 1, threads: 2, nodes: 1, values: 2",
        fate: Fate::Violates(Property::Linearizable, 19),
    },
    Mutant {
        name: "shann_deq_front_not_moved",
        model: "shann_queue_repaired",
        edits: &[edit(
            "op deq",
            "cas(front, f, next(f));\n\
             return",
            "return",
        )],
        bounds: "SIZE: 1, threads: 1, nodes: 1, values: 1",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
];
