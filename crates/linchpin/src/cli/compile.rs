//! Compiles a model to a program, or returns its errors.

use super::Failure;
use super::terminal::Terminal;
use crate::cli::input::Model;
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
    /// The rendered warnings.
    warnings: Vec<String>,
}

impl Compiled {
    /// Writes the warnings to standard error.
    pub fn print_warnings(&self, terminal: &mut Terminal) {
        for warning in &self.warnings {
            terminal.note(format_args!("{warning}\n"));
        }
    }
}

/// Parses, checks and lowers a model. The failure contains all errors.
pub fn compile(mut model: Model, setting: &Setting) -> Result<Compiled, Failure> {
    let file = model.name().to_string();
    let checked = check(&mut model.sources, &model.modules, model.root, setting);
    // An unreadable module causes errors of the checker, so its message comes first.
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

/// Makes the failure of a model with errors.
pub fn model_failure(sources: &SourceMap, file: String, findings: &[Diagnostic]) -> Failure {
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let findings = findings.iter().map(|finding| render(sources, finding, true)).collect();
    Failure::Model { file, findings, errors }
}
