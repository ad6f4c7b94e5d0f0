//! Compares the executions of the fused steps with those of the naive interpreter.
//!
//! **Claim.** The sets of ends (final memory, results, stuck threads) are equal. **Proof.** Local work
//! commutes with the steps of other threads, so it can be moved to the access before it. Hence an execution
//! that ends without an error ends alike in both.
//!
//! Errors differ. A step joins an access with the local work after it. Where that work fails, no thread sees
//! the access. In the naive interpreter every use of an owned cell or a constant is an access. So other
//! threads may run in between and fail first. So every error of the steps is an error of the interpreter.
//! Where the interpreter has an error, the steps have one too.

pub mod fused;

pub use fused::{Fused, explore_fused};

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

/// Ends without an error, and errors with their thread and line.
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
