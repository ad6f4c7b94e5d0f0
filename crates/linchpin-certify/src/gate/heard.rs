//! What is seen of one step, and what becomes of the cells in it.

use super::layout::{DATA_UNWRITTEN, LINK_UNWRITTEN, Layout, Short};
use linchpin_ir::index::Index;
use linchpin_ir::program::{MemoryKind, OpId};
use linchpin_ir::types::{UNDEFINED, Word};
use linchpin_semantics::{AccessEvent, CellId, Events, LocationBase, State, ThreadId};

/// What an observer sees of a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub thread: usize,
    pub call: Option<(OpId, Box<[Word]>)>,
    /// Whose call takes effect, and whether it only may.
    pub points: Vec<(usize, bool)>,
    pub returned: Option<(OpId, Box<[Word]>)>,
}

/// What becomes of the cells of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// By name before: the name afterwards; `None` if the cell is gone.
    pub to: Vec<Option<u8>>,
    /// Names before of those that were freed.
    pub freed: Vec<u8>,
    /// Names afterwards of those that were allocated.
    pub allocated: Vec<u8>,
}

/// Listens to one step. `WRITES`: which fields of cells are written is wanted too.
pub struct Heard<'h, const WRITES: bool> {
    reached: &'h mut [bool],
    points: Vec<(usize, bool)>,
    returned: Option<(OpId, Box<[Word]>)>,
    heap: Vec<HeapEvent>,
}

/// Changes of the heap, in their order.
#[derive(Clone, Copy, Debug)]
enum HeapEvent {
    Allocated(usize),
    Freed(usize),
    /// So many slots of a cell, from this one on; whether the first of them became undefined.
    Written {
        cell: usize,
        slot: usize,
        len: usize,
        undefined: bool,
    },
}

/// What was seen of a step.
pub struct Seen {
    pub label: Label,
    heap: Vec<HeapEvent>,
}

impl<'h, const WRITES: bool> Heard<'h, WRITES> {
    pub fn new(reached: &'h mut [bool]) -> Heard<'h, WRITES> {
        Heard { reached, points: Vec::new(), returned: None, heap: Vec::new() }
    }

    pub fn end(self, thread: ThreadId, call: Option<(OpId, Box<[Word]>)>) -> Seen {
        let Heard { points, returned, heap, .. } = self;
        Seen { label: Label { thread: thread.index(), call, points, returned }, heap }
    }
}

impl<const WRITES: bool> Events for Heard<'_, WRITES> {
    const ACCESSES: bool = WRITES;
    const ADDRESSES: bool = true;

    fn reached(&mut self, address: usize) {
        if let Some(reached) = self.reached.get_mut(address) {
            *reached = true;
        }
    }

    fn returned(&mut self, _: ThreadId, op: OpId, result: &[Word]) {
        self.returned = Some((op, result.into()));
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.points.push((target.index(), maybe));
    }

    fn access(&mut self, _: &State, access: &AccessEvent) {
        if let (LocationBase::Cell(cell), Some(after)) = (access.location.base, access.after) {
            self.heap.push(HeapEvent::Written {
                cell: cell.index(),
                slot: access.location.slot as usize,
                len: after.len(),
                undefined: after.first() == Some(&UNDEFINED),
            });
        }
    }

    fn allocated(&mut self, cell: CellId) {
        self.heap.push(HeapEvent::Allocated(cell.index()));
    }

    fn freed(&mut self, cell: CellId) {
        self.heap.push(HeapEvent::Freed(cell.index()));
    }
}

impl Seen {
    /// Keeps the flags of cells up to date; only pool memory has some.
    pub fn mark(&self, layout: &Layout, flags: &mut Vec<Short>) {
        if layout.program.memory != MemoryKind::Pool {
            return;
        }
        for event in &self.heap {
            let (HeapEvent::Allocated(cell) | HeapEvent::Freed(cell) | HeapEvent::Written { cell, .. }) =
                *event;
            if flags.len() <= cell {
                flags.resize(cell + 1, 0);
            }
            match *event {
                HeapEvent::Allocated(_) => {
                    let data = if layout.cells.data.is_some() { DATA_UNWRITTEN } else { 0 };
                    let link = if layout.cells.link.is_some() { LINK_UNWRITTEN } else { 0 };
                    flags[cell] = data | link;
                }
                HeapEvent::Freed(_) => flags[cell] = 0,
                HeapEvent::Written { slot, len, undefined, .. } => {
                    let covers = |at: Option<usize>| at.is_some_and(|at| (slot..slot + len).contains(&at));
                    if covers(layout.cells.data) && !undefined {
                        flags[cell] &= !DATA_UNWRITTEN;
                    }
                    if covers(layout.cells.link) {
                        flags[cell] &= !LINK_UNWRITTEN;
                    }
                }
            }
        }
    }
}

impl Move {
    /// From the cells of the names before and afterwards.
    pub fn new(before: &[usize], after: &[usize], seen: &Seen, is_collected: bool) -> Move {
        let place = |cells: &[usize], cell: usize| {
            cells.iter().position(|at| *at == cell).and_then(|at| u8::try_from(at).ok())
        };
        let mut moved = Move {
            to: before.iter().map(|cell| place(after, *cell)).collect(),
            freed: Vec::new(),
            allocated: Vec::new(),
        };
        for event in &seen.heap {
            match *event {
                HeapEvent::Allocated(cell) => {
                    moved.allocated.extend(place(after, cell));
                    // The number of a collected cell is given to another one.
                    if let Some(old) = place(before, cell).filter(|_| is_collected) {
                        moved.to[usize::from(old)] = None;
                    }
                }
                HeapEvent::Freed(cell) => {
                    moved.freed.extend(place(before, cell));
                    let now = place(after, cell);
                    moved.allocated.retain(|name| Some(*name) != now);
                }
                HeapEvent::Written { .. } => {}
            }
        }
        moved
    }
}
