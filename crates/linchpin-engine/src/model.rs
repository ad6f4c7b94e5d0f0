//! A model as engines see it: a program for each setting.

use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::source::SourceMap;
use std::sync::Arc;

/// A model that can be lowered for different numbers of threads and values of constants.
pub trait Model {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError>;
}

/// A program and the text that it comes from.
#[derive(Clone)]
pub struct Compiled {
    pub sources: Arc<SourceMap>,
    pub program: Arc<Program>,
}

/// Why a request has no answer at all: the model or the bounds are wrong.
#[derive(Clone, Debug)]
pub enum RequestError {
    Model { sources: Arc<SourceMap>, findings: Vec<Diagnostic> },
    Message { text: String, help: String },
}
