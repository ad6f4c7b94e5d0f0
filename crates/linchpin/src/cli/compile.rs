//! From a model to the program that every engine shares, or to its findings.

use super::Failure;
use super::terminal::Terminal;
use crate::input::Model;
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::source::SourceMap;
use linchpin_report::render::render;

/// A model without errors.
pub struct Compiled {
    pub sources: SourceMap,
    pub program: Program,
    /// Rendered.
    warnings: Vec<String>,
}

impl Compiled {
    pub fn tell_warnings(&self, terminal: &mut Terminal) {
        for warning in &self.warnings {
            terminal.note(format_args!("{warning}\n"));
        }
    }
}

/// Parses, checks and lowers; every error of the model is in the failure.
pub fn compile(mut model: Model, setting: &Setting) -> Result<Compiled, Failure> {
    let file = model.name().to_string();
    let checked = check(&mut model.sources, &model.modules, model.root, setting);
    // A module that is there but cannot be read is the cause of what the checker says about it.
    if let Some(problem) = model.modules.problems().into_iter().next() {
        return Err(Failure::Input(problem));
    }
    let Some(typed) = checked.program else {
        return Err(model_failure(&model.sources, file, &checked.diagnostics));
    };
    let program =
        lower(&model.sources, &typed).map_err(|findings| model_failure(&model.sources, file, &findings))?;
    let warnings = checked.diagnostics.iter().map(|finding| render(&model.sources, finding, true)).collect();
    Ok(Compiled { sources: model.sources, program, warnings })
}

/// The failure for a model with errors.
pub fn model_failure(sources: &SourceMap, file: String, findings: &[Diagnostic]) -> Failure {
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let findings = findings.iter().map(|finding| render(sources, finding, true)).collect();
    Failure::Model { file, findings, errors }
}
