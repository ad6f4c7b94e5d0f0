//! A text as a model that can be lowered for any setting.

use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use linchpin_portfolio::catalogue::{CatalogueModules, Entry};
use linchpin_report::render::render;
use std::sync::Arc;

pub struct Text {
    name: String,
    text: String,
}

impl Text {
    pub fn new(text: impl Into<String>) -> Text {
        Text { name: "drawn.lin".into(), text: text.into() }
    }

    pub fn of(entry: &Entry) -> Text {
        Text { name: entry.path(), text: entry.text.into() }
    }
}

impl Model for Text {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        let mut sources = SourceMap::default();
        let root = sources.add(self.name.clone(), self.text.clone());
        let checked = typing::check(&mut sources, &CatalogueModules, root, setting);
        let refuse = |sources, findings| RequestError::Model { sources: Arc::new(sources), findings };
        let Some(typed) = checked.program else { return Err(refuse(sources, checked.diagnostics)) };
        match lower(&sources, &typed) {
            Ok(program) => Ok(Compiled { sources: Arc::new(sources), program: Arc::new(program) }),
            Err(findings) => Err(refuse(sources, findings)),
        }
    }
}

/// Why a model cannot be checked, for a person.
pub fn complaint(problem: &RequestError) -> String {
    match problem {
        RequestError::Model { sources, findings } => {
            findings.iter().map(|finding| render(sources, finding, false)).collect::<Vec<_>>().join("\n")
        }
        RequestError::Message { text, help } => format!("{text}\n{help}"),
    }
}
