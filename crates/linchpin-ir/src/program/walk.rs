//! Traversals that every reader of instructions shares: operands, definitions, named memory, successors.

use super::{
    Base, Candidates, Expr, ExprKind, Instr, LocalBase, LocalId, LocalPlace, Op, Pc, Place, Projection,
    Target,
};
use smallvec::{SmallVec, smallvec};

/// Writes a traversal once for shared and once for exclusive references.
macro_rules! operand_visitors {
    ($operands:ident, $place:ident, $path:ident, $($exclusive:tt)?) => {
        impl Op {
            /// The expressions that the instruction evaluates, those of its places included, in order.
            pub fn $operands(& $($exclusive)? self, visit: &mut dyn FnMut(& $($exclusive)? Expr)) {
                match self {
                    Op::Assign { to, value } => {
                        visit(value);
                        $path(& $($exclusive)? to.path, visit);
                    }
                    Op::Branch { cond, .. } | Op::Assert(cond) | Op::Assume(cond) | Op::Await(cond) => visit(cond),
                    Op::Choose { from, cond, .. } => {
                        match from {
                            Candidates::Bool | Candidates::Threads => {}
                            Candidates::Range(low, high) => {
                                visit(low);
                                visit(high);
                            }
                            Candidates::Elements(collection) => visit(collection),
                        }
                        if let Some(cond) = cond {
                            visit(cond);
                        }
                    }
                    Op::Lin { of, cond, .. } => {
                        for operand in [of, cond] {
                            if let Some(operand) = operand {
                                visit(operand);
                            }
                        }
                    }
                    Op::Call { args, into, .. } => {
                        for arg in args {
                            visit(arg);
                        }
                        if let Some(into) = into {
                            $path(& $($exclusive)? into.path, visit);
                        }
                    }
                    Op::Return(values) => {
                        for value in values {
                            visit(value);
                        }
                    }
                    Op::Load { into, from } => {
                        $place(from, visit);
                        $path(& $($exclusive)? into.path, visit);
                    }
                    Op::Store { to, value } => {
                        $place(to, visit);
                        visit(value);
                    }
                    Op::New { into, fields, .. } => {
                        for (_, value) in fields {
                            visit(value);
                        }
                        $path(& $($exclusive)? into.path, visit);
                    }
                    Op::NewArray { into, value, len, .. } => {
                        visit(value);
                        visit(len);
                        $path(& $($exclusive)? into.path, visit);
                    }
                    Op::ArrayLen { into, array } => {
                        visit(array);
                        $path(& $($exclusive)? into.path, visit);
                    }
                    Op::Free(pointer) => visit(pointer),
                    Op::Collection { into, on, args, .. } => {
                        match on {
                            Target::Local(place) => $path(& $($exclusive)? place.path, visit),
                            Target::Shared(place) => $place(place, visit),
                        }
                        for arg in args {
                            visit(arg);
                        }
                        if let Some(into) = into {
                            $path(& $($exclusive)? into.path, visit);
                        }
                    }
                    Op::Cas { into, place, old, new } | Op::CmpXchg { into, place, old, new } => {
                        $place(place, visit);
                        visit(old);
                        visit(new);
                        if let Some(into) = into {
                            $path(& $($exclusive)? into.path, visit);
                        }
                    }
                    Op::Dcas { into, places, olds, news } => {
                        for place in & $($exclusive)? places[..] {
                            $place(place, visit);
                        }
                        for old in & $($exclusive)? olds[..] {
                            visit(old);
                        }
                        for new in & $($exclusive)? news[..] {
                            visit(new);
                        }
                        if let Some(into) = into {
                            $path(& $($exclusive)? into.path, visit);
                        }
                    }
                    Op::Swap { into, place, value }
                    | Op::FetchAdd { into, place, value }
                    | Op::StoreConditional { into, place, value } => {
                        $place(place, visit);
                        visit(value);
                        if let Some(into) = into {
                            $path(& $($exclusive)? into.path, visit);
                        }
                    }
                    Op::LoadLinked { into, place } | Op::TryLock { into, place } | Op::IsLocked { into, place } => {
                        $place(place, visit);
                        if let Some(into) = into {
                            $path(& $($exclusive)? into.path, visit);
                        }
                    }
                    Op::Lock(place) | Op::Unlock(place) | Op::Notify { condvar: place, .. } => $place(place, visit),
                    Op::WaitBegin { condvar, lock } | Op::WaitEnd { condvar, lock } => {
                        $place(condvar, visit);
                        $place(lock, visit);
                    }
                    Op::Atomic { .. } => {}
                }
            }
        }

        fn $place(place: & $($exclusive)? Place, visit: &mut dyn FnMut(& $($exclusive)? Expr)) {
            if let Base::Cell { pointer, .. } = & $($exclusive)? place.base {
                visit(pointer);
            }
            $path(& $($exclusive)? place.path, visit);
        }

        fn $path(path: & $($exclusive)? [Projection], visit: &mut dyn FnMut(& $($exclusive)? Expr)) {
            for projection in path {
                if let Projection::Index { index, .. } = projection {
                    visit(index);
                }
            }
        }
    };
}

operand_visitors!(operands, visit_place, visit_path,);
operand_visitors!(operands_mut, visit_place_mut, visit_path_mut, mut);

impl Op {
    /// Where the instruction puts its result; `choose` puts it into a whole local ([`Op::defines`]).
    pub fn result_place(&self) -> Option<&LocalPlace> {
        match self {
            Op::Assign { to: into, .. }
            | Op::Load { into, .. }
            | Op::New { into, .. }
            | Op::NewArray { into, .. }
            | Op::ArrayLen { into, .. } => Some(into),
            Op::Call { into, .. }
            | Op::Collection { into, .. }
            | Op::Cas { into, .. }
            | Op::CmpXchg { into, .. }
            | Op::Dcas { into, .. }
            | Op::Swap { into, .. }
            | Op::FetchAdd { into, .. }
            | Op::LoadLinked { into, .. }
            | Op::StoreConditional { into, .. }
            | Op::TryLock { into, .. }
            | Op::IsLocked { into, .. } => into.as_ref(),
            _ => None,
        }
    }

    pub fn result_place_mut(&mut self) -> Option<&mut LocalPlace> {
        match self {
            Op::Assign { to: into, .. }
            | Op::Load { into, .. }
            | Op::New { into, .. }
            | Op::NewArray { into, .. }
            | Op::ArrayLen { into, .. } => Some(into),
            Op::Call { into, .. }
            | Op::Collection { into, .. }
            | Op::Cas { into, .. }
            | Op::CmpXchg { into, .. }
            | Op::Dcas { into, .. }
            | Op::Swap { into, .. }
            | Op::FetchAdd { into, .. }
            | Op::LoadLinked { into, .. }
            | Op::StoreConditional { into, .. }
            | Op::TryLock { into, .. }
            | Op::IsLocked { into, .. } => into.as_mut(),
            _ => None,
        }
    }

    /// The local whose old value the instruction replaces as a whole.
    pub fn defines(&self) -> Option<LocalId> {
        match self {
            Op::Choose { into, .. } => Some(*into),
            _ => self.result_place().and_then(LocalPlace::whole_local),
        }
    }

    /// The local of which the instruction changes a part, or which it changes depending on its old value.
    pub fn updates(&self) -> impl Iterator<Item = LocalId> {
        let partial = self.result_place().filter(|into| !into.path.is_empty()).and_then(|into| into.local());
        let collection = match self {
            Op::Collection { on: Target::Local(place), method, .. } if !method.is_pure() => place.local(),
            _ => None,
        };
        partial.into_iter().chain(collection)
    }

    /// The places in memory that the instruction names.
    pub fn places(&self) -> SmallVec<[&Place; 2]> {
        match self {
            Op::Load { from: place, .. }
            | Op::Store { to: place, .. }
            | Op::Collection { on: Target::Shared(place), .. }
            | Op::Cas { place, .. }
            | Op::CmpXchg { place, .. }
            | Op::Swap { place, .. }
            | Op::FetchAdd { place, .. }
            | Op::LoadLinked { place, .. }
            | Op::StoreConditional { place, .. }
            | Op::Lock(place)
            | Op::Unlock(place)
            | Op::TryLock { place, .. }
            | Op::IsLocked { place, .. }
            | Op::Notify { condvar: place, .. } => smallvec![place],
            Op::Dcas { places, .. } => smallvec![&places[0], &places[1]],
            Op::WaitBegin { condvar, lock } | Op::WaitEnd { condvar, lock } => smallvec![condvar, lock],
            _ => SmallVec::new(),
        }
    }

    /// Whether the places that it names are read only.
    pub fn only_reads(&self) -> bool {
        match self {
            Op::Load { .. } | Op::IsLocked { .. } => true,
            Op::Collection { method, .. } => method.is_pure(),
            _ => false,
        }
    }

    /// The locals that the instruction may read, in front of it. A local that it updates in part is not among
    /// them.
    pub fn uses(&self, visit: &mut dyn FnMut(LocalId)) {
        let chosen = match self {
            Op::Choose { into, .. } => Some(*into),
            _ => None,
        };
        self.operands(&mut |operand| {
            operand.free_locals(&mut |local| {
                if Some(local) != chosen {
                    visit(local);
                }
            })
        });
        if let Op::Collection { on: Target::Local(place), .. } = self
            && let Some(local) = place.local()
        {
            visit(local);
        }
    }

    /// Every mention of a local: read or written, free or bound.
    pub fn locals_mut(&mut self, visit: &mut dyn FnMut(&mut LocalId)) {
        self.operands_mut(&mut |operand| operand.locals_mut(visit));
        if let Some(LocalBase::Local(local)) = self.result_place_mut().map(|place| &mut place.base) {
            visit(local);
        }
        match self {
            Op::Choose { into, .. } => visit(into),
            Op::Collection {
                on: Target::Local(LocalPlace { base: LocalBase::Local(local), .. }), ..
            } => visit(local),
            _ => {}
        }
    }

    /// The targets of a jump; empty if the only successor is [`Instr::next`].
    pub fn targets_mut(&mut self, visit: &mut dyn FnMut(&mut Pc)) {
        match self {
            Op::Branch { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            Op::Atomic { end } => visit(end),
            _ => {}
        }
    }
}

impl Instr {
    /// Where control may go in the same method.
    pub fn successors(&self) -> SmallVec<[Pc; 2]> {
        successors(&self.op, self.next)
    }
}

/// Where control may go after an instruction whose [`Instr::next`] is `next`.
pub fn successors(op: &Op, next: Pc) -> SmallVec<[Pc; 2]> {
    match op {
        Op::Branch { then, otherwise, .. } if then == otherwise => smallvec![*then],
        Op::Branch { then, otherwise, .. } => smallvec![*then, *otherwise],
        Op::Return(_) => SmallVec::new(),
        _ => smallvec![next],
    }
}

impl LocalPlace {
    /// The local of the frame that the place is, or is part of.
    pub fn local(&self) -> Option<LocalId> {
        match self.base {
            LocalBase::Local(local) => Some(local),
            LocalBase::ThreadVar(_) => None,
        }
    }

    /// The local, if the place is all of it.
    pub fn whole_local(&self) -> Option<LocalId> {
        if self.path.is_empty() { self.local() } else { None }
    }
}

impl Expr {
    /// The expression and all its parts, outermost first.
    pub fn for_each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.for_each_part(&mut |part| part.for_each(visit));
    }

    /// The direct parts, in order of evaluation.
    pub fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Constant(_) | ExprKind::Me | ExprKind::Local(_) | ExprKind::ThreadVar(_) => {}
            ExprKind::Field(e, _)
            | ExprKind::Unary(_, e)
            | ExprKind::Some(e)
            | ExprKind::ToRange { value: e, .. }
            | ExprKind::Unwrap(e)
            | ExprKind::Repeat(e, _)
            | ExprKind::Hash(_, e)
            | ExprKind::Ord(e) => visit(e),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Word(parts) | ExprKind::Array(parts) | ExprKind::Collection(parts) => {
                parts.iter().for_each(visit);
            }
            ExprKind::Method(_, on, args) => {
                visit(on);
                args.iter().for_each(visit);
            }
            ExprKind::Quantifier { collection, body, .. } => {
                visit(collection);
                visit(body);
            }
        }
    }

    /// The direct parts, in order of evaluation.
    pub fn for_each_part_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Constant(_) | ExprKind::Me | ExprKind::Local(_) | ExprKind::ThreadVar(_) => {}
            ExprKind::Field(e, _)
            | ExprKind::Unary(_, e)
            | ExprKind::Some(e)
            | ExprKind::ToRange { value: e, .. }
            | ExprKind::Unwrap(e)
            | ExprKind::Repeat(e, _)
            | ExprKind::Hash(_, e)
            | ExprKind::Ord(e) => visit(e),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Word(parts) | ExprKind::Array(parts) | ExprKind::Collection(parts) => {
                parts.iter_mut().for_each(visit);
            }
            ExprKind::Method(_, on, args) => {
                visit(on);
                args.iter_mut().for_each(visit);
            }
            ExprKind::Quantifier { collection, body, .. } => {
                visit(collection);
                visit(body);
            }
        }
    }

    /// The locals that the value depends on; the variable of a quantifier is bound in its body.
    pub fn free_locals(&self, visit: &mut dyn FnMut(LocalId)) {
        match &self.kind {
            ExprKind::Local(local) => visit(*local),
            ExprKind::Quantifier { collection, var, body, .. } => {
                collection.free_locals(visit);
                body.free_locals(&mut |local| {
                    if local != *var {
                        visit(local);
                    }
                });
            }
            _ => self.for_each_part(&mut |part| part.free_locals(visit)),
        }
    }

    /// Every mention of a local, free or bound.
    pub fn locals_mut(&mut self, visit: &mut dyn FnMut(&mut LocalId)) {
        match &mut self.kind {
            ExprKind::Local(local) | ExprKind::Quantifier { var: local, .. } => visit(local),
            _ => {}
        }
        self.for_each_part_mut(&mut |part| part.locals_mut(visit));
    }

    pub fn reads_local(&self, local: LocalId) -> bool {
        let mut found = false;
        self.free_locals(&mut |l| found |= l == local);
        found
    }

    /// It depends on a `local` variable of the thread.
    pub fn reads_thread_var(&self) -> bool {
        let mut found = false;
        self.for_each(&mut |part| found |= matches!(part.kind, ExprKind::ThreadVar(_)));
        found
    }
}
