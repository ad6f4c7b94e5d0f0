//! `verify`: a table of verdicts, and exit codes that a script can trust.

use crate::{linchpin_in, scratch_with};
use snapbox::str;

const LOST_UPDATE: &str = "\
//! Reads and writes the height in two steps: two pops can return the same height.
object Careless: Counter<0..=LIMIT>(LIMIT);
const LIMIT = 2;
shared height: 0..=LIMIT;
op push() {
    await height < LIMIT;
    atomic {
        await height < LIMIT;
        height += 1;
    }
}
op pop() -> 0..=LIMIT {
    let found = height;
    if found == 0 { return 0; }
    height = found - 1;
    return found;
}
check { threads: 2; linearizable: violated; }
";

#[test]
fn a_wrong_object_is_a_violation_and_is_drawn() {
    let directory = scratch_with("verify_wrong", "careless.lin", LOST_UPDATE);
    let output = linchpin_in(&directory).args(["verify", "careless.lin"]).assert().code(1).stderr_eq("");
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("violated: ") && text.contains("let found = height;"), "{text}");
    let table: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert!(table[0].starts_with("model         expected  verdict "), "{text}");
    assert!(table[1].starts_with("careless.lin  violated  violated: "), "{text}");
    assert!(table.iter().all(|line| line.chars().count() <= 120 && line.trim_end() == *line), "{text}");
}

#[test]
fn a_wrong_model_of_the_catalogue_is_a_violation_when_it_is_named() {
    let directory = scratch_with("verify_named", "none.lin", "");
    linchpin_in(&directory).args(["verify", "snark_deque"]).assert().code(1).stderr_eq("");
}

/// The violation of this model needs points, which the search in growing bounds does not judge.
#[test]
fn a_wrong_model_shows_the_violation_of_its_own_check() {
    let directory = scratch_with("verify_points", "none.lin", "");
    let arguments = ["verify", "two_lock_queue_early_point", "--timeout", "2s"];
    let output = linchpin_in(&directory).args(arguments).assert().code(1).stderr_eq("");
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("violated: points in"), "{text}");
}

#[test]
fn a_model_with_an_error() {
    let directory = scratch_with("verify_broken", "broken.lin", "object L: Lock;\n");
    linchpin_in(&directory).args(["verify", "broken.lin"]).assert().code(2).stderr_eq(str![[r#"
error: `acquire` and `release` of `Lock` are missing
   --> broken.lin:1:11
    |
  1 | object L: Lock;
    |           ^^^^ the object has exactly the operations of its specification
    |
   ::: specs.lin:216:8
    |
216 |     op acquire() when owner == none { owner = me; }
    |        ------- specified here
217 |     op release() when owner == me { owner = none; }
    |        ------- specified here
    |
    = help: add `op acquire()` and `op release()`

error: `broken.lin` has an error


"#]]);
}
