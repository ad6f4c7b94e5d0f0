//! Pages: each command writes one, and no text of an input becomes markup or hides in it.

use crate::{linchpin_in, scratch, scratch_with};
use std::fs;
use std::path::Path;

/// A stack that frees what it pops. Its comments and its file name attack the page.
pub const NAME: &str = "a\"'<b onmouseover=x>&amp;\u{202e}.lin";
pub const HOSTILE: &str =
    "</script><script>alert(1)</script> <img src=x onerror=alert(1)> \" ' ]]> <!-- & \u{200f}\u{2066}\u{85}";

pub fn model() -> String {
    let text = include_str!("../../../../models/wrong/treiber_stack_reuse.lin");
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line} // {HOSTILE}")).collect();
    // The check blocks stay as they are; only the first is needed.
    lines.retain(|line| !line.starts_with("//!"));
    lines.join("\n") + "\n"
}

/// Returns the page that a command writes.
fn page(directory: &Path, arguments: &[&str]) -> String {
    let output =
        linchpin_in(directory).args(arguments).args(["--html", "page.html"]).output().expect("it runs");
    let shown = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {shown:?}");
    shown.iter().for_each(|text| has_nothing_hidden(text));
    fs::read_to_string(directory.join("page.html")).expect("a page")
}

pub fn has_nothing_hidden(text: &str) {
    let hidden = |c: &char| *c != '\n' && linchpin_report::visible::is_hidden(*c);
    assert_eq!(text.chars().find(hidden), None, "{text}");
}

/// Checks what holds for every page.
fn is_safe(page: &str) {
    has_nothing_hidden(page);
    // The data block and the script of the page.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    for markup in ["<img", "<b onmouse", "<!--", "onerror=alert(1)>"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("default-src 'none'; style-src 'sha256-"));
    for address in ["http://", "https://", "src=\"", "url(http"] {
        assert!(!page.contains(address), "{address}");
    }
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"model\">").expect("a data block");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["format"], "linchpin-view/1");
}

#[test]
fn texts_of_a_model_stay_texts() {
    let directory = scratch_with("hostile_model", NAME, model());
    let check = page(&directory, &["check", NAME, "--trace", "t.json"]);
    is_safe(&check);
    assert!(check.contains("not linearizable") && check.contains("&lt;/script&gt;"));
    is_safe(&page(&directory, &["replay", "t.json"]));
    is_safe(&page(&directory, &["run", NAME, "--seed", "1"]));
    is_safe(&page(&directory, &["verify", NAME, "--timeout", "2s"]));
}

#[test]
fn texts_of_a_history_stay_texts() {
    let quoted = serde_json::to_string(&format!("{HOSTILE}\u{1b}[31m")).expect("JSON");
    let lines = [
        format!("{{\"thread\": {quoted}, \"call\": \"enq\", \"args\": [{quoted}]}}"),
        format!("{{\"thread\": {quoted}, \"return\": \"enq\"}}"),
        format!("{{\"thread\": {quoted}, \"call\": \"deq\"}}"),
        format!("{{\"thread\": {quoted}, \"return\": \"deq\", \"result\": null}}"),
    ];
    let directory =
        scratch_with("hostile_history", "</script>.jsonl".replace('/', "_").as_str(), lines.join("\n"));
    let page = page(&directory, &["history", "<_script>.jsonl", "--spec", "Queue"]);
    is_safe(&page);
    assert!(page.contains("violated") && page.contains("\\u{1b}[31m"));
}

#[test]
fn a_proof_shows_its_invariant_and_a_page_is_never_an_input() {
    let directory = scratch("page_of_a_proof");
    let page = page(&directory, &["prove", "treiber_stack"]);
    is_safe(&page);
    for text in ["The invariant: linearizable", "At any time", "compared with small instances"] {
        assert!(page.contains(text), "{text}");
    }
    let refused = linchpin_in(&directory).args(["check", "treiber_stack", "--html", "-"]).assert().code(2);
    refused.stderr_eq(snapbox::str![[r#"
error: `--html -` does not apply: standard output has the text
  help: name a file

"#]]);
    fs::write(directory.join("m.lin"), include_str!("../../../../models/correct/treiber_stack.lin"))
        .expect("written");
    for command in ["check", "prove", "run", "verify"] {
        linchpin_in(&directory).args([command, "m.lin", "--html", "./m.lin"]).assert().code(2);
    }
}

/// Every sketch stands for views of the certificate, and each key has a class relative to the watched key.
#[test]
fn a_proof_of_a_set_shows_what_a_call_knows_at_each_line() {
    let directory = scratch("page_of_a_set");
    let page = page(&directory, &["prove", "coarse_list"]);
    is_safe(&page);
    for text in [
        "The invariant: a set",
        "Neighbours, at any time",
        "below k",
        "the set has k",
        "the set does not have k",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.matches("class=\"sketch\"").count() > 10);
}

/// 200 steps: the size of the page is bounded.
#[test]
fn a_page_of_two_hundred_steps_is_smaller_than_a_megabyte() {
    let directory = scratch("long_page");
    let page = page(&directory, &["run", "snark_deque_repaired", "--seed", "7", "--steps", "200"]);
    is_safe(&page);
    assert!(page.contains("step 200\""), "the execution has 200 steps");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}
