//! The judgement of one history, for each consistency property and each way in which a history may end.
//!
//! **Open**: the execution may go on. A pending call may or may not have taken effect, with whatever result. The history is
//! legal iff some order of all completed and some pending calls keeps the property's [precedence](super::precedence), is a
//! sequential execution of the specification, and gives each completed call the result that it returned.
//!
//! **Stuck**: no pending call will ever return. The history is legal iff *each* pending call is justified by itself: with
//! the other pending calls dropped, as if they had never been made, some legal order of the completed calls ends in a state
//! in which no clause lets this call happen. This is definition 2.1 of Davis and Siegel 2025, after Burckhardt et al. 2010, but
//! for one thing: a rendezvous is one step of several pending calls, so a call does not have to wait where it could meet
//! others that are pending too. (By their definition an `enq` and a `deq` of a synchronous queue that wait for ever side by
//! side would justify each other.) Without pending calls stuck is the same as open.
//!
//! Linearizability alone is closed under prefixes; for the other two a later call may justify an earlier result, so that an
//! open history that is illegal may become legal.
//!
//! **How.** Deciding is NP-complete (Gibbons and Korach 1997), and most histories are easy. [`Strategy::Whole`] is the
//! plain [search](super::search). [`Strategy::Apart`] begins with a small plain search, whose explanation speaks of the whole
//! history; then, in this order:
//!
//! 1. a linearizable history has the two weaker properties too, and its order is much easier to find;
//! 2. a keyed specification is judged key by key ([`super::parts`]);
//! 3. for a container, pairs of values, and a few at a time, say which orders of their calls are possible ([`super::pairs`]);
//! 4. the plain search, with what these said.
//!
//! Each of these is exact: they differ in how far a budget reaches, and in which calls an explanation names.

use super::ask::Ask;
use super::core::shrink;
use super::decide::{Decided, decide, explain, run};
use super::judgement::{Budget, Explanation, Judgement, Justification, Limit, OutOfBudget, Witness};
use super::pairs::{Pairs, Refuted};
use super::parts::{among, decide_by_key};
use super::precedence::{Consistency, Edges, Precedence};
use super::record::{CallId, History};
use super::roster::Roster;
use super::search::{Ended, OrderProblem, Search};
use super::structure::{Role, Structure};
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::OpId;
use linchpin_semantics::{SpecError, SpecMachine};

/// How the pending calls of a history are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    Open,
    Stuck,
}

/// How a history is judged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// As one whole.
    Whole,
    /// Taken apart where the specification's structure allows it and the whole is too much; small histories are not.
    #[default]
    Apart,
    /// Taken apart always.
    ApartAlways,
}

/// A judgement and what it took.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    pub judgement: Judgement,
    /// Configurations that were visited, those of small projections not counted.
    pub configurations: usize,
}

/// Whether each operation can have taken effect at one moment between its call and its return.
pub fn linearizable(spec: &SpecMachine, history: &History, budget: Budget) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Linearizable, Ending::Open, budget)
}

/// Whether the specification justifies that the pending calls of a linearizable history never return.
pub fn stuck(spec: &SpecMachine, history: &History, budget: Budget) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Linearizable, Ending::Stuck, budget)
}

/// Whether one order, each thread's own order kept, explains a complete or stuck history.
pub fn sequentially_consistent(
    spec: &SpecMachine,
    history: &History,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Sequential, Ending::Stuck, budget)
}

/// Whether one order that respects all quiescent moments explains a complete or stuck history.
pub fn quiescently_consistent(
    spec: &SpecMachine,
    history: &History,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Quiescent, Ending::Stuck, budget)
}

/// An error is the specification's own fault, or a bound that it left: nothing is known then. The history is one of the
/// specification's program.
pub fn judge(
    spec: &SpecMachine,
    history: &History,
    consistency: Consistency,
    ending: Ending,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    let answer = examine(spec, history, consistency, ending, Strategy::default(), budget)?;
    Ok(answer.judgement)
}

/// As [`judge`], in a given way, and with what it took.
pub fn examine(
    spec: &SpecMachine,
    history: &History,
    consistency: Consistency,
    ending: Ending,
    strategy: Strategy,
    budget: Budget,
) -> Result<Answer, SpecError> {
    let ask = Ask::new(spec, history);
    let mut case = Case { ask: &ask, consistency, strategy, budget, visited: 0 };
    let mut judgement = match ending {
        Ending::Stuck if !history.is_complete() => case.stuck()?,
        Ending::Open | Ending::Stuck => case.open()?,
    };
    if let Judgement::Unknown(limit) = &mut judgement {
        limit.configurations = case.visited;
    }
    Ok(Answer { judgement, configurations: case.visited })
}

/// Configurations within which a history is small.
const SMALL: usize = 4096;

struct Case<'a> {
    ask: &'a Ask<'a>,
    consistency: Consistency,
    strategy: Strategy,
    budget: Budget<'a>,
    visited: usize,
}

impl<'a> Case<'a> {
    fn open(&mut self) -> Result<Judgement, SpecError> {
        let roster = Roster::new(self.ask.history(), self.ask.history().calls().ids());
        Ok(match self.settle(&roster, None, |_| true)? {
            Decided::Order(order) => Judgement::Legal(Witness::Order(order)),
            Decided::None(explanation) => Judgement::Illegal(explanation),
            Decided::Unknown(limit) => Judgement::Unknown(limit),
        })
    }

    fn stuck(&mut self) -> Result<Judgement, SpecError> {
        let history = self.ask.history();
        let is_completed = |call: CallId| !history.call(call).is_pending();
        let roster = Roster::new(history, history.calls().ids().filter(|&call| is_completed(call)));
        let mut justifications = Vec::new();
        for call in history.pending() {
            match self.settle(&roster, Some(call), |other| other == call || is_completed(other))? {
                Decided::Order(order) => justifications.push(Justification { call, order }),
                Decided::None(explanation) => return Ok(Judgement::Illegal(explanation)),
                Decided::Unknown(limit) => return Ok(Judgement::Unknown(limit)),
            }
        }
        Ok(Judgement::Legal(Witness::Stuck(justifications)))
    }

    /// Decides whether the roster has an order, for each precedence, after which the waiting call cannot happen; `counts` as in
    /// [`Precedence`]. The order is that of the first one.
    fn settle(
        &mut self,
        roster: &Roster,
        waiting: Option<CallId>,
        counts: impl Fn(CallId) -> bool,
    ) -> Result<Decided, SpecError> {
        let mut first = None;
        for precedence in Precedence::all(self.ask.history(), self.consistency, &counts) {
            let decided = self.settle_one(roster, waiting, &counts, &precedence)?;
            if !matches!(decided, Decided::Order(_)) {
                return Ok(decided);
            }
            first.get_or_insert(decided);
        }
        Ok(first.unwrap_or(Decided::Unknown(self.out_of_budget())))
    }

    fn settle_one(
        &mut self,
        roster: &Roster,
        waiting: Option<CallId>,
        counts: impl Fn(CallId) -> bool,
        precedence: &Precedence,
    ) -> Result<Decided, SpecError> {
        let history = self.ask.history();
        let question = OrderProblem { ask: self.ask, precedence, edges: &Edges::default(), roster };
        let small = match self.strategy {
            Strategy::Whole => self.budget.configurations,
            Strategy::Apart => SMALL,
            Strategy::ApartAlways => 0,
        };
        let decided = self.search(question, waiting, small)?;
        let is_over = self.strategy == Strategy::Whole || self.left() == 0;
        if is_over || !matches!(decided, Decided::Unknown(_)) {
            return Ok(decided);
        }
        if self.consistency != Consistency::Linearizable {
            for real_time in Precedence::all(history, Consistency::Linearizable, &counts) {
                let half = self.left() / 2;
                let easier = OrderProblem { precedence: &real_time, ..question };
                if let order @ Decided::Order(_) = self.take_apart(easier, waiting, half)? {
                    return Ok(order);
                }
            }
        }
        self.take_apart(question, waiting, self.left())
    }

    fn take_apart(
        &mut self,
        question: OrderProblem,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Decided, SpecError> {
        match self.ask.structure() {
            Structure::Keyed(keys) => {
                let budget = Budget { configurations, ..self.budget };
                if let Some((decided, visited)) = decide_by_key(keys, question, waiting, budget)? {
                    self.visited += visited;
                    return Ok(decided);
                }
            }
            Structure::Container(roles) => {
                if let Some(decided) = self.contain(roles, question, waiting, configurations)? {
                    return Ok(decided);
                }
            }
            Structure::Opaque => {}
        }
        self.search(question, waiting, configurations)
    }

    /// Decides with the help of pairs of values; `None` where they do not apply.
    fn contain(
        &mut self,
        roles: &IndexVec<OpId, Role>,
        question: OrderProblem,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Option<Decided>, SpecError> {
        let Some(intervals) = question.precedence.intervals() else { return Ok(None) };
        let mut pairs = Pairs::new(roles, question, intervals, self.budget);
        if let Some(refuted) = pairs.learn()? {
            return self.refute(question, refuted, &Edges::default()).map(Some);
        }
        let mut left = configurations;
        // Most histories need few more configurations than they have calls. Where one does not, what it got stuck at is
        // suspect.
        let first = left.min(SMALL + 4 * question.roster.completed().len());
        for allowed in [first, left] {
            let edges = pairs.edges();
            let budget = Budget { configurations: allowed.min(left), ..self.budget };
            let mut search = Search::new(OrderProblem { edges: &edges, ..question }, budget);
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
                suspects.extend(search.next(&search.progress(end)));
            }
            drop(search);
            let refuted = match pairs.suspect(&suspects)? {
                Some(refuted) => Some(refuted),
                None => match pairs.crowd(&suspects)? {
                    Some(refuted) => Some(refuted),
                    None => pairs.look_at_all()?,
                },
            };
            match (refuted, decided) {
                (Some(refuted), _) => {
                    return self.refute(question, refuted, &Edges::default()).map(Some);
                }
                (None, None) => {
                    let budget = Budget { configurations: left, ..self.budget };
                    let core = shrink(question, &pairs, budget)?;
                    let calls = pairs.particles().calls(&core).collect();
                    return self.refute(question, calls, &pairs.edges_within(&core)).map(Some);
                }
                (None, Some(Decided::Unknown(limit))) if allowed == left || left == 0 => {
                    return Ok(Some(Decided::Unknown(limit)));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Explains why some calls, of which it is known, have no legal order; `edges` are true of all orders of these calls.
    fn refute(
        &mut self,
        question: OrderProblem,
        mut calls: Refuted,
        edges: &Edges,
    ) -> Result<Decided, SpecError> {
        calls.sort();
        let roster = Roster::new(self.ask.history(), calls.iter().copied());
        for edges in [&Edges::default(), edges] {
            let question = OrderProblem { roster: &roster, edges, ..question };
            if let Decided::None(explanation) = self.search(question, None, SMALL)? {
                return Ok(Decided::None(among(explanation, calls)));
            }
        }
        let explanation = Explanation::NoOrder { among: Some(calls), dead_ends: Vec::new(), omitted: 0 };
        Ok(Decided::None(explanation))
    }

    fn search(
        &mut self,
        question: OrderProblem,
        waiting: Option<CallId>,
        configurations: usize,
    ) -> Result<Decided, SpecError> {
        if configurations == 0 {
            return Ok(Decided::Unknown(self.out_of_budget()));
        }
        let configurations = configurations.min(self.budget.configurations);
        let (decided, visited) = decide(question, waiting, Budget { configurations, ..self.budget })?;
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
