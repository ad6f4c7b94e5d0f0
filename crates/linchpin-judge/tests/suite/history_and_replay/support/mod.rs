//! Support for tests of histories: programs from texts, random histories, and a reference that shares no code
//! with the judge.

pub mod naive;
pub mod random;
pub mod sequential;
pub mod subject;

use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::source::SourceMap;
use linchpin_judge::history::{CallId, History};
use linchpin_report::render::render;
use linchpin_semantics::{Bounds, SpecMachine};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the program of a model that uses at most the library.
pub fn program(text: &str) -> Arc<Program> {
    let mut sources = SourceMap::default();
    let root = sources.add("model.lin", text);
    let checked = check(&mut sources, &BTreeMap::new(), root, &Setting::default());
    let fail = |diagnostics: &[Diagnostic]| -> ! {
        let texts: Vec<String> = diagnostics.iter().map(|d| render(&sources, d, false)).collect();
        panic!("{}", texts.join("\n"))
    };
    let Some(typed) = checked.program else { fail(&checked.diagnostics) };
    match lower(&sources, &typed) {
        Ok(program) => Arc::new(program),
        Err(diagnostics) => fail(&diagnostics),
    }
}

pub fn spec_machine(text: &str) -> SpecMachine {
    SpecMachine::new(&program(text), &Bounds::default()).expect("the specification runs")
}

pub fn op(program: &Program, name: &str) -> OpId {
    program
        .ops
        .entries()
        .find(|(_, op)| &*op.name == name)
        .map(|(id, _)| id)
        .expect("an operation of this name")
}

/// Returns the history of these calls alone.
pub fn restricted(program: &Program, whole: &History, calls: &[CallId]) -> History {
    let mut events: Vec<usize> = Vec::new();
    for call in calls.iter().map(|&id| whole.call(id)) {
        events.extend([Some(call.called), call.returned.as_ref().map(|r| r.event)].into_iter().flatten());
    }
    events.sort();
    let events = events.into_iter().map(|at| whole.events()[at].clone()).collect();
    History::new(program, events).expect("well-formed as the whole one is")
}
