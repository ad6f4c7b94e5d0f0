//! Summary of one move, per thread: steps, call, return, linearization point. Used by progress checks.
//!
//! A move may have steps of several threads, since it includes local steps ([`crate::expand`]).

use super::successors::Action;
use crate::monitor::ClientEvent;
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::program::OpId;
use linchpin_semantics::ThreadId;

/// The limit on threads that a summary distinguishes.
pub const MOST_THREADS: usize = 16;

/// What each thread does in a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct MoveSummary {
    /// The call that the move begins with, and its thread.
    pub call: Option<(u8, OpId)>,
    /// The number of steps of each thread, the call included.
    pub steps: [u8; MOST_THREADS],
    /// A bit for each thread whose call returns.
    pub returned: u16,
    /// A bit for each thread whose call passes its annotated point.
    pub points: u16,
    /// A bit for each thread whose call passes a tentative point.
    pub perhaps_points: u16,
    /// The move begins with a spurious wake-up, which may happen but need not.
    pub is_spurious: bool,
}

impl MoveSummary {
    /// Adds a call or step of a thread.
    pub fn note(&mut self, thread: ThreadId, action: Action<'_>) {
        if let Action::Call { op, .. } = action {
            self.call = Some((byte_of(thread.index()), op));
        }
        if let Some(steps) = self.steps.get_mut(thread.index()) {
            *steps = steps.saturating_add(1);
        }
    }

    /// Adds an event between client and object.
    pub fn note_event(&mut self, event: &ClientEvent) {
        match event {
            ClientEvent::Call { .. } => {}
            ClientEvent::Lin { thread, maybe: false } => self.points |= bit(thread.index()),
            ClientEvent::Lin { thread, maybe: true } => self.perhaps_points |= bit(thread.index()),
            ClientEvent::Return { thread, .. } => self.returned |= bit(thread.index()),
        }
    }

    /// Returns a bit for each thread that makes a step.
    pub fn stepped(&self) -> u16 {
        self.steps.iter().enumerate().filter(|(_, steps)| **steps > 0).fold(0, |mask, (t, _)| mask | bit(t))
    }
}

/// Returns the bit of a thread; 0 for threads beyond [`MOST_THREADS`].
pub fn bit(thread: usize) -> u16 {
    1u16.checked_shl(number_of(thread)).unwrap_or(0)
}

/// Narrows a mask of threads to the width of [`bit`]. A graph has at most [`MOST_THREADS`] threads.
pub fn thread_bits(threads: u32) -> u16 {
    u16::try_from(threads).expect("a graph has at most MOST_THREADS threads")
}
