//! The command as a person runs it: messages of bad input.

use std::process::Command;

fn linchpin(directory: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-linchpin"));
    let output = command.arg("linchpin").args(arguments).current_dir(directory).output();
    let output = output.expect("the program starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), text)
}

#[test]
fn a_project_without_the_crate_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let manifest = "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(directory.path().join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::create_dir(directory.path().join("src")).expect("a directory");
    std::fs::write(directory.path().join("src/lib.rs"), "").expect("a source");
    for arguments in [vec!["test"], vec!["vendor", "serde"]] {
        let (code, text) = linchpin(directory.path(), &arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("the project does not use linchpin-test"), "{text}");
    }
}

#[test]
fn a_directory_without_a_project_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (code, text) = linchpin(directory.path(), &["test"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("cargo does not know this project"), "{text}");
}
