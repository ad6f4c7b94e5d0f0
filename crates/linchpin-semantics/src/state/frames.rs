//! The frames of callers.
//!
//! A call of a recursive function saves the caller's frame on the stack; a return restores it.
//! [`State::stack`] holds the frames of thread 0, then those of thread 1, and so on. Each thread's block
//! holds the number of its words. A frame is the caller's slots, then the address of the call:
//!
//! ```text
//! | slots of the outermost caller | address of its call | slots of the next | address | …
//! ```

use crate::code::layout::STACK;
use crate::code::{Code, Op, Span};
use crate::instance::bounds::ThreadId;
use crate::state::State;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::types::{Word, word_of};
use std::ops::Range;

impl State {
    /// Returns the range of a thread's words in the stack.
    #[doc(hidden)]
    #[inline]
    pub fn stack_of(&self, code: &Code, thread: ThreadId) -> Range<usize> {
        if self.stack.is_empty() {
            return 0..0;
        }
        let layout = &code.layout;
        let words = |t: usize| self.words[layout.block_of(ThreadId::new(t)) + STACK].cast_unsigned() as usize;
        let start: usize = (0..thread.index()).map(words).sum();
        start..start + words(thread.index())
    }

    /// Returns the depth of a thread's nested calls.
    pub(crate) fn depth(&self, code: &Code, thread: ThreadId) -> u32 {
        number_of(saved_frames(code, &self.stack[self.stack_of(code, thread)]).count())
    }

    /// Saves the running frame of a method. Only the slots in `kept` are used again.
    pub(crate) fn push_frame(&mut self, code: &Code, thread: ThreadId, address: usize, kept: &[Span]) {
        let method = &code.methods[code.instrs[address].method as usize];
        let size = method.slots.len();
        let at = self.stack_of(code, thread).end;
        let old_len = self.stack.len();
        self.stack.resize(old_len + size + 1, 0);
        self.stack.copy_within(at..old_len, at + size + 1);
        self.stack[at..at + size].copy_from_slice(&method.defaults);
        let frame = code.layout.block_of(thread) + code.layout.frame;
        for span in kept {
            let (from, to) = (frame + span.at as usize, at + span.at as usize);
            self.stack[to..to + span.width as usize]
                .copy_from_slice(&self.words[from..from + span.width as usize]);
        }
        self.stack[at + size] = word_of(address);
        self.words[code.layout.block_of(thread) + STACK] += word_of(size) + 1;
    }

    /// Restores the frame saved last. Returns the address of its call.
    pub(crate) fn pop_frame(&mut self, code: &Code, thread: ThreadId) -> Option<usize> {
        let range = self.stack_of(code, thread);
        let (&address, _) = self.stack[range.clone()].split_last()?;
        let address = address.cast_unsigned() as usize;
        let size = code.methods[code.instrs[address].method as usize].slots.len();
        let start = range.end - size - 1;
        let frame = code.layout.block_of(thread) + code.layout.frame;
        self.words[frame..frame + size].copy_from_slice(&self.stack[start..start + size]);
        self.words[frame + size..frame + code.layout.frame_size].fill(0);
        self.stack.drain(start..range.end);
        self.words[code.layout.block_of(thread) + STACK] -= word_of(size) + 1;
        Some(address)
    }

    /// Replaces the running frame by a new frame of a method. `args` are the words of all parameters.
    pub(crate) fn enter(&mut self, code: &Code, thread: ThreadId, method: u32, args: &[Word]) {
        let method = &code.methods[method as usize];
        let at = code.layout.block_of(thread) + code.layout.frame;
        let frame = &mut self.words[at..at + code.layout.frame_size];
        let (own, rest) = frame.split_at_mut(method.defaults.len());
        own.copy_from_slice(&method.defaults);
        rest.fill(0);
        let mut args = args;
        for param in &method.params {
            let (words, others) = args.split_at(param.width as usize);
            own[param.range()].copy_from_slice(words);
            args = others;
        }
        debug_assert!(args.is_empty(), "as many arguments as parameters");
    }
}

/// Iterates over the saved frames of a thread, innermost first: the slots, and the address of the call.
pub fn saved_frames<'a>(
    code: &'a Code,
    stack: &'a [Word],
) -> impl Iterator<Item = (Range<usize>, usize)> + 'a {
    let mut end = stack.len();
    std::iter::from_fn(move || {
        let address = stack.get(end.checked_sub(1)?)?.cast_unsigned() as usize;
        let instr = &code.instrs[address];
        debug_assert!(matches!(instr.op, Op::Call { .. }));
        let size = code.methods[instr.method as usize].slots.len();
        let slots = end - 1 - size..end - 1;
        end = slots.start;
        Some((slots, address))
    })
}
