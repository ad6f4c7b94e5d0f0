//! Builds small concrete states inside views.
//!
//! Two or three local states with one shared state are drawn, each two in a view. Their terms become cells
//! ([`graph`](super::graph)). Then every other part gets a value of its class. The result need not be in the
//! views of an invariant: the caller checks.

use super::KEYS;
use super::graph::{Graph, Matrix};
use fastrand::Rng;
use linchpin_certify::certificate::{
    AgeOrigin, Certificate, FREE, GARBAGE, Invariant, LocalState, NULL, Obligation, SharedState, Symbol, View,
};
use linchpin_certify::gate::local::{Cells, Instance};
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_ir::program::{MemoryKind, Method, Program};
use linchpin_ir::types::{KEY_MAX, NONE, Scalar, SlotKind, UNDEFINED, Word};
use linchpin_semantics::{CellPiece, Pending, Pieces};
use std::collections::BTreeMap;

/// Ages of places: copies may be two behind.
const AGES: std::ops::RangeInclusive<Word> = 3..=5;

pub struct Builder<'b> {
    program: &'b Program,
    certificate: &'b Certificate,
    groups: &'b [ObserverProduct],
    /// By invariant: views by shared state and local states, the smaller number first; and by shared state
    /// and local state, those with which it is in a view.
    views: Vec<BTreeMap<(usize, [usize; 2]), usize>>,
    partners: Vec<BTreeMap<(usize, usize), Vec<usize>>>,
}

pub struct Built {
    pub pieces: Pieces,
    /// Cells whose edge is `GARBAGE`.
    pub wild: usize,
    /// Where it comes from.
    pub origin: String,
    /// The invariant and the view that it was built from.
    pub view: (usize, usize),
    pub traits: Vec<Trait>,
}

/// What is particular about a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trait {
    ThreeThreads,
    /// Some cell of no term is between others.
    Chain,
    /// A copy of an age is behind.
    Stale,
    /// A cell has a pointer of which nothing is known.
    WildCell,
    /// A variable may hold anything.
    Open,
}

/// The shared state and the local states that were drawn.
struct Drawn<'d> {
    question: Obligation,
    shared: &'d SharedState,
    locals: Vec<&'d LocalState>,
    cut: Word,
}

impl<'b> Builder<'b> {
    pub fn new(
        program: &'b Program,
        certificate: &'b Certificate,
        groups: &'b [ObserverProduct],
    ) -> Builder<'b> {
        let mut builder = Builder { program, certificate, groups, views: Vec::new(), partners: Vec::new() };
        for invariant in &certificate.invariants {
            let (mut views, mut partners) = (BTreeMap::new(), BTreeMap::<_, Vec<usize>>::new());
            for (at, view) in invariant.views.iter().enumerate() {
                let [a, b] = view.locals;
                views.insert((view.shared, [a.min(b), a.max(b)]), at);
                partners.entry((view.shared, a)).or_default().push(b);
                partners.entry((view.shared, b)).or_default().push(a);
            }
            builder.views.push(views);
            builder.partners.push(partners);
        }
        builder
    }

    /// A state of a random view; `None` if this try gave none.
    pub fn build(&self, cells: &Cells, instance: Instance, rng: &mut Rng) -> Option<Built> {
        let at = rng.usize(..self.certificate.invariants.len());
        let invariant = &self.certificate.invariants[at];
        let number = rng.usize(..invariant.views.len().max(1));
        let view = invariant.views.get(number)?;
        let mut locals = view.locals.to_vec();
        if instance.threads == 3 {
            let partners = self.partners[at].get(&(view.shared, locals[0]))?;
            let third = partners[rng.usize(..partners.len())];
            self.view(at, view.shared, locals[1], third)?;
            locals.push(third);
        }
        rng.shuffle(&mut locals);
        let shared = &invariant.shared[view.shared];
        let drawn = Drawn {
            question: invariant.question,
            shared,
            locals: locals.iter().map(|local| &invariant.locals[*local]).collect(),
            cut: instance.cut,
        };
        let (matrix, labels) = self.matrix(at, view.shared, &locals)?;
        let graph = matrix.draw(rng)?;
        let remembers = |symbol| drawn.locals.iter().any(|local| local.slots.contains(&symbol));
        let traits = [
            (Trait::ThreeThreads, instance.threads == 3),
            (Trait::Chain, graph.edges.iter().any(|edge| !graph.of_term.contains(edge))),
            (Trait::Stale, remembers(Symbol::Stale)),
            (Trait::WildCell, matrix.sentinels > GARBAGE && graph.edges.contains(&GARBAGE)),
            (Trait::Open, remembers(Symbol::Garbage) || remembers(Symbol::Unknown)),
        ];
        let traits = traits.into_iter().filter(|(_, has)| *has).map(|(of, _)| of).collect();
        let filling = Filling { builder: self, drawn, cells, graph, labels, sentinels: matrix.sentinels };
        let (pieces, wild) = filling.fill(rng)?;
        let origin = format!("built from {:?}, {} threads, {shared:?}", invariant.question, instance.threads);
        Some(Built { pieces, wild, origin, view: (at, number), traits })
    }

    fn view(&self, invariant: usize, shared: usize, a: usize, b: usize) -> Option<&'b View> {
        let number = self.views[invariant].get(&(shared, [a.min(b), a.max(b)]))?;
        self.certificate.invariants[invariant].views.get(*number)
    }

    /// The relations that each two terms of some threads may have, and the labels of each term except
    /// sentinels.
    fn matrix(&self, at: usize, shared: usize, locals: &[usize]) -> Option<(Matrix, Vec<u8>)> {
        let invariant: &Invariant = &self.certificate.invariants[at];
        let sentinels = if self.program.memory == MemoryKind::Gc { 1 } else { 3 };
        let of_shared = &invariant.shared[shared];
        let base =
            sentinels + count(&of_shared.globals) + of_shared.tracked.iter().filter(|there| **there).count();
        let mut next = base;
        let own: Vec<std::ops::Range<usize>> = locals
            .iter()
            .map(|local| {
                let start = next;
                next += count(&invariant.locals[*local].slots);
                start..next
            })
            .collect();
        let mut matrix = Matrix::new(sentinels, next);
        for a in 0..sentinels {
            (0..a).for_each(|b| matrix.restrict(a, b, linchpin_certify::certificate::APART));
        }
        let mut labels = vec![u8::MAX; next - sentinels];
        for first in 0..locals.len() {
            for second in first + 1..locals.len() {
                let view = self.view(at, shared, locals[first], locals[second])?;
                let order = if view.locals[0] == locals[first] { [first, second] } else { [second, first] };
                let terms: Vec<usize> =
                    (0..base).chain(own[order[0]].clone()).chain(own[order[1]].clone()).collect();
                let mut sets = view.shape.iter();
                for (x, from) in terms.iter().enumerate() {
                    for to in &terms[x + 1..] {
                        matrix.restrict(*from, *to, *sets.next()?);
                    }
                }
                for (term, set) in terms[sentinels..].iter().zip(&view.labels) {
                    labels[*term - sentinels] &= set;
                }
            }
        }
        Some((matrix, labels))
    }
}

/// A graph that is being made a state.
struct Filling<'f> {
    builder: &'f Builder<'f>,
    drawn: Drawn<'f>,
    cells: &'f Cells,
    graph: Graph,
    /// The labels of each term except sentinels.
    labels: Vec<u8>,
    sentinels: usize,
}

impl Filling<'_> {
    fn fill(&self, rng: &mut Rng) -> Option<(Pieces, usize)> {
        let program = self.builder.program;
        let (mut cells, wild) = self.make_cells(rng)?;
        // The terms in their order.
        let mut terms = self.graph.of_term[self.sentinels..].iter().copied();
        let mut globals = Vec::new();
        let mut locks = 0;
        for (slot, symbol) in program.globals.slots.iter().zip(&self.drawn.shared.globals) {
            globals.push(match slot.scalar {
                Scalar::Lock => {
                    locks += 1;
                    self.holder(locks - 1)?
                }
                Scalar::Age => rng.i32(AGES),
                _ => self.word(*symbol, *slot, cells.len(), &mut terms, rng)?,
            });
        }
        let tracked = self.drawn.shared.tracked.iter().enumerate().filter(|(_, there)| **there);
        for (variable, _) in tracked {
            let node = terms.next()?;
            let cell = &mut cells[node.checked_sub(self.sentinels)?];
            // A freed cell holds nothing but defaults in manual memory.
            if cell.is_freed && program.memory == MemoryKind::Manual {
                return None;
            }
            let value = match self.drawn.question {
                Obligation::Observers(_) => Word::try_from(variable + 1).ok()?,
                _ if self.drawn.shared.watch.undefined => UNDEFINED,
                _ => self.defined(rng),
            };
            self.cells.data.into_iter().for_each(|data| cell.words[data] = value);
        }
        let mut threads = Vec::new();
        for local in &self.drawn.locals {
            threads.push(match local.at {
                None => None,
                Some(at) => Some(self.pending(local, usize::from(at), &globals, &cells, &mut terms, rng)?),
            });
        }
        Some((Pieces { globals, threads, cells }, wild))
    }

    /// Returns all cells, with pointers, labels, ages and untracked data, and the cells with wild edges.
    fn make_cells(&self, rng: &mut Rng) -> Option<(Vec<CellPiece>, usize)> {
        let memory = self.builder.program.memory;
        let mut edges = self.graph.edges.clone();
        if memory != MemoryKind::Gc {
            // Free cells of no term.
            (0..rng.usize(..=1)).for_each(|_| edges.push(FREE));
        }
        let (mut cells, mut wild) = (Vec::new(), 0);
        for (at, edge) in edges.iter().enumerate() {
            let is_freed = self.sentinels > FREE && *edge == FREE;
            let is_wild = self.sentinels > GARBAGE && *edge == GARBAGE;
            wild |= usize::from(is_wild) << at;
            let mut words = self.cells.defaults.clone();
            if !(is_freed && memory == MemoryKind::Manual) {
                if let Some(link) = self.cells.link {
                    words[link] = match edge.checked_sub(self.sentinels) {
                        Some(cell) => pointer(cell)?,
                        None if is_freed || is_wild => any_pointer(edges.len(), rng),
                        None if *edge == NULL => 0,
                        None => return None,
                    };
                }
                let spoilt = rng.u8(..10) == 0;
                self.cells.data.into_iter().for_each(|data| {
                    words[data] = if spoilt { UNDEFINED } else { self.defined(rng) };
                });
                for (slot, word) in self.cells.slots.iter().zip(&mut words) {
                    if slot.scalar == Scalar::Age {
                        *word = rng.i32(AGES);
                    }
                }
                if let Some(label) = self.cells.label {
                    words[label] = self.label(at, self.cells.slots[label], rng)?;
                }
            }
            cells.push(CellPiece { of: self.cells.of?, is_freed, words });
        }
        Some((cells, wild))
    }

    fn label(&self, cell: usize, slot: SlotKind, rng: &mut Rng) -> Option<Word> {
        let terms = self.graph.of_term[self.sentinels..].iter().zip(&self.labels);
        let here = terms.filter(|(node, _)| **node == self.sentinels + cell);
        let set = here.fold(u8::MAX, |all, (_, set)| all & set);
        let bit =
            |label: Word| u32::try_from(label).ok().and_then(|label| set.checked_shr(label)).unwrap_or(0);
        let (least, all): (Word, Vec<Word>) = match slot.scalar {
            Scalar::Key => (0, (0..=1).collect()),
            Scalar::Range { low, high } => {
                let low = Word::try_from(low).ok()?;
                (low, (low..=Word::try_from(high).ok()?).collect())
            }
            _ => (0, self.values(slot)),
        };
        let fitting: Vec<Word> = all.into_iter().filter(|label| bit(label - least) & 1 == 1).collect();
        let label = *fitting.get(rng.usize(..fitting.len().max(1)))?;
        match slot.scalar {
            Scalar::Key => self.key(label, rng),
            _ => Some(label),
        }
    }

    /// Returns the word of a lock: free, or its holder; `None` if the holder is not one of these threads.
    fn holder(&self, lock: u32) -> Option<Word> {
        if self.drawn.shared.held >> lock & 1 == 0 {
            return Some(0);
        }
        let holder = self.drawn.locals.iter().position(|local| local.holds >> lock & 1 == 1)?;
        Word::try_from(holder + 1).ok()
    }

    fn pending(
        &self,
        local: &LocalState,
        at: usize,
        globals: &[Word],
        cells: &[CellPiece],
        terms: &mut impl Iterator<Item = usize>,
        rng: &mut Rng,
    ) -> Option<Pending> {
        let program = self.builder.program;
        let rest = self.builder.certificate.rests.get(at)?;
        let method: &Method = &program.methods[program.ops[rest.op].method];
        let mut frame: Vec<Word> =
            method.slots.iter().map(|slot| self.anything(*slot, cells.len(), rng)).collect();
        let place = |slot: linchpin_certify::certificate::Slot| method.locals[slot.local].offset + slot.part;
        for (slot, symbol) in rest.slots.iter().zip(&local.slots) {
            if !matches!(symbol, Symbol::Current | Symbol::Stale) {
                let at = place(slot.slot);
                frame[at] = self.word(*symbol, method.slots[at], cells.len(), terms, rng)?;
            }
        }
        for (slot, symbol) in rest.slots.iter().zip(&local.slots) {
            let behind = match symbol {
                Symbol::Current => 0,
                Symbol::Stale => rng.i32(1..=2),
                _ => continue,
            };
            let present = match slot.origin? {
                AgeOrigin::Shared(part) => *globals.get(part)?,
                AgeOrigin::Cell(pointer) => {
                    let cell = usize::try_from(frame[place(pointer)]).ok()?.checked_sub(1)?;
                    cells.get(cell)?.words[self.cells.age?]
                }
            };
            frame[place(slot.slot)] = present - behind;
        }
        Some(Pending { op: rest.op, pc: rest.pc, frame })
    }

    /// A word of a class.
    fn word(
        &self,
        symbol: Symbol,
        slot: SlotKind,
        cells: usize,
        terms: &mut impl Iterator<Item = usize>,
        rng: &mut Rng,
    ) -> Option<Word> {
        let is_observed = matches!(self.drawn.question, Obligation::Observers(_));
        Some(match symbol {
            Symbol::Unknown => self.anything(slot, cells, rng),
            Symbol::Null => 0,
            Symbol::Garbage => any_pointer(cells, rng),
            Symbol::Cell => pointer(terms.next()?.checked_sub(self.sentinels)?)?,
            Symbol::Absent => NONE,
            Symbol::Tracked(variable) if is_observed => Word::from(variable) + 1,
            Symbol::Tracked(_) | Symbol::Undefined => UNDEFINED,
            Symbol::Other if is_observed && rng.u8(..10) == 0 => UNDEFINED,
            Symbol::Other if is_observed => self.most() + 1,
            Symbol::Other => self.defined(rng),
            Symbol::Small(number) => Word::from(number),
            Symbol::Key(class) => self.key(Word::from(class), rng)?,
            Symbol::Current | Symbol::Stale => return None,
        })
    }

    /// Any value of a type.
    fn anything(&self, slot: SlotKind, cells: usize, rng: &mut Rng) -> Word {
        if slot.optional && rng.u8(..3) == 0 {
            return NONE;
        }
        match slot.scalar {
            Scalar::Pointer => any_pointer(cells, rng),
            Scalar::Data if rng.u8(..6) == 0 => UNDEFINED,
            Scalar::Data => {
                let value = rng.i32(1..=self.most() + 1);
                let is_observed = matches!(self.drawn.question, Obligation::Observers(_));
                let is_unused = is_observed
                    && self.drawn.shared.used.checked_shr(value.unsigned_abs() - 1).unwrap_or(0) & 1 == 0;
                if is_unused { self.most() + 1 } else { value }
            }
            Scalar::Key if rng.u8(..8) == 0 => UNDEFINED,
            Scalar::Key => [0, 1, 2, KEYS, KEY_MAX][rng.usize(..5)],
            Scalar::Age => rng.i32(1..=*AGES.end()),
            Scalar::Int => [-1, 0, 1, 2, 3, 8, 17, 40][rng.usize(..8)],
            _ => {
                let values = self.values(slot);
                values.get(rng.usize(..values.len().max(1))).copied().unwrap_or(0)
            }
        }
    }

    /// The values of a small type.
    fn values(&self, slot: SlotKind) -> Vec<Word> {
        match slot.scalar {
            Scalar::Bool => vec![0, 1],
            Scalar::Enum(id) => {
                let count = self.builder.program.types.enums[id].variants.len();
                (0..Word::try_from(count).unwrap_or(0)).collect()
            }
            Scalar::Range { low, high } => {
                (low..=high).filter_map(|value| Word::try_from(value).ok()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn key(&self, class: Word, rng: &mut Rng) -> Option<Word> {
        let all = [0, 1, 2, KEYS, KEY_MAX].into_iter();
        let fitting: Vec<Word> = all.filter(|key| Word::from(*key > self.drawn.cut) == class).collect();
        fitting.get(rng.usize(..fitting.len().max(1))).copied()
    }

    /// Data that is of no observer variable of the group, mostly of none at all.
    fn defined(&self, rng: &mut Rng) -> Word {
        let is_observed = matches!(self.drawn.question, Obligation::Observers(_));
        if is_observed || rng.u8(..4) > 0 { self.most() + 1 } else { rng.i32(1..=self.most() + 1) }
    }

    /// Variables of the group that has most of them.
    fn most(&self) -> Word {
        let most = self.builder.groups.iter().map(|group| group.variables).max();
        most.and_then(|most| Word::try_from(most).ok()).unwrap_or(0)
    }
}

fn count(symbols: &[Symbol]) -> usize {
    symbols.iter().filter(|symbol| **symbol == Symbol::Cell).count()
}

fn pointer(cell: usize) -> Option<Word> {
    Word::try_from(cell + 1).ok()
}

/// Null, or a pointer to some cell.
fn any_pointer(cells: usize, rng: &mut Rng) -> Word {
    Word::try_from(rng.usize(..=cells)).unwrap_or(0)
}
