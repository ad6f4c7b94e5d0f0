//! The fingerprint of a program: a 64-bit hash of everything that its executions and its specification depend
//! on.
//!
//! Two programs share a fingerprint only if their steps, their memory and their specification are the same,
//! up to collisions of the hash. Comments, names of files, spans and expectations do not count.
//!
//! The hash is taken over an explicit encoding ([`encoder`]), not over Rust's `Debug` text: a renamed Rust
//! type changes no fingerprint. A change of the encoding, or of what lowering produces, changes fingerprints.
//! Then the format versions of trace and certificate files must change too. Guarding test:
//! `golden_fingerprints`.

mod code;
mod encoder;

use crate::trace::Fingerprint;
use encoder::{Encode, Encoder};
use linchpin_ir::interface::MemoryKind;
use linchpin_ir::program::observer::{Location, Observer, ObserverStep, Pattern};
use linchpin_ir::program::{
    Calls, Clause, ClauseHead, Constant, Global, Globals, HashFunction, Operation, Program, Role, Spec,
};
use linchpin_ir::types::{Enum, Field, Record, Scalar, SlotKind, TypeKind, TypeTable};
use std::sync::Arc;

/// Returns the fingerprint of a program.
pub fn fingerprint(program: &Program) -> Fingerprint {
    let mut to = Encoder::default();
    program.encode(&mut to);
    Fingerprint(to.hash())
}

impl Encode for Program {
    fn encode(&self, to: &mut Encoder) {
        let Program {
            name,
            header: _,
            memory,
            threads,
            threads_used_at,
            types,
            constants,
            globals,
            thread_vars,
            thread_slots,
            thread_init,
            init,
            methods,
            ops,
            hashes,
            roles,
            spec,
            checks: _,
            proofs: _,
            uses_links,
            object_span: _,
        } = self;
        to.text(name);
        to.variant(match memory {
            MemoryKind::Gc => 0,
            MemoryKind::Pool => 1,
            MemoryKind::Manual => 2,
        });
        // A program that does not mention `threads` is the same for any number of threads.
        to.optional(threads_used_at.as_ref(), |to, _| to.unsigned(u64::from(*threads)));
        types.encode(to);
        to.list(constants.iter());
        globals.encode(to);
        to.list(thread_vars.iter());
        to.list(thread_slots.iter());
        to.optional(*thread_init, Encoder::index);
        to.index(*init);
        to.list(methods.iter());
        to.list(ops.iter());
        to.list(hashes.iter());
        to.list(roles.iter());
        spec.encode(to);
        to.flag(*uses_links);
    }
}

impl Encode for TypeTable {
    fn encode(&self, to: &mut Encoder) {
        to.size(self.ids().count());
        self.ids().for_each(|id| self.kind(id).encode(to));
        to.list(self.structs.iter());
        to.list(self.words.iter());
        to.list(self.enums.iter());
    }
}

impl Encode for TypeKind {
    fn encode(&self, to: &mut Encoder) {
        match self {
            TypeKind::Unit => to.variant(0),
            TypeKind::Bool => to.variant(1),
            TypeKind::Int => to.variant(2),
            TypeKind::Range { low, high } => {
                to.variant(3);
                to.signed(*low);
                to.signed(*high);
            }
            TypeKind::Enum(id) => {
                to.variant(4);
                to.index(*id);
            }
            TypeKind::Data => to.variant(5),
            TypeKind::Key => to.variant(6),
            TypeKind::Age => to.variant(7),
            TypeKind::Thread => to.variant(8),
            TypeKind::Pointer(pointee) => {
                to.variant(9);
                pointee.encode(to);
            }
            TypeKind::Option(of) => {
                to.variant(10);
                to.index(*of);
            }
            TypeKind::Word(id) => {
                to.variant(11);
                to.index(*id);
            }
            TypeKind::Struct(id) => {
                to.variant(12);
                to.index(*id);
            }
            TypeKind::Array(of, len) => {
                to.variant(13);
                to.index(*of);
                to.unsigned(u64::from(*len));
            }
            TypeKind::Seq(of) => {
                to.variant(14);
                to.index(*of);
            }
            TypeKind::Set(of) => {
                to.variant(15);
                to.index(*of);
            }
            TypeKind::Bag(of) => {
                to.variant(16);
                to.index(*of);
            }
            TypeKind::Map(key, value) => {
                to.variant(17);
                to.index(*key);
                to.index(*value);
            }
            TypeKind::Lock => to.variant(18),
            TypeKind::Condvar => to.variant(19),
        }
    }
}

impl Encode for Record {
    fn encode(&self, to: &mut Encoder) {
        let Record { name, fields, span: _ } = self;
        to.text(name);
        to.list(fields.iter());
    }
}

impl Encode for Field {
    fn encode(&self, to: &mut Encoder) {
        let Field { name, ty, span: _ } = self;
        to.text(name);
        to.index(*ty);
    }
}

impl Encode for Enum {
    fn encode(&self, to: &mut Encoder) {
        let Enum { name, variants, span: _ } = self;
        to.text(name);
        to.list(variants.iter());
    }
}

impl Encode for Arc<str> {
    fn encode(&self, to: &mut Encoder) {
        to.text(self);
    }
}

impl Encode for SlotKind {
    fn encode(&self, to: &mut Encoder) {
        let SlotKind { scalar, optional } = self;
        match scalar {
            Scalar::Bool => to.variant(0),
            Scalar::Int => to.variant(1),
            Scalar::Range { low, high } => {
                to.variant(2);
                to.signed(*low);
                to.signed(*high);
            }
            Scalar::Enum(id) => {
                to.variant(3);
                to.index(*id);
            }
            Scalar::Data => to.variant(4),
            Scalar::Key => to.variant(5),
            Scalar::Age => to.variant(6),
            Scalar::Thread => to.variant(7),
            Scalar::Pointer => to.variant(8),
            Scalar::Lock => to.variant(9),
            Scalar::Condvar => to.variant(10),
            Scalar::Collection(ty) => {
                to.variant(11);
                to.index(*ty);
            }
            Scalar::Present => to.variant(12),
        }
        to.flag(*optional);
    }
}

impl Encode for Constant {
    fn encode(&self, to: &mut Encoder) {
        let Constant { name, value, span: _ } = self;
        to.text(name);
        to.signed(*value);
    }
}

impl Encode for Globals {
    fn encode(&self, to: &mut Encoder) {
        let Globals { variables, slots } = self;
        to.list(variables.iter());
        to.list(slots.iter());
    }
}

impl Encode for Global {
    fn encode(&self, to: &mut Encoder) {
        let Global { name, ty, offset, constant, span: _ } = self;
        to.text(name);
        to.index(*ty);
        to.size(*offset);
        to.flag(*constant);
    }
}

impl Encode for Operation {
    fn encode(&self, to: &mut Encoder) {
        let Operation { name, method, params, result, free_point, span: _ } = self;
        to.text(name);
        to.index(*method);
        to.indices(params);
        to.optional(*result, Encoder::index);
        to.flag(*free_point);
    }
}

impl Encode for HashFunction {
    fn encode(&self, to: &mut Encoder) {
        let HashFunction { name, domain, result, body, span: _ } = self;
        to.text(name);
        to.index(*domain);
        to.index(*result);
        to.optional(*body, Encoder::index);
    }
}

impl Encode for Role {
    fn encode(&self, to: &mut Encoder) {
        let Role { name, count, calls, span: _ } = self;
        to.text(name);
        to.optional(*count, |to, count| to.unsigned(u64::from(count)));
        calls.encode(to);
    }
}

impl Encode for Calls {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Calls::Op(op) => {
                to.variant(0);
                to.index(*op);
            }
            Calls::Sequence(parts) => {
                to.variant(1);
                to.list(parts.iter());
            }
            Calls::Choice(parts) => {
                to.variant(2);
                to.list(parts.iter());
            }
            Calls::Star(part) => {
                to.variant(3);
                part.encode(to);
            }
            Calls::Optional(part) => {
                to.variant(4);
                part.encode(to);
            }
        }
    }
}

impl Encode for Spec {
    fn encode(&self, to: &mut Encoder) {
        // Whether there is a rendezvous follows from the clauses.
        let Spec { name, globals, init, clauses, adds, removes, has_rendezvous: _, observers, span: _ } =
            self;
        to.text(name);
        globals.encode(to);
        init.encode(to);
        to.list(clauses.iter());
        to.indices(adds);
        to.indices(removes);
        to.list(observers.iter());
    }
}

impl Encode for Clause {
    fn encode(&self, to: &mut Encoder) {
        let Clause { heads, method, span: _ } = self;
        to.list(heads.iter());
        method.encode(to);
    }
}

impl Encode for ClauseHead {
    fn encode(&self, to: &mut Encoder) {
        let ClauseHead { op, params, result, span: _ } = self;
        to.index(*op);
        to.size(*params);
        to.optional(*result, Encoder::index);
    }
}

impl Encode for Observer {
    fn encode(&self, to: &mut Encoder) {
        let Observer { name, variables, locations, steps, span: _ } = self;
        to.text(name);
        to.list(variables.iter());
        to.list(locations.iter());
        to.list(steps.iter());
    }
}

impl Encode for Location {
    fn encode(&self, to: &mut Encoder) {
        let Location { name, accepting } = self;
        to.text(name);
        to.flag(*accepting);
    }
}

impl Encode for ObserverStep {
    fn encode(&self, to: &mut Encoder) {
        let ObserverStep { from, op, args, result, to: target, span: _ } = self;
        to.index(*from);
        to.index(*op);
        to.list(args.iter());
        result.encode(to);
        to.index(*target);
    }
}

impl Encode for Pattern {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Pattern::Any => to.variant(0),
            Pattern::Variable(variable) => {
                to.variant(1);
                to.size(*variable);
            }
            Pattern::Absent => to.variant(2),
            Pattern::Constant(word) => {
                to.variant(3);
                to.signed(i64::from(*word));
            }
        }
    }
}
