//! Schedules: every way to give a number of calls to the threads (COLLECT 4.1).
//!
//! A schedule is a list of calls for each thread, none empty. Threads that may call the same are interchangeable, so of all
//! schedules that differ by an exchange of them only the one with its lists in order is kept. Before the threads start,
//! thread 0 makes the *pre-adds*: the specification's `#[adds]` operation with the first values in order.

use linchpin_core::index::Index;
use linchpin_core::ir::{OpId, Program};
use linchpin_core::semantics::client::General;
use linchpin_core::semantics::{CallChoice, Client, ThreadId};
use linchpin_core::types::{Scalar, Word};

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

/// Which schedules are left out; they can miss a violation, so the scope names them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Restriction {
    /// The k-th add adds value k, pre-adds counted.
    GenericValues,
    /// k adds carry a permutation of the k least priorities.
    DistinctPriorities,
    /// No more removes than adds, pre-adds counted.
    AddsDominate,
}

impl Restriction {
    pub const ALL: [Restriction; 3] =
        [Restriction::GenericValues, Restriction::DistinctPriorities, Restriction::AddsDominate];

    /// As `check` blocks spell it.
    pub fn name(self) -> &'static str {
        match self {
            Restriction::GenericValues => "generic_values",
            Restriction::DistinctPriorities => "distinct_priorities",
            Restriction::AddsDominate => "adds_dominate",
        }
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
    let any_priority = restrictions.contains(&Restriction::DistinctPriorities);
    for preadds in preadd_calls(program, general, preadds, any_priority) {
        extend(program, general, threads, steps, &mut Vec::new(), &mut |lists| {
            let schedule = Schedule { preadds: preadds.clone(), threads: lists.to_vec() };
            if restrictions.iter().all(|&restriction| obeys(program, &schedule, restriction)) {
                found.push(schedule);
            }
        });
    }
    found
}

/// Gives the next thread a list of calls, each thread to come at least one, and goes on.
fn extend(
    program: &Program,
    general: &General,
    threads: usize,
    steps: usize,
    lists: &mut Vec<Vec<Call>>,
    tell: &mut dyn FnMut(&[Vec<Call>]),
) {
    let left = threads - lists.len();
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
    let lengths = if left == 1 { steps..=steps } else { 1..=steps - (left - 1) };
    for length in lengths {
        for list in call_lists(general, thread, length) {
            let alike =
                |before: usize| general.role(program, ThreadId::new(before)) == general.role(program, thread);
            if let Some(last) = lists.last()
                && alike(lists.len() - 1)
                && (last.len(), last) > (list.len(), &list)
            {
                continue;
            }
            lists.push(list);
            extend(program, general, threads, steps - length, lists, tell);
            lists.pop();
        }
    }
}

/// Every list of calls of a length that the thread's role allows.
fn call_lists(general: &General, thread: ThreadId, length: usize) -> Vec<Vec<Call>> {
    let mut lists: Vec<(u32, Vec<Call>)> = vec![(0, Vec::new())];
    for _ in 0..length {
        lists = lists
            .iter()
            .flat_map(|(position, list)| {
                general.choices(thread, *position).iter().map(move |choice: &CallChoice| {
                    let call = (choice.op, choice.args.to_vec());
                    (choice.next_position, [list.as_slice(), &[call]].concat())
                })
            })
            .collect();
    }
    lists.into_iter().map(|(_, list)| list).collect()
}

/// The adds before the threads start, with the first values in order: one list of them, none if there is no such operation
/// or there are not enough values. With `any_priority` their priorities are left open: a list for each choice.
fn preadd_calls(program: &Program, general: &General, count: usize, any_priority: bool) -> Vec<Vec<Call>> {
    let mut lists = vec![Vec::new()];
    for k in 0..count {
        let Some(&add) = program.spec.adds.first() else { return Vec::new() };
        let fits = |choice: &&CallChoice| choice.op == add && is_nth(program, choice, k, any_priority);
        let choices = general.choices(ThreadId::new(0), 0).iter().filter(fits);
        let calls: Vec<Call> = choices.map(|choice| (add, choice.args.to_vec())).collect();
        let longer = |list: &Vec<Call>| -> Vec<Vec<Call>> {
            calls.iter().map(|call| [list.as_slice(), std::slice::from_ref(call)].concat()).collect()
        };
        lists = lists.iter().flat_map(longer).collect();
    }
    lists
}

/// Whether a call is the k-th add (from 0): every `data` and `key` is k + 1, every number k more than the least, all else 0.
fn is_nth(program: &Program, choice: &CallChoice, k: usize, any_priority: bool) -> bool {
    let slots = program.ops[choice.op].params.iter().flat_map(|&ty| program.types.slots(ty));
    slots.zip(&choice.args).all(|(slot, &word)| match slot.scalar {
        Scalar::Key | Scalar::Range { .. } if any_priority => true,
        Scalar::Data | Scalar::Key => word == k as Word + 1,
        Scalar::Range { low, .. } => i64::from(word) == low + k as i64,
        _ => word == 0,
    })
}

fn obeys(program: &Program, schedule: &Schedule, restriction: Restriction) -> bool {
    let calls = || schedule.preadds.iter().chain(schedule.threads.iter().flatten());
    let adds = || calls().filter(|(op, _)| program.spec.adds.contains(op));
    match restriction {
        Restriction::GenericValues => adds().enumerate().all(|(k, (op, args))| {
            let slots = program.ops[*op].params.iter().flat_map(|&ty| program.types.slots(ty));
            slots
                .zip(args)
                .filter(|(slot, _)| slot.scalar == Scalar::Data)
                .all(|(_, &word)| word == k as Word + 1)
        }),
        Restriction::DistinctPriorities => {
            let mut ranks: Vec<i64> = adds().filter_map(|(op, args)| priority(program, *op, args)).collect();
            ranks.sort_unstable();
            ranks.iter().enumerate().all(|(k, &rank)| rank == k as i64)
        }
        Restriction::AddsDominate => {
            calls().filter(|(op, _)| program.spec.removes.contains(op)).count() <= adds().count()
        }
    }
}

/// The rank, from 0, of the argument that is a `key` or a number: the priority of an add.
fn priority(program: &Program, op: OpId, args: &[Word]) -> Option<i64> {
    let slots = program.ops[op].params.iter().flat_map(|&ty| program.types.slots(ty));
    slots.zip(args).find_map(|(slot, &word)| match slot.scalar {
        Scalar::Key => Some(i64::from(word) - 1),
        Scalar::Range { low, .. } => Some(i64::from(word) - low),
        _ => None,
    })
}
