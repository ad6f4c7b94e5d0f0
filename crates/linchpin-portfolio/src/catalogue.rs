//! The catalogue: published algorithms as models, embedded in the binary.
//!
//! `models/correct` has objects that meet their specification. `models/wrong` has objects that violate it, or
//! whose annotated points are wrong. Each model contains its expected verdicts.

use linchpin_frontend::typing::Modules;

/// One file of the catalogue. Names are unique over both groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub group: Group,
    pub text: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Group {
    Correct,
    Wrong,
}

/// Returns all files: correct models first, each group sorted by name.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// Returns the names closest to a misspelt name, best first.
pub fn similar(name: &str) -> Vec<&'static str> {
    linchpin_ir::nearest::nearest(name, ENTRIES.iter().map(|entry| entry.name))
}

impl Entry {
    /// Returns the path of the file in the repository, for messages.
    pub fn path(&self) -> String {
        let group = match self.group {
            Group::Correct => "correct",
            Group::Wrong => "wrong",
        };
        format!("models/{group}/{}.lin", self.name)
    }
}

/// The modules of a catalogue model: the other files of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueModules;

impl Modules for CatalogueModules {
    fn read(&self, module: &str) -> Option<(String, String)> {
        find(module).map(|entry| (entry.path(), entry.text.to_string()))
    }

    fn names(&self) -> Vec<String> {
        ENTRIES.iter().map(|entry| entry.name.to_string()).collect()
    }
}

const ENTRIES: &[Entry] = include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_over_both_groups() {
        let names: BTreeSet<_> = entries().iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), entries().len());
    }

    #[test]
    fn the_best_known_algorithm_is_there_and_survives_a_slip() {
        let entry = find("treiber_stack").expect("the catalogue holds treiber_stack");
        assert_eq!(entry.path(), "models/correct/treiber_stack.lin");
        assert_eq!(similar("trieber_stack").first(), Some(&"treiber_stack"));
        assert!(similar("zzzzzzzz").is_empty());
    }
}
