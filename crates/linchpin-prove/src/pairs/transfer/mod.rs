//! Postconditions of steps. A step starts from an unpacked view and ends in every view that it may lead to.
//!
//! Arrows: `scene` ← `run` ← `decide` ← `labels`, `ages` ← `access` ← `alloc` ← `finish` ← `step`.

mod access;
mod ages;
mod alloc;
mod decide;
mod finish;
mod labels;
mod run;
mod scene;
mod step;

pub use run::{AbstractRun, Context, Outcomes};
pub use scene::{Thread, UnpackedView, local_terms, sentinels, unpack};
