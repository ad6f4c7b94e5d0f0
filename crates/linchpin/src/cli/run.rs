//! `linchpin run`: shows one random execution.

use super::compile::{compile, model_failure};
use super::files::{model_inputs, outputs_apply};
use super::instance::{Instance, Sizes, bounds_text, sizes_apply};
use super::reports::{Content, Reports, StateGraph};
use super::terminal::Terminal;
use super::{Ending, Failure};
use crate::cli::input;
use crate::cli::summary::Summary;
use clap::Args;
use linchpin_explore::simulate;
use linchpin_explore::simulate::{End, Length, Simulation};
use linchpin_frontend::syntax;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_report::line::{BOLD, DIM, Palette, hanging};
use linchpin_report::record::Recorder;
use linchpin_report::trace_view;
use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::source::SourceText;
use linchpin_report::view::why::Part;
use linchpin_semantics::{Client, Fault, FaultProperty, Machine, Outcome, Picks, State, Status, thread_name};
use std::sync::Arc;

/// Every thread calls random operations. Missing bounds come from the first `check` block of the model.
#[derive(Args, Debug)]
#[command(
    after_help = "Missing bounds come from the first `check` block of the model, constants from its text."
)]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,
    /// Seed of the random choices; equal seeds give equal executions (default: random)
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of steps
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub steps: usize,
    #[command(flatten)]
    pub sizes: Sizes,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub graph: StateGraph,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    arguments.reports.apply()?;
    arguments.graph.apply()?;
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    let execution = Execution::new(&arguments.model, &arguments.sizes, seed, arguments.steps)?;
    let outputs = [arguments.reports.outputs(), arguments.graph.outputs()].concat();
    outputs_apply(&outputs, &model_inputs(&execution.sources))?;
    execution.show(terminal, seed, arguments)
}

/// A model with one random execution.
pub struct Execution {
    pub sources: SourceMap,
    /// The specification as written: `BoundedQueue(CAP)`.
    pub spec: String,
    pub machine: Machine,
    pub simulation: Simulation,
}

impl Execution {
    pub fn new(model: &str, sizes: &Sizes, seed: u64, steps: usize) -> Result<Execution, Failure> {
        let model = input::load(model)?;
        let name = model.name().to_string();
        let (tree, _) = syntax::parse(model.root, model.text());
        let instance = Instance::of(&tree, sizes);
        let compiled = compile(model, &instance.setting)?;
        sizes_apply(&compiled.program, sizes)?;
        let sources = compiled.sources;
        let program = Arc::new(compiled.program);
        let refuse = |findings: Vec<_>| model_failure(&sources, name.clone(), &findings);
        let machine = Machine::new(&program, &instance.bounds).map_err(refuse)?;
        let client = Client::general(&program, &instance.bounds).map_err(refuse)?;
        let simulation = simulate::simulate(&machine, &client, seed, Length { steps, calls: instance.calls });
        Ok(Execution { spec: Summary::of(&sources, &tree).spec, sources, machine, simulation })
    }

    fn show(&self, terminal: &mut Terminal, seed: u64, arguments: &Arguments) -> Result<Ending, Failure> {
        let Execution { sources, machine, simulation, spec } = self;
        let program = machine.program();
        let mut text = format!("{BOLD}{}{BOLD:#}: {spec}, one random execution\n", program.name);
        let bounds = format!("{}; repeat with --seed {seed}", bounds_text(program, machine.bounds()));
        for line in textwrap::wrap(&bounds, hanging(terminal.width, 2)) {
            text += &format!("{DIM}{line}{DIM:#}\n");
        }
        text += "\n";
        let mut state = match simulate::start_of(machine, simulation) {
            Ok(state) => state,
            Err(outcome) => {
                let (ending, why) = no_start(&outcome);
                text += &format!("No initial state: {why}.\n");
                terminal.print(&text);
                return Ok(ending);
            }
        };
        let mut recorder = Recorder::new(machine, sources, &state);
        for made in &simulation.moves {
            let mut picks = Picks::replay(&made.picks);
            let _last = match &made.call {
                Some(call) => recorder.call(&mut state, made.thread, call, &mut picks),
                None => recorder.step(&mut state, made.thread, &mut picks),
            };
        }
        let end = self.end_text(&mut recorder, &state);
        text += &trace_view::draw(recorder.trace(), terminal.width, Palette::Colours);
        text += "\n";
        text += &end;
        terminal.print(&text);
        let fault = match &simulation.end {
            End::Fault(fault) => Some(property_of(fault).as_str()),
            _ => None,
        };
        if arguments.reports.is_asked() || arguments.graph.dot.is_some() {
            let bounds = format!("{}; seed {seed}", bounds_text(program, machine.bounds()));
            let source = SourceText::of(sources, program.object_span.file);
            let end = Part::sentence(end.trim_end()).titled("How it ended");
            let view =
                ExecutionView::of_run(&program.name, &bounds, recorder.into_trace(), end, source, fault);
            arguments.reports.save(terminal, &Content::Execution(&view));
            let saved = arguments.graph.save(terminal, &view.object, &view.trace);
            terminal.fail(saved);
        }
        Ok(if fault.is_some() { Ending::Violated } else { Ending::AsAsked })
    }

    fn end_text(&self, recorder: &mut Recorder, state: &State) -> String {
        let Execution { machine, simulation, .. } = self;
        let steps = simulation.moves.len();
        match &simulation.end {
            End::Long => {
                let program = machine.program();
                let pending: Vec<String> = machine
                    .bounds()
                    .thread_ids()
                    .filter_map(|thread| match machine.status(state, thread) {
                        Status::Busy { op, .. } => {
                            Some(format!("{} in {}", thread_name(thread), program.ops.get(op)?.name))
                        }
                        Status::Idle => None,
                    })
                    .collect();
                let pending =
                    if pending.is_empty() { "every call has returned".into() } else { pending.join(", ") };
                format!("Ended after {steps} steps, as requested: {pending}.\n")
            }
            End::Fault(fault) => {
                format!("A fault ended the execution at step {steps}: {}.\n", fault_property(fault))
            }
            End::Finished => format!("Ended after {steps} steps: every call has returned.\n"),
            End::Stuck(waiting) => {
                let by_bound = waiting.iter().any(|(_, blocked)| blocked.by_bound());
                let mut text = format!("Ended after {steps} steps: no thread can move.\n");
                for (thread, blocked) in waiting {
                    text +=
                        &format!("  {} {}\n", thread_name(*thread), recorder.blocked_text(state, *blocked));
                }
                text + if by_bound {
                    "This is not a deadlock: the bound on nodes is reached. Raise `--nodes`.\n"
                } else {
                    "`linchpin check` decides whether the specification allows these calls to wait.\n"
                }
            }
            End::Cut(cut) => {
                format!("Ended after {steps} steps at a bound of the instance: {}.\n", cut.what())
            }
            End::NoStart(outcome) => format!("No initial state: {}.\n", no_start(outcome).1),
        }
    }
}

fn property_of(fault: &Fault) -> Property {
    match fault.property() {
        FaultProperty::MemorySafe => Property::MemorySafe,
        FaultProperty::Assertions => Property::Assertions,
    }
}

fn fault_property(fault: &Fault) -> &'static str {
    match fault.property() {
        FaultProperty::MemorySafe => "the object is not memory-safe",
        FaultProperty::Assertions => "an assertion of the language or of the model fails",
    }
}

fn no_start(outcome: &Outcome) -> (Ending, String) {
    match outcome {
        Outcome::Fault(fault) => (Ending::Violated, format!("`init` ends in a fault: {}", fault.message)),
        Outcome::Cut(cut) => (Ending::Unknown, cut.what().into()),
        Outcome::Disabled(blocked) if blocked.by_bound() => {
            (Ending::Unknown, "`init` needs more nodes than the bound allows".into())
        }
        Outcome::Disabled(_) => (Ending::Unknown, "`init` waits for ever".into()),
        Outcome::Discarded | Outcome::Done => {
            (Ending::Unknown, "the assumptions of `init` exclude every execution".into())
        }
    }
}
