//! Quiescent consistency: one order of all calls that respects every quiescent moment explains all results
//! (COLLECT 2.2).
//!
//! A moment is quiescent if no call is pending. A *period* lies between two quiescent moments. The calls of a
//! period may have taken effect in any order, whatever their threads. Of a finished period the state keeps
//! the set of specification states in which it may have ended. If that set is empty, the history is rejected
//! at once. Of the current period the state keeps the completed calls with their results.
//!
//! The thread of a call is kept where the specification uses `me`, or calls meet: only then can the thread
//! matter.
//!
//! **Stuck ends.** A pending call is justified as if the other pending calls had never been made. Without
//! them there may be more quiescent moments, and which calls never return is not known before the end. So the
//! state has several *alternatives*: for each set of pending calls the history without them. A return ends
//! the alternatives without its call. Where a specification never blocks, a stuck end is never legal, and the
//! alternative that leaves nothing out is enough.
//!
//! **One barrier.** COLLECT's driver puts one barrier into a schedule (4.3). It asks for an order of the
//! calls before the barrier and an order of the calls after it. Only one quiescent moment counts, and there
//! is an order for each choice of it. The alternatives are then those of all choices so far: at a quiescent
//! moment an alternative without a barrier continues without one, and with one here. An alternative with a
//! barrier has no other, and an end is legal if all alternatives are.
//!
//! Nothing is pruned.

use super::MonitorId;
use super::criterion::{Criterion, Tables};
use super::digest::digest;
use super::entry::{MonitorEntry, Renamer, Token};
use super::event::Event;
use super::explain::Completed;
use super::signature::MonitorSignature;
use super::spec_table::{CallId, ResultId, SpecId};
use crate::reduce::Renaming;
use linchpin_ir::index::{byte_of, number_of};
use linchpin_semantics::SpecError;

/// The criterion.
pub(super) struct Quiescence {
    /// The specification can block.
    pub may_block: bool,
    /// Of all quiescent moments only one counts, for each choice of it.
    pub has_one_barrier: bool,
}

/// The pending calls, and the current period of each alternative.
#[derive(Clone, PartialEq, Eq, Debug)]
struct QuiescentPeriods {
    pending: Vec<Option<CallId>>,
    /// Sorted.
    alternatives: Vec<Alternative>,
}

/// The history without some pending calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Alternative {
    /// A bit for each thread whose call is left out.
    without: u32,
    /// The alternative has passed its one barrier.
    is_past_barrier: bool,
    /// The states in which the last finished period may have ended.
    since: Vec<SpecId>,
    /// The completed calls of the current period, sorted.
    returned: Vec<Completed>,
}

impl Criterion for Quiescence {
    fn initial(&self, tables: &mut Tables<'_>) -> Result<MonitorId, SpecError> {
        let mut since = tables.spec.initial()?;
        since.sort_unstable();
        since.dedup();
        let all = Alternative { without: 0, is_past_barrier: false, since, returned: Vec::new() };
        let pending = vec![None; tables.threads];
        Ok(tables.intern_entry(&QuiescentPeriods { pending, alternatives: vec![all] }))
    }

    fn advance(
        &self,
        tables: &mut Tables<'_>,
        from: MonitorId,
        event: Event,
    ) -> Result<Option<MonitorId>, SpecError> {
        let mut periods: QuiescentPeriods = tables.entry(from);
        match event {
            Event::Lin { .. } => {}
            Event::Call { thread, call } => {
                periods.pending[thread as usize] = Some(call);
                if self.may_block {
                    let without = |alternative: &Alternative| Alternative {
                        without: alternative.without | 1 << thread,
                        ..alternative.clone()
                    };
                    let more: Vec<Alternative> = periods.alternatives.iter().map(without).collect();
                    periods.alternatives.extend(more);
                }
            }
            Event::Return { thread, result } => {
                let Some(call) = periods.pending[thread as usize].take() else { return Ok(Some(from)) };
                let depends_on_thread = tables.spec.names_caller() || tables.spec.has_rendezvous();
                let by = depends_on_thread.then_some(thread);
                periods.alternatives.retain(|alternative| alternative.without >> thread & 1 == 0);
                let pending = mask(&periods.pending);
                let mut barred = Vec::new();
                for alternative in &mut periods.alternatives {
                    alternative.returned.push(Completed { call, result, thread: by });
                    alternative.returned.sort_unstable();
                    if pending & !alternative.without != 0 || alternative.is_past_barrier {
                        continue;
                    }
                    let since = period_ends(tables, alternative)?;
                    if self.has_one_barrier {
                        barred.push(Alternative {
                            is_past_barrier: true,
                            since,
                            returned: Vec::new(),
                            ..*alternative
                        });
                    } else {
                        alternative.since = since;
                        alternative.returned.clear();
                    }
                }
                periods.alternatives.extend(barred);
                // With one barrier the criterion is judged at ends only, as in COLLECT's driver.
                if !self.has_one_barrier
                    && periods
                        .alternatives
                        .iter()
                        .any(|alternative| alternative.without == 0 && alternative.since.is_empty())
                {
                    return Ok(None);
                }
            }
        }
        periods.alternatives.sort();
        periods.alternatives.dedup();
        Ok(Some(tables.intern_entry(&periods)))
    }

    fn is_legal_end(&self, tables: &mut Tables<'_>, state: MonitorId) -> Result<bool, SpecError> {
        let periods: QuiescentPeriods = tables.entry(state);
        let pending = mask(&periods.pending);
        if pending == 0 {
            for alternative in &periods.alternatives {
                if period_ends(tables, alternative)?.is_empty() {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        // Each choice of a barrier in turn. There is one choice even where no barrier was passed.
        let of_thread = |thread: usize| {
            let without = pending & !(1 << thread);
            periods.alternatives.iter().filter(move |alternative| alternative.without == without)
        };
        let choices = (0..periods.pending.len()).map(|thread| of_thread(thread).count()).max().unwrap_or(0);
        for choice in 0..choices.max(1) {
            let are_justified = tables.all_must_wait(&periods.pending, |tables, thread| {
                let number = of_thread(thread).count();
                match of_thread(thread).nth(choice.min(number.saturating_sub(1))) {
                    Some(alternative) => period_ends(tables, alternative),
                    None => Ok(Vec::new()),
                }
            })?;
            if !are_justified {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn rename(&self, tables: &mut Tables<'_>, state: MonitorId, renaming: Renaming) -> MonitorId {
        tables.rename_entry::<QuiescentPeriods>(state, renaming)
    }

    fn signature(&self, tables: &mut Tables<'_>, state: MonitorId) -> MonitorSignature {
        tables.entry_signature::<QuiescentPeriods>(state)
    }

    fn digest(&self, tables: &Tables<'_>, state: MonitorId) -> u128 {
        tables.entry_digest::<QuiescentPeriods>(state)
    }
}

/// Returns the states in which the current period may end.
fn period_ends(tables: &mut Tables<'_>, alternative: &Alternative) -> Result<Vec<SpecId>, SpecError> {
    let lanes: Vec<&[Completed]> = alternative.returned.chunks(1).collect();
    tables.ends(&alternative.since, &lanes)
}

/// Returns a bit for each pending call.
fn mask(pending: &[Option<CallId>]) -> u32 {
    pending.iter().enumerate().map(|(thread, call)| u32::from(call.is_some()) << thread).sum()
}

impl MonitorEntry for QuiescentPeriods {
    fn read(words: &[u32], threads: usize) -> QuiescentPeriods {
        let (pending, mut rest) = words.split_at(threads);
        let mut alternatives = Vec::new();
        while let [without, is_past_barrier, states, calls, after @ ..] = rest {
            let (since, after) = after.split_at(*states as usize);
            let (list, after) = after.split_at(3 * *calls as usize);
            let completed = |part: &[u32]| Completed {
                call: CallId(part[0]),
                result: ResultId(part[1]),
                thread: part[2].checked_sub(1).map(byte_of),
            };
            alternatives.push(Alternative {
                without: *without,
                is_past_barrier: *is_past_barrier == 1,
                since: since.iter().map(|spec| SpecId(*spec)).collect(),
                returned: list.chunks_exact(3).map(completed).collect(),
            });
            rest = after;
        }
        QuiescentPeriods {
            pending: pending.iter().map(|call| call.checked_sub(1).map(CallId)).collect(),
            alternatives,
        }
    }

    fn words(&self) -> Vec<u32> {
        let mut words: Vec<u32> =
            self.pending.iter().map(|pending| pending.map_or(0, |call| call.0 + 1)).collect();
        for alternative in &self.alternatives {
            let is_past_barrier = u32::from(alternative.is_past_barrier);
            words.extend([
                alternative.without,
                is_past_barrier,
                number_of(alternative.since.len()),
                number_of(alternative.returned.len()),
            ]);
            words.extend(alternative.since.iter().map(|spec| spec.0));
            words.extend(
                alternative
                    .returned
                    .iter()
                    .flat_map(|c| [c.call.0, c.result.0, c.thread.map_or(0, |thread| u32::from(thread) + 1)]),
            );
        }
        words
    }

    fn renamed(&self, renamer: &mut Renamer<'_, '_>) -> QuiescentPeriods {
        let mut renamed = QuiescentPeriods {
            pending: self.pending.clone(),
            alternatives: Vec::with_capacity(self.alternatives.len()),
        };
        let threads = self.pending.len();
        for (thread, call) in self.pending.iter().enumerate() {
            renamed.pending[renamer.thread(thread)] = call.map(|call| renamer.call(call));
        }
        for alternative in &self.alternatives {
            let without = (0..threads)
                .filter(|thread| alternative.without >> thread & 1 == 1)
                .map(|thread| 1 << renamer.thread(thread))
                .sum();
            let mut since: Vec<SpecId> = alternative.since.iter().map(|spec| renamer.spec(*spec)).collect();
            since.sort_unstable();
            let completed = |&Completed { call, result, thread }: &Completed| Completed {
                call: renamer.call(call),
                result: renamer.result(call, result),
                thread: thread.map(|thread| byte_of(renamer.thread(usize::from(thread)))),
            };
            let mut returned: Vec<Completed> = alternative.returned.iter().map(completed).collect();
            returned.sort_unstable();
            renamed.alternatives.push(Alternative {
                without,
                is_past_barrier: alternative.is_past_barrier,
                since,
                returned,
            });
        }
        renamed.alternatives.sort();
        renamed
    }

    fn tokens(&self) -> Vec<Token> {
        let mut tokens: Vec<Token> = self.pending.iter().flatten().map(|call| Token::Call(*call)).collect();
        for alternative in &self.alternatives {
            tokens.extend(alternative.since.iter().map(|spec| Token::Spec(*spec)));
            let of_call = |c: &Completed| [Token::Call(c.call), Token::Result(c.call, c.result)];
            tokens.extend(alternative.returned.iter().flat_map(of_call));
        }
        tokens
    }

    fn digest(&self, of: &dyn Fn(Token) -> u64) -> u128 {
        let pending = |call: &Option<CallId>| call.map_or(1, |call| of(Token::Call(call)));
        let mut words: Vec<u64> = self.pending.iter().map(pending).collect();
        for alternative in &self.alternatives {
            words.extend([u64::from(alternative.without), u64::from(alternative.is_past_barrier)]);
            words.extend([alternative.since.len() as u64, alternative.returned.len() as u64]);
            let mut since: Vec<u64> = alternative.since.iter().map(|spec| of(Token::Spec(*spec))).collect();
            since.sort_unstable();
            let of_call = |c: &Completed| {
                let thread = c.thread.map_or(0, |thread| u64::from(thread) + 1);
                (of(Token::Call(c.call)), of(Token::Result(c.call, c.result)), thread)
            };
            let mut returned: Vec<(u64, u64, u64)> = alternative.returned.iter().map(of_call).collect();
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
