//! What `check` blocks expect of the annotated points: lines, exit codes, JSON.

use crate::{linchpin, linchpin_in, scratch_with};
use snapbox::str;

/// A register, written at once and read at once.
const CELL: &str = "\
object Cell: Register<0..2>(0);
shared x: 0..2;
op write(v: 0..2) { x = v; lin; }
op read() -> 0..2 { let v = x; lin; return v; }
";

/// The same, with a look at it beforehand that claims to be the write.
fn early() -> String {
    CELL.replace("x = v; lin;", "let old = x; lin; x = v;")
}

/// The verdict lines of the model with a `check` block of these expectations, which ends with this code.
fn checked(test: &str, model: &str, expectations: &str, code: i32) -> String {
    let text = format!("{model}check {{ threads: 2; {expectations} }}\n");
    let directory = scratch_with(&format!("points_{test}"), "cell.lin", text);
    let output = linchpin_in(&directory).args(["check", "cell.lin", "--quiet"]).assert().code(code);
    String::from_utf8_lossy(&output.get_output().stdout).into_owned()
}

#[test]
fn right_points() {
    let lines = checked("right", CELL, "linearizable; points;", 0);
    snapbox::assert_data_eq!(
        lines,
        str![[r#"
  linearizable  holds  as expected
  points        holds  as expected  annotation: confirmed
  memory-safe   holds  as expected
  assertions    holds  as expected

"#]]
    );
    let lines = checked("right_refused", CELL, "linearizable; points: violated;", 1);
    let surprise = "points        holds  NOT AS EXPECTED  annotation: confirmed\n";
    assert!(lines.contains(surprise), "{lines}");
}

#[test]
fn wrong_points() {
    let lines = checked("wrong_refused", &early(), "linearizable; points;", 1);
    snapbox::assert_data_eq!(
        lines,
        str![[r#"
  linearizable  holds     as expected
  points        violated  NOT AS EXPECTED  annotation: refuted in 2 steps
  memory-safe   holds     as expected
  assertions    holds     as expected

"#]]
    );
    let lines = checked("wrong", &early(), "linearizable; points: violated;", 0);
    let expected = "points        violated  as expected  annotation: refuted in 2 steps\n";
    assert!(lines.contains(expected), "{lines}");
}

/// `points` asks for `linearizable`, which is expected to hold.
#[test]
fn points_alone() {
    let lines = checked("alone", &early(), "points: violated;", 0);
    assert!(lines.contains("linearizable  holds     as expected\n"), "{lines}");
}

/// Without an expectation about points, a refutation is reported and is not a success.
#[test]
fn a_refutation_of_which_nothing_is_said() {
    let text = format!("{}check {{ threads: 2, lin_points: on; linearizable; }}\n", early());
    let directory = scratch_with("points_unexpected", "cell.lin", text);
    linchpin_in(&directory).args(["check", "cell.lin", "--quiet"]).assert().code(1).stdout_eq(str![[r#"
  linearizable  holds  as expected  annotation: refuted
  memory-safe   holds  as expected
  assertions    holds  as expected

"#]]);
}

/// Where the property itself is violated as expected, no points are right: nothing is wrong with the
/// expectations.
#[test]
fn points_of_what_is_violated() {
    linchpin().args(["check", "treiber_stack_as_fifo", "--lin-points"]).assert().code(0);
    linchpin().args(["check", "two_lock_queue_gc", "--lin-points"]).assert().code(0);
}

/// In small bounds no call completes, and the points are not judged.
#[test]
fn points_of_nothing() {
    let model = "object S: Stack;\nstruct N { v: data }\nshared x: *N;\n\
        op push(v: data) { x = new N { v: v }; lin; }\n\
        op pop() -> data? { let n = x; lin; return none; }\n\
        check { threads: 1, nodes: 0, values: 1; points; }\n";
    let directory = scratch_with("points_of_nothing", "s.lin", model);
    linchpin_in(&directory).args(["check", "s.lin", "--quiet"]).assert().code(3).stdout_eq(str![[r#"
  linearizable  unknown  vacuous: no call of `push` ever completed
  points        unknown  vacuous: no call of `push` ever completed
  memory-safe   unknown  vacuous: no call of `push` ever completed
  assertions    unknown  vacuous: no call of `push` ever completed

"#]]);
}

#[test]
fn what_refutes_expected_points_is_drawn() {
    linchpin().args(["check", "two_lock_queue_early_point"]).assert().code(0).stdout_eq(str![[r#"
...
  points        violated  as expected  annotation: refuted in 7 steps
...
the linearization points are wrong: 7 steps, 1 context switch
...
Why the points are wrong
  At step 7 t1's deq() returns none, but its point gave it 1
...
"#]]);
}

#[test]
fn json_has_both() {
    let asked = ["check", "ms_queue_early_empty", "--json", "-"];
    let output = linchpin().args(asked).assert().code(0).stderr_eq("");
    let report: serde_json::Value =
        serde_json::from_slice(&output.get_output().stdout).expect("the output is JSON");
    let results = report["results"].as_array().expect("there are results");
    let annotated: Vec<(&str, &str, bool, bool)> = results
        .iter()
        .filter_map(|result| {
            let expected = (result["as_expected"].as_bool()?, result["annotation_as_expected"].as_bool()?);
            Some((result["property"].as_str()?, result["annotation"].as_str()?, expected.0, expected.1))
        })
        .collect();
    assert_eq!(
        annotated,
        [("linearizable", "refuted", true, true), ("linearizable", "confirmed", true, true)]
    );
}

#[test]
fn the_catalogue_lists_them() {
    let output = linchpin().arg("models").assert().code(0);
    let list = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let line = list.lines().find(|line| line.starts_with("ms_queue_early_empty")).expect("it is listed");
    assert!(line.contains("linearizable, points ✗, "), "{line}");
}

/// The register without its points.
fn bare() -> String {
    format!("{}check {{ threads: 2; linearizable; }}\n", CELL.replace(" lin;", ""))
}

#[test]
fn points_are_found_and_written() {
    let directory = scratch_with("points_mined", "cell.lin", bare());
    let output = linchpin_in(&directory).args(["points", "cell.lin", "--write", "out.lin"]).assert().code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for line in [
        "cell.lin: points found and confirmed",
        "op write(v: 0..2) { x = v; lin; }",
        "let v = x;",
        "confirms them up to",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
    // The written model is formatted, and its points are those of the source now.
    linchpin_in(&directory).args(["fmt", "--check", "out.lin"]).assert().code(0);
    linchpin_in(&directory).args(["check", "out.lin", "--lin-points", "--quiet"]).assert().code(0);
    let again = linchpin_in(&directory).args(["points", "out.lin"]).assert().code(0);
    let text = String::from_utf8_lossy(&again.get_output().stdout).into_owned();
    assert!(text.contains("the points of the source are confirmed"), "{text}");
}

#[test]
fn points_alone_on_standard_output() {
    let directory = scratch_with("points_alone", "cell.lin", bare());
    let output = linchpin_in(&directory).args(["points", "cell.lin", "--write", "-"]).assert().code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.starts_with("object Cell"), "{text}");
    assert_eq!(text.matches("lin;").count(), 2, "{text}");
}

#[test]
fn no_points_for_a_wrong_object() {
    // A write that another write may undo.
    let wrong = bare().replace("x = v;", "let old = x; x = v; x = old;");
    let directory = scratch_with("points_wrong", "cell.lin", wrong);
    let output = linchpin_in(&directory).args(["points", "cell.lin"]).assert();
    let output = output.get_output();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(matches!(output.status.code(), Some(1 | 3)), "{text}");
    assert!(!text.contains("found and confirmed"), "{text}");
    assert!(text.contains("help: run `linchpin check cell.lin`"), "{text}");
}

#[test]
fn a_rendezvous_has_no_points() {
    linchpin().args(["points", "synchronous_queue"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: operations of `SynchronousQueue` happen together and have no points
  help: run `linchpin check`: it judges rendezvous without points

"#]]);
}
