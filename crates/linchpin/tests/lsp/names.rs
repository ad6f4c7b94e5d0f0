//! Hover, definition, references and rename.

use crate::client::{Client, number, place, position};
use crate::{models, scratch};
use serde_json::{Value, json};
use std::fs;

const STACK: &str = include_str!("../../../../models/correct/treiber_stack.lin");

fn hover(client: &mut Client, uri: &str, text: &str, of: &str) -> String {
    let answer = client.ask("textDocument/hover", place(uri, text, of, 1));
    answer["contents"]["value"].as_str().unwrap_or("").to_string()
}

#[test]
fn hover_shows_types_declarations_comments_and_the_words_of_the_language() {
    let directory = scratch("hover");
    let text = STACK.replacen("shared head", "// The top of the stack.\nshared head", 1);
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), &text);
    let shared = hover(&mut client, &uri, &text, "head;");
    assert!(shared.contains("shared head: *Node;") && shared.contains("The top of the stack."), "{shared}");
    assert!(hover(&mut client, &uri, &text, "top = head").contains("top: *Node"));
    assert!(hover(&mut client, &uri, &text, "next = top").contains("next: *Node"));
    assert!(hover(&mut client, &uri, &text, "Stack;").contains("specification of `specs.lin`"));
    assert!(hover(&mut client, &uri, &text, "cas(").contains("One access"));
    let property = hover(&mut client, &uri, &text, "linearizable;");
    assert!(property.contains("at one moment between its call and its return"), "{property}");
    assert_eq!(hover(&mut client, &uri, &text, "The top"), "", "a comment is not code");
    client.end();
}

#[test]
fn definitions_are_found_in_the_file_in_modules_and_in_the_library() {
    let directory = scratch("definition");
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), STACK);
    let found = client.ask("textDocument/definition", place(&uri, STACK, "next = top", 1));
    assert_eq!(found["uri"], uri);
    assert_eq!(found["range"]["start"], position(STACK, "next: *Node", 0));
    // The specification, and the operation that it specifies, are in a copy of the library.
    for of in ["Stack;", "push("] {
        let found = client.ask("textDocument/definition", place(&uri, STACK, of, 1));
        let path = found["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
        let library = fs::read_to_string(path).expect("the copy can be opened");
        let line = number(&found["range"]["start"]["line"]);
        let word = &of[..of.len() - 1];
        assert!(library.lines().nth(line).expect("a line").contains(word), "{of}: {found}");
    }
    client.end();
}

/// On every model: each use leads to a definition with the same text, and the definition leads to itself.
#[test]
fn every_name_of_every_model_leads_to_a_definition_of_that_name() {
    let mut client = Client::new();
    let mut asked = 0;
    for (path, text) in models().into_iter().step_by(7) {
        let uri = client.open(&path, &text);
        let tokens =
            client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } }));
        let data: Vec<usize> = tokens["data"].as_array().expect("numbers").iter().map(number).collect();
        let (mut line, mut column) = (0, 0);
        for token in data.chunks(5) {
            column = if token[0] == 0 { column + token[1] } else { token[1] };
            line += token[0];
            let at = json!({ "line": line, "character": column });
            let found = client
                .ask("textDocument/definition", json!({ "textDocument": { "uri": uri }, "position": at }));
            let word = |text: &str, line: usize, from: usize, to: usize| {
                let line: Vec<u16> = text.lines().nth(line).expect("a line").encode_utf16().collect();
                String::from_utf16_lossy(&line[from..to])
            };
            let name = word(&text, line, column, column + token[2]);
            let target = found["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
            let (start, end) = (&found["range"]["start"], &found["range"]["end"]);
            if start == end {
                // A module: the begin of its file.
                assert!(target.ends_with(&format!("/{name}.lin")), "{name}: {target}");
                continue;
            }
            let there = fs::read_to_string(target).expect("a file");
            let defined =
                word(&there, number(&start["line"]), number(&start["character"]), number(&end["character"]));
            assert_eq!(defined, name, "{}: line {}", path.display(), line + 1);
            asked += 1;
        }
        client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert!(asked > 500, "{asked}");
    client.end();
}

const CELLS: &str = "struct Node { val: data, next: *Node }\nfn value(n: *Node) -> data { return n.val; }\n";
const ONE: &str = "object One: Stack;\nuse cells::*;\nshared head: *Node;\nop push(v: data) { let n = new Node { val: v }; head = n; }\nop pop() -> data? { let n = head; if n == null { return none; } return value(n); }\n";

#[test]
fn references_and_rename_go_through_all_files_that_use_a_module() {
    let directory = scratch("rename");
    let other = ONE.replace("object One", "object Other");
    for (name, text) in [("cells", CELLS), ("one", ONE), ("other", &other)] {
        fs::write(directory.join(format!("{name}.lin")), text).expect("a file");
    }
    let mut client = Client::new();
    let uri = client.open(&directory.join("cells.lin"), CELLS);
    let mut wanted = place(&uri, CELLS, "val: data", 1);
    wanted["context"] = json!({ "includeDeclaration": true });
    let found = client.ask("textDocument/references", wanted.clone());
    assert_eq!(found.as_array().map(Vec::len), Some(4), "definition, use, and one in each model: {found}");
    wanted["context"]["includeDeclaration"] = json!(false);
    assert_eq!(client.ask("textDocument/references", wanted).as_array().map(Vec::len), Some(3));
    let mut rename = place(&uri, CELLS, "val: data", 1);
    rename["newName"] = json!("item");
    let edits = client.ask("textDocument/rename", rename);
    let changes = edits["changes"].as_object().expect("changes");
    assert_eq!(changes.len(), 3, "{edits}");
    for (name, text) in [("cells", CELLS), ("one", ONE), ("other", &other)] {
        let of_file = &changes[&format!("file://{}", directory.join(format!("{name}.lin")).display())];
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let mut edits: Vec<&Value> = of_file.as_array().expect("edits").iter().collect();
        edits.reverse();
        for edit in edits {
            let at = |end: &str, part: &str| number(&edit["range"][end][part]);
            assert_eq!(&lines[at("start", "line")][at("start", "character")..at("end", "character")], "val");
            lines[at("start", "line")]
                .replace_range(at("start", "character")..at("end", "character"), "item");
        }
        assert!(!lines.join("\n").contains("val:"), "{name}: {lines:?}");
    }
    client.end();
}

#[test]
fn a_rename_that_would_change_a_meaning_is_refused() {
    let directory = scratch("refused");
    let mut client = Client::new();
    let uri = client.open(&directory.join("m.lin"), STACK);
    let mut rename = |of: &str, new: &str| {
        let mut params = place(&uri, STACK, of, 1);
        params["newName"] = json!(new);
        let answer = client.answer("textDocument/rename", params);
        match answer["error"]["message"].as_str() {
            Some(error) => error.to_string(),
            None => format!(
                "{} edits",
                answer["result"]["changes"].as_object().map_or(0, |changes| changes.len())
            ),
        }
    };
    assert_eq!(rename("head;", "top_of_stack"), "1 edits");
    assert!(rename("head;", "n").contains("already has a meaning"), "a variable of `push` would hide it");
    assert!(rename("top = head", "n").contains("already has a meaning"));
    assert!(rename("val: data", "next").contains("already has a meaning"));
    assert!(rename("Node {", "node").contains("capital letter"));
    for bad in ["", "let", "a b", "1x", "x;y", "é", "x: bool; shared y"] {
        assert!(rename("head;", bad).contains("is not a name"), "{bad}");
    }
    assert!(rename("Stack;", "Pile").contains("library"));
    assert!(rename("push(", "put").contains("library"));
    assert_eq!(rename("cas(", "swap"), "there is no name here");
    client.end();
}
