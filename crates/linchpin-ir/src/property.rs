//! The properties of an object. The names are those of the command line; a model writes `_` for `-`.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Property {
    /// Each operation takes effect at one moment of its interval.
    Linearizable,
    /// One order of all operations, the order of each thread kept, explains all results.
    SequentiallyConsistent,
    /// One order of all operations, the order across quiescent moments kept, explains all results.
    QuiescentlyConsistent,
    /// For each quiescent moment by itself, one order that keeps the order across it explains all results
    /// (COLLECT 4.3).
    BarrierConsistent,
    /// No observer of the specification accepts, at the annotated points.
    Observers,
    MemorySafe,
    /// Every stuck execution is one that the specification justifies.
    DeadlockFree,
    Assertions,
    /// Every execution of finitely many calls ends.
    Terminating,
    LockFree,
    WaitFree,
    ObstructionFree,
    /// Under a weakly fair scheduler every call returns.
    StarvationFree,
}

impl Property {
    pub const ALL: [Property; 13] = [
        Property::Linearizable,
        Property::SequentiallyConsistent,
        Property::QuiescentlyConsistent,
        Property::BarrierConsistent,
        Property::Observers,
        Property::MemorySafe,
        Property::DeadlockFree,
        Property::Assertions,
        Property::Terminating,
        Property::LockFree,
        Property::WaitFree,
        Property::ObstructionFree,
        Property::StarvationFree,
    ];

    /// As the command line spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Property::Linearizable => "linearizable",
            Property::SequentiallyConsistent => "sequentially-consistent",
            Property::QuiescentlyConsistent => "quiescently-consistent",
            Property::BarrierConsistent => "barrier-consistent",
            Property::Observers => "observers",
            Property::MemorySafe => "memory-safe",
            Property::DeadlockFree => "deadlock-free",
            Property::Assertions => "assertions",
            Property::Terminating => "terminating",
            Property::LockFree => "lock-free",
            Property::WaitFree => "wait-free",
            Property::ObstructionFree => "obstruction-free",
            Property::StarvationFree => "starvation-free",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Takes both spellings, `lock-free` and `lock_free`, but not a mixture of the two.
impl FromStr for Property {
    type Err = UnknownProperty;

    fn from_str(name: &str) -> Result<Property, UnknownProperty> {
        let same = |property: &Property| {
            let with_dashes = property.as_str();
            name == with_dashes || name == with_dashes.replace('-', "_")
        };
        Property::ALL.into_iter().find(same).ok_or_else(|| UnknownProperty { name: name.into() })
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownProperty {
    pub name: String,
}

impl fmt::Display for UnknownProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = Property::ALL.iter().map(|p| p.as_str()).collect();
        write!(f, "there is no property `{}`; there are {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownProperty {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_reads_back_from_both_spellings() {
        for property in Property::ALL {
            assert_eq!(property.as_str().parse(), Ok(property));
            assert_eq!(property.as_str().replace('-', "_").parse(), Ok(property));
        }
    }

    #[test]
    fn every_property_stands_in_the_list_once() {
        let mut all = Property::ALL.to_vec();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), Property::ALL.len());
    }

    #[test]
    fn other_names_are_refused_with_the_list() {
        for name in ["", "lockfree", "Lock-free", "starvation_free "] {
            let refused = name.parse::<Property>().unwrap_err();
            assert!(refused.to_string().contains("obstruction-free"), "{refused}");
        }
    }
}
