//! Computes the representative of an orbit: the least state that renaming threads, values and cells leads to.
//!
//! The canonicalizer orders the threads by their states without names. Threads that stay *tied* are ordered
//! by the signature of the monitor. Where a tie is still left and its order matters, all orders are tried,
//! and the least bytes win. Equal bytes are ordered by the digest of the monitor state, which is the same in
//! every run.

use super::preemption::PreemptionState;
use crate::monitor::{MonitorCache, MonitorId, next_permutation};
use crate::reduce::ReductionPlan;
use crate::reduce::{Renaming, Scratch};
use linchpin_ir::index::byte_of;
use linchpin_semantics::{Machine, State};
use smallvec::SmallVec;

/// The limit on orders of tied threads that are tried. Beyond the limit an orbit may have several
/// representatives.
const MOST_ORDERS: usize = 5040;

/// Computes representatives. Owns the buffers, and the worker's cache of the monitor.
pub struct Representatives<'s, 'p> {
    machine: &'s Machine,
    plan: &'s ReductionPlan,
    monitors: MonitorCache<'s, 'p>,
    scratch: Scratch,
    bytes: Vec<u8>,
    trial: Vec<u8>,
    ties_tried: u64,
}

/// The representative of a state and a monitor state.
#[derive(Clone, Copy)]
pub struct Representative<'a> {
    /// The encoded state; with a bound on preemptions, the [`PreemptionState`] follows it.
    pub bytes: &'a [u8],
    pub monitor: MonitorId,
    /// The renaming from the state to the representative.
    pub renaming: Renaming,
}

impl<'s, 'p> Representatives<'s, 'p> {
    pub fn new(
        machine: &'s Machine,
        plan: &'s ReductionPlan,
        monitors: MonitorCache<'s, 'p>,
    ) -> Representatives<'s, 'p> {
        Representatives {
            machine,
            plan,
            monitors,
            scratch: Scratch::default(),
            bytes: Vec::new(),
            trial: Vec::new(),
            ties_tried: 0,
        }
    }

    /// Returns the worker's cache of the monitor.
    pub fn monitors(&mut self) -> &mut MonitorCache<'s, 'p> {
        &mut self.monitors
    }

    /// Returns the number of states whose tied threads were tried in every order.
    pub fn ties_tried(&self) -> u64 {
        self.ties_tried
    }

    /// Computes the representative. `state` is left in a normal form with unspecified names.
    pub fn of(
        &mut self,
        state: &mut State,
        monitor: MonitorId,
        preemption: PreemptionState,
    ) -> Representative<'_> {
        let (monitor, renaming) = self.encode(state, monitor, preemption);
        if self.plan.preemptions.is_some() {
            preemption.at_rest(self.machine, state).append(renaming, &mut self.bytes);
        }
        Representative { bytes: &self.bytes, monitor, renaming }
    }

    fn encode(
        &mut self,
        state: &mut State,
        monitor: MonitorId,
        preemption: PreemptionState,
    ) -> (MonitorId, Renaming) {
        let ReductionPlan { canonicalizer, .. } = self.plan;
        canonicalizer.prepare(state);
        canonicalizer.arrange(&mut self.scratch, state);
        if self.scratch.ties().is_empty() {
            let order: SmallVec<[u8; 16]> = self.scratch.order().into();
            let renaming = canonicalizer.write_arranged(&mut self.scratch, state, &order, &mut self.bytes);
            if self.plan.renames_nothing() {
                return (monitor, renaming);
            }
            return (self.monitors.renamed(monitor, renaming), renaming);
        }
        let signature = self.monitors.signature(monitor);
        let last = self.plan.preemptions.and(preemption.at_rest(self.machine, state).last);
        let mut with_last: SmallVec<[u64; 8]> = SmallVec::new();
        let mut colours = &signature.colours;
        if let Some(last) = last.map(usize::from) {
            with_last.extend_from_slice(colours);
            with_last.resize(self.machine.bounds().threads as usize, 0);
            with_last[last] = !with_last[last];
            colours = &with_last;
        }
        let name_of_last = |renaming: Renaming| last.map(|last| renaming.thread(usize::from(last)));
        canonicalizer.colour(&mut self.scratch, colours);
        let mut order: SmallVec<[u8; 16]> = self.scratch.order().into();
        // The order of tied threads matters if they share a cell, or if the monitor distinguishes them.
        let column = |thread: u8| signature.columns.get(thread as usize);
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
            return (self.monitors.renamed(monitor, renaming), renaming);
        }
        self.ties_tried += 1;
        let mut best = None;
        loop {
            for (places, members) in &open {
                places.iter().zip(members).for_each(|(place, member)| order[*place as usize] = *member);
            }
            let renaming = canonicalizer.write_arranged(&mut self.scratch, state, &order, &mut self.trial);
            if best.is_none() || self.trial <= self.bytes {
                let renamed = self.monitors.renamed(monitor, renaming);
                let rank = (self.monitors.digest(renamed), name_of_last(renaming));
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

    /// Swaps two names of a renaming, such that `thread` gets the name `name`. Returns the new renaming if it
    /// leads to the same representative, which is `bytes` and `target`.
    pub fn with_name(
        &mut self,
        found: (&State, MonitorId, PreemptionState),
        renaming: Renaming,
        (thread, name): (usize, usize),
        (bytes, target): (&[u8], MonitorId),
    ) -> Option<Renaming> {
        let (state, monitor, preemption) = found;
        let threads = self.machine.bounds().threads as usize;
        let mut order: SmallVec<[u8; 16]> = SmallVec::from_elem(0, threads);
        (0..threads).for_each(|old| order[renaming.thread(old)] = byte_of(old));
        order.swap(renaming.thread(thread), name);
        let other = self.plan.canonicalizer.write(&mut self.scratch, state, &order, &mut self.trial);
        if self.plan.preemptions.is_some() {
            preemption.at_rest(self.machine, state).append(other, &mut self.trial);
        }
        (self.trial == bytes && self.monitors.renamed(monitor, other) == target).then_some(other)
    }
}
