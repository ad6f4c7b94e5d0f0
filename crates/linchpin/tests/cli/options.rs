//! An option that means nothing, or does not apply, is an error and never ignored; what is not there yet is
//! `unknown`, never a pass.

use crate::linchpin;
use snapbox::str;

#[test]
fn malformed_values() {
    linchpin().args(["check", "treiber_stack", "--threads", "3..2"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '3..2' for '--threads <N>': the range is empty: 3 is greater than 2

For more information, try '--help'.

"#]]);
    linchpin().args(["check", "treiber_stack", "--nodes", "few"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value 'few' for '--nodes <N>': expected a number or a range such as `2..3`

For more information, try '--help'.

"#]]);
    linchpin().args(["check", "treiber_stack", "--timeout", "60x"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '60x' for '--timeout <TIME>': expected a time such as `60s`, `5m` or `250ms`

For more information, try '--help'.

"#]]);
    linchpin()
        .args(["check", "treiber_stack", "--property", "linearisable"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: invalid value 'linearisable' for '--property <P>'
  [possible values: linearizable, sequentially-consistent, quiescently-consistent, barrier-consistent, observers, memory-safe, deadlock-free, assertions, terminating, lock-free, wait-free, obstruction-free, starvation-free]

  tip: a similar value exists: 'linearizable'

For more information, try '--help'.

"#]]);
    // Expected in a `check` block, asked for by an option of its own.
    linchpin().args(["check", "treiber_stack", "--property", "points"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value 'points' for '--property <P>'
  [possible values: linearizable, sequentially-consistent, quiescently-consistent, barrier-consistent, observers, memory-safe, deadlock-free, assertions, terminating, lock-free, wait-free, obstruction-free, starvation-free]

  tip: to judge the annotated linearization points, use '--lin-points'

For more information, try '--help'.

"#]]);
    linchpin().args(["run", "bounded_queue", "--set", "CAP"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value 'CAP' for '--set <CONST=N>': expected a constant and a number such as `CAP=2`

For more information, try '--help'.

"#]]);
}

#[test]
fn options_of_schedules_do_not_apply_to_the_general_client() {
    for option in [
        ["--steps", "1..3"].as_slice(),
        &["--preadds", "1"],
        &["--preemptions", "2"],
        &["--restrict", "generic-values"],
        &["--keep-going"],
    ] {
        let output = linchpin().args(["check", "treiber_stack"]).args(option).assert().code(2);
        let text = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(text.contains(option[0]) && text.contains("--client schedules"), "{text}");
    }
    linchpin()
        .args(["check", "treiber_stack", "--property", "sequentially-consistent"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: `sequentially-consistent` is judged at the end of schedules; the general client has no schedules
  help: add `--client schedules`

"#]]);
}

#[test]
fn points_that_a_model_does_not_have() {
    linchpin().args(["check", "snzi", "--lin-points"]).assert().code(2).stderr_eq(str![[r#"
error: `--lin-points` does not apply to `Snzi`: no operation has a `lin`

"#]]);
    let meeting = ["check", "synchronous_queue", "--threads", "2", "--lin-points"];
    linchpin().args(meeting).assert().code(2).stderr_eq(str![[r#"
error: `--lin-points` does not apply to `SynchronousQueue`: operations of a rendezvous have no points of their own

"#]]);
    linchpin().args(["check", "snzi", "--lin-points", "--minimize-bounds"]).assert().code(2);
}

#[test]
fn bounds_that_a_model_does_not_have() {
    linchpin().args(["run", "treiber_stack", "--keys", "2"]).assert().code(2).stderr_eq(str![[r#"
error: `--keys` does not apply to `TreiberStack`: no operation takes a `key`

"#]]);
    linchpin().args(["run", "lazy_list", "--values", "2"]).assert().code(2).stderr_eq(str![[r#"
error: `--values` does not apply to `LazyList`: no operation takes a `data`

"#]]);
    linchpin().args(["run", "register_k", "--nodes", "2"]).assert().code(2).stderr_eq(str![[r#"
error: `--nodes` does not apply to `RegisterK`: the model has no `new`

"#]]);
    linchpin().args(["run", "treiber_stack", "--set", "CAP=2"]).assert().code(2).stderr_eq(str![[r#"
error: there is no constant `CAP` to set to 2
 --> models/correct/treiber_stack.lin:7:1
  |
7 | object TreiberStack: Stack;
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^ the object has no such constant
  |
  = help: a constant is defined by `const NAME = 2;`

error: `models/correct/treiber_stack.lin` has an error

"#]]);
    linchpin().args(["run", "treiber_stack", "--threads", "0"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value '0' for '--threads <N>': 0 is not in 1..=31

For more information, try '--help'.

"#]]);
}

#[test]
fn what_is_not_there_yet_is_unknown() {
    linchpin()
        .args(["prove", "treiber_stack", "--method", "canonical"])
        .assert()
        .code(3)
        .stdout_eq("")
        .stderr_eq(str![[r#"
unknown: proving by canonical abstraction is not supported yet

"#]]);
}
