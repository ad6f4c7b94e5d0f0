//! The program of steps and what it is made of. Everything else in Linchpin is above this crate.
//!
//! | module | contents |
//! |---|---|
//! | [`source`], [`diagnostic`], [`nearest`] | files and positions, errors with labels, suggestions for misspelt names |
//! | [`index`], [`types`] | typed indices; types and how values lie in slots |
//! | [`interface`], [`property`] | the outside of an object: operations, roles, specifications, properties |
//! | [`program`] | the program of steps: instructions, expressions, places; printer, validator, static analyses |
//! | [`heap`] | heap programs: the part of the language that provers take |

pub mod diagnostic;
pub mod heap;
pub mod index;
pub mod interface;
pub mod nearest;
pub mod program;
pub mod property;
pub mod source;
pub mod types;

pub use diagnostic::Diagnostic;
pub use interface::Setting;
pub use program::Program;
pub use property::Property;
pub use source::SourceMap;
