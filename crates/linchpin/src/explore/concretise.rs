//! From a path in the store to choices in the plain semantics.
//!
//! The store knows normal forms; a trace is run with cells keeping their names. So the path is walked again in the plain
//! semantics: of the ways in which the thread of each step can go, one whose normal form is the path's next state. Where
//! normal forms are not canonical no way may look the same; then every way is tried, last choice first, until the end
//! shows the violation.

use super::monitor::MonitorId;
use super::search::{Kind, Moves, REJECTED, Scratch, Search};
use super::store::NodeId;
use super::successors::{Action, Successors};
use super::witness::Path;
use linchpin_core::ir::{OpId, Program};
use linchpin_core::semantics::{Outcome, Picks, SpecError, State, ThreadId};
use linchpin_core::types::Word;
use linchpin_core::verdict::{Action as TraceAction, Choice, PlannedCall};

/// The choices of an execution: those of the initial state, then step by step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    pub initial: Vec<u32>,
    pub steps: Vec<Choice>,
}

/// One way in which a step can go.
struct Way {
    choice: Choice,
    /// Where it leads, if the execution goes on.
    state: State,
    monitor: MonitorId,
    is_violation: bool,
}

/// Ways tried before giving up.
const MOST_WAYS: usize = 1_000_000;

impl Search<'_> {
    /// The choices of an execution along the path that shows the violation.
    pub fn concretise(&mut self, kind: Kind, path: &Path) -> Result<Option<Choices>, SpecError> {
        for (initial, state) in self.initial_states(path.start) {
            let start = self.store.node(path.start).monitor;
            if let Some(steps) = self.walk(kind, path, state, start)? {
                return Ok(Some(Choices { initial, steps }));
            }
        }
        Ok(None)
    }

    fn walk(
        &mut self,
        kind: Kind,
        path: &Path,
        state: State,
        monitor: MonitorId,
    ) -> Result<Option<Vec<Choice>>, SpecError> {
        if path.threads.is_empty() {
            return Ok(self.is_shown_at_rest(kind, &state, monitor)?.then(Vec::new));
        }
        let mut tried = 0;
        let mut levels = vec![self.ways(kind, path, 0, &state, monitor)?];
        let mut taken: Vec<Way> = Vec::new();
        while let Some(open) = levels.last_mut() {
            let Some(way) = open.pop() else {
                levels.pop();
                taken.pop();
                continue;
            };
            tried += 1;
            if tried > MOST_WAYS {
                return Ok(None);
            }
            let is_last = levels.len() == path.threads.len();
            if is_last {
                if way.is_violation
                    || (kind.is_at_rest() && self.is_shown_at_rest(kind, &way.state, way.monitor)?)
                {
                    taken.push(way);
                    return Ok(Some(taken.into_iter().map(|way| way.choice).collect()));
                }
            } else if !way.is_violation {
                levels.push(self.ways(kind, path, levels.len(), &way.state, way.monitor)?);
                taken.push(way);
            }
        }
        Ok(None)
    }

    /// The ways of one step of the path, the best last. Those that lead to the path's node come alone if there are any.
    fn ways(
        &mut self,
        kind: Kind,
        path: &Path,
        step: usize,
        state: &State,
        monitor: MonitorId,
    ) -> Result<Vec<Way>, SpecError> {
        let thread = path.threads[step];
        let target = path.nodes.get(step).map(|node| self.store.node(*node));
        let (machine, client) = (self.question.machine, self.question.client);
        let program = machine.program().clone();
        let (mut exact, mut others) = (Vec::new(), Vec::new());
        let (mut scratch, mut normal) = (Scratch::default(), State::default());
        let mut failure = None;
        Successors::default().of_thread(machine, client, state, thread, |transition| {
            let to = match transition.outcome {
                Outcome::Done => self.observe(monitor, transition.seen),
                _ => Ok(monitor),
            };
            let to = match to {
                Ok(to) => to,
                Err(error) => {
                    failure = Some(error);
                    return false;
                }
            };
            let is_violation = self.shows(kind, &transition.outcome, transition.next, (monitor, to));
            if !transition.outcome.is_done() && !is_violation {
                return true;
            }
            let choice = choice(&program, thread, transition.action, transition.picks);
            normal.clone_from(transition.next);
            machine.collect_keeping_names(transition.next);
            let way = Way { choice, state: transition.next.clone(), monitor: to, is_violation };
            let fits = match target {
                Some(target) if transition.outcome.is_done() => {
                    self.key(&mut scratch, &mut normal);
                    target.monitor == to && self.store.state(target.state) == scratch.bytes.as_slice()
                }
                _ => is_violation,
            };
            if fits {
                exact.push(way)
            } else {
                others.push(way)
            }
            true
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let mut ways = if exact.is_empty() { others } else { exact };
        ways.reverse();
        Ok(ways)
    }

    /// Whether a state in which nobody can move is the violation.
    fn is_shown_at_rest(&mut self, kind: Kind, state: &State, monitor: MonitorId) -> Result<bool, SpecError> {
        if !kind.is_at_rest() {
            return Ok(false);
        }
        let mut moves = Moves::default();
        let (machine, client) = (self.question.machine, self.question.client);
        Successors::default().each(machine, client, state, |transition| {
            moves.note(&transition.outcome);
            true
        });
        Ok(moves.nobody() && (monitor == REJECTED || self.is_deadlock(state, monitor)?))
    }

    /// The picks that lead to the path's first state, and that state.
    fn initial_states(&self, start: NodeId) -> Vec<(Vec<u32>, State)> {
        let mut found = Vec::new();
        let mut picks = Picks::new();
        let mut scratch = Scratch::default();
        loop {
            picks.restart();
            if let Ok(mut state) = self.question.machine.initial(&mut picks) {
                let mut normal = state.clone();
                self.key(&mut scratch, &mut normal);
                if self.store.state(self.store.node(start).state) == scratch.bytes.as_slice() {
                    self.question.machine.collect_keeping_names(&mut state);
                    found.push((picks.chosen().collect(), state));
                }
            }
            if !picks.advance() {
                return found;
            }
        }
    }
}

fn choice(program: &Program, thread: ThreadId, action: Action<'_>, picks: &Picks) -> Choice {
    let action = match action {
        Action::Call { op, args, .. } => TraceAction::Call(planned_call(program, op, args)),
        Action::Step => TraceAction::Step,
    };
    Choice { thread, action, picks: picks.chosen().collect() }
}

/// A call as a trace writes it: the operation by name.
pub fn planned_call(program: &Program, op: OpId, args: &[Word]) -> PlannedCall {
    PlannedCall { op: program.ops[op].name.to_string(), args: args.to_vec() }
}
