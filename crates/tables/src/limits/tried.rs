//! The result of one instance: it finished, or the search ended early.

/// The result of one instance.
#[derive(Clone, PartialEq, Debug)]
pub struct Tried {
    pub outcome: Outcome,
    pub states: u64,
    pub seconds: f64,
    pub megabytes: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Holds,
    /// The search ended early: the reason, and what the whole search would have taken.
    Unfinished(String),
}

impl Tried {
    pub fn finished(&self) -> bool {
        self.outcome == Outcome::Holds
    }
}
