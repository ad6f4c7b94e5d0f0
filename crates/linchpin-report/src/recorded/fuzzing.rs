//! The laws of the reader of recorded histories, as one function that the property tests and the fuzzer share.

use super::lines::parse;
use linchpin_ir::source::SourceMap;

/// Whether the laws hold of a text; if not, which one fails: reading ends, every line that says something is an event or an error, and
/// each has its place inside the text.
pub fn check(text: &str) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let file = sources.add("h.jsonl", text);
    let (events, errors) = parse(file, text, &|| true).ok_or("it was ended by nobody")?;
    let said = text.lines().filter(|line| !line.trim().is_empty()).count();
    if events.len() + errors.len() != said {
        return Err(format!("{said} lines, {} events and {} errors", events.len(), errors.len()));
    }
    let labels = errors.iter().flat_map(|error| &error.labels).map(|label| label.span);
    for span in labels.chain(events.iter().map(|event| event.span)) {
        if span.end as usize > text.len() || span.start > span.end {
            return Err(format!("a place outside of the text: {span:?}"));
        }
    }
    Ok(())
}
