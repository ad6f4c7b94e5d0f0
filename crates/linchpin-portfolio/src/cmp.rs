//! The compositional method: mines lemmas, searches for a certificate, has it checked, and reports the alarm.

use super::{Alarm, ProofResult, ProofRun, exhausted_limit, not_proved, refused_limit};
use linchpin_certify::cmp_certificate::{CmpCertificate, RestLemma};
use linchpin_certify::{CertificateError, certify_cmp};
use linchpin_engine::model::{Compiled, RequestError};
use linchpin_engine::verdict::{Effort, Finding, Limit};
use linchpin_engine::{Budget, BudgetMeter, Exhausted, Listener};
use linchpin_explore::hunt::initial_cells;
use linchpin_explore::samples::{BoundedSamples, SampledStep};
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_prove::alarm::{AbstractTrace, AlarmKind};
use linchpin_prove::cmp::rounds::{Rounds, Standing};
use linchpin_prove::cmp::{CmpProver, CmpStopped};
use linchpin_prove::lemma::{self, Lemma, LemmaPool, PoolLimits, Printer, mine};
use linchpin_semantics::Bounds;
use std::sync::Arc;
use std::time::{Duration, Instant};

const METHOD: ProofMethod = ProofMethod::Cmp;

/// The maximal number of states from which lemmas are mined.
const MOST_SAMPLES: usize = 20_000;

/// A proof of the compositional method.
#[derive(Clone, Debug)]
pub struct CmpProof {
    pub certificate: CmpCertificate,
    /// The lemmas of the certificate, in the order of their places.
    pub lemmas: Vec<Lemma>,
    /// The number of lemmas that were tried.
    pub guessed: usize,
    /// The time that mining took.
    pub mined_in: Duration,
}

impl ProofRun<'_> {
    /// Searches for a certificate of one thread and lemmas that proves all properties at once.
    pub(super) fn prove_cmp(
        &self,
        prover: &CmpProver,
        program: &Arc<Program>,
        properties: &[Property],
        result: &mut ProofResult,
        listener: &mut dyn Listener,
    ) -> Result<(), RequestError> {
        let mining = Instant::now();
        let usable = match self.lemmas {
            Some(given) => prover.usable(given),
            None => prover.usable(self.mine(program)?.always()),
        };
        let mined_in = mining.elapsed();
        let guesses: Vec<_> = usable.keys().cloned().collect();
        let started = Instant::now();
        let mut meter = BudgetMeter::start(self.left());
        let found = prover.prove(&guesses, &mut meter);
        let mut effort = Effort { time: started.elapsed(), ..Effort::default() };
        let open = |effort: &Effort, limit: Limit| -> Vec<Finding> {
            let all = properties.iter();
            all.map(|property| not_proved(METHOD, *property, effort.clone(), limit.clone())).collect()
        };
        let found = match found {
            Ok(found) => found,
            Err(CmpStopped::Exhausted(exhausted)) => {
                result.findings = open(&effort, exhausted_limit(exhausted));
                return Ok(());
            }
            Err(CmpStopped::NoWitness) => {
                let what = "no shared pointer leads to a list that the method can follow";
                result.findings = open(&effort, Limit::NotSupported(what.into()));
                return Ok(());
            }
            Err(CmpStopped::Failed { failure, steps, last }) => {
                result.last_facts = Some(*last);
                self.judge_given(prover, program, None, result);
                let kind = AlarmKind::Set(failure.kind);
                let alarm = linchpin_prove::alarm::Alarm { kind, span: failure.span };
                let unclear = Some("what other threads know together; a lemma has one thread".to_string());
                let trace = AbstractTrace { alarm, steps, calls: Vec::new(), unclear };
                let own = failure.kind.property();
                result.findings.clear();
                for property in properties {
                    let is_own = *property == own || !properties.contains(&own);
                    let finding = match is_own {
                        true => {
                            let alarm = Alarm { property: *property, trace: trace.clone(), alarms: 1 };
                            self.confirm_alarm(program, alarm, effort.clone(), result, listener)?
                        }
                        false => {
                            let limit = Limit::Unconfirmed(failure.to_string());
                            not_proved(METHOD, *property, effort.clone(), limit)
                        }
                    };
                    result.findings.push(finding);
                }
                return Ok(());
            }
        };
        effort.states = found.certificate.views.size() as u64;
        effort.transitions = found.steps;
        let checking = Instant::now();
        let meter = BudgetMeter::start(self.left());
        let go_on = || meter.exhausted(0).is_none();
        let checked = certify_cmp(program, &found.certificate, &self.gate, &go_on);
        let exhausted = meter.exhausted(0).unwrap_or(Exhausted::Interrupted);
        result.certified_in = checking.elapsed();
        let certified = match checked {
            Ok(certified) => certified,
            Err(refused) => {
                if let CertificateError::Gate(refused) = &refused {
                    result.gate = Some((**refused).clone());
                }
                result.findings = match &refused {
                    CertificateError::Interrupted => open(&effort, exhausted_limit(exhausted)),
                    refused => open(&effort, refused_limit(refused)),
                };
                return Ok(());
            }
        };
        result.certified_in = result.certified_in.saturating_sub(certified.compared_in);
        result.compared = Some((certified.report.clone(), certified.compared_in));
        result.findings.clear();
        for property in properties {
            let proof = certified.proofs.iter().find(|proof| proof.property() == *property);
            result.findings.push(match proof {
                Some(proof) => Finding::proved(METHOD.name(), proof, effort.clone()),
                None => {
                    let limit = Limit::NotSupported(format!("`{property}` by this method"));
                    not_proved(METHOD, *property, effort.clone(), limit)
                }
            });
        }
        // Properties that are proved without a request.
        for proof in certified.proofs.iter().filter(|proof| !properties.contains(&proof.property())) {
            result.findings.push(Finding::proved(METHOD.name(), proof, effort.clone()));
        }
        let lemmas = found.certificate.lemmas.iter().filter_map(|claim| usable.get(claim).cloned());
        let lemmas = lemmas.collect();
        let guessed = found.guessed;
        self.judge_given(prover, program, Some(&found.certificate), result);
        result.cmp = Some(CmpProof { certificate: found.certificate, lemmas, guessed, mined_in });
        Ok(())
    }

    /// Judges the lemmas that were given, beside the certificate that they led to.
    fn judge_given(
        &self,
        prover: &CmpProver,
        program: &Arc<Program>,
        certificate: Option<&CmpCertificate>,
        result: &mut ProofResult,
    ) {
        for lemma in self.lemmas.into_iter().flatten() {
            let claim = prover.usable([lemma]).into_keys().next();
            let standing = match (&claim, certificate) {
                (None, _) => LemmaStanding::NotUsed,
                (Some(_), None) => LemmaStanding::Open,
                (Some(claim), Some(certificate)) => {
                    let mut meter = BudgetMeter::start(self.left());
                    match prover.standing(&certificate.views, claim, &certificate.lemmas, &mut meter) {
                        Ok(Standing::Needed) => LemmaStanding::Needed,
                        Ok(Standing::Redundant) => LemmaStanding::Redundant,
                        Ok(Standing::NotShown) | Err(_) => LemmaStanding::Open,
                    }
                }
            };
            let is_open = matches!(standing, LemmaStanding::Open | LemmaStanding::NotUsed);
            let execution = is_open.then(|| self.execution_against(program, lemma)).flatten();
            result.given.push(JudgedLemma { lemma: lemma.clone(), standing, execution });
        }
    }

    /// Returns an execution to a state in which a lemma is false; `None`: a small instance has none.
    fn execution_against(&self, program: &Arc<Program>, lemma: &Lemma) -> Option<Vec<SampledStep>> {
        let samples = samples(program).ok()?;
        samples.execution_to(&mut |sample| !lemma::Scene::new(sample).holds(lemma), &self.left())
    }

    fn mine(&self, program: &Arc<Program>) -> Result<LemmaPool, RequestError> {
        mine(program, &samples(program)?, None, PoolLimits::default(), &self.left())
    }
}

/// The states of two threads with two cells more than `init` makes.
pub(super) fn samples(program: &Arc<Program>) -> Result<BoundedSamples, RequestError> {
    let nodes = initial_cells(program).saturating_add(2);
    let bounds = Bounds { threads: 2, nodes, values: 2, keys: 2, ..Bounds::default() };
    BoundedSamples::new(program, &bounds, MOST_SAMPLES)
}

impl CmpProof {
    /// Returns a lemma of the certificate in the notation of lemmas; `None` for another one.
    pub fn printed(&self, compiled: &Compiled, lemma: &RestLemma) -> Option<String> {
        let printer = Printer { program: &compiled.program, sources: &compiled.sources };
        let at = self.certificate.lemmas.iter().position(|known| known == lemma)?;
        Some(printer.lemma(self.lemmas.get(at)?))
    }
}

/// A lemma that was given, and what is known of it.
#[derive(Clone, Debug)]
pub struct JudgedLemma {
    pub lemma: Lemma,
    pub standing: LemmaStanding,
    /// An execution to a state in which the lemma is false.
    pub execution: Option<Vec<SampledStep>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LemmaStanding {
    /// The proof fails without it, the others kept.
    Needed,
    Redundant,
    /// Not shown.
    Open,
    /// The method has no use for it.
    NotUsed,
}

/// The maximal number of rounds of the refinement loop.
const MOST_ROUNDS: usize = 60;

/// Runs the refinement loop of a proof, from no lemma to those that suffice.
pub fn rounds(program: &Program, proof: &CmpProof, budget: &Budget) -> Result<Rounds, Exhausted> {
    let Ok(prover) = CmpProver::new(program) else {
        return Ok(Rounds { rounds: Vec::new(), is_proved: false, needed: Vec::new() });
    };
    let mut meter = BudgetMeter::start(budget.clone());
    prover.rounds(&proof.certificate.views, &proof.certificate.lemmas, MOST_ROUNDS, &mut meter)
}
