//! The gate between a checked certificate and a `Proof`: a third look, by other means.
//!
//! Prover and checker reason about views. The gate does not reason: it computes every reachable state of small instances with
//! the plain [semantics](linchpin_semantics) ([`graph`]) and asks whether each is in the certificate's views ([`gamma`]), with ghosts that it
//! keeps itself ([`observers`], [`watching`]). It judges the histories by the specification alone ([`refinement`]), looks for
//! faults, lost cells and deadlocks, and asks whether each operation completes at all ([`results`]), and whether a pending call can complete ([`endless`]). It is a *test*, not a part of the argument: what it
//! refuses was not proved, what it lets pass is proved by the checker alone.
//!
//! It shares no code with prover and checker but the certificate's data types and the observer groups of
//! [`link`](crate::link), which say what the certificate answers.
//!
//! [`local`] offers the same look at states that a test builds, reachable or not, and at single steps from them.
//!
//! **Instances.** The first (2 threads, `init`'s cells and 3 more) must be finished. The second (3 threads, 2 more cells) is searched
//! breadth first up to a number of states. If some operation has not completed with some kind of result by then, a third one (3 threads, 3 more
//! cells) is searched for such a call; its states are not compared.

mod endless;
mod gamma;
mod graph;
mod heard;
mod layout;
#[doc(hidden)]
pub mod local;
mod naming;
mod observers;
mod plain;
mod product;
mod refinement;
mod refused;
mod results;
mod shape;
mod tell;
mod watching;

pub use refused::{Compared, GateRefused, GateReport, Size, Unsupported, Way};

use crate::certificate::{Certificate, Obligation};
use crate::observer_adequacy;
use graph::{Graph, Limits};
use layout::Layout;
use linchpin_ir::program::{Op, Program};
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use linchpin_ir::types::Word;
use product::Search;
use results::Kind;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How far the gate looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GateOptions {
    /// States of the first instance beyond which it counts as not finished.
    pub first_states: usize,
    /// States of the second instance beyond which it is not searched further; 0: there is none.
    pub second_states: usize,
    /// Pairs of a state and a ghost, or of a state and a set of configurations, beyond which a comparison counts as not finished.
    pub pairs: usize,
    /// Arguments of type `data`, and of type `key`.
    pub values: u32,
    /// The largest age; executions beyond it are cut.
    pub ages: Word,
}

impl Default for GateOptions {
    fn default() -> GateOptions {
        GateOptions { first_states: 3_000_000, second_states: 500_000, pairs: 30_000_000, values: 2, ages: 4 }
    }
}

/// More cells than an instance can have.
const MOST_NODES: u32 = 12;

/// Compares a certificate with the states of small instances. `claims` are the properties that it is said to prove; `go_on` is asked now and
/// then, and ends the comparison if it is false.
pub fn examine(
    program: &Arc<Program>,
    certificate: &Certificate,
    claims: &[Property],
    options: &GateOptions,
    go_on: &dyn Fn() -> bool,
) -> Result<GateReport, GateRefused> {
    // The proof is for threads that call anything: roles only restrict them.
    let mut open = (**program).clone();
    open.roles.clear();
    let program = &Arc::new(open);
    let of_init = graph::cells_of_init(program, MOST_NODES)?;
    let gate = Gate { program, certificate, claims, options, go_on };
    let mut report = GateReport::default();
    let mut missing = results::wanted(program);
    let mut reached = Vec::new();
    let size =
        |threads: u32, further: u32| Size { threads, nodes: of_init + further, values: options.values };
    let instances = [
        (size(2, 3), options.first_states, Use::Finish),
        (size(3, 2), options.second_states, Use::Compare),
        (size(3, 3), options.second_states, Use::Complete),
    ];
    let mut up_to = size(2, 3);
    for (size, states, purpose) in instances {
        if states == 0 || (purpose == Use::Complete && missing.is_empty()) {
            continue;
        }
        let mut states = states;
        let compared = loop {
            match gate.look_at(size, states, purpose, &mut missing, &mut reached) {
                // The product with ghosts is too large: fewer states are compared.
                Err(GateRefused::Unfinished { .. }) if purpose == Use::Compare && states > 1_000 => {
                    states /= 4
                }
                compared => break compared?,
            }
        };
        report.instances.extend(compared);
        up_to = size;
    }
    if let Some((op, kind)) = missing.first() {
        let operation = program.ops[*op].name.clone();
        return Err(GateRefused::Vacuous { operation, kind: kind.text(), up_to });
    }
    (report.reached, report.never_reached) = coverage(program, &reached);
    Ok(report)
}

/// What an instance is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// To compare every state of it.
    Finish,
    /// To compare as many states as the limits allow.
    Compare,
    /// To see calls complete that did not in the others.
    Complete,
}

struct Gate<'g> {
    program: &'g Arc<Program>,
    certificate: &'g Certificate,
    claims: &'g [Property],
    options: &'g GateOptions,
    go_on: &'g dyn Fn() -> bool,
}

/// An instruction of a method that ran, or did not.
type Ran = (linchpin_ir::program::MethodId, linchpin_ir::program::Pc, bool);

impl Gate<'_> {
    fn look_at(
        &self,
        size: Size,
        states: usize,
        purpose: Use,
        missing: &mut Vec<(linchpin_ir::program::OpId, Kind)>,
        reached: &mut Vec<Ran>,
    ) -> Result<Option<Compared>, GateRefused> {
        if size.nodes > MOST_NODES {
            return Err(Unsupported("so many cells made by `init`").into());
        }
        let layout = Layout::new(self.program, size.threads)?;
        let machine = graph::machine(self.program, size)?;
        let limits = Limits { states, age: self.options.ages };
        let graph = Graph::build(&layout, &machine, size, limits, self.go_on)?;
        let compared = Compared {
            size,
            states: graph.nodes() as u64,
            transitions: graph.transitions() as u64,
            depth: graph.depth,
            cut_by_age: graph.cut_by_age,
        };
        if purpose != Use::Complete {
            self.judge(&graph)?;
        }
        if purpose == Use::Finish && graph.depth.is_some() {
            return Err(GateRefused::Unfinished { size, states: compared.states });
        }
        missing.retain(|(op, kind)| !results::is_seen(self.program, &graph, *op, *kind));
        let ran = graph.reached.iter().enumerate().map(|(address, ran)| {
            let (method, pc) = machine.instruction_at(address);
            (method, pc, *ran)
        });
        reached.extend(ran);
        Ok(Some(compared).filter(|_| purpose != Use::Complete))
    }

    fn judge(&self, graph: &Graph) -> Result<(), GateRefused> {
        let claims = |property: Property| self.claims.contains(&property);
        for (property, fault, node, label) in &graph.faults {
            let property = graph::property_of(*property);
            if claims(property) {
                let way = graph.way(*node, Some(label));
                let (message, span) = (fault.message.clone(), Some(fault.span));
                return Err(GateRefused::Fault { property, message, span, way });
            }
        }
        if let Some(node) = graph.leak.filter(|_| claims(Property::MemorySafe)) {
            let (property, message) = (Property::MemorySafe, "a cell is lost".to_string());
            return Err(GateRefused::Fault { property, message, span: None, way: graph.way(node, None) });
        }
        if let Some(node) = graph.stuck.or_else(|| endless::first(graph))
            && claims(Property::DeadlockFree)
            && !self.program.spec.makes_wait()
        {
            return Err(GateRefused::Deadlock { way: graph.way(node, None) });
        }
        if claims(Property::Linearizable) {
            refinement::judge(self.program, graph, &self.search())?;
        }
        let groups = observer_adequacy::products_of(self.program).unwrap_or_default();
        for invariant in &self.certificate.invariants {
            let rests = &self.certificate.rests;
            match invariant.question {
                Obligation::Observers(at) => {
                    let group = groups.get(at).ok_or(Unsupported("an unknown group of observers"))?;
                    observers::compare(graph, rests, invariant, group, &self.search())?;
                }
                Obligation::Memory { .. } => watching::compare(graph, rests, invariant, &self.search())?,
                Obligation::Assertions => plain::compare(graph, rests, invariant, self.go_on)?,
            }
        }
        Ok(())
    }

    fn search(&self) -> Search<'_> {
        Search { pairs: self.options.pairs, go_on: self.go_on }
    }
}

/// Spans of instructions of operations that ran, and of those that never did.
fn coverage(program: &Program, ran: &[Ran]) -> (Vec<Span>, Vec<Span>) {
    let methods: Vec<_> = program.ops.iter().map(|op| op.method).collect();
    let (mut reached, mut never) = (BTreeSet::new(), BTreeSet::new());
    for (method, pc, ran) in ran.iter().filter(|(method, ..)| methods.contains(method)) {
        let instr = &program.methods[*method].code[*pc];
        // The return at the end of a text that does not say so.
        if matches!(instr.op, Op::Return(_)) && instr.span == program.methods[*method].span {
            continue;
        }
        if *ran {
            reached.insert(instr.span)
        } else {
            never.insert(instr.span)
        };
    }
    let never = never.difference(&reached).copied().collect();
    (reached.into_iter().collect(), never)
}
