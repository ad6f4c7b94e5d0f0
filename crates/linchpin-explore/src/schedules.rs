//! Schedules, one by one: every way to give a number of calls to the threads (COLLECT 4.1).
//!
//! A schedule is a list of calls for each thread, none empty. Threads that may call the same are interchangeable, so of all
//! schedules that differ by an exchange of them only the one with its lists in order is kept. Where values are generic they
//! are given out after that: which add is the k-th does not tell schedules apart. Before the threads start, thread 0 makes the
//! *pre-adds*: the specification's `#[adds]` operation with the first values in order.
//!
//! The search runs all schedules of a scope at once ([`linchpin_semantics::client::Schedules`]); here they are counted, and
//! listed for whoever wants to run them one by one.

use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{Scalar, Word};
use linchpin_semantics::client::{General, is_nth, priority};
use linchpin_semantics::{CallChoice, Client, Restriction, ThreadId};
use std::ops::ControlFlow;

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
    let lists = ScheduleLists { program, general, threads, restrictions };
    lists.all(steps, preadds, &mut || true).unwrap_or_default()
}

/// How many schedules were counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    pub number: u64,
    /// There are no others. Otherwise there are more than anybody counts, or the budget ended.
    pub is_all: bool,
}

/// More schedules than this are neither counted nor listed: it would take longer than many a search of all of them.
const MOST_COUNTED: u64 = 10_000_000;
/// Lists of more calls are not counted: there is one recursion a call.
const LONGEST_LIST: usize = 10_000;
/// Lists between two looks at the budget.
const BETWEEN_LOOKS: u32 = 1024;

/// The schedules of a program for a number of threads, to be listed or counted.
pub struct ScheduleLists<'s> {
    pub program: &'s Program,
    pub general: &'s General,
    pub threads: usize,
    pub restrictions: &'s [Restriction],
}

impl ScheduleLists<'_> {
    /// Those of so many calls and pre-adds; `None` if there are more than anybody counts, or if `go_on` ended it.
    pub fn all(
        &self,
        steps: usize,
        preadds: usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Schedule>> {
        let mut found = Vec::new();
        let end = self.for_each(steps, preadds, go_on, &mut |schedule| found.push(schedule));
        end.is_continue().then_some(found)
    }

    /// How many there are, as long as `go_on` says so.
    pub fn number(&self, steps: usize, preadds: usize, go_on: &mut dyn FnMut() -> bool) -> Counted {
        let mut number = 0;
        let end = self.for_each(steps, preadds, go_on, &mut |_| number += 1);
        Counted { number, is_all: end.is_continue() }
    }

    fn for_each(
        &self,
        steps: usize,
        preadds: usize,
        go_on: &mut dyn FnMut() -> bool,
        tell: &mut dyn FnMut(Schedule),
    ) -> ControlFlow<()> {
        if steps.max(preadds) > LONGEST_LIST {
            return ControlFlow::Break(());
        }
        let mut told = 0;
        let is_generic = self.is_restricted_to(Restriction::GenericValues);
        let mut looks = 0u32;
        let mut look = move || {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(BETWEEN_LOOKS) && !go_on() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        self.preadd_calls(preadds, &mut |preadds| {
            self.extend(steps, &mut Vec::new(), &mut |lists| {
                look()?;
                let Some(lists) = lists else { return ControlFlow::Continue(()) };
                let mut schedule = Schedule { preadds: preadds.to_vec(), threads: lists.to_vec() };
                if self.obeys(&schedule) && (!is_generic || self.give_values(&mut schedule)) {
                    told += 1;
                    if told > MOST_COUNTED {
                        return ControlFlow::Break(());
                    }
                    tell(schedule);
                }
                ControlFlow::Continue(())
            })
        })
    }

    fn is_restricted_to(&self, restriction: Restriction) -> bool {
        self.restrictions.contains(&restriction)
    }

    /// Gives the next thread a list of calls, each thread to come at least one, and goes on. `tell` is called with every way to
    /// do so, and with `None` on the way, so that it can end what has not come to any.
    fn extend(
        &self,
        steps: usize,
        lists: &mut Vec<Vec<Call>>,
        tell: &mut dyn FnMut(Option<&[Vec<Call>]>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let left = self.threads - lists.len();
        if left == 0 {
            return if steps == 0 { tell(Some(lists)) } else { ControlFlow::Continue(()) };
        }
        if steps < left {
            return ControlFlow::Continue(());
        }
        let lengths = if left == 1 { steps..=steps } else { 1..=steps - (left - 1) };
        for length in lengths {
            self.call_list(length, steps, 0, &mut Vec::new(), lists, tell)?;
        }
        ControlFlow::Continue(())
    }

    /// Every list of calls of a length that the next thread's role allows, begun with `list`; of those that differ in generic values one.
    fn call_list(
        &self,
        length: usize,
        steps: usize,
        position: u32,
        list: &mut Vec<Call>,
        lists: &mut Vec<Vec<Call>>,
        tell: &mut dyn FnMut(Option<&[Vec<Call>]>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let thread = ThreadId::new(lists.len());
        if list.len() == length {
            tell(None)?;
            let role = |thread: ThreadId| self.general.role(self.program, thread);
            if let Some(last) = lists.last()
                && role(ThreadId::new(lists.len() - 1)) == role(thread)
                && (last.len(), last) > (list.len(), &*list)
            {
                return ControlFlow::Continue(());
            }
            lists.push(list.clone());
            self.extend(steps - length, lists, tell)?;
            lists.pop();
            return ControlFlow::Continue(());
        }
        let is_generic = self.is_restricted_to(Restriction::GenericValues);
        for choice in self.general.choices(thread, position) {
            if is_generic && self.data_places(choice.op).iter().any(|at| choice.args[*at] != 1) {
                continue;
            }
            list.push((choice.op, choice.args.to_vec()));
            self.call_list(length, steps, choice.next_position, list, lists, tell)?;
            list.pop();
        }
        ControlFlow::Continue(())
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
    fn preadd_calls(
        &self,
        count: usize,
        tell: &mut dyn FnMut(&[Call]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.further_preadds(count, &mut Vec::new(), tell)
    }

    fn further_preadds(
        &self,
        count: usize,
        list: &mut Vec<Call>,
        tell: &mut dyn FnMut(&[Call]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if list.len() == count {
            return tell(list);
        }
        let any_priority = self.is_restricted_to(Restriction::DistinctPriorities);
        let Some(&add) = self.program.spec.adds.first() else { return ControlFlow::Continue(()) };
        for choice in self.general.choices(ThreadId::new(0), 0) {
            if choice.op == add && is_nth(self.program, add, &choice.args, list.len(), any_priority) {
                list.push((add, choice.args.to_vec()));
                self.further_preadds(count, list, tell)?;
                list.pop();
            }
        }
        ControlFlow::Continue(())
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
