//! The facts that a step works on: those of a view, and those that the step learns and changes.
//!
//! The facts of a view are exact. A fact that is needed and not known is *learned*: the run of a step splits
//! into the possible cases. What is learned is true of the state before the step. So a world keeps two
//! versions of each cell: before the step, and now.
//!
//! **What is possible.** Along every edge keys grow strictly. For the watched key this is an obligation at
//! each write. It holds for all keys at once, since the watched key is arbitrary: an edge from key i to a key
//! j that is not greater breaks the obligation if j is watched. So before each step:
//!
//! - The linked cells form one path, and no linked cell has two linked predecessors.
//! - There is at most one linked cell with the least, the watched, or the greatest key.
//! - There is no cycle.
//! - One edge of the path leads from the smaller keys to others, and one from others to the greater keys.
//! - No linked cell has a key between those of a linked cell and its successor.
//! - A chain ([`NextFact::Chain`]) from a linked cell is a part of the path: its end is linked and has a
//!   greater key, and no member of the set is between.

use crate::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, KeyClass, NextFact, SlotValue, SmallFields, ThreadView,
};
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::program::{OpId, Pc};

/// The witnesses of a certificate: guesses on which the proof does not rely.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The number of the root among the shared pointers.
    pub root: usize,
    pub present: Vec<SmallFields>,
    pub deadlock_free: bool,
    /// Views keep chains.
    pub chains: bool,
}

/// A thread while it makes a step.
#[derive(Clone, Debug)]
pub struct World {
    pub ghost: CallGhost,
    pub is_in: bool,
    pub locks: u32,
    pub shared: Vec<SlotValue>,
    pub slots: Vec<SlotValue>,
    pub cells: Vec<CellFact>,
    /// The facts before the step; `None` for a cell that the step made.
    pub before: Vec<Option<CellFact>>,
    pub ghost_before: CallGhost,
    pub is_in_before: bool,
    pub locks_before: u32,
    /// Cells that a write changed, linked, unlinked, or led to.
    pub touched: Vec<bool>,
    /// A write unlinked the cells of a chain between a cell of one class and a cell of the other.
    pub unlinked: Option<(KeyClass, KeyClass)>,
}

/// The maximal number of cells of a world.
pub const MOST_CELLS: usize = 40;

impl World {
    pub fn of(view: &ThreadView) -> World {
        World {
            ghost: view.ghost,
            is_in: view.is_in,
            locks: view.locks,
            shared: view.shared.clone(),
            slots: view.slots.clone(),
            cells: view.cells.clone(),
            before: view.cells.iter().copied().map(Some).collect(),
            ghost_before: view.ghost,
            is_in_before: view.is_in,
            locks_before: view.locks,
            touched: vec![false; view.cells.len()],
            unlinked: None,
        }
    }

    /// Adds a cell that was there before the step, and returns its number.
    pub fn discover(&mut self, fact: CellFact) -> Option<u8> {
        self.push(fact, Some(fact))
    }

    /// Adds a cell that the step makes, and returns its number.
    pub fn make(&mut self, fact: CellFact) -> Option<u8> {
        self.push(fact, None)
    }

    fn push(&mut self, fact: CellFact, before: Option<CellFact>) -> Option<u8> {
        let number = u8::try_from(self.cells.len()).ok()?;
        self.cells.push(fact);
        self.before.push(before);
        self.touched.push(false);
        (self.cells.len() <= MOST_CELLS).then_some(number)
    }

    /// Notes where the pointer of a cell led before the step. The step did not write it.
    pub fn learn_next(&mut self, cell: u8, next: NextFact) {
        let at = usize::from(cell);
        self.cells[at].next = next;
        if let Some(before) = &mut self.before[at] {
            before.next = next;
        }
    }
}

/// Whether cells with these facts can be in one reachable state.
pub fn is_possible(facts: &[Option<CellFact>], is_in: bool, present: &[SmallFields]) -> bool {
    let linked = || {
        let all = facts.iter().enumerate();
        all.filter_map(|(at, fact)| {
            fact.filter(|fact| fact.label.place == CellPlace::Linked).map(|f| (at, f))
        })
    };
    let mut has_watched = is_in;
    let mut skips = false;
    // The edges of the path from smaller keys, and to greater ones.
    let (mut into, mut out_of) = (0, 0);
    for (at, fact) in linked() {
        let class = fact.label.class;
        if class == KeyClass::Watched {
            if present.contains(&fact.label.fields) != is_in {
                return false;
            }
            has_watched = true;
        }
        if let NextFact::Cell(next) = fact.next
            && let Some(Some(next)) = facts.get(usize::from(next))
        {
            if next.label.place != CellPlace::Linked {
                return false;
            }
            skips |= class < KeyClass::Watched && next.label.class > KeyClass::Watched;
            into += usize::from(class < KeyClass::Watched && next.label.class >= KeyClass::Watched);
            out_of += usize::from(class <= KeyClass::Watched && next.label.class > KeyClass::Watched);
        }
        skips |= class < KeyClass::Watched && fact.next == NextFact::Null;
        for (_, other) in linked().filter(|(other, _)| *other > at) {
            let is_single = matches!(class, KeyClass::Min | KeyClass::Watched | KeyClass::Max);
            if is_single && other.label.class == class {
                return false;
            }
            let is_exact = matches!(fact.next, NextFact::Null | NextFact::Cell(_));
            if is_exact && fact.next == other.next {
                return false;
            }
        }
        if let NextFact::Chain(end) = fact.next
            && let Some(Some(end)) = facts.get(usize::from(end))
        {
            let end_class = end.label.class;
            let is_member = |other: &CellFact| present.contains(&other.label.fields);
            let is_passed = |other: KeyClass| class < other && other < end_class;
            if end.label.place != CellPlace::Linked
                || !grows(class, end_class)
                || (is_in && is_passed(KeyClass::Watched))
                || linked().any(|(_, other)| is_passed(other.label.class) && is_member(&other))
                || linked().any(|(other_at, other)| {
                    other_at != at && is_member(&other) && leaves_the_chain(facts, &other, (class, end_class))
                })
            {
                return false;
            }
        }
        // No linked cell stands between a linked cell and its successor.
        let behind = match fact.next {
            NextFact::Unknown | NextFact::Chain(_) => continue,
            NextFact::Null => None,
            NextFact::Cell(next) => match facts.get(usize::from(next)) {
                Some(Some(next)) => Some(next.label.class),
                _ => continue,
            },
        };
        let is_between = |other| class < other && behind.is_none_or(|behind| other < behind);
        if linked().any(|(_, other)| is_between(other.label.class)) {
            return false;
        }
    }
    let next = |at: usize| match facts.get(at) {
        Some(Some(CellFact { next: NextFact::Cell(next), .. })) => Some(usize::from(*next)),
        _ => None,
    };
    let is_cyclic = |from: usize| {
        let mut way = std::iter::successors(next(from), |at| next(*at)).take(facts.len());
        way.any(|at| at == from)
    };
    if (0..facts.len()).any(is_cyclic) {
        return false;
    }
    !(skips && has_watched) && into <= 1 && out_of <= 1
}

/// Whether a linked cell that is not the first of a chain is the last of the chain before the watched key, or
/// the last up to it. Its pointer leads over the key, and so does the chain. So the cell is between its ends.
fn leaves_the_chain(
    facts: &[Option<CellFact>],
    cell: &CellFact,
    (first, last): (KeyClass, KeyClass),
) -> bool {
    let NextFact::Cell(next) = cell.next else { return false };
    let Some(Some(next)) = facts.get(usize::from(next)) else { return false };
    let (class, next) = (cell.label.class, next.label.class);
    let leads_into = |from: KeyClass, to: KeyClass| from < KeyClass::Watched && to >= KeyClass::Watched;
    let leads_over = |from: KeyClass, to: KeyClass| from <= KeyClass::Watched && to > KeyClass::Watched;
    (leads_into(class, next) && leads_into(first, last))
        || (leads_over(class, next) && leads_over(first, last))
}

/// Whether a linked cell may be strictly between the ends of a chain of linked cells that are not in the set.
pub fn may_be_passed(fact: &CellFact, (from, to): (KeyClass, KeyClass), present: &[SmallFields]) -> bool {
    let CellLabel { class, fields, place } = fact.label;
    place == CellPlace::Linked && !present.contains(&fields) && grows(from, class) && grows(class, to)
}

/// Forgets all chains: a cell that is not in the set is written, and may be part of any chain.
pub fn forget_chains<'c>(cells: impl IntoIterator<Item = &'c mut CellFact>) {
    for cell in cells {
        if let NextFact::Chain(_) = cell.next {
            cell.next = NextFact::Unknown;
        }
    }
}

/// Whether an edge from a key of one class to a key of another may lead to a greater key. Of two keys of one
/// side, another choice of the watched key decides.
pub fn grows(from: KeyClass, to: KeyClass) -> bool {
    from < to || (from == to && matches!(from, KeyClass::Below | KeyClass::Above))
}

/// The view of a world in which a thread rests, or is idle. It names the cells of shared pointers, of
/// variables, those whose lock the thread holds, what private cells lead to if this may matter, and cells on
/// a known way from one of these cells to another, if the thread has a lock that keeps others from changing
/// it. If the witness says so, it keeps chains from cells that are not in the set.
pub fn canonical(layout: &SetLayout, witness: &Witness, world: &World, at: Option<(OpId, Pc)>) -> ThreadView {
    let forgotten = forgotten(layout, world, at);
    let mut names = Names { numbers: vec![None; world.cells.len()], order: Vec::new() };
    let shared: Vec<SlotValue> = world.shared.iter().map(|value| names.value(*value)).collect();
    let of_shared = names.order.len();
    let slots: Vec<SlotValue> = world.slots.iter().map(|value| names.value(*value)).collect();
    let mut held: Vec<usize> = (0..world.cells.len()).filter(|at| world.cells[*at].mine).collect();
    held.sort_by_key(|at| world.cells[*at].label);
    for at in held {
        names.name(at);
    }
    // What a private cell leads to matters if the thread may still link the cell there: it holds a lock, or
    // knows another cell that leads there.
    let has_lock = world.locks != 0 || world.cells.iter().any(|cell| cell.mine);
    let mut at_private = 0;
    while let Some(&cell) = names.order.get(at_private) {
        let fact = world.cells[cell];
        if let (CellPlace::Private, NextFact::Cell(next)) = (fact.label.place, fact.next)
            && !forgotten.contains(&cell)
        {
            let leads_there = |at: &usize| *at != cell && world.cells[*at].next == fact.next;
            let is_private = world.cells[usize::from(next)].label.place == CellPlace::Private;
            if has_lock || is_private || names.order.iter().any(leads_there) {
                names.name(usize::from(next));
            }
        }
        at_private += 1;
    }
    for at in 0..names.order.len() {
        let cell = names.order[at];
        if world.locks != 0 || world.cells[cell].mine {
            names.name_way(world, cell);
        }
    }
    // Where the cells of shared pointers lead matters only if a variable points to them.
    let is_used = |at: usize| {
        let points = |value: &SlotValue| *value == SlotValue::Cell(u8::try_from(at).unwrap_or(u8::MAX));
        at >= of_shared || world.cells[names.order[at]].mine || slots.iter().any(points)
    };
    let is_idle = world.ghost == CallGhost::None;
    let cells = names.order.iter().enumerate().map(|(number, at)| {
        let fact = world.cells[*at];
        let next = match fact.next {
            _ if !is_used(number) || forgotten.contains(at) => NextFact::Unknown,
            NextFact::Cell(next) => match names.numbers[usize::from(next)] {
                Some(next) => NextFact::Cell(next),
                None => names.chain(world, witness, *at),
            },
            NextFact::Chain(_) => names.chain(world, witness, *at),
            known => known,
        };
        CellFact { next, fresh: fact.fresh && !is_idle, ..fact }
    });
    let cells = cells.collect();
    ThreadView { at, ghost: world.ghost, is_in: world.is_in, locks: world.locks, shared, slots, cells }
}

/// The private cells whose pointer is overwritten before it matters.
fn forgotten(layout: &SetLayout, world: &World, at: Option<(OpId, Pc)>) -> Vec<usize> {
    let Some((op, pc)) = at else { return Vec::new() };
    let overwritten = layout.overwritten(op, pc);
    if overwritten.is_empty() {
        return Vec::new();
    }
    let points =
        |value: &SlotValue, cell: usize| matches!(value, SlotValue::Cell(to) if usize::from(*to) == cell);
    let is_forgotten = |cell: &usize| {
        let slots = world.slots.iter().enumerate().filter(|(_, value)| points(value, *cell));
        let leads = |fact: &CellFact| matches!(fact.next, NextFact::Cell(to) if usize::from(to) == *cell);
        world.cells[*cell].label.place == CellPlace::Private
            && slots.clone().all(|(part, _)| overwritten.contains(&part))
            && !world.cells.iter().any(leads)
    };
    (0..world.cells.len()).filter(is_forgotten).collect()
}

/// The maximal number of cells on a way from a named cell to another.
const MOST_BETWEEN: usize = 2;

struct Names {
    numbers: Vec<Option<u8>>,
    order: Vec<usize>,
}

impl Names {
    fn value(&mut self, value: SlotValue) -> SlotValue {
        match value {
            SlotValue::Cell(cell) => SlotValue::Cell(self.name(usize::from(cell))),
            other => other,
        }
    }

    /// Names the cells on the known way from a named cell to the next one.
    fn name_way(&mut self, world: &World, from: usize) {
        let (mut between, mut at) = (Vec::new(), from);
        while let NextFact::Cell(next) = world.cells[at].next {
            at = usize::from(next);
            if self.numbers[at].is_some() {
                between.into_iter().for_each(|cell| {
                    self.name(cell);
                });
                return;
            }
            if between.len() == MOST_BETWEEN {
                return;
            }
            between.push(at);
        }
    }

    /// Returns the chain from a published cell to a named cell, if one is known.
    fn chain(&self, world: &World, witness: &Witness, from: usize) -> NextFact {
        let is_member = |cell: usize| witness.present.contains(&world.cells[cell].label.fields);
        if !witness.chains || is_member(from) || world.cells[from].label.place == CellPlace::Private {
            return NextFact::Unknown;
        }
        let mut at = from;
        for _ in 0..world.cells.len() {
            let (NextFact::Cell(next) | NextFact::Chain(next)) = world.cells[at].next else { break };
            at = usize::from(next);
            if let Some(number) = self.numbers[at] {
                return NextFact::Chain(number);
            }
            if is_member(at) {
                break;
            }
        }
        NextFact::Unknown
    }

    fn name(&mut self, cell: usize) -> u8 {
        if let Some(number) = self.numbers[cell] {
            return number;
        }
        let number = u8::try_from(self.order.len()).unwrap_or(u8::MAX);
        self.numbers[cell] = Some(number);
        self.order.push(cell);
        number
    }
}
