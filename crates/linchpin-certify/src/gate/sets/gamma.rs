//! γ of a certificate for sets: decides whether a concrete state with its ghosts is in the certificate.
//!
//! - *Claim.* [`SetViews::outside`] returns `None` exactly in this case. Each thread has a view. Each
//!   published cell with its successor has a view for every pending call, and one for no call.
//! - *Assumptions.* [`set_certificate`](crate::set_certificate) defines the meaning of a view. This file
//!   contains no instruction.
//! - *Proof.* A thread's view is found by its exact key: place, ghost, locks, and the values of all
//!   variables, where cells are numbered by their first occurrence. The rest (cells that no variable names,
//!   successors) is compared with every assignment of cells.

use super::super::layout::{Layout, StateRecord, pointed};
use super::ghosts::{Call, CellSet, Facts, Ghost, cells, holder, key_of, small_fields};
use crate::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, EdgeEnd, EdgeView, KeyClass, NextFact, SetCertificate,
    SlotValue, SmallFields, ThreadView,
};
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Pc, Program};
use linchpin_ir::types::{KEY_MAX, KEY_MIN, NONE, Scalar, SlotKind, UNDEFINED, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The views of a certificate, indexed.
pub struct SetViews<'v> {
    threads: FxHashMap<ViewKey, Vec<Rest<'v>>>,
    edges: FxHashSet<EdgeView>,
    /// The small fields of cells whose keys are in the set.
    present: &'v [SmallFields],
    /// For each operation the default word of each slot of its frame.
    defaults: Vec<Vec<Word>>,
    /// For each small field its least value and the number of its values.
    fields: Vec<(i64, i64)>,
}

/// What a state shows of a cell.
#[derive(Clone, Copy)]
struct CellSeen {
    /// `None` if the key is undefined.
    label: Option<CellLabel>,
    next: Option<usize>,
    holder: Option<usize>,
}

/// The part of a view that a state determines without a choice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct ViewKey {
    at: Option<(OpId, Pc)>,
    ghost: CallGhost,
    is_in: bool,
    locks: u32,
    /// The shared pointers and then all variables. Cells are numbered by their first occurrence.
    values: SmallVec<[SlotValue; 12]>,
    /// The label of each of these cells, whether its lock is held, and whether it is fresh.
    named: SmallVec<[(CellLabel, bool, bool); 6]>,
}

/// The cells that variables name, in the order of their first occurrence.
type Named = SmallVec<[usize; 6]>;

/// The remainder of a view: its facts, and the number of the cell for each first occurrence.
struct Rest<'v> {
    view: &'v ThreadView,
    named: Vec<usize>,
}

/// What is missing in the certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missing {
    Thread(usize),
    Edge { from: usize, seen_by: Option<usize> },
}

impl<'v> SetViews<'v> {
    pub fn new(layout: &Layout, certificate: &'v SetCertificate) -> SetViews<'v> {
        let program = layout.program;
        let mut threads: FxHashMap<ViewKey, Vec<Rest<'v>>> = FxHashMap::default();
        for view in &certificate.threads {
            let (key, named) = key_of_view(view);
            threads.entry(key).or_default().push(Rest { view, named });
        }
        let frames = program.ops.iter().map(|op| {
            let method = &program.methods[op.method];
            let mut words = vec![0; method.slots.len()];
            for local in method.locals.iter() {
                let defaults = program.types.defaults(local.ty);
                words[local.offset..local.offset + defaults.len()].copy_from_slice(&defaults);
            }
            words
        });
        SetViews {
            threads,
            edges: certificate.edges.iter().copied().collect(),
            present: &certificate.present,
            defaults: frames.collect(),
            fields: layout.cells.slots.iter().filter_map(|slot| extent(program, *slot)).collect(),
        }
    }

    /// Returns what the certificate lacks for a state; `None` if the state is in the certificate.
    pub fn outside(&self, record: StateRecord, ghost: &Ghost, facts: Facts, key: Word) -> Option<Missing> {
        let scene = Scene::new(self, record, ghost, facts, key);
        let threads = record.layout.threads;
        if let Some(thread) = (0..threads).find(|thread| !scene.has_thread(*thread)) {
            return Some(Missing::Thread(thread));
        }
        for from in cells(ghost.published) {
            for seen_by in [None].into_iter().chain((0..threads).map(Some)) {
                if !scene.has_edge(from, seen_by) {
                    return Some(Missing::Edge { from, seen_by });
                }
            }
        }
        None
    }
}

/// Adds the views that a state needs, with every fact that the state shows.
pub fn collect(
    views: &SetViews,
    record: StateRecord,
    (ghost, facts, key): (&Ghost, Facts, Word),
    threads: &mut BTreeSet<ThreadView>,
    edges: &mut BTreeSet<EdgeView>,
) {
    let scene = Scene::new(views, record, ghost, facts, key);
    for thread in 0..record.layout.threads {
        threads.extend(scene.view_of_thread(thread));
    }
    for from in cells(ghost.published) {
        let seen_by = [None].into_iter().chain((0..record.layout.threads).map(Some));
        edges.extend(seen_by.filter_map(|seen_by| scene.edge(from, seen_by)?));
    }
}

/// A state with its ghosts.
struct Scene<'s> {
    views: &'s SetViews<'s>,
    record: StateRecord<'s>,
    ghost: &'s Ghost,
    facts: Facts,
    key: Word,
    cells: SmallVec<[CellSeen; 12]>,
}

impl<'s> Scene<'s> {
    fn new(
        views: &'s SetViews<'s>,
        record: StateRecord<'s>,
        ghost: &'s Ghost,
        facts: Facts,
        key: Word,
    ) -> Scene<'s> {
        let cells = (0..record.cells()).map(|cell| CellSeen {
            label: label(&views.fields, record, (ghost, facts, key), cell),
            next: record.next(cell),
            holder: holder(record, cell),
        });
        Scene { views, record, ghost, facts, key, cells: cells.collect() }
    }

    fn has_edge(&self, from: usize, seen_by: Option<usize>) -> bool {
        match self.edge(from, seen_by) {
            Some(Some(edge)) => self.views.edges.contains(&edge),
            Some(None) => true,
            None => false,
        }
    }

    /// Returns the view of an edge; `Some(None)` for an idle thread, which has no edge views of its own;
    /// `None` if no view can describe the edge.
    fn edge(&self, from: usize, seen_by: Option<usize>) -> Option<Option<EdgeView>> {
        let Some(ghost) = seen_by.map_or(Some(CallGhost::None), |thread| self.call(thread)) else {
            return Some(None);
        };
        let end = |cell: usize| {
            let fresh = seen_by.is_some_and(|thread| has(self.ghost.fresh[thread], cell));
            Some(EdgeEnd { label: self.cells[cell].label?, fresh })
        };
        let to = match self.cells[from].next {
            None => None,
            Some(next) => Some(end(next)?),
        };
        Some(Some(EdgeView { ghost, is_in: self.facts.is_in, from: end(from)?, to }))
    }

    /// Returns the view of a thread, with the locked cells that no variable names and all known successors.
    fn view_of_thread(&self, thread: usize) -> Option<ThreadView> {
        let (key, mut named) = self.key_of_thread(thread)?;
        let locked = (0..self.cells.len()).filter(|cell| self.cells[*cell].holder == Some(thread));
        let unnamed: Vec<usize> = locked.filter(|cell| !named.contains(cell)).collect();
        named.extend(unnamed);
        let facts = named.iter().map(|cell| {
            let (label, mine, fresh) = self.fact(thread, *cell)?;
            let next = match self.cells[*cell].next {
                None => NextFact::Null,
                Some(next) => match named.iter().position(|known| *known == next) {
                    Some(at) => NextFact::Cell(u8::try_from(at).ok()?),
                    None => NextFact::Unknown,
                },
            };
            Some(CellFact { label, mine, fresh, next })
        });
        let cells = facts.collect::<Option<Vec<_>>>()?;
        let globals = &self.record.layout.program.globals.slots;
        let pointers = globals.iter().filter(|slot| slot.scalar == Scalar::Pointer).count();
        let ViewKey { at, ghost, is_in, locks, mut values, .. } = key;
        let slots = values.drain(pointers..).collect();
        Some(ThreadView { at, ghost, is_in, locks, shared: values.to_vec(), slots, cells })
    }

    fn has_thread(&self, thread: usize) -> bool {
        let Some((key, named)) = self.key_of_thread(thread) else { return false };
        let mine: CellSet = (0..self.cells.len())
            .filter(|cell| self.cells[*cell].holder == Some(thread))
            .fold(0, |set, cell| set | 1 << cell);
        let candidates = self.views.threads.get(&key).into_iter().flatten();
        candidates.into_iter().any(|rest| {
            let mut assigned = vec![None; rest.view.cells.len()];
            for (at, cell) in rest.named.iter().zip(&named) {
                match assigned.get_mut(*at) {
                    Some(place) => *place = Some(*cell),
                    None => return false,
                }
            }
            self.fits(thread, &rest.view.cells, &mut assigned, mine)
        })
    }

    /// Extends an injective assignment of the view's cells, and compares the facts of all of them.
    fn fits(
        &self,
        thread: usize,
        facts: &[CellFact],
        assigned: &mut Vec<Option<usize>>,
        mine: CellSet,
    ) -> bool {
        let Some(open) = assigned.iter().position(Option::is_none) else {
            let image = assigned.iter().flatten().fold(0, |set: CellSet, cell| set | 1 << cell);
            return mine & !image == 0
                && facts.iter().zip(assigned.iter().flatten()).all(|(fact, cell)| {
                    let next = self.cells[*cell].next;
                    let fits = match fact.next {
                        NextFact::Unknown => true,
                        NextFact::Null => next.is_none(),
                        NextFact::Cell(to) => {
                            next.is_some() && assigned.get(usize::from(to)).copied().flatten() == next
                        }
                        NextFact::Chain(to) => {
                            let to = assigned.get(usize::from(to)).copied().flatten();
                            to.is_some_and(|to| self.has_chain(*cell, to))
                        }
                    };
                    fits && self.fact(thread, *cell) == Some((fact.label, fact.mine, fact.fresh))
                });
        };
        for cell in 0..self.cells.len() {
            if !assigned.contains(&Some(cell)) {
                assigned[open] = Some(cell);
                if self.fits(thread, facts, assigned, mine) {
                    return true;
                }
            }
        }
        assigned[open] = None;
        false
    }

    /// Whether pointers lead from one cell to the other, only through cells that are not in the set.
    fn has_chain(&self, from: usize, to: usize) -> bool {
        let mut at = self.cells[from].next;
        for _ in 0..self.cells.len() {
            match at {
                Some(cell) if cell == to => return true,
                Some(cell) => {
                    let is_outside = self.cells[cell]
                        .label
                        .is_some_and(|label| !self.views.present.contains(&label.fields));
                    at = if is_outside { self.cells[cell].next } else { None };
                }
                None => return false,
            }
        }
        false
    }

    fn key_of_thread(&self, thread: usize) -> Option<(ViewKey, Named)> {
        let record = self.record;
        let program = record.layout.program;
        let mut named = Named::new();
        let mut values = SmallVec::new();
        let mut locks = 0_u32;
        let mut numbered = 0_u32;
        for (at, slot) in program.globals.slots.iter().enumerate() {
            match slot.scalar {
                Scalar::Pointer => values.push(self.value(*slot, record.global(at), &mut named)?),
                Scalar::Lock => {
                    let is_mine = usize::try_from(record.global(at)).ok()? == thread + 1;
                    locks |= u32::from(is_mine) << numbered;
                    numbered += 1;
                }
                _ => return None,
            }
        }
        let at = record.place(thread);
        if let Some((op, pc)) = at {
            let method = &program.methods[program.ops[op].method];
            for (local, variable) in method.locals.entries() {
                let is_live = method.code[pc].live.contains(local);
                for part in 0..program.types.width(variable.ty) {
                    let (slot, word) = record.local(thread, op, local, part)?;
                    let default = self.views.defaults[op.index()][variable.offset + part];
                    let word = if is_live { word } else { default };
                    values.push(self.value(slot, word, &mut named)?);
                }
            }
        }
        let facts = named.iter().map(|cell| self.fact(thread, *cell)).collect::<Option<_>>()?;
        let ghost = self.call(thread).unwrap_or(CallGhost::None);
        let key = ViewKey { at, ghost, is_in: self.facts.is_in, locks, values, named: facts };
        Some((key, named))
    }

    /// Returns the value of a word. Cells are numbered by their first occurrence in `named`.
    fn value(&self, slot: SlotKind, word: Word, named: &mut Named) -> Option<SlotValue> {
        Some(match slot.scalar {
            _ if word == NONE => SlotValue::Absent,
            Scalar::Pointer => match pointed(word) {
                None => SlotValue::Null,
                Some(cell) => {
                    let at = named.iter().position(|known| *known == cell).unwrap_or_else(|| {
                        named.push(cell);
                        named.len() - 1
                    });
                    SlotValue::Cell(u8::try_from(at).ok()?)
                }
            },
            Scalar::Key if word == UNDEFINED => SlotValue::Undefined,
            Scalar::Key => SlotValue::Key(class(word, self.key)),
            Scalar::Bool | Scalar::Int | Scalar::Range { .. } | Scalar::Enum(_) => {
                SlotValue::Number(i16::try_from(word).ok()?)
            }
            _ => return None,
        })
    }

    /// Returns the ghost of a pending call.
    fn call(&self, thread: usize) -> Option<CallGhost> {
        match self.ghost.calls[thread] {
            Call::Idle => None,
            Call::Other => Some(CallGhost::Other),
            Call::Watched { seen_in, seen_out } => Some(CallGhost::Watched { seen_in, seen_out }),
            Call::Done { .. } => Some(CallGhost::Done),
        }
    }

    fn fact(&self, thread: usize, cell: usize) -> Option<(CellLabel, bool, bool)> {
        let seen = self.cells.get(cell)?;
        Some((seen.label?, seen.holder == Some(thread), has(self.ghost.fresh[thread], cell)))
    }
}

/// Returns the label of a cell; `None` if its key is undefined.
fn label(
    fields: &[(i64, i64)],
    record: StateRecord,
    (ghost, facts, watched): (&Ghost, Facts, Word),
    cell: usize,
) -> Option<CellLabel> {
    let key = key_of(record, cell).filter(|key| *key != UNDEFINED)?;
    let place = match (has(facts.linked, cell), has(ghost.published, cell)) {
        (true, _) => CellPlace::Linked,
        (false, true) => CellPlace::Unlinked,
        (false, false) => CellPlace::Private,
    };
    let fields = number(fields, &small_fields(record, cell))?;
    Some(CellLabel { class: class(key, watched), fields, place })
}

fn has(set: CellSet, cell: usize) -> bool {
    set >> cell & 1 == 1
}

fn class(word: Word, key: Word) -> KeyClass {
    match word {
        KEY_MIN => KeyClass::Min,
        KEY_MAX => KeyClass::Max,
        word if word < key => KeyClass::Below,
        word if word > key => KeyClass::Above,
        _ => KeyClass::Watched,
    }
}

/// Returns the small fields as one number in mixed radix, the first field lowest.
fn number(extents: &[(i64, i64)], values: &[i64]) -> Option<SmallFields> {
    let mut number = 0;
    for ((least, count), value) in extents.iter().zip(values).rev() {
        number = number * count + (value - least);
    }
    Some(SmallFields(u16::try_from(number).ok()?))
}

/// Returns the least value and the number of values of a small field; `None` for a pointer, key or lock.
fn extent(program: &Program, slot: SlotKind) -> Option<(i64, i64)> {
    match slot.scalar {
        Scalar::Bool => Some((0, 2)),
        Scalar::Range { low, high } => Some((low, high - low + 1)),
        Scalar::Enum(id) => Some((0, i64::try_from(program.types.enums[id].variants.len()).unwrap_or(0))),
        Scalar::Pointer | Scalar::Key | Scalar::Lock => None,
        // No certificate has a number for such a field: no label fits.
        _ => Some((0, 0)),
    }
}

/// Returns the small fields that make the watched key a member, as lists of values.
pub fn present(layout: &Layout, certificate: &SetCertificate) -> Vec<Vec<i64>> {
    let (program, slots) = (layout.program, &layout.cells.slots);
    let extents: Vec<(i64, i64)> = slots.iter().filter_map(|slot| extent(program, *slot)).collect();
    let list = |fields: &SmallFields| {
        let mut rest = i64::from(fields.0);
        let digits = extents.iter().map(|(least, count)| {
            let digit = rest.checked_rem(*count).unwrap_or(0);
            rest = rest.checked_div(*count).unwrap_or(0);
            least + digit
        });
        digits.collect()
    };
    certificate.present.iter().map(list).collect()
}

/// Numbers the cells of a view by their first occurrence in its values.
fn key_of_view(view: &ThreadView) -> (ViewKey, Vec<usize>) {
    let mut named: Vec<usize> = Vec::new();
    let values = view.shared.iter().chain(&view.slots).map(|value| match value {
        SlotValue::Cell(cell) => {
            let cell = usize::from(*cell);
            let at = named.iter().position(|known| *known == cell).unwrap_or_else(|| {
                named.push(cell);
                named.len() - 1
            });
            u8::try_from(at).map_or(SlotValue::Undefined, SlotValue::Cell)
        }
        value => *value,
    });
    let values = values.collect();
    let facts = named.iter().filter_map(|cell| view.cells.get(*cell));
    let facts = facts.map(|fact| (fact.label, fact.mine, fact.fresh)).collect();
    let ThreadView { at, ghost, is_in, locks, .. } = *view;
    (ViewKey { at, ghost, is_in, locks, values, named: facts }, named)
}
