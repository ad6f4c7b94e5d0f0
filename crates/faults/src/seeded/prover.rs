//! Faults of the prover. None can make a wrong proof by itself, since the checker decides. A test notices one
//! of three things: an alarm is missing, the checker refuses a certificate, or a right object is not proved.

use super::Fault;

const PROVE: (&str, &[&str]) = (
    "linchpin-prove",
    &[
        "--test",
        "suite",
        "--",
        "prove::alarms",
        "prove::models",
        "prove::without_acceleration",
        "prove::concretisation",
        "prove::certificates",
    ],
);
const MEANING: (&str, &[&str]) = ("linchpin-prove", &["--lib"]);
const RANDOM: (&str, &[&str]) = ("linchpin-prove", &["--test", "suite", "--", "random_proofs::"]);

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "prover-ages-stay-current",
        breaks: "copies of an age stay current when it is stepped",
        file: "crates/linchpin-prove/src/pairs/transfer/ages.rs",
        find: "                *current = false;\n                if effect == AgeWrite::Reset {",
        replace: "                if effect == AgeWrite::Reset {",
        tests: &[PROVE],
    },
    Fault {
        name: "prover-second-holder",
        breaks: "two cells may hold the value of one observer variable",
        file: "crates/linchpin-prove/src/pairs/transfer/alloc.rs",
        find: "                if holder.is_some() {\n                    outcomes.alarm(AlarmKind::SecondHolder, span);\n                    continue;\n                }\n",
        replace: "",
        tests: &[PROVE, RANDOM],
    },
    Fault {
        name: "prover-null-access",
        breaks: "an access through null raises no alarm",
        file: "crates/linchpin-prove/src/pairs/transfer/access.rs",
        find: "            Value::Null => {\n                outcomes.alarm(AlarmKind::NullAccess, span);\n                None",
        replace: "            Value::Null => {\n                None",
        tests: &[PROVE, RANDOM],
    },
    Fault {
        name: "prover-assertion",
        breaks: "an assertion that may fail raises no alarm",
        file: "crates/linchpin-prove/src/pairs/transfer/step.rs",
        find: "                        outcomes.alarm(AlarmKind::AssertFails, span);\n",
        replace: "",
        tests: &[PROVE, RANDOM],
    },
    Fault {
        name: "prover-leak",
        breaks: "a lost cell raises no alarm",
        file: "crates/linchpin-prove/src/pairs/transfer/finish.rs",
        find: "                outcomes.alarm(AlarmKind::Leak, span);\n",
        replace: "",
        tests: &[PROVE, RANDOM],
    },
    Fault {
        name: "prover-found-is-current",
        breaks: "what a successful `cmpxchg` found counts as the present age",
        file: "crates/linchpin-prove/src/pairs/transfer/step.rs",
        find: "                            outdate_found(&mut result, &values);\n",
        replace: "",
        tests: &[RANDOM],
    },
    Fault {
        name: "prover-blind-steps",
        breaks: "steps that are invisible to the other threads are skipped, but recorded as done",
        file: "crates/linchpin-prove/src/pairs/transfer/step.rs",
        find: "self.visible_only && !is_due && analyzed.quiet[from.index()]",
        replace: "self.visible_only && !is_due",
        tests: &[PROVE, RANDOM],
    },
    Fault {
        name: "prover-redirect",
        breaks: "what reached a cell before its edge was redirected keeps its relations",
        file: "crates/linchpin-prove/src/pairs/domain/heap.rs",
        find: "            if a_may && b_may_not {\n                after |= through",
        replace: "            if a_may && b_may_not {\n                after |= now;\n            }\n            if a_may && b_may_not && a == b {\n                after |= through",
        tests: &[MEANING, PROVE],
    },
];
