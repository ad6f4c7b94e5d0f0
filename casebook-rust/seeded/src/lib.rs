//! Four textbook structures, each with faults that a test plants.
//!
//! Nodes lie in an [`arena`](arena::Arena) and are numbered. They are not reused, unless the fault says so.
//! So the structures need no `unsafe`, and no reclamation.

pub mod arena;
pub mod chase_lev;
pub mod lazy_list;
pub mod ms_queue;
pub mod treiber;
