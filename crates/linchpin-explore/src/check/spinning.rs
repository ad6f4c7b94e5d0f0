//! Stuck executions, spinning ones included: whether the specification lets the pending calls wait for ever.
//!
//! The search itself judges states in which no thread can move. This module judges the others: states from
//! which no continuation completes a pending call, although threads move, or although other threads could
//! call. They are found on the graph of a finished search ([`crate::progress`]), and judged with each of
//! their monitor states. Where a specification lets no call wait, no monitor is needed. The graph of the
//! property's own search is used if that search makes each call apart from its first step. A graph that is
//! too large is not judged, and a note of the verdict tells so.

use super::progress::can_wait;
use super::{CheckRun, RequestError};
use crate::problem::{MonitorKind, SearchProblem};
use crate::progress::{Judges, NoGraph};
use crate::search::{Search, SearchError};
use crate::store::NodeId;
use crate::trace::{Choices, ConcretePosition};
use linchpin_engine::Exhausted;
use linchpin_engine::verdict::Limit;
use linchpin_ir::program::{Op, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::replay::Counterexample;
use linchpin_judge::trace::{Action, Choice, Claim};
use linchpin_semantics::{Events, Location, Machine, Outcome, Picks, SpecError, State, ThreadId};
use std::collections::BTreeMap;

/// The limit on states of a judged graph. Larger graphs cost more than the search itself.
const MOST_STATES: usize = 1_000_000;
/// The limit on rounds of spinning threads, until a state repeats.
const MOST_ROUNDS: usize = 10_000;

impl CheckRun<'_> {
    /// Judges the open properties among `properties` with a search of its own. The monitor of the problem
    /// judges them.
    pub(super) fn stuck(
        &mut self,
        problem: &SearchProblem<'_>,
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
        let mut search = Search::new(SearchProblem { wanted: Vec::new(), most_nodes, ..problem.clone() });
        search.keep_calls_separate();
        search.is_exhaustive = true;
        let result =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.results.note_memory(&result, (self.budget.memory_in_use)());
        match result.exhausted {
            Some(exhausted) => {
                self.too_large(&open, exhausted);
                Ok(())
            }
            None => self.stuck_in(&search, &open),
        }
    }

    /// Checks whether the graph of a search has every stuck state, and the monitor that judges them.
    pub(super) fn can_judge_stuck(&self, search: &Search<'_>) -> bool {
        let program = &self.compiled.program;
        let is_judged = match &search.problem.monitor {
            Some(MonitorKind::Points { .. } | MonitorKind::Observers { .. }) => false,
            Some(_) => true,
            None => !program.spec.may_block(),
        };
        let keeps_calls_separate = !search.plan.delayed_calls || !can_wait(program);
        is_judged && keeps_calls_separate && self.request.preemptions.is_none()
    }

    /// Judges the open properties among `properties` with a finished search.
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
                    Ok(counterexample) => self.results.violate(property, counterexample),
                    Err(why) => self.results.unconfirmed(property, why, false),
                },
                Err(NoGraph::Exhausted(exhausted)) => self.too_large(&[property], exhausted),
                Err(NoGraph::Spec(error)) => return Err(self.unsearchable(SearchError::Spec(error))),
                Err(NoGraph::TooManyThreads) => self.not_judged(&[property], "with so many threads"),
            }
        }
        Ok(())
    }

    fn open_among(&self, properties: &[Property]) -> Vec<Property> {
        let mut open = self.results.open();
        open.retain(|property| properties.contains(property));
        open
    }

    fn too_large(&mut self, properties: &[Property], exhausted: Exhausted) {
        match exhausted {
            Exhausted::Interrupted => {
                for property in properties {
                    self.results.unknown(*property, Limit::Interrupted, false);
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
            self.results.not_judged(*property, format!("calls that spin for ever were not judged: {why}"));
        }
    }

    /// Returns the execution that leads to a node. Where threads can move, a loop follows in which each of
    /// them moves.
    fn spinning_witness(
        &self,
        search: &Search<'_>,
        node: NodeId,
        property: Property,
    ) -> Result<Counterexample, String> {
        let (Choices { initial, mut steps }, end) = self.arrive(search, (node, search.level_of(node)))?;
        let mut cycle = None;
        if let Some((lead, repeated)) = spin(search.problem.machine, &end.state) {
            cycle = Some(steps.len() + lead.len());
            steps.extend(lead.into_iter().chain(repeated));
        }
        self.confirmed(search, Claim::Violates(property), Choices { initial, steps }, cycle)
    }

    /// Returns the choices of an execution that leads to a node of a level, and its end.
    pub(super) fn arrive(
        &self,
        search: &Search<'_>,
        (node, level): (NodeId, usize),
    ) -> Result<(Choices, ConcretePosition), String> {
        let lost = |_: SpecError| "the specification has a fault on the path".to_string();
        let path = search.path_to(node, level).map_err(lost)?.ok_or("no path leads to the stuck state")?;
        let arrived = search.arrive(&path).map_err(lost)?;
        Ok(arrived.ok_or("no execution of the plain semantics follows the path")?)
    }
}

/// Checks whether a call can run for ever: it can wait, it has a loop, or it calls a method.
fn can_hang(program: &Program) -> bool {
    let has_loop = program.methods.iter().any(|method| {
        method.code.entries().any(|(pc, instr)| {
            matches!(instr.op, Op::Call { .. }) || instr.successors().iter().any(|next| *next <= pc)
        })
    });
    has_loop || can_wait(program)
}

/// Lets the threads of a stuck state take turns, without spurious wake-ups, until a round begins in the state
/// of an earlier round. Returns the steps before the loop, and the loop. `None`: no thread can move, or there
/// are too many rounds.
fn spin(machine: &Machine, from: &State) -> Option<(Vec<Choice>, Vec<Choice>)> {
    let mut known: BTreeMap<Vec<Word>, usize> = BTreeMap::new();
    let mut state = from.clone();
    let mut steps = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let mut words = Vec::new();
        let mut normal = state.clone();
        machine.normalise(&mut normal);
        machine.flatten(&normal, &mut words);
        if let Some(start) = known.insert(words, steps.len()) {
            let repeated = steps.split_off(start);
            return (!repeated.is_empty()).then_some((steps, repeated));
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

/// Returns the first outcome of the next step of a thread; `None` if the thread cannot move.
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
