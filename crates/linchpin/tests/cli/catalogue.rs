//! `models` and `ir` on the embedded catalogue.

use crate::linchpin;
use snapbox::str;
use std::path::Path;

#[test]
fn the_list_has_a_line_for_each_model() {
    let output = linchpin().arg("models").assert().code(0).stderr_eq("");
    let list = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.first(), Some(&vec!["name", "object", "spec", "expected"]));
    let is_listed = |start: &[&str]| lines.iter().any(|line| line.starts_with(start));
    assert!(is_listed(&["treiber_stack", "TreiberStack", "Stack", "linearizable,"]), "{list}");
    assert!(is_listed(&["bounded_queue", "BoundedQueue", "BoundedQueue(CAP)", "linearizable,"]), "{list}");
    assert!(is_listed(&["snark_deque", "SnarkDeque", "Deque", "linearizable", "✗,"]), "{list}");
    for group in ["correct", "wrong"] {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(group);
        for entry in std::fs::read_dir(directory).expect("the catalogue is there") {
            let path = entry.expect("it can be read").path();
            let text = std::fs::read_to_string(&path).expect("it can be read");
            let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a model has a name");
            let is_model = text.lines().any(|line| line.starts_with("object "));
            assert_eq!(is_listed(&[stem]), is_model, "{stem}");
        }
    }
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
