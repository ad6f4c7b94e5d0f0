//! `check` and `prove` from an editor: only on request, in the background, under a budget.

use crate::client::{Client, position};
use crate::scratch;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const REUSE: &str = include_str!("../../../../models/wrong/treiber_stack_reuse.lin");
const QUEUE: &str = include_str!("../../../../models/correct/ms_queue.lin");

fn run(client: &mut Client, command: &str, arguments: Value) -> i64 {
    let answer =
        client.ask("workspace/executeCommand", json!({ "command": command, "arguments": arguments }));
    answer["job"].as_i64().expect("a number")
}

/// Waits for the end of a run.
fn ended(client: &mut Client, job: i64) -> Value {
    let message =
        client.wait(|message| message["method"] == "linchpin/ended" && message["params"]["job"] == job);
    message["params"].clone()
}

/// Returns the number of processes that this server has started and that run.
fn children(client: &Client) -> usize {
    let threads = std::fs::read_dir(format!("/proc/{}/task", client.process())).expect("a process").flatten();
    let of_thread =
        |path: std::path::PathBuf| std::fs::read_to_string(path.join("children")).unwrap_or_default();
    threads.map(|thread| of_thread(thread.path()).split_whitespace().count()).sum()
}

#[test]
fn opening_a_model_starts_no_search() {
    let directory = scratch("no_search");
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), REUSE);
    client.diagnostics(&uri, 0);
    client.change(&uri, 1, &format!("{REUSE}\n"));
    client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(children(&client), 0);
    client.end();
}

#[test]
fn a_violation_has_a_related_place_for_each_step_and_a_page() {
    let directory = scratch("violation");
    let mut client = Client::new();
    // The text is not on disk, and no violation is expected in it.
    let text = REUSE.replace(": violated", "");
    let uri = client.open(&directory.join("m.lin"), &text);
    client.diagnostics(&uri, 0);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let lenses = lenses.as_array().expect("lenses");
    let titles: Vec<&str> = lenses.iter().filter_map(|lens| lens["command"]["title"].as_str()).collect();
    assert_eq!(
        titles.iter().filter(|title| **title == "check").count(),
        1 + text.matches("\ncheck {").count()
    );
    assert!(titles.contains(&"prove"));
    // The first `check` block alone.
    let block = lenses
        .iter()
        .find(|lens| lens["command"]["arguments"].as_array().is_some_and(|list| list.len() == 2))
        .expect("a lens of a block");
    let job = run(&mut client, "linchpin.check", block["command"]["arguments"].clone());
    let outcome = ended(&mut client, job);
    assert!(
        outcome["summary"].as_str().expect("a text").starts_with("linchpin check: a violation"),
        "{outcome}"
    );
    let page = outcome["page"].as_str().and_then(|page| page.strip_prefix("file://")).expect("a page");
    assert!(std::fs::read_to_string(page).expect("the page").contains("not linearizable"));
    let found = client.diagnostics(&uri, 0);
    let violation = found.iter().find(|found| found["code"] == "linearizable").expect("a violation");
    assert_eq!(violation["severity"], 1);
    let steps = violation["relatedInformation"].as_array().expect("steps");
    assert!(steps.len() > 10, "{violation}");
    for (at, step) in steps.iter().enumerate() {
        let message = step["message"].as_str().expect("a text");
        assert!(message.starts_with(&format!("{}. ", at + 1)), "in the order of the execution: {message}");
        assert_eq!(step["location"]["uri"], uri);
    }
    let line = usize::try_from(steps[0]["location"]["range"]["start"]["line"].as_u64().expect("a line"));
    assert!(text.lines().nth(line.expect("small")).expect("a line").contains("new Node"), "{}", steps[0]);
    // The results of an older text are not shown.
    let found = client.change(&uri, 1, &format!("// more\n{text}"));
    assert!(found.iter().all(|found| found["code"] != "linearizable"), "{found:?}");
    client.end();
}

#[test]
fn progress_begins_and_ends_and_a_cancelled_search_stops() {
    let directory = scratch("cancelled");
    let mut client = Client::new();
    let text = QUEUE.replace("check {", "check { threads: 4, nodes: 12, values: 4; linearizable; }\ncheck {");
    let uri = client.open(&directory.join("m.lin"), &text);
    client.diagnostics(&uri, 0);
    let job = run(&mut client, "linchpin.check", json!([uri]));
    let begin = client
        .wait(|message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == "begin");
    assert_eq!(begin["params"]["value"]["cancellable"], true);
    client
        .wait(|message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == "report");
    assert_eq!(children(&client), 1);
    let began = Instant::now();
    client.tell("window/workDoneProgress/cancel", json!({ "token": begin["params"]["token"] }));
    assert_eq!(ended(&mut client, job)["summary"], "cancelled");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(children(&client), 0);
    client.wait(|message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == "end");
    // The server answers during a search, and ends it with itself.
    run(&mut client, "linchpin.check", json!([uri]));
    let hover = json!({ "textDocument": { "uri": uri }, "position": position(&text, "Node {", 1) });
    assert!(client.ask("textDocument/hover", hover).is_object());
    client.end();
}

#[test]
fn a_search_keeps_its_budget() {
    let directory = scratch("budget");
    let mut client = Client::with(
        json!({ "capabilities": {}, "initializationOptions": { "timeout": "1s", "memory": "1G" } }),
    );
    let text = QUEUE.replace("check {", "check { threads: 4, nodes: 12, values: 4; linearizable; }\ncheck {");
    let uri = client.open(&directory.join("m.lin"), &text);
    let began = Instant::now();
    let job = run(&mut client, "linchpin.check", json!([uri]));
    let outcome = ended(&mut client, job);
    assert!(outcome["summary"].as_str().expect("a text").contains("unknown"), "{outcome}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    client.end();
}

#[test]
fn a_proof_and_a_model_with_errors_have_a_summary() {
    let directory = scratch("proof");
    let mut client = Client::new();
    let stack = include_str!("../../../../models/correct/treiber_stack.lin");
    let uri = client.open(&directory.join("m.lin"), stack);
    let job = run(&mut client, "linchpin.prove", json!([uri]));
    let outcome = ended(&mut client, job);
    assert!(
        outcome["summary"].as_str().expect("a text").starts_with("linchpin prove: as asked"),
        "{outcome}"
    );
    client.change(&uri, 1, "object X: Stack;");
    let job = run(&mut client, "linchpin.check", json!([uri]));
    let outcome = ended(&mut client, job);
    let summary = outcome["summary"].as_str().expect("a text");
    assert!(summary.starts_with("linchpin check: an error") && summary.contains("missing"), "{summary}");
    client.end();
}
