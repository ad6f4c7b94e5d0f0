//! The laws of every reader, on files that were damaged at random. The fuzz targets of `crates/linchpin/fuzz`
//! check the same laws.

use fastrand::Rng;
use linchpin_engine::verdict::Verdict;
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Request, check};
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::replay::fingerprint;
use linchpin_portfolio as portfolio;
use linchpin_portfolio::catalogue;
use linchpin_report as report;
use linchpin_report::certificate_file::CertificateFile;
use linchpin_report::recorded as history;
use linchpin_report::trace_file::TraceFile;
use std::cell::Cell;
use std::time::Duration;

fn budget() -> Budget {
    Budget {
        time: Some(Duration::from_secs(60)),
        memory: None,
        stop: Default::default(),
        memory_in_use: || None,
    }
}

/// Pieces that a reader should stumble over.
const PIECES: [&str; 12] = [
    "4294967296",
    "-1",
    "1e400",
    "null",
    "[]",
    "{",
    "}",
    "\"",
    "\u{0}",
    "\"cycle\": 18446744071562067975,",
    "\"thread\": 1,",
    "\u{1F600}",
];

/// The text with a few changes: something is left out, put twice, or replaced.
fn damaged(rng: &mut Rng, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let start = rng.usize(..chars.len().max(1)).min(chars.len());
        let end = (start + rng.usize(..20)).min(chars.len());
        let piece: Vec<char> = match rng.u32(..3) {
            0 => Vec::new(),
            1 => chars[start..end].repeat(2),
            _ => PIECES[rng.usize(..PIECES.len())].chars().collect(),
        };
        chars.splice(start..end, piece);
    }
    chars.into_iter().collect()
}

fn holds_of_damaged(text: &str, times: usize, law: impl Fn(&str) -> Result<(), String>) {
    law(text).expect("the law holds of the file itself");
    let mut rng = Rng::with_seed(12);
    for _ in 0..times {
        let text = damaged(&mut rng, text);
        law(&text).unwrap_or_else(|error| panic!("{error}\nof\n{text}"));
    }
}

#[test]
fn traces() {
    let model = catalogue::find("treiber_stack_reuse").expect("in the catalogue");
    let properties = vec![Property::Linearizable, Property::WaitFree];
    let request = Request { properties, nodes: Some(1..=1), ..Request::default() };
    let findings = check(model, &request, &budget(), &mut Silent).expect("it can be checked");
    for finding in &findings {
        let Verdict::Violated(counterexample) = finding.verdict() else { panic!("{:?}", finding.verdict()) };
        let file = TraceFile::new("treiber_stack_reuse", counterexample.trace());
        let text = file.to_text().expect("JSON");
        holds_of_damaged(&text, 2_000, report::fuzzing::check_trace);
    }
}

#[test]
fn certificates() {
    let model = catalogue::find("treiber_stack").expect("in the catalogue");
    let proving = portfolio::prove(model, None, None, &budget(), &mut Silent).expect("it can be proved");
    let certificate = proving.certificate.expect("it is proved");
    let fingerprint = fingerprint(&proving.compiled.program);
    let text =
        CertificateFile::new("treiber_stack", fingerprint, "pairs", &certificate).to_text().expect("JSON");
    holds_of_damaged(&text, 60, report::fuzzing::check_certificate);
}

#[test]
fn histories() {
    let text = "{\"thread\": 1, \"call\": \"enq\", \"args\": [7], \"time\": 3}\n\n\
                {\"thread\": \"a\", \"call\": \"deq\"}\r\n{\"thread\": 1, \"return\": \"enq\"}\n\
                {\"thread\": \"a\", \"return\": \"deq\", \"result\": null}";
    holds_of_damaged(text, 5_000, history::fuzzing::check);
}

/// Reading looks at the budget every few hundred lines, and gives nothing if it was ended.
#[test]
fn a_history_is_read_only_as_long_as_it_may_be() {
    let text = "{\"thread\": 1, \"call\": \"enq\", \"args\": [7]}\n{\"thread\": 1, \"return\": \"enq\"}\n"
        .repeat(5_000);
    let mut sources = SourceMap::default();
    let file = sources.add("h.jsonl", text.as_str());
    for allowed in [0, 1, 7] {
        let looks = Cell::new(0);
        let go_on = || {
            looks.set(looks.get() + 1);
            looks.get() <= allowed
        };
        assert!(history::parse(file, &text, &go_on).is_none());
        assert_eq!(looks.get(), allowed + 1, "it ends at once");
    }
    let (lines, findings) = history::parse(file, &text, &|| true).expect("the reader is not stopped");
    assert_eq!((lines.len(), findings.len()), (10_000, 0));
}
