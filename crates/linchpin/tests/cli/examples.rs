//! The examples of `linchpin-portfolio` run, and their output is plain text.

#[path = "../../../linchpin-portfolio/examples/check_a_model.rs"]
mod check_a_model;
#[path = "../../../linchpin-portfolio/examples/judge_a_history.rs"]
mod judge_a_history;
#[path = "../../../linchpin-portfolio/examples/prove_and_save.rs"]
mod prove_and_save;

use super::{linchpin_in, scratch};

#[test]
fn a_model_from_a_string_is_checked() {
    check_a_model::main().expect("the example runs");
    let text = check_a_model::report().expect("the example runs");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.starts_with("  linearizable  violated  in "), "{text}");
    assert!(text.contains("No order of these calls is legal"), "{text}");
}

#[test]
fn a_history_is_judged_by_the_name_of_a_specification() {
    judge_a_history::main().expect("the example runs");
    let text = judge_a_history::report().expect("the example runs");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.starts_with("  linearizable  violated\n"), "{text}");
    assert!(text.contains("Line 4 breaks it"), "{text}");
}

#[test]
fn a_proof_is_saved_and_its_certificate_is_checked() {
    prove_and_save::main().expect("the example runs");
    let directory = scratch("examples_prove");
    let text = prove_and_save::save(&directory.join("c.json")).expect("the example runs");
    assert!(text.contains("linearizable   holds"), "{text}");
    linchpin_in(&directory).args(["certify", "treiber_stack", "c.json"]).assert().code(0);
}
