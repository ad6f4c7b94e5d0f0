//! Faults of what people talk to: executions by hand, their server, the language server.

use super::Fault;

const CONFIGURATIONS: (&str, &[&str]) =
    ("linchpin-interactive", &["--test", "suite", "--", "configurations"]);
const QUESTIONS: (&str, &[&str]) = ("linchpin-interactive", &["--test", "suite", "--", "questions"]);
const SERVER: (&str, &[&str]) = ("linchpin-interactive", &["--test", "suite", "--", "server"]);
const NAMES: (&str, &[&str]) = ("linchpin", &["--test", "lsp", "--", "names"]);
const RUNS: (&str, &[&str]) = ("linchpin", &["--test", "lsp", "--", "runs"]);

const ACCESS: &str = "crates/linchpin-interactive/src/server/access.rs";

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "hand-result-not-compared",
        breaks: "a configuration survives a return with another result",
        file: "crates/linchpin-interactive/src/configurations.rs",
        find: "(given == *result).then_some(configuration)",
        replace: "(given.len() == result.len()).then_some(configuration)",
        tests: &[CONFIGURATIONS],
    },
    Fault {
        name: "hand-one-effect-a-call",
        breaks: "only one pending call takes effect between two events",
        file: "crates/linchpin-interactive/src/configurations.rs",
        find: "                        work.push(next);",
        replace: "                        let _ = &work;",
        tests: &[CONFIGURATIONS],
    },
    Fault {
        name: "hand-configurations-forgotten",
        breaks: "states with different configurations are one state of a question",
        file: "crates/linchpin-interactive/src/question.rs",
        find: "let key = (self.words.clone(), known);",
        replace: "let key = (self.words.clone(), known.min(0));",
        tests: &[QUESTIONS],
    },
    Fault {
        name: "hand-limit-is-no",
        breaks: "a question that reached its limit is answered with no",
        file: "crates/linchpin-interactive/src/question.rs",
        find: "return Answer::Unknown { states: self.nodes.len(), why };",
        replace: "return Answer::None { states: self.nodes.len() + why.len(), cut: self.cut };",
        tests: &[QUESTIONS],
    },
    Fault {
        name: "hand-any-host",
        breaks: "a request with a foreign name is admitted",
        file: ACCESS,
        find: "if request.header(\"host\") != Some(&self.host) {",
        replace: "if request.header(\"host\").is_none() {",
        tests: &[SERVER],
    },
    Fault {
        name: "hand-any-origin",
        breaks: "a change from another site is admitted",
        file: ACCESS,
        find: "let is_ours = origin == Some(&self.origin);",
        replace: "let is_ours = origin.is_some_and(|origin| origin.len() <= 64);",
        tests: &[SERVER],
    },
    Fault {
        name: "hand-no-cookie",
        breaks: "a request without the cookie is admitted",
        file: ACCESS,
        find: "        if self.has_cookie(request) {",
        replace: "        if self.has_cookie(request) || !request.has_header(\"cookie\") {",
        tests: &[SERVER],
    },
    Fault {
        name: "hand-nothing-is-a-violation",
        breaks: "replay makes a counterexample of a trace that claims nothing",
        file: "crates/linchpin-judge/src/replay/judge.rs",
        find: "(Claim::Nothing, _) => Err(ReplayError::ClaimNotShown(ClaimNotShown::NothingClaimed)),",
        replace: "(Claim::Nothing, _) => Ok(Evidence::Leak(Vec::new())),",
        tests: &[QUESTIONS],
    },
    Fault {
        name: "rename-not-compared",
        breaks: "a rename may change what another name means",
        file: "crates/linchpin-lsp/src/navigate.rs",
        find: "if new_errors > errors || new_uses != uses {",
        replace: "if new_errors > errors || new_uses.len() > uses.len() + 99 {",
        tests: &[NAMES],
    },
    Fault {
        name: "old-result-shown",
        breaks: "the violation of an older text stays in the editor",
        file: "crates/linchpin-lsp/src/server.rs",
        find: "            && result.text == analysis.text()",
        replace: "            && result.text.len() < usize::MAX",
        tests: &[RUNS],
    },
];
