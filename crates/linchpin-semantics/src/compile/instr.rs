//! Compiles instructions.

use super::MethodCompiler;
use crate::code::{Candidates, Dcas, Limits, Op, Span, Target, Term};
use linchpin_ir::index::Index as _;
use linchpin_ir::index::number_of;
use linchpin_ir::program as ir;
use linchpin_ir::types::{Pointee, StructId, TypeKind};

impl MethodCompiler<'_, '_> {
    /// Compiles one instruction. `start` is the address of the method, `after` the next instruction.
    pub(super) fn op(&mut self, op: &ir::Op, start: usize, after: Option<&ir::Instr>) -> Op {
        match op {
            ir::Op::Assign { to, value } => Op::Assign { value: self.kept_in(to, value), to: self.local(to) },
            ir::Op::Branch { cond, then, otherwise } => Op::Branch {
                cond: self.term(cond),
                then: start + then.index(),
                otherwise: start + otherwise.index(),
            },
            ir::Op::Choose { into, from, cond } => Op::Choose {
                into: self.local_span(*into),
                from: self.candidates(from),
                cond: cond.as_ref().map(|cond| self.term(cond)),
            },
            ir::Op::Assert(cond) => Op::Assert { cond: self.term(cond), text: self.expr_text(cond) },
            ir::Op::Assume(cond) => Op::Assume(self.term(cond)),
            ir::Op::Await(cond) => Op::Await(self.term(cond)),
            ir::Op::Lin { maybe, of, cond } => Op::Lin {
                maybe: *maybe,
                of: of.as_ref().map(|of| (self.term(of), self.expr_text(of))),
                cond: cond.as_ref().map(|cond| self.term(cond)),
            },
            ir::Op::Call { method, args, into } => Op::Call {
                method: number_of(method.index()),
                args: self.kept_all(args),
                kept: self.kept_over_call(into, after),
                into: self.maybe_local(into),
            },
            ir::Op::Return(values) => {
                let texts: Vec<String> = values.iter().map(|value| self.writer().expr(value)).collect();
                Op::Return { values: self.kept_all(values), text: self.compiler.text(texts.join(", ")) }
            }
            ir::Op::Load { into, from } => Op::Load { into: self.local(into), from: self.place(from) },
            ir::Op::Store { to, value } => Op::Store { to: self.place(to), value: self.kept(value) },
            ir::Op::New { into, of, fields } => {
                let kind = self.kind(Pointee::Struct(*of));
                let fields = fields.iter().map(|(field, value)| (self.field(*of, *field), self.kept(value)));
                Op::New { fields: fields.collect(), kind, into: self.local(into) }
            }
            ir::Op::NewArray { into, element, value, len } => Op::NewArray {
                kind: self.kind(Pointee::Array(*element)),
                value: self.kept(value),
                len: self.term(len),
                text: self.expr_text(len),
                into: self.local(into),
            },
            ir::Op::ArrayLen { into, array } => {
                Op::ArrayLen { array: self.term(array), text: self.expr_text(array), into: self.local(into) }
            }
            ir::Op::Free(pointer) => Op::Free { pointer: self.term(pointer), text: self.expr_text(pointer) },
            ir::Op::Collection { into, on, method, args } => self.collection(into, on, *method, args),
            ir::Op::Cas { into, place, old, new } => Op::Cas {
                definedness: self.compiler.definedness(place.ty),
                place: self.place(place),
                old: self.term(old),
                new: self.kept(new),
                into: self.maybe_local(into),
            },
            ir::Op::CmpXchg { into, place, old, new } => Op::CmpXchg {
                definedness: self.compiler.definedness(place.ty),
                place: self.place(place),
                old: self.term(old),
                new: self.kept(new),
                into: self.maybe_local(into),
            },
            ir::Op::Dcas { into, places, olds, news } => Op::Dcas(Box::new(Dcas {
                into: self.maybe_local(into),
                definedness: [
                    self.compiler.definedness(places[0].ty),
                    self.compiler.definedness(places[1].ty),
                ],
                places: [self.place(&places[0]), self.place(&places[1])],
                olds: [self.term(&olds[0]), self.term(&olds[1])],
                news: [self.kept(&news[0]), self.kept(&news[1])],
            })),
            ir::Op::Swap { into, place, value } => {
                Op::Swap { place: self.place(place), value: self.kept(value), into: self.maybe_local(into) }
            }
            ir::Op::FetchAdd { into, place, value } => Op::FetchAdd {
                limits: match self.types().kind(place.ty) {
                    TypeKind::Range { low, high } => Limits::Range { low, high },
                    _ => Limits::Ints,
                },
                place: self.place(place),
                value: self.term(value),
                into: self.maybe_local(into),
            },
            ir::Op::LoadLinked { into, place } => {
                Op::LoadLinked { place: self.place(place), into: self.maybe_local(into) }
            }
            ir::Op::StoreConditional { into, place, value } => Op::StoreConditional {
                place: self.place(place),
                value: self.kept(value),
                into: self.maybe_local(into),
            },
            ir::Op::Lock(place) => Op::Lock(self.place(place)),
            ir::Op::Unlock(place) => Op::Unlock(self.place(place)),
            ir::Op::TryLock { into, place } => {
                Op::TryLock { place: self.place(place), into: self.maybe_local(into) }
            }
            ir::Op::IsLocked { into, place } => {
                Op::IsLocked { place: self.place(place), into: self.maybe_local(into) }
            }
            ir::Op::WaitBegin { condvar, lock } => {
                Op::WaitBegin { condvar: self.place(condvar), lock: self.place(lock) }
            }
            ir::Op::WaitEnd { condvar, lock } => {
                Op::WaitEnd { condvar: self.place(condvar), lock: self.place(lock) }
            }
            ir::Op::Notify { condvar, all } => Op::Notify { condvar: self.place(condvar), all: *all },
            ir::Op::Atomic { .. } => Op::Atomic,
        }
    }

    fn candidates(&mut self, from: &ir::Candidates) -> Candidates {
        match from {
            ir::Candidates::Bool => Candidates::Bool,
            ir::Candidates::Range(low, high) => Candidates::Range(self.term(low), self.term(high)),
            ir::Candidates::Threads => Candidates::Threads,
            ir::Candidates::Elements(of) => {
                Candidates::Elements { class: self.class(of.ty), of: self.term(of) }
            }
        }
    }

    fn collection(
        &mut self,
        into: &Option<ir::LocalPlace>,
        on: &ir::Target,
        method: ir::CollectionMethod,
        args: &[ir::Expr],
    ) -> Op {
        let (ty, text) = match on {
            ir::Target::Local(place) => (place.ty, self.writer().local(place)),
            ir::Target::Shared(place) => (place.ty, self.writer().place(place)),
        };
        let text = self.compiler.text(text);
        let texts = [text, args.first().map_or(text, |arg| self.expr_text(arg))];
        let args: Box<[Term]> = self.kept_all(args);
        let on = match on {
            ir::Target::Local(place) => Target::Local(self.local(place)),
            ir::Target::Shared(place) => Target::Shared(self.place(place)),
        };
        Op::Collection { class: self.class(ty), on, method, args, texts, into: self.maybe_local(into) }
    }

    /// Returns what a caller's frame keeps: the locals live after the call, except the one that the result
    /// replaces.
    fn kept_over_call(&self, into: &Option<ir::LocalPlace>, after: Option<&ir::Instr>) -> Box<[Span]> {
        let mut alive = after.map(|instr| instr.live.clone()).unwrap_or_default();
        if let Some(result) = into.as_ref().and_then(ir::LocalPlace::whole_local) {
            alive.remove(result);
        }
        // The indices of the result's place are evaluated after the call.
        for projection in into.iter().flat_map(|into| &into.path) {
            if let ir::Projection::Index { index, .. } = projection {
                index.free_locals(&mut |local| {
                    alive.insert(local);
                });
            }
        }
        self.spans(&alive).0
    }

    fn kind(&self, pointee: Pointee) -> u32 {
        number_of(self.compiler.code.kinds.iter().position(|kind| kind.pointee == pointee).unwrap_or(0))
    }

    fn field(&self, of: StructId, field: usize) -> Span {
        let mut widths =
            self.types().structs[of].fields.iter().map(|field| number_of(self.types().width(field.ty)));
        let at = widths.by_ref().take(field).sum();
        Span { at, width: widths.next().unwrap_or(0) }
    }
}
