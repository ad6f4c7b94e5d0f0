//! `verify`, as far as it goes: every model is read, checked, lowered and run once.

use crate::{linchpin, linchpin_in, scratch_with};
use snapbox::{file, str};

#[test]
fn the_whole_catalogue() {
    linchpin().arg("verify").assert().code(0).stderr_eq("").stdout_eq(file!["verify.txt"]);
}

#[test]
fn one_model_and_one_with_an_error() {
    linchpin().args(["verify", "treiber_stack"]).assert().code(0).stderr_eq("").stdout_eq(str![]);
    let directory = scratch_with("verify_broken", "broken.lin", "object L: Lock;\n");
    linchpin_in(&directory)
        .args(["verify", "treiber_stack", "broken.lin"])
        .assert()
        .code(2)
        .stderr_eq(str![]);
}
