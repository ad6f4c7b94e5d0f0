//! The compositional method: mines lemmas, searches for a certificate, has it checked, and reports the alarm.

use super::{Alarm, ProofResult, ProofRun, exhausted_limit, not_proved, refused_limit};
use linchpin_certify::cmp_certificate::CmpCertificate;
use linchpin_certify::{CertificateError, certify_cmp};
use linchpin_engine::model::{Compiled, RequestError};
use linchpin_engine::verdict::{Effort, Finding, Limit};
use linchpin_engine::{Budget, BudgetMeter, Exhausted, Listener};
use linchpin_explore::hunt::initial_cells;
use linchpin_explore::samples::BoundedSamples;
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_prove::alarm::{AbstractTrace, AlarmKind};
use linchpin_prove::cmp::{CmpProver, CmpStopped};
use linchpin_prove::lemma::{Lemma, LemmaPool, PoolLimits, Printer, mine};
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
        let pool = self.mine(program)?;
        let mined_in = mining.elapsed();
        let usable = prover.usable(pool.always());
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
            Err(CmpStopped::Failed { failure, steps }) => {
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
        result.cmp = Some(CmpProof { certificate: found.certificate, lemmas, guessed, mined_in });
        Ok(())
    }

    fn mine(&self, program: &Arc<Program>) -> Result<LemmaPool, RequestError> {
        mined(program, &self.left())
    }
}

/// Mines lemmas from the states of two threads with two cells more than `init` makes.
fn mined(program: &Arc<Program>, budget: &Budget) -> Result<LemmaPool, RequestError> {
    let nodes = initial_cells(program).saturating_add(2);
    let bounds = Bounds { threads: 2, nodes, values: 2, keys: 2, ..Bounds::default() };
    let samples = BoundedSamples::new(program, &bounds, MOST_SAMPLES)?;
    mine(program, &samples, None, PoolLimits::default(), budget)
}

/// Returns the invariant of a proof of a set as lemmas, in the order of their places. Those of the
/// compositional method are the lemmas of its certificate. Those of `sets` are the mined literals that are true
/// in every view, so in every state. Empty for other proofs.
pub fn lemmas_of(proving: &ProofResult, budget: &Budget) -> Result<Vec<Lemma>, RequestError> {
    if let Some(proof) = &proving.cmp {
        return Ok(proof.lemmas.clone());
    }
    let program = &proving.compiled.program;
    let (Some(certificate), Ok(prover)) = (&proving.set_certificate, CmpProver::new(program)) else {
        return Ok(Vec::new());
    };
    let pool = mined(program, budget)?;
    let mut shown = prover.shown_in(certificate, pool.always());
    shown.sort();
    Ok(shown)
}

/// Returns lemmas in their notation, a line each.
pub fn lemmas_text(compiled: &Compiled, lemmas: &[Lemma]) -> Vec<String> {
    let printer = Printer { program: &compiled.program, sources: &compiled.sources };
    lemmas.iter().map(|lemma| printer.lemma(lemma)).collect()
}
