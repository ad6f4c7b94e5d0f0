//! The trusted checker of certificates of list-based sets.
//!
//! - **Claim.** If [`check`] returns a property, the property holds for any number of threads, cells and
//!   keys.
//! - **Linearizability.** A set is a product of sets of one key each, and linearizability is local, so one
//!   arbitrary key is watched. The abstract set has the key if a linked cell has it, with small fields of the
//!   witness `present`: a function of the state. Each step changes this at most once, and each change is the
//!   event of a call on this key, of the right direction. A successful `add` or `remove` has exactly one
//!   event, every other call none (`run`). So the events order the successful updates. Every other call needs
//!   a moment at which its result was right. It has one if the key was in (or out) when the call began, or
//!   after an event of another thread since. These two bits are part of the view. The argument uses no
//!   annotated points.
//! - **Order.** Along each edge keys grow. This is an obligation of each write, for the watched key; see
//!   [`world`] for why it then holds for all keys, and what follows from it.
//! - **Assertions and lock order.** An assertion with one comparison of keys that fails in an execution fails
//!   with one of these keys watched. The same is true of the order of two locks. So the checker judges them
//!   only if the comparison is decided by the classes.
//! - **Deadlock.** Each waiting thread holds only locks that are smaller than the one it waits for, and no
//!   call returns with a lock. So the holder of the greatest lock that any thread waits for can move. Two
//!   cells with one key: a thread that holds one of them must not wait for the other.
//! - **Induction.** Each view describes one thread. A step changes cells; what it changes is an
//!   [`Action`]. Each other view changes as the action says, in every way in which the cells
//!   of both may coincide. A step involves no more than one thread, so two views at a time suffice.
//! - **Tests.** `prove::sets` in the suite of `linchpin-prove`; the gate (`gate::sets`).

pub mod action;
mod chooser;
pub(crate) mod eval;
pub mod failure;
mod memory;
pub mod run;
pub mod world;

use crate::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, EdgeEnd, EdgeView, KeyClass, NextFact, SetCertificate,
    ThreadView,
};
use action::Action;
use failure::SetFailure;
use linchpin_ir::heap::UnsupportedConstruct;
use linchpin_ir::heap::sets::{SetGlobal, SetLayout};
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use run::{Edges, Moved, ghost_of_call, moves};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use world::{Witness, World, canonical};

/// The reason why a certificate of a set is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetRefusal {
    /// A step may break an obligation.
    Failed(SetFailure),
    /// A step leads out of the views.
    Outside { step: Option<linchpin_ir::source::Span> },
    /// A lemma is not shown for a thread that rests there.
    Lemma { step: Option<linchpin_ir::source::Span> },
}

/// The reason why [`check`] proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetError {
    /// The program has constructs that the method does not support.
    Program(Vec<UnsupportedConstruct>),
    /// The data is not a certificate of this program.
    Malformed(String),
    Refused(SetRefusal),
    Interrupted,
}

/// Returns the witness of a certificate; `None` if its root is not a shared pointer.
pub fn witness(layout: &SetLayout, certificate: &SetCertificate) -> Option<Witness> {
    let Some(SetGlobal::Pointer(root)) = layout.global(certificate.root) else { return None };
    Some(Witness {
        root,
        present: certificate.present.clone(),
        deadlock_free: certificate.deadlock_free,
        chains: certificate.chains,
    })
}

/// Checks that the views of a certificate are inductive, and that no step breaks an obligation. Returns the
/// properties that hold. Polls `go_on` regularly.
pub fn check(
    program: &Program,
    certificate: &SetCertificate,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Property>, SetError> {
    let layout = SetLayout::of(program).map_err(SetError::Program)?;
    let malformed = |why: &str| SetError::Malformed(why.into());
    let witness =
        witness(&layout, certificate).ok_or_else(|| malformed("the root is not a shared pointer"))?;
    let ends = |edge: &EdgeView| [Some(edge.from), edge.to].into_iter().flatten();
    if !certificate.edges.iter().flat_map(ends).all(|end| is_label(&layout, end.label)) {
        return Err(malformed("an edge does not fit the program"));
    }
    for view in &certificate.threads {
        if !is_well_formed(&layout, view) {
            return Err(malformed("a view does not fit the program"));
        }
    }
    let threads: FxHashSet<&ThreadView> = certificate.threads.iter().collect();
    let edges: FxHashSet<EdgeView> = certificate.edges.iter().copied().collect();
    let mut table = EdgeTable::of(&certificate.edges);
    let failed = |failure| SetError::Refused(SetRefusal::Failed(failure));
    let outside = |step| SetError::Refused(SetRefusal::Outside { step });

    for world in run::initial(&layout, &witness, &mut table).map_err(failed)? {
        let is_inside = threads.contains(&canonical(&layout, &witness, &world, None))
            && edges_of_init(&world).iter().all(|edge| edges.contains(edge));
        if !is_inside {
            return Err(outside(None));
        }
    }
    for edge in &edges {
        if edges_at_call(edge).iter().any(|edge| !edges.contains(edge)) {
            return Err(outside(None));
        }
    }
    // Every step of every view, and what it does to the cells of the others.
    let mut own_actions: BTreeSet<Action> = BTreeSet::new();
    for (at, view) in certificate.threads.iter().enumerate() {
        if at % 256 == 0 && !go_on() {
            return Err(SetError::Interrupted);
        }
        let step = view.at.and_then(|(op, pc)| Some(layout.method(Some(op)).code.get(pc)?.span));
        for moved in moves(&layout, &witness, &mut table, view).map_err(failed)? {
            if !threads.contains(&moved.view) || !is_taken(&moved, view) {
                return Err(outside(step));
            }
            let resets = moved.resets && view.at.is_some();
            if resets
                && edges.iter().any(|edge| {
                    (edge.ghost, edge.is_in) == (moved.ghost, moved.is_in)
                        && !edges.contains(&after_reset(*edge))
                })
            {
                return Err(outside(step));
            }
            own_actions.extend(moved.action);
        }
    }
    for action in &own_actions {
        for edge in &certificate.edges {
            if action.on_edge(edge, true, &witness.present).iter().any(|edge| !edges.contains(edge)) {
                return Err(outside(None));
            }
        }
    }
    let actions: BTreeSet<Action> = own_actions.iter().map(Action::seen_by_others).collect();
    for action in &actions {
        if !go_on() {
            return Err(SetError::Interrupted);
        }
        for edge in &certificate.edges {
            if action.on_edge(edge, false, &witness.present).iter().any(|edge| !edges.contains(edge)) {
                return Err(outside(None));
            }
        }
        for view in &certificate.threads {
            if action.on_view(&layout, &witness, view).iter().any(|view| !threads.contains(view)) {
                return Err(outside(None));
            }
        }
    }
    // A call that waits for ever violates `linearizable` too, so this property needs the order of locks.
    let safe = [Property::MemorySafe, Property::Assertions];
    Ok(match witness.deadlock_free {
        true => [Property::Linearizable].into_iter().chain(safe).chain([Property::DeadlockFree]).collect(),
        false => safe.into(),
    })
}

/// Whether what the checker says of the edges after this step is right: a step that resets does nothing else
/// to cells, and an action says where the cells lead that it publishes.
pub fn is_taken(moved: &Moved, view: &ThreadView) -> bool {
    let Some(action) = &moved.action else { return true };
    action.is_complete() && (!moved.resets || view.at.is_none())
}

/// The edges of the state after `init`, as no thread sees them.
pub fn edges_of_init(world: &World) -> Vec<EdgeView> {
    let end = |fact: &CellFact| EdgeEnd { label: fact.label, fresh: false };
    let edge = |fact: &CellFact| {
        let to = match fact.next {
            NextFact::Cell(next) => Some(end(&world.cells[usize::from(next)])),
            NextFact::Null | NextFact::Unknown | NextFact::Chain(_) => None,
        };
        EdgeView { ghost: CallGhost::None, is_in: world.is_in, from: end(fact), to }
    };
    world.cells.iter().map(edge).collect()
}

/// The edges as the threads see them that begin a call.
pub fn edges_at_call(edge: &EdgeView) -> Vec<EdgeView> {
    if edge.ghost != CallGhost::None {
        return Vec::new();
    }
    let calls = [KeyClass::Below, KeyClass::Watched].into_iter();
    calls.map(|class| after_reset(EdgeView { ghost: ghost_of_call(class, edge.is_in), ..*edge })).collect()
}

/// The edge behind a reset: exactly what is linked is fresh.
pub fn after_reset(edge: EdgeView) -> EdgeView {
    let reset = |end: EdgeEnd| EdgeEnd { fresh: end.label.place == CellPlace::Linked, ..end };
    EdgeView { from: reset(edge.from), to: edge.to.map(reset), ..edge }
}

/// The successors of cells by what is known of the cells.
pub struct EdgeTable {
    successors: FxHashMap<(CallGhost, bool, EdgeEnd), Rc<[Option<EdgeEnd>]>>,
    nothing: Rc<[Option<EdgeEnd>]>,
}

impl EdgeTable {
    pub fn of(edges: &[EdgeView]) -> EdgeTable {
        let mut all: FxHashMap<(CallGhost, bool, EdgeEnd), BTreeSet<Option<EdgeEnd>>> = FxHashMap::default();
        for edge in edges {
            all.entry((edge.ghost, edge.is_in, edge.from)).or_default().insert(edge.to);
        }
        let successors = all.into_iter().map(|(from, to)| (from, to.into_iter().collect())).collect();
        EdgeTable { successors, nothing: Rc::from([]) }
    }
}

impl Edges for EdgeTable {
    fn successors(&mut self, ghost: CallGhost, is_in: bool, from: EdgeEnd) -> Rc<[Option<EdgeEnd>]> {
        self.successors.get(&(ghost, is_in, from)).unwrap_or(&self.nothing).clone()
    }
}

/// Whether the number of the small fields of a label is one of theirs.
pub(crate) fn is_label(layout: &SetLayout, label: CellLabel) -> bool {
    label.fields.0 < layout.cell().small.iter().map(|small| small.count).product::<u16>()
}

/// Whether a view fits the program: its numbers name cells, and it rests at an access.
pub(crate) fn is_well_formed(layout: &SetLayout, view: &ThreadView) -> bool {
    use crate::set_certificate::SlotValue;
    let is_cell = |number: u8| usize::from(number) < view.cells.len();
    let names = view.slots.iter().chain(&view.shared).all(|value| match value {
        SlotValue::Cell(cell) => is_cell(*cell),
        _ => true,
    });
    let follows = view.cells.iter().all(|fact| match fact.next {
        NextFact::Cell(next) | NextFact::Chain(next) => is_cell(next),
        NextFact::Unknown | NextFact::Null => true,
    });
    let slots = match view.at {
        None => Some(0),
        Some((op, pc)) => {
            let known = layout.operation(op).is_some();
            let rests = known && layout.method(Some(op)).code.get(pc).is_some_and(|at| at.access.is_step());
            layout.frame(Some(op)).filter(|_| rests).map(|frame| frame.parts().len())
        }
    };
    let is_pending = view.at.is_some() == (view.ghost != CallGhost::None);
    let labels = view.cells.iter().all(|fact| is_label(layout, fact.label));
    names
        && follows
        && labels
        && is_pending
        && slots == Some(view.slots.len())
        && view.shared.len() == layout.pointers()
        && view.cells.len() <= world::MOST_CELLS
}
