//! Reading and writing memory, allocating and freeing, in a configuration.

use super::certificate::{BEFORE, FREE, GARBAGE, NEXT, NULL, SAME, Symbol, Watch};
use super::config::{Config, Home, Trouble, Val, Values, What, class};
use super::graph::REACHES;
use super::layout::{Frame, Part};
use super::run::{Case, Cases, Located, Runner};
use crate::index::Index;
use crate::ir::OpId;
use crate::ir::fragment::{HeapBase, HeapExpr, HeapPlace};
use crate::source::Span;
use smallvec::smallvec;

const WILD: Val = Val::Is(Symbol::Garbage);

/// A cell that is accessed.
#[derive(Clone, Copy)]
pub(super) enum Accessed {
    Node(u8),
    /// Any cell.
    Wild,
}

impl Runner<'_> {
    pub fn read(
        &self,
        frame: &Frame,
        case: Case,
        place: &HeapPlace,
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<(Case, Values)> {
        let HeapBase::Field { pointer, field, .. } = &place.base else {
            let Some(parts) = self.located(frame, &case, place, span, troubles) else { return Vec::new() };
            let age = Val::Age { current: true, stepped: false, home: home(place) };
            let values =
                parts.map(|at| if self.layout.globals[at] == Part::Age { age } else { case.globals[at] });
            let values = values.collect();
            return vec![(case, values)];
        };
        let field = *field;
        let Some((case, cell)) = self.access(frame, case, pointer, span, troubles) else { return Vec::new() };
        if let Some(label) = self.layout.label.filter(|label| label.field == field) {
            return self.label_of(case, cell, label);
        }
        match (cell, self.layout.data == Some(field)) {
            (Accessed::Node(cell), true) => self.data_of(case, cell),
            (Accessed::Wild, true) => {
                let telling = self.telling(&case);
                let tracked = (0..telling).filter(|at| case.tracked[*at].is_some());
                let symbols: Vec<Symbol> =
                    tracked.map(|at| Symbol::Tracked(at as u8)).chain([Symbol::Other]).collect();
                symbols.into_iter().map(|symbol| (case.clone(), smallvec![Val::Is(symbol)])).collect()
            }
            (Accessed::Node(cell), false) => {
                let age = Val::Age { current: true, stepped: false, home: Home::Node(cell) };
                let pointers = self.pointer_of(case, cell, span, troubles);
                pointers
                    .into_iter()
                    .map(|(case, value)| (case, self.link_values(place.part, value, age)))
                    .collect()
            }
            (Accessed::Wild, false) => {
                let values = self.link_values(place.part, WILD, Val::Is(Symbol::Unknown));
                vec![(case, values)]
            }
        }
    }

    /// The parts of a shared place; `None` where the execution ends, or the method cannot go on.
    fn located(
        &self,
        frame: &Frame,
        case: &Config,
        place: &HeapPlace,
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Option<std::ops::Range<usize>> {
        match self.shared_parts(frame, case, place) {
            Located::Parts(parts) => Some(parts),
            Located::OutOfBounds => None,
            Located::Unclear | Located::InCell => {
                troubles.push(Trouble { what: What::Method("the index may be anything"), span });
                None
            }
        }
    }

    /// A pointer field's value, or the part of it that is meant.
    fn link_values(&self, part: Option<usize>, pointer: Val, age: Val) -> Values {
        let Some(word) = self.layout.link.and_then(|link| link.word) else { return smallvec![pointer] };
        let value = |at: usize| if at == word.pointer { pointer } else { age };
        match part {
            Some(part) => smallvec![value(part)],
            None => (0..1 + usize::from(word.age.is_some())).map(value).collect(),
        }
    }

    /// The cell behind a pointer, in the cases in which accessing it is no error.
    fn access(
        &self,
        frame: &Frame,
        mut case: Case,
        pointer: &HeapExpr,
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Option<(Case, Accessed)> {
        let mut report = |text| troubles.push(Trouble { what: What::Memory(text), span });
        match self.parts(frame, &case, pointer).first() {
            Some(Val::Is(Symbol::Null)) => {
                report("the pointer may be null");
                None
            }
            Some(Val::Node(cell)) => {
                let at = usize::from(*cell);
                if self.layout.manual && case.graph.may_be_free(at) {
                    report("the cell may be free");
                    case.graph.restrict(self.algebra, at, FREE, !NEXT).ok()?;
                }
                Some((case, Accessed::Node(*cell)))
            }
            _ => {
                report("the pointer may be anything");
                Some((case, Accessed::Wild))
            }
        }
    }

    /// How many tracked cells are known by their data: the watched one as long as its data is undefined.
    fn telling(&self, case: &Config) -> usize {
        if self.is_memory() && !case.watch.undefined { 0 } else { case.tracked.len() }
    }

    /// The data of a cell.
    pub fn data_of(&self, case: Case, cell: u8) -> Vec<(Case, Values)> {
        let mut all = Vec::new();
        let mut open: Cases = smallvec![case];
        for at in 0..self.telling(&open[0]) {
            let mut others = Cases::new();
            for case in open {
                let Some(holder) = case.tracked[at] else {
                    others.push(case);
                    continue;
                };
                for (case, same) in self.split(case, cell, holder, SAME) {
                    if same {
                        all.push((case, smallvec![Val::Is(Symbol::Tracked(at as u8))]));
                    } else {
                        others.push(case);
                    }
                }
            }
            open = others;
        }
        all.extend(open.into_iter().map(|case| (case, smallvec![Val::Is(Symbol::Other)])));
        all
    }

    /// The pointer in a cell: null, anything, or a node of its own.
    fn pointer_of(&self, case: Case, cell: u8, span: Span, troubles: &mut Vec<Trouble>) -> Vec<(Case, Val)> {
        let at = usize::from(cell);
        let mut all = Vec::new();
        for sentinel in case.graph.sentinels() {
            if case.graph.get(at, sentinel) & NEXT == 0 {
                continue;
            }
            let mut case = case.clone();
            if case.graph.restrict(self.algebra, at, sentinel, NEXT).is_ok() {
                all.push((case, if sentinel == NULL { Val::Is(Symbol::Null) } else { WILD }));
            }
        }
        let mut case = case;
        for sentinel in case.graph.sentinels() {
            if case.graph.restrict(self.algebra, at, sentinel, !NEXT).is_err() {
                return all;
            }
        }
        match case.graph.add_related(self.algebra, at, BEFORE) {
            Some(Ok(target)) => all.push((case, Val::Node(target as u8))),
            Some(Err(_)) => {}
            None => troubles.push(Trouble { what: What::Method("too many pointers"), span }),
        }
        all
    }

    pub fn write(
        &self,
        frame: &Frame,
        mut case: Case,
        place: &HeapPlace,
        values: &[Val],
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Cases {
        case.visible = true;
        let HeapBase::Field { pointer, field, .. } = &place.base else {
            let Some(parts) = self.located(frame, &case, place, span, troubles) else { return Cases::new() };
            let mut stepped = false;
            for (at, value) in parts.zip(values) {
                if self.layout.globals[at] == Part::Age {
                    stepped |= is_stepped(*value);
                } else {
                    case.globals[at] = *value;
                }
            }
            if stepped {
                outdate(&mut case, home(place));
            }
            return smallvec![case];
        };
        let field = *field;
        let Some((case, cell)) = self.access(frame, case, pointer, span, troubles) else {
            return Cases::new();
        };
        let Accessed::Node(cell) = cell else {
            troubles.push(Trouble { what: What::Method("any cell may be written"), span });
            return Cases::new();
        };
        let value = values.first().copied().unwrap_or(Val::Is(Symbol::Unknown));
        if self.layout.data == Some(field) {
            return self.write_data(case, cell, value, span, troubles);
        }
        if let Some(label) = self.layout.label.filter(|label| label.field == field) {
            return self.write_label(case, cell, label.of(class(value)), span, troubles);
        }
        let (pointer, age) = match (self.layout.link.and_then(|link| link.word), place.part) {
            (None, _) => (values.first().copied(), None),
            (Some(word), None) => {
                (values.get(word.pointer).copied(), word.age.and_then(|age| values.get(age).copied()))
            }
            (Some(word), Some(part)) if part == word.pointer => (values.first().copied(), None),
            (Some(_), Some(_)) => (None, values.first().copied()),
        };
        let mut cases: Cases = smallvec![case];
        if age.is_some_and(is_stepped) {
            cases = cases.into_iter().flat_map(|case| self.step_age(case, cell)).collect();
        }
        if self.layout.label.is_some() {
            cases = cases.into_iter().flat_map(|case| self.before_tracked(case, cell)).collect();
        }
        match pointer {
            Some(pointer) => {
                let written = cases.into_iter();
                written.flat_map(|case| self.write_pointer(case, cell, pointer, span, troubles)).collect()
            }
            None => cases,
        }
    }

    /// The age of a cell's pointer is stepped: copies of it are out of date.
    fn step_age(&self, case: Case, cell: u8) -> Cases {
        let slots = case.threads.iter().flat_map(|thread| thread.slots.iter());
        let mut holders: Vec<u8> = case
            .vars
            .iter()
            .chain(slots)
            .filter_map(|value| match value {
                Val::Age { current: true, home: Home::Node(node), .. } => Some(*node),
                _ => None,
            })
            .collect();
        holders.sort_unstable();
        holders.dedup();
        let mut cases: Cases = smallvec![case];
        for holder in holders {
            let mut all = Cases::new();
            for case in cases {
                for (mut case, same) in self.split(case, holder, cell, SAME) {
                    if same {
                        outdate(&mut case, Home::Node(holder));
                    }
                    all.push(case);
                }
            }
            cases = all;
        }
        cases
    }

    /// A free cell stays among the free; a pointer that would close a cycle counts as unknown; otherwise the edge is redirected.
    fn write_pointer(
        &self,
        case: Case,
        cell: u8,
        pointer: Val,
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Cases {
        let at = usize::from(cell);
        let mut all = Cases::new();
        let mut rest = case;
        if rest.graph.may_be_free(at) {
            let mut free = rest.clone();
            if free.graph.restrict(self.algebra, at, FREE, NEXT).is_ok() {
                all.push(free);
            }
            if rest.graph.restrict(self.algebra, at, FREE, !NEXT).is_err() {
                return all;
            }
        }
        let mut redirected = |mut case: Case, target: usize| {
            if case.graph.redirect(self.algebra, at, target).is_ok() {
                all.push(case);
            }
        };
        match pointer {
            Val::Is(Symbol::Null) => redirected(rest, NULL),
            Val::Node(target) => {
                for (case, cyclic) in self.split(rest, target, cell, REACHES) {
                    match (cyclic, self.layout.collected) {
                        (false, _) => {
                            if !self.keeps_order(&case, at, usize::from(target)) {
                                let what = What::Method("the order of the cells may be lost");
                                troubles.push(Trouble { what, span });
                            }
                            redirected(case, usize::from(target));
                        }
                        (true, false) => redirected(case, GARBAGE),
                        (true, true) => {
                            troubles
                                .push(Trouble { what: What::Method("the write may close a cycle"), span });
                        }
                    }
                }
            }
            _ if self.layout.collected => {
                troubles.push(Trouble { what: What::Method("the pointer may be anything"), span });
            }
            _ => redirected(rest, GARBAGE),
        }
        all
    }

    fn write_data(&self, case: Case, cell: u8, value: Val, span: Span, troubles: &mut Vec<Trouble>) -> Cases {
        let mut cases: Cases = smallvec![case];
        let Some(first) = cases.first() else { return cases };
        for at in 0..first.tracked.len() {
            let holds = value == Val::Is(Symbol::Tracked(at as u8));
            let mut all = Cases::new();
            for mut case in cases {
                let Some(holder) = case.tracked[at] else {
                    if holds && !self.is_memory() {
                        case.tracked[at] = Some(cell);
                    }
                    all.push(case);
                    continue;
                };
                for (mut case, same) in self.split(case, cell, holder, SAME) {
                    if self.is_memory() {
                        if same {
                            case.watch.undefined = value != Val::Is(Symbol::Other);
                        }
                    } else if same && !holds {
                        case.tracked[at] = None;
                    } else if !same && holds {
                        let what = What::Method("a second cell may hold the same argument");
                        troubles.push(Trouble { what, span });
                        continue;
                    }
                    all.push(case);
                }
            }
            cases = all;
        }
        cases
    }

    pub fn allocate(
        &self,
        frame: &Frame,
        mut case: Case,
        op: Option<OpId>,
        fields: &[(usize, HeapExpr)],
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<(Case, Val)> {
        let given = |field: Option<usize>| {
            let (_, value) = fields.iter().find(|(at, _)| Some(*at) == field)?;
            Some(self.parts(frame, &case, value))
        };
        let data = given(self.layout.data).and_then(|values| values.first().copied());
        let labels = self.layout.label.map(|label| {
            let value = given(Some(label.field)).and_then(|values| values.first().copied());
            label.of(value.map_or(label.default, class))
        });
        let link = given(self.layout.link.map(|link| link.field));
        let pointer_at = self.layout.link.and_then(|link| link.word).map_or(0, |word| word.pointer);
        let pointer = link.and_then(|values| values.get(pointer_at).copied());
        let mut stuck = |text| troubles.push(Trouble { what: What::Method(text), span });
        let cell = if self.layout.collected {
            let target = match pointer.unwrap_or(Val::Is(Symbol::Null)) {
                Val::Is(Symbol::Null) => NULL,
                Val::Node(target) => usize::from(target),
                _ => {
                    stuck("the pointer may be anything");
                    return Vec::new();
                }
            };
            let Some(cell) = case.graph.create(self.algebra, target) else {
                stuck("too many pointers");
                return Vec::new();
            };
            if let Some(labels) = labels {
                case.graph.set_labels(cell, labels);
                if target != NULL && !self.keeps_order(&case, cell, target) {
                    stuck("the order of the cells may be lost");
                }
                if case.graph.restrict_labels(self.algebra, cell, labels).is_err() {
                    return Vec::new();
                }
            }
            cell
        } else {
            case.visible = true;
            let holds_defaults = self.layout.manual || (op.is_none() && self.layout.pristine);
            let cell = match case.graph.add_related(self.algebra, FREE, NEXT) {
                Some(Ok(cell)) => cell,
                Some(Err(_)) => return Vec::new(),
                None => {
                    stuck("too many pointers");
                    return Vec::new();
                }
            };
            let target = if holds_defaults { NULL } else { GARBAGE };
            if case.graph.redirect(self.algebra, cell, target).is_err() {
                return Vec::new();
            }
            cell
        };
        let pointer = Val::Node(cell as u8);
        // In pool memory a cell keeps its data; in manual memory a free cell has none.
        let data = data.unwrap_or(Val::Is(Symbol::Undefined));
        if !self.is_memory() {
            if let (Val::Is(Symbol::Tracked(at)), true) = (data, self.layout.collected) {
                match case.tracked.get_mut(usize::from(at)) {
                    Some(holder @ None) => *holder = Some(cell as u8),
                    _ => {
                        stuck("a second cell may hold the same argument");
                        return Vec::new();
                    }
                }
                case.visible = true;
            }
            return vec![(case, pointer)];
        }
        let mut all = Vec::new();
        if case.tracked[..] == [None] {
            let mut watched = case.clone();
            watched.tracked[0] = Some(cell as u8);
            watched.watch = Watch { undefined: data != Val::Is(Symbol::Other), shared: false };
            watched.me().answers = !self.layout.collected;
            watched.visible = true;
            all.push((watched, pointer));
        }
        all.push((case, pointer));
        all
    }

    pub fn free(
        &self,
        frame: &Frame,
        mut case: Case,
        pointer: &HeapExpr,
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Cases {
        let cell = match self.parts(frame, &case, pointer).first() {
            Some(Val::Is(Symbol::Null)) => {
                troubles.push(Trouble { what: What::Memory("the pointer may be null"), span });
                return Cases::new();
            }
            _ if self.layout.collected => return smallvec![case],
            Some(Val::Node(cell)) => *cell,
            _ => {
                troubles.push(Trouble { what: What::Method("any cell may be freed"), span });
                return Cases::new();
            }
        };
        let at = usize::from(cell);
        if case.graph.may_be_free(at) {
            troubles.push(Trouble { what: What::Memory("the cell may be free already"), span });
        }
        case.visible = true;
        if case.graph.restrict(self.algebra, at, FREE, !NEXT).is_err()
            || case.graph.redirect(self.algebra, at, FREE).is_err()
        {
            return Cases::new();
        }
        let mut cases: Cases = smallvec![case];
        if !self.is_memory() && !self.layout.manual {
            return cases;
        }
        for tracked in 0..cases[0].tracked.len() {
            let mut all = Cases::new();
            for case in cases {
                let Some(holder) = case.tracked[tracked] else {
                    all.push(case);
                    continue;
                };
                for (mut case, same) in self.split(case, cell, holder, SAME) {
                    if same {
                        case.tracked[tracked] = None;
                        case.watch = Watch::default();
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

/// Where the age of a shared variable is read; elements of arrays have none.
fn home(place: &HeapPlace) -> Home {
    match place.base {
        HeapBase::Global(global) => Home::Global(global.index() as u8),
        _ => Home::Lost,
    }
}

fn is_stepped(value: Val) -> bool {
    matches!(value, Val::Age { stepped: true, .. })
}

/// Copies of the age of this place are no longer current.
fn outdate(case: &mut Config, place: Home) {
    let slots = case.threads.iter_mut().flat_map(|thread| thread.slots.iter_mut());
    for value in case.vars.iter_mut().chain(slots) {
        if let Val::Age { current, home, .. } = value
            && *home == place
        {
            *current = false;
        }
    }
}
