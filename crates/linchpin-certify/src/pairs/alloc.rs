//! Allocates and frees cells in a configuration.

use super::config::{FailureKind, Val, Values};
use super::eval::Site;
use super::faults::Fault;
use super::graph::NodeId;
use super::run::{Case, Cases, Runner};
use crate::certificate::{FREE, GARBAGE, NEXT, NULL, SAME, WatchedCell};
use linchpin_ir::heap::HeapExpr;
use linchpin_ir::heap::layout::Sort;
use linchpin_ir::program::OpId;
use smallvec::smallvec;

/// The values of the fields in a `new`.
type Given = Vec<(usize, Values)>;

impl Runner<'_> {
    pub fn allocate(
        &self,
        site: &mut Site,
        case: Case,
        op: Option<OpId>,
        fields: &[(usize, HeapExpr)],
    ) -> Vec<(Case, NodeId)> {
        let mut cases: Vec<(Case, Given)> = vec![(case, Vec::new())];
        for (field, value) in fields {
            let mut longer = Vec::new();
            for (case, given) in cases {
                for (case, values) in self.eval(site, case, value) {
                    let mut given = given.clone();
                    given.push((*field, values));
                    longer.push((case, given));
                }
            }
            cases = longer;
        }
        let mut all = Vec::new();
        for (case, given) in cases {
            if self.layout.is_collected() {
                all.extend(self.create(site, case, &given));
            } else if given.is_empty() {
                all.extend(self.take_free(site, case, op));
            } else {
                site.report(FailureKind::Method("`new` writes fields of reused memory"));
            }
        }
        all
    }

    /// Creates a cell in garbage-collected memory.
    fn create(&self, site: &mut Site, mut case: Case, given: &Given) -> Vec<(Case, NodeId)> {
        let layout = self.layout.cell();
        let values = |field: Option<usize>| {
            given.iter().find(|(at, _)| Some(*at) == field).map(|(_, values)| &values[..])
        };
        let one = |field: Option<usize>| match values(field) {
            Some([value]) => Some(*value),
            _ => None,
        };
        let pointer = match (values(layout.link.map(|link| link.field)), layout.link) {
            (None, _) => Some(Val::Null),
            (Some([pointer]), Some(link)) if link.word.is_none() => Some(*pointer),
            (Some(values), Some(link)) => link.word.and_then(|word| values.get(word.pointer).copied()),
            (Some(_), None) => None,
        };
        let target = match pointer {
            Some(Val::Null) => NULL,
            Some(Val::Node(target)) => target.index(),
            Some(Val::Wild | Val::Any(Sort::Pointer)) => {
                site.report(FailureKind::Method("the pointer is not known"));
                return Vec::new();
            }
            _ => {
                site.report(FailureKind::Method("a pointer field gets a value that is not a pointer"));
                return Vec::new();
            }
        };
        let labels = match layout.label {
            Some(label) => match self.given_labels(site, label, one(Some(label.field))) {
                Some(labels) => Some(labels),
                None => return Vec::new(),
            },
            None => None,
        };
        let Some(cell) = case.graph.create(self.algebra, target) else {
            site.report(FailureKind::Method("too many pointers"));
            return Vec::new();
        };
        if let Some(labels) = labels {
            case.graph.set_labels(cell.index(), labels);
            if target != NULL && !self.keeps_order(&case, cell.index(), target) {
                site.report(FailureKind::Method("the order of the cells may be lost"));
            }
            if case.graph.restrict_labels(self.algebra, cell.index(), labels).is_err() {
                return Vec::new();
            }
        }
        let data = one(layout.data).unwrap_or(Val::Undefined);
        let mut all = Vec::new();
        for data in self.data_cases(data) {
            if self.is_memory() {
                if matches!(data, Val::Tracked(_)) {
                    site.report(FailureKind::Fault(Fault::UndefinedStored));
                }
                all.extend(self.watched(case.clone(), cell, data));
                continue;
            }
            let mut case = case.clone();
            if let Val::Tracked(at) = data {
                match case.tracked.get_mut(usize::from(at)) {
                    Some(holder @ None) => *holder = Some(cell),
                    _ => {
                        site.report(FailureKind::Method("a second cell may hold the same argument"));
                        continue;
                    }
                }
                case.visible = true;
            }
            all.push((case, cell));
        }
        all
    }

    /// Takes an arbitrary free cell. In pool memory a used cell keeps its fields; otherwise the fields have
    /// their defaults.
    fn take_free(&self, site: &mut Site, mut case: Case, op: Option<OpId>) -> Vec<(Case, NodeId)> {
        case.visible = true;
        let holds_defaults = self.layout.is_manual() || (op.is_none() && self.pristine);
        let cell = match case.graph.add_related(self.algebra, FREE, NEXT) {
            Some(Ok(cell)) => cell,
            Some(Err(_)) => return Vec::new(),
            None => {
                site.report(FailureKind::Method("too many pointers"));
                return Vec::new();
            }
        };
        let target = if holds_defaults { NULL } else { GARBAGE };
        if case.graph.redirect(self.algebra, cell.index(), target).is_err() {
            return Vec::new();
        }
        if self.is_memory() { self.watched(case, cell, Val::Undefined) } else { vec![(case, cell)] }
    }

    /// For memory: every new cell may be the watched cell.
    fn watched(&self, case: Case, cell: NodeId, data: Val) -> Vec<(Case, NodeId)> {
        let mut all = Vec::new();
        if case.tracked[..] == [None] {
            let mut watched = case.clone();
            watched.tracked[0] = Some(cell);
            watched.watch = WatchedCell { undefined: data != Val::Other, shared: false };
            watched.me().answers = !self.layout.is_collected();
            watched.visible = true;
            all.push((watched, cell));
        }
        all.push((case, cell));
        all
    }

    pub fn free(&self, site: &mut Site, case: Case, pointer: &HeapExpr) -> Cases {
        let mut all = Cases::new();
        for (case, values) in self.eval(site, case, pointer) {
            match values[..] {
                [Val::Null] => site.report(FailureKind::Fault(Fault::NullAccess)),
                [Val::Node(_)] if self.layout.is_collected() => all.push(case),
                [Val::Node(cell)] => all.extend(self.free_cell(site, case, cell)),
                [Val::Wild | Val::Any(Sort::Pointer)] => {
                    site.report(FailureKind::Fault(Fault::WildAccess));
                    if self.layout.is_collected() {
                        all.push(case);
                    } else {
                        site.report(FailureKind::Method("any cell may be freed"));
                    }
                }
                _ => site.report(FailureKind::Method("the freed value is not a pointer")),
            }
        }
        all
    }

    fn free_cell(&self, site: &mut Site, mut case: Case, cell: NodeId) -> Cases {
        let at = cell.index();
        if case.graph.may_be_free(at) {
            site.report(FailureKind::Fault(Fault::DoubleFree));
        }
        case.visible = true;
        if case.graph.restrict(self.algebra, at, FREE, !NEXT).is_err()
            || case.graph.redirect(self.algebra, at, FREE).is_err()
        {
            return Cases::new();
        }
        let mut cases: Cases = smallvec![case];
        // The watched cell is no longer watched. In manual memory a freed cell loses its data.
        if !self.is_memory() && !self.layout.is_manual() {
            return cases;
        }
        for tracked in 0..self.variables() {
            let mut all = Cases::new();
            for case in cases {
                let Some(holder) = case.tracked[tracked] else {
                    all.push(case);
                    continue;
                };
                for (mut case, same) in self.split(case, cell, holder, SAME) {
                    if same {
                        case.tracked[tracked] = None;
                        case.watch = WatchedCell::default();
                        case.threads.iter_mut().for_each(|thread| thread.answers = false);
                    }
                    all.push(case);
                }
            }
            cases = all;
        }
        cases
    }
}
