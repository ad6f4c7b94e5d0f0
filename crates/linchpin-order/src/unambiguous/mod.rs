//! Deciders for histories in which no value is put twice, and for switches.
//!
//! A decider returns a legal order, or a *core*: a few calls without a legal order. Neither is believed. An
//! order is run through the specification; that of an unordered container is followed with ranks. A core is
//! judged by the search, and the judgement counts for the whole history by the [structure](crate::Structure)
//! of the specification. If either fails the decider has no answer, and the general deciders follow. So a
//! wrong decider costs time, and never a wrong verdict.
//!
//! | file | object |
//! |---|---|
//! | `queue`, `stack`, `bag` | containers: the oldest, the newest, any, or the value of the smallest rank leaves |
//! | `register` | a register, by itself or at each key of a map |
//! | `log` | a sequence that is only extended, replaced and read as a whole, by itself or at each key of a map |
//! | `blocks` | the places of groups of calls that stay together |
//! | `switch` | an object with two states, such as a key of a set |
//! | `confirm` | runs orders through the specification, and makes cores minimal |
//! | `values`, `cover`, `ranges` | values and their presences, unions of presences, trees |
//!
//! **Pending takes.** A pending take may have taken any value. The first attempt drops them all. If the core
//! together with the pending takes has no legal order, the history is illegal. Otherwise the order that the
//! search finds says which take takes which value of the core. The next attempt assigns these values. Its
//! core is added to the last one. So each attempt excludes at least one assignment. After [`ATTEMPTS`]
//! attempts the decider gives up.
//!
//! Guarding tests: `deciders_agree_with_brute_force`, `deciders_agree_with_the_search`.

mod bag;
mod blocks;
mod confirm;
mod cover;
mod log;
mod queue;
mod ranges;
mod register;
mod stack;
mod switch;
mod values;

use crate::call::{CallId, CallMap};
use crate::call_set::CallSet;
use crate::decide::{Decided, among, decide as search};
use crate::precedence::{Edges, Interval};
use crate::search::OrderProblem;
use crate::spec::{About, Cells, ContainerCall, LogCall, Logs, RegisterCall, Registers, Specification};
use crate::verdict::Budget;
use log::{Core, LogDecision};
use values::{NoValues, Span, Values};

/// The answer of a decider.
enum Decision {
    /// The effects of all completed and some pending calls.
    Order(Vec<CallId>),
    /// Calls that have no legal order by themselves.
    Core(Vec<CallId>),
}

/// The number of assignments of values to pending takes that a decider tries.
const ATTEMPTS: usize = 64;

/// The number of configurations for the search of a core.
const SMALL: usize = 100_000;

/// The largest number of calls in a core that the search judges.
const LARGEST_CORE: usize = 400;

/// A problem without edges whose precedence is an interval order.
pub(crate) struct Problem<'a, S: Specification> {
    pub order: OrderProblem<'a, S>,
    pub intervals: &'a CallMap<Interval>,
    pub budget: Budget<'a>,
}

/// An answer and the number of configurations that it took.
type Answered<S> = (Decided<S>, usize);

/// Which value leaves a container first.
#[derive(Clone, Copy)]
pub(crate) enum Leaves<'a> {
    Oldest,
    Newest,
    /// Any value whose put has the smallest rank.
    SmallestRank(&'a CallMap<i64>),
}

/// A history of a register.
struct RegisterProblem<'a> {
    roles: &'a CallMap<RegisterCall>,
    /// The number of the initial value.
    initial: u32,
    intervals: &'a CallMap<Interval>,
    set: &'a CallSet,
}

impl RegisterProblem<'_> {
    fn calls(&self) -> impl Iterator<Item = (CallId, Span)> {
        self.set.calls().map(|call| (call, self.intervals[call].into()))
    }

    fn is_pending(&self, call: CallId) -> bool {
        !self.set.must_take(call)
    }
}

/// A history of a log.
struct LogProblem<'a> {
    roles: &'a CallMap<LogCall>,
    intervals: &'a CallMap<Interval>,
    set: &'a CallSet,
}

impl LogProblem<'_> {
    fn calls(&self) -> impl Iterator<Item = (CallId, Span)> {
        self.set.calls().map(|call| (call, self.intervals[call].into()))
    }

    fn is_pending(&self, call: CallId) -> bool {
        !self.set.must_take(call)
    }
}

/// A call of a switch.
struct SwitchCall {
    pub call: CallId,
    pub span: Span,
    pub is_pending: bool,
    /// The state that the call finds and leaves; `None` if the call changes the state.
    pub finds: Option<bool>,
    /// Whether the call can turn the switch off, and on.
    pub changes_to: [bool; 2],
}

impl<S: Specification> Problem<'_, S> {
    /// Decides a history of a container; `None` if there is no answer.
    pub fn container(
        &self,
        roles: &CallMap<ContainerCall>,
        leaves: Leaves,
    ) -> Result<Option<Answered<S>>, S::Error> {
        let set = self.order.set;
        let mut visited = 0;
        let mut core: Vec<CallId> = Vec::new();
        let mut assigned: Vec<(CallId, u32)> = Vec::new();
        for _ in 0..ATTEMPTS {
            if self.budget.is_stopped() {
                return Ok(None);
            }
            let decision = match Values::new(roles, self.intervals, set, &assigned) {
                Err(NoValues::Ambiguous) => return Ok(None),
                Err(NoValues::Core(calls)) => Decision::Core(calls),
                Ok(values) => match leaves {
                    Leaves::Oldest => queue::decide(&values),
                    Leaves::Newest => stack::decide(&values),
                    Leaves::SmallestRank(ranks) => bag::decide(&values, |put| ranks[put]),
                },
            };
            let more = match decision {
                Decision::Order(order) => {
                    let order = match leaves {
                        Leaves::SmallestRank(ranks) => {
                            self.confirm_unordered(order, roles, ranks, &assigned)?
                        }
                        Leaves::Oldest | Leaves::Newest => self.confirm(order)?,
                    };
                    return Ok(order.map(|order| (Decided::Order(order), visited)));
                }
                Decision::Core(more) => more,
            };
            let known = core.len();
            core.extend(more);
            core.sort();
            core.dedup();
            if core.len() == known || core.len() > LARGEST_CORE {
                return Ok(None);
            }
            let (decided, more) = self.judge_core(&core, roles)?;
            visited += more;
            match decided {
                Decided::None(_) => {
                    let (calls, explanation, more) = self.minimal(core, roles, decided)?;
                    return Ok(Some((Decided::None(among(explanation, calls)), visited + more)));
                }
                Decided::Unknown(_) => return Ok(None),
                Decided::Order(order) => {
                    let calls = order.effects.iter().flat_map(|effect| effect.calls.iter().copied());
                    assigned = assignment(roles, leaves, calls);
                    if assigned.is_empty() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Decides a history of a register.
    pub fn register(&self, registers: &Registers) -> Result<Option<Answered<S>>, S::Error> {
        let Registers { calls: roles, initial } = registers;
        let (intervals, set) = (self.intervals, self.order.set);
        let problem = RegisterProblem { roles, initial: *initial, intervals, set };
        match register::decide(&problem) {
            None => Ok(None),
            Some(Decision::Order(order)) => Ok(self.confirm(order)?.map(|order| (Decided::Order(order), 0))),
            Some(Decision::Core(mut core)) => {
                core.sort();
                let (decided, visited) = self.judge(&core)?;
                Ok(match decided {
                    Decided::None(explanation) => Some((Decided::None(among(explanation, core)), visited)),
                    _ => None,
                })
            }
        }
    }

    /// Decides a history of a log.
    pub fn log(&self, logs: &Logs) -> Result<Option<Answered<S>>, S::Error> {
        let (intervals, set) = (self.intervals, self.order.set);
        let problem = LogProblem { roles: &logs.calls, intervals, set };
        let guessed = log::resolve(&problem);
        let decision = match &guessed {
            None => log::decide(&problem),
            Some(roles) => log::decide(&LogProblem { roles, intervals, set }),
        };
        match decision {
            None => Ok(None),
            Some(LogDecision::Core(_)) if guessed.is_some() => Ok(None),
            Some(LogDecision::Order(order)) => {
                Ok(self.confirm(order)?.map(|order| (Decided::Order(order), 0)))
            }
            Some(LogDecision::Core(Core { mut calls, edges })) => {
                calls.sort();
                calls.dedup();
                let (decided, visited) = self.judge_with(&calls, &edges.into_iter().collect())?;
                Ok(match decided {
                    Decided::None(explanation) => Some((Decided::None(among(explanation, calls)), visited)),
                    _ => None,
                })
            }
        }
    }

    /// Decides a history of one key of a map; `None` if there is no answer.
    pub fn cell(&self, cells: Option<&Cells>) -> Result<Option<Answered<S>>, S::Error> {
        match cells {
            Some(Cells::Registers(registers)) => self.register(registers),
            Some(Cells::Logs(logs)) => self.log(logs),
            None => self.switch(),
        }
    }

    /// Decides a history of a switch; `None` if it is not one, or if there is no answer.
    pub fn switch(&self) -> Result<Option<Answered<S>>, S::Error> {
        let Some((initial, calls)) = self.switch_calls()? else { return Ok(None) };
        match switch::decide(initial, &calls) {
            Ok(order) => Ok(self.confirm(order)?.map(|order| (Decided::Order(order), 0))),
            // The search explains why.
            Err(_) => Ok(None),
        }
    }

    /// Reads the calls of a switch off their outcomes in the initial state and in one other state; `None` if
    /// the object has more states. Also returns whether the switch is on at the beginning: it is off.
    fn switch_calls(&self) -> Result<Option<(bool, Vec<SwitchCall>)>, S::Error> {
        let OrderProblem { oracle, set, .. } = self.order;
        let (spec, history) = (oracle.spec(), oracle.history());
        let Ok([off]) = <[S::State; 1]>::try_from(spec.initial()?) else { return Ok(None) };
        let mut on: Option<S::State> = None;
        for call in set.calls() {
            if self.budget.is_stopped() {
                return Ok(None);
            }
            let outcomes = spec.outcomes(&off, &[&history.call(call).op])?;
            if let Some(other) = outcomes.into_iter().find(|outcome| outcome.state != off) {
                on = Some(other.state);
                break;
            }
        }
        let states: Vec<S::State> = [Some(off), on].into_iter().flatten().collect();
        let mut calls = Vec::with_capacity(set.completed().len());
        for id in set.calls() {
            let call = history.call(id);
            let mut can = [[false; 2]; 2];
            for (from, state) in states.iter().enumerate() {
                for outcome in spec.outcomes(state, &[&call.op])? {
                    let to = states.iter().position(|known| *known == outcome.state);
                    let Some(to) = to else { return Ok(None) };
                    can[from][to] |= oracle.is_returned(&[id], &outcome.results);
                }
            }
            let span = self.intervals[id].into();
            let changes_to = [can[1][0], can[0][1]];
            let finds = match can {
                _ if call.is_pending() => None,
                [[true, false], [false, false]] => Some(false),
                [[false, false], [false, true]] => Some(true),
                [[false, true], [false, false]] | [[false, false], [true, false]] => None,
                _ => return Ok(None),
            };
            calls.push(SwitchCall { call: id, span, is_pending: call.is_pending(), finds, changes_to });
        }
        Ok(Some((false, calls)))
    }

    /// Judges calls of a container, together with the pending takes that can come before one of them.
    fn judge_core(&self, core: &[CallId], roles: &CallMap<ContainerCall>) -> Result<Answered<S>, S::Error> {
        self.judge(&self.with_loose(core, roles))
    }

    fn with_loose(&self, core: &[CallId], roles: &CallMap<ContainerCall>) -> Vec<CallId> {
        let ends = core.iter().filter(|&&call| self.order.set.must_take(call));
        let last = ends.map(|&call| self.intervals[call].end).max().unwrap_or(0);
        let is_loose =
            |call: &CallId| roles[*call].about == About::Anything && self.intervals[*call].start <= last;
        let mut calls: Vec<CallId> =
            core.iter().copied().chain(self.order.set.pending().iter().copied().filter(is_loose)).collect();
        calls.sort();
        calls.dedup();
        calls
    }

    fn judge(&self, calls: &[CallId]) -> Result<Answered<S>, S::Error> {
        self.judge_with(calls, &Edges::default())
    }

    fn judge_with(&self, calls: &[CallId], edges: &Edges) -> Result<Answered<S>, S::Error> {
        let OrderProblem { oracle, precedence, .. } = self.order;
        let set = CallSet::new(oracle.history(), calls.iter().copied());
        let problem = OrderProblem { oracle, precedence, edges, set: &set };
        search(problem, None, Budget { configurations: SMALL, ..self.budget })
    }
}

/// Returns the values that pending takes take in a legal order of some calls.
fn assignment(
    roles: &CallMap<ContainerCall>,
    leaves: Leaves,
    calls: impl Iterator<Item = CallId>,
) -> Vec<(CallId, u32)> {
    let mut present: Vec<(CallId, u32)> = Vec::new();
    let mut assigned = Vec::new();
    for call in calls {
        match roles[call].about {
            About::Value(value) if roles[call].is_put => present.push((call, value)),
            About::Value(value) => present.retain(|(_, other)| *other != value),
            About::Nothing => {}
            About::Anything => {
                let at = match leaves {
                    Leaves::Oldest => (!present.is_empty()).then_some(0),
                    Leaves::Newest => present.len().checked_sub(1),
                    Leaves::SmallestRank(ranks) => (0..present.len()).min_by_key(|&at| ranks[present[at].0]),
                };
                assigned.extend(at.map(|at| (call, present.remove(at).1)));
            }
        }
    }
    assigned
}
