//! The steps of *Other*: the program's own steps from every window that the lemmas allow.
//!
//! A window is what a step needs to know of the thread that makes it, in one possible case: the parts of
//! locals that the step reads, those that lemmas relate to them, the cells behind them, and the ghost of the
//! call.
//!
//! - **Claim.** Let a state be in the views, and let the lemmas be true of each thread. Then every step of a
//!   thread that changes published cells is the step of a window, or violates an obligation.
//! - **Cells.** A published cell has a label of an edge view for no thread. A private cell has the label of a
//!   private cell of some view: its thread names it. No private cell leads to a private cell; this is an
//!   obligation on the views. Its key is less than that of its successor; this is an obligation of each
//!   write. A view may forget where a private cell leads, if the next step does not need it: any pointer will
//!   do then. Everything else is enumerated, or left open and found in the edge views.
//! - **Lemmas.** A case is left out only if a lemma is certainly false in it. Where a lemma says which cell a
//!   cell leads to, the window notes it. A lemma about locals that are not in the window is not used.
//! - **Ghosts.** The bits *seen in* and *seen out* matter at returns only, so windows have both. A call on
//!   the watched key has it as parameter, and no operation writes a parameter.
//! - **Illegal steps.** A window whose step violates an obligation is left out: if the window describes a
//!   real thread, the views of that thread show the violation. A step that cannot be *followed* for lack of
//!   knowledge is reported: it is not a violation of that thread.

use super::lemma::{Known, Truth};
use crate::cmp_certificate::{CellName, Fact, PointerName, RestLemma};
use crate::set_certificate::{
    CallGhost, CellFact, CellLabel, CellPlace, EdgeEnd, EdgeView, KeyClass, NextFact, SlotValue, ThreadView,
};
use crate::sets::action::Action;
use crate::sets::eval::defaults;
use crate::sets::failure::{SetFailure, SetFailureKind};
use crate::sets::is_taken;
use crate::sets::run::{Edges, Moved, each_move};
use crate::sets::world::{Witness, grows, is_possible};
use linchpin_ir::heap::layout::Sort;
use linchpin_ir::heap::sets::{SetField, SetGlobal, SetLayout};
use linchpin_ir::heap::{HeapOp, HeapScalar, HeapType};
use linchpin_ir::program::{Access, OpId, Pc};
use linchpin_ir::source::Span;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What windows take from the views of a certificate.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Materials {
    /// The labels of published cells, by whether the watched key is in.
    published: BTreeMap<bool, BTreeSet<CellLabel>>,
    private: BTreeSet<CellLabel>,
    shared: BTreeSet<SharedPart>,
    successors: BTreeMap<(bool, CellLabel), BTreeSet<Option<CellLabel>>>,
    /// Some private cell may lead to a private cell.
    has_private_chain: bool,
}

/// The shared pointers, and the labels of their cells by the order of their first occurrence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct SharedPart {
    is_in: bool,
    values: Vec<SlotValue>,
    labels: Vec<CellLabel>,
}

impl Materials {
    pub fn add_view(&mut self, view: &ThreadView) {
        let mut numbers: Vec<u8> = Vec::new();
        let mut part = SharedPart { is_in: view.is_in, values: Vec::new(), labels: Vec::new() };
        for value in &view.shared {
            part.values.push(match value {
                SlotValue::Cell(cell) => {
                    let known = numbers.iter().position(|number| number == cell);
                    let number = known.unwrap_or_else(|| {
                        numbers.push(*cell);
                        part.labels.extend(view.cells.get(usize::from(*cell)).map(|fact| fact.label));
                        numbers.len() - 1
                    });
                    SlotValue::Cell(u8::try_from(number).unwrap_or(u8::MAX))
                }
                other => *other,
            });
        }
        self.shared.insert(part);
        for cell in view.cells.iter().filter(|cell| cell.label.place == CellPlace::Private) {
            self.private.insert(cell.label);
            if let NextFact::Cell(next) = cell.next {
                let next = view.cells.get(usize::from(next));
                self.has_private_chain |= next.is_none_or(|next| next.label.place == CellPlace::Private);
            }
        }
    }

    pub fn add_edge(&mut self, edge: &EdgeView) {
        if edge.ghost != CallGhost::None {
            return;
        }
        self.published.entry(edge.is_in).or_default().insert(edge.from.label);
        let to = edge.to.map(|end| end.label);
        self.successors.entry((edge.is_in, edge.from.label)).or_default().insert(to);
    }
}

/// A place where a step of *Other* begins: a rest, or the entry of a call.
#[derive(Clone, Debug)]
struct Start {
    at: Option<(OpId, Pc)>,
    /// The parts of locals that the step reads.
    reads: BTreeSet<usize>,
}

/// What the step of a window does to published cells, or why it cannot be followed.
pub type Effect = Result<Action, SetFailure>;

/// Receives windows with their effects. Returns whether to go on.
pub type Visit<'v> = &'v mut dyn FnMut(&ThreadView, Effect) -> bool;

/// The visits ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended;

/// The maximal number of windows of a rest.
const MOST_WINDOWS: usize = 3_000_000;

/// Visits what each step of *Other* does to published cells, with its window. Polls `go_on` regularly.
pub fn each_step(
    layout: &SetLayout,
    witness: &Witness,
    lemmas: &[RestLemma],
    materials: &Materials,
    go_on: &dyn Fn() -> bool,
    visit: Visit,
) -> Result<(), Ended> {
    for start in starts(layout) {
        let lemmas: Vec<&RestLemma> =
            lemmas.iter().filter(|lemma| start.at == Some((lemma.op, lemma.pc))).collect();
        let mut search = Search {
            layout,
            witness,
            materials,
            go_on,
            edges: AnyEdges::new(materials, start.at.is_none()),
            relevant: Vec::new(),
            lemmas: Vec::new(),
            has_lock: layout.cell().fields.contains(&SetField::Lock),
            span: span_of(layout, start.at),
            windows: 0,
            visit,
        };
        search.run(&start, &lemmas)?;
    }
    Ok(())
}

/// The rests whose step may write to cells.
pub fn writing_rests(layout: &SetLayout) -> BTreeSet<(OpId, Pc)> {
    starts(layout).into_iter().filter_map(|start| start.at).collect()
}

fn span_of(layout: &SetLayout, at: Option<(OpId, Pc)>) -> Option<Span> {
    let op = at.map(|(op, _)| op).or_else(|| layout.heap().ops().ids().next());
    let method = layout.method(op);
    method.code.get(at.map_or(method.entry, |(_, pc)| pc)).map(|instr| instr.span)
}

fn starts(layout: &SetLayout) -> Vec<Start> {
    let mut all = Vec::new();
    let mut begins = false;
    for op in layout.heap().ops().ids() {
        let method = layout.method(Some(op));
        let Some(frame) = layout.frame(Some(op)) else { continue };
        begins |= step_code(layout, op, method.entry, false)
            .iter()
            .any(|pc| method.code.get(*pc).is_some_and(|instr| instr.op.writes()));
        for (pc, instr) in method.code.entries() {
            if !instr.access.is_step() {
                continue;
            }
            let code = step_code(layout, op, pc, true);
            let mut reads = BTreeSet::new();
            let mut writes = false;
            for at in &code {
                let Some(part) = method.code.get(*at) else { continue };
                writes |= part.op.writes();
                part.op.locals(&mut |local| {
                    reads.extend(frame.local(local.local, None).into_iter().flatten());
                });
            }
            if writes {
                let live: BTreeSet<usize> =
                    instr.live.iter().filter_map(|local| frame.local(local, None)).flatten().collect();
                let reads = reads.intersection(&live).copied().collect();
                all.push(Start { at: Some((op, pc)), reads });
            }
        }
    }
    if begins {
        all.push(Start { at: None, reads: BTreeSet::new() });
    }
    all
}

/// The instructions that a step may run: one access, and the local work around it.
fn step_code(layout: &SetLayout, op: OpId, from: Pc, resumed: bool) -> BTreeSet<Pc> {
    let method = layout.method(Some(op));
    let mut open = vec![(from, false)];
    let mut met = BTreeSet::new();
    while let Some((pc, accessed)) = open.pop() {
        let Some(instr) = method.code.get(pc) else { continue };
        let mut now = accessed;
        if let Access::Step { can_block } = instr.access {
            if accessed || (can_block && !resumed) {
                continue;
            }
            now = true;
        }
        if !met.insert((pc, accessed)) {
            continue;
        }
        match &instr.op {
            HeapOp::Branch { then, otherwise, .. } => open.extend([(*then, now), (*otherwise, now)]),
            HeapOp::Return(_) => {}
            _ => open.push((instr.next, now)),
        }
    }
    met.into_iter().map(|(pc, _)| pc).collect()
}

/// The edges as no thread sees them.
struct AnyEdges {
    successors: FxHashMap<(bool, CellLabel), Rc<[Option<EdgeEnd>]>>,
    nothing: Rc<[Option<EdgeEnd>]>,
}

impl AnyEdges {
    /// With `begins` the step begins a call, so that exactly the linked cells are fresh. Else none is.
    fn new(materials: &Materials, begins: bool) -> AnyEdges {
        let end = |label: CellLabel| EdgeEnd { label, fresh: begins && label.place == CellPlace::Linked };
        let all = materials.successors.iter();
        let successors =
            all.map(|(from, to)| (*from, to.iter().map(|label| label.map(end)).collect())).collect();
        AnyEdges { successors, nothing: Rc::from([]) }
    }
}

impl Edges for AnyEdges {
    fn successors(&mut self, _: CallGhost, is_in: bool, from: EdgeEnd) -> Rc<[Option<EdgeEnd>]> {
        self.successors.get(&(is_in, from.label)).unwrap_or(&self.nothing).clone()
    }
}

struct Search<'s> {
    layout: &'s SetLayout,
    witness: &'s Witness,
    materials: &'s Materials,
    go_on: &'s dyn Fn() -> bool,
    edges: AnyEdges,
    /// The parts of locals that a window has, in order, with their kinds.
    relevant: Vec<(usize, Kind)>,
    lemmas: Vec<&'s RestLemma>,
    has_lock: bool,
    span: Option<Span>,
    windows: usize,
    visit: Visit<'s>,
}

/// The possible values of a part of a local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Pointer,
    Key,
    /// The key that the operation was called with.
    Parameter,
    Number {
        low: i16,
        high: i16,
    },
}

/// A window that is being built.
#[derive(Clone)]
struct Draft {
    view: ThreadView,
    slots: Vec<Option<SlotValue>>,
}

impl Draft {
    fn value(&self, name: CellName) -> Option<SlotValue> {
        match name {
            CellName::Slot(slot) => self.slots.get(slot).copied().flatten(),
            CellName::Shared(number) => self.view.shared.get(number).copied(),
        }
    }

    /// The pointer of the cell that a value leads to.
    fn behind(&self, value: Option<SlotValue>) -> Option<SlotValue> {
        let Some(SlotValue::Cell(cell)) = value else { return None };
        match self.view.cells.get(usize::from(cell))?.next {
            NextFact::Unknown | NextFact::Chain(_) => None,
            NextFact::Null => Some(SlotValue::Null),
            NextFact::Cell(next) => Some(SlotValue::Cell(next)),
        }
    }
}

impl<'s> Search<'s> {
    fn run(&mut self, start: &Start, lemmas: &[&'s RestLemma]) -> Result<(), Ended> {
        let Some((op, pc)) = start.at else { return self.begin_calls() };
        let (Some(frame), Some(instr)) =
            (self.layout.frame(Some(op)), self.layout.method(Some(op)).code.get(pc))
        else {
            return Ok(());
        };
        let live: BTreeSet<usize> =
            instr.live.iter().filter_map(|local| frame.local(local, None)).flatten().collect();
        let mut relevant = start.reads.clone();
        // A lemma is of use if all its locals are in the window.
        loop {
            let before = relevant.len();
            for lemma in lemmas {
                let slots = slots_of(lemma);
                if slots.is_subset(&live) && !slots.is_disjoint(&relevant) {
                    relevant.extend(slots);
                }
            }
            if relevant.len() == before {
                break;
            }
        }
        self.lemmas = lemmas.iter().filter(|lemma| slots_of(lemma).is_subset(&relevant)).copied().collect();
        self.relevant = Vec::new();
        for slot in &relevant {
            let Some(kind) = self.kind(op, *slot) else {
                let window = self.draft(start.at).view;
                return self.unfollowed(&window, SetFailureKind::BigNumber);
            };
            self.relevant.push((*slot, kind));
        }
        // Parameters are known from the ghost. Many lemmas relate the other values to them.
        self.relevant.sort_by_key(|(slot, kind)| (*kind != Kind::Parameter, *slot));
        let mut slots: Vec<Option<SlotValue>> = defaults(frame).into_iter().map(Some).collect();
        for slot in &live {
            // No step reads it. A value that fits nothing shows if one does.
            slots[*slot] = Some(SlotValue::Absent);
        }
        for (slot, _) in &self.relevant {
            slots[*slot] = None;
        }
        let shared: Vec<SharedPart> = self.materials.shared.iter().cloned().collect();
        for part in &shared {
            for (ghost, class) in CALLS {
                let is_of_use = self.relevant.iter().any(|(_, kind)| *kind == Kind::Parameter);
                if class == KeyClass::Above && !is_of_use {
                    continue;
                }
                for locks in self.locks() {
                    let mut draft = self.draft(start.at);
                    draft.slots.clone_from(&slots);
                    draft.view.ghost = ghost;
                    draft.view.is_in = part.is_in;
                    draft.view.locks = locks;
                    draft.view.shared.clone_from(&part.values);
                    draft.view.cells = part.labels.iter().map(|label| fact(*label, false)).collect();
                    for (slot, kind) in &self.relevant {
                        if *kind == Kind::Parameter {
                            draft.slots[*slot] = Some(SlotValue::Key(class));
                        }
                    }
                    self.hold_shared(draft, 0)?;
                }
            }
        }
        Ok(())
    }

    fn draft(&self, at: Option<(OpId, Pc)>) -> Draft {
        let view = ThreadView {
            at,
            ghost: CallGhost::None,
            is_in: false,
            locks: 0,
            shared: Vec::new(),
            slots: Vec::new(),
            cells: Vec::new(),
        };
        Draft { view, slots: Vec::new() }
    }

    fn begin_calls(&mut self) -> Result<(), Ended> {
        let shared: Vec<SharedPart> = self.materials.shared.iter().cloned().collect();
        for part in &shared {
            let mut draft = self.draft(None);
            draft.view.is_in = part.is_in;
            draft.view.shared.clone_from(&part.values);
            draft.view.cells = part.labels.iter().map(|label| fact(*label, false)).collect();
            self.step(&draft)?;
        }
        Ok(())
    }

    /// The sets of shared locks that the thread may hold.
    fn locks(&self) -> Vec<u32> {
        let globals = self.layout.heap().globals().ids();
        let all = globals.filter_map(|id| match self.layout.global(id) {
            Some(SetGlobal::Lock(number)) => Some(1_u32 << number),
            _ => None,
        });
        all.fold(vec![0], |sets: Vec<u32>, bit| {
            sets.iter().copied().chain(sets.iter().map(|set| set | bit)).collect()
        })
    }

    fn kind(&self, op: OpId, slot: usize) -> Option<Kind> {
        let method = self.layout.method(Some(op));
        let frame = self.layout.frame(Some(op))?;
        let (local, range) = method.locals.ids().find_map(|local| {
            frame.local(local, None).filter(|range| range.contains(&slot)).map(|range| (local, range))
        })?;
        let scalar = match &method.locals[local].ty {
            HeapType::Scalar(scalar) => *scalar,
            HeapType::Word(scalars) => *scalars.get(slot - range.start)?,
            HeapType::Optional(_) | HeapType::Lock | HeapType::Array { .. } => return None,
        };
        Some(match (frame.parts().get(slot)?.sort, scalar) {
            (Sort::Pointer, _) => Kind::Pointer,
            (Sort::Key, _) if method.params.contains(&local) => Kind::Parameter,
            (Sort::Key, _) => Kind::Key,
            (Sort::Number, HeapScalar::Bool) => Kind::Number { low: 0, high: 1 },
            (Sort::Number, HeapScalar::Small { low, high }) => {
                Kind::Number { low: i16::try_from(low).ok()?, high: i16::try_from(high).ok()? }
            }
            _ => return None,
        })
    }

    /// Decides which cells of shared pointers the thread holds.
    fn hold_shared(&mut self, draft: Draft, from: usize) -> Result<(), Ended> {
        if !self.has_lock || from >= draft.view.cells.len() {
            return self.fill(draft, 0);
        }
        for mine in [false, true] {
            let mut draft = draft.clone();
            draft.view.cells[from].mine = mine;
            self.hold_shared(draft, from + 1)?;
        }
        Ok(())
    }

    /// Chooses the value of the part with this position, and of those behind it.
    fn fill(&mut self, draft: Draft, position: usize) -> Result<(), Ended> {
        let Some(draft) = self.consider(draft) else { return Ok(()) };
        let Some(&(slot, kind)) = self.relevant.get(position) else { return self.lead(draft) };
        if draft.slots[slot].is_some() {
            return self.fill(draft, position + 1);
        }
        let mut choose = |draft: &Draft, value: SlotValue, made: Option<CellFact>| {
            let mut draft = draft.clone();
            draft.view.cells.extend(made);
            draft.slots[slot] = Some(value);
            self.fill(draft, position + 1)
        };
        match kind {
            Kind::Key | Kind::Parameter => {
                for class in CLASSES {
                    choose(&draft, SlotValue::Key(class), None)?;
                }
            }
            Kind::Number { low, high } => {
                for number in low..=high {
                    choose(&draft, SlotValue::Number(number), None)?;
                }
            }
            Kind::Pointer => {
                choose(&draft, SlotValue::Null, None)?;
                let new = u8::try_from(draft.view.cells.len()).unwrap_or(u8::MAX);
                for cell in 0..new {
                    choose(&draft, SlotValue::Cell(cell), None)?;
                }
                for cell in self.new_cells(&draft, true) {
                    let mut draft = draft.clone();
                    draft.view.cells.push(cell);
                    draft.slots[slot] = Some(SlotValue::Cell(new));
                    self.fill(draft, position + 1)?;
                }
            }
        }
        Ok(())
    }

    /// The cells that a pointer may lead to and that the window does not have.
    fn new_cells(&self, draft: &Draft, with_private: bool) -> Vec<CellFact> {
        let published = self.materials.published.get(&draft.view.is_in).into_iter().flatten();
        let private = self.materials.private.iter().filter(|_| with_private);
        let mine = if self.has_lock { &[false, true][..] } else { &[false] };
        let labels = published.chain(private);
        labels.flat_map(|label| mine.iter().map(|mine| fact(*label, *mine))).collect()
    }

    /// Notes what the lemmas say of a window. `None`: a lemma excludes it, or no state has such cells.
    fn consider(&self, mut draft: Draft) -> Option<Draft> {
        for lemma in &self.lemmas {
            if lemma.premises.is_empty()
                && lemma.conclusion.is_positive
                && let Fact::Same(a, b) = lemma.conclusion.fact
            {
                for (from, to) in [(a, b), (b, a)] {
                    self.link(&mut draft, from, to)?;
                }
            }
        }
        let known = Known {
            layout: self.layout,
            slots: &draft.slots,
            shared: &draft.view.shared,
            cells: &draft.view.cells,
            locks: draft.view.locks,
        };
        if self.lemmas.iter().any(|lemma| known.lemma(lemma) == Truth::False) {
            return None;
        }
        let cells: Vec<Option<CellFact>> = draft.view.cells.iter().copied().map(Some).collect();
        is_possible(&cells, draft.view.is_in, &self.witness.present).then_some(draft)
    }

    /// Notes that the pointer of a cell is another pointer, if both are known. `None`: it cannot be.
    fn link(&self, draft: &mut Draft, from: PointerName, to: PointerName) -> Option<()> {
        let from = match from {
            PointerName::Null | PointerName::To(_) => return Some(()),
            PointerName::NextOf(name) => draft.value(name),
            PointerName::SecondOf(name) => draft.behind(draft.value(name)),
        };
        let Some(SlotValue::Cell(from)) = from else { return Some(()) };
        let to = match to {
            PointerName::Null => Some(SlotValue::Null),
            PointerName::To(name) => draft.value(name),
            PointerName::NextOf(name) => draft.behind(draft.value(name)),
            PointerName::SecondOf(name) => draft.behind(draft.behind(draft.value(name))),
        };
        let next = match to {
            Some(SlotValue::Null) => NextFact::Null,
            Some(SlotValue::Cell(to)) => NextFact::Cell(to),
            _ => return Some(()),
        };
        let fact = draft.view.cells.get(usize::from(from))?;
        if fact.next == NextFact::Unknown {
            self.may_lead(draft, fact.label, next).then_some(())?;
            draft.view.cells[usize::from(from)].next = next;
        }
        Some(())
    }

    /// Whether a cell with this label may lead there.
    fn may_lead(&self, draft: &Draft, from: CellLabel, next: NextFact) -> bool {
        let to = match next {
            NextFact::Cell(to) => draft.view.cells.get(usize::from(to)).map(|fact| fact.label),
            NextFact::Null | NextFact::Unknown | NextFact::Chain(_) => None,
        };
        if from.place == CellPlace::Private {
            let leads = |to: CellLabel| to.place != CellPlace::Private && grows(from.class, to.class);
            return to.is_none_or(leads);
        }
        let known = self.materials.successors.get(&(draft.view.is_in, from));
        known.is_some_and(|known| known.contains(&to))
    }

    /// Chooses where private cells lead, and the cells between those that a lemma relates.
    fn lead(&mut self, draft: Draft) -> Result<(), Ended> {
        let Some(from) = self.open_cell(&draft) else { return self.step(&draft) };
        let label = draft.view.cells[from].label;
        if label.place == CellPlace::Private && self.materials.has_private_chain {
            return self.unfollowed(&draft.view, SetFailureKind::UnknownNext);
        }
        let new = u8::try_from(draft.view.cells.len()).unwrap_or(u8::MAX);
        let known = [NextFact::Null].into_iter().chain((0..new).map(NextFact::Cell));
        let mut all: Vec<(NextFact, Option<CellFact>)> = known.map(|next| (next, None)).collect();
        let made = self.new_cells(&draft, false);
        all.extend(made.into_iter().map(|cell| (NextFact::Cell(new), Some(cell))));
        for (next, made) in all {
            let mut draft = draft.clone();
            draft.view.cells.extend(made);
            if !self.may_lead(&draft, label, next) {
                continue;
            }
            draft.view.cells[from].next = next;
            if let Some(draft) = self.consider(draft) {
                self.lead(draft)?;
            }
        }
        Ok(())
    }

    /// A cell whose pointer the step or a lemma needs, and that is not known.
    fn open_cell(&self, draft: &Draft) -> Option<usize> {
        let is_open = |cell: &CellFact| cell.next == NextFact::Unknown;
        let is_private = |cell: &CellFact| cell.label.place == CellPlace::Private && is_open(cell);
        let of_lemmas =
            self.lemmas.iter().filter(|lemma| lemma.premises.is_empty()).filter_map(|lemma| {
                match (lemma.conclusion.fact, lemma.conclusion.is_positive) {
                    (
                        Fact::Same(PointerName::SecondOf(name), _)
                        | Fact::Same(_, PointerName::SecondOf(name)),
                        true,
                    ) => match draft.value(name)? {
                        SlotValue::Cell(cell) => Some(usize::from(cell)),
                        _ => None,
                    },
                    _ => None,
                }
            });
        let mut of_lemmas = of_lemmas.filter(|at| draft.view.cells.get(*at).is_some_and(is_open));
        draft.view.cells.iter().position(is_private).or_else(|| of_lemmas.next())
    }

    /// Makes the step of a window.
    fn step(&mut self, draft: &Draft) -> Result<(), Ended> {
        self.windows += 1;
        if self.windows.is_multiple_of(256) && !(self.go_on)() {
            return Err(Ended);
        }
        let mut window = draft.view.clone();
        window.slots = draft.slots.iter().map(|value| value.unwrap_or(SlotValue::Absent)).collect();
        if self.windows > MOST_WINDOWS {
            return self.unfollowed(&window, SetFailureKind::TooManyCells);
        }
        // Without a place a failure could not be reported.
        let Some(span) = self.span else { return Err(Ended) };
        let mut goes_on = true;
        let visit = &mut *self.visit;
        let (layout, witness, edges) = (self.layout, self.witness, &mut self.edges);
        let ended = each_move(layout, witness, edges, &window, &mut |moved| {
            let effect = match moved {
                Err(failure) if is_violation(failure.kind) => return Ok(()),
                Err(failure) => Err(failure),
                Ok(Moved { action: None, .. }) => return Ok(()),
                Ok(moved) if !is_taken(&moved, &window) => {
                    Err(SetFailure { kind: SetFailureKind::LongChain, span, step: Some(span) })
                }
                Ok(Moved { action: Some(action), .. }) => Ok(action.seen_by_others()),
            };
            let failure = effect.as_ref().err().cloned();
            goes_on &= visit(&window, effect);
            match failure {
                Some(failure) => Err(failure),
                None => Ok(()),
            }
        });
        // A failure ends the visits of this window only, and is reported.
        let _ = ended;
        if goes_on { Ok(()) } else { Err(Ended) }
    }

    /// Reports that the steps of a rest cannot be followed.
    fn unfollowed(&mut self, window: &ThreadView, kind: SetFailureKind) -> Result<(), Ended> {
        let Some(span) = self.span else { return Err(Ended) };
        (self.visit)(window, Err(SetFailure { kind, span, step: Some(span) }));
        Err(Ended)
    }
}

/// The ghosts of a pending call, with the class of its key.
const CALLS: [(CallGhost, KeyClass); 4] = [
    (CallGhost::Other, KeyClass::Below),
    (CallGhost::Other, KeyClass::Above),
    (CallGhost::Watched { seen_in: true, seen_out: true }, KeyClass::Watched),
    (CallGhost::Done, KeyClass::Watched),
];

const CLASSES: [KeyClass; 5] =
    [KeyClass::Min, KeyClass::Below, KeyClass::Watched, KeyClass::Above, KeyClass::Max];

/// Whether a failure shows in the views of the thread that makes the step. The others say that the window
/// knows too little.
fn is_violation(kind: SetFailureKind) -> bool {
    use SetFailureKind::*;
    match kind {
        ForeignEvent | WrongEvent | SecondEvent | WrongResult | NoMoment | Initial | NullAccess
        | Undefined | Assertion | OutOfRange | LockOrder | LockKept | OutOfOrder => true,
        NotHolder | LongChain | UnknownNext | BigNumber | Endless | Misfit | TooManyCells => false,
    }
}

fn fact(label: CellLabel, mine: bool) -> CellFact {
    CellFact { label, mine, fresh: false, next: NextFact::Unknown }
}

fn slots_of(lemma: &RestLemma) -> BTreeSet<usize> {
    let mut slots = BTreeSet::new();
    for claim in lemma.claims() {
        claim.fact.slots(&mut |slot| {
            slots.insert(slot);
        });
    }
    slots
}
