//! `new`, `free` and the garbage collector.
//!
//! - **gc**: an unreachable cell is collected. The collector runs only when the bound on cells is reached,
//!   and then collects exactly the unreachable cells. So the bound counts live cells. `new` has no choice:
//!   cells are interchangeable.
//! - **pool**, **manual**: `new` takes any freed cell of the same kind (for arrays also of the same length),
//!   or a new one. New cells are all alike and do not exist until `new` takes one. Normalisation drops a
//!   freed cell that equals a new one and that no cell points to.

use crate::code::Code;
use crate::code::layout::{LINK_CELL, LINK_NONE, LINK_WIDTH};
use crate::code::outcome::{Blocked, Cut, FaultKind, TextId, Trap};
use crate::exec::picks::Picks;
use crate::instance::bounds::{CellId, ThreadId};
use crate::state::roots::{Running, reachable};
use crate::state::{CellHead, CellStatus, State};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::Word;

/// The largest length of an array. A longer one cuts the execution.
pub(crate) const LONGEST_ARRAY: u32 = 1 << 16;

impl State {
    /// Returns a cell for `new`. Its fields hold their defaults; in pool memory a reused cell keeps its
    /// contents.
    pub(crate) fn allocate(
        &mut self,
        code: &Code,
        picks: &mut Picks,
        running: Running,
        kind: u32,
        len: u32,
    ) -> Result<CellId, Trap> {
        if len > LONGEST_ARRAY {
            return Err(Trap::Cut(Cut::Size));
        }
        match code.memory {
            MemoryKind::Gc => {
                let at = self.vacancy(code, running).ok_or(Trap::Blocked(Blocked::NoCell))?;
                self.lay_out(code, at, kind, len);
                Ok(CellId::new(at))
            }
            MemoryKind::Pool | MemoryKind::Manual => self.allocate_any(code, picks, kind, len),
        }
    }

    /// Frees a cell. In pool memory the cell keeps its contents; in manual memory the contents are reset.
    pub(crate) fn free(&mut self, code: &Code, pointer: Word, text: TextId) -> Result<Option<CellId>, Trap> {
        let Some(cell) = CellId::of_pointer(pointer) else {
            return Err(Trap::Fault(FaultKind::NullAccess, text));
        };
        if code.memory == MemoryKind::Gc {
            return Ok(None);
        }
        let head = &mut self.cells[cell.index()];
        if head.status == CellStatus::Freed {
            return Err(Trap::Fault(FaultKind::DoubleFree(cell), text));
        }
        head.status = CellStatus::Freed;
        if code.memory == MemoryKind::Manual {
            self.set_defaults(code, cell.index());
            self.forget_links(code, cell);
        }
        Ok(Some(cell))
    }

    /// Collects garbage: unreachable cells become vacant, the others keep their names.
    pub(crate) fn collect(&mut self, code: &Code, running: Running) {
        let reached = reachable(code, self, running);
        for (at, reached) in reached.iter().enumerate() {
            if !reached && self.cells[at].status == CellStatus::Allocated {
                self.cells[at].status = CellStatus::Vacant;
                self.forget_links(code, CellId::new(at));
            }
        }
    }

    /// Returns a number for a new cell, after a collection if none is free.
    fn vacancy(&mut self, code: &Code, running: Running) -> Option<usize> {
        let vacant = |state: &State| state.cells.iter().position(|cell| cell.status == CellStatus::Vacant);
        if let Some(at) = vacant(self) {
            return Some(at);
        }
        if self.cells.len() < code.nodes {
            return Some(self.cells.len());
        }
        self.collect(code, running);
        vacant(self)
    }

    fn allocate_any(&mut self, code: &Code, picks: &mut Picks, kind: u32, len: u32) -> Result<CellId, Trap> {
        if self.allocated_cells() >= code.nodes {
            return Err(Trap::Blocked(Blocked::NoCell));
        }
        let alike = |cell: &&CellHead| cell.kind == kind && cell.len == len;
        let known = self.cells.iter().filter(alike).count();
        let freed = self.cells.iter().filter(alike).filter(|cell| cell.status == CellStatus::Freed).count();
        let chosen = picks.pick(freed + usize::from(known < code.nodes));
        if chosen == freed {
            let at = self.cells.len();
            self.lay_out(code, at, kind, len);
            return Ok(CellId::new(at));
        }
        let mut candidates = self.cells.iter_mut().enumerate();
        let found = candidates
            .by_ref()
            .filter(|(_, cell)| cell.kind == kind && cell.len == len && cell.status == CellStatus::Freed)
            .nth(chosen);
        let Some((at, cell)) = found else { return Err(Trap::Blocked(Blocked::NoCell)) };
        cell.status = CellStatus::Allocated;
        Ok(CellId::new(at))
    }

    /// Makes cell `at`, which is vacant or the next new one, a fresh cell.
    fn lay_out(&mut self, code: &Code, at: usize, kind: u32, len: u32) {
        let head = CellHead { kind, len, start: number_of(self.heap.len()), status: CellStatus::Allocated };
        match self.cells.get_mut(at) {
            Some(cell) => *cell = head,
            None => self.cells.push(head),
        }
        self.heap.resize(self.heap.len() + code.cell_width(kind, len), 0);
        self.set_defaults(code, at);
    }

    fn set_defaults(&mut self, code: &Code, at: usize) {
        let head = self.cells[at];
        let defaults = &code.kinds[head.kind as usize].defaults;
        let start = head.start as usize;
        if !defaults.is_empty() {
            for element in
                self.heap[start..start + defaults.len() * head.len as usize].chunks_exact_mut(defaults.len())
            {
                element.copy_from_slice(defaults);
            }
        }
    }

    /// Removes the links to a cell that is gone.
    fn forget_links(&mut self, code: &Code, cell: CellId) {
        let Some(offset) = code.layout.link else { return };
        for thread in (0..code.layout.threads).map(ThreadId::new) {
            let at = code.layout.block_of(thread) + offset;
            let link = &mut self.words[at..at + LINK_WIDTH];
            if link[0] == LINK_CELL && link[1] == cell.pointer() {
                link.fill(LINK_NONE);
            }
        }
    }
}
