//! Stuck executions, spinning ones included: whether the specification lets the pending calls wait for ever.
//!
//! A state in which no thread can move is judged by the search itself. Here the others: states from which no continuation completes a
//! pending call, although threads move, or although other threads could go on calling. They are found on the graph of a search
//! that has come to its end ([`crate::progress`]), and judged with every monitor state that they were seen with; where a
//! specification makes no call wait, no monitor is needed. The graph of the search for the property itself serves where that
//! search makes each call apart from its first step. What is too large is not judged, and the verdict says so.

use super::endless::can_wait;
use super::{RequestError, Run};
use crate::concretise::{Choices, Here};
use crate::monitor::MonitorKind;
use crate::progress::{Judges, NoGraph};
use crate::search::{Search, SearchError, SearchProblem};
use crate::store::NodeId;
use linchpin_engine::Exhausted;
use linchpin_engine::verdict::Limit;
use linchpin_ir::program::{Op, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::replay::Counterexample;
use linchpin_judge::trace::{Action, Choice, Claim};
use linchpin_semantics::{Events, Location, Machine, Outcome, Picks, SpecError, State, ThreadId};
use std::collections::BTreeMap;

/// States of a graph on which this is judged; larger ones cost more than the search itself.
const MOST_STATES: usize = 1_000_000;
/// Rounds in which threads that spin are followed until they repeat themselves.
const MOST_ROUNDS: usize = 10_000;

impl Run<'_> {
    /// Judges those of the properties that are open by a search of its own; the question's monitor is about them.
    pub(super) fn stuck(
        &mut self,
        question: &SearchProblem<'_>,
        properties: &[Property],
    ) -> Result<(), RequestError> {
        let open = self.open_among(properties);
        if open.is_empty() || !can_hang(&self.compiled.program) {
            return Ok(());
        }
        if self.request.preemptions.is_some() {
            self.not_judged(&open, "under a bound on preemptions");
            return Ok(());
        }
        let most_nodes = Some(MOST_STATES);
        let mut search = Search::new(SearchProblem { wanted: Vec::new(), most_nodes, ..question.clone() });
        search.tell_calls_apart();
        search.is_exhaustive = true;
        let summary =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.answers.note_memory(&summary, (self.budget.memory_in_use)());
        match summary.exhausted {
            Some(exhausted) => {
                self.too_large(&open, exhausted);
                Ok(())
            }
            None => self.stuck_in(&search, &open),
        }
    }

    /// Whether the graph of a search shows every stuck state, with what is needed to judge it.
    pub(super) fn can_judge_stuck(&self, search: &Search<'_>) -> bool {
        let program = &self.compiled.program;
        let is_judged = match &search.question.monitor {
            Some(MonitorKind::Points { .. } | MonitorKind::Observers { .. }) => false,
            Some(_) => true,
            None => !program.spec.may_block(),
        };
        let makes_calls_apart = !search.reduction.late_calls || !can_wait(program);
        is_judged && makes_calls_apart && self.request.preemptions.is_none()
    }

    /// Judges those of the properties that are open by a search that has come to its end.
    pub(super) fn stuck_in(
        &mut self,
        search: &Search<'_>,
        properties: &[Property],
    ) -> Result<(), RequestError> {
        let open = self.open_among(properties);
        if open.is_empty() || !can_hang(&self.compiled.program) {
            return Ok(());
        }
        let states = search.store.number_of_nodes();
        if states > MOST_STATES {
            self.too_large(&open, Exhausted::States(states));
            return Ok(());
        }
        for property in open {
            let judges =
                if property == Property::DeadlockFree { Judges::Deadlock } else { Judges::Consistency };
            match search.unjustified(judges, &self.rest_of_budget(), self.listener) {
                Ok(None) => {}
                Ok(Some(node)) => match self.spinning_witness(search, node, property) {
                    Ok(counterexample) => self.answers.violate(property, counterexample),
                    Err(why) => self.answers.unconfirmed(property, why, false),
                },
                Err(NoGraph::Exhausted(exhausted)) => self.too_large(&[property], exhausted),
                Err(NoGraph::Spec(error)) => return Err(self.unsearchable(SearchError::Spec(error))),
                Err(NoGraph::TooManyThreads) => self.not_judged(&[property], "with so many threads"),
            }
        }
        Ok(())
    }

    fn open_among(&self, properties: &[Property]) -> Vec<Property> {
        let mut open = self.answers.open();
        open.retain(|property| properties.contains(property));
        open
    }

    fn too_large(&mut self, properties: &[Property], exhausted: Exhausted) {
        match exhausted {
            Exhausted::Interrupted => {
                for property in properties {
                    self.answers.unknown(*property, Limit::Interrupted, false);
                }
            }
            Exhausted::Time(_) => self.not_judged(properties, "no time was left"),
            Exhausted::Memory(_) => self.not_judged(properties, "no memory was left"),
            Exhausted::States(_) => {
                self.not_judged(properties, &format!("more than {MOST_STATES} states"));
            }
        }
    }

    fn not_judged(&mut self, properties: &[Property], why: &str) {
        for property in properties {
            self.answers.not_judged(*property, format!("calls that spin for ever were not judged: {why}"));
        }
    }

    /// The execution that leads to a node; where threads of it can move, with a loop in which each of them does.
    fn spinning_witness(
        &self,
        search: &Search<'_>,
        node: NodeId,
        property: Property,
    ) -> Result<Counterexample, String> {
        let (Choices { initial, mut steps }, here) = self.arrive(search, (node, search.level_of(node)))?;
        let mut cycle = None;
        if let Some((lead, circle)) = circle(search.question.machine, &here.state) {
            cycle = Some(steps.len() + lead.len());
            steps.extend(lead.into_iter().chain(circle));
        }
        self.confirmed(search, Claim::Violates(property), Choices { initial, steps }, cycle)
    }

    /// The choices of an execution that leads to a node of a level, and where it ends.
    pub(super) fn arrive(
        &self,
        search: &Search<'_>,
        (node, level): (NodeId, usize),
    ) -> Result<(Choices, Here), String> {
        let lost = |_: SpecError| "the specification failed on the way".to_string();
        let path = search.way_to(node, level).map_err(lost)?.ok_or("no execution leads there")?;
        let arrived = search.arrive(&path).map_err(lost)?;
        Ok(arrived.ok_or("no execution of the plain semantics goes along")?)
    }
}

/// Whether a call can go on for ever: it can wait, come back to where it was, or call itself.
fn can_hang(program: &Program) -> bool {
    let comes_back = program.methods.iter().any(|method| {
        method.code.entries().any(|(pc, instr)| {
            matches!(instr.op, Op::Call { .. }) || instr.successors().iter().any(|next| *next <= pc)
        })
    });
    comes_back || can_wait(program)
}

/// Lets the threads of a stuck state take turns, without spurious wake-ups, until a round begins where an earlier one did: the steps
/// before that, and the loop. `None`: no thread can move, or the rounds are too many to show.
fn circle(machine: &Machine, from: &State) -> Option<(Vec<Choice>, Vec<Choice>)> {
    let mut known: BTreeMap<Vec<Word>, usize> = BTreeMap::new();
    let mut state = from.clone();
    let mut steps = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let mut words = Vec::new();
        let mut normal = state.clone();
        machine.normalise(&mut normal);
        machine.flatten(&normal, &mut words);
        if let Some(start) = known.insert(words, steps.len()) {
            let circle = steps.split_off(start);
            return (!circle.is_empty()).then_some((steps, circle));
        }
        for thread in machine.bounds().thread_ids().filter(|thread| !machine.is_idle(from, *thread)) {
            if let Some((picks, next)) = step(machine, &state, thread) {
                steps.push(Choice { thread, action: Action::Step, picks });
                state = next;
            }
        }
    }
    None
}

/// The first way in which the next step of a thread goes, if it can move.
fn step(machine: &Machine, state: &State, thread: ThreadId) -> Option<(Vec<u32>, State)> {
    #[derive(Default)]
    struct Sleep {
        is_woken: bool,
    }
    impl Events for Sleep {
        fn woken_spuriously(&mut self, _: Location) {
            self.is_woken = true;
        }
    }
    let mut picks = Picks::new();
    loop {
        picks.restart();
        let (mut next, mut sleep) = (state.clone(), Sleep::default());
        let outcome = machine.step(&mut next, thread, &mut picks, &mut sleep);
        if outcome == Outcome::Done && !sleep.is_woken {
            machine.collect_keeping_names(&mut next);
            return Some((picks.chosen().collect(), next));
        }
        if !picks.advance() {
            return None;
        }
    }
}
