//! List-based sets without locks: marks, windows, hazard pointers.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "lock_free_remove_forgets_the_mark",
        model: "lock_free_list",
        edits: &[edit(
            "op remove",
            "compare_and_set(succ, succ, false, true)",
            "compare_and_set(succ, succ, false, false)",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 13),
    },
    Mutant {
        name: "lock_free_remove_failed_mark_ignored",
        model: "lock_free_list",
        edits: &[edit("op remove", "if !snip { continue; }\n", "")],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 13),
    },
    Mutant {
        name: "lock_free_contains_mark_not_tested",
        model: "lock_free_list",
        edits: &[edit("op contains", " && !curr.next.mark", "")],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 13),
    },
    // The window is stale then: a cas on it fails, and an answer without a cas is one that
    // `contains` may give, too.
    Mutant {
        name: "lock_free_find_failed_snip_ignored",
        model: "lock_free_list",
        edits: &[edit("fn find", "if !snip { continue 'retry; }\n", "")],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "lock_free_find_marked_node_taken",
        model: "lock_free_list",
        edits: &[edit(
            "fn find",
            "while succ.mark {\n\
             let snip = pred.next.compare_and_set(curr, succ.val, false, false);\n\
             if !snip { continue 'retry; }\n\
             curr = succ.val;\n\
             succ = curr.next;\n\
             }\n",
            "",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 11),
    },
    Mutant {
        name: "lock_free_add_written",
        model: "lock_free_list",
        edits: &[edit(
            "op add",
            "if w.pred.next.compare_and_set(w.curr, node, false, false) { lin; return true; }",
            "w.pred.next = Marked { val: node, mark: false };\n\
             return true;",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 6),
    },
    // The mark is the removal; the next `find` unlinks.
    Mutant {
        name: "lock_free_remove_unlink_left_to_others",
        model: "lock_free_list",
        edits: &[edit("op remove", "w.pred.next.compare_and_set(w.curr, succ, false, false);\n", "")],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "lock_free_remove_unlink_written",
        model: "lock_free_list",
        edits: &[edit(
            "op remove",
            "w.pred.next.compare_and_set(w.curr, succ, false, false);\n",
            "w.pred.next = Marked { val: succ, mark: false };\n",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    Mutant {
        name: "michael_hp_find_link_not_validated",
        model: "michael_list_hp",
        edits: &[edit(
            "fn find",
            "if pred.next != (Link { ptr: curr, mark: false }) { continue 'retry; }\n",
            "",
        )],
        bounds: "threads: 2, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::MemorySafe, 44),
    },
    Mutant {
        name: "michael_hp_find_hazard_published_too_late",
        model: "michael_list_hp",
        edits: &[edit(
            "fn find",
            "hazard[me][0] = curr;\n\
             if pred.next != (Link { ptr: curr, mark: false }) { continue 'retry; }\n\
             let next = curr.next;",
            "if pred.next != (Link { ptr: curr, mark: false }) { continue 'retry; }\n\
             let next = curr.next;\n\
             hazard[me][0] = curr;",
        )],
        bounds: "threads: 2, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::MemorySafe, 46),
    },
    Mutant {
        name: "michael_hp_retire_frees_at_once",
        model: "michael_list_hp",
        edits: &[edit(
            "fn retire",
            "if seen.contains(q) { kept.push_back(q); } else { free(q); }",
            "free(q);",
        )],
        bounds: "threads: 2, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::MemorySafe, 25),
    },
    Mutant {
        name: "michael_hp_remove_frees_at_once",
        model: "michael_list_hp",
        edits: &[edit("op remove", "retire(w.curr);", "free(w.curr);")],
        bounds: "threads: 2, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::MemorySafe, 21),
    },
    Mutant {
        name: "michael_hp_remove_not_retired",
        model: "michael_list_hp",
        edits: &[edit("op remove", "retire(w.curr);", "")],
        bounds: "threads: 1, nodes: 2, keys: 1",
        fate: Fate::Violates(Property::MemorySafe, 17),
    },
    Mutant {
        name: "michael_hp_add_new_node_not_freed",
        model: "michael_list_hp",
        edits: &[edit("op add", "free(n);\n", "")],
        bounds: "threads: 1, nodes: 3, keys: 1",
        fate: Fate::Violates(Property::MemorySafe, 18),
    },
    // Hazards that stay published until the next call keep nodes from being freed, and no more than that: a
    // retired node is still held by the thread that will free it.
    Mutant {
        name: "michael_hp_clear_before_it_is_done",
        model: "michael_list_hp",
        edits: &[edit(
            "op contains",
            "defer clear();\n\
             return find(k).found;",
            "clear();\n\
             return find(k).found;",
        )],
        bounds: "threads: 2, nodes: 3, keys: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "harris_add_written",
        model: "harris_list",
        edits: &[edit(
            "op add",
            "if cas(w.left.next, Link { ptr: w.right }, Link { ptr: node }) { return true; }",
            "w.left.next = Link { ptr: node };\n\
             return true;",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 4),
    },
    Mutant {
        name: "harris_remove_mark_of_another_taken_for_its_own",
        model: "harris_list",
        edits: &[edit(
            "op remove",
            "if !next.mark && cas(w.right.next, next, Link { ptr: next.ptr, mark: true }) {",
            "if cas(w.right.next, next, Link { ptr: next.ptr, mark: true }) {",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    Mutant {
        name: "harris_search_chain_cut_too_late",
        model: "harris_list",
        edits: &[edit(
            "fn search",
            "node = next.ptr;\n\
             if node == tail { break; }\n\
             next = node.next;\n\
             if !next.mark && node.key >= k { break; }",
            "node = next.ptr;\n\
             if node == tail { break; }\n\
             next = node.next;\n\
             left_next = next.ptr;\n\
             if !next.mark && node.key >= k { break; }",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 12),
    },
    // The mark is the removal; later walks unlink the node.
    Mutant {
        name: "harris_remove_unlink_left_to_others",
        model: "harris_list",
        edits: &[edit(
            "op remove",
            "if !cas(w.left.next, Link { ptr: w.right }, next) { search(w.right.key); }\n",
            "",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Holds,
    },
    Mutant {
        name: "michael_remove_failed_mark_ignored",
        model: "michael_list",
        edits: &[edit(
            "op remove",
            "if !cas(w.curr.next, Link { ptr: w.next }, Link { ptr: w.next, mark: true }) { continue; }",
            "cas(w.curr.next, Link { ptr: w.next }, Link { ptr: w.next, mark: true });",
        )],
        bounds: "threads: 2, nodes: 4, keys: 1",
        fate: Fate::Violates(Property::Linearizable, 13),
    },
    Mutant {
        name: "michael_find_unlinks_what_is_not_marked",
        model: "michael_list",
        edits: &[edit("fn find", "if next.mark {", "if next.mark || curr.key < k {")],
        bounds: "threads: 1, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 7),
    },
    // Under garbage collection a node is not used again: the second look at the link is for hazard pointers.
    Mutant {
        name: "michael_find_link_not_validated",
        model: "michael_list",
        edits: &[edit("fn find", "if pred.next != (Link { ptr: curr }) { continue 'retry; }\n", "")],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "dcas_remove_one_word",
        model: "vechev_yahav_set_dcas",
        edits: &[edit(
            "op remove",
            "dcas(w.pred.next, w.curr.next, w.curr, next, next, null)",
            "cas(w.pred.next, w.curr, next)",
        )],
        bounds: "threads: 2, nodes: 4, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    Mutant {
        name: "dcas_remove_null_written_first",
        model: "vechev_yahav_set_dcas",
        edits: &[edit(
            "op remove",
            "if next != null && dcas(w.pred.next, w.curr.next, w.curr, next, next, null) { return true; }",
            "if next != null && cas(w.curr.next, next, null) {\n\
             cas(w.pred.next, w.curr, next);\n\
             return true;\n\
             }",
        )],
        bounds: "threads: 2, nodes: 5, keys: 2",
        fate: Fate::Violates(Property::Linearizable, 15),
    },
    // A node that was unlinked has no successor: the first read saw that `pred` was in the list.
    Mutant {
        name: "dcas_locate_link_read_once",
        model: "vechev_yahav_set_dcas",
        edits: &[edit("fn locate", "if curr != null && curr == pred.next {", "if curr != null {")],
        bounds: "threads: 2, nodes: 5, keys: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "unordered_add_before_it_enlists",
        model: "unordered_list_set",
        edits: &[edit(
            "op add",
            "enlist(node);\n\
             let added = is_absent_behind(node, v);",
            "let added = is_absent_behind(node, v);\n\
             enlist(node);",
        )],
        bounds: "threads: 1, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 10),
    },
    Mutant {
        name: "unordered_add_state_written",
        model: "unordered_list_set",
        edits: &[edit(
            "op add",
            "if !cas(node.state, State::Inserting, state) {\n\
             take_behind(node, v);\n\
             node.state = State::Dead;\n\
             }",
            "node.state = state;",
        )],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Violates(Property::Linearizable, 14),
    },
    // The node goes on saying "absent", which is true of all older ones.
    Mutant {
        name: "unordered_remove_own_node_left",
        model: "unordered_list_set",
        edits: &[edit("op remove", "node.state = State::Dead;\n", "")],
        bounds: "threads: 2, nodes: 4, values: 1",
        fate: Fate::Holds,
    },
];
