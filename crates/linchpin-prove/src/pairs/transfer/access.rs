//! Accesses to memory: reading and writing places, allocating, freeing, and what that does to tracked cells and to copies of ages.

use super::alarm::AlarmKind;
use super::decide::split;
use super::heap::{self, Target};
use super::plan::Kind;
use super::relation::REACHES;
use super::scene::{AgePlace, Value, default_value};
use super::shape::{FREE_TERM, GARBAGE_TERM, NULL_TERM, Term};
use super::step::{Case, Cases, Context, Made, Outcomes, Reads, Run};
use linchpin_certify::certificate::{NEXT, SAME, WatchedCell};
use linchpin_ir::heap::layout::{LockId, SharedPart};
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapPlace};
use linchpin_ir::program::OpId;
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

impl Context<'_> {
    /// What a place holds.
    pub fn read(&self, run: Case, place: &HeapPlace, span: Span, outcomes: &mut Outcomes) -> Reads {
        match &place.base {
            HeapBase::Global(_) | HeapBase::Element { .. } => {
                let Some(parts) = self.shared_parts(&run, place, span, outcomes) else {
                    return SmallVec::new();
                };
                let values = parts
                    .map(|part| match self.plan.shared[part] {
                        Kind::Age => Value::Age { current: true, stepped: false, of: age_place(part) },
                        _ => run.scene.globals[part],
                    })
                    .collect();
                smallvec![(run, values)]
            }
            HeapBase::Field { pointer, field, .. } => {
                let pointer = self.pointer(&run, pointer);
                let Some(cell) = self.cell(run, pointer, span, outcomes) else { return SmallVec::new() };
                let label = self.plan.node.label.filter(|label| label.field == *field);
                match cell {
                    (run, cell) if let Some(label) = label => self.read_label(run, cell, label),
                    (run, Some(cell)) if self.plan.node.data == Some(*field) => self.read_data(run, cell),
                    (run, Some(cell)) => self.read_link(run, cell, place.part, span, outcomes),
                    (run, None) => self.read_wild(run, *field, place.part),
                }
            }
        }
    }

    /// The parts of a place among the shared variables. Nothing is left of a run whose index is beyond the array.
    fn shared_parts(
        &self,
        run: &Run,
        place: &HeapPlace,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<std::ops::Range<usize>> {
        let layout = &self.plan.layout;
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

    /// The cell behind a pointer; `None` for one of which nothing is known. No run is left where the pointer must be null.
    fn cell(
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
                if self.plan.manual && run.scene.shape.get(cell, FREE_TERM) & NEXT != 0 {
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

    fn pointer(&self, run: &Run, pointer: &HeapExpr) -> Value {
        self.parts(run, pointer).first().copied().unwrap_or(Value::Unknown)
    }

    /// The data of a cell: tracked if the cell is.
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

    /// How many tracked cells tell what their data is: the watched one only as long as its data is undefined.
    fn tracked_values(&self, run: &Run) -> usize {
        if self.is_memory() && !run.scene.watch.undefined { 0 } else { run.scene.tracked.len() }
    }

    /// The pointer field of a cell, or one part of it.
    fn read_link(
        &self,
        run: Case,
        cell: Term,
        part: Option<usize>,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Reads {
        let node = self.plan.node;
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
            let Some(shape) = heap::with_target(&run.scene.shape, cell, target, self.plan.collected) else {
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

    /// What may be read through a pointer of which nothing is known.
    fn read_wild(&self, run: Case, field: usize, part: Option<usize>) -> Reads {
        if self.plan.node.data == Some(field) {
            let mut all = SmallVec::new();
            for variable in 0..self.tracked_values(&run) {
                if run.scene.tracked[variable].is_some() {
                    all.push((run.clone(), smallvec![Value::Tracked(number(variable))]));
                }
            }
            all.push((run, smallvec![Value::Other]));
            return all;
        }
        let node = self.plan.node;
        let values = match (part, node.pointer_part, node.age_part) {
            (Some(part), _, Some(age)) if part == age => smallvec![Value::Unknown],
            (None, Some(0), Some(_)) => smallvec![Value::Garbage, Value::Unknown],
            (None, Some(_), Some(_)) => smallvec![Value::Unknown, Value::Garbage],
            _ => smallvec![Value::Garbage],
        };
        smallvec![(run, values)]
    }

    /// The runs in which a place has got these values.
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
                run.scene.touch();
                let Some(parts) = self.shared_parts(&run, place, span, outcomes) else { return Cases::new() };
                if parts.len() != values.len() {
                    outcomes.alarm(AlarmKind::Misfit, span);
                    return Cases::new();
                }
                for (part, value) in parts.zip(values) {
                    if self.plan.shared[part] != Kind::Age {
                        let is_undefined = self.is_undefined(*value);
                        run.scene.globals[part] = if is_undefined { Value::Undefined } else { *value };
                        continue;
                    }
                    let here = age_place(part);
                    match self.age_write(*value, writer, |of| of == here) {
                        Some(AgeWrite::Unchanged) => {}
                        Some(effect) => run.ages_mut(|age_of| age_of == here, effect),
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
                let is_felt = self.touch_cell(&mut run, cell);
                let value = values.first().copied().unwrap_or(Value::Unknown);
                if self.plan.node.data == Some(*field) {
                    run.scene.felt |= matches!(value, Value::Tracked(_));
                    return self.write_data(run, cell, value, span, outcomes);
                }
                if let Some(label) = self.plan.node.label.filter(|label| label.field == *field) {
                    return self.write_label(run, cell, label, value, span, outcomes);
                }
                if self.visible_only && !is_felt {
                    return smallvec![run];
                }
                self.write_link(run, cell, place.part, (values, writer), span, outcomes)
            }
        }
    }

    /// A cell changes; whether anybody else feels it. Who keeps the watched cell is asked anew after each change, so everybody does.
    fn touch_cell(&self, run: &mut Run, cell: Term) -> bool {
        run.scene.written = true;
        if self.is_memory() {
            run.scene.touch();
            return true;
        }
        run.scene.touch_cell(run.actor, cell)
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
        let node = self.plan.node;
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
            // A write that would close a cycle makes the pointer one of which nothing is known: stale pointers may close cycles
            // among cells that nobody else will ever use.
            if !self.plan.collected
                && let Value::Cell(target) = pointer
                && run.scene.shape.get(target, cell) & REACHES != 0
            {
                let mut cyclic = run.clone();
                if cyclic.scene.shape.refine(target, cell, REACHES).is_ok() {
                    all.extend(self.redirect(cyclic, cell, Value::Garbage, span, outcomes));
                }
            }
            // A free cell keeps its place among the free ones whatever is written into it.
            if !self.plan.collected
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

    /// The edge of an allocated cell gets a new target.
    fn redirect(
        &self,
        mut run: Case,
        cell: Term,
        pointer: Value,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<Case> {
        let shape = &mut run.scene.shape;
        if !self.plan.collected {
            shape.refine(cell, FREE_TERM, !NEXT).ok()?;
        }
        let target = match pointer {
            Value::Null => NULL_TERM,
            Value::Cell(target) => {
                if self.plan.collected && shape.get(target, cell) & REACHES != 0 {
                    outcomes.alarm(AlarmKind::Cycle, span);
                }
                self.keep_order(shape, cell, target, span, outcomes);
                target
            }
            _ if self.plan.collected => {
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

    /// Every class of data that a value may be.
    fn data_classes(&self, value: Value) -> SmallVec<[Value; 3]> {
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

    /// The runs in which a cell was made, and the pointer to it.
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
        let data = given(self.plan.node.data).and_then(|parts| parts.first().copied());
        if !self.plan.collected {
            // What nobody used yet holds defaults, in pool memory too.
            let pristine = run.op.is_none() && !self.plan.init_frees;
            let default = if self.plan.manual || pristine { NULL_TERM } else { GARBAGE_TERM };
            let shape = &mut run.scene.shape;
            let Ok(cell) = heap::any_free(shape) else { return SmallVec::new() };
            let is_felt = self.touch_cell(&mut run, cell);
            let is_seen = is_felt || !self.visible_only;
            if is_seen && run.scene.redirect(cell, default).is_err() {
                return SmallVec::new();
            }
            return self.watched(run, cell, Value::Undefined);
        }
        let pointer = given(self.plan.node.next)
            .and_then(|parts| parts.get(self.plan.node.pointer_part.unwrap_or(0)).copied())
            .unwrap_or(Value::Null);
        let target = match pointer {
            Value::Null => NULL_TERM,
            Value::Cell(target) => target,
            _ => {
                outcomes.alarm(AlarmKind::WildWrite, span);
                return SmallVec::new();
            }
        };
        let label = match self.plan.node.label {
            Some(label) => {
                let value = given(Some(label.field)).and_then(|parts| parts.first().copied());
                let value = value.unwrap_or(default_value(label.kind));
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
                run.scene.touch();
            }
            all.push((run, Value::Cell(cell)));
        }
        all
    }

    /// When memory is asked for, any new cell may be the one that is watched.
    fn watched(&self, run: Case, cell: Term, data: Value) -> Made {
        let mut all = SmallVec::new();
        if self.is_memory() && run.scene.tracked.as_slice() == [None] {
            let mut run = run.clone();
            run.scene.tracked[0] = Some(cell);
            run.scene.watch = WatchedCell { undefined: data != Value::Other, shared: false };
            let actor = run.actor;
            run.scene.threads[actor].answers = !self.plan.collected;
            run.scene.touch();
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
            _ if self.plan.collected => {
                outcomes.alarm(AlarmKind::WildAccess, span);
                return smallvec![run];
            }
            _ => {
                outcomes.alarm(AlarmKind::WildAccess, span);
                outcomes.alarm(AlarmKind::WildWrite, span);
                return Cases::new();
            }
        };
        if self.plan.collected {
            return smallvec![run];
        }
        let is_felt = self.touch_cell(&mut run, cell);
        let shape = &mut run.scene.shape;
        if shape.get(cell, FREE_TERM) & NEXT != 0 {
            outcomes.alarm(AlarmKind::DoubleFree, span);
        }
        if shape.refine(cell, FREE_TERM, !NEXT).is_err() {
            return Cases::new();
        }
        let is_seen = is_felt || !self.visible_only;
        if is_seen && run.scene.redirect(cell, FREE_TERM).is_err() {
            return Cases::new();
        }
        // The watched cell is done with; in manual memory a freed cell forgets its data.
        let forgets = self.is_memory() || self.plan.manual;
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

    /// The bit of a lock; none where its index is out of bounds or not known. The plan refuses locks in cells.
    pub fn lock_bit(&self, run: &Run, place: &HeapPlace, span: Span, outcomes: &mut Outcomes) -> Option<u32> {
        let parts = self.shared_parts(run, place, span, outcomes)?;
        self.plan.layout.lock(&parts).map(LockId::bit)
    }
}

/// The age that is this part of the shared variables.
fn age_place(part: usize) -> AgePlace {
    SharedPart::try_from(part).map_or(AgePlace::Lost, AgePlace::Shared)
}

/// The number of an observer variable; there are at most eight.
pub fn number(variable: usize) -> u8 {
    u8::try_from(variable).unwrap_or(u8::MAX)
}

/// What writes a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// `init`, which runs alone.
    Init,
    Store,
    /// A successful `cas` or `cmpxchg`.
    Cas,
}

impl Writer {
    pub fn plain(op: Option<OpId>) -> Writer {
        op.map_or(Writer::Init, |_| Writer::Store)
    }

    pub fn cas(op: Option<OpId>) -> Writer {
        op.map_or(Writer::Init, |_| Writer::Cas)
    }
}

/// What a write does to the copies of an age.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AgeWrite {
    Unchanged,
    Stepped,
    /// Nothing is known of them any more.
    Reset,
}

impl Context<'_> {
    /// An age is written by `cas` only, with the compared one, which is a current copy of this very age, or its successor; `None` for
    /// anything else, unless that is not looked at.
    fn age_write(
        &self,
        value: Value,
        writer: Writer,
        is_here: impl Fn(AgePlace) -> bool,
    ) -> Option<AgeWrite> {
        let is_ignored = self.ignored.contains(&AlarmKind::WrongAge);
        match (writer, value) {
            (Writer::Init, _) => Some(AgeWrite::Reset),
            (Writer::Cas, Value::Age { current, stepped, of }) if is_here(of) && (current || is_ignored) => {
                Some(if stepped { AgeWrite::Stepped } else { AgeWrite::Unchanged })
            }
            (Writer::Cas | Writer::Store, _) => is_ignored.then_some(AgeWrite::Reset),
        }
    }
}

impl Run {
    /// Copies of the ages of these places are no longer current.
    fn ages_mut(&mut self, is_here: impl Fn(AgePlace) -> bool, effect: AgeWrite) {
        self.scene.aged = true;
        let others = self.scene.threads.iter_mut().flat_map(|thread| thread.slots.iter_mut());
        for value in self.env.iter_mut().chain(others) {
            if let Value::Age { current, of, .. } = value
                && is_here(*of)
            {
                *current = false;
                if effect == AgeWrite::Reset {
                    *value = Value::Unknown;
                }
            }
        }
    }

    /// The age of a cell's pointer was stepped; split where it is open whether a copy is of this cell.
    fn step_age_of(mut self: Case, cell: Term, effect: AgeWrite) -> Cases {
        self.scene.aged = true;
        let mut holders: Vec<Term> = Vec::new();
        let others = self.scene.threads.iter().flat_map(|thread| thread.slots.iter());
        for value in self.env.iter().chain(others) {
            if let Value::Age { current: true, of: AgePlace::Cell(holder), .. } = value
                && !holders.contains(holder)
            {
                holders.push(*holder);
            }
        }
        let mut runs: Cases = smallvec![self];
        for holder in holders {
            let mut all = Cases::new();
            for run in runs {
                for (mut run, same) in split(run, holder, cell, SAME) {
                    if same {
                        run.ages_mut(|age_of| age_of == AgePlace::Cell(holder), effect);
                    }
                    all.push(run);
                }
            }
            runs = all;
        }
        runs
    }
}
