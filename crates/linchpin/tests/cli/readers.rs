//! Readers refuse what they do not know: other keys, keys that stand twice, numbers that do not fit, claims
//! that are not checked.
//!
//! Before, a thread 4294967296 was thread 0, the last of two equal keys counted, and a `cycle` of any size
//! was shown as a loop.

use crate::{linchpin, linchpin_in, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A directory with the trace of a violation of `linearizable`.
fn with_trace(test: &str) -> (PathBuf, String) {
    let directory = scratch(test);
    let options = ["check", "treiber_stack_reuse", "--trace", "t.json", "--quiet"];
    linchpin_in(&directory).args(options).assert().code(0);
    let text = fs::read_to_string(directory.join("t.json")).expect("it was saved");
    (directory, text)
}

fn replayed(directory: &Path, text: &str) -> (Option<i32>, String) {
    fs::write(directory.join("t.json"), text).expect("written");
    said(&linchpin_in(directory).args(["replay", "t.json"]).output().expect("it runs"))
}

fn said(run: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    (run.status.code(), text)
}

#[test]
fn a_trace_is_read_strictly() {
    let (directory, text) = with_trace("strict_trace");
    assert_eq!(replayed(&directory, &text).0, Some(1), "as it was saved");
    for (from, to, why) in [
        ("\"thread\": 1,", "\"thread\": 4294967297,", "expected u32"),
        ("\"nodes\": 1", "\"nodes\": 4294967297", "expected u32"),
        ("\"fair\": false", "\"fair\": false, \"colour\": 1", "unknown field `colour`"),
        ("\"fair\": false", "\"fair\": false, \"fair\": true", "duplicate field `fair`"),
        ("\"constants\": {}", "\"constants\": {\"A\": 1, \"A\": 2}", "duplicate field `A`"),
        ("\"thread\": 1,", "\"thread\": 1, \"waits\": true,", "is both a call and a wait"),
        ("\"fair\": false", "\"fair\": false, \"cycle\": 3", "the trace is rejected"),
        ("\"fair\": false", "\"fair\": false, \"cycle\": 18446744071562067968", "the trace is rejected"),
    ] {
        assert!(text.contains(from), "{from}");
        let (code, said) = replayed(&directory, &text.replacen(from, to, 1));
        assert_eq!(code, Some(2), "{to}: {said}");
        assert!(said.contains(why), "{to}: {said}");
    }
}

#[test]
fn a_fault_has_no_cycle() {
    let model =
        "object T: Tick; spec Tick { op tick() { } } shared h: int; op tick() { h = 1; assert(false); }";
    let directory = scratch("needless_cycle");
    fs::write(directory.join("m.lin"), model).expect("written");
    let options = ["check", "m.lin", "--property", "assertions", "--trace", "t.json", "--quiet"];
    linchpin_in(&directory).args(options).assert().code(1);
    let text = fs::read_to_string(directory.join("t.json")).expect("it was saved");
    assert_eq!(replayed(&directory, &text).0, Some(1), "as it was saved");
    for cycle in ["0", "18446744071562067968"] {
        let with_cycle = text.replacen("\"fair\": false", &format!("\"fair\": false, \"cycle\": {cycle}"), 1);
        let (code, said) = replayed(&directory, &with_cycle);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("the claim needs no cycle"), "{said}");
    }
}

#[test]
fn the_cycle_of_an_endless_execution_is_checked() {
    let directory = scratch("checked_cycle");
    let options = ["--threads", "2", "--nodes", "1", "--values", "1", "--property", "wait-free"];
    let run = linchpin_in(&directory).args(["check", "treiber_stack", "--trace", "t.json"]).args(options);
    run.assert().code(1);
    let text = fs::read_to_string(directory.join("t.json")).expect("it was saved");
    assert_eq!(replayed(&directory, &text).0, Some(1), "as it was saved");
    let at = text.find("\"cycle\": ").expect("it has a cycle") + "\"cycle\": ".len();
    let end = at + text[at..].find(|c: char| !c.is_ascii_digit()).expect("a number ends");
    for cycle in ["0", "1000", "4294967296", "18446744073709551615"] {
        let (code, said) = replayed(&directory, &format!("{}{cycle}{}", &text[..at], &text[end..]));
        assert_eq!(code, Some(2), "{cycle}: {said}");
    }
}

#[test]
fn a_certificate_is_read_strictly_and_says_what_it_lacks() {
    let directory = scratch("strict_certificate");
    linchpin_in(&directory).args(["prove", "treiber_stack", "--certificate", "c.json"]).assert().code(0);
    let text = fs::read_to_string(directory.join("c.json")).expect("it was saved");
    let certified = |text: &str| {
        fs::write(directory.join("c.json"), text).expect("written");
        said(&linchpin_in(&directory).args(["certify", "treiber_stack", "c.json"]).output().expect("it runs"))
    };
    for (from, to, why) in [
        ("\"method\":\"pairs\"", "\"method\":\"magic\"", "unsupported method `magic`"),
        ("\"method\":\"pairs\"", "\"method\":\"pairs\",\"proved\":true", "unknown field `proved`"),
        ("\"method\":\"pairs\"", "\"method\":\"pairs\",\"method\":\"pairs\"", "duplicate field `method`"),
        ("\"rests\":[{\"op\":0", "\"rests\":[{\"op\":4294967296", "expected u32"),
    ] {
        assert!(text.contains(from), "{from}");
        let (code, said) = certified(&text.replacen(from, to, 1));
        assert_eq!(code, Some(2), "{to}: {said}");
        assert!(said.contains(why), "{to}: {said}");
    }
    let mut file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let invariants = file["invariants"].as_array_mut().expect("a list");
    let before = invariants.len();
    invariants.retain(|invariant| invariant["question"].get("memory").is_none());
    assert!(invariants.len() < before);
    let (code, said) = certified(&file.to_string());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("memory-safe    unknown  the certificate has no invariant for it"), "{said}");
    // Some of the observers are not enough for any property.
    let invariants = file["invariants"].as_array_mut().expect("a list");
    invariants.retain(|invariant| invariant["question"]["observers"] == 0);
    assert_eq!(invariants.len(), 1);
    let (code, said) = certified(&file.to_string());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("linearizable  unknown  the certificate has no invariant for it"), "{said}");
    assert!(!said.contains("compared with small instances"), "{said}");
}

#[test]
fn a_history_that_says_something_twice_is_refused() {
    let directory = scratch("strict_history");
    for line in [
        "{\"thread\": 1, \"thread\": 2, \"call\": \"deq\"}",
        "{\"thread\": 1, \"call\": \"deq\", \"call\": \"deq\"}",
        "{\"thread\": 1, \"call\": \"enq\", \"args\": [1], \"args\": [2]}",
    ] {
        fs::write(directory.join("h.jsonl"), line).expect("written");
        let run = linchpin_in(&directory)
            .args(["history", "h.jsonl", "--spec", "Queue"])
            .output()
            .expect("it runs");
        let (code, said) = said(&run);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("duplicate field"), "{said}");
    }
}

#[test]
fn progress_of_too_many_threads_is_refused_at_once() {
    let started = std::time::Instant::now();
    let options = ["--threads", "17", "--nodes", "9", "--property", "lock-free", "--timeout", "20s"];
    let run = linchpin().args(["check", "treiber_stack"]).args(options).output().expect("it runs");
    let (code, said) = said(&run);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("not supported: progress of more than 16 threads"), "{said}");
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
}
