//! Diagnostics as data: what is wrong, where, and what to do. `linchpin-report` renders them.

use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// One finding. The first label is the place; the others explain it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub title: String,
    pub labels: Vec<SpanLabel>,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpanLabel {
    pub span: Span,
    pub text: String,
}

impl Diagnostic {
    pub fn error(title: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, title, span, label)
    }

    pub fn warning(title: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, title, span, label)
    }

    fn new(severity: Severity, title: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
        let labels = vec![SpanLabel { span, text: label.into() }];
        Diagnostic { severity, title: title.into(), labels, notes: Vec::new(), help: None }
    }

    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(SpanLabel { span, text: text.into() });
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
