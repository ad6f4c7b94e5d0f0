//! Judges a recorded history by the name of a specification of the library.

use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::history::{Budget, Ending};
use linchpin_portfolio::catalogue::CatalogueModules;
use linchpin_portfolio::specification::Specification;
use linchpin_report::plain;
use linchpin_report::recorded::{HistoryQuery, judge, load};
use std::error::Error;

const HISTORY: &str = r#"{"thread": 1, "call": "enq", "args": ["tea"]}
{"thread": 1, "return": "enq"}
{"thread": 2, "call": "deq"}
{"thread": 2, "return": "deq", "result": null}
"#;

pub fn report() -> Result<String, Box<dyn Error>> {
    let specification = Specification::library("Queue")?;
    let mut sources = SourceMap::default();
    let file = sources.add("history.jsonl", HISTORY);
    let compile = |threads| specification.compile(threads, &CatalogueModules);
    let history = load(&sources, file, compile, &|| true)?;
    let query =
        HistoryQuery::new(Property::Linearizable, Ending::Open).ok_or("not a property of histories")?;
    let judged = judge(&history.spec, &history.recorded, query, Budget::default());
    Ok(plain::history(&history.spec, &history.recorded, &judged, 80))
}

pub fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}
