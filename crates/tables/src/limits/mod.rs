//! docs/limits.md: the largest instances that finish in a budget, for each algorithm of Friggens' tables 6.2
//! to 6.6.
//!
//! The published instances come first. Then stairs ([`staircase`]) follow: all stairs up to small instances,
//! which gives a forecast of most ends; then the stairs with three values to their ends; then the others. The
//! page is written after each instance. An instance is not begun if it might exceed its share of the total
//! time. The growth of smaller instances, or the slowest of them, decides that. An instance is not begun
//! either if its forecast exceeds the budget.

mod allowance;
mod growth;
mod outlook;
mod page;
mod staircase;
mod tried;

use crate::friggens_bounded::{Published, TABLE_6_2, TABLE_6_3, TABLE_6_4, TABLE_6_5, TABLE_6_6};
use crate::measure::{Instance, Measured, measure_within};
use allowance::Allowance;
use clap::ValueEnum;
use linchpin_engine::verdict::{Limit, Verdict};
use linchpin_engine::{BoundRange, Budget, MemorySize, TimeLimit, cores};
use linchpin_ir::index::number_of;
use linchpin_report::quantities::{duration_text, rounded};
use outlook::Outlook;
use page::{Page, Section};
use staircase::{Staircase, Triple, maximal};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tried::{Outcome, Tried};

#[derive(clap::Args, Clone, Debug)]
#[group(id = "options of limits")]
pub struct Options {
    /// limits: one algorithm (repeatable); the sections of the others stay as they are
    #[arg(long, value_name = "ALGORITHM", value_enum)]
    only: Vec<Algorithm>,
    /// limits: the longest that an instance may take
    #[arg(long, value_name = "TIME", default_value = "10m")]
    timeout: TimeLimit,
    /// limits: the memory that an instance may take
    #[arg(long, value_name = "SIZE", default_value = "16G")]
    memory: MemorySize,
    /// limits: threads
    #[arg(long, value_name = "A..B", default_value = "2..6")]
    threads: BoundRange,
    /// limits: values
    #[arg(long, value_name = "A..B", default_value = "1..4")]
    values: BoundRange,
    /// limits: workers; all cores if it is left out
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// limits: the time of the whole run; algorithms share it
    #[arg(long, value_name = "TIME", default_value = "50m")]
    total: TimeLimit,
    /// limits: keep what the page has of the same budget and version, and go on from there
    #[arg(long = "continue")]
    goes_on: bool,
    /// limits: the page
    #[arg(long, value_name = "FILE", default_value = "docs/limits.md")]
    page: PathBuf,
}

impl Options {
    /// The identifiers and names of the algorithms.
    pub const ALL: [(&str, &str); 9] = [
        ("only", "only"),
        ("timeout", "timeout"),
        ("memory", "memory"),
        ("threads", "threads"),
        ("values", "values"),
        ("jobs", "jobs"),
        ("total", "total"),
        ("goes_on", "continue"),
        ("page", "page"),
    ];

    fn workers(&self) -> usize {
        self.jobs.map_or_else(cores, NonZeroUsize::get)
    }

    fn allowance(&self) -> Allowance {
        Allowance {
            seconds: self.timeout.duration.as_secs().max(1),
            mebibytes: self.memory.bytes >> 20,
            workers: self.workers(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub enum Algorithm {
    Treiber,
    Ms,
    Dglm,
    Lms,
}

impl Algorithm {
    fn title(self) -> &'static str {
        match self {
            Algorithm::Treiber => "Treiber stack",
            Algorithm::Ms => "MS queue",
            Algorithm::Dglm => "DGLM queue",
            Algorithm::Lms => "LMS queue",
        }
    }

    fn tables(self) -> &'static str {
        match self {
            Algorithm::Treiber => "friggens-6.2` and `friggens-6.6",
            Algorithm::Ms => "friggens-6.3",
            Algorithm::Dglm => "friggens-6.4",
            Algorithm::Lms => "friggens-6.5",
        }
    }

    fn sources(self) -> &'static [&'static Published] {
        match self {
            Algorithm::Treiber => &[&TABLE_6_2, &TABLE_6_6],
            Algorithm::Ms => &[&TABLE_6_3],
            Algorithm::Dglm => &[&TABLE_6_4],
            Algorithm::Lms => &[&TABLE_6_5],
        }
    }

    fn model(self) -> &'static str {
        self.sources()[0].model()
    }

    /// The instances that each tool verified.
    fn published(self) -> Vec<(&'static str, Vec<Triple>)> {
        let mut by_tool: Vec<(&'static str, Vec<Triple>)> = Vec::new();
        for (tool, triples) in self.sources().iter().flat_map(|published| published.verified()) {
            match by_tool.iter_mut().find(|(known, _)| *known == tool) {
                Some((_, known)) => known.extend(triples),
                None => by_tool.push((tool, triples)),
            }
        }
        by_tool
    }

    fn all_published(self) -> Vec<Triple> {
        self.published().into_iter().flat_map(|(_, triples)| triples).collect()
    }
}

/// The order of the stairs: Friggens asks for three values; one and four bound the rest.
const VALUES_FIRST: [u32; 3] = [3, 1, 4];
const THREADS_FIRST: u32 = 4;
/// Fractions of the time of an instance: the limit of a small instance, and of an estimate.
const SMALL: f64 = 0.05;
const LARGE: f64 = 0.9;

/// Writes the page, and prints each instance as soon as it is measured.
pub fn print(options: &Options, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    let allowance = options.allowance();
    let mut page = match std::fs::read_to_string(&options.page) {
        Ok(text) => Page::parse(&text).map_err(|why| format!("{}: {why}", options.page.display()))?,
        Err(_) => Page::default(),
    };
    let algorithms = match options.only.is_empty() {
        true => Algorithm::value_variants().to_vec(),
        false => options.only.clone(),
    };
    let started = Instant::now();
    for (at, algorithm) in algorithms.iter().enumerate() {
        let known = page.sections.remove(algorithm);
        let section = known
            .filter(|section| options.goes_on && section.allowance == allowance)
            .unwrap_or_else(|| Section { allowance: allowance.clone(), stairs: Staircase::default() });
        tell(&format!("{} ({}), {allowance}\n", algorithm.title(), algorithm.model()));
        let left = options.total.duration.saturating_sub(started.elapsed());
        let until = Instant::now() + left / number_of(algorithms.len() - at);
        let mut walk = Walk { options, algorithm: *algorithm, until, section, page: &mut page, tell };
        walk.published()?;
        walk.climb(SMALL, |_| true)?;
        walk.climb(LARGE, |values| values == VALUES_FIRST[0])?;
        walk.climb(LARGE, |_| true)?;
        walk.end()?;
    }
    Ok(())
}

/// The run over the instances of one algorithm.
struct Walk<'a> {
    options: &'a Options,
    algorithm: Algorithm,
    until: Instant,
    section: Section,
    /// The other sections.
    page: &'a mut Page,
    tell: &'a mut dyn FnMut(&str),
}

impl Walk<'_> {
    /// Runs the instances that other tools verified, except those below an instance that finished.
    fn published(&mut self) -> Result<(), String> {
        for triple in maximal(&self.algorithm.all_published()) {
            if self.section.stairs.finishes(triple).is_none()
                && let Some(tried) = self.attempt(triple)?
            {
                self.keep(triple, tried)?;
            }
        }
        Ok(())
    }

    /// Runs every stair with these values, by instances that take no more than a part of the time.
    fn climb(&mut self, part: f64, has_values: impl Fn(u32) -> bool) -> Result<(), String> {
        let stairs = stairs(self.options);
        for (threads, values) in stairs.into_iter().filter(|(_, values)| has_values(*values)) {
            while let Some(triple) = self.next(threads, values, part) {
                let Some(tried) = self.attempt(triple)? else { break };
                let is_small = tried.seconds < SMALL * self.section.allowance.seconds as f64;
                self.keep(triple, tried)?;
                if part == SMALL && !is_small {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns the next instance of a stair that fits into the time.
    fn next(&self, threads: u32, values: u32, part: f64) -> Option<Triple> {
        let Section { allowance, stairs } = &self.section;
        let timeout = allowance.seconds as f64;
        let triple = stairs.next(threads, values, part * timeout)?;
        let expected = stairs.growth(triple);
        let does_not_finish = expected.is_some_and(|expected| expected.finishes(allowance) == Some(false));
        let at_least = stairs.seconds_at_least(triple);
        let at_most = expected.map_or(at_least, |expected| expected.seconds_at_most()).min(timeout);
        let is_too_large = part == SMALL && at_least > SMALL * timeout;
        (!does_not_finish && !is_too_large && is_enough(self.left(), at_most)).then_some(triple)
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Writes the page, and prints the stairs whose ends are unknown.
    fn end(mut self) -> Result<(), String> {
        self.write()?;
        let (allowance, known) = (&self.section.allowance, &self.section.stairs);
        let is_open = |(threads, values): &(u32, u32)| match known.end(*threads, *values, allowance) {
            Some(end) => end.at_most != Some(end.finished) && end.finished < staircase::MOST_NODES,
            None => true,
        };
        let open: Vec<String> = stairs(self.options)
            .into_iter()
            .filter(is_open)
            .filter_map(|(threads, values)| known.next(threads, values, LARGE * allowance.seconds as f64))
            .map(crate::measure::triple_text)
            .collect();
        if !open.is_empty() {
            (self.tell)(&format!("not run, the time is used up: {} (--continue, --total)\n", open.join(" ")));
        }
        (self.tell)("\n");
        Ok(())
    }

    /// Prints the result of an instance, and writes the page.
    fn keep(&mut self, triple: Triple, tried: Tried) -> Result<(), String> {
        (self.tell)(&format!("{}\n", self.section.row(triple, &tried)));
        self.section.stairs.note(triple, tried);
        self.write()
    }

    fn write(&mut self) -> Result<(), String> {
        self.page.sections.insert(self.algorithm, self.section.clone());
        let path = &self.options.page;
        std::fs::write(path, self.page.text()).map_err(|why| format!("{}: {why}", path.display()))
    }

    /// Returns `None` if the rest of the run's time was too short: then nothing is known about the instance.
    fn attempt(&self, triple: Triple) -> Result<Option<Tried>, String> {
        let (options, left) = (self.options, self.left());
        if left.is_zero() {
            return Ok(None);
        }
        let growth = self.section.stairs.growth(triple).map(|expected| expected.least);
        let instance = Instance {
            lin_points: true,
            jobs: options.workers(),
            ..Instance::new(self.algorithm.model(), triple)
        };
        let budget = Budget {
            time: Some(options.timeout.duration.min(left)),
            memory: Some(options.memory.bytes),
            stop: Default::default(),
            memory_in_use: || None,
        };
        let mut outlook = Outlook::new(&budget, growth);
        let measured = measure_within(&instance, &budget, &mut outlook)?;
        // The search met the end of the run, or was stopped because it would.
        let is_cut = matches!(measured.limit, Some(Limit::Time(_) | Limit::Interrupted));
        if left < options.timeout.duration && is_cut {
            return Ok(None);
        }
        let outcome = outcome(&measured, growth.is_some(), outlook.given_up.is_some())?;
        let megabytes = measured.bytes.unwrap_or(0).div_ceil(1_000_000);
        Ok(Some(Tried { outcome, states: measured.states, seconds: measured.seconds, megabytes }))
    }
}

/// Checks whether there is time for an instance of this duration. Without time left, there is none for any
/// instance.
fn is_enough(left: Duration, seconds: f64) -> bool {
    !left.is_zero() && seconds <= left.as_secs_f64()
}

/// Returns threads and values, in the order of the run.
fn stairs(options: &Options) -> Vec<(u32, u32)> {
    let range = |range: BoundRange| range.low..=range.high;
    let mut values: Vec<u32> = range(options.values).collect();
    let rank =
        |value: &u32| VALUES_FIRST.iter().position(|first| first == value).unwrap_or(VALUES_FIRST.len());
    values.sort_by_key(|value| (rank(value), *value));
    let mut threads: Vec<u32> = range(options.threads).collect();
    threads.sort_by_key(|number| (number.abs_diff(THREADS_FIRST), *number));
    values.iter().flat_map(|value| threads.iter().map(move |number| (*number, *value))).collect()
}

/// Returns the result of an instance. Without an estimate from smaller instances, its own levels give a rough
/// one.
fn outcome(measured: &Measured, is_told: bool, is_given_up: bool) -> Result<Outcome, String> {
    let seconds = measured.seconds;
    let by_levels = match measured.forecast {
        Some(states) if !is_told => {
            let all = seconds * states as f64 / measured.states.max(1) as f64;
            format!(": by its levels {} states, {}", rounded(states), duration_text(all))
        }
        _ => String::new(),
    };
    match &measured.limit {
        None if measured.verdict == Verdict::Holds.as_str() => Ok(Outcome::Holds),
        Some(Limit::Interrupted) if is_given_up => {
            Ok(Outcome::Unfinished(format!("stopped early after {seconds:.0} s{by_levels}")))
        }
        Some(limit @ (Limit::Time(_) | Limit::Memory(_) | Limit::States(_))) => {
            Ok(Outcome::Unfinished(format!("{limit}{by_levels}")))
        }
        limit => {
            let why = limit.as_ref().map(|limit| format!(", {limit}")).unwrap_or_default();
            Err(format!("{}{why}: that is not a limit of size", measured.verdict))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    /// Makes a run with almost no time.
    fn run_on(page: &Page, more: &[&str]) -> Page {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("limits.md");
        std::fs::write(&path, page.text()).expect("the page is written");
        let words = ["limits", "--only", "treiber", "--jobs", "2", "--total", "1ms", "--page"];
        let words = words.into_iter().chain(path.to_str()).chain(more.iter().copied());
        print(&Line::parse_from(words).options, &mut |_| ()).expect("the page is written again");
        Page::parse(&std::fs::read_to_string(&path).expect("there is a page")).expect("it is one")
    }

    #[test]
    fn a_run_goes_on_from_the_page_or_begins_anew() {
        let allowance = Allowance {
            seconds: 600,
            mebibytes: 16_384,
            workers: 2,
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let tried = Tried { outcome: Outcome::Holds, states: 86_917_118, seconds: 351.6, megabytes: 2_087 };
        let mut section = Section { allowance, stairs: Staircase::default() };
        section.stairs.note([4, 8, 3], tried);
        let sections = [Algorithm::Treiber, Algorithm::Dglm].map(|algorithm| (algorithm, section.clone()));
        let page = Page { sections: sections.into() };

        // Small instances may still finish.
        let is_known = |page: &Page| page.sections[&Algorithm::Treiber].stairs.finishes([4, 8, 3]);
        let on = run_on(&page, &["--continue"]);
        assert_eq!(is_known(&on), Some(true));
        let anew = run_on(&page, &[]);
        assert_eq!(is_known(&anew), None);
        assert_eq!(anew.sections[&Algorithm::Dglm], section, "the sections of others stay");
        let otherwise = run_on(&page, &["--continue", "--timeout", "5m"]);
        assert_eq!(is_known(&otherwise), None, "another budget");
    }

    #[test]
    fn nothing_begins_that_has_no_time_to_end() {
        assert!(is_enough(Duration::from_secs(4), 3.0));
        assert!(is_enough(Duration::from_secs(4), 0.0), "its time is unknown");
        assert!(!is_enough(Duration::from_secs(4), 5.0));
        assert!(!is_enough(Duration::ZERO, 0.0));
    }
}
