//! What is proved of a text, what a bounded search finds in it, and when a proof is wrong.
//!
//! **Claim.** If `p` is proved then `p` holds in every instance. So a violation of `p` in a small instance
//! refutes the proof, and the replayed counterexample is the evidence. So does an operation that completes in
//! no execution: that is a proof of nothing. Faults are violations of `memory-safe` or `assertions`; other
//! properties cover executions up to their first fault.

use linchpin_certify::gate::GateOptions;
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Finding, Limit, Scope, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Request, check};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_judge::replay::{Counterexample, Evidence};
use linchpin_portfolio::embedded::compile_beside_catalogue;
use linchpin_portfolio::{PROPERTIES, prove_with};
use linchpin_report::render::render;
use linchpin_semantics::FaultKind;
use std::fmt;
use std::time::Duration;

/// A text as a model.
pub struct Text(pub String);

impl Model for Text {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        compile_beside_catalogue("drawn.lin", &self.0, setting)
    }
}

/// Why a text is not a model, for a person.
pub fn complaint(problem: &RequestError) -> String {
    match problem {
        RequestError::Model { sources, findings } => {
            findings.iter().map(|finding| render(sources, finding, false)).collect::<Vec<_>>().join("\n")
        }
        RequestError::Message { text, help } => format!("{text}\n{help}"),
    }
}

/// How the search for a proof ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// Outside the fragment, or not a model.
    Refused(String),
    /// Nothing is proved, though there was time: an alarm, or the certificate is refused.
    AlarmReport,
    /// Nothing is proved in the time.
    OutOfTime,
    /// At least one property.
    Proved(Vec<Property>),
}

/// What is proved of a text. Everything that this test knows of the prover's interface is here.
pub fn attempt(text: &Text, time: Duration) -> Attempt {
    let gate =
        GateOptions { first_states: 1_000_000, second_states: 2_000, pairs: 5_000_000, values: 2, ages: 2 };
    let proving = match prove_with(text, Some(&PROPERTIES), None, &gate, &budget(time), &mut Silent) {
        Ok(proving) => proving,
        Err(problem) => return Attempt::Refused(complaint(&problem)),
    };
    let is_proved = |finding: &&Finding| {
        matches!((finding.verdict(), finding.scope()), (Verdict::Holds, Scope::Unbounded { .. }))
    };
    let proved: Vec<Property> = proving.findings.iter().filter(is_proved).map(Finding::property).collect();
    if !proved.is_empty() {
        return Attempt::Proved(proved);
    }
    if let Some(refusal) = proving.refusals.first() {
        return Attempt::Refused(refusal.construct.clone());
    }
    let is_late = |finding: &Finding| matches!(finding.verdict(), Verdict::Unknown(Limit::Time(_)));
    if proving.findings.iter().any(is_late) { Attempt::OutOfTime } else { Attempt::AlarmReport }
}

/// Bounds of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub threads: u32,
    /// Cells beyond those that `init` makes.
    pub further_cells: u32,
    pub values: u32,
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { threads, further_cells, values } = self;
        write!(f, "{threads} threads, {further_cells} further cells, {values} values")
    }
}

/// What a search within bounds found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Searched {
    /// Properties with an execution that violates them, and what kind of violation it is.
    pub violated: Vec<(Property, Shown)>,
    /// Operations that no execution completes; all of them if `init` fails.
    pub idle: Vec<String>,
    /// `init` does not end, or ends in a fault.
    pub init_fails: bool,
    /// Some line of an operation is in no execution.
    pub has_unreached_lines: bool,
    /// Properties of which nothing is known in the time.
    pub unjudged: Vec<Property>,
}

/// What a counterexample shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    Undefined,
    OtherFault,
    Leak,
    Behaviour,
}

pub const JUDGED: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::DeadlockFree, Property::Assertions];

/// Searches all executions within bounds. `cells` is how many cells `init` makes.
pub fn search(text: &Text, cells: u32, bounds: Bounds, time: Duration) -> Searched {
    let nodes = cells + bounds.further_cells;
    let request = Request {
        threads: bounds.threads..=bounds.threads,
        nodes: Some(nodes..=nodes),
        values: bounds.values..=bounds.values,
        keys: bounds.values..=bounds.values,
        properties: JUDGED.to_vec(),
        ..Request::default()
    };
    let findings = match check(text, &request, &budget(time), &mut Silent) {
        Ok(findings) => findings,
        Err(problem) => {
            let why = complaint(&problem);
            assert!(why.contains("`init` fails"), "the text is not a model: {why}\n{}", text.0);
            return Searched { idle: vec!["init".into()], init_fails: true, ..Searched::default() };
        }
    };
    let mut searched = Searched::default();
    for finding in &findings {
        searched.add(finding);
    }
    searched
}

impl Searched {
    fn add(&mut self, finding: &Finding) {
        if let Some(coverage) = &finding.coverage {
            self.has_unreached_lines |= !coverage.unreached.is_empty();
        }
        match finding.verdict() {
            Verdict::Holds => {}
            Verdict::Violated(example) => self.violated.push((finding.property(), shown(example))),
            Verdict::Unknown(Limit::Vacuous(ops)) => {
                self.idle = ops.iter().map(|op| op.to_string()).collect()
            }
            Verdict::Unknown(_) => self.unjudged.push(finding.property()),
        }
    }

    pub fn violates(&self, property: Property) -> Option<Shown> {
        self.violated.iter().find(|(violated, _)| *violated == property).map(|(_, shown)| *shown)
    }
}

fn shown(example: &Counterexample) -> Shown {
    match example.evidence() {
        Evidence::Fault(fault) => match fault.kind {
            FaultKind::UndefinedUsed | FaultKind::UndefinedReturned => Shown::Undefined,
            _ => Shown::OtherFault,
        },
        Evidence::Leak(_) => Shown::Leak,
        _ => Shown::Behaviour,
    }
}

/// What is wrong with a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wrong {
    /// A property that is proved is violated; the object has ages.
    Ages,
    /// A property that is proved is violated; the object has more than 256 shared variables.
    Identities,
    /// `memory-safe` is proved, and an undefined value is used or returned.
    Undefined,
    /// `memory-safe` is proved, and some other rule of memory is broken; the object has no ages.
    Memory,
    /// `linearizable` or `deadlock-free` is proved and violated; the object has no ages.
    Behaviour,
    /// Something is proved beside a fault that no proof excludes.
    Fault,
    /// Something is proved, and some operation never completes.
    Vacuous,
}

/// Whether a proof is wrong, by what a search found. A proof of a property that the search could not judge is
/// not wrong.
pub fn wrong(text: &Text, proved: &[Property], searched: &Searched) -> Option<Wrong> {
    let contradicted = proved.iter().find_map(|property| Some((*property, searched.violates(*property)?)));
    match contradicted {
        Some((Property::MemorySafe, Shown::Undefined)) => return Some(Wrong::Undefined),
        Some((Property::Assertions, _)) => return Some(Wrong::Fault),
        Some((property, _)) => {
            let variables = text.0.lines().filter(|line| line.starts_with("shared ")).count();
            let has_ages = text.0.contains(": age");
            return Some(match property {
                _ if has_ages && variables > 256 => Wrong::Identities,
                _ if has_ages => Wrong::Ages,
                Property::MemorySafe => Wrong::Memory,
                _ => Wrong::Behaviour,
            });
        }
        None => {}
    }
    (!searched.idle.is_empty()).then_some(Wrong::Vacuous)
}

pub fn budget(time: Duration) -> Budget {
    let stop = Default::default();
    Budget { time: Some(time), memory: None, stop, memory_in_use: || None }
}
