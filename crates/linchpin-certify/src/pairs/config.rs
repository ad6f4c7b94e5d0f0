//! Configurations: a few threads and the shared state in the middle of a step of one thread.
//!
//! - *Claim.* A certificate that leaves a value out weakens only its own invariant.
//! - *Proof.* The value domain is closed: [`Val::Any`] represents every value of its sort, including
//!   undefined values. Every use of such a value splits it into its cases.
//! - *Test.* `data_that_is_left_out_is_every_class` in `obligations`.

use super::faults::Fault;
use super::graph::{Graph, NodeId};
use crate::certificate::{AgeOrigin, Effect, LocalState, Rest, SharedState, Slot, Symbol, WatchedCell};
use linchpin_ir::heap::layout;
use linchpin_ir::heap::layout::{Component, Frame, HeapLayout, SharedPart, Sort};
use linchpin_ir::source::Span;
use smallvec::SmallVec;
use std::fmt;

/// A value. A pointer to a cell contains its node; a copy of an age contains the place where it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Val {
    /// Any value of this sort.
    Any(Sort),
    Null,
    /// Any pointer.
    Wild,
    Node(NodeId),
    /// `none`.
    Absent,
    /// The value of an observer variable; for memory, undefined data read from the watched cell.
    Tracked(u8),
    /// Other data. For memory: defined data, or data read from an unwatched cell. Otherwise it may be
    /// undefined.
    Other,
    Undefined,
    Age(Age),
    Small(i8),
    /// A key of this class.
    Key(u8),
}

/// A copy of an age, or its successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Age {
    /// The copy equals the current age of its home.
    pub current: bool,
    /// The value is the successor of the copy.
    pub stepped: bool,
    pub home: Home,
}

/// The place where a copy of an age was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Shared(SharedPart),
    /// The pointer field of a cell.
    Node(NodeId),
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
    pub tracked: SmallVec<[Option<NodeId>; 2]>,
    pub watch: WatchedCell,
    pub threads: SmallVec<[Thread; 3]>,
    pub actor: usize,
    /// All variables of the actor.
    pub vars: SmallVec<[Val; 20]>,
    /// The arguments of the event of this step.
    pub event: Option<SmallVec<[Val; 2]>>,
    /// The step has changed something that other threads can see.
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

/// A proof obligation that the invariant does not discharge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ObligationFailure {
    pub kind: FailureKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FailureKind {
    /// A failure of the observers or the points.
    Conformance(String),
    /// A fault; it concerns the property of the fault.
    Fault(Fault),
    /// A limit of the method; it concerns every obligation.
    Method(&'static str),
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FailureKind::Conformance(text) => f.write_str(text),
            FailureKind::Fault(fault) => f.write_str(fault.text()),
            FailureKind::Method(text) => f.write_str(text),
        }
    }
}

/// Reads states of the certificate. Nodes are numbered in the order that the certificate fixes.
pub(super) struct Reader<'r> {
    pub layout: &'r HeapLayout,
    pub rests: &'r [Rest],
}

impl Reader<'_> {
    /// Returns the number of nodes before those of the threads.
    pub fn shared_nodes(&self, shared: &SharedState) -> usize {
        sentinels(self.layout)
            + nodes(&shared.globals)
            + shared.tracked.iter().filter(|there| **there).count()
    }

    /// Reads a configuration; `None` if there are too many nodes, or a state does not fit the program.
    pub fn config(&self, shared: &SharedState, locals: &[&LocalState], graph: Graph) -> Option<Config> {
        let mut next = sentinels(self.layout);
        let mut number = || {
            next += 1;
            NodeId::new(next - 1)
        };
        let parts = self.layout.shared();
        if shared.globals.len() != parts.len() {
            return None;
        }
        let mut globals = SmallVec::new();
        for (symbol, part) in shared.globals.iter().zip(parts) {
            globals.push(read(*symbol, part.sort, &mut number)?);
        }
        let mut tracked = SmallVec::new();
        for there in &shared.tracked {
            tracked.push(if *there { Some(number()?) } else { None });
        }
        let mut threads = SmallVec::new();
        for local in locals {
            threads.push(self.thread(local, &mut number)?);
        }
        Some(Config {
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
        })
    }

    fn thread(&self, local: &LocalState, number: &mut impl FnMut() -> Option<NodeId>) -> Option<Thread> {
        let LocalState { at, effect, holds, answers, ref slots } = *local;
        let Some(number_of_rest) = at else {
            return Some(Thread { at, effect, holds, answers, ..Thread::idle() });
        };
        let rest = self.rests.get(usize::from(number_of_rest))?;
        let frame = self.layout.frame(Some(rest.op))?;
        if rest.slots.len() != slots.len() {
            return None;
        }
        let mut values: SmallVec<[Val; 8]> = SmallVec::new();
        for (symbol, slot) in slots.iter().zip(&rest.slots) {
            let sort = slot_part(frame, slot.slot)?.sort;
            values.push(read(*symbol, sort, number)?);
        }
        for at in 0..values.len() {
            let home = age_home(rest, &values, at);
            if let Val::Age(age) = &mut values[at] {
                age.home = home;
            }
        }
        Some(Thread { at, effect, holds, answers, slots: values })
    }
}

/// Returns the part of a frame for a slot.
pub(super) fn slot_part(frame: &Frame, slot: Slot) -> Option<Component> {
    let at = frame.local(slot.local, Some(slot.part))?.start;
    frame.parts().get(at).copied()
}

/// Returns the place where the age in a slot was read, according to the certificate.
fn age_home(rest: &Rest, slots: &[Val], at: usize) -> Home {
    match rest.slots.get(at).and_then(|slot| slot.origin) {
        None => Home::Lost,
        Some(AgeOrigin::Shared(part)) => SharedPart::try_from(part).map_or(Home::Lost, Home::Shared),
        Some(AgeOrigin::Cell(pointer)) => {
            let holder = rest.slots.iter().position(|other| other.slot == pointer);
            match holder.and_then(|holder| slots.get(holder)) {
                Some(Val::Node(node)) => Home::Node(*node),
                _ => Home::Lost,
            }
        }
    }
}

/// Returns the slots of a thread that comes to rest. An age from another place than the certificate states
/// becomes any age.
pub(super) fn at_rest(rest: &Rest, mut slots: SmallVec<[Val; 8]>) -> SmallVec<[Val; 8]> {
    for at in 0..slots.len() {
        if let Val::Age(Age { home, stepped, .. }) = slots[at]
            && (stepped || home == Home::Lost || home != age_home(rest, &slots, at))
        {
            slots[at] = Val::Any(Sort::Age);
        }
    }
    slots
}

impl Thread {
    /// Forgets the slots that the certificate does not keep beside a stale age.
    fn forget(&mut self, layout: &HeapLayout, rests: &[Rest]) {
        let Some(rest) = self.at.and_then(|at| rests.get(usize::from(at))) else { return };
        let Some(frame) = layout.frame(Some(rest.op)) else { return };
        let is_stale = |age: Slot| {
            let at = rest.slots.iter().position(|slot| slot.slot == age);
            at.and_then(|at| self.slots.get(at)).is_some_and(|value| class(*value) == Symbol::Stale)
        };
        let forgotten: SmallVec<[bool; 8]> =
            rest.slots.iter().map(|slot| slot.until_stale.is_some_and(is_stale)).collect();
        if !forgotten.contains(&true) {
            return;
        }
        for (at, is_forgotten) in forgotten.into_iter().enumerate() {
            if is_forgotten
                && let Some(value) = self.slots.get_mut(at)
                && let Some(part) = slot_part(frame, rest.slots[at].slot)
            {
                *value = Val::Any(part.sort);
            }
        }
        self.slots = at_rest(rest, std::mem::take(&mut self.slots));
    }
}

pub(super) fn nodes(symbols: &[Symbol]) -> usize {
    symbols.iter().filter(|symbol| **symbol == Symbol::Cell).count()
}

/// Returns the number of sentinels.
pub(super) fn sentinels(layout: &HeapLayout) -> usize {
    if layout.is_collected() { 1 } else { 3 }
}

fn read(symbol: Symbol, sort: Sort, number: &mut impl FnMut() -> Option<NodeId>) -> Option<Val> {
    let age = |current| Val::Age(Age { current, stepped: false, home: Home::Lost });
    Some(match symbol {
        Symbol::Unknown => Val::Any(sort),
        Symbol::Null => Val::Null,
        Symbol::Garbage => Val::Wild,
        Symbol::Cell => Val::Node(number()?),
        Symbol::Absent => Val::Absent,
        Symbol::Tracked(variable) => Val::Tracked(variable),
        Symbol::Other => Val::Other,
        Symbol::Undefined => Val::Undefined,
        Symbol::Current => age(true),
        Symbol::Stale => age(false),
        Symbol::Small(value) => Val::Small(value),
        Symbol::Key(class) => Val::Key(class),
    })
}

pub(super) fn class(value: Val) -> Symbol {
    match value {
        Val::Any(_) => Symbol::Unknown,
        Val::Null => Symbol::Null,
        Val::Wild => Symbol::Garbage,
        Val::Node(_) => Symbol::Cell,
        Val::Absent => Symbol::Absent,
        Val::Tracked(variable) => Symbol::Tracked(variable),
        Val::Other => Symbol::Other,
        Val::Undefined => Symbol::Undefined,
        Val::Age(Age { stepped: true, .. }) => Symbol::Unknown,
        Val::Age(Age { current: true, .. }) => Symbol::Current,
        Val::Age(Age { current: false, .. }) => Symbol::Stale,
        Val::Small(value) => Symbol::Small(value),
        Val::Key(class) => Symbol::Key(class),
    }
}

/// Returns the value of a part before its first assignment.
pub(super) fn default(part: Component) -> Val {
    match part.default {
        layout::Default::Null => Val::Null,
        layout::Default::Undefined => Val::Undefined,
        layout::Default::None => Val::Absent,
        layout::Default::Number(number) => Val::Small(number),
        layout::Default::Unused => Val::Any(part.sort),
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

    /// Returns the nodes of a view of two threads, in the order that the certificate fixes.
    pub fn view_nodes(&self, layout: &HeapLayout, first: usize, second: usize) -> SmallVec<[usize; 24]> {
        let node = |value: &Val| match value {
            Val::Node(node) => Some(node.index()),
            _ => None,
        };
        let tracked = self.tracked.iter().flatten().map(|node| node.index());
        let shared = self.globals.iter().filter_map(node).chain(tracked);
        let own =
            [first, second].into_iter().flat_map(|thread| self.threads[thread].slots.iter().filter_map(node));
        (0..sentinels(layout)).chain(shared).chain(own).collect()
    }

    /// Forgets all values that the certificate does not keep.
    pub fn forget(&mut self, layout: &HeapLayout, rests: &[Rest]) {
        self.threads.iter_mut().for_each(|thread| thread.forget(layout, rests));
    }

    pub fn me(&mut self) -> &mut Thread {
        let actor = self.actor;
        &mut self.threads[actor]
    }

    /// Lists every copy of an age, in the actor's variables and in the slots of all threads.
    pub fn ages(&mut self) -> impl Iterator<Item = (&mut Val, Age)> {
        let slots = self.threads.iter_mut().flat_map(|thread| thread.slots.iter_mut());
        self.vars.iter_mut().chain(slots).filter_map(|value| match *value {
            Val::Age(age) => Some((value, age)),
            _ => None,
        })
    }
}
