//! Faults of three-valued structures: focus, coerce, update, abstraction, and what is derived.

use super::Fault;

const LAWS: (&str, &[&str]) = ("linchpin-tvl", &["--test", "suite"]);

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "structures-equal-summary",
        breaks: "two individuals of one summary count as equal",
        file: "crates/linchpin-tvl/src/evaluate.rs",
        find: "Row { may: 1 << other, must: (1 << other) & !self.summary }",
        replace: "Row { may: 1 << other, must: 1 << other }",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-must-path",
        breaks: "a path of edges that may be there counts as a path",
        file: "crates/linchpin-tvl/src/evaluate.rs",
        find: "                result.must |= row.must;",
        replace: "                result.must |= row.may;",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-embedding-not-onto",
        breaks: "an individual may stand for none",
        file: "crates/linchpin-tvl/src/embedding.rs",
        find: "            return covered == other.universe();",
        replace: "            return covered != 0;",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-focus-two-cases",
        breaks: "a summary is never split in two parts",
        file: "crates/linchpin-tvl/src/focus.rs",
        find: "Atom::Binary(_, u, v) => [u, v].into_iter().find(|w| summary(*w)),",
        replace: "Atom::Binary(_, u, v) => [u, v].into_iter().find(|w| summary(*w) && u == v),",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-coerce-on-unknown",
        breaks: "a constraint fires where its body may be true",
        file: "crates/linchpin-tvl/src/constraint.rs",
        find: "                let fires = structure.row(&self.body, &mut env, x).must;\n",
        replace: "                let fires = structure.row(&self.body, &mut env, x).may;\n",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-repeated-variable",
        breaks: "the head of a constraint may repeat a variable",
        file: "crates/linchpin-tvl/src/constraint.rs",
        find: "        if head.atom.repeats_a_variable() {",
        replace: "        if false && head.atom.repeats_a_variable() {",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-blur-values",
        breaks: "a value that differs among merged individuals is true",
        file: "crates/linchpin-tvl/src/kleene.rs",
        find: "Kleene::of_bits(self.may & group != 0, self.must & group == group)",
        replace: "Kleene::of_bits(self.may & group != 0, self.must & group != 0)",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-join-summaries",
        breaks: "a join forgets the summaries of one side",
        file: "crates/linchpin-tvl/src/abstraction.rs",
        find: "        result.summary |= right.summary;",
        replace: "        result.summary &= right.summary;",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-any-target-determines",
        breaks: "each predicate counts as inversely functional, so a wrong rule for `spec` is made",
        file: "crates/linchpin-tvl/src/definition.rs",
        find: "known.inverse.contains(&p)",
        replace: "known.functional.contains(&p)",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-lost-witness",
        breaks: "a derived predicate is lost with one witness, though another is left",
        file: "crates/linchpin-tvl/src/difference.rs",
        find: "let lost = some(*x, lost).and(!some(*x, update.after(inner)?));",
        replace: "let lost = some(*x, lost);",
        tests: &[LAWS],
    },
    Fault {
        name: "structures-path-to-cell",
        breaks: "a write also removes the paths that end at the cell",
        file: "crates/linchpin-tvl/src/difference.rs",
        find: "let through = [is_cell(c)?, path.of(x, c), path.of(c, y), !Formula::equal(c, y)];",
        replace: "let through = [is_cell(c)?, path.of(x, c), path.of(c, y)];",
        tests: &[LAWS],
    },
];
