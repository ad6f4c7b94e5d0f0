//! A test without its types, and the ways to run it.

use crate::object::{Factory, Interface};
use crate::scenario::{Outline, Scenario, Scenarios};
use crate::spec::Spec;
use linchpin_order::Consistency;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How executions are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Way {
    /// Real threads; no instrumentation.
    #[default]
    Threads,
    /// The engine of shuttle: every schedule up to a number of preemptions, sequentially consistent.
    Shuttle,
    /// The engine of loom: the memory model of C11, as loom models it.
    Loom,
}

impl Way {
    /// Returns the way that this program was built for.
    pub fn built() -> Way {
        if cfg!(linchpin_way = "shuttle") {
            Way::Shuttle
        } else if cfg!(linchpin_way = "loom") {
            Way::Loom
        } else {
            Way::Threads
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Threads => "threads",
            Way::Shuttle => "shuttle",
            Way::Loom => "loom",
        })
    }
}

/// A test without its types.
pub(crate) struct Case {
    pub interface: Interface,
    pub factory: Arc<dyn Factory>,
    pub spec: Spec,
    pub scenarios: Scenarios,
    pub options: Options,
}

/// The options of a test.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub name: String,
    pub consistency: Consistency,
    pub budget: Duration,
    pub preemptions: usize,
    pub steps: usize,
    pub patience: Duration,
    pub seed: u64,
    pub reports_lost_tokens: bool,
    pub only: Option<Way>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: String::new(),
            consistency: Consistency::Linearizable,
            budget: Duration::from_secs(5),
            preemptions: 2,
            steps: 4000,
            patience: Duration::from_secs(1),
            seed: 0,
            reports_lost_tokens: false,
            only: None,
        }
    }
}

impl Case {
    /// Returns the scenario of an outline.
    pub fn scenario(&self, outline: &Outline) -> Scenario {
        self.scenarios.fill(outline)
    }
}
