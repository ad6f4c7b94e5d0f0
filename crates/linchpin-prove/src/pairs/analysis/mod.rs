//! The fixpoint over views.
//!
//! Arrows: `interference` ← `views` ← `state` ← `heap_independent`, `solo`, `replay`; `views` ←
//! `subsumption`; `worklist` uses all.

mod heap_independent;
mod interference;
mod replay;
mod solo;
mod state;
mod subsumption;
mod views;
mod worklist;

pub use state::Stopped;
pub use views::{Cause, Known, Views};
pub use worklist::Fixpoint;
