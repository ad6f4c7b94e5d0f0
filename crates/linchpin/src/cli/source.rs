//! A model of the command line as the engines want it: compiled anew for each number of threads and each constant.

use super::Failure;
use super::compile::model_failure;
use crate::input;
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::interface::Setting;
use std::sync::Arc;

pub struct Source {
    argument: String,
    /// The name to show in messages.
    pub file: String,
}

impl Source {
    /// Refuses what cannot be read.
    pub fn new(argument: &str) -> Result<Source, Failure> {
        let model = input::load(argument)?;
        Ok(Source { argument: argument.to_string(), file: model.name().to_string() })
    }

    /// What is wrong, as the command line tells it.
    pub fn failure(&self, uncheckable: RequestError) -> Failure {
        match uncheckable {
            RequestError::Model { sources, findings } => {
                model_failure(&sources, self.file.clone(), &findings)
            }
            RequestError::Message { text, help } => Failure::input(text).help(help),
        }
    }

    pub fn compiled(&self, setting: &Setting) -> Result<Compiled, Failure> {
        self.compile(setting).map_err(|uncheckable| self.failure(uncheckable))
    }
}

impl Model for Source {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        let unreadable = |failure: Failure| RequestError::Message {
            text: failure.to_string(),
            help: "the file was there a moment ago".into(),
        };
        let mut model = input::load(&self.argument).map_err(unreadable)?;
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
