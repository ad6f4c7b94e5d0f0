//! The page of limits: written after every instance, and read again to go on where it ends.
//!
//! A section for each algorithm: what was published, the most nodes by threads and values, and the instances at the edge. Only
//! the last table is read again; the rest follows from it.

use super::Algorithm;
use super::staircase::{Outcome, Staircase, Tried, Triple, maximal};
use crate::measure::{grouped, triple_text};
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::fmt::Write;

/// All that the page says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    pub sections: BTreeMap<Algorithm, Section>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Section {
    /// What was used, and what it was measured with.
    pub budget: String,
    pub stairs: Staircase,
}

const HEADING: &str = "| instance | outcome | states | seconds | MB |";

const INTRODUCTION: &str = "\
# How large instances may become

The largest instances (threads, nodes, values) of the algorithms of Friggens' tables 6.2 to 6.6 that finish within a budget, beside the largest
that he reports (Spin, its compressions, TopSpin; 4.5 GB). Linearizability by annotated points, the general client, symmetry and partial order
reduction. `cargo run --release -p tables -- limits` writes this page; `--only ALGORITHM` writes one section, `--continue` goes on
where the last run ended, `--timeout`, `--memory`, `--jobs`, `--threads`, `--values` and `--total` say how far it goes.

If an instance finishes, everything smaller does. In the small tables a number is the most nodes that finish; with a + behind it more
nodes were not tried. An instance that did not finish says how far it came, and what it would have taken by the growth of the instances below it
(by its own levels, where there are too few of those: that is a rough guess). One that was *stopped early* would have taken at least a
tenth more than the budget, by that forecast; half as much again, if less than a quarter of it was used. One that was *not begun* would have taken
more than twice the budget by the growth of three smaller ones that finished, carried on so that it is rather too small. States are exact; seconds and MB (what the states take) are of one run.
";

impl Page {
    pub fn text(&self) -> String {
        let mut text = INTRODUCTION.to_string();
        for (algorithm, section) in &self.sections {
            let _ = write!(text, "\n{}", section.text(*algorithm));
        }
        text
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
        let beyond = self.beyond(algorithm);
        let _ = write!(text, "\n\nOurs, {}. {beyond}\n\n{}", self.budget, self.matrix());
        let _ = write!(text, "\n{HEADING}\n|---|---|---|---|---|\n");
        for (triple, tried) in self.stairs.edges() {
            let _ = writeln!(text, "{}", row(triple, tried));
        }
        text
    }

    fn beyond(&self, algorithm: Algorithm) -> String {
        let published: Vec<Triple> =
            algorithm.published().into_iter().flat_map(|(_, triples)| triples).collect();
        let open: Vec<String> = maximal(&published)
            .into_iter()
            .filter(|triple| self.stairs.finishes(*triple) != Some(true))
            .map(triple_text)
            .collect();
        match open.is_empty() {
            true => "Every published instance is below one that finished.".into(),
            false => format!(
                "Of the published ones {} are not below one that finished here (all of them do in `{}`).",
                open.join(" "),
                algorithm.tables()
            ),
        }
    }

    /// The most nodes by threads and values.
    fn matrix(&self) -> String {
        let edges: Vec<Triple> = self.stairs.edges().map(|(triple, _)| triple).collect();
        let of = |at: usize| {
            let mut numbers: Vec<u32> = edges.iter().map(|triple| triple[at]).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let (threads, values) = (of(0), of(2));
        let mut text = String::from("| threads |");
        for number in &values {
            let _ = write!(text, " {number} {} |", if *number == 1 { "value" } else { "values" });
        }
        let _ = write!(text, "\n|---|{}\n", "---|".repeat(values.len()));
        for thread in threads {
            let _ = write!(text, "| {thread} |");
            for value in &values {
                let cell = match self.stairs.most_nodes(thread, *value) {
                    None => String::new(),
                    Some((nodes, is_most)) => format!("{nodes}{}", if is_most { "" } else { "+" }),
                };
                let _ = write!(text, " {cell} |");
            }
            text.push('\n');
        }
        text
    }

    fn parse(part: &str) -> Result<Section, String> {
        let mut section = Section::default();
        let ours = part.lines().find_map(|line| line.strip_prefix("Ours, "));
        let (budget, _) = ours.and_then(|ours| ours.split_once(". ")).ok_or("a section has no budget")?;
        section.budget = budget.to_string();
        let (_, rows) = part.split_once(HEADING).ok_or("a section has no table of instances")?;
        for line in rows.lines().skip(2).filter(|line| !line.is_empty()) {
            let (triple, tried) = parse_row(line).ok_or_else(|| format!("not a row: `{line}`"))?;
            section.stairs.note(triple, tried);
        }
        Ok(section)
    }
}

/// One instance, as the page has it.
pub fn row(triple: Triple, tried: &Tried) -> String {
    let (triple, states, seconds) = (triple_text(triple), grouped(tried.states), tried.seconds);
    let (outcome, more) = match &tried.outcome {
        Outcome::Holds => ("holds", ""),
        Outcome::Unfinished(why) => (why.as_str(), "> "),
        Outcome::NotBegun(forecast) => return format!("| {triple} | {NOT_BEGUN}{forecast} | | | |"),
    };
    format!("| {triple} | {outcome} | {more}{states} | {seconds:.1} | {} |", grouped(tried.megabytes))
}

const NOT_BEGUN: &str = "not begun: ";

fn parse_row(line: &str) -> Option<(Triple, Tried)> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let [triple, outcome, states, seconds, megabytes] = cells[..] else { return None };
    let numbers: Vec<u32> = triple
        .strip_prefix('(')?
        .strip_suffix(')')?
        .split(',')
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    let triple: Triple = numbers.try_into().ok()?;
    if let Some(forecast) = outcome.strip_prefix(NOT_BEGUN) {
        return Some((triple, Tried::not_begun(forecast.to_string())));
    }
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

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let mut page = Page::default();
        for (algorithm, states) in [(Algorithm::Treiber, 23_772_478), (Algorithm::Lms, 7)] {
            let section = page.sections.entry(algorithm).or_default();
            section.budget = "10 min and 16 GiB an instance, 2 workers, version 0.1.0".into();
            let tried = |outcome| Tried { outcome, states, seconds: 248.5, megabytes: 1_592 };
            section.stairs.note([5, 6, 4], tried(Outcome::Holds));
            let why = "stopped early after 30 s: forecast 90,000,000 states, 16 min";
            section.stairs.note([5, 7, 4], tried(Outcome::Unfinished(why.into())));
            section.stairs.note([6, 6, 4], Tried::not_begun("forecast 100,000,000 states, 40 min".into()));
        }
        let text = page.text();
        assert_eq!(Page::parse(&text).as_ref(), Ok(&page), "{text}");
        assert!(text.contains("| 5 | 6 |"), "{text}");
    }

    #[test]
    fn what_is_no_page_is_refused() {
        assert!(Page::parse("# x\n\n## Something else\n").is_err());
        assert!(Page::parse("# x\n\n## Treiber stack\n\nnothing\n").is_err());
        assert_eq!(Page::parse(""), Ok(Page::default()));
    }
}
