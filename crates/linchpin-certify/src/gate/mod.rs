//! The gate: compares a checked certificate with all states of small instances.
//!
//! Prover and checker reason about views. The gate computes every reachable state of small instances with the
//! plain [semantics](linchpin_semantics) (`graph`). It tests whether each state is in the certificate's views
//! (`gamma`), with its own ghosts (`observers`, `watching`). It judges histories by the specification alone
//! (`refinement`). It looks for faults, lost cells and deadlocks. It tests whether each operation completes
//! (`results`), and whether a pending call can complete (`endless`).
//!
//! - *Claim.* If the gate reports a contradiction, the certificate is not inductive for the plain semantics.
//! - *Not claimed.* The gate is a test, not part of the soundness argument: the checker alone proves a
//!   certificate.
//! - *Independence.* The gate shares with prover and checker only the data types of certificates and the
//!   observers of [`observer_adequacy`], which define the obligations.
//! - *Tests.* `prove::gate` in the suite of `linchpin-prove`; the seeded faults of
//!   `faults/src/seeded/gate.rs`.
//!
//! [`local`] compares states that a test builds, reachable or not, and single steps from them.
//!
//! **Instances.** The first (2 threads, `init`'s cells and 3 more) must be finished. The second (3 threads, 2
//! more cells) is searched breadth first up to a number of states. If an operation has not yet completed with
//! some kind of result, a third (3 threads, 3 more cells) is searched for such a call. Its states are not
//! compared.

mod endless;
mod gamma;
mod graph;
mod layout;
#[doc(hidden)]
pub mod local;
mod naming;
mod observed_step;
mod observers;
mod plain;
mod product;
mod refinement;
mod refused;
mod results;
pub mod sets;
mod shape;
mod text;
mod watching;

pub use refused::{Compared, Execution, GateRefused, GateReport, Size, Unsupported};

use crate::certificate::{Certificate, Obligation};
use crate::observer_adequacy;
use graph::{Graph, Limits};
use layout::Layout;
use linchpin_ir::program::{Op, Program};
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use linchpin_ir::types::Word;
use product::Search;
use results::ResultKind;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Limits of the gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GateOptions {
    /// The maximal number of states of the first instance. A larger instance is not finished, and the gate
    /// refuses.
    pub first_states: usize,
    /// The maximal number of states of the second instance; 0 means no second instance.
    pub second_states: usize,
    /// The maximal number of pairs of a state and a ghost, or of a state and a set of configurations, of one
    /// comparison.
    pub pairs: usize,
    /// The number of values of type `data`, and of type `key`.
    pub values: u32,
    /// The largest age. Executions with a larger age are cut.
    pub ages: Word,
}

impl Default for GateOptions {
    fn default() -> GateOptions {
        GateOptions { first_states: 3_000_000, second_states: 500_000, pairs: 30_000_000, values: 2, ages: 4 }
    }
}

/// The maximal number of cells of an instance.
const MOST_NODES: u32 = 12;

/// Compares a certificate with the states of small instances. `claims` are the properties that the checker
/// accepted. Polls `go_on` regularly, and stops when it returns false.
pub fn examine(
    program: &Arc<Program>,
    certificate: &Certificate,
    claims: &[Property],
    options: &GateOptions,
    go_on: &dyn Fn() -> bool,
) -> Result<GateReport, GateRefused> {
    let program = &with_any_calls(program);
    let compare = |graph: &Graph, search: &Search| compare_views(graph, certificate, search);
    let values = options.values;
    let instances = [
        (Further { threads: 2, cells: 3, values }, options.first_states, Use::Finish),
        (Further { threads: 3, cells: 2, values }, options.second_states, Use::Compare),
        (Further { threads: 3, cells: 3, values }, options.second_states, Use::Complete),
    ];
    Gate { program, compare: &compare, claims, options, go_on, symmetric: false }.examine(&instances)
}

/// Returns the program without roles. A proof covers threads that make any calls: roles only restrict them.
fn with_any_calls(program: &Program) -> Arc<Program> {
    let mut open = program.clone();
    open.roles.clear();
    Arc::new(open)
}

/// The size of an instance, with the number of cells beyond those of `init`.
#[derive(Clone, Copy)]
struct Further {
    threads: u32,
    cells: u32,
    values: u32,
}

/// Compares the states of a graph with a certificate.
type Compare<'g> = &'g dyn Fn(&Graph, &Search) -> Result<(), GateRefused>;

struct Gate<'g> {
    program: &'g Arc<Program>,
    compare: Compare<'g>,
    claims: &'g [Property],
    options: &'g GateOptions,
    go_on: &'g dyn Fn() -> bool,
    /// The comparison follows the renaming of threads.
    symmetric: bool,
}

/// An instruction of a method, and whether it ran.
type Ran = (linchpin_ir::program::MethodId, linchpin_ir::program::Pc, bool);

/// The purpose of an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Compare every state.
    Finish,
    /// Compare as many states as the limits allow.
    Compare,
    /// Search for calls that did not complete in the other instances.
    Complete,
}

impl Gate<'_> {
    /// Searches the instances in order, and reports what was compared.
    fn examine(&self, instances: &[(Further, usize, Use)]) -> Result<GateReport, GateRefused> {
        let program = self.program;
        let of_init = graph::cells_of_init(program, MOST_NODES)?;
        let mut report = GateReport::default();
        let mut missing = results::wanted(program);
        let mut reached = Vec::new();
        let size = |further: &Further| Size {
            threads: further.threads,
            nodes: of_init + further.cells,
            values: further.values,
        };
        let mut up_to = instances.first().map(|(further, ..)| size(further));
        for (further, states, purpose) in instances {
            let (size, states, purpose) = (size(further), *states, *purpose);
            if states == 0 || (purpose == Use::Complete && missing.is_empty()) {
                continue;
            }
            let mut states = states;
            let compared = loop {
                match self.look_at(size, states, purpose, &mut missing, &mut reached) {
                    // The product with ghosts is too large: compare fewer states.
                    Err(GateRefused::Unfinished { .. }) if purpose == Use::Compare && states > 1_000 => {
                        states /= 4
                    }
                    compared => break compared?,
                }
            };
            report.instances.extend(compared);
            up_to = Some(size);
        }
        if let (Some((op, kind)), Some(up_to)) = (missing.first(), up_to) {
            let operation = program.ops[*op].name.clone();
            return Err(GateRefused::Vacuous { operation, kind: kind.text(), up_to });
        }
        (report.reached, report.never_reached) = coverage(program, &reached);
        Ok(report)
    }

    fn look_at(
        &self,
        size: Size,
        states: usize,
        purpose: Use,
        missing: &mut Vec<(linchpin_ir::program::OpId, ResultKind)>,
        reached: &mut Vec<Ran>,
    ) -> Result<Option<Compared>, GateRefused> {
        if size.nodes > MOST_NODES {
            return Err(Unsupported("too many cells made by `init`").into());
        }
        let layout = Layout::new(self.program, size.threads)?;
        let machine = graph::machine(self.program, size)?;
        let limits = Limits { states, age: self.options.ages, symmetric: self.symmetric };
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
                let execution = graph.execution_to(*node, Some(label));
                let (message, span) = (fault.message.clone(), Some(fault.span));
                return Err(GateRefused::Fault { property, message, span, execution });
            }
        }
        if let Some(node) = graph.leak.filter(|_| claims(Property::MemorySafe)) {
            let (property, message) = (Property::MemorySafe, "a cell is lost".to_string());
            return Err(GateRefused::Fault {
                property,
                message,
                span: None,
                execution: graph.execution_to(node, None),
            });
        }
        if let Some(node) = graph.stuck.or_else(|| endless::first(graph))
            && (claims(Property::DeadlockFree) || claims(Property::Linearizable))
            && !self.program.spec.makes_wait()
        {
            return Err(GateRefused::Deadlock { execution: graph.execution_to(node, None) });
        }
        if claims(Property::Linearizable) {
            refinement::judge(self.program, graph, &self.search())?;
        }
        (self.compare)(graph, &self.search())
    }

    fn search(&self) -> Search<'_> {
        Search { pairs: self.options.pairs, go_on: self.go_on }
    }
}

/// Compares the states of a graph with the views of a certificate.
fn compare_views(graph: &Graph, certificate: &Certificate, search: &Search) -> Result<(), GateRefused> {
    let products = observer_adequacy::products_of(graph.layout.program).unwrap_or_default();
    for invariant in &certificate.invariants {
        let rests = &certificate.rests;
        match invariant.question {
            Obligation::Observers(at) => {
                let product = products.get(at).ok_or(Unsupported("an unknown product of observers"))?;
                observers::compare(graph, rests, invariant, product, search)?;
            }
            Obligation::Memory { .. } => watching::compare(graph, rests, invariant, search)?,
            Obligation::Assertions => plain::compare(graph, rests, invariant, search.go_on)?,
        }
    }
    Ok(())
}

/// Returns the spans of instructions of operations that ran, and of those that never ran.
fn coverage(program: &Program, ran: &[Ran]) -> (Vec<Span>, Vec<Span>) {
    let methods: Vec<_> = program.ops.iter().map(|op| op.method).collect();
    let (mut reached, mut never) = (BTreeSet::new(), BTreeSet::new());
    for (method, pc, ran) in ran.iter().filter(|(method, ..)| methods.contains(method)) {
        let instr = &program.methods[*method].code[*pc];
        // The implicit return at the end of a method.
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
