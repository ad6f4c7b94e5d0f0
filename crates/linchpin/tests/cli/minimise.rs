//! `check --minimize-bounds`: the minimal bounds that show a violation.

use crate::linchpin;
use snapbox::str;

#[test]
fn the_minimal_bounds_of_a_violation() {
    let arguments = ["check", "treiber_stack_reuse", "--minimize-bounds", "--property", "linearizable"];
    linchpin().args(arguments).assert().code(1).stderr_eq("").stdout_eq(str![[r#"
models/wrong/treiber_stack_reuse.lin minimal (threads, nodes, values) up to (3,4,2), within 60 s
  found: not linearizable at (2,1,2), in 22 steps
  found: not linearizable at (2,2,1), in 28 steps
  linearizable  violated  (2,1,2) in 22 steps, (2,2,1) in 28 steps
  9 instances, [..] states, [..]
  stopped at the violation; `--keep-going` finds all minimal bounds

"#]]);
}

#[test]
fn no_violation_within_the_ranges() {
    let arguments =
        ["check", "treiber_stack", "--minimize-bounds", "--threads", "1..2", "--nodes", "1..2", "--quiet"];
    linchpin().args(arguments).assert().code(0).stderr_eq("").stdout_eq(str![[r#"
  linearizable   holds
  memory-safe    holds
  assertions     holds
  deadlock-free  holds

"#]]);
}

#[test]
fn what_is_not_finished_is_unknown() {
    let arguments = [
        "check",
        "ms_queue",
        "--minimize-bounds",
        "--threads",
        "4",
        "--nodes",
        "5",
        "--values",
        "3",
        "--timeout",
        "50ms",
        "--property",
        "linearizable",
        "--quiet",
    ];
    linchpin().args(arguments).assert().code(3).stderr_eq("").stdout_eq(str![[r#"
  linearizable  unknown  not finished: (4,5,3)

"#]]);
}

/// Where no call can complete, or `init` itself does not fit, nothing holds.
#[test]
fn bounds_that_are_too_small_are_unknown() {
    let arguments =
        ["--minimize-bounds", "--property", "linearizable", "--threads", "1..2", "--nodes", "1", "--quiet"];
    linchpin().args(["check", "ms_queue"]).args(arguments).assert().code(3).stderr_eq("").stdout_eq(str![[
        r#"
  linearizable  unknown  [..]

"#
    ]]);
    linchpin().args(["check", "lazy_list"]).args(arguments).assert().code(3).stderr_eq("").stdout_eq(str![[
        r#"
  linearizable  unknown  no call can complete within these bounds

"#
    ]]);
}

/// One result for each minimal triple, with the triple as its scope.
#[test]
fn results_for_programs() {
    let arguments =
        ["check", "treiber_stack_reuse", "--minimize-bounds", "--property", "linearizable", "--json", "-"];
    let output = linchpin().args(arguments).assert().code(1).stderr_eq("").get_output().stdout.clone();
    let report: serde_json::Value = serde_json::from_slice(&output).expect("it is JSON");
    let results = report["results"].as_array().expect("results");
    let triple = |result: &serde_json::Value| {
        ["threads", "nodes", "values"].map(|bound| result["scope"][bound].as_u64().unwrap_or(0))
    };
    assert_eq!(results.iter().map(triple).collect::<Vec<_>>(), [[2, 1, 2], [2, 2, 1]]);
    assert!(results.iter().all(|result| result["verdict"] == "violated" && result["trace"].is_object()));
}

#[test]
fn options_that_do_not_apply() {
    let check = ["check", "treiber_stack_reuse", "--minimize-bounds"];
    linchpin().args(check).args(["--client", "schedules"]).assert().code(2).stderr_eq(str![[r#"
error: `--minimize-bounds` does not apply to schedules
  help: use ranges, which are searched smallest first: with schedules a violation may vanish in larger bounds

"#]]);
    linchpin().args(check).args(["--trace", "t.json"]).assert().code(2).stderr_eq(str![[r#"
error: `--trace` does not apply to `--minimize-bounds`
  help: run `check` with the minimal bounds and `--trace`

"#]]);
}

#[test]
fn roles_say_how_many_threads_there_are() {
    let arguments = ["check", "mailbox", "--minimize-bounds", "--property", "linearizable", "--quiet"];
    linchpin().args(arguments).assert().code(0).stderr_eq("").stdout_eq(str![[r#"
  linearizable  holds

"#]]);
}
