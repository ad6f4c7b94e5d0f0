//! The reference of the Promela models: the same algorithms, explored in the plainest way.
//!
//! It has the same steps and the same choice of free cells, but is written independently of the Promela text.
//! A state is complete, and visited states lie in a standard set. Unreachable memory is found by walking from
//! the roots, not by counting references. If the numbers of states and transitions agree, the Promela model
//! has lost no behaviour. Then it also has no two states that differ in dead values only.

mod ms_queue;
mod treiber_stack;

use crate::problem::{Bounds, Model};
use crate::spin::Grain;
use rustc_hash::FxHashSet;
use std::hash::Hash;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub states: u64,
    pub transitions: u64,
}

/// A number of a node; 0 is null.
pub type Pointer = u8;
/// 0 where there is none.
pub type Value = u8;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Heap {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    pub value: Value,
    pub next: Pointer,
}

/// How many states there are, if every linearization point does what the abstract object does there.
pub fn explore(model: Model, bounds: Bounds, grain: Grain) -> Result<Size, String> {
    match model {
        Model::TreiberStack => count(treiber_stack::initial(bounds), |state, found| {
            treiber_stack::successors(bounds, grain, state, found)
        }),
        Model::MsQueue => {
            count(ms_queue::initial(bounds), |state, found| ms_queue::successors(bounds, grain, state, found))
        }
    }
}

fn count<State: Clone + Eq + Hash>(
    initial: State,
    successors: impl Fn(&State, &mut Vec<State>) -> Result<(), String>,
) -> Result<Size, String> {
    let mut visited = FxHashSet::from_iter([initial.clone()]);
    let mut waiting = vec![initial];
    let mut transitions = 0;
    let mut found = Vec::new();
    while let Some(state) = waiting.pop() {
        successors(&state, &mut found)?;
        transitions += found.len() as u64;
        for next in found.drain(..) {
            if visited.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    Ok(Size { states: visited.len() as u64, transitions })
}

impl Heap {
    pub fn new(nodes: u8) -> Heap {
        Heap { cells: vec![Cell::default(); usize::from(nodes)] }
    }

    /// What null points to is never asked for by a correct algorithm; it reads as an empty cell.
    pub fn at(&self, pointer: Pointer) -> Cell {
        let index = usize::from(pointer).checked_sub(1);
        index.and_then(|index| self.cells.get(index)).copied().unwrap_or_default()
    }

    pub fn set(&mut self, pointer: Pointer, cell: Cell) {
        let index = usize::from(pointer).checked_sub(1);
        if let Some(slot) = index.and_then(|index| self.cells.get_mut(index)) {
            *slot = cell;
        }
    }

    /// The least node that no root reaches.
    pub fn free(&self, roots: impl Iterator<Item = Pointer>) -> Option<Pointer> {
        let reached = self.reached(roots);
        (1..).zip(&reached).find(|(_, reached)| !**reached).map(|(pointer, _)| pointer)
    }

    pub fn clear_unreachable(&mut self, roots: impl Iterator<Item = Pointer>) {
        for (reached, cell) in self.reached(roots).into_iter().zip(1..) {
            if !reached {
                self.set(cell, Cell::default());
            }
        }
    }

    fn reached(&self, roots: impl Iterator<Item = Pointer>) -> Vec<bool> {
        let mut reached = vec![false; self.cells.len()];
        for root in roots {
            let mut pointer = root;
            while let Some(mark) =
                usize::from(pointer).checked_sub(1).and_then(|index| reached.get_mut(index))
            {
                if *mark {
                    break;
                }
                *mark = true;
                pointer = self.at(pointer).next;
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(model: Model, [threads, nodes, values]: [u8; 3], grain: Grain) -> Size {
        explore(model, Bounds { threads, nodes, values }, grain).expect("the algorithm is right")
    }

    #[test]
    fn sizes_that_can_be_counted_by_hand() {
        // Alone, with one node and one value. Stack: it is empty or not, and each with a call under way: a
        // push that holds the node, a pop that holds the top.
        let fused = size(Model::TreiberStack, [1, 1, 1], Grain::Fused);
        assert_eq!(fused, Size { states: 4, transitions: 5 });
        // Two more rests of the pop.
        assert_eq!(size(Model::TreiberStack, [1, 1, 1], Grain::Accesses).states, 6);
        // Queue: the only node is the dummy, so there is a deq of four accesses, and nothing else.
        assert_eq!(size(Model::MsQueue, [1, 1, 1], Grain::Fused), Size { states: 4, transitions: 4 });
    }

    #[test]
    fn sizes_grow_with_the_grain_and_are_what_they_were() {
        let stack = Size { states: 4803, transitions: 10_766 };
        assert_eq!(size(Model::TreiberStack, [2, 3, 2], Grain::Fused), stack);
        assert_eq!(size(Model::TreiberStack, [2, 3, 2], Grain::Accesses).states, 15_963);
        assert_eq!(
            size(Model::MsQueue, [2, 3, 2], Grain::Fused),
            Size { states: 12_420, transitions: 25_860 }
        );
        assert_eq!(size(Model::MsQueue, [2, 3, 2], Grain::Accesses).states, 14_784);
    }

    #[test]
    fn memory_is_free_where_no_root_reaches_it() {
        let mut heap = Heap::new(3);
        heap.set(2, Cell { value: 1, next: 3 });
        heap.set(3, Cell { value: 2, next: 0 });
        assert_eq!(heap.free([2].into_iter()), Some(1));
        assert_eq!(heap.free([1, 2].into_iter()), None);
        heap.clear_unreachable([3].into_iter());
        assert_eq!((heap.at(2), heap.at(3)), (Cell::default(), Cell { value: 2, next: 0 }));
    }
}
