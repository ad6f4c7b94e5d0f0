//! Tests the invariant of memory: for every watched cell, each state of a random execution is composed of the
//! views.
//!
//! Each allocated cell has an owner, as defined in the [certificate](linchpin_certify::certificate). It is
//! the thread that allocated it, the shared variables while they reach it, and then the thread whose step
//! removed it. A pool cell that is allocated again keeps its data. The test cannot see whether a thread
//! writes the same data again; either answer is accepted.

use super::{Call, Effect, Ghost, Node, WALKS, Watched, World, pairs, pointed};
use crate::prove::{Text, proving};
use fastrand::Rng;
use linchpin_certify::certificate::{Certificate, FAR, Invariant, NEXT, Obligation, SAME, View};
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_ir::index::Index;
use linchpin_ir::program::{MemoryKind, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::{TypeKind, UNDEFINED, Word};
use linchpin_semantics::{State, Status, ThreadId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Of each kind of memory some.
const MODELS: [&str; 9] = [
    "coarse_stack",
    "treiber_stack",
    "two_lock_queue_gc",
    "coarse_pqueue_list",
    "coarse_stack_manual",
    "coarse_queue_manual",
    "two_lock_queue",
    "treiber_stack_tagged",
    "ms_queue_tagged",
];

/// No observers: the obligation is memory.
static NOBODY: ObserverProduct = ObserverProduct { observers: Vec::new(), variables: 0 };

/// The owner of an allocated cell.
#[derive(Clone, Copy)]
struct Kept {
    shared: bool,
    answers: Option<ThreadId>,
    /// Its data at its reallocation; `None` if it was never reallocated, or if the data has changed since.
    old: Option<Word>,
}

/// A state, and what is watched in it.
type Choice = (State, Ghost);

#[test]
fn every_choice_of_the_watched_cell_is_made_up_of_the_views() {
    for name in MODELS {
        let (program, certificate) = proved(name);
        let world = world(&program, &certificate);
        let (choices, views) = (choices(&world, &mut Rng::with_seed(23)), by_rests(&world));
        let watched = choices.iter().filter(|(_, ghost)| cell_of(ghost).is_some()).count();
        assert!(watched > 1_000, "only {watched} choices of a cell of `{name}` were looked at");
        for choice in &choices {
            let has = |pair| !views_of(&world, &views, choice, pair).is_empty();
            let (state, ghost) = choice;
            assert!(in_order().all(has), "cell {:?} of `{name}` in\n{state:?}", cell_of(ghost));
        }
    }
}

/// The test notices an invariant that claims too much: without a view, with fewer relations, or with a cell
/// without an owner.
#[test]
fn an_invariant_of_memory_that_says_too_much_is_refuted() {
    for name in ["treiber_stack", "coarse_stack_manual", "treiber_stack_tagged"] {
        let (program, certificate) = proved(name);
        let world = world(&program, &certificate);
        let (choices, views) = (choices(&world, &mut Rng::with_seed(29)), by_rests(&world));
        // A state in only one view shows an error of that view.
        let (mut needed, mut tighter, mut answered) = (0, 0, 0);
        for choice in choices.iter().filter(|(_, ghost)| cell_of(ghost).is_some()) {
            for pair in in_order() {
                let [view] = views_of(&world, &views, choice, pair)[..] else { continue };
                needed += 1;
                let mut tight: View = world.invariant.views[view].clone();
                for set in tight.shape.iter_mut().filter(|set| set.count_ones() > 1) {
                    *set &= *set - 1;
                }
                tighter += usize::from(!is_in(&world, &tight, choice, pair));
                let mut elsewhere = choice.clone();
                if let Some(watched) = &mut elsewhere.1.watched
                    && watched.answers.is_some_and(|thread| pair.contains(&thread))
                {
                    watched.answers = None;
                    answered += usize::from(views_of(&world, &views, &elsewhere, pair) != [view]);
                }
            }
        }
        assert!(needed > 500 && tighter > 50, "{name}: {needed} and {tighter}");
        assert!(program.memory == MemoryKind::Gc || answered > 50, "{name}: {answered}");
    }
}

fn proved(name: &str) -> (Arc<Program>, Certificate) {
    let attempt = proving(&Text::of_catalogue(name), Some(&[Property::MemorySafe]), None);
    let certificate = attempt.certificate.unwrap_or_else(|| panic!("`{name}` is proved"));
    (attempt.compiled.program, certificate)
}

fn world<'w>(program: &'w Arc<Program>, certificate: &'w Certificate) -> World<'w> {
    let is_memory = |invariant: &&Invariant| matches!(invariant.question, Obligation::Memory { .. });
    let invariant = certificate.invariants.iter().find(is_memory).expect("memory was asked for");
    World { cut: 1, ..World::new(program, certificate, invariant, &NOBODY) }
}

/// Each two threads, in one order.
fn in_order() -> impl Iterator<Item = [ThreadId; 2]> {
    pairs().filter(|[first, second]| first < second)
}

fn cell_of(ghost: &Ghost) -> Option<usize> {
    ghost.watched.and_then(|watched| watched.cell)
}

/// Where two threads rest, and the views of such threads, in either order.
type ByRests = BTreeMap<[Option<usize>; 2], Vec<usize>>;

fn by_rests(world: &World) -> ByRests {
    let mut views = ByRests::new();
    for (number, view) in world.invariant.views.iter().enumerate() {
        let [a, b] = view.locals.map(|local| world.invariant.locals[local].at.map(usize::from));
        views.entry([a.min(b), a.max(b)]).or_default().push(number);
    }
    views
}

/// The views that two threads are in.
fn views_of(world: &World, views: &ByRests, choice: &Choice, pair: [ThreadId; 2]) -> Vec<usize> {
    let [a, b] = pair.map(|thread| match world.machine.status(&choice.0, thread) {
        Status::Busy { op, pc, .. } => world.rests.iter().position(|rest| rest.op == op && rest.pc == pc),
        _ => None,
    });
    let candidates = views.get(&[a.min(b), a.max(b)]).into_iter().flatten().copied();
    candidates.filter(|view| is_in(world, &world.invariant.views[*view], choice, pair)).collect()
}

fn is_in(world: &World, view: &View, (state, ghost): &Choice, [a, b]: [ThreadId; 2]) -> bool {
    [[a, b], [b, a]].into_iter().any(|pair| world.contains(view, state, ghost, pair))
}

/// The states of random executions, each with every cell that may be watched in it, and with none.
fn choices(world: &World, rng: &mut Rng) -> Vec<Choice> {
    let mut choices = Vec::new();
    for _ in 0..WALKS {
        let mut kept = Vec::new();
        world.along(rng, |state, ghost, actor| {
            kept = kept_after(world, &kept, state, actor);
            // Calls have no effects in the obligation of memory.
            let calls = ghost.threads.iter().map(|call| Call { effect: Effect::Waiting, ..call.clone() });
            let threads: Vec<Call> = calls.collect();
            let none = Watched { cell: None, shared: false, answers: None, undefined: Some(false) };
            let cells = kept
                .iter()
                .enumerate()
                .filter_map(|(cell, kept)| Some(watched(world, state, cell, (*kept)?)));
            for watched in cells.chain([none]) {
                let ghost = Ghost { location: 0, used: 0, threads: threads.clone(), watched: Some(watched) };
                choices.push((state.clone(), ghost));
            }
        });
    }
    choices
}

fn watched(world: &World, state: &State, cell: usize, kept: Kept) -> Watched {
    let undefined = if kept.old.is_some() { None } else { Some(world.data_of(state, cell) == UNDEFINED) };
    Watched { cell: Some(cell), shared: kept.shared, answers: kept.answers, undefined }
}

/// Updates the owner of each cell after a step of this thread, or of `init`. A collected cell has no owner.
fn kept_after(
    world: &World,
    before: &[Option<Kept>],
    state: &State,
    actor: Option<ThreadId>,
) -> Vec<Option<Kept>> {
    let is_collected = world.program.memory == MemoryKind::Gc;
    let roots = roots(world, state);
    let mut after = Vec::new();
    for cell in world.machine.cells(state) {
        let number = cell.id.index();
        after.resize(number + 1, None);
        if cell.is_freed {
            continue;
        }
        let data = world.data_of(state, number);
        let was_there = before.len() > number;
        let mut kept = before.get(number).copied().flatten().unwrap_or(Kept {
            shared: false,
            answers: actor.filter(|_| !is_collected),
            old: Some(data).filter(|data| was_there && *data != UNDEFINED && !is_collected),
        });
        kept.old = kept.old.filter(|old| *old == data);
        if !is_collected {
            let leads = |root: &usize| {
                world.relation(state, Node::Cell(*root), Node::Cell(number)) & (SAME | NEXT | FAR) != 0
            };
            if roots.iter().any(leads) {
                (kept.shared, kept.answers) = (true, None);
            } else if kept.shared {
                (kept.shared, kept.answers) = (false, actor);
            }
        }
        after[number] = Some(kept);
    }
    after
}

/// Returns the cells that the owning shared variables reach.
fn roots(world: &World, state: &State) -> Vec<usize> {
    let Obligation::Memory { root } = world.invariant.question else { return Vec::new() };
    let variables = world.program.globals.variables.entries();
    let parts = variables.flat_map(|(id, variable)| {
        let words = world.machine.global_words(state, id);
        world.parts(variable.ty, 0).into_iter().map(|(ty, offset)| (ty, words[offset])).collect::<Vec<_>>()
    });
    let parts = parts.enumerate().filter(|(part, _)| root.is_none_or(|root| root == *part));
    let is_pointer = |ty| matches!(world.program.types.kind(ty), TypeKind::Pointer(_));
    parts.filter(|(_, (ty, _))| is_pointer(*ty)).filter_map(|(_, (_, word))| pointed(word)).collect()
}
