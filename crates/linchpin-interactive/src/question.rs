//! "From here, is there an execution that …": a breadth-first search from the present state.
//!
//! The search makes every move of the plain semantics under the general client, without reductions. States
//! that differ in the names of cells are one state. A violation is reported only after `replay` confirmed the
//! whole execution. *No* is answered only if every state was searched; a limit is *unknown*.
//!
//! A violation is an error, a result that no order of the calls explains, or a state in which no thread can
//! move. The specification must forbid the last one. Leaks and progress are questions for `check`.

use crate::configurations::{Configurations, Unknown};
use crate::save;
use crate::session::{Instance, Session, choice_of};
use linchpin_explore::moves::{Moves, moves};
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::history::Event;
use linchpin_judge::trace::{Choice, Claim};
use linchpin_semantics::{FaultProperty, State, site_method};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A question about the executions that begin with the present one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Is there a violation?
    Violation,
    /// Does some thread run this line of the model?
    Line(usize),
}

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Found {
        /// The choices after the present state.
        more: Vec<Choice>,
        /// What the execution shows.
        shows: String,
    },
    /// There is none: every state within the bounds was searched. `cut`: a move left the bounds.
    None {
        states: usize,
        cut: bool,
    },
    Unknown {
        states: usize,
        why: String,
    },
    /// The question does not apply.
    Refused(String),
}

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub states: usize,
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 200_000, time: Duration::from_secs(60) }
    }
}

/// What the asker and the search share.
#[derive(Debug, Default)]
pub struct Control {
    pub cancelled: AtomicBool,
    /// Number of states found so far.
    pub states: AtomicUsize,
}

/// The present execution, as a search needs it.
pub struct Origin {
    instance: Arc<Instance>,
    start: Vec<u32>,
    choices: Vec<Choice>,
    state: State,
    configurations: Result<Configurations, Unknown>,
    has_ended: bool,
}

impl Origin {
    pub fn of(session: &Session) -> Origin {
        Origin {
            instance: session.instance.clone(),
            start: session.start_picks().to_vec(),
            choices: session.choices(),
            state: session.state().clone(),
            configurations: session.configurations(),
            has_ended: session.end().is_some(),
        }
    }
}

/// Searches for an answer.
pub fn search(origin: &Origin, question: Question, limits: Limits, control: &Control) -> Answer {
    if origin.has_ended {
        return Answer::Refused("the execution has ended: go back first".into());
    }
    match question {
        Question::Line(line) => {
            if let Some(why) = no_step_at(&origin.instance, line) {
                return Answer::Refused(why);
            }
            // Configurations do not matter here, so all have the same number.
            Search::new(origin, question, limits, control).run(None)
        }
        Question::Violation => match &origin.configurations {
            Ok(known) if known.is_refuted() => {
                Answer::Refused("no order explains the results already: go back first".into())
            }
            Ok(known) => Search::new(origin, question, limits, control).run(Some(known.clone())),
            Err(unknown) => Answer::Unknown { states: 0, why: why_unknown(unknown) },
        },
    }
}

/// Returns why no step of the model is at a line. `None`: there is one.
fn no_step_at(instance: &Instance, line: usize) -> Option<String> {
    let (sources, program) = (&instance.compiled.sources, &instance.compiled.program);
    let root = program.object_span.file;
    let mut lines: Vec<usize> = program
        .methods
        .iter()
        .flat_map(|method| method.code.iter())
        .filter(|instr| instr.span.file == root)
        .map(|instr| sources.line_of(instr.span))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    if lines.contains(&line) {
        return None;
    }
    let near = lines.iter().min_by_key(|known| known.abs_diff(line));
    let help = near.map_or(String::new(), |near| format!("; the nearest line with a step is {near}"));
    Some(format!("no step is at line {line}{help}"))
}

fn why_unknown(unknown: &Unknown) -> String {
    match unknown {
        Unknown::TooMany => "the calls can have taken effect in too many orders".into(),
        Unknown::Specification(_) => "the specification itself has a fault, or leaves the bounds".into(),
    }
}

/// A state that was found.
struct Node {
    /// The node before, and the choice that leads here. `None`: the present state.
    from: Option<(usize, Choice)>,
    /// The number of the set of configurations.
    known: usize,
}

struct Search<'a> {
    origin: &'a Origin,
    question: Question,
    limits: Limits,
    control: &'a Control,
    nodes: Vec<Node>,
    numbers: FxHashMap<(Vec<Word>, usize), usize>,
    sets: Vec<Configurations>,
    set_numbers: FxHashMap<Configurations, usize>,
    words: Vec<Word>,
    /// A move left the bounds.
    cut: bool,
}

impl<'a> Search<'a> {
    fn new(origin: &'a Origin, question: Question, limits: Limits, control: &'a Control) -> Search<'a> {
        Search {
            origin,
            question,
            limits,
            control,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            sets: Vec::new(),
            set_numbers: FxHashMap::default(),
            words: Vec::new(),
            cut: false,
        }
    }

    fn run(mut self, configurations: Option<Configurations>) -> Answer {
        let instance = &self.origin.instance;
        let known = configurations.map_or(0, |set| self.set_number(set));
        let mut queue = VecDeque::new();
        self.add(&self.origin.state.clone(), known, None);
        queue.push_back((0, self.origin.state.clone()));
        let began = Instant::now();
        while let Some((at, state)) = queue.pop_front() {
            if let Some(why) = self.limit(began) {
                return Answer::Unknown { states: self.nodes.len(), why };
            }
            let found = moves(&instance.machine, &instance.client, &state);
            self.cut |= !found.cut.is_empty();
            if self.question == Question::Violation && is_stuck(&found) {
                let claim = Claim::Violates(Property::DeadlockFree);
                if let Some(answer) = self.confirmed(self.path(at, None), claim) {
                    return answer;
                }
            }
            for possible in found.possible {
                let choice = choice_of(instance, &possible.made);
                let path = |search: &Search<'_>| search.path(at, Some(choice.clone()));
                if let Question::Line(line) = self.question
                    && possible.instructions.iter().any(|&(site, pc)| self.is_at(site, pc, line))
                {
                    let shows = format!("{} runs line {line}", thread_of(&choice));
                    return Answer::Found { more: path(&self), shows };
                }
                if let Some(fault) = &possible.fault {
                    if self.question == Question::Violation {
                        let property = match fault.property() {
                            FaultProperty::MemorySafe => Property::MemorySafe,
                            FaultProperty::Assertions => Property::Assertions,
                        };
                        match self.confirmed(path(&self), Claim::Violates(property)) {
                            Some(answer) => return answer,
                            None => return self.not_confirmed(),
                        }
                    }
                    continue;
                }
                let known = match self.after(self.nodes[at].known, &possible.events) {
                    Ok(known) => known,
                    Err(unknown) => {
                        return Answer::Unknown { states: self.nodes.len(), why: why_unknown(&unknown) };
                    }
                };
                if self.question == Question::Violation && self.sets[known].is_refuted() {
                    let claim = Claim::Violates(Property::Linearizable);
                    match self.confirmed(path(&self), claim) {
                        Some(answer) => return answer,
                        None => return self.not_confirmed(),
                    }
                }
                let mut next = possible.next;
                instance.machine.collect_keeping_names(&mut next);
                if let Some(number) = self.add(&next, known, Some((at, choice))) {
                    queue.push_back((number, next));
                }
            }
        }
        Answer::None { states: self.nodes.len(), cut: self.cut }
    }

    fn limit(&self, began: Instant) -> Option<String> {
        let Limits { states, time } = self.limits;
        if self.control.cancelled.load(Ordering::Relaxed) {
            return Some("cancelled".into());
        }
        if self.nodes.len() >= states {
            return Some(format!("the limit of {states} states is reached"));
        }
        (began.elapsed() >= time).then(|| format!("the limit of {} seconds is reached", time.as_secs()))
    }

    /// Adds a state. `None`: the state is known.
    fn add(&mut self, state: &State, known: usize, from: Option<(usize, Choice)>) -> Option<usize> {
        let mut normal = state.clone();
        self.origin.instance.machine.normalise(&mut normal);
        self.origin.instance.machine.flatten(&normal, &mut self.words);
        let number = self.nodes.len();
        let key = (self.words.clone(), known);
        if self.numbers.contains_key(&key) {
            return None;
        }
        self.numbers.insert(key, number);
        self.nodes.push(Node { from, known });
        self.control.states.store(self.nodes.len(), Ordering::Relaxed);
        Some(number)
    }

    /// Returns the number of the configurations after some events.
    fn after(&mut self, known: usize, events: &[Event]) -> Result<usize, Unknown> {
        if self.question != Question::Violation || events.is_empty() {
            return Ok(known);
        }
        let mut set = self.sets[known].clone();
        for event in events {
            set = set.after(&self.origin.instance.spec, event)?;
        }
        Ok(self.set_number(set))
    }

    fn set_number(&mut self, set: Configurations) -> usize {
        let next = self.sets.len();
        if let Some(number) = self.set_numbers.get(&set) {
            return *number;
        }
        self.set_numbers.insert(set.clone(), next);
        self.sets.push(set);
        next
    }

    /// Returns the choices from the present state to a node, and one more.
    fn path(&self, mut at: usize, last: Option<Choice>) -> Vec<Choice> {
        let mut path: Vec<Choice> = last.into_iter().collect();
        while let Some((from, choice)) = &self.nodes[at].from {
            path.push(choice.clone());
            at = *from;
        }
        path.reverse();
        path
    }

    fn is_at(&self, site: linchpin_semantics::Site, pc: linchpin_ir::program::Pc, line: usize) -> bool {
        let compiled = &self.origin.instance.compiled;
        let instr = site_method(&compiled.program, site).code.get(pc);
        let root = compiled.program.object_span.file;
        instr.is_some_and(|instr| instr.span.file == root && compiled.sources.line_of(instr.span) == line)
    }

    /// Returns the answer if `replay` confirms the claim of the whole execution.
    fn confirmed(&self, more: Vec<Choice>, claim: Claim) -> Option<Answer> {
        let origin = self.origin;
        let choices = origin.choices.iter().chain(&more).cloned().collect();
        let property = save::confirmed(&origin.instance, &origin.start, choices, claim)?;
        Some(Answer::Found { more, shows: format!("not {property}, confirmed by replay") })
    }

    fn not_confirmed(&self) -> Answer {
        let why = "replay does not confirm the violation that the search found";
        Answer::Unknown { states: self.nodes.len(), why: why.into() }
    }
}

/// Returns whether no thread can move, for reasons that are not bounds.
fn is_stuck(found: &Moves) -> bool {
    found.possible.is_empty()
        && found.cut.is_empty()
        && !found.waiting.is_empty()
        && found.waiting.iter().all(|(_, blocked)| !blocked.by_bound())
}

fn thread_of(choice: &Choice) -> String {
    linchpin_semantics::thread_name(choice.thread)
}
