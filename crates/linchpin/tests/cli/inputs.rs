//! Where models come from: several files, standard input, files that change.

use crate::{linchpin, linchpin_in, scratch, scratch_with};
use snapbox::str;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const RIGHT: &str = "\
object Cell: Register<0..2>(0);
shared x: 0..2;
op write(v: 0..2) { x = v; }
op read() -> 0..2 { return x; }
check { threads: 2; linearizable; }
";

fn wrong() -> String {
    RIGHT.replace("return x;", "return 0;")
}

#[test]
fn a_model_of_standard_input() {
    linchpin().args(["check", "-", "--quiet"]).stdin(RIGHT).assert().code(0).stdout_eq(str![[r#"
  linearizable  holds  as expected
  memory-safe   holds  as expected
  assertions    holds  as expected

"#]]);
    linchpin().args(["check", "-"]).stdin("object C").assert().code(2).stderr_eq(str![[r#"
error: expected `:`, found the end of the file
 --> <stdin>:1:9
...
"#]]);
    linchpin().args(["run", "-", "--seed", "1", "--steps", "1"]).stdin(RIGHT).assert().code(0);
    linchpin().args(["verify", "-", "--timeout", "1s"]).stdin(RIGHT).assert().code(0);
    for (options, text) in [
        (&["-"][..], "`-` is given twice"),
        (&["--trace", "t.json"], "a trace names its model"),
        (&["--watch"], "`--watch` does not apply to standard input"),
    ] {
        let output = linchpin().args(["check", "-"]).args(options).stdin(RIGHT).assert().code(2);
        let told = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(told.contains(text), "{told}");
    }
}

#[test]
fn several_models_end_with_the_worst() {
    let directory = scratch_with("inputs_several", "right.lin", RIGHT);
    fs::write(directory.join("wrong.lin"), wrong()).expect("written");
    let check = |models: &[&str], code: i32| {
        linchpin_in(&directory).arg("check").args(models).arg("--quiet").assert().code(code)
    };
    check(&["right.lin", "wrong.lin"], 1).stdout_eq(str![[r#"
right.lin:5
  linearizable  holds  as expected
  memory-safe   holds  as expected
  assertions    holds  as expected
wrong.lin:5
  linearizable  violated  NOT AS EXPECTED  in 2 steps
  memory-safe   holds     as expected
  assertions    holds     as expected

"#]]);
    // The others are checked all the same, and a violation outweighs an error.
    check(&["none.lin", "right.lin"], 2);
    check(&["none.lin", "wrong.lin", "right.lin"], 1);
    let json = ["check", "right.lin", "wrong.lin", "--json", "-"];
    let output = linchpin_in(&directory).args(json).assert().code(1);
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).expect("JSON");
    assert!(report["model"].is_null(), "{report}");
    let models: Vec<&str> =
        report["results"].as_array().expect("results").iter().filter_map(|r| r["model"].as_str()).collect();
    assert_eq!(models, [["right.lin"; 3], ["wrong.lin"; 3]].concat());
    linchpin_in(&directory).args(["check", "right.lin", "wrong.lin", "--trace", "t.json"]).assert().code(2);
}

/// Ends the process, whatever the test finds.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn watch(directory: &Path) -> (Watching, mpsc::Receiver<String>) {
    let mut command = std::process::Command::new(snapbox::cmd::cargo_bin!("linchpin"));
    command.current_dir(directory).args(["check", "m.lin", "--watch", "--quiet"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let out = child.stdout.take().expect("a pipe");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    (Watching(child), receiver)
}

#[test]
fn a_watched_model_is_checked_again_after_each_change() {
    let directory = scratch("inputs_watch");
    let file = directory.join("m.lin");
    fs::write(&file, RIGHT).expect("written");
    let (_watching, lines) = watch(&directory);
    let expect = |text: &str| loop {
        let line = lines.recv_timeout(Duration::from_secs(60)).expect("the model is checked again");
        if line.contains("linearizable") {
            assert!(line.contains(text), "{line}");
            break;
        }
    };
    expect("holds");
    fs::write(&file, wrong()).expect("written");
    expect("violated");
    // A model with an error is watched on.
    fs::write(&file, "object").expect("written");
    std::thread::sleep(Duration::from_millis(900));
    fs::write(&file, RIGHT).expect("written");
    expect("holds");
    assert!(lines.recv_timeout(Duration::from_millis(700)).is_ok(), "the rest of the verdicts");
    linchpin().args(["check", "treiber_stack", "--watch"]).assert().code(2);
}
