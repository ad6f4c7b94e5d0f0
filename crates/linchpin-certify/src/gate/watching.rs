//! Compares states with one arbitrary watched cell: the ghosts of [`Obligation::Memory`].
//!
//! A cell is watched from its allocation to its release. It is *shared* while a root reaches it: the shared
//! variable that the obligation names, or any shared variable. Otherwise one thread owns it: the thread that
//! allocated it, or whose step removed it from all roots. Collected cells have no owner.

use super::gamma::{Classes, Ghosts, Views, Watched};
use super::graph::{Edge, Graph};
use super::layout::{StateRecord, pointed};
use super::product::{self, Numbers, Search, To};
use super::refused::GateRefused;
use crate::certificate::{Invariant, Obligation, Rest};
use linchpin_ir::types::Scalar;

/// Compares all states, with every choice of the watched cell, with the views of an invariant about memory.
pub fn compare(
    graph: &Graph,
    rests: &[Rest],
    invariant: &Invariant,
    search: &Search,
) -> Result<(), GateRefused> {
    let question = invariant.question;
    let Obligation::Memory { root } = question else { return Ok(()) };
    let pairs = watched(graph, root, search)?;
    for cut in graph.cuts() {
        let classes = Classes { variables: Vec::new(), cut };
        let views = Views::new(graph.layout, rests, invariant, classes);
        for of_node in pairs.0.chunk_by(|a, b| a.0 == b.0) {
            let node = of_node[0].0;
            if node % 1024 == 0 && !(search.go_on)() {
                return Err(GateRefused::Interrupted);
            }
            let mut scene = views.scene(graph.record(node));
            for (_, number) in of_node {
                let ghosts = Ghosts { location: 0, used: 0, calls: &[], watched: Some(pairs.1.get(*number)) };
                if let Some(threads) = views.outside(&mut scene, &ghosts) {
                    return Err(GateRefused::Outside {
                        question,
                        threads,
                        execution: graph.execution_to(node, None),
                    });
                }
            }
        }
    }
    Ok(())
}

type Pairs = (Vec<(u32, u32)>, Numbers<Watched>);

/// Returns every state with every possible watched cell, and without one.
fn watched(graph: &Graph, root: Option<usize>, search: &Search) -> Result<Pairs, GateRefused> {
    let mut numbers = Numbers::new();
    let nothing = Watched { cell: None, shared: false, answers: None };
    let none = numbers.of(nothing);
    let mut initial = Vec::new();
    for node in &graph.initial {
        initial.push((*node, none));
        let record = graph.record(*node);
        for cell in (0..record.cells()).filter(|cell| !record.is_freed(*cell)) {
            let number = u8::try_from(cell).ok();
            let shared = !graph.layout.is_collected() && leads(record, root, 0, cell);
            initial.push((*node, numbers.of(Watched { cell: number, shared, answers: None })));
        }
    }
    // An allocation makes several pairs of one: the new choices become starts of the next round.
    let mut all = Vec::new();
    let mut starts = initial;
    loop {
        let mut fresh: Vec<(u32, u32)> = Vec::new();
        let step = |_: u32, state: u32, edge: &Edge| {
            let before = *numbers.get(state);
            let moved = &graph.moves[edge.cells as usize];
            let actor = u8::try_from(graph.labels[edge.label as usize].thread).ok();
            let record = graph.record(edge.to);
            if before.cell.is_none() {
                for cell in &moved.allocated {
                    let born = Watched { cell: Some(*cell), shared: false, answers: actor };
                    fresh.push((edge.to, numbers.of(kept(record, root, 0, born, actor))));
                }
                return To::State(none);
            }
            let cell = before.cell.filter(|cell| !moved.freed.contains(cell));
            match cell.and_then(|cell| moved.to.get(usize::from(cell)).copied().flatten()) {
                Some(cell) => {
                    let same = Watched { cell: Some(cell), ..before };
                    To::State(numbers.of(kept(record, root, 0, same, actor)))
                }
                // Freed: the state without a watched cell is compared anyway.
                None => To::Left,
            }
        };
        let pairs = product::pairs(graph, &starts, step, search)
            .map_err(|stopped| stopped.refuse(graph, |_, _| GateRefused::Interrupted))?;
        all.extend(pairs);
        all.sort_unstable();
        all.dedup();
        fresh.sort_unstable();
        fresh.dedup();
        fresh.retain(|pair| all.binary_search(pair).is_err());
        if fresh.is_empty() {
            return Ok((all, numbers));
        }
        starts = fresh;
    }
}

/// Returns the watched cell with its owner after a step. The cells of `wild` have wild edges.
pub fn kept(
    record: StateRecord,
    root: Option<usize>,
    wild: usize,
    watched: Watched,
    actor: Option<u8>,
) -> Watched {
    if record.layout.is_collected() {
        return Watched { shared: false, answers: None, ..watched };
    }
    let cell = watched.cell.map_or(0, usize::from);
    match (leads(record, root, wild, cell), watched.shared) {
        (true, _) => Watched { shared: true, answers: None, ..watched },
        (false, true) => Watched { shared: false, answers: actor, ..watched },
        (false, false) => watched,
    }
}

/// Returns whether a root reaches a cell along pointers of allocated cells without wild edges.
pub fn leads(record: StateRecord, root: Option<usize>, wild: usize, cell: usize) -> bool {
    let slots = record.layout.program.globals.slots.iter().enumerate();
    let roots =
        slots.filter(|(at, slot)| slot.scalar == Scalar::Pointer && root.is_none_or(|root| root == *at));
    roots.filter_map(|(at, _)| pointed(record.global(at))).any(|start| {
        let mut at = Some(start);
        for _ in 0..=record.cells() {
            match at {
                Some(here) if here == cell => return true,
                Some(here) if !record.is_freed(here) && wild >> here & 1 == 0 => at = record.next(here),
                _ => return false,
            }
        }
        false
    })
}
