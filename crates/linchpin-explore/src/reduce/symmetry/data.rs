//! Finds out which values of `data` are interchangeable.
//!
//! **Claim.** Where [`DataSymmetry::of`] finds no obstacle, a permutation of the values that keeps the fixed
//! ones commutes with every step and every clause.
//!
//! **Proof.** The language stores `data` and compares it for equality, nothing else. Two constructs
//! distinguish values: a constant, which makes its value a fixed point, and a hash function. A given function
//! may distinguish any two values; an arbitrary one gives each value a result of its own in each execution.
//!
//! **Guarded by** `tests/suite/engine/orbits.rs` and `tests/suite/reductions/traps.rs`.

use linchpin_engine::verdict::Asymmetry;
use linchpin_ir::program::{Expr, ExprKind, Method, Program};
use linchpin_ir::source::Span;
use linchpin_ir::types::{NONE, Scalar, TypeId, UNDEFINED};
use linchpin_semantics::Machine;
use std::collections::BTreeSet;

/// A symmetry of values. `fixed` has a bit for each value that is not interchangeable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataSymmetry {
    pub fixed: u64,
}

impl DataSymmetry {
    /// Scans a program. The error lists the obstacles in the order of the text.
    pub fn of(machine: &Machine) -> Result<DataSymmetry, Vec<Asymmetry>> {
        let program = &**machine.program();
        let mut scan = DataScan { program, fixed: 0, found: BTreeSet::new() };
        for hash in program.hashes.iter() {
            if [hash.domain, hash.result].into_iter().any(|ty| scan.holds_data(ty)) {
                scan.found.insert(Asymmetry { span: hash.span, what: "a hash function of `data`" });
            }
        }
        let clauses = program.spec.clauses.iter().map(|clause| &clause.method);
        let methods = program.methods.iter().chain([&program.spec.init]).chain(clauses);
        methods.for_each(|method| scan.method(method));
        match scan.found.is_empty() {
            true => Ok(DataSymmetry { fixed: scan.fixed }),
            false => Err(scan.found.into_iter().collect()),
        }
    }
}

struct DataScan<'a> {
    program: &'a Program,
    fixed: u64,
    found: BTreeSet<Asymmetry>,
}

impl DataScan<'_> {
    fn holds_data(&self, ty: TypeId) -> bool {
        self.program.types.slots(ty).iter().any(|slot| slot.scalar == Scalar::Data)
    }

    fn method(&mut self, method: &Method) {
        for instr in method.code.iter() {
            instr.op.operands(&mut |operand| operand.for_each(&mut |part| self.part(part, instr.span)));
        }
    }

    fn part(&mut self, expr: &Expr, span: Span) {
        match &expr.kind {
            ExprKind::Ord(of) if self.holds_data(of.ty) => {
                self.found.insert(Asymmetry { span, what: "the number of a `data` value" });
            }
            ExprKind::Constant(words) => {
                for (slot, &word) in self.program.types.slots(expr.ty).iter().zip(words) {
                    if slot.scalar != Scalar::Data || word == UNDEFINED || word == NONE {
                        continue;
                    }
                    match u32::try_from(word).ok().and_then(|value| 1u64.checked_shl(value)) {
                        Some(bit) => self.fixed |= bit,
                        None => {
                            self.found.insert(Asymmetry { span, what: "a `data` value out of range" });
                        }
                    }
                }
            }
            _ => {}
        }
    }
}
