//! Schedules: every distribution of a number of calls over the threads (COLLECT 4.1).
//!
//! A schedule is a non-empty list of calls for each thread. Threads of one role are interchangeable. Of
//! schedules that differ by an exchange of such threads, only the one with its lists in order is kept.
//! Generic values are assigned after that: which add is the k-th does not distinguish schedules. Before the
//! threads start, thread 0 makes the *pre-adds*: calls of the specification's `#[adds]` operation with the
//! first values in order.
//!
//! The search runs all schedules of a scope at once ([`linchpin_semantics::client::Schedules`]). This module
//! counts the schedules, and lists them for `--keep-going`.

use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{Scalar, Word};
use linchpin_semantics::client::{General, is_nth, priority};
use linchpin_semantics::{CallChoice, Client, Restriction, ThreadId};
use std::ops::ControlFlow;

/// An operation with its arguments.
pub type Call = (OpId, Vec<Word>);

/// The pre-adds, and the calls of each thread.
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

/// Returns all schedules with these numbers of threads, calls and pre-adds, in a fixed order.
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

/// A count of schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    pub number: u64,
    /// The count is complete. Otherwise there are too many schedules, or the budget is exhausted.
    pub is_all: bool,
}

/// The limit on schedules that are counted or listed. Beyond it, counting would take longer than many
/// searches.
const MOST_COUNTED: u64 = 10_000_000;
/// The limit on calls of a list. Each call is one level of recursion.
const LONGEST_LIST: usize = 10_000;
/// The number of lists between two polls of the budget.
const BETWEEN_POLLS: u32 = 1024;

/// Lists and counts the schedules of a program for a number of threads.
pub struct ScheduleLists<'s> {
    pub program: &'s Program,
    pub general: &'s General,
    pub threads: usize,
    pub restrictions: &'s [Restriction],
}

impl ScheduleLists<'_> {
    /// Returns the schedules with these numbers of calls and pre-adds; `None` if there are too many, or if
    /// `go_on` returns `false`.
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

    /// Counts the schedules, as long as `go_on` returns `true`.
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
        visit: &mut dyn FnMut(Schedule),
    ) -> ControlFlow<()> {
        if steps.max(preadds) > LONGEST_LIST {
            return ControlFlow::Break(());
        }
        let mut visited = 0;
        let is_generic = self.is_restricted_to(Restriction::GenericValues);
        let mut polls = 0u32;
        let mut poll = move || {
            polls = polls.wrapping_add(1);
            if polls.is_multiple_of(BETWEEN_POLLS) && !go_on() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        self.preadd_calls(preadds, &mut |preadds| {
            self.extend(steps, &mut Vec::new(), &mut |lists| {
                poll()?;
                let Some(lists) = lists else { return ControlFlow::Continue(()) };
                let mut schedule = Schedule { preadds: preadds.to_vec(), threads: lists.to_vec() };
                if self.obeys(&schedule) && (!is_generic || self.give_values(&mut schedule)) {
                    visited += 1;
                    if visited > MOST_COUNTED {
                        return ControlFlow::Break(());
                    }
                    visit(schedule);
                }
                ControlFlow::Continue(())
            })
        })
    }

    fn is_restricted_to(&self, restriction: Restriction) -> bool {
        self.restrictions.contains(&restriction)
    }

    /// Extends `lists` by a list of calls for each further thread. Calls `visit` with every result. Calls
    /// `visit(None)` for partial results, so that `visit` can end the enumeration.
    fn extend(
        &self,
        steps: usize,
        lists: &mut Vec<Vec<Call>>,
        visit: &mut dyn FnMut(Option<&[Vec<Call>]>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let left = self.threads - lists.len();
        if left == 0 {
            return if steps == 0 { visit(Some(lists)) } else { ControlFlow::Continue(()) };
        }
        if steps < left {
            return ControlFlow::Continue(());
        }
        let lengths = if left == 1 { steps..=steps } else { 1..=steps - (left - 1) };
        for length in lengths {
            self.call_list(length, steps, 0, &mut Vec::new(), lists, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Extends `list` to every list of calls of a length that the next thread's role allows. Of lists that
    /// differ only in generic values, one is made.
    fn call_list(
        &self,
        length: usize,
        steps: usize,
        position: u32,
        list: &mut Vec<Call>,
        lists: &mut Vec<Vec<Call>>,
        visit: &mut dyn FnMut(Option<&[Vec<Call>]>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let thread = ThreadId::new(lists.len());
        if list.len() == length {
            visit(None)?;
            let role = |thread: ThreadId| self.general.role(self.program, thread);
            if let Some(last) = lists.last()
                && role(ThreadId::new(lists.len() - 1)) == role(thread)
                && (last.len(), last) > (list.len(), &*list)
            {
                return ControlFlow::Continue(());
            }
            lists.push(list.clone());
            self.extend(steps - length, lists, visit)?;
            lists.pop();
            return ControlFlow::Continue(());
        }
        let is_generic = self.is_restricted_to(Restriction::GenericValues);
        for choice in self.general.choices(thread, position) {
            if is_generic && self.data_places(choice.op).iter().any(|at| choice.args[*at] != 1) {
                continue;
            }
            list.push((choice.op, choice.args.to_vec()));
            self.call_list(length, steps, choice.next_position, list, lists, visit)?;
            list.pop();
        }
        ControlFlow::Continue(())
    }

    /// Returns the positions of the values of an add.
    fn data_places(&self, op: OpId) -> Vec<usize> {
        if !self.program.spec.adds.contains(&op) {
            return Vec::new();
        }
        let slots = self.program.ops[op].params.iter().flat_map(|&ty| self.program.types.slots(ty));
        slots.enumerate().filter(|(_, slot)| slot.scalar == Scalar::Data).map(|(at, _)| at).collect()
    }

    /// Assigns value k to the k-th add. Returns whether there are enough values.
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

    /// Returns the largest value of an add.
    fn most_values(&self) -> Word {
        let adds = |choice: &&CallChoice| self.program.spec.adds.contains(&choice.op);
        let choices = self.general.choices(ThreadId::new(0), 0).iter().filter(adds);
        let values = choices.flat_map(|choice| {
            self.data_places(choice.op).into_iter().map(|at| choice.args[at]).collect::<Vec<_>>()
        });
        values.max().unwrap_or(Word::MAX)
    }

    /// Visits the lists of pre-adds, with the first values in order. There is one list, or none without an
    /// `#[adds]` operation or with too few values. With distinct priorities there is a list for each choice
    /// of priorities.
    fn preadd_calls(
        &self,
        count: usize,
        visit: &mut dyn FnMut(&[Call]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.further_preadds(count, &mut Vec::new(), visit)
    }

    fn further_preadds(
        &self,
        count: usize,
        list: &mut Vec<Call>,
        visit: &mut dyn FnMut(&[Call]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if list.len() == count {
            return visit(list);
        }
        let any_priority = self.is_restricted_to(Restriction::DistinctPriorities);
        let Some(&add) = self.program.spec.adds.first() else { return ControlFlow::Continue(()) };
        for choice in self.general.choices(ThreadId::new(0), 0) {
            if choice.op == add && is_nth(self.program, add, &choice.args, list.len(), any_priority) {
                list.push((add, choice.args.to_vec()));
                self.further_preadds(count, list, visit)?;
                list.pop();
            }
        }
        ControlFlow::Continue(())
    }

    /// Checks the restrictions on priorities and on numbers of calls.
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
