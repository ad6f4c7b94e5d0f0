//! Labels of cells in a configuration: reads, writes, and the order of cells that an invariant claims.

use super::config::{Config, FailureKind, Val};
use super::eval::{Evaluated, Site};
use super::faults::Fault;
use super::graph::NodeId;
use super::memory::Accessed;
use super::run::{Case, Cases, Runner};
use crate::certificate::{FAR, NEXT};
use linchpin_ir::heap::cell::{Label, LabelValues};
use linchpin_ir::heap::layout::Sort;
use smallvec::smallvec;

/// Returns all labels, one bit each.
pub(super) fn all_labels(label: Label) -> u8 {
    let count = match label.values {
        LabelValues::Numbers { count, .. } => count,
        LabelValues::Keys => crate::observer_adequacy::KEY_CLASSES,
    };
    u8::MAX.checked_shr(8 - u32::from(count.min(8))).unwrap_or(0)
}

/// Returns the labels that a value may be; `None` if the value is outside of the type, or undefined.
fn labels_of(label: Label, value: Val) -> Option<u8> {
    let bit = |number: i16| u32::try_from(number).ok().and_then(|number| 1_u8.checked_shl(number));
    match (label.values, value) {
        (LabelValues::Numbers { least, .. }, Val::Small(number)) => {
            bit(i16::from(number) - i16::from(least)).filter(|bit| bit & all_labels(label) != 0)
        }
        (LabelValues::Keys, Val::Key(class)) => {
            bit(i16::from(class)).filter(|bit| bit & all_labels(label) != 0)
        }
        (LabelValues::Numbers { .. }, Val::Any(Sort::Number)) => Some(all_labels(label)),
        _ => None,
    }
}

/// Returns the value of the label with this number.
fn value_of(label: Label, number: u8) -> Option<Val> {
    match label.values {
        LabelValues::Numbers { least, .. } => {
            i8::try_from(i16::from(least) + i16::from(number)).ok().map(Val::Small)
        }
        LabelValues::Keys => Some(Val::Key(number)),
    }
}

impl Runner<'_> {
    /// Returns the labels that a cell gets with a value. A key in a cell must be defined, so that every
    /// reader may use it. For obligations other than memory, a key that may be undefined counts as any key.
    pub fn given_labels(&self, site: &mut Site, label: Label, value: Option<Val>) -> Option<u8> {
        let value = value.unwrap_or(match label.values {
            LabelValues::Numbers { default, .. } => Val::Small(default),
            LabelValues::Keys => Val::Undefined,
        });
        let labels = labels_of(label, value);
        if let (None, LabelValues::Keys, Val::Undefined | Val::Any(Sort::Key)) = (labels, label.values, value)
        {
            site.report(FailureKind::Fault(Fault::UndefinedKey));
            return Some(all_labels(label));
        }
        if labels.is_none() {
            site.report(FailureKind::Method("the value is not a label"));
        }
        labels
    }

    /// Returns the label of a cell, one case for each possible label.
    pub fn label_of(&self, case: Case, cell: Accessed, label: Label) -> Evaluated {
        let labels = match cell {
            Accessed::Node(cell) => case.graph.labels(cell.index()),
            Accessed::Wild => all_labels(label),
        };
        let mut all = Evaluated::new();
        for number in (0..8).filter(|number| labels >> number & 1 == 1) {
            let mut case = case.clone();
            let kept = match cell {
                Accessed::Node(cell) => case.graph.restrict_labels(self.algebra, cell.index(), 1 << number),
                Accessed::Wild => Ok(()),
            };
            if let (Ok(()), Some(value)) = (kept, value_of(label, number)) {
                all.push((case, smallvec![value]));
            }
        }
        all
    }

    /// Writes the label of a cell, and of every node that may be the same cell.
    pub fn write_label(
        &self,
        site: &mut Site,
        mut case: Case,
        cell: NodeId,
        label: Label,
        value: Val,
    ) -> Cases {
        if self.ordered {
            site.report(FailureKind::Method("the order of the cells may be lost"));
        }
        let Some(labels) = self.given_labels(site, label, Some(value)) else { return Cases::new() };
        case.graph.set_labels(cell.index(), labels);
        smallvec![case]
    }

    /// Returns whether an edge between two nodes keeps the claimed order: it never leads to a smaller label.
    pub fn keeps_order(&self, case: &Config, from: usize, to: usize) -> bool {
        let (from, to) = (case.graph.labels(from), case.graph.labels(to));
        let greatest = 7_u32.saturating_sub(from.leading_zeros());
        !self.ordered || greatest <= to.trailing_zeros()
    }

    /// Splits a case for each tracked cell: the cell to be written reaches it, or does not.
    pub fn before_tracked(&self, case: Case, cell: NodeId) -> Cases {
        let mut cases: Cases = smallvec![case];
        for at in 0..self.variables() {
            let mut all = Cases::new();
            for case in cases {
                match case.tracked.get(at).copied().flatten() {
                    None => all.push(case),
                    Some(holder) => {
                        all.extend(
                            self.split(case, cell, holder, NEXT | FAR).into_iter().map(|(case, _)| case),
                        );
                    }
                }
            }
            cases = all;
        }
        cases
    }
}
