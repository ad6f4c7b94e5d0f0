//! Builds a state from its words, even a state that no execution reaches. Only tests use this.

use crate::code::Code;
use crate::code::layout::{AT, OP};
use crate::instance::bounds::ThreadId;
use crate::state::{CellHead, CellStatus, State};
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Pc, Program};
use linchpin_ir::types::{Pointee, StructId, Word};

/// The parts of a state of a program without collections, links and recursion.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// The slots of the shared variables.
    pub globals: Vec<Word>,
    /// The pending call of each thread; `None` if the thread is idle.
    pub threads: Vec<Option<Pending>>,
    /// All cells.
    pub cells: Vec<CellPiece>,
}

/// A pending call, in front of an instruction of its operation.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    pub op: OpId,
    pub pc: Pc,
    /// The slots of all its variables. Dead variables are left out of the state.
    pub frame: Vec<Word>,
}

#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellPiece {
    pub of: StructId,
    pub is_freed: bool,
    pub words: Vec<Word>,
}

/// Builds a state from its parts. `None` if the parts do not fit the program.
pub(crate) fn assemble(program: &Program, code: &Code, pieces: &Pieces) -> Option<State> {
    let layout = &code.layout;
    let mut state = State::blank(code);
    if pieces.globals.len() != layout.globals || pieces.threads.len() != layout.threads {
        return None;
    }
    state.words[..layout.globals].copy_from_slice(&pieces.globals);
    for (at, pending) in pieces.threads.iter().enumerate() {
        let Some(Pending { op, pc, frame }) = pending else { continue };
        let method = &code.methods[program.ops.get(*op)?.method.index()];
        let address = method.start + pc.index();
        let instr = code.instrs.get(address).filter(|instr| instr.rests)?;
        if frame.len() != method.defaults.len() {
            return None;
        }
        let block = layout.block_of(ThreadId::new(at));
        state.words[block + AT] = Word::try_from(address + 1).ok()?;
        state.words[block + OP] = Word::try_from(op.index() + 1).ok()?;
        let own = &mut state.words[block + layout.frame..][..frame.len()];
        own.copy_from_slice(&method.defaults);
        for span in &instr.live {
            own[span.range()].copy_from_slice(&frame[span.range()]);
        }
    }
    for piece in &pieces.cells {
        let at = code.kinds.iter().position(|kind| kind.pointee == Pointee::Struct(piece.of))?;
        let kind = u32::try_from(at).ok()?;
        if code.cell_width(kind, 1) != piece.words.len() {
            return None;
        }
        let status = if piece.is_freed { CellStatus::Freed } else { CellStatus::Allocated };
        let start = u32::try_from(state.heap.len()).ok()?;
        state.cells.push(CellHead { kind, len: 1, start, status });
        state.heap.extend_from_slice(&piece.words);
    }
    Some(state)
}
