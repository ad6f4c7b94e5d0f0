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
error: the observer `first` accepts what the specification allows
  --> cell.lin:9:5
   |
 9 | /     observer first(a: data, b: data) {
10 | |         start: put(a) => one;
11 | |         one: put(b) => two;
12 | |         two: get() -> b => violated;
13 | |     }
   | |_____^ accepts `put(a)`, `put(b)`, `get() -> b`
   |
   = help: an observer accepts what must not happen; let this lead somewhere else

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
