//! Allocation and release of cells.

use super::decide::split;
use super::run::{Case, Cases, Context, Made, Outcomes};
use crate::alarm::AlarmKind;
use crate::pairs::domain::heap;
use crate::pairs::domain::shape::{FREE_TERM, GARBAGE_TERM, NULL_TERM, Term};
use crate::pairs::domain::value::Value;
use linchpin_certify::certificate::{NEXT, SAME, WatchedCell};
use linchpin_ir::heap::HeapExpr;
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

impl Context<'_> {
    /// Allocates a cell. Returns the cases, each with the pointer.
    pub fn allocate(
        &self,
        mut run: Case,
        fields: &[(usize, HeapExpr)],
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Made {
        if run.scene.shape.is_full() {
            outcomes.alarm(AlarmKind::TooManyTerms, span);
            return SmallVec::new();
        }
        let given = |field: Option<usize>| {
            let (_, value) = fields.iter().find(|(at, _)| Some(*at) == field)?;
            Some(self.parts(&run, value))
        };
        let data = given(self.program.cell.data).and_then(|parts| parts.first().copied());
        if !self.program.collected {
            // A cell that was never used has default fields, also in pool memory.
            let pristine = run.op.is_none() && !self.program.init_frees;
            let default = if self.program.manual || pristine { NULL_TERM } else { GARBAGE_TERM };
            let shape = &mut run.scene.shape;
            let Ok(cell) = heap::any_free(shape) else { return SmallVec::new() };
            let is_visible_to_peer = self.mark_cell_changed(&mut run, cell);
            let is_seen = is_visible_to_peer || !self.visible_only;
            if is_seen && run.scene.redirect(cell, default).is_err() {
                return SmallVec::new();
            }
            return self.watched(run, cell, Value::Undefined);
        }
        let pointer = given(self.program.cell.next)
            .and_then(|parts| parts.get(self.program.cell.pointer_part.unwrap_or(0)).copied())
            .unwrap_or(Value::Null);
        let target = match pointer {
            Value::Null => NULL_TERM,
            Value::Cell(target) => target,
            _ => {
                outcomes.alarm(AlarmKind::WildWrite, span);
                return SmallVec::new();
            }
        };
        let label = match self.program.cell.label {
            Some(label) => {
                let value = given(Some(label.field)).and_then(|parts| parts.first().copied());
                let value = value.unwrap_or(Value::default_of(label.sort));
                let Some(labels) = self.given_labels(label, value, span, outcomes) else {
                    return SmallVec::new();
                };
                Some(labels)
            }
            None => None,
        };
        let cell = heap::create(&mut run.scene.shape, target);
        if let Some(labels) = label {
            run.scene.shape.put_labels(cell, labels);
            if pointer != Value::Null {
                self.keep_order(&run.scene.shape, cell, target, span, outcomes);
            }
            if run.scene.shape.keep_labels(cell, labels).is_err() {
                return SmallVec::new();
            }
        }
        let mut all = Made::new();
        for data in self.data_classes(data.unwrap_or(Value::Undefined)) {
            let mut run = run.clone();
            if self.is_memory() {
                if matches!(data, Value::Tracked(_)) {
                    outcomes.alarm(AlarmKind::UndefinedStored, span);
                }
                all.extend(self.watched(run, cell, data));
                continue;
            }
            if let Value::Tracked(variable) = data {
                let holder = &mut run.scene.tracked[usize::from(variable)];
                if holder.is_some() {
                    outcomes.alarm(AlarmKind::SecondHolder, span);
                    continue;
                }
                *holder = Some(cell);
                run.scene.mark_visible();
            }
            all.push((run, Value::Cell(cell)));
        }
        all
    }

    /// For memory: every new cell may be the watched cell.
    fn watched(&self, run: Case, cell: Term, data: Value) -> Made {
        let mut all = SmallVec::new();
        if self.is_memory() && run.scene.tracked.as_slice() == [None] {
            let mut run = run.clone();
            run.scene.tracked[0] = Some(cell);
            run.scene.watch = WatchedCell { undefined: data != Value::Other, shared: false };
            let actor = run.actor;
            run.scene.threads[actor].answers = !self.program.collected;
            run.scene.mark_visible();
            all.push((run, Value::Cell(cell)));
        }
        all.push((run, Value::Cell(cell)));
        all
    }

    pub fn free(&self, mut run: Case, pointer: &HeapExpr, span: Span, outcomes: &mut Outcomes) -> Cases {
        let cell = match self.pointer(&run, pointer) {
            Value::Null => {
                outcomes.alarm(AlarmKind::NullAccess, span);
                return Cases::new();
            }
            Value::Cell(cell) => cell,
            _ if self.program.collected => {
                outcomes.alarm(AlarmKind::WildAccess, span);
                return smallvec![run];
            }
            _ => {
                outcomes.alarm(AlarmKind::WildAccess, span);
                outcomes.alarm(AlarmKind::WildWrite, span);
                return Cases::new();
            }
        };
        if self.program.collected {
            return smallvec![run];
        }
        let is_visible_to_peer = self.mark_cell_changed(&mut run, cell);
        let shape = &mut run.scene.shape;
        if shape.get(cell, FREE_TERM) & NEXT != 0 {
            outcomes.alarm(AlarmKind::DoubleFree, span);
        }
        if shape.refine(cell, FREE_TERM, !NEXT).is_err() {
            return Cases::new();
        }
        let is_seen = is_visible_to_peer || !self.visible_only;
        if is_seen && run.scene.redirect(cell, FREE_TERM).is_err() {
            return Cases::new();
        }
        // The watched cell is no longer watched. In manual memory a freed cell loses its data.
        let forgets = self.is_memory() || self.program.manual;
        let mut runs: Cases = smallvec![run];
        for variable in 0..if forgets { runs[0].scene.tracked.len() } else { 0 } {
            let mut all = Cases::new();
            for run in runs {
                let Some(holder) = run.scene.tracked[variable] else {
                    all.push(run);
                    continue;
                };
                for (mut run, same) in split(run, cell, holder, SAME) {
                    if same {
                        run.scene.tracked[variable] = None;
                        run.scene.watch = WatchedCell::default();
                        run.scene.threads.iter_mut().for_each(|thread| thread.answers = false);
                    }
                    all.push(run);
                }
            }
            runs = all;
            if runs.is_empty() {
                break;
            }
        }
        runs
    }
}
