//! Qualifications of a verdict: bounds, restrictions, cuts and parts not judged. All reports use this module:
//! headings, lines below verdicts, the table of `verify`, JSON.
//!
//! Claim: [`qualifications`] contains everything that excludes an execution with the given threads, nodes and
//! values. Guarding test: `whatever_is_cut_or_restricted_is_named` compares with a separate list.

use super::calls::planned_text;
use super::quantities::{grouped, range_text, runs};
use linchpin_engine::verdict::{BoundedScope, ClientScope, Cuts, Finding, Scope};
use linchpin_ir::program::{Op, Program};
use linchpin_ir::property::Property;
use linchpin_ir::source::{SourceMap, Span};
use linchpin_judge::trace::PlannedCall;
use linchpin_semantics::{Bounds, Cut, FaultProperty};
use serde::Serialize;

/// A reason why a verdict covers fewer executions than its sizes suggest.
#[derive(Clone, PartialEq, Debug)]
pub enum Qualification {
    /// The modulus of ages.
    Ages(u32),
    /// The bound of `int`. A greater value cuts the execution.
    Ints(i64),
    /// The bound on nested calls.
    Depth(u32),
    /// Spurious wake-ups are explored.
    Spurious,
    /// All hash functions are explored instead of the given ones.
    AnyHashes,
    /// Ranges of the number of calls and of pre-adds.
    Schedules { calls: (u32, u32), preadds: (u32, u32) },
    /// Names of restrictions on schedules.
    Restricted(Vec<String>),
    /// The calls of each thread, without others.
    Calls(Vec<Vec<PlannedCall>>),
    /// Only weakly fair executions.
    Fair,
    /// The preemption bound.
    Preemptions(u32),
    /// Cut transitions: the cause and the number.
    Cut { by: CutBy, times: u64 },
    /// Executions that ended in a fault of a property outside the request.
    Faults { property: Property, times: u64 },
    /// A part that the search or its figures leave out.
    Remark(String),
    /// Source lines that no execution reached.
    Unreached(Vec<Span>),
}

/// The cause of a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutBy {
    /// No free cell.
    Nodes,
    /// An `assume` of the model that is false.
    Assume,
    Other(Cut),
}

/// The position of a qualification in a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stands {
    /// In the heading, after the scope.
    InScope,
    /// Below the verdicts.
    Below,
}

/// Returns all qualifications of a finding, in the order of the report.
pub fn qualifications(finding: &Finding) -> Vec<Qualification> {
    let mut all = match finding.scope() {
        Scope::Bounded(scope) => of_scope(scope, &finding.effort.cuts),
        Scope::Unbounded { .. } => Vec::new(),
    };
    let cuts = &finding.effort.cuts;
    if let Some(coverage) = &finding.coverage
        && !coverage.unreached.is_empty()
    {
        all.push(Qualification::Unreached(coverage.unreached.clone()));
    }
    if cuts.nodes > 0 {
        all.push(Qualification::Cut { by: CutBy::Nodes, times: cuts.nodes });
    }
    let others = cuts.others.iter().filter(|(_, times)| **times > 0);
    all.extend(others.map(|(cut, times)| Qualification::Cut { by: CutBy::Other(*cut), times: *times }));
    if cuts.discarded > 0 {
        all.push(Qualification::Cut { by: CutBy::Assume, times: cuts.discarded });
    }
    let faults = cuts.faults.iter().filter(|(_, times)| **times > 0);
    all.extend(faults.map(|(property, times)| Qualification::Faults {
        property: match property {
            FaultProperty::MemorySafe => Property::MemorySafe,
            FaultProperty::Assertions => Property::Assertions,
        },
        times: *times,
    }));
    all.extend(finding.effort.search.remarks.iter().cloned().map(Qualification::Remark));
    all
}

/// Returns the qualifications of a scope beyond threads, nodes, values and constants. The bounds of numbers
/// and of nesting appear only if they differ from the default or cut an execution.
pub fn of_scope(scope: &BoundedScope, cuts: &Cuts) -> Vec<Qualification> {
    let BoundedScope { bounds, client, fair, preemptions, .. } = scope;
    let usual = Bounds::default();
    let has_cut = |cut| cuts.others.get(&cut).is_some_and(|times| *times > 0);
    let mut all: Vec<Qualification> = Vec::new();
    all.extend(bounds.ages.map(Qualification::Ages));
    if bounds.ints != usual.ints || has_cut(Cut::Ints) {
        all.push(Qualification::Ints(bounds.ints.into()));
    }
    if bounds.depth != usual.depth || has_cut(Cut::Depth) {
        all.push(Qualification::Depth(bounds.depth));
    }
    all.extend(bounds.spurious.then_some(Qualification::Spurious));
    all.extend(bounds.any_hashes.then_some(Qualification::AnyHashes));
    match client {
        ClientScope::General => {}
        ClientScope::Schedules { calls, preadds, restrictions } => {
            all.push(Qualification::Schedules { calls: *calls, preadds: *preadds });
            if !restrictions.is_empty() {
                all.push(Qualification::Restricted(restrictions.iter().map(|r| r.to_string()).collect()));
            }
        }
        ClientScope::Calls { threads } => all.push(Qualification::Calls(threads.clone())),
    }
    all.extend(fair.then_some(Qualification::Fair));
    all.extend(preemptions.map(Qualification::Preemptions));
    all
}

impl Qualification {
    /// Returns the position in a report.
    pub fn stands(&self) -> Stands {
        match self {
            Qualification::Cut { .. }
            | Qualification::Faults { .. }
            | Qualification::Remark(_)
            | Qualification::Unreached(_) => Stands::Below,
            _ => Stands::InScope,
        }
    }

    /// Returns the separator and the text for the heading. `None`: not part of the heading.
    pub fn in_scope(&self) -> Option<(&'static str, String)> {
        Some(match self {
            Qualification::Ages(ages) => (", ", format!("ages modulo {ages}")),
            Qualification::Ints(ints) => (", ", format!("ints up to {ints}")),
            Qualification::Depth(depth) => (", ", format!("calls nested up to {depth}")),
            Qualification::Spurious => (", ", "spurious wake-ups".into()),
            Qualification::AnyHashes => (", ", "any hash functions".into()),
            Qualification::Schedules { calls, preadds } => {
                let mut text = format!("schedules of {}", range_text(*calls, "call"));
                if preadds.1 > 0 {
                    text += &format!(" after {}", range_text(*preadds, "pre-add"));
                }
                ("; ", text)
            }
            Qualification::Restricted(names) => (", ", format!("only {}", names.join(" and "))),
            Qualification::Calls(threads) => ("; ", format!("the calls {}", planned_text(threads))),
            Qualification::Fair => (", ", "fair".into()),
            Qualification::Preemptions(most) => {
                (", ", format!("at most {most} preemption{}", if *most == 1 { "" } else { "s" }))
            }
            Qualification::Cut { .. }
            | Qualification::Faults { .. }
            | Qualification::Remark(_)
            | Qualification::Unreached(_) => return None,
        })
    }

    /// Returns the kind for JSON.
    fn kind(&self) -> &'static str {
        match self {
            Qualification::Ages(_) => "ages",
            Qualification::Ints(_) => "ints",
            Qualification::Depth(_) => "depth",
            Qualification::Spurious => "spurious",
            Qualification::AnyHashes => "hashes",
            Qualification::Schedules { .. } => "schedules",
            Qualification::Restricted(_) => "restricted",
            Qualification::Calls(_) => "calls",
            Qualification::Fair => "fair",
            Qualification::Preemptions(_) => "preemptions",
            Qualification::Cut { .. } => "cut",
            Qualification::Faults { .. } => "faults",
            Qualification::Remark(_) => "remark",
            Qualification::Unreached(_) => "unreached",
        }
    }
}

/// Returns the qualifications after the sizes of a scope: `, ages modulo 4; schedules of 2 calls, fair`.
pub fn scope_words(all: &[Qualification]) -> String {
    all.iter().filter_map(Qualification::in_scope).map(|(gap, text)| gap.to_string() + &text).collect()
}

/// Returns the qualifications below the verdicts, one line each.
pub fn lines_below(sources: &SourceMap, all: &[Qualification]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut cut = Vec::new();
    for qualification in all {
        match qualification {
            Qualification::Unreached(spans) => {
                let numbers = spans.iter().map(|span| sources.line_of(*span) as u64);
                lines.push(format!("lines never reached: {}", runs(numbers)));
            }
            Qualification::Cut { by: CutBy::Nodes, times } => {
                cut.push(format!("{} at the node bound", grouped(*times)));
            }
            Qualification::Cut { by: CutBy::Assume, times } => {
                cut.push(format!("{} {AT_ASSUME}", grouped(*times)));
            }
            Qualification::Cut { by: CutBy::Other(kind), times } => {
                cut.push(format!("{} {}", grouped(*times), cut_text(*kind)));
            }
            Qualification::Faults { property, times } => cut.push(format!(
                "{} in an error that violates `{property}`, which was not requested",
                grouped(*times)
            )),
            _ => {}
        }
    }
    if !cut.is_empty() {
        lines.push(format!("executions cut: {}", cut.join(", ")));
    }
    lines
}

/// Returns what a proof leaves out: executions that an `assume` of an operation or of `init` discards.
pub fn left_out_of_proof(program: &Program) -> Option<&'static str> {
    let methods = program.ops.iter().map(|op| op.method).chain([program.init]);
    let assumes = methods
        .flat_map(|method| program.methods[method].code.iter())
        .any(|instr| matches!(instr.op, Op::Assume(_)));
    assumes.then_some("the proof leaves out executions in which an `assume` is false")
}

const AT_ASSUME: &str = "where an `assume` is false";

/// A qualification in JSON.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct QualificationRecord {
    kind: &'static str,
    /// The text for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
}

/// Converts a qualification for JSON.
pub fn record(qualification: &Qualification) -> QualificationRecord {
    let text = match qualification {
        Qualification::Cut { by: CutBy::Nodes, .. } => Some("at the node bound".to_string()),
        Qualification::Cut { by: CutBy::Assume, .. } => Some(AT_ASSUME.to_string()),
        Qualification::Cut { by: CutBy::Other(cut), .. } => Some(cut_text(*cut).to_string()),
        Qualification::Faults { property, .. } => Some(property.to_string()),
        Qualification::Remark(text) => Some(text.clone()),
        // The record has no source text for line numbers.
        Qualification::Unreached(_) => None,
        other => other.in_scope().map(|(_, text)| text),
    };
    let times = match qualification {
        Qualification::Cut { times, .. } | Qualification::Faults { times, .. } => Some(*times),
        Qualification::Unreached(spans) => u64::try_from(spans.len()).ok(),
        _ => None,
    };
    QualificationRecord { kind: qualification.kind(), text, times }
}

/// Returns the place where a search cut executions.
fn cut_text(cut: Cut) -> &'static str {
    match cut {
        Cut::Ints => "where a number left its bound",
        Cut::Depth => "at the call depth",
        Cut::Work => "in local work that is too long",
        Cut::Words => "in a step that makes too much memory",
        Cut::Size => "where there are too many to enumerate",
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::Report;
    use super::super::verdicts;
    use super::*;
    use crate::line::Palette;
    use fastrand::Rng;
    use linchpin_engine::verdict::{Coverage, Effort, ExpectationResult, Limit, Verdict};
    use linchpin_ir::program::MemoryKind;

    /// A finding with the expected words and the expected JSON.
    struct Case {
        finding: Finding,
        words: Vec<String>,
        json: Vec<String>,
    }

    fn case(rng: &mut Rng, sources: &SourceMap, span: Span) -> Case {
        let (mut words, mut json) = (Vec::new(), Vec::new());
        let mut say = |word: String, field: String| {
            words.push(word);
            json.push(field);
        };
        let mut bounds = Bounds::default();
        let mut effort = Effort::default();
        let mut unreached = Vec::new();
        if rng.bool() {
            bounds.ages = Some(rng.u32(2..9));
            say(
                format!("ages modulo {}", rng_value(bounds.ages)),
                format!("\"ages\": {}", rng_value(bounds.ages)),
            );
        }
        if rng.bool() {
            effort.cuts.others.insert(Cut::Ints, 1_234);
            say("1,234 where a number left its bound".into(), "\"times\": 1234".into());
            say("ints up to 100".into(), "\"ints\": 100".into());
        }
        if rng.bool() {
            bounds.depth = 7;
            effort.cuts.others.insert(Cut::Depth, 5);
            say("calls nested up to 7".into(), "\"depth\": 7".into());
            say("5 at the call depth".into(), "at the call depth".into());
        }
        if rng.bool() {
            effort.cuts.discarded = 6;
            say("6 where an `assume` is false".into(), "where an `assume` is false".into());
        }
        if rng.bool() {
            effort.cuts.others.insert(Cut::Words, 3);
            say(
                "3 in a step that makes too much memory".into(),
                "in a step that makes too much memory".into(),
            );
        }
        if rng.bool() {
            effort.cuts.nodes = 77;
            say("77 at the node bound".into(), "at the node bound".into());
        }
        if rng.bool() {
            effort.cuts.faults.insert(FaultProperty::Assertions, 9);
            say("9 in an error that violates `assertions`".into(), "\"kind\": \"faults\"".into());
        }
        if rng.bool() {
            bounds.spurious = true;
            say("spurious wake-ups".into(), "\"spurious\": true".into());
        }
        if rng.bool() {
            bounds.any_hashes = true;
            say("any hash functions".into(), "\"hashes\": \"any\"".into());
        }
        if rng.bool() {
            unreached.push(span);
            say(format!("lines never reached: {}", sources.line_of(span)), "\"kind\": \"unreached\"".into());
        }
        if rng.bool() {
            effort.search.remarks.push("spinning was not judged".into());
            say("spinning was not judged".into(), "spinning was not judged".into());
        }
        let fair = rng.bool();
        if fair {
            say(", fair".into(), "\"fair\": true".into());
        }
        let preemptions = rng.bool().then(|| rng.u32(0..5));
        if let Some(most) = preemptions {
            say(format!("at most {most} preemption"), format!("\"preemptions\": {most}"));
        }
        let client = if rng.bool() {
            let restrictions = if rng.bool() { vec!["adds_dominate".into()] } else { Vec::new() };
            let preadds = (0, rng.u32(0..3));
            say("schedules of 1 to 4 calls".into(), "\"client\": \"schedules\"".into());
            if preadds.1 > 0 {
                say("pre-add".into(), "\"preadds\": [".into());
            }
            if !restrictions.is_empty() {
                say("only adds_dominate".into(), "\"adds_dominate\"".into());
            }
            ClientScope::Schedules { calls: (1, 4), preadds, restrictions }
        } else {
            ClientScope::General
        };
        let scope =
            BoundedScope { bounds, constants: Vec::new(), memory: MemoryKind::Gc, client, fair, preemptions };
        let coverage = Coverage { completed: vec![("push".into(), 1)], unreached };
        let verdict =
            if rng.bool() { Verdict::Holds } else { Verdict::Unknown(Limit::NotSupported("so much".into())) };
        let property = Property::Linearizable;
        Case { finding: Finding::bounded("explore", property, scope, coverage, effort, verdict), words, json }
    }

    fn rng_value(number: Option<u32>) -> u32 {
        number.unwrap_or(0)
    }

    #[test]
    fn whatever_is_cut_or_restricted_is_named() {
        let mut sources = SourceMap::default();
        let file = sources.add("m.lin", "one\ntwo\nthree\n");
        let span = Span::new(file, 4, 7);
        let mut rng = Rng::with_seed(20);
        for _ in 0..2_000 {
            let Case { finding, words, json } = case(&mut rng, &sources, span);
            let told = verdicts::scope_text(&finding, "2 threads")
                + &verdicts::coverage_text(&sources, &finding)
                + &verdicts::asymmetry_text(&sources, &finding.effort);
            let judged = [(finding.clone(), ExpectationResult::default())];
            let quiet =
                verdicts::lines(&judged, 1_000, Palette::Plain) + &verdicts::quiet_text(&sources, &judged);
            let report = Report::new("m.lin", judged).to_text().expect("JSON");
            for word in &words {
                assert!(told.contains(word), "`{word}` is not in\n{told}");
                let holds = matches!(finding.verdict(), Verdict::Holds);
                let word = word.trim_start_matches(", ");
                assert!(!holds || quiet.contains(word), "`{word}` is not in\n{quiet}");
            }
            for field in &json {
                assert!(report.contains(field), "`{field}` is not in\n{report}");
            }
        }
    }
}
