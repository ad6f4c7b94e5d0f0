//! Labels of cells: reading and writing them, and keeping cells in their order.

use super::alarm::AlarmKind;
use super::decide::split;
use super::node::Label;
use super::plan::Kind;
use super::scene::Value;
use super::shape::{Shape, Term};
use super::step::{Case, Cases, Context, Outcomes, Reads};
use linchpin_certify::certificate::{FAR, NEXT};
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

impl Context<'_> {
    /// The label of a cell, in each case.
    pub fn read_label(&self, run: Case, cell: Option<Term>, label: Label) -> Reads {
        let labels = cell.map_or(label.all, |cell| run.scene.shape.labels(cell));
        let mut all = SmallVec::new();
        for number in (0..8).filter(|number| labels >> number & 1 == 1) {
            let mut run = run.clone();
            let kept = cell.map_or(Ok(()), |cell| run.scene.shape.keep_labels(cell, 1 << number));
            if kept.is_ok() {
                all.push((run, smallvec![label.value(number)]));
            }
        }
        all
    }

    /// Notes an edge that may lead to a smaller label where none must.
    pub fn keep_order(&self, shape: &Shape, from: Term, to: Term, span: Span, outcomes: &mut Outcomes) {
        if self.ordered && !shape.is_in_order(from, to) {
            outcomes.alarm(AlarmKind::OutOfOrder, span);
        }
    }

    /// A cell gets another label.
    pub fn write_label(
        &self,
        run: Case,
        cell: Term,
        label: Label,
        value: Value,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Cases {
        let mut run = run;
        if self.ordered {
            outcomes.alarm(AlarmKind::OutOfOrder, span);
        }
        let Some(labels) = self.given_labels(label, value, span, outcomes) else { return Cases::new() };
        run.scene.shape.put_labels(cell, labels);
        smallvec![run]
    }

    /// The labels that a cell gets with a value. A key must be defined, so that whoever reads it may use it.
    pub fn given_labels(
        &self,
        label: Label,
        value: Value,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<u8> {
        let is_key = label.kind == Kind::Key;
        if is_key && matches!(value, Value::Undefined | Value::Unknown) {
            outcomes.alarm(AlarmKind::UndefinedKey, span);
        }
        match label.of(value) {
            0 => {
                outcomes.alarm(AlarmKind::Misfit, span);
                None
            }
            labels => Some(labels),
        }
    }

    /// In lists with labels cells are put in the middle: whether what is tracked comes behind the cell that is written decides what happens to all
    /// that leads there, so it is decided first.
    pub fn split_behind(&self, run: Case, cell: Term) -> Cases {
        let mut runs: Cases = smallvec![run];
        if self.plan.node.label.is_none() {
            return runs;
        }
        for variable in 0..runs[0].scene.tracked.len() {
            let split_one = |run: Case| match run.scene.tracked[variable] {
                Some(holder) => {
                    split(run, cell, holder, NEXT | FAR).into_iter().map(|(run, _)| run).collect()
                }
                None => Cases::from_elem(run, 1),
            };
            runs = runs.into_iter().flat_map(split_one).collect();
        }
        runs
    }
}
