//! The outputs of an example: one text for each expectation.

use crate::calls;
use crate::markdown::{BlockKind, Example};
use crate::trace;
use linchpin_frontend::lower::{lower, warnings};
use linchpin_frontend::typing;
use linchpin_frontend::typing::hir;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::program as ir;
use linchpin_ir::source::SourceMap;
use linchpin_report::render::render;
use linchpin_semantics::Bounds;
use linchpin_testkit::agreement;
use linchpin_testkit::reference::{self, Ending, Limits};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An error says why the example makes no sense: diagnostics that it does not show, calls that cannot be
/// read, two readings that do not agree.
pub fn outputs(example: &Example) -> Result<Vec<String>, String> {
    let compiled = Compiled::new(example, 2);
    let shows_diagnostics =
        example.expectations.iter().any(|expectation| expectation.kind == BlockKind::Diagnostics);
    if !shows_diagnostics && !compiled.diagnostics.is_empty() {
        return Err(format!("it is not shown that the model has problems:\n{}", compiled.diagnostics));
    }
    let mut texts = Vec::new();
    for expectation in &example.expectations {
        texts.push(match &expectation.kind {
            BlockKind::Diagnostics => compiled.diagnostics.clone(),
            BlockKind::Ir { op } => steps(&compiled, op.as_deref())?,
            BlockKind::Run { nodes, order, calls } => {
                let compiled = Compiled::new(example, calls::threads(calls));
                run(&compiled, *nodes, order.as_deref(), calls)?
            }
        });
    }
    Ok(texts)
}

/// A model as far as it comes.
pub struct Compiled {
    pub sources: SourceMap,
    pub program: Option<(hir::Program, Arc<ir::Program>)>,
    pub threads: u32,
    diagnostics: String,
}

impl Compiled {
    fn new(example: &Example, threads: u32) -> Compiled {
        let mut sources = SourceMap::default();
        let root = sources.add("example.lin", example.model.as_str());
        let modules: BTreeMap<String, String> = example.modules.iter().cloned().collect();
        let setting = Setting { threads, ..Setting::default() };
        let checked = typing::check(&mut sources, &modules, root, &setting);
        let mut problems = checked.diagnostics;
        let mut program = None;
        if let Some(typed) = checked.program {
            match lower(&sources, &typed) {
                Ok(lowered) => {
                    problems.extend(warnings(&lowered));
                    program = Some((typed, Arc::new(lowered)));
                }
                Err(found) => problems.extend(found),
            }
        }
        let diagnostics = rendered(&sources, &problems);
        Compiled { sources, program, threads, diagnostics }
    }

    pub fn bounds(&self, nodes: u32) -> Bounds {
        // Ages are counted, not renamed: an example shows them.
        Bounds { threads: self.threads, nodes, ages: Some(1 << 16), ..Bounds::default() }
    }
}

fn rendered(sources: &SourceMap, problems: &[Diagnostic]) -> String {
    let shown: Vec<String> = problems.iter().map(|problem| render(sources, problem, false) + "\n").collect();
    // Nothing of an example may end in white space, so that editors leave it as it is.
    shown.join("\n").lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn steps(compiled: &Compiled, op: Option<&str>) -> Result<String, String> {
    let (_, lowered) = compiled.program.as_ref().ok_or("a model with errors has no steps")?;
    let text = ir::print(&compiled.sources, lowered);
    let text: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let Some(op) = op else { return Ok(text) };
    let is_wanted = |part: &&str| ["op", "fn"].iter().any(|kind| part.starts_with(&format!("{kind} {op}(")));
    let parts = text.split("\n\n").find(is_wanted);
    parts
        .map(|part| format!("{}\n", part.trim_end()))
        .ok_or_else(|| format!("no operation `{op}` is printed"))
}

fn run(compiled: &Compiled, nodes: u32, order: Option<&[usize]>, calls: &str) -> Result<String, String> {
    let (program, lowered) = compiled.program.as_ref().ok_or("a model with errors does not run")?;
    let calls = calls::parse(program, calls)?;
    if let Some(order) = order {
        return trace::trace(compiled, lowered, nodes, order, &calls);
    }
    let fused = agreement::explore_fused(lowered, &compiled.bounds(nodes), &calls);
    let limits = Limits { nodes: nodes as usize, states: 20_000, accesses: 200, all_schedules: true };
    // The naive reading knows no bound under garbage collection.
    let is_comparable = program.memory != hir::MemoryKind::Gc || !fused.out_of_cells;
    if let Some(reference) = reference::explore(program, limits, &calls)
        && is_comparable
        && let Some(difference) = agreement::difference(&compiled.sources, &fused, &reference)
    {
        return Err(format!("the naive reading does not agree:\n{difference}"));
    }
    let mut ends = Vec::new();
    for (ending, message) in &fused.endings {
        ends.push(match ending {
            Ending::Ended(text) => text.clone(),
            Ending::Fault { thread, span, .. } => {
                let who = thread.map_or("init".to_string(), |thread| format!("thread {thread}"));
                let line = compiled.sources.line_of(*span);
                format!("error in {who}, line {line}: {}\n", message.as_deref().unwrap_or_default())
            }
        });
    }
    if fused.cut > 0 {
        ends.push("some executions leave the bounds\n".into());
    }
    Ok(ends.join("\n"))
}
