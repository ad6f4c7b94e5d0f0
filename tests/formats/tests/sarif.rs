//! Logs against the schema of SARIF 2.1.0.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The schema lies in the sources of the crate `serde-sarif`.
fn schema() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--all-features", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").expect("the crate");
    let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
    let text =
        std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    assert!(
        schema["title"].as_str().expect("a title").contains("(SARIF) Version 2.1.0"),
        "{}",
        schema["title"]
    );
    schema
}

/// The binary that the stage `build` made, or the one that is named.
fn linchpin() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/debug/linchpin");
    std::env::var_os("LINCHPIN").map_or(built, PathBuf::from)
}

#[test]
fn logs_follow_the_schema() {
    let schema = schema();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
    let directory = tempfile::tempdir().expect("a directory");
    let history = directory.path().join("h.jsonl");
    let lines = "{\"thread\": 1, \"call\": \"enq\", \"args\": [7]}\n{\"thread\": 1, \"return\": \"enq\"}\n\
                 {\"thread\": \"</script>\", \"call\": \"deq\"}\n\
                 {\"thread\": \"</script>\", \"return\": \"deq\", \"result\": null}\n";
    std::fs::write(&history, lines).expect("written");
    let history = history.to_str().expect("a path");
    let commands: [&[&str]; 10] = [
        &["check", "treiber_stack_reuse"],
        &["check", "two_lock_queue_early_point"],
        &["check", "clh_lock", "treiber_stack"],
        &["check", "snark_deque", "--timeout", "1ms"],
        &["prove", "treiber_stack"],
        &["prove", "harris_list", "--timeout", "1s"],
        &["verify", "treiber_stack_reuse", "ms_queue", "--timeout", "2s"],
        &["run", "lazy_list", "--seed", "3"],
        &["history", history, "--spec", "Queue"],
        &["history", history, "--spec", "Queue", "--property", "sequentially-consistent"],
    ];
    let mut results = 0;
    for command in commands {
        let file = directory.path().join("log.sarif");
        let output =
            Command::new(linchpin()).args(command).arg("--sarif").arg(&file).output().expect("it runs");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let log: Value =
            serde_json::from_str(&std::fs::read_to_string(&file).expect(&message)).expect("JSON");
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path)).collect();
        assert!(errors.is_empty(), "{command:?}: {errors:#?}");
        results += log["runs"][0]["results"].as_array().expect("results").len();
        std::fs::remove_file(file).expect("removed");
    }
    assert!(results > 8, "the logs have results");
}

#[test]
fn a_wrong_log_is_refused() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let log = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let least = r#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}}]}"#;
    assert!(validator.is_valid(&log(least)));
    for (from, to) in [("\"name\"", "\"nome\""), ("2.1.0", "2.0.0"), ("\"runs\"", "\"run\""), ("\"x\"", "1")]
    {
        assert!(!validator.is_valid(&log(&least.replace(from, to))), "{from} → {to}");
    }
}
