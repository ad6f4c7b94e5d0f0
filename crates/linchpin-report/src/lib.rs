//! Reports for people and programs: text, JSON, files of traces and certificates, recorded histories.
//!
//! Every function maps values to text and writes nothing. Text for people contains escape codes for colours;
//! [`plain`] gives the same text without them.

pub mod abstract_view;
mod access;
pub mod alarm;
pub mod calls;
pub mod certificate_file;
pub mod cmp_certificate_file;
pub mod counterexample;
mod decode;
mod endless;
pub mod exploration;
pub mod failures;
pub mod fold;
pub mod fuzzing;
pub mod gate;
pub mod heap;
pub mod history_view;
pub mod json;
pub mod line;
pub mod plain;
pub mod qualified;
pub mod quantities;
pub mod record;
pub mod recorded;
pub mod render;
pub mod requests;
pub mod scene;
pub mod set_certificate_file;
pub mod state_space;
pub mod strict;
pub mod table;
pub mod trace;
pub mod trace_file;
pub mod trace_view;
pub mod uri;
pub mod verdicts;
pub mod view;
pub mod visible;
