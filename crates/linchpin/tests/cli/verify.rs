//! `verify`, as far as it goes: every model is read, checked, lowered and run once.

use crate::{linchpin, linchpin_in, scratch_with};
use snapbox::{file, str};

#[test]
fn the_whole_catalogue() {
    linchpin().arg("verify").assert().code(0).stderr_eq("").stdout_eq(file!["verify.txt"]);
}

#[test]
fn one_model_and_one_with_an_error() {
    linchpin().args(["verify", "treiber_stack"]).assert().code(0).stderr_eq("").stdout_eq(str![[r#"
model          object        spec   operations  steps  what happened
treiber_stack  TreiberStack  Stack  2           1000   345 calls, no error

"#]]);
    let directory = scratch_with("verify_broken", "broken.lin", "object L: Lock;\n");
    linchpin_in(&directory).args(["verify", "treiber_stack", "broken.lin"]).assert().code(2).stderr_eq(str![
        [r#"
error: `acquire` and `release` of `Lock` are missing
   --> broken.lin:1:11
    |
  1 | object L: Lock;
    |           ^^^^ the object has exactly the operations of its specification
    |
   ::: specs.lin:106:8
    |
106 |     op acquire() when owner == none { owner = me; }
    |        ------- specified here
107 |     op release() when owner == me { owner = none; }
    |        ------- specified here
    |
    = help: add `op acquire()` and `op release()`

error: `broken.lin` has an error


"#]
    ]);
}
