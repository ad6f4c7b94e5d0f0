//! Whatever qualifies a verdict stands beside it: bounds that cut, restrictions, errors that were not asked
//! for, lines never reached.

use crate::{linchpin_in, scratch_with};
use std::fs;
use std::path::Path;

/// Standard output of a command that ends with this code.
fn out(directory: &Path, code: i32, arguments: &[&str]) -> String {
    let run = linchpin_in(directory).args(arguments).output().expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.status.code(), Some(code), "{arguments:?}\n{out}{err}");
    out.into_owned()
}

fn json(directory: &Path, code: i32, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&out(directory, code, &[arguments, &["--json", "-"]].concat())).expect("JSON")
}

const ADDER: &str = "
object C: Adder;
spec Adder { op add() { } }
shared h: int;
op add() { atomic { h = h + 1; } }
";

#[test]
fn a_bound_of_numbers_that_cut_is_in_the_heading_and_in_the_scope() {
    let directory =
        scratch_with("heading_ints", "m.lin", format!("{ADDER}check {{ ints: 5; linearizable; }}"));
    let said = out(&directory, 0, &["check", "m.lin"]);
    assert!(said.lines().next().is_some_and(|heading| heading.contains("ints up to 5")), "{said}");
    assert!(said.contains("where a number left its bound"), "{said}");
    let scope = &json(&directory, 0, &["check", "m.lin"])["results"][0];
    assert_eq!(scope["scope"]["ints"], 5);
    assert_eq!(scope["qualified_by"][0]["kind"], "ints");
    // The usual bound is named only where it cut something.
    fs::write(directory.join("m.lin"), format!("{ADDER}check {{ linearizable; }}")).expect("written");
    assert!(out(&directory, 0, &["check", "m.lin"]).contains("ints up to 100"));
}

#[test]
fn depth_hashes_and_wake_ups_are_in_the_heading() {
    let recursive = "
        object D: Down; spec Down { op down() { } }
        shared h: int;
        fn go(n: int) { if n > 0 { h = n; go(n - 1); } }
        op down() { go(9); }
        check { threads: 1, depth: 3; linearizable: violated; }
    ";
    let directory = scratch_with("heading_depth", "m.lin", recursive);
    let said = out(&directory, 3, &["check", "m.lin"]);
    assert!(said.contains("calls nested up to 3"), "{said}");
    let hashed = "
        object R: Register<0..2>(0); shared t: 0..2;
        hash code(x: 0..2) -> 0..2 = x;
        op write(v: 0..2) { let c = code(v); t = v; }
        op read() -> 0..2 { return t; }
        check { hashes: any, spurious: on; linearizable; }
    ";
    fs::write(directory.join("m.lin"), hashed).expect("written");
    let said = out(&directory, 0, &["check", "m.lin"]);
    assert!(said.contains("spurious wake-ups, any hash functions"), "{said}");
    let result = &json(&directory, 0, &["check", "m.lin"])["results"][0]["scope"];
    assert_eq!((&result["hashes"], &result["spurious"]), (&"any".into(), &true.into()));
}

/// An update is lost only where a thread is preempted.
const LOSES: &str = "
object C: Adder;
spec Adder { state n: 0..=9; #[adds] op add() -> 0..=9 { n = (n + 1) % 10; return n; } op last() -> 0..=9 { return n; } }
shared h: 0..=9;
op add() -> 0..=9 { let x = h; h = (x + 1) % 10; return (x + 1) % 10; }
op last() -> 0..=9 { return h; }
";

#[test]
fn verify_names_what_it_takes_over_from_a_check_block() {
    let block = "check { client: schedules, preemptions: 0, restrict: adds_dominate, threads: 1..2, steps: 1..2; linearizable; }";
    let directory = scratch_with("verify_inherits", "m.lin", format!("{LOSES}{block}"));
    let run = linchpin_in(&directory).args(["verify", "m.lin", "--timeout", "1s"]).output().expect("it runs");
    // The scope may be wrapped.
    let said = String::from_utf8_lossy(&run.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("at most 0 preemptions"), "{said}");
    assert!(said.contains("only adds_dominate"), "{said}");
    assert!(said.contains("holds"), "{said}");
}

#[test]
fn verify_keeps_what_smaller_instances_showed() {
    let model = "object N: Nothing; spec Nothing { op nop() { } } shared h: bool; op nop() { h = true; }";
    let directory = scratch_with("verify_ladder", "m.lin", model);
    let said = out(&directory, 0, &["verify", "m.lin", "--timeout", "20s"]);
    assert!(said.contains("holds") && said.contains("31 threads"), "{said}");
}

#[test]
fn an_error_that_was_not_asked_for_is_told() {
    let model = "
        object T: Tick; spec Tick { op tick(b: bool) { } }
        shared h: int;
        op tick(b: bool) { h = 1; if b { assert(false); } }
    ";
    let directory = scratch_with("unasked_fault", "m.lin", model);
    let said = out(&directory, 0, &["check", "m.lin", "--property", "terminating"]);
    assert!(said.contains("in an error that violates `assertions`, which was not requested"), "{said}");
    let said = out(&directory, 0, &["check", "m.lin", "--property", "terminating", "--quiet"]);
    assert!(said.contains("in an error that violates `assertions`"), "{said}");
    // Asked for, it is a violation, and nothing else has to be said.
    let both = ["check", "m.lin", "--property", "terminating", "--property", "assertions"];
    assert!(!out(&directory, 1, &both).contains("which was not requested"));
}

#[test]
fn quiet_keeps_what_qualifies_a_holds() {
    let model = "
        object T: Tick; spec Tick { op tick() { } }
        shared h: int;
        op tick() {
            h = 1;
            if h == 2 {
                h = 3;
            }
        }
    ";
    let directory = scratch_with("quiet_lines", "m.lin", model);
    let said = out(&directory, 0, &["check", "m.lin", "--threads", "1", "--quiet"]);
    assert!(said.contains("lines never reached: 7"), "{said}");
}

#[test]
fn a_call_that_passes_two_points_is_not_headed_by_an_observer() {
    let text =
        linchpin_in(Path::new(".")).args(["models", "show", "treiber_stack"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&text.stdout).replacen("{ lin; return; }", "{ lin; lin; return; }", 1);
    let directory = scratch_with("two_points", "m.lin", text);
    let said = out(&directory, 1, &["check", "m.lin", "--property", "observers"]);
    assert!(said.contains("a call does not pass one point: "), "{said}");
    assert!(!said.contains("an observer accepts: "), "{said}");
}

#[test]
fn control_characters_of_a_recording_do_not_reach_the_terminal() {
    let history = "{\"thread\": \"a\\u001b[31m\\u202e\", \"call\": \"deq\"}\n\
                   {\"thread\": \"a\\u001b[31m\\u202e\", \"return\": \"deq\", \"result\": 7}\n";
    let directory = scratch_with("control_characters", "h.jsonl", history);
    let said = out(&directory, 1, &["history", "h.jsonl", "--spec", "Queue"]);
    assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    assert!(said.contains("a\\u{1b}[31m\\u{202e}"), "{said:?}");
}

#[test]
fn constants_are_those_of_the_text_unless_they_are_set() {
    let model = "
        object Q: Limited(CAP);
        const CAP = 5;
        spec Limited(cap: int) { state n: int; op inc() when n < cap { n = n + 1; } }
        shared h: int;
        op inc() { atomic { await h < CAP; h = h + 1; } }
        check { CAP: 1, threads: 1; linearizable; }
    ";
    let directory = scratch_with("constants", "m.lin", model);
    assert!(out(&directory, 0, &["run", "m.lin", "--seed", "1"]).contains("CAP = 5"));
    assert!(out(&directory, 0, &["run", "m.lin", "--seed", "1", "--set", "CAP=2"]).contains("CAP = 2"));
    let call = "{\"thread\": 1, \"call\": \"inc\"}\n{\"thread\": 1, \"return\": \"inc\"}\n";
    fs::write(directory.join("h.jsonl"), call.repeat(3)).expect("written");
    let history = ["history", "h.jsonl", "--spec", "m.lin"];
    out(&directory, 0, &history);
    out(&directory, 0, &[&history[..], &["--set", "CAP=3"]].concat());
    out(&directory, 1, &[&history[..], &["--set", "CAP=2"]].concat());
    out(&directory, 2, &[&history[..], &["--set", "NONE=2"]].concat());
    out(&directory, 2, &["history", "h.jsonl", "--spec", "Queue", "--set", "CAP=2"]);
}

/// More threads than a graph tells apart: `holds` says that calls which spin for ever were not judged.
#[test]
fn what_is_not_judged_with_many_threads_is_said() {
    let text = "
        object Spin: Stack;
        shared taken: bool;
        op push(v: data) { loop { if cas(taken, false, true) { break; } } }
        op pop() -> data? { return none; }";
    let directory = scratch_with("many_threads", "spin.lin", text);
    let check = ["check", "spin.lin", "--values", "1", "--property", "deadlock-free", "--threads"];
    let asked = |code: i32, threads: &'static str| out(&directory, code, &[&check[..], &[threads]].concat());
    assert!(asked(1, "2").contains("deadlock-free  violated"));
    let many = asked(0, "17");
    assert!(many.contains("calls that spin for ever were not judged: with so many threads"), "{many}");
}

#[test]
fn executions_that_an_assumption_discards_are_told() {
    let directory = scratch_with("assumed", "m.lin", ASSUMES);
    let said = out(&directory, 0, &["check", "m.lin", "--threads", "1"]);
    assert!(said.contains("executions cut: ") && said.contains(" where an `assume` is false"), "{said}");
    let said = out(&directory, 0, &["prove", "m.lin", "--certificate", "c.json"]);
    assert!(said.contains("the proof leaves out executions in which an `assume` is false"), "{said}");
    let said = out(&directory, 0, &["certify", "m.lin", "c.json"]);
    assert!(said.contains("the proof leaves out executions in which an `assume` is false"), "{said}");
}

/// A stack of at most three values, for executions that push no more.
const ASSUMES: &str = "
object A: Stack;
shared cells: [data; 3];
shared count: 0..=3;
shared guard: lock;
op push(v: data) {
    guard.lock();
    let c = count;
    assume c < 3;
    cells[c] = v;
    count = c + 1;
    lin;
    guard.unlock();
}
op pop() -> data? {
    guard.lock();
    defer guard.unlock();
    let c = count;
    lin if c == 0;
    if c == 0 { return none; }
    let v = cells[c - 1];
    count = c - 1;
    lin;
    return v;
}
";
