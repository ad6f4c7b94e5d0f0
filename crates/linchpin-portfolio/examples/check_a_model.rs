//! Checks a model from a string and prints the counterexample without colours.

use linchpin_engine::verdict::Verdict;
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Request, check};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_portfolio::embedded::TextModel;
use linchpin_report::plain;
use std::error::Error;

/// Two threads read the same value, then both write: a lost update.
const MODEL: &str = "
object Tickets: Dispenser;
spec Dispenser { state next: 0..3; op take() -> 0..3 { let mine = next; if next < 2 { next += 1; } return mine; } }
shared next: 0..3;
op take() -> 0..3 { let mine = next; if mine < 2 { next = mine + 1; } return mine; }
";

pub fn report() -> Result<String, Box<dyn Error>> {
    let model = TextModel { name: "tickets.lin".into(), text: MODEL.into() };
    let request = Request { properties: vec![Property::Linearizable], ..Request::default() };
    let findings = check(&model, &request, &Budget::default(), &mut Silent)?;
    let mut text = plain::verdicts(&findings);
    let compiled = linchpin_engine::model::Model::compile(&model, &Setting::default())?;
    for finding in &findings {
        if let Verdict::Violated(counterexample) = finding.verdict() {
            text += &plain::counterexample(&compiled.sources, counterexample, 80);
        }
    }
    Ok(text)
}

pub fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}
