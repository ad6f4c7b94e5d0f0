//! Single steps from any state of the views, for the *local test*.
//!
//! A certificate is *inductive* if every step of the plain semantics leads from a state of all its invariants
//! to such a state. The gate tests this for reachable states only. Here a test provides its own state as
//! [`Pieces`]. [`Local`] decides
//! - whether the state is in every invariant, and with which ghosts ([`Local::confirm`]),
//! - for each of its steps, whether the next state is in every invariant again ([`Local::steps`]).
//!
//! **A state of an invariant** has ghosts, one symbolic shared state and one symbolic state of each thread,
//! each two in a view (`Views::has_all`). The test has two more ghosts than the gate: the cells with wild
//! edges, and the values of variables that no later step reads. After a step it suffices that suitable wild
//! cells and suitable values of the acting thread exist; the values of other threads are unchanged.
//!
//! **Further facts about reachable states** that a proof may use: a value that was not yet an argument occurs
//! nowhere (data independence). So a state in which it occurs is not confirmed. Copies of ages are never
//! ahead of their place: the builder of states ensures this.
//!
//! Doc-hidden: only tests use it.

use super::gamma::{Called, Classes, Ghosts, Scene, Views, Watched};
use super::graph::AGES;
use super::layout::{DATA_UNWRITTEN, Layout, More, Short, StateRecord, shorten};
use super::observed_step::{Move, ObservedStep, StepListener};
use super::observers::{Ghost, Observing};
use super::watching::{kept, leads};
use super::{graph, naming, text};
use crate::certificate::{Certificate, Effect, Obligation};
use crate::observer_adequacy::ObserverProduct;
use linchpin_ir::index::Index;
use linchpin_ir::program::{MemoryKind, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::{Scalar, UNDEFINED, Word};
use linchpin_semantics::{Bounds, CallChoice, Client, Machine, Outcome, Picks, Pieces, State, ThreadId};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use super::layout::Cells;

/// The maximal number of ghosts of one invariant.
const MOST_GHOSTS: usize = 4;

/// The instance in which steps are made.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    pub threads: u32,
    pub nodes: u32,
    pub keys: u32,
    /// The greatest key of the first class.
    pub cut: Word,
}

/// A program in an instance, and the invariants of its certificate. Observer variables have the values 1, 2
/// and so on. There is one more value than a product has variables.
pub struct Local<'l> {
    layout: Layout<'l>,
    machine: Machine,
    claims: Vec<Claim<'l>>,
    calls: Vec<CallChoice>,
}

/// An invariant, with its views and observers.
struct Claim<'c> {
    question: Obligation,
    views: Views<'c>,
    /// The values of the observer variables.
    variables: Vec<Word>,
    observing: Option<RefCell<Observing<'c>>>,
    /// The locations from which no observer can accept.
    dead: BTreeSet<u16>,
}

/// A state that is in every invariant.
pub struct Confirmed {
    pieces: Pieces,
    state: State,
    flags: Vec<Short>,
    ghosts: Vec<Ghostly>,
}

impl Confirmed {
    /// Returns the number of choices of ghosts, over all invariants.
    pub fn ghosts(&self) -> usize {
        self.ghosts.len()
    }
}

/// Ghosts of one invariant.
#[derive(Clone, Debug)]
struct Ghostly {
    claim: usize,
    /// The cells with wild edges, one bit each.
    wild: usize,
    kind: GhostKind,
}

#[derive(Clone, Debug)]
enum GhostKind {
    Observed(Ghost),
    Watched(Watched),
    Plain,
}

/// The verdict on a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepVerdict {
    /// The step leads to a state of every invariant.
    Kept,
    /// The step leads out of the instance, or is not enabled.
    Skipped,
    /// The step leads out of an invariant, or the certificate excludes it. The text describes the step.
    Failed(String),
}

impl<'l> Local<'l> {
    /// Prepares a certificate with its [products](crate::observer_adequacy::products_of); `None` for a
    /// program that the gate does not support.
    pub fn new(
        program: &'l Arc<Program>,
        certificate: &'l Certificate,
        products: &'l [ObserverProduct],
        instance: Instance,
    ) -> Option<Local<'l>> {
        let layout = Layout::new(program, instance.threads).ok()?;
        let most = products.iter().map(|product| product.variables).max().unwrap_or(0);
        let Instance { threads, nodes, keys, cut } = instance;
        let values = u32::try_from(most + 1).ok()?;
        let bounds = Bounds { threads, nodes, values, keys, ages: Some(AGES), ..Bounds::default() };
        let machine = Machine::new(program, &bounds).ok()?;
        let Ok(Client::General(client)) = Client::general(program, &bounds) else { return None };
        let mut claims = Vec::new();
        for invariant in &certificate.invariants {
            let product = match invariant.question {
                Obligation::Observers(at) => Some(products.get(at)?),
                Obligation::Memory { .. } | Obligation::Assertions => None,
            };
            let count = Word::try_from(product.map_or(0, |product| product.variables)).ok()?;
            let variables: Vec<Word> = (1..=count).collect();
            let classes = Classes { variables: variables.clone(), cut };
            let observing =
                product.map(|product| RefCell::new(Observing::new(program, product, classes.clone())));
            let dead = product.filter(|product| product.variables > 1).map(|product| product.dead(program));
            let views = Views::new(&layout, &certificate.rests, invariant, classes);
            let dead = dead.unwrap_or_default();
            claims.push(Claim { question: invariant.question, views, variables, observing, dead });
        }
        let calls = client.choices(ThreadId::new(0), 0).to_vec();
        Some(Local { layout, machine, claims, calls })
    }

    /// Returns the layout of cells.
    pub fn cells(&self) -> &Cells {
        &self.layout.cells
    }

    /// Returns the state of these pieces; `None` if it is outside of an invariant. `wild` is a guess of the
    /// cells with wild edges.
    pub fn confirm(&self, pieces: &Pieces, wild: usize) -> Option<Confirmed> {
        let state = self.machine.assemble(pieces)?;
        let flags = self.flags(pieces);
        let whole = (0..pieces.threads.len()).fold(0, |bits, thread| bits | 1_u32 << thread);
        let shorts = self.record(&state, &flags, pieces, whole)?;
        let more = More { whole, undefined_shows: true, has_all_cells: true };
        let record = StateRecord { layout: &self.layout, shorts: &shorts, more };
        let mut ghosts = Vec::new();
        for (at, claim) in self.claims.iter().enumerate() {
            let mut scene = claim.views.scene(record);
            let masks = masks(record, wild);
            let found = match claim.question {
                Obligation::Observers(_) => self.observed(claim, &mut scene, &masks, pieces),
                Obligation::Memory { root } => watched(claim, &mut scene, &masks, root)?,
                Obligation::Assertions => {
                    let wild = claim.mask(&mut scene, &masks, &GhostKind::Plain);
                    wild.map(|wild| (wild, GhostKind::Plain)).into_iter().collect()
                }
            };
            if found.is_empty() {
                return None;
            }
            ghosts.extend(found.into_iter().map(|(wild, kind)| Ghostly { claim: at, wild, kind }));
        }
        Some(Confirmed { pieces: pieces.clone(), state, flags, ghosts })
    }

    /// Makes every step of every thread, and reports the verdict on each.
    pub fn steps(&self, from: &Confirmed, mut report: impl FnMut(StepVerdict)) {
        for thread in (0..self.layout.threads).map(ThreadId::new) {
            let is_idle = from.pieces.threads[thread.index()].is_none();
            let calls = self.calls.iter().map(Some).filter(|_| is_idle);
            for call in calls.chain((!is_idle).then_some(None)) {
                let mut picks = Picks::new();
                loop {
                    picks.restart();
                    report(self.step(from, thread, call, &mut picks));
                    if !picks.advance() {
                        break;
                    }
                }
            }
        }
    }

    fn step(
        &self,
        from: &Confirmed,
        thread: ThreadId,
        call: Option<&CallChoice>,
        picks: &mut Picks,
    ) -> StepVerdict {
        let mut state = from.state.clone();
        let mut reached = [];
        let mut listener = StepListener::<true>::new(&mut reached);
        let outcome = match call {
            Some(CallChoice { op, args, .. }) => {
                self.machine.call(&mut state, thread, *op, args, 0, picks, &mut listener)
            }
            None => self.machine.step(&mut state, thread, picks, &mut listener),
        };
        let seen = listener.end(thread, call.map(|call| (call.op, call.args.clone())));
        let failed = |why: String| {
            let (before, label) = (self.text(from), text::label(self.layout.program, &seen.label));
            StepVerdict::Failed(format!("{why}\n  from {before}\n  by {label}"))
        };
        match outcome {
            Outcome::Done => {}
            Outcome::Fault(fault) => {
                let property = graph::property_of(fault.property());
                let is_claimed = self.claims.iter().any(|claim| match claim.question {
                    Obligation::Observers(_) => false,
                    Obligation::Memory { .. } => property == Property::MemorySafe,
                    Obligation::Assertions => property == Property::Assertions,
                });
                return if is_claimed { failed(fault.message.clone()) } else { StepVerdict::Skipped };
            }
            Outcome::Disabled(_) | Outcome::Cut(_) | Outcome::Discarded => return StepVerdict::Skipped,
        }
        let mut flags = from.flags.clone();
        seen.mark(&self.layout, &mut flags);
        let others = (0..self.layout.threads).filter(|other| *other != thread.index());
        let whole = others.fold(0, |bits, other| bits | 1_u32 << other);
        let Some(shorts) = self.record(&state, &flags, &from.pieces, whole) else {
            return StepVerdict::Skipped;
        };
        let more = More { whole, undefined_shows: false, has_all_cells: true };
        let record = StateRecord { layout: &self.layout, shorts: &shorts, more };
        for ghost in &from.ghosts {
            if !self.keeps(ghost, record, from.pieces.cells.len(), &seen) {
                let Ghostly { wild, kind, .. } = ghost;
                let question = self.claims[ghost.claim].question;
                let after = text::record(record, &naming::as_numbered(&self.layout));
                return failed(format!("{question:?} is left, with {kind:?}, wild {wild:b}\n  to {after}"));
            }
        }
        StepVerdict::Kept
    }

    /// Returns whether the state after a step is in the invariant of these ghosts, with a possible next
    /// ghost.
    fn keeps(&self, ghost: &Ghostly, record: StateRecord, cells: usize, seen: &ObservedStep) -> bool {
        let claim = &self.claims[ghost.claim];
        let mut scene = claim.views.scene(record);
        let masks = masks(record, ghost.wild);
        match &ghost.kind {
            GhostKind::Plain => claim.mask(&mut scene, &masks, &GhostKind::Plain).is_some(),
            GhostKind::Observed(before) => {
                let Some(observing) = &claim.observing else { return false };
                let after = observing.borrow_mut().after(before, &seen.label);
                after.is_none_or(|after| {
                    after.into_iter().any(|ghost| {
                        claim.dead.contains(&ghost.location)
                            || claim.mask(&mut scene, &masks, &GhostKind::Observed(ghost)).is_some()
                    })
                })
            }
            GhostKind::Watched(before) => {
                let order: Vec<usize> = (0..record.cells()).collect();
                let threads = naming::as_numbered(&self.layout);
                let moved = Move::new(
                    (&threads, &order[..cells]),
                    (&threads, &order),
                    seen,
                    self.layout.is_collected(),
                );
                let actor = u8::try_from(seen.label.thread).ok();
                let Obligation::Memory { root } = claim.question else { return false };
                let mut is_kept = |watched: Watched| {
                    masks.iter().any(|wild| {
                        let after = match watched.cell {
                            Some(_) => kept(record, root, *wild, watched, actor),
                            None => watched,
                        };
                        claim.mask(&mut scene, &[*wild], &GhostKind::Watched(after)).is_some()
                    })
                };
                match before.cell {
                    Some(cell) => moved.freed.contains(&cell) || is_kept(*before),
                    None => {
                        let born = |cell: &u8| Watched { cell: Some(*cell), shared: false, answers: actor };
                        is_kept(*before) && moved.allocated.iter().map(born).all(is_kept)
                    }
                }
            }
        }
    }

    /// Returns the ghosts of observers with which a state is in the views.
    fn observed(
        &self,
        claim: &Claim,
        scene: &mut Scene,
        masks: &[usize],
        pieces: &Pieces,
    ) -> Vec<(usize, GhostKind)> {
        let Some(observing) = &claim.observing else { return Vec::new() };
        let program = self.layout.program;
        let there = self.occurring(&claim.variables, pieces);
        let mut calls: Vec<SmallVec<[Called; 3]>> = vec![SmallVec::new()];
        for pending in &pieces.threads {
            let idle = || Called { op: None, args: SmallVec::new(), effect: Effect::Waiting };
            let called = pending.as_ref().map_or_else(idle, |pending| {
                let method = &program.methods[program.ops[pending.op].method];
                let words: Vec<Word> = method
                    .params
                    .iter()
                    .flat_map(|param| {
                        let local = &method.locals[*param];
                        &pending.frame[local.offset..local.offset + program.types.width(local.ty)]
                    })
                    .copied()
                    .collect();
                let args = observing.borrow().symbols(&program.ops[pending.op].params, &words);
                Called { op: Some(pending.op), args, effect: Effect::Waiting }
            });
            let place = pending.as_ref().map(|pending| (pending.op, pending.pc));
            let effects = claim.views.effects(place);
            let longer = |calls: SmallVec<[Called; 3]>| {
                let called = called.clone();
                effects.clone().into_iter().map(move |effect| {
                    let mut calls = calls.clone();
                    calls.push(Called { effect, ..called.clone() });
                    calls
                })
            };
            calls = calls.into_iter().flat_map(longer).collect();
        }
        let mut found = Vec::new();
        for (location, used) in claim.views.locations() {
            if claim.dead.contains(&location) || there & !used != 0 {
                continue;
            }
            for calls in &calls {
                let kind = GhostKind::Observed(Ghost { location, used, calls: calls.clone() });
                if let Some(wild) = claim.mask(scene, masks, &kind) {
                    found.push((wild, kind));
                    if found.len() == MOST_GHOSTS {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// Returns a bit for each variable whose value occurs in the state.
    fn occurring(&self, variables: &[Word], pieces: &Pieces) -> u8 {
        let program = self.layout.program;
        let frames = pieces.threads.iter().flatten().flat_map(|pending| {
            program.methods[program.ops[pending.op].method].slots.iter().zip(&pending.frame)
        });
        let cells = pieces.cells.iter().flat_map(|cell| self.layout.cells.slots.iter().zip(&cell.words));
        let globals = program.globals.slots.iter().zip(&pieces.globals);
        let words = frames.chain(cells).chain(globals);
        let data = words.filter(|(slot, _)| slot.scalar == Scalar::Data).map(|(_, word)| *word);
        let at = data.filter_map(|word| variables.iter().position(|value| *value == word));
        at.fold(0, |bits, at| bits | 1 << at)
    }

    /// What fields do not show: undefined data of a pool was not written.
    fn flags(&self, pieces: &Pieces) -> Vec<Short> {
        if self.layout.program.memory != MemoryKind::Pool {
            return Vec::new();
        }
        let cells = pieces.cells.iter().map(|cell| {
            let data = self.layout.cells.data.and_then(|data| cell.words.get(data));
            if !cell.is_freed && data == Some(&UNDEFINED) { DATA_UNWRITTEN } else { 0 }
        });
        cells.collect()
    }

    /// Returns the record of a state, with all variables of these threads.
    fn record(&self, state: &State, flags: &[Short], pieces: &Pieces, whole: u32) -> Option<Vec<Short>> {
        let order: Vec<usize> = self.machine.cells(state).map(|cell| cell.id.index()).collect();
        let threads = naming::as_numbered(&self.layout);
        let mut shorts = Vec::new();
        self.layout.write(&self.machine, state, (&order, &threads), flags, &mut shorts)?;
        for (thread, pending) in pieces.threads.iter().enumerate() {
            if let Some(pending) = pending.as_ref().filter(|_| whole >> thread & 1 == 1) {
                let start = self.layout.frame_at(thread);
                for (at, word) in pending.frame.iter().enumerate() {
                    shorts[start + at] = shorten(*word)?;
                }
            }
        }
        Some(shorts)
    }

    fn text(&self, from: &Confirmed) -> String {
        let record = self.record(&from.state, &from.flags, &from.pieces, 0);
        record.map_or_else(String::new, |shorts| {
            let numbers = naming::as_numbered(&self.layout);
            text::record(StateRecord::new(&self.layout, &shorts), &numbers)
        })
    }
}

impl Claim<'_> {
    /// Returns the first of these sets of wild cells with which the state is in the views.
    fn mask(&self, scene: &mut Scene, masks: &[usize], kind: &GhostKind) -> Option<usize> {
        let none = Ghosts { location: 0, used: 0, calls: &[], watched: None };
        let ghosts = match kind {
            GhostKind::Observed(Ghost { location, used, calls }) => {
                Ghosts { location: *location, used: *used, calls, watched: None }
            }
            GhostKind::Watched(watched) => Ghosts { watched: Some(watched), ..none },
            GhostKind::Plain => none,
        };
        self.views.has_all(scene, &ghosts, masks)
    }
}

/// Returns the choices of a watched cell: at least one for each allocated cell, and one without; `None` if a
/// cell has no choice.
fn watched(
    claim: &Claim,
    scene: &mut Scene,
    masks: &[usize],
    root: Option<usize>,
) -> Option<Vec<(usize, GhostKind)>> {
    let record = scene.record;
    let threads = u8::try_from(record.layout.threads).ok()?;
    let nothing = GhostKind::Watched(Watched { cell: None, shared: false, answers: None });
    let mut found = vec![(claim.mask(scene, masks, &nothing)?, nothing)];
    for cell in (0..record.cells()).filter(|cell| !record.is_freed(*cell)) {
        let before = found.len();
        let number = Some(u8::try_from(cell).ok()?);
        let keepers: Vec<Option<u8>> = (0..threads).map(Some).chain([None]).collect();
        for answers in keepers {
            let is_collected = record.layout.is_collected();
            let mask = masks.iter().copied().find(|wild| {
                let shared = !is_collected && leads(record, root, *wild, cell);
                // A thread owns the cell, or a shared variable reaches it; a collected cell has no owner.
                (shared || is_collected) == answers.is_none()
                    && claim
                        .mask(scene, &[*wild], &GhostKind::Watched(Watched { cell: number, shared, answers }))
                        .is_some()
            });
            if let Some(wild) = mask {
                let shared = !is_collected && leads(record, root, wild, cell);
                found.push((wild, GhostKind::Watched(Watched { cell: number, shared, answers })));
            }
        }
        if found.len() == before {
            return None;
        }
    }
    Some(found)
}

/// Returns the possible sets of cells with wild edges: the guess first, then all others.
fn masks(record: StateRecord, guess: usize) -> Vec<usize> {
    if record.layout.is_collected() {
        return vec![0];
    }
    let may_be = (0..record.cells()).filter(|cell| !record.is_freed(*cell));
    let all = may_be.fold(0_usize, |bits, cell| bits | 1 << cell);
    let mut masks = vec![guess & all];
    // Enumerate all subsets.
    let mut subset = 0_usize;
    loop {
        if subset != masks[0] {
            masks.push(subset);
        }
        subset = subset.wrapping_sub(all) & all;
        if subset == 0 {
            break;
        }
    }
    masks
}
