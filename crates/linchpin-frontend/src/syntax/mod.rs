//! From text to tree and back.
//!
//! [`parse`] never fails and never panics: it gives the tree of what could be read and every error of the
//! file, in the order of the text. [`format()`] writes a tree as a person would. The two obey, for a text
//! without errors,
//!
//! ```text
//! shape(parse(format(parse(text)))) = shape(parse(text))        format ∘ parse is idempotent
//! ```
//!
//! and every comment of the text is in the formatted one, in the same order ([`fuzzing::check_syntax`] states
//! it).
//!
//! Deliberately absent: names are not resolved, types are not known, nothing is desugared.

pub mod ast;
mod format;
#[doc(hidden)]
pub mod fuzzing;
mod lexer;
mod parser;
mod shape;
mod token;

pub use format::format;
pub use parser::{parse, parse_applied};
pub use shape::shape;
