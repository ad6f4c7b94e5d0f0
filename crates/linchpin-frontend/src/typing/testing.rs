//! For the unit tests of this room: a text in, the titles of what is wrong with it out.

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
