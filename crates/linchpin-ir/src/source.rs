//! Files and positions in them. Every diagnostic points here.

use std::sync::Arc;

/// One file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(u32);

/// A range of bytes in one file; `start <= end`, both on character boundaries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    #[inline]
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: place(start), end: place(end) }
    }

    /// The smallest span that covers both; spans of two files give the first.
    #[inline]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A file's name as the user gave it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Line and column of a byte, both from 1.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        let column = self.text.get(start as usize..offset as usize).map_or(0, |t| t.chars().count());
        (line, column + 1)
    }

    /// The text of a line (from 1), without its end.
    pub fn line(&self, line: usize) -> &str {
        let Some(&start) = self.line_starts.get(line.wrapping_sub(1)) else { return "" };
        let end = self.line_starts.get(line).map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// All files of one run: the model, the modules it uses, the library.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| place(i) + 1));
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId(place(self.files.len()) - 1)
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(place(i)), f))
    }

    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The line (from 1) on which a span begins.
    pub fn line_of(&self, span: Span) -> usize {
        self.file(span.file).line_column(span.start).0
    }
}

/// A place in a text, or the number of a file.
#[inline]
fn place(number: usize) -> u32 {
    u32::try_from(number).expect("readers reject files larger than 1 GiB")
}
