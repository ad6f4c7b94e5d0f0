//! Proves a model of the catalogue for all sizes and saves the certificate.

use linchpin_engine::{Budget, Silent};
use linchpin_ir::heap::ProofMethod;
use linchpin_judge::replay::fingerprint;
use linchpin_portfolio::{catalogue, prove};
use linchpin_report::certificate_file::CertificateFile;
use linchpin_report::plain;
use std::error::Error;
use std::path::Path;

pub fn save(path: &Path) -> Result<String, Box<dyn Error>> {
    let model = catalogue::find("treiber_stack").ok_or("not in the catalogue")?;
    let result = prove(model, None, None, &Budget::default(), &mut Silent)?;
    let certificate = result.certificate.as_ref().ok_or("no proof")?;
    let fingerprint = fingerprint(&result.compiled.program);
    let file = CertificateFile::new(model.name, fingerprint, ProofMethod::Pairs.name(), certificate);
    std::fs::write(path, file.to_text()?)?;
    Ok(plain::verdicts(&result.findings))
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("treiber_stack.certificate.json");
    print!("{}", save(&path)?);
    println!("certificate: {}", path.display());
    Ok(())
}
