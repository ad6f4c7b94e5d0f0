//! Proofs of list-based sets: the method of sets, its certificate, and its alarm.

use super::{Alarm, ProofResult, ProofRun, exhausted_limit, not_proved, refused_limit};
use linchpin_certify::{CertificateError, certify_set};
use linchpin_engine::model::RequestError;
use linchpin_engine::verdict::{Effort, Finding, Limit};
use linchpin_engine::{BudgetMeter, Exhausted, Listener};
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_prove::alarm::{AbstractTrace, AlarmKind};
use linchpin_prove::sets::{SetProver, SetStopped};
use std::sync::Arc;
use std::time::Instant;

const METHOD: ProofMethod = ProofMethod::Sets;

impl ProofRun<'_> {
    /// Searches for a certificate that proves all properties at once.
    pub(super) fn prove_set(
        &self,
        prover: &SetProver,
        program: &Arc<Program>,
        properties: &[Property],
        result: &mut ProofResult,
        listener: &mut dyn Listener,
    ) -> Result<(), RequestError> {
        let started = Instant::now();
        let mut meter = BudgetMeter::start(self.left());
        let found = prover.prove(&mut meter);
        let mut effort = Effort { time: started.elapsed(), ..Effort::default() };
        let open = |effort: &Effort, limit: Limit| -> Vec<Finding> {
            let all = properties.iter();
            all.map(|property| not_proved(METHOD, *property, effort.clone(), limit.clone())).collect()
        };
        let certificate = match found {
            Ok((certificate, steps)) => {
                effort.states = certificate.size() as u64;
                effort.transitions = steps;
                certificate
            }
            Err(SetStopped::Exhausted(exhausted)) => {
                result.findings = open(&effort, exhausted_limit(exhausted));
                return Ok(());
            }
            Err(SetStopped::NoWitness) => {
                let what = "no shared pointer leads to a list that the method can follow";
                result.findings = open(&effort, Limit::NotSupported(what.into()));
                return Ok(());
            }
            Err(SetStopped::Failed(failure)) => {
                let kind = AlarmKind::Set(failure.kind);
                let alarm = linchpin_prove::alarm::Alarm { kind, span: failure.span };
                let trace = AbstractTrace { alarm, steps: Vec::new(), calls: Vec::new(), unclear: None };
                let own = failure.kind.property();
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
        let checking = Instant::now();
        let meter = BudgetMeter::start(self.left());
        let go_on = || meter.exhausted(0).is_none();
        let checked = certify_set(program, &certificate, &self.gate, &go_on);
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
        for property in properties {
            let proof = certified.proofs.iter().find(|proof| proof.property() == *property);
            result.findings.push(match proof {
                Some(proof) => Finding::proved(METHOD.name(), proof, effort.clone()),
                None => {
                    let limit = Limit::NotSupported(format!("`{property}` for all sizes"));
                    not_proved(METHOD, *property, effort.clone(), limit)
                }
            });
        }
        // Properties that are proved without a request.
        for proof in certified.proofs.iter().filter(|proof| !properties.contains(&proof.property())) {
            result.findings.push(Finding::proved(METHOD.name(), proof, effort.clone()));
        }
        result.set_certificate = Some(certificate);
        Ok(())
    }
}
