//! `linchpin prove`: proves properties for any number of threads, nodes and values.

mod explain;
mod page;

use super::budget::ProgressLine;
use super::files::{Output, is_standard_output, model_inputs, outputs_apply};
use super::guard::{Guard, Interrupts};
use super::instance::bounds_text;
use super::points::confirmed_text;
use super::reports::{Content, Reports};
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use clap::{Args, ValueEnum};
use explain::Explainer;
use linchpin_engine::verdict::{Annotation, ExpectationResult, Finding, Limit, Scope, Verdict};
use linchpin_ir::heap::{ProofMethod, UnsupportedConstruct};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::source::SourceMap;
use linchpin_judge::replay::Counterexample;
use linchpin_judge::replay::fingerprint;
use linchpin_portfolio as portfolio;
use linchpin_portfolio::{AlarmReport, ProofRequest, ProofResult, SearchedInstance};
use linchpin_report::alarm;
use linchpin_report::alarm::AlarmRecord;
use linchpin_report::calls::planned_text;
use linchpin_report::certificate_file::CertificateFile;
use linchpin_report::cmp_certificate_file::CmpCertificateFile;
use linchpin_report::counterexample;
use linchpin_report::gate::{GateRecord, compared_text, contradiction_text};
use linchpin_report::json::Report;
use linchpin_report::line::{DIM, Palette, wrap};
use linchpin_report::qualified::left_out_of_proof;
use linchpin_report::quantities::grouped;
use linchpin_report::set_certificate_file::SetCertificateFile;
use linchpin_report::verdicts::{OPEN, effort_text, heading, lines, scope_text};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args, Debug)]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,
    /// Proof method
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    pub method: Method,
    /// Write the certificate of the proof
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Print the invariant of the proof of a set, as lemmas at their lines
    #[arg(long)]
    pub show_invariant: bool,
    /// Show how lemmas exclude counterexamples, round by round (`cmp`)
    #[arg(long)]
    pub explain: bool,
    /// Prove with these lemmas and say which are needed, or with `none` (`cmp`)
    #[arg(long, value_name = "FILE")]
    pub lemmas: Option<PathBuf>,
    /// Time limit, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// Memory limit, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    /// Write the result as JSON (`-`: to standard output, without other output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub reports: Reports,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Method {
    /// The first method that supports the model
    Auto,
    /// Pairs of threads, with observers for the specification
    Pairs,
    /// List-based sets of keys, one key at a time
    Sets,
    /// Canonical abstraction
    Canonical,
    /// List-based sets of keys, by one thread and mined lemmas
    Cmp,
}

/// Time limit of the search for an execution after an alarm.
const ALARM_SEARCH: Duration = Duration::from_secs(10);

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    match arguments.method {
        Method::Auto | Method::Pairs | Method::Sets | Method::Cmp => {}
        Method::Canonical => return Err(Failure::unsupported("proving by canonical abstraction")),
    }
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    let source = Source::new(&arguments.model)?;
    arguments.reports.apply()?;
    let compiled = source.compiled(&Setting::default())?;
    let method = portfolio::method_of(&compiled.program);
    let is_fitting = match arguments.method {
        Method::Pairs => method == ProofMethod::Pairs,
        Method::Sets | Method::Cmp => method == ProofMethod::Sets,
        Method::Auto | Method::Canonical => true,
    };
    if arguments.method != Method::Cmp && (arguments.explain || arguments.lemmas.is_some()) {
        let option = if arguments.explain { "--explain" } else { "--lemmas" };
        return Err(Failure::input(format!("`{option}` is an option of the method `cmp`"))
            .help("add `--method cmp`, or leave the option out"));
    }
    if !is_fitting {
        let spec = &compiled.program.spec.name;
        let fits = method.name();
        return Err(Failure::input(format!("the method does not take the specification `{spec}`"))
            .help(format!("use `--method {fits}`, or leave the option out")));
    }
    let mut outputs = Output::given([("--certificate", &arguments.certificate), ("--json", &arguments.json)]);
    outputs.extend(arguments.reports.outputs());
    outputs_apply(&outputs, &model_inputs(&compiled.sources))?;
    let mut line = ProgressLine::new();
    let lemmas = arguments.lemmas.as_deref().map(|given| explain::lemmas(given, &compiled)).transpose()?;
    let request = ProofRequest {
        method: (arguments.method == Method::Cmp).then_some(ProofMethod::Cmp),
        confirm_time: Some(ALARM_SEARCH),
        lemmas: lemmas.as_deref(),
        ..ProofRequest::default()
    };
    let proving = portfolio::prove_as(&source, &request, &guard.budget, &mut line);
    line.clear();
    let proving = proving.map_err(|error| source.failure(error))?;
    let mut text = text(&arguments.model, &proving, arguments.certificate.as_deref(), terminal.width);
    if arguments.show_invariant {
        let lemmas = portfolio::lemmas_of(&proving, &guard.budget).map_err(|error| source.failure(error))?;
        text += &invariant_text(&portfolio::lemmas_text(&proving.compiled, &lemmas));
    }
    if let Some(explainer) = Explainer::new(&proving.compiled).filter(|_| arguments.method == Method::Cmp) {
        text += &explainer.given(&proving.given);
        if arguments.explain || arguments.lemmas.is_some() {
            text += &explainer.last_facts(&proving);
        }
        if let Some(proof) = proving.cmp.as_ref().filter(|_| arguments.explain) {
            match portfolio::rounds(&proving.compiled.program, proof, &guard.budget) {
                Ok(rounds) => text += &explainer.rounds(proof, &rounds),
                Err(_) => text += "the rounds are cut short by the budget\n",
            }
        }
    }
    let is_json_alone = arguments.json.as_deref().is_some_and(is_standard_output);
    guard.finish();
    if let Some(path) = &arguments.json {
        terminal.save(path, report(&arguments.model, &proving).to_text());
    }
    if arguments.reports.is_asked() {
        let (view, executions) = page::report(&proving, arguments.certificate.as_deref());
        arguments.reports.save(terminal, &Content::Proof(&view, &executions));
    }
    if !is_json_alone {
        terminal.print(&text);
    }
    if let Some(path) = &arguments.certificate {
        if let Some(certificate) = certificate(&arguments.model, &proving) {
            terminal.save(path, certificate.to_text());
        }
        if let Some(certificate) = &proving.set_certificate {
            let fingerprint = fingerprint(&proving.compiled.program);
            let file = SetCertificateFile::new(&arguments.model, fingerprint, certificate);
            terminal.save(path, file.to_text());
        }
        if let Some(proof) = &proving.cmp {
            let fingerprint = fingerprint(&proving.compiled.program);
            let file = CmpCertificateFile::new(&arguments.model, fingerprint, &proof.certificate);
            terminal.save(path, file.to_text());
        }
    }
    Ok(ending(&proving.findings))
}

fn report(model: &str, proving: &ProofResult) -> Report {
    let findings = proving.findings.iter().map(|finding| (finding.clone(), ExpectationResult::default()));
    let sources = &proving.compiled.sources;
    let alarms = proving.alarms.iter().map(|alarmed| AlarmRecord::new(sources, &alarm_text(alarmed)));
    let compared = proving.compared.as_ref().map(|(report, time)| GateRecord::new(sources, report, *time));
    Report::new(model, findings).with_alarms(alarms).with_compared(compared)
}

/// Returns the ending of the findings.
pub fn ending(findings: &[Finding]) -> Ending {
    Ending::of(findings.iter().map(|finding| (finding, ExpectationResult::default())))
}

/// Returns the counterexample of a finding.
fn shown(finding: &Finding) -> Option<&Counterexample> {
    match (finding.verdict(), &finding.annotation) {
        (Verdict::Violated(counterexample), _) => Some(counterexample),
        (_, Some(Annotation::Refuted(counterexample))) => Some(counterexample),
        _ => None,
    }
}

/// Returns the certificate. `None`: nothing is proved.
fn certificate(model: &str, proving: &ProofResult) -> Option<CertificateFile> {
    let fingerprint = fingerprint(&proving.compiled.program);
    let method = ProofMethod::Pairs.name();
    let certificate = proving.certificate.as_ref()?;
    Some(CertificateFile::new(model, fingerprint, method, certificate))
}

fn text(model: &str, proving: &ProofResult, saved: Option<&Path>, width: usize) -> String {
    let sources = &proving.compiled.sources;
    let mut text = String::new();
    let mut shown_scopes: Vec<&Scope> = Vec::new();
    // Findings of the explorer have a bounded scope. They get a heading of their own.
    for finding in &proving.findings {
        if shown_scopes.contains(&finding.scope()) {
            continue;
        }
        shown_scopes.push(finding.scope());
        let alike = proving.findings.iter().filter(|other| other.scope() == finding.scope());
        let judged: Vec<(Finding, ExpectationResult)> =
            alike.map(|other| (other.clone(), ExpectationResult::default())).collect();
        text += &heading(model, &scope(&proving.compiled.program, finding));
        let is_refused = |(finding, _): &(Finding, ExpectationResult)| {
            matches!(finding.verdict(), Verdict::Unknown(Limit::NotSupported(_)))
        };
        // The reason is the same for all properties, so it follows once.
        if !proving.refusals.is_empty() && judged.iter().all(is_refused) {
            let names: Vec<&str> = judged.iter().map(|(finding, _)| finding.property().as_str()).collect();
            text += &format!("  {OPEN}unknown{OPEN:#}  {}\n", names.join(", "));
        } else {
            text += &lines(&judged, width, Palette::Colours);
        }
    }
    if let Some(open) = open_text(proving) {
        let _ = writeln!(text, "{open}");
    }
    let is_proof = |finding: &Finding| {
        matches!((finding.verdict(), finding.scope()), (Verdict::Holds, Scope::Unbounded { .. }))
    };
    if proving.findings.iter().any(is_proof)
        && let Some(left_out) = left_out_of_proof(&proving.compiled.program)
    {
        let _ = writeln!(text, "{left_out}");
    }
    if let Some(points) = &proving.points {
        let seconds = proving.mined_in.as_secs_f64();
        let _ = writeln!(text, "the source lacks points; these were found in {seconds:.1} s, and are used:");
        text += &confirmed_text(points);
        if proving.certificate.is_some() && saved.is_some() {
            let _ = writeln!(
                text,
                "the certificate is for the model with these points\n\
                 help: write that model with `linchpin points {model} --write FILE`\n"
            );
        }
    }
    text += &refused(sources, model, &proving.refusals, width);
    for alarmed in &proving.alarms {
        text += &alarm::draw(sources, &alarm_text(alarmed), Palette::Colours);
    }
    if proving.certificate_size() > 0 {
        let _ = writeln!(text, "{DIM}{}{DIM:#}", cost_text(proving));
        if let Some(proof) = &proving.cmp {
            let (kept, guessed, seconds) = (proof.lemmas.len(), proof.guessed, proof.mined_in.as_secs_f64());
            let _ = writeln!(text, "{DIM}{kept} of {guessed} lemmas kept, mined in {seconds:.1} s{DIM:#}");
        }
        if let Some((report, time)) = &proving.compared {
            let _ = write!(text, "{DIM}{}{DIM:#}", compared_text(sources, report, *time));
        }
        if let Some(path) = saved {
            let _ = writeln!(text, "{DIM}certificate: {}{DIM:#}", path.display());
        }
    }
    text += &proving.gate.as_ref().and_then(contradiction_text).unwrap_or_default();
    for finding in &proving.findings {
        if let (Some(counterexample), Scope::Bounded(_)) = (shown(finding), finding.scope()) {
            let _ = writeln!(text, "{DIM}{}{DIM:#}\n", effort_text(&finding.effort));
            text += &counterexample::draw(sources, counterexample, width, Palette::Colours);
        }
    }
    text
}

/// Returns the lemmas of a proof, or why there are none.
fn invariant_text(lemmas: &[String]) -> String {
    if lemmas.is_empty() {
        return "no lemmas: only a proof of a set of keys has them\n".into();
    }
    let mut text = "the invariant says, of any thread that stands at a line:\n".to_string();
    for lemma in lemmas {
        let _ = writeln!(text, "  {lemma}");
    }
    text
}

/// Returns the size of a certificate and the times of its search and its check.
fn cost_text(proving: &ProofResult) -> String {
    let checked = proving.certified_in.as_secs_f64();
    let compared = proving.compared.as_ref().map_or(0.0, |(_, time)| time.as_secs_f64());
    let seconds = (proving.time.as_secs_f64() - checked - compared).max(0.0);
    let size = grouped(proving.certificate_size() as u64);
    format!("{size} constraints in {seconds:.1} s, checked in {checked:.1} s")
}

/// Returns the sentence about faults that are not proved absent. `None`: all of them are.
fn open_text(proving: &ProofResult) -> Option<String> {
    let open: Vec<String> =
        proving.faults_left_open().iter().map(|property| format!("`{property}`")).collect();
    let names = open.join(", ");
    (!open.is_empty())
        .then(|| format!("the proof covers executions up to their first fault (not proved: {names})"))
}

/// Returns what no proof method supports: every construct once, with the lines of the model that have it.
fn refused(sources: &SourceMap, model: &str, refusals: &[UnsupportedConstruct], width: usize) -> String {
    let mut constructs: Vec<(&str, Vec<usize>)> = Vec::new();
    for refusal in refusals {
        let construct = refusal.construct.trim_end_matches(',');
        // Lines of the library say nothing to the author of the model.
        let is_in_model = sources.files().next().is_some_and(|(root, _)| root == refusal.span.file);
        let line = is_in_model.then(|| sources.line_of(refusal.span));
        let known = constructs.iter().position(|(known, _)| *known == construct);
        let at = known.unwrap_or_else(|| {
            constructs.push((construct, Vec::new()));
            constructs.len() - 1
        });
        let lines = &mut constructs[at].1;
        lines.extend(line.filter(|line| !lines.contains(line)));
    }
    if constructs.is_empty() {
        return String::new();
    }
    let shown: Vec<String> =
        constructs.iter().map(|(construct, lines)| format!("{construct}{}", at(lines))).collect();
    let text = [
        format!("not supported: {}", shown.join("; ")),
        format!("help: run `linchpin verify {model}` to search bounded instances"),
    ];
    let lines = text.iter().flat_map(|line| wrap(line, width.saturating_sub(2), 2));
    lines.fold(String::new(), |out, line| out + "  " + &line + "\n")
}

/// Returns ` (line 3)`, ` (lines 3, 5 and 2 more)`, or nothing.
fn at(lines: &[usize]) -> String {
    const SHOWN: usize = 3;
    let numbers: Vec<String> = lines.iter().take(SHOWN).map(usize::to_string).collect();
    let more = lines.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    match numbers.as_slice() {
        [] => String::new(),
        [only] => format!(" (line {only})"),
        _ => format!(" (lines {}{more})", numbers.join(", ")),
    }
}

fn scope(program: &Program, finding: &Finding) -> String {
    match finding.scope() {
        Scope::Bounded(bounded) => scope_text(finding, &bounds_text(program, &bounded.bounds)),
        Scope::Unbounded { .. } => {
            "any number of threads, nodes and values; sequentially consistent memory".into()
        }
    }
}

/// Converts an alarm for the report.
fn alarm_text(alarmed: &AlarmReport) -> alarm::Alarm {
    let story = &alarmed.trace;
    let searched = |searched: &SearchedInstance| match searched {
        SearchedInstance::Calls(threads) => format!("the calls {}", planned_text(threads)),
        SearchedInstance::Size { threads, nodes, values } => {
            let count = |n: &u32, what: &str| format!("{n} {what}{}", if *n == 1 { "" } else { "s" });
            [count(threads, "thread"), count(nodes, "node"), count(values, "value")].join(", ")
        }
    };
    let moments = story.steps.iter().map(|moment| alarm::AlarmStep {
        thread: moment.thread,
        op: moment.op.clone(),
        span: moment.span,
        takes_effect: moment.takes_effect,
        returns: moment.returns,
        observed: moment
            .observed
            .iter()
            .map(|moved| [&moved.observer, &moved.from, &moved.to].map(Clone::clone))
            .collect(),
    });
    alarm::Alarm {
        property: alarmed.property,
        what: story.alarm.kind.text(),
        span: story.alarm.span,
        steps: moments.collect(),
        unclear: story.unclear.clone(),
        searched: alarmed.searched.iter().map(searched).collect(),
        shown_by: alarmed.shown_by.as_ref().map(searched),
    }
}
