//! The formatter: four spaces, lines of about 110 characters, every comment kept.
//!
//! The result depends on the tree, on the comments, and on three things of the old text:
//! - where empty lines stood (at most one is kept);
//! - which blocks were on one line (they stay on one line if they are simple and fit);
//! - which declarations were spread over lines.
//!
//! Formatting twice changes nothing.

mod comments;
mod declarations;
mod doc;
mod expressions;
mod lines;
mod specs;
mod statements;

use super::ast::{Comment, File, Item, Object};
use comments::Comments;
use doc::{Doc, concat_docs, layout};
use linchpin_ir::source::Span;

/// The text of a tree that was parsed from `source` without errors.
pub fn format(file: &File, source: &str) -> String {
    let mut printer = Printer { comments: Comments::new(source, &file.comments) };
    layout(&printer.file(file, source))
}

struct Printer<'a> {
    comments: Comments<'a>,
}

impl Printer<'_> {
    fn file(&mut self, file: &File, source: &str) -> Doc {
        let mut parts = Vec::new();
        if !file.header.is_empty() {
            self.header(&mut parts, file, source);
        }
        enum Unit<'f> {
            Object(&'f Object),
            Item(&'f Item),
        }
        let object = file.object.iter().map(Unit::Object);
        let units: Vec<Unit> = object.chain(file.items.iter().map(Unit::Item)).collect();
        let span = |unit: &Unit| match unit {
            Unit::Object(object) => object.span,
            Unit::Item(item) => item.span,
        };
        let body = self.sequence(&units, span, source.len(), |p, unit| match unit {
            Unit::Object(object) => p.object(object),
            Unit::Item(item) => p.item(item),
        });
        parts.push(body);
        parts.into()
    }

    /// The header after the comments that stand before it.
    fn header(&mut self, parts: &mut Vec<Doc>, file: &File, source: &str) {
        let start = header_start(source, &file.comments);
        while let Some(comment) = self.comments.take(start) {
            parts.extend([comment, Doc::HardLine]);
        }
        for line in &file.header {
            parts.extend([format!("//! {line}").trim_end().into(), Doc::HardLine]);
        }
        let first = file.object.as_ref().map(|o| o.span).or(file.items.first().map(|i| i.span));
        let next = first.map_or(source.len(), |span| span.start as usize);
        let next = self.comments.next_before(next).unwrap_or(next);
        if self.comments.blank_line_before(next) {
            parts.push(Doc::BlankLine);
        }
    }

    /// Things below each other, with the comments and the empty lines between them, up to `end`.
    fn sequence<T>(
        &mut self,
        units: &[T],
        span: impl Fn(&T) -> Span,
        end: usize,
        mut build: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc {
        let mut parts: Vec<Doc> = Vec::new();
        for (index, unit) in units.iter().enumerate() {
            let start = span(unit).start as usize;
            self.comment_lines(&mut parts, start);
            self.separate(&mut parts, start);
            let doc = build(self, unit);
            parts.push(doc);
            let next = units.get(index + 1).map_or(end, |next| span(next).start as usize);
            parts.extend(self.comments.trailing(next));
        }
        self.comment_lines(&mut parts, end);
        parts.into()
    }

    /// The comments before `position`, each on its line.
    fn comment_lines(&mut self, parts: &mut Vec<Doc>, position: usize) {
        while let Some(start) = self.comments.next_before(position) {
            self.separate(parts, start);
            parts.extend(self.comments.take(position));
        }
    }

    fn separate(&self, parts: &mut Vec<Doc>, position: usize) {
        if !parts.is_empty() {
            let blank = self.comments.blank_line_before(position);
            parts.push(if blank { Doc::BlankLine } else { Doc::HardLine });
        }
    }

    /// The comments before `position`, in the midst of something.
    fn flush(&mut self, position: usize) -> Doc {
        let mut parts = Vec::new();
        while let Some(comment) = self.comments.take(position) {
            parts.push(comment);
        }
        parts.into()
    }

    /// A text of the source at `span`, after the comments before it.
    fn leaf(&mut self, span: Span, text: impl Into<Doc>) -> Doc {
        concat_docs![self.flush(span.start as usize), text.into()]
    }

    /// `open element, element close`: on one line, or an element a line with a comma after each.
    fn delimited<T>(
        &mut self,
        elements: &[T],
        shape: Delimiters,
        mut build: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc
    where
        T: Spanned,
    {
        let Delimiters { open, close, close_position, padding, expanded } = shape;
        if elements.is_empty() && !self.comments.any_before(close_position) {
            return concat_docs![open, close];
        }
        let edge = if expanded {
            Doc::HardLine
        } else if padding {
            Doc::Line
        } else {
            Doc::SoftLine
        };
        let first = elements.first().map_or(close_position, |e| e.span().start as usize);
        let mut inner: Vec<Doc> = self.comments.trailing(first).into_iter().collect();
        for (index, element) in elements.iter().enumerate() {
            inner.push(if index == 0 { edge.clone() } else { Doc::Line });
            inner.push(build(self, element));
            let next = elements.get(index + 1).map(|e| e.span().start as usize);
            inner.push(if next.is_some() { ",".into() } else { Doc::IfBroken(",") });
            inner.extend(self.comments.trailing(next.unwrap_or(close_position)));
        }
        inner.push(self.flush(close_position));
        concat_docs![open, Doc::from(inner).nest(), edge, close].group()
    }

    /// Texts after each other, as many on a line as fit.
    fn fill(&self, elements: Vec<Doc>) -> Doc {
        let mut parts = Vec::new();
        for (index, element) in elements.into_iter().enumerate() {
            parts.push(if index == 0 { element } else { concat_docs![Doc::Line, element].group() });
        }
        parts.into()
    }
}

/// How a list is bracketed.
struct Delimiters {
    open: &'static str,
    close: &'static str,
    /// Of the closing bracket in the source.
    close_position: usize,
    /// A space inside the brackets.
    padding: bool,
    /// Spread over lines whatever its width.
    expanded: bool,
}

impl Delimiters {
    fn tight(open: &'static str, close: &'static str, close_position: usize) -> Delimiters {
        Delimiters { open, close, close_position, padding: false, expanded: false }
    }

    fn padded(open: &'static str, close: &'static str, close_position: usize) -> Delimiters {
        Delimiters { padding: true, ..Delimiters::tight(open, close, close_position) }
    }
}

/// What has a place in the source.
trait Spanned {
    fn span(&self) -> Span;
}

/// Where the header begins: the first marked line that is not one of the comments.
fn header_start(source: &str, comments: &[Comment]) -> usize {
    let is_comment = |start: &usize| {
        let before = comments.partition_point(|c| c.span.start as usize <= *start);
        comments[..before].last().is_some_and(|c| *start < c.span.end as usize)
    };
    source.match_indices("//!").map(|(start, _)| start).find(|start| !is_comment(start)).unwrap_or(0)
}
