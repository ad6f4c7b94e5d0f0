//! The life of a server: begin, end, what it refuses.

use crate::client::{Client, place};
use crate::scratch;
use serde_json::{Value, json};

#[test]
fn a_server_says_what_it_can_do_and_ends_as_the_protocol_says() {
    let mut client = Client::raw();
    let answer = client.ask("initialize", json!({ "capabilities": {} }));
    let can = &answer["capabilities"];
    for provider in [
        "hoverProvider",
        "definitionProvider",
        "referencesProvider",
        "renameProvider",
        "completionProvider",
        "documentFormattingProvider",
        "documentSymbolProvider",
        "semanticTokensProvider",
        "codeLensProvider",
        "executeCommandProvider",
    ] {
        assert!(!can[provider].is_null(), "{provider}");
    }
    client.tell("initialized", json!({}));
    client.end();
}

#[test]
fn an_end_without_a_shutdown_is_not_a_success() {
    assert_eq!(Client::new().code(), Some(2));
    let mut client = Client::new();
    client.tell("exit", Value::Null);
    assert_eq!(client.code(), Some(2));
}

#[test]
fn requests_that_do_not_fit_are_errors_and_do_not_end_the_server() {
    let mut client = Client::new();
    for (method, params) in [
        ("textDocument/hover", json!({})),
        ("textDocument/hover", json!({ "textDocument": 7, "position": [] })),
        ("textDocument/rename", json!([1, 2])),
        ("workspace/executeCommand", json!({ "command": "rm", "arguments": [] })),
        ("workspace/executeCommand", json!({ "command": "linchpin.check", "arguments": ["file:///x"] })),
        ("workspace/executeCommand", json!({ "command": "linchpin.check", "arguments": [] })),
        ("no/such", Value::Null),
    ] {
        let answer = client.answer(method, params.clone());
        assert!(answer["error"]["message"].is_string(), "{method} {params}: {answer}");
    }
    client.tell("textDocument/didOpen", json!({ "nothing": true }));
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "file:///x", "version": 1 }, "contentChanges": [] }),
    );
    client.tell("no/such", Value::Null);
    // A model that is not open has no answers.
    let nowhere =
        json!({ "textDocument": { "uri": "file:///x.lin" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.ask("textDocument/hover", nowhere), Value::Null);
    client.end();
}

#[test]
fn a_cancelled_request_is_not_answered_with_a_result() {
    let directory = scratch("cancel");
    let mut client = Client::new();
    let text = include_str!("../../../../models/correct/ms_queue.lin");
    let uri = client.open(&directory.join("m.lin"), text);
    client.diagnostics(&uri, 0);
    // A change keeps the server busy while the request and its cancellation arrive.
    let mut refused = 0;
    for version in 1..40 {
        client.tell(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }],
            }),
        );
        let ids: Vec<i64> =
            (0..10).map(|_| client.begin("textDocument/hover", place(&uri, text, "head", 1))).collect();
        let last = ids[9];
        client.tell("$/cancelRequest", json!({ "id": last }));
        let answer = client.wait(|message| message["id"] == last);
        if answer["error"]["code"] == -32800 {
            refused += 1;
            break;
        }
    }
    assert!(refused > 0, "no cancellation arrived in time");
    client.end();
}
