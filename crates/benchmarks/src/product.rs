//! Linchpin, as its users run it: the binary, with its result as JSON.

use crate::instance::Instance;
use crate::measure::{self, Cost};
use crate::problem::Question;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Holds {
        states: u64,
        transitions: u64,
    },
    Violated,
    /// Why there is no verdict.
    Unknown(String),
}

/// The release binary of this workspace, built now if it is out of date.
pub fn build() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--release", "--package", "linchpin", "--bin", "linchpin"])
        .args(["--message-format", "json-render-diagnostics"]);
    let built = measure::run(&mut command)?.succeeded("building linchpin")?;
    executable(&built.output).ok_or_else(|| "cargo built no binary `linchpin`".to_owned())
}

/// One worker: Spin has one as well.
pub fn check(binary: &Path, instance: &Instance) -> Result<(Answer, Cost), String> {
    let bounds = instance.bounds;
    let mut command = Command::new(binary);
    command
        .args(["check", instance.model.name(), "--json", "-", "--jobs", "1"])
        .args(["--threads", &bounds.threads.to_string()])
        .args(["--nodes", &bounds.nodes.to_string()])
        .args(["--values", &bounds.values.to_string()])
        .args(match instance.question {
            Question::LinearizationPoints => &["--property", "linearizable", "--lin-points"][..],
            Question::LockFree => &["--property", "lock-free"][..],
        });
    let run = measure::run(&mut command)?;
    let answer = read(&run.output).map_err(|why| format!("{why}\n{}{}", run.output, run.complaints))?;
    Ok((answer, run.cost))
}

#[derive(Deserialize)]
struct Document {
    results: Vec<Judged>,
}

#[derive(Deserialize)]
struct Judged {
    verdict: String,
    states: u64,
    transitions: u64,
    #[serde(default)]
    limit: Option<String>,
}

fn read(json: &str) -> Result<Answer, String> {
    let document: Document = serde_json::from_str(json).map_err(|why| format!("linchpin's JSON: {why}"))?;
    let judged = document.results.into_iter().next().ok_or("linchpin's JSON has no result")?;
    match judged.verdict.as_str() {
        "holds" => Ok(Answer::Holds { states: judged.states, transitions: judged.transitions }),
        "violated" => Ok(Answer::Violated),
        "unknown" => Ok(Answer::Unknown(judged.limit.unwrap_or_else(|| "no reason given".to_owned()))),
        other => Err(format!("linchpin's JSON has a verdict `{other}`")),
    }
}

/// The path in cargo's messages, one JSON object a line.
fn executable(messages: &str) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok()?.executable).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(result: &str) -> String {
        format!(r#"{{"format":"linchpin/1","model":"m","results":[{result}]}}"#)
    }

    #[test]
    fn each_verdict_is_read() {
        let holds =
            r#"{"property":"linearizable","verdict":"holds","states":279,"transitions":722,"cut":128}"#;
        assert_eq!(read(&document(holds)), Ok(Answer::Holds { states: 279, transitions: 722 }));
        let violated = r#"{"verdict":"violated","states":1,"transitions":1}"#;
        assert_eq!(read(&document(violated)), Ok(Answer::Violated));
        let unknown = r#"{"verdict":"unknown","states":0,"transitions":0,"limit":"time"}"#;
        assert_eq!(read(&document(unknown)), Ok(Answer::Unknown("time".to_owned())));
    }

    #[test]
    fn other_text_is_refused() {
        assert!(read("").is_err());
        assert!(read(&document("")).is_err());
        assert!(read(&document(r#"{"verdict":"perhaps","states":0,"transitions":0}"#)).is_err());
    }

    #[test]
    fn the_binary_is_found_among_cargos_messages() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","executable":"/t/release/linchpin"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executable(messages), Some(PathBuf::from("/t/release/linchpin")));
        assert_eq!(executable(""), None);
    }
}
