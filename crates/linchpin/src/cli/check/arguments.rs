//! The options of `check`.

use super::super::Failure;
use super::super::files::{Output, is_standard_output};
use super::super::instance::Sizes;
use super::super::limits::{Limits, Switch};
use super::super::property;
use super::super::reports::{Reports, rejects_standard_output};
use super::super::values::{BoundRange, ConstantSetting, MemorySize, TimeLimit};
use clap::{Args, ValueEnum};
use linchpin_explore::Reductions;
use linchpin_ir::property::Property;
use std::path::PathBuf;

/// A bound is a number or a range (`2..3`: each value, smallest first).
#[derive(Args, Debug)]
#[command(after_help = "A bound is a number or a range (`2..3`: each value, smallest first).\n\
    `check` runs the `check` blocks of the model. Each bound of the command line replaces this bound of the \
    blocks. `--property` replaces their properties. `--client` and options for schedules select the blocks of \
    that client.")]
pub struct Arguments {
    /// `.lin` files, names of the catalogue, or `-` for standard input
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<String>,

    #[command(flatten)]
    pub bounds: Bounds,

    /// Property to judge (repeatable)
    #[arg(long = "property", value_name = "P", value_parser = property::parser(), help_heading = "Question")]
    pub properties: Vec<Property>,
    /// Judge the annotated linearization points (`--lin-points=off`: not)
    #[arg(long, help_heading = "Question", value_enum, value_name = "SWITCH", num_args = 0..=1,
        require_equals = true, default_missing_value = "on", hide_possible_values = true)]
    pub lin_points: Option<Switch>,
    /// Consider only weakly fair schedulers (`--fair=off`: all schedulers)
    #[arg(long, help_heading = "Question", value_enum, value_name = "SWITCH", num_args = 0..=1,
        require_equals = true, default_missing_value = "on", hide_possible_values = true)]
    pub fair: Option<Switch>,
    /// Find the minimal bounds that show a violation (`--keep-going`: all minimal bounds)
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
    /// Time limit, such as `60s` (default: none; with `--minimize-bounds`: 60 s)
    #[arg(long, value_name = "TIME", help_heading = "Search")]
    pub timeout: Option<TimeLimit>,

    /// Show the counterexamples of this property, or of all (repeatable; default: the first unexpected one)
    #[arg(long, value_name = "PROPERTY|all", help_heading = "Output")]
    pub show: Vec<Shown>,
    /// Write the result as JSON (`-`: to standard output, without other output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Save the counterexample as a trace
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub graph: GraphOptions,
    /// Print only the verdict lines and what qualifies them
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
    /// Run again when a file of the models changes
    #[arg(long, help_heading = "Output")]
    pub watch: bool,
}

impl Arguments {
    /// Returns the active reductions.
    pub fn reductions(&self) -> Reductions {
        Reductions { symmetry: !self.no_symmetry, partial_order: !self.no_por }
    }

    /// Returns whether standard output is reserved for JSON.
    pub fn is_json_alone(&self) -> bool {
        self.json.as_deref().is_some_and(is_standard_output)
    }

    /// Returns the output files.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        let mut outputs = Output::given([("--json", &self.json), ("--trace", &self.trace)]);
        outputs.extend(self.reports.outputs());
        outputs.extend(self.graph.outputs());
        outputs
    }

    /// Returns whether points are asked for.
    pub fn asks_for_points(&self) -> bool {
        self.lin_points.is_some_and(Switch::is_on)
    }
}

/// The counterexamples of one property, or of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    All,
    Of(Property),
}

impl std::str::FromStr for Shown {
    type Err = String;

    fn from_str(text: &str) -> Result<Shown, String> {
        if text == "all" {
            return Ok(Shown::All);
        }
        let names = || Property::ALL.map(Property::as_str).join(", ");
        text.parse().map(Shown::Of).map_err(|_| format!("expected `all` or a property: {}", names()))
    }
}

/// The options of the graph.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct GraphOptions {
    /// Write every state of the instance as a graph in the language DOT: at most 2,000 states
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// For `--dot`: only the state after step N of the counterexample
    #[arg(long, value_name = "N", requires = "dot")]
    pub state: Option<usize>,
}

impl GraphOptions {
    pub fn outputs(&self) -> Vec<Output<'_>> {
        Output::given([("--dot", &self.dot)])
    }

    /// Rejects options that exclude the graph.
    pub fn apply(&self, arguments: &Arguments) -> Result<(), Failure> {
        rejects_standard_output(&self.outputs())?;
        if self.dot.is_some() && arguments.minimize_bounds {
            return Err(Failure::input("`--dot` does not apply to `--minimize-bounds`")
                .help("run `check` with the minimal bounds and `--dot`"));
        }
        if self.dot.is_some() && arguments.models.len() > 1 {
            return Err(Failure::input("`--dot` draws one model, and there are several")
                .help("run `check` for one of the models"));
        }
        Ok(())
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
    #[command(flatten)]
    pub limits: Limits,
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
            limits: self.limits.clone(),
        }
    }
}

/// The client.
#[derive(Args, Debug)]
#[command(next_help_heading = "Client")]
pub struct ClientOptions {
    /// The client that calls the operations (default: as the `check` blocks say, else general)
    #[arg(long, value_enum)]
    pub client: Option<ClientKind>,
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

impl ClientOptions {
    /// Returns the first option that only schedules have.
    pub fn only_for_schedules(&self) -> Option<&'static str> {
        let options = [
            ("--steps", self.steps.is_some()),
            ("--preadds", self.preadds.is_some()),
            ("--preemptions", self.preemptions.is_some()),
            ("--restrict", !self.restrict.is_empty()),
            ("--keep-going", self.keep_going),
        ];
        options.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }
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
