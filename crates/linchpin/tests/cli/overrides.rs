//! Bounds of the command line in the place of those of the `check` blocks, and the counterexamples of each
//! check.

use crate::{linchpin_in, scratch_with};
use snapbox::str;
use std::path::{Path, PathBuf};

/// A flag that two threads can take. One thread cannot see the error.
const FLAG: &str = r"object Flag: Once;
spec Once {
    state taken: bool;
    op take() -> bool { if taken { return false; } taken = true; return true; }
}
shared taken: bool;
op take() -> bool { if taken { return false; } taken = true; return true; }
check { threads: 2; linearizable: violated; wait_free; }
check { threads: 1; linearizable; }
check { client: schedules, threads: 2, steps: 2; linearizable: violated; sequentially_consistent: violated; }
";

fn model(test: &str) -> PathBuf {
    scratch_with(&format!("overrides_{test}"), "c.lin", FLAG)
}

/// The headings and the verdict lines of a run that ends with this code.
fn verdicts(directory: &Path, code: i32, options: &[&str]) -> String {
    let output = linchpin_in(directory).args(["check", "c.lin"]).args(options).assert().code(code);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let is_verdict = |line: &&str| {
        let words = ["holds", "violated", "unknown"];
        (line.starts_with("c.lin:") && line.contains(';'))
            || line.starts_with("  ") && words.contains(&line.split_whitespace().nth(1).unwrap_or(""))
            || line.contains("expected in the bounds")
            || line.contains("not shown")
    };
    text.lines().filter(is_verdict).fold(String::new(), |out, line| out + line + "\n")
}

#[test]
fn a_bound_replaces_that_bound_of_each_block_and_nothing_else() {
    snapbox::assert_data_eq!(
        verdicts(&model("bound"), 1, &["--ints", "2"]),
        str![[r#"
c.lin:8 2 threads, ints up to 2; sequentially consistent memory
  linearizable  violated  as expected  in 4 steps
  wait-free     holds     as expected  most own steps: take 2
  memory-safe   holds     as expected
  assertions    holds     as expected
c.lin:9 1 thread, ints up to 2; sequentially consistent memory
  linearizable  holds  as expected
  memory-safe   holds  as expected
  assertions    holds  as expected
c.lin:10 2 threads, ints up to 2; schedules of 2 calls; sequentially consistent memory
  linearizable             violated               in 4 steps
  sequentially-consistent  violated               in 4 steps
  memory-safe              holds     as expected
  assertions               holds     as expected
  expected in the bounds of the file only: `linearizable: violated`, `sequentially-consistent:
not shown: 2 counterexamples; `--show sequentially-consistent` or `--show all` shows more

"#]]
    );
}

/// The second block expects `linearizable`, the first one its violation. In equal bounds the two contradict
/// each other, so nothing is expected, and a violation ends with 1.
#[test]
fn blocks_that_become_equal_are_one_search() {
    snapbox::assert_data_eq!(
        verdicts(&model("equal"), 1, &["--threads", "2", "--client", "general"]),
        str![[r#"
c.lin:8,9 2 threads; sequentially consistent memory
  linearizable  violated               in 4 steps
  wait-free     holds     as expected  most own steps: take 2
  memory-safe   holds     as expected
  assertions    holds     as expected

"#]]
    );
}

/// A violation that the file expects is not missed in smaller bounds; one that it does not expect is.
#[test]
fn an_expected_violation_need_not_exist_in_other_bounds() {
    let directory = scratch_with("overrides_smaller", "c.lin", FLAG.replace("check { threads: 1;", "//"));
    snapbox::assert_data_eq!(
        verdicts(&directory, 0, &["--threads", "1", "--client", "general", "--property", "linearizable"]),
        str![[r#"
c.lin:8 1 thread; sequentially consistent memory
  linearizable  holds
  expected in the bounds of the file only: `linearizable: violated`

"#]]
    );
    let only =
        FLAG.split("check").next().expect("an object").to_string() + "check { threads: 1; linearizable; }\n";
    let directory = scratch_with("overrides_larger", "c.lin", only);
    snapbox::assert_data_eq!(
        verdicts(&directory, 1, &["--threads", "2"]),
        str![[r#"
c.lin:8 2 threads; sequentially consistent memory
  linearizable  violated  NOT AS EXPECTED  in 4 steps
  memory-safe   holds     as expected
  assertions    holds     as expected

"#]]
    );
}

/// With another scheduler or other constants a violation is another one: it is not excused.
#[test]
fn an_expected_violation_does_not_excuse_one_under_another_scheduler() {
    let text = verdicts(&model("fair"), 1, &["--fair", "--client", "general"]);
    assert!(text.contains("  linearizable  violated               in 4 steps\n"), "{text}");
}

#[test]
fn a_property_of_schedules_selects_the_blocks_with_schedules() {
    snapbox::assert_data_eq!(
        verdicts(&model("schedules"), 0, &["--property", "sequentially-consistent"]),
        str![[r#"
c.lin:10 2 threads; schedules of 2 calls; sequentially consistent memory
  sequentially-consistent  violated  as expected  in 4 steps

"#]]
    );
    let text = verdicts(&model("steps"), 1, &["--steps", "2..3"]);
    assert!(text.starts_with("c.lin:10 2 threads; schedules of 2 to 3 calls;"), "{text}");
    assert_eq!(text.matches("c.lin:").count(), 1, "{text}");
}

/// Each option that a block can name reaches the scope.
#[test]
fn every_bound_of_a_block_is_an_option() {
    let directory = model("options");
    let options = "--ints 3 --ages 5 --depth 4 --spurious --hashes any --fair --client schedules --steps 2..3 \
                   --preemptions 1 --restrict adds-dominate --property terminating --json -";
    let output = linchpin_in(&directory).args(["check", "c.lin"]).args(options.split_whitespace()).output();
    let output = output.expect("it runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let scope = &report["results"][0]["scope"];
    for (name, expected) in [
        ("ints", serde_json::json!(3)),
        ("ages", 5.into()),
        ("depth", 4.into()),
        ("spurious", true.into()),
        ("hashes", "any".into()),
        ("fair", true.into()),
        ("steps", serde_json::json!([2, 3])),
        ("preemptions", 1.into()),
        ("restrictions", serde_json::json!(["adds_dominate"])),
    ] {
        assert_eq!(scope[name], expected, "{name}: {scope}");
    }
    let off = ["check", "c.lin", "--spurious=off", "--fair=off", "--property", "wait-free", "--json", "-"];
    let output = linchpin_in(&directory).args(off).assert().code(0);
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).expect("JSON");
    assert_eq!(report["results"][0]["scope"]["spurious"], false);
}

/// The drawings with the line above each: the check that it belongs to.
fn shown(directory: &Path, options: &[&str]) -> Vec<String> {
    let output = linchpin_in(directory).args(["check", "c.lin"]).args(options).assert().code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let titles = lines.windows(2).filter(|pair| pair[1].starts_with("not ") && pair[1].contains(" steps, "));
    titles.map(|pair| pair.join(" | ")).collect()
}

#[test]
fn each_counterexample_names_its_check_and_all_can_be_shown() {
    let directory = model("show");
    let first = "c.lin:8 2 threads | not linearizable: 4 steps, 2 context switches";
    let second = "c.lin:10 2 threads | not linearizable: 4 steps, 2 context switches";
    let third = "c.lin:10 2 threads | not sequentially-consistent: 4 steps, 2 context switches";
    assert_eq!(shown(&directory, &[]), [first]);
    assert_eq!(shown(&directory, &["--show", "linearizable"]), [first, second]);
    assert_eq!(shown(&directory, &["--show", "sequentially-consistent"]), [third]);
    assert_eq!(shown(&directory, &["--show", "all"]), [first, second, third]);
    assert_eq!(shown(&directory, &["--show", "wait-free"]), [""; 0]);
    let refused = ["check", "c.lin", "--show", "lock-free"];
    linchpin_in(&directory).args(refused).assert().code(2).stderr_eq(str![[r#"
error: `--show lock-free`: no check of `c.lin` judges it
  help: add `--property lock-free`

"#]]);
    linchpin_in(&directory).args(["check", "c.lin", "--show", "fast"]).assert().code(2).stderr_eq(str![[
        r#"
error: invalid value 'fast' for '--show <PROPERTY|all>': expected `all` or a property: linearizable, [..]

For more information, try '--help'.

"#
    ]]);
}
