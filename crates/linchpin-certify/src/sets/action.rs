//! What a step of one thread does to cells, and what the other views see of it.
//!
//! An action has the facts that its thread knew of the cells that the step touched, before and after. Another
//! view describes the same state before the step. Some of its cells may be cells of the action. Every way is
//! tried that the facts of both allow ([`is_possible`]); in each, the facts of the cells change as the action
//! says. A cell that the action does not touch keeps its facts.

use super::world::{Witness, World, forget_chains, is_possible, may_be_passed};
use crate::set_certificate::{
    CallGhost, CellFact, CellPlace, EdgeEnd, EdgeView, KeyClass, NextFact, SlotValue, SmallFields, ThreadView,
};
use linchpin_ir::heap::sets::SetLayout;

/// What a step does to cells.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Action {
    /// The facts before the step; `None` for a cell that the step made.
    pub before: Vec<Option<CellFact>>,
    pub after: Vec<CellFact>,
    /// For each shared pointer its cell, if the step touched it.
    pub shared: Vec<Option<u8>>,
    /// The linked cells on a chain between a cell of one class and a cell of the other become unlinked. None
    /// of them is in the set. Cells of the action say themselves whether they are among them.
    pub unlinked: Option<(KeyClass, KeyClass)>,
    /// The shared locks that the thread holds.
    pub locks: u32,
    pub is_in: bool,
    pub is_in_after: bool,
    /// The ghost of the thread before and after the step; [`CallGhost::None`] if they do not matter.
    pub ghost: CallGhost,
    pub ghost_after: CallGhost,
}

impl Action {
    /// Returns what the step of a world does; `None` if the other threads cannot see it.
    pub fn of(world: &World) -> Option<Action> {
        let is_published = |at: usize| {
            world.before[at].is_some_and(|fact| fact.label.place != CellPlace::Private)
                || world.cells[at].label.place != CellPlace::Private
        };
        let kept: Vec<usize> =
            (0..world.cells.len()).filter(|at| world.touched[*at] && is_published(*at)).collect();
        let is_seen = kept.iter().any(|at| {
            let now = world.cells[*at];
            world.before[*at].is_none_or(|before| before.label != now.label || before.next != now.next)
        });
        if !is_seen {
            return None;
        }
        let number = |cell: u8| {
            kept.iter().position(|at| *at == usize::from(cell)).and_then(|at| u8::try_from(at).ok())
        };
        let renamed = |fact: CellFact| {
            let next = match fact.next {
                NextFact::Cell(next) => number(next).map_or(NextFact::Unknown, NextFact::Cell),
                NextFact::Chain(next) => number(next).map_or(NextFact::Unknown, NextFact::Chain),
                known @ (NextFact::Unknown | NextFact::Null) => known,
            };
            CellFact { next, ..fact }
        };
        let shared = world.shared.iter().map(|value| match value {
            SlotValue::Cell(cell) => number(*cell),
            _ => None,
        });
        Some(Action {
            before: kept.iter().map(|at| world.before[*at].map(renamed)).collect(),
            after: kept.iter().map(|at| renamed(world.cells[*at])).collect(),
            shared: shared.collect(),
            unlinked: world.unlinked,
            locks: world.locks_before,
            is_in: world.is_in_before,
            is_in_after: world.is_in,
            ghost: world.ghost_before,
            ghost_after: world.ghost,
        })
    }

    /// Whether the action says where every cell leads that it publishes.
    pub fn is_complete(&self) -> bool {
        self.before.iter().zip(&self.after).all(|(before, after)| {
            let was_published = before.is_some_and(|fact| fact.label.place != CellPlace::Private);
            let is_published = after.label.place != CellPlace::Private;
            was_published || !is_published || matches!(after.next, NextFact::Null | NextFact::Cell(_))
        })
    }

    /// Forgets what only the thread itself knows of cells.
    pub fn seen_by_others(&self) -> Action {
        let plain = |fact: CellFact| CellFact { fresh: false, ..fact };
        Action {
            before: self.before.iter().map(|fact| fact.map(plain)).collect(),
            after: self.after.iter().copied().map(|fact| CellFact { mine: false, ..plain(fact) }).collect(),
            ghost: CallGhost::None,
            ghost_after: CallGhost::None,
            ..self.clone()
        }
    }

    /// Returns the views of another thread after the action; none if the view stays as it is.
    pub fn on_view(&self, layout: &SetLayout, witness: &Witness, view: &ThreadView) -> Vec<ThreadView> {
        if view.is_in != self.is_in || view.locks & self.locks != 0 {
            return Vec::new();
        }
        if !self.may_change(view, &witness.present) {
            return Vec::new();
        }
        let ghost = self.ghost_of_other(view.ghost);
        let mut all = Vec::new();
        let (shared, present) = (Some(&view.shared[..]), &witness.present[..]);
        let scene = Scene { action: self, cells: &view.cells, shared, own: false, present };
        scene.each(&mut |cells| {
            let mut world = World::of(view);
            world.ghost = ghost;
            world.is_in = self.is_in_after;
            world.before = vec![None; cells.len()];
            world.cells = cells.iter().map(|cell| seen(cell, ghost)).collect();
            all.push(super::world::canonical(layout, witness, &world, view.at));
        });
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether the action may change what this view says: the abstract set, a cell of the view, or a chain.
    fn may_change(&self, view: &ThreadView, present: &[SmallFields]) -> bool {
        let cells =
            || self.before.iter().zip(&self.after).filter_map(|(before, after)| Some(((*before)?, after)));
        let is_of_view = |fact: &CellFact| {
            view.cells.iter().any(|cell| cell.label == fact.label && !(cell.mine && fact.mine))
        };
        self.is_in != self.is_in_after
            || self.writes_outside_of_the_set(present)
            || self
                .unlinked
                .is_some_and(|ends| view.cells.iter().any(|cell| may_be_passed(cell, ends, present)))
            || cells().any(|(before, after)| {
                (before.label != after.label || before.next != after.next) && is_of_view(&before)
            })
    }

    /// Whether the action writes a cell that was not in the set. The cell may be part of any chain.
    fn writes_outside_of_the_set(&self, present: &[SmallFields]) -> bool {
        self.before.iter().zip(&self.after).any(|(before, after)| {
            before.is_some_and(|before| {
                let is_changed = before.next != after.next || before.label.fields != after.label.fields;
                is_changed && !present.contains(&before.label.fields)
            })
        })
    }

    /// Returns the edge views after the action: of this edge, and of the cells that the action publishes.
    /// With `own` they are those of the acting thread.
    pub fn on_edge(&self, edge: &EdgeView, own: bool, present: &[SmallFields]) -> Vec<EdgeView> {
        if edge.is_in != self.is_in || (own && edge.ghost != self.ghost) {
            return Vec::new();
        }
        let ghost = if own { self.ghost_after } else { self.ghost_of_other(edge.ghost) };
        let fact = |end: EdgeEnd, next| CellFact { label: end.label, mine: false, fresh: end.fresh, next };
        let cells = match edge.to {
            Some(to) => vec![fact(edge.from, NextFact::Cell(1)), fact(to, NextFact::Unknown)],
            None => vec![fact(edge.from, NextFact::Null)],
        };
        let mut all = Vec::new();
        let scene = Scene { action: self, cells: &cells, shared: None, own, present };
        scene.each(&mut |cells| {
            for (at, cell) in cells.iter().enumerate() {
                let is_published = cell.is_new && cell.fact.label.place != CellPlace::Private;
                if at != 0 && !is_published {
                    continue;
                }
                let from = EdgeEnd { label: cell.fact.label, fresh: seen(cell, ghost).fresh };
                match cell.fact.next {
                    NextFact::Null => all.push(EdgeView { ghost, is_in: self.is_in_after, from, to: None }),
                    NextFact::Cell(next) => {
                        let next = &cells[usize::from(next)];
                        let label = next.fact.label;
                        let known = seen(next, ghost).fresh;
                        for fresh in [false, true] {
                            let is_open = next.is_open && !known && ghost != CallGhost::None;
                            if fresh == known || is_open {
                                let to = Some(EdgeEnd { label, fresh });
                                all.push(EdgeView { ghost, is_in: self.is_in_after, from, to });
                            }
                        }
                    }
                    // Only cells that the action does not publish have an unknown pointer.
                    NextFact::Unknown | NextFact::Chain(_) => {}
                }
            }
        });
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The ghost of another thread after the action.
    fn ghost_of_other(&self, ghost: CallGhost) -> CallGhost {
        match ghost {
            CallGhost::Watched { seen_in, seen_out } if self.is_in != self.is_in_after => {
                CallGhost::Watched {
                    seen_in: seen_in || self.is_in_after,
                    seen_out: seen_out || !self.is_in_after,
                }
            }
            other => other,
        }
    }
}

/// The fact of a cell after the action, for a thread with this ghost: what is linked is fresh.
fn seen(cell: &Merged, ghost: CallGhost) -> CellFact {
    let is_linked = cell.fact.label.place == CellPlace::Linked;
    CellFact { fresh: ghost != CallGhost::None && (cell.fact.fresh || is_linked), ..cell.fact }
}

/// A cell after the action.
#[derive(Clone, Copy)]
struct Merged {
    fact: CellFact,
    /// The action made or published it.
    is_new: bool,
    /// The view does not say whether the cell was fresh.
    is_open: bool,
}

/// An action, and the cells of a view before it.
struct Scene<'s> {
    action: &'s Action,
    cells: &'s [CellFact],
    /// The shared pointers of the view; `None` if the view does not say which cells they are.
    shared: Option<&'s [SlotValue]>,
    /// The view is one of the acting thread.
    own: bool,
    present: &'s [SmallFields],
}

impl Scene<'_> {
    /// Visits the cells after the action, first those of the view, in each way in which cells of the action
    /// may be cells of the view.
    fn each(&self, visit: &mut dyn FnMut(&[Merged])) {
        let mut matched = Vec::new();
        self.extend(&mut matched, visit);
    }

    fn extend(&self, matched: &mut Vec<Option<u8>>, visit: &mut dyn FnMut(&[Merged])) {
        let at = matched.len();
        let Some(before) = self.action.before.get(at) else {
            return self.conclude(matched, visit);
        };
        let forced = self.forced(at);
        let published = before.filter(|fact| fact.label.place != CellPlace::Private);
        if let Some(fact) = published {
            for (number, cell) in (0..).zip(self.cells) {
                let is_free = !matched.contains(&Some(number));
                let fits = fact.label == cell.label
                    && (!self.own || fact.fresh == cell.fresh)
                    && (self.own || !(fact.mine && cell.mine));
                if is_free
                    && fits
                    && forced.is_none_or(|forced| forced == Some(number))
                    && self.is_allowed(at, number)
                {
                    matched.push(Some(number));
                    self.extend(matched, visit);
                    matched.pop();
                }
            }
        }
        if forced.is_none_or(|forced| forced.is_none()) {
            matched.push(None);
            self.extend(matched, visit);
            matched.pop();
        }
    }

    /// The cell of the view that this cell of the action must be, since a shared pointer leads to both.
    fn forced(&self, at: usize) -> Option<Option<u8>> {
        let shared = self.shared?;
        let pointer =
            self.action.shared.iter().position(|cell| cell.is_some_and(|cell| usize::from(cell) == at))?;
        match shared.get(pointer) {
            Some(SlotValue::Cell(cell)) => Some(Some(*cell)),
            _ => None,
        }
    }

    /// Whether a cell of the action that no shared pointer leads to may be this cell of the view.
    fn is_allowed(&self, at: usize, number: u8) -> bool {
        let Some(shared) = self.shared else { return true };
        shared.iter().enumerate().all(|(pointer, value)| {
            let is_pointed = *value == SlotValue::Cell(number);
            let is_its = self.action.shared.get(pointer).copied().flatten().map(usize::from) == Some(at);
            is_pointed == is_its
        })
    }

    /// Merges the facts before the action, and changes them.
    fn conclude(&self, matched: &[Option<u8>], visit: &mut dyn FnMut(&[Merged])) {
        let mut numbers = Vec::new();
        let mut extra = self.cells.len();
        for number in matched {
            numbers.push(number.map_or(extra, usize::from));
            extra += usize::from(number.is_none());
        }
        let renamed = |next: NextFact| match next {
            NextFact::Cell(next) => {
                NextFact::Cell(u8::try_from(numbers[usize::from(next)]).unwrap_or(u8::MAX))
            }
            NextFact::Chain(next) => {
                NextFact::Chain(u8::try_from(numbers[usize::from(next)]).unwrap_or(u8::MAX))
            }
            other @ (NextFact::Unknown | NextFact::Null) => other,
        };
        let mut before: Vec<Option<CellFact>> = self.cells.iter().copied().map(Some).collect();
        before.resize(extra, None);
        for (fact, at) in self.action.before.iter().zip(&numbers) {
            let Some(fact) = fact else { continue };
            let next = renamed(fact.next);
            match &mut before[*at] {
                Some(known) => match (known.next, next) {
                    (known, theirs) if known == theirs => {}
                    (NextFact::Unknown, theirs) => known.next = theirs,
                    (_, NextFact::Unknown) => {}
                    // The exact fact says more. The chain is taken up again below.
                    (NextFact::Chain(_), NextFact::Cell(_)) => known.next = next,
                    (NextFact::Cell(_) | NextFact::Chain(_), NextFact::Chain(_)) => {}
                    // One of the two facts is wrong in this way of merging.
                    _ => return,
                },
                unknown => *unknown = Some(CellFact { next, mine: false, ..*fact }),
            }
        }
        if !is_possible(&before, self.action.is_in, self.present) {
            return;
        }
        let mut cells: Vec<Merged> = Vec::new();
        for (at, fact) in before.iter().enumerate() {
            let is_open = at >= self.cells.len();
            let fact = fact.unwrap_or(NOTHING);
            cells.push(Merged {
                fact: CellFact { fresh: fact.fresh && !is_open, ..fact },
                is_new: false,
                is_open,
            });
        }
        for ((fact, after), at) in self.action.before.iter().zip(&self.action.after).zip(&numbers) {
            let cell = &mut cells[*at];
            cell.fact.label = after.label;
            let is_changed = fact.is_none_or(|before| before.next != after.next);
            if is_changed && after.next != NextFact::Unknown {
                cell.fact.next = renamed(after.next);
            } else if let Some(CellFact { next: chain @ NextFact::Chain(_), .. }) = self.cells.get(*at) {
                cell.fact.next = *chain;
            }
            let was_private = fact.is_none_or(|fact| fact.label.place == CellPlace::Private);
            cell.is_new = was_private;
            // A private cell was never linked. The thread itself knows what is fresh.
            cell.is_open &= !was_private && !self.own;
            if self.own && *at >= self.cells.len() {
                cell.fact.fresh = after.fresh;
            }
        }
        if self.action.writes_outside_of_the_set(self.present) {
            forget_chains(cells.iter_mut().map(|cell| &mut cell.fact));
        }
        match self.action.unlinked {
            None => visit(&cells),
            Some(ends) => self.unlink(ends, &numbers, 0, &mut cells, visit),
        }
    }

    /// Visits the cells in each way in which those of the view from `at` on may be on a chain that the action
    /// unlinks.
    fn unlink(
        &self,
        ends: (KeyClass, KeyClass),
        of_action: &[usize],
        at: usize,
        cells: &mut Vec<Merged>,
        visit: &mut dyn FnMut(&[Merged]),
    ) {
        if at == self.cells.len() {
            let facts: Vec<Option<CellFact>> = cells.iter().map(|cell| Some(cell.fact)).collect();
            if is_possible(&facts, self.action.is_in_after, self.present) {
                visit(cells);
            }
            return;
        }
        self.unlink(ends, of_action, at + 1, cells, visit);
        if !of_action.contains(&at) && may_be_passed(&cells[at].fact, ends, self.present) {
            cells[at].fact.label.place = CellPlace::Unlinked;
            self.unlink(ends, of_action, at + 1, cells, visit);
            cells[at].fact.label.place = CellPlace::Linked;
        }
    }
}

/// A cell that the action makes, before its facts are known.
const NOTHING: CellFact = CellFact {
    label: crate::set_certificate::CellLabel {
        class: crate::set_certificate::KeyClass::Below,
        fields: SmallFields(0),
        place: CellPlace::Private,
    },
    mine: false,
    fresh: false,
    next: NextFact::Unknown,
};
