//! Lemmas of the room as claims of a certificate. Claims that the method has no words for are left out.

use crate::lemma::{Atom, Lemma, Literal, Operand, Place, Root, Term};
use linchpin_certify::cmp_certificate::{CellName, Claim, Fact, KeyName, NumberName, PointerName, RestLemma};
use linchpin_ir::heap::layout::Frame;
use linchpin_ir::heap::sets::{LinkPart, SetField, SetGlobal, SetLayout};
use linchpin_ir::program::{LocalId, OpId, Program};
use linchpin_ir::types::{TypeId, TypeKind};
use std::sync::Arc;

/// What a term reads.
enum Read {
    Pointer(PointerName),
    Key(KeyName),
    Number(NumberName),
    LockOf(CellName),
    SharedLock(u32),
}

/// Returns the lemma as a claim of a certificate. `None`: the method has no words for it.
pub fn translate(program: &Program, layout: &SetLayout, lemma: &Lemma) -> Option<RestLemma> {
    let Place::Rest(op, pc) = lemma.place else { return None };
    let frame = layout.frame(Some(op))?;
    let words = Words { program, layout, op, frame };
    let premises = lemma.premises().iter().map(|literal| words.claim(literal));
    let premises = premises.collect::<Option<Vec<Claim>>>()?;
    Some(RestLemma { op, pc, premises, conclusion: words.claim(&lemma.conclusion)? })
}

/// A field of a cell.
enum Field {
    Key,
    Pointer,
    Small(usize),
    Lock,
}

struct Words<'w> {
    program: &'w Program,
    layout: &'w SetLayout,
    op: OpId,
    frame: &'w Frame,
}

impl Words<'_> {
    fn claim(&self, literal: &Literal) -> Option<Claim> {
        let fact = match &literal.atom {
            Atom::Equal(left, right) => match (self.operand(left)?, self.operand(right)?) {
                (Read::Pointer(a), Read::Pointer(b)) => Fact::Same(a, b),
                (Read::Key(a), Read::Key(b)) => Fact::SameKey(a, b),
                _ => return None,
            },
            Atom::Less(left, right) => match (self.operand(left)?, self.operand(right)?) {
                (Read::Key(a), Read::Key(b)) => Fact::Less(a, b),
                _ => return None,
            },
            Atom::Flag(term) => match self.read(term)? {
                Read::Number(number) => Fact::IsTrue(number),
                _ => return None,
            },
            Atom::Held(term) => match self.read(term)? {
                Read::LockOf(cell) => Fact::Holds(cell),
                Read::SharedLock(number) => Fact::HoldsShared(number),
                _ => return None,
            },
            Atom::Reachable(term) => Fact::Linked(self.cell(term)?),
            Atom::Private(term) => Fact::Private(self.cell(term)?),
            Atom::OnKey | Atom::TookEffect | Atom::SeenIn | Atom::SeenOut | Atom::IsIn | Atom::Behind(_) => {
                return None;
            }
        };
        Some(Claim { fact, is_positive: literal.is_positive })
    }

    fn cell(&self, term: &Term) -> Option<CellName> {
        match self.read(term)? {
            Read::Pointer(PointerName::To(cell)) => Some(cell),
            _ => None,
        }
    }

    fn operand(&self, operand: &Operand) -> Option<Read> {
        Some(match operand {
            Operand::Null => Read::Pointer(PointerName::Null),
            Operand::KeyMin => Read::Key(KeyName::Min),
            Operand::KeyMax => Read::Key(KeyName::Max),
            Operand::Term(term) => self.read(term)?,
        })
    }

    fn read(&self, term: &Term) -> Option<Read> {
        let (cell, fields) = match term.root {
            Root::Local(local) => {
                let mut at = self.frame.local(local, None)?;
                let mut ty = self.local_type(local)?;
                let mut fields = &term.fields[..];
                if matches!(self.program.types.kind(ty), TypeKind::Word(_) | TypeKind::Struct(_)) {
                    let (first, rest) = fields.split_first()?;
                    let (part, of) = self.part(ty, first)?;
                    at = self.frame.local(local, Some(part))?;
                    (ty, fields) = (of, rest);
                }
                let slot = at.start;
                match (self.program.types.kind(ty), fields) {
                    (TypeKind::Pointer(_), fields) => (CellName::Slot(slot), fields),
                    (TypeKind::Key, []) => return Some(Read::Key(KeyName::Slot(slot))),
                    (TypeKind::Bool, []) => return Some(Read::Number(NumberName::Slot(slot))),
                    _ => return None,
                }
            }
            Root::Shared(global) => match (self.layout.global(global)?, &term.fields[..]) {
                (SetGlobal::Pointer(number), fields) => (CellName::Shared(number), fields),
                (SetGlobal::Lock(number), []) => return Some(Read::SharedLock(number)),
                (SetGlobal::Lock(_), _) => return None,
            },
            Root::Cell => return None,
        };
        if fields.is_empty() {
            return Some(Read::Pointer(PointerName::To(cell)));
        }
        Some(match self.field(fields)? {
            (Field::Key, []) => Read::Key(KeyName::Of(cell)),
            (Field::Small(number), []) => Read::Number(NumberName::Field(cell, number)),
            (Field::Lock, []) => Read::LockOf(cell),
            (Field::Pointer, []) => Read::Pointer(PointerName::NextOf(cell)),
            (Field::Pointer, rest) => match self.field(rest)? {
                (Field::Pointer, []) => Read::Pointer(PointerName::SecondOf(cell)),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Resolves the first field of a path that begins at a cell, and its part. Returns the rest of the path.
    fn field<'f>(&self, path: &'f [Arc<str>]) -> Option<(Field, &'f [Arc<str>])> {
        let (name, rest) = path.split_first()?;
        let record = &self.program.types.structs[self.layout.cell().of];
        let at = record.fields.iter().position(|field| field.name == *name)?;
        let (parts, rest) = match self.layout.cell().fields.get(at)? {
            SetField::Key => return Some((Field::Key, rest)),
            SetField::Small(number) => return Some((Field::Small(*number), rest)),
            SetField::Lock => return Some((Field::Lock, rest)),
            SetField::Link(parts)
                if matches!(self.program.types.kind(record.fields[at].ty), TypeKind::Pointer(_)) =>
            {
                (parts.first()?, rest)
            }
            SetField::Link(parts) => {
                let (name, rest) = rest.split_first()?;
                let (part, _) = self.part(record.fields[at].ty, name)?;
                (parts.get(part)?, rest)
            }
        };
        Some(match parts {
            LinkPart::Pointer => (Field::Pointer, rest),
            LinkPart::Small(number) => (Field::Small(*number), rest),
        })
    }

    fn local_type(&self, local: LocalId) -> Option<TypeId> {
        let method = &self.program.methods[self.program.ops[self.op].method];
        method.locals.get(local).map(|local| local.ty)
    }

    /// The number of a part of a word, and its type.
    fn part(&self, ty: TypeId, name: &Arc<str>) -> Option<(usize, TypeId)> {
        let fields = &self.program.types.record(ty)?.fields;
        let at = fields.iter().position(|field| field.name == *name)?;
        Some((at, fields[at].ty))
    }
}
