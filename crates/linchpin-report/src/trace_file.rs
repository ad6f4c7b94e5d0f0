//! Traces as versioned JSON files. A file stores choices only, so a reader must replay the trace. The reader
//! rejects unknown fields, duplicate fields and numbers out of range.

use super::strict;
use linchpin_ir::index::Index;
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::trace::{Action, Choice, Claim, Instance, PlannedCall, Trace, TraceClient};
use linchpin_semantics::{Bounds, ThreadId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format version. It changes with the fields of the file and with the encoding of fingerprints.
pub const FORMAT: &str = "linchpin-trace/2";

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    pub format: String,
    /// The model as named on the command line.
    pub model: String,
    object: String,
    fingerprint: String,
    /// A property, `linearization-points`, or `nothing`.
    violates: String,
    bounds: BoundsRecord,
    #[serde(default)]
    constants: BTreeMap<String, i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule: Option<ScheduleRecord>,
    #[serde(default)]
    fair: bool,
    #[serde(default)]
    initial: Vec<u32>,
    steps: Vec<StepRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycle: Option<usize>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct BoundsRecord {
    threads: u32,
    nodes: u32,
    values: u32,
    keys: u32,
    ints: Word,
    #[serde(default)]
    ages: Option<u32>,
    depth: u32,
    #[serde(default)]
    spurious: bool,
    #[serde(default)]
    any_hashes: bool,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct ScheduleRecord {
    prefix: Vec<CallRecord>,
    threads: Vec<Vec<CallRecord>>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct CallRecord {
    op: String,
    args: Vec<Word>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct StepRecord {
    thread: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<CallRecord>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    waits: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    picks: Vec<u32>,
}

/// The name of a claim about points, in place of a property.
const POINTS: &str = "linearization-points";
const PROGRESS_BY_POINTS: &str = "progress-by-linearization-points";
/// The place of a property in an execution without a claim.
const NOTHING: &str = "nothing";

impl TraceFile {
    pub fn new(model: &str, trace: &Trace) -> TraceFile {
        let Instance { bounds, client, .. } = &trace.instance;
        TraceFile {
            format: FORMAT.into(),
            model: model.into(),
            object: trace.instance.model.clone(),
            fingerprint: trace.instance.fingerprint.to_string(),
            violates: match trace.claim {
                Claim::Violates(property) => property.to_string(),
                Claim::RefutesPoints => POINTS.into(),
                Claim::RefutesProgressByPoints => PROGRESS_BY_POINTS.into(),
                Claim::Nothing => NOTHING.into(),
            },
            bounds: BoundsRecord {
                threads: bounds.threads,
                nodes: bounds.nodes,
                values: bounds.values,
                keys: bounds.keys,
                ints: bounds.ints,
                ages: bounds.ages,
                depth: bounds.depth,
                spurious: bounds.spurious,
                any_hashes: bounds.any_hashes,
            },
            constants: trace.instance.constants.iter().cloned().collect(),
            schedule: match client {
                TraceClient::General => None,
                TraceClient::Schedule { prefix, threads } => Some(ScheduleRecord {
                    prefix: prefix.iter().map(call_record).collect(),
                    threads: threads.iter().map(|list| list.iter().map(call_record).collect()).collect(),
                }),
            },
            fair: trace.instance.fair,
            initial: trace.initial.clone(),
            steps: trace.choices.iter().map(step_record).collect(),
            cycle: trace.cycle,
        }
    }

    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Reads a file. The error names the problem and its position.
    pub fn parse(text: &str) -> Result<TraceFile, String> {
        let format = strict::value(text).map_err(|error| format!("not valid JSON: {error}"))?;
        match format.get("format").and_then(|format| format.as_str()) {
            Some(FORMAT) => {}
            Some(other) => {
                return Err(format!(
                    "unsupported trace format `{other}`; expected `{FORMAT}`: make the trace again with `check --trace`"
                ));
            }
            None => return Err(format!("the field `format` is missing; expected `{FORMAT}`")),
        }
        serde_json::from_str(text).map_err(|error| format!("not a trace: {error}"))
    }

    /// Returns the number of threads and the constants of the instance.
    pub fn setting(&self) -> linchpin_ir::interface::Setting {
        linchpin_ir::interface::Setting { threads: self.bounds.threads, constants: self.constants.clone() }
    }

    /// Returns the trace. The error names an invalid part of the file.
    pub fn trace(&self) -> Result<Trace, String> {
        let claim = if self.violates == PROGRESS_BY_POINTS {
            Claim::RefutesProgressByPoints
        } else if self.violates == POINTS {
            Claim::RefutesPoints
        } else if self.violates == NOTHING {
            Claim::Nothing
        } else {
            let property: Property =
                self.violates.parse().map_err(|_| format!("`{}` is not a property", self.violates))?;
            Claim::Violates(property)
        };
        let fingerprint = self.fingerprint.parse();
        let bounds = &self.bounds;
        let client = match &self.schedule {
            None => TraceClient::General,
            Some(schedule) => TraceClient::Schedule {
                prefix: schedule.prefix.iter().map(planned_call).collect(),
                threads: schedule.threads.iter().map(|l| l.iter().map(planned_call).collect()).collect(),
            },
        };
        Ok(Trace {
            instance: Instance {
                model: self.object.clone(),
                fingerprint: fingerprint.map_err(|_| "the fingerprint is not a number".to_string())?,
                bounds: Bounds {
                    threads: bounds.threads,
                    nodes: bounds.nodes,
                    values: bounds.values,
                    keys: bounds.keys,
                    ints: bounds.ints,
                    ages: bounds.ages,
                    depth: bounds.depth,
                    spurious: bounds.spurious,
                    any_hashes: bounds.any_hashes,
                },
                constants: self.constants.iter().map(|(name, value)| (name.clone(), *value)).collect(),
                client,
                fair: self.fair,
            },
            claim,
            initial: self.initial.clone(),
            choices: self.steps.iter().enumerate().map(choice).collect::<Result<_, _>>()?,
            cycle: self.cycle,
        })
    }
}

fn call_record(call: &PlannedCall) -> CallRecord {
    CallRecord { op: call.op.clone(), args: call.args.clone() }
}

fn planned_call(call: &CallRecord) -> PlannedCall {
    PlannedCall { op: call.op.clone(), args: call.args.clone() }
}

fn step_record(choice: &Choice) -> StepRecord {
    StepRecord {
        // At most `MAX_THREADS` threads.
        thread: u32::try_from(choice.thread.index()).unwrap_or(u32::MAX),
        call: match &choice.action {
            Action::Call(call) => Some(call_record(call)),
            Action::Step | Action::Wait => None,
        },
        waits: choice.action == Action::Wait,
        picks: choice.picks.clone(),
    }
}

fn choice((at, step): (usize, &StepRecord)) -> Result<Choice, String> {
    let action = match (&step.call, step.waits) {
        (Some(_), true) => return Err(format!("step {} is both a call and a wait", at + 1)),
        (Some(call), false) => Action::Call(planned_call(call)),
        (None, true) => Action::Wait,
        (None, false) => Action::Step,
    };
    let thread = usize::try_from(step.thread).map_err(|error| error.to_string())?;
    Ok(Choice { thread: ThreadId::new(thread), action, picks: step.picks.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fingerprints of older files have another encoding.
    #[test]
    fn an_old_format_is_refused() {
        let refused = TraceFile::parse(r#"{"format": "linchpin-trace/1", "model": "m.lin"}"#);
        assert_eq!(
            refused.expect_err("an old format"),
            "unsupported trace format `linchpin-trace/1`; expected `linchpin-trace/2`: \
             make the trace again with `check --trace`"
        );
    }
}
