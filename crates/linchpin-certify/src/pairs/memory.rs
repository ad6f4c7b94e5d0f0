//! Reads and writes memory in a configuration.
//!
//! **Ages.** A copy of an age is *current* while it equals the age at the place where it was read.
//! - *Claim.* A stale copy stays stale.
//! - *Assumption.* Ages never fall.
//! - *Proof.* Every write is checked. Outside of `init` only a `cas` or `cmpxchg` writes an age, and the new
//!   age is a current copy of this age or its successor.
//! - *Test.* `ages_never_fall` in `obligations`.
//!
//! **Undefined data.** For [`Obligation::Memory`](crate::certificate::Obligation) one arbitrary cell is
//! watched from its allocation.
//! - *Claim.* Every use of an undefined value is reported for some choice of the watched cell.
//! - *Proof.* The value was read from a cell whose data was undefined at that time, or it is the default of a
//!   variable. It reached its use through variables only: storing it in another cell is excluded here. Watch
//!   that cell: then the value is known to be undefined at its use.
//! - *Test.* `prove::forgery` in the suite of `linchpin-prove`.

use super::config::{Age, Config, FailureKind, Home, Val, Values};
use super::eval::{Evaluated, Site};
use super::faults::Fault;
use super::graph::{NodeId, REACHES};
use super::run::{Case, Cases, Located, Runner};
use crate::certificate::{BEFORE, FREE, GARBAGE, NEXT, NULL, SAME};
use linchpin_ir::heap::layout::{SharedPart, Sort};
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapPlace};
use linchpin_ir::program::OpId;
use smallvec::{SmallVec, smallvec};

/// The cell of an access.
#[derive(Clone, Copy)]
pub(super) enum Accessed {
    Node(NodeId),
    /// Any cell.
    Wild,
}

/// The kind of a write. It decides which ages may be written.
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

/// The effect of a write on an age.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AgeWrite {
    Unchanged,
    Stepped,
    /// Copies become any age.
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
                    None => site.report(FailureKind::Method("the shared variable does not exist")),
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
                    let tracked = (0..self.tracked_data(&case)).filter(|at| case.tracked[*at].is_some());
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

    /// Returns the value of a part of the shared variables.
    fn shared_value(&self, case: &Config, at: usize) -> Option<Val> {
        match self.layout.shared().get(at)?.sort {
            Sort::Age => {
                let home = Home::Shared(SharedPart::try_from(at).ok()?);
                Some(Val::Age(Age { current: true, stepped: false, home }))
            }
            _ => case.globals.get(at).copied(),
        }
    }

    /// Returns the parts of a shared place, in each case. A case ends at a fault or a limit of the method.
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
                Located::OutOfBounds => site.report(FailureKind::Fault(Fault::Index)),
                Located::Unclear | Located::InCell => {
                    site.report(FailureKind::Method("the index is not known"));
                }
            }
        }
        all
    }

    /// Returns the value of a pointer field, or of one part of the field.
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

    /// Returns the cell behind a pointer, in each case in which the access is not an error.
    fn access(&self, site: &mut Site, case: Case, pointer: &HeapExpr) -> SmallVec<[(Case, Accessed); 1]> {
        let mut all = SmallVec::new();
        for (mut case, values) in self.eval(site, case, pointer) {
            match values[..] {
                [Val::Null] => site.report(FailureKind::Fault(Fault::NullAccess)),
                [Val::Node(cell)] => {
                    if self.layout.is_manual() && case.graph.may_be_free(cell.index()) {
                        site.report(FailureKind::Fault(Fault::FreedAccess));
                        if case.graph.restrict(self.algebra, cell.index(), FREE, !NEXT).is_err() {
                            continue;
                        }
                    }
                    all.push((case, Accessed::Node(cell)));
                }
                [Val::Wild | Val::Any(Sort::Pointer)] => {
                    site.report(FailureKind::Fault(Fault::WildAccess));
                    all.push((case, Accessed::Wild));
                }
                _ => site.report(FailureKind::Method("an access through a value that is not a pointer")),
            }
        }
        all
    }

    /// Returns the number of cells whose data is tracked: the watched cell counts while its data is
    /// undefined.
    fn tracked_data(&self, case: &Config) -> usize {
        if self.is_memory() && !case.watch.undefined { 0 } else { case.tracked.len() }
    }

    /// Returns the data of a cell, in each case.
    pub fn data_of(&self, case: Case, cell: NodeId) -> Evaluated {
        let mut all = Evaluated::new();
        let telling = self.tracked_data(&case);
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

    /// Returns the pointer in a cell, in each case: null, any pointer, or a new node.
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
            None => site.report(FailureKind::Method("too many pointers")),
        }
        all
    }

    /// Runs a `cas` or `cmpxchg`. Returns the cases, each with the value found and whether it succeeded.
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
                            site.report(FailureKind::Method("a value does not fit its place"));
                            continue;
                        }
                        let before: Values = found
                            .iter()
                            .zip(&values)
                            .map(|(found, written)| found_before(*found, *written))
                            .collect();
                        let written = self.write(site, case, place, &values, Writer::cas(op));
                        all.extend(written.into_iter().map(|case| (case, before.clone(), true)));
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
                    site.report(FailureKind::Method("a value does not fit its place"));
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
                Accessed::Wild => site.report(FailureKind::Method("any cell may be written")),
            }
        }
        all
    }

    /// Writes one part of the shared variables. Returns false at a limit of the method.
    pub fn write_shared(
        &self,
        site: &mut Site,
        case: &mut Config,
        at: usize,
        value: Val,
        writer: Writer,
    ) -> bool {
        let (Some(part), Ok(id)) = (self.layout.shared().get(at), SharedPart::try_from(at)) else {
            site.report(FailureKind::Method("the shared variable does not exist"));
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

    /// Returns the effect of a write on the age at a place; `None` if the age may fall or belongs to another
    /// place.
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
                site.report(FailureKind::Method(
                    "the age written may be neither the compared age nor its successor",
                ));
                None
            }
            (Writer::Store, _) => {
                site.report(FailureKind::Method("an age is written without a `cas`"));
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
                site.report(FailureKind::Method("a value does not fit its field"));
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

    /// Writes the age of a cell's pointer: its copies become stale.
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

    /// Redirects the edge of a cell. A free cell stays free; a pointer that would close a cycle becomes any
    /// pointer.
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
                                site.report(FailureKind::Method("the order of the cells may be lost"));
                            }
                            redirected(case, target.index());
                        }
                        (true, false) => redirected(case, GARBAGE),
                        (true, true) => site.report(FailureKind::Method("the write may close a cycle")),
                    }
                }
            }
            Val::Wild | Val::Any(Sort::Pointer) => {
                if self.layout.is_collected() {
                    site.report(FailureKind::Method("the pointer is not known"));
                } else {
                    redirected(rest, GARBAGE);
                }
            }
            _ => site.report(FailureKind::Method("a pointer field gets a value that is not a pointer")),
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

    /// For memory: updates whether the data of the watched cell is undefined.
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
                site.report(FailureKind::Fault(Fault::UndefinedStored));
            }
            all.push(case);
        }
        all
    }

    /// For observers: updates the cell that holds the value of each variable.
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
                        site.report(FailureKind::Method("a second cell may hold the same argument"));
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

/// Returns the value that a successful `cmpxchg` found, after its write. If the write steps the age, the copy
/// found is stale.
pub(super) fn found_before(found: Val, written: Val) -> Val {
    match (found, written) {
        (Val::Age(age), Val::Age(Age { stepped: true, .. })) => Val::Age(Age { current: false, ..age }),
        (Val::Age(_), Val::Any(_)) => Val::Any(Sort::Age),
        (found, _) => found,
    }
}

impl Config {
    /// Makes the copies of the age at these places stale, or any age.
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

/// Returns the data of the tracked cell with this number.
pub(super) fn tracked_value(at: usize) -> Option<Val> {
    u8::try_from(at).ok().map(Val::Tracked)
}
