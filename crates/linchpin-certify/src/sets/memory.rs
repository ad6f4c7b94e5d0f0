//! Cells in a world: reading pointers, writing cells, and what a write links and unlinks.
//!
//! **What a write does to reachability.** The linked cells are one path, sorted by strictly growing keys. Let
//! a linked cell p lead to a, and let a write make it lead to b, with a key greater than p's. Follow pointers
//! from b to the first linked cell c (or null): c's key is greater, so c stands behind p. After the write the
//! path is: the old one up to p, the cells from b on before c, then the old one from c on. So the cells from
//! b before c become linked; those from a before c become unlinked; no other cell changes. If p is not
//! linked, reachability does not change, but private cells that p leads to become published.
//!
//! Each cell that becomes linked or unlinked has a name, with one exception. If a chain from a named cell of
//! these is known, the cells on it become unlinked too. They are not in the set, so the abstract set stays.
//! Any linked cell that is not in the set, with a key between the ends of the chain, may be one of them.

use super::eval::{Values, misfit};
use super::failure::{Checked, SetFailureKind, Stop};
use super::run::Run;
use super::world::{forget_chains, grows, is_possible, may_be_passed};
use crate::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, EdgeEnd, KeyClass, NextFact, SlotValue, SmallFields,
};
use linchpin_ir::heap::SetOperation;
use linchpin_ir::heap::sets::{LinkPart, SetField, SmallField};
use linchpin_ir::source::Span;

/// How many cells one write may link or unlink.
const MOST_CHAIN: usize = 4;

impl Run<'_> {
    pub fn cell(&self, cell: u8) -> &CellFact {
        &self.world.cells[usize::from(cell)]
    }

    /// Returns where the pointer of a cell leads. Splits into all cases if it is not known.
    pub fn next(&mut self, cell: u8, span: Span) -> Checked<NextFact> {
        let known = self.cell(cell).next;
        if let NextFact::Null | NextFact::Cell(_) = known {
            return Ok(known);
        }
        let from = self.end_before(cell, span)?;
        let mut cases: Vec<Case> = Vec::new();
        for to in self.edges.successors(self.world.ghost_before, self.world.is_in_before, from).iter() {
            let Some(end) = to else {
                cases.push(Case::Null);
                continue;
            };
            cases.push(Case::Discover(*end));
            for (at, fact) in self.world.before.iter().enumerate() {
                let fits = fact.is_some_and(|fact| fact.label == end.label && fact.fresh == end.fresh);
                if fits && at != usize::from(cell) {
                    cases.push(Case::Known(u8::try_from(at).map_err(|_| misfit(span))?));
                }
            }
        }
        if cases.is_empty() {
            return Err(Stop::Impossible);
        }
        let next = match cases[self.chooser.pick(cases.len())] {
            Case::Null => NextFact::Null,
            Case::Known(at) => NextFact::Cell(at),
            Case::Discover(EdgeEnd { label, fresh }) => {
                let fact = CellFact { label, mine: false, fresh, next: NextFact::Unknown };
                let too_many = Stop::Failed(SetFailureKind::TooManyCells, span);
                NextFact::Cell(self.world.discover(fact).ok_or(too_many)?)
            }
        };
        self.learn(cell, next)?;
        Ok(next)
    }

    /// Whether the pointer of a cell leads to this place. What is not known splits into two cases.
    pub fn leads_to(&mut self, cell: u8, to: SlotValue, span: Span) -> Checked<bool> {
        let wanted = match to {
            SlotValue::Null => NextFact::Null,
            SlotValue::Cell(to) => NextFact::Cell(to),
            _ => return Err(misfit(span)),
        };
        let known = self.cell(cell).next;
        if let NextFact::Null | NextFact::Cell(_) = known {
            return Ok(known == wanted);
        }
        let from = self.end_before(cell, span)?;
        let end = match wanted {
            NextFact::Cell(to) => match self.world.before[usize::from(to)] {
                Some(fact) if to != cell => Some(EdgeEnd { label: fact.label, fresh: fact.fresh }),
                // No cell leads to itself, or to a cell that was not there.
                _ => return Ok(false),
            },
            NextFact::Null | NextFact::Unknown | NextFact::Chain(_) => None,
        };
        let ends = self.edges.successors(self.world.ghost_before, self.world.is_in_before, from);
        if !ends.contains(&end) || self.chooser.pick(2) == 0 {
            return Ok(false);
        }
        self.learn(cell, wanted)?;
        Ok(true)
    }

    fn learn(&mut self, cell: u8, next: NextFact) -> Checked<()> {
        self.world.learn_next(cell, next);
        match is_possible(&self.world.before, self.world.is_in_before, &self.witness.present) {
            true => Ok(()),
            false => Err(Stop::Impossible),
        }
    }

    /// The end of an edge that a published cell was before the step.
    fn end_before(&self, cell: u8, span: Span) -> Checked<EdgeEnd> {
        match self.world.before[usize::from(cell)] {
            Some(CellFact { label, fresh, .. }) if label.place != CellPlace::Private => {
                Ok(EdgeEnd { label, fresh })
            }
            _ => Err(Stop::Failed(SetFailureKind::UnknownNext, span)),
        }
    }

    /// Reads a field of a cell, or a part of it.
    pub fn read_field(&mut self, cell: u8, field: usize, part: Option<usize>, span: Span) -> Checked<Values> {
        let layout = self.layout;
        match layout.cell().fields.get(field) {
            Some(SetField::Key) => Ok([SlotValue::Key(self.cell(cell).label.class)].into_iter().collect()),
            Some(SetField::Small(number)) => Ok([self.small(cell, *number)].into_iter().collect()),
            Some(SetField::Link(parts)) => {
                let mut values = Values::new();
                for (at, kind) in parts.iter().enumerate() {
                    if part.is_some_and(|part| part != at) {
                        continue;
                    }
                    values.push(match kind {
                        LinkPart::Small(number) => self.small(cell, *number),
                        LinkPart::Pointer => match self.next(cell, span)? {
                            NextFact::Cell(next) => SlotValue::Cell(next),
                            NextFact::Null => SlotValue::Null,
                            NextFact::Unknown | NextFact::Chain(_) => return Err(misfit(span)),
                        },
                    });
                }
                Ok(values)
            }
            Some(SetField::Lock) | None => Err(misfit(span)),
        }
    }

    /// Whether a field of a cell, or a part of it, has this value. Small parts are compared first.
    pub fn field_equals(
        &mut self,
        cell: u8,
        field: usize,
        part: Option<usize>,
        values: &[SlotValue],
        span: Span,
    ) -> Checked<bool> {
        let layout = self.layout;
        let Some(SetField::Link(parts)) = layout.cell().fields.get(field) else {
            let now = self.read_field(cell, field, part, span)?;
            return self.equal(&now, values, span);
        };
        let parts = parts.iter().enumerate().filter(|(at, _)| part.is_none_or(|part| part == *at));
        let pairs: Vec<(LinkPart, SlotValue)> =
            parts.map(|(_, kind)| *kind).zip(values.iter().copied()).collect();
        for (kind, value) in &pairs {
            if let LinkPart::Small(number) = kind
                && self.small(cell, *number) != *value
            {
                return Ok(false);
            }
        }
        for (kind, value) in &pairs {
            if *kind == LinkPart::Pointer && !self.leads_to(cell, *value, span)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes a field of a cell, or a part of it.
    pub fn write_field(
        &mut self,
        cell: u8,
        field: usize,
        part: Option<usize>,
        values: &[SlotValue],
        span: Span,
    ) -> Checked<()> {
        let layout = self.layout;
        let mut fields = self.cell(cell).label.fields;
        let mut next = None;
        match (layout.cell().fields.get(field), values) {
            (Some(SetField::Small(number)), [value]) => {
                fields = self.with_small(fields, *number, *value, span)?;
            }
            (Some(SetField::Link(parts)), _) => {
                let parts = parts.iter().enumerate().filter(|(at, _)| part.is_none_or(|part| part == *at));
                let kinds: Vec<LinkPart> = parts.map(|(_, kind)| *kind).collect();
                if kinds.len() != values.len() {
                    return Err(misfit(span));
                }
                for (kind, value) in kinds.iter().zip(values) {
                    match (kind, value) {
                        (LinkPart::Small(number), value) => {
                            fields = self.with_small(fields, *number, *value, span)?;
                        }
                        (LinkPart::Pointer, SlotValue::Null) => next = Some(NextFact::Null),
                        (LinkPart::Pointer, SlotValue::Cell(to)) => next = Some(NextFact::Cell(*to)),
                        (LinkPart::Pointer, _) => return Err(misfit(span)),
                    }
                }
            }
            _ => return Err(misfit(span)),
        }
        self.write(cell, fields, next, span)
    }

    fn small(&self, cell: u8, number: usize) -> SlotValue {
        let small = &self.layout.cell().small;
        let (weight, SmallField { least, count, .. }) = (weight(small, number), small[number]);
        let digit = self.cell(cell).label.fields.0 / weight % count;
        SlotValue::Number(least.saturating_add(i16::try_from(digit).unwrap_or(0)))
    }

    fn with_small(
        &self,
        fields: SmallFields,
        number: usize,
        value: SlotValue,
        span: Span,
    ) -> Checked<SmallFields> {
        let small = &self.layout.cell().small;
        let (weight, SmallField { least, count, .. }) = (weight(small, number), small[number]);
        let SlotValue::Number(value) = value else { return Err(misfit(span)) };
        let digit = value
            .checked_sub(least)
            .and_then(|digit| u16::try_from(digit).ok())
            .filter(|digit| *digit < count);
        let digit = digit.ok_or(Stop::Failed(SetFailureKind::OutOfRange, span))?;
        let old = fields.0 / weight % count;
        Ok(SmallFields(fields.0 - old * weight + digit * weight))
    }

    /// Writes the small fields of a cell, and its pointer.
    fn write(&mut self, cell: u8, fields: SmallFields, next: Option<NextFact>, span: Span) -> Checked<()> {
        let at = usize::from(cell);
        let before = self.watched_cell();
        if let Some(NextFact::Cell(to)) = next
            && !grows(self.cell(cell).label.class, self.cell(to).label.class)
        {
            return Err(Stop::Failed(SetFailureKind::OutOfOrder, span));
        }
        if let Some(next) = next {
            match self.cell(cell).label.place {
                CellPlace::Linked => self.relink(cell, next, span)?,
                CellPlace::Unlinked => self.publish(next, span)?,
                CellPlace::Private => {}
            }
            self.world.cells[at].next = next;
        }
        let label = &mut self.world.cells[at].label;
        let was_member = self.witness.present.contains(&label.fields);
        let is_changed = next.is_some() || label.fields != fields;
        label.fields = fields;
        self.world.touched[at] = true;
        if is_changed && !was_member {
            forget_chains(&mut self.world.cells);
        }
        let after =
            self.watched_cell().map(|cell| self.witness.present.contains(&self.cell(cell).label.fields));
        let is_in = after.unwrap_or(self.world.is_in && before.is_none());
        if is_in != self.world.is_in {
            self.world.is_in = is_in;
            self.event(span)?;
        }
        Ok(())
    }

    /// The linked cell with the watched key, if it has a number.
    fn watched_cell(&self) -> Option<u8> {
        let is_it =
            |fact: &CellFact| fact.label.class == KeyClass::Watched && fact.label.place == CellPlace::Linked;
        self.world.cells.iter().position(is_it).and_then(|at| u8::try_from(at).ok())
    }

    /// Makes a linked cell lead to another place (see the head of the file).
    fn relink(&mut self, cell: u8, to: NextFact, span: Span) -> Checked<()> {
        let from = self.next(cell, span)?;
        if from == to {
            return Ok(());
        }
        let long = || Stop::Failed(SetFailureKind::LongChain, span);
        let mut gained = Vec::new();
        let mut end = to;
        while let NextFact::Cell(at) = end
            && self.cell(at).label.place != CellPlace::Linked
        {
            if gained.len() >= MOST_CHAIN {
                return Err(long());
            }
            gained.push(at);
            end = self.next(at, span)?;
        }
        let mut lost = Vec::new();
        let mut at = from;
        while at != end {
            let NextFact::Cell(gone) = at else { return Err(Stop::Impossible) };
            if lost.len() >= MOST_CHAIN {
                return Err(long());
            }
            lost.push(gone);
            at = match self.cell(gone).next {
                NextFact::Chain(to) if self.world.unlinked.is_none() => {
                    self.world.unlinked = Some((self.cell(gone).label.class, self.cell(to).label.class));
                    self.world.touched[usize::from(to)] = true;
                    NextFact::Cell(to)
                }
                _ => self.next(gone, span)?,
            };
        }
        if let Some(ends) = self.world.unlinked {
            self.unlink_chain(ends, &lost, end);
        }
        for place in [from, to, end] {
            if let NextFact::Cell(at) = place {
                self.world.touched[usize::from(at)] = true;
            }
        }
        for gone in lost {
            self.world.touched[usize::from(gone)] = true;
            self.world.cells[usize::from(gone)].label.place = CellPlace::Unlinked;
        }
        for new in gained {
            let at = usize::from(new);
            self.world.touched[at] = true;
            self.world.cells[at].label.place = CellPlace::Linked;
            self.world.cells[at].fresh = self.world.ghost != CallGhost::None;
        }
        Ok(())
    }

    /// Unlinks the cells of a chain, in each way in which named cells may be among them.
    fn unlink_chain(&mut self, ends: (KeyClass, KeyClass), lost: &[u8], end: NextFact) {
        for at in 0..self.world.cells.len() {
            let is_known = lost.iter().any(|gone| usize::from(*gone) == at)
                || matches!(end, NextFact::Cell(end) if usize::from(end) == at);
            if !is_known
                && may_be_passed(&self.world.cells[at], ends, &self.witness.present)
                && self.chooser.pick(2) == 1
            {
                self.world.touched[at] = true;
                self.world.cells[at].label.place = CellPlace::Unlinked;
            }
        }
    }

    /// Publishes the private cells that a published cell is made to lead to.
    fn publish(&mut self, to: NextFact, span: Span) -> Checked<()> {
        let mut at = to;
        while let NextFact::Cell(cell) = at
            && self.cell(cell).label.place == CellPlace::Private
        {
            self.world.touched[usize::from(cell)] = true;
            self.world.cells[usize::from(cell)].label.place = CellPlace::Unlinked;
            at = self.next(cell, span)?;
        }
        if let NextFact::Cell(cell) = at {
            self.world.touched[usize::from(cell)] = true;
        }
        Ok(())
    }

    /// Judges an event of the running call.
    fn event(&mut self, span: Span) -> Checked<()> {
        let fail = |kind| Err(Stop::Failed(kind, span));
        match self.world.ghost {
            // `init`: the state after it is judged as a whole.
            CallGhost::None => return Ok(()),
            CallGhost::Other => return fail(SetFailureKind::ForeignEvent),
            CallGhost::Done => return fail(SetFailureKind::SecondEvent),
            CallGhost::Watched { .. } => {}
        }
        match self.op.and_then(|op| self.layout.operation(op)) {
            Some(SetOperation::Add) if self.world.is_in => {}
            Some(SetOperation::Remove) if !self.world.is_in => {}
            Some(SetOperation::Contains) | None => return fail(SetFailureKind::ForeignEvent),
            Some(SetOperation::Add | SetOperation::Remove) => return fail(SetFailureKind::WrongEvent),
        }
        self.world.ghost = CallGhost::Done;
        Ok(())
    }

    /// Makes a cell with these fields; the others have their defaults.
    pub fn make_cell(&mut self, given: &[(usize, Values)], span: Span) -> Checked<u8> {
        let small = &self.layout.cell().small;
        let digit =
            |field: &SmallField| u16::try_from(field.default.saturating_sub(field.least)).unwrap_or(0);
        let fields = small.iter().enumerate().map(|(at, field)| weight(small, at) * digit(field)).sum();
        let mut key = SlotValue::Undefined;
        for (field, values) in given {
            if let (Some(SetField::Key), [value]) = (self.layout.cell().fields.get(*field), &values[..]) {
                key = *value;
            }
        }
        let SlotValue::Key(class) = key else { return Err(Stop::Failed(SetFailureKind::Undefined, span)) };
        let label = CellLabel { class, fields: SmallFields(fields), place: CellPlace::Private };
        let fact = CellFact { label, mine: false, fresh: false, next: NextFact::Null };
        let made = self.world.make(fact).ok_or(Stop::Failed(SetFailureKind::TooManyCells, span))?;
        for (field, values) in given {
            if self.layout.cell().fields.get(*field) != Some(&SetField::Key) {
                self.write_field(made, *field, None, values, span)?;
            }
        }
        Ok(made)
    }
}

#[derive(Clone, Copy)]
enum Case {
    Null,
    Known(u8),
    Discover(EdgeEnd),
}

/// The weight of a digit of [`SmallFields`].
fn weight(small: &[SmallField], number: usize) -> u16 {
    small.iter().take(number).map(|field| field.count).product()
}
