//! Observers are tried on their specification before anything else is asked.

use crate::{linchpin_in, scratch_with};
use snapbox::str;

/// A register whose observer takes the last value for the first.
const WRONG: &str = "\
object Cell: Last;
shared x: data? ;
op put(v: data) { x = v; lin; }
op get() -> data? { let v = x; lin; return v; }
spec Last {
    state x: data?;
    op put(v: data) { x = v; }
    op get() -> data? { return x; }
    observer first(a: data, b: data) {
        start: put(a) => one;
        one: put(b) => two;
        two: get() -> b => violated;
    }
}
";

#[test]
fn an_observer_that_accepts_what_is_allowed_is_refused() {
    let directory = scratch_with("wrong_observer", "cell.lin", WRONG);
    linchpin_in(&directory).args(["check", "cell.lin"]).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: the observer `first` accepts a sequence that the specification allows
  --> cell.lin:9:5
   |
 9 | /     observer first(a: data, b: data) {
10 | |         start: put(a) => one;
11 | |         one: put(b) => two;
12 | |         two: get() -> b => violated;
13 | |     }
   | |_____^ accepts `put(a)`, `put(b)`, `get() -> b`
   |
   = help: change the observer so that this sequence leads to another location

error: `cell.lin` has an error

"#]]);
    linchpin_in(&directory).args(["verify", "cell.lin"]).assert().code(2);
}

#[test]
fn an_observer_that_accepts_nothing_allowed_is_taken() {
    let right = WRONG.replace("get() -> b => violated", "get() -> none => violated");
    let directory = scratch_with("right_observer", "cell.lin", right);
    linchpin_in(&directory).args(["check", "cell.lin", "--threads", "2", "--values", "2"]).assert().code(0);
}

/// Asked for the observers themselves, the object's executions are the trial.
#[test]
fn a_wrong_observer_accepts_on_a_right_object() {
    let directory = scratch_with("wrong_observer_on_object", "cell.lin", WRONG);
    let asked = ["check", "cell.lin", "--property", "observers", "--threads", "1", "--values", "2"];
    let output = linchpin_in(&directory).args(asked).args(["--trace", "trace.json"]).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for part in [
        "observers  violated",
        "an observer accepts: ",
        "The observer `first` accepts, with a = 1, b = 2",
        "get() → 2                 violated",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let output = linchpin_in(&directory).args(["replay", "trace.json"]).assert().code(1);
    let again = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(again.contains("The observer `first` accepts, with a = 1, b = 2"), "{again}");
}

#[test]
fn an_observer_that_cannot_watch_says_so() {
    let directory = scratch_with("idle_observer", "cell.lin", WRONG);
    let asked = ["check", "cell.lin", "--property", "observers", "--threads", "1", "--values", "1"];
    linchpin_in(&directory).args(asked).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: the observers of `Last` have more variables than there are values
  help: run with `--values 2` or more

"#]]);
    let none = ["check", "lazy_list", "--property", "observers"];
    linchpin_in(&directory).args(none).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: the specification `Set` has no observers
  help: write `observer NAME(a: data) { … }` into it, or ask for `linearizable`

"#]]);
    let stack = ["check", "treiber_stack", "--property", "observers", "--threads", "1", "--values", "1"];
    let output = linchpin_in(&directory).args(stack).assert().code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let remark = "the observer `lifo` watches nothing: it has more variables than there are values";
    assert!(text.contains(remark), "{text}");
}
