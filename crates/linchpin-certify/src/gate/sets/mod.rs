//! Compares states with a certificate for sets.
//!
//! For each key of the instance as the watched key, every reachable state is paired with its
//! [ghosts]. Each pair must be [in the certificate](gamma), and each step must be one that a set
//! allows. The certificate contributes the root of the list and the meaning of the abstract set; both are
//! witnesses. A wrong witness makes a call that returns something else than its events say, which is found
//! here, or a state outside.

mod gamma;
mod ghosts;
#[doc(hidden)]
pub mod local;
mod one_key;

use super::graph::{Edge, Graph};
use super::product::{self, Numbers, Search, To};
use super::refused::{GateRefused, GateReport};
use super::{Further, Gate, GateOptions, Use, with_any_calls};
use crate::set_certificate::SetCertificate;
use gamma::{Missing, SetViews};
use ghosts::{Facts, Ghost, Watch};
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_ir::types::word_of;
use one_key::OneKey;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The maximal number of states of an instance beyond the first. A state stands for all that differ in which
/// thread is which, up to six.
const FURTHER_STATES: usize = 60_000;

/// Compares a checked certificate for a set with all states of small instances. `claims` are the properties
/// that the checker accepted. Polls `go_on` regularly, and stops when it returns false.
pub fn examine(
    program: &Arc<Program>,
    certificate: &SetCertificate,
    claims: &[Property],
    options: &GateOptions,
    go_on: &dyn Fn() -> bool,
) -> Result<GateReport, GateRefused> {
    let program = &with_any_calls(program);
    let compare = |graph: &Graph, search: &Search| compare(program, graph, certificate, search);
    let further = options.second_states.min(FURTHER_STATES);
    // With three keys there is one below and one above the watched key.
    let instances = [
        (Further { threads: 2, cells: 3, values: 2 }, options.first_states, Use::Finish),
        (Further { threads: 2, cells: 3, values: 3 }, further, Use::Compare),
        (Further { threads: 3, cells: 2, values: 2 }, further, Use::Compare),
        (Further { threads: 3, cells: 3, values: 3 }, options.second_states, Use::Complete),
    ];
    let symmetric = !program.names_threads();
    Gate { program, compare: &compare, claims, options, go_on, symmetric }.examine(&instances)
}

fn compare(
    program: &Arc<Program>,
    graph: &Graph,
    certificate: &SetCertificate,
    search: &Search,
) -> Result<(), GateRefused> {
    let present = gamma::present(graph.layout, certificate);
    let views = SetViews::new(graph.layout, certificate);
    for key in 1..=word_of(graph.bounds.keys) {
        let spec = OneKey::new(program, &graph.bounds, key)?;
        let watch = Watch { key, root: certificate.root, present: &present, spec: &spec };
        compare_key(graph, &watch, &views, search)?;
    }
    Ok(())
}

/// Returns the certificate that contains exactly the reachable states of an instance with two threads and two
/// keys. For tests of the gate, and as a lower bound of what a prover must find. `symmetric`: states that
/// differ only in which thread is which are one state.
#[doc(hidden)]
pub fn collect(
    program: &Arc<Program>,
    witness: &SetCertificate,
    options: &GateOptions,
    symmetric: bool,
) -> Result<SetCertificate, GateRefused> {
    let mut collected = RefCell::new((BTreeSet::new(), BTreeSet::new()));
    let compare = |graph: &Graph, search: &Search| {
        let present = gamma::present(graph.layout, witness);
        let views = SetViews::new(graph.layout, witness);
        for key in 1..=word_of(graph.bounds.keys) {
            let spec = OneKey::new(program, &graph.bounds, key)?;
            let watch = Watch { key, root: witness.root, present: &present, spec: &spec };
            let facts = facts(graph, &watch);
            for (node, ghost) in ghostly_states(graph, &watch, &facts, search)? {
                let record = graph.record(node);
                let (threads, edges) = &mut *collected.borrow_mut();
                gamma::collect(&views, record, (&ghost, facts[node as usize], key), threads, edges);
            }
        }
        Ok(())
    };
    let instances = [(Further { threads: 2, cells: 3, values: 2 }, options.first_states, Use::Finish)];
    let go_on = || true;
    Gate { program, compare: &compare, claims: &[], options, go_on: &go_on, symmetric }
        .examine(&instances)?;
    let (threads, edges) = std::mem::take(collected.get_mut());
    let (threads, edges) = (threads.into_iter().collect(), edges.into_iter().collect());
    Ok(SetCertificate { threads, edges, ..witness.clone() })
}

fn compare_key(graph: &Graph, watch: &Watch, views: &SetViews, search: &Search) -> Result<(), GateRefused> {
    let facts = facts(graph, watch);
    for (at, (node, ghost)) in ghostly_states(graph, watch, &facts, search)?.enumerate() {
        if at % 1024 == 0 && !(search.go_on)() {
            return Err(GateRefused::Interrupted);
        }
        let record = graph.record(node);
        if let Some(missing) = views.outside(record, &ghost, facts[node as usize], watch.key) {
            let key = watch.key;
            let what = match missing {
                Missing::Thread(thread) => format!("thread {thread} has no view for key {key}"),
                Missing::Edge { from, seen_by: None } => {
                    format!("the edge of cell n{} has no view for key {key}", from + 1)
                }
                Missing::Edge { from, seen_by: Some(thread) } => {
                    format!("the edge of cell n{} has no view of thread {thread} for key {key}", from + 1)
                }
            };
            return Err(GateRefused::View { what, execution: graph.execution_to(node, None) });
        }
    }
    Ok(())
}

/// Returns the facts of each state.
fn facts(graph: &Graph, watch: &Watch) -> Vec<Facts> {
    graph.node_ids().map(|node| watch.facts(graph.record(node))).collect()
}

/// Returns every reachable state with every ghost that it can have. Fails if a step is not one that a set
/// allows.
fn ghostly_states(
    graph: &Graph,
    watch: &Watch,
    facts: &[Facts],
    search: &Search,
) -> Result<impl Iterator<Item = (u32, Rc<Ghost>)>, GateRefused> {
    let mut ghosts: Numbers<Ghost> = Numbers::new();
    let mut initial = Vec::new();
    for node in &graph.initial {
        let ghost = watch
            .begin(graph.record(*node))
            .map_err(|what| GateRefused::Effect { what, execution: graph.execution_to(*node, None) })?;
        initial.push((*node, ghosts.of(ghost)));
    }
    let wrong = RefCell::new(String::new());
    let step = |node: u32, ghost: u32, edge: &Edge| {
        let records = (graph.record(node), graph.record(edge.to));
        let (label, moved) = (&graph.labels[edge.label as usize], &graph.moves[edge.cells as usize]);
        let facts = (facts[node as usize], facts[edge.to as usize]);
        match watch.step(ghosts.get(ghost), records, facts, label, moved) {
            Ok(next) => To::State(ghosts.of(next)),
            Err(what) => {
                wrong.replace(what);
                To::Wrong
            }
        }
    };
    let pairs = product::pairs(graph, &initial, step, search).map_err(|stopped| {
        stopped.refuse(graph, |node, label| GateRefused::Effect {
            what: wrong.take(),
            execution: graph.execution_to(node, Some(&graph.labels[label as usize])),
        })
    })?;
    Ok(pairs.into_iter().map(move |(node, ghost)| (node, ghosts.shared(ghost))))
}
