//! Documents that may be laid out on one line or on several, and the choice between the two.
//!
//! The algebra is Wadler's ("A prettier printer", 2003) with two more leaves for comments. A [`Doc::Group`]
//! is laid out flat iff it fits into the rest of the line; a comment, which ends its line, never fits.
//! Whatever follows a comment begins a new line, so that no document can swallow code.

use super::lines::{Line, Origin, finish};

const WIDTH: usize = 110;

#[derive(Clone, Debug)]
pub(super) enum Doc {
    Text(String),
    /// A space, or a new line in a broken group.
    Line,
    /// Nothing, or a new line in a broken group.
    SoftLine,
    HardLine,
    /// A new line with an empty one before it.
    BlankLine,
    /// A text that is printed only in a broken group.
    IfBroken(&'static str),
    /// A comment at the end of the current line.
    Trailing(String, Origin),
    /// A comment on a line of its own.
    OwnLine(String),
    Concat(Vec<Doc>),
    Nest(usize, Box<Doc>),
    Group(Box<Doc>),
}

impl Doc {
    pub(super) fn empty() -> Doc {
        Doc::Concat(Vec::new())
    }

    pub(super) fn nest(self) -> Doc {
        Doc::Nest(4, Box::new(self))
    }

    pub(super) fn group(self) -> Doc {
        Doc::Group(Box::new(self))
    }
}

impl From<&str> for Doc {
    fn from(text: &str) -> Doc {
        Doc::Text(text.to_owned())
    }
}

impl From<String> for Doc {
    fn from(text: String) -> Doc {
        Doc::Text(text)
    }
}

impl From<Vec<Doc>> for Doc {
    fn from(parts: Vec<Doc>) -> Doc {
        Doc::Concat(parts)
    }
}

/// Each argument becomes a document; together they are one.
macro_rules! concat_docs {
    ($($part:expr),* $(,)?) => {
        $crate::syntax::format::doc::Doc::Concat(vec![$($crate::syntax::format::doc::Doc::from($part)),*])
    };
}
pub(super) use concat_docs;

/// The text of a document, every line ended.
pub(super) fn layout(doc: &Doc) -> String {
    let mut layout = Layout { lines: Vec::new(), line: Line::default(), column: 0, closed: false };
    let mut rest = vec![Frame { indent: 0, flat: false, doc }];
    while let Some(Frame { indent, flat, doc }) = rest.pop() {
        match doc {
            Doc::Text(text) => layout.text(indent, text),
            Doc::Line if flat => layout.text(indent, " "),
            Doc::SoftLine if flat => {}
            Doc::Line | Doc::SoftLine | Doc::HardLine => layout.new_line(),
            Doc::BlankLine => layout.blank_line(),
            Doc::IfBroken(_) if flat => {}
            Doc::IfBroken(text) => layout.text(indent, text),
            Doc::Trailing(text, origin) => layout.trailing(indent, text, *origin),
            Doc::OwnLine(text) => layout.own_line(indent, text),
            Doc::Concat(parts) => rest.extend(parts.iter().rev().map(|doc| Frame { indent, flat, doc })),
            Doc::Nest(by, doc) => rest.push(Frame { indent: indent + by, flat, doc }),
            Doc::Group(doc) => {
                let inner = Frame { indent, flat: true, doc };
                let flat = flat || fits(layout.remaining(indent), inner, &rest);
                rest.push(Frame { indent, flat, doc });
            }
        }
    }
    layout.new_line();
    finish(layout.lines)
}

#[derive(Clone, Copy)]
struct Frame<'d> {
    indent: usize,
    flat: bool,
    doc: &'d Doc,
}

/// Whether `first`, and what follows it up to the next possible end of the line, takes no more than `width`.
fn fits(width: usize, first: Frame, rest: &[Frame]) -> bool {
    let mut width = width;
    let mut following = rest.iter().rev();
    let mut stack = vec![first];
    let mut inside = true;
    loop {
        let Some(Frame { indent, flat, doc }) = stack.pop() else {
            inside = false;
            match following.next() {
                Some(frame) => stack.push(*frame),
                None => return true,
            }
            continue;
        };
        let taken = match doc {
            Doc::Text(text) => text.chars().count(),
            Doc::Line if flat => 1,
            Doc::SoftLine | Doc::IfBroken(_) if flat => 0,
            Doc::IfBroken(text) => text.len(),
            Doc::Line
            | Doc::SoftLine
            | Doc::HardLine
            | Doc::BlankLine
            | Doc::Trailing(..)
            | Doc::OwnLine(_) => return !inside,
            Doc::Concat(parts) => {
                stack.extend(parts.iter().rev().map(|doc| Frame { indent, flat, doc }));
                0
            }
            // A group that follows can still be broken: its first line is what counts.
            Doc::Nest(_, doc) | Doc::Group(doc) => {
                stack.push(Frame { indent, flat, doc });
                0
            }
        };
        if taken > width {
            return false;
        }
        width -= taken;
    }
}

struct Layout {
    lines: Vec<Line>,
    line: Line,
    column: usize,
    /// The line ends with a comment: nothing may follow on it.
    closed: bool,
}

impl Layout {
    fn remaining(&self, indent: usize) -> usize {
        let column = if self.closed || self.line.text.is_empty() { indent } else { self.column };
        WIDTH.saturating_sub(column)
    }

    fn text(&mut self, indent: usize, text: &str) {
        if self.closed {
            self.new_line();
        }
        let begins = self.line.text.is_empty();
        let text = if begins { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        if begins {
            self.line.indent = indent;
            self.column = indent;
        }
        self.line.text.push_str(text);
        self.column += text.chars().count();
    }

    fn trailing(&mut self, indent: usize, text: &str, origin: Origin) {
        if self.closed || self.line.text.is_empty() {
            return self.own_line(indent, text);
        }
        self.line.comment = Some((text.to_owned(), origin));
        self.closed = true;
    }

    fn own_line(&mut self, indent: usize, text: &str) {
        if self.closed || !self.line.text.is_empty() {
            self.new_line();
        }
        self.text(indent, text);
        self.closed = true;
    }

    /// Ends the line, unless it is empty.
    fn new_line(&mut self) {
        if !self.line.text.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
        self.closed = false;
    }

    fn blank_line(&mut self) {
        self.new_line();
        if self.lines.last().is_some_and(|last| !last.text.is_empty()) {
            self.lines.push(Line::default());
        }
    }
}
