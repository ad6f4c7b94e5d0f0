//! Proofs for all sizes: right objects are proved, wrong objects never are, and a broken certificate is
//! refused.

mod alarms;
mod certificates;
mod cmp;
mod concretisation;
mod forgery;
mod gate;
mod inductive;
mod models;
mod refusals;
mod set_chains;
mod set_obligations;
pub mod sets;
mod without_acceleration;

use linchpin_certify::gate::GateOptions;
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::Verdict;
use linchpin_engine::{Budget, Silent};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::embedded::compile_beside_catalogue;
use linchpin_portfolio::{ProofResult, prove_with};
use linchpin_report::render::render;
use std::time::Duration;

/// A model by its text.
pub struct Text {
    pub name: String,
    pub text: String,
}

impl Text {
    pub fn new(name: &str, text: impl Into<String>) -> Text {
        Text { name: name.into(), text: text.into() }
    }

    pub fn of_catalogue(name: &str) -> Text {
        let entry = catalogue::find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
        Text::new(name, entry.text)
    }
}

impl Model for Text {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        compile_beside_catalogue(&self.name, &self.text, setting)
    }
}

pub fn budget(time: Option<Duration>) -> Budget {
    Budget { time, memory: None, stop: Default::default(), memory_in_use: || None }
}

/// Gate options with few states, so that tests are fast.
pub const QUICK: GateOptions =
    GateOptions { first_states: 1_000_000, second_states: 2_000, pairs: 5_000_000, values: 2, ages: 2 };

/// Runs the prover for these properties, without a search behind alarms.
pub fn proving(model: &Text, properties: Option<&[Property]>, time: Option<Duration>) -> ProofResult {
    prove_with(model, properties, None, &QUICK, &budget(time), &mut Silent)
        .unwrap_or_else(|problem| panic!("{}", complaint(model, &problem)))
}

/// Returns the message for a text that is not a model.
pub fn complaint(model: &Text, problem: &RequestError) -> String {
    match problem {
        RequestError::Model { sources, findings } => {
            let text: String = findings.iter().map(|finding| render(sources, finding, false)).collect();
            format!("{}: {text}", model.name)
        }
        RequestError::Message { text, help } => format!("{}: {text}; {help}", model.name),
    }
}

/// The properties that are proved.
pub fn proved(proving: &ProofResult) -> Vec<Property> {
    let holds = proving.findings.iter().filter(|finding| matches!(finding.verdict(), Verdict::Holds));
    holds.map(|finding| finding.property()).collect()
}
