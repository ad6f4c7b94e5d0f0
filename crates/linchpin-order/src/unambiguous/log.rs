//! Decides histories of a log in which no value is put twice. This takes as many steps as values were read,
//! and O(n log n) steps for n calls.
//!
//! A *log* is a sequence. A start replaces the sequence by its value, an append adds its value at the end,
//! and a read returns the whole sequence. The list-append tests of Jepsen are such histories.
//!
//! An *era* is what one start begins: the start, and the appends whose values reads show behind the value of
//! the start. The appends that reads show without a start are the era of the initial, empty sequence. Its
//! start ends before all calls. A *block* is an era with the reads of its values, or a start or an append
//! that no read shows. In a legal order:
//!
//! - The appends of an era come in the order in which a read shows them. A read comes behind the last value
//!   that it shows, and before the next value of the era.
//! - The calls of a block are neighbours. The last call of an era is a read, since each append of the era is
//!   shown. A start or an append of another block between two calls of the era would be shown by that read.
//!
//! **Claim.** The history is legal iff three conditions hold. Each two reads of one era show lists of which
//! one begins with the other, and no value is in two eras. The order of each era keeps the precedence. The
//! blocks can be placed ([`blocks`](super::blocks)).
//!
//! Proof. Only if: see above. If: place the blocks. Each era but the initial one begins with its start, so
//! it does not matter what the sequence is before it. The initial era comes first.
//!
//! **Core.** A legal order stays legal without a block, and without a read. It stays legal without the last
//! values of an era if no read that stays shows them. So a core is judged by itself. The search of a core
//! keeps the *edges*: the order of each era, and all calls of the block that must come first before all calls
//! of the other.
//!
//! A pending start or append that a read shows never ends. One that no read shows is dropped, and so is a
//! pending read: they explain no result.

use super::LogProblem;
use super::blocks::{Conflict, Extent, place};
use super::values::Span;
use crate::call::{CallId, CallMap, number_of};
use crate::spec::LogCall;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The answer of the decider.
pub(super) enum LogDecision {
    /// The effects of all completed and some pending calls.
    Order(Vec<CallId>),
    /// Calls that have no legal order by themselves.
    Core(Core),
}

/// Calls, and pairs that every legal order keeps.
#[derive(Default)]
pub(super) struct Core {
    pub calls: Vec<CallId>,
    pub edges: Vec<(CallId, CallId)>,
}

/// A start or an append.
#[derive(Clone, Copy)]
struct Write {
    call: CallId,
    span: Span,
    is_start: bool,
}

/// A read of the first `len` values of an era.
#[derive(Clone, Copy)]
struct Read {
    call: CallId,
    span: Span,
    len: usize,
}

/// The values that one start begins, and their reads. Without reads: a start or an append that no read shows.
#[derive(Default)]
struct Era {
    writes: Vec<Write>,
    /// By length, then by start.
    reads: Vec<Read>,
}

/// Decides a history; `None` if a value is put twice. Then [`resolve`] guesses.
pub(super) fn decide(problem: &LogProblem) -> Option<LogDecision> {
    let mut writes: FxHashMap<u32, Write> = FxHashMap::default();
    for (call, span) in problem.calls() {
        let (value, is_start) = match problem.roles[call] {
            LogCall::Start(value) => (value, true),
            LogCall::Append(value) => (value, false),
            LogCall::Read(_) => continue,
        };
        if writes.insert(value, Write { call, span, is_start }).is_some() {
            return None;
        }
    }
    let mut eras = match eras(problem, &writes) {
        Ok(eras) => eras,
        Err(core) => return Some(LogDecision::Core(core)),
    };
    if let Some(core) = eras.iter().find_map(Era::disorder) {
        return Some(LogDecision::Core(core));
    }
    let mut shown: Vec<CallId> =
        eras.iter().flat_map(|era| era.writes.iter().map(|write| write.call)).collect();
    shown.sort_unstable();
    let mut unseen: Vec<Write> = writes.into_values().collect();
    unseen.retain(|write| !problem.is_pending(write.call) && shown.binary_search(&write.call).is_err());
    unseen.sort_unstable_by_key(|write| write.call);
    eras.extend(unseen.into_iter().map(|write| Era { writes: vec![write], reads: Vec::new() }));
    let extents: Vec<Extent> = eras.iter().map(Era::extent).collect();
    Some(match place(&extents) {
        Ok(placed) => {
            LogDecision::Order(placed.into_iter().flat_map(|number| eras[number].order()).collect())
        }
        Err(Conflict { first, second }) => {
            let [mut core, other] = [first, second].map(|number| eras[number].core(extents[number]));
            let next = other.calls[0];
            core.edges.extend(core.calls.clone().into_iter().map(|call| (call, next)));
            core.add(other);
            LogDecision::Core(core)
        }
    })
}

/// Gives each start and append a value of its own, if a value is put twice; `None` otherwise.
///
/// A read shows the call that starts last among those that can come before the next call that the read
/// shows. This is a guess, so a core of the new history says nothing.
pub(super) fn resolve(problem: &LogProblem) -> Option<CallMap<LogCall>> {
    let mut puts: FxHashMap<u32, Vec<(CallId, Span)>> = FxHashMap::default();
    for (call, span) in problem.calls() {
        if let LogCall::Start(value) | LogCall::Append(value) = problem.roles[call] {
            puts.entry(value).or_default().push((call, span));
        }
    }
    if puts.values().all(|puts| puts.len() == 1) {
        return None;
    }
    let mut roles = problem.roles.clone();
    let own = |call: CallId| number_of(call.index());
    for (call, span) in problem.calls() {
        roles[call] = match &problem.roles[call] {
            LogCall::Start(_) => LogCall::Start(own(call)),
            LogCall::Append(_) => LogCall::Append(own(call)),
            LogCall::Read(None) => continue,
            LogCall::Read(Some(list)) => {
                let mut end = span.end;
                let mut shown = Vec::with_capacity(list.len());
                for value in list.iter().rev() {
                    let before = puts.get(value)?.iter().filter(|(_, put)| put.start < end);
                    let (put, span) = before.max_by_key(|(put, span)| (span.start, *put))?;
                    end = end.min(span.end);
                    shown.push(own(*put));
                }
                shown.reverse();
                LogCall::Read(Some(shown.into()))
            }
        };
    }
    Some(roles)
}

/// Returns the eras that reads show, the initial one first; calls without a legal order if the reads do not
/// fit together.
fn eras(problem: &LogProblem, writes: &FxHashMap<u32, Write>) -> Result<Vec<Era>, Core> {
    /// The longest list that a read of the era shows.
    struct Longest {
        list: Arc<[u32]>,
        read: CallId,
    }
    let mut longest: Vec<Longest> = Vec::new();
    let mut eras: Vec<Era> = Vec::new();
    let mut initial = None;
    // The era of each value that was read, and a read that shows the value.
    let mut place_of: FxHashMap<u32, (usize, CallId)> = FxHashMap::default();
    for (call, span) in problem.calls() {
        let LogCall::Read(Some(list)) = &problem.roles[call] else { continue };
        let alone = |read: CallId, list: &[u32]| Core::of_read(read, list, writes);
        let begins = |value: &u32| writes.get(value).is_some_and(|write| write.is_start);
        let known = match list.first() {
            Some(first) if begins(first) => place_of.get(first).map(|(era, _)| *era),
            _ => initial,
        };
        let era = known.unwrap_or(eras.len());
        if known.is_none() {
            if !list.first().is_some_and(begins) {
                initial = Some(era);
            }
            eras.push(Era::default());
            longest.push(Longest { list: Arc::new([]), read: call });
        }
        let seen = longest[era].list.clone();
        let common = seen.len().min(list.len());
        if seen[..common] != list[..common] {
            let mut core = alone(call, list);
            core.add(alone(longest[era].read, &seen));
            return Err(core);
        }
        for (at, value) in list.iter().enumerate().skip(common) {
            let Some(&write) = writes.get(value) else { return Err(alone(call, list)) };
            let other = place_of.insert(*value, (era, call));
            if write.is_start != (at == 0 && Some(era) != initial) || other.is_some() {
                let mut core = alone(call, list);
                if let Some((_, read)) = other
                    && let LogCall::Read(Some(list)) = &problem.roles[read]
                {
                    core.add(alone(read, list));
                }
                return Err(core);
            }
            eras[era].writes.push(write);
        }
        if list.len() > seen.len() {
            longest[era] = Longest { list: list.clone(), read: call };
        }
        eras[era].reads.push(Read { call, span, len: list.len() });
    }
    for era in &mut eras {
        era.reads.sort_unstable_by_key(|read| (read.len, read.span.start, read.call));
    }
    Ok(eras)
}

impl Era {
    /// Returns the calls in their order, each with its span and the number of values behind the call.
    fn calls(&self) -> impl Iterator<Item = (CallId, Span, usize)> {
        let mut writes = self.writes.iter().enumerate().map(|(at, write)| (write.call, write.span, at + 1));
        let mut reads = self.reads.iter().map(|read| (read.call, read.span, read.len)).peekable();
        let mut len = 0;
        std::iter::from_fn(move || {
            if let Some(read) = reads.next_if(|read| read.2 <= len) {
                return Some(read);
            }
            len += 1;
            writes.next()
        })
    }

    fn order(&self) -> Vec<CallId> {
        self.calls().map(|(call, ..)| call).collect()
    }

    fn extent(&self) -> Extent {
        // The start of the initial era ends before all calls.
        let is_initial = self.writes.first().is_none_or(|write| !write.is_start) && !self.reads.is_empty();
        let mut extent = Extent {
            first_end: if is_initial { (1, None) } else { (usize::MAX, None) },
            last_start: (0, None),
        };
        for (call, span, _) in self.calls() {
            extent.first_end = extent.first_end.min((span.end, Some(call)));
            extent.last_start = extent.last_start.max((span.start, Some(call)));
        }
        extent
    }

    /// Returns calls that cannot come in the order of the era.
    fn disorder(&self) -> Option<Core> {
        let mut last_start = (0, None);
        for (call, span, _) in self.calls() {
            if span.end < last_start.0 {
                return Some(self.core_of([Some(call), last_start.1]));
            }
            last_start = last_start.max((span.start, Some(call)));
        }
        None
    }

    fn core(&self, extent: Extent) -> Core {
        self.core_of([extent.first_end.1, extent.last_start.1])
    }

    /// Returns the calls, and those that show that they belong to the era.
    fn core_of(&self, calls: [Option<CallId>; 2]) -> Core {
        let is_asked = |call: CallId| calls.contains(&Some(call));
        let len = self.calls().filter(|(call, ..)| is_asked(*call)).map(|(.., len)| len).max().unwrap_or(0);
        let covering = self.reads.partition_point(|read| read.len < len);
        // A longer read shows more values, so the core has these too.
        let len = self.reads.get(covering).map_or(len, |read| read.len);
        let writes = &self.writes[..len.min(self.writes.len())];
        let mut core = Core::default();
        core.chain(writes.iter().map(|write| write.call));
        let reads = self.reads.iter().enumerate();
        for (_, read) in reads.filter(|(at, read)| *at == covering || is_asked(read.call)) {
            let before = read.len.checked_sub(1).and_then(|at| writes.get(at));
            let after = writes.get(read.len);
            core.edges.extend(before.map(|write| (write.call, read.call)));
            core.edges.extend(after.map(|write| (read.call, write.call)));
            core.calls.push(read.call);
        }
        core
    }
}

impl Core {
    /// A read, and the calls whose values it shows.
    fn of_read(read: CallId, list: &[u32], writes: &FxHashMap<u32, Write>) -> Core {
        let mut core = Core::default();
        core.chain(list.iter().filter_map(|value| writes.get(value)).map(|write| write.call));
        let last = core.calls.last().copied();
        core.edges.extend(last.map(|last| (last, read)));
        core.calls.push(read);
        core
    }

    fn chain(&mut self, writes: impl Iterator<Item = CallId>) {
        self.calls.extend(writes);
        self.edges.extend(self.calls.windows(2).map(|two| (two[0], two[1])));
    }

    fn add(&mut self, other: Core) {
        self.calls.extend(other.calls);
        self.edges.extend(other.edges);
    }
}
