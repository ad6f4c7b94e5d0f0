//! `linchpin certify`: checks a certificate, without prover code.

use super::compile::model_failure;
use super::guard::{Guard, Interrupts};
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use crate::cli::input;
use clap::Args;
use linchpin_certify::certificate::Certificate;
use linchpin_certify::cmp_certificate::CmpCertificate;
use linchpin_certify::gate::GateOptions;
use linchpin_certify::set_certificate::SetCertificate;
use linchpin_certify::sets::SetRefusal;
use linchpin_certify::{CertificateError, Certified, CheckError, certify, certify_cmp, certify_set};
use linchpin_engine::model::Compiled;
use linchpin_engine::verdict::{Effort, ExpectationResult, Finding, Limit};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_judge::replay::fingerprint;
use linchpin_judge::trace::Fingerprint;
use linchpin_portfolio::wanted;
use linchpin_report::certificate_file::CertificateFile;
use linchpin_report::cmp_certificate_file::{CmpCertificateFile, is_of_cmp};
use linchpin_report::gate::{compared_text, contradiction_text};
use linchpin_report::line::{DIM, Palette};
use linchpin_report::qualified::left_out_of_proof;
use linchpin_report::set_certificate_file::{SetCertificateFile, is_of_a_set};
use linchpin_report::verdicts::{heading, lines};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    let saved = Saved::parse(&text).map_err(unusable)?;
    if saved.fingerprint().map_err(unusable)? != fingerprint(&compiled.program) {
        return Err(unusable("the certificate belongs to another version of the model".into()));
    }
    let read = saved.read().map_err(unusable)?;
    let started = Instant::now();
    let go_on = || !guard.budget.stop.is_asked();
    let certified = match read.certify(&compiled.program, &go_on) {
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
        Err(refused @ CertificateError::Check(CheckError::Broken(_) | CheckError::Set(_))) => {
            return Err(broken(&arguments.file, &compiled, &refused));
        }
        Err(refused) => return Err(unusable(refused.to_string())),
    };
    let effort = Effort { states: read.size() as u64, time: started.elapsed(), ..Effort::default() };
    let mut findings: Vec<(Finding, ExpectationResult)> = certified
        .proofs
        .iter()
        .map(|proof| (Finding::proved("certify", proof, effort.clone()), ExpectationResult::default()))
        .collect();
    if read.is_empty() {
        return Err(unusable("the certificate has no invariant".into()));
    }
    // Properties that `prove` would judge, but that the certificate does not claim.
    for property in wanted(&compiled.program) {
        if findings.iter().all(|(finding, _)| finding.property() != property) {
            let missing = Finding::not_proved(
                "certify",
                property,
                saved.method().into(),
                effort.clone(),
                Limit::NotClaimed,
            );
            findings.push((missing, ExpectationResult::default()));
        }
    }
    let title =
        heading(&arguments.model, "any number of threads, nodes and values; sequentially consistent memory");
    terminal.print(&(title + &lines(&findings, terminal.width, Palette::Colours)));
    if !certified.proofs.is_empty() {
        if let Some(left_out) = left_out_of_proof(&compiled.program) {
            terminal.print(&format!("{left_out}\n"));
        }
        let compared = compared_text(&compiled.sources, &certified.report, certified.compared_in);
        terminal.print(&format!("{DIM}{compared}{DIM:#}"));
    }
    Ok(Ending::of(findings.iter().map(|(finding, judged)| (finding, *judged))))
}

/// A certificate file of one of the methods.
enum Saved {
    Pairs(CertificateFile),
    Set(SetCertificateFile),
    Cmp(CmpCertificateFile),
}

/// A certificate of one of the methods.
enum Read {
    Pairs(Certificate),
    Set(SetCertificate),
    Cmp(CmpCertificate),
}

impl Saved {
    fn parse(text: &str) -> Result<Saved, String> {
        if is_of_cmp(text) {
            return CmpCertificateFile::parse(text).map(Saved::Cmp);
        }
        match is_of_a_set(text) {
            true => SetCertificateFile::parse(text).map(Saved::Set),
            false => CertificateFile::parse(text).map(Saved::Pairs),
        }
    }

    fn method(&self) -> &str {
        match self {
            Saved::Pairs(file) => &file.method,
            Saved::Set(file) => &file.method,
            Saved::Cmp(file) => &file.method,
        }
    }

    fn fingerprint(&self) -> Result<Fingerprint, String> {
        match self {
            Saved::Pairs(file) => file.fingerprint(),
            Saved::Set(file) => file.fingerprint(),
            Saved::Cmp(file) => file.fingerprint(),
        }
    }

    fn read(&self) -> Result<Read, String> {
        match self {
            Saved::Pairs(file) => file.certificate().map(Read::Pairs),
            Saved::Set(file) => file.certificate().map(Read::Set),
            Saved::Cmp(file) => file.certificate().map(Read::Cmp),
        }
    }
}

impl Read {
    /// Returns whether the certificate claims nothing.
    fn is_empty(&self) -> bool {
        match self {
            Read::Pairs(certificate) => certificate.invariants.is_empty(),
            Read::Set(certificate) => certificate.threads.is_empty(),
            Read::Cmp(certificate) => certificate.views.threads.is_empty(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Read::Pairs(certificate) => certificate.size(),
            Read::Set(certificate) => certificate.size(),
            Read::Cmp(certificate) => certificate.views.size(),
        }
    }

    fn certify(
        &self,
        program: &Arc<Program>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Certified, CertificateError> {
        let options = GateOptions::default();
        match self {
            Read::Pairs(certificate) => certify(program, certificate, &options, go_on),
            Read::Set(certificate) => certify_set(program, certificate, &options, go_on),
            Read::Cmp(certificate) => certify_cmp(program, certificate, &options, go_on),
        }
    }
}

/// Returns the failure for a step that violates the invariant.
fn broken(file: &Path, compiled: &Compiled, refused: &CertificateError) -> Failure {
    let (step, effect) = match refused {
        CertificateError::Check(CheckError::Broken(broken)) => (broken.step, broken.span),
        CertificateError::Check(CheckError::Set(refusal)) => match &**refusal {
            SetRefusal::Failed(failure) => (failure.step, Some(failure.span)),
            SetRefusal::Outside { step } | SetRefusal::Lemma { step } => (*step, None),
        },
        _ => (None, None),
    };
    let Some(span) = step.or(effect) else { return Failure::input(refused.to_string()) };
    let label = if step.is_some() { "a step of a thread that rests here" } else { "here" };
    let mut diagnostic = Diagnostic::error(format!("the certificate is rejected: {refused}"), span, label);
    if let (Some(_), Some(does)) = (step, effect) {
        diagnostic = diagnostic.label(does, "the effect of the step");
    }
    model_failure(&compiled.sources, file.display().to_string(), &[diagnostic])
}
