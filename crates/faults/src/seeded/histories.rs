//! Faults of the deciders of recorded histories, and of the search that confirms them.

use super::Fault;

const DECIDERS: (&str, &[&str]) = ("linchpin-order", &["--test", "suite", "--", "deciders::"]);
const LOGS: (&str, &[&str]) = ("linchpin-order", &["--test", "suite", "--", "logs::"]);
const SEARCH: (&str, &[&str]) = ("linchpin-order", &["--test", "suite", "--", "agreement::"]);
const SPECIFICATIONS: (&str, &[&str]) = ("linchpin-judge", &["--lib", "--", "history::"]);

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "decider-queue-takes",
        breaks: "the order of takes does not restrict the order of values of a queue",
        file: "crates/linchpin-order/src/unambiguous/queue.rs",
        find: "if side == 0 { items[at].put.start } else { items[at].take.start };",
        replace: "if side == 0 { items[at].put.start } else { 0 };",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-queue-empty-anywhere",
        breaks: "an empty result of a queue takes effect at its start, whatever is present",
        file: "crates/linchpin-order/src/unambiguous/queue.rs",
        find: "let both = Span { start: moment, end: moment };",
        replace: "let both = Span { start: moment.min(empty.span.start), end: empty.span.start };",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-stack-early-bottom",
        breaks: "the bottom of a stack may be taken before the last value above it",
        file: "crates/linchpin-order/src/unambiguous/stack.rs",
        find: "(NOTHING - 1 - distance > right).then_some(place)",
        replace: "(NOTHING - 1 - distance > left).then_some(place)",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-stack-late-bottom",
        breaks: "the bottom of a stack may be put after the first value above it",
        file: "crates/linchpin-order/src/unambiguous/stack.rs",
        find: "            && start < left\n",
        replace: "            && start < right\n",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-bag-ranks-ignored",
        breaks: "any value of a priority queue may be taken",
        file: "crates/linchpin-order/src/unambiguous/bag.rs",
        find: "by_rank.sort_by_key(|&at| rank(values[at].put));",
        replace: "by_rank.sort_by_key(|&at| -rank(values[at].put));",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-register-contained",
        breaks: "a backward block may lie within a forward one",
        file: "crates/linchpin-order/src/unambiguous/blocks.rs",
        find: "Some(other) if end < blocks[other].last_start.0 => {",
        replace: "Some(other) if end < blocks[other].first_end.0 => {",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-log-two-lists",
        breaks: "reads of one era may show lists that do not continue each other",
        file: "crates/linchpin-order/src/unambiguous/log.rs",
        find: "if seen[..common] != list[..common] {",
        replace: "if seen[..common].len() != list[..common].len() {",
        tests: &[LOGS],
    },
    Fault {
        name: "decider-log-read-after-append",
        breaks: "a read of a log comes behind the append after the values that it shows",
        file: "crates/linchpin-order/src/unambiguous/log.rs",
        find: "reads.next_if(|read| read.2 <= len)",
        replace: "reads.next_if(|read| read.2 < len)",
        tests: &[LOGS],
    },
    Fault {
        name: "decider-switch-last-end",
        breaks: "a switch is changed by the call that ends last",
        file: "crates/linchpin-order/src/unambiguous/switch.rs",
        find: "self.changes[usize::from(state)].push(Reverse((call.span.end, at)));",
        replace: "self.changes[usize::from(state)].push(Reverse((usize::MAX - call.span.end, at)));",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-values-not-normal",
        breaks: "a take may take effect before the start of the put of its value",
        file: "crates/linchpin-order/src/unambiguous/values.rs",
        find: "    take_span.start = take_span.start.max(put_span.start);\n",
        replace: "",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-pending-ends",
        breaks: "a pending call takes effect at its start",
        file: "crates/linchpin-order/src/unambiguous/values.rs",
        find: "let end = if interval.end == NEVER { PENDING_END }",
        replace: "let end = if interval.end == NEVER { 2 * interval.start + 3 }",
        tests: &[DECIDERS],
    },
    Fault {
        name: "decider-pending-takes-dropped",
        breaks: "a pending take never takes a value",
        file: "crates/linchpin-order/src/unambiguous/mod.rs",
        find: "assigned = assignment(roles, leaves, calls);",
        replace: "assigned = assignment(roles, leaves, calls.take(0));",
        tests: &[DECIDERS],
    },
    Fault {
        name: "search-alike-last-end",
        breaks: "of calls that act alike the search tries the one that ends last",
        file: "crates/linchpin-order/src/oracle.rs",
        find: "        let mut kept = 0;\n",
        replace: "        let mut kept = 0;\n        next.reverse();\n",
        tests: &[SEARCH],
    },
    Fault {
        name: "sweep-forgets-others",
        breaks: "a call that returns takes effect before the other open calls only",
        file: "crates/linchpin-order/src/sweep.rs",
        find: "} else if seen.insert(after) {",
        replace: "} else if after.taken == 0 && seen.insert(after) {",
        tests: &[SEARCH],
    },
    Fault {
        name: "sweep-alike-last-end",
        breaks: "of calls that act alike the sweep takes the one that ends last",
        file: "crates/linchpin-order/src/sweep.rs",
        find: "other.end <= open.end",
        replace: "other.end > open.end",
        tests: &[SEARCH],
    },
    Fault {
        name: "structure-bounded-is-total",
        breaks: "a queue that waits for room counts as one that does not",
        file: "crates/linchpin-judge/src/history/structure.rs",
        find: "self.waits_for_room |= is_room;",
        replace: "self.waits_for_room |= false;",
        tests: &[SPECIFICATIONS],
    },
];
