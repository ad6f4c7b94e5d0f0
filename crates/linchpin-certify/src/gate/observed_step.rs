//! Observation of one step: its label, and the renaming of cells.

use super::layout::{DATA_UNWRITTEN, LINK_UNWRITTEN, Layout, Short};
use super::naming::Threads;
use linchpin_ir::index::Index;
use linchpin_ir::program::{MemoryKind, OpId};
use linchpin_ir::types::{UNDEFINED, Word};
use linchpin_semantics::{AccessEvent, CellId, Events, LocationBase, State, ThreadId};
use smallvec::SmallVec;

/// The visible events of a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub thread: usize,
    pub call: Option<(OpId, Box<[Word]>)>,
    /// The threads whose calls pass a point, and whether the point is tentative.
    pub points: Vec<(usize, bool)>,
    pub returned: Option<(OpId, Box<[Word]>)>,
}

/// The renaming of threads and cells by a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// For each thread its name after the step, by its name before.
    pub threads: Threads,
    /// The name after the step, by the name before; `None` if the cell is gone.
    pub to: Vec<Option<u8>>,
    /// The names before the step of freed cells.
    pub freed: Vec<u8>,
    /// The names after the step of allocated cells.
    pub allocated: Vec<u8>,
}

/// Records the events of one step. With `WRITES` it also records writes to fields.
pub struct StepListener<'h, const WRITES: bool> {
    reached: &'h mut [bool],
    points: Vec<(usize, bool)>,
    returned: Option<(OpId, Box<[Word]>)>,
    heap: Vec<HeapEvent>,
}

/// A change of the heap.
#[derive(Clone, Copy, Debug)]
enum HeapEvent {
    Allocated(usize),
    Freed(usize),
    /// `len` slots of a cell are written, from `slot` on.
    Written {
        cell: usize,
        slot: usize,
        len: usize,
        undefined: bool,
    },
}

/// The recorded events of a step.
pub struct ObservedStep {
    pub label: Label,
    heap: Vec<HeapEvent>,
}

impl<'h, const WRITES: bool> StepListener<'h, WRITES> {
    pub fn new(reached: &'h mut [bool]) -> StepListener<'h, WRITES> {
        StepListener { reached, points: Vec::new(), returned: None, heap: Vec::new() }
    }

    pub fn end(self, thread: ThreadId, call: Option<(OpId, Box<[Word]>)>) -> ObservedStep {
        let StepListener { points, returned, heap, .. } = self;
        ObservedStep { label: Label { thread: thread.index(), call, points, returned }, heap }
    }
}

impl<const WRITES: bool> Events for StepListener<'_, WRITES> {
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

impl ObservedStep {
    /// Returns the step with other names of threads.
    pub fn renamed(self, name: impl Fn(usize) -> usize) -> ObservedStep {
        ObservedStep { label: self.label.renamed(name), ..self }
    }

    /// Updates the flags of cells. Only pool memory has flags.
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

impl Label {
    /// Returns the label with other names of threads.
    pub fn renamed(mut self, name: impl Fn(usize) -> usize) -> Label {
        self.thread = name(self.thread);
        self.points.iter_mut().for_each(|(thread, _)| *thread = name(*thread));
        self
    }
}

impl Move {
    /// Returns what belongs to each thread, by the names after the step.
    pub fn rename<T: Clone>(&self, of_threads: &SmallVec<[T; 3]>) -> SmallVec<[T; 3]>
    where
        [T; 3]: smallvec::Array<Item = T>,
    {
        let mut renamed = of_threads.clone();
        for (name, item) in self.threads.iter().zip(of_threads) {
            if let Some(place) = renamed.get_mut(*name) {
                *place = item.clone();
            }
        }
        renamed
    }

    /// Whether every thread keeps its name.
    pub fn keeps_threads(&self) -> bool {
        self.threads.iter().enumerate().all(|(before, after)| before == *after)
    }

    /// Computes the renaming from the threads and cells of the names before and after the step.
    pub fn new(
        (threads_before, before): (&[usize], &[usize]),
        (threads_after, after): (&[usize], &[usize]),
        seen: &ObservedStep,
        is_collected: bool,
    ) -> Move {
        let name_after = |thread: &usize| threads_after.iter().position(|at| at == thread).unwrap_or(*thread);
        let place = |cells: &[usize], cell: usize| {
            cells.iter().position(|at| *at == cell).and_then(|at| u8::try_from(at).ok())
        };
        let mut moved = Move {
            threads: threads_before.iter().map(name_after).collect(),
            to: before.iter().map(|cell| place(after, *cell)).collect(),
            freed: Vec::new(),
            allocated: Vec::new(),
        };
        for event in &seen.heap {
            match *event {
                HeapEvent::Allocated(cell) => {
                    moved.allocated.extend(place(after, cell));
                    // The number of a collected cell is reused.
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
