//! From a path in the quotient to choices in the plain semantics.
//!
//! The visited set has representatives. A trace keeps the names of threads, cells and values. So the path is
//! followed again in the plain semantics. Each move is a move of the path's thread, under its real name,
//! whose representative is the path's next node. Where representatives are not unique, no move may match.
//! Then every move is tried, last choice first, until the end shows the violation.

use super::witness::Path;
use crate::expand::{
    ExpandOptions, Expansion, IgnoreMoves, Move, MoveSink, PreemptionState, Representatives,
};
use crate::monitor::{MonitorId, REJECTED};
use crate::problem::ViolationKind;
use crate::reduce::Renaming;
use crate::search::Search;
use crate::store::NodeId;
use linchpin_ir::index::Index;
use linchpin_judge::trace::Choice;
use linchpin_semantics::{Picks, SpecError, State};

/// The choices of an execution: those of the initial state, then step by step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    pub initial: Vec<u32>,
    pub steps: Vec<Choice>,
}

/// The position of an execution in the plain semantics.
#[derive(Clone)]
pub struct ConcretePosition {
    pub state: State,
    pub monitor: MonitorId,
    /// The renaming to the representative of the node.
    pub renaming: Renaming,
    pub preemption: PreemptionState,
}

impl ConcretePosition {
    /// Returns the position as a node to expand. All values count as occurring, so that no call is left out.
    fn expansion(&self) -> Expansion<'_> {
        let ConcretePosition { state, monitor, preemption, .. } = self;
        Expansion { state, monitor: *monitor, values: u64::MAX, preemption: *preemption }
    }
}

/// One move in the plain semantics.
struct ConcreteMove {
    steps: Vec<Choice>,
    end: ConcretePosition,
    is_violation: bool,
    /// The move leads to the path's next node.
    fits: bool,
}

/// The limit on moves that are tried.
const MOST_MOVES: usize = 100_000;

impl Search<'_> {
    /// Returns the choices of an execution along the path that shows the violation.
    pub fn concretise(&self, kind: ViolationKind, path: &Path) -> Result<Option<Choices>, SpecError> {
        let is_shown = |last: &ConcreteMove| Ok(last.is_violation || self.is_shown_at_rest(kind, &last.end)?);
        Ok(self.follow_from_start(Some(kind), path, &is_shown)?.map(|(choices, _)| choices))
    }

    /// Returns the choices of an execution along a path without violation, and its end.
    pub fn arrive(&self, path: &Path) -> Result<Option<(Choices, ConcretePosition)>, SpecError> {
        self.follow_from_start(None, path, &|last| Ok(last.fits))
    }

    fn follow_from_start(
        &self,
        kind: Option<ViolationKind>,
        path: &Path,
        is_end: &dyn Fn(&ConcreteMove) -> Result<bool, SpecError>,
    ) -> Result<Option<(Choices, ConcretePosition)>, SpecError> {
        for (initial, start) in self.initial_states(path.start)? {
            if let Some((steps, end)) = self.follow(kind, path, start, is_end)? {
                return Ok(Some((Choices { initial, steps }, end)));
            }
        }
        Ok(None)
    }

    fn follow(
        &self,
        kind: Option<ViolationKind>,
        path: &Path,
        start: ConcretePosition,
        is_end: &dyn Fn(&ConcreteMove) -> Result<bool, SpecError>,
    ) -> Result<Option<(Vec<Choice>, ConcretePosition)>, SpecError> {
        if path.moves.is_empty() {
            let nothing = ConcreteMove { steps: Vec::new(), end: start, is_violation: false, fits: true };
            return Ok(is_end(&nothing)?.then_some((nothing.steps, nothing.end)));
        }
        let mut tried = 0;
        let mut levels = vec![self.moves(kind, path, 0, &start)?];
        let mut taken: Vec<ConcreteMove> = Vec::new();
        while let Some(open) = levels.last_mut() {
            let Some(next) = open.pop() else {
                levels.pop();
                taken.pop();
                continue;
            };
            tried += 1;
            if tried > MOST_MOVES {
                return Ok(None);
            }
            if levels.len() == path.moves.len() {
                if is_end(&next)? {
                    let end = next.end.clone();
                    taken.push(next);
                    return Ok(Some((taken.into_iter().flat_map(|taken| taken.steps).collect(), end)));
                }
            } else if !next.is_violation {
                levels.push(self.moves(kind, path, levels.len(), &next.end)?);
                taken.push(next);
            }
        }
        Ok(None)
    }

    /// Returns the candidates for one move of the path, the best last. If some lead to the path's node, only
    /// these. If some of these have the path's last thread, only those.
    fn moves(
        &self,
        kind: Option<ViolationKind>,
        path: &Path,
        at: usize,
        from: &ConcretePosition,
    ) -> Result<Vec<ConcreteMove>, SpecError> {
        let expected = path.moves[at];
        let mut expander = self.expander(ExpandOptions::RECORD);
        let mut bytes = Vec::new();
        let target = expected.to.map(|(node, last)| (self.store.copy(node, &mut bytes), last));
        let mut collector = MoveCollector {
            search: self,
            kind,
            from,
            first: expected.first,
            target,
            bytes,
            moves: [Vec::new(), Vec::new(), Vec::new()],
        };
        expander.expand(from.expansion(), &mut collector)?;
        let mut moves = collector.moves.into_iter().find(|moves| !moves.is_empty()).unwrap_or_default();
        moves.reverse();
        Ok(moves)
    }

    /// Checks whether a state in which no thread can move is the violation.
    fn is_shown_at_rest(&self, kind: ViolationKind, end: &ConcretePosition) -> Result<bool, SpecError> {
        if !kind.is_at_rest() {
            return Ok(false);
        }
        let mut expander = self.expander(ExpandOptions::RECORD);
        let facts = expander.expand(end.expansion(), &mut IgnoreMoves)?;
        Ok(facts.may_end && (end.monitor == REJECTED || expander.is_illegal_end(&end.state, end.monitor)?))
    }

    /// Returns the picks that lead to the path's first node, with their initial states.
    fn initial_states(&self, start: NodeId) -> Result<Vec<(Vec<u32>, ConcretePosition)>, SpecError> {
        let mut found = Vec::new();
        let mut picks = Picks::new();
        let mut expander = self.expander(ExpandOptions::default());
        let monitor = self.initial_monitor()?;
        let preemption = PreemptionState::default();
        let mut bytes = Vec::new();
        let start = self.store.copy(start, &mut bytes);
        loop {
            picks.restart();
            if let Ok(mut state) = self.problem.machine.initial(&mut picks) {
                let node = expander.representatives().of(&mut state.clone(), monitor, preemption);
                let renaming = node.renaming;
                if node.monitor == start && node.bytes == bytes {
                    self.problem.machine.collect_keeping_names(&mut state);
                    let position = ConcretePosition { state, monitor, renaming, preemption };
                    found.push((picks.chosen().collect(), position));
                }
            }
            if !picks.advance() {
                return Ok(found);
            }
        }
    }
}

/// Collects the candidates for one move of a path.
struct MoveCollector<'a, 'p> {
    search: &'a Search<'p>,
    kind: Option<ViolationKind>,
    from: &'a ConcretePosition,
    /// The thread of the first step, by the representative's name.
    first: usize,
    /// The monitor state of the path's next node, and the thread of the last step. `bytes` is the state of
    /// that node.
    target: Option<(MonitorId, usize)>,
    bytes: Vec<u8>,
    /// The moves that match; the moves that match except for the last thread; all other moves.
    moves: [Vec<ConcreteMove>; 3],
}

impl MoveCollector<'_, '_> {
    fn begins_with_first(&self, choices: &[Choice]) -> bool {
        let first = choices.first().map(|choice| self.from.renaming.thread(choice.thread.index()));
        first == Some(self.first)
    }
}

impl MoveSink for MoveCollector<'_, '_> {
    fn on_successor(&mut self, representatives: &mut Representatives<'_, '_>, found: Move<'_>) {
        let Move { target: next, monitor, preemption, choices, .. } = found;
        if self.target.is_none() || !self.begins_with_first(choices) {
            return;
        }
        let steps = choices.to_vec();
        let mut state = next.clone();
        self.search.problem.machine.collect_keeping_names(&mut state);
        let node = representatives.of(next, monitor, preemption);
        let mut renaming = node.renaming;
        let mut rank = 2;
        if let (Some((target, by)), Some(last)) = (self.target, steps.last())
            && target == node.monitor
            && node.bytes == self.bytes
        {
            rank = usize::from(renaming.thread(last.thread.index()) != by);
            // The representative may have symmetries of its own: then the path's names of threads are valid
            // too.
            let names = (last.thread.index(), by);
            if rank == 1
                && let Some(other) = representatives.with_name(
                    (next, monitor, preemption),
                    renaming,
                    names,
                    (&self.bytes, target),
                )
            {
                (rank, renaming) = (0, other);
            }
        }
        let end = ConcretePosition { state, monitor, renaming, preemption };
        self.moves[rank].push(ConcreteMove { steps, end, is_violation: false, fits: rank < 2 });
    }

    fn on_violation(&mut self, kind: ViolationKind, choices: &[Choice]) {
        if self.target.is_none() && Some(kind) == self.kind && self.begins_with_first(choices) {
            let end = self.from.clone();
            let last = ConcreteMove { steps: choices.to_vec(), end, is_violation: true, fits: false };
            self.moves[0].push(last);
        }
    }
}
