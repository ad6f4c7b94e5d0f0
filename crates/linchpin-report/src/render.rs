//! Renders diagnostics as text: title, source lines with labels, notes, help.

use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet, normalize_untrusted_str};
use linchpin_ir::diagnostic::{Diagnostic, Severity, SpanLabel};
use linchpin_ir::source::{FileId, SourceFile, SourceMap};
use std::ops::Range;

/// Renders a diagnostic without a newline at the end; `color` adds escape codes.
///
/// Each file with a label gets its own snippet, in the order of the labels.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = level
        .primary_title(normalize_untrusted_str(&diagnostic.title))
        .elements(files_in_order(diagnostic).into_iter().map(|file| snippet(sources, diagnostic, file)));
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(normalize_untrusted_str(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(normalize_untrusted_str(help)));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

fn files_in_order(diagnostic: &Diagnostic) -> Vec<FileId> {
    let mut files = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    files
}

fn snippet<'a>(
    sources: &'a SourceMap,
    diagnostic: &'a Diagnostic,
    file: FileId,
) -> Snippet<'a, Annotation<'a>> {
    let source = sources.file(file);
    let annotations = diagnostic.labels.iter().enumerate().filter(|(_, label)| label.span.file == file).map(
        |(position, label)| {
            let kind = if position == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = (!label.text.is_empty()).then(|| normalize_untrusted_str(&label.text));
            kind.span(range_within(source, label)).label(text)
        },
    );
    Snippet::source(&*source.text).path(source.name.as_str()).annotations(annotations)
}

/// Returns the byte range of a label, inside the text and on character boundaries, because the renderer
/// slices by it.
fn range_within(source: &SourceFile, label: &SpanLabel) -> Range<usize> {
    let start = source.text.floor_char_boundary(label.span.start as usize);
    let end = source.text.ceil_char_boundary((label.span.end as usize).max(start));
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::source::Span;

    #[test]
    fn labels_of_two_files_notes_and_help_are_all_shown() {
        let mut sources = SourceMap::default();
        let model = sources.add("stack.lin", "object Stack: Stak;\nop push(v: data) {}\n");
        let library = sources.add("specs.lin", "//! Specifications.\nspec Stack {}\n");
        let diagnostic =
            Diagnostic::error("no specification `Stak`", Span::new(model, 14, 18), "not found in this scope")
                .label(Span::new(library, 25, 30), "a specification with a similar name")
                .note("specifications are searched in the file, then in the library")
                .help("write `Stack`");
        insta::assert_snapshot!(render(&sources, &diagnostic, false), @"
        error: no specification `Stak`
         --> stack.lin:1:15
          |
        1 | object Stack: Stak;
          |               ^^^^ not found in this scope
          |
         ::: specs.lin:2:6
          |
        2 | spec Stack {}
          |      ----- a specification with a similar name
          |
          = note: specifications are searched in the file, then in the library
          = help: write `Stack`
        ");
        assert!(render(&sources, &diagnostic, true).contains('\u{1b}'));
    }

    #[test]
    fn places_outside_the_text_and_control_characters_are_harmless() {
        let mut sources = SourceMap::default();
        for text in ["", "\n", "é", "a\r\nb\u{1b}[31m\u{0}"] {
            let file = sources.add("x.lin", text);
            for (start, end) in [(0, 0), (1, 1), (1, 2), (5, 900), (900, 901)] {
                let diagnostic = Diagnostic::warning("\u{1b}[2J", Span::new(file, start, end), "\u{7}");
                assert!(!render(&sources, &diagnostic, false).contains(['\u{1b}', '\u{7}']));
            }
        }
    }
}
