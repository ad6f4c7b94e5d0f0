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

/// Returns what `verify` prints, with blanks instead of line breaks.
fn verified(directory: &str, model: &str, code: i32, arguments: &[&str]) -> String {
    let directory = scratch_with(directory, "m.lin", model);
    let output = linchpin_in(&directory).arg("verify").args(arguments).assert().code(code);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Two items are there before the calls: the search in growing bounds does not come so far.
#[test]
fn a_violation_in_the_bounds_of_a_check_is_found_by_this_check() {
    let text = verified("verify_own_bounds", "", 1, &["striped_cuckoo_hash_set"]);
    assert!(text.contains("violated violated: memory-safe in"), "{text}");
    assert!(text.contains("123 steps, assertions in"), "{text}");
}

const RIGHT: &str = "object C: Counter<0..=3>(3); shared h: 0..=3;
op push() { atomic { await h < 3; h += 1; } }
op pop() -> 0..=3 { atomic { let found = h; if found > 0 { h = found - 1; } return found; } }
";

#[test]
fn an_expected_violation_that_is_not_there_is_a_surprise() {
    let model = format!("{RIGHT}check {{ threads: 2; linearizable: violated; }}");
    let text = verified("verify_surprise", &model, 1, &["m.lin", "--timeout", "2s"]);
    assert!(text.contains("violated holds, NOT AS EXPECTED"), "{text}");
}

#[test]
fn a_check_that_is_too_large_is_named() {
    let model =
        format!("{RIGHT}check {{ client: schedules, threads: 1..9, steps: 1..60; linearizable: violated; }}");
    let text = verified("verify_too_large", &model, 3, &["m.lin", "--timeout", "1s"]);
    assert!(text.contains("no violation yet [1]"), "{text}");
    assert!(text.contains("[1] expected violation not reached: line 4 ("), "{text}");
}

#[test]
fn proved_models_are_counted_below_the_table() {
    let text = verified("verify_counts", "", 0, &["coarse_queue", "coarse_stack"]);
    assert!(text.contains("proved all sizes (pairs)"), "{text}");
    assert!(text.contains("2 models expected to hold: 2 hold, 2 proved for all sizes"), "{text}");
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
    linchpin_in(&directory).args(["verify", "broken.lin"]).assert().code(2).stdout_eq("").stderr_eq(str![[
        r#"
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


"#
    ]]);
}
