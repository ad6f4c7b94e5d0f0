//! For the tests of the checker: a text in, what it says about it out, without a terminal's drawing.

use linchpin_frontend::typing::{Checked, check};
use linchpin_ir::diagnostic::{Diagnostic, Severity};
use linchpin_ir::interface::Setting;
use linchpin_ir::source::{SourceMap, Span};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A model with the modules beside it and the constants that are set.
#[derive(Default)]
pub struct Case {
    pub modules: BTreeMap<String, String>,
    pub setting: Setting,
}

impl Case {
    pub fn module(mut self, name: &str, text: &str) -> Case {
        self.modules.insert(name.into(), unindented(text));
        self
    }

    pub fn set(mut self, constant: &str, value: i64) -> Case {
        self.setting.constants.insert(constant.into(), value);
        self
    }

    pub fn check(&self, text: &str) -> (SourceMap, Checked) {
        let mut sources = SourceMap::default();
        let root = sources.add("model.lin", text);
        let checked = check(&mut sources, &self.modules, root, &self.setting);
        let wrong = checked.diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(checked.program.is_none(), wrong, "there is a program iff there is no error");
        (sources, checked)
    }

    /// Prints all findings: title, labels with place and text, notes, help.
    pub fn messages(&self, text: &str) -> String {
        let (sources, checked) = self.check(&unindented(text));
        let mut out = String::new();
        for diagnostic in &checked.diagnostics {
            describe(&sources, diagnostic, &mut out);
        }
        if out.is_empty() { "fine".into() } else { out.trim_end().into() }
    }

    /// The same for items, in a file with an object that has no operations.
    pub fn items(&self, items: &str) -> String {
        self.messages(&format!("object O: S; spec S {{}} {}", unindented(items)))
    }
}

/// The messages about a model without modules.
pub fn messages(text: &str) -> String {
    Case::default().messages(text)
}

/// The messages about items.
pub fn items(items: &str) -> String {
    Case::default().items(items)
}

fn unindented(text: &str) -> String {
    let text = text.trim_matches('\n').trim_end();
    let blank = |line: &&str| !line.trim().is_empty();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let indent = text.lines().filter(blank).map(depth).min().unwrap_or(0);
    text.lines().map(|line| line.get(indent..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn describe(sources: &SourceMap, diagnostic: &Diagnostic, out: &mut String) {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let _ = writeln!(out, "{severity}: {}", diagnostic.title);
    for label in &diagnostic.labels {
        let _ = writeln!(out, "  {}: {}", place(sources, label.span), label.text);
    }
    for note in &diagnostic.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "  help: {help}");
    }
}

/// `3 |x + 1|`, or with another file's name before it.
fn place(sources: &SourceMap, span: Span) -> String {
    let file = sources.file(span.file);
    let name = if file.name == "model.lin" { String::new() } else { format!("{} ", file.name) };
    let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = if text.chars().count() > 40 {
        let start: String = text.chars().take(40).collect();
        format!("{start}…")
    } else {
        text
    };
    format!("{name}{} |{shown}|", sources.line_of(span))
}
