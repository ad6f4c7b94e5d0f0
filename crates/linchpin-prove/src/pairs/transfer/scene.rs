//! A few threads with everything that is shared, while a step is computed: views are unpacked into a scene and packed again.
//!
//! In a scene values name terms directly, and several may name the same one; a view names each of its pointers once, in the order that
//! the [certificate](linchpin_certify::certificate) fixes.

use super::heap::redirect;
use super::plan::{Kind, Plan};
use super::relation::REACHES;
use super::shape::{Impossible, MOST_TERMS, Shape, Term, term_of};
use linchpin_certify::certificate::{AgeOrigin, Effect, LocalState, Rest, SharedState, Symbol, WatchedCell};
use linchpin_ir::heap::layout::SharedPart;
use smallvec::SmallVec;

/// The value of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Unknown,
    Null,
    /// A pointer of which nothing is known.
    Garbage,
    Cell(Term),
    Absent,
    /// Equal to an observer variable; undefined data of the watched cell.
    Tracked(u8),
    Other,
    Undefined,
    /// A copy of the age of a place.
    Age {
        current: bool,
        /// One more than the copy.
        stepped: bool,
        of: AgePlace,
    },
    Small(i8),
    /// A key of this class.
    Key(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgePlace {
    /// A part of the shared variables.
    Shared(SharedPart),
    /// The pointer field of a cell.
    Cell(Term),
    Lost,
}

/// Values of the shared variables, and the tracked cells.
pub type Pointers = (SmallVec<[Value; 6]>, SmallVec<[Option<Term>; 2]>);

#[derive(Clone)]
pub struct UnpackedView {
    pub shape: Shape,
    pub location: u16,
    pub used: u8,
    pub held: u32,
    /// As [`Plan::globals`] lists the parts.
    pub globals: SmallVec<[Value; 6]>,
    pub tracked: SmallVec<[Option<Term>; 2]>,
    pub watch: WatchedCell,
    pub threads: SmallVec<[Thread; 3]>,
    /// Something that other threads can see has changed.
    pub touched: bool,
    /// And one of the others that are here, or what is shared, may tell: not so where a cell has changed to which nothing of theirs leads.
    pub felt: bool,
    /// The terms that may reach a cell whose edge was redirected, a bit each.
    pub moved: u32,
    /// A cell has changed.
    pub written: bool,
    /// An age has been stepped.
    pub aged: bool,
}

#[derive(Clone)]
pub struct Thread {
    pub at: Option<u16>,
    pub effect: Effect,
    pub holds: u32,
    pub answers: bool,
    /// The slots of its rest.
    pub slots: SmallVec<[Value; 8]>,
}

impl Thread {
    pub fn idle() -> Thread {
        let slots = SmallVec::new();
        Thread { at: None, effect: Effect::Waiting, holds: 0, answers: false, slots }
    }

    /// Leaves out what is not remembered beside a stale age: of each pair the first, once the second is stale.
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

    /// Of ages that were not read where the rest says nothing is known.
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

/// The sentinels of the program's memory.
pub fn sentinels(plan: &Plan) -> usize {
    if plan.collected { 1 } else { 3 }
}

/// How many terms a thread has.
pub fn local_terms(local: &LocalState) -> usize {
    local.slots.iter().filter(|symbol| **symbol == Symbol::Cell).count()
}

/// A scene with the terms of the shape in the order of the certificate.
pub fn unpack(plan: &Plan, shared: &SharedState, locals: &[&LocalState], shape: Shape) -> UnpackedView {
    let mut next = term_of(sentinels(plan));
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let globals = shared.globals.iter().map(|symbol| value(*symbol, &mut fresh)).collect();
    let tracked = shared.tracked.iter().map(|there| there.then(&mut fresh)).collect();
    let threads = locals.iter().map(|local| thread(plan, local, &mut fresh)).collect();
    UnpackedView {
        shape,
        location: shared.location,
        used: shared.used,
        held: shared.held,
        globals,
        tracked,
        watch: shared.watch,
        threads,
        touched: false,
        moved: 0,
        written: false,
        felt: false,
        aged: false,
    }
}

fn thread(plan: &Plan, local: &LocalState, fresh: &mut impl FnMut() -> Term) -> Thread {
    let mut slots: SmallVec<[Value; 8]> = local.slots.iter().map(|symbol| value(*symbol, fresh)).collect();
    if let Some(at) = local.at {
        let rest = &plan.rests[at as usize];
        for number in 0..slots.len() {
            let home = age_place(rest, &slots, number);
            if let Value::Age { of: place, .. } = &mut slots[number] {
                *place = home;
            }
        }
    }
    Thread { at: local.at, effect: local.effect, holds: local.holds, answers: local.answers, slots }
}

/// Where the age in a slot of a rest was read.
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

fn value(symbol: Symbol, fresh: &mut impl FnMut() -> Term) -> Value {
    let age = |current| Value::Age { current, stepped: false, of: AgePlace::Lost };
    match symbol {
        Symbol::Unknown => Value::Unknown,
        Symbol::Null => Value::Null,
        Symbol::Garbage => Value::Garbage,
        Symbol::Cell => Value::Cell(fresh()),
        Symbol::Absent => Value::Absent,
        Symbol::Tracked(variable) => Value::Tracked(variable),
        Symbol::Other => Value::Other,
        Symbol::Undefined => Value::Undefined,
        Symbol::Current => age(true),
        Symbol::Stale => age(false),
        Symbol::Small(number) => Value::Small(number),
        Symbol::Key(class) => Value::Key(class),
    }
}

/// The class of a value.
pub fn symbol(value: Value) -> Symbol {
    match value {
        Value::Unknown => Symbol::Unknown,
        Value::Null => Symbol::Null,
        Value::Garbage => Symbol::Garbage,
        Value::Cell(_) => Symbol::Cell,
        Value::Absent => Symbol::Absent,
        Value::Tracked(variable) => Symbol::Tracked(variable),
        Value::Other => Symbol::Other,
        Value::Undefined => Symbol::Undefined,
        Value::Age { stepped: true, .. } => Symbol::Unknown,
        Value::Age { current: true, .. } => Symbol::Current,
        Value::Age { current: false, .. } => Symbol::Stale,
        Value::Small(number) => Symbol::Small(number),
        Value::Key(class) => Symbol::Key(class),
    }
}

impl UnpackedView {
    /// Something changes that everybody can see.
    pub fn touch(&mut self) {
        self.touched = true;
        self.felt = true;
    }

    /// A cell changes. Whether one of the others, or what is shared, may lead to it: if not, relations between what they lead to stay
    /// as they are, since no chain from there passes the cell.
    pub fn touch_cell(&mut self, actor: usize, cell: Term) -> bool {
        self.touched = true;
        let term = |value: &Value| match value {
            Value::Cell(term) => Some(*term),
            _ => None,
        };
        let threads = self.threads.iter().enumerate().filter(|(thread, _)| *thread != actor);
        let theirs = threads.flat_map(|(_, thread)| thread.slots.iter()).filter_map(term);
        let shared = self.globals.iter().filter_map(term).chain(self.tracked.iter().flatten().copied());
        let is_felt = theirs.chain(shared).any(|term| self.shape.get(term, cell) & REACHES != 0);
        self.felt |= is_felt;
        is_felt
    }

    /// The edge of a cell leads somewhere else.
    pub fn redirect(&mut self, from: Term, to: Term) -> Result<(), Impossible> {
        self.moved |= redirect(&mut self.shape, from, to)?;
        Ok(())
    }

    /// Which of these terms may reach a cell whose edge was redirected, a bit each.
    pub fn moved_of(&self, terms: &[Term]) -> u32 {
        terms.iter().rev().fold(0, |moved, term| moved << 1 | self.moved >> term & 1)
    }

    /// What is shared of pointers, and which cells are tracked.
    pub fn pointers(&self) -> Pointers {
        (self.globals.clone(), self.tracked.clone())
    }

    /// Whether a step has neither changed nor found out anything of cells, pointers and ages.
    pub fn is_as_before(&self, shape: &Shape, (globals, tracked): &Pointers) -> bool {
        !self.aged && self.globals == *globals && self.tracked == *tracked && self.shape == *shape
    }

    pub fn shared_state(&self) -> SharedState {
        SharedState {
            location: self.location,
            used: self.used,
            held: self.held,
            globals: self.globals.iter().map(|value| symbol(*value)).collect(),
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
            slots: thread.slots.iter().map(|value| symbol(*value)).collect(),
        }
    }

    /// Whether this is the shared state, without making it.
    pub fn has_shared(&self, state: &SharedState) -> bool {
        self.location == state.location
            && self.used == state.used
            && self.held == state.held
            && self.watch == state.watch
            && self.globals.iter().map(|value| symbol(*value)).eq(state.globals.iter().copied())
            && self.tracked.iter().map(Option::is_some).eq(state.tracked.iter().copied())
    }

    /// Whether this is the state of a thread.
    pub fn has_local(&self, thread: usize, state: &LocalState) -> bool {
        let thread = &self.threads[thread];
        thread.at == state.at
            && thread.effect == state.effect
            && thread.holds == state.holds
            && thread.answers == state.answers
            && thread.slots.iter().map(|value| symbol(*value)).eq(state.slots.iter().copied())
    }

    /// The terms of what is shared and of some threads, in the order of a view.
    pub fn terms(&self, plan: &Plan, threads: &[usize]) -> SmallVec<[Term; MOST_TERMS]> {
        let cell = |value: &Value| match value {
            Value::Cell(term) => Some(*term),
            _ => None,
        };
        let mut terms: SmallVec<[Term; MOST_TERMS]> = (0..term_of(sentinels(plan))).collect();
        terms.extend(self.globals.iter().filter_map(cell));
        terms.extend(self.tracked.iter().flatten().copied());
        for thread in threads {
            terms.extend(self.threads[*thread].slots.iter().filter_map(cell));
        }
        terms
    }
}

/// The value that a variable has before anything is assigned to it.
pub fn default_value(kind: Kind) -> Value {
    match kind {
        Kind::Pointer => Value::Null,
        Kind::Data | Kind::Key => Value::Undefined,
        Kind::Small { default } => Value::Small(default),
        Kind::Optional => Value::Absent,
        Kind::Age | Kind::Lock => Value::Unknown,
    }
}
