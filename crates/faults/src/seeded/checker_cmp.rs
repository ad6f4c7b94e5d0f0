//! Faults of the checker of the compositional method: a lemma that is believed, a window that is left out.

use super::Fault;

const CMP: (&str, &[&str]) = ("linchpin-prove", &["--test", "suite", "--", "prove::cmp"]);

const CHECKER: &str = "crates/linchpin-certify/src/cmp/mod.rs";
const WINDOW: &str = "crates/linchpin-certify/src/cmp/window.rs";
const LEMMA: &str = "crates/linchpin-certify/src/cmp/lemma.rs";

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "cmp-lemma-believed",
        breaks: "a lemma is not shown",
        file: CHECKER,
        find: "if !certificate.lemmas.iter().all(|lemma| lemma::is_shown(&layout, lemma, view)) {",
        replace: "if !certificate.lemmas.iter().all(|lemma| lemma::is_shown(&layout, lemma, view)) && views.threads.is_empty() {",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-lemma-unknown-is-shown",
        breaks: "a lemma is shown if a view does not contradict it",
        file: LEMMA,
        find: "    known.lemma(lemma) == Truth::True",
        replace: "    known.lemma(lemma) != Truth::False",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-views-of-others",
        breaks: "what *Other* does to the views is not checked",
        file: CHECKER,
        find: "if !has_views || !inside(action, false) {",
        replace: "if (!has_views && views.threads.is_empty()) || !inside(action, false) {",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-edges-of-others",
        breaks: "what *Other* does to the edges is not checked",
        file: CHECKER,
        find: "if !has_views || !inside(action, false) {",
        replace: "if !has_views || (!inside(action, false) && views.threads.is_empty()) {",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-unfollowed",
        breaks: "a step of *Other* that cannot be followed is left out",
        file: WINDOW,
        find: "NotHolder | LongChain | UnknownNext | BigNumber | Endless | Misfit | TooManyCells => false,",
        replace: "NotHolder | LongChain | UnknownNext | BigNumber | Endless | Misfit | TooManyCells => true,",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-private-cells",
        breaks: "the private cells of *Other* are left out",
        file: WINDOW,
        find: "let private = self.materials.private.iter().filter(|_| with_private);",
        replace: "let private = self.materials.private.iter().filter(|_| !with_private);",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-removed-cells",
        breaks: "removed cells of *Other* are left out",
        file: WINDOW,
        find: "let labels = published.chain(private);",
        replace: "let labels = published.chain(private).filter(|label| label.place != CellPlace::Unlinked);",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-same-key",
        breaks: "*Other* makes no call on the watched key",
        file: WINDOW,
        find: "            for (ghost, class) in CALLS {",
        replace: "            for (ghost, class) in CALLS.into_iter().take(2) {",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-free-locks",
        breaks: "*Other* holds every lock",
        file: WINDOW,
        find: "let mine = if self.has_lock { &[false, true][..] } else { &[false] };",
        replace: "let mine = if self.has_lock { &[true][..] } else { &[false] };",
        tests: &[CMP],
    },
    Fault {
        name: "cmp-waits-for-ever",
        breaks: "`linearizable` is claimed without an order of locks",
        file: CHECKER,
        find: "witness.deadlock_free.then_some(Property::Linearizable)",
        replace: "Some(Property::Linearizable)",
        tests: &[CMP],
    },
];
