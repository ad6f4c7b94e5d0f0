//! Whether the steps of a program and its naive reading end alike.
//!
//! **What must be equal.** An execution that ends without an error ends alike in both: local work commutes with what others do, so it can be
//! moved to the access before it. So the sets of ends (final memory, results, who is stuck) are equal.
//!
//! Errors are another matter. A step joins an access with the local work after it; where that work fails, nobody sees the access. The naive reading
//! lets others run in between (where a touch of an owned cell or of a constant is an access of its own) and fail first. So every
//! error of the steps is one of the naive reading, and where the naive reading has an error, the steps have one too.

pub mod fused;

pub use fused::{Fused, explore};

use crate::reference::{Ending, Explored};
use linchpin_ir::source::SourceMap;
use std::collections::BTreeSet;

/// How the two differ, if they do.
pub fn difference(sources: &SourceMap, fused: &Fused, reference: &Explored) -> Option<String> {
    let fused = Endings::of(sources, fused.endings.keys());
    let naive = Endings::of(sources, reference.endings.iter());
    let mut report = String::new();
    let mut tell = |what: &str, endings: Vec<&String>| {
        for ending in endings {
            report.push_str(&format!("{what}: {ending}\n"));
        }
    };
    tell("only by steps", fused.ends.difference(&naive.ends).collect());
    tell("only by the naive reading", naive.ends.difference(&fused.ends).collect());
    tell("error only by steps", fused.faults.difference(&naive.faults).collect());
    if fused.faults.is_empty() && !reference.discarded {
        tell("error only by the naive reading", naive.faults.iter().collect());
    }
    (!report.is_empty()).then_some(report)
}

/// Ends without an error, and errors: who, what, on which line.
struct Endings {
    ends: BTreeSet<String>,
    faults: BTreeSet<String>,
}

impl Endings {
    fn of<'e>(sources: &SourceMap, endings: impl Iterator<Item = &'e Ending>) -> Endings {
        let mut found = Endings { ends: BTreeSet::new(), faults: BTreeSet::new() };
        for ending in endings {
            match ending {
                Ending::Ended(text) => found.ends.insert(text.clone()),
                Ending::Fault { thread, fault, span } => {
                    found.faults.insert(format!("{fault:?} of {thread:?} on line {}", sources.line_of(*span)))
                }
            };
        }
        found
    }
}
