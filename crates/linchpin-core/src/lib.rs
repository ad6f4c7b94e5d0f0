//! Linchpin's trusted half: the language, the one meaning of a step, and the only makers of a verdict.
//!
//! Data goes one way: [`source`] and [`diagnostic`] → [`syntax`] → [`typing`] → [`lower`] → [`ir`] → [`semantics`] →
//! [`history`] → [`verdict`] → [`replay`].

pub mod certify;
pub mod diagnostic;
pub mod gate;
pub mod history;
pub mod index;
pub mod interface;
pub mod ir;
pub mod lower;
pub mod replay;
pub mod semantics;
pub mod source;
pub mod stop;
pub mod syntax;
pub mod types;
pub mod typing;
pub mod verdict;
