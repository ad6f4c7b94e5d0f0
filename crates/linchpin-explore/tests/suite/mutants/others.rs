//! Registers, indicators and helping: RDCSS, SNZI, the register of bits.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "register_write_clears_upwards",
        model: "register_k",
        edits: &[edit("op write", "(0..v).rev()", "0..v")],
        bounds: "K: 3, threads: 2",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "register_read_stays_up",
        model: "register_k",
        edits: &[edit("op read", "if bit[i] { v = i; }", "")],
        bounds: "K: 3, threads: 2",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "register_write_clears_first",
        model: "register_k",
        edits: &[edit(
            "op write",
            "bit[v] = true;\n\
             for i in (0..v).rev() { bit[i] = false; }",
            "for i in (0..v).rev() { bit[i] = false; }\n\
             bit[v] = true;",
        )],
        bounds: "K: 3, threads: 2",
        fate: Fate::Violates(Property::Assertions, 4),
    },
    Mutant {
        name: "register_write_clears_its_own_bit",
        model: "register_k",
        edits: &[edit("op write", "(0..v).rev()", "(0..=v).rev()")],
        bounds: "K: 3, threads: 2",
        fate: Fate::Violates(Property::Assertions, 5),
    },
    Mutant {
        name: "register_write_clears_too_few",
        model: "register_k",
        edits: &[edit("op write", "(0..v).rev()", "(1..v).rev()")],
        bounds: "K: 3, threads: 2",
        fate: Fate::Violates(Property::Linearizable, 2),
    },
    Mutant {
        name: "register_two_writers",
        model: "register_k",
        edits: &[edit("role writer", "role writer: 1", "role writer: 2")],
        bounds: "K: 3, threads: 3",
        fate: Fate::Violates(Property::Linearizable, 9),
    },
    Mutant {
        name: "rdcss_complete_control_not_read",
        model: "rdcss",
        edits: &[edit("fn complete", "if c == d.o1 {", "if true {")],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "rdcss_complete_outcomes_exchanged",
        model: "rdcss",
        edits: &[edit("fn complete", "if c == d.o1 {", "if c != d.o1 {")],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "rdcss_complete_cell_written",
        model: "rdcss",
        edits: &[edit(
            "fn complete",
            "cas(cell, Cell { desc: d }, Cell { val: d.n2 });",
            "cell = Cell { val: d.n2 };",
        )],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::Violates(Property::Linearizable, 8),
    },
    Mutant {
        name: "rdcss_control_read_before_the_descriptor",
        model: "rdcss",
        edits: &[
            edit(
                "op rdcss",
                "let d = new",
                "let early = control;\n\
             let d = new",
            ),
            edit(
                "op rdcss",
                "if r.val == o2 { complete(d); }",
                "if r.val == o2 {\n\
             if early == o1 {\n\
             cas(cell, Cell { desc: d }, Cell { val: n2 });\n\
             } else {\n\
             cas(cell, Cell { desc: d }, Cell { val: o2 });\n\
             }\n\
             }",
            ),
        ],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
    Mutant {
        name: "rdcss_descriptor_left_behind",
        model: "rdcss",
        edits: &[edit("op rdcss", "if r.val == o2 { complete(d); }", "")],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
    Mutant {
        name: "rdcss_point_certain",
        model: "rdcss",
        edits: &[edit("fn complete", "lin maybe of", "lin of")],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::RefutesPoints(4),
    },
    Mutant {
        name: "rdcss_read_takes_the_descriptor_for_its_old_value",
        model: "rdcss",
        edits: &[edit(
            "op read",
            "lin if r.desc == null;\n\
             if r.desc == null { return r.val; }\n\
             complete(r.desc);",
            "if r.desc == null { return r.val; }\n\
             return r.desc.o2;",
        )],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
    Mutant {
        name: "rdcss_read_takes_the_descriptor_for_its_new_value",
        model: "rdcss",
        edits: &[edit(
            "op read",
            "lin if r.desc == null;\n\
             if r.desc == null { return r.val; }\n\
             complete(r.desc);",
            "if r.desc == null { return r.val; }\n\
             return r.desc.n2;",
        )],
        bounds: "V: 2, threads: 2, nodes: 2",
        fate: Fate::Violates(Property::Linearizable, 2),
    },
    Mutant {
        name: "snzi_root_depart_version_not_read_again",
        model: "snzi",
        edits: &[edit("fn root_depart", "if root.version != x.version { return; }\n", "")],
        bounds: "LEAVES: 1, threads: 2, nodes: 1, ints: 4",
        fate: Fate::Violates(Property::Linearizable, 21),
    },
    Mutant {
        name: "snzi_root_arrive_not_announced",
        model: "snzi",
        edits: &[edit("fn root_arrive", "indicator = true;\n", "")],
        bounds: "LEAVES: 1, threads: 2, nodes: 1, ints: 4",
        fate: Fate::Violates(Property::Linearizable, 7),
    },
    Mutant {
        name: "snzi_arrive_not_undone",
        model: "snzi",
        edits: &[edit("fn arrive_at", "undo += 1;", "")],
        bounds: "LEAVES: 1, threads: 2, nodes: 1, ints: 4",
        fate: Fate::Violates(Property::Linearizable, 20),
    },
    Mutant {
        name: "snzi_arrive_parent_not_told_first",
        model: "snzi",
        edits: &[edit("fn arrive_at", "half_count: 1, version", "half_count: 2, version")],
        bounds: "LEAVES: 1, threads: 2, nodes: 1, ints: 4",
        fate: Fate::Violates(Property::Linearizable, 3),
    },
    Mutant {
        name: "snzi_root_arrive_announced_by_the_first_alone",
        model: "snzi",
        edits: &[edit(
            "fn root_arrive",
            "count: x.count + 1, announce: x.announce",
            "count: x.count + 1, announce: false",
        )],
        bounds: "LEAVES: 1, threads: 2, nodes: 1, ints: 4",
        fate: Fate::Violates(Property::Linearizable, 9),
    },
    Mutant {
        name: "snzi_depart_parent_told_too_early",
        model: "snzi",
        edits: &[edit("fn depart_from", "x.half_count == 2 {", "x.half_count >= 2 {")],
        bounds: "LEAVES: 1, threads: 2, nodes: 1, ints: 4",
        fate: Fate::Violates(Property::Assertions, 16),
    },
];
