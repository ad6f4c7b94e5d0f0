//! COLLECT, table 2: twenty classes of *The Art of Multiprocessor Programming* and variants of them in five
//! configurations, with our verdicts, counts and times beside the published ones.

pub mod casebook;
mod classes;
mod configurations;

use crate::edited::Edited;
use crate::rolling::Rolling;
use classes::{CLASSES, Class, Published, Termination};
use configurations::{Configuration, Kind};
use linchpin_engine::model::RequestError;
use linchpin_engine::verdict::{Finding, Limit, Verdict};
use linchpin_engine::{Budget, Silent, cores};
use linchpin_explore::{Request, check};
use linchpin_ir::property::Property;
use linchpin_report::quantities::grouped;
use std::time::{Duration, Instant};

#[derive(clap::Args, Clone, Debug)]
#[group(id = "options of collect")]
pub struct Options {
    /// collect: one class (repeatable), by the name of its row or its model
    #[arg(long, value_name = "NAME")]
    class: Vec<String>,
    /// collect: one configuration (repeatable)
    #[arg(long, value_enum, ignore_case = true)]
    configuration: Vec<Configuration>,
}

impl Options {
    /// Their identifiers and names.
    pub const ALL: [(&str, &str); 2] = [("class", "class"), ("configuration", "configuration")];

    fn has(&self, configuration: Configuration) -> bool {
        self.configuration.is_empty() || self.configuration.contains(&configuration)
    }

    fn classes(&self) -> Result<Vec<&'static Class>, String> {
        let is = |name: &str, class: &Class| class.name.eq_ignore_ascii_case(name) || class.model == name;
        match self.class.iter().find(|name| !CLASSES.iter().any(|class| is(name, class))) {
            Some(unknown) => {
                let names: Vec<&str> = CLASSES.iter().map(|class| class.name).collect();
                Err(format!("there is no class `{unknown}`; there are {}", names.join("; ")))
            }
            None => {
                let asked =
                    |class: &&Class| self.class.is_empty() || self.class.iter().any(|name| is(name, class));
                Ok(CLASSES.iter().filter(asked).collect())
            }
        }
    }
}

/// The longest that one cell may take.
const TIME: Duration = Duration::from_secs(600);
const LONG_TIME: Duration = Duration::from_secs(7200);
/// COLLECT's bound on preemptions in configuration E.
const PREEMPTIONS: u32 = 2;

/// Prints the table, each cell as soon as it is measured. `long`: all of configuration E, without a time
/// limit.
pub fn print(options: &Options, long: bool, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    let (mut same, mut different) = (0, Vec::new());
    for class in options.classes()? {
        let mut table = Rolling::new(&columns(class), tell);
        for configuration in Configuration::ALL.into_iter().filter(|one| options.has(*one)) {
            for preemptions in bounds(class, configuration, long) {
                let measured = measure(class, configuration, preemptions, long)?;
                let remark = remark(class, configuration, preemptions, &measured);
                match &remark {
                    Remark::Same => same += 1,
                    Remark::Differs(why) => {
                        different.push(format!("{} in {configuration:?}: {why}", class.name))
                    }
                    Remark::Nothing => {}
                }
                table.row(&row(class, configuration, preemptions, &measured, &remark));
            }
        }
        table.text("\n");
    }
    tell(&format!("{same} cells as published, {} not\n", different.len()));
    different.iter().for_each(|line| tell(&format!("  {line}\n")));
    tell(NOTE);
    Ok(())
}

const NOTE: &str = "\npublished: seconds on 16 cores, † where a violation was found, ∞ where the states are infinite\n\
    schedules: up to exchange of threads; the published number in brackets where ours differs\n\
    CPU: seconds of all cores together\n\
    alternating, one barrier: as COLLECT's own tool judges, which is weaker (docs/soundness.md)\n";

/// Which bounds on preemptions a cell is measured with; none at all where it is not measured.
fn bounds(class: &Class, configuration: Configuration, long: bool) -> Vec<Option<u32>> {
    let hashes =
        class.published[Configuration::C as usize] != Published::Nothing || class.model.contains("hash_set");
    match (configuration, class.kind) {
        (Configuration::C, _) if !hashes => Vec::new(),
        (Configuration::E, Kind::Queue | Kind::SynchronousQueue) => vec![None],
        (Configuration::E, _) if !long => Vec::new(),
        (Configuration::E, Kind::PriorityQueue) => vec![Some(PREEMPTIONS), None],
        (Configuration::E, Kind::Set) if class.model.contains("hash_set") => Vec::new(),
        _ => vec![None],
    }
}

/// What we measured of one cell.
struct Measured {
    verdict: String,
    violated: Option<bool>,
    steps: Option<usize>,
    schedules: u64,
    states: u64,
    seconds: f64,
    /// Seconds of all cores together, where the system tells.
    processor: Option<f64>,
}

fn measure(
    class: &Class,
    configuration: Configuration,
    preemptions: Option<u32>,
    long: bool,
) -> Result<Measured, String> {
    let model = class.model;
    let edited = Edited::new(model, class.edit)?;
    let mut properties =
        vec![class.consistency, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];
    let fair = class.termination == Termination::Fair;
    let terminates = match class.termination {
        Termination::Always => preemptions.is_none(),
        // Fair executions are searched for without most reductions.
        Termination::Fair => configuration <= Configuration::C,
        Termination::Unasked => false,
    };
    properties.extend(terminates.then_some(Property::Terminating));
    let request = class.kind.request(configuration, properties);
    let mut request = Request { preemptions, fair, jobs: cores(), ..request };
    for (name, value) in (class.constants)(configuration) {
        request.constants.insert((*name).to_string(), *value..=*value);
    }
    if let Some((depth, nodes)) = class.recursion {
        (request.depth, request.nodes) = (depth, Some(nodes..=nodes));
    }
    let time = if long { LONG_TIME } else { TIME };
    let budget = Budget { time: Some(time), memory: None, stop: Default::default(), memory_in_use: || None };
    let (started, processor) = (Instant::now(), processor_time());
    let findings = check(&edited, &request, &budget, &mut Silent).map_err(|error| match error {
        RequestError::Message { text, .. } => format!("`{model}`: {text}"),
        RequestError::Model { .. } => format!("`{model}` has errors"),
    })?;
    let processor = processor.zip(processor_time()).map(|(before, after)| after - before);
    Ok(Measured { processor, ..summary(&findings, started.elapsed()) })
}

/// Seconds that the cores have worked for this process.
fn processor_time() -> Option<f64> {
    const TICKS_A_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in brackets, may hold anything; user and system time are the twelfth and thirteenth field
    // after it.
    let (_, fields) = text.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map_while(|field| field.parse::<f64>().ok());
    Some((times.next()? + times.next()?) / TICKS_A_SECOND)
}

/// One word for all findings: the first violation, or what is not known, or that everything holds.
fn summary(findings: &[Finding], time: Duration) -> Measured {
    let is_violated = |finding: &&Finding| matches!(finding.verdict(), Verdict::Violated(_));
    let is_supported =
        |finding: &&Finding| !matches!(finding.verdict(), Verdict::Unknown(Limit::NotSupported(_)));
    let is_unknown = |finding: &&Finding| matches!(finding.verdict(), Verdict::Unknown(_));
    let violated: Vec<&Finding> = findings.iter().filter(is_violated).collect();
    let names: Vec<String> = violated.iter().map(|finding| short(finding.property()).to_string()).collect();
    let steps = violated.iter().filter_map(|finding| match finding.verdict() {
        Verdict::Violated(counterexample) => Some(counterexample.trace().choices.len()),
        _ => None,
    });
    let unknown = findings.iter().filter(is_supported).find(is_unknown);
    let verdict = match (names.is_empty(), unknown.map(Finding::verdict)) {
        (false, _) => format!("violated: {}", names.join(", ")),
        (true, Some(Verdict::Unknown(limit))) => format!("unknown: {limit}"),
        (true, _) => "holds".into(),
    };
    let effort = findings.first().map(|finding| finding.effort.clone()).unwrap_or_default();
    Measured {
        verdict,
        violated: if names.is_empty() && unknown.is_some() { None } else { Some(!names.is_empty()) },
        steps: steps.min(),
        schedules: effort.schedules.unwrap_or(0),
        states: effort.states,
        seconds: time.as_secs_f64(),
        processor: None,
    }
}

/// Headings, and the widths of what will mostly stand below.
fn columns(class: &Class) -> [(&'static str, usize); 11] {
    [
        ("class", class.name.len()),
        ("property", short(class.consistency).len()),
        ("conf.", 5),
        ("schedules", 9),
        ("published", 9),
        ("ours", 24),
        ("steps", 5),
        ("states", 10),
        ("seconds", 7),
        ("CPU", 6),
        ("", 0),
    ]
}

/// What is to be said of a cell beside its numbers.
enum Remark {
    Nothing,
    Same,
    Differs(String),
}

fn remark(
    class: &Class,
    configuration: Configuration,
    preemptions: Option<u32>,
    measured: &Measured,
) -> Remark {
    let published = match class.published[configuration as usize] {
        Published::Nothing => return Remark::Nothing,
        Published::Holds(_) => false,
        Published::Violated(_) | Published::Infinite => true,
    };
    if measured.violated == Some(published) {
        return Remark::Same;
    }
    let reason = class.reasons.iter().find(|(of, _)| *of == configuration);
    let bound = if preemptions.is_none() && configuration == Configuration::E {
        "without a bound on preemptions"
    } else {
        "not explained"
    };
    Remark::Differs(reason.map_or(bound, |(_, why)| why).into())
}

fn row(
    class: &Class,
    configuration: Configuration,
    preemptions: Option<u32>,
    measured: &Measured,
    remark: &Remark,
) -> Vec<String> {
    let published = match class.published[configuration as usize] {
        Published::Nothing => "–".to_string(),
        Published::Holds(seconds) => seconds.to_string(),
        Published::Violated(seconds) => format!("{seconds} †"),
        Published::Infinite => "∞".into(),
    };
    let expected = class.kind.schedules(configuration);
    let schedules = match measured.violated {
        // A violation ends the run before the larger numbers of threads.
        Some(false) if measured.schedules != expected => {
            format!("{} ({})", grouped(measured.schedules), grouped(expected))
        }
        _ => grouped(measured.schedules),
    };
    let bound = preemptions.map_or(String::new(), |bound| format!(" ≤{bound}"));
    let note = match remark {
        Remark::Nothing => String::new(),
        Remark::Same => "as published".into(),
        Remark::Differs(why) => format!("differs: {why}"),
    };
    vec![
        class.name.to_string(),
        short(class.consistency).to_string(),
        format!("{configuration:?}{bound}"),
        schedules,
        published,
        measured.verdict.clone(),
        measured.steps.map_or(String::new(), |steps| steps.to_string()),
        grouped(measured.states),
        format!("{:.1}", measured.seconds),
        measured.processor.map_or(String::new(), |seconds| format!("{seconds:.1}")),
        note,
    ]
}

fn short(property: Property) -> &'static str {
    match property {
        Property::Linearizable => "L",
        Property::SequentiallyConsistent => "SC",
        Property::QuiescentlyConsistent => "QC",
        Property::BarrierConsistent => "QC, one barrier",
        other => other.as_str(),
    }
}
