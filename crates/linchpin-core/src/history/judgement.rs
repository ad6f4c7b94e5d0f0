//! What is said of a history: legal with a witness, illegal with the reason, or unknown. Data only; a printer makes text
//! of it.

use super::record::CallId;
use crate::semantics::SpecState;
use crate::types::Word;

#[derive(Clone, PartialEq, Debug)]
pub enum Judgement {
    Legal(Witness),
    Illegal(Explanation),
    /// The search looked at as many configurations as it was allowed to.
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

/// How far a search may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Pairs of a set of calls and a specification state.
    pub configurations: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { configurations: 2_000_000 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfBudget {
    pub configurations: usize,
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
