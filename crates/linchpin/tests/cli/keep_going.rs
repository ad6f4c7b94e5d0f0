//! `check --keep-going`: schedules one by one, equal failures grouped.

use crate::{linchpin, linchpin_in, scratch_with};
use snapbox::str;

const SCOPE: [&str; 14] = [
    "check",
    "lock_free_list_original",
    "--client",
    "schedules",
    "--threads",
    "1..2",
    "--steps",
    "1..3",
    "--keys",
    "2",
    "--preadds",
    "0",
    "--nodes",
    "64",
];

#[test]
fn groups_are_listed_and_each_is_drawn() {
    let output = linchpin()
        .args(SCOPE)
        .args(["--property", "linearizable", "--keep-going"])
        .assert()
        .code(1)
        .stderr_eq("");
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("in 13 steps; 1 kind of failure, in 2 of 495 schedules"), "{text}");
    assert!(
        text.contains("1  2          13     add(1) → true, remove(1) → true, remove(1) → true"),
        "{text}"
    );
    assert!(
        text.contains("linearizable, failure 1 of 1, in 2 schedules\nnot linearizable: 13 steps"),
        "{text}"
    );
    assert_eq!(text.matches("The history").count(), 1, "{text}");
}

#[test]
fn what_holds_of_all_schedules_holds_of_each() {
    let arguments = ["--keep-going", "--property", "memory-safe", "--quiet"];
    linchpin().args(SCOPE).args(arguments).assert().code(0).stderr_eq("").stdout_eq(str![[r#"
  memory-safe  holds  as expected
  only: schedules of 1 to 3 calls

"#]]);
}

#[test]
fn programs_get_every_group_with_its_trace() {
    let output = linchpin()
        .args(SCOPE)
        .args(["--property", "linearizable", "--keep-going", "--json", "-"])
        .assert()
        .code(1);
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).expect("it is JSON");
    let result = &report["results"][0];
    assert_eq!(result["schedules"], 495);
    assert_eq!((&result["judged_schedules"], &result["failing_schedules"]), (&495.into(), &2.into()));
    let [failure] = &result["failures"].as_array().expect("a list")[..] else { panic!("{result}") };
    assert_eq!((&failure["schedules"], &failure["steps"]), (&2.into(), &13.into()));
    let folder = scratch_with("keep_going", "trace.json", failure["trace"].to_string());
    linchpin_in(&folder).args(["replay", "trace.json"]).assert().code(1);
    let stopped = linchpin().args(SCOPE).args(["--property", "linearizable", "--json", "-"]).assert().code(1);
    let report: serde_json::Value = serde_json::from_slice(&stopped.get_output().stdout).expect("it is JSON");
    assert!(report["results"][0]["failures"].is_null(), "only where it is asked for");
}
