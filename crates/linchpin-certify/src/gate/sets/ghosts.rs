//! The ghosts of a set with one watched key `k`, computed on concrete states.
//!
//! - *Linked* cells are reachable from the root by next pointers. `k` is *in* if a linked cell with this key
//!   has small fields that the certificate names.
//! - A cell is *published* once a shared pointer or a published cell has led to it. `init` publishes its
//!   cells.
//! - A cell is *fresh* for a pending call if it was linked at some moment since the last reset. A call
//!   resets, and so does each step of its thread that begins with `lock`.
//! - An *event* is a step after which `k` is in and before which it was out, or the reverse. A pending call
//!   on `k` without an event of its own has seen `k` in, or out: at its invocation, and after events of
//!   others.
//!
//! Nothing here reads a view: the steps are those of the [graph](super::super::graph), and what a call may do
//! and return comes from [the specification](super::one_key).

use super::super::layout::{StateRecord, pointed};
use super::super::observed_step::{Label, Move};
use super::super::text::op_name;
use super::one_key::OneKey;
use linchpin_ir::program::{GlobalId, Op};
use linchpin_ir::types::{Scalar, Word};
use smallvec::SmallVec;

/// A set of cells of a record, one bit each.
pub type CellSet = u32;

/// What is to be known beside a state.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ghost {
    pub published: CellSet,
    /// For each thread the fresh cells.
    pub fresh: SmallVec<[CellSet; 3]>,
    pub calls: SmallVec<[Call; 3]>,
}

/// The pending call of a thread, from the position of the watched key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Call {
    /// No call is pending.
    Idle,
    /// A call on another key.
    Other,
    /// A call on `k` that has had no event of its own.
    Watched { seen_in: bool, seen_out: bool },
    /// A call on `k` whose event moved the key from this side.
    Done { from_in: bool },
}

/// Functions of a state alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    pub linked: CellSet,
    pub is_in: bool,
}

/// The meaning of the abstract set, and the watched key.
pub struct Watch<'w> {
    pub key: Word,
    pub root: GlobalId,
    /// The small fields of a linked cell with key `k` that make `k` a member.
    pub present: &'w [Vec<i64>],
    pub spec: &'w OneKey,
}

impl Watch<'_> {
    pub fn facts(&self, record: StateRecord) -> Facts {
        let linked = reached(record, self.shared_cells(record, Some(self.root)));
        let is_in = cells(linked).any(|cell| {
            key_of(record, cell) == Some(self.key)
                && self.present.iter().any(|fields| fields[..] == small_fields(record, cell)[..])
        });
        Facts { linked, is_in }
    }

    /// Returns the ghost of an initial state; an error if `k` is in.
    pub fn begin(&self, record: StateRecord) -> Result<Ghost, String> {
        let threads = record.layout.threads;
        if self.facts(record).is_in {
            return Err("the set is not empty after `init`".into());
        }
        let published = (0..record.cells()).fold(0, |set, cell| set | 1 << cell);
        Ok(Ghost {
            published,
            fresh: SmallVec::from_elem(0, threads),
            calls: SmallVec::from_elem(Call::Idle, threads),
        })
    }

    /// Returns the ghost after a step between two states with their facts, or what the step does wrong.
    pub fn step(
        &self,
        ghost: &Ghost,
        (before, after): (StateRecord, StateRecord),
        (was, now): (Facts, Facts),
        label: &Label,
        moved: &Move,
    ) -> Result<Ghost, String> {
        let program = before.layout.program;
        let rename = |set: CellSet| {
            cells(set).filter_map(|cell| *moved.to.get(cell)?).fold(0, |renamed, cell| renamed | 1 << cell)
        };
        let mut next = ghost.clone();
        let me = label.thread;
        next.published =
            reached(after, cells(rename(ghost.published)).chain(cells(self.shared_cells_set(after))));
        next.fresh.iter_mut().for_each(|fresh| *fresh = rename(*fresh));
        let begins_with_lock = before
            .place(me)
            .or_else(|| {
                let (op, _) = label.call.as_ref()?;
                Some((*op, program.methods[program.ops[*op].method].entry))
            })
            .is_some_and(|(op, pc)| {
                matches!(program.methods[program.ops[op].method].code[pc].op, Op::Lock { .. })
            });
        if label.call.is_some() || begins_with_lock {
            next.fresh[me] = rename(was.linked);
        }
        if let Some((_, args)) = &label.call {
            next.calls[me] = if **args == [self.key] {
                Call::Watched { seen_in: was.is_in, seen_out: !was.is_in }
            } else {
                Call::Other
            };
        }
        let op = label.call.as_ref().map(|(op, _)| *op).or_else(|| Some(before.place(me)?.0));
        let name = op.map_or("?", |op| op_name(program, op));
        if was.is_in != now.is_in {
            let what = if now.is_in { "adds" } else { "removes" };
            next.calls[me] = match next.calls[me] {
                Call::Watched { .. } if op.is_some_and(|op| self.spec.can_move(op, was.is_in)) => {
                    Call::Done { from_in: was.is_in }
                }
                Call::Watched { .. } => return Err(format!("a call of `{name}` {what} its key")),
                Call::Done { .. } => return Err(format!("a call of `{name}` {what} its key a second time")),
                Call::Other | Call::Idle => {
                    return Err(format!("a call of `{name}` {what} a key that is not its argument"));
                }
            };
            for (thread, call) in next.calls.iter_mut().enumerate() {
                if let Call::Watched { seen_in, seen_out } = call
                    && thread != me
                {
                    *seen_in |= now.is_in;
                    *seen_out |= !now.is_in;
                }
            }
        }
        if let Some((op, result)) = &label.returned {
            let may = match next.calls[me] {
                Call::Idle => false,
                Call::Other => true,
                Call::Done { from_in } => self.spec.may_return_after_move(*op, from_in, result),
                Call::Watched { seen_in, seen_out } => {
                    (seen_in && self.spec.may_return_without_move(*op, true, result))
                        || (seen_out && self.spec.may_return_without_move(*op, false, result))
                }
            };
            if !may {
                return Err(format!(
                    "a call of `{name}` returns a result that no moment of the call explains"
                ));
            }
            next.calls[me] = Call::Idle;
        }
        for (thread, fresh) in next.fresh.iter_mut().enumerate() {
            *fresh = if next.calls[thread] == Call::Idle { 0 } else { *fresh | now.linked };
        }
        Ok(Ghost {
            published: next.published,
            fresh: moved.rename(&next.fresh),
            calls: moved.rename(&next.calls),
        })
    }

    fn shared_cells_set(&self, record: StateRecord) -> CellSet {
        self.shared_cells(record, None).fold(0, |set, cell| set | 1 << cell)
    }

    /// Lists the cells that shared pointers lead to: all shared pointers, or those of one variable.
    fn shared_cells<'r>(
        &self,
        record: StateRecord<'r>,
        of: Option<GlobalId>,
    ) -> impl Iterator<Item = usize> + use<'r> {
        let program = record.layout.program;
        let range = match of {
            Some(id) => {
                let variable = &program.globals.variables[id];
                variable.offset..variable.offset + program.types.width(variable.ty)
            }
            None => 0..program.globals.slots.len(),
        };
        range
            .filter(|slot| program.globals.slots[*slot].scalar == Scalar::Pointer)
            .filter_map(move |slot| pointed(record.global(slot)))
    }
}

/// Returns the cells of a set.
pub fn cells(set: CellSet) -> impl Iterator<Item = usize> {
    (0..CellSet::BITS as usize).filter(move |cell| set >> cell & 1 == 1)
}

/// Returns the cells that next pointers reach from some cells, with these cells.
fn reached(record: StateRecord, from: impl Iterator<Item = usize>) -> CellSet {
    let mut set: CellSet = 0;
    for mut cell in from {
        while set >> cell & 1 == 0 {
            set |= 1 << cell;
            match record.next(cell) {
                Some(next) => cell = next,
                None => break,
            }
        }
    }
    set
}

/// Returns the key of a cell.
pub fn key_of(record: StateRecord, cell: usize) -> Option<Word> {
    let slots = record.layout.cells.slots.iter();
    slots.enumerate().find(|(_, slot)| slot.scalar == Scalar::Key).map(|(at, _)| record.field(cell, at))
}

/// Returns the values of the fields of a cell that are no pointer, key or lock, in order.
pub fn small_fields(record: StateRecord, cell: usize) -> SmallVec<[i64; 4]> {
    let slots = record.layout.cells.slots.iter().enumerate();
    slots
        .filter(|(_, slot)| !matches!(slot.scalar, Scalar::Pointer | Scalar::Key | Scalar::Lock))
        .map(|(at, _)| i64::from(record.field(cell, at)))
        .collect()
}

/// Returns the thread that holds the lock of a cell.
pub fn holder(record: StateRecord, cell: usize) -> Option<usize> {
    let slots = record.layout.cells.slots.iter().enumerate();
    let lock = slots.into_iter().find(|(_, slot)| slot.scalar == Scalar::Lock).map(|(at, _)| at)?;
    usize::try_from(record.field(cell, lock)).ok()?.checked_sub(1)
}
