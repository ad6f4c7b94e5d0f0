//! The reason for a violation: orders that were tried, facts, threads that wait.
//!
//! Text and pages print the same parts. A part names calls by their position in
//! [`Intervals`](super::intervals::Intervals), and steps by their position in the trace.

use crate::line::{BOLD, DIM, Palette};
use serde::Serialize;
use std::fmt::Write;

/// A part of an explanation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Part {
    /// `None`: the facts stand alone.
    pub title: Option<String>,
    /// The end of the sentence that the title begins: `, with x = 1`.
    pub remark: String,
    pub facts: Vec<Fact>,
    pub orders: Vec<OrderTried>,
    /// What is left out. `None`: nothing.
    pub omitted: Option<String>,
}

/// A sentence.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Fact {
    pub text: String,
    /// The thread that the sentence is about.
    pub thread: Option<usize>,
    /// The thread that holds what the first thread waits for.
    pub holder: Option<usize>,
    /// Steps that the sentence names.
    pub steps: Vec<usize>,
}

/// A longest legal order of calls.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct OrderTried {
    /// The order in words, shortened.
    pub text: String,
    /// The whole order.
    pub effects: Vec<EffectOf>,
    /// The spec state after the order: `items = [1]`.
    pub state: String,
    /// Each call that could come next, and why it cannot.
    pub next: Vec<NextCall>,
    /// What is left out. `None`: nothing.
    pub omitted: Option<String>,
}

/// Calls that take effect together, with the results of the specification.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EffectOf {
    pub calls: Vec<usize>,
    pub text: String,
}

/// Calls that cannot come next, and the reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NextCall {
    pub calls: Vec<usize>,
    pub text: String,
}

impl Fact {
    pub fn new(text: impl Into<String>) -> Fact {
        Fact { text: text.into(), ..Fact::default() }
    }

    /// Makes a fact about a thread.
    pub fn of_thread(thread: usize, text: impl Into<String>) -> Fact {
        Fact { thread: Some(thread), ..Fact::new(text) }
    }
}

impl OrderTried {
    /// Returns whether two orders have the same text. The calls may differ.
    pub fn reads_like(&self, other: &OrderTried) -> bool {
        let texts = |order: &OrderTried| order.next.iter().map(|next| next.text.clone()).collect::<Vec<_>>();
        self.text == other.text && texts(self) == texts(other)
    }
}

impl Part {
    /// Makes a part that consists of one sentence.
    pub fn sentence(text: impl Into<String>) -> Part {
        Part { facts: vec![Fact::new(text)], ..Part::default() }
    }

    pub fn titled(self, title: impl Into<String>) -> Part {
        Part { title: Some(title.into()), ..self }
    }

    /// Writes the part as text. Each line ends with a newline.
    pub fn write(&self, out: &mut String, palette: Palette) {
        let (bold, dim) = (palette.style(BOLD), palette.style(DIM));
        if let Some(title) = &self.title {
            let _ = writeln!(out, "{bold}{title}{bold:#}{}", self.remark);
        }
        let indent = if self.title.is_some() { "  " } else { "" };
        for fact in &self.facts {
            let _ = writeln!(out, "{indent}{}", fact.text);
        }
        for order in &self.orders {
            let _ = writeln!(out, "  {}", order.text);
            for next in &order.next {
                let _ = writeln!(out, "    {}", next.text);
            }
            if let Some(omitted) = &order.omitted {
                let _ = writeln!(out, "    {dim}{omitted}{dim:#}");
            }
        }
        if let Some(omitted) = &self.omitted {
            let _ = writeln!(out, "  {dim}{omitted}{dim:#}");
        }
    }
}
