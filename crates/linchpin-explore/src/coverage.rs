//! What a search saw happen, so that `holds` is never empty praise: calls completed for each operation, instructions
//! reached, executions cut.

use linchpin_engine::verdict;
use linchpin_ir::program::{MethodId, Op, Program};
use linchpin_ir::source::{FileId, SourceMap, Span};
use linchpin_semantics::{Cut, FaultProperty, Machine};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Transitions in which a call of the operation completed, by operation.
    pub completed: Vec<u64>,
    /// Instructions that ran, by address.
    pub reached: Vec<bool>,
    /// Transitions that could not happen because no cell was left.
    pub cut_by_nodes: u64,
    /// Transitions that left another bound.
    pub cut: BTreeMap<Cut, u64>,
    /// Transitions that ended in an error, by the property that it violates.
    pub faults: BTreeMap<FaultProperty, u64>,
    /// Executions that an `assume` discarded.
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

    /// Adds what another search of the same program saw.
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
        verdict::Cuts { nodes: self.cut_by_nodes, others: self.cut.clone(), faults: self.faults.clone() }
    }

    /// For a person: operations by name, lines of the operations that no execution reached.
    pub fn report(&self, sources: &SourceMap, machine: &Machine) -> verdict::Coverage {
        let program = machine.program();
        let names = program.ops.iter().map(|op| op.name.clone());
        verdict::Coverage {
            completed: names.zip(self.completed.iter().copied()).collect(),
            unreached: self.unreached_lines(sources, machine),
        }
    }

    /// The first place of each line of which no instruction was reached, in the order of the text.
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

/// The methods that operations run: their own and the recursive functions; not `init`.
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
