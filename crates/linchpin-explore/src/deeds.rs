//! Who did what in one move, in numbers: what questions about progress ask of it.
//!
//! A move may hold steps of several threads, since local ones are run ahead ([`super::expand`]).

use super::successors::{Action, ClientEvent};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::program::OpId;
use linchpin_semantics::ThreadId;

/// Threads whose deeds are told apart.
pub const MOST_THREADS: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct MoveSummary {
    /// The call that the move begins with, and who makes it.
    pub call: Option<(u8, OpId)>,
    /// By thread: its steps, the call included.
    pub steps: [u8; MOST_THREADS],
    /// A bit for each thread whose call returns.
    pub returned: u16,
    /// A bit for each thread whose call passes its annotated point, and for each that may.
    pub points: u16,
    pub perhaps_points: u16,
    /// The move begins with a spurious wake-up: it may happen, and need not.
    pub is_spurious: bool,
}

impl MoveSummary {
    pub fn note(&mut self, thread: ThreadId, action: Action<'_>) {
        if let Action::Call { op, .. } = action {
            self.call = Some((byte_of(thread.index()), op));
        }
        if let Some(steps) = self.steps.get_mut(thread.index()) {
            *steps = steps.saturating_add(1);
        }
    }

    pub fn note_seen(&mut self, seen: &ClientEvent) {
        match seen {
            ClientEvent::Call { .. } => {}
            ClientEvent::Lin { thread, maybe: false } => self.points |= bit(thread.index()),
            ClientEvent::Lin { thread, maybe: true } => self.perhaps_points |= bit(thread.index()),
            ClientEvent::Return { thread, .. } => self.returned |= bit(thread.index()),
        }
    }

    /// A bit for each thread that made a step.
    pub fn stepped(&self) -> u16 {
        self.steps.iter().enumerate().filter(|(_, steps)| **steps > 0).fold(0, |mask, (t, _)| mask | bit(t))
    }
}

/// The bit of a thread; none beyond those that are told apart.
pub fn bit(thread: usize) -> u16 {
    1u16.checked_shl(number_of(thread)).unwrap_or(0)
}

/// The bits of threads, one each, as [`bit`] has them. There are at most [`MOST_THREADS`]: a graph refuses more.
pub fn told_apart(threads: u32) -> u16 {
    u16::try_from(threads).expect("a graph has at most MOST_THREADS threads")
}
