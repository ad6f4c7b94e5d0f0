//! Reads and writes of places, and their effect on tracked cells.

use super::ages::{AgeWrite, Writer, age_place};
use super::decide::split;
use super::run::{AbstractRun, Case, Cases, Context, Outcomes, Reads};
use crate::alarm::AlarmKind;
use crate::pairs::domain::heap;
use crate::pairs::domain::heap::Target;
use crate::pairs::domain::relation::REACHES;
use crate::pairs::domain::shape::{FREE_TERM, GARBAGE_TERM, NULL_TERM, Term};
use crate::pairs::domain::value::{AgePlace, Value};
use crate::pairs::program::SlotSort;
use linchpin_certify::certificate::{NEXT, SAME};
use linchpin_ir::heap::layout::LockId;
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapPlace};
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

impl Context<'_> {
    /// Returns the value of a place, in each case.
    pub fn read(&self, run: Case, place: &HeapPlace, span: Span, outcomes: &mut Outcomes) -> Reads {
        match &place.base {
            HeapBase::Global(_) | HeapBase::Element { .. } => {
                let Some(parts) = self.shared_parts(&run, place, span, outcomes) else {
                    return SmallVec::new();
                };
                let values = parts
                    .map(|part| match self.program.shared[part] {
                        SlotSort::Age => Value::Age { current: true, stepped: false, of: age_place(part) },
                        _ => run.scene.globals[part],
                    })
                    .collect();
                smallvec![(run, values)]
            }
            HeapBase::Field { pointer, field, .. } => {
                let pointer = self.pointer(&run, pointer);
                let Some(cell) = self.cell(run, pointer, span, outcomes) else { return SmallVec::new() };
                let label = self.program.cell.label.filter(|label| label.field == *field);
                match cell {
                    (run, cell) if let Some(label) = label => self.read_label(run, cell, label),
                    (run, Some(cell)) if self.program.cell.data == Some(*field) => self.read_data(run, cell),
                    (run, Some(cell)) => self.read_link(run, cell, place.part, span, outcomes),
                    (run, None) => self.read_wild(run, *field, place.part),
                }
            }
        }
    }

    /// Returns the parts of a shared place; `None` if the index is out of bounds or not known.
    fn shared_parts(
        &self,
        run: &AbstractRun,
        place: &HeapPlace,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<std::ops::Range<usize>> {
        let layout = &self.program.layout;
        match &place.base {
            HeapBase::Global(global) => layout.shared_parts(*global, 0, 0, place.part),
            HeapBase::Element { array, index, field } => match self.parts(run, index).as_slice() {
                [Value::Small(number)] => {
                    let element =
                        usize::try_from(*number).ok().filter(|number| *number < layout.elements(*array));
                    if element.is_none() {
                        outcomes.alarm(AlarmKind::OutOfBounds, span);
                    }
                    layout.shared_parts(*array, element?, *field, place.part)
                }
                _ => {
                    outcomes.alarm(AlarmKind::UnclearIndex, span);
                    None
                }
            },
            HeapBase::Field { .. } => None,
        }
    }

    /// Returns the cell behind a pointer; the cell is `None` for an arbitrary pointer. Returns no run if the
    /// pointer is null.
    pub fn cell(
        &self,
        mut run: Case,
        pointer: Value,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<(Case, Option<Term>)> {
        match pointer {
            Value::Null => {
                outcomes.alarm(AlarmKind::NullAccess, span);
                None
            }
            Value::Cell(cell) => {
                if self.program.manual && run.scene.shape.get(cell, FREE_TERM) & NEXT != 0 {
                    outcomes.alarm(AlarmKind::FreedAccess, span);
                    run.scene.shape.refine(cell, FREE_TERM, !NEXT).ok()?;
                }
                Some((run, Some(cell)))
            }
            _ => {
                outcomes.alarm(AlarmKind::WildAccess, span);
                Some((run, None))
            }
        }
    }

    pub fn pointer(&self, run: &AbstractRun, pointer: &HeapExpr) -> Value {
        self.parts(run, pointer).first().copied().unwrap_or(Value::Unknown)
    }

    /// Returns the data of a cell, in each case: tracked if the cell is.
    fn read_data(&self, run: Case, cell: Term) -> Reads {
        let mut all = SmallVec::new();
        let mut rest: Cases = smallvec![run];
        for variable in 0..self.tracked_values(&rest[0]) {
            let mut others = Cases::new();
            for run in rest {
                let Some(holder) = run.scene.tracked[variable] else {
                    others.push(run);
                    continue;
                };
                for (run, same) in split(run, cell, holder, SAME) {
                    if same {
                        all.push((run, smallvec![Value::Tracked(number(variable))]));
                    } else {
                        others.push(run);
                    }
                }
            }
            rest = others;
        }
        all.extend(rest.into_iter().map(|run| (run, smallvec![Value::Other])));
        all
    }

    /// Returns the number of cells whose data is tracked: the watched cell counts only while its data is
    /// undefined.
    fn tracked_values(&self, run: &AbstractRun) -> usize {
        if self.is_memory() && !run.scene.watch.undefined { 0 } else { run.scene.tracked.len() }
    }

    /// Returns the pointer field of a cell, or one part of the field, in each case.
    fn read_link(
        &self,
        run: Case,
        cell: Term,
        part: Option<usize>,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Reads {
        let node = self.program.cell;
        let age = Value::Age { current: true, stepped: false, of: AgePlace::Cell(cell) };
        if part.is_some() && part == node.age_part {
            return smallvec![(run, smallvec![age])];
        }
        if run.scene.shape.is_full() {
            outcomes.alarm(AlarmKind::TooManyTerms, span);
            return SmallVec::new();
        }
        let mut all = SmallVec::new();
        for target in Target::ALL {
            let Some(shape) = heap::with_target(&run.scene.shape, cell, target, self.program.collected)
            else {
                continue;
            };
            let mut run = run.clone();
            run.scene.shape = shape;
            let pointer = match target {
                Target::Null => Value::Null,
                Target::Free | Target::Garbage => Value::Garbage,
                Target::Cell => match heap::follow(&mut run.scene.shape, cell) {
                    Ok(term) => Value::Cell(term),
                    Err(_) => continue,
                },
            };
            let values = match (part, node.pointer_part, node.age_part) {
                (None, Some(0), Some(_)) => smallvec![pointer, age],
                (None, Some(_), Some(_)) => smallvec![age, pointer],
                _ => smallvec![pointer],
            };
            all.push((run, values));
        }
        all
    }

    /// Returns the possible values of a field behind an arbitrary pointer.
    fn read_wild(&self, run: Case, field: usize, part: Option<usize>) -> Reads {
        if self.program.cell.data == Some(field) {
            let mut all = SmallVec::new();
            for variable in 0..self.tracked_values(&run) {
                if run.scene.tracked[variable].is_some() {
                    all.push((run.clone(), smallvec![Value::Tracked(number(variable))]));
                }
            }
            all.push((run, smallvec![Value::Other]));
            return all;
        }
        let node = self.program.cell;
        let values = match (part, node.pointer_part, node.age_part) {
            (Some(part), _, Some(age)) if part == age => smallvec![Value::Unknown],
            (None, Some(0), Some(_)) => smallvec![Value::Garbage, Value::Unknown],
            (None, Some(_), Some(_)) => smallvec![Value::Unknown, Value::Garbage],
            _ => smallvec![Value::Garbage],
        };
        smallvec![(run, values)]
    }

    /// Writes values to a place. Returns the cases.
    pub fn write(
        &self,
        mut run: Case,
        place: &HeapPlace,
        values: &[Value],
        writer: Writer,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Cases {
        match &place.base {
            HeapBase::Global(_) | HeapBase::Element { .. } => {
                run.scene.mark_visible();
                let Some(parts) = self.shared_parts(&run, place, span, outcomes) else { return Cases::new() };
                if parts.len() != values.len() {
                    outcomes.alarm(AlarmKind::Misfit, span);
                    return Cases::new();
                }
                for (part, value) in parts.zip(values) {
                    if self.program.shared[part] != SlotSort::Age {
                        let is_undefined = self.is_undefined(*value);
                        run.scene.globals[part] = if is_undefined { Value::Undefined } else { *value };
                        continue;
                    }
                    let here = age_place(part);
                    match self.age_write(*value, writer, |of| of == here) {
                        Some(AgeWrite::Unchanged) => {}
                        Some(effect) => run.write_age(|age_of| age_of == here, effect),
                        None => {
                            outcomes.alarm(AlarmKind::WrongAge, span);
                            return Cases::new();
                        }
                    }
                }
                smallvec![run]
            }
            HeapBase::Field { pointer, field, .. } => {
                let pointer = self.pointer(&run, pointer);
                let Some((mut run, cell)) = self.cell(run, pointer, span, outcomes) else {
                    return Cases::new();
                };
                let Some(cell) = cell else {
                    outcomes.alarm(AlarmKind::WildWrite, span);
                    return Cases::new();
                };
                let is_visible_to_peer = self.mark_cell_changed(&mut run, cell);
                let value = values.first().copied().unwrap_or(Value::Unknown);
                if self.program.cell.data == Some(*field) {
                    run.scene.visible_to_peer |= matches!(value, Value::Tracked(_));
                    return self.write_data(run, cell, value, span, outcomes);
                }
                if let Some(label) = self.program.cell.label.filter(|label| label.field == *field) {
                    return self.write_label(run, cell, label, value, span, outcomes);
                }
                if self.visible_only && !is_visible_to_peer {
                    return smallvec![run];
                }
                self.write_link(run, cell, place.part, (values, writer), span, outcomes)
            }
        }
    }

    /// Records a change of a cell. Returns whether it is visible to a peer. For memory every change is: the
    /// owner of the watched cell is decided after each change.
    pub fn mark_cell_changed(&self, run: &mut AbstractRun, cell: Term) -> bool {
        run.scene.written = true;
        if self.is_memory() {
            run.scene.mark_visible();
            return true;
        }
        run.scene.mark_cell_changed(run.actor, cell)
    }

    fn write_link(
        &self,
        run: Case,
        cell: Term,
        part: Option<usize>,
        (values, writer): (&[Value], Writer),
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Cases {
        let node = self.program.cell;
        let at = |wanted: Option<usize>| match (part, wanted) {
            (Some(part), Some(wanted)) if part != wanted => None,
            (None, Some(wanted)) => values.get(wanted).copied(),
            (Some(_), None) => None,
            _ => values.first().copied(),
        };
        let pointer =
            if node.pointer_part.is_some() { at(node.pointer_part) } else { values.first().copied() };
        let age = node.age_part.and_then(|_| at(node.age_part));
        let mut runs: Cases = smallvec![run];
        if let Some(age) = age {
            let is_here = |of: AgePlace| match of {
                AgePlace::Cell(of) => runs[0].scene.shape.get(of, cell) == SAME,
                AgePlace::Shared(_) | AgePlace::Lost => false,
            };
            match self.age_write(age, writer, is_here) {
                Some(AgeWrite::Unchanged) => {}
                Some(effect) => {
                    runs = runs.into_iter().flat_map(|run| run.step_age_of(cell, effect)).collect();
                }
                None => {
                    outcomes.alarm(AlarmKind::WrongAge, span);
                    return Cases::new();
                }
            }
        }
        let Some(pointer) = pointer else { return runs };
        let mut all = Cases::new();
        for run in runs.into_iter().flat_map(|run| self.split_behind(run, cell)) {
            // A write that would close a cycle makes the pointer arbitrary: stale pointers may close cycles
            // among cells that no other thread will use.
            if !self.program.collected
                && let Value::Cell(target) = pointer
                && run.scene.shape.get(target, cell) & REACHES != 0
            {
                let mut cyclic = run.clone();
                if cyclic.scene.shape.refine(target, cell, REACHES).is_ok() {
                    all.extend(self.redirect(cyclic, cell, Value::Garbage, span, outcomes));
                }
            }
            // A free cell stays free, whatever is written to it.
            if !self.program.collected
                && let Some(shape) = heap::with_target(&run.scene.shape, cell, Target::Free, false)
            {
                let mut free = run.clone();
                free.scene.shape = shape;
                all.push(free);
            }
            all.extend(self.redirect(run, cell, pointer, span, outcomes));
        }
        all
    }

    /// Redirects the edge of an allocated cell.
    fn redirect(
        &self,
        mut run: Case,
        cell: Term,
        pointer: Value,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<Case> {
        let shape = &mut run.scene.shape;
        if !self.program.collected {
            shape.refine(cell, FREE_TERM, !NEXT).ok()?;
        }
        let target = match pointer {
            Value::Null => NULL_TERM,
            Value::Cell(target) => {
                if self.program.collected && shape.get(target, cell) & REACHES != 0 {
                    outcomes.alarm(AlarmKind::Cycle, span);
                }
                self.keep_order(shape, cell, target, span, outcomes);
                target
            }
            _ if self.program.collected => {
                outcomes.alarm(AlarmKind::WildWrite, span);
                return None;
            }
            _ => GARBAGE_TERM,
        };
        run.scene.redirect(cell, target).ok()?;
        Some(run)
    }

    fn write_data(&self, run: Case, cell: Term, value: Value, span: Span, outcomes: &mut Outcomes) -> Cases {
        let mut all = Cases::new();
        for value in self.data_classes(value) {
            all.extend(self.write_class(run.clone(), cell, value, span, outcomes));
        }
        all
    }

    /// Lists every class of data that a value may have.
    pub fn data_classes(&self, value: Value) -> SmallVec<[Value; 3]> {
        if value != Value::Unknown {
            return smallvec![value];
        }
        let tracked = (0..self.variables()).map(|variable| Value::Tracked(number(variable)));
        tracked.chain([Value::Other, Value::Undefined]).collect()
    }

    fn write_class(&self, run: Case, cell: Term, value: Value, span: Span, outcomes: &mut Outcomes) -> Cases {
        let is_undefined = self.is_undefined(value);
        if self.is_memory() && is_undefined && run.scene.tracked.as_slice() == [None] {
            outcomes.alarm(AlarmKind::UndefinedStored, span);
        }
        let mut runs: Cases = smallvec![run];
        for variable in 0..runs[0].scene.tracked.len() {
            let mut all = Cases::new();
            for mut run in runs {
                let holds = value == Value::Tracked(number(variable));
                let Some(holder) = run.scene.tracked[variable] else {
                    if holds && !self.is_memory() {
                        run.scene.tracked[variable] = Some(cell);
                    }
                    all.push(run);
                    continue;
                };
                for (mut run, same) in split(run, cell, holder, SAME) {
                    match (same, holds) {
                        (true, _) if self.is_memory() => run.scene.watch.undefined = is_undefined,
                        (false, _) if self.is_memory() && is_undefined => {
                            outcomes.alarm(AlarmKind::UndefinedStored, span);
                        }
                        (true, false) => run.scene.tracked[variable] = None,
                        (false, true) if !self.is_memory() => {
                            outcomes.alarm(AlarmKind::SecondHolder, span);
                            continue;
                        }
                        _ => {}
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

    /// Returns the bit of a lock; `None` if its index is out of bounds or not known. Locks in cells are
    /// unsupported.
    pub fn lock_bit(
        &self,
        run: &AbstractRun,
        place: &HeapPlace,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<u32> {
        let parts = self.shared_parts(run, place, span, outcomes)?;
        self.program.layout.lock(&parts).map(LockId::bit)
    }
}

/// Converts the number of an observer variable; there are at most eight.
pub fn number(variable: usize) -> u8 {
    u8::try_from(variable).unwrap_or(u8::MAX)
}
