//! From a path in the quotient to choices in the plain semantics.
//!
//! The store knows representatives; a trace is run with threads, cells and values keeping their names. So the path is walked
//! again in the plain semantics: of the moves that the leg's thread can make there, under its real name, one whose
//! representative is the path's next node. Where representatives are not unique no move may look the same; then every
//! move is tried, last choice first, until the end shows the violation.

use super::expand::{Origin, Visit, Worker};
use super::monitor::{MonitorId, REJECTED};
use super::preemptions::Running;
use super::search::{Search, ViolationKind};
use super::store::NodeId;
use super::witness::Path;
use crate::reduce::Renaming;
use linchpin_ir::index::Index;
use linchpin_judge::trace::Choice;
use linchpin_semantics::{Picks, SpecError, State};

/// The choices of an execution: those of the initial state, then step by step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    pub initial: Vec<u32>,
    pub steps: Vec<Choice>,
}

/// Where a walk in the plain semantics is.
#[derive(Clone)]
pub struct Here {
    pub state: State,
    pub monitor: MonitorId,
    /// How it is renamed to become the node's representative.
    pub renaming: Renaming,
    pub running: Running,
}

/// One way to make a move.
struct Way {
    steps: Vec<Choice>,
    here: Here,
    is_violation: bool,
    /// It leads to the path's next node.
    fits: bool,
}

/// Ways tried before giving up.
const MOST_WAYS: usize = 100_000;

impl Search<'_> {
    /// The choices of an execution along the path that shows the violation.
    pub fn concretise(&self, kind: ViolationKind, path: &Path) -> Result<Option<Choices>, SpecError> {
        let is_shown = |way: &Way| Ok(way.is_violation || self.is_shown_at_rest(kind, &way.here)?);
        Ok(self.walk_from_start(Some(kind), path, &is_shown)?.map(|(choices, _)| choices))
    }

    /// The choices of an execution along a path without violation, and where it ends.
    pub fn arrive(&self, path: &Path) -> Result<Option<(Choices, Here)>, SpecError> {
        self.walk_from_start(None, path, &|way| Ok(way.fits))
    }

    fn walk_from_start(
        &self,
        kind: Option<ViolationKind>,
        path: &Path,
        is_end: &dyn Fn(&Way) -> Result<bool, SpecError>,
    ) -> Result<Option<(Choices, Here)>, SpecError> {
        for (initial, here) in self.initial_states(path.start)? {
            if let Some((steps, here)) = self.walk(kind, path, here, is_end)? {
                return Ok(Some((Choices { initial, steps }, here)));
            }
        }
        Ok(None)
    }

    fn walk(
        &self,
        kind: Option<ViolationKind>,
        path: &Path,
        start: Here,
        is_end: &dyn Fn(&Way) -> Result<bool, SpecError>,
    ) -> Result<Option<(Vec<Choice>, Here)>, SpecError> {
        if path.moves.is_empty() {
            let nothing = Way { steps: Vec::new(), here: start, is_violation: false, fits: true };
            return Ok(is_end(&nothing)?.then_some((nothing.steps, nothing.here)));
        }
        let mut tried = 0;
        let mut levels = vec![self.ways(kind, path, 0, &start)?];
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
            if levels.len() == path.moves.len() {
                if is_end(&way)? {
                    let here = way.here.clone();
                    taken.push(way);
                    return Ok(Some((taken.into_iter().flat_map(|way| way.steps).collect(), here)));
                }
            } else if !way.is_violation {
                levels.push(self.ways(kind, path, levels.len(), &way.here)?);
                taken.push(way);
            }
        }
        Ok(None)
    }

    /// The ways to make one move of the path, the best last. Those that lead to the path's node come alone if there are any, and
    /// among them those whose last step is by the same thread.
    fn ways(
        &self,
        kind: Option<ViolationKind>,
        path: &Path,
        leg: usize,
        here: &Here,
    ) -> Result<Vec<Way>, SpecError> {
        let leg = path.moves[leg];
        let mut worker = self.worker();
        worker.is_recording = true;
        let mut bytes = Vec::new();
        let target = leg.to.map(|(node, last)| (self.store.copy(node, &mut bytes), last));
        let mut gathering = Gathering {
            kind,
            here,
            first: leg.first,
            target,
            bytes,
            ways: [Vec::new(), Vec::new(), Vec::new()],
        };
        worker.running = here.running;
        worker
            .expand(Origin { state: &here.state, monitor: here.monitor, values: u64::MAX }, &mut gathering)?;
        let [exact, close, others] = gathering.ways;
        let mut ways = [exact, close, others].into_iter().find(|ways| !ways.is_empty()).unwrap_or_default();
        ways.reverse();
        Ok(ways)
    }

    /// Whether a state in which nobody can move is the violation.
    fn is_shown_at_rest(&self, kind: ViolationKind, here: &Here) -> Result<bool, SpecError> {
        if !kind.is_at_rest() {
            return Ok(false);
        }
        let mut worker = self.worker();
        worker.is_recording = true;
        let origin = Origin { state: &here.state, monitor: here.monitor, values: u64::MAX };
        worker.running = here.running;
        let nobody = worker.expand(origin, &mut Deaf)?;
        Ok(nobody && (here.monitor == REJECTED || worker.is_illegal_end(&here.state, here.monitor)?))
    }

    /// The picks that lead to the path's first node, and the state that they lead to.
    fn initial_states(&self, start: NodeId) -> Result<Vec<(Vec<u32>, Here)>, SpecError> {
        let mut found = Vec::new();
        let mut picks = Picks::new();
        let mut worker = self.worker();
        let monitor = self.initial_monitor()?;
        let mut bytes = Vec::new();
        let start = self.store.copy(start, &mut bytes);
        loop {
            picks.restart();
            if let Ok(mut state) = self.question.machine.initial(&mut picks) {
                let (canonical, renaming) = worker.canonical(&mut state.clone(), monitor);
                if canonical == start && worker.bytes == bytes {
                    self.question.machine.collect_keeping_names(&mut state);
                    found.push((
                        picks.chosen().collect(),
                        Here { state, monitor, renaming, running: Running::default() },
                    ));
                }
            }
            if !picks.advance() {
                return Ok(found);
            }
        }
    }
}

struct Gathering<'a> {
    kind: Option<ViolationKind>,
    here: &'a Here,
    /// Who makes the first step, by the representative's name.
    first: usize,
    /// The monitor state to arrive at, and who steps last; its state is `bytes`.
    target: Option<(MonitorId, usize)>,
    bytes: Vec<u8>,
    /// Those that fit, those that fit but for who steps last, the others.
    ways: [Vec<Way>; 3],
}

impl Gathering<'_> {
    fn is_first(&self, worker: &Worker<'_, '_>) -> bool {
        let first = worker.trail().first().map(|choice| self.here.renaming.thread(choice.thread.index()));
        first == Some(self.first)
    }
}

impl<'s, 'p> Visit<'s, 'p> for Gathering<'_> {
    fn arrive(&mut self, worker: &mut Worker<'s, 'p>, next: &mut State, monitor: MonitorId) {
        if self.target.is_none() || !self.is_first(worker) {
            return;
        }
        let steps = worker.trail().to_vec();
        let mut state = next.clone();
        worker.question.machine.collect_keeping_names(&mut state);
        let (canonical, mut renaming) = worker.canonical(next, monitor);
        let mut rank = 2;
        if let (Some((target, by)), Some(last)) = (self.target, steps.last())
            && target == canonical
            && worker.bytes == self.bytes
        {
            rank = usize::from(renaming.thread(last.thread.index()) != by);
            // The representative may have symmetries of its own: the path's names of the threads are as good as these.
            if rank == 1
                && let Some(other) =
                    worker.exchanged(next, monitor, renaming, (last.thread.index(), by), &self.bytes, target)
            {
                (rank, renaming) = (0, other);
            }
        }
        let here = Here { state, monitor, renaming, running: worker.ran };
        self.ways[rank].push(Way { steps, here, is_violation: false, fits: rank < 2 });
    }

    fn violate(&mut self, worker: &mut Worker<'s, 'p>, kind: ViolationKind) {
        if self.target.is_none() && Some(kind) == self.kind && self.is_first(worker) {
            let here = self.here.clone();
            let way = Way { steps: worker.trail().to_vec(), here, is_violation: true, fits: false };
            self.ways[0].push(way);
        }
    }
}

/// Hears nothing.
struct Deaf;

impl<'s, 'p> Visit<'s, 'p> for Deaf {
    fn arrive(&mut self, _: &mut Worker<'s, 'p>, _: &mut State, _: MonitorId) {}

    fn violate(&mut self, _: &mut Worker<'s, 'p>, _: ViolationKind) {}
}
