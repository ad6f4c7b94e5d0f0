//! `models` and `ir` on the embedded catalogue.

use crate::linchpin;
use snapbox::{file, str};
use std::path::Path;

#[test]
fn the_list_has_a_line_for_each_model() {
    linchpin().arg("models").assert().code(0).stderr_eq("").stdout_eq(file!["models.txt"]);
}

#[test]
fn show_prints_the_file_itself() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/correct/treiber_stack.lin");
    let text = std::fs::read_to_string(file).expect("the catalogue has a Treiber stack");
    linchpin()
        .args(["models", "show", "treiber_stack"])
        .assert()
        .code(0)
        .stdout_eq(snapbox::Data::text(text).raw());
    linchpin().args(["models", "show", "treiber_stak"]).assert().code(2).stderr_eq(str![[r#"
error: no model `treiber_stak` in the catalogue
  help: did you mean `treiber_stack`?

"#]]);
}

#[test]
fn every_model_becomes_steps() {
    let list = linchpin().arg("models").assert().code(0);
    let list = String::from_utf8_lossy(&list.get_output().stdout).into_owned();
    let names: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 20, "{list}");
    for name in names {
        linchpin().args(["ir", name]).assert().code(0).stderr_eq("");
    }
}
