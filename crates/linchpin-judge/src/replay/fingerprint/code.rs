//! The encoding of methods: instructions, expressions and places.
//!
//! Each variant has a fixed number. A number is never used again for another variant: a new variant gets the
//! next free number. A change of a number changes the fingerprints of all programs that use the variant.

use super::encoder::{Encode, Encoder};
use linchpin_ir::interface::{BinaryOp, CollectionMethod, UnaryOp};
use linchpin_ir::program::{
    Access, Base, Candidates, Expr, ExprKind, Instr, Local, LocalBase, LocalPlace, Method, Op, Place,
    Projection, Target,
};
use linchpin_ir::types::Pointee;

impl Encode for Method {
    fn encode(&self, to: &mut Encoder) {
        let Method { name, params, results, locals, slots, code, entry, contexts: _, span: _ } = self;
        to.text(name);
        to.indices(params);
        to.indices(results);
        to.list(locals.iter());
        to.list(slots.iter());
        // The sets of live locals have no iterator.
        to.size(code.len());
        for instr in code.iter() {
            let Instr { op, next, access, live, span: _, context: _ } = instr;
            op.encode(to);
            to.index(*next);
            access.encode(to);
            for local in locals.ids() {
                to.flag(live.contains(local));
            }
        }
        to.index(*entry);
    }
}

impl Encode for Local {
    fn encode(&self, to: &mut Encoder) {
        let Local { name, ty, offset, temporary: _, span: _ } = self;
        to.text(name);
        to.index(*ty);
        to.size(*offset);
    }
}

impl Encode for Access {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Access::Local => to.variant(0),
            Access::Step { can_block } => {
                to.variant(1);
                to.flag(*can_block);
            }
        }
    }
}

impl Encode for Op {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Op::Assign { to: place, value } => {
                to.variant(0);
                place.encode(to);
                value.encode(to);
            }
            Op::Branch { cond, then, otherwise } => {
                to.variant(1);
                cond.encode(to);
                to.index(*then);
                to.index(*otherwise);
            }
            Op::Choose { into, from, cond } => {
                to.variant(2);
                to.index(*into);
                from.encode(to);
                cond.encode(to);
            }
            Op::Assert(cond) => one(to, 3, cond),
            Op::Assume(cond) => one(to, 4, cond),
            Op::Await(cond) => one(to, 5, cond),
            Op::Lin { maybe, of, cond } => {
                to.variant(6);
                to.flag(*maybe);
                of.encode(to);
                cond.encode(to);
            }
            Op::Call { method, args, into } => {
                to.variant(7);
                to.index(*method);
                to.list(args.iter());
                into.encode(to);
            }
            Op::Return(values) => {
                to.variant(8);
                to.list(values.iter());
            }
            Op::Load { into, from } => {
                to.variant(9);
                into.encode(to);
                from.encode(to);
            }
            Op::Store { to: place, value } => {
                to.variant(10);
                place.encode(to);
                value.encode(to);
            }
            Op::New { into, of, fields } => {
                to.variant(11);
                into.encode(to);
                to.index(*of);
                to.size(fields.len());
                for (field, value) in fields {
                    to.size(*field);
                    value.encode(to);
                }
            }
            Op::NewArray { into, element, value, len } => {
                to.variant(12);
                into.encode(to);
                to.index(*element);
                value.encode(to);
                len.encode(to);
            }
            Op::ArrayLen { into, array } => {
                to.variant(13);
                into.encode(to);
                array.encode(to);
            }
            Op::Free(pointer) => one(to, 14, pointer),
            Op::Collection { into, on, method, args } => {
                to.variant(15);
                into.encode(to);
                on.encode(to);
                method.encode(to);
                to.list(args.iter());
            }
            Op::Cas { into, place, old, new } => {
                to.variant(16);
                into.encode(to);
                place.encode(to);
                old.encode(to);
                new.encode(to);
            }
            Op::CmpXchg { into, place, old, new } => {
                to.variant(17);
                into.encode(to);
                place.encode(to);
                old.encode(to);
                new.encode(to);
            }
            Op::Dcas { into, places, olds, news } => {
                to.variant(18);
                into.encode(to);
                to.list(places.iter());
                to.list(olds.iter());
                to.list(news.iter());
            }
            Op::Swap { into, place, value } => update(to, 19, into, place, value),
            Op::FetchAdd { into, place, value } => update(to, 20, into, place, value),
            Op::LoadLinked { into, place } => read(to, 21, into, place),
            Op::StoreConditional { into, place, value } => update(to, 22, into, place, value),
            Op::Lock(place) => one(to, 23, place),
            Op::Unlock(place) => one(to, 24, place),
            Op::TryLock { into, place } => read(to, 25, into, place),
            Op::IsLocked { into, place } => read(to, 26, into, place),
            Op::WaitBegin { condvar, lock } => {
                to.variant(27);
                condvar.encode(to);
                lock.encode(to);
            }
            Op::WaitEnd { condvar, lock } => {
                to.variant(28);
                condvar.encode(to);
                lock.encode(to);
            }
            Op::Notify { condvar, all } => {
                to.variant(29);
                condvar.encode(to);
                to.flag(*all);
            }
            Op::Atomic { end } => {
                to.variant(30);
                to.index(*end);
            }
        }
    }
}

fn one(to: &mut Encoder, variant: u8, part: &impl Encode) {
    to.variant(variant);
    part.encode(to);
}

fn read(to: &mut Encoder, variant: u8, into: &Option<LocalPlace>, place: &Place) {
    to.variant(variant);
    into.encode(to);
    place.encode(to);
}

fn update(to: &mut Encoder, variant: u8, into: &Option<LocalPlace>, place: &Place, value: &Expr) {
    read(to, variant, into, place);
    value.encode(to);
}

impl Encode for Candidates {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Candidates::Bool => to.variant(0),
            Candidates::Range(low, high) => {
                to.variant(1);
                low.encode(to);
                high.encode(to);
            }
            Candidates::Threads => to.variant(2),
            Candidates::Elements(collection) => one(to, 3, collection),
        }
    }
}

impl Encode for Expr {
    fn encode(&self, to: &mut Encoder) {
        let Expr { kind, ty } = self;
        kind.encode(to);
        to.index(*ty);
    }
}

impl Encode for ExprKind {
    fn encode(&self, to: &mut Encoder) {
        match self {
            ExprKind::Constant(words) => {
                to.variant(0);
                to.size(words.len());
                words.iter().for_each(|word| to.signed(i64::from(*word)));
            }
            ExprKind::Me => to.variant(1),
            ExprKind::Local(local) => {
                to.variant(2);
                to.index(*local);
            }
            ExprKind::ThreadVar(variable) => {
                to.variant(3);
                to.index(*variable);
            }
            ExprKind::Field(of, field) => {
                to.variant(4);
                of.encode(to);
                to.size(*field);
            }
            ExprKind::Index(array, index) => {
                to.variant(5);
                array.encode(to);
                index.encode(to);
            }
            ExprKind::Unary(op, inner) => {
                to.variant(6);
                op.encode(to);
                inner.encode(to);
            }
            ExprKind::Binary(op, left, right) => {
                to.variant(7);
                op.encode(to);
                left.encode(to);
                right.encode(to);
            }
            ExprKind::Some(inner) => one(to, 8, inner),
            ExprKind::ToRange { value, low, high } => {
                to.variant(9);
                value.encode(to);
                to.signed(*low);
                to.signed(*high);
            }
            ExprKind::Unwrap(inner) => one(to, 10, inner),
            ExprKind::Word(fields) => many(to, 11, fields),
            ExprKind::Array(items) => many(to, 12, items),
            ExprKind::Repeat(item, count) => {
                to.variant(13);
                item.encode(to);
                to.unsigned(u64::from(*count));
            }
            ExprKind::Collection(items) => many(to, 14, items),
            ExprKind::Hash(function, inner) => {
                to.variant(15);
                to.index(*function);
                inner.encode(to);
            }
            ExprKind::Ord(inner) => one(to, 16, inner),
            ExprKind::Method(method, collection, args) => {
                to.variant(17);
                method.encode(to);
                collection.encode(to);
                to.list(args.iter());
            }
            ExprKind::Quantifier { all, collection, var, body } => {
                to.variant(18);
                to.flag(*all);
                collection.encode(to);
                to.index(*var);
                body.encode(to);
            }
        }
    }
}

fn many(to: &mut Encoder, variant: u8, items: &[Expr]) {
    to.variant(variant);
    to.list(items.iter());
}

impl Encode for Place {
    fn encode(&self, to: &mut Encoder) {
        let Place { base, path, ty } = self;
        match base {
            Base::Global(global) => {
                to.variant(0);
                to.index(*global);
            }
            Base::Cell { pointer, of } => {
                to.variant(1);
                pointer.encode(to);
                of.encode(to);
            }
        }
        to.list(path.iter());
        to.index(*ty);
    }
}

impl Encode for LocalPlace {
    fn encode(&self, to: &mut Encoder) {
        let LocalPlace { base, path, ty } = self;
        match base {
            LocalBase::Local(local) => {
                to.variant(0);
                to.index(*local);
            }
            LocalBase::ThreadVar(variable) => {
                to.variant(1);
                to.index(*variable);
            }
        }
        to.list(path.iter());
        to.index(*ty);
    }
}

impl Encode for Target {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Target::Local(place) => one(to, 0, place),
            Target::Shared(place) => one(to, 1, place),
        }
    }
}

impl Encode for Projection {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Projection::Field { of, field } => {
                to.variant(0);
                to.index(*of);
                to.size(*field);
            }
            Projection::Index { index, element, len } => {
                to.variant(1);
                index.encode(to);
                to.index(*element);
                to.optional(*len, |to, len| to.unsigned(u64::from(len)));
            }
        }
    }
}

impl Encode for Pointee {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Pointee::Struct(id) => {
                to.variant(0);
                to.index(*id);
            }
            Pointee::Array(element) => {
                to.variant(1);
                to.index(*element);
            }
        }
    }
}

impl Encode for CollectionMethod {
    fn encode(&self, to: &mut Encoder) {
        to.variant(match self {
            CollectionMethod::Len => 0,
            CollectionMethod::IsEmpty => 1,
            CollectionMethod::Clear => 2,
            CollectionMethod::Contains => 3,
            CollectionMethod::PushBack => 4,
            CollectionMethod::PushFront => 5,
            CollectionMethod::PopBack => 6,
            CollectionMethod::PopFront => 7,
            CollectionMethod::Get => 8,
            CollectionMethod::Set => 9,
            CollectionMethod::RemoveAt => 10,
            CollectionMethod::InsertAt => 11,
            CollectionMethod::Add => 12,
            CollectionMethod::Remove => 13,
            CollectionMethod::Count => 14,
            CollectionMethod::Insert => 15,
            CollectionMethod::Lookup => 16,
            CollectionMethod::RemoveKey => 17,
        });
    }
}

impl Encode for BinaryOp {
    fn encode(&self, to: &mut Encoder) {
        to.variant(match self {
            BinaryOp::Or => 0,
            BinaryOp::And => 1,
            BinaryOp::Eq => 2,
            BinaryOp::Ne => 3,
            BinaryOp::Lt => 4,
            BinaryOp::Le => 5,
            BinaryOp::Gt => 6,
            BinaryOp::Ge => 7,
            BinaryOp::Add => 8,
            BinaryOp::Sub => 9,
            BinaryOp::Mul => 10,
            BinaryOp::Div => 11,
            BinaryOp::Rem => 12,
        });
    }
}

impl Encode for UnaryOp {
    fn encode(&self, to: &mut Encoder) {
        to.variant(match self {
            UnaryOp::Not => 0,
            UnaryOp::Neg => 1,
        });
    }
}
