//! An object may give `T?` where its specification says `T`: the results must meet whatever `T` is, and
//! `none` never fits.

use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::Verdict;
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Request, check};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing;
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A cell of a word of two fields: the optional value has a slot of its own in front.
const CELL: &str = "\
object Cell: CellSpec;
word Pair { low: 0..2, val: data }
spec CellSpec {
    state held: Pair;
    state full: bool;
    op put(v: data) { held = Pair { low: 1, val: v }; full = true; }
    op get() -> Pair when full { return held; }
}
shared held: Pair;
shared full: bool;
op put(v: data) { atomic { held = Pair { low: 1, val: v }; full = true; } }
op get() -> Pair? { atomic { await full; return RESULT; } }
";

struct Text(String);

impl Model for Text {
    fn compile(&self, setting: &Setting) -> Result<Compiled, RequestError> {
        let mut sources = SourceMap::default();
        let root = sources.add("cell.lin", self.0.as_str());
        let checked = typing::check(&mut sources, &BTreeMap::new(), root, setting);
        let sources = Arc::new(sources);
        let refuse = |findings| RequestError::Model { sources: sources.clone(), findings };
        let typed = checked.program.ok_or_else(|| refuse(checked.diagnostics))?;
        let program = lower(&sources, &typed).map_err(refuse)?;
        Ok(Compiled { sources, program: Arc::new(program) })
    }
}

fn verdict(result: &str) -> &'static str {
    let request = Request { properties: vec![Property::Linearizable], ..Request::default() };
    let budget = Budget { time: None, memory: None, stop: Default::default(), memory_in_use: || None };
    let model = Text(CELL.replace("RESULT", result));
    let findings = check(&model, &request, &budget, &mut Silent).expect("the model is right");
    match findings[0].verdict() {
        Verdict::Unknown(limit) => panic!("{limit}"),
        verdict => verdict.as_str(),
    }
}

#[test]
fn a_value_fits() {
    assert_eq!(verdict("held"), "holds");
}

#[test]
fn none_never_fits() {
    assert_eq!(verdict("none"), "violated");
}

#[test]
fn another_value_does_not_fit() {
    assert_eq!(verdict("Pair { low: 0, val: held.val }"), "violated");
}
