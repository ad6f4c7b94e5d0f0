//! Faults of the gate of sets: ghosts and concretisation.

use super::Fault;

const SETS: (&str, &[&str]) = ("linchpin-prove", &["--test", "suite", "--", "prove::gate::sets"]);

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "gate-set-thread-ignored",
        breaks: "a state is in a certificate for sets whatever its threads are",
        file: "crates/linchpin-certify/src/gate/sets/gamma.rs",
        find: "if let Some(thread) = (0..threads).find(|thread| !scene.has_thread(*thread)) {",
        replace: "if let Some(thread) = (threads..threads).find(|thread| !scene.has_thread(*thread)) {",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-edge-ignored",
        breaks: "a state is in a certificate for sets whatever its edges are",
        file: "crates/linchpin-certify/src/gate/sets/gamma.rs",
        find: "if !scene.has_edge(from, seen_by) {",
        replace: "if !scene.has_edge(from, seen_by) && threads == 0 {",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-fact-ignored",
        breaks: "the labels of cells that no variable names are not compared",
        file: "crates/linchpin-certify/src/gate/sets/gamma.rs",
        find: "fits && self.fact(thread, *cell) == Some((fact.label, fact.mine, fact.fresh))",
        replace: "fits",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-other-key",
        breaks: "a call may add or remove a key that is not its argument",
        file: "crates/linchpin-certify/src/gate/sets/ghosts.rs",
        find: "Call::Watched { .. } => return Err(format!(\"a call of `{name}` {what} its key\")),",
        replace: "Call::Watched { .. } | Call::Other => Call::Done { from_in: was.is_in },",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-second-event",
        breaks: "a call may change the set twice",
        file: "crates/linchpin-certify/src/gate/sets/ghosts.rs",
        find: "Call::Done { .. } => return Err(format!(\"a call of `{name}` {what} its key a second time\")),",
        replace: "Call::Done { .. } => Call::Done { from_in: was.is_in },",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-any-result",
        breaks: "a call on a key returns what its events do not say",
        file: "crates/linchpin-certify/src/gate/sets/ghosts.rs",
        find: "if !may {",
        replace: "if !may && label.thread > 99 {",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-no-moment",
        breaks: "a call sees the set at its invocation only",
        file: "crates/linchpin-certify/src/gate/sets/ghosts.rs",
        find: "*seen_in |= now.is_in;",
        replace: "*seen_in |= was.is_in && now.is_in;",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-published",
        breaks: "cells that are unlinked count as never published",
        file: "crates/linchpin-certify/src/gate/sets/ghosts.rs",
        find: "reached(after, cells(rename(ghost.published)).chain(cells(self.shared_cells_set(after))));",
        replace: "reached(after, cells(self.shared_cells_set(after)));",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-lock-resets-nothing",
        breaks: "fresh cells stay fresh where a thread begins to wait for a lock",
        file: "crates/linchpin-certify/src/gate/sets/ghosts.rs",
        find: "if label.call.is_some() || begins_with_lock {",
        replace: "if label.call.is_some() || (begins_with_lock && label.thread > 99) {",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-chain-ignored",
        breaks: "a state fits a view whatever its chains are",
        file: "crates/linchpin-certify/src/gate/sets/gamma.rs",
        find: "to.is_some_and(|to| self.has_chain(*cell, to))",
        replace: "to.is_none_or(|to| to < 99 || self.has_chain(*cell, to))",
        tests: &[SETS],
    },
    Fault {
        name: "gate-set-renamed",
        breaks: "calls keep the names of their threads where threads change theirs",
        file: "crates/linchpin-certify/src/gate/sets/ghosts.rs",
        find: "calls: moved.rename(&next.calls),",
        replace: "calls: next.calls,",
        tests: &[SETS],
    },
];
