//! A few threads and what they share, in the middle of a step of one of them.

use super::certificate::{AgeOrigin, Effect, LocalState, Rest, SharedState, Slot, Symbol, Watch};
use super::graph::Graph;
use super::layout::Layout;
use crate::index::Index;
use crate::source::Span;
use smallvec::SmallVec;

/// A value. Pointers to cells name their node, copies of ages the place where they were read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Val {
    /// Anything but these two.
    Is(Symbol),
    Node(u8),
    Age {
        current: bool,
        stepped: bool,
        home: Home,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Global(u8),
    Node(u8),
    Lost,
}

pub(super) type Values = SmallVec<[Val; 3]>;

#[derive(Clone)]
pub(super) struct Config {
    pub graph: Graph,
    pub location: u16,
    pub used: u8,
    pub held: u32,
    pub globals: SmallVec<[Val; 6]>,
    pub tracked: SmallVec<[Option<u8>; 2]>,
    pub watch: Watch,
    pub threads: SmallVec<[Thread; 3]>,
    pub actor: usize,
    /// All variables of the actor.
    pub vars: SmallVec<[Val; 20]>,
    /// The arguments of the event of this step.
    pub event: Option<SmallVec<[Val; 2]>>,
    /// Something changed that others can see.
    pub visible: bool,
    pub fuel: u32,
}

#[derive(Clone)]
pub(super) struct Thread {
    pub at: Option<u16>,
    pub effect: Effect,
    pub holds: u32,
    pub answers: bool,
    pub slots: SmallVec<[Val; 8]>,
}

impl Thread {
    pub fn idle() -> Thread {
        Thread { at: None, effect: Effect::Waiting, holds: 0, answers: false, slots: SmallVec::new() }
    }
}

/// Something that an invariant must exclude, and does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Trouble {
    pub what: What,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// Concerns observers and points only.
    Conformance(String),
    /// Concerns memory only.
    Memory(&'static str),
    /// The method cannot go on.
    Method(&'static str),
}

/// Reads states of the certificate; nodes are numbered in the order that it fixes.
pub(super) struct Reader<'r> {
    pub layout: &'r Layout,
    pub rests: &'r [Rest],
}

impl Reader<'_> {
    /// How many nodes come before those of the threads.
    pub fn shared_nodes(&self, shared: &SharedState) -> usize {
        self.layout.sentinels()
            + nodes(&shared.globals)
            + shared.tracked.iter().filter(|there| **there).count()
    }

    pub fn config(&self, shared: &SharedState, locals: &[&LocalState], graph: Graph) -> Config {
        let mut next = self.layout.sentinels() as u8;
        let mut number = || {
            next += 1;
            next - 1
        };
        let globals = shared.globals.iter().map(|symbol| read(*symbol, &mut number)).collect();
        let tracked = shared.tracked.iter().map(|there| there.then(&mut number)).collect();
        let threads = locals.iter().map(|local| self.thread(local, &mut number)).collect();
        Config {
            graph,
            location: shared.location,
            used: shared.used,
            held: shared.held,
            globals,
            tracked,
            watch: shared.watch,
            threads,
            actor: 0,
            vars: SmallVec::new(),
            event: None,
            visible: false,
            fuel: 0,
        }
    }

    fn thread(&self, local: &LocalState, number: &mut impl FnMut() -> u8) -> Thread {
        let mut slots: SmallVec<[Val; 8]> = local.slots.iter().map(|symbol| read(*symbol, number)).collect();
        let rest = local.at.and_then(|at| self.rests.get(usize::from(at)));
        for at in 0..slots.len() {
            let home = rest.map_or(Home::Lost, |rest| age_home(rest, &slots, at));
            if let Some(Val::Age { home: place, .. }) = slots.get_mut(at) {
                *place = home;
            }
        }
        let LocalState { at, effect, holds, answers, .. } = *local;
        Thread { at, effect, holds, answers, slots }
    }
}

/// The place where the age in a slot was read, as the certificate has it.
fn age_home(rest: &Rest, slots: &[Val], at: usize) -> Home {
    match rest.slots.get(at).and_then(|slot| slot.origin) {
        None => Home::Lost,
        Some(AgeOrigin::Global(global)) => Home::Global(global.index() as u8),
        Some(AgeOrigin::Cell(pointer)) => {
            let holder = rest.slots.iter().position(|other| other.slot == pointer);
            match holder.and_then(|holder| slots.get(holder)) {
                Some(Val::Node(node)) => Home::Node(*node),
                _ => Home::Lost,
            }
        }
    }
}

/// The slots of a thread that comes to rest: an age that was read elsewhere than the certificate says may be anything.
pub(super) fn settled(rest: &Rest, mut slots: SmallVec<[Val; 8]>) -> SmallVec<[Val; 8]> {
    for at in 0..slots.len() {
        if let Val::Age { home, .. } = slots[at]
            && (home == Home::Lost || home != age_home(rest, &slots, at))
        {
            slots[at] = Val::Is(Symbol::Unknown);
        }
    }
    slots
}

impl Thread {
    /// Leaves out what the certificate does not remember beside a stale age.
    fn forget(&mut self, rests: &[Rest]) {
        let Some(rest) = self.at.and_then(|at| rests.get(usize::from(at))) else { return };
        let is_stale = |age: Slot| {
            let at = rest.slots.iter().position(|slot| slot.slot == age);
            at.and_then(|at| self.slots.get(at)).is_some_and(|value| class(*value) == Symbol::Stale)
        };
        let forgotten: SmallVec<[bool; 8]> =
            rest.slots.iter().map(|slot| slot.until_stale.is_some_and(is_stale)).collect();
        if !forgotten.contains(&true) {
            return;
        }
        for (value, is_forgotten) in self.slots.iter_mut().zip(forgotten) {
            if is_forgotten {
                *value = Val::Is(Symbol::Unknown);
            }
        }
        self.slots = settled(rest, std::mem::take(&mut self.slots));
    }
}

pub(super) fn nodes(symbols: &[Symbol]) -> usize {
    symbols.iter().filter(|symbol| **symbol == Symbol::Cell).count()
}

fn read(symbol: Symbol, number: &mut impl FnMut() -> u8) -> Val {
    match symbol {
        Symbol::Cell => Val::Node(number()),
        Symbol::Current => Val::Age { current: true, stepped: false, home: Home::Lost },
        Symbol::Stale => Val::Age { current: false, stepped: false, home: Home::Lost },
        symbol => Val::Is(symbol),
    }
}

pub(super) fn class(value: Val) -> Symbol {
    match value {
        Val::Is(symbol) => symbol,
        Val::Node(_) => Symbol::Cell,
        Val::Age { stepped: true, .. } => Symbol::Unknown,
        Val::Age { current: true, .. } => Symbol::Current,
        Val::Age { current: false, .. } => Symbol::Stale,
    }
}

impl Config {
    pub fn shared(&self) -> SharedState {
        SharedState {
            location: self.location,
            used: self.used,
            held: self.held,
            globals: self.globals.iter().map(|value| class(*value)).collect(),
            tracked: self.tracked.iter().map(Option::is_some).collect(),
            watch: self.watch,
        }
    }

    pub fn local(&self, thread: usize) -> LocalState {
        let Thread { at, effect, holds, answers, ref slots } = self.threads[thread];
        LocalState { at, effect, holds, answers, slots: slots.iter().map(|value| class(*value)).collect() }
    }

    /// The nodes of a view of two threads, in the order that the certificate fixes.
    pub fn view_nodes(&self, layout: &Layout, first: usize, second: usize) -> SmallVec<[u8; 24]> {
        let node = |value: &Val| match value {
            Val::Node(node) => Some(*node),
            _ => None,
        };
        let shared = self.globals.iter().filter_map(node).chain(self.tracked.iter().flatten().copied());
        let own =
            [first, second].into_iter().flat_map(|thread| self.threads[thread].slots.iter().filter_map(node));
        (0..layout.sentinels() as u8).chain(shared).chain(own).collect()
    }

    /// Leaves out what the certificate does not remember.
    pub fn forget(&mut self, rests: &[Rest]) {
        self.threads.iter_mut().for_each(|thread| thread.forget(rests));
    }

    pub fn me(&mut self) -> &mut Thread {
        let actor = self.actor;
        &mut self.threads[actor]
    }
}
