//! The portfolio: runs a prover, checks its certificate, and gives its alarms to the explorer.
//!
//! Each property ends in one of three verdicts. It is *proved* if the checker and the gate accept the
//! certificate. It is *violated* if the explorer finds an execution. Otherwise it is *unknown*, with an
//! unsupported construct, a limit, or an unconfirmed alarm.

pub mod catalogue;
mod cmp;
mod confirm_alarm;
pub mod embedded;
mod invariant;
pub mod points;
mod sets;
pub mod specification;

pub use cmp::{CmpProof, JudgedLemma, LemmaStanding, rounds};
pub use invariant::{lemmas_of, lemmas_text};
use linchpin_certify::certificate::Certificate;
use linchpin_certify::gate::{GateOptions, GateRefused, GateReport};
use linchpin_certify::set_certificate::SetCertificate;
use linchpin_certify::{CertificateError, certify};
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Effort, Finding, Limit, Scope, Verdict};
use linchpin_engine::{Budget, BudgetMeter, Exhausted, Listener};
use linchpin_explore::try_observers;
use linchpin_ir::heap::sets::is_set_of_keys;
use linchpin_ir::heap::{ProofMethod, UnsupportedConstruct};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_judge::trace::PlannedCall;
use linchpin_prove::alarm::AbstractTrace;
use linchpin_prove::cmp::{CmpProver, LastFacts};
use linchpin_prove::lemma::Lemma;
use linchpin_prove::pairs::PairsProver;
use linchpin_prove::sets::SetProver;
use linchpin_prove::{Analysis, Failure, Found, Prover};
use points::Confirmed;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of a search for proofs.
pub struct ProofResult {
    pub compiled: Compiled,
    /// A finding for each requested property, and for each other property that was proved.
    pub findings: Vec<Finding>,
    /// The constructs that the method does not support.
    pub refusals: Vec<UnsupportedConstruct>,
    /// The mined points that were used, if the model has too few; then [`ProofResult::compiled`] has them.
    pub points: Option<Confirmed>,
    /// The time that mining points took.
    pub mined_in: Duration,
    /// The alarms of the prover, confirmed or not.
    pub alarms: Vec<AlarmReport>,
    /// The certificate of everything that is proved; `None` if nothing is.
    pub certificate: Option<Certificate>,
    /// The same for a list-based set.
    pub set_certificate: Option<SetCertificate>,
    /// The same for the compositional method, with its lemmas.
    pub cmp: Option<CmpProof>,
    /// The last facts of the abstract counterexample of the compositional method.
    pub last_facts: Option<LastFacts>,
    /// What is known of each lemma that was given.
    pub given: Vec<JudgedLemma>,
    /// The time that the checker took.
    pub certified_in: Duration,
    /// The instances that the gate compared, and the time that it took; `None` if it compared none.
    pub compared: Option<(GateReport, Duration)>,
    /// The reason why the gate refuses a checked certificate.
    pub gate: Option<GateRefused>,
    /// The total time, without mining.
    pub time: Duration,
}

/// An alarm, and the instances that the explorer searched for an execution.
pub struct AlarmReport {
    pub property: Property,
    pub trace: AbstractTrace,
    /// The instances without an execution that confirms the alarm.
    pub searched: Vec<SearchedInstance>,
    /// The instance with an execution that confirms the alarm; then there is a counterexample.
    pub shown_by: Option<SearchedInstance>,
}

/// An instance that was searched for an execution behind an alarm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchedInstance {
    /// Each thread makes these calls.
    Calls(Vec<Vec<PlannedCall>>),
    /// Each thread makes any calls.
    Size { threads: u32, nodes: u32, values: u32 },
}

impl ProofResult {
    /// Returns the number of views of the certificate; 0 if nothing is proved.
    pub fn certificate_size(&self) -> usize {
        let pairs = self.certificate.as_ref().map_or(0, Certificate::size);
        let cmp = self.cmp.as_ref().map_or(0, |cmp| cmp.certificate.views.size());
        pairs + self.set_certificate.as_ref().map_or(0, SetCertificate::size) + cmp
    }

    /// Notes that the method does not take the program.
    fn refuse(&mut self, method: ProofMethod, properties: &[Property], refusals: Vec<UnsupportedConstruct>) {
        // Some constructs end in a comma, for the words that follow in other messages.
        let construct = |refusal: &UnsupportedConstruct| refusal.construct.trim_end_matches(',').to_string();
        let mut constructs: Vec<String> = refusals.iter().map(construct).collect();
        constructs.sort();
        constructs.dedup();
        let limit = Limit::NotSupported(constructs.join("; "));
        let open = |property: &Property| not_proved(method, *property, Effort::default(), limit.clone());
        self.findings = properties.iter().map(open).collect();
        self.refusals = refusals;
    }

    /// Returns the fault properties that are not proved although something else is. The proofs then cover
    /// executions up to the first such fault only.
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

/// The properties that the method of pairs can prove.
pub const PROPERTIES: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];

/// Returns the properties that the model expects to be proved, or `linearizable` if it names none. The fault
/// properties are always included: every other proof covers executions up to the first fault only.
pub fn wanted(program: &Program) -> Vec<Property> {
    wanted_by(program, method_of(program))
}

/// Like [`wanted`], of a proof method.
fn wanted_by(program: &Program, method: ProofMethod) -> Vec<Property> {
    let blocks = program.proofs.iter().filter(|proof| *proof.method == *method.name());
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

/// Returns whether a prover supports the program.
pub fn is_taken(program: &Program) -> bool {
    match method_of(program) {
        ProofMethod::Sets => SetProver::new(program).is_ok(),
        _ => PairsProver::new(program).is_ok(),
    }
}

/// Returns the method that proves objects with the specification of the program.
pub fn method_of(program: &Program) -> ProofMethod {
    if is_set_of_keys(program) { ProofMethod::Sets } else { ProofMethod::Pairs }
}

/// Searches for proofs of these properties; `None` means those of [`wanted`]. Searches for an execution
/// behind each alarm for at most `confirm_time`; `None` means not at all.
pub fn prove(
    model: &dyn Model,
    properties: Option<&[Property]>,
    confirm_time: Option<Duration>,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<ProofResult, RequestError> {
    prove_with(model, properties, confirm_time, &GateOptions::default(), budget, listener)
}

/// Like [`prove`], with options for the gate.
pub fn prove_with(
    model: &dyn Model,
    properties: Option<&[Property]>,
    confirm_time: Option<Duration>,
    gate: &GateOptions,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<ProofResult, RequestError> {
    let request = ProofRequest { method: None, properties, confirm_time, gate: *gate, lemmas: None };
    prove_as(model, &request, budget, listener)
}

/// What is to be proved, and how.
#[derive(Clone, Copy, Default, Debug)]
pub struct ProofRequest<'r> {
    /// `None`: the methods that take the program, fastest first, until one proves something.
    pub method: Option<ProofMethod>,
    /// `None`: those of [`wanted`].
    pub properties: Option<&'r [Property]>,
    /// The time for the search behind each alarm; `None`: no search.
    pub confirm_time: Option<Duration>,
    pub gate: GateOptions,
    /// The lemmas of the compositional method; `None`: mined ones.
    pub lemmas: Option<&'r [Lemma]>,
}

/// Searches for proofs, as requested.
pub fn prove_as(
    model: &dyn Model,
    request: &ProofRequest,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<ProofResult, RequestError> {
    let compiled = model.compile(&Setting::default())?;
    try_observers(&compiled)?;
    let started = Instant::now();
    if let Some((annotated, points)) = points::missing_points(&compiled, budget, listener)? {
        let mined_in = started.elapsed();
        let time = budget.time.map(|time| time.saturating_sub(mined_in));
        let budget = Budget { time, ..budget.clone() };
        let mut result = prove_compiled(&annotated, points.compiled.clone(), request, &budget, listener)?;
        result.points = Some(points);
        result.mined_in = mined_in;
        return Ok(result);
    }
    prove_compiled(model, compiled, request, budget, listener)
}

/// Searches for proofs of a model that is compiled for the default setting.
fn prove_compiled(
    model: &dyn Model,
    compiled: Compiled,
    request: &ProofRequest,
    budget: &Budget,
    listener: &mut dyn Listener,
) -> Result<ProofResult, RequestError> {
    let program = compiled.program.clone();
    let method = request.method.unwrap_or_else(|| method_of(&program));
    let properties = request.properties.map_or_else(|| wanted_by(&program, method), <[Property]>::to_vec);
    let mut run = ProofRun {
        model,
        method,
        // With lemmas of the user an alarm says more of these than of the object.
        confirm_time: request.confirm_time.filter(|_| request.lemmas.is_none()),
        lemmas: request.lemmas,
        gate: request.gate,
        budget,
        started: Instant::now(),
    };
    let mut result = ProofResult {
        compiled,
        findings: Vec::new(),
        refusals: Vec::new(),
        points: None,
        mined_in: Duration::ZERO,
        alarms: Vec::new(),
        certificate: None,
        set_certificate: None,
        cmp: None,
        last_facts: None,
        given: Vec::new(),
        certified_in: Duration::ZERO,
        compared: None,
        gate: None,
        time: Duration::ZERO,
    };
    match method {
        ProofMethod::Sets => match SetProver::new(&program) {
            Err(refusals) => result.refuse(method, &properties, refusals),
            Ok(prover) => run.prove_set(&prover, &program, &properties, &mut result, listener)?,
        },
        ProofMethod::Cmp => match CmpProver::new(&program) {
            Err(refusals) => result.refuse(method, &properties, refusals),
            Ok(prover) => run.prove_cmp(&prover, &program, &properties, &mut result, listener)?,
        },
        ProofMethod::Pairs | ProofMethod::Canonical => match PairsProver::new(&program) {
            Err(refusals) => result.refuse(method, &properties, refusals),
            Ok(prover) => run.run(&prover, &program, &properties, &mut result, listener)?,
        },
    }
    // The second method for sets. Its own alarms say nothing that those of the first do not.
    let is_open = |finding: &Finding| matches!(finding.verdict(), Verdict::Unknown(limit) if !matches!(limit, Limit::Gate(_)));
    if request.method.is_none()
        && method == ProofMethod::Sets
        && result.refusals.is_empty()
        && result.findings.iter().all(is_open)
        && let Ok(prover) = CmpProver::new(&program)
    {
        run.method = ProofMethod::Cmp;
        run.confirm_time = None;
        let (findings, alarms) = (result.findings.clone(), result.alarms.len());
        run.prove_cmp(&prover, &program, &properties, &mut result, listener)?;
        result.alarms.truncate(alarms);
        if result.cmp.is_none() && result.gate.is_none() {
            result.findings = findings;
        } else {
            result.alarms.clear();
        }
    }
    result.time = run.started.elapsed();
    Ok(result)
}

struct ProofRun<'a> {
    model: &'a dyn Model,
    method: ProofMethod,
    confirm_time: Option<Duration>,
    lemmas: Option<&'a [Lemma]>,
    gate: GateOptions,
    budget: &'a Budget,
    started: Instant,
}

/// An alarm of a property.
struct Alarm {
    property: Property,
    trace: AbstractTrace,
    /// The number of alarms that share the remaining time, including this one.
    alarms: usize,
}

/// The analyses, in the order in which they run.
const ANALYSES: [Analysis; 3] = [Analysis::Conformance, Analysis::Memory, Analysis::Assertions];

/// Returns the analysis that shows a property; `None` if the method cannot show it.
fn analysis_of(property: Property) -> Option<Analysis> {
    match property {
        Property::Linearizable | Property::DeadlockFree => Some(Analysis::Conformance),
        Property::MemorySafe => Some(Analysis::Memory),
        Property::Assertions => Some(Analysis::Assertions),
        _ => None,
    }
}

/// The result of one analysis.
struct Analysed {
    analysis: Analysis,
    outcome: Result<Found, Failure>,
    effort: Effort,
}

impl ProofRun<'_> {
    fn run(
        &self,
        prover: &dyn Prover<'_>,
        program: &Arc<Program>,
        properties: &[Property],
        result: &mut ProofResult,
        listener: &mut dyn Listener,
    ) -> Result<(), RequestError> {
        let mut analysed = Vec::new();
        for analysis in ANALYSES {
            if properties.iter().any(|property| analysis_of(*property) == Some(analysis)) {
                analysed.push(self.analyse(prover, analysis, listener));
            }
        }
        let certificate =
            prover.certificate(analysed.iter().filter_map(|a| a.outcome.as_ref().ok().cloned()).collect());
        let checking = Instant::now();
        let meter = BudgetMeter::start(self.left());
        let go_on = || meter.exhausted(0).is_none();
        let checked = certify(program, &certificate, &self.gate, &go_on);
        // The reason why checker and gate stopped early.
        let exhausted = meter.exhausted(0).unwrap_or(Exhausted::Interrupted);
        result.certified_in = checking.elapsed();
        match &checked {
            Ok(certified) => {
                result.certified_in = result.certified_in.saturating_sub(certified.compared_in);
                let is_compared = !certified.report.instances.is_empty();
                let report = (certified.report.clone(), certified.compared_in);
                result.compared = Some(report).filter(|_| is_compared);
            }
            Err(CertificateError::Gate(refused)) => result.gate = Some((**refused).clone()),
            Err(_) => {}
        }
        let analysis =
            |property: &Property| analysed.iter().find(|a| Some(a.analysis) == analysis_of(*property));
        for (at, property) in properties.iter().enumerate() {
            let Some(own) = analysis(property) else {
                let limit = Limit::NotSupported(format!("`{property}` for all sizes"));
                result.findings.push(not_proved(ProofMethod::Pairs, *property, Effort::default(), limit));
                continue;
            };
            let finding = match (&own.outcome, &checked) {
                (Ok(_), Ok(certified)) => {
                    match certified.proofs.iter().find(|proof| proof.property() == *property) {
                        Some(proof) => Finding::proved(prover.name(), proof, own.effort.clone()),
                        None => {
                            let limit = Limit::NotSupported(format!("`{property}` for all sizes"));
                            not_proved(ProofMethod::Pairs, *property, own.effort.clone(), limit)
                        }
                    }
                }
                (Ok(_), Err(CertificateError::Interrupted)) => {
                    not_proved(ProofMethod::Pairs, *property, own.effort.clone(), exhausted_limit(exhausted))
                }
                (Ok(_), Err(refused)) => {
                    not_proved(ProofMethod::Pairs, *property, own.effort.clone(), refused_limit(refused))
                }
                (Err(Failure::Exhausted(exhausted)), _) => {
                    not_proved(ProofMethod::Pairs, *property, own.effort.clone(), exhausted_limit(*exhausted))
                }
                (Err(Failure::Alarm(trace)), _) => {
                    let is_alarm = |own: &Analysed| matches!(own.outcome, Err(Failure::Alarm(_)));
                    let alarms =
                        properties[at..].iter().filter_map(analysis).filter(|own| is_alarm(own)).count();
                    let alarm = Alarm { property: *property, trace: (**trace).clone(), alarms };
                    self.confirm_alarm(program, alarm, own.effort.clone(), result, listener)?
                }
            };
            result.findings.push(finding);
        }
        // Properties that are proved without a request.
        for proof in checked
            .iter()
            .flat_map(|certified| &certified.proofs)
            .filter(|proof| !properties.contains(&proof.property()))
        {
            let own = analysis(&proof.property());
            let effort = own.map_or_else(Effort::default, |own| own.effort.clone());
            result.findings.push(Finding::proved(prover.name(), proof, effort));
        }
        let is_proved = |finding: &Finding| {
            matches!((finding.verdict(), finding.scope()), (Verdict::Holds, Scope::Unbounded { .. }))
        };
        if result.findings.iter().any(is_proved) {
            result.certificate = Some(certificate);
        }
        Ok(())
    }

    fn analyse(&self, prover: &dyn Prover<'_>, analysis: Analysis, listener: &mut dyn Listener) -> Analysed {
        let started = Instant::now();
        let mut meter = BudgetMeter::start(self.left());
        let outcome = prover.prove(analysis, &mut meter, listener);
        let mut effort = Effort { time: started.elapsed(), ..Effort::default() };
        if let Ok(found) = &outcome {
            effort.states = found.invariants.iter().map(|invariant| invariant.views.len() as u64).sum();
            effort.transitions = found.steps;
        }
        Analysed { analysis, outcome, effort }
    }

    /// Returns the remaining budget.
    fn left(&self) -> Budget {
        let time = self.budget.time.map(|time| time.saturating_sub(self.started.elapsed()));
        Budget { time, ..self.budget.clone() }
    }
}

fn not_proved(method: ProofMethod, property: Property, effort: Effort, limit: Limit) -> Finding {
    Finding::not_proved(method.name(), property, method.name().into(), effort, limit)
}

fn exhausted_limit(exhausted: Exhausted) -> Limit {
    match exhausted {
        Exhausted::Time(limit) => Limit::Time(limit),
        Exhausted::Memory(bytes) => Limit::Memory(bytes),
        Exhausted::States(states) => Limit::States(states as u64),
        Exhausted::Interrupted => Limit::Interrupted,
    }
}

/// Returns the limit for a refused certificate. Prover and checker disagree: one of them has a bug.
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
