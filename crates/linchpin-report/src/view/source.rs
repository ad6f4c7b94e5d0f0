//! The text of a model.

use crate::visible::visible;
use linchpin_ir::source::{FileId, SourceMap};
use serde::Serialize;

/// A file, line by line.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SourceText {
    pub name: String,
    pub lines: Vec<String>,
}

impl SourceText {
    pub fn of(sources: &SourceMap, file: FileId) -> SourceText {
        let file = sources.file(file);
        SourceText { name: visible(&file.name), lines: file.text.lines().map(visible).collect() }
    }
}
