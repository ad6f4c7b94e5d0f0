//! A model of the command line as an engine's [`Model`]: compiled for each number of threads and each
//! constant.

use super::Failure;
use super::compile::model_failure;
use crate::cli::input;
use crate::cli::input::ModelText;
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::interface::Setting;
use std::sync::Arc;

/// A model that the command line names, read once.
pub struct Source {
    argument: String,
    text: ModelText,
    /// The name for messages.
    pub file: String,
}

impl Source {
    /// Reads the model.
    pub fn new(argument: &str) -> Result<Source, Failure> {
        let text = input::read(argument)?;
        Ok(Source { argument: argument.to_string(), file: text.name().to_string(), text })
    }

    /// Returns `MODEL` as the command line names it.
    pub fn argument(&self) -> &str {
        &self.argument
    }

    /// Converts the error of an engine.
    pub fn failure(&self, error: RequestError) -> Failure {
        match error {
            RequestError::Model { sources, findings } => {
                model_failure(&sources, self.file.clone(), &findings)
            }
            RequestError::Message { text, help } => Failure::input(text).help(help),
        }
    }

    /// Compiles the model for one setting.
    pub fn compiled(&self, setting: &Setting) -> Result<Compiled, Failure> {
        self.compile(setting).map_err(|error| self.failure(error))
    }
}

impl Model for Source {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        let mut model = self.text.model();
        let checked = check(&mut model.sources, &model.modules, model.root, setting);
        if let Some(problem) = model.modules.problems().into_iter().next() {
            let help = problem.help.unwrap_or_default();
            return Err(RequestError::Message { text: problem.title, help });
        }
        let sources = Arc::new(model.sources);
        let refuse = |findings| RequestError::Model { sources: sources.clone(), findings };
        let typed = checked.program.ok_or_else(|| refuse(checked.diagnostics))?;
        let program = lower(&sources, &typed).map_err(refuse)?;
        Ok(Compiled { sources, program: Arc::new(program) })
    }
}
