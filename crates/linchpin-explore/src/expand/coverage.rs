//! Coverage of a search: completed calls of each operation, reached instructions, cut executions. It shows
//! whether `holds` is vacuous.

use linchpin_engine::verdict;
use linchpin_ir::program::{MethodId, Op, Program};
use linchpin_ir::source::{FileId, SourceMap, Span};
use linchpin_semantics::{Cut, FaultProperty, Machine};
use std::collections::{BTreeMap, BTreeSet};

/// What a search covered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// For each operation the number of transitions in which a call of it completed.
    pub completed: Vec<u64>,
    /// For each address whether its instruction ran.
    pub reached: Vec<bool>,
    /// The number of transitions that were disabled because no cell was left.
    pub cut_by_nodes: u64,
    /// The number of transitions that left another bound, by bound.
    pub cut: BTreeMap<Cut, u64>,
    /// The number of transitions that ended in a fault, by the property that the fault violates.
    pub faults: BTreeMap<FaultProperty, u64>,
    /// The number of executions that an `assume` discarded.
    pub discarded: u64,
}

impl Coverage {
    pub fn new(machine: &Machine) -> Coverage {
        Coverage {
            completed: vec![0; machine.program().ops.len()],
            reached: vec![false; machine.number_of_instructions()],
            ..Coverage::default()
        }
    }

    /// Adds the coverage of another search of the same program.
    pub fn add(&mut self, other: &Coverage) {
        self.completed.resize(self.completed.len().max(other.completed.len()), 0);
        self.reached.resize(self.reached.len().max(other.reached.len()), false);
        self.completed.iter_mut().zip(&other.completed).for_each(|(sum, n)| *sum += n);
        self.reached.iter_mut().zip(&other.reached).for_each(|(any, one)| *any |= one);
        self.cut_by_nodes += other.cut_by_nodes;
        self.discarded += other.discarded;
        for (cut, times) in &other.cut {
            *self.cut.entry(*cut).or_default() += times;
        }
        for (property, times) in &other.faults {
            *self.faults.entry(*property).or_default() += times;
        }
    }

    pub fn cuts(&self) -> verdict::Cuts {
        verdict::Cuts {
            nodes: self.cut_by_nodes,
            others: self.cut.clone(),
            discarded: self.discarded,
            faults: self.faults.clone(),
        }
    }

    /// Returns the report: completed calls by operation name, and lines that no execution reached.
    pub fn report(&self, sources: &SourceMap, machine: &Machine) -> verdict::Coverage {
        let program = machine.program();
        let names = program.ops.iter().map(|op| op.name.clone());
        verdict::Coverage {
            completed: names.zip(self.completed.iter().copied()).collect(),
            unreached: self.unreached_lines(sources, machine),
        }
    }

    /// Returns the first span of each line without a reached instruction, in the order of the text.
    fn unreached_lines(&self, sources: &SourceMap, machine: &Machine) -> Vec<Span> {
        let program = machine.program();
        let watched = operation_methods(program);
        let mut first: BTreeMap<(FileId, usize), Span> = BTreeMap::new();
        let mut seen: BTreeSet<(FileId, usize)> = BTreeSet::new();
        for (address, &ran) in self.reached.iter().enumerate() {
            let (method, pc) = machine.instruction_at(address);
            if !watched.contains(&method) {
                continue;
            }
            let instr = &program.methods[method].code[pc];
            if matches!(instr.op, Op::Return(_)) && instr.span == program.methods[method].span {
                continue;
            }
            let line = (instr.span.file, sources.line_of(instr.span));
            if ran {
                seen.insert(line);
            }
            let earliest = first.entry(line).or_insert(instr.span);
            *earliest = (*earliest).min(instr.span);
        }
        first.into_iter().filter(|(line, _)| !seen.contains(line)).map(|(_, span)| span).collect()
    }
}

/// Returns the methods that operations run: their own methods and recursive functions, not `init`.
fn operation_methods(program: &Program) -> BTreeSet<MethodId> {
    let mut found: BTreeSet<MethodId> = BTreeSet::new();
    let mut work: Vec<MethodId> = program.ops.iter().map(|op| op.method).collect();
    while let Some(method) = work.pop() {
        if found.insert(method) {
            let calls = program.methods[method].code.iter().filter_map(|instr| match &instr.op {
                Op::Call { method, .. } => Some(*method),
                _ => None,
            });
            work.extend(calls);
        }
    }
    found
}
