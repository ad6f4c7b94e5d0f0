//! For the unit tests of the checker: the titles of the errors in a text; the order of the phases.

use super::{Setting, check};
use linchpin_ir::source::SourceMap;
use std::collections::BTreeMap;

pub(super) fn titles(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let root = sources.add("test.lin", text);
    let modules = BTreeMap::<String, String>::new();
    let checked = check(&mut sources, &modules, root, &Setting::default());
    checked.diagnostics.into_iter().map(|diagnostic| diagnostic.title).collect()
}

/// Phases in their order. A phase may name itself and those before it.
const PHASES: [&str; 4] = ["collect", "declare", "check", "assemble"];

#[test]
fn a_phase_uses_earlier_phases_only() {
    let typing = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/typing");
    let mut wrong = Vec::new();
    for (i, phase) in PHASES.iter().enumerate() {
        for entry in std::fs::read_dir(typing.join(phase)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            for later in &PHASES[i + 1..] {
                let named = [format!("typing::{later}::"), format!("super::{later}::")];
                if named.iter().any(|name| text.contains(name)) {
                    wrong.push(format!("{} uses `{later}`", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
