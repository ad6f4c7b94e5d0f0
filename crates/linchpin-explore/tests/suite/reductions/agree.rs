//! The same question asked in every way to search, and what must be equal in the answers.
//!
//! The *plain* way makes no use of symmetry or of the order of independent steps; the others are compared
//! with it.
//!
//! | | compared |
//! |---|---|
//! | every way | verdict of each property, verdict on the annotated points, operations that never completed |
//! | without partial order | length of each counterexample: symmetry keeps the shortest |
//! | with partial order | that no counterexample is shorter than the shortest |
//! | several jobs | against one job: states, transitions, and the counterexample step by step |

use crate::reductions::model::complaint;
use linchpin_engine::model::Model;
use linchpin_engine::verdict::{Annotation, Finding, Limit, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Reductions, Request, check};
use linchpin_judge::replay::Counterexample;
use linchpin_judge::trace::Choice;
use std::fmt;
use std::time::Duration;

/// How a question is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    pub reductions: Reductions,
    pub jobs: usize,
}

pub const PLAIN: Variant = Variant { reductions: Reductions::NONE, jobs: 1 };
pub const SYMMETRY: Variant = reduced(true, false);
pub const PARTIAL_ORDER: Variant = reduced(false, true);

/// Every way that is compared with the plain one; those with one job before those with several.
pub const OTHERS: [Variant; 5] = [
    SYMMETRY,
    PARTIAL_ORDER,
    reduced(true, true),
    Variant { jobs: 2, ..PLAIN },
    Variant { jobs: 2, ..reduced(true, true) },
];

const fn reduced(symmetry: bool, partial_order: bool) -> Variant {
    Variant { reductions: Reductions { symmetry, partial_order }, jobs: 1 }
}

impl Variant {
    fn request(self, request: &Request) -> Request {
        Request { reductions: self.reductions, jobs: self.jobs, ..request.clone() }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reductions { symmetry, partial_order } = self.reductions;
        f.write_str(match (symmetry, partial_order) {
            (false, false) => "the plain way",
            (true, false) => "with symmetry",
            (false, true) => "with partial order",
            (true, true) => "with both reductions",
        })?;
        if self.jobs > 1 { write!(f, ", {} jobs", self.jobs) } else { Ok(()) }
    }
}

/// What was answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// One for each property asked for, then one for the points if they were judged.
    pub said: Vec<(String, Said)>,
    pub states: u64,
    pub transitions: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    Holds,
    Violated(Vec<Choice>),
    Unknown(String),
    /// The budget was too small.
    GaveUp,
}

impl Answer {
    pub fn gave_up(&self) -> bool {
        self.said.iter().any(|(_, said)| *said == Said::GaveUp)
    }
}

/// What came of one question.
pub struct Comparison {
    /// The plain way first.
    pub answers: Vec<(Variant, Answer)>,
    /// Ways that answer otherwise, one paragraph each.
    pub differences: Vec<String>,
}

impl Comparison {
    pub fn plain(&self) -> &Answer {
        &self.answers[0].1
    }

    pub fn answer_of(&self, variant: Variant) -> Option<&Answer> {
        self.answers.iter().find(|(other, _)| *other == variant).map(|(_, answer)| answer)
    }
}

/// Asks in every way. `room` is for the plain way: where it does not suffice there is nothing to compare
/// with.
pub fn compare(model: &dyn Model, request: &Request, room: Room) -> Comparison {
    let plain = answer(model, &PLAIN.request(request), &room.budget());
    let mut comparison = Comparison { answers: vec![(PLAIN, plain)], differences: Vec::new() };
    if comparison.plain().gave_up() {
        return comparison;
    }
    for variant in OTHERS {
        comparison.add(variant, answer(model, &variant.request(request), &GENEROUS.budget()));
    }
    comparison
}

impl Comparison {
    fn add(&mut self, variant: Variant, answer: Answer) {
        let mut differ = |why: &str, other: Variant, its: &Answer| {
            self.differences.push(format!("{why}\n  {other}: {its}\n  {variant}: {answer}"));
        };
        let plain = &self.answers[0].1;
        if let Some(why) = disagreement(plain, &answer, variant) {
            differ(&why, PLAIN, plain);
        }
        let alone = Variant { jobs: 1, ..variant };
        if variant.jobs > 1
            && let Some((_, its)) = self.answers.iter().find(|(other, _)| *other == alone)
            && *its != answer
        {
            differ("jobs can be seen", alone, its);
        }
        self.answers.push((variant, answer));
    }
}

/// A budget that is the same everywhere: bytes that the search itself holds, whatever the process does.
#[derive(Clone, Copy)]
pub struct Room {
    pub bytes: Option<u64>,
    pub seconds: u64,
}

/// The limit of a reduced search. Beyond it, the search does not reduce one that ended.
const GENEROUS: Room = Room { bytes: None, seconds: 600 };

impl Room {
    pub fn budget(self) -> Budget {
        Budget {
            time: Some(Duration::from_secs(self.seconds)),
            memory: self.bytes,
            stop: Default::default(),
            memory_in_use: || None,
        }
    }
}

fn answer(model: &dyn Model, request: &Request, budget: &Budget) -> Answer {
    let findings = check(model, request, budget, &mut Silent)
        .unwrap_or_else(|problem| panic!("the question has no answer:\n{}", complaint(&problem)));
    let mut said: Vec<(String, Said)> =
        findings.iter().map(|finding| (finding.property().to_string(), said(finding))).collect();
    if let Some(annotation) = findings.iter().find_map(|finding| finding.annotation.as_ref()) {
        said.push((POINTS.into(), said_of_points(annotation)));
    }
    let effort = findings.first().map(|finding| finding.effort.clone()).unwrap_or_default();
    Answer { said, states: effort.states, transitions: effort.transitions }
}

const POINTS: &str = "points";
const UNCONFIRMED: &str = "unconfirmed";

fn said(finding: &Finding) -> Said {
    match finding.verdict() {
        Verdict::Holds if finding.notes.is_empty() => Said::Holds,
        // Where the budget was too small for something, there is nothing to compare with.
        Verdict::Holds if finding.notes.iter().any(|note| note.ends_with("was left")) => Said::GaveUp,
        Verdict::Holds => Said::Unknown(finding.notes.join(", ")),
        Verdict::Violated(counterexample) => violated(counterexample),
        Verdict::Unknown(limit) => unknown(limit),
    }
}

fn said_of_points(annotation: &Annotation) -> Said {
    match annotation {
        Annotation::Confirmed => Said::Holds,
        Annotation::Refuted(counterexample) => violated(counterexample),
        Annotation::Unknown(limit) => unknown(limit),
    }
}

fn violated(counterexample: &Counterexample) -> Said {
    Said::Violated(counterexample.trace().choices.clone())
}

fn unknown(limit: &Limit) -> Said {
    match limit {
        Limit::Time(_) | Limit::Memory(_) | Limit::States(_) | Limit::Interrupted => Said::GaveUp,
        Limit::Unconfirmed(why) => Said::Unknown(format!("{UNCONFIRMED}: {why}")),
        other => Said::Unknown(other.to_string()),
    }
}

fn is_unconfirmed(said: &Said) -> bool {
    matches!(said, Said::Unknown(why) if why.starts_with(UNCONFIRMED))
}

fn disagreement(plain: &Answer, answer: &Answer, variant: Variant) -> Option<String> {
    let names = |answer: &Answer| answer.said.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if names(plain) != names(answer) {
        return Some("not the same is judged".into());
    }
    for ((name, plain), (_, said)) in plain.said.iter().zip(&answer.said) {
        let is_right = match (plain, said) {
            (Said::Violated(shortest), Said::Violated(choices)) if variant.reductions.partial_order => {
                choices.len() >= shortest.len()
            }
            (Said::Violated(shortest), Said::Violated(choices)) => choices.len() == shortest.len(),
            _ => plain == said,
        };
        if !is_right {
            return Some(format!("{name}: another verdict or length"));
        }
        if is_unconfirmed(said) {
            return Some(format!("{name}: what was found is not there"));
        }
    }
    None
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, said) in &self.said {
            write!(f, "{name} {said}, ")?;
        }
        write!(f, "{} states, {} transitions", self.states, self.transitions)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Holds => f.write_str("holds"),
            Said::Violated(choices) => write!(f, "violated in {} steps", choices.len()),
            Said::Unknown(why) => write!(f, "unknown ({why})"),
            Said::GaveUp => f.write_str("not answered within the budget"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::index::Index;
    use linchpin_judge::trace::Action;
    use linchpin_semantics::ThreadId;

    fn answer(said: Said) -> Answer {
        Answer { said: vec![("linearizable".into(), said)], states: 10, transitions: 20 }
    }

    fn violated(steps: usize) -> Said {
        Said::Violated(vec![
            Choice { thread: ThreadId::new(0), action: Action::Step, picks: Vec::new() };
            steps
        ])
    }

    /// How many differences there are if one way answers one thing and another way another.
    fn differences(plain: Said, variant: Variant, other: Said) -> usize {
        let mut comparison = Comparison { answers: vec![(PLAIN, answer(plain))], differences: Vec::new() };
        comparison.add(variant, answer(other));
        comparison.differences.len()
    }

    #[test]
    fn verdicts_and_lengths_are_compared() {
        assert_eq!(differences(Said::Holds, SYMMETRY, Said::Holds), 0);
        assert_eq!(differences(Said::Holds, SYMMETRY, violated(3)), 1);
        assert_eq!(differences(violated(3), PARTIAL_ORDER, Said::Holds), 1);
        assert_eq!(differences(violated(3), SYMMETRY, violated(3)), 0);
        assert_eq!(differences(violated(3), SYMMETRY, violated(4)), 1);
        assert_eq!(differences(violated(3), PARTIAL_ORDER, violated(4)), 0);
        assert_eq!(differences(violated(3), PARTIAL_ORDER, violated(2)), 1);
        assert_eq!(differences(Said::Holds, SYMMETRY, Said::GaveUp), 1);
        let vacuous = |op: &str| Said::Unknown(format!("no call of {op}"));
        assert_eq!(differences(vacuous("push"), SYMMETRY, vacuous("pop")), 1);
        let unconfirmed = unknown(&Limit::Unconfirmed("no way".into()));
        assert_eq!(differences(unconfirmed.clone(), SYMMETRY, unconfirmed), 1);
    }

    #[test]
    fn jobs_show_in_nothing() {
        let twice = Variant { jobs: 2, ..PLAIN };
        let mut comparison =
            Comparison { answers: vec![(PLAIN, answer(Said::Holds))], differences: Vec::new() };
        comparison.add(twice, answer(Said::Holds));
        assert_eq!(comparison.differences.len(), 0);
        comparison.add(twice, Answer { states: 11, ..answer(Said::Holds) });
        assert_eq!(comparison.differences.len(), 1);
    }
}
