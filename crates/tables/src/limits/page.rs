//! The page of limits. It is written after every instance, and read again to continue an earlier run.
//!
//! Each algorithm has a section: the published instances, the largest number of nodes by threads and values,
//! and the instances at the edge. Only measured instances are read again, from the last table. Forecasts are
//! computed from them.

use super::Algorithm;
use super::allowance::Allowance;
use super::staircase::{End, MOST_NODES, Staircase, Triple, maximal};
use super::tried::{Outcome, Tried};
use crate::measure::{grouped, triple_text};
use clap::ValueEnum;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The contents of the page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    pub sections: BTreeMap<Algorithm, Section>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    pub allowance: Allowance,
    pub stairs: Staircase,
}

const HEADING: &str = "| instance | outcome | states | seconds | MB | forecast |";

/// Above the table of instances, which is long.
const FOLD: &str = "<details><summary>Instance by instance</summary>";

const TITLE: &str = "# How large instances may become\n";

const INTRODUCTION: &str = "
An instance is written (threads, nodes, values). Nodes are the cells that may be live at the same time. Every instance checks
linearizability by annotated points, with the general client, symmetry and partial-order reduction. The algorithms are those of
Friggens' tables 6.2 to 6.6. Each section lists his largest instances too (Spin, its compressions, TopSpin; 4.5 GB).

**Numbers.** A number is the most nodes that finish within the budget.

| mark | meaning |
|---|---|
| `8` | 8 nodes were run and finish; 9 do not finish, by a run or by a forecast |
| `~8` | the same, but 8 is a forecast too |
| `7 to 8` | 7 nodes finish; 8 are too close to the budget for a forecast, and were not run |
| `7+` | 7 nodes finish; nothing is known about more |

No run has more than 32 nodes. If an instance finishes, every smaller one finishes too.

**Instance by instance.** Each section lists every instance that was run, with the states reached if it did not finish.

- *Stopped early*: at the rate of the first half of the budget the instance would have taken twice the budget. At the rate of
  the first quarter the factor is three.
- *Not run*: the outcome follows from smaller instances. Three of them (with fewer nodes, values or threads) bound the states of
  the next one from both sides. The rate of the largest of them bounds its time. An instance is not run if both bounds are at
  least 50 % away from the budget, on the same side.
- *Forecast*: computed in the same way from smaller instances, also for instances that were run. So the table shows how accurate
  forecasts are.

States are exact. Seconds and MB (memory of the states) are from one run.

**Regenerate.** `cargo run --release -p tables -- limits` writes this page. `--only ALGORITHM` writes one section. `--continue`
resumes the last run. `--timeout`, `--memory`, `--jobs`, `--threads`, `--values` and `--total` set the limits.
";

/// The number of values in the table that opens the page.
const OPENING_VALUES: u32 = 3;

impl Page {
    pub fn text(&self) -> String {
        let mut text = format!("{TITLE}{}{INTRODUCTION}", self.opening());
        for (algorithm, section) in &self.sections {
            let _ = write!(text, "\n{}", section.text(*algorithm));
        }
        text
    }

    /// The table that opens the page: the most nodes with three values, by threads and algorithm. Empty if no
    /// section has such an instance.
    fn opening(&self) -> String {
        let climbed = self
            .sections
            .iter()
            .flat_map(|(algorithm, section)| section.stairs.climbed(&algorithm.all_published()));
        let threads: BTreeSet<u32> =
            climbed.filter(|(_, values)| *values == OPENING_VALUES).map(|(threads, _)| threads).collect();
        if threads.is_empty() {
            return String::new();
        }
        let mut text =
            format!("\n**Most nodes with {OPENING_VALUES} values** {}:\n\n| threads |", self.budget());
        for algorithm in self.sections.keys() {
            let _ = write!(text, " {} |", algorithm.title());
        }
        let _ = write!(text, "\n|---|{}\n", "---|".repeat(self.sections.len()));
        for thread in threads {
            let _ = write!(text, "| {thread} |");
            for section in self.sections.values() {
                let end = section.stairs.end(thread, OPENING_VALUES, &section.allowance);
                let _ = write!(text, " {} |", end.map(cell).unwrap_or_default());
            }
            text.push('\n');
        }
        text
    }

    /// The budget of an instance, if it is the same in all sections.
    fn budget(&self) -> String {
        let mut allowances = self.sections.values().map(|section| &section.allowance);
        match allowances.next() {
            Some(first) if allowances.all(|other| other == first) => format!("within {first}"),
            _ => "within the budget that each section names".into(),
        }
    }

    pub fn parse(text: &str) -> Result<Page, String> {
        let mut page = Page::default();
        for part in text.split("\n## ").skip(1) {
            let title = part.lines().next().unwrap_or_default();
            let algorithm = Algorithm::value_variants().iter().find(|one| one.title() == title);
            let algorithm = algorithm.ok_or_else(|| format!("the page has a section `{title}`"))?;
            page.sections.insert(*algorithm, Section::parse(part)?);
        }
        Ok(page)
    }
}

impl Section {
    fn text(&self, algorithm: Algorithm) -> String {
        let mut text = format!("## {}\n\nPublished:", algorithm.title());
        for (tool, triples) in algorithm.published() {
            let triples: Vec<String> = maximal(&triples).into_iter().map(triple_text).collect();
            let _ = write!(text, "\n- {tool}: {}", triples.join(" "));
        }
        let (beyond, record) = (self.beyond(algorithm), self.record());
        let _ =
            write!(text, "\n\nLinchpin, {}. {beyond}{record}\n\n{}", self.allowance, self.matrix(algorithm));
        let _ = write!(text, "\n{FOLD}\n\n{HEADING}\n|---|---|---|---|---|---|\n");
        let mut rows: BTreeMap<Triple, String> =
            self.stairs.all().map(|(triple, tried)| (triple, self.row(triple, tried))).collect();
        for triple in self.told_without_a_run(algorithm) {
            let forecast = self.forecast(triple);
            rows.entry(triple)
                .or_insert_with(|| format!("| {} | {NOT_RUN} | | | | {forecast} |", triple_text(triple)));
        }
        rows.into_values().for_each(|row| text.extend([row.as_str(), "\n"]));
        text + "\n</details>\n"
    }

    /// Formats one measured instance.
    pub fn row(&self, triple: Triple, tried: &Tried) -> String {
        let (instance, states) = (triple_text(triple), grouped(tried.states));
        let (seconds, megabytes) = (tried.seconds, grouped(tried.megabytes));
        let (outcome, more) = match &tried.outcome {
            Outcome::Holds => ("holds", ""),
            Outcome::Unfinished(why) => (why.as_str(), "> "),
        };
        let forecast = self.forecast(triple);
        format!("| {instance} | {outcome} | {more}{states} | {seconds:.1} | {megabytes} | {forecast} |")
    }

    fn forecast(&self, triple: Triple) -> String {
        self.stairs.growth(triple).map(|expected| expected.to_string()).unwrap_or_default()
    }

    /// Returns for each stair the largest instance that finishes and the next one, if only forecasts decide
    /// them.
    fn told_without_a_run(&self, algorithm: Algorithm) -> impl Iterator<Item = Triple> {
        self.stairs.climbed(&algorithm.all_published()).into_iter().flat_map(|(threads, values)| {
            let end = self.stairs.end(threads, values, &self.allowance);
            let nodes = end.map(|End { finished, at_least, at_most }| {
                let largest = (at_least > finished).then_some(at_least);
                let next = at_most.is_some_and(|_| at_least < MOST_NODES).then_some(at_least + 1);
                [largest, next].into_iter().flatten()
            });
            let triples = nodes.into_iter().flatten().map(move |nodes| [threads, nodes, values]);
            triples.filter(|triple| self.stairs.growth(*triple).is_some())
        })
    }

    /// Compares the measured instances with their forecasts.
    fn record(&self) -> String {
        let finished = self.stairs.all().filter(|(_, tried)| tried.finished());
        let told = finished.filter_map(|(triple, tried)| Some((self.stairs.growth(triple)?, tried)));
        let (states, seconds): (Vec<f64>, Vec<Option<f64>>) = told
            .map(|(told, tried)| (told.miss_of_states(tried.states), told.miss_of_seconds(tried.seconds)))
            .unzip();
        let seconds: Vec<f64> = seconds.into_iter().flatten().collect();
        match states.len() {
            0 => String::new(),
            all => format!(
                " Forecasts for {all} finished instances: states {}, seconds {}.{}",
                right_of(&states),
                right_of(&seconds),
                self.broken_promises()
            ),
        }
    }

    /// Returns the instances that did not finish although their forecast expected it. Without them, forecasts
    /// would look too good.
    fn broken_promises(&self) -> String {
        let unfinished = self.stairs.all().filter(|(_, tried)| !tried.finished());
        let broken = unfinished.filter(|(triple, tried)| {
            let told = self.stairs.growth(*triple);
            told.is_some_and(|told| told.is_timed() && told.seconds_at_most() < tried.seconds)
        });
        let broken: Vec<String> = broken.map(|(triple, _)| triple_text(triple)).collect();
        match broken.is_empty() {
            true => String::new(),
            false => {
                format!(" Forecast to finish within the margin, but did not finish: {}.", broken.join(" "))
            }
        }
    }

    fn beyond(&self, algorithm: Algorithm) -> String {
        let open: Vec<String> = maximal(&algorithm.all_published())
            .into_iter()
            .filter(|triple| self.stairs.finishes(*triple) != Some(true))
            .map(triple_text)
            .collect();
        match open.is_empty() {
            true => "Every published instance is at most as large as one that finished.".into(),
            false => format!(
                "Published instances that are larger than each one that finished here: {} (all finish in `{}`).",
                open.join(" "),
                algorithm.tables()
            ),
        }
    }

    /// Returns the largest number of nodes, by threads and values.
    fn matrix(&self, algorithm: Algorithm) -> String {
        let climbed = self.stairs.climbed(&algorithm.all_published());
        let threads: BTreeSet<u32> = climbed.iter().map(|(threads, _)| *threads).collect();
        let values: BTreeSet<u32> = climbed.iter().map(|(_, values)| *values).collect();
        let mut text = String::from("| threads |");
        for number in &values {
            let _ = write!(text, " {number} {} |", if *number == 1 { "value" } else { "values" });
        }
        let _ = write!(text, "\n|---|{}\n", "---|".repeat(values.len()));
        for thread in threads {
            let _ = write!(text, "| {thread} |");
            for value in &values {
                let end = self.stairs.end(thread, *value, &self.allowance);
                let _ = write!(text, " {} |", end.map(cell).unwrap_or_default());
            }
            text.push('\n');
        }
        text
    }

    fn parse(part: &str) -> Result<Section, String> {
        let ours = part.lines().find_map(|line| line.strip_prefix("Linchpin, "));
        let allowance = ours.and_then(|ours| Allowance::parse(ours.split_once(". ")?.0));
        let allowance = allowance.ok_or("a section does not say what an instance may take")?;
        let mut section = Section { allowance, stairs: Staircase::default() };
        let (_, rows) = part.split_once(HEADING).ok_or("a section has no table of instances")?;
        let is_run = |line: &&str| !line.contains(&format!("| {NOT_RUN} |"));
        for line in rows.lines().skip(2).take_while(|line| line.starts_with('|')).filter(is_run) {
            let (triple, tried) = parse_row(line).ok_or_else(|| format!("not a row: `{line}`"))?;
            section.stairs.note(triple, tried);
        }
        Ok(section)
    }
}

/// See the introduction of the page.
fn cell(End { finished, at_least, at_most }: End) -> String {
    let low = format!("{}{at_least}", if at_least > finished { "~" } else { "" });
    match at_most {
        None => format!("{low}+"),
        // The next instance was not run either: its forecast decides whether it finishes.
        Some(most) if most == at_least => low,
        Some(most) => format!("{low} to {most}"),
    }
}

/// Returns the number of correct forecasts, and the error of the worst.
fn right_of(misses: &[f64]) -> String {
    let right = misses.iter().filter(|miss| **miss == 0.0).count();
    let worst = misses.iter().copied().fold(0.0, f64::max);
    format!("{right} of {} correct, largest error {:.0} %", misses.len(), (100.0 * worst).ceil())
}

const NOT_RUN: &str = "not run";

fn parse_row(line: &str) -> Option<(Triple, Tried)> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let [triple, outcome, states, seconds, megabytes, _forecast] = cells[..] else { return None };
    let numbers: Vec<u32> = triple
        .strip_prefix('(')?
        .strip_suffix(')')?
        .split(',')
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    let triple: Triple = numbers.try_into().ok()?;
    let number = |text: &str| text.trim_start_matches("> ").replace(',', "").parse::<u64>().ok();
    let outcome = match outcome {
        "holds" => Outcome::Holds,
        why => Outcome::Unfinished(why.to_string()),
    };
    let (states, seconds, megabytes) = (number(states)?, seconds.parse().ok()?, number(megabytes)?);
    Some((triple, Tried { outcome, states, seconds, megabytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(states: u64, seconds: f64) -> Tried {
        Tried { outcome: Outcome::Holds, states, seconds, megabytes: 30 }
    }

    fn section() -> Section {
        let allowance = Allowance { seconds: 600, mebibytes: 16_384, workers: 2, version: "0.1.0".into() };
        Section { allowance, stairs: Staircase::default() }
    }

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let mut page = Page::default();
        for (algorithm, states) in [(Algorithm::Treiber, 23_772_478), (Algorithm::Lms, 7)] {
            let mut section = section();
            section.stairs.note([5, 4, 4], holds(states / 9, 31.0));
            section.stairs.note([5, 5, 4], holds(states / 3, 88.5));
            section.stairs.note([5, 6, 4], holds(states, 248.5));
            let why = "stopped early after 30 s: by its levels 90,000,000 states, 16 min";
            let outcome = Outcome::Unfinished(why.into());
            section.stairs.note([5, 7, 4], Tried { outcome, ..holds(states, 30.0) });
            page.sections.insert(algorithm, section);
        }
        let text = page.text();
        assert_eq!(Page::parse(&text).as_ref(), Ok(&page), "{text}");
        assert!(text.contains("| 5 | 6 |"), "{text}");
    }

    #[test]
    fn forecasts_follow_from_what_was_run() {
        let mut section = section();
        for (at, nodes) in (0..).zip(5..8) {
            section.stairs.note([4, nodes, 3], holds(400_000 << (2 * at), f64::from(2 << (2 * at))));
        }
        // Four times as much with each node: 32 s for 7 nodes, 128 s for 8; 9 nodes are near the budget.
        let page = Page { sections: BTreeMap::from([(Algorithm::Treiber, section)]) };
        let text = page.text();
        assert!(text.contains("| 4 | ~8 to 9 |"), "{text}");
        assert!(text.contains("| (4,8,3) | not run | | | | 26,000,000 states, 2 min |"), "{text}");
        assert!(text.contains("| (4,9,3) | not run |"), "{text}");
        assert_eq!(Page::parse(&text), Ok(page), "{text}");
    }

    #[test]
    fn the_page_opens_with_the_most_nodes_of_each_algorithm() {
        let (mut small, mut large) = (section(), section());
        small.stairs.note([4, 5, 3], holds(400_000, 2.0));
        large.stairs.note([4, 7, 3], holds(400_000, 2.0));
        large.stairs.note([5, 4, 3], holds(400_000, 2.0));
        let mut page =
            Page { sections: BTreeMap::from([(Algorithm::Treiber, large), (Algorithm::Ms, small)]) };
        let opening = "\n**Most nodes with 3 values** within 10 min and 16,384 MiB an instance, 2 workers, version 0.1.0:\n\n\
            | threads | Treiber stack | MS queue |\n|---|---|---|\n| 4 | 7+ | 5+ |\n| 5 | 4+ |  |\n";
        assert_eq!(page.opening(), opening);
        assert!(page.text().starts_with(&format!("{TITLE}{opening}")), "{}", page.text());
        assert_eq!(Page::parse(&page.text()).as_ref(), Ok(&page));
        for section in page.sections.values_mut().take(1) {
            section.allowance.seconds = 60;
        }
        assert!(page.opening().contains("within the budget that each section names"), "{}", page.opening());
    }

    #[test]
    fn the_stored_page_is_what_its_instances_give() {
        let stored = include_str!("../../../../docs/limits.md");
        let page = Page::parse(stored).expect("docs/limits.md is a page of limits");
        assert!(page.text() == stored, "docs/limits.md differs from the page that its instances give");
    }

    #[test]
    fn what_was_promised_and_did_not_finish_is_named() {
        let mut section = section();
        for (at, nodes) in (0..).zip(4..8) {
            section.stairs.note([4, nodes, 3], holds(400_000 << (2 * at), f64::from(2 << (2 * at))));
        }
        assert!(section.record().contains("Forecasts for 1 finished instances"), "{}", section.record());
        assert_eq!(section.broken_promises(), "");
        let outcome = Outcome::Unfinished("stopped after 600.0 s".into());
        section.stairs.note([4, 8, 3], Tried { outcome, ..holds(90_000_000, 600.0) });
        // About 512 s were forecast.
        assert!(section.record().ends_with("but did not finish: (4,8,3)."), "{}", section.record());
    }

    #[test]
    fn an_end_says_how_it_is_known() {
        let cell = |finished, at_least, at_most| cell(End { finished, at_least, at_most });
        assert_eq!(cell(7, 7, Some(7)), "7");
        assert_eq!(cell(7, 8, Some(8)), "~8");
        assert_eq!(cell(7, 7, Some(8)), "7 to 8");
        assert_eq!(cell(7, 8, Some(9)), "~8 to 9");
        assert_eq!(cell(7, 7, None), "7+");
    }

    #[test]
    fn what_is_no_page_is_refused() {
        assert!(Page::parse("# x\n\n## Something else\n").is_err());
        assert!(Page::parse("# x\n\n## Treiber stack\n\nnothing\n").is_err());
        assert_eq!(Page::parse(""), Ok(Page::default()));
    }
}
