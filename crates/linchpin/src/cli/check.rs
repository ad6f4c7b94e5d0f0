//! `linchpin check`: every execution within bounds.

use super::compile::compile;
use super::property::Property;
use super::terminal::Terminal;
use super::values::{BoundRange, ConstantSetting, MemorySize, TimeLimit};
use super::{Ending, Failure};
use crate::input;
use clap::{Args, ValueEnum};
use linchpin_core::typing::Setting;
use std::path::PathBuf;

/// A bound takes a number or a range (`2..3`: each value in turn, smallest first). With no bound and no property, the
/// model's own `check` blocks are run.
#[derive(Args, Debug)]
#[command(after_help = "A bound takes a number or a range (`2..3`: each value in turn, smallest first).\n\
    With no bound and no property, the model's own `check` blocks are run.")]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,

    #[command(flatten)]
    pub bounds: Bounds,

    /// A property to judge (repeatable)
    #[arg(long = "property", value_name = "P", value_enum, help_heading = "Question")]
    pub properties: Vec<Property>,
    /// Judge the annotated linearization points
    #[arg(long, help_heading = "Question")]
    pub lin_points: bool,
    /// Weakly fair schedulers only
    #[arg(long, help_heading = "Question")]
    pub fair: bool,
    /// Walk the bounds upwards to the minimal ones that show the violation
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
    /// How many workers
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// The most memory to use, such as `8G`
    #[arg(long, value_name = "SIZE", help_heading = "Search")]
    pub memory: Option<MemorySize>,
    /// The most time to use, such as `60s`
    #[arg(long, value_name = "TIME", help_heading = "Search")]
    pub timeout: Option<TimeLimit>,

    /// Write the result as JSON (`-`: to standard output, and nothing else there)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Save the counterexample
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// The verdict lines alone
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// The bounds of the instance.
#[derive(Args, Debug)]
#[command(next_help_heading = "Bounds")]
pub struct Bounds {
    /// Threads
    #[arg(long, value_name = "N")]
    pub threads: Option<BoundRange>,
    /// Cells that live at one time
    #[arg(long, value_name = "N")]
    pub nodes: Option<BoundRange>,
    /// Values of type `data`
    #[arg(long, value_name = "N")]
    pub values: Option<BoundRange>,
    /// Values of type `key`
    #[arg(long, value_name = "N")]
    pub keys: Option<BoundRange>,
    /// A `const` of the model (repeatable)
    #[arg(long = "set", value_name = "CONST=N")]
    pub constants: Vec<ConstantSetting>,
}

/// Who calls what.
#[derive(Args, Debug)]
#[command(next_help_heading = "Client")]
pub struct ClientOptions {
    /// Who calls the operations
    #[arg(long, value_enum, default_value_t = ClientKind::General)]
    pub client: ClientKind,
    /// Schedules: calls in all
    #[arg(long, value_name = "A..B")]
    pub steps: Option<BoundRange>,
    /// Schedules: calls made before the threads start
    #[arg(long, value_name = "A..B")]
    pub preadds: Option<BoundRange>,
    /// Schedules: the most preemptions
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Schedules: leave some out (repeatable)
    #[arg(long, value_name = "R", value_enum)]
    pub restrict: Vec<Restriction>,
    /// Schedules: run all, even after a violation
    #[arg(long)]
    pub keep_going: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ClientKind {
    /// Every thread calls any operation with any arguments, for ever
    General,
    /// Every way to give a number of calls to the threads
    Schedules,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Restriction {
    /// The k-th add adds value k
    GenericValues,
    /// k adds carry a permutation of the k least priorities
    DistinctPriorities,
    /// No more removes than adds
    AddsDominate,
}

pub fn run(_terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    options_apply(arguments)?;
    compile(input::load(&arguments.model)?, &Setting::default())?;
    Err(Failure::unsupported("bounded exploration"))
}

/// An option that does not apply is an error, never ignored.
fn options_apply(arguments: &Arguments) -> Result<(), Failure> {
    let client = &arguments.client;
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
    if let Some(property) = arguments.properties.iter().find(|property| property.needs_schedules()) {
        return Err(Failure::input(format!(
            "`{}` is judged at the ends of schedules, and the general client has none",
            property.name()
        ))
        .help("add `--client schedules`"));
    }
    Ok(())
}
