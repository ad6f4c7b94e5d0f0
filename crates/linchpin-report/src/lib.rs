//! What a person or a program is shown. Everything here is a function from values to text: writing it, and taking the
//! colours out where they do not belong, is the caller's.

mod access;
pub mod alarm;
pub mod calls;
pub mod certificate_file;
pub mod counterexample;
mod decode;
mod endless;
pub mod failures;
mod fold;
pub mod fuzzing;
pub mod gate;
pub mod heap;
pub mod history_view;
pub mod json;
pub mod line;
pub mod plain;
pub mod qualified;
pub mod record;
pub mod recorded;
pub mod render;
pub mod scene;
pub mod strict;
pub mod table;
pub mod trace;
pub mod trace_file;
pub mod trace_view;
pub mod verdicts;
