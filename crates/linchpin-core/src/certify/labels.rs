//! Labels of cells in a configuration: reading and writing them, and whether a write keeps the order that an invariant claims.

use super::certificate::{FAR, NEXT};
use super::config::{Config, Trouble, Val, Values, What};
use super::layout::Label;
use super::memory::Accessed;
use super::run::{Case, Cases, Runner};
use crate::source::Span;
use smallvec::smallvec;

impl Runner<'_> {
    /// The label of a cell, one case for each that it may be.
    pub fn label_of(&self, case: Case, cell: Accessed, label: Label) -> Vec<(Case, Values)> {
        let labels = match cell {
            Accessed::Node(cell) => case.graph.labels(usize::from(cell)),
            Accessed::Wild => label.all,
        };
        let mut all = Vec::new();
        for number in (0..8).filter(|number| labels >> number & 1 == 1) {
            let mut case = case.clone();
            let kept = match cell {
                Accessed::Node(cell) => {
                    case.graph.restrict_labels(self.algebra, usize::from(cell), 1 << number)
                }
                Accessed::Wild => Ok(()),
            };
            if kept.is_ok() {
                all.push((case, smallvec![Val::Is(label.value(number))]));
            }
        }
        all
    }

    /// A cell gets another label, and so does every node that may be the same cell.
    pub fn write_label(
        &self,
        mut case: Case,
        cell: u8,
        labels: u8,
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Cases {
        if self.ordered {
            troubles.push(Trouble { what: What::Method("the order of the cells may be lost"), span });
        }
        case.graph.set_labels(usize::from(cell), labels);
        if labels == 0 { Cases::new() } else { smallvec![case] }
    }

    /// Whether an edge between two nodes may lead to a smaller label, although it is claimed that none does.
    pub fn keeps_order(&self, case: &Config, from: usize, to: usize) -> bool {
        let (from, to) = (case.graph.labels(from), case.graph.labels(to));
        let greatest = 7_u32.saturating_sub(from.leading_zeros());
        !self.ordered || greatest <= to.trailing_zeros()
    }

    /// The cases in which the tracked cells can be reached from a cell that is about to be written, and in which not.
    pub fn before_tracked(&self, case: Case, cell: u8) -> Cases {
        let mut cases: Cases = smallvec![case];
        for at in 0..cases[0].tracked.len() {
            let mut all = Cases::new();
            for case in cases {
                match case.tracked[at] {
                    None => all.push(case),
                    Some(holder) => {
                        all.extend(
                            self.split(case, cell, holder, NEXT | FAR).into_iter().map(|(case, _)| case),
                        );
                    }
                }
            }
            cases = all;
            if cases.is_empty() {
                break;
            }
        }
        cases
    }
}
