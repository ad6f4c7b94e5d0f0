//! The interface between engines and models: a model gives a program for each setting.

use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::source::SourceMap;
use std::fmt;
use std::sync::Arc;

/// A model that engines compile for several numbers of threads and values of constants.
pub trait Model {
    /// Compiles the model for one setting.
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError>;
}

/// A program with its source text.
#[derive(Clone)]
pub struct Compiled {
    pub sources: Arc<SourceMap>,
    pub program: Arc<Program>,
}

/// Reason why an engine rejects a request: an error of the model or of the bounds.
#[derive(Clone, Debug)]
pub enum RequestError {
    /// Errors with places in the source text.
    Model { sources: Arc<SourceMap>, findings: Vec<Diagnostic> },
    /// An error without a place, and the action that resolves it.
    Message { text: String, help: String },
}

/// Formats one line for each error: the place if there is one, and the title.
impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Message { text, help } => write!(f, "{text}; {help}"),
            RequestError::Model { sources, findings } => {
                for (at, finding) in findings.iter().enumerate() {
                    f.write_str(if at > 0 { "\n" } else { "" })?;
                    if let Some(label) = finding.labels.first() {
                        let file = &sources.file(label.span.file).name;
                        write!(f, "{file}:{}: ", sources.line_of(label.span))?;
                    }
                    f.write_str(&finding.title)?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for RequestError {}
