//! Proofs for all sizes: what must be proved is, what is wrong never is, and a certificate is worth something because a broken one
//! is refused.

mod certificates;
mod concretisation;
mod models;
mod refusals;

use linchpin::catalogue::{self, CatalogueModules};
use linchpin::engine::{Budget, Silent};
use linchpin::explore::{Compiled, Model, Uncheckable};
use linchpin::portfolio::{Proving, prove};
use linchpin_core::diagnostic::render;
use linchpin_core::lower::lower;
use linchpin_core::source::SourceMap;
use linchpin_core::typing::{Setting, check};
use linchpin_core::verdict::{Property, Verdict};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
    fn compile(&self, setting: &Setting) -> Result<Compiled, Uncheckable> {
        let mut sources = SourceMap::default();
        let root = sources.add(self.name.as_str(), self.text.as_str());
        let checked = check(&mut sources, &CatalogueModules, root, setting);
        let sources = Arc::new(sources);
        let refuse = |findings| Uncheckable::Model { sources: sources.clone(), findings };
        let typed = checked.program.ok_or_else(|| refuse(checked.diagnostics))?;
        let program = lower(&sources, &typed).map_err(refuse)?;
        Ok(Compiled { sources, program: Arc::new(program) })
    }
}

pub fn budget(time: Option<Duration>) -> Budget {
    Budget { time, memory: None, stop: Arc::new(AtomicBool::new(false)), memory_in_use: || None }
}

/// What the prover says of these properties; alarms are not settled.
pub fn proving(model: &Text, properties: Option<&[Property]>, time: Option<Duration>) -> Proving {
    match prove(model, properties, None, &budget(time), &mut Silent) {
        Ok(proving) => proving,
        Err(Uncheckable::Model { sources, findings }) => {
            let text: String = findings.iter().map(|finding| render(&sources, finding, false)).collect();
            panic!("{}: {text}", model.name)
        }
        Err(Uncheckable::Message { text, help }) => panic!("{}: {text}; {help}", model.name),
    }
}

/// The properties that are proved.
pub fn proved(proving: &Proving) -> Vec<Property> {
    let holds = proving.findings.iter().filter(|finding| matches!(finding.verdict(), Verdict::Holds));
    holds.map(|finding| finding.property()).collect()
}
