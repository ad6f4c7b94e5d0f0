//! From "there is a violation of L steps" to the one execution that is shown.
//!
//! Among the shortest executions the one with the fewest context switches: a second pass over the levels below L computes
//! for each node and each thread that may have stepped last
//!
//! cost(n′, u) = min over (n, t) with n →ᵤ n′ of cost(n, t) + [t ≠ u],
//!
//! and remembers where the minimum came from. Ties go to the first in the order of the search, so the result is unique.
//! Nodes that subset pruning dropped are not in the graph: where pruning cut a path of fewer switches short, one of more is
//! shown. The number of steps is always the least.

use super::search::{Kind, Moves, Scratch, Search, kind_of};
use super::store::NodeId;
use linchpin_core::index::Index;
use linchpin_core::semantics::{Outcome, SpecError, State, ThreadId};

/// Who steps, and which nodes the steps lead to; the last step of a violation that is a step has no node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    pub start: NodeId,
    pub threads: Vec<ThreadId>,
    pub nodes: Vec<NodeId>,
}

/// Nodes times threads beyond which the table of costs is not built, and the first path found is shown.
const LARGEST_TABLE: usize = 400_000_000;

impl Search<'_> {
    /// A shortest execution that shows the violation, which was found after `steps` steps.
    pub fn witness(&mut self, kind: Kind, steps: usize) -> Result<Option<Path>, SpecError> {
        let threads = self.question.machine.bounds().threads as usize;
        let last_level = if kind.is_at_rest() { steps } else { steps - 1 };
        let end = self.levels.get(last_level + 1).map_or(self.store.number_of_nodes(), |n| *n as usize);
        if end.saturating_mul(threads + 1) > LARGEST_TABLE {
            return self.first_path(kind, last_level, end);
        }
        let mut table = Table::new(end, threads);
        for node in 0..self.levels.get(1).map_or(end, |n| *n as usize) {
            table.entries[node * (threads + 1) + threads] = Entry { cost: 0, ..UNREACHED };
        }
        let mut best: Option<Best> = None;
        for level in 0..=last_level {
            let nodes = self.levels[level]..self.levels.get(level + 1).copied().unwrap_or(end as u32);
            for node in nodes.map(NodeId) {
                let last_threads = table.reached(node);
                if last_threads.is_empty() {
                    continue;
                }
                let next_level = (level < last_level).then(|| self.levels[level + 1]..end as u32);
                self.relax(kind, node, next_level, &last_threads, &mut table, &mut best)?;
            }
        }
        Ok(best.map(|best| table.path(best)))
    }

    /// Goes over the transitions of one node: lowers the costs of its successors or, on the last level (which has no next
    /// one), meets the violation.
    fn relax(
        &mut self,
        kind: Kind,
        node: NodeId,
        next_level: Option<std::ops::Range<u32>>,
        last_threads: &[(usize, u32)],
        table: &mut Table,
        best: &mut Option<Best>,
    ) -> Result<(), SpecError> {
        let mut offer = |cost: u32, last: usize, by: Option<ThreadId>| {
            if best.as_ref().is_none_or(|b| cost < b.cost) {
                *best = Some(Best { cost, node, last, by });
            }
        };
        let mut moves = Moves::default();
        let mut shown: Vec<ThreadId> = Vec::new();
        let mut reached: Vec<(NodeId, ThreadId)> = Vec::new();
        self.visit(node, |search, scratch, thread, outcome, next, monitor| {
            moves.note(&outcome);
            let Some(next_level) = &next_level else {
                if search.shows(kind, &outcome, next, monitor) && !shown.contains(&thread) {
                    shown.push(thread);
                }
                return;
            };
            if !outcome.is_done() {
                return;
            }
            search.key(scratch, next);
            let Some(state) = search.store.find_state(&scratch.bytes) else { return };
            let found = search.store.nodes_of(state).find(|(_, n)| n.monitor == monitor.1);
            if let Some((to, _)) = found
                && next_level.contains(&to.0)
            {
                reached.push((to, thread));
            }
        })?;
        if next_level.is_none() && kind.is_at_rest() && moves.nobody() {
            let mut state = State::default();
            self.load(&mut Scratch::default(), node, &mut state);
            let monitor = self.store.node(node).monitor;
            if self.is_deadlock(&state, monitor)? {
                last_threads.iter().for_each(|&(last, cost)| offer(cost, last, None));
            }
        }
        for thread in shown {
            for &(last, cost) in last_threads {
                offer(cost + switch(last, thread, table.threads), last, Some(thread));
            }
        }
        for (to, thread) in reached {
            for &(last, cost) in last_threads {
                table.lower(to, thread, cost + switch(last, thread, table.threads), node, last);
            }
        }
        Ok(())
    }

    /// Tells all transitions of a node with the monitor states before and after each.
    fn visit(
        &mut self,
        node: NodeId,
        mut tell: impl FnMut(
            &mut Self,
            &mut Scratch,
            ThreadId,
            Outcome,
            &mut State,
            (super::monitor::MonitorId, super::monitor::MonitorId),
        ),
    ) -> Result<(), SpecError> {
        let mut scratch = Scratch::default();
        let mut state = State::default();
        self.load(&mut scratch, node, &mut state);
        let from = self.store.node(node).monitor;
        let (machine, client) = (self.question.machine, self.question.client);
        let mut successors = super::successors::Successors::default();
        let mut failure = None;
        successors.each(machine, client, &state, |transition| {
            let to = match transition.outcome {
                Outcome::Done => match self.observe(from, transition.seen) {
                    Ok(to) => to,
                    Err(fault) => {
                        failure = Some(fault);
                        return false;
                    }
                },
                _ => from,
            };
            tell(self, &mut scratch, transition.thread, transition.outcome, transition.next, (from, to));
            true
        });
        failure.map_or(Ok(()), Err)
    }

    /// Whether a transition is the violation.
    pub(super) fn shows(
        &self,
        kind: Kind,
        outcome: &Outcome,
        next: &State,
        (from, to): (super::monitor::MonitorId, super::monitor::MonitorId),
    ) -> bool {
        match (kind, outcome) {
            (Kind::Inconsistent, Outcome::Done) => {
                from != super::search::REJECTED && to == super::search::REJECTED
            }
            (Kind::MemoryUnsafe, Outcome::Done) => !self.question.machine.leaks(next).is_empty(),
            (_, Outcome::Fault(fault)) => kind_of(fault.property()) == kind,
            _ => false,
        }
    }

    /// The first violation in the order of the search, by parents: no claim on context switches.
    fn first_path(&mut self, kind: Kind, level: usize, end: usize) -> Result<Option<Path>, SpecError> {
        for node in (self.levels[level]..end as u32).map(NodeId) {
            let mut by = None;
            let mut moves = Moves::default();
            self.visit(node, |search, _, thread, outcome, next, monitor| {
                moves.note(&outcome);
                if by.is_none() && search.shows(kind, &outcome, next, monitor) {
                    by = Some(thread);
                }
            })?;
            let mut state = State::default();
            self.load(&mut Scratch::default(), node, &mut state);
            let monitor = self.store.node(node).monitor;
            let deadlock = kind.is_at_rest() && moves.nobody() && self.is_deadlock(&state, monitor)?;
            if by.is_none() && !deadlock {
                continue;
            }
            let mut nodes = vec![node];
            while let Some(&last) = nodes.last()
                && self.store.node(last).parent != last
            {
                nodes.push(self.store.node(last).parent);
            }
            nodes.reverse();
            let mut threads = Vec::new();
            for pair in nodes.clone().windows(2) {
                let mut stepped = None;
                let target = self.store.node(pair[1]);
                self.visit(pair[0], |search, scratch, thread, outcome, next, monitor| {
                    if stepped.is_none() && outcome.is_done() && monitor.1 == target.monitor {
                        search.key(scratch, next);
                        if search.store.find_state(&scratch.bytes) == Some(target.state) {
                            stepped = Some(thread);
                        }
                    }
                })?;
                threads.extend(stepped);
            }
            threads.extend(by);
            return Ok(Some(Path { start: nodes[0], threads, nodes: nodes.split_off(1) }));
        }
        Ok(None)
    }
}

/// Costs by node and last thread; the column behind the last thread stands for "nobody yet".
struct Table {
    threads: usize,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    cost: u32,
    from: u32,
    last: u32,
}

const UNREACHED: Entry = Entry { cost: u32::MAX, from: u32::MAX, last: u32::MAX };

struct Best {
    cost: u32,
    node: NodeId,
    last: usize,
    by: Option<ThreadId>,
}

impl Table {
    fn new(nodes: usize, threads: usize) -> Table {
        Table { threads, entries: vec![UNREACHED; nodes * (threads + 1)] }
    }

    fn entry(&mut self, node: NodeId, last: usize) -> &mut Entry {
        &mut self.entries[node.0 as usize * (self.threads + 1) + last]
    }

    fn reached(&self, node: NodeId) -> Vec<(usize, u32)> {
        let at = node.0 as usize * (self.threads + 1);
        let row = &self.entries[at..at + self.threads + 1];
        row.iter().enumerate().filter(|(_, e)| e.cost != u32::MAX).map(|(last, e)| (last, e.cost)).collect()
    }

    fn lower(&mut self, node: NodeId, by: ThreadId, cost: u32, from: NodeId, last: usize) {
        let entry = self.entry(node, by.index());
        if cost < entry.cost {
            *entry = Entry { cost, from: from.0, last: last as u32 };
        }
    }

    fn path(&mut self, best: Best) -> Path {
        let (mut node, mut last) = (best.node, best.last);
        let mut threads: Vec<ThreadId> = best.by.into_iter().collect();
        let mut nodes = Vec::new();
        while last != self.threads {
            let entry = *self.entry(node, last);
            threads.push(ThreadId::new(last));
            nodes.push(node);
            node = NodeId(entry.from);
            last = entry.last as usize;
        }
        threads.reverse();
        nodes.reverse();
        Path { start: node, threads, nodes }
    }
}

/// The first step of all is no switch.
fn switch(last: usize, by: ThreadId, threads: usize) -> u32 {
    u32::from(last != threads && last != by.index())
}
