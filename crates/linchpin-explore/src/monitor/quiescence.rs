//! Quiescent consistency: one order of all calls that respects every quiescent moment explains all results (COLLECT 2.2).
//!
//! A moment is quiescent if no call is pending. What lies between two of them is a *period*; its calls may have taken effect in
//! any order, whatever their threads. A period that is over is over for good, so all that is kept of it is the set of
//! specification states in which it may have ended; if that is empty, the history is rejected there and then. Of the period that
//! is not over the calls that returned are kept, with their results.
//!
//! Whose call it was is kept where the specification says `me`, or calls meet: only then can it matter.
//!
//! **Stuck ends.** A pending call is justified as if the other pending calls had never been made. Without them there may be
//! more quiescent moments, and which calls never return is not known before the end. So the state has several *ways*: for
//! each set of pending calls the history without them. A return ends the ways without its call. Where a specification
//! never blocks a stuck end is never legal, and the way that leaves nothing out is enough.
//!
//! **One barrier.** COLLECT's driver puts one barrier into a schedule and asks for an order of what comes before it and one of what
//! comes after (4.3): of the quiescent moments only one counts, and there is an order for each choice of it. The ways are then
//! those of all choices so far: at a quiescent moment a way without a barrier goes on without one, and with one here. A way
//! with a barrier has no other, and an end is legal if all ways are.

use super::digest::digest;
use super::explain::Completed;
use super::record::{Names, Record, Token};
use super::sequential::{CallId, ResultId, SpecId};
use super::{Event, Monitor, MonitorId, MonitorKind};
use linchpin_ir::index::{byte_of, number_of};
use linchpin_semantics::SpecError;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct QuiescentPeriods {
    pub pending: Vec<Option<CallId>>,
    /// In the order of what they leave out.
    pub ways: Vec<Way>,
}

/// The history without some pending calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Way {
    /// The threads whose calls are left out, a bit each.
    pub without: u32,
    /// Its one barrier has been passed.
    pub is_past_barrier: bool,
    /// In which states the last period that is over may have ended.
    pub since: Vec<SpecId>,
    /// The calls of this period that returned, sorted.
    pub returned: Vec<Completed>,
}

impl Monitor<'_> {
    pub(super) fn initial_periods(&mut self) -> Result<MonitorId, SpecError> {
        let mut since = self.sequential.initial()?;
        since.sort_unstable();
        since.dedup();
        let all = Way { without: 0, is_past_barrier: false, since, returned: Vec::new() };
        Ok(self.intern_record(&QuiescentPeriods { pending: vec![None; self.threads], ways: vec![all] }))
    }

    /// `None`: rejected.
    pub(super) fn advance_periods(
        &mut self,
        from: MonitorId,
        event: Event,
    ) -> Result<Option<MonitorId>, SpecError> {
        let mut periods: QuiescentPeriods = self.record(from);
        match event {
            Event::Lin { .. } => {}
            Event::Call { thread, call } => {
                periods.pending[thread as usize] = Some(call);
                if self.spec_may_block {
                    let without = |way: &Way| Way { without: way.without | 1 << thread, ..way.clone() };
                    let more: Vec<Way> = periods.ways.iter().map(without).collect();
                    periods.ways.extend(more);
                }
            }
            Event::Return { thread, result } => {
                let Some(call) = periods.pending[thread as usize].take() else { return Ok(Some(from)) };
                let depends_on_thread = self.sequential.names_caller() || self.sequential.has_rendezvous();
                let by = depends_on_thread.then_some(thread);
                periods.ways.retain(|way| way.without >> thread & 1 == 0);
                let pending = mask(&periods.pending);
                let has_one_barrier = self.method == MonitorKind::Barrier;
                let mut barred = Vec::new();
                for way in &mut periods.ways {
                    way.returned.push(Completed { call, result, thread: by });
                    way.returned.sort_unstable();
                    if pending & !way.without != 0 || way.is_past_barrier {
                        continue;
                    }
                    let since = self.period_ends(way)?;
                    if has_one_barrier {
                        barred.push(Way { is_past_barrier: true, since, returned: Vec::new(), ..*way });
                    } else {
                        way.since = since;
                        way.returned.clear();
                    }
                }
                periods.ways.extend(barred);
                // One barrier is judged at ends alone, as COLLECT's driver does it.
                if !has_one_barrier && periods.ways.iter().any(|way| way.without == 0 && way.since.is_empty())
                {
                    return Ok(None);
                }
            }
        }
        periods.ways.sort();
        periods.ways.dedup();
        Ok(Some(self.intern_record(&periods)))
    }

    pub(super) fn are_legal_periods(&mut self, state: MonitorId) -> Result<bool, SpecError> {
        let periods: QuiescentPeriods = self.record(state);
        let pending = mask(&periods.pending);
        if pending == 0 {
            for way in &periods.ways {
                if self.period_ends(way)?.is_empty() {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        // Each choice of a barrier in turn; there is one even where no barrier was passed.
        let of_thread = |thread: usize| {
            let without = pending & !(1 << thread);
            periods.ways.iter().filter(move |way| way.without == without)
        };
        let choices = (0..periods.pending.len()).map(|thread| of_thread(thread).count()).max().unwrap_or(0);
        for choice in 0..choices.max(1) {
            let are_justified = self.all_must_wait(&periods.pending, |monitor, thread| {
                let number = of_thread(thread).count();
                match of_thread(thread).nth(choice.min(number.saturating_sub(1))) {
                    Some(way) => monitor.period_ends(way),
                    None => Ok(Vec::new()),
                }
            })?;
            if !are_justified {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn period_ends(&mut self, way: &Way) -> Result<Vec<SpecId>, SpecError> {
        let lanes: Vec<&[Completed]> = way.returned.chunks(1).collect();
        self.ends(&way.since, &lanes)
    }
}

fn mask(pending: &[Option<CallId>]) -> u32 {
    pending.iter().enumerate().map(|(thread, call)| u32::from(call.is_some()) << thread).sum()
}

impl Record for QuiescentPeriods {
    fn read(words: &[u32], threads: usize) -> QuiescentPeriods {
        let (pending, mut rest) = words.split_at(threads);
        let mut ways = Vec::new();
        while let [without, is_past_barrier, states, calls, after @ ..] = rest {
            let (since, after) = after.split_at(*states as usize);
            let (list, after) = after.split_at(3 * *calls as usize);
            let completed = |part: &[u32]| Completed {
                call: CallId(part[0]),
                result: ResultId(part[1]),
                thread: part[2].checked_sub(1).map(byte_of),
            };
            ways.push(Way {
                without: *without,
                is_past_barrier: *is_past_barrier == 1,
                since: since.iter().map(|spec| SpecId(*spec)).collect(),
                returned: list.chunks_exact(3).map(completed).collect(),
            });
            rest = after;
        }
        QuiescentPeriods {
            pending: pending.iter().map(|call| call.checked_sub(1).map(CallId)).collect(),
            ways,
        }
    }

    fn words(&self) -> Vec<u32> {
        let mut words: Vec<u32> =
            self.pending.iter().map(|pending| pending.map_or(0, |call| call.0 + 1)).collect();
        for way in &self.ways {
            let is_past_barrier = u32::from(way.is_past_barrier);
            words.extend([
                way.without,
                is_past_barrier,
                number_of(way.since.len()),
                number_of(way.returned.len()),
            ]);
            words.extend(way.since.iter().map(|spec| spec.0));
            words.extend(
                way.returned
                    .iter()
                    .flat_map(|c| [c.call.0, c.result.0, c.thread.map_or(0, |thread| u32::from(thread) + 1)]),
            );
        }
        words
    }

    fn renamed(&self, names: &mut dyn Names) -> QuiescentPeriods {
        let mut renamed =
            QuiescentPeriods { pending: self.pending.clone(), ways: Vec::with_capacity(self.ways.len()) };
        let threads = self.pending.len();
        for (thread, call) in self.pending.iter().enumerate() {
            renamed.pending[names.thread(thread)] = call.map(|call| names.call(call));
        }
        for way in &self.ways {
            let without = (0..threads)
                .filter(|thread| way.without >> thread & 1 == 1)
                .map(|thread| 1 << names.thread(thread))
                .sum();
            let mut since: Vec<SpecId> = way.since.iter().map(|spec| names.spec(*spec)).collect();
            since.sort_unstable();
            let completed = |&Completed { call, result, thread }: &Completed| Completed {
                call: names.call(call),
                result: names.result(call, result),
                thread: thread.map(|thread| byte_of(names.thread(usize::from(thread)))),
            };
            let mut returned: Vec<Completed> = way.returned.iter().map(completed).collect();
            returned.sort_unstable();
            renamed.ways.push(Way { without, is_past_barrier: way.is_past_barrier, since, returned });
        }
        renamed.ways.sort();
        renamed
    }

    fn tokens(&self) -> Vec<Token> {
        let mut tokens: Vec<Token> = self.pending.iter().flatten().map(|call| Token::Call(*call)).collect();
        for way in &self.ways {
            tokens.extend(way.since.iter().map(|spec| Token::Spec(*spec)));
            let of_call = |c: &Completed| [Token::Call(c.call), Token::Result(c.call, c.result)];
            tokens.extend(way.returned.iter().flat_map(of_call));
        }
        tokens
    }

    fn digest(&self, of: &dyn Fn(Token) -> u64) -> u128 {
        let pending = |call: &Option<CallId>| call.map_or(1, |call| of(Token::Call(call)));
        let mut words: Vec<u64> = self.pending.iter().map(pending).collect();
        for way in &self.ways {
            words.extend([u64::from(way.without), u64::from(way.is_past_barrier)]);
            words.extend([way.since.len() as u64, way.returned.len() as u64]);
            let mut since: Vec<u64> = way.since.iter().map(|spec| of(Token::Spec(*spec))).collect();
            since.sort_unstable();
            let of_call = |c: &Completed| {
                let thread = c.thread.map_or(0, |thread| u64::from(thread) + 1);
                (of(Token::Call(c.call)), of(Token::Result(c.call, c.result)), thread)
            };
            let mut returned: Vec<(u64, u64, u64)> = way.returned.iter().map(of_call).collect();
            returned.sort_unstable();
            words.extend(since);
            words.extend(returned.into_iter().flat_map(|(call, result, thread)| [call, result, thread]));
        }
        digest(words)
    }

    fn pending(&self) -> &[Option<CallId>] {
        &self.pending
    }
}
