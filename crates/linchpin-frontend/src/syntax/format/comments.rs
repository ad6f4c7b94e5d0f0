//! Finds the place of each comment.
//!
//! Documents are built in the order of the text, and a cursor walks along the comments: whatever is written
//! first asks for the comments before it. One that shares its line with code goes to the end of a line, one
//! that had a line of its own gets one. None can be lost: the end of the file asks for all that are left.

use super::super::ast::Comment;
use super::doc::Doc;
use super::lines::Origin;

pub(super) struct Comments<'a> {
    source: &'a str,
    rest: &'a [Comment],
}

impl<'a> Comments<'a> {
    pub(super) fn new(source: &'a str, comments: &'a [Comment]) -> Comments<'a> {
        Comments { source, rest: comments }
    }

    /// The start of the next comment, if it comes before `position`.
    pub(super) fn next_before(&self, position: usize) -> Option<usize> {
        self.rest.first().map(|c| c.span.start as usize).filter(|start| *start < position)
    }

    pub(super) fn any_before(&self, position: usize) -> bool {
        self.next_before(position).is_some()
    }

    /// Takes the next comment, if it comes before `position` at the end of a line with code.
    pub(super) fn trailing(&mut self, position: usize) -> Option<Doc> {
        let (comment, rest) = self.rest.split_first()?;
        if comment.own_line || comment.span.start as usize >= position {
            return None;
        }
        self.rest = rest;
        let origin = self.origin(comment.span.start as usize);
        Some(Doc::Trailing(comment.text.clone(), origin))
    }

    /// Takes the next comment, if it comes before `position`.
    pub(super) fn take(&mut self, position: usize) -> Option<Doc> {
        if let Some(doc) = self.trailing(position) {
            return Some(doc);
        }
        self.next_before(position)?;
        let (comment, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(Doc::OwnLine(comment.text.clone()))
    }

    /// Returns whether an empty line is before `position`.
    pub(super) fn blank_line_before(&self, position: usize) -> bool {
        let before = self.source.get(..position).unwrap_or("");
        let gap = &before[before.trim_end().len()..];
        gap.matches('\n').count() > 1
    }

    /// Returns whether a line ends between `start` and `end`.
    pub(super) fn line_ends_within(&self, start: usize, end: usize) -> bool {
        self.source.get(start..end).is_some_and(|text| text.contains('\n'))
    }

    pub(super) fn text(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or("")
    }

    fn origin(&self, position: usize) -> Origin {
        let before = self.source.get(..position).unwrap_or("");
        let line = before.rfind('\n').map_or(before, |newline| &before[newline + 1..]);
        let column = line.chars().count();
        Origin { column, gap: column - line.trim_end().chars().count() }
    }
}
