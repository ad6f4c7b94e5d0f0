//! Schedules, one by one: every way to give a number of calls to the threads (COLLECT 4.1).
//!
//! A schedule is a list of calls for each thread, none empty. Threads that may call the same are interchangeable, so of all
//! schedules that differ by an exchange of them only the one with its lists in order is kept. Where values are generic they
//! are given out after that: which add is the k-th does not tell schedules apart. Before the threads start, thread 0 makes the
//! *pre-adds*: the specification's `#[adds]` operation with the first values in order.
//!
//! The search runs all schedules of a scope at once ([`linchpin_core::semantics::client::Schedules`]); here they are counted, and
//! listed for whoever wants to run them one by one.

use linchpin_core::index::Index;
use linchpin_core::ir::{OpId, Program};
use linchpin_core::semantics::client::{General, is_nth, priority};
use linchpin_core::semantics::{CallChoice, Client, Restriction, ThreadId};
use linchpin_core::types::{Scalar, Word};
use std::cell::Cell;

/// Calls as numbers and arguments.
pub type Call = (OpId, Vec<Word>);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pub preadds: Vec<Call>,
    pub threads: Vec<Vec<Call>>,
}

impl Schedule {
    pub fn client(&self) -> Client {
        Client::schedule(&self.preadds, &self.threads)
    }
}

/// All schedules of exactly so many threads, calls and pre-adds, in a fixed order.
pub fn schedules(
    program: &Program,
    general: &General,
    threads: usize,
    steps: usize,
    preadds: usize,
    restrictions: &[Restriction],
) -> Vec<Schedule> {
    let mut found = Vec::new();
    let scope = Scope { program, general, threads, restrictions };
    scope.for_each(steps, preadds, &mut |schedule| found.push(schedule));
    found
}

/// How many there are.
pub fn number_of_schedules(
    program: &Program,
    general: &General,
    threads: usize,
    steps: usize,
    preadds: usize,
    restrictions: &[Restriction],
) -> u64 {
    let count = Cell::new(0);
    let scope = Scope { program, general, threads, restrictions };
    scope.for_each(steps, preadds, &mut |_| count.set(count.get() + 1));
    count.get()
}

struct Scope<'s> {
    program: &'s Program,
    general: &'s General,
    threads: usize,
    restrictions: &'s [Restriction],
}

impl Scope<'_> {
    fn for_each(&self, steps: usize, preadds: usize, tell: &mut dyn FnMut(Schedule)) {
        let is_generic = self.is_restricted_to(Restriction::GenericValues);
        for preadds in self.preadd_calls(preadds) {
            self.extend(steps, &mut Vec::new(), &mut |lists| {
                let mut schedule = Schedule { preadds: preadds.clone(), threads: lists.to_vec() };
                if self.obeys(&schedule) && (!is_generic || self.give_values(&mut schedule)) {
                    tell(schedule);
                }
            });
        }
    }

    fn is_restricted_to(&self, restriction: Restriction) -> bool {
        self.restrictions.contains(&restriction)
    }

    /// Gives the next thread a list of calls, each thread to come at least one, and goes on.
    fn extend(&self, steps: usize, lists: &mut Vec<Vec<Call>>, tell: &mut dyn FnMut(&[Vec<Call>])) {
        let left = self.threads - lists.len();
        if left == 0 {
            if steps == 0 {
                tell(lists);
            }
            return;
        }
        if steps < left {
            return;
        }
        let thread = ThreadId::new(lists.len());
        let role = |thread: ThreadId| self.general.role(self.program, thread);
        let lengths = if left == 1 { steps..=steps } else { 1..=steps - (left - 1) };
        for length in lengths {
            for list in self.call_lists(thread, length) {
                if let Some(last) = lists.last()
                    && role(ThreadId::new(lists.len() - 1)) == role(thread)
                    && (last.len(), last) > (list.len(), &list)
                {
                    continue;
                }
                lists.push(list);
                self.extend(steps - length, lists, tell);
                lists.pop();
            }
        }
    }

    /// Every list of calls of a length that the thread's role allows; of those that differ in generic values one.
    fn call_lists(&self, thread: ThreadId, length: usize) -> Vec<Vec<Call>> {
        let is_generic = self.is_restricted_to(Restriction::GenericValues);
        let is_meant = |choice: &&CallChoice| {
            !is_generic || self.data_places(choice.op).iter().all(|at| choice.args[*at] == 1)
        };
        let mut lists: Vec<(u32, Vec<Call>)> = vec![(0, Vec::new())];
        for _ in 0..length {
            let longer = |(position, list): &(u32, Vec<Call>)| -> Vec<(u32, Vec<Call>)> {
                let choices = self.general.choices(thread, *position).iter().filter(is_meant);
                let with = |choice: &CallChoice| {
                    let call = (choice.op, choice.args.to_vec());
                    (choice.next_position, [list.as_slice(), &[call]].concat())
                };
                choices.map(with).collect()
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        lists.into_iter().map(|(_, list)| list).collect()
    }

    /// Where the values of an add lie.
    fn data_places(&self, op: OpId) -> Vec<usize> {
        if !self.program.spec.adds.contains(&op) {
            return Vec::new();
        }
        let slots = self.program.ops[op].params.iter().flat_map(|&ty| self.program.types.slots(ty));
        slots.enumerate().filter(|(_, slot)| slot.scalar == Scalar::Data).map(|(at, _)| at).collect()
    }

    /// The k-th add gets value k; whether there are as many.
    fn give_values(&self, schedule: &mut Schedule) -> bool {
        let values = self.most_values();
        let mut adds = 0;
        for (op, args) in schedule.preadds.iter_mut().chain(schedule.threads.iter_mut().flatten()) {
            if self.program.spec.adds.contains(op) {
                adds += 1;
                self.data_places(*op).iter().for_each(|&at| args[at] = adds);
            }
        }
        adds <= values
    }

    /// The largest value that an add carries.
    fn most_values(&self) -> Word {
        let adds = |choice: &&CallChoice| self.program.spec.adds.contains(&choice.op);
        let choices = self.general.choices(ThreadId::new(0), 0).iter().filter(adds);
        let values = choices.flat_map(|choice| {
            self.data_places(choice.op).into_iter().map(|at| choice.args[at]).collect::<Vec<_>>()
        });
        values.max().unwrap_or(Word::MAX)
    }

    /// The adds before the threads start, with the first values in order: one list of them, none if there is no such operation
    /// or there are not enough values. With distinct priorities those are left open: a list for each choice.
    fn preadd_calls(&self, count: usize) -> Vec<Vec<Call>> {
        let any_priority = self.is_restricted_to(Restriction::DistinctPriorities);
        let mut lists = vec![Vec::new()];
        for k in 0..count {
            let Some(&add) = self.program.spec.adds.first() else { return Vec::new() };
            let fits = |choice: &&CallChoice| {
                choice.op == add && is_nth(self.program, choice.op, &choice.args, k, any_priority)
            };
            let choices = self.general.choices(ThreadId::new(0), 0).iter().filter(fits);
            let calls: Vec<Call> = choices.map(|choice| (add, choice.args.to_vec())).collect();
            let longer = |list: &Vec<Call>| -> Vec<Vec<Call>> {
                calls.iter().map(|call| [list.as_slice(), std::slice::from_ref(call)].concat()).collect()
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        lists
    }

    /// Whether priorities and numbers of calls are as the restrictions want them.
    fn obeys(&self, schedule: &Schedule) -> bool {
        let calls = || schedule.preadds.iter().chain(schedule.threads.iter().flatten());
        let adds = || calls().filter(|(op, _)| self.program.spec.adds.contains(op));
        let is_distinct = || {
            let rank = |(op, args): &Call| priority(self.program, *op, args);
            let mut ranks: Vec<i64> = adds().filter_map(rank).collect();
            ranks.sort_unstable();
            ranks.iter().zip(0..).all(|(&rank, k)| rank == k)
        };
        let removes = || calls().filter(|(op, _)| self.program.spec.removes.contains(op)).count();
        (!self.is_restricted_to(Restriction::DistinctPriorities) || is_distinct())
            && (!self.is_restricted_to(Restriction::AddsDominate) || removes() <= adds().count())
    }
}
