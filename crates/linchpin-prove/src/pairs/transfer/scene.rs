//! Unpacked views: a few threads and the shared state while a step is computed. Views are unpacked, stepped,
//! and packed again.
//!
//! In an unpacked view values contain terms directly, and several values may contain the same term. A packed
//! view has a separate term for each pointer, in the order that the
//! [certificate](linchpin_certify::certificate) fixes.

use crate::pairs::domain::heap::redirect;
use crate::pairs::domain::relation::REACHES;
use crate::pairs::domain::shape::{Impossible, MOST_TERMS, Shape, Term, term_of};
use crate::pairs::domain::value::{AgePlace, Value};
use crate::pairs::program::AnalyzedProgram;
use linchpin_certify::certificate::{AgeOrigin, Effect, LocalState, Rest, SharedState, Symbol, WatchedCell};
use linchpin_ir::heap::layout::SharedPart;
use smallvec::SmallVec;

/// The values of the shared variables, and the tracked cells.
pub type Pointers = (SmallVec<[Value; 6]>, SmallVec<[Option<Term>; 2]>);

#[derive(Clone)]
pub struct UnpackedView {
    pub shape: Shape,
    pub location: u16,
    pub used: u8,
    pub held: u32,
    /// The values of the shared variables, by part.
    pub globals: SmallVec<[Value; 6]>,
    pub tracked: SmallVec<[Option<Term>; 2]>,
    pub watch: WatchedCell,
    pub threads: SmallVec<[Thread; 3]>,
    /// The step is visible to other threads.
    pub visible: bool,
    /// The step is visible to a thread of this view or through a shared variable. False if only a cell
    /// unreachable for them changed.
    pub visible_to_peer: bool,
    /// The terms that may reach a cell whose edge was redirected, one bit each.
    pub moved: u32,
    /// The step has written a cell.
    pub written: bool,
    /// The step has stepped an age.
    pub aged: bool,
}

#[derive(Clone)]
pub struct Thread {
    pub at: Option<u16>,
    pub effect: Effect,
    pub holds: u32,
    pub answers: bool,
    /// The values of the slots of its rest.
    pub slots: SmallVec<[Value; 8]>,
}

impl Thread {
    pub fn idle() -> Thread {
        let slots = SmallVec::new();
        Thread { at: None, effect: Effect::Waiting, holds: 0, answers: false, slots }
    }

    /// Forgets slots beside stale ages: the first slot of each pair, if the age in the second is stale.
    pub fn forget_beside_stale(&mut self, rest: &Rest, pairs: &[(usize, usize)]) {
        let is_stale = |value: Value| matches!(value, Value::Age { current: false, .. });
        let mut forgets = false;
        for &(slot, age) in pairs {
            if self.slots[slot] != Value::Unknown && is_stale(self.slots[age]) {
                self.slots[slot] = Value::Unknown;
                forgets = true;
            }
        }
        if forgets {
            self.forget_strange_ages(rest);
        }
    }

    /// Forgets ages that were not read from the place that the rest states.
    pub fn forget_strange_ages(&mut self, rest: &Rest) {
        for number in 0..self.slots.len() {
            if let Value::Age { of, .. } = self.slots[number]
                && (of == AgePlace::Lost || of != age_place(rest, &self.slots, number))
            {
                self.slots[number] = Value::Unknown;
            }
        }
    }
}

/// Returns the number of sentinels of the program's memory.
pub fn sentinels(program: &AnalyzedProgram) -> usize {
    if program.collected { 1 } else { 3 }
}

/// Returns the number of terms of a thread.
pub fn local_terms(local: &LocalState) -> usize {
    local.slots.iter().filter(|symbol| **symbol == Symbol::Cell).count()
}

/// Unpacks a view. The terms of the shape are in the order of the certificate.
pub fn unpack(
    program: &AnalyzedProgram,
    shared: &SharedState,
    locals: &[&LocalState],
    shape: Shape,
) -> UnpackedView {
    let mut next = term_of(sentinels(program));
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let globals = shared.globals.iter().map(|symbol| Value::from_symbol(*symbol, &mut fresh)).collect();
    let tracked = shared.tracked.iter().map(|there| there.then(&mut fresh)).collect();
    let threads = locals.iter().map(|local| thread(program, local, &mut fresh)).collect();
    UnpackedView {
        shape,
        location: shared.location,
        used: shared.used,
        held: shared.held,
        globals,
        tracked,
        watch: shared.watch,
        threads,
        visible: false,
        moved: 0,
        written: false,
        visible_to_peer: false,
        aged: false,
    }
}

fn thread(program: &AnalyzedProgram, local: &LocalState, fresh: &mut impl FnMut() -> Term) -> Thread {
    let mut slots: SmallVec<[Value; 8]> =
        local.slots.iter().map(|symbol| Value::from_symbol(*symbol, fresh)).collect();
    if let Some(at) = local.at {
        let rest = &program.rests[at as usize];
        for number in 0..slots.len() {
            let home = age_place(rest, &slots, number);
            if let Value::Age { of: place, .. } = &mut slots[number] {
                *place = home;
            }
        }
    }
    Thread { at: local.at, effect: local.effect, holds: local.holds, answers: local.answers, slots }
}

/// Returns the place from which the age in a slot of a rest was read.
fn age_place(rest: &Rest, slots: &[Value], number: usize) -> AgePlace {
    match rest.slots[number].origin {
        None => AgePlace::Lost,
        Some(AgeOrigin::Shared(part)) => SharedPart::try_from(part).map_or(AgePlace::Lost, AgePlace::Shared),
        Some(AgeOrigin::Cell(pointer)) => {
            let holder = rest.slots.iter().position(|slot| slot.slot == pointer);
            match holder.map(|at| slots[at]) {
                Some(Value::Cell(term)) => AgePlace::Cell(term),
                _ => AgePlace::Lost,
            }
        }
    }
}

impl UnpackedView {
    /// Records a change that every thread can see.
    pub fn mark_visible(&mut self) {
        self.visible = true;
        self.visible_to_peer = true;
    }

    /// Records a change of a cell. Returns whether another thread or a shared variable may reach the cell. If
    /// not, the relations between their terms stay as they are, because no chain from these terms passes the
    /// cell.
    pub fn mark_cell_changed(&mut self, actor: usize, cell: Term) -> bool {
        self.visible = true;
        let term = |value: &Value| value.term();
        let threads = self.threads.iter().enumerate().filter(|(thread, _)| *thread != actor);
        let theirs = threads.flat_map(|(_, thread)| thread.slots.iter()).filter_map(term);
        let shared = self.globals.iter().filter_map(term).chain(self.tracked.iter().flatten().copied());
        let is_visible_to_peer = theirs.chain(shared).any(|term| self.shape.get(term, cell) & REACHES != 0);
        self.visible_to_peer |= is_visible_to_peer;
        is_visible_to_peer
    }

    /// Redirects the edge of a cell.
    pub fn redirect(&mut self, from: Term, to: Term) -> Result<(), Impossible> {
        self.moved |= redirect(&mut self.shape, from, to)?;
        Ok(())
    }

    /// Returns which of these terms may reach a cell whose edge was redirected, one bit each.
    pub fn moved_of(&self, terms: &[Term]) -> u32 {
        terms.iter().rev().fold(0, |moved, term| moved << 1 | self.moved >> term & 1)
    }

    /// Returns the shared values and the tracked cells.
    pub fn pointers(&self) -> Pointers {
        (self.globals.clone(), self.tracked.clone())
    }

    /// Returns whether a step has neither changed nor learned anything about cells, pointers and ages.
    pub fn is_as_before(&self, shape: &Shape, (globals, tracked): &Pointers) -> bool {
        !self.aged && self.globals == *globals && self.tracked == *tracked && self.shape == *shape
    }

    pub fn shared_state(&self) -> SharedState {
        SharedState {
            location: self.location,
            used: self.used,
            held: self.held,
            globals: self.globals.iter().map(|value| value.symbol()).collect(),
            tracked: self.tracked.iter().map(Option::is_some).collect(),
            watch: self.watch,
        }
    }

    pub fn local_state(&self, thread: usize) -> LocalState {
        let thread = &self.threads[thread];
        LocalState {
            at: thread.at,
            effect: thread.effect,
            holds: thread.holds,
            answers: thread.answers,
            slots: thread.slots.iter().map(|value| value.symbol()).collect(),
        }
    }

    /// Returns whether the shared state equals `state`, without building it.
    pub fn has_shared(&self, state: &SharedState) -> bool {
        self.location == state.location
            && self.used == state.used
            && self.held == state.held
            && self.watch == state.watch
            && self.globals.iter().map(|value| value.symbol()).eq(state.globals.iter().copied())
            && self.tracked.iter().map(Option::is_some).eq(state.tracked.iter().copied())
    }

    /// Returns whether the state of a thread equals `state`, without building it.
    pub fn has_local(&self, thread: usize, state: &LocalState) -> bool {
        let thread = &self.threads[thread];
        thread.at == state.at
            && thread.effect == state.effect
            && thread.holds == state.holds
            && thread.answers == state.answers
            && thread.slots.iter().map(|value| value.symbol()).eq(state.slots.iter().copied())
    }

    /// Returns the shared terms and those of some threads, in the order of a view.
    pub fn terms(&self, program: &AnalyzedProgram, threads: &[usize]) -> SmallVec<[Term; MOST_TERMS]> {
        let cell = |value: &Value| value.term();
        let mut terms: SmallVec<[Term; MOST_TERMS]> = (0..term_of(sentinels(program))).collect();
        terms.extend(self.globals.iter().filter_map(cell));
        terms.extend(self.tracked.iter().flatten().copied());
        for thread in threads {
            terms.extend(self.threads[*thread].slots.iter().filter_map(cell));
        }
        terms
    }
}
