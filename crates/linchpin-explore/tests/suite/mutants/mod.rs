//! The explorer against faults of known kinds: models of the catalogue with one thing wrong.
//!
//! A *mutant* is a correct model with a small edit, named after the line that it breaks. Examples: a
//! compare-and-swap that always succeeds, a missing validation, two lines exchanged, a missing mark, lock or
//! wake-up, a point in the wrong place. Each mutant is refuted by an execution whose length is pinned. The
//! search is breadth-first, and no reduction may lengthen the execution. So a changed length is a changed
//! meaning of a step, or a fault.
//!
//! Some edits change nothing visible. They are kept, with an argument, and must hold: an explorer that
//! refutes everything would pass the other tests.

mod coarse_locks;
mod doubly_linked;
mod edit;
mod hash_sets;
mod lock_free_lists;
mod lock_free_queues;
mod locked_lists;
mod locked_queues;
mod others;
mod progress_examples;
mod refinement_examples;
mod stacks;
mod synchronous_queues;

use edit::Edit;
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::{Annotation, Finding, Limit, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_explore as explore;
use linchpin_explore::Request;
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_judge::replay::Counterexample;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::Group;
use linchpin_portfolio::embedded::compile_beside_catalogue;
use linchpin_portfolio::{method_of, prove};
use linchpin_report::render::render;
use std::collections::BTreeSet;
use std::time::Duration;

pub struct Mutant {
    name: &'static str,
    /// Of the catalogue.
    model: &'static str,
    /// One after the other.
    edits: &'static [Edit],
    /// As in a `check` block.
    bounds: &'static str,
    fate: Fate,
}

#[derive(Clone, Copy)]
pub enum Fate {
    /// The shortest execution against the property has so many steps. (With schedules: in the first schedule
    /// that has one; calls made beforehand are not counted.)
    Violates(Property, usize),
    /// The object is linearizable, but not at its points: the shortest execution that shows it has so many
    /// steps.
    RefutesPoints(usize),
    /// Every property holds, with the points: the edit changes nothing that can be seen.
    Holds,
}

/// All of them.
const TABLES: [&[Mutant]; 12] = [
    stacks::MUTANTS,
    lock_free_queues::MUTANTS,
    locked_queues::MUTANTS,
    locked_lists::MUTANTS,
    lock_free_lists::MUTANTS,
    synchronous_queues::MUTANTS,
    hash_sets::MUTANTS,
    others::MUTANTS,
    progress_examples::MUTANTS,
    refinement_examples::MUTANTS,
    doubly_linked::MUTANTS,
    coarse_locks::MUTANTS,
];

#[test]
fn stacks() {
    judge_all(stacks::MUTANTS);
}

#[test]
fn lock_free_queues() {
    judge_all(lock_free_queues::MUTANTS);
}

#[test]
fn locked_queues() {
    judge_all(locked_queues::MUTANTS);
}

#[test]
fn locked_lists() {
    judge_all(locked_lists::MUTANTS);
}

#[test]
fn lock_free_lists() {
    judge_all(lock_free_lists::MUTANTS);
}

#[test]
fn synchronous_queues() {
    judge_all(synchronous_queues::MUTANTS);
}

#[test]
fn hash_sets() {
    judge_all(hash_sets::MUTANTS);
}

#[test]
fn others() {
    judge_all(others::MUTANTS);
}

#[test]
fn progress_examples() {
    judge_all(progress_examples::MUTANTS);
}

#[test]
fn coarse_locks() {
    judge_all(coarse_locks::MUTANTS);
}

#[test]
fn doubly_linked() {
    judge_all(doubly_linked::MUTANTS);
}

#[test]
fn refinement_examples() {
    judge_all(refinement_examples::MUTANTS);
}

#[test]
fn every_correct_model_has_a_mutant_that_is_refuted() {
    let mutants: Vec<&Mutant> = TABLES.into_iter().flatten().collect();
    let names: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.name).collect();
    assert_eq!(names.len(), mutants.len(), "names are unique");
    let refuted = mutants.iter().filter(|mutant| matches!(mutant.fate, Fate::Violates(..)));
    let refuted: BTreeSet<&str> = refuted.map(|mutant| mutant.model).collect();
    let correct = catalogue::entries().iter().filter(|entry| entry.group == Group::Correct);
    let spared: Vec<&str> = correct.map(|entry| entry.name).filter(|name| !refuted.contains(name)).collect();
    assert!(spared.is_empty(), "models without a refuted mutant: {spared:?}");
}

/// Stacks and queues of the catalogue that the provers take: each must be among the mutants that they are
/// tried on.
const PROVABLE: [&str; 10] = [
    "coarse_stack",
    "coarse_stack_manual",
    "coarse_queue",
    "coarse_queue_manual",
    "two_lock_queue",
    "two_lock_queue_gc",
    "treiber_stack",
    "treiber_stack_tagged",
    "ms_queue",
    "ms_queue_tagged",
];

/// Objects that are right, with a point at which the result of the call is not determined. The proof lets
/// such a call take effect in the first of its later steps at which that is clear: it is one of the object,
/// by other points than the annotated ones.
const PROVED_BY_LATER_POINTS: [&str; 1] = ["bucket_locks_remove_point_at_the_first_bucket"];

/// The provers, too, must not be taken in: what an execution refutes has no proof, and neither has an object
/// with wrong points.
#[test]
fn no_refuted_mutant_is_proved() {
    // No analysis of a mutant is cut by time: one that is shows nothing.
    let time = Duration::from_secs(300);
    let mut tried: Vec<&str> = Vec::new();
    for mutant in TABLES.into_iter().flatten() {
        let property = match mutant.fate {
            Fate::Violates(property, _) => property,
            Fate::RefutesPoints(_) => Property::Linearizable,
            Fate::Holds => continue,
        };
        let text = mutant.text().unwrap_or_else(|why| panic!("{}: {why}", mutant.name));
        let budget = Budget { time: Some(time), ..unlimited() };
        let attempt = prove(&text, Some(&[property]), None, &budget, &mut Silent);
        let attempt = attempt.unwrap_or_else(|why| panic!("{}: {}", mutant.name, message(why)));
        let asked = attempt.findings.iter().filter(|finding| finding.property() == property);
        // A proof of a set does not look at points.
        let takes_no_points = method_of(&attempt.compiled.program) == ProofMethod::Sets;
        let refutes_points = matches!(mutant.fate, Fate::RefutesPoints(_));
        let is_right = PROVED_BY_LATER_POINTS.contains(&mutant.name) || (takes_no_points && refutes_points);
        assert!(!is_right || refutes_points, "{} is wrong", mutant.name);
        for finding in asked {
            let is_proved = matches!(finding.verdict(), Verdict::Holds);
            assert!(!is_proved || is_right, "{} is proved", mutant.name);
            let is_cut = matches!(finding.verdict(), Verdict::Unknown(Limit::Time(_)));
            assert!(!is_cut, "{} was not analysed to its end", mutant.name);
        }
        tried.extend(attempt.refusals.is_empty().then_some(mutant.model));
    }
    let spared: Vec<&str> = PROVABLE.into_iter().filter(|model| !tried.contains(model)).collect();
    assert!(spared.is_empty(), "no mutant of these is taken: {spared:?}");
    assert!(tried.len() > 40, "the prover takes only {} of the mutants", tried.len());
}

/// All of them, so that one run tells everything that is wrong.
fn judge_all(mutants: &[Mutant]) {
    let wrong: Vec<String> = mutants
        .iter()
        .filter_map(|mutant| mutant.judge().err().map(|why| format!("{}: {why}", mutant.name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn unlimited() -> Budget {
    Budget { time: None, memory: None, stop: Default::default(), memory_in_use: || None }
}

impl Mutant {
    fn judge(&self) -> Result<(), String> {
        let text = self.text()?;
        let request = self.request(&text)?;
        let budget = unlimited();
        let findings = explore::check(&text, &request, &budget, &mut Silent).map_err(message)?;
        let Some(first) = findings.first() else { return Err("nothing was judged".into()) };
        match self.fate {
            Fate::Violates(_, length) => match first.verdict() {
                Verdict::Violated(counterexample) => has_length(counterexample, length),
                verdict => Err(format!("should be violated: {}", verdict.as_str())),
            },
            Fate::RefutesPoints(length) => {
                holds(first)?;
                match &first.annotation {
                    Some(Annotation::Refuted(counterexample)) => has_length(counterexample, length),
                    annotation => Err(format!("the points should be refuted: {}", name_of(annotation))),
                }
            }
            Fate::Holds => {
                findings.iter().try_for_each(holds)?;
                match &first.annotation {
                    Some(Annotation::Confirmed) => Ok(()),
                    annotation => Err(format!("the points should be confirmed: {}", name_of(annotation))),
                }
            }
        }
    }

    /// The edited model, asked for these bounds as its last `check` block.
    fn text(&self) -> Result<MutantText, String> {
        let entry = catalogue::find(self.model).ok_or("there is no such model")?;
        let text = entry.text.to_string();
        let edited = self.edits.iter().try_fold(text, |text, edit| edit.apply(&text))?;
        Ok(MutantText { name: self.name, text: format!("{edited}\ncheck {{ {}; }}\n", self.bounds) })
    }

    fn request(&self, text: &MutantText) -> Result<Request, String> {
        let compiled = text.compile(&Setting::default()).map_err(message)?;
        let block = compiled.program.checks.last().ok_or("the block with the bounds is lost")?;
        let (request, _) = Request::of_check(block);
        let (properties, lin_points) = match self.fate {
            Fate::Violates(property, _) => (vec![property], false),
            Fate::RefutesPoints(_) => (vec![Property::Linearizable], true),
            Fate::Holds => (JUDGED.to_vec(), true),
        };
        Ok(Request { properties, lin_points, ..request })
    }
}

/// What a mutant without a visible fault must have.
const JUDGED: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];

struct MutantText {
    name: &'static str,
    text: String,
}

impl Model for MutantText {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        compile_beside_catalogue(self.name, &self.text, setting)
    }
}

fn has_length(counterexample: &Counterexample, length: usize) -> Result<(), String> {
    let found = counterexample.trace().choices.len();
    if found == length { Ok(()) } else { Err(format!("refuted in {found} steps, pinned at {length}")) }
}

fn holds(finding: &Finding) -> Result<(), String> {
    match finding.verdict() {
        Verdict::Holds => Ok(()),
        Verdict::Unknown(limit) => Err(format!("{} should hold: {limit}", finding.property())),
        Verdict::Violated(counterexample) => {
            let steps = counterexample.trace().choices.len();
            Err(format!("{} should hold: violated in {steps} steps", finding.property()))
        }
    }
}

fn name_of(annotation: &Option<Annotation>) -> &'static str {
    match annotation {
        None => "not judged",
        Some(Annotation::Confirmed) => "confirmed",
        Some(Annotation::Refuted(_)) => "refuted",
        Some(Annotation::Unknown(_)) => "unknown",
    }
}

fn message(uncheckable: RequestError) -> String {
    match uncheckable {
        RequestError::Model { sources, findings } => {
            findings.iter().map(|finding| render(&sources, finding, false)).collect()
        }
        RequestError::Message { text, help } => format!("{text}; {help}"),
    }
}
