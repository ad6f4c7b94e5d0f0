//! Laws of the reader of recorded histories, shared by property tests and the fuzzer.

use super::jepsen;
use super::lines::parse;
use linchpin_ir::source::SourceMap;

/// Checks the laws for a text. Every line with content is an event or an error, and each has a place inside
/// the text. The reader of logs gives places inside the text, too. The error names the broken law.
pub fn check(text: &str) -> Result<(), String> {
    let mut sources = SourceMap::default();
    let file = sources.add("h.jsonl", text);
    let (events, errors) = parse(file, text, &|| true).ok_or("the reader stopped without a request")?;
    let filled = text.lines().filter(|line| !line.trim().is_empty()).count();
    if events.len() + errors.len() != filled {
        return Err(format!("{filled} lines, {} events and {} errors", events.len(), errors.len()));
    }
    let (log, wrong) = jepsen::parse(file, text, &|| true).ok_or("the reader stopped without a request")?;
    let labels = errors.iter().chain(&wrong).flat_map(|error| &error.labels).map(|label| label.span);
    let places = events.iter().map(|event| event.span).chain(log.iter().map(|line| line.span));
    for span in labels.chain(places) {
        if span.end as usize > text.len() || span.start > span.end {
            return Err(format!("a place outside of the text: {} to {}", span.start, span.end));
        }
    }
    Ok(())
}
