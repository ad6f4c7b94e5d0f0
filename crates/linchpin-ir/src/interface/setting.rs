//! Values that are fixed before a model is checked.

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
