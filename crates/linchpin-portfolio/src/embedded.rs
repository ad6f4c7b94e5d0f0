//! Compiles the embedded models of the catalogue for the engines.

use crate::catalogue::{CatalogueModules, Entry};
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use std::sync::Arc;

impl Model for Entry {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        compile_beside_catalogue(&self.path(), self.text, setting)
    }
}

/// A model from a string. The modules of the model are the files of the catalogue.
pub struct TextModel {
    /// The name for messages.
    pub name: String,
    pub text: String,
}

impl Model for TextModel {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        compile_beside_catalogue(&self.name, &self.text, setting)
    }
}

/// Compiles a text, such as a changed model, with the catalogue's files as its modules.
pub fn compile_beside_catalogue(path: &str, text: &str, setting: &Setting) -> Result<Compiled, RequestError> {
    let mut sources = SourceMap::default();
    let root = sources.add(path, text);
    let checked = check(&mut sources, &CatalogueModules, root, setting);
    let sources = Arc::new(sources);
    let refuse = |findings| RequestError::Model { sources: sources.clone(), findings };
    let typed = checked.program.ok_or_else(|| refuse(checked.diagnostics))?;
    let program = lower(&sources, &typed).map_err(refuse)?;
    Ok(Compiled { sources, program: Arc::new(program) })
}
