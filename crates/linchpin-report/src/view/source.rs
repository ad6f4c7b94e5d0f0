//! The text of a model.

use crate::uri;
use crate::visible::visible;
use linchpin_ir::source::{FileId, SourceMap, Span};
use serde::Serialize;

/// A file, line by line.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SourceText {
    pub name: String,
    /// The address of the file.
    pub uri: String,
    pub lines: Vec<String>,
}

impl SourceText {
    pub fn of(sources: &SourceMap, file: FileId) -> SourceText {
        let file = sources.file(file);
        SourceText {
            name: visible(&file.name),
            uri: uri::of_path(&file.name),
            lines: file.text.lines().map(visible).collect(),
        }
    }
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Place {
    /// The address of the file.
    pub uri: String,
    /// From 1.
    pub line: usize,
}

impl Place {
    pub fn of(sources: &SourceMap, span: Span) -> Place {
        Place { uri: uri::of_path(&sources.file(span.file).name), line: sources.line_of(span) }
    }
}
