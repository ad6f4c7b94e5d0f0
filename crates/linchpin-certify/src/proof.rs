//! Proofs for all sizes, and the only function that makes them.

use crate::certificate::Certificate;
use crate::cmp;
use crate::cmp_certificate::CmpCertificate;
use crate::gate;
use crate::gate::{GateOptions, GateRefused, GateReport};
use crate::pairs::{CheckError, check};
use crate::set_certificate::SetCertificate;
use crate::sets;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAIRS: &str = "pairs";
const SETS: &str = "sets";
const CMP: &str = "cmp";

/// A property that holds for all sizes, by a certificate that passed the checker and the gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    property: Property,
    method: Arc<str>,
}

impl Proof {
    /// Private, so that only [`certify`] makes proofs.
    fn new(property: Property, method: &str) -> Proof {
        Proof { property, method: method.into() }
    }

    pub fn property(&self) -> Property {
        self.property
    }

    /// Returns the name of the proof method: `pairs`, `sets`, `canonical` or `cmp`.
    pub fn method(&self) -> &Arc<str> {
        &self.method
    }
}

/// The reason why a certificate is not a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CertificateError {
    /// The checker refuses the certificate.
    Check(CheckError),
    /// The checker accepts the certificate, and the gate refuses it.
    Gate(Box<GateRefused>),
    Interrupted,
}

/// A certificate that passed the checker and the gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certified {
    pub proofs: Vec<Proof>,
    /// The instances that the gate compared.
    pub report: GateReport,
    /// The time that the gate took.
    pub compared_in: Duration,
}

/// Checks a certificate, compares it with the states of small instances, and makes a proof of each property
/// that it shows. Polls `go_on` regularly, and stops when it returns false.
pub fn certify(
    program: &Arc<Program>,
    certificate: &Certificate,
    options: &GateOptions,
    go_on: &dyn Fn() -> bool,
) -> Result<Certified, CertificateError> {
    let properties = check(program, certificate, go_on)?;
    if properties.is_empty() {
        return Ok(Certified {
            proofs: Vec::new(),
            report: GateReport::default(),
            compared_in: Duration::ZERO,
        });
    }
    let started = Instant::now();
    let report = gate::examine(program, certificate, &properties, options, go_on)?;
    let proofs = properties.into_iter().map(|property| Proof::new(property, PAIRS)).collect();
    Ok(Certified { proofs, report, compared_in: started.elapsed() })
}

/// Like [`certify`], for a certificate of a list-based set.
pub fn certify_set(
    program: &Arc<Program>,
    certificate: &SetCertificate,
    options: &GateOptions,
    go_on: &dyn Fn() -> bool,
) -> Result<Certified, CertificateError> {
    let properties = sets::check(program, certificate, go_on).map_err(CheckError::from)?;
    let started = Instant::now();
    let report = gate::sets::examine(program, certificate, &properties, options, go_on)?;
    let proofs = properties.into_iter().map(|property| Proof::new(property, SETS)).collect();
    Ok(Certified { proofs, report, compared_in: started.elapsed() })
}

/// Like [`certify`], for a certificate of the compositional method. The gate compares the views; a lemma is
/// true in a state if it is true in the views of its threads.
pub fn certify_cmp(
    program: &Arc<Program>,
    certificate: &CmpCertificate,
    options: &GateOptions,
    go_on: &dyn Fn() -> bool,
) -> Result<Certified, CertificateError> {
    let properties = cmp::check(program, certificate, go_on).map_err(CheckError::from)?;
    let started = Instant::now();
    let report = gate::sets::examine(program, &certificate.views, &properties, options, go_on)?;
    let proofs = properties.into_iter().map(|property| Proof::new(property, CMP)).collect();
    Ok(Certified { proofs, report, compared_in: started.elapsed() })
}

impl From<CheckError> for CertificateError {
    fn from(error: CheckError) -> CertificateError {
        match error {
            CheckError::Interrupted => CertificateError::Interrupted,
            error => CertificateError::Check(error),
        }
    }
}

impl From<GateRefused> for CertificateError {
    fn from(refused: GateRefused) -> CertificateError {
        match refused {
            GateRefused::Interrupted => CertificateError::Interrupted,
            refused => CertificateError::Gate(Box::new(refused)),
        }
    }
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Check(error) => write!(f, "{error}"),
            CertificateError::Gate(refused) => write!(f, "{refused}"),
            CertificateError::Interrupted => f.write_str("interrupted"),
        }
    }
}
