//! The results of a run of `check`, with their text.

use super::super::guard::Guard;
use super::super::instance::bounds_text;
use super::super::reports::state_graph;
use super::super::source::Source;
use super::super::terminal::Terminal;
use super::super::{Ending, Failure};
use super::arguments::{Arguments, GraphOptions, Shown};
use super::graph::Instance;
use super::requests::CheckRequest;
use linchpin_engine::model::Compiled;
use linchpin_engine::verdict::{Annotation, ExpectationResult, Finding, Match, Scope, Verdict};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::replay::Counterexample;
use linchpin_report::counterexample;
use linchpin_report::failures;
use linchpin_report::json::Report;
use linchpin_report::line::{BOLD, DIM, Palette, wrap};
use linchpin_report::quantities::count;
use linchpin_report::requests;
use linchpin_report::requests::Request;
use linchpin_report::trace_file::TraceFile;
use linchpin_report::verdicts;
use linchpin_report::view::verdicts::Verdicts;
use linchpin_report::visible::visible;
use std::sync::Arc;

/// The results of a run, with their text.
#[derive(Default)]
pub struct Outcome {
    /// There are several models, so `--quiet` names them.
    is_of_several: bool,
    text: String,
    quiet: String,
    findings: Vec<(String, Finding, ExpectationResult)>,
    counterexamples: Vec<Found>,
    /// For `--keep-going`: one counterexample of each group, with its title.
    failures: Vec<(Arc<SourceMap>, String, Counterexample)>,
    /// What reports show. `None`: no report is requested.
    verdicts: Option<Verdicts>,
    /// The instance for `--dot`.
    drawn: Option<Instance>,
    /// Failures of models that could not be checked.
    broken: Option<Ending>,
}

/// A counterexample with the check that it belongs to.
struct Found {
    model: String,
    property: Property,
    /// The check: `stack.lin:12 2 threads, 3 nodes`.
    check: String,
    is_surprise: bool,
    sources: Arc<SourceMap>,
    counterexample: Counterexample,
}

impl Outcome {
    /// Makes the results of a number of models.
    pub fn new(models: usize, has_reports: bool) -> Outcome {
        let verdicts = has_reports.then(Verdicts::default);
        Outcome { is_of_several: models > 1, verdicts, ..Outcome::default() }
    }

    /// Adds the findings of one request.
    pub fn add(
        &mut self,
        source: &Source,
        asked: &CheckRequest,
        findings: Vec<Finding>,
        width: usize,
    ) -> Result<(), Failure> {
        let judged = |finding: Finding| {
            let judged = asked.judge(&finding);
            (finding, judged)
        };
        let judged: Vec<(Finding, ExpectationResult)> = findings.into_iter().map(judged).collect();
        let Some((first, _)) = judged.first() else { return Ok(()) };
        let setting = asked.request.largest().map_or(Setting::default(), |size| size.setting);
        let compiled = source.compiled(&setting)?;
        let bounds = match first.scope() {
            Scope::Bounded(scope) => bounds_text(&compiled.program, &scope.bounds),
            Scope::Unbounded { .. } => String::new(),
        };
        let upto = if asked.request.has_ranges() { "up to " } else { "" };
        let scope = format!("{upto}{}", verdicts::scope_text(first, &bounds));
        let place = place(source, &compiled, asked);
        self.text += &wrapped(&verdicts::heading(&place, &scope), "", width);
        if self.is_of_several {
            self.quiet += &format!("{BOLD}{place}{BOLD:#}\n");
        }
        self.add_verdicts(asked, &compiled, &judged, width);
        if let Some(verdicts) = &mut self.verdicts {
            let blocks = asked.blocks.as_ref().and_then(|blocks| blocks.spans.first());
            let at = blocks.copied().unwrap_or(compiled.program.object_span);
            let (sources, bounds) = (&*compiled.sources, format!("{upto}{bounds}"));
            let request =
                Request { sources, model: &place, at, scope: &scope, bounds: &bounds, findings: &judged };
            requests::add(verdicts, &request);
        }
        for (finding, _) in &judged {
            self.add_failures(&compiled, finding);
        }
        let check = format!("{place} {upto}{bounds}");
        for (finding, judged) in judged {
            self.keep_counterexample(source, &compiled, &check, &finding, judged);
            self.findings.push((source.argument().to_string(), finding, judged));
        }
        Ok(())
    }

    /// Records the failure of a model. The other models are still checked.
    pub fn fail(&mut self, failure: &Failure) {
        let before = self.broken.unwrap_or(Ending::AsAsked);
        self.broken = Some(before.worst(failure.ending()));
    }

    fn add_verdicts(
        &mut self,
        asked: &CheckRequest,
        compiled: &Compiled,
        judged: &[(Finding, ExpectationResult)],
        width: usize,
    ) {
        let Some((first, _)) = judged.first() else { return };
        let sources = &compiled.sources;
        let out_of_place = asked.out_of_place(judged.iter().map(|(finding, _)| finding));
        let out_of_place: Vec<String> =
            out_of_place.iter().map(|property| format!("`{property}: violated`")).collect();
        let out_of_place = (!out_of_place.is_empty())
            .then(|| format!("expected in the bounds of the file only: {}", out_of_place.join(", ")));
        let lines = verdicts::lines(judged, width, Palette::Colours);
        self.text += &lines;
        self.quiet += &lines;
        self.quiet += &wrapped(&verdicts::quiet_text(sources, judged), "  ", width);
        if let Some(line) = &out_of_place {
            self.quiet += &wrapped(&format!("{DIM}{line}{DIM:#}\n"), "  ", width);
        }
        let mut more = vec![verdicts::effort_text(&first.effort)];
        more.extend(verdicts::reach_text(&first.effort));
        more.extend(verdicts::asymmetry_text(sources, &first.effort).lines().map(str::to_string));
        more.extend(verdicts::coverage_text(sources, first).lines().map(str::to_string));
        more.extend(out_of_place);
        for line in more {
            self.text += &wrapped(&format!("{DIM}{line}{DIM:#}\n"), "  ", width);
        }
        self.text += "\n";
    }

    fn add_failures(&mut self, compiled: &Compiled, finding: &Finding) {
        let Some(failures) = &finding.failures else { return };
        self.text += &failures::table(&compiled.sources, finding.property(), failures);
        let of = failures.groups.len();
        self.failures.extend(failures.groups.iter().enumerate().map(|(at, group)| {
            let schedules = usize::try_from(group.schedules).unwrap_or(usize::MAX);
            let title = format!(
                "{}, failure {} of {of}, in {}",
                finding.property(),
                at + 1,
                count(schedules, "schedule")
            );
            (compiled.sources.clone(), title, group.counterexample.clone())
        }));
    }

    fn keep_counterexample(
        &mut self,
        source: &Source,
        compiled: &Compiled,
        check: &str,
        finding: &Finding,
        judged: ExpectationResult,
    ) {
        let of_verdict = match finding.verdict() {
            Verdict::Violated(counterexample) => Some((counterexample, Some(judged.verdict))),
            Verdict::Holds | Verdict::Unknown(_) => None,
        };
        let of_points = match &finding.annotation {
            Some(Annotation::Refuted(counterexample)) => Some((counterexample, judged.points)),
            _ => None,
        };
        self.counterexamples.extend(of_verdict.into_iter().chain(of_points).map(|(found, fit)| Found {
            model: source.argument().to_string(),
            property: finding.property(),
            check: check.to_string(),
            is_surprise: fit == Some(Match::NotAsExpected),
            sources: compiled.sources.clone(),
            counterexample: (**found).clone(),
        }));
    }

    /// Keeps the instance for `--dot`.
    pub fn draws(&mut self, instance: Instance) {
        self.drawn = Some(instance);
    }

    /// Returns the graph for `--dot`: all states, or one state of the counterexample.
    pub fn graph(&self, options: &GraphOptions, guard: &Guard) -> Result<String, Failure> {
        if let Some(instance) = &self.drawn {
            return instance.graph(guard);
        }
        let Some(found) = self.main().and_then(|at| self.counterexamples.get(at)) else {
            return Err(Failure::input("`--state`: there is no counterexample")
                .help("draw every state: use `--dot` without `--state`"));
        };
        let view = counterexample::view(&found.sources, &found.counterexample);
        state_graph(&view.object, &view.trace, options.state)
    }

    /// Returns what reports show; nothing if no report is requested.
    pub fn verdicts(&self) -> Verdicts {
        self.verdicts.clone().unwrap_or_default()
    }

    /// Returns the verdict lines with what qualifies them.
    pub fn quiet_text(&self) -> &str {
        &self.quiet
    }

    /// Returns the counterexample for `--trace`.
    pub fn trace(&self) -> Option<TraceFile> {
        let found = self.counterexamples.get(self.main()?)?;
        Some(TraceFile::new(&found.model, found.counterexample.trace()))
    }

    /// Returns the report for `--json`.
    pub fn report(&self) -> Report {
        if let ([(model, ..), ..], false) = (self.findings.as_slice(), self.is_of_several) {
            let findings = self.findings.iter().map(|(_, finding, judged)| (finding.clone(), *judged));
            return Report::new(model, findings);
        }
        Report::of_models(
            self.findings.iter().map(|(model, finding, judged)| (model.clone(), finding.clone(), *judged)),
        )
    }

    /// Returns the text for standard output.
    pub fn full_text(&self, arguments: &Arguments, width: usize) -> String {
        if arguments.quiet {
            return self.quiet.clone();
        }
        let mut text = self.text.clone();
        for (sources, title, counterexample) in &self.failures {
            text += &format!("{BOLD}{title}{BOLD:#}\n");
            text += &counterexample::draw(sources, counterexample, width, Palette::Colours);
            text += "\n";
        }
        if self.failures.is_empty() {
            text += &self.drawings(arguments, width);
        }
        text.trim_end_matches('\n').to_string() + "\n"
    }

    pub fn ending(&self) -> Ending {
        let findings = self.findings.iter().map(|(_, finding, judged)| (finding, *judged));
        Ending::of(findings).worst(self.broken.unwrap_or(Ending::AsAsked))
    }

    /// The position of the first unexpected counterexample, otherwise of the first one.
    fn main(&self) -> Option<usize> {
        let surprise = self.counterexamples.iter().position(|found| found.is_surprise);
        surprise.or((!self.counterexamples.is_empty()).then_some(0))
    }

    fn drawings(&self, arguments: &Arguments, width: usize) -> String {
        let main = self.main();
        let is_asked = |at: usize, found: &Found| match arguments.show.is_empty() {
            true => Some(at) == main,
            false => arguments.show.iter().any(|shown| match shown {
                Shown::All => true,
                Shown::Of(property) => *property == found.property,
            }),
        };
        let mut text = String::new();
        let mut others: Vec<Property> = Vec::new();
        for (at, found) in self.counterexamples.iter().enumerate() {
            if is_asked(at, found) {
                text += &wrapped(&format!("{DIM}{}{DIM:#}\n", found.check), "", width);
                text += &counterexample::draw(&found.sources, &found.counterexample, width, Palette::Colours);
                text += "\n";
            } else {
                others.push(found.property);
            }
        }
        for shown in &arguments.show {
            let Shown::Of(property) = shown else { continue };
            if !self.counterexamples.iter().any(|found| found.property == *property) {
                text += &format!("no counterexample of `{property}`\n\n");
            }
        }
        if !others.is_empty() {
            let is_new = |property: &&Property| {
                let mut shown =
                    self.counterexamples.iter().enumerate().filter(|(at, found)| is_asked(*at, found));
                !shown.any(|(_, found)| found.property == **property)
            };
            let first = others.iter().find(is_new).map(|property| format!("`--show {property}` or "));
            let hint = format!(
                "{DIM}not shown: {}; {}`--show all` shows more{DIM:#}\n",
                count(others.len(), "counterexample"),
                first.unwrap_or_default()
            );
            text += &wrapped(&hint, "", width);
        }
        text
    }
}

/// Writes the result as JSON, if requested. Returns whether standard output is reserved for JSON.
pub fn write_json(terminal: &mut Terminal, arguments: &Arguments, report: &Report) -> bool {
    let Some(path) = &arguments.json else { return false };
    terminal.save(path, report.to_text());
    arguments.is_json_alone()
}

/// Returns the file, and the lines of the `check` blocks of the request: `stack.lin:12,15`. Of many blocks the
/// first two are named.
fn place(source: &Source, compiled: &Compiled, asked: &CheckRequest) -> String {
    const NAMED: usize = 2;
    let file = visible(&source.file);
    let Some(blocks) = &asked.blocks else { return file };
    let lines = blocks.spans.iter().take(NAMED).map(|span| compiled.sources.line_of(*span).to_string());
    let more = (blocks.spans.len() > NAMED).then(|| "…".to_string());
    format!("{file}:{}", lines.chain(more).collect::<Vec<_>>().join(","))
}

/// Wraps each line; the lines after the first are indented by two more columns.
fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let room = width.saturating_sub(indent.len());
    let lines = text.lines().flat_map(|line| wrap(line.trim_start(), room, 2));
    lines.fold(String::new(), |out, line| out + indent + &line + "\n")
}
