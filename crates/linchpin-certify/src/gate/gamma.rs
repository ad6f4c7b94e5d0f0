//! The concretisation γ: decides whether a concrete state with ghosts is in a set of views.
//!
//! - *Claim.* [`Views::outside`] returns `None` exactly if each two threads of the state are in a view, in
//!   either order.
//! - *Assumptions.* The [certificate](crate::certificate) defines the meaning of a view. This file contains
//!   no instruction.
//! - *Proof.* Each symbol, label and relation is compared with the word, label and relation of the state. A
//!   part that the view leaves open, or a variable that no later step reads, has no constraint.
//! - *Tests.* `prove::concretisation` has a second implementation; the seeded faults `gate-*` break single
//!   comparisons.

use super::layout::{DATA_UNWRITTEN, Layout, StateRecord, pointed};
use super::shape::{Shapes, Term};
use crate::certificate::{
    AgeOrigin, Effect, Invariant, LocalState, Obligation, Rest, RestSlot, SharedState, Slot, Symbol,
};
use linchpin_ir::index::Index;
use linchpin_ir::program::{LocalId, MemoryKind, OpId, Pc};
use linchpin_ir::types::{NONE, Scalar, SlotKind, UNDEFINED, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::slice;

/// The classes of values: the values of observer variables, and the key at which keys are cut.
#[derive(Clone, Debug)]
pub struct Classes {
    pub variables: Vec<Word>,
    pub cut: Word,
}

/// The auxiliary information beside a state.
pub struct Ghosts<'g> {
    pub location: u16,
    pub used: u8,
    /// For observers: the effect and the argument classes of the call of each thread.
    pub calls: &'g [Called],
    /// For memory: the watched cell.
    pub watched: Option<&'g Watched>,
}

/// The pending call of a thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Called {
    pub op: Option<OpId>,
    pub args: SmallVec<[Symbol; 2]>,
    pub effect: Effect,
}

/// The watched cell, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Watched {
    pub cell: Option<u8>,
    pub shared: bool,
    pub answers: Option<u8>,
}

/// The views of an invariant, with indices.
pub struct Views<'v> {
    rests: &'v [Rest],
    invariant: &'v Invariant,
    classes: Classes,
    rest_numbers: FxHashMap<(OpId, Pc), u16>,
    shared: FxHashMap<(u16, u8), Vec<usize>>,
    locals: FxHashMap<Option<u16>, Vec<usize>>,
    views: FxHashMap<(usize, [usize; 2]), Vec<usize>>,
    /// The parameters that an operation assigns. They need not hold the argument.
    assigned: Vec<Vec<LocalId>>,
}

/// A state with its graphs of cells.
pub struct Scene<'s> {
    pub record: StateRecord<'s>,
    pub shapes: Shapes,
}

type Terms = SmallVec<[Term; 16]>;

/// The number of a symbolic state, and its terms.
type Candidate = (usize, Terms);

impl<'v> Views<'v> {
    pub fn new(layout: &Layout, rests: &'v [Rest], invariant: &'v Invariant, classes: Classes) -> Views<'v> {
        let mut views = Views {
            rests,
            invariant,
            classes,
            rest_numbers: FxHashMap::default(),
            shared: FxHashMap::default(),
            locals: FxHashMap::default(),
            views: FxHashMap::default(),
            assigned: layout.program.ops.iter().map(|op| assigned(layout, op.method)).collect(),
        };
        for (at, rest) in rests.iter().enumerate() {
            if let Ok(number) = u16::try_from(at) {
                views.rest_numbers.insert((rest.op, rest.pc), number);
            }
        }
        for (at, shared) in invariant.shared.iter().enumerate() {
            views.shared.entry((shared.location, shared.used)).or_default().push(at);
        }
        for (at, local) in invariant.locals.iter().enumerate() {
            views.locals.entry(local.at).or_default().push(at);
        }
        for (at, view) in invariant.views.iter().enumerate() {
            views.views.entry((view.shared, view.locals)).or_default().push(at);
        }
        views
    }

    pub fn scene<'s>(&self, record: StateRecord<'s>) -> Scene<'s> {
        let labels = (0..record.cells()).map(|cell| self.label(record, cell)).collect();
        Scene { record, shapes: Shapes::new(record, labels, self.invariant.ordered) }
    }

    /// Returns the first two threads that are not in a view.
    pub fn outside(&self, scene: &mut Scene, ghosts: &Ghosts) -> Option<[usize; 2]> {
        let (shared, threads) = self.candidates(scene.record, ghosts);
        for first in 0..threads.len() {
            for second in first + 1..threads.len() {
                if !self.has(scene, &shared, &threads[first], &threads[second]) {
                    return Some([first, second]);
                }
            }
        }
        None
    }

    /// Decides whether all threads are in views *together*: with one symbolic shared state and one symbolic
    /// state of each thread, each two in a view. This is the meaning of an invariant; [`Views::outside`]
    /// chooses symbolic states for each pair separately. Returns the first suitable set of cells with wild
    /// edges.
    pub fn has_all(&self, scene: &mut Scene, ghosts: &Ghosts, wild: &[usize]) -> Option<usize> {
        let (shared, threads) = self.candidates(scene.record, ghosts);
        if threads.iter().any(Vec::is_empty) {
            return None;
        }
        wild.iter().copied().find(|wild| {
            scene.shapes.wild = Some(*wild);
            shared.iter().any(|of_shared| self.extends(scene, of_shared, &threads, &mut Vec::new()))
        })
    }

    fn extends<'c>(
        &self,
        scene: &mut Scene,
        shared: &Candidate,
        threads: &'c [Vec<Candidate>],
        chosen: &mut Vec<&'c Candidate>,
    ) -> bool {
        let Some(candidates) = threads.get(chosen.len()) else { return true };
        for candidate in candidates {
            let fits = chosen.iter().all(|other| {
                self.has(scene, slice::from_ref(shared), slice::from_ref(other), slice::from_ref(candidate))
            });
            if fits {
                chosen.push(candidate);
                if self.extends(scene, shared, threads, chosen) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }

    /// Returns the observer locations and used values that occur in views.
    pub fn locations(&self) -> Vec<(u16, u8)> {
        let mut all: Vec<(u16, u8)> = self.shared.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Returns the possible effects of a call at this place.
    pub fn effects(&self, place: Option<(OpId, Pc)>) -> Vec<Effect> {
        let Some(place) = place else { return vec![Effect::Waiting] };
        let number = self.rest_numbers.get(&place).copied();
        let locals = number.and_then(|number| self.locals.get(&Some(number))).into_iter().flatten();
        let mut all: Vec<Effect> = locals.map(|at| self.invariant.locals[*at].effect).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the symbolic states of the shared state and of each thread that contain the state.
    fn candidates(&self, record: StateRecord, ghosts: &Ghosts) -> (Vec<Candidate>, Vec<Vec<Candidate>>) {
        let shared = self
            .shared
            .get(&(ghosts.location, ghosts.used))
            .into_iter()
            .flatten()
            .filter_map(|at| Some((*at, self.shared_terms(&self.invariant.shared[*at], record, ghosts)?)))
            .collect();
        let threads = (0..record.layout.threads)
            .map(|thread| {
                let number = match record.place(thread) {
                    Some(place) => self.rest_numbers.get(&place).copied().map(Some),
                    None => Some(None),
                };
                let candidates = number.and_then(|number| self.locals.get(&number)).into_iter().flatten();
                let terms = |at: &usize| {
                    Some((*at, self.local_terms(&self.invariant.locals[*at], record, ghosts, thread)?))
                };
                candidates.filter_map(terms).collect()
            })
            .collect();
        (shared, threads)
    }

    fn has(
        &self,
        scene: &mut Scene,
        shared: &[Candidate],
        first: &[Candidate],
        second: &[Candidate],
    ) -> bool {
        let mut terms = Terms::new();
        for (number, of_shared) in shared {
            for (a, of_a) in first {
                for (b, of_b) in second {
                    for (locals, order) in [([*a, *b], [of_a, of_b]), ([*b, *a], [of_b, of_a])] {
                        let Some(views) = self.views.get(&(*number, locals)) else { continue };
                        terms.clear();
                        terms.extend((0..scene.shapes.sentinels).map(Some));
                        terms.extend(of_shared.iter().chain(order[0]).chain(order[1]).copied());
                        if views.iter().any(|at| scene.shapes.fit(&self.invariant.views[*at], &terms)) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Returns the shared terms; `None` if the state does not match.
    fn shared_terms(&self, shared: &SharedState, record: StateRecord, ghosts: &Ghosts) -> Option<Terms> {
        let slots = &record.layout.program.globals.slots;
        let mut terms = Terms::new();
        let mut locks = 0_u32;
        if shared.globals.len() != slots.len() {
            return None;
        }
        for (at, (slot, symbol)) in slots.iter().zip(&shared.globals).enumerate() {
            let word = record.global(at);
            if slot.scalar == Scalar::Lock {
                if (word != 0) != (bit(shared.held, locks)) {
                    return None;
                }
                locks += 1;
            } else if !self.fits(record, *symbol, *slot, word, &mut terms) {
                return None;
            }
        }
        match ghosts.watched {
            Some(watched) => self.watched_terms(shared, record, watched, &mut terms)?,
            None => self.tracked_terms(shared, record, &mut terms)?,
        }
        Some(terms)
    }

    /// Adds the cells that hold the values of observer variables.
    fn tracked_terms(&self, shared: &SharedState, record: StateRecord, terms: &mut Terms) -> Option<()> {
        if shared.tracked.len() != self.classes.variables.len() {
            return None;
        }
        let is_manual = record.layout.program.memory == MemoryKind::Manual;
        for (value, there) in self.classes.variables.iter().zip(&shared.tracked) {
            let data = record.layout.cells.data;
            let mut holders = (0..record.cells()).filter(|cell| {
                !(is_manual && record.is_freed(*cell))
                    && data.is_some_and(|at| record.field(*cell, at) == *value)
            });
            match (there, holders.next()) {
                (false, Some(_)) => return None,
                (false, None) => {}
                // The cell is unreachable and was collected.
                (true, None) if record.layout.is_collected() && !record.more.has_all_cells => {
                    terms.push(None);
                }
                (true, None) => return None,
                (true, Some(cell)) => terms.push(Some(sentinels(record) + cell)),
            }
            if holders.next().is_some() {
                return None;
            }
        }
        Some(())
    }

    fn watched_terms(
        &self,
        shared: &SharedState,
        record: StateRecord,
        watched: &Watched,
        terms: &mut Terms,
    ) -> Option<()> {
        let Some(cell) = watched.cell.map(usize::from) else {
            let nothing = shared.tracked == [false] && shared.watch == Default::default();
            return nothing.then_some(());
        };
        let undefined = match (record.layout.program.memory, record.layout.cells.data) {
            (_, None) => true,
            (MemoryKind::Pool, Some(_)) => record.flags(cell) & DATA_UNWRITTEN != 0,
            (_, Some(data)) => record.field(cell, data) == UNDEFINED,
        };
        terms.push(Some(sentinels(record) + cell));
        let fits = shared.tracked == [true]
            && shared.watch.shared == watched.shared
            && shared.watch.undefined == undefined;
        fits.then_some(())
    }

    /// Returns the terms of a thread; `None` if the thread does not match.
    fn local_terms(
        &self,
        local: &LocalState,
        record: StateRecord,
        ghosts: &Ghosts,
        thread: usize,
    ) -> Option<Terms> {
        let mut terms = Terms::new();
        if let Some(watched) = ghosts.watched
            && local.answers != watched.answers.is_some_and(|answers| usize::from(answers) == thread)
        {
            return None;
        }
        let locks = record.layout.program.globals.slots.iter().enumerate();
        let locks = locks.filter(|(_, slot)| slot.scalar == Scalar::Lock).map(|(at, _)| record.global(at));
        let me = Word::try_from(thread + 1).ok()?;
        let mut numbered = (0_u32..).zip(locks);
        if !numbered.all(|(number, holder)| (holder == me) == bit(local.holds, number)) {
            return None;
        }
        let Some((op, pc)) = record.place(thread) else { return local.slots.is_empty().then_some(terms) };
        let rest = self.rests.get(usize::from(local.at?))?;
        let called = ghosts.calls.get(thread);
        if called.is_some_and(|called| called.effect != local.effect) || rest.slots.len() != local.slots.len()
        {
            return None;
        }
        for (slot, symbol) in rest.slots.iter().zip(&local.slots) {
            let (kind, word) = record.local(thread, op, slot.slot.local, slot.slot.part)?;
            if !record.is_known(thread, op, pc, slot.slot.local) {
                // The record has no value that no later step reads. The ghost has the arguments.
                if let (Some(called), Some(class)) =
                    (called, called.and_then(|called| self.argument(record, called, slot.slot)))
                    && called.op == Some(op)
                    && *symbol != Symbol::Unknown
                    && *symbol != class
                {
                    return None;
                }
                terms.extend((*symbol == Symbol::Cell).then_some(None));
                continue;
            }
            let fits = match symbol {
                Symbol::Current | Symbol::Stale => {
                    let present = self.present_age(record, thread, (op, pc), slot)?;
                    present.is_none_or(|present| (present == word) == (*symbol == Symbol::Current))
                }
                _ => self.fits(record, *symbol, kind, word, &mut terms),
            };
            if !fits {
                return None;
            }
        }
        Some(terms)
    }

    /// Returns the class of an argument, if the slot is a parameter that still holds it.
    fn argument(&self, record: StateRecord, called: &Called, slot: Slot) -> Option<Symbol> {
        let op = called.op?;
        let program = record.layout.program;
        let params = &program.methods[program.ops[op].method].params;
        let at = params.iter().position(|param| *param == slot.local)?;
        let is_whole = slot.part == 0 && !self.assigned[op.index()].contains(&slot.local);
        called.args.get(at).copied().filter(|_| is_whole)
    }

    /// Returns the current age at the place where a copy was read; `Some(None)` if the place is no longer
    /// known, `None` if the certificate names no such place.
    fn present_age(
        &self,
        record: StateRecord,
        thread: usize,
        (op, pc): (OpId, Pc),
        slot: &RestSlot,
    ) -> Option<Option<Word>> {
        match slot.origin? {
            AgeOrigin::Shared(part) => Some(Some(record.age(part)?)),
            AgeOrigin::Cell(pointer) => {
                let (_, word) = record.local(thread, op, pointer.local, pointer.part)?;
                if !record.is_known(thread, op, pc, pointer.local) {
                    return Some(None);
                }
                let age = record.layout.cells.age?;
                Some(pointed(word).map(|cell| record.field(cell, age)))
            }
        }
    }

    /// Returns whether a word has a class. Adds the term of a pointer to a cell.
    fn fits(
        &self,
        record: StateRecord,
        symbol: Symbol,
        slot: SlotKind,
        word: Word,
        terms: &mut Terms,
    ) -> bool {
        let is_pointer = slot.scalar == Scalar::Pointer && word != NONE;
        let is_data = slot.scalar == Scalar::Data && word != NONE;
        let is_pool = record.layout.program.memory == MemoryKind::Pool && !record.more.undefined_shows;
        let is_memory = matches!(self.invariant.question, Obligation::Memory { .. });
        let is_variable = self.classes.variables.contains(&word);
        match symbol {
            Symbol::Unknown => true,
            Symbol::Garbage => is_pointer,
            Symbol::Null => is_pointer && word == 0,
            Symbol::Cell => {
                let cell = pointed(word).filter(|_| is_pointer);
                terms.push(cell.map(|cell| sentinels(record) + cell));
                cell.is_some()
            }
            Symbol::Absent => word == NONE,
            // Undefined data of the watched cell. In a pool the cell still holds its old data.
            Symbol::Tracked(_) if is_memory => is_data && (is_pool || word == UNDEFINED),
            Symbol::Tracked(variable) => {
                is_data && self.classes.variables.get(usize::from(variable)) == Some(&word)
            }
            Symbol::Other if is_memory => is_data && word != UNDEFINED,
            Symbol::Other => is_data && !is_variable,
            Symbol::Undefined => {
                matches!(slot.scalar, Scalar::Data | Scalar::Key) && (is_pool || word == UNDEFINED)
            }
            Symbol::Small(number) => {
                let is_small = matches!(
                    slot.scalar,
                    Scalar::Bool | Scalar::Int | Scalar::Range { .. } | Scalar::Enum(_)
                );
                is_small && word == Word::from(number)
            }
            Symbol::Key(class) => {
                let is_key = slot.scalar == Scalar::Key && word != NONE && word != UNDEFINED;
                is_key && Word::from(class) == self.key_class(word)
            }
            Symbol::Current | Symbol::Stale => false,
        }
    }

    pub fn key_class(&self, word: Word) -> Word {
        key_class(&self.classes, word)
    }

    /// Returns the bit of a cell's label; all bits if its field has no value.
    fn label(&self, record: StateRecord, cell: usize) -> u8 {
        let Some(at) = record.layout.cells.label else { return u8::MAX };
        let word = record.field(cell, at);
        let label = match record.layout.cells.slots[at].scalar {
            _ if word == UNDEFINED => None,
            Scalar::Key => Some(i64::from(self.key_class(word))),
            Scalar::Range { low, .. } => Some(i64::from(word) - low),
            _ => Some(i64::from(word)),
        };
        let bit = label.and_then(|label| u32::try_from(label).ok()).and_then(|label| 1_u8.checked_shl(label));
        bit.unwrap_or(u8::MAX)
    }
}

/// Returns 0 for keys up to the cut, and 1 for keys above it.
pub fn key_class(classes: &Classes, word: Word) -> Word {
    Word::from(word > classes.cut)
}

fn sentinels(record: StateRecord) -> usize {
    if record.layout.is_collected() { 1 } else { 3 }
}

fn bit(set: u32, at: u32) -> bool {
    set.checked_shr(at).is_some_and(|set| set & 1 == 1)
}

/// Returns the locals that the instructions of a method assign.
fn assigned(layout: &Layout, method: linchpin_ir::program::MethodId) -> Vec<LocalId> {
    let code = layout.program.methods[method].code.iter();
    code.flat_map(|instr| super::results::targets(&instr.op)).collect()
}
