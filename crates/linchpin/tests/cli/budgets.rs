//! Every command stays within its budget of time and memory on inputs that are too large, and says why it
//! ended.
//!
//! Before there was one budget for everything behind the command line, each of these ran for minutes or took
//! gigabytes.

use crate::{scratch, scratch_with};
use snapbox::cmd::cargo_bin;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const STACK: &str = "
object S: Stack;
struct Node { val: data, next: *Node }
shared head: *Node;
op push(v: data) {
    let n = new Node { val: v };
    loop { let top = head; n.next = top; if cas(head, top, n) { return; } }
}
op pop() -> data? {
    loop {
        let top = head;
        if top == null { return none; }
        let next = top.next;
        let v = top.val;
        if cas(head, top, next) { return v; }
    }
}
";

/// More than the two seconds and 200 MB that are asked for: a run in a development build, beside other tests.
const PATIENCE: Duration = Duration::from_secs(9);
const MOST_MEGABYTES: u64 = 330;

struct Ended {
    code: Option<i32>,
    /// Standard output and standard error, one after the other.
    said: String,
}

/// Runs a command with a budget of two seconds and 200 MB, and measures it.
fn within_budget(directory: &Path, arguments: &[&str]) -> Ended {
    let started = Instant::now();
    let (out, err) = (directory.join("out"), directory.join("err"));
    let file = |path: &Path| Stdio::from(fs::File::create(path).expect("a test can write a file"));
    let mut child = Command::new(cargo_bin!("linchpin"))
        .current_dir(directory)
        .args(arguments)
        .args(["--timeout", "2s", "--memory", "200M"])
        .stdout(file(&out))
        .stderr(file(&err))
        .spawn()
        .expect("it runs");
    let mut peak = 0;
    let code = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status.code();
        }
        peak = peak.max(megabytes(child.id()).unwrap_or(0));
        if started.elapsed() > PATIENCE {
            child.kill().expect("it can be ended");
            panic!("{arguments:?} is not back after {:?}", started.elapsed());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(peak <= MOST_MEGABYTES, "{arguments:?} took {peak} MB");
    let read = |path: &Path| fs::read_to_string(path).expect("it was written");
    Ended { code, said: read(&out) + &read(&err) }
}

/// What a process holds now, where the system tells.
fn megabytes(process: u32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096 / 1_000_000)
}

/// A model that is too large for its check, in each way that once was outside of every limit.
fn check(test: &str, text: &str, options: &[&str], said: &str) {
    let directory = scratch_with(test, "m.lin", text);
    let ended = within_budget(&directory, &[&["check", "m.lin"], options].concat());
    assert!(ended.said.contains(said), "{}", ended.said);
    assert!(matches!(ended.code, Some(2 | 3)), "exit code {:?}: {}", ended.code, ended.said);
}

#[test]
fn schedules_are_not_counted_one_by_one_for_ever() {
    let options = ["--client", "schedules", "--steps", "200..200"];
    check("budget_steps", STACK, &options, "unknown  stopped after 2.0 s");
    let restricted =
        [&options[..], &["--restrict", "adds-dominate", "--restrict", "generic-values"]].concat();
    check("budget_restricted", STACK, &restricted, "unknown  ");
    let options = ["--client", "schedules", "--steps", "2000000000..2000000000"];
    check("budget_many_steps", STACK, &options, "unknown  ");
}

#[test]
fn a_range_of_bounds_is_not_listed() {
    let text = format!("{STACK}check {{ threads: 3, nodes: 4..2147483647; linearizable; }}");
    check("budget_range", &text, &[], "unknown  ");
    check("budget_minimal", STACK, &["--minimize-bounds", "--nodes", "1..2000000000"], "");
}

#[test]
fn a_role_with_an_exponential_automaton_is_refused() {
    let tail = "(push | pop) ".repeat(40);
    let text = format!("{STACK}role r = (push | pop)* push {tail};");
    check("budget_role", &text, &[], "the role `r` has too many states");
}

#[test]
fn arbitrary_hash_functions_are_not_all_listed() {
    let text = "
        object R: Register<0..12>(0);
        shared t: 0..12;
        hash code(x: 0..12) -> 0..12;
        op write(v: 0..12) { let c = code(v); t = v; }
        op read() -> 0..12 { return t; }
    ";
    check("budget_hashes", text, &[], "unknown  ");
}

#[test]
fn a_step_that_grows_is_cut() {
    let grows = "let items: seq<int>; loop { items.push_back(1); if items.is_empty() { return; } }";
    let specification = format!(
        "object T: Tick; spec Tick {{ op tick() {{ {grows} }} }} shared h: int; op tick() {{ h = 1; }}"
    );
    check("budget_spec_step", &specification, &[], "1 in a step that makes too much memory");
    let local = format!(
        "object T: Tick; spec Tick {{ op tick() {{ }} }} shared h: int; op tick() {{ h = 1; {grows} }}"
    );
    check("budget_local_step", &local, &[], "1 in a step that makes too much memory");
    let within_atomic = "
        object T: Tick; spec Tick { op tick() { } }
        shared s: seq<int>;
        op tick() { atomic { while s.len() < 100000 { s.push_back(1); } } }
    ";
    check("budget_atomic_step", within_atomic, &[], "1 in a step that makes too much memory");
    let at_first = "
        object T: Tick; spec Tick { op tick() { } }
        shared s: seq<int>;
        init { while s.len() < 100000 { s.push_back(1); } }
        op tick() { s.clear(); }
    ";
    check("budget_init", at_first, &[], "`init` does not end: one step makes too much memory");
}

#[test]
fn verify_is_back_in_time() {
    let directory = scratch_with(
        "budget_verify",
        "m.lin",
        format!("{STACK}check {{ client: schedules, threads: 1..3, steps: 1..200; linearizable; }}"),
    );
    let ended = within_budget(&directory, &["verify", "m.lin"]);
    assert!(ended.said.contains("holds"), "{}", ended.said);
    let tail = "(push | pop) ".repeat(40);
    fs::write(directory.join("m.lin"), format!("{STACK}role r = (push | pop)* push {tail};"))
        .expect("written");
    let ended = within_budget(&directory, &["verify", "m.lin"]);
    assert!(ended.said.contains("too many states"), "{}", ended.said);
}

#[test]
fn prove_is_back_in_time() {
    let directory = scratch("budget_prove");
    let ended = within_budget(&directory, &["prove", "ms_queue_tagged"]);
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    assert!(ended.said.contains("unknown"), "{}", ended.said);
    // Half a million operations: no work of the front end looks at the clock.
    let mut text = String::from("object W: Wide; spec Wide {\n");
    (0..300_000).for_each(|at| {
        let _ = writeln!(text, "op a{at}() {{ }}");
    });
    text += "}\nshared x: int;\n";
    (0..300_000).for_each(|at| {
        let _ = writeln!(text, "op a{at}() {{ x = 1; lin; }}");
    });
    fs::write(directory.join("wide.lin"), text).expect("written");
    let ended = within_budget(&directory, &["prove", "wide.lin"]);
    assert!(matches!(ended.code, Some(2 | 3)), "{:?} {}", ended.code, ended.said);
    assert!(ended.said.contains("limit of ") && ended.said.contains(" is reached"), "{}", ended.said);
}

#[test]
fn replay_is_back_in_time() {
    let directory = scratch("budget_replay");
    let save = Command::new(cargo_bin!("linchpin"))
        .current_dir(&directory)
        .args(["check", "treiber_stack_reuse", "--trace", "t.json", "--quiet"])
        .output()
        .expect("it runs");
    assert_eq!(save.status.code(), Some(0));
    let text = fs::read_to_string(directory.join("t.json")).expect("it was saved");
    let at = text.find("\"steps\": [").expect("steps") + "\"steps\": [".len();
    let call = "{\"thread\": 0, \"call\": {\"op\": \"push\", \"args\": [1]}},";
    let step = "{\"thread\": 0},";
    let long = format!(
        "{}{}{}",
        &text[..at],
        format!("{call}{step}{step}{step}{step}").repeat(250_000),
        &text[at..]
    );
    fs::write(directory.join("t.json"), long).expect("written");
    let ended = within_budget(&directory, &["replay", "t.json"]);
    assert!(matches!(ended.code, Some(2 | 3)), "{:?} {}", ended.code, ended.said);
}

#[test]
fn history_is_back_in_time() {
    let directory = scratch("budget_history");
    let mut text = String::new();
    for at in 0..1_500_000u32 {
        let _ = writeln!(
            text,
            "{{\"thread\": 1, \"call\": \"enq\", \"args\": [{at}]}}\n{{\"thread\": 1, \"return\": \"enq\"}}"
        );
    }
    fs::write(directory.join("long.jsonl"), &text).expect("written");
    let ended = within_budget(&directory, &["history", "long.jsonl", "--spec", "Queue"]);
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    assert!(ended.said.contains("was not read to its end"), "{}", ended.said);
    // Many calls at once, and results that no order gives.
    let mut text = String::new();
    for at in 0..300u32 {
        let _ = writeln!(text, "{{\"thread\": {at}, \"call\": \"write\", \"args\": [{at}]}}");
    }
    for at in 0..300u32 {
        let _ = writeln!(text, "{{\"thread\": {at}, \"return\": \"write\"}}");
    }
    for value in [7, 8] {
        let _ = writeln!(
            text,
            "{{\"thread\": 900, \"call\": \"read\"}}\n{{\"thread\": 900, \"return\": \"read\", \"result\": {value}}}"
        );
    }
    fs::write(directory.join("wide.jsonl"), &text).expect("written");
    fs::write(
        directory.join("s.lin"),
        "spec R { state v: key?; op write(x: key) { v = x; } op read() -> key? { return v; }
         op exchange(x: key) -> key? { let old = v; v = x; return old; } }",
    )
    .expect("written");
    let options = ["--spec", "s.lin::R", "--configurations", "4000000000"];
    let ended = within_budget(&directory, &[&["history", "wide.jsonl"], &options[..]].concat());
    assert_eq!(ended.code, Some(3), "{}", ended.said);
}
