//! An option that means nothing, or does not apply, is an error and never ignored; what is not there yet is `unknown`,
//! never a pass.

use crate::{linchpin, linchpin_in, scratch_with};
use snapbox::str;

#[test]
fn malformed_values() {
    linchpin().args(["check", "treiber_stack", "--threads", "3..2"]).assert().code(2).stderr_eq(str![]);
    linchpin().args(["check", "treiber_stack", "--nodes", "few"]).assert().code(2).stderr_eq(str![]);
    linchpin().args(["check", "treiber_stack", "--timeout", "60"]).assert().code(2).stderr_eq(str![]);
    linchpin()
        .args(["check", "treiber_stack", "--property", "linearisable"])
        .assert()
        .code(2)
        .stderr_eq(str![]);
    linchpin().args(["run", "bounded_queue", "--set", "CAP"]).assert().code(2).stderr_eq(str![]);
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
        .stderr_eq(str![]);
}

#[test]
fn bounds_that_a_model_does_not_have() {
    linchpin().args(["run", "treiber_stack", "--keys", "2"]).assert().code(2).stderr_eq(str![]);
    linchpin().args(["run", "lazy_list", "--values", "2"]).assert().code(2).stderr_eq(str![]);
    linchpin().args(["run", "register_k", "--nodes", "2"]).assert().code(2).stderr_eq(str![]);
    linchpin().args(["run", "treiber_stack", "--set", "CAP=2"]).assert().code(2).stderr_eq(str![]);
    linchpin().args(["run", "treiber_stack", "--threads", "0"]).assert().code(2).stderr_eq(str![]);
}

#[test]
fn what_is_not_there_yet_is_unknown() {
    let directory = scratch_with("not_yet", "file.json", "{}\n");
    linchpin_in(&directory).args(["prove", "treiber_stack"]).assert().code(3).stdout_eq("").stderr_eq(str![]);
    linchpin_in(&directory)
        .args(["certify", "treiber_stack", "file.json"])
        .assert()
        .code(3)
        .stdout_eq("")
        .stderr_eq(str![]);
    linchpin_in(&directory)
        .args(["history", "file.json", "--spec", "Queue"])
        .assert()
        .code(3)
        .stdout_eq("")
        .stderr_eq(str![]);
}
