//! What the specification may have done so far.
//!
//! A *configuration* is a spec state and, for each pending call, whether the call has taken effect and with
//! which result. The set of all configurations is kept after each event:
//!
//! - a call adds a pending call that has not taken effect, and then any pending calls may take effect;
//! - a return keeps the configurations in which the call took effect with this result.
//!
//! The history is linearizable iff the set is not empty. This is the definition, executed. It shares no code
//! with the monitor of the bounded engine, nor with the judge. The tests compare it with the judge.

use linchpin_ir::index::Index;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_judge::history::Event;
use linchpin_semantics::{Participant, SpecError, SpecMachine, SpecState, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// Limit on configurations of one set.
pub const MOST: usize = 4_000;

/// A pending call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pending {
    pub op: OpId,
    pub args: Vec<Word>,
}

/// A possible state of the specification, and the results of the pending calls that took effect.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Configuration {
    pub spec: SpecState,
    /// The results by thread, for calls that took effect.
    pub done: BTreeMap<usize, Vec<Word>>,
}

/// All configurations after a history.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Configurations {
    /// The pending calls by thread.
    pub pending: BTreeMap<usize, Pending>,
    pub all: BTreeSet<Configuration>,
}

/// Why the configurations are not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// There are more than [`MOST`].
    TooMany,
    Specification(SpecError),
}

impl Configurations {
    /// Returns the configurations before any event.
    pub fn initial(spec: &SpecMachine) -> Result<Configurations, Unknown> {
        let states = spec.initial().map_err(Unknown::Specification)?;
        let all = states.into_iter().map(|spec| Configuration { spec, done: BTreeMap::new() }).collect();
        Ok(Configurations { pending: BTreeMap::new(), all })
    }

    /// Returns whether no order of the calls explains the results.
    pub fn is_refuted(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the configurations after an event.
    pub fn after(&self, spec: &SpecMachine, event: &Event) -> Result<Configurations, Unknown> {
        let mut next = self.clone();
        match event {
            Event::Call { thread, op, args } => {
                next.pending.insert(thread.index(), Pending { op: *op, args: args.clone() });
                next.close(spec)?;
            }
            Event::Return { thread, result } => {
                next.pending.remove(&thread.index());
                let kept = next.all.into_iter().filter_map(|mut configuration| {
                    let given = configuration.done.remove(&thread.index())?;
                    (given == *result).then_some(configuration)
                });
                next.all = kept.collect();
            }
        }
        Ok(next)
    }

    /// Adds every configuration that more effects of pending calls lead to.
    fn close(&mut self, spec: &SpecMachine) -> Result<(), Unknown> {
        let mut work: Vec<Configuration> = self.all.iter().cloned().collect();
        while let Some(configuration) = work.pop() {
            let waiting: Vec<(usize, &Pending)> = self
                .pending
                .iter()
                .filter(|(thread, _)| !configuration.done.contains_key(thread))
                .map(|(thread, call)| (*thread, call))
                .collect();
            for group in groups(spec, waiting.len()) {
                let members: Vec<(usize, &Pending)> = group.iter().map(|at| waiting[*at]).collect();
                let participants: Vec<Participant<'_>> = members
                    .iter()
                    .map(|(thread, call)| Participant {
                        op: call.op,
                        args: &call.args,
                        thread: ThreadId::new(*thread),
                    })
                    .collect();
                let outcomes =
                    spec.outcomes(&configuration.spec, &participants).map_err(Unknown::Specification)?;
                for outcome in outcomes {
                    let mut done = configuration.done.clone();
                    for ((thread, _), result) in members.iter().zip(&outcome.results) {
                        done.insert(*thread, result.as_deref().unwrap_or_default().to_vec());
                    }
                    let next = Configuration { spec: outcome.state, done };
                    if self.all.insert(next.clone()) {
                        if self.all.len() > MOST {
                            return Err(Unknown::TooMany);
                        }
                        work.push(next);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the groups of waiting calls that may take effect together: each call alone and, if the
/// specification has a rendezvous, each larger group.
fn groups(spec: &SpecMachine, waiting: usize) -> Vec<Vec<usize>> {
    let alone = (0..waiting).map(|at| vec![at]);
    if !spec.program().spec.has_rendezvous {
        return alone.collect();
    }
    let subsets = (1_u64..1 << waiting.min(16))
        .map(|bits| (0..waiting.min(16)).filter(|at| bits >> at & 1 == 1).collect::<Vec<_>>());
    subsets.collect()
}
