//! Which engine when. A proof for all sizes is looked for; what the prover finds is checked before it counts, and what it could not
//! exclude is handed to the explorer.
//!
//! Three ends: a property is *proved*, if the checker of certificates says so; *violated*, if the explorer has an execution; or
//! *unknown*, with what the method does not take, the limit that was met, or the alarm that nobody could confirm.

pub mod catalogue;
pub mod embedded;
mod settle;
pub mod specification;

use linchpin_certify::certificate::Certificate;
use linchpin_certify::gate::{GateOptions, GateRefused, GateReport};
use linchpin_certify::{CertificateError, certify};
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Effort, Finding, Limit, Scope, Verdict};
use linchpin_engine::{Budget, BudgetMeter, Exhausted, Listener};
use linchpin_explore::try_observers;
use linchpin_ir::heap::{ProofMethod, UnsupportedConstruct};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_judge::trace::PlannedCall;
use linchpin_prove::pairs::{AbstractTrace, ENGINE, Failure, Found, Prover};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What came of the search for a proof.
pub struct ProofResult {
    pub compiled: Compiled,
    /// One for each property that was asked for, and for each that was proved besides.
    pub findings: Vec<Finding>,
    /// What the method does not take.
    pub refusals: Vec<UnsupportedConstruct>,
    /// What the prover could not exclude, whether or not it happens.
    pub alarms: Vec<AlarmReport>,
    /// Of everything that is proved.
    pub certificate: Option<Certificate>,
    /// To check it.
    pub certified_in: Duration,
    /// What the certificate was compared with, and the time that it took.
    pub compared: Option<(GateReport, Duration)>,
    /// Why a checked certificate proves nothing.
    pub gate: Option<GateRefused>,
    /// In all.
    pub time: Duration,
}

/// An alarm, and where the explorer looked for an execution.
pub struct AlarmReport {
    pub property: Property,
    pub story: AbstractTrace,
    /// Of what no execution shows it.
    pub searched: Vec<SearchedInstance>,
    /// Of what some execution shows it; then there is a counterexample.
    pub shown_by: Option<SearchedInstance>,
}

/// What was searched for the execution behind an alarm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchedInstance {
    /// These calls of each thread.
    Calls(Vec<Vec<PlannedCall>>),
    /// Any calls.
    Size { threads: u32, nodes: u32, values: u32 },
}

impl ProofResult {
    /// Faults that are not excluded although something is proved: what is proved is then said of executions up to the first of them.
    pub fn faults_left_open(&self) -> Vec<Property> {
        let is_proved = |property: Property| {
            self.findings.iter().any(|finding| {
                let of = (finding.property(), finding.verdict(), finding.scope());
                matches!(of, (of, Verdict::Holds, Scope::Unbounded { .. }) if of == property)
            })
        };
        let open =
            [Property::MemorySafe, Property::Assertions].into_iter().filter(|fault| !is_proved(*fault));
        if PROPERTIES.into_iter().any(is_proved) { open.collect() } else { Vec::new() }
    }
}

/// What the method of pairs can prove.
pub const PROPERTIES: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];

/// What the model's author expects to be proved, or else what is worth proving. That there are no faults, always: whatever else is proved is said
/// of executions up to their first one.
pub fn wanted(program: &Program) -> Vec<Property> {
    let blocks = program.proofs.iter().filter(|proof| *proof.method == *ProofMethod::Pairs.name());
    let named: Vec<Property> =
        blocks.flat_map(|proof| &proof.expects).filter_map(|expect| expect.property.parse().ok()).collect();
    let mut wanted = if named.is_empty() { vec![Property::Linearizable] } else { named };
    for faults in [Property::MemorySafe, Property::Assertions] {
        if !wanted.contains(&faults) {
            wanted.push(faults);
        }
    }
    wanted
}

/// Whether there is a prover for the program.
pub fn is_taken(program: &Program) -> bool {
    Prover::new(program).is_ok()
}

/// Looks for a proof of these properties, or of those that [`wanted`] names. For an execution behind an alarm it looks as long as
/// `settling` says, if at all.
pub fn prove(
    model: &dyn Model,
    properties: Option<&[Property]>,
    settling: Option<Duration>,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<ProofResult, RequestError> {
    prove_with(model, properties, settling, &GateOptions::default(), budget, listener)
}

/// As [`prove`], with a gate that looks as far as it is told to.
pub fn prove_with(
    model: &dyn Model,
    properties: Option<&[Property]>,
    settling: Option<Duration>,
    gate: &GateOptions,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<ProofResult, RequestError> {
    let compiled = model.compile(&Setting::default())?;
    try_observers(&compiled)?;
    let properties = properties.map_or_else(|| wanted(&compiled.program), <[Property]>::to_vec);
    let attempt = ProofRun { model, settling, gate: *gate, budget, started: Instant::now() };
    let program = compiled.program.clone();
    let mut proving = ProofResult {
        compiled,
        findings: Vec::new(),
        refusals: Vec::new(),
        alarms: Vec::new(),
        certificate: None,
        certified_in: Duration::ZERO,
        compared: None,
        gate: None,
        time: Duration::ZERO,
    };
    match Prover::new(&program) {
        Err(refusals) => {
            // Some end in a comma, to be followed by "is not taken".
            let construct =
                |refusal: &UnsupportedConstruct| refusal.construct.trim_end_matches(',').to_string();
            let mut constructs: Vec<String> = refusals.iter().map(construct).collect();
            constructs.sort();
            constructs.dedup();
            let limit = Limit::NotSupported(constructs.join("; "));
            let open = |property: &Property| not_proved(*property, Effort::default(), limit.clone());
            proving.findings = properties.iter().map(open).collect();
            proving.refusals = refusals;
        }
        Ok(prover) => attempt.run(&prover, &program, &properties, &mut proving, listener)?,
    }
    proving.time = attempt.started.elapsed();
    Ok(proving)
}

struct ProofRun<'a> {
    model: &'a dyn Model,
    settling: Option<Duration>,
    gate: GateOptions,
    budget: &'a Budget,
    started: Instant,
}

/// What could not be excluded of a property.
struct Alarm {
    property: Property,
    story: AbstractTrace,
    /// How many alarms share the time that is left, this one included.
    alarms: usize,
}

/// What the prover is asked: one analysis may show several properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Analysis {
    Conformance,
    Memory,
    Assertions,
}

impl Analysis {
    const ALL: [Analysis; 3] = [Analysis::Conformance, Analysis::Memory, Analysis::Assertions];

    /// The analysis that shows a property; `None`: the method cannot.
    fn of(property: Property) -> Option<Analysis> {
        match property {
            Property::Linearizable | Property::DeadlockFree => Some(Analysis::Conformance),
            Property::MemorySafe => Some(Analysis::Memory),
            Property::Assertions => Some(Analysis::Assertions),
            _ => None,
        }
    }
}

/// How one of the analyses ended.
struct Analysed {
    analysis: Analysis,
    outcome: Result<Found, Failure>,
    effort: Effort,
}

impl ProofRun<'_> {
    fn run(
        &self,
        prover: &Prover,
        program: &Arc<Program>,
        properties: &[Property],
        proving: &mut ProofResult,
        listener: &mut dyn Listener,
    ) -> Result<(), RequestError> {
        let mut analysed = Vec::new();
        for analysis in Analysis::ALL {
            if properties.iter().any(|property| Analysis::of(*property) == Some(analysis)) {
                analysed.push(self.analyse(prover, analysis, listener));
            }
        }
        let certificate =
            prover.certificate(analysed.iter().filter_map(|a| a.outcome.as_ref().ok().cloned()));
        let checking = Instant::now();
        let watch = BudgetMeter::start(self.left());
        let go_on = || watch.exhausted(0).is_none();
        let checked = certify(program, &certificate, &self.gate, &go_on);
        // The reason why checker and gate were told to stop.
        let exhausted = watch.exhausted(0).unwrap_or(Exhausted::Interrupted);
        proving.certified_in = checking.elapsed();
        match &checked {
            Ok(certified) => {
                proving.certified_in = proving.certified_in.saturating_sub(certified.compared_in);
                let is_compared = !certified.report.instances.is_empty();
                let report = (certified.report.clone(), certified.compared_in);
                proving.compared = Some(report).filter(|_| is_compared);
            }
            Err(CertificateError::Gate(refused)) => proving.gate = Some((**refused).clone()),
            Err(_) => {}
        }
        let analysis =
            |property: &Property| analysed.iter().find(|a| Some(a.analysis) == Analysis::of(*property));
        for (at, property) in properties.iter().enumerate() {
            let Some(own) = analysis(property) else {
                let limit = Limit::NotSupported(format!("`{property}` for all sizes"));
                proving.findings.push(not_proved(*property, Effort::default(), limit));
                continue;
            };
            let finding = match (&own.outcome, &checked) {
                (Ok(_), Ok(certified)) => {
                    match certified.proofs.iter().find(|proof| proof.property() == *property) {
                        Some(proof) => Finding::proved(ENGINE, proof, own.effort.clone()),
                        None => {
                            let limit = Limit::NotSupported(format!("`{property}` for all sizes"));
                            not_proved(*property, own.effort.clone(), limit)
                        }
                    }
                }
                (Ok(_), Err(CertificateError::Interrupted)) => {
                    not_proved(*property, own.effort.clone(), exhausted_limit(exhausted))
                }
                (Ok(_), Err(refused)) => not_proved(*property, own.effort.clone(), refused_limit(refused)),
                (Err(Failure::Exhausted(exhausted)), _) => {
                    not_proved(*property, own.effort.clone(), exhausted_limit(*exhausted))
                }
                (Err(Failure::Alarm(story)), _) => {
                    let is_alarm = |own: &Analysed| matches!(own.outcome, Err(Failure::Alarm(_)));
                    let alarms =
                        properties[at..].iter().filter_map(analysis).filter(|own| is_alarm(own)).count();
                    let alarm = Alarm { property: *property, story: (**story).clone(), alarms };
                    self.settle(program, alarm, own.effort.clone(), proving, listener)?
                }
            };
            proving.findings.push(finding);
        }
        // What is proved besides, without being asked.
        for proof in checked
            .iter()
            .flat_map(|certified| &certified.proofs)
            .filter(|proof| !properties.contains(&proof.property()))
        {
            let own = analysis(&proof.property());
            let effort = own.map_or_else(Effort::default, |own| own.effort.clone());
            proving.findings.push(Finding::proved(ENGINE, proof, effort));
        }
        let is_proved = |finding: &Finding| {
            matches!((finding.verdict(), finding.scope()), (Verdict::Holds, Scope::Unbounded { .. }))
        };
        if proving.findings.iter().any(is_proved) {
            proving.certificate = Some(certificate);
        }
        Ok(())
    }

    fn analyse(&self, prover: &Prover, analysis: Analysis, listener: &mut dyn Listener) -> Analysed {
        let started = Instant::now();
        let mut watch = BudgetMeter::start(self.left());
        let outcome = match analysis {
            Analysis::Conformance => prover.conformance(&mut watch, listener),
            Analysis::Memory => prover.memory(&mut watch, listener),
            Analysis::Assertions => prover.assertions(&mut watch, listener),
        };
        let mut effort = Effort { time: started.elapsed(), ..Effort::default() };
        if let Ok(found) = &outcome {
            effort.states = found.invariants.iter().map(|invariant| invariant.views.len() as u64).sum();
            effort.transitions = found.steps;
        }
        Analysed { analysis, outcome, effort }
    }

    /// What is left of the budget.
    fn left(&self) -> Budget {
        let time = self.budget.time.map(|time| time.saturating_sub(self.started.elapsed()));
        Budget { time, ..self.budget.clone() }
    }
}

fn not_proved(property: Property, effort: Effort, limit: Limit) -> Finding {
    Finding::not_proved(ENGINE, property, ProofMethod::Pairs.name().into(), effort, limit)
}

fn exhausted_limit(exhausted: Exhausted) -> Limit {
    match exhausted {
        Exhausted::Time(limit) => Limit::Time(limit),
        Exhausted::Memory(bytes) => Limit::Memory(bytes),
        Exhausted::States(states) => Limit::States(states as u64),
        Exhausted::Interrupted => Limit::Interrupted,
    }
}

/// The prover and the checker disagree: that is a fault of one of them, and no proof.
fn refused_limit(refused: &CertificateError) -> Limit {
    match refused {
        CertificateError::Interrupted => Limit::Interrupted,
        CertificateError::Gate(refused) if refused.is_contradiction() => {
            Limit::Gate(format!("a bug of Linchpin, please send the model: {refused}"))
        }
        CertificateError::Gate(refused) => Limit::Gate(refused.to_string()),
        refused => Limit::Unconfirmed(format!("the certificate is refused: {refused}")),
    }
}
