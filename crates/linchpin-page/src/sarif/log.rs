//! The part of SARIF 2.1.0 that a log uses. Names are those of the format.

use linchpin_report::view::rules;
use serde::Serialize;
use std::collections::BTreeMap;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

impl Log {
    pub fn of(results: Vec<LogResult>) -> Log {
        let rule =
            |(id, text): (&'static str, &'static str)| Rule { id, short_description: Message::of(text) };
        let driver = Driver {
            name: "Linchpin",
            semantic_version: env!("CARGO_PKG_VERSION"),
            rules: rules::all().into_iter().map(rule).collect(),
        };
        let run = Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results };
        Log { schema: SCHEMA, version: "2.1.0", runs: [run] }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<LogResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
}

#[derive(Clone, Serialize)]
pub struct Message {
    text: String,
}

impl Message {
    pub fn of(text: impl Into<String>) -> Message {
        Message { text: text.into() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    pub kind: &'static str,
    pub level: &'static str,
    pub message: Message,
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppressions: Vec<Suppression>,
}

#[derive(Serialize)]
pub struct Suppression {
    pub kind: &'static str,
    pub justification: &'static str,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Clone, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
}

impl Location {
    /// Makes the location of a line, from 1.
    pub fn line(uri: &str, line: usize) -> Location {
        let artifact_location = ArtifactLocation { uri: uri.to_string() };
        let physical_location =
            PhysicalLocation { artifact_location, region: Region { start_line: line.max(1) } };
        Location { physical_location, message: None }
    }

    pub fn saying(self, text: impl Into<String>) -> Location {
        Location { message: Some(Message::of(text)), ..self }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow {
    pub message: Message,
    pub thread_flows: Vec<ThreadFlow>,
}

#[derive(Serialize)]
pub struct ThreadFlow {
    pub id: String,
    pub locations: Vec<FlowLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowLocation {
    pub location: Location,
    /// From 1, over all threads.
    pub execution_order: usize,
    pub kinds: Vec<&'static str>,
    pub importance: &'static str,
    /// The variables of the thread and the shared variables after the step.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<String, Message>,
}
