//! All schedules of a scope at once.
//!
//! A schedule fixes the calls of each thread. Thousands of schedules differ only in a call that is not yet
//! made, and separate searches would repeat the same steps. This client decides late. An idle thread makes
//! any call after which the calls can still be completed to a schedule of the scope. An execution may end
//! where its calls are such a schedule.
//!
//! **Claim.** The executions of this client, cut at their ends, are the union of the executions of all
//! schedules of the scope. So a search explores once what schedules have in common.
//!
//! The client needs the number of calls of each thread. With restrictions it also needs the number of adds
//! and removes, and the priorities in use. These are sums over the threads; a thread's *position* numbers its
//! contribution.
//!
//! **Resting.** A stuck or endless execution makes no further calls. It belongs to a schedule iff calls of
//! busy threads can complete its calls to that schedule. Busy threads never make these calls, and idle
//! threads have none left. During the pre-adds all other threads wait, so any completion will do.
//!
//! The *pre-adds* are calls by one thread before the others begin. Afterwards it does not matter which thread
//! made them, because all threads of one role are interchangeable. Thread 0 makes them.

use super::{CallChoice, Ended, General};
use crate::instance::bounds::ThreadId;
use crate::machine::Machine;
use crate::state::State;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{Scalar, SlotKind, Word, word_of};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// A restriction of the schedules. It can hide a violation, so the scope names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Restriction {
    /// The k-th add adds value k, pre-adds counted. Where values are interchangeable, this only excludes
    /// equal values.
    GenericValues,
    /// k adds carry a permutation of the k least priorities.
    DistinctPriorities,
    /// There are no more removes than adds, pre-adds counted.
    AddsDominate,
}

impl Restriction {
    pub const ALL: [Restriction; 3] =
        [Restriction::GenericValues, Restriction::DistinctPriorities, Restriction::AddsDominate];

    /// Returns the name in `check` blocks.
    pub fn name(self) -> &'static str {
        match self {
            Restriction::GenericValues => "generic_values",
            Restriction::DistinctPriorities => "distinct_priorities",
            Restriction::AddsDominate => "adds_dominate",
        }
    }
}

/// The set of schedules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleScope {
    /// The number of calls, without the pre-adds. Each thread makes at least one.
    pub steps: RangeInclusive<u32>,
    pub preadds: u32,
    pub restrictions: Vec<Restriction>,
}

impl ScheduleScope {
    fn is_restricted_to(&self, restriction: Restriction) -> bool {
        self.restrictions.contains(&restriction)
    }
}

/// A client that makes the calls of every schedule of a scope.
#[derive(Clone, Debug)]
pub struct Schedules {
    scope: ScheduleScope,
    /// The contributions, by position.
    contributions: Vec<Contribution>,
    /// The calls that a thread may make, as far as its own contribution decides: by position, role and, with
    /// generic values, adds made before.
    ordinary: Vec<Vec<Vec<Vec<CallChoice>>>>,
    /// The candidates for the next pre-add, by position.
    preadds: Vec<Vec<CallChoice>>,
    /// The role of each thread.
    roles: Vec<usize>,
    /// Whether some thread cannot make the adds that a restriction requires. Then the client checks which
    /// threads can complete the schedule, not only the number of calls left.
    is_rigid: bool,
}

/// What one thread contributed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Contribution {
    /// The pre-adds made, until the thread makes another call.
    preadds: u32,
    /// The position in its role.
    in_role: u32,
    calls: u32,
    /// Adds and removes, counted only if a restriction needs them.
    adds: u32,
    removes: u32,
    /// The ranks of the priorities of its adds, a bit each.
    priorities: u64,
}

/// What all threads contributed.
#[derive(Clone, Copy, Default, Debug)]
struct Totals {
    calls: u32,
    adds: u32,
    removes: u32,
    priorities: u64,
    /// The number of threads that have not made a call.
    silent: u32,
    /// The thread that makes the pre-adds, while all others wait. `None`: the pre-adds are done.
    preadding: Option<usize>,
}

impl Schedules {
    /// Builds the client. `None`: the object does not allow that many pre-adds.
    pub(super) fn new(
        program: &Program,
        general: &General,
        scope: &ScheduleScope,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Schedules>, Ended> {
        let mut builder =
            Builder { program, general, scope, numbers: BTreeMap::new(), contributions: Vec::new() };
        builder.number(Contribution::default());
        let (mut ordinary, mut preadds) = (Vec::new(), Vec::new());
        while let Some(&contribution) = builder.contributions.get(ordinary.len()) {
            if !go_on() {
                return Err(Ended);
            }
            preadds.push(builder.preadd_choices(contribution));
            ordinary.push(builder.ordinary_choices(contribution));
        }
        let contributions = builder.contributions;
        let is_possible = scope.preadds == 0
            || contributions.iter().any(|contribution| contribution.preadds == scope.preadds);
        let roles = general.roles.clone();
        let is_rigid = is_rigid(program, general, scope);
        Ok(is_possible.then(|| Schedules {
            scope: scope.clone(),
            contributions,
            ordinary,
            preadds,
            roles,
            is_rigid,
        }))
    }

    /// Checks whether values are prescribed: those of pre-adds, and all if they are generic.
    pub(super) fn names_values(&self, machine: &Machine, state: &State) -> bool {
        self.has_generic_values() || self.totals(machine, state).preadding.is_some()
    }

    pub fn preadds(&self) -> u32 {
        self.scope.preadds
    }

    pub(super) fn positions(&self) -> u32 {
        number_of(self.contributions.len())
    }

    pub(super) fn role(&self, thread: ThreadId) -> usize {
        self.roles.get(thread.index()).copied().unwrap_or(0)
    }

    /// Returns the calls that an idle thread may make.
    pub(super) fn calls(&self, machine: &Machine, state: &State, thread: ThreadId) -> Allowed<'_> {
        let before = self.totals(machine, state);
        let position = machine.position(state, thread);
        let from = self.contribution(position);
        let choices = match before.preadding {
            Some(maker) if maker == thread.index() => self.preadds.get(position as usize),
            Some(_) => None,
            None => self.ordinary_choices(position, thread.index(), &before),
        };
        let positions = if self.is_rigid { self.positions_in(machine, state) } else { Vec::new() };
        let choices = choices.map_or(&[][..], |list| list).iter();
        Allowed { choices, client: self, before, from, thread: thread.index(), positions }
    }

    fn positions_in(&self, machine: &Machine, state: &State) -> Vec<u32> {
        machine.bounds().thread_ids().map(|thread| machine.position(state, thread)).collect()
    }

    /// Checks that the calls made, pending ones included, can be completed to a schedule in which idle
    /// threads have no call left.
    pub(super) fn may_rest(&self, machine: &Machine, state: &State) -> bool {
        let positions = self.positions_in(machine, state);
        let is_busy = |thread: usize| !machine.is_idle(state, ThreadId::new(thread));
        match self.totals(machine, state).preadding {
            Some(maker) => is_busy(maker) && self.has_completion(positions, |_| true),
            None => self.has_completion(positions, is_busy),
        }
    }

    /// Checks whether further calls by these threads complete a schedule. Only the order within a thread
    /// matters, so the threads call in order. Equal continuations are tried once.
    fn has_completion(&self, positions: Vec<u32>, may_call: impl Fn(usize) -> bool) -> bool {
        let mut known = BTreeSet::new();
        let mut work = vec![(positions, 0)];
        while let Some((positions, from)) = work.pop() {
            let (totals, made) = self.sum(positions.iter().copied());
            let is_preadding = totals.calls == 0 && made < self.scope.preadds;
            if !is_preadding && *self.scope.steps.start() <= totals.calls && self.can_be_completed(&totals, 0)
            {
                return true;
            }
            let maker =
                positions.iter().position(|position| self.contribution(*position).preadds > 0).unwrap_or(0);
            let threads = if is_preadding { maker..maker + 1 } else { from..positions.len() };
            for thread in threads.filter(|thread| is_preadding || may_call(*thread)) {
                let from = self.contribution(positions[thread]);
                let choices = if is_preadding {
                    self.preadds.get(positions[thread] as usize)
                } else {
                    self.ordinary_choices(positions[thread], thread, &totals)
                };
                for choice in choices.into_iter().flatten() {
                    if !is_preadding && !self.allows(&totals, from, choice) {
                        continue;
                    }
                    let mut next = positions.clone();
                    next[thread] = choice.next_position;
                    let first = if is_preadding { 0 } else { thread };
                    if known.insert((next.clone(), first)) {
                        work.push((next, first));
                    }
                }
            }
        }
        false
    }

    fn has_generic_values(&self) -> bool {
        self.scope.is_restricted_to(Restriction::GenericValues)
    }

    /// Returns the calls of a thread at a position, as far as its contribution and the adds made decide.
    fn ordinary_choices(&self, position: u32, thread: usize, before: &Totals) -> Option<&Vec<CallChoice>> {
        let adds = if self.has_generic_values() { before.adds as usize } else { 0 };
        let roles = self.ordinary.get(position as usize)?;
        roles.get(self.role(ThreadId::new(thread)))?.get(adds)
    }

    fn totals(&self, machine: &Machine, state: &State) -> Totals {
        let threads = machine.bounds().thread_ids();
        let (mut totals, mut made) = self.sum(threads.map(|thread| machine.position(state, thread)));
        let maker = (machine.bounds().thread_ids())
            .find(|thread| self.contribution(machine.position(state, *thread)).preadds > 0)
            .unwrap_or(ThreadId::new(0));
        // The pending pre-add is not made yet.
        made -= u32::from(made > 0 && !machine.is_idle(state, maker));
        let has_begun = totals.calls > 0 || made == self.scope.preadds;
        totals.preadding = (!has_begun).then_some(maker.index());
        totals
    }

    /// Sums the contributions at these positions. Also returns the number of pre-adds begun.
    fn sum(&self, positions: impl Iterator<Item = u32>) -> (Totals, u32) {
        let (mut totals, mut made) = (Totals::default(), 0);
        for contribution in positions.map(|position| self.contribution(position)) {
            totals.calls += contribution.calls;
            totals.adds += contribution.adds;
            totals.removes += contribution.removes;
            totals.priorities |= contribution.priorities;
            totals.silent += u32::from(contribution.calls == 0);
            made += contribution.preadds;
        }
        (totals, made)
    }

    fn contribution(&self, position: u32) -> Contribution {
        self.contributions.get(position as usize).copied().unwrap_or_default()
    }

    /// Checks whether a schedule stays possible after a call, as far as the numbers of calls decide.
    fn allows(&self, before: &Totals, from: Contribution, choice: &CallChoice) -> bool {
        let most = *self.scope.steps.end();
        let to = self.contribution(choice.next_position);
        let after = Totals {
            calls: before.calls + 1,
            adds: before.adds + to.adds - from.adds,
            removes: before.removes + to.removes - from.removes,
            priorities: before.priorities | to.priorities,
            silent: before.silent - u32::from(from.calls == 0),
            preadding: None,
        };
        let is_taken = to.priorities & !from.priorities & before.priorities != 0;
        after.calls <= most && !is_taken && self.can_be_completed(&after, most - after.calls)
    }

    /// Checks whether `left` more calls can complete a schedule of the scope.
    fn can_be_completed(&self, totals: &Totals, left: u32) -> bool {
        let gaps = u64::BITS - totals.priorities.leading_zeros() - totals.priorities.count_ones();
        let is_dominated =
            self.scope.is_restricted_to(Restriction::AddsDominate) && totals.removes > totals.adds + left;
        totals.silent <= left && gaps <= left && !is_dominated
    }
}

/// The choices of a thread that the contributions of the others allow.
pub(super) struct Allowed<'c> {
    choices: std::slice::Iter<'c, CallChoice>,
    client: &'c Schedules,
    before: Totals,
    from: Contribution,
    thread: usize,
    /// The positions of all threads; empty unless the client is rigid.
    positions: Vec<u32>,
}

impl<'c> Iterator for Allowed<'c> {
    type Item = &'c CallChoice;

    fn next(&mut self) -> Option<&'c CallChoice> {
        let Allowed { choices, client, before, from, thread, positions } = self;
        choices.find(|choice| {
            let is_counted = before.preadding.is_some() || client.allows(before, *from, choice);
            is_counted
                && (!client.is_rigid || {
                    let mut after = positions.clone();
                    after[*thread] = choice.next_position;
                    client.has_completion(after, |_| true)
                })
        })
    }
}

/// Checks whether some thread cannot make the adds that a restriction requires, or not as often as there are
/// calls.
fn is_rigid(program: &Program, general: &General, scope: &ScheduleScope) -> bool {
    let most = (scope.preadds + scope.steps.end()) as usize;
    let all = || general.choices(ThreadId::new(0), 0).iter();
    let adds = || all().filter(|choice| program.spec.adds.contains(&choice.op));
    let has_value = |k: usize| adds().any(|choice| carries(program, choice.op, &choice.args, word_of(k + 1)));
    let ranks: BTreeSet<i64> =
        adds().filter_map(|choice| priority(program, choice.op, &choice.args)).collect();
    let is_short = |restriction: &Restriction| match restriction {
        Restriction::GenericValues => adds().next().is_some() && !(0..most).all(has_value),
        Restriction::DistinctPriorities => !ranks.is_empty() && ranks.len() < most,
        Restriction::AddsDominate => adds().next().is_none(),
    };
    let is_restricted = !scope.restrictions.is_empty();
    is_restricted && (!program.roles.is_empty() || scope.restrictions.iter().any(is_short))
}

/// Checks whether a call is the k-th pre-add (from 0): every `data` and `key` is k + 1, every number k more
/// than the least, all else 0.
pub fn is_nth(program: &Program, op: OpId, args: &[Word], k: usize, any_priority: bool) -> bool {
    slots(program, op).zip(args).all(|(slot, &word)| match slot.scalar {
        Scalar::Key | Scalar::Range { .. } if any_priority => true,
        Scalar::Data | Scalar::Key => word == word_of(k) + 1,
        Scalar::Range { low, .. } => i64::from(word) == low + i64::from(word_of(k)),
        _ => word == 0,
    })
}

/// Returns the priority of an add: the rank, from 0, of the argument that is a `key` or a number.
pub fn priority(program: &Program, op: OpId, args: &[Word]) -> Option<i64> {
    slots(program, op).zip(args).find_map(|(slot, &word)| match slot.scalar {
        Scalar::Key => Some(i64::from(word) - 1),
        Scalar::Range { low, .. } => Some(i64::from(word) - low),
        _ => None,
    })
}

/// Checks that every `data` among the arguments is this value.
pub fn carries(program: &Program, op: OpId, args: &[Word], value: Word) -> bool {
    let is_data = |slot: &SlotKind| slot.scalar == Scalar::Data;
    slots(program, op).zip(args).filter(|(slot, _)| is_data(slot)).all(|(_, word)| *word == value)
}

fn slots(program: &Program, op: OpId) -> impl Iterator<Item = SlotKind> {
    program.ops[op].params.iter().flat_map(|&ty| program.types.slots(ty))
}

/// Numbers contributions in the order in which they are found.
struct Builder<'b> {
    program: &'b Program,
    general: &'b General,
    scope: &'b ScheduleScope,
    numbers: BTreeMap<Contribution, u32>,
    contributions: Vec<Contribution>,
}

impl Builder<'_> {
    fn number(&mut self, contribution: Contribution) -> u32 {
        let contributions = &mut self.contributions;
        *self.numbers.entry(contribution).or_insert_with(|| {
            contributions.push(contribution);
            number_of(contributions.len()) - 1
        })
    }

    fn preadd_choices(&mut self, from: Contribution) -> Vec<CallChoice> {
        if from.calls > 0 || from.preadds >= self.scope.preadds {
            return Vec::new();
        }
        let general = self.general;
        let add = self.program.spec.adds.first();
        let any_priority = self.scope.is_restricted_to(Restriction::DistinctPriorities);
        let is_next = |choice: &&CallChoice| {
            Some(&choice.op) == add
                && is_nth(self.program, choice.op, &choice.args, from.preadds as usize, any_priority)
        };
        let choices: Vec<&CallChoice> = general.choices(ThreadId::new(0), 0).iter().filter(is_next).collect();
        let to = Contribution { preadds: from.preadds + 1, ..from };
        choices.into_iter().filter_map(|choice| self.choice(to, choice)).collect()
    }

    /// Returns the calls by role, then by the number of adds before.
    fn ordinary_choices(&mut self, from: Contribution) -> Vec<Vec<Vec<CallChoice>>> {
        if from.calls >= *self.scope.steps.end() {
            return Vec::new();
        }
        let general = self.general;
        let is_generic = self.scope.is_restricted_to(Restriction::GenericValues);
        let most_adds = if is_generic { self.scope.preadds + self.scope.steps.end() } else { 0 };
        let mut found = Vec::new();
        for positions in &general.choices {
            let all = positions.get(from.in_role as usize).map_or(&[][..], |choices| choices);
            let mut lists = Vec::new();
            for adds in 0..=most_adds {
                let is_meant = |choice: &&CallChoice| {
                    let is_add = self.program.spec.adds.contains(&choice.op);
                    let value = word_of(adds) + 1;
                    !is_generic || !is_add || carries(self.program, choice.op, &choice.args, value)
                };
                let choices: Vec<&CallChoice> = all.iter().filter(is_meant).collect();
                let list = choices.into_iter().filter_map(|choice| {
                    let calls = from.calls + 1;
                    self.choice(
                        Contribution { preadds: 0, in_role: choice.next_position, calls, ..from },
                        choice,
                    )
                });
                lists.push(list.collect());
            }
            found.push(lists);
        }
        found
    }

    /// Adds a call's adds and removes to its contribution. `None` if its priority cannot be counted.
    fn choice(&mut self, mut to: Contribution, choice: &CallChoice) -> Option<CallChoice> {
        let is_restricted = |restriction| self.scope.is_restricted_to(restriction);
        let spec = &self.program.spec;
        let counts_adds =
            is_restricted(Restriction::GenericValues) || is_restricted(Restriction::AddsDominate);
        if spec.adds.contains(&choice.op) {
            to.adds += u32::from(counts_adds);
            if is_restricted(Restriction::DistinctPriorities)
                && let Some(rank) = priority(self.program, choice.op, &choice.args)
            {
                let bit = 1u64.checked_shl(u32::try_from(rank).ok()?)?;
                if to.priorities & bit != 0 {
                    return None;
                }
                to.priorities |= bit;
            }
        }
        if spec.removes.contains(&choice.op) {
            to.removes += u32::from(is_restricted(Restriction::AddsDominate));
        }
        Some(CallChoice { next_position: self.number(to), ..choice.clone() })
    }
}
