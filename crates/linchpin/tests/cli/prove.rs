//! Proofs for all sizes and their certificates, as the command line tells them.

use crate::{linchpin, linchpin_in, scratch, scratch_with};
use snapbox::str;
use std::fs;

#[test]
fn a_proof() {
    linchpin().args(["prove", "treiber_stack"]).assert().code(0).stdout_eq(str![[r#"
treiber_stack any number of threads, nodes and values; sequentially consistent memory
  linearizable   holds
  memory-safe    holds
  assertions     holds
  deadlock-free  holds
[..] constraints in [..] s, checked in [..] s
compared with small instances in [..] s
  2 threads, 3 nodes, 2 values: 1,941 states, complete
  3 threads, 2 nodes, 2 values: 3,247 states, complete

"#]]);
}

#[test]
fn a_certificate_is_saved_and_checked() {
    let directory = scratch("certificate");
    let prove = ["prove", "coarse_stack_manual", "--method", "pairs", "--certificate", "stack.json"];
    linchpin_in(&directory).args(prove).assert().code(0);
    let certify =
        |model: &'static str| linchpin_in(&directory).args(["certify", model, "stack.json"]).assert();
    certify("coarse_stack_manual").code(0).stdout_eq(str![[r#"
coarse_stack_manual any number of threads, nodes and values; sequentially consistent memory
  linearizable   holds
  memory-safe    holds
  deadlock-free  holds
  assertions     holds
compared with small instances in [..] s
  2 threads, 3 nodes, 2 values: 2,208 states, complete
  3 threads, 2 nodes, 2 values: 6,880 states, complete

"#]]);
    certify("treiber_stack").code(2).stdout_eq("").stderr_eq(str![[r#"
error: `stack.json` is not a certificate of `treiber_stack`: the certificate belongs to another version of the model
  help: write a new certificate with `linchpin prove MODEL --certificate FILE`

"#]]);
    let text = fs::read_to_string(directory.join("stack.json")).expect("it was written");
    // The first view of the first invariant is where everything begins.
    let views = text.find("\"views\":[[").expect("there are views") + "\"views\":[".len();
    let end = text[views..].find("],").expect("more than one") + views + "],".len();
    fs::write(directory.join("stack.json"), [&text[..views], &text[end..]].concat())
        .expect("it can be written");
    certify("coarse_stack_manual").code(2).stdout_eq("").stderr_eq(str![[r#"
error: no view contains the initial state

"#]]);
    fs::write(directory.join("stack.json"), "{}").expect("it can be written");
    certify("coarse_stack_manual").code(2).stdout_eq("").stderr_eq(str![[r#"
error: `stack.json` is not a certificate of `coarse_stack_manual`: the field `format` is missing; expected `linchpin-certificate/3`
  help: write a new certificate with `linchpin prove MODEL --certificate FILE`

"#]]);
}

#[test]
fn what_is_not_taken_is_shown() {
    linchpin().args(["prove", "lms_queue"]).assert().code(3).stdout_eq(str![[r#"
lms_queue any number of threads, nodes and values; sequentially consistent memory
  unknown  linearizable, memory-safe, assertions
  not supported: an optional value in memory (line 12); a second pointer field (line 12)
  help: run `linchpin verify lms_queue` to search bounded instances

"#]]);
    linchpin().args(["prove", "treiber_stack", "--method", "canonical"]).assert().code(3).stdout_eq("");
}

#[test]
fn an_alarm_becomes_an_execution() {
    let output = linchpin().args(["prove", "treiber_stack_as_fifo"]).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("linearizable  violated") && text.contains("context switch"), "{text}");
}

/// The object is linearizable, but its points are wrong: nothing is proved, and the verdict `holds` has a
/// bounded scope.
#[test]
fn wrong_points_are_told_apart_from_a_proof() {
    let directory = scratch("wrong_points");
    let prove = ["prove", "ms_queue_early_empty", "--certificate", "queue.json"];
    let output = linchpin_in(&directory).args(prove).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("ms_queue_early_empty ")).collect();
    let [bounded, unbounded] = headings[..] else { panic!("{text}") };
    assert!(bounded.starts_with("ms_queue_early_empty 2 threads, 2 nodes, 1 value"), "{bounded}");
    assert!(unbounded.starts_with("ms_queue_early_empty any number of threads"), "{unbounded}");
    let first = text.split("ms_queue_early_empty any number").next().unwrap_or_default();
    assert!(first.contains("  linearizable  holds") && first.contains("annotation: refuted"), "{text}");
}

/// A null pointer is an error of memory, whatever the model's `prove` block names.
#[test]
fn memory_is_always_looked_at() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/correct/treiber_stack.lin"
    ))
    .expect("the catalogue is there")
    .replace("if top == null { return none; }", "");
    let directory = scratch_with("null_access", "stack.lin", text);
    let output = linchpin_in(&directory).args(["prove", "stack.lin"]).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("memory-safe  violated") && text.contains("the pointer is null"), "{text}");
}

/// An assertion that fails does not hide in a proof: it is shown, and the proof says what it is worth.
#[test]
fn a_proof_beside_a_fault_says_so() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/correct/treiber_stack.lin"
    ))
    .expect("the catalogue is there")
    .replace("if top == null { return none; }", "if top == null { return none; } assert top == head;");
    let directory = scratch_with("failing_assertion", "stack.lin", text);
    let output = linchpin_in(&directory).args(["prove", "stack.lin"]).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let note = "the proof covers executions up to their first fault (not proved: `assertions`)";
    assert!(text.contains("assertions  violated") && text.contains(note), "{text}");
}

/// The abstract trace of an unconfirmed alarm, as text and as JSON.
#[test]
fn an_open_alarm_is_told() {
    let output = linchpin().args(["prove", "treiber_stack_omits_data", "--timeout", "3s"]).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for part in [
        "warning: `linearizable` is not proved: the prover cannot exclude that the observer `loss` accepts",
        "= note: no execution of the calls t0: push(1) pop(); t1: pop() shows it",
        "  a  push  begins",
        "takes effect; `loss`: start → inside; returns",
        "alarm on `memory-safe`, line 27: the result is undefined; an execution shows it (the calls t0: push(1); t1: pop())",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let json = ["prove", "treiber_stack_omits_data", "--timeout", "3s", "--json", "-"];
    let output = linchpin().args(json).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for part in [
        "\"alarms\": [",
        "\"interferes\": false",
        "\"what\": \"the observer `loss` accepts\"",
        "\"client\": \"calls\"",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn the_result_for_programs() {
    let output = linchpin().args(["prove", "treiber_stack", "--json", "-"]).assert().code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let scope = "\"scope\": {\n        \"kind\": \"unbounded\",\n        \"method\": \"pairs\"\n      }";
    assert!(text.starts_with("{\n") && text.contains(scope), "{text}");
}
