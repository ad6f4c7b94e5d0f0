//! The result of a run as JSON: one object of format `linchpin/1`. New versions may add fields, but never
//! rename one.

use super::alarm::AlarmRecord;
use super::gate::GateRecord;
use super::qualified::{self, QualificationRecord, qualifications};
use super::trace_file::TraceFile;
use linchpin_engine::verdict::{
    Annotation, BoundedScope, ClientScope, ExpectationResult, FailureGroup, Finding, Match, Scope, Verdict,
};
use linchpin_ir::index::number_of;
use serde::Serialize;
use std::collections::BTreeMap;

pub const FORMAT: &str = "linchpin/1";

/// The result of a run.
#[derive(Serialize, Debug)]
pub struct Report {
    format: &'static str,
    /// The model. `None`: several models; each result names its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    results: Vec<ResultRecord>,
    /// Alarms of a prover.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alarms: Vec<AlarmRecord>,
    /// Instances that the gate compared with a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<GateRecord>,
}

impl Report {
    /// Makes the report of findings of one model.
    pub fn new(model: &str, findings: impl IntoIterator<Item = (Finding, ExpectationResult)>) -> Report {
        let results = findings.into_iter().map(|(finding, judged)| record(model, &finding, judged));
        Report {
            format: FORMAT,
            model: Some(model.into()),
            results: results.collect(),
            alarms: Vec::new(),
            compared: None,
        }
    }

    /// Makes the report of findings with their models. Each result names its model.
    pub fn of_models(findings: impl IntoIterator<Item = (String, Finding, ExpectationResult)>) -> Report {
        let result = |(model, finding, judged): (String, Finding, ExpectationResult)| ResultRecord {
            model: Some(model.clone()),
            ..record(&model, &finding, judged)
        };
        let results = findings.into_iter().map(result).collect();
        Report { format: FORMAT, model: None, results, alarms: Vec::new(), compared: None }
    }

    /// Adds the alarms of a prover.
    pub fn with_alarms(self, alarms: impl IntoIterator<Item = AlarmRecord>) -> Report {
        Report { alarms: alarms.into_iter().collect(), ..self }
    }

    /// Adds the result of the gate.
    pub fn with_compared(self, compared: Option<GateRecord>) -> Report {
        Report { compared, ..self }
    }

    /// Returns the text, with a newline at the end.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

#[derive(Serialize, Debug)]
struct ResultRecord {
    /// The model, if the report has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    property: String,
    verdict: &'static str,
    scope: ScopeRecord,
    engine: &'static str,
    states: u64,
    transitions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedules: Option<u64>,
    /// Number of cut transitions.
    cut: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_state: Option<u64>,
    depth: u64,
    /// For a search that reached a limit: number of states not expanded, and estimated number of all states.
    #[serde(skip_serializing_if = "is_zero")]
    frontier: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<u64>,
    /// Whether symmetry reduction was active, and the number of local steps run early.
    symmetry: bool,
    run_ahead: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// Parts of the property that the engine did not judge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<&'static str>,
    /// Whether the verdict matches the `check` block.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_expected: Option<bool>,
    /// Whether the result for the annotated points matches the `check` block.
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation_as_expected: Option<bool>,
    /// Qualifications of the verdict: bounds, restrictions, cuts, parts not judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    qualified_by: Vec<QualificationRecord>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    completed_calls: BTreeMap<String, u64>,
    /// For a wait-free object: the greatest number of own steps of a call, by operation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    own_steps: BTreeMap<String, u64>,
    /// For `--keep-going`: number of judged schedules, number of failing schedules, groups of failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    judged_schedules: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_schedules: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailureRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceFile>,
}

/// Schedules that fail in the same way.
#[derive(Serialize, Debug)]
struct FailureRecord {
    schedules: u64,
    steps: usize,
    trace: TraceFile,
}

#[derive(Serialize, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ScopeRecord {
    Bounded {
        threads: u32,
        nodes: u32,
        values: u32,
        keys: u32,
        constants: BTreeMap<String, i64>,
        client: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        steps: Option<[u32; 2]>,
        #[serde(skip_serializing_if = "Option::is_none")]
        preadds: Option<[u32; 2]>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        restrictions: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ages: Option<u32>,
        ints: i64,
        depth: u32,
        spurious: bool,
        hashes: &'static str,
        fair: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        preemptions: Option<u32>,
        memory_model: &'static str,
    },
    Unbounded {
        method: String,
    },
}

fn record(model: &str, finding: &Finding, judged: ExpectationResult) -> ResultRecord {
    let effort = &finding.effort;
    let annotation = finding.annotation.as_ref().and_then(|annotation| match annotation {
        Annotation::Confirmed => Some("confirmed"),
        Annotation::Refuted(_) => Some("refuted"),
        Annotation::Unknown(_) => None,
    });
    let (limit, trace) = match finding.verdict() {
        Verdict::Holds => (None, None),
        Verdict::Violated(counterexample) => (None, Some(TraceFile::new(model, counterexample.trace()))),
        Verdict::Unknown(limit) => (Some(limit.to_string()), None),
    };
    let groups = finding.failures.iter().flat_map(|failures| &failures.groups);
    let failure = |group: &FailureGroup| FailureRecord {
        schedules: group.schedules,
        steps: group.counterexample.trace().choices.len(),
        trace: TraceFile::new(model, group.counterexample.trace()),
    };
    let completed = finding.coverage.iter().flat_map(|coverage| &coverage.completed);
    ResultRecord {
        model: None,
        property: finding.property().to_string(),
        verdict: finding.verdict().as_str(),
        scope: scope_record(finding.scope()),
        engine: finding.engine,
        states: effort.states,
        transitions: effort.transitions,
        schedules: effort.schedules,
        cut: effort.cuts.total(),
        seconds: effort.time.as_secs_f64(),
        peak_memory_bytes: effort.peak_memory_bytes,
        bytes_per_state: effort.search.bytes_per_state,
        depth: effort.search.depth,
        frontier: effort.search.frontier,
        forecast: effort.search.forecast,
        symmetry: effort.search.exchanges,
        run_ahead: effort.search.run_ahead,
        limit,
        notes: finding.notes.clone(),
        annotation,
        as_expected: judged.verdict.as_expected(),
        annotation_as_expected: judged.points.and_then(Match::as_expected),
        qualified_by: qualifications(finding).iter().map(qualified::record).collect(),
        completed_calls: completed.map(|(op, calls)| (op.to_string(), *calls)).collect(),
        own_steps: finding.own_steps.iter().map(|(op, steps)| (op.to_string(), *steps)).collect(),
        judged_schedules: finding.failures.as_ref().map(|failures| failures.judged),
        failing_schedules: finding.failures.as_ref().map(|failures| failures.failing),
        failures: groups.map(failure).collect(),
        trace,
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn scope_record(scope: &Scope) -> ScopeRecord {
    match scope {
        Scope::Bounded(scope) => bounded_record(scope),
        Scope::Unbounded { method } => ScopeRecord::Unbounded { method: method.to_string() },
    }
}

fn bounded_record(scope: &BoundedScope) -> ScopeRecord {
    let bounds = &scope.bounds;
    let (client, steps, preadds, restrictions) = match &scope.client {
        ClientScope::General => ("general", None, None, Vec::new()),
        ClientScope::Schedules { calls, preadds, restrictions } => (
            "schedules",
            Some([calls.0, calls.1]),
            Some([preadds.0, preadds.1]),
            restrictions.iter().map(|r| r.to_string()).collect(),
        ),
        ClientScope::Calls { threads } => {
            let calls = number_of(threads.iter().map(Vec::len).sum::<usize>());
            ("calls", Some([calls, calls]), None, Vec::new())
        }
    };
    ScopeRecord::Bounded {
        threads: bounds.threads,
        nodes: bounds.nodes,
        values: bounds.values,
        keys: bounds.keys,
        constants: scope.constants.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        client,
        steps,
        preadds,
        restrictions,
        ages: bounds.ages,
        ints: bounds.ints.into(),
        depth: bounds.depth,
        spurious: bounds.spurious,
        hashes: if bounds.any_hashes { "any" } else { "given" },
        fair: scope.fair,
        preemptions: scope.preemptions,
        memory_model: "sequentially consistent",
    }
}
