//! Faults of the surface: scopes that say too little, budgets that are not polled, exit codes, files.

use super::Fault;

const QUALIFIED: (&str, &[&str]) = ("linchpin-report", &["--lib", "--", "qualified"]);
const ENDINGS: (&str, &[&str]) = ("linchpin", &["--bins", "--", "cli::ending"]);
const BUDGETS: (&str, &[&str]) = ("linchpin", &["--test", "cli", "--", "budgets"]);
const OUTPUTS: (&str, &[&str]) = ("linchpin", &["--test", "cli", "--", "outputs"]);
const READERS: (&str, &[&str]) = ("linchpin", &["--test", "cli", "--", "readers"]);
const READING: (&str, &[&str]) = ("linchpin-report", &["--test", "suite", "--", "readers"]);
const SAID: (&str, &[&str]) = ("linchpin", &["--test", "cli", "--", "qualified"]);
const STOPS: (&str, &[&str]) = ("linchpin-explore", &["--test", "suite", "--", "engine::budgets"]);

const SCOPE: &str = "crates/linchpin-report/src/qualified.rs";

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "scope-forgets-preemptions",
        breaks: "the scope does not say that preemptions are bounded",
        file: SCOPE,
        find: "    all.extend(preemptions.map(Qualification::Preemptions));",
        replace: "    let _ = preemptions;",
        tests: &[QUALIFIED, SAID],
    },
    Fault {
        name: "scope-forgets-restrictions",
        breaks: "the scope does not say that schedules are left out",
        file: SCOPE,
        find: "            if !restrictions.is_empty() {\n                all.push(",
        replace: "            if restrictions.len() > 9 {\n                all.push(",
        tests: &[QUALIFIED, SAID],
    },
    Fault {
        name: "scope-forgets-ints",
        breaks: "a bound of numbers that cut executions is not in the scope",
        file: SCOPE,
        find: "if bounds.ints != usual.ints || has_cut(Cut::Ints) {",
        replace: "if bounds.ints != usual.ints {",
        tests: &[QUALIFIED, SAID],
    },
    Fault {
        name: "scope-forgets-cuts",
        breaks: "executions that were cut are not reported",
        file: SCOPE,
        find: "let others = cuts.others.iter().filter(|(_, times)| **times > 0);",
        replace: "let others = cuts.others.iter().filter(|(_, times)| **times > 1_000_000);",
        tests: &[QUALIFIED, SAID],
    },
    Fault {
        name: "scope-forgets-faults",
        breaks: "executions that ended in an error that was not asked for are not reported",
        file: "crates/linchpin-explore/src/expand/expander.rs",
        find: "*coverage.faults.entry(fault.property()).or_default() += 1;",
        replace: "",
        tests: &[SAID],
    },
    Fault {
        name: "ending-unknown-passes",
        breaks: "what is unknown ends as if it held",
        file: "crates/linchpin/src/cli/ending.rs",
        find: "(Verdict::Unknown(_), _) => Ending::Unknown,",
        replace: "(Verdict::Unknown(_), _) => Ending::AsAsked,",
        tests: &[ENDINGS],
    },
    Fault {
        name: "ending-violation-lost",
        breaks: "a report that cannot be written hides a violation",
        file: "crates/linchpin/src/cli/ending.rs",
        find: "            Ending::BadInput => 2,\n            Ending::Violated => 3,",
        replace: "            Ending::BadInput => 3,\n            Ending::Violated => 2,",
        tests: &[ENDINGS, OUTPUTS],
    },
    Fault {
        name: "ending-closed-pipe",
        breaks: "a closed pipe is an error",
        file: "crates/linchpin/src/cli/terminal.rs",
        find: "if error.kind() != io::ErrorKind::BrokenPipe {",
        replace: "if error.kind() != io::ErrorKind::Interrupted {",
        tests: &[OUTPUTS],
    },
    Fault {
        name: "budget-stop-holds",
        breaks: "a search that was stopped in the middle of a level counts as finished",
        file: "crates/linchpin-explore/src/search/mod.rs",
        find: "if level.is_over.load(Ordering::Relaxed) {",
        replace: "if level.is_over.load(Ordering::Relaxed) && exhausted.is_some() {",
        tests: &[STOPS],
    },
    Fault {
        name: "budget-initial-states",
        breaks: "initial states are listed without a look at the budget",
        file: "crates/linchpin-explore/src/search/mod.rs",
        find: "            if watch.should_poll()\n                && let Some(exhausted) = watch.exhausted(self.store.bytes())",
        replace: "            if watch.should_poll()\n                && let Some(exhausted) = watch.exhausted(0).filter(|_| false)",
        tests: &[BUDGETS],
    },
    Fault {
        name: "budget-counting",
        breaks: "schedules are counted without a look at the budget",
        file: "crates/linchpin-explore/src/problem/schedules.rs",
        find: "if polls.is_multiple_of(BETWEEN_POLLS) && !go_on() {",
        replace: "if polls == u32::MAX && !go_on() {",
        tests: &[BUDGETS],
    },
    Fault {
        name: "budget-automaton",
        breaks: "a role's automaton may have any number of states",
        file: "crates/linchpin-semantics/src/client/automaton.rs",
        find: "if states.len() > MOST_STATES {",
        replace: "if states.len() > MOST_STATES << 40 {",
        tests: &[BUDGETS],
    },
    Fault {
        name: "budget-step-words",
        breaks: "a step may make any amount of memory",
        file: "crates/linchpin-semantics/src/exec/run.rs",
        find: "const MOST_WORDS: usize = 1 << 22;",
        replace: "const MOST_WORDS: usize = 1 << 42;",
        tests: &[BUDGETS],
    },
    Fault {
        name: "budget-history",
        breaks: "a history is read without a look at the budget",
        file: "crates/linchpin-report/src/recorded/lines.rs",
        find: "if at.is_multiple_of(POLL_INTERVAL) && !go_on() {",
        replace: "if at == usize::MAX && !go_on() {",
        tests: &[READING, BUDGETS],
    },
    Fault {
        name: "files-known-by-name",
        breaks: "an input is overwritten by another name of it",
        file: "crates/linchpin/src/cli/files.rs",
        find: "return Some(Identity::Inode(known.dev(), known.ino()));",
        replace: "return Some(Identity::Path(path.to_path_buf())).filter(|_| known.ino() > 0);",
        tests: &[OUTPUTS],
    },
    Fault {
        name: "files-last-key-counts",
        breaks: "of two equal keys the last one counts",
        file: "crates/linchpin-report/src/strict.rs",
        find: "if fields.contains_key(&name) {",
        replace: "if fields.contains_key(&name) && name.is_empty() {",
        tests: &[READERS],
    },
    Fault {
        name: "files-cycle-unchecked",
        breaks: "a trace of a safety violation may have any cycle",
        file: "crates/linchpin-judge/src/replay/judge.rs",
        find: "(Some(_), _) => Err(ReplayError::ClaimNotShown(ClaimNotShown::NeedlessCycle)),",
        replace: "(Some(_), _) => Ok(()),",
        tests: &[READERS],
    },
    Fault {
        name: "certify-silent-about-gaps",
        breaks: "a certificate that lacks an invariant passes",
        file: "crates/linchpin/src/cli/certify.rs",
        find: "if findings.iter().all(|(finding, _)| finding.property() != property) {",
        replace: "if findings.is_empty() && findings.iter().all(|(finding, _)| finding.property() != property) {",
        tests: &[READERS],
    },
];
