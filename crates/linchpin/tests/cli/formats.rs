//! SARIF and DOT: what a log and a graph contain, and what no input can put into them.

use crate::pages::{HOSTILE, NAME, has_nothing_hidden, model};
use crate::{linchpin_in, scratch, scratch_with};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Runs a command and returns the file that an option names.
fn written(directory: &Path, arguments: &[&str], option: &str) -> String {
    let output = linchpin_in(directory).args(arguments).args([option, "out"]).output().expect("it runs");
    let shown = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    assert!(output.status.code().is_some_and(|code| code != 2), "{arguments:?}: {shown:?}");
    let text = fs::read_to_string(directory.join("out")).expect("a file");
    has_nothing_hidden(&text);
    text
}

fn log(directory: &Path, arguments: &[&str]) -> Value {
    let log: Value = serde_json::from_str(&written(directory, arguments, "--sarif")).expect("JSON");
    is_sarif(&log);
    log
}

/// Checks what the format requires of the parts that a log has. The schema itself is checked in
/// `tests/formats`.
fn is_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "Linchpin");
    let rules: Vec<&str> = array(&driver["rules"]).iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(rules.iter().collect::<BTreeSet<_>>().len(), rules.len(), "each rule once");
    for result in array(&run["results"]) {
        let rule = &result["ruleId"];
        assert!(rule.is_null() || rules.contains(&rule.as_str().expect("text")), "{rule}");
        let (kind, level) = (&result["kind"], &result["level"]);
        assert!(kind == "fail" || level == "none", "3.27.10: a level other than `none` is of kind `fail`");
        assert!(!result["message"]["text"].as_str().expect("a message").is_empty());
        array(&result["locations"]).iter().for_each(is_location);
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            is_code_flow(flow);
        }
    }
}

fn is_code_flow(flow: &Value) {
    let threads = array(&flow["threadFlows"]);
    let ids: BTreeSet<&str> = threads.iter().filter_map(|thread| thread["id"].as_str()).collect();
    assert!(!threads.is_empty() && ids.len() == threads.len(), "one thread flow a thread");
    let mut orders = Vec::new();
    for thread in threads {
        let own: Vec<u64> =
            array(&thread["locations"]).iter().filter_map(|at| at["executionOrder"].as_u64()).collect();
        assert!(!own.is_empty() && own.is_sorted(), "steps of a thread in their order");
        orders.extend(own);
        array(&thread["locations"]).iter().for_each(|at| is_location(&at["location"]));
    }
    let distinct: BTreeSet<u64> = orders.iter().copied().collect();
    assert!(distinct.len() == orders.len() && !distinct.contains(&0), "each step once, from 1: {orders:?}");
}

fn is_location(location: &Value) {
    let place = &location["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("an address");
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
    assert!(uri.strip_prefix("file://").unwrap_or(uri).chars().all(is_allowed), "{uri}");
    assert!(place["region"]["startLine"].as_u64().expect("a line") > 0);
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

#[test]
fn a_log_has_a_thread_flow_for_each_thread_and_a_place_for_each_step() {
    let directory = scratch("sarif");
    let check = ["check", "treiber_stack_reuse", "--threads", "2", "--nodes", "1", "--values", "2"];
    let log = log(&directory, &[&check[..], &["--property", "linearizable"]].concat());
    let results = array(&log["runs"][0]["results"]);
    assert_eq!(results.len(), 1);
    let result = &results[0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"linearizable".into(), &"error".into()));
    let message = result["message"]["text"].as_str().expect("text");
    assert!(
        message.contains("No order of these calls is legal") && message.contains("must return 2"),
        "{message}"
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "models/wrong/treiber_stack_reuse.lin");
    assert_eq!(place["region"]["startLine"], 31, "the last step");
    let threads = array(&result["codeFlows"][0]["threadFlows"]);
    let steps: Vec<usize> = threads.iter().map(|thread| array(&thread["locations"]).len()).collect();
    assert_eq!(steps.iter().sum::<usize>(), 22);
    assert_eq!(threads.iter().map(|thread| &thread["id"]).collect::<Vec<_>>(), ["t0", "t1"]);
}

#[test]
fn an_expected_violation_is_suppressed_and_an_unknown_verdict_is_open() {
    let directory = scratch("sarif_kinds");
    let expected = log(&directory, &["check", "treiber_stack_reuse"]);
    let results = array(&expected["runs"][0]["results"]);
    assert!(
        !results.is_empty() && results.iter().all(|result| result["suppressions"][0]["kind"] == "inSource")
    );
    let unknown =
        log(&directory, &["check", "ms_queue", "--nodes", "9", "--threads", "3", "--timeout", "1ms"]);
    let results = array(&unknown["runs"][0]["results"]);
    assert!(!results.is_empty() && results.iter().all(|result| result["kind"] == "open"), "{unknown}");
    let holds = log(
        &directory,
        &["check", "treiber_stack", "--threads", "2", "--nodes", "1", "--property", "linearizable"],
    );
    assert!(array(&holds["runs"][0]["results"]).is_empty());
    log(&directory, &["prove", "treiber_stack"]);
    log(&directory, &["verify", "treiber_stack_reuse", "--timeout", "2s"]);
    let run = log(&directory, &["run", "treiber_stack", "--seed", "1"]);
    assert_eq!(run["runs"][0]["results"][0]["kind"], "informational");
}

#[test]
fn a_log_of_a_history_names_the_lines_of_the_file() {
    let lines = [
        r#"{"thread": 1, "call": "enq", "args": [7]}"#,
        r#"{"thread": 1, "return": "enq"}"#,
        r#"{"thread": 2, "call": "deq"}"#,
        r#"{"thread": 2, "return": "deq", "result": null}"#,
    ];
    let directory = scratch_with("sarif_history", "h.jsonl", lines.join("\n"));
    let log = log(&directory, &["history", "h.jsonl", "--spec", "Queue"]);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "linearizable");
    let threads = array(&result["codeFlows"][0]["threadFlows"]);
    let line = |at: &Value| at["location"]["physicalLocation"]["region"]["startLine"].as_u64();
    let lines: Vec<Vec<_>> =
        threads.iter().map(|t| array(&t["locations"]).iter().map(line).collect()).collect();
    assert_eq!(lines, [[Some(1), Some(2)], [Some(3), Some(4)]]);
}

#[test]
fn texts_of_a_model_stay_texts_in_every_format() {
    let directory = scratch_with("hostile_formats", NAME, model());
    let log = log(&directory, &["check", NAME, "--trace", "t.json"]);
    let uri = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "a%22%27%3Cb%20onmouseover%3Dx%3E%26amp%3B%E2%80%AE.lin", "the name byte by byte");
    for arguments in
        [&["replay", "t.json"][..], &["run", NAME, "--seed", "1"], &["replay", "t.json", "--state", "9"]]
    {
        is_dot(&written(&directory, arguments, "--dot"));
    }
    let quoted = serde_json::to_string(&format!("{HOSTILE}\u{1b}[31m\\N\"")).expect("JSON");
    let lines = format!(
        "{{\"thread\": {quoted}, \"call\": \"enq\", \"args\": [{quoted}]}}\n{{\"thread\": {quoted}, \"return\": \"enq\"}}\n\
         {{\"thread\": {quoted}, \"call\": \"deq\"}}\n{{\"thread\": {quoted}, \"return\": \"deq\", \"result\": null}}\n"
    );
    let directory = scratch_with("hostile_history_formats", "h.jsonl", lines);
    is_sarif(
        &serde_json::from_str(&written(&directory, &["history", "h.jsonl", "--spec", "Queue"], "--sarif"))
            .expect("JSON"),
    );
}

/// Reads a graph by the grammar of the language: `digraph ID { (ID = ID; | node; | edge;)* }`. Returns the
/// names of the nodes and the edges.
fn is_dot(text: &str) -> (BTreeSet<String>, Vec<(String, String)>) {
    let body =
        text.strip_prefix("digraph linchpin {\n").and_then(|rest| rest.strip_suffix("}\n")).expect("a graph");
    let (mut nodes, mut edges) = (BTreeSet::new(), Vec::new());
    for line in body.lines() {
        let statement = line.strip_prefix("  ").and_then(|line| line.strip_suffix(';')).expect(line);
        let (head, attributes) = statement.split_once(" [").unwrap_or((statement, "]"));
        is_attributes(attributes.strip_suffix(']').expect(line));
        let id = |text: &str| {
            assert!(text.chars().all(|c| c.is_ascii_alphanumeric()), "{line}");
            text.to_string()
        };
        match head.split_once(" -> ") {
            Some((from, to)) => edges.push((id(from), id(to))),
            None if head.contains('=') => is_attributes(head),
            None if ["node", "edge"].contains(&head) => {}
            None => assert!(nodes.insert(id(head)), "each node once: {line}"),
        }
    }
    for (from, to) in &edges {
        assert!(nodes.contains(from) && nodes.contains(to), "{from} -> {to}");
    }
    (nodes, edges)
}

/// Reads `name="text", name=word`: a quoted text ends at the first quote without a backslash before it.
fn is_attributes(text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let (name, value) = rest.split_once('=').expect(text);
        assert!(name.chars().all(|c| c.is_ascii_alphabetic()), "{text}");
        let end = match value.strip_prefix('"') {
            Some(quoted) => {
                let mut escaped = false;
                let end = quoted.find(|c| {
                    let is_end = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    is_end
                });
                end.expect(text) + 2
            }
            None => value.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(value.len()),
        };
        let after = &value[end..];
        rest = after.strip_prefix(", ").unwrap_or(after);
        assert!(after.is_empty() || after.starts_with(", "), "{text}");
    }
}

#[test]
fn a_state_is_a_graph_of_its_cells() {
    let directory = scratch("dot_state");
    let check = ["check", "treiber_stack_reuse", "--threads", "2", "--nodes", "1", "--values", "2"];
    let check = [&check[..], &["--property", "linearizable", "--state", "6"]].concat();
    let graph = written(&directory, &check, "--dot");
    let (nodes, edges) = is_dot(&graph);
    assert!(nodes.contains("c0") && edges.contains(&("v0".into(), "c0".into())), "{graph}");
    assert!(graph.contains("label=\"A\\lval: 1\\lnext: null\\l\""), "{graph}");
    let late = linchpin_in(&directory).args(check).args(["--dot", "out"]).args(["--state", "23"]).output();
    assert_eq!(late.expect("it runs").status.code(), Some(2), "`--state` is given twice");
}

/// The whole state space of one thread: the states can be counted by hand.
#[test]
fn a_small_state_space_is_a_graph_and_a_large_one_is_counted() {
    let directory = scratch_with(
        "dot_space",
        "m.lin",
        "object Light: Flag;\n\nspec Flag {\n    op flip() {}\n}\n\nshared up: bool = false;\n\nop flip() {\n    up = true;\n    up = false;\n}\n",
    );
    let graph = written(&directory, &["check", "m.lin", "--threads", "1"], "--dot");
    let (nodes, edges) = is_dot(&graph);
    // A call makes the first write. So a thread is idle, or rests before the second write.
    assert_eq!((nodes.len(), edges.len()), (2, 2), "{graph}");
    let two = written(&directory, &["check", "m.lin", "--threads", "2"], "--dot");
    let (nodes, edges) = is_dot(&two);
    // No thread is busy and the flag is down; one or both are busy and the flag is up; one is busy after the
    // other has returned and the flag is down. In each state each thread can move.
    assert_eq!((nodes.len(), edges.len()), (1 + 3 + 2, 2 * 6), "{two}");
    let large = ["check", "ms_queue", "--threads", "2", "--nodes", "3", "--values", "2", "--dot", "large"];
    let output = linchpin_in(&directory).args(large).output().expect("it runs");
    let message = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("states, and a graph has at most 2,000"), "{message}");
    assert!(!directory.join("large").exists());
    for arguments in [&["check", "ms_queue", "--dot", "x"][..], &["check", "m.lin", "--dot", "-"]] {
        linchpin_in(&directory).args(arguments).assert().code(2);
    }
}
