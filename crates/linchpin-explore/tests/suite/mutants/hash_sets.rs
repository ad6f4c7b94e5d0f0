//! Hash sets: tables that grow under their users, locks that grow with them, sentinels in a list that others
//! change.

use super::edit::edit;
use super::{Fate, Mutant};
use linchpin_ir::property::Property;

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "coarse_hash_add_without_lock",
        model: "coarse_hash_set",
        edits: &[edit(
            "op add",
            "guard.lock();\n\
             lin;\n\
             defer guard.unlock();\n",
            "",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 0..1, values: 2",
        fate: Fate::Violates(Property::Linearizable, 42),
    },
    Mutant {
        name: "coarse_hash_contains_without_lock",
        model: "coarse_hash_set",
        edits: &[edit(
            "op contains",
            "guard.lock();\n\
             lin;\n\
             defer guard.unlock();\n",
            "",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Violates(Property::MemorySafe, 36),
    },
    Mutant {
        name: "coarse_hash_add_finds_its_bucket_before_it_locks",
        model: "coarse_hash_set",
        edits: &[edit(
            "op add",
            "guard.lock();\n\
             lin;\n\
             defer guard.unlock();\n\
             let bucket = code(x) % table.len();",
            "let bucket = code(x) % table.len();\n\
             guard.lock();\n\
             lin;\n\
             defer guard.unlock();",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..3, preadds: 1..1, values: 3",
        fate: Fate::Violates(Property::Linearizable, 59),
    },
    Mutant {
        name: "coarse_hash_resize_without_lock",
        model: "coarse_hash_set",
        edits: &[edit(
            "fn resize",
            "guard.lock();\n\
             defer guard.unlock();\n",
            "",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 3",
        fate: Fate::Violates(Property::Linearizable, 40),
    },
    Mutant {
        name: "coarse_hash_add_resizes_inside_its_lock",
        model: "coarse_hash_set",
        edits: &[edit(
            "op add",
            "fetch_add(size, 1);\n",
            "fetch_add(size, 1);\n\
             if policy() { resize(); }\n",
        )],
        bounds: "client: schedules, threads: 1..1, steps: 2..2, values: 2",
        fate: Fate::Violates(Property::DeadlockFree, 28),
    },
    Mutant {
        name: "coarse_hash_resize_items_keep_their_buckets",
        model: "coarse_hash_set",
        edits: &[edit("fn resize", "table[code(x) % capacity].add(x);", "table[i].add(x);")],
        bounds: "client: schedules, threads: 1..1, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Violates(Property::Linearizable, 56),
    },
    Mutant {
        name: "coarse_hash_add_presence_not_tested",
        model: "coarse_hash_set",
        edits: &[edit("op add", "if !table[bucket].contains(x) {", "if true {")],
        bounds: "client: schedules, threads: 1..1, steps: 2..2, values: 1",
        fate: Fate::Violates(Property::Linearizable, 42),
    },
    // Two threads that both saw a full table double it twice, which does no harm.
    Mutant {
        name: "coarse_hash_resize_policy_not_asked_again",
        model: "coarse_hash_set",
        edits: &[edit(
            "fn resize",
            "if !policy() { return; }             // another thread has done it\n",
            "",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 0..1, values: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "striped_hash_resize_one_lock_alone",
        model: "striped_hash_set",
        edits: &[edit(
            "fn resize",
            "for i in 0..INITIAL { locks[i].lock(); }\n\
             defer for i in 0..INITIAL { locks[i].unlock(); }",
            "locks[0].lock();\n\
             defer locks[0].unlock();",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 3",
        fate: Fate::Violates(Property::MemorySafe, 37),
    },
    Mutant {
        name: "striped_hash_resize_locks_in_an_order_of_its_own",
        model: "striped_hash_set",
        edits: &[edit(
            "fn resize",
            "for i in 0..INITIAL { locks[i].lock(); }",
            "locks[1 - ord(me) % 2].lock();\n\
             locks[ord(me) % 2].lock();",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, values: 2",
        fate: Fate::Violates(Property::DeadlockFree, 28),
    },
    Mutant {
        name: "striped_hash_add_finds_its_bucket_before_it_locks",
        model: "striped_hash_set",
        edits: &[edit(
            "op add",
            "acquire(x);\n\
             lin;\n\
             defer release(x);\n\
             let bucket = code(x) % table.len();",
            "let bucket = code(x) % table.len();\n\
             acquire(x);\n\
             lin;\n\
             defer release(x);",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 3..3, values: 3",
        fate: Fate::Violates(Property::Linearizable, 65),
    },
    Mutant {
        name: "striped_hash_remove_without_lock",
        model: "striped_hash_set",
        edits: &[edit(
            "op remove",
            "acquire(x);\n\
             lin;\n\
             defer release(x);\n",
            "",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 1",
        fate: Fate::Violates(Property::Assertions, 24),
    },
    Mutant {
        name: "striped_hash_add_lock_kept",
        model: "striped_hash_set",
        edits: &[edit("op add", "defer release(x);\n", "")],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, values: 1",
        fate: Fate::Violates(Property::DeadlockFree, 13),
    },
    // The table has always a multiple of as many buckets as there are locks.
    Mutant {
        name: "striped_hash_stripe_of_the_bucket",
        model: "striped_hash_set",
        edits: &[edit("fn acquire", "code(x) % INITIAL", "code(x) % table.len() % INITIAL")],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 0..1, values: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "refinable_hash_locks_shown_before_they_are_there",
        model: "refinable_hash_set_patched",
        edits: &[edit(
            "fn resize",
            "let fresh: *[*ReentrantLock] = new [null; capacity];\n\
             for i in 0..capacity { fresh[i] = new ReentrantLock {}; }\n\
             locks = fresh;",
            "locks = new [null; capacity];\n\
             for i in 0..capacity { locks[i] = new ReentrantLock {}; }",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Violates(Property::MemorySafe, 59),
    },
    Mutant {
        name: "refinable_hash_acquire_owner_not_read_again",
        model: "refinable_hash_set_patched",
        edits: &[edit("fn acquire", "(!who.mark || who.val == me) && ", "")],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Violates(Property::MemorySafe, 60),
    },
    Mutant {
        name: "refinable_hash_acquire_locks_not_read_again",
        model: "refinable_hash_set_patched",
        edits: &[edit("fn acquire", "&& locks == old_locks {", "{")],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Violates(Property::Assertions, 80),
    },
    Mutant {
        name: "refinable_hash_resize_waits_for_no_thread",
        model: "refinable_hash_set_patched",
        edits: &[edit("fn resize", "quiesce();\n", "")],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Violates(Property::Linearizable, 62),
    },
    Mutant {
        name: "refinable_hash_resize_waits_before_it_says_so",
        model: "refinable_hash_set_patched",
        edits: &[
            edit("fn resize", "quiesce();\n", ""),
            edit("fn resize", "if owner.compare", "quiesce();\nif owner.compare"),
        ],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Violates(Property::Linearizable, 66),
    },
    // A thread that takes a lock while the table doubles notices that afterwards, and releases it.
    Mutant {
        name: "refinable_hash_acquire_does_not_wait_for_the_owner",
        model: "refinable_hash_set_patched",
        edits: &[edit("fn acquire", "while who.mark && who.val != me { who = owner; }\n", "")],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 2",
        fate: Fate::Holds,
    },
    Mutant {
        name: "split_ordered_delete_failed_mark_ignored",
        model: "lock_free_hash_set_text",
        edits: &[edit(
            "fn delete",
            "w.curr.next.compare_and_set(succ, succ, false, true)",
            "w.curr.next.attempt_mark(succ, true)",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 1..1, values: 1",
        fate: Fate::Violates(Property::Linearizable, 32),
    },
    Mutant {
        name: "split_ordered_delete_not_marked",
        model: "lock_free_hash_set_text",
        edits: &[edit(
            "fn delete",
            "let snip = w.curr.next.compare_and_set(succ, succ, false, true);\n\
             if !snip { continue; }\n",
            "",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 3..3, preadds: 1..1, values: 3",
        fate: Fate::Violates(Property::Linearizable, 30),
    },
    Mutant {
        name: "split_ordered_insert_mark_not_compared",
        model: "lock_free_hash_set_text",
        edits: &[edit(
            "fn insert",
            "w.pred.next.compare_and_set(w.curr, node, false, false)",
            "cas(w.pred.next.val, w.curr, node)",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 3..3, preadds: 1..1, values: 3",
        fate: Fate::Violates(Property::Linearizable, 38),
    },
    Mutant {
        name: "split_ordered_sentinel_linked_by_a_write",
        model: "lock_free_hash_set_text",
        edits: &[edit(
            "fn get_sentinel",
            "if w.pred.next.compare_and_set(w.curr, node, false, false) { return node; }",
            "w.pred.next = Marked { val: node, mark: false };\n\
             return node;",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, values: 3",
        fate: Fate::Violates(Property::Linearizable, 32),
    },
    Mutant {
        name: "split_ordered_items_have_keys_of_sentinels",
        model: "lock_free_hash_set_text",
        edits: &[edit("fn ordinary_key", "reverse(CODES + code(x))", "reverse(code(x))")],
        bounds: "THRESHOLD: 0, client: schedules, threads: 1..1, steps: 2..2, preadds: 2..2, values: 3",
        fate: Fate::Violates(Property::Linearizable, 36),
    },
    // The list is right without its sentinels, only long.
    Mutant {
        name: "split_ordered_one_bucket_for_all",
        model: "lock_free_hash_set_text",
        edits: &[edit(
            "fn bucket_list",
            "if bucket[index] == null { initialize_bucket(index); }\n\
             return bucket[index];",
            "return bucket[0];",
        )],
        bounds: "client: schedules, threads: 2..2, steps: 2..2, preadds: 0..1, values: 3",
        fate: Fate::Holds,
    },
];
