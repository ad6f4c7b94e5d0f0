//! What is said of a history: legal with a witness, illegal with the reason, or unknown. Data only; a printer makes text
//! of it.

use super::record::CallId;
use linchpin_ir::types::Word;
use linchpin_order::stop::Stop;
use linchpin_semantics::SpecState;

#[derive(Clone, PartialEq, Debug)]
pub enum Judgement {
    Legal(Witness),
    Illegal(Explanation),
    /// A limit was reached.
    Unknown(OutOfBudget),
}

impl Judgement {
    pub fn is_legal(&self) -> bool {
        matches!(self, Judgement::Legal(_))
    }

    pub fn is_illegal(&self) -> bool {
        matches!(self, Judgement::Illegal(_))
    }
}

/// How far a judgement may go.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// Pairs of a set of calls and a specification state.
    pub configurations: usize,
    /// Set from outside (an interrupt, a clock) to stop at the next occasion.
    pub stop: Option<&'a Stop>,
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget { configurations: 2_000_000, stop: None }
    }
}

impl Budget<'_> {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_some_and(Stop::is_asked)
    }
}

/// Why nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfBudget {
    /// How many a search looked at.
    pub configurations: usize,
    pub limit: Limit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Configurations,
    /// Somebody said so.
    Stopped,
}

/// The result of each of some calls, in the words of the object's operation; no words where there is none.
pub type Results = Vec<Vec<Word>>;

/// What calls give when they take effect: one call, or the calls of a rendezvous.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    pub calls: Vec<CallId>,
    pub results: Results,
}

/// A legal sequential execution, and the specification's state after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegalOrder {
    pub effects: Vec<Effect>,
    pub state: SpecState,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness {
    /// All completed calls and those of the pending ones that took effect.
    Order(LegalOrder),
    /// For each pending call of a stuck history an order of the completed calls after which it cannot happen.
    Stuck(Vec<Justification>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Justification {
    pub call: CallId,
    pub order: LegalOrder,
}

/// Why a history is illegal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Explanation {
    /// No order of the completed calls is legal.
    NoOrder {
        /// These calls have no legal order already, whatever the others did; `None`: it takes all of them. An order in
        /// `dead_ends` is one of these calls alone.
        among: Option<Vec<CallId>>,
        /// The ends of the longest legal orders, those with the fewest pending calls first.
        dead_ends: Vec<DeadEnd>,
        /// How many more there are.
        omitted: usize,
    },
    /// The history is stuck, but this pending call could happen after every legal order of the completed calls.
    Unjustified {
        call: CallId,
        ends: Vec<Enabled>,
        /// How many more there are.
        omitted: usize,
    },
}

/// A legal order of some calls that nothing continues.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnd {
    pub order: LegalOrder,
    /// Every way to go on with a completed call, and what is wrong with it.
    pub ways: Vec<Way>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    pub calls: Vec<CallId>,
    pub broken: Broken,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// No clause of the specification lets this happen here.
    NotEnabled,
    /// The call can only happen together with another one, and no such call is there.
    NoPartner,
    /// The specification allows each of these, and none is what was returned.
    Results(Vec<Results>),
}

/// A legal order of the completed calls after which a pending call could happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enabled {
    pub order: LegalOrder,
    /// What it could return.
    pub results: Vec<Vec<Word>>,
}
