//! Verdicts about a history: legal with a witness, illegal with the reason, or unknown. Data only.

use crate::call::CallId;
use crate::spec::Specification;
use crate::stop::Stop;

/// A verdict about one history.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict<State, Ret> {
    Legal(Witness<State, Ret>),
    Illegal(Explanation<State, Ret>),
    /// The search reached a limit.
    Unknown(OutOfBudget),
}

impl<State, Ret> Verdict<State, Ret> {
    pub fn is_legal(&self) -> bool {
        matches!(self, Verdict::Legal(_))
    }

    pub fn is_illegal(&self) -> bool {
        matches!(self, Verdict::Illegal(_))
    }
}

/// The verdict type of a specification.
pub type VerdictOf<S> = Verdict<<S as Specification>::State, <S as Specification>::Ret>;

/// The explanation type of a specification.
pub type ExplanationOf<S> = Explanation<<S as Specification>::State, <S as Specification>::Ret>;

/// The order type of a specification.
pub(crate) type OrderOf<S> = LegalOrder<<S as Specification>::State, <S as Specification>::Ret>;

/// Limits of one judgement.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// The number of configurations: pairs of a set of calls and a state of the specification.
    pub configurations: usize,
    /// A request from outside (an interrupt, a clock). The search ends soon after it. `None`: no such
    /// request.
    pub stop: Option<&'a Stop>,
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget { configurations: 2_000_000, stop: None }
    }
}

impl Budget<'_> {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_some_and(Stop::is_asked)
    }
}

/// Why a verdict is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfBudget {
    /// The number of configurations that the search visited.
    pub configurations: usize,
    pub limit: Limit,
}

/// The limit that ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Configurations,
    /// The end was [requested](Stop).
    Stopped,
}

/// The effect of one call, or of the calls of a rendezvous.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect<Ret> {
    pub calls: Vec<CallId>,
    /// The result of each call.
    pub results: Vec<Ret>,
}

/// A legal sequential execution, and the state of the specification after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegalOrder<State, Ret> {
    pub effects: Vec<Effect<Ret>>,
    pub state: State,
}

/// Why a history is legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness<State, Ret> {
    /// An order of all completed calls and of the pending calls that took effect.
    Order(LegalOrder<State, Ret>),
    /// For each pending call of a stuck history an order of the completed calls after which the call must
    /// wait.
    Stuck(Vec<Justification<State, Ret>>),
}

/// Why a pending call may wait for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Justification<State, Ret> {
    pub call: CallId,
    pub order: LegalOrder<State, Ret>,
}

/// Why a history is illegal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Explanation<State, Ret> {
    /// No order of the completed calls is legal.
    NoOrder {
        /// Calls that have no legal order by themselves, whatever the other calls did. An order in
        /// `dead_ends` is an order of these calls. `None`: all calls of the history.
        among: Option<Vec<CallId>>,
        /// The ends of the longest legal orders, those with the fewest pending calls first.
        dead_ends: Vec<DeadEnd<State, Ret>>,
        /// The number of further dead ends.
        omitted: usize,
    },
    /// The history is stuck, but this pending call can take effect after every legal order of the completed
    /// calls.
    Unjustified {
        call: CallId,
        ends: Vec<Enabled<State, Ret>>,
        /// The number of further ends.
        omitted: usize,
    },
}

/// A legal order of some calls that no completed call can continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnd<State, Ret> {
    pub order: LegalOrder<State, Ret>,
    /// Every way to continue with a completed call, and why it fails.
    pub ways: Vec<Way<Ret>>,
}

/// An attempt to continue an order with these calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way<Ret> {
    pub calls: Vec<CallId>,
    pub broken: Broken<Ret>,
}

/// Why calls cannot take effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken<Ret> {
    /// The specification has no outcome in this state.
    NotEnabled,
    /// The call can only take effect together with another call, and no such call may come next.
    NoPartner,
    /// The results that the specification allows. The calls returned none of these.
    Results(Vec<Vec<Ret>>),
}

/// A legal order of the completed calls after which a pending call can take effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enabled<State, Ret> {
    pub order: LegalOrder<State, Ret>,
    /// What the pending call can return.
    pub results: Vec<Ret>,
}
