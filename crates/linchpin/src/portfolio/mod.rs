//! Which engine when. A proof for all sizes is looked for; what the prover finds is checked before it counts, and what it could not
//! exclude is handed to the explorer.
//!
//! Three ends: a property is *proved*, if the checker of certificates says so; *violated*, if the explorer has an execution; or
//! *unknown*, with what the method does not take, the limit that was met, or the alarm that nobody could confirm.

mod settle;

use crate::engine::{Budget, Exhausted, Listener, Watch};
use crate::explore::{Compiled, Model, Uncheckable, try_observers};
use crate::prove::pairs::{ENGINE, Failure, Found, Prover, Story};
use linchpin_core::certify::{Refused, certificate::Certificate, certify};
use linchpin_core::ir::Program;
use linchpin_core::ir::fragment::{ProofMethod, Refusal};
use linchpin_core::typing::Setting;
use linchpin_core::verdict::{Effort, Finding, Limit, PlannedCall, Property, Scope, Verdict};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What came of the search for a proof.
pub struct Proving {
    pub compiled: Compiled,
    /// One for each property that was asked for, and for each that was proved besides.
    pub findings: Vec<Finding>,
    /// What the method does not take.
    pub refusals: Vec<Refusal>,
    /// What the prover could not exclude, whether or not it happens.
    pub alarms: Vec<Alarmed>,
    /// Of everything that is proved.
    pub certificate: Option<Certificate>,
    /// To check it.
    pub certified_in: Duration,
    /// In all.
    pub time: Duration,
}

/// An alarm, and where the explorer looked for an execution.
pub struct Alarmed {
    pub property: Property,
    pub story: Story,
    /// Of what no execution shows it.
    pub searched: Vec<Searched>,
    /// Of what some execution shows it; then there is a counterexample.
    pub shown_by: Option<Searched>,
}

/// What was searched for the execution behind an alarm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Searched {
    /// These calls of each thread.
    Calls(Vec<Vec<PlannedCall>>),
    /// Any calls.
    Size { threads: u32, nodes: u32, values: u32 },
}

/// What the method of pairs can prove.
pub const PROPERTIES: [Property; 3] = [Property::Linearizable, Property::MemorySafe, Property::DeadlockFree];

/// What the model's author expects to be proved, or else what is worth proving. Memory safety always: whatever else is proved is said of
/// executions up to their first error.
pub fn wanted(program: &Program) -> Vec<Property> {
    let blocks = program.proofs.iter().filter(|proof| *proof.method == *ProofMethod::Pairs.name());
    let named: Vec<Property> =
        blocks.flat_map(|proof| &proof.expects).filter_map(|expect| expect.property.parse().ok()).collect();
    let mut wanted = if named.is_empty() { vec![Property::Linearizable] } else { named };
    if !wanted.contains(&Property::MemorySafe) {
        wanted.push(Property::MemorySafe);
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
) -> Result<Proving, Uncheckable> {
    let compiled = model.compile(&Setting::default())?;
    try_observers(&compiled)?;
    let properties = properties.map_or_else(|| wanted(&compiled.program), <[Property]>::to_vec);
    let attempt = Attempt { model, settling, budget, started: Instant::now() };
    let program = compiled.program.clone();
    let mut proving = Proving {
        compiled,
        findings: Vec::new(),
        refusals: Vec::new(),
        alarms: Vec::new(),
        certificate: None,
        certified_in: Duration::ZERO,
        time: Duration::ZERO,
    };
    match Prover::new(&program) {
        Err(refusals) => {
            // Some end in a comma, to be followed by "is not taken".
            let construct = |refusal: &Refusal| refusal.construct.trim_end_matches(',').to_string();
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

struct Attempt<'a> {
    model: &'a dyn Model,
    settling: Option<Duration>,
    budget: &'a Budget,
    started: Instant,
}

/// What could not be excluded of a property.
struct Alarm {
    property: Property,
    story: Story,
    /// How many alarms share the time that is left, this one included.
    alarms: usize,
}

/// How one of the two analyses ended.
struct Analysed {
    is_memory: bool,
    outcome: Result<Found, Failure>,
    effort: Effort,
}

impl Attempt<'_> {
    fn run(
        &self,
        prover: &Prover,
        program: &Arc<Program>,
        properties: &[Property],
        proving: &mut Proving,
        listener: &mut dyn Listener,
    ) -> Result<(), Uncheckable> {
        let is_memory = |property: &Property| *property == Property::MemorySafe;
        let mut analysed = Vec::new();
        for memory in [false, true] {
            if properties
                .iter()
                .any(|property| PROPERTIES.contains(property) && is_memory(property) == memory)
            {
                analysed.push(self.analyse(prover, memory, listener));
            }
        }
        let certificate =
            prover.certificate(analysed.iter().filter_map(|a| a.outcome.as_ref().ok().cloned()));
        let checking = Instant::now();
        let stop = &self.budget.stop;
        let checked = certify(program, &certificate, &|| !stop.load(Ordering::Relaxed));
        proving.certified_in = checking.elapsed();
        let analysis = |property: &Property| analysed.iter().find(|a| a.is_memory == is_memory(property));
        for (at, property) in properties.iter().enumerate() {
            let Some(own) = analysis(property) else {
                let limit = Limit::NotSupported(format!("`{property}` for all sizes"));
                proving.findings.push(not_proved(*property, Effort::default(), limit));
                continue;
            };
            let finding = match (&own.outcome, &checked) {
                (Ok(_), Ok(proofs)) => match proofs.iter().find(|proof| proof.property() == *property) {
                    Some(proof) => Finding::proved(ENGINE, proof, own.effort.clone()),
                    None => {
                        let limit = Limit::NotSupported(format!("`{property}` for all sizes"));
                        not_proved(*property, own.effort.clone(), limit)
                    }
                },
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
        for proof in checked.iter().flatten().filter(|proof| !properties.contains(&proof.property())) {
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

    fn analyse(&self, prover: &Prover, is_memory: bool, listener: &mut dyn Listener) -> Analysed {
        let started = Instant::now();
        let mut watch = Watch::start(self.left());
        let outcome = if is_memory {
            prover.memory(&mut watch, listener)
        } else {
            prover.conformance(&mut watch, listener)
        };
        let mut effort = Effort { time: started.elapsed(), ..Effort::default() };
        if let Ok(found) = &outcome {
            effort.states = found.invariants.iter().map(|invariant| invariant.views.len() as u64).sum();
            effort.transitions = found.steps;
        }
        Analysed { is_memory, outcome, effort }
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
fn refused_limit(refused: &Refused) -> Limit {
    match refused {
        Refused::Interrupted => Limit::Interrupted,
        refused => Limit::Unconfirmed(format!("the certificate is refused: {refused}")),
    }
}
