//! Judges one history, for each consistency property and each reading of its pending calls.
//!
//! **Open**: the execution may continue. A pending call may or may not have taken effect, with any result.
//! The history is legal iff some order of all completed and some pending calls has three properties:
//!
//! - It keeps the [precedence](super::precedence) of the consistency property.
//! - It is a sequential execution of the specification.
//! - It gives each completed call the result that it returned.
//!
//! **Stuck**: no pending call will ever return. The history is legal iff *each* pending call is justified by
//! itself. The other pending calls are dropped, as if they had never been made. Then some legal order of the
//! completed calls must end in a state in which this call cannot take effect. This is definition 2.1 of Davis
//! and Siegel 2025, after Burckhardt et al. 2010, with one difference. A rendezvous is one step of several
//! pending calls, so a call need not wait if it could meet another pending call. By their definition an
//! `enq` and a `deq` of a synchronous queue that wait for ever side by side would justify each other.
//! Without pending calls stuck is the same as open.
//!
//! Only linearizability is closed under prefixes. For the others a later call may justify an earlier result,
//! so an illegal open history may become legal.
//!
//! **How.** The problem is NP-complete (Gibbons and Korach 1997), and most histories are easy.
//! [`Strategy::Whole`] is the plain [search](super::search). [`Strategy::Apart`] begins with a small plain
//! search, whose explanation covers the whole history. Then come the deciders, in this order:
//!
//! 1. A linearizable history has the two weaker properties too, and its order is much easier to find.
//! 2. A keyed specification is judged key by key ([`super::key_partition`]).
//! 3. A history in which no value is put twice has a decider of its own ([`super::unambiguous`]).
//! 4. For a container, small sets of values restrict the orders of their calls ([`super::value_pairs`]).
//! 5. One pass over the events ([`super::sweep`]), if none of these applies.
//! 6. The plain search, with these restrictions.
//!
//! Each decider is exact. They differ in how far a budget reaches, and in which calls an explanation names. A
//! new decider for a class of specifications is a variant of [`Structure`] and an arm of `Case::take_apart`.

use crate::call::{CallId, CallMap};
use crate::call_set::CallSet;
use crate::decide::{Decided, among, decide, explain, run};
use crate::history::History;
use crate::illegal_core::shrink;
use crate::key_partition::decide_by_key;
use crate::oracle::Oracle;
use crate::precedence::{Consistency, Edges, Precedence};
use crate::search::{Ended, OrderProblem, Search};
use crate::spec::{Cells, ContainerCall, Removal, Sequential, Specification, Structure};
use crate::sweep;
use crate::unambiguous::{Leaves, Problem};
use crate::value_pairs::{Refuted, ValuePairs};
use crate::verdict::{Budget, Explanation, Justification, Limit, OutOfBudget, Verdict, VerdictOf, Witness};

/// The reading of the pending calls of a history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// The execution may continue.
    Open,
    /// No pending call will ever return.
    Stuck,
}

/// The way to judge a history. All strategies give the same verdict if the budget suffices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// One search for the whole history.
    Whole,
    /// Take the history apart if it is large and the [`Structure`] of the specification allows it.
    #[default]
    Apart,
    /// Take every history apart.
    ApartAlways,
    /// Use the log-linear deciders alone. The verdict is unknown if they have no answer.
    Deciders,
    /// Sweep over the events, and search if too many calls are open at a time.
    Sweep,
}

/// What decided a history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// The search over configurations.
    Search,
    /// A decision for each key.
    Keys,
    /// The search, with what pairs of values say about its order.
    ValuePairs,
    /// One pass over the events.
    Sweep,
    /// A log-linear decider for histories in which no value is put twice.
    Register,
    Log,
    Queue,
    Stack,
    Unordered,
}

/// A verdict and its cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer<State, Ret> {
    pub verdict: Verdict<State, Ret>,
    /// The number of configurations visited, without those of small projections.
    pub configurations: usize,
    /// What decided the history, or was tried last.
    pub method: Method,
}

/// Checks a history for linearizability, with the default budget. Pending calls may have taken effect.
///
/// See the [crate documentation](crate) for an example.
pub fn linearizable<S: Sequential>(spec: &S, history: &History<S::Op, S::Ret>) -> Verdict<S::State, S::Ret> {
    check(spec, history, Consistency::Linearizable, Ending::Open, Budget::default())
}

/// Checks a history of a plain Rust specification.
pub fn check<S: Sequential>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    consistency: Consistency,
    ending: Ending,
    budget: Budget,
) -> Verdict<S::State, S::Ret> {
    let Ok(answer) = examine(spec, history, consistency, ending, Strategy::default(), budget);
    answer.verdict
}

/// Checks a history with a given strategy, and counts configurations.
///
/// An error is an error of the specification itself: nothing is known about the history then.
pub fn examine<S: Specification>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    consistency: Consistency,
    ending: Ending,
    strategy: Strategy,
    budget: Budget,
) -> Result<Answer<S::State, S::Ret>, S::Error> {
    let oracle = Oracle::new(spec, history);
    let mut case =
        Case { oracle: &oracle, consistency, strategy, budget, visited: 0, method: Method::Search };
    let mut verdict = match ending {
        Ending::Stuck if !history.is_complete() => case.stuck()?,
        Ending::Open | Ending::Stuck => case.open()?,
    };
    if let Verdict::Unknown(limit) = &mut verdict {
        limit.configurations = case.visited;
    }
    Ok(Answer { verdict, configurations: case.visited, method: case.method })
}

/// The number of configurations of a small history.
const SMALL: usize = 4096;

/// The number of completed calls from which on the deciders for values that are put once come first.
const LONG: usize = 500;

/// One history that is being judged.
struct Case<'a, S: Specification> {
    oracle: &'a Oracle<'a, S>,
    consistency: Consistency,
    strategy: Strategy,
    budget: Budget<'a>,
    visited: usize,
    method: Method,
}

impl<'a, S: Specification> Case<'a, S> {
    fn open(&mut self) -> Result<VerdictOf<S>, S::Error> {
        let set = CallSet::new(self.oracle.history(), self.oracle.history().calls().ids());
        Ok(match self.decide_order(&set, None, |_| true)? {
            Decided::Order(order) => Verdict::Legal(Witness::Order(order)),
            Decided::None(explanation) => Verdict::Illegal(explanation),
            Decided::Unknown(limit) => Verdict::Unknown(limit),
        })
    }

    fn stuck(&mut self) -> Result<VerdictOf<S>, S::Error> {
        let history = self.oracle.history();
        let is_completed = |call: CallId| !history.call(call).is_pending();
        let set = CallSet::new(history, history.calls().ids().filter(|&call| is_completed(call)));
        let mut justifications = Vec::new();
        for call in history.pending() {
            match self.decide_order(&set, Some(call), |other| other == call || is_completed(other))? {
                Decided::Order(order) => justifications.push(Justification { call, order }),
                Decided::None(explanation) => return Ok(Verdict::Illegal(explanation)),
                Decided::Unknown(limit) => return Ok(Verdict::Unknown(limit)),
            }
        }
        Ok(Verdict::Legal(Witness::Stuck(justifications)))
    }

    /// Decides, for each precedence, whether the set has an order after which the waiting call cannot take
    /// effect. `counts` is as in [`Precedence::all`]. Returns the order of the first precedence.
    fn decide_order(
        &mut self,
        set: &CallSet,
        waiting: Option<CallId>,
        counts: impl Fn(CallId) -> bool,
    ) -> Result<Decided<S>, S::Error> {
        let mut first = None;
        for precedence in Precedence::all(self.oracle.history(), self.consistency, &counts) {
            let decided = self.decide_precedence(set, waiting, &counts, &precedence)?;
            if !matches!(decided, Decided::Order(_)) {
                return Ok(decided);
            }
            first.get_or_insert(decided);
        }
        Ok(first.unwrap_or(Decided::Unknown(self.out_of_budget())))
    }

    fn decide_precedence(
        &mut self,
        set: &CallSet,
        waiting: Option<CallId>,
        counts: impl Fn(CallId) -> bool,
        precedence: &Precedence,
    ) -> Result<Decided<S>, S::Error> {
        let history = self.oracle.history();
        let problem = OrderProblem { oracle: self.oracle, precedence, edges: &Edges::default(), set };
        let small = match self.strategy {
            Strategy::Whole => self.budget.configurations,
            Strategy::Apart => SMALL,
            Strategy::ApartAlways | Strategy::Deciders | Strategy::Sweep => 0,
        };
        // A long history is seldom decided by the small search, and its states may be large.
        if self.strategy == Strategy::Apart
            && set.completed().len() > LONG
            && let Some(decided) = self.decide_at_once(problem, waiting)?
        {
            return Ok(decided);
        }
        let decided = self.search(problem, waiting, small)?;
        let is_over = self.strategy == Strategy::Whole || self.left() == 0;
        if is_over || !matches!(decided, Decided::Unknown(_)) {
            return Ok(decided);
        }
        if self.consistency != Consistency::Linearizable {
            for real_time in Precedence::all(history, Consistency::Linearizable, &counts) {
                let half = self.left() / 2;
                let easier = OrderProblem { precedence: &real_time, ..problem };
                if let order @ Decided::Order(_) = self.take_apart(easier, waiting, half)? {
                    return Ok(order);
                }
            }
        }
        self.take_apart(problem, waiting, self.left())
    }

    /// Decides with the decider for the structure of the history.
    fn take_apart(
        &mut self,
        problem: OrderProblem<S>,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Decided<S>, S::Error> {
        if self.strategy == Strategy::Sweep {
            return match self.sweep(problem, waiting, configurations)? {
                Some(decided) => Ok(decided),
                None => self.search(problem, waiting, configurations),
            };
        }
        let structure = self.oracle.spec().structure(self.oracle.history());
        if let Some(decided) = self.decide_unambiguous(&structure, problem, waiting)? {
            return Ok(decided);
        }
        if self.strategy == Strategy::Deciders {
            return Ok(Decided::Unknown(self.out_of_budget()));
        }
        match &structure {
            Structure::Keyed { keys, cells } => {
                let cells = cells.as_ref();
                if let Some(decided) = self.decide_keys(keys, cells, problem, waiting, configurations)? {
                    return Ok(decided);
                }
            }
            Structure::Container { calls: roles, .. } => {
                if let Some(decided) = self.contain(roles, problem, waiting, configurations)? {
                    self.method = Method::ValuePairs;
                    return Ok(decided);
                }
            }
            Structure::Register(_) | Structure::Log(_) | Structure::Unordered { .. } | Structure::Opaque => {
                let decided = self.sweep(problem, waiting, configurations / 2)?;
                if let Some(decided @ (Decided::Order(_) | Decided::None(_))) = decided {
                    self.method = Method::Sweep;
                    return Ok(decided);
                }
            }
        }
        let configurations = configurations.min(self.left());
        self.search(problem, waiting, configurations)
    }

    /// Decides with one pass over the events; `None` if it does not apply.
    fn sweep(
        &mut self,
        problem: OrderProblem<S>,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Option<Decided<S>>, S::Error> {
        let (Some(intervals), None) = (problem.precedence.intervals(), waiting) else { return Ok(None) };
        let budget = Budget { configurations, ..self.budget };
        let decided = sweep::decide(problem, intervals, budget)?;
        Ok(decided.map(|(decided, visited)| {
            self.visited += visited;
            decided
        }))
    }

    /// As [`decide_unambiguous`](Case::decide_unambiguous), before anything else was tried.
    fn decide_at_once(
        &mut self,
        problem: OrderProblem<S>,
        waiting: Option<CallId>,
    ) -> Result<Option<Decided<S>>, S::Error> {
        let structure = self.oracle.spec().structure(self.oracle.history());
        if let Structure::Keyed { keys, cells: cells @ Some(Cells::Logs(_)) } = &structure {
            return self.decide_keys(keys, cells.as_ref(), problem, waiting, self.left());
        }
        self.decide_unambiguous(&structure, problem, waiting)
    }

    /// Decides key by key; `None` if this does not apply.
    fn decide_keys(
        &mut self,
        keys: &CallMap<u32>,
        cells: Option<&Cells>,
        problem: OrderProblem<S>,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Option<Decided<S>>, S::Error> {
        let budget = Budget { configurations, ..self.budget };
        let decided = decide_by_key(keys, cells, problem, waiting, budget)?;
        Ok(decided.map(|(decided, visited)| {
            self.visited += visited;
            self.method = Method::Keys;
            decided
        }))
    }

    /// Decides with the decider for histories in which no value is put twice; `None` if there is no answer.
    fn decide_unambiguous(
        &mut self,
        structure: &Structure,
        problem: OrderProblem<S>,
        waiting: Option<CallId>,
    ) -> Result<Option<Decided<S>>, S::Error> {
        let (Some(intervals), None) = (problem.precedence.intervals(), waiting) else { return Ok(None) };
        let problem = Problem { order: problem, intervals, budget: self.budget };
        let (answer, method) = match structure {
            Structure::Register(registers) => (problem.register(registers)?, Method::Register),
            Structure::Log(logs) => (problem.log(logs)?, Method::Log),
            Structure::Container { calls, removal: Removal::Oldest } => {
                (problem.container(calls, Leaves::Oldest)?, Method::Queue)
            }
            Structure::Container { calls, removal: Removal::Newest } => {
                (problem.container(calls, Leaves::Newest)?, Method::Stack)
            }
            Structure::Unordered { calls, ranks } => {
                (problem.container(calls, Leaves::SmallestRank(ranks))?, Method::Unordered)
            }
            // Tests reach the decider for a switch through a history of one key.
            Structure::Keyed { keys, cells } if self.strategy == Strategy::Deciders => {
                let mut calls = problem.order.set.calls().map(|call| keys[call]);
                let first = calls.next();
                if calls.any(|key| Some(key) != first) {
                    return Ok(None);
                }
                (problem.cell(cells.as_ref())?, Method::Keys)
            }
            _ => return Ok(None),
        };
        Ok(answer.map(|(decided, visited)| {
            self.visited += visited;
            self.method = method;
            decided
        }))
    }

    /// Decides with the help of pairs of values; `None` if they do not apply.
    fn contain(
        &mut self,
        roles: &CallMap<ContainerCall>,
        problem: OrderProblem<S>,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Option<Decided<S>>, S::Error> {
        let Some(intervals) = problem.precedence.intervals() else { return Ok(None) };
        let mut pairs = ValuePairs::new(roles, problem, intervals, self.budget);
        if let Some(refuted) = pairs.learn()? {
            return self.refute(problem, refuted, &Edges::default()).map(Some);
        }
        let mut left = configurations;
        // Most histories need few more configurations than they have calls. Otherwise the calls at which the
        // search got stuck are suspect.
        let first = left.min(SMALL + 4 * problem.set.completed().len());
        for allowed in [first, left] {
            let edges = pairs.edges();
            let budget = Budget { configurations: allowed.min(left), ..self.budget };
            let mut search = Search::new(OrderProblem { edges: &edges, ..problem }, budget);
            let ended = run(&mut search, waiting)?;
            self.visited += search.visited();
            left = left.saturating_sub(search.visited());
            let decided = match ended {
                Ended::Accepted(end) => Some(Decided::Order(search.legal_order(end)?)),
                Ended::Exhausted if search.has_complete_order() => {
                    Some(Decided::None(explain(&search, waiting)?))
                }
                Ended::Exhausted => None,
                Ended::OutOfBudget(limit) => Some(Decided::Unknown(limit)),
            };
            if let Some(decided @ (Decided::Order(_) | Decided::None(_))) = decided {
                return Ok(Some(decided));
            }
            let mut suspects: Vec<CallId> = Vec::new();
            for end in search.deepest().into_iter().take(8) {
                suspects.extend(search.next(&search.taken(end)));
            }
            drop(search);
            let refuted = match pairs.suspect(&suspects)? {
                Some(refuted) => Some(refuted),
                None => match pairs.crowd(&suspects)? {
                    Some(refuted) => Some(refuted),
                    None => pairs.examine_all()?,
                },
            };
            match (refuted, decided) {
                (Some(refuted), _) => {
                    return self.refute(problem, refuted, &Edges::default()).map(Some);
                }
                (None, None) => {
                    let budget = Budget { configurations: left, ..self.budget };
                    let core = shrink(problem, &pairs, budget)?;
                    let calls = pairs.particles().calls(&core).collect();
                    return self.refute(problem, calls, &pairs.edges_within(&core)).map(Some);
                }
                (None, Some(Decided::Unknown(limit))) if allowed == left || left == 0 => {
                    return Ok(Some(Decided::Unknown(limit)));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Explains why these calls have no legal order. All legal orders of these calls keep the `edges`.
    fn refute(
        &mut self,
        problem: OrderProblem<S>,
        mut calls: Refuted,
        edges: &Edges,
    ) -> Result<Decided<S>, S::Error> {
        calls.sort();
        let set = CallSet::new(self.oracle.history(), calls.iter().copied());
        for edges in [&Edges::default(), edges] {
            let problem = OrderProblem { set: &set, edges, ..problem };
            if let Decided::None(explanation) = self.search(problem, None, SMALL)? {
                return Ok(Decided::None(among(explanation, calls)));
            }
        }
        let explanation = Explanation::NoOrder { among: Some(calls), dead_ends: Vec::new(), omitted: 0 };
        Ok(Decided::None(explanation))
    }

    /// Decides with one plain search.
    fn search(
        &mut self,
        problem: OrderProblem<S>,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Decided<S>, S::Error> {
        if configurations == 0 {
            return Ok(Decided::Unknown(self.out_of_budget()));
        }
        let configurations = configurations.min(self.budget.configurations);
        let (decided, visited) = decide(problem, waiting, Budget { configurations, ..self.budget })?;
        self.visited += visited;
        Ok(decided)
    }

    fn out_of_budget(&self) -> OutOfBudget {
        OutOfBudget { configurations: self.visited, limit: Limit::Configurations }
    }

    fn left(&self) -> usize {
        self.budget.configurations.saturating_sub(self.visited)
    }
}
