//! `linchpin check`: explores every execution within bounds.

use super::budget::ProgressLine;
use super::files::{Output, is_standard_output, model_inputs, outputs_apply};
use super::guard::{Guard, Interrupts};
use super::instance::{Sizes, bounds_text, points_apply, sizes_apply};
use super::minimise;
use super::property::{self, needs_schedules};
use super::source::Source;
use super::terminal::Terminal;
use super::values::{BoundRange, ConstantSetting, MemorySize, TimeLimit};
use super::{Ending, Failure};
use clap::{Args, ValueEnum};
use linchpin_engine::model::Compiled;
use linchpin_engine::verdict::{Annotation, Expectation, ExpectationResult, Finding, Match, Scope, Verdict};
use linchpin_explore as explore;
use linchpin_explore::{Reductions, Request};
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use linchpin_judge::replay::Counterexample;
use linchpin_report::counterexample;
use linchpin_report::failures;
use linchpin_report::json::Report;
use linchpin_report::line::{BOLD, DIM};
use linchpin_report::trace_file::TraceFile;
use linchpin_report::verdicts;
use std::path::PathBuf;
use std::sync::Arc;

/// A bound is a number or a range (`2..3`: each value, smallest first). Without a bound and a property,
/// `check` runs the `check` blocks of the model.
#[derive(Args, Debug)]
#[command(after_help = "A bound is a number or a range (`2..3`: each value, smallest first).\n\
    Without a bound and a property, `check` runs the `check` blocks of the model.")]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,

    #[command(flatten)]
    pub bounds: Bounds,

    /// Property to judge (repeatable)
    #[arg(long = "property", value_name = "P", value_parser = property::parser(), help_heading = "Question")]
    pub properties: Vec<linchpin_ir::Property>,
    /// Judge the annotated linearization points
    #[arg(long, help_heading = "Question")]
    pub lin_points: bool,
    /// Consider only weakly fair schedulers
    #[arg(long, help_heading = "Question")]
    pub fair: bool,
    /// Find the minimal bounds that show a violation
    #[arg(long, help_heading = "Question")]
    pub minimize_bounds: bool,

    #[command(flatten)]
    pub client: ClientOptions,

    /// Switch symmetry reduction off
    #[arg(long, help_heading = "Search")]
    pub no_symmetry: bool,
    /// Switch partial order reduction off
    #[arg(long, help_heading = "Search")]
    pub no_por: bool,
    /// Number of worker threads (default: number of cores)
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// Memory limit, such as `8G`
    #[arg(long, value_name = "SIZE", help_heading = "Search")]
    pub memory: Option<MemorySize>,
    /// Time limit, such as `60s`
    #[arg(long, value_name = "TIME", help_heading = "Search")]
    pub timeout: Option<TimeLimit>,

    /// Write the result as JSON (`-`: to standard output, without other output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Save the counterexample as a trace
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Print only the verdict lines
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

impl Arguments {
    /// Returns the active reductions.
    pub fn reductions(&self) -> Reductions {
        Reductions { symmetry: !self.no_symmetry, partial_order: !self.no_por }
    }

    /// Returns whether standard output is reserved for JSON.
    fn is_json_alone(&self) -> bool {
        self.json.as_deref().is_some_and(is_standard_output)
    }

    /// Returns the output files.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        Output::given([("--json", &self.json), ("--trace", &self.trace)])
    }
}

/// The bounds of the instance.
#[derive(Args, Debug)]
#[command(next_help_heading = "Bounds")]
pub struct Bounds {
    /// Number of threads
    #[arg(long, value_name = "N")]
    pub threads: Option<BoundRange>,
    /// Number of cells allocated at the same time
    #[arg(long, value_name = "N")]
    pub nodes: Option<BoundRange>,
    /// Number of values of type `data`
    #[arg(long, value_name = "N")]
    pub values: Option<BoundRange>,
    /// Number of values of type `key`
    #[arg(long, value_name = "N")]
    pub keys: Option<BoundRange>,
    /// Value of a `const` of the model (repeatable)
    #[arg(long = "set", value_name = "CONST=N")]
    pub constants: Vec<ConstantSetting>,
}

impl Bounds {
    /// Returns the upper ends, for the test whether the bounds apply.
    pub fn sizes(&self) -> Sizes {
        let high = |bound: &Option<BoundRange>| bound.as_ref().map(|bound| bound.high);
        Sizes {
            threads: high(&self.threads),
            nodes: high(&self.nodes),
            values: high(&self.values),
            keys: high(&self.keys),
            constants: self.constants.clone(),
        }
    }
}

/// The client.
#[derive(Args, Debug)]
#[command(next_help_heading = "Client")]
pub struct ClientOptions {
    /// The client that calls the operations
    #[arg(long, value_enum, default_value_t = ClientKind::General)]
    pub client: ClientKind,
    /// Schedules: number of calls
    #[arg(long, value_name = "A..B")]
    pub steps: Option<BoundRange>,
    /// Schedules: number of calls before the threads start
    #[arg(long, value_name = "A..B")]
    pub preadds: Option<BoundRange>,
    /// Schedules: preemption bound
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Schedules: restriction (repeatable)
    #[arg(long, value_name = "R", value_enum)]
    pub restrict: Vec<Restriction>,
    /// Schedules: after a violation judge every schedule and group equal failures
    #[arg(long)]
    pub keep_going: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ClientKind {
    /// Every thread calls any operations with any arguments, for ever
    General,
    /// Every distribution of a number of calls over the threads
    Schedules,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Restriction {
    /// The k-th add adds value k
    GenericValues,
    /// k adds have a permutation of the k least priorities
    DistinctPriorities,
    /// Not more removes than adds
    AddsDominate,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    options_apply(arguments)?;
    let source = Source::new(&arguments.model)?;
    if arguments.minimize_bounds {
        return minimise::run(terminal, arguments, &source, &guard);
    }
    let mut outcome = Outcome::default();
    for mut asked in requests(&source, arguments)? {
        asked.request.reductions = arguments.reductions();
        asked.request.jobs = jobs(arguments.jobs);
        let mut line = ProgressLine::new();
        let answer = explore::check(&source, &asked.request, &guard.budget, &mut line);
        line.clear();
        let findings = answer.map_err(|error| source.failure(error))?;
        outcome.add(&source, &asked, findings)?;
        if !arguments.is_json_alone() {
            guard.keep(&outcome.quiet, outcome.ending());
        }
    }
    let text = outcome.full_text(arguments, terminal.width);
    let trace = outcome.trace(arguments);
    guard.finish();
    if !write_json(terminal, arguments, outcome.findings.iter().cloned()) {
        terminal.print(&text);
    }
    if let (Some(path), Some(trace)) = (&arguments.trace, trace) {
        terminal.save(path, trace.to_text());
    }
    Ok(outcome.ending())
}

/// Returns the number of workers: the option, or the number of cores.
pub fn jobs(asked: Option<u32>) -> usize {
    asked.map_or_else(linchpin_engine::cores, |jobs| jobs.max(1) as usize)
}

/// A request, with the expectations of its `check` block. `None`: a request of the command line.
struct CheckRequest {
    request: Request,
    expectations: Option<Vec<Expectation>>,
}

/// Returns the request of the options. Without a bound and a property, returns those of the `check` blocks.
fn requests(source: &Source, arguments: &Arguments) -> Result<Vec<CheckRequest>, Failure> {
    let compiled = source.compiled(&Setting::default())?;
    outputs_apply(&arguments.outputs(), &model_inputs(&compiled.sources))?;
    if arguments.lin_points {
        points_apply(&compiled.program)?;
    }
    if has_no_question(arguments) {
        let of_blocks: Vec<linchpin_ir::Property> =
            compiled.program.checks.iter().flat_map(|check| Request::of_check(check).0.properties).collect();
        try_observers(source, &compiled, &of_blocks)?;
        if compiled.program.checks.is_empty() {
            return Ok(vec![CheckRequest { request: request(arguments), expectations: None }]);
        }
        let asked = |check| {
            let (mut request, expectations) = Request::of_check(check);
            request.lin_points |= arguments.lin_points;
            CheckRequest { request, expectations: Some(expectations) }
        };
        return Ok(compiled.program.checks.iter().map(asked).collect());
    }
    try_observers(source, &compiled, &arguments.properties)?;
    sizes_apply(&compiled.program, &arguments.bounds.sizes())?;
    Ok(vec![CheckRequest { request: request(arguments), expectations: None }])
}

/// Tries the observers on their specification. Skipped for the property `observers`, which runs them on the
/// object.
pub fn try_observers(
    source: &Source,
    compiled: &Compiled,
    properties: &[linchpin_ir::Property],
) -> Result<(), Failure> {
    if properties.contains(&linchpin_ir::Property::Observers) {
        return Ok(());
    }
    explore::try_observers(compiled).map_err(|error| source.failure(error))
}

fn has_no_question(arguments: &Arguments) -> bool {
    let Bounds { threads, nodes, values, keys, constants } = &arguments.bounds;
    let bounds = [threads, nodes, values, keys];
    bounds.iter().all(|bound| bound.is_none())
        && constants.is_empty()
        && arguments.properties.is_empty()
        && arguments.client.client == ClientKind::General
}

/// The properties that are judged by default.
const DEFAULT_PROPERTIES: [linchpin_ir::Property; 4] = [
    linchpin_ir::Property::Linearizable,
    linchpin_ir::Property::MemorySafe,
    linchpin_ir::Property::Assertions,
    linchpin_ir::Property::DeadlockFree,
];

/// Makes the request of the options.
pub fn request(arguments: &Arguments) -> Request {
    let mut request =
        Request { lin_points: arguments.lin_points, fair: arguments.fair, ..Request::default() };
    let Bounds { threads, nodes, values, keys, constants } = &arguments.bounds;
    let range = |bound: &BoundRange| bound.low..=bound.high;
    request.threads = threads.as_ref().map_or(request.threads, range);
    request.nodes = nodes.as_ref().map(range);
    request.values = values.as_ref().map_or(request.values, range);
    request.keys = keys.as_ref().map_or(request.keys, range);
    for constant in constants {
        request.constants.insert(constant.name.clone(), constant.value..=constant.value);
    }
    if arguments.client.client == ClientKind::Schedules {
        let (steps, preadds, restrictions) = request.schedules();
        *steps = arguments.client.steps.as_ref().map_or(steps.clone(), range);
        *preadds = arguments.client.preadds.as_ref().map_or(preadds.clone(), range);
        restrictions.extend(arguments.client.restrict.iter().map(|restriction| match restriction {
            Restriction::GenericValues => explore::Restriction::GenericValues,
            Restriction::DistinctPriorities => explore::Restriction::DistinctPriorities,
            Restriction::AddsDominate => explore::Restriction::AddsDominate,
        }));
    }
    request.preemptions = arguments.client.preemptions;
    request.keep_going = arguments.client.keep_going;
    request.properties = arguments.properties.clone();
    if request.properties.is_empty() {
        request.properties = DEFAULT_PROPERTIES.to_vec();
    }
    request
}

/// The results of a run, with their text.
#[derive(Default)]
struct Outcome {
    text: String,
    quiet: String,
    findings: Vec<(Finding, ExpectationResult)>,
    /// The first unexpected counterexample, otherwise the first counterexample.
    shown: Option<(Arc<SourceMap>, Counterexample)>,
    /// For `--keep-going`: one counterexample of each group, with its title.
    failures: Vec<(Arc<SourceMap>, String, Counterexample)>,
}

impl Outcome {
    fn add(&mut self, source: &Source, asked: &CheckRequest, findings: Vec<Finding>) -> Result<(), Failure> {
        let judged: Vec<(Finding, ExpectationResult)> = findings
            .into_iter()
            .map(|finding| {
                let judged = judge(&finding, asked.expectations.as_deref());
                (finding, judged)
            })
            .collect();
        let Some((first, _)) = judged.first() else { return Ok(()) };
        let setting = asked.request.largest().map_or(Setting::default(), |size| size.setting);
        let compiled = source.compiled(&setting)?;
        let bounds = match first.scope() {
            Scope::Bounded(scope) => bounds_text(&compiled.program, &scope.bounds),
            Scope::Unbounded { .. } => String::new(),
        };
        let lines = verdicts::lines(&judged);
        let upto = if asked.request.has_ranges() { "up to " } else { "" };
        let scope = format!("{upto}{}", verdicts::scope_text(first, &bounds));
        self.text += &verdicts::heading(&source.file, &scope);
        self.text += &lines;
        self.quiet += &lines;
        self.quiet += &verdicts::quiet_text(&compiled.sources, &judged);
        let effort = verdicts::effort_text(&first.effort);
        self.text += &format!("  {DIM}{effort}{DIM:#}\n");
        let reach = verdicts::reach_text(&first.effort).into_iter().map(|line| line + "\n");
        let more =
            reach.chain([verdicts::asymmetry_text(&compiled.sources, &first.effort)]).collect::<String>();
        for line in (more + &verdicts::coverage_text(&compiled.sources, first)).lines() {
            self.text += &format!("  {DIM}{line}{DIM:#}\n");
        }
        self.text += "\n";
        for (finding, _) in &judged {
            if let Some(failures) = &finding.failures {
                self.text += &failures::table(&compiled.sources, finding.property(), failures);
                let groups = failures.groups.iter().enumerate();
                self.failures.extend(groups.map(|(at, group)| {
                    let title = format!(
                        "{}, failure {} of {}, in {}",
                        finding.property(),
                        at + 1,
                        failures.groups.len(),
                        verdicts::count(usize::try_from(group.schedules).unwrap_or(usize::MAX), "schedule")
                    );
                    (compiled.sources.clone(), title, group.counterexample.clone())
                }));
            }
        }
        for (finding, judged) in judged {
            self.keep_counterexample(&compiled.sources, &finding, judged);
            self.findings.push((finding, judged));
        }
        Ok(())
    }

    fn keep_counterexample(
        &mut self,
        sources: &Arc<SourceMap>,
        finding: &Finding,
        judged: ExpectationResult,
    ) {
        let is_surprise = [Some(judged.verdict), judged.points].contains(&Some(Match::NotAsExpected));
        let is_news = self.shown.is_none() || is_surprise;
        let found = match (finding.verdict(), &finding.annotation) {
            (Verdict::Violated(counterexample), _) => Some(counterexample),
            (_, Some(Annotation::Refuted(counterexample))) => Some(counterexample),
            _ => None,
        };
        if let (true, Some(counterexample)) = (is_news, found) {
            self.shown = Some((sources.clone(), (**counterexample).clone()));
        }
    }

    /// Returns the counterexample for `--trace`.
    fn trace(&self, arguments: &Arguments) -> Option<TraceFile> {
        let (_, counterexample) = self.shown.as_ref()?;
        Some(TraceFile::new(&arguments.model, counterexample.trace()))
    }

    /// Returns the text for standard output.
    fn full_text(&self, arguments: &Arguments, width: usize) -> String {
        if arguments.quiet {
            return self.quiet.clone();
        }
        let mut text = self.text.clone();
        for (sources, title, counterexample) in &self.failures {
            text += &format!("{BOLD}{title}{BOLD:#}\n");
            text += &counterexample::draw(sources, counterexample, width);
            text += "\n";
        }
        if let (true, Some((sources, counterexample))) = (self.failures.is_empty(), &self.shown) {
            text += &counterexample::draw(sources, counterexample, width);
        }
        text.trim_end_matches('\n').to_string() + "\n"
    }

    fn ending(&self) -> Ending {
        Ending::of(self.findings.iter().map(|(finding, judged)| (finding, *judged)))
    }
}

/// Writes the result as JSON, if requested. Returns whether standard output is reserved for JSON.
pub fn write_json(
    terminal: &mut Terminal,
    arguments: &Arguments,
    findings: impl IntoIterator<Item = (Finding, ExpectationResult)>,
) -> bool {
    let Some(path) = &arguments.json else { return false };
    terminal.save(path, Report::new(&arguments.model, findings).to_text());
    arguments.is_json_alone()
}

fn judge(finding: &Finding, expectations: Option<&[Expectation]>) -> ExpectationResult {
    let mut expected = expectations.into_iter().flatten();
    let expected = expected.find(|expectation| expectation.property == finding.property());
    expected.map_or_else(ExpectationResult::default, |expectation| expectation.judge(finding))
}

/// Rejects an option that does not apply.
fn options_apply(arguments: &Arguments) -> Result<(), Failure> {
    let client = &arguments.client;
    if arguments.minimize_bounds && client.client == ClientKind::Schedules {
        return Err(Failure::input("`--minimize-bounds` does not apply to schedules")
            .help("use ranges, which are searched smallest first: with schedules a violation may vanish in larger bounds"));
    }
    if arguments.minimize_bounds && arguments.trace.is_some() {
        return Err(Failure::input("`--trace` does not apply to `--minimize-bounds`")
            .help("run `check` with the minimal bounds and `--trace`"));
    }
    if client.client == ClientKind::Schedules {
        return Ok(());
    }
    let only_for_schedules = [
        ("--steps", client.steps.is_some()),
        ("--preadds", client.preadds.is_some()),
        ("--preemptions", client.preemptions.is_some()),
        ("--restrict", !client.restrict.is_empty()),
        ("--keep-going", client.keep_going),
    ];
    if let Some((option, _)) = only_for_schedules.into_iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!("`{option}` does not apply to the general client"))
            .help("add `--client schedules`"));
    }
    if let Some(property) = arguments.properties.iter().find(|property| needs_schedules(**property)) {
        return Err(Failure::input(format!(
            "`{property}` is judged at the end of schedules; the general client has no schedules"
        ))
        .help("add `--client schedules`"));
    }
    Ok(())
}
