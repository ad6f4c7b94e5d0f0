//! The local test for sets: a certificate is inductive in the plain semantics, not only for reachable states.
//!
//! A random heap is drawn: a sorted list, and cells that were unlinked from it. Each thread gets a random view
//! of the certificate that fits the heap, or is idle. A state of two or three threads counts if it is in the
//! certificate for every watched key. Then every step of every thread is made with the plain semantics. The
//! next state must be in the certificate for every watched key again. A fault is a failure, and so is a step
//! that no set allows.
//!
//! The gate defines the meaning of views, and the steps of ghosts
//! ([`local`](linchpin_certify::gate::sets::local)).

use fastrand::Rng;
use linchpin_certify::gate::local::StepVerdict;
use linchpin_certify::gate::sets::local::{Call, Guess, SetLocal};
use linchpin_certify::set_certificate::{
    CallGhost, CellLabel, CellPlace, KeyClass, NextFact, SetCertificate, SlotValue, ThreadView,
};
use linchpin_ir::program::Program;
use linchpin_ir::types::{KEY_MAX, KEY_MIN, NONE, Scalar, StructId, TypeKind, UNDEFINED, Word};
use linchpin_semantics::{CellPiece, Pending, Pieces};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

const KEYS: Word = 3;
const NODES: u32 = 12;

/// What was looked at.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    /// Draws, also those in which nothing could be built.
    pub drawn: u64,
    /// States that were built.
    pub built: u64,
    /// Those that are in the certificate for every key.
    pub confirmed: u64,
    /// Those with three threads that have pending calls.
    pub of_three: u64,
    /// Those with an unlinked cell that two threads name.
    pub shared_unlinked: u64,
    /// Steps that lead into the certificate again.
    pub steps: u64,
    pub skipped: u64,
    pub failures: Vec<String>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { drawn, built, confirmed, of_three, shared_unlinked, steps, skipped, failures } = self;
        write!(
            f,
            "{drawn} draws, {built} states built, {confirmed} in the certificate ({of_three} with three pending calls, \
             {shared_unlinked} with an unlinked cell of two threads), {steps} steps, {skipped} skipped, {} failed",
            failures.len()
        )
    }
}

/// Builds states and makes their steps as long as `go_on` says so; ends at the first failure.
pub fn examine(
    program: &Arc<Program>,
    certificate: &SetCertificate,
    rng: &mut Rng,
    mut go_on: impl FnMut(&Counts) -> bool,
) -> Counts {
    let keys = KEYS.unsigned_abs();
    let rooms: Vec<(usize, SetLocal)> = [2_u32, 3]
        .into_iter()
        .filter_map(|threads| {
            let room = SetLocal::new(program, certificate, (threads, NODES, keys))?;
            Some((threads as usize, room))
        })
        .collect();
    let mut counts = Counts::default();
    let views = Views::of(certificate);
    while counts.failures.is_empty() && rooms.len() == 2 && go_on(&counts) {
        counts.drawn += 1;
        let (threads, room) = &rooms[rng.usize(..2)];
        let Some(built) = Built::draw(program, certificate, &views, room, *threads, rng) else { continue };
        counts.built += 1;
        let Some(confirmed) = room.confirm(&built.pieces, &built.guess) else { continue };
        counts.confirmed += 1;
        counts.of_three += u64::from(built.pieces.threads.iter().flatten().count() == 3);
        counts.shared_unlinked += u64::from(built.has_shared_unlinked());
        room.steps(&confirmed, |judged| match judged {
            StepVerdict::Kept => counts.steps += 1,
            StepVerdict::Skipped => counts.skipped += 1,
            StepVerdict::Failed(why) => counts.failures.push(why),
        });
    }
    counts
}

/// The views of pending calls on the watched key, by whether the key is in; and the small fields of labels.
struct Views<'v> {
    pending: [Vec<&'v ThreadView>; 2],
    fields: BTreeMap<(CellPlace, KeyClass), Vec<u16>>,
}

impl<'v> Views<'v> {
    fn of(certificate: &'v SetCertificate) -> Views<'v> {
        let on_key = |view: &&ThreadView| matches!(view.ghost, CallGhost::Watched { .. } | CallGhost::Done);
        let of = |is_in: bool| {
            certificate.threads.iter().filter(on_key).filter(|view| view.is_in == is_in).collect()
        };
        let mut fields: BTreeMap<(CellPlace, KeyClass), Vec<u16>> = BTreeMap::new();
        for edge in &certificate.edges {
            for end in [Some(edge.from), edge.to].into_iter().flatten() {
                let CellLabel { class, fields: small, place } = end.label;
                let known = fields.entry((place, class)).or_default();
                if !known.contains(&small.0) {
                    known.push(small.0);
                }
            }
        }
        Views { pending: [of(false), of(true)], fields }
    }
}

/// A cell of a state that is built.
#[derive(Clone)]
struct Cell {
    key: Word,
    fields: u16,
    place: CellPlace,
    next: Option<usize>,
    holder: Option<usize>,
    /// The threads whose views name the cell.
    named_by: u32,
}

struct Built {
    cells: Vec<Cell>,
    pieces: Pieces,
    guess: Guess,
}

impl Built {
    fn draw(
        program: &Program,
        certificate: &SetCertificate,
        views: &Views,
        room: &SetLocal,
        threads: usize,
        rng: &mut Rng,
    ) -> Option<Built> {
        let mut cells = heap(certificate, views, rng)?;
        let pointers: Vec<usize> = shared_pointers(program).collect();
        let root = program.globals.variables[certificate.root].offset;
        let shared: Vec<usize> =
            pointers.iter().map(|slot| if *slot == root { 0 } else { rng.usize(..cells.len()) }).collect();
        let mut locks = vec![0; program.globals.slots.len()];
        let mut calls = vec![None; threads];
        let mut pending = vec![None; threads];
        let mut known_fresh = vec![Vec::new(); threads];
        for thread in 0..threads {
            if rng.u32(..8) == 0 {
                continue;
            }
            let key = rng.i32(1..=KEYS);
            let is_in = cells.iter().any(|cell| {
                let is_member = certificate.present.iter().any(|fields| fields.0 == cell.fields);
                cell.place == CellPlace::Linked && cell.key == key && is_member
            });
            let candidates = &views.pending[usize::from(is_in)];
            let fitted = (0..40).find_map(|_| {
                let view = *rng.choice(candidates)?;
                Fit { program, view, key, thread, shared: &shared }.place(&cells, &locks, rng)
            });
            let Some(fitted) = fitted else { continue };
            cells = fitted.cells;
            locks = fitted.locks;
            known_fresh[thread] = fitted.fresh;
            calls[thread] = Some((key, fitted.call));
            pending[thread] = Some(fitted.pending);
        }
        // Unreachable cells are collected: a heap with one is drawn again.
        let fresh = (0..threads).map(|thread| {
            let bit = |(at, cell): (usize, &Cell)| {
                let known =
                    known_fresh[thread].iter().find(|(named, _)| *named == at).map(|(_, fresh)| *fresh);
                let is_fresh = calls[thread].is_some()
                    && known.unwrap_or(match cell.place {
                        CellPlace::Linked => true,
                        CellPlace::Unlinked => rng.bool(),
                        CellPlace::Private => false,
                    });
                u32::from(is_fresh) << at
            };
            cells.iter().enumerate().map(bit).fold(0, |set, bit| set | bit)
        });
        let fresh: Vec<u32> = fresh.collect();
        let published = cells.iter().enumerate().filter(|(_, cell)| cell.place != CellPlace::Private);
        let published = published.fold(0, |set, (at, _)| set | 1 << at);
        let mut globals = locks;
        for (slot, cell) in pointers.iter().zip(&shared) {
            globals[*slot] = pointer(Some(*cell));
        }
        let of = the_struct(program)?;
        let piece = |cell: &Cell| CellPiece { of, is_freed: false, words: words(program, room, cell) };
        let pieces = Pieces { globals, threads: pending, cells: cells.iter().map(piece).collect() };
        Some(Built { cells, pieces, guess: Guess { published, fresh, calls } })
    }

    fn has_shared_unlinked(&self) -> bool {
        let mut unlinked = self.cells.iter().filter(|cell| cell.place == CellPlace::Unlinked);
        unlinked.any(|cell| cell.named_by.count_ones() > 1)
    }
}

/// A sorted list behind a first cell, and cells that were unlinked from it.
fn heap(certificate: &SetCertificate, views: &Views, rng: &mut Rng) -> Option<Vec<Cell>> {
    let label = |place: CellPlace, key: Word, rng: &mut Rng| {
        let class = match key {
            KEY_MIN => KeyClass::Min,
            KEY_MAX => KeyClass::Max,
            _ => [KeyClass::Below, KeyClass::Watched, KeyClass::Above][rng.usize(..3)],
        };
        rng.choice(views.fields.get(&(place, class))?).copied()
    };
    let has_last = certificate.edges.iter().any(|edge| edge.from.label.class == KeyClass::Max);
    let keys = [KEY_MIN]
        .into_iter()
        .chain((1..=KEYS).filter(|_| rng.bool()).collect::<Vec<_>>())
        .chain(has_last.then_some(KEY_MAX));
    let mut cells: Vec<Cell> = Vec::new();
    for key in keys {
        let fields = label(CellPlace::Linked, key, rng)?;
        if let Some(at) = cells.len().checked_sub(1) {
            cells[at].next = Some(at + 1);
        }
        cells.push(Cell { key, fields, place: CellPlace::Linked, next: None, holder: None, named_by: 0 });
    }
    for _ in 0..rng.usize(..4) {
        let key = rng.i32(1..=KEYS);
        let Some(fields) = label(CellPlace::Unlinked, key, rng) else { break };
        let next = random_successor(&cells, key, rng);
        cells.push(Cell { key, fields, place: CellPlace::Unlinked, next, holder: None, named_by: 0 });
    }
    Some(cells)
}

/// A published cell with a greater key, or null if there is none.
fn random_successor(cells: &[Cell], key: Word, rng: &mut Rng) -> Option<usize> {
    let greater: Vec<usize> = (0..cells.len())
        .filter(|at| cells[*at].key > key && cells[*at].place != CellPlace::Private)
        .collect();
    rng.choice(&greater).copied()
}

/// A view, and the thread that is to have it.
struct Fit<'f> {
    program: &'f Program,
    view: &'f ThreadView,
    key: Word,
    thread: usize,
    /// The cells of the shared pointers.
    shared: &'f [usize],
}

/// A state in which one more thread has a pending call.
struct Fitted {
    cells: Vec<Cell>,
    locks: Vec<Word>,
    pending: Pending,
    call: Call,
    fresh: Vec<(usize, bool)>,
}

impl Fit<'_> {
    /// Chooses a cell for each cell of the view; `None` if the choice does not fit.
    fn place(&self, cells: &[Cell], locks: &[Word], rng: &mut Rng) -> Option<Fitted> {
        let mut cells = cells.to_vec();
        let mut chosen: Vec<Option<usize>> = vec![None; self.view.cells.len()];
        for (value, cell) in self.view.shared.iter().zip(self.shared) {
            match value {
                SlotValue::Cell(number) => chosen[usize::from(*number)] = Some(*cell),
                _ => return None,
            }
        }
        for (at, fact) in self.view.cells.iter().enumerate() {
            if chosen[at].is_some() {
                continue;
            }
            let used = |cell: &usize| chosen.contains(&Some(*cell));
            let cell = if fact.label.place == CellPlace::Private {
                let key = self.word_of_key(fact.label.class, rng)?;
                let next = match fact.next {
                    NextFact::Unknown => random_successor(&cells, key, rng),
                    NextFact::Null | NextFact::Cell(_) | NextFact::Chain(_) => None,
                };
                let place = CellPlace::Private;
                cells.push(Cell { key, fields: fact.label.fields.0, place, next, holder: None, named_by: 0 });
                cells.len() - 1
            } else {
                let fits = |cell: &usize| !used(cell) && self.has_label(&cells[*cell], fact.label);
                let fitting: Vec<usize> = (0..cells.len()).filter(fits).collect();
                *rng.choice(&fitting)?
            };
            chosen[at] = Some(cell);
        }
        let chosen: Vec<usize> = chosen.into_iter().collect::<Option<_>>()?;
        let mut fresh = Vec::new();
        for (fact, at) in self.view.cells.iter().zip(&chosen) {
            let next = match fact.next {
                // Whether there is a chain is judged with the whole state.
                NextFact::Unknown | NextFact::Chain(_) => cells[*at].next,
                NextFact::Null => None,
                NextFact::Cell(next) => Some(chosen[usize::from(next)]),
            };
            let cell = &mut cells[*at];
            if fact.label.place == CellPlace::Private {
                cell.next = next;
            }
            let is_free = !fact.mine || cell.holder.is_none();
            if cell.next != next || !is_free {
                return None;
            }
            cell.holder = if fact.mine { Some(self.thread) } else { cell.holder };
            cell.named_by |= 1 << self.thread;
            fresh.push((*at, fact.fresh));
        }
        let locks = self.take_locks(locks)?;
        let (op, pc) = self.view.at?;
        let method = &self.program.methods[self.program.ops[op].method];
        let mut frame = vec![0; method.slots.len()];
        let mut values = self.view.slots.iter();
        for local in method.locals.iter() {
            for part in 0..self.program.types.width(local.ty) {
                frame[local.offset + part] = match *values.next()? {
                    SlotValue::Null => 0,
                    SlotValue::Undefined => UNDEFINED,
                    SlotValue::Absent => NONE,
                    SlotValue::Number(number) => Word::from(number),
                    SlotValue::Key(class) => self.word_of_key(class, rng)?,
                    SlotValue::Cell(cell) => pointer(Some(chosen[usize::from(cell)])),
                };
            }
        }
        let call = match self.view.ghost {
            CallGhost::Watched { seen_in, seen_out } => Call::Watched { seen_in, seen_out },
            CallGhost::Done => Call::Done { from_in: &*self.program.ops[op].name == "remove" },
            CallGhost::None | CallGhost::Other => return None,
        };
        Some(Fitted { cells, locks, pending: Pending { op, pc, frame }, call, fresh })
    }

    fn take_locks(&self, locks: &[Word]) -> Option<Vec<Word>> {
        let mut locks = locks.to_vec();
        let slots = self.program.globals.slots.iter().enumerate();
        let of_locks = slots.filter(|(_, slot)| slot.scalar == Scalar::Lock).map(|(at, _)| at);
        for (number, slot) in of_locks.enumerate() {
            if self.view.locks >> number & 1 == 1 {
                if locks[slot] != 0 {
                    return None;
                }
                locks[slot] = holder_word(Some(self.thread));
            }
        }
        Some(locks)
    }

    fn has_label(&self, cell: &Cell, label: CellLabel) -> bool {
        let class = match cell.key {
            KEY_MIN => KeyClass::Min,
            KEY_MAX => KeyClass::Max,
            key if key < self.key => KeyClass::Below,
            key if key > self.key => KeyClass::Above,
            _ => KeyClass::Watched,
        };
        label == CellLabel { class, place: cell.place, ..label } && label.fields.0 == cell.fields
    }

    fn word_of_key(&self, class: KeyClass, rng: &mut Rng) -> Option<Word> {
        let range = match class {
            KeyClass::Min => return Some(KEY_MIN),
            KeyClass::Max => return Some(KEY_MAX),
            KeyClass::Watched => return Some(self.key),
            KeyClass::Below => 1..self.key,
            KeyClass::Above => self.key + 1..KEYS + 1,
        };
        (!range.is_empty()).then(|| rng.i32(range))
    }
}

fn shared_pointers(program: &Program) -> impl Iterator<Item = usize> {
    let slots = program.globals.slots.iter().enumerate();
    slots.filter(|(_, slot)| slot.scalar == Scalar::Pointer).map(|(at, _)| at)
}

fn the_struct(program: &Program) -> Option<StructId> {
    program.types.ids().find_map(|ty| match program.types.kind(ty) {
        TypeKind::Pointer(linchpin_ir::types::Pointee::Struct(id)) => Some(id),
        _ => None,
    })
}

fn words(program: &Program, room: &SetLocal, cell: &Cell) -> Vec<Word> {
    let mut fields = i64::from(cell.fields);
    let mut digit = |least: i64, count: i64| {
        let digit = least + fields % count;
        fields /= count;
        Word::try_from(digit).unwrap_or(0)
    };
    let word = |slot: &linchpin_ir::types::SlotKind| match slot.scalar {
        Scalar::Pointer => pointer(cell.next),
        Scalar::Key => cell.key,
        Scalar::Lock => holder_word(cell.holder),
        Scalar::Bool => digit(0, 2),
        Scalar::Range { low, high } => digit(low, high - low + 1),
        Scalar::Enum(id) => digit(0, i64::try_from(program.types.enums[id].variants.len()).unwrap_or(1)),
        _ => 0,
    };
    room.slots().iter().map(word).collect()
}

fn pointer(cell: Option<usize>) -> Word {
    cell.and_then(|cell| Word::try_from(cell + 1).ok()).unwrap_or(0)
}

fn holder_word(holder: Option<usize>) -> Word {
    pointer(holder)
}
