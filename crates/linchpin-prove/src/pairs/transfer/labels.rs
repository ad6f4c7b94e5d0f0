//! Labels of cells: reading and writing them, and keeping cells in order.

use super::decide::split;
use super::run::{Case, Cases, Context, Outcomes, Reads};
use crate::alarm::AlarmKind;
use crate::pairs::domain::shape::{Shape, Term};
use crate::pairs::domain::value::Value;
use crate::pairs::program::{Label, SlotSort};
use linchpin_certify::certificate::{FAR, NEXT};
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

impl Context<'_> {
    /// Returns the label of a cell, in each case.
    pub fn read_label(&self, run: Case, cell: Option<Term>, label: Label) -> Reads {
        let labels = cell.map_or(label.all, |cell| run.scene.shape.labels(cell));
        let mut all = SmallVec::new();
        for number in (0..8).filter(|number| labels >> number & 1 == 1) {
            let mut run = run.clone();
            let kept = cell.map_or(Ok(()), |cell| run.scene.shape.keep_labels(cell, 1 << number));
            if kept.is_ok() {
                all.push((run, smallvec![label_value(label, number)]));
            }
        }
        all
    }

    /// Raises an alarm if an edge may violate the order of labels.
    pub fn keep_order(&self, shape: &Shape, from: Term, to: Term, span: Span, outcomes: &mut Outcomes) {
        if self.ordered && !shape.is_in_order(from, to) {
            outcomes.alarm(AlarmKind::OutOfOrder, span);
        }
    }

    /// Writes the label of a cell.
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

    /// Returns the labels that a cell gets with a value. A key must be defined, so that every reader may use
    /// it.
    pub fn given_labels(
        &self,
        label: Label,
        value: Value,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<u8> {
        let is_key = label.sort == SlotSort::Key;
        if is_key && matches!(value, Value::Undefined | Value::Unknown) {
            outcomes.alarm(AlarmKind::UndefinedKey, span);
        }
        match labels_of(label, value) {
            0 => {
                outcomes.alarm(AlarmKind::Misfit, span);
                None
            }
            labels => Some(labels),
        }
    }

    /// Splits a run for each tracked cell: the cell to be written reaches it, or does not. In lists with
    /// labels, cells enter in the middle: this decides the relations of all cells that reach the written
    /// cell.
    pub fn split_behind(&self, run: Case, cell: Term) -> Cases {
        let mut runs: Cases = smallvec![run];
        if self.program.cell.label.is_none() {
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

/// Returns the labels that a value may be; empty for a value outside of the type, which is a fault.
fn labels_of(label: Label, value: Value) -> u8 {
    let number = match value {
        Value::Small(number) => i16::from(number) - i16::from(label.least),
        Value::Key(class) => i16::from(class),
        _ => return label.all,
    };
    if (0..8).contains(&number) { label.all & 1 << number } else { 0 }
}

/// Returns the value of a label.
fn label_value(label: Label, number: u8) -> Value {
    match label.sort {
        SlotSort::Key => Value::Key(number),
        _ => Value::Small(label.least.saturating_add_unsigned(number)),
    }
}
