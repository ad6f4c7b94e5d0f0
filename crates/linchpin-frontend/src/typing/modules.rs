//! The source of modules. The checker knows `std` and the library specifications. The caller supplies the
//! others: a directory, the catalogue, a test's map.

use std::collections::BTreeMap;

/// Finds the text of `use name::…`.
pub trait Modules {
    /// The name to show and the text; `None` if there is no such module.
    fn read(&self, module: &str) -> Option<(String, String)>;

    /// Names of modules that exist, for suggestions.
    fn names(&self) -> Vec<String>;
}

impl Modules for BTreeMap<String, String> {
    fn read(&self, module: &str) -> Option<(String, String)> {
        self.get(module).map(|text| (format!("{module}.lin"), text.clone()))
    }

    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}
