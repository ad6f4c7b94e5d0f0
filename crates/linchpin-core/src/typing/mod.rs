//! From the tree to the typed program ([`hir`]): names, modules, type parameters, constants, types, checks.
//!
//! The checker reports every error of a file in one pass and gives a program only when there is none.

pub mod hir;
mod modules;

pub use modules::Modules;

use std::collections::BTreeMap;

/// What is substituted before types are known: sizes of arrays and ranges may depend on it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Setting {
    pub threads: u32,
    /// Values for `const`s other than those in the file.
    pub constants: BTreeMap<String, i64>,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting { threads: 2, constants: BTreeMap::new() }
    }
}
