//! Reading and writing memory in a configuration.
//!
//! **Ages.** A copy of an age is *current* while it equals the present age of the place where it was read. That a copy which is not
//! current stays so is what makes ages useful; it needs that ages never fall, and this is checked at every write: outside `init` an age is
//! written only by a `cas` or `cmpxchg`, and what is written is a current copy of this very age, or its successor.
//!
//! **Undefined data.** For [`Obligation::Memory`](super::certificate::Obligation) one cell is watched from its allocation on. An undefined value that is used
//! was read from a cell whose data was undefined at that time, or is the default of a variable, and came to its use through variables only:
//! storing one in another cell is excluded here. Watch that cell: then the value is known to be undefined where it is used.

use super::certificate::{BEFORE, FREE, GARBAGE, NEXT, NULL, SAME};
use super::config::{Age, Config, Home, Val, Values, What};
use super::eval::{Evaluated, Site};
use super::faults::Fault;
use super::graph::{NodeId, REACHES};
use super::run::{Case, Cases, Located, Runner};
use linchpin_ir::heap::layout::{SharedPart, Sort};
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapPlace};
use linchpin_ir::program::OpId;
use smallvec::{SmallVec, smallvec};

/// A cell that is accessed.
#[derive(Clone, Copy)]
pub(super) enum Accessed {
    Node(NodeId),
    /// Any cell.
    Wild,
}

/// What writes a place: this decides what may be written to an age.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writer {
    /// `init`, which runs alone.
    Init,
    /// A store or a swap.
    Store,
    /// A successful `cas` or `cmpxchg`.
    Cas,
}

impl Writer {
    pub fn plain(op: Option<OpId>) -> Writer {
        if op.is_none() { Writer::Init } else { Writer::Store }
    }

    fn cas(op: Option<OpId>) -> Writer {
        if op.is_none() { Writer::Init } else { Writer::Cas }
    }
}

/// What writing an age does to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AgeWrite {
    Unchanged,
    Stepped,
    /// Nothing is known of copies any more.
    Reset,
}

impl Runner<'_> {
    pub fn read(&self, site: &mut Site, case: Case, place: &HeapPlace) -> Evaluated {
        let HeapBase::Field { pointer, field, .. } = &place.base else {
            let mut all = Evaluated::new();
            for (case, parts) in self.located(site, case, place) {
                let values: Option<Values> = parts.map(|at| self.shared_value(&case, at)).collect();
                match values {
                    Some(values) => all.push((case, values)),
                    None => site.report(What::Method("a shared variable is not there")),
                }
            }
            return all;
        };
        let layout = self.layout.cell();
        let mut all = Evaluated::new();
        for (case, cell) in self.access(site, case, pointer) {
            if let Some(label) = layout.label.filter(|label| label.field == *field) {
                all.extend(self.label_of(case, cell, label));
                continue;
            }
            match (cell, layout.data == Some(*field)) {
                (Accessed::Node(cell), true) => all.extend(self.data_of(case, cell)),
                (Accessed::Wild, true) => {
                    let tracked = (0..self.telling(&case)).filter(|at| case.tracked[*at].is_some());
                    let tracked: Vec<Val> = tracked.filter_map(tracked_value).chain([Val::Other]).collect();
                    all.extend(tracked.into_iter().map(|value| (case.clone(), smallvec![value])));
                }
                (Accessed::Node(cell), false) => {
                    let age = Val::Age(Age { current: true, stepped: false, home: Home::Node(cell) });
                    let pointers = self.pointer_of(site, case, cell).into_iter();
                    all.extend(
                        pointers.map(|(case, value)| (case, self.link_values(place.part, value, age))),
                    );
                }
                (Accessed::Wild, false) => {
                    let values = self.link_values(place.part, Val::Wild, Val::Any(Sort::Age));
                    all.push((case, values));
                }
            }
        }
        all
    }

    /// What a part of the shared variables holds.
    fn shared_value(&self, case: &Config, at: usize) -> Option<Val> {
        match self.layout.shared().get(at)?.sort {
            Sort::Age => {
                let home = Home::Shared(SharedPart::try_from(at).ok()?);
                Some(Val::Age(Age { current: true, stepped: false, home }))
            }
            _ => case.globals.get(at).copied(),
        }
    }

    /// The parts of a shared place. Nothing is left of a case where the execution ends, or the method cannot go on.
    fn located(
        &self,
        site: &mut Site,
        case: Case,
        place: &HeapPlace,
    ) -> SmallVec<[(Case, std::ops::Range<usize>); 1]> {
        let mut all = SmallVec::new();
        for (case, located) in self.locate(site, case, place) {
            match located {
                Located::Parts(parts) => all.push((case, parts)),
                Located::OutOfBounds => site.report(What::Fault(Fault::Index)),
                Located::Unclear | Located::InCell => {
                    site.report(What::Method("the index may be anything"));
                }
            }
        }
        all
    }

    /// A pointer field's value, or the part of it that is meant.
    fn link_values(&self, part: Option<usize>, pointer: Val, age: Val) -> Values {
        let Some(word) = self.layout.cell().link.and_then(|link| link.word) else {
            return smallvec![pointer];
        };
        let value = |at: usize| if at == word.pointer { pointer } else { age };
        match part {
            Some(part) => smallvec![value(part)],
            None => (0..1 + usize::from(word.age.is_some())).map(value).collect(),
        }
    }

    /// The cell behind a pointer, in the cases in which accessing it is no error.
    fn access(&self, site: &mut Site, case: Case, pointer: &HeapExpr) -> SmallVec<[(Case, Accessed); 1]> {
        let mut all = SmallVec::new();
        for (mut case, values) in self.eval(site, case, pointer) {
            match values[..] {
                [Val::Null] => site.report(What::Fault(Fault::NullAccess)),
                [Val::Node(cell)] => {
                    if self.layout.is_manual() && case.graph.may_be_free(cell.index()) {
                        site.report(What::Fault(Fault::FreedAccess));
                        if case.graph.restrict(self.algebra, cell.index(), FREE, !NEXT).is_err() {
                            continue;
                        }
                    }
                    all.push((case, Accessed::Node(cell)));
                }
                [Val::Wild | Val::Any(Sort::Pointer)] => {
                    site.report(What::Fault(Fault::WildAccess));
                    all.push((case, Accessed::Wild));
                }
                _ => site.report(What::Method("an access through something that is not a pointer")),
            }
        }
        all
    }

    /// How many tracked cells are known by their data: the watched one as long as its data is undefined.
    fn telling(&self, case: &Config) -> usize {
        if self.is_memory() && !case.watch.undefined { 0 } else { case.tracked.len() }
    }

    /// The data of a cell.
    pub fn data_of(&self, case: Case, cell: NodeId) -> Evaluated {
        let mut all = Evaluated::new();
        let telling = self.telling(&case);
        let mut open: Cases = smallvec![case];
        for at in 0..telling {
            let mut others = Cases::new();
            for case in open {
                let (Some(holder), Some(value)) = (case.tracked[at], tracked_value(at)) else {
                    others.push(case);
                    continue;
                };
                for (case, same) in self.split(case, cell, holder, SAME) {
                    if same {
                        all.push((case, smallvec![value]));
                    } else {
                        others.push(case);
                    }
                }
            }
            open = others;
        }
        all.extend(open.into_iter().map(|case| (case, smallvec![Val::Other])));
        all
    }

    /// The pointer in a cell: null, anything, or a node of its own.
    fn pointer_of(&self, site: &mut Site, case: Case, cell: NodeId) -> Vec<(Case, Val)> {
        let at = cell.index();
        let mut all = Vec::new();
        for sentinel in case.graph.sentinels() {
            if case.graph.get(at, sentinel) & NEXT == 0 {
                continue;
            }
            let mut case = case.clone();
            if case.graph.restrict(self.algebra, at, sentinel, NEXT).is_ok() {
                all.push((case, if sentinel == NULL { Val::Null } else { Val::Wild }));
            }
        }
        let mut case = case;
        for sentinel in case.graph.sentinels() {
            if case.graph.restrict(self.algebra, at, sentinel, !NEXT).is_err() {
                return all;
            }
        }
        match case.graph.add_related(self.algebra, at, BEFORE) {
            Some(Ok(target)) => all.push((case, Val::Node(target))),
            Some(Err(_)) => {}
            None => site.report(What::Method("too many pointers")),
        }
        all
    }

    /// A `cas` or `cmpxchg`: the case, what was found, and whether it succeeded.
    pub fn compare_and_set(
        &self,
        site: &mut Site,
        case: Case,
        op: Option<OpId>,
        place: &HeapPlace,
        old: &HeapExpr,
        new: &HeapExpr,
    ) -> Vec<(Case, Values, bool)> {
        let mut all = Vec::new();
        for (case, found) in self.read(site, case, place) {
            for (case, wanted) in self.eval(site, case, old) {
                for (case, equal) in self.equal(site, case, &found, &wanted) {
                    if !equal {
                        all.push((case, found.clone(), false));
                        continue;
                    }
                    for (case, values) in self.eval(site, case, new) {
                        if found.len() != values.len() {
                            site.report(What::Method("a value does not fit its place"));
                            continue;
                        }
                        let told: Values = found
                            .iter()
                            .zip(&values)
                            .map(|(found, written)| found_before(*found, *written))
                            .collect();
                        let written = self.write(site, case, place, &values, Writer::cas(op));
                        all.extend(written.into_iter().map(|case| (case, told.clone(), true)));
                    }
                }
            }
        }
        all
    }

    pub fn write(
        &self,
        site: &mut Site,
        mut case: Case,
        place: &HeapPlace,
        values: &[Val],
        writer: Writer,
    ) -> Cases {
        case.visible = true;
        let HeapBase::Field { pointer, field, .. } = &place.base else {
            let mut all = Cases::new();
            for (mut case, parts) in self.located(site, case, place) {
                if parts.len() == values.len() {
                    let written = parts
                        .zip(values)
                        .all(|(at, value)| self.write_shared(site, &mut case, at, *value, writer));
                    all.extend(written.then_some(case));
                } else {
                    site.report(What::Method("a value does not fit its place"));
                }
            }
            return all;
        };
        let mut all = Cases::new();
        for (case, cell) in self.access(site, case, pointer) {
            match cell {
                Accessed::Node(cell) => {
                    all.extend(self.write_field(site, case, cell, (*field, place.part), values, writer));
                }
                Accessed::Wild => site.report(What::Method("any cell may be written")),
            }
        }
        all
    }

    /// Writes one part of the shared variables; `false` if the method cannot go on.
    pub fn write_shared(
        &self,
        site: &mut Site,
        case: &mut Config,
        at: usize,
        value: Val,
        writer: Writer,
    ) -> bool {
        let (Some(part), Ok(id)) = (self.layout.shared().get(at), SharedPart::try_from(at)) else {
            site.report(What::Method("a shared variable is not there"));
            return false;
        };
        if part.sort != Sort::Age {
            let is_undefined = self.is_undefined(value);
            case.globals[at] = if is_undefined { Val::Undefined } else { value };
            return true;
        }
        let home = Home::Shared(id);
        match self.age_write(site, value, writer, |of| of == home) {
            Some(effect) => case.write_age(|of| of == home, &effect),
            None => return false,
        }
        true
    }

    /// What a written value makes of the age at a place; `None` if ages may fall, or come from elsewhere.
    pub fn age_write(
        &self,
        site: &mut Site,
        value: Val,
        writer: Writer,
        is_here: impl Fn(Home) -> bool,
    ) -> Option<AgeWrite> {
        match (writer, value) {
            (Writer::Init, _) => Some(AgeWrite::Reset),
            (Writer::Cas, Val::Age(Age { current: true, stepped, home })) if is_here(home) => {
                Some(if stepped { AgeWrite::Stepped } else { AgeWrite::Unchanged })
            }
            (Writer::Cas, _) => {
                site.report(What::Method(
                    "an age may be written that is not the compared one or its successor",
                ));
                None
            }
            (Writer::Store, _) => {
                site.report(What::Method("an age is written otherwise than by a `cas`"));
                None
            }
        }
    }

    fn write_field(
        &self,
        site: &mut Site,
        case: Case,
        cell: NodeId,
        (field, part): (usize, Option<usize>),
        values: &[Val],
        writer: Writer,
    ) -> Cases {
        let layout = self.layout.cell();
        let one = if let [value] = values { Some(*value) } else { None };
        let is_label = layout.label.filter(|label| label.field == field);
        match (one, layout.data == Some(field), is_label) {
            (Some(value), true, _) => return self.write_data(site, case, cell, value),
            (Some(value), false, Some(label)) => return self.write_label(site, case, cell, label, value),
            _ => {}
        }
        let link = layout.link.filter(|link| link.field == field);
        let (pointer, age) = match (link.map(|link| link.word), part, values) {
            (Some(None), None, [pointer]) => (Some(*pointer), None),
            (Some(Some(word)), None, values) if values.len() == 1 + usize::from(word.age.is_some()) => {
                (values.get(word.pointer).copied(), word.age.and_then(|age| values.get(age).copied()))
            }
            (Some(Some(word)), Some(part), [value]) if part == word.pointer => (Some(*value), None),
            (Some(Some(word)), Some(part), [value]) if Some(part) == word.age => (None, Some(*value)),
            _ => {
                site.report(What::Method("a value does not fit its field"));
                return Cases::new();
            }
        };
        let mut cases: Cases = smallvec![case];
        if let Some(age) = age {
            let mut written = Cases::new();
            for case in cases {
                let is_here = |home: Home| match home {
                    Home::Node(of) => case.graph.get(of.index(), cell.index()) == SAME,
                    Home::Shared(_) | Home::Lost => false,
                };
                match self.age_write(site, age, writer, is_here) {
                    Some(AgeWrite::Unchanged) => written.push(case),
                    Some(effect) => written.extend(self.step_age(case, cell, &effect)),
                    None => {}
                }
            }
            cases = written;
        }
        if layout.label.is_some() {
            cases = cases.into_iter().flat_map(|case| self.before_tracked(case, cell)).collect();
        }
        match pointer {
            Some(pointer) => {
                let mut written = Cases::new();
                for case in cases {
                    written.extend(self.write_pointer(site, case, cell, pointer));
                }
                written
            }
            None => cases,
        }
    }

    /// The age of a cell's pointer is written: copies of it are out of date.
    fn step_age(&self, mut case: Case, cell: NodeId, effect: &AgeWrite) -> Cases {
        let mut holders: Vec<NodeId> = case
            .ages()
            .filter_map(|(_, age)| match age.home {
                Home::Node(node) => Some(node),
                Home::Shared(_) | Home::Lost => None,
            })
            .collect();
        holders.sort_unstable();
        holders.dedup();
        let mut cases: Cases = smallvec![case];
        for holder in holders {
            let mut all = Cases::new();
            for mut case in cases {
                let has_current = case.ages().any(|(_, age)| age.home == Home::Node(holder) && age.current);
                if !has_current {
                    all.push(case);
                    continue;
                }
                for (mut case, same) in self.split(case, holder, cell, SAME) {
                    if same {
                        case.write_age(|of| of == Home::Node(holder), effect);
                    }
                    all.push(case);
                }
            }
            cases = all;
        }
        cases
    }

    /// A free cell stays among the free; a pointer that would close a cycle counts as unknown; otherwise the edge is redirected.
    fn write_pointer(&self, site: &mut Site, case: Case, cell: NodeId, pointer: Val) -> Cases {
        let at = cell.index();
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
            Val::Null => redirected(rest, NULL),
            Val::Node(target) => {
                for (case, cyclic) in self.split(rest, target, cell, REACHES) {
                    match (cyclic, self.layout.is_collected()) {
                        (false, _) => {
                            if !self.keeps_order(&case, at, target.index()) {
                                site.report(What::Method("the order of the cells may be lost"));
                            }
                            redirected(case, target.index());
                        }
                        (true, false) => redirected(case, GARBAGE),
                        (true, true) => site.report(What::Method("the write may close a cycle")),
                    }
                }
            }
            Val::Wild | Val::Any(Sort::Pointer) => {
                if self.layout.is_collected() {
                    site.report(What::Method("the pointer may be anything"));
                } else {
                    redirected(rest, GARBAGE);
                }
            }
            _ => site.report(What::Method("a pointer field gets something that is not a pointer")),
        }
        all
    }

    fn write_data(&self, site: &mut Site, case: Case, cell: NodeId, value: Val) -> Cases {
        let mut all = Cases::new();
        for value in self.data_cases(value) {
            if self.is_memory() {
                all.extend(self.write_watched(site, case.clone(), cell, value));
            } else {
                all.extend(self.write_tracked(site, case.clone(), cell, value));
            }
        }
        all
    }

    /// For memory: whether the data of the watched cell is undefined from now on.
    fn write_watched(&self, site: &mut Site, case: Case, cell: NodeId, value: Val) -> Cases {
        let is_undefined = self.is_undefined(value);
        let split = match case.tracked.first().copied().flatten() {
            Some(watched) => self.split(case, cell, watched, SAME),
            None => smallvec![(case, false)],
        };
        let mut all = Cases::new();
        for (mut case, same) in split {
            if same {
                case.watch.undefined = is_undefined;
            } else if is_undefined {
                site.report(What::Fault(Fault::UndefinedStored));
            }
            all.push(case);
        }
        all
    }

    /// For observers: which cell holds the value of each variable from now on.
    fn write_tracked(&self, site: &mut Site, case: Case, cell: NodeId, value: Val) -> Cases {
        let mut cases: Cases = smallvec![case];
        for at in 0..self.variables() {
            let holds = tracked_value(at) == Some(value);
            let mut all = Cases::new();
            for mut case in cases {
                let Some(holder) = case.tracked[at] else {
                    if holds {
                        case.tracked[at] = Some(cell);
                    }
                    all.push(case);
                    continue;
                };
                for (mut case, same) in self.split(case, cell, holder, SAME) {
                    if same && !holds {
                        case.tracked[at] = None;
                    } else if !same && holds {
                        site.report(What::Method("a second cell may hold the same argument"));
                        continue;
                    }
                    all.push(case);
                }
            }
            cases = all;
        }
        cases
    }
}

/// What a successful `cmpxchg` found, after it has written: a copy of the age before, which stepping the age makes stale.
pub(super) fn found_before(found: Val, written: Val) -> Val {
    match (found, written) {
        (Val::Age(age), Val::Age(Age { stepped: true, .. })) => Val::Age(Age { current: false, ..age }),
        (Val::Age(_), Val::Any(_)) => Val::Any(Sort::Age),
        (found, _) => found,
    }
}

impl Config {
    /// Copies of the age at these places are out of date, or may be anything.
    fn write_age(&mut self, is_here: impl Fn(Home) -> bool, effect: &AgeWrite) {
        for (value, age) in self.ages() {
            if is_here(age.home) {
                *value = match effect {
                    AgeWrite::Unchanged => Val::Age(age),
                    AgeWrite::Stepped => Val::Age(Age { current: false, ..age }),
                    AgeWrite::Reset => Val::Any(Sort::Age),
                };
            }
        }
    }
}

/// The data of the tracked cell with this number.
pub(super) fn tracked_value(at: usize) -> Option<Val> {
    u8::try_from(at).ok().map(Val::Tracked)
}
