//! Places: first their pointers and indices, left to right, then the touch itself.

use super::memory::{Location, Segment, SharedRoot, part, part_mut};
use super::thread::{At, Resolved, Root, Run, Thread};
use super::value::Value;
use linchpin_frontend::typing::hir::{PlaceExpr, PlaceKind};
use linchpin_ir::index::Index;
use linchpin_ir::source::Span;

impl Thread<'_> {
    pub fn resolve(&mut self, place: &PlaceExpr) -> Run<Resolved> {
        let whole = |root| Resolved { root, path: Vec::new() };
        Ok(match &place.kind {
            PlaceKind::Var(var) => whole(Root::Var(self.frames.len() - 1, *var)),
            PlaceKind::Shared(id) => whole(Root::Shared(SharedRoot::Variable(*id))),
            PlaceKind::ThreadVar(id) => whole(Root::ThreadVar(*id)),
            PlaceKind::State(_) => panic!("an object does not touch its specification"),
            PlaceKind::SelfPlace => self.frame().self_place.clone().expect("`self` stands in methods only"),
            PlaceKind::Deref(pointer) => {
                let pointer = self.value(pointer)?;
                whole(Root::Shared(SharedRoot::Behind(pointer)))
            }
            PlaceKind::Field(of, field) => {
                let mut of = self.resolve(of)?;
                of.path.push(Segment::Field(*field));
                of
            }
            PlaceKind::Index(of, index) => {
                let mut of = self.resolve(of)?;
                of.path.push(Segment::Element(self.value(index)?));
                of
            }
            PlaceKind::Value(value) => whole(Root::Temporary(self.value(value)?)),
        })
    }

    /// Reads: an access if the place is shared.
    pub fn read(&mut self, from: &Resolved, span: Span) -> Run<Value> {
        match &from.root {
            Root::Var(frame, var) => {
                part(&self.frames[*frame].vars[var.index()], &from.path).cloned().at(span)
            }
            Root::ThreadVar(id) => part(&self.thread_vars[id.index()], &from.path).cloned().at(span),
            Root::Temporary(value) => part(value, &from.path).cloned().at(span),
            Root::Shared(_) => {
                let location = location(from);
                self.access(|thread| thread.memory.read(&location).at(span))
            }
        }
    }

    /// Writes: an access if the place is shared.
    pub fn write(&mut self, to: &Resolved, value: Value, span: Span) -> Run<()> {
        match &to.root {
            Root::Var(frame, var) => {
                *part_mut(&mut self.frames[*frame].vars[var.index()], &to.path).at(span)? = value;
            }
            Root::ThreadVar(id) => *part_mut(&mut self.thread_vars[id.index()], &to.path).at(span)? = value,
            Root::Temporary(_) => panic!("a value that is nowhere cannot be written"),
            Root::Shared(_) => {
                let location = location(to);
                self.access(|thread| {
                    thread.memory.write(&location, value).at(span)?;
                    Ok(Value::Unit)
                })?;
            }
        }
        Ok(())
    }
}

/// The place in shared memory; only shared places are asked.
pub fn location(of: &Resolved) -> Location {
    match &of.root {
        Root::Shared(root) => Location { root: root.clone(), path: of.path.clone() },
        other => panic!("{other:?} is not shared"),
    }
}
