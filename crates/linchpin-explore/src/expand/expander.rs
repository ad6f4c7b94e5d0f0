//! The expander: gives every move of a node to a sink, and returns facts about the node.

use super::coverage::Coverage;
use super::move_summary::MoveSummary;
use super::preemption::PreemptionState;
use super::representatives::Representatives;
use super::successors::{Action, Successors, Transition};
use crate::monitor::{ClientEvent, MonitorCache, MonitorId, REJECTED, UNWATCHED};
use crate::problem::{SearchProblem, ViolationKind};
use crate::reduce::HeapSharing;
use crate::reduce::ReductionPlan;
use linchpin_ir::index::Index;
use linchpin_ir::program::{MemoryKind, OpId, Program};
use linchpin_ir::types::Word;
use linchpin_judge::trace::{Action as TraceAction, Choice, PlannedCall};
use linchpin_semantics::{CallChoice, Client, Cut, Outcome, Picks, SpecError, State, ThreadId};

/// Generates the moves of nodes. One expander belongs to one worker.
pub struct Expander<'s, 'p> {
    pub(super) problem: &'s SearchProblem<'p>,
    pub(super) plan: &'s ReductionPlan,
    options: ExpandOptions,
    pub(super) representatives: Representatives<'s, 'p>,
    counters: Counters,
    /// The facts about the node that is being expanded.
    facts: NodeFacts,
    /// The preemption state after the move that is being made.
    pub(super) after: PreemptionState,
    /// The move that is being made is a call or a preemption.
    pub(super) is_beginning: bool,
    summary: MoveSummary,
    choices: Vec<Choice>,
    /// Buffers in boxes, so that lending a buffer moves a pointer. `None` only while a buffer is lent.
    outer: Option<Box<Successors>>,
    inner: Option<Box<Successors>>,
    pub(super) local: Option<Box<Successors>>,
    pub(super) sharing: HeapSharing,
}

/// What an expander records, and which moves it keeps.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ExpandOptions {
    /// Moves have their choices. Then symmetric threads and fresh values are not left out.
    pub record_choices: bool,
    /// All symmetric threads move, not only the smallest.
    pub keep_twins: bool,
}

impl ExpandOptions {
    pub const RECORD: ExpandOptions = ExpandOptions { record_choices: true, keep_twins: false };
    pub const KEEP_TWINS: ExpandOptions = ExpandOptions { record_choices: false, keep_twins: true };
}

/// The node that an expander expands.
#[derive(Clone, Copy)]
pub struct Expansion<'a> {
    pub state: &'a State,
    pub monitor: MonitorId,
    /// A mask of the values that occur in the state.
    pub values: u64,
    /// The default without a bound on preemptions.
    pub preemption: PreemptionState,
}

/// One move, as a sink receives it.
pub struct Move<'a> {
    /// The state that the move reaches. The sink may change it.
    pub target: &'a mut State,
    pub monitor: MonitorId,
    pub summary: &'a MoveSummary,
    pub preemption: PreemptionState,
    /// The choices of the move; empty unless [`ExpandOptions::record_choices`].
    pub choices: &'a [Choice],
}

/// Receives the moves of a node.
pub trait MoveSink {
    /// Receives a move that reaches a state.
    fn on_successor(&mut self, representatives: &mut Representatives<'_, '_>, found: Move<'_>);

    /// Receives a violation, and the choices of the move up to it.
    fn on_violation(&mut self, kind: ViolationKind, choices: &[Choice]);
}

/// A sink that ignores all moves.
pub struct IgnoreMoves;

impl MoveSink for IgnoreMoves {
    fn on_successor(&mut self, _: &mut Representatives<'_, '_>, _: Move<'_>) {}

    fn on_violation(&mut self, _: ViolationKind, _: &[Choice]) {}
}

/// Facts about an expanded node.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NodeFacts {
    /// An execution may end here: no thread can move, except by a spurious wake-up, and not because of the
    /// node bound. Idle threads need not call if the client lets them rest.
    pub may_end: bool,
    /// A bit for each thread whose pending call waits, but not for a cell. A thread that only a spurious
    /// wake-up could move waits.
    pub blocked: u32,
    /// A bit for each thread whose step nests calls too deep.
    pub too_deep: u32,
    /// Some move exits the scope, ends in a fault or needs a cell. Spurious wake-ups do not count.
    pub exits_scope: bool,
    /// As `exits_scope`, for moves that begin no call.
    pub steps_exit_scope: bool,
}

/// What an expander counted.
#[derive(Clone, Debug)]
pub struct Counters {
    pub transitions: u64,
    /// The number of local steps that moves included.
    pub local_steps: u64,
    /// The number of states whose tied threads were tried in every order.
    pub ties_tried: u64,
    pub coverage: Coverage,
}

/// Whether a thread, or a set of threads, can move.
#[derive(Clone, Copy, Default, Debug)]
struct Enabledness {
    can_move: bool,
    waits_for_cell: bool,
}

impl Enabledness {
    fn note(&mut self, transition: &Transition<'_>) {
        match &transition.outcome {
            _ if transition.is_spurious => {}
            Outcome::Disabled(blocked) => self.waits_for_cell |= blocked.by_bound(),
            _ => self.can_move = true,
        }
    }

    fn add(&mut self, other: Enabledness) {
        self.can_move |= other.can_move;
        self.waits_for_cell |= other.waits_for_cell;
    }

    /// Checks whether no thread can move, except by a spurious wake-up, and not because of the node bound.
    fn is_blocked(self) -> bool {
        !self.can_move && !self.waits_for_cell
    }
}

impl<'s, 'p> Expander<'s, 'p> {
    pub fn new(
        problem: &'s SearchProblem<'p>,
        plan: &'s ReductionPlan,
        monitors: MonitorCache<'s, 'p>,
        options: ExpandOptions,
    ) -> Expander<'s, 'p> {
        let buffer = || Some(Box::new(Successors::recording(problem.machine)));
        Expander {
            problem,
            plan,
            options,
            representatives: Representatives::new(problem.machine, plan, monitors),
            counters: Counters {
                transitions: 0,
                local_steps: 0,
                ties_tried: 0,
                coverage: Coverage::new(problem.machine),
            },
            facts: NodeFacts::default(),
            after: PreemptionState::default(),
            is_beginning: false,
            summary: MoveSummary::default(),
            choices: Vec::new(),
            outer: buffer(),
            inner: buffer(),
            local: buffer(),
            sharing: HeapSharing::default(),
        }
    }

    /// Decodes a stored node into `state`.
    pub fn decode<'a>(&self, bytes: &[u8], monitor: MonitorId, state: &'a mut State) -> Expansion<'a> {
        let preemption = match self.plan.preemptions {
            Some(_) => PreemptionState::read(bytes),
            None => PreemptionState::default(),
        };
        let values = self.plan.canonicalizer.read(bytes, state).values;
        Expansion { state, monitor, values, preemption }
    }

    /// Gives every move of a node to the sink.
    pub fn expand(&mut self, node: Expansion<'_>, sink: &mut impl MoveSink) -> Result<NodeFacts, SpecError> {
        let SearchProblem { machine, client, .. } = *self.problem;
        let mut moved = Enabledness::default();
        let threads = machine.bounds().threads as usize;
        let is_idle = |thread: usize| machine.is_idle(node.state, ThreadId::new(thread));
        self.facts = NodeFacts::default();
        let busy =
            (0..threads).filter(|thread| !is_idle(*thread)).fold(0u32, |busy, thread| busy | 1 << thread);
        let is_busy = |thread: &usize| busy >> thread & 1 == 1;
        // The last thread comes first: whether others preempt it depends on whether it can continue.
        let bounded = self.plan.preemptions.is_some();
        let last = (0..threads).filter(is_busy).find(|thread| bounded && node.preemption.is_last(*thread));
        let others = (0..threads).filter(is_busy).filter(|thread| Some(*thread) != last);
        let mut last_can_continue = false;
        for thread in last.into_iter().chain(others) {
            if !self.has_smaller_symmetric_thread(node, thread)
                && self.may_run(node, thread, last_can_continue)
            {
                let mut one = Enabledness::default();
                self.act(node, ThreadId::new(thread), Action::Step, &mut one, None, sink)?;
                self.facts.blocked |= u32::from(one.is_blocked()) << thread;
                // With one cell more the thread could continue. So the node bound does not make leaving it
                // free.
                last_can_continue |= node.preemption.is_last(thread) && (one.can_move || one.waits_for_cell);
                moved.add(one);
            }
        }
        self.facts.steps_exit_scope = self.facts.exits_scope;
        let is_quiet = moved.is_blocked();
        let are_given = client.names_values(machine, node.state);
        for thread in (0..threads).filter(|thread| !is_busy(thread)) {
            if self.has_smaller_symmetric_thread(node, thread)
                || !self.may_run(node, thread, last_can_continue)
            {
                continue;
            }
            let thread = ThreadId::new(thread);
            for call in client.calls(machine, node.state, thread) {
                if !are_given && !self.uses_least_fresh_value(node, call) {
                    continue;
                }
                let action = Action::Call { op: call.op, args: &call.args, position: call.next_position };
                self.act(node, thread, action, &mut moved, Some(is_quiet), sink)?;
            }
        }
        self.facts.may_end = match client {
            Client::General(_) | Client::Schedule(_) => moved.is_blocked(),
            Client::Schedules(_) => is_quiet && client.may_rest(machine, node.state),
        };
        Ok(self.facts)
    }

    /// Checks a node with [`NodeFacts::may_end`]: some pending call must not wait for ever, or no order
    /// explains the results.
    pub fn is_illegal_end(&mut self, state: &State, monitor: MonitorId) -> Result<bool, SpecError> {
        let machine = self.problem.machine;
        let is_pending = |thread: ThreadId| !machine.is_idle(state, thread);
        match self.representatives.monitors().is_legal_end(monitor)? {
            Some(is_legal) => Ok(!is_legal),
            None => Ok(machine.bounds().thread_ids().any(is_pending)),
        }
    }

    /// Returns the buffers that compute representatives, and the worker's cache of the monitor.
    pub fn representatives(&mut self) -> &mut Representatives<'s, 'p> {
        &mut self.representatives
    }

    /// Returns the number of transitions so far.
    pub fn transitions(&self) -> u64 {
        self.counters.transitions
    }

    /// Returns the counters.
    pub fn finish(self) -> Counters {
        let mut counters = self.counters;
        for successors in [&self.outer, &self.inner, &self.local].into_iter().flatten() {
            let reached = successors.reached();
            counters.coverage.reached.iter_mut().zip(reached).for_each(|(any, one)| *any |= one);
        }
        counters.ties_tried = self.representatives.ties_tried();
        counters
    }

    /// Makes one action of one thread, with each outcome. `quiet` is `Some` for a call: no thread with a
    /// pending call can move.
    fn act(
        &mut self,
        node: Expansion<'_>,
        thread: ThreadId,
        action: Action<'_>,
        moved: &mut Enabledness,
        quiet: Option<bool>,
        sink: &mut impl MoveSink,
    ) -> Result<(), SpecError> {
        let machine = self.problem.machine;
        self.is_beginning = matches!(action, Action::Call { .. }) || self.after.used > node.preemption.used;
        let mut outer = self.outer.take().unwrap_or_default();
        let mut failure = None;
        outer.of_action(machine, node.state, thread, action, |transition| {
            self.choices.clear();
            self.summary = MoveSummary { is_spurious: transition.is_spurious, ..MoveSummary::default() };
            self.record(thread, transition.action, transition.picks);
            let is_delayed = quiet.is_some()
                && self.plan.delayed_calls
                && transition.outcome.is_done()
                && !transition.accessed
                && !machine.is_idle(transition.next, thread);
            let result = if is_delayed {
                self.delayed_call(node.monitor, transition, moved, quiet == Some(true), sink)
            } else {
                moved.note(&transition);
                self.transition(node.monitor, transition, sink)
            };
            failure = result.err();
            failure.is_none()
        });
        self.outer = Some(outer);
        failure.map_or(Ok(()), Err)
    }

    /// Continues a call that has made no access yet through its first step.
    fn delayed_call(
        &mut self,
        from: MonitorId,
        call: Transition<'_>,
        moved: &mut Enabledness,
        is_quiet: bool,
        sink: &mut impl MoveSink,
    ) -> Result<(), SpecError> {
        let Transition { thread, next: called, events, .. } = call;
        let monitor = match self.representatives.monitors().observe(from, events) {
            Ok(monitor) => monitor,
            Err(error) => return self.spec_error(error),
        };
        let mut inner = self.inner.take().unwrap_or_default();
        let mut failure = None;
        let mut is_blocked = false;
        let (choices, summary) = (self.choices.len(), self.summary);
        inner.of_action(self.problem.machine, called, thread, Action::Step, |transition| {
            self.choices.truncate(choices);
            self.summary = summary;
            if matches!(&transition.outcome, Outcome::Disabled(blocked) if !blocked.by_bound()) {
                is_blocked = true;
                return true;
            }
            moved.note(&transition);
            self.record(thread, transition.action, transition.picks);
            failure = self.transition(monitor, transition, sink).err();
            failure.is_none()
        });
        self.inner = Some(inner);
        if let Some(failure) = failure {
            return Err(failure);
        }
        if is_blocked && is_quiet {
            self.choices.truncate(choices);
            self.summary = summary;
            moved.can_move = true;
            return self.arrive(called, monitor, sink);
        }
        Ok(())
    }

    fn transition(
        &mut self,
        from: MonitorId,
        transition: Transition<'_>,
        sink: &mut impl MoveSink,
    ) -> Result<(), SpecError> {
        self.counters.transitions += 1;
        let Transition { thread, outcome, next, events, is_spurious, .. } = transition;
        let exits_scope = match &outcome {
            Outcome::Done => false,
            Outcome::Disabled(blocked) => blocked.by_bound(),
            Outcome::Fault(_) | Outcome::Cut(_) | Outcome::Discarded => true,
        };
        self.facts.exits_scope |= exits_scope && !is_spurious;
        let coverage = &mut self.counters.coverage;
        match outcome {
            Outcome::Done => {
                // A lost cell is a violation, but the execution continues.
                if self.leaks(next) {
                    sink.on_violation(ViolationKind::MemoryUnsafe, &self.choices);
                }
                match self.representatives.monitors().observe(from, events) {
                    Ok(monitor) => {
                        self.note_events(events);
                        if monitor == REJECTED && from != REJECTED {
                            sink.on_violation(ViolationKind::Inconsistent, &self.choices);
                        }
                        return self.arrive(next, monitor, sink);
                    }
                    Err(error) => return self.spec_error(error),
                }
            }
            Outcome::Fault(fault) => {
                *coverage.faults.entry(fault.property()).or_default() += 1;
                sink.on_violation(ViolationKind::of_fault(fault.property()), &self.choices);
            }
            Outcome::Disabled(blocked) => coverage.cut_by_nodes += u64::from(blocked.by_bound()),
            Outcome::Cut(cut) => {
                *coverage.cut.entry(cut).or_default() += 1;
                if cut == Cut::Depth {
                    self.facts.too_deep |= 1 << thread.index();
                    sink.on_violation(ViolationKind::TooDeep, &self.choices);
                }
            }
            Outcome::Discarded => coverage.discarded += 1,
        }
        Ok(())
    }

    fn spec_error(&mut self, error: SpecError) -> Result<(), SpecError> {
        match error {
            SpecError::Cut(cut) => {
                self.facts.exits_scope = true;
                *self.counters.coverage.cut.entry(cut).or_default() += 1;
                Ok(())
            }
            error => Err(error),
        }
    }

    fn arrive(
        &mut self,
        target: &mut State,
        monitor: MonitorId,
        sink: &mut impl MoveSink,
    ) -> Result<(), SpecError> {
        let monitor = match self.plan.movers {
            Some(_) => self.run_local_steps(target, monitor, sink)?,
            None => monitor,
        };
        let found =
            Move { target, monitor, summary: &self.summary, preemption: self.after, choices: &self.choices };
        sink.on_successor(&mut self.representatives, found);
        Ok(())
    }

    /// Adds a local step to the move: the state after it, and the monitor states before and after it.
    pub(super) fn note_local_step(
        &mut self,
        thread: ThreadId,
        state: &State,
        (from, to): (MonitorId, MonitorId),
        sink: &mut impl MoveSink,
    ) {
        self.record(thread, Action::Step, &Picks::new());
        self.counters.local_steps += 1;
        if self.leaks(state) {
            sink.on_violation(ViolationKind::MemoryUnsafe, &self.choices);
        }
        if to == REJECTED && from != REJECTED {
            sink.on_violation(ViolationKind::Inconsistent, &self.choices);
        }
    }

    fn leaks(&self, state: &State) -> bool {
        let machine = self.problem.machine;
        machine.program().memory != MemoryKind::Gc
            && self.problem.wanted.contains(&ViolationKind::MemoryUnsafe)
            && !machine.leaks(state).is_empty()
    }

    pub(super) fn note_events(&mut self, events: &[ClientEvent]) {
        for event in events {
            self.summary.note_event(event);
            if let ClientEvent::Return { op, .. } = event {
                self.counters.coverage.completed[op.index()] += 1;
            }
        }
    }

    /// Checks whether a thread may make the next move. If the last thread can continue, that move is a
    /// preemption.
    fn may_run(&mut self, node: Expansion<'_>, thread: usize, last_can_continue: bool) -> bool {
        let Some(most) = self.plan.preemptions else { return true };
        let preempts = last_can_continue && !node.preemption.is_last(thread);
        self.after = node.preemption.after(thread, preempts);
        !preempts || node.preemption.used < most
    }

    /// Checks whether some thread with a smaller number is equal up to its name.
    fn has_smaller_symmetric_thread(&mut self, node: Expansion<'_>, thread: usize) -> bool {
        let ReductionPlan { canonicalizer, classes, .. } = self.plan;
        // The number of context switches depends on which thread moves.
        if self.options.record_choices || self.options.keep_twins {
            return false;
        }
        let ran_last = |thread: usize| self.plan.preemptions.is_some() && node.preemption.is_last(thread);
        if ran_last(thread) {
            return false;
        }
        (0..thread).any(|smaller| {
            classes[smaller] == classes[thread]
                && !ran_last(smaller)
                && canonicalizer.are_twins(node.state, smaller, thread)
                && (node.monitor == UNWATCHED || {
                    let signature = self.representatives.monitors().signature(node.monitor);
                    signature.columns.get(smaller) == signature.columns.get(thread)
                })
        })
    }

    /// Checks whether the values of a call occur, or are the least values that do not.
    fn uses_least_fresh_value(&mut self, node: Expansion<'_>, call: &CallChoice) -> bool {
        let Some((fixed, number)) = self.plan.data else { return true };
        let Some(places) = &self.plan.data_arguments[call.op.index()] else { return true };
        if places.is_empty() || self.options.record_choices {
            return true;
        }
        let mut known = node.values | fixed | self.representatives.monitors().signature(node.monitor).values;
        places.iter().all(|&at| {
            let Some(value) = call.args.get(at).and_then(|word| u32::try_from(*word).ok()) else {
                return true;
            };
            let fresh = (1..=number).find(|value| known >> value & 1 == 0);
            let is_enough = value > number || known >> value & 1 == 1 || fresh == Some(value);
            known |= 1u64.checked_shl(value).unwrap_or(0);
            is_enough
        })
    }

    fn record(&mut self, thread: ThreadId, action: Action<'_>, picks: &Picks) {
        self.summary.note(thread, action);
        if self.options.record_choices {
            self.choices.push(choice(self.problem.machine.program(), thread, action, picks));
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

/// Returns a call as a trace stores it: the operation by name.
pub fn planned_call(program: &Program, op: OpId, args: &[Word]) -> PlannedCall {
    PlannedCall { op: program.ops[op].name.to_string(), args: args.to_vec() }
}
