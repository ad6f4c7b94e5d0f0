//! Encodes a state as one sequence of words, which serves as a key.
//!
//! ```text
//! | shared variables, hash tables |
//! | for each thread: at, position, its variables, link; unless idle: op, live locals, stack |
//! | number of cells | for each: kind and status, length of an array, its slots |
//! | for each contents: class, length, words |
//! ```
//!
//! **Laws.** `restore(flatten(s))` is `s`. Two normal forms are equal iff their sequences are equal. The
//! sequence is uniquely decodable: dead locals are left out, and earlier words determine the length of later
//! parts.

use crate::code::Code;
use crate::code::layout::{AT, LINK_NONE, LINK_WIDTH, OP, POSITION, STACK};
use crate::instance::bounds::ThreadId;
use crate::state::{CellHead, CellStatus, State};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::types::{Word, word_of};

pub(crate) fn flatten(code: &Code, state: &State, out: &mut Vec<Word>) {
    let layout = &code.layout;
    out.extend_from_slice(&state.words[..layout.blocks]);
    for thread in (0..layout.threads).map(ThreadId::new) {
        let block = &state.words[layout.block_of(thread)..][..layout.block];
        out.push(block[AT]);
        out.push(block[POSITION]);
        out.extend_from_slice(&block[layout.vars..layout.frame]);
        if let Some(link) = layout.link {
            // Most threads have no link; then one word suffices.
            let words = &block[link..link + LINK_WIDTH];
            out.extend_from_slice(if words[0] == LINK_NONE { &words[..1] } else { words });
        }
        if let Some(at) = address(block[AT]) {
            out.push(block[OP]);
            for span in &code.instrs[at].live {
                out.extend_from_slice(&block[layout.frame..][span.range()]);
            }
            if code.has_calls {
                let stack = &state.stack[state.stack_of(code, thread)];
                out.push(word_of(stack.len()));
                out.extend_from_slice(stack);
            }
        }
    }
    out.push(word_of(state.cells.len()));
    for cell in &state.cells {
        out.push(word_of(cell.kind) * 3 + cell.status as Word);
        if code.kinds[cell.kind as usize].is_array || cell.status == CellStatus::Vacant {
            out.push(word_of(cell.len));
        }
        out.extend_from_slice(&state.heap[cell.start as usize..][..code.cell_width(cell.kind, cell.len)]);
    }
    flatten_contents(state, out);
}

/// Appends the contents of collections, in the order of their handles.
pub(crate) fn flatten_contents(state: &State, out: &mut Vec<Word>) {
    for handle in 1..=word_of(state.contents.len()) {
        if let Some(class) = state.contents.class(handle) {
            let words = state.contents.get(handle);
            out.push(word_of(class));
            out.push(word_of(words.len()));
            out.extend_from_slice(words);
        }
    }
}

pub(crate) fn restore(code: &Code, words: &[Word], state: &mut State) -> Option<()> {
    let layout = &code.layout;
    let mut reader = Reader { words };
    state.words.resize(layout.words(), 0);
    state.words[..layout.blocks].copy_from_slice(reader.take(layout.blocks)?);
    state.stack.clear();
    for thread in (0..layout.threads).map(ThreadId::new) {
        let start = layout.block_of(thread);
        let block = &mut state.words[start..start + layout.block];
        block[AT] = reader.word()?;
        block[POSITION] = reader.word()?;
        block[layout.vars..layout.frame].copy_from_slice(reader.take(layout.frame - layout.vars)?);
        if let Some(link) = layout.link {
            let kind = reader.word()?;
            block[link..link + LINK_WIDTH].fill(LINK_NONE);
            block[link] = kind;
            if kind != LINK_NONE {
                block[link + 1..link + LINK_WIDTH].copy_from_slice(reader.take(LINK_WIDTH - 1)?);
            }
        }
        block[OP] = 0;
        block[STACK] = 0;
        block[layout.frame..].fill(0);
        if let Some(at) = address(block[AT]) {
            block[OP] = reader.word()?;
            let instr = code.instrs.get(at)?;
            let defaults = &code.methods[instr.method as usize].defaults;
            block[layout.frame..][..defaults.len()].copy_from_slice(defaults);
            for span in &instr.live {
                block[layout.frame..][span.range()].copy_from_slice(reader.take(span.width as usize)?);
            }
            if code.has_calls {
                let len = reader.word()?;
                block[STACK] = len;
                state.stack.extend_from_slice(reader.take(usize::try_from(len).ok()?)?);
            }
        }
    }
    restore_cells(code, &mut reader, state)?;
    restore_contents(reader.words, state)
}

pub(crate) fn restore_contents(words: &[Word], state: &mut State) -> Option<()> {
    let mut reader = Reader { words };
    state.contents.clear();
    while !reader.words.is_empty() {
        let class = u32::try_from(reader.word()?).ok()?;
        let len = usize::try_from(reader.word()?).ok().filter(|len| *len > 0)?;
        state.contents.push(class, reader.take(len)?);
    }
    Some(())
}

fn restore_cells(code: &Code, reader: &mut Reader, state: &mut State) -> Option<()> {
    state.cells.clear();
    state.heap.clear();
    for _ in 0..reader.word()? {
        let head = u32::try_from(reader.word()?).ok()?;
        let status = [CellStatus::Allocated, CellStatus::Freed, CellStatus::Vacant][head as usize % 3];
        let kind = head / 3;
        let is_array = code.kinds.get(kind as usize)?.is_array;
        let len =
            if is_array || status == CellStatus::Vacant { u32::try_from(reader.word()?).ok()? } else { 1 };
        state.cells.push(CellHead { kind, len, start: number_of(state.heap.len()), status });
        state.heap.extend_from_slice(reader.take(code.cell_width(kind, len))?);
    }
    Some(())
}

fn address(at: Word) -> Option<usize> {
    usize::try_from(at).ok()?.checked_sub(1)
}

struct Reader<'a> {
    words: &'a [Word],
}

impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<Word> {
        let (&word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }

    fn take(&mut self, len: usize) -> Option<&'a [Word]> {
        let (words, rest) = self.words.split_at_checked(len)?;
        self.words = rest;
        Some(words)
    }
}
