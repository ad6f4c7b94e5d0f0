//! What a person or a program is shown. Everything here is a function from values to text: writing it, and taking the
//! colours out where they do not belong, is the caller's.

mod access;
mod decode;
pub mod expected;
mod fold;
pub mod heap;
pub mod line;
pub mod record;
pub mod scene;
pub mod table;
pub mod trace;
pub mod trace_view;
pub mod width;
