//! One worker of a search: what can happen next, as few times as possible.
//!
//! Without partial order reduction a *move* is one step of one thread. With it, a move is a call or step and everything that
//! may as well happen at once (Lipton 1975; PAT 4.3, A.1):
//!
//! - **Late calls.** A call whose first step can block is made together with that step. A call is invisible but for its place
//!   in the history, and moved later it only loses freedom: more operations end before it. Where the step is disabled, the
//!   call is made alone only if nobody else can move: an execution that gets stuck can make all such calls at its end.
//! - **Local steps at once.** After each move, every thread makes the steps that are local in the state reached
//!   ([`crate::reduce::Movers`] has the rules and why they last), one after the other, until none is left. They
//!   commute with everything that others can do, so it does not matter when they are made, nor in which order.
//!
//! *Soundness.* Every state that is kept is expanded for every thread; nothing is ever left out at a state, only run ahead of. Let σ be an
//! execution from a kept state that shows a violation, a its first move and e₁ … eₖ the local steps that follow a in
//! the reduced graph. Each eᵢ is the next step of its thread after a; if it occurs in σ it commutes to the front, and
//! if it does not, adding it changes nothing that others do. So some execution from the state after a, e₁ … eₖ shows the
//! same violation, and it is shorter than σ by at least a. There is no cycle to be caught in: the steps run ahead are
//! bounded in number, and where the bound is met the state is kept and expanded like any other. Annotated points are
//! visible when points are judged; a step with one is not run ahead. A return is, since it only makes the history
//! stricter. A stuck execution ends where nobody can move, hence with all local steps made.
//!
//! **Twins.** With symmetry, of two threads that are alike in state and monitor only one moves.
//!
//! **Fresh values.** With symmetry of values a call's arguments are values that occur, or the first one that does not: all others
//! that do not occur lead to the same states up to names.

use super::coverage::Coverage;
use super::deeds::MoveSummary;
use super::monitor::{MonitorId, REJECTED, UNWATCHED, next_permutation};
use super::preemptions::Running;
use super::reduction::Reduction;
use super::search::{SearchProblem, ViolationKind, kind_of};
use super::successors::{Action, ClientEvent, Successors, Transition};
use super::watcher::MonitorCache;
use crate::reduce::{HeapSharing, Renaming, Scratch};
use linchpin_ir::index::{Index, byte_of};
use linchpin_ir::program::{MemoryKind, Program};
use linchpin_judge::trace::{Action as TraceAction, Choice, PlannedCall};
use linchpin_semantics::{CallChoice, Client, Cut, Outcome, Picks, SpecError, State, ThreadId};
use smallvec::SmallVec;

pub struct Worker<'s, 'p> {
    pub question: &'s SearchProblem<'p>,
    pub reduction: &'s Reduction,
    pub watcher: MonitorCache<'s, 'p>,
    pub coverage: Coverage,
    pub transitions: u64,
    /// Steps that were run ahead, and states whose ties had to be tried.
    pub run_ahead: u64,
    pub ties_tried: u64,
    /// The canonical form that was made last.
    pub bytes: Vec<u8>,
    /// Moves are told with their choices.
    pub is_recording: bool,
    /// Threads that are alike all move: whoever asks who moved wants to hear of each.
    pub tells_twins_apart: bool,
    /// Who did what in the move that is told.
    pub deeds: MoveSummary,
    /// Of the state that was expanded last: a bit for each thread whose pending call waits, not for a cell. One that could
    /// only wake up spuriously waits.
    pub waiting: u32,
    /// Of the state that was expanded last: a bit for each thread whose step nests calls too deep.
    pub too_deep: u32,
    /// Of the state that was expanded last: some move leads out of the scope, ends in an error or needs a cell. Spurious
    /// wake-ups do not count.
    pub leaves: bool,
    /// The same of moves that begin no call.
    pub steps_leave: bool,
    /// Before the move that is being made, and after it; where preemptions are bounded.
    pub running: Running,
    pub ran: Running,
    /// The move that is being made is a call or a preemption.
    is_beginning: bool,
    /// In boxes, so that lending them out moves a pointer; always there but for then.
    outer: Option<Box<Successors>>,
    inner: Option<Box<Successors>>,
    local: Option<Box<Successors>>,
    scratch: Scratch,
    sharing: HeapSharing,
    trial: Vec<u8>,
    trail: Vec<Choice>,
}

/// Hears of every move from a state.
pub trait Visit<'s, 'p> {
    /// A move leads here. `trail` is what was done, if the worker records it.
    fn arrive(&mut self, worker: &mut Worker<'s, 'p>, next: &mut State, monitor: MonitorId);

    /// A move violates something.
    fn violate(&mut self, worker: &mut Worker<'s, 'p>, kind: ViolationKind);
}

/// Where a move starts.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    pub state: &'a State,
    pub monitor: MonitorId,
    /// The values that occur in the state.
    pub values: u64,
}

/// Who could move.
#[derive(Clone, Copy, Default, Debug)]
struct Enabledness {
    somebody: bool,
    waits_for_cell: bool,
}

impl Enabledness {
    fn note(&mut self, transition: &Transition<'_>) {
        match &transition.outcome {
            _ if transition.is_spurious => {}
            Outcome::Disabled(blocked) => self.waits_for_cell |= blocked.by_bound(),
            _ => self.somebody = true,
        }
    }

    fn add(&mut self, other: Enabledness) {
        self.somebody |= other.somebody;
        self.waits_for_cell |= other.waits_for_cell;
    }

    /// Nobody can move, or only by a spurious wake-up, and not because of the node bound.
    fn nobody(self) -> bool {
        !self.somebody && !self.waits_for_cell
    }
}

/// Steps run ahead of one move before its state is kept as it is.
const MOST_RUN_AHEAD: usize = 64;
/// Orders of tied threads that are tried; beyond, an orbit may be kept several times.
const MOST_ORDERS: usize = 5040;

impl<'s, 'p> Worker<'s, 'p> {
    pub fn new(
        question: &'s SearchProblem<'p>,
        reduction: &'s Reduction,
        watcher: MonitorCache<'s, 'p>,
    ) -> Worker<'s, 'p> {
        let noting = || Some(Box::new(Successors::noting(question.machine)));
        Worker {
            question,
            reduction,
            watcher,
            coverage: Coverage::new(question.machine),
            transitions: 0,
            run_ahead: 0,
            ties_tried: 0,
            bytes: Vec::new(),
            is_recording: false,
            tells_twins_apart: false,
            deeds: MoveSummary::default(),
            waiting: 0,
            too_deep: 0,
            leaves: false,
            steps_leave: false,
            running: Running::default(),
            ran: Running::default(),
            is_beginning: false,
            outer: noting(),
            inner: noting(),
            local: noting(),
            scratch: Scratch::default(),
            sharing: HeapSharing::default(),
            trial: Vec::new(),
            trail: Vec::new(),
        }
    }

    /// Reads a state, and who ran last in it; the values that occur in it.
    pub fn read(&mut self, bytes: &[u8], state: &mut State) -> u64 {
        if self.reduction.preemptions.is_some() {
            self.running = Running::read(bytes);
        }
        self.reduction.canonicalizer.read(bytes, state).values
    }

    /// What was done since the state that is being expanded.
    pub fn trail(&self) -> &[Choice] {
        &self.trail
    }

    /// Tells every move. The answer: an execution may end here. Nobody can move, or only by a spurious wake-up, and not because of
    /// the node bound; idle threads that could call need not if the client lets them rest.
    pub fn expand(&mut self, origin: Origin<'_>, visit: &mut impl Visit<'s, 'p>) -> Result<bool, SpecError> {
        let SearchProblem { machine, client, .. } = *self.question;
        let mut moved = Enabledness::default();
        let threads = machine.bounds().threads as usize;
        let is_idle = |thread: usize| machine.is_idle(origin.state, ThreadId::new(thread));
        (self.waiting, self.too_deep, self.leaves) = (0, 0, false);
        let busy =
            (0..threads).filter(|thread| !is_idle(*thread)).fold(0u32, |busy, thread| busy | 1 << thread);
        let is_busy = |thread: &usize| busy >> thread & 1 == 1;
        // Whoever ran last comes first: whether others preempt it depends on whether it can go on.
        let bounded = self.reduction.preemptions.is_some();
        let last = (0..threads).filter(is_busy).find(|thread| bounded && self.running.is_last(*thread));
        let others = (0..threads).filter(is_busy).filter(|thread| Some(*thread) != last);
        let mut can_go_on = false;
        for thread in last.into_iter().chain(others) {
            if !self.has_earlier_twin(origin, thread) && self.may_run(thread, can_go_on) {
                let mut one = Enabledness::default();
                self.act(origin, ThreadId::new(thread), Action::Step, &mut one, None, visit)?;
                self.waiting |= u32::from(one.nobody()) << thread;
                // With one cell more it could: that the bound stops it does not make leaving it free.
                can_go_on |= self.running.is_last(thread) && (one.somebody || one.waits_for_cell);
                moved.add(one);
            }
        }
        self.steps_leave = self.leaves;
        let is_quiet = moved.nobody();
        let are_given = client.names_values(machine, origin.state);
        for thread in (0..threads).filter(|thread| !is_busy(thread)) {
            if self.has_earlier_twin(origin, thread) || !self.may_run(thread, can_go_on) {
                continue;
            }
            let thread = ThreadId::new(thread);
            for call in client.calls(machine, origin.state, thread) {
                if !are_given && !self.is_fresh_enough(origin, call) {
                    continue;
                }
                let action = Action::Call { op: call.op, args: &call.args, position: call.next_position };
                self.act(origin, thread, action, &mut moved, Some(is_quiet), visit)?;
            }
        }
        Ok(match client {
            Client::General(_) | Client::Schedule(_) => moved.nobody(),
            Client::Schedules(_) => is_quiet && client.may_rest(machine, origin.state),
        })
    }

    /// Replaces a state, and what the monitor knows, by the representative of their orbit: its bytes are [`Worker::bytes`].
    pub fn canonical(&mut self, state: &mut State, monitor: MonitorId) -> (MonitorId, Renaming) {
        let (monitor, renaming) = self.representative(state, monitor);
        if self.reduction.preemptions.is_some() {
            let ran = self.ran.at_rest(self.question.machine, state);
            ran.append(renaming, &mut self.bytes);
        }
        (monitor, renaming)
    }

    fn representative(&mut self, state: &mut State, monitor: MonitorId) -> (MonitorId, Renaming) {
        let Reduction { canonicalizer, .. } = self.reduction;
        canonicalizer.prepare(state);
        canonicalizer.arrange(&mut self.scratch, state);
        if self.scratch.ties().is_empty() {
            let order: SmallVec<[u8; 16]> = self.scratch.order().into();
            let renaming = canonicalizer.write_arranged(&mut self.scratch, state, &order, &mut self.bytes);
            if self.reduction.renames_nothing() {
                return (monitor, renaming);
            }
            return (self.watcher.renamed(monitor, renaming), renaming);
        }
        let look = self.watcher.look(monitor);
        let last = self.reduction.preemptions.and(self.ran.at_rest(self.question.machine, state).last);
        let mut with_last: SmallVec<[u64; 8]> = SmallVec::new();
        let mut colours = &look.colours;
        if let Some(last) = last.map(usize::from) {
            with_last.extend_from_slice(colours);
            with_last.resize(self.question.machine.bounds().threads as usize, 0);
            with_last[last] = !with_last[last];
            colours = &with_last;
        }
        let name_of_last = |renaming: Renaming| last.map(|last| renaming.thread(usize::from(last)));
        canonicalizer.colour(&mut self.scratch, colours);
        let mut order: SmallVec<[u8; 16]> = self.scratch.order().into();
        // Tied threads that hold something in common, or that the monitor tells apart: which comes first may matter.
        let column = |thread: u8| look.columns.get(thread as usize);
        let matters = |places: &[u8]| {
            places.iter().any(|p| column(order[*p as usize]) != column(order[places[0] as usize]))
        };
        let mut open: SmallVec<[(SmallVec<[u8; 8]>, SmallVec<[u8; 8]>); 4]> = SmallVec::new();
        for tie in self.scratch.ties() {
            let places = canonicalizer.places(*tie);
            if tie.linked || matters(places) {
                let mut members: SmallVec<[u8; 8]> = places.iter().map(|p| order[*p as usize]).collect();
                members.sort_unstable();
                open.push((places.into(), members));
            }
        }
        let orders: usize = open.iter().map(|(places, _)| (1..=places.len()).product::<usize>()).product();
        if open.is_empty() || orders > MOST_ORDERS {
            let renaming = canonicalizer.write_arranged(&mut self.scratch, state, &order, &mut self.bytes);
            return (self.watcher.renamed(monitor, renaming), renaming);
        }
        self.ties_tried += 1;
        let mut best = None;
        loop {
            for (places, members) in &open {
                places.iter().zip(members).for_each(|(place, member)| order[*place as usize] = *member);
            }
            let renaming = canonicalizer.write_arranged(&mut self.scratch, state, &order, &mut self.trial);
            if best.is_none() || self.trial <= self.bytes {
                let renamed = self.watcher.renamed(monitor, renaming);
                let rank = (self.watcher.digest(renamed), name_of_last(renaming));
                if best.is_none_or(|(_, _, least)| self.trial < self.bytes || rank < least) {
                    std::mem::swap(&mut self.bytes, &mut self.trial);
                    best = Some((renamed, renaming, rank));
                }
            }
            let advanced = open.iter_mut().any(|(_, members)| {
                let more = next_permutation(members);
                if !more {
                    members.sort_unstable();
                }
                more
            });
            if let Some((renamed, renaming, _)) = best.filter(|_| !advanced) {
                return (renamed, renaming);
            }
        }
    }

    /// The renaming in which a thread has another name and whoever had that has its, if it leads to the same representative.
    pub fn exchanged(
        &mut self,
        state: &State,
        monitor: MonitorId,
        renaming: Renaming,
        (thread, name): (usize, usize),
        bytes: &[u8],
        canonical: MonitorId,
    ) -> Option<Renaming> {
        let threads = self.question.machine.bounds().threads as usize;
        let mut order: SmallVec<[u8; 16]> = SmallVec::from_elem(0, threads);
        (0..threads).for_each(|old| order[renaming.thread(old)] = byte_of(old));
        order.swap(renaming.thread(thread), name);
        let other = self.reduction.canonicalizer.write(&mut self.scratch, state, &order, &mut self.trial);
        if self.reduction.preemptions.is_some() {
            let ran = self.ran.at_rest(self.question.machine, state);
            ran.append(other, &mut self.trial);
        }
        (self.trial == bytes && self.watcher.renamed(monitor, other) == canonical).then_some(other)
    }

    /// Whether, given that an execution may end here, it may not: some pending call must not wait for ever, or no order explains
    /// the results.
    pub fn is_illegal_end(&mut self, state: &State, monitor: MonitorId) -> Result<bool, SpecError> {
        let machine = self.question.machine;
        let is_pending = |thread: ThreadId| !machine.is_idle(state, thread);
        match self.watcher.is_legal_end(monitor)? {
            Some(is_legal) => Ok(!is_legal),
            None => Ok(machine.bounds().thread_ids().any(is_pending)),
        }
    }

    /// The instructions that ran, into the coverage.
    pub fn finish(&mut self) {
        for successors in [&self.outer, &self.inner, &self.local].into_iter().flatten() {
            let reached = successors.reached();
            self.coverage.reached.iter_mut().zip(reached).for_each(|(any, one)| *any |= one);
        }
    }

    /// One action of one thread, each way it can go. `quiet`, for a call: whether nobody with a pending call can move.
    fn act(
        &mut self,
        origin: Origin<'_>,
        thread: ThreadId,
        action: Action<'_>,
        moved: &mut Enabledness,
        quiet: Option<bool>,
        visit: &mut impl Visit<'s, 'p>,
    ) -> Result<(), SpecError> {
        let machine = self.question.machine;
        self.is_beginning = matches!(action, Action::Call { .. }) || self.ran.used > self.running.used;
        let mut outer = self.outer.take().unwrap_or_default();
        let mut failure = None;
        outer.of_action(machine, origin.state, thread, action, |transition| {
            self.trail.clear();
            self.deeds = MoveSummary { is_spurious: transition.is_spurious, ..MoveSummary::default() };
            self.record(thread, transition.action, transition.picks);
            let is_late = quiet.is_some()
                && self.reduction.late_calls
                && transition.outcome.is_done()
                && !transition.accessed
                && !machine.is_idle(transition.next, thread);
            let result = if is_late {
                self.late_call(origin.monitor, transition, moved, quiet == Some(true), visit)
            } else {
                moved.note(&transition);
                self.transition(origin.monitor, transition, visit)
            };
            failure = result.err();
            failure.is_none()
        });
        self.outer = Some(outer);
        failure.map_or(Ok(()), Err)
    }

    /// A call that has made no access yet goes on through its first step.
    fn late_call(
        &mut self,
        from: MonitorId,
        call: Transition<'_>,
        moved: &mut Enabledness,
        is_quiet: bool,
        visit: &mut impl Visit<'s, 'p>,
    ) -> Result<(), SpecError> {
        let Transition { thread, next: called, seen, .. } = call;
        let monitor = match self.watcher.observe(from, seen) {
            Ok(monitor) => monitor,
            Err(error) => return self.spec_error(error),
        };
        let mut inner = self.inner.take().unwrap_or_default();
        let mut failure = None;
        let mut is_blocked = false;
        let (trail, deeds) = (self.trail.len(), self.deeds);
        inner.of_action(self.question.machine, called, thread, Action::Step, |transition| {
            self.trail.truncate(trail);
            self.deeds = deeds;
            if matches!(&transition.outcome, Outcome::Disabled(blocked) if !blocked.by_bound()) {
                is_blocked = true;
                return true;
            }
            moved.note(&transition);
            self.record(thread, transition.action, transition.picks);
            failure = self.transition(monitor, transition, visit).err();
            failure.is_none()
        });
        self.inner = Some(inner);
        if let Some(failure) = failure {
            return Err(failure);
        }
        if is_blocked && is_quiet {
            self.trail.truncate(trail);
            self.deeds = deeds;
            moved.somebody = true;
            return self.arrive(called, monitor, visit);
        }
        Ok(())
    }

    fn transition(
        &mut self,
        from: MonitorId,
        transition: Transition<'_>,
        visit: &mut impl Visit<'s, 'p>,
    ) -> Result<(), SpecError> {
        self.transitions += 1;
        let Transition { thread, outcome, next, seen, is_spurious, .. } = transition;
        let leaves = match &outcome {
            Outcome::Done => false,
            Outcome::Disabled(blocked) => blocked.by_bound(),
            Outcome::Fault(_) | Outcome::Cut(_) | Outcome::Discarded => true,
        };
        self.leaves |= leaves && !is_spurious;
        match outcome {
            Outcome::Done => {
                // A lost cell is an error, but the execution goes on.
                if self.leaks(next) {
                    visit.violate(self, ViolationKind::MemoryUnsafe);
                }
                match self.watcher.observe(from, seen) {
                    Ok(monitor) => {
                        self.note_seen(seen);
                        if monitor == REJECTED && from != REJECTED {
                            visit.violate(self, ViolationKind::Inconsistent);
                        }
                        return self.arrive(next, monitor, visit);
                    }
                    Err(error) => return self.spec_error(error),
                }
            }
            Outcome::Fault(fault) => {
                *self.coverage.faults.entry(fault.property()).or_default() += 1;
                visit.violate(self, kind_of(fault.property()));
            }
            Outcome::Disabled(blocked) => self.coverage.cut_by_nodes += u64::from(blocked.by_bound()),
            Outcome::Cut(cut) => {
                *self.coverage.cut.entry(cut).or_default() += 1;
                if cut == Cut::Depth {
                    self.too_deep |= 1 << thread.index();
                    visit.violate(self, ViolationKind::TooDeep);
                }
            }
            Outcome::Discarded => self.coverage.discarded += 1,
        }
        Ok(())
    }

    fn spec_error(&mut self, error: SpecError) -> Result<(), SpecError> {
        match error {
            SpecError::Cut(cut) => {
                self.leaves = true;
                *self.coverage.cut.entry(cut).or_default() += 1;
                Ok(())
            }
            error => Err(error),
        }
    }

    fn arrive(
        &mut self,
        next: &mut State,
        monitor: MonitorId,
        visit: &mut impl Visit<'s, 'p>,
    ) -> Result<(), SpecError> {
        if self.reduction.movers.is_none() {
            visit.arrive(self, next, monitor);
            return Ok(());
        }
        let monitor = self.run_ahead(next, monitor, visit)?;
        visit.arrive(self, next, monitor);
        Ok(())
    }

    /// Makes local steps until there are none; the monitor's state then.
    fn run_ahead(
        &mut self,
        state: &mut State,
        monitor: MonitorId,
        visit: &mut impl Visit<'s, 'p>,
    ) -> Result<MonitorId, SpecError> {
        let machine = self.question.machine;
        let Some(movers) = &self.reduction.movers else { return Ok(monitor) };
        let threads = match (self.reduction.preemptions, self.ran.last) {
            (Some(_), Some(last)) => usize::from(last)..usize::from(last) + 1,
            _ => 0..machine.bounds().threads as usize,
        };
        let is_alone =
            self.is_beginning && self.reduction.preemptions.is_some_and(|most| self.ran.used >= most);
        let watches_points = self.watcher.watches_points() && !is_alone;
        let mut monitor = monitor;
        let mut fuel = MOST_RUN_AHEAD;
        let is_running = |state: &State, thread| is_alone && !machine.is_idle(state, thread);
        // Threads whose next step looks local but is better made as a move of its own.
        let mut skipped = 0u32;
        'steps: while fuel > 0 {
            let is_candidate = |thread: usize| {
                let id = ThreadId::new(thread);
                skipped >> thread & 1 == 0
                    && (is_running(state, id) || movers.may_be_local(machine, state, id))
            };
            if !threads.clone().any(is_candidate) {
                break;
            }
            self.sharing.forget();
            for thread in threads.clone().map(ThreadId::new) {
                if skipped >> thread.index() & 1 == 1
                    || !(is_running(state, thread)
                        || movers.is_local(machine, state, thread, &mut self.sharing))
                {
                    continue;
                }
                let mut local = self.local.take().unwrap_or_default();
                let is_silent =
                    |seen: &ClientEvent| !(watches_points && matches!(seen, ClientEvent::Lin { .. }));
                let next = match local.only_way(machine, state, thread, is_silent) {
                    None => None,
                    // Leaving the bounds is for a move of its own: others must not miss what came before.
                    Some(seen) => match self.watcher.observe(monitor, seen) {
                        Err(SpecError::Cut(_)) => None,
                        Err(error) => return Err(error),
                        Ok(next) => {
                            self.note_seen(seen);
                            Some(next)
                        }
                    },
                };
                if next.is_none() {
                    local.undo(state);
                }
                self.local = Some(local);
                let Some(next) = next else {
                    skipped |= 1 << thread.index();
                    continue;
                };
                self.record(thread, Action::Step, &Picks::new());
                self.run_ahead += 1;
                fuel -= 1;
                if self.leaks(state) {
                    visit.violate(self, ViolationKind::MemoryUnsafe);
                }
                if next == REJECTED && monitor != REJECTED {
                    visit.violate(self, ViolationKind::Inconsistent);
                }
                monitor = next;
                continue 'steps;
            }
            break;
        }
        Ok(monitor)
    }

    fn leaks(&self, state: &State) -> bool {
        let machine = self.question.machine;
        machine.program().memory != MemoryKind::Gc
            && self.question.wanted.contains(&ViolationKind::MemoryUnsafe)
            && !machine.leaks(state).is_empty()
    }

    fn note_seen(&mut self, seen: &[ClientEvent]) {
        for event in seen {
            self.deeds.note_seen(event);
            if let ClientEvent::Return { op, .. } = event {
                self.coverage.completed[op.index()] += 1;
            }
        }
    }

    /// Whether a thread may make the next move, given whether the one that ran last could: then this is a preemption.
    fn may_run(&mut self, thread: usize, can_go_on: bool) -> bool {
        let Some(most) = self.reduction.preemptions else { return true };
        let preempts = can_go_on && !self.running.is_last(thread);
        self.ran = self.running.after(thread, preempts);
        !preempts || self.running.used < most
    }

    /// Whether some thread before this one is alike in everything.
    fn has_earlier_twin(&mut self, origin: Origin<'_>, thread: usize) -> bool {
        let Reduction { canonicalizer, classes, .. } = self.reduction;
        // Searches for the fewest context switches care who moves.
        if self.is_recording || self.tells_twins_apart {
            return false;
        }
        let ran_last = |thread: usize| self.reduction.preemptions.is_some() && self.running.is_last(thread);
        if ran_last(thread) {
            return false;
        }
        (0..thread).any(|earlier| {
            classes[earlier] == classes[thread]
                && !ran_last(earlier)
                && canonicalizer.are_twins(origin.state, earlier, thread)
                && (origin.monitor == UNWATCHED || {
                    let look = self.watcher.look(origin.monitor);
                    look.columns.get(earlier) == look.columns.get(thread)
                })
        })
    }

    /// Whether a call's values are ones that occur, or the first that do not.
    fn is_fresh_enough(&mut self, origin: Origin<'_>, call: &CallChoice) -> bool {
        let Some((fixed, number)) = self.reduction.data else { return true };
        let Some(places) = &self.reduction.data_arguments[call.op.index()] else { return true };
        if places.is_empty() || self.is_recording {
            return true;
        }
        let mut known = origin.values | fixed | self.watcher.look(origin.monitor).values;
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
        self.deeds.note(thread, action);
        if self.is_recording {
            self.trail.push(choice(self.question.machine.program(), thread, action, picks));
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
pub fn planned_call(
    program: &Program,
    op: linchpin_ir::program::OpId,
    args: &[linchpin_ir::types::Word],
) -> PlannedCall {
    PlannedCall { op: program.ops[op].name.to_string(), args: args.to_vec() }
}
