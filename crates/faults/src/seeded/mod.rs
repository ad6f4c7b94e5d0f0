//! The faults, by the judgement that they break.

mod checker;
mod checker_cmp;
mod checker_sets;
mod dialogues;
mod gate;
mod gate_sets;
mod histories;
mod prover;
mod search;
mod structures;
mod surface;

/// One edit of one place.
pub struct Fault {
    pub name: &'static str,
    /// What is wrong then, for a person.
    pub breaks: &'static str,
    pub file: &'static str,
    /// Stands in the file exactly once.
    pub find: &'static str,
    pub replace: &'static str,
    /// Packages, and the arguments of `cargo test` that choose what is run: whatever stands behind `--` are
    /// filters.
    pub tests: &'static [(&'static str, &'static [&'static str])],
}

impl Fault {
    /// The text with the fault in it.
    pub fn plant(&self, text: &str) -> Result<String, String> {
        match text.matches(self.find).count() {
            1 => Ok(text.replacen(self.find, self.replace, 1)),
            0 => Err(format!("`{}` has no such place any more", self.file)),
            places => Err(format!("`{}` has {places} such places", self.file)),
        }
    }
}

pub fn all() -> Vec<&'static Fault> {
    [
        prover::FAULTS,
        checker::FAULTS,
        checker_cmp::FAULTS,
        checker_sets::FAULTS,
        gate::FAULTS,
        gate_sets::FAULTS,
        search::FAULTS,
        histories::FAULTS,
        structures::FAULTS,
        surface::FAULTS,
        dialogues::FAULTS,
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_fault_has_its_place_in_the_source() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let problems: Vec<String> = all()
            .into_iter()
            .filter_map(|fault| Some(format!("{}: {}", fault.name, problem(&root, fault)?)))
            .collect();
        assert!(problems.is_empty(), "{} faults cannot be planted:\n{}", problems.len(), problems.join("\n"));
    }

    fn problem(root: &Path, fault: &Fault) -> Option<String> {
        let text = match std::fs::read_to_string(root.join(fault.file)) {
            Ok(text) => text,
            Err(error) => return Some(format!("`{}`: {error}", fault.file)),
        };
        match fault.plant(&text) {
            Err(error) => Some(error),
            Ok(planted) if planted == text => Some("the edit changes nothing".into()),
            Ok(_) if fault.tests.is_empty() => Some("no test should notice the fault".into()),
            Ok(_) => None,
        }
    }

    #[test]
    fn names_are_unique_and_there_are_enough() {
        let names: BTreeSet<&str> = all().iter().map(|fault| fault.name).collect();
        assert_eq!(names.len(), all().len());
    }
}
