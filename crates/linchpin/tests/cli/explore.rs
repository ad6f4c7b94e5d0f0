//! `explore`: the dialogue in lines of text, saved traces, and options that do not apply.

use crate::{linchpin_in, scratch};
use std::fs;

/// Returns standard output and the exit code.
fn told(directory: &std::path::Path, arguments: &[&str], input: &str) -> (String, Option<i32>) {
    let output = linchpin_in(directory).args(arguments).stdin(input).output().expect("it runs");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

#[test]
fn a_saved_execution_replays_with_and_without_a_violation() {
    let directory = scratch("explore_saves");
    let explore = ["explore", "treiber_stack_reuse", "--text", "--threads", "2", "--nodes", "2"];
    let (text, code) = told(&directory, &explore, "1\nw none.json\nb\nv\nt\nw found.json\nq\n");
    assert_eq!(code, Some(0));
    assert!(text.contains("step 1  ") && text.contains("written: none.json"), "{text}");
    assert!(text.contains("Yes, after ") && text.contains("not linearizable, confirmed by replay"), "{text}");
    let (text, code) = told(&directory, &["replay", "found.json", "--html", "found.html"], "");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("not linearizable"));
    let (text, code) = told(&directory, &["replay", "none.json", "--html", "none.html"], "");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("one execution, without a claim: 1 step") && text.contains("Ended after 1 step"));
    let page = fs::read_to_string(directory.join("none.html")).expect("a page");
    assert!(page.contains("one execution, without a claim"));
}

/// A trace that claims nothing cannot be passed off as a violation, nor the other way round.
#[test]
fn a_changed_claim_is_refused() {
    let directory = scratch("explore_claims");
    let explore = ["explore", "treiber_stack", "--text", "--threads", "2", "--nodes", "2"];
    told(&directory, &explore, "1\nw none.json\nq\n");
    let text = fs::read_to_string(directory.join("none.json")).expect("a trace");
    assert!(text.contains(r#""violates": "nothing""#), "{text}");
    let forged = text.replace(r#""violates": "nothing""#, r#""violates": "linearizable""#);
    fs::write(directory.join("forged.json"), forged).expect("a file");
    let output = linchpin_in(&directory).args(["replay", "forged.json"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the history is legal"));
}

#[test]
fn options_that_do_not_apply_are_errors() {
    let directory = scratch("explore_options");
    for arguments in [
        &["explore", "treiber_stack", "--text", "--port", "4000"][..],
        &["explore", "treiber_stack", "--keys", "2", "--text"],
        &["explore", "no_such_model", "--text"],
        &["explore"],
    ] {
        let output = linchpin_in(&directory).args(arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_server_prints_its_address_and_ends_when_it_is_idle() {
    let directory = scratch("explore_idle");
    let arguments = ["explore", "treiber_stack", "--idle", "200ms"];
    let output = linchpin_in(&directory).args(arguments).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0));
    assert!(text.starts_with("http://127.0.0.1:") && text.contains("/?token="), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("the server has ended"));
}
