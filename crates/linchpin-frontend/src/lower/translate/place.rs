//! Places of the text: which memory they are, once their pointers and indices are evaluated; reading and
//! writing it.

use super::{Destination, Translator};
use crate::lower::draft::Rest;
use crate::lower::fold;
use crate::typing::hir::{self, PlaceKind};
use linchpin_ir::index::Index as _;
use linchpin_ir::program::{Base, Expr, ExprKind, GlobalId, LocalBase, LocalPlace, Op, Place, Projection};
use linchpin_ir::source::Span;
use linchpin_ir::types::{Pointee, TypeId, TypeKind, word_of};

/// A place whose pointers and indices are expressions over locals.
#[derive(Clone)]
pub(super) enum Resolved {
    Local(LocalPlace),
    Shared(Place),
    /// No place at all: it can be read only.
    Value(Expr),
}

impl<'a> Translator<'_, 'a> {
    /// Evaluates the pointers and indices of a place, from the left.
    pub(super) fn resolve(&mut self, place: &'a hir::PlaceExpr) -> Resolved {
        if !self.descend(place.span) {
            return Resolved::Value(self.default_of(place.ty));
        }
        let resolved = self.resolve_here(place);
        self.ascend();
        resolved
    }

    fn resolve_here(&mut self, place: &'a hir::PlaceExpr) -> Resolved {
        let global = |index| {
            let base = Base::Global(GlobalId::new(index));
            Resolved::Shared(Place { base, path: Vec::new(), ty: place.ty })
        };
        match &place.kind {
            PlaceKind::Var(var) => match self.frame().aliases.get(var) {
                Some(value) => Resolved::Value(value.clone()),
                None => {
                    let local = self.variable(*var);
                    Resolved::Local(self.whole(local))
                }
            },
            PlaceKind::Shared(variable) => global(variable.index()),
            PlaceKind::State(variable) => global(variable.index()),
            PlaceKind::ThreadVar(variable) => {
                let base = LocalBase::ThreadVar(*variable);
                Resolved::Local(LocalPlace { base, path: Vec::new(), ty: place.ty })
            }
            PlaceKind::SelfPlace => match self.frame().self_place.clone() {
                Some(resolved) => resolved,
                None => Resolved::Value(self.default_of(place.ty)),
            },
            PlaceKind::Deref(pointer) => {
                let pointer = self.value(pointer);
                match self.lowering.types.kind(pointer.ty) {
                    TypeKind::Pointer(of) => {
                        let base = Base::Cell { pointer, of };
                        Resolved::Shared(Place { base, path: Vec::new(), ty: place.ty })
                    }
                    _ => Resolved::Value(self.default_of(place.ty)),
                }
            }
            PlaceKind::Field(base, field) => {
                let of = base.ty;
                let resolved = self.resolve(base);
                self.project(resolved, Projection::Field { of, field: *field }, place.ty)
            }
            PlaceKind::Index(base, index) => {
                let mut resolved = self.resolve(base);
                if !self.is_pure(index) {
                    resolved = self.spill_place(resolved, base.span);
                }
                let index = self.value(index);
                let len = match (&resolved, self.lowering.types.kind(base.ty)) {
                    (
                        Resolved::Shared(Place {
                            base: Base::Cell { of: Pointee::Array(_), .. }, path, ..
                        }),
                        _,
                    ) if path.is_empty() => None,
                    (_, TypeKind::Array(_, len)) => Some(len),
                    _ => None,
                };
                self.project(resolved, Projection::Index { index, element: place.ty, len }, place.ty)
            }
            PlaceKind::Value(value) => Resolved::Value(self.value(value)),
        }
    }

    /// A part of a place.
    pub(super) fn project(&mut self, of: Resolved, projection: Projection, ty: TypeId) -> Resolved {
        match of {
            Resolved::Local(mut place) => {
                place.path.push(projection);
                place.ty = ty;
                Resolved::Local(place)
            }
            Resolved::Shared(mut place) => {
                place.path.push(projection);
                place.ty = ty;
                Resolved::Shared(place)
            }
            Resolved::Value(value) => Resolved::Value(self.project_value(value, projection)),
        }
    }

    /// Keeps the pointers and indices of a place from being changed or failing later.
    pub(super) fn spill_place(&mut self, mut resolved: Resolved, span: Span) -> Resolved {
        let path = match &mut resolved {
            Resolved::Local(place) => &mut place.path,
            Resolved::Shared(place) => {
                if let Base::Cell { pointer, .. } = &mut place.base {
                    *pointer = self.spill_to_temporary(pointer.clone(), span);
                }
                &mut place.path
            }
            Resolved::Value(value) => return Resolved::Value(self.spill_to_temporary(value.clone(), span)),
        };
        for projection in path {
            if let Projection::Index { index, .. } = projection {
                *index = self.spill_to_temporary(index.clone(), span);
            }
        }
        resolved
    }

    /// Returns the place in shared memory; primitives work on shared memory only.
    pub(super) fn resolve_shared(&mut self, place: &'a hir::PlaceExpr) -> Option<Place> {
        match self.resolve(place) {
            Resolved::Shared(place) => Some(place),
            Resolved::Local(_) | Resolved::Value(_) => {
                self.refuse_unchecked(place.span);
                None
            }
        }
    }

    pub(super) fn read_local(&mut self, place: &LocalPlace) -> Expr {
        let mut value = match place.base {
            LocalBase::Local(local) => self.read(local),
            LocalBase::ThreadVar(variable) => {
                let ty = self.program().thread_vars[variable].ty;
                Expr { kind: ExprKind::ThreadVar(variable), ty }
            }
        };
        for projection in &place.path {
            value = self.project_value(value, projection.clone());
        }
        value
    }

    pub(super) fn load(&mut self, from: Place, to: Destination, span: Span) {
        let into = self.needed(to, from.ty, span);
        self.emit(Op::Load { into, from }, span);
    }

    /// Writes memory; an array outside a word has one location for each element.
    pub(super) fn store(&mut self, to: Place, value: Expr, span: Span) {
        let Some((element, len)) = self.separate_elements(&to) else {
            self.emit(Op::Store { to, value }, span);
            return;
        };
        let value = self.spill_to_temporary(value, span);
        let Resolved::Shared(to) = self.spill_place(Resolved::Shared(to), span) else { return };
        for index in 0..len {
            let place = self.element_of(&to, element, len, index);
            let number = self.int(word_of(index));
            let part = self
                .project_value(value.clone(), Projection::Index { index: number, element, len: Some(len) });
            self.store(place, part, span);
        }
    }

    /// A part of a value.
    pub(super) fn project_value(&mut self, value: Expr, projection: Projection) -> Expr {
        match projection {
            Projection::Field { of, field } => {
                let types = &self.lowering.types;
                let ty = types.record(of).and_then(|r| r.fields.get(field)).map_or(value.ty, |f| f.ty);
                fold::field(types, ty, value, field)
            }
            Projection::Index { index, element, .. } => {
                fold::index(&self.lowering.types, element, value, index)
            }
        }
    }

    /// Reads what the condition on a candidate needs, before there is a candidate. Only variables can be read
    /// so: a pointer or an index may be bad where the condition would not have used it.
    pub(super) fn load_before_candidates(&mut self, from: Place, span: Span) -> Expr {
        let variables_only = matches!(from.base, Base::Global(_)) && self.rest == Rest::Never;
        let split =
            from.path.iter().position(|p| matches!(p, Projection::Index { .. })).unwrap_or(from.path.len());
        let ty = match from.path.get(split) {
            Some(Projection::Index { element, len: Some(len), .. }) => {
                self.lowering.types.intern(TypeKind::Array(*element, *len))
            }
            _ => from.ty,
        };
        let holds_structs = match self.lowering.types.kind(ty) {
            TypeKind::Array(element, _) => matches!(self.lowering.types.kind(element), TypeKind::Struct(_)),
            _ => false,
        };
        if !variables_only || holds_structs {
            self.refuse_if_bound(span);
            return self.default_of(from.ty);
        }
        let prefix = Place { base: from.base, path: from.path[..split].to_vec(), ty };
        let temporary = self.temporary(ty, span);
        let bound = std::mem::take(&mut self.bound);
        self.load(prefix, Destination::Fresh(temporary), span);
        self.bound = bound;
        let mut value = self.read(temporary);
        for projection in &from.path[split..] {
            value = self.project_value(value, projection.clone());
        }
        value
    }

    /// The elements of a shared array, if another thread could run between the accesses.
    fn separate_elements(&self, place: &Place) -> Option<(TypeId, u32)> {
        let types = &self.lowering.types;
        let in_word = place.path.iter().any(
            |p| matches!(p, Projection::Field { of, .. } if matches!(types.kind(*of), TypeKind::Word(_))),
        );
        match types.kind(place.ty) {
            TypeKind::Array(element, len) if !in_word && self.rest != Rest::Never => Some((element, len)),
            _ => None,
        }
    }

    fn element_of(&mut self, array: &Place, element: TypeId, len: u32, index: u32) -> Place {
        let index = self.int(word_of(index));
        let mut path = array.path.clone();
        path.push(Projection::Index { index, element, len: Some(len) });
        Place { base: array.base.clone(), path, ty: element }
    }
}
