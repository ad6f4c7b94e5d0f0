//! Interference: the effect of a thread's visible step on the other thread of a view.

use crate::pairs::domain::shape::Shape;
use linchpin_ir::program::OpId;
use std::rc::Rc;

/// The number of a view.
pub type ViewId = u32;

/// The result of a visible step without the thread that made it: the shared state and the other thread of the
/// view.
pub struct Interference {
    pub shared: u32,
    /// The state of the other thread.
    pub local: u32,
    /// The state of the acting thread after the step.
    pub by: u32,
    /// The shape of the shared state and the other thread; `None` if the step is not visible to them.
    pub visible_to_peer: Option<Rc<Shape>>,
    /// The terms of the other thread before the step that it still has, one bit each.
    pub kept: u32,
    /// The terms of the other thread that may reach a cell whose edge was redirected, one bit each.
    pub moved: u32,
    pub op: Option<OpId>,
    /// The step ends the call.
    pub ends: bool,
}

/// The interferences of all steps of one thread of a view.
#[derive(Default)]
pub struct Interferences {
    pub all: Vec<Interference>,
    /// All visible steps are plain: they neither change nor learn anything about cells, pointers and ages.
    pub are_plain: bool,
}

/// One of three threads in the role of the actor; the other two are its victims.
pub struct Role {
    /// The position of the actor among the three.
    pub actor: usize,
    pub state: u32,
    /// The positions of the victims, in order.
    pub victims: [usize; 2],
    /// The view of the two victims.
    pub view: ViewId,
    /// The views of the actor with each victim.
    pub with: [ViewId; 2],
}

impl Interference {
    /// Returns whether this interference with one thread and `other` with another thread may belong to the
    /// same step.
    pub fn is_one_step_with(&self, other: &Interference) -> bool {
        self.shared == other.shared && self.by == other.by
    }
}
