//! `linchpin certify`: checks a certificate, without prover code.

use super::compile::model_failure;
use super::guard::{Guard, Interrupts};
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use crate::input;
use clap::Args;
use linchpin_certify::gate::GateOptions;
use linchpin_certify::{CertificateError, CheckError, certify};
use linchpin_engine::model::Compiled;
use linchpin_engine::verdict::{Effort, ExpectationResult, Finding, Limit};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_judge::replay::fingerprint;
use linchpin_portfolio::wanted;
use linchpin_report::certificate_file::CertificateFile;
use linchpin_report::gate::{compared_text, contradiction_text};
use linchpin_report::line::DIM;
use linchpin_report::verdicts::{heading, lines};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Args, Debug)]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,
    /// The certificate that `prove --certificate` wrote
    pub file: PathBuf,
    /// Time limit, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// Memory limit, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    let source = Source::new(&arguments.model)?;
    let compiled = source.compiled(&Setting::default())?;
    let text = input::read_text(&arguments.file).map_err(Failure::Input)?;
    let shown = arguments.file.display();
    let unusable = |why: String| {
        Failure::input(format!("`{shown}` is not a certificate of `{}`: {why}", arguments.model))
            .help("write a new certificate with `linchpin prove MODEL --certificate FILE`")
    };
    let file = CertificateFile::parse(&text).map_err(unusable)?;
    if file.fingerprint().map_err(unusable)? != fingerprint(&compiled.program) {
        return Err(unusable("the certificate belongs to another version of the model".into()));
    }
    let certificate = file.certificate().map_err(unusable)?;
    let started = Instant::now();
    let go_on = || !guard.budget.stop.is_asked();
    let certified = match certify(&compiled.program, &certificate, &GateOptions::default(), &go_on) {
        Ok(certified) => certified,
        Err(CertificateError::Interrupted) => {
            return Err(Failure::unknown(guard.ended_by().unwrap_or_default()));
        }
        Err(CertificateError::Gate(refused)) => {
            let text = contradiction_text(&refused).unwrap_or_default();
            terminal.print(&text);
            terminal.note(format!("unknown: {refused}"));
            return Ok(Ending::Unknown);
        }
        Err(refused @ CertificateError::Check(CheckError::Broken(_))) => {
            return Err(broken(&arguments.file, &compiled, &refused));
        }
        Err(refused) => return Err(unusable(refused.to_string())),
    };
    let effort = Effort { states: certificate.size() as u64, time: started.elapsed(), ..Effort::default() };
    let mut findings: Vec<(Finding, ExpectationResult)> = certified
        .proofs
        .iter()
        .map(|proof| (Finding::proved("certify", proof, effort.clone()), ExpectationResult::default()))
        .collect();
    if certificate.invariants.is_empty() {
        return Err(unusable("the certificate has no invariant".into()));
    }
    // Properties that `prove` would judge, but that the certificate does not claim.
    for property in wanted(&compiled.program) {
        if findings.iter().all(|(finding, _)| finding.property() != property) {
            let missing = Finding::not_proved(
                "certify",
                property,
                file.method.as_str().into(),
                effort.clone(),
                Limit::NotClaimed,
            );
            findings.push((missing, ExpectationResult::default()));
        }
    }
    let title =
        heading(&arguments.model, "any number of threads, nodes and values; sequentially consistent memory");
    terminal.print(&(title + &lines(&findings, terminal.width)));
    if !certified.proofs.is_empty() {
        let compared = compared_text(&compiled.sources, &certified.report, certified.compared_in);
        terminal.print(&format!("{DIM}{compared}{DIM:#}"));
    }
    Ok(Ending::of(findings.iter().map(|(finding, judged)| (finding, *judged))))
}

/// Returns the failure for a step that violates the invariant.
fn broken(file: &Path, compiled: &Compiled, refused: &CertificateError) -> Failure {
    let CertificateError::Check(CheckError::Broken(broken)) = refused else {
        return Failure::input(refused.to_string());
    };
    let Some(span) = broken.step.or(broken.span) else { return Failure::input(refused.to_string()) };
    let label = if broken.step.is_some() { "a step of a thread that rests here" } else { "here" };
    let mut diagnostic =
        Diagnostic::error(format!("the certificate is rejected: {}", broken.why), span, label);
    if let (Some(_), Some(does)) = (broken.step, broken.span) {
        diagnostic = diagnostic.label(does, "the effect of the step");
    }
    model_failure(&compiled.sources, file.display().to_string(), &[diagnostic])
}
