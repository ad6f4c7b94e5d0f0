//! The laws of parsing and formatting, as one function that the property tests and the fuzzer share.

use super::ast::File;
use super::{format, parse, shape};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::{FileId, SourceMap};

/// Whether the laws hold for a text; if not, which one fails.
///
/// Of any text: parsing ends, the number of errors is bounded, and their positions lie inside the text. Of
/// a text without errors: formatting keeps shape and comments, and formatting again changes nothing.
pub fn check_syntax(text: &str) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let mut parsed = |text: &str| {
        let file: FileId = sources.add("fuzz.lin", text);
        parse(file, text)
    };
    let (tree, errors) = parsed(text);
    errors_are_well_placed(text, &errors)?;
    if !errors.is_empty() {
        return Ok(());
    }
    let formatted = format(&tree, text);
    let (again, errors) = parsed(&formatted);
    if let Some(error) = errors.first() {
        return Err(format!("the formatted text has an error, {}:\n{formatted}", error.title));
    }
    equal("shape", &shape(&tree), &shape(&again), &formatted)?;
    equal("comments", &comments(&tree), &comments(&again), &formatted)?;
    equal("second format", &formatted, &format(&again, &formatted), text)
}

fn errors_are_well_placed(text: &str, errors: &[Diagnostic]) -> Result<(), String> {
    if errors.len() > 60 {
        return Err(format!("{} errors", errors.len()));
    }
    for error in errors {
        if error.labels.is_empty() {
            return Err(format!("no place: {error:?}"));
        }
        for label in &error.labels {
            if text.get(label.span.start as usize..label.span.end as usize).is_none() {
                return Err(format!("a place outside of the text: {error:?}"));
            }
        }
    }
    Ok(())
}

fn comments(file: &File) -> String {
    file.comments.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn equal(what: &str, before: &str, after: &str, context: &str) -> Result<(), String> {
    if before == after {
        return Ok(());
    }
    let same = before.lines().zip(after.lines()).take_while(|(b, a)| b == a).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("(nothing)").to_owned();
    Err(format!("{what} differs, in line {}:\n{}\n{}\nfor\n{context}", same + 1, line(before), line(after)))
}
