//! Drops vacant cells and unused contents, and numbers contents by what they hold.

use crate::code::Code;
use crate::code::collection_class::RootKind;
use crate::instance::bounds::CellId;
use crate::state::collection::sort_elements;
use crate::state::contents::Contents;
use crate::state::roots::{for_each_element, for_each_root_mut};
use crate::state::{CellStatus, ScratchBuffers, State};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::types::Word;

/// Drops the words of vacant cells, and unused contents. Every cell keeps its name.
pub(crate) fn compact(code: &Code, state: &mut State) {
    let mut spare = std::mem::take(&mut state.spare);
    spare.heap.clear();
    spare.names.clear();
    for (at, cell) in state.cells.iter_mut().enumerate() {
        if cell.status == CellStatus::Vacant {
            cell.len = 0;
        }
        let (start, width) = (cell.start as usize, code.cell_width(cell.kind, cell.len));
        cell.start = number_of(spare.heap.len());
        spare.heap.extend_from_slice(&state.heap[start..start + width]);
        spare.names.push(CellId::new(at).pointer());
    }
    std::mem::swap(&mut state.heap, &mut spare.heap);
    pack_contents(code, state, &mut spare);
    state.spare = spare;
}

/// Drops unused contents. Numbers the others by what they hold, those without nested collections first.
/// Pointers in contents still have their old names.
pub(crate) fn pack_contents(code: &Code, state: &mut State, spare: &mut ScratchBuffers) {
    if state.contents.is_empty() {
        return;
    }
    mark_contents(code, state, spare);
    let State { contents, .. } = state;
    let depth =
        |contents: &Contents, handle: Word| contents.class(handle).map(|class| code.classes.get(class).depth);
    spare.live.sort_unstable_by_key(|handle| (depth(contents, *handle), *handle));
    spare.contents.clear();
    let mut start = 0;
    while let Some(&first) = spare.live.get(start) {
        let level = depth(contents, first);
        let is_level = |handle: &&Word| depth(contents, **handle) == level;
        let end = start + spare.live[start..].iter().take_while(is_level).count();
        let level = &mut spare.live[start..end];
        for handle in level.iter() {
            rename_contents(code, contents, *handle, &spare.names, &spare.handles);
        }
        let key = |handle: Word| (contents.class(handle), contents.get(handle));
        level.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
        for &mut handle in level {
            if let (Some(class), words) = key(handle) {
                spare.handles[place(handle)] = spare.contents.push(class, words);
            }
        }
        start = end;
    }
    let handles = &spare.handles;
    for_each_root_mut(code, state, &mut |word, kind| {
        if let RootKind::Collection(_) = kind
            && *word > 0
        {
            *word = handles[place(*word)];
        }
    });
    std::mem::swap(&mut state.contents, &mut spare.contents);
}

/// Fills `live` with the handles in use, and marks them in `handles`.
fn mark_contents(code: &Code, state: &mut State, spare: &mut ScratchBuffers) {
    let ScratchBuffers { handles, live, .. } = spare;
    handles.clear();
    handles.resize(state.contents.len() + 1, 0);
    live.clear();
    let mut mark = |word: Word, kind: RootKind, live: &mut Vec<Word>| {
        if let RootKind::Collection(_) = kind
            && word > 0
            && handles[place(word)] == 0
        {
            handles[place(word)] = word;
            live.push(word);
        }
    };
    for_each_root_mut(code, state, &mut |word, kind| mark(*word, kind, live));
    let mut next = 0;
    while let Some(&handle) = live.get(next) {
        next += 1;
        let Some(class) = state.contents.class(handle) else { continue };
        for_each_element(code, state, class, handle, &mut |word, kind| mark(word, kind, live));
    }
}

/// Returns the index of a handle that is not 0.
fn place(handle: Word) -> usize {
    handle.cast_unsigned() as usize
}

fn rename_contents(code: &Code, contents: &mut Contents, handle: Word, names: &[Word], handles: &[Word]) {
    let Some(class) = contents.class(handle) else { return };
    let class = code.classes.get(class);
    let words = contents.get_mut(handle);
    for element in words.chunks_exact_mut(class.stride()) {
        for root in &class.roots {
            let word = &mut element[root.slot as usize];
            match root.kind {
                RootKind::Pointer => rename(names, word),
                RootKind::Collection(_) if *word > 0 => *word = handles[place(*word)],
                RootKind::Collection(_) => {}
            }
        }
    }
    if class.is_sorted() {
        sort_elements(class.stride(), words);
    }
}

pub(crate) fn rename(names: &[Word], word: &mut Word) {
    if let Some(cell) = CellId::of_pointer(*word) {
        *word = names[cell.index()];
    }
}
