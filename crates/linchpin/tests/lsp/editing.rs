//! What a person sees while typing: diagnostics, formatting, symbols, tokens, completion.

use crate::client::{Client, number, place, position};
use crate::{models, scratch};
use serde_json::{Value, json};

const STACK: &str = include_str!("../../../../models/correct/treiber_stack.lin");

#[test]
fn every_model_opens_without_errors_and_answers_everything() {
    let mut client = Client::new();
    let all = models();
    assert!(all.len() > 90);
    for (path, text) in &all {
        let name = path.display();
        let uri = client.open(path, text);
        let errors: Vec<Value> =
            client.diagnostics(&uri, 0).into_iter().filter(|found| found["severity"] == 1).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let document = json!({ "textDocument": { "uri": uri } });
        let symbols = client.ask("textDocument/documentSymbol", document.clone());
        assert!(symbols.as_array().is_some_and(|symbols| symbols.len() > 2), "{name}");
        let tokens = client.ask("textDocument/semanticTokens/full", document.clone());
        assert!(
            tokens["data"].as_array().is_some_and(|data| data.len() % 5 == 0 && data.len() > 20),
            "{name}"
        );
        let formatting =
            json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 4, "insertSpaces": true } });
        assert_eq!(client.ask("textDocument/formatting", formatting), json!([]), "{name} is formatted");
        let lenses = client.ask("textDocument/codeLens", document);
        assert!(
            lenses.as_array().is_some_and(|lenses| lenses.len() >= 2) || !text.contains("object "),
            "{name}"
        );
        client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    client.end();
}

#[test]
fn diagnostics_come_as_one_types_with_related_places_and_help() {
    let directory = scratch("diagnostics");
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), STACK);
    assert!(client.diagnostics(&uri, 0).is_empty());
    let broken = STACK.replacen("n.next = top;", "n.nxt = top;", 1);
    let found = client.change(&uri, 1, &broken);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], position(&broken, "nxt", 0));
    assert_eq!(found[0]["range"]["end"], position(&broken, "nxt", 3));
    let message = found[0]["message"].as_str().expect("a text");
    assert!(message.contains("has no field `nxt`") && message.contains("did you mean `next`?"), "{message}");
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], uri);
    assert!(client.change(&uri, 2, STACK).is_empty());
    // A change of a part, with characters of two units before it on the line.
    let wide = STACK.replacen("let top = head;", "let top = head; // 𝄞é", 1);
    assert!(client.change(&uri, 3, &wide).is_empty());
    let at = position(&wide, "𝄞é", "𝄞é".len());
    client.tell("textDocument/didChange", json!({
        "textDocument": { "uri": uri, "version": 4 },
        "contentChanges": [
            { "range": { "start": at, "end": at }, "text": "x\n oops" },
            { "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "text": "// 𝄞\n" },
        ],
    }));
    let found = client.diagnostics(&uri, 4);
    let changed = format!("// 𝄞\n{}", wide.replacen("𝄞é", "𝄞éx\n oops", 1));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], position(&changed, " oops", 5), "`;` is missing behind it");
    client.end();
}

#[test]
fn an_error_of_a_module_stands_at_its_use_and_is_found_in_the_open_text() {
    let directory = scratch("modules");
    let module = "struct Node { val: data, next: *Node }\nfn value(n: *Node) -> data { return n.val; }\n";
    let model = "object Two: Stack;\nuse cells::*;\nshared head: *Node;\nop push(v: data) { let n = new Node { val: v }; head = n; }\nop pop() -> data? { let n = head; if n == null { return none; } return value(n); }\n";
    std::fs::write(directory.join("cells.lin"), module).expect("a file");
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), model);
    assert!(client.diagnostics(&uri, 0).is_empty());
    // The module is opened, and changed without being saved.
    let of_module = client.open(&directory.join("cells.lin"), module);
    assert!(client.diagnostics(&of_module, 0).is_empty(), "a file without an object is a module");
    client.diagnostics(&uri, 0);
    client.change(&of_module, 1, &module.replace("return n.val;", "return n.vall;"));
    let found = client.diagnostics(&uri, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], position(model, "cells", 0));
    client.end();
}

#[test]
fn a_text_is_formatted_once_and_a_broken_text_is_left_alone() {
    let directory = scratch("format");
    let mut client = Client::new();
    let ugly = STACK.replacen("let top = head;", "let   top=head ;", 1);
    let uri = client.open(&directory.join("m.lin"), &ugly);
    let formatting =
        json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 4, "insertSpaces": true } });
    let edits = client.ask("textDocument/formatting", formatting.clone());
    assert_eq!(edits[0]["newText"], STACK);
    client.change(&uri, 1, "object {");
    assert_eq!(client.ask("textDocument/formatting", formatting), Value::Null);
    client.end();
}

/// Returns the labels that completion offers behind `typed`, which replaces `from`.
fn offered(client: &mut Client, uri: &str, version: i64, from: &str, typed: &str) -> Vec<String> {
    let text = STACK.replacen(from, typed, 1);
    client.change(uri, version, &text);
    let items = client.ask("textDocument/completion", place(uri, &text, typed, typed.len()));
    let labels =
        items.as_array().expect("a list").iter().map(|item| item["label"].as_str().expect("a label"));
    labels.map(String::from).collect()
}

#[test]
fn completion_offers_what_can_be_written() {
    let directory = scratch("complete");
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), STACK);
    let fields = offered(&mut client, &uri, 1, "n.next = top;", "n.");
    assert_eq!(fields, ["next", "val"]);
    let fields = offered(&mut client, &uri, 2, "n.next = top;", "head.next.ne");
    assert_eq!(fields, ["next", "val"]);
    let names = offered(&mut client, &uri, 3, "n.next = top;", "n.next = to");
    for name in ["top", "n", "v", "head", "Node", "cas", "null"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    assert!(!names.iter().any(|name| name == "next"), "a field is not a name: {names:?}");
    let specs = offered(&mut client, &uri, 4, ": Stack;", ": Sta");
    assert!(
        specs.iter().any(|name| name == "Stack") && specs.iter().any(|name| name == "Queue"),
        "{specs:?}"
    );
    let properties = offered(&mut client, &uri, 5, "linearizable;", "wait_f");
    for name in ["linearizable", "lock_free", "threads", "nodes"] {
        assert!(properties.iter().any(|known| known == name), "{name}: {properties:?}");
    }
    client.end();
}

#[test]
fn tokens_and_symbols_name_what_is_in_the_text() {
    let directory = scratch("tokens");
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), STACK);
    let document = json!({ "textDocument": { "uri": uri } });
    let symbols = client.ask("textDocument/documentSymbol", document.clone());
    let names: Vec<&str> =
        symbols.as_array().expect("a list").iter().filter_map(|symbol| symbol["name"].as_str()).collect();
    for name in ["TreiberStack", "Node", "head", "push", "pop", "check"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let tokens = client.ask("textDocument/semanticTokens/full", document);
    let data: Vec<usize> = tokens["data"].as_array().expect("numbers").iter().map(number).collect();
    let lines: Vec<&str> = STACK.lines().collect();
    let (mut line, mut column) = (0, 0);
    let mut words = Vec::new();
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        words.push(&lines[line][column..column + token[2]]);
    }
    assert!(words.iter().all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_')), "{words:?}");
    assert!(words.contains(&"head") && words.contains(&"next") && words.contains(&"Stack"), "{words:?}");
}
