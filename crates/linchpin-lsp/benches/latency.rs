//! The time from a change in the middle of a model of 2,000 lines to its diagnostics.
//!
//! `cargo bench -p linchpin-lsp`. The target is 50 ms for 95 of 100 changes. The changes are those of a
//! person who types a line: each is one character, and most texts in between have errors.

use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

const LINES: usize = 2_000;
const TARGET: Duration = Duration::from_millis(50);

/// Returns a model with many functions, which one operation calls one after the other.
fn model() -> String {
    let mut functions = String::new();
    let mut calls = String::new();
    let mut number = 0;
    while number + functions.lines().count() < LINES {
        functions += &format!(
            "fn push_{number}(n: *Node) {{\n    loop {{\n        let top = head;\n        n.next = top;\n        \
             if top == null {{\n            if cas(head, top, n) {{ lin; return; }}\n        }} else {{\n            \
             if top.next == null {{ return; }}\n        }}\n    }}\n}}\n\n"
        );
        calls += &format!("    push_{number}(n);\n");
        number += 1;
    }
    format!(
        "object Big: Stack;\n\nstruct Node {{ val: data, next: *Node }}\n\nshared head: *Node;\n\n\
         op push(v: data) {{\n    let n = new Node {{ val: v }};\n{calls}}}\n\n\
         op pop() -> data? {{\n    let top = head;\n    if top == null {{ lin; return none; }}\n    return none;\n}}\n\n\
         {functions}check {{ threads: 2, nodes: 2, values: 2; linearizable; }}\n"
    )
}

fn notify(client: &Connection, method: &str, params: Value) {
    client.sender.send(Message::Notification(Notification::new(method.into(), params))).expect("a server");
}

/// Waits for the diagnostics of a version.
fn wait(client: &Connection, version: i32) -> usize {
    loop {
        if let Message::Notification(found) = client.receiver.recv().expect("a message")
            && found.method == "textDocument/publishDiagnostics"
            && found.params["version"] == version
        {
            let all = found.params["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
            return all.iter().filter(|found| found["severity"] == 1).count();
        }
    }
}

fn main() {
    let (server, client) = Connection::memory();
    let serving = thread::spawn(move || linchpin_lsp::serve(&server));
    let request = Request::new(RequestId::from(1), "initialize".into(), json!({ "capabilities": {} }));
    client.sender.send(Message::Request(request)).expect("a server");
    client.receiver.recv().expect("an answer");
    notify(&client, "initialized", json!({}));
    let text = model();
    let uri = "file:///nowhere/big.lin";
    let document = json!({ "uri": uri, "languageId": "linchpin", "version": 0, "text": text });
    notify(&client, "textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(wait(&client, 0), 0, "the model has no errors");
    // In the middle of the text, at the end of a line `let top = head;`.
    let lines: Vec<&str> = text.lines().collect();
    let line = (lines.len() / 2..).find(|line| lines[*line].contains("let top = head;")).expect("a line");
    let typed = " let other = top.next;";
    let mut times = Vec::new();
    let mut version = 0;
    let mut wrong = 0;
    for _ in 0..10 {
        let begin = lines[line].len();
        for (at, character) in typed.chars().enumerate() {
            version += 1;
            let place = json!({ "line": line, "character": begin + at });
            let change = json!({ "range": { "start": place, "end": place }, "text": character.to_string() });
            let began = Instant::now();
            notify(
                &client,
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": uri, "version": version }, "contentChanges": [change],
                }),
            );
            wrong += usize::from(wait(&client, version) > 0);
            times.push(began.elapsed());
        }
        version += 1;
        let (start, end) = (
            json!({ "line": line, "character": begin }),
            json!({ "line": line, "character": begin + typed.len() }),
        );
        let change = json!({ "range": { "start": start, "end": end }, "text": "" });
        let began = Instant::now();
        notify(
            &client,
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version }, "contentChanges": [change],
            }),
        );
        assert_eq!(wait(&client, version), 0, "the model is as before");
        times.push(began.elapsed());
    }
    client
        .sender
        .send(Message::Request(Request::new(RequestId::from(2), "shutdown".into(), Value::Null)))
        .expect("a server");
    client.receiver.recv().expect("an answer");
    notify(&client, "exit", Value::Null);
    serving.join().expect("no panic").expect("the protocol was kept");
    times.sort();
    let (middle, late) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    let all = times.len();
    println!(
        "{} lines, {all} changes ({wrong} with errors): median {middle:.1?}, 95 of 100 within {late:.1?}",
        lines.len()
    );
    assert!(wrong * 2 > all, "most texts in between have errors");
    // Without optimisation the target does not apply.
    if !cfg!(debug_assertions) {
        assert!(late < TARGET, "95 of 100 changes must take less than {TARGET:?}");
    }
}
