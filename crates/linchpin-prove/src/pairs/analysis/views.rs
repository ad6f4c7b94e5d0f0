//! The set of views found so far: symbolic states, each with the join of all shapes found for it.
//!
//! Views are stored in buckets by shared state. Only views of one bucket can form a triple.

use super::interference::{Interferences, ViewId};
use crate::pairs::domain::shape::{Impossible, MOST_TERMS, Shape, Term, term_of};
use crate::pairs::program::AnalyzedProgram;
use crate::pairs::transfer::{AbstractRun, UnpackedView, local_terms};
use linchpin_certify::certificate::{Invariant, LocalState, Obligation, SharedState, Symbol, View};
use linchpin_ir::index::number_of;
use linchpin_ir::program::OpId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;
use std::ops::Range;

/// Numbers items in the order of their first occurrence.
pub struct Numbers<T> {
    items: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn new() -> Numbers<T> {
        Numbers { items: Vec::new(), numbers: FxHashMap::default() }
    }

    fn number(&mut self, item: T) -> u32 {
        if let Some(&number) = self.numbers.get(&item) {
            return number;
        }
        let number = number_of(self.items.len());
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        number
    }

    pub fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }
}

/// A view. The thread with the smaller state comes first.
pub struct Known {
    pub shared: u32,
    pub locals: [u32; 2],
    /// The joined shape; boxed, because most accesses need only the other fields.
    pub shape: Box<Shape>,
    pub shared_terms: u8,
    /// The number of terms of each thread.
    pub terms: [u8; 2],
    /// For each thread: no step of another thread changes its state.
    pub bystanders: [bool; 2],
    /// For each thread: it has a step that other threads can see.
    pub has_visible_step: [bool; 2],
    /// For each thread: it has a step that is visible to the other thread or through a shared variable.
    pub visible_to_peer: [bool; 2],
    /// The steps of its threads are still to be made.
    pub open: bool,
    /// The view has grown since its triples were tried.
    pub grown: bool,
    /// The current round tries its triples.
    pub in_round: bool,
    pub cause: Option<Cause>,
    /// Its first thread is the second thread of the view from which it was first found.
    pub crossed: bool,
    /// The interference of the steps of each thread.
    pub interferences: [Interferences; 2],
}

impl Known {
    /// Returns the first term of a thread.
    pub fn offset(&self, thread: usize) -> usize {
        usize::from(self.shared_terms) + if thread == 0 { 0 } else { usize::from(self.terms[0]) }
    }

    /// Returns the terms of a thread.
    pub fn terms_at(&self, thread: usize) -> Range<Term> {
        let first = term_of(self.offset(thread));
        first..first + self.terms[thread]
    }
}

/// The step from which a view was first found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    pub from: ViewId,
    /// The state of the acting thread before the step.
    pub actor: u32,
    /// The acting thread is not one of the view's two threads.
    pub by_third: bool,
    /// The operation of the acting thread's call; `None` if the step has no result.
    pub op: Option<OpId>,
    /// The call reswapped.
    pub ends: bool,
}

impl Cause {
    /// Returns the cause with the call of this run.
    pub fn of(self, run: &AbstractRun) -> Cause {
        Cause { op: run.op, ends: run.ends(), ..self }
    }
}

/// The error of a view with more than [`MOST_TERMS`] terms.
pub struct TooManyTerms;

pub struct Views {
    pub shared: Numbers<SharedState>,
    pub locals: Numbers<LocalState>,
    pub views: Vec<Known>,
    buckets: Vec<Bucket>,
}

/// The result of adding two threads: their states in the given order, and their view if it is new or has
/// grown.
pub struct Added {
    pub shared: u32,
    pub locals: [u32; 2],
    pub grown: Option<ViewId>,
}

/// The provenance of two threads: their states before the step, and the step. The states after it are likely
/// the same.
#[derive(Clone, Copy)]
pub struct Provenance {
    pub shared: u32,
    pub locals: [u32; 2],
    pub cause: Cause,
}

#[derive(Default)]
struct Bucket {
    views: FxHashMap<(u32, u32), ViewId>,
    /// For each local state the partner states, each with the view of both.
    partners: FxHashMap<u32, Vec<(u32, ViewId)>>,
}

/// Some terms of a shape in the order of a view. If both threads have the same state, the swapped order is
/// included.
struct Projection<'s> {
    shape: &'s Shape,
    /// The terms, and the terms in swapped order; `None` for all terms in their order.
    terms: Option<(&'s [Term], Option<&'s [Term]>)>,
}

impl Projection<'_> {
    fn shape(&self) -> Shape {
        match self.terms {
            None => self.shape.clone(),
            Some((terms, swapped)) => {
                let mut shape = self.shape.project(terms);
                if let Some(swapped) = swapped {
                    shape.join(self.shape, swapped);
                }
                shape
            }
        }
    }

    fn join_into(&self, known: &mut Shape) -> bool {
        match self.terms {
            None => known.join_whole(self.shape),
            Some((terms, swapped)) => {
                known.join(self.shape, terms) | swapped.is_some_and(|swapped| known.join(self.shape, swapped))
            }
        }
    }
}

impl Views {
    pub fn new() -> Views {
        Views { shared: Numbers::new(), locals: Numbers::new(), views: Vec::new(), buckets: Vec::new() }
    }

    /// Adds the view of two threads. Fails if they have too many terms.
    pub fn add(
        &mut self,
        program: &AnalyzedProgram,
        scene: &UnpackedView,
        threads: [usize; 2],
        provenance: Option<Provenance>,
    ) -> Result<Added, TooManyTerms> {
        let shared = self.shared_number(scene, provenance.map(|provenance| provenance.shared));
        let local = |at: usize| (threads[at], provenance.map(|provenance| provenance.locals[at]));
        let locals = [local(0), local(1)].map(|(thread, likely)| self.local_number(scene, thread, likely));
        let [first, second] = if locals[0] <= locals[1] { threads } else { [threads[1], threads[0]] };
        let terms = scene.terms(program, &[first, second]);
        if terms.len() > MOST_TERMS {
            return Err(TooManyTerms);
        }
        let swapped = (locals[0] == locals[1]).then(|| scene.terms(program, &[second, first]));
        let found = Projection { shape: &scene.shape, terms: Some((&terms, swapped.as_deref())) };
        let grown = self.enter(shared, locals, found, provenance);
        Ok(Added { shared, locals, grown })
    }

    /// Adds two threads with their complete shape.
    pub fn add_whole(
        &mut self,
        shared: u32,
        locals: [u32; 2],
        shape: &Shape,
        provenance: Provenance,
    ) -> Option<ViewId> {
        self.enter(shared, locals, Projection { shape, terms: None }, Some(provenance))
    }

    /// Adds two threads with the given shared terms and own terms of a shape.
    pub fn add_some(
        &mut self,
        shared: u32,
        locals: [u32; 2],
        shape: &Shape,
        of_shared: &[Term],
        [first, second]: [&[Term]; 2],
        provenance: Provenance,
    ) -> Option<ViewId> {
        let in_order = |one: &[Term], other: &[Term]| {
            of_shared.iter().chain(one).chain(other).copied().collect::<SmallVec<[Term; MOST_TERMS]>>()
        };
        let terms = if locals[0] <= locals[1] { in_order(first, second) } else { in_order(second, first) };
        let swapped = (locals[0] == locals[1]).then(|| in_order(second, first));
        let found = Projection { shape, terms: Some((&terms, swapped.as_deref())) };
        self.enter(shared, locals, found, Some(provenance))
    }

    /// Returns the numbers of the shared state and of a thread's state. Tries the given numbers first.
    pub fn numbers(
        &mut self,
        scene: &UnpackedView,
        thread: usize,
        (shared, local): (u32, u32),
    ) -> (u32, u32) {
        (self.shared_number(scene, Some(shared)), self.local_number(scene, thread, Some(local)))
    }

    fn shared_number(&mut self, scene: &UnpackedView, likely: Option<u32>) -> u32 {
        match likely {
            Some(likely) if scene.has_shared(self.shared.get(likely)) => likely,
            _ => self.shared.number(scene.shared_state()),
        }
    }

    fn local_number(&mut self, scene: &UnpackedView, thread: usize, likely: Option<u32>) -> u32 {
        match likely {
            Some(likely) if scene.has_local(thread, self.locals.get(likely)) => likely,
            _ => self.locals.number(scene.local_state(thread)),
        }
    }

    /// Joins a shape into the view of two states. Returns the view if it is new or has grown.
    fn enter(
        &mut self,
        shared: u32,
        locals: [u32; 2],
        found: Projection,
        provenance: Option<Provenance>,
    ) -> Option<ViewId> {
        if self.buckets.len() <= shared as usize {
            self.buckets.resize_with(shared as usize + 1, Bucket::default);
        }
        let (a, b) = (locals[0].min(locals[1]), locals[0].max(locals[1]));
        let bucket = &mut self.buckets[shared as usize];
        if let Some(&id) = bucket.views.get(&(a, b)) {
            return found.join_into(&mut self.views[id as usize].shape).then_some(id);
        }
        let id = number_of(self.views.len());
        bucket.views.insert((a, b), id);
        bucket.partners.entry(a).or_default().push((b, id));
        if a != b {
            bucket.partners.entry(b).or_default().push((a, id));
        }
        // The threads may have another order than in the view from which they come.
        let swapped = provenance.is_some_and(|Provenance { locals, cause, .. }| {
            self.views.get(cause.from as usize).is_some_and(|from| from.locals[0] != locals[0])
        });
        let states = [a, b].map(|local| self.locals.get(local));
        let (shape, terms) = (found.shape(), states.map(local_terms));
        let can_change = |symbol: &Symbol| matches!(symbol, Symbol::Cell | Symbol::Current);
        self.views.push(Known {
            shared_terms: term_of(shape.terms() - terms[0] - terms[1]),
            terms: terms.map(term_of),
            bystanders: states.map(|state| !state.slots.iter().any(can_change)),
            crossed: swapped != (a != locals[0]),
            shared,
            locals: [a, b],
            shape: Box::new(shape),
            has_visible_step: [false; 2],
            visible_to_peer: [false; 2],
            open: false,
            grown: false,
            in_round: false,
            cause: provenance.map(|provenance| provenance.cause),
            interferences: Default::default(),
        });
        Some(id)
    }

    /// Stores the interference of the steps of a thread of a view.
    pub fn keep_interferences(&mut self, id: ViewId, actor: usize, interferences: Interferences) {
        let known = &mut self.views[id as usize];
        for thread in if known.locals[0] == known.locals[1] { 0..2 } else { actor..actor + 1 } {
            known.has_visible_step[thread] |= !interferences.all.is_empty();
            known.visible_to_peer[thread] |=
                interferences.all.iter().any(|interference| interference.visible_to_peer.is_some());
        }
        known.interferences[actor] = interferences;
    }

    /// Returns the position of the thread with this state in a view.
    pub fn place(&self, id: ViewId, local: u32) -> usize {
        usize::from(self.views[id as usize].locals[0] != local)
    }

    /// Returns whether a third thread without terms adds nothing to a view: its views with both threads cover
    /// the view's shape.
    pub fn adds_nothing(&self, view: ViewId, with: [ViewId; 2]) -> bool {
        let known = &self.views[view as usize];
        let (shape, [shared, second]) = (&known.shape, [0, 1].map(|thread| known.offset(thread)));
        let wide = with.map(|id| &self.views[id as usize].shape);
        wide[0].covers(shape, shared, shared) && wide[1].covers(shape, shared, second)
    }

    /// Returns the number of terms of a thread in this state.
    pub fn terms_of(&self, local: u32) -> usize {
        local_terms(self.locals.get(local))
    }

    pub fn find(&self, shared: u32, a: u32, b: u32) -> Option<ViewId> {
        self.buckets[shared as usize].views.get(&(a.min(b), a.max(b))).copied()
    }

    /// Lists the partner states of a local state, each with the view of both.
    pub fn partners(&self, shared: u32, local: u32) -> &[(u32, ViewId)] {
        self.buckets[shared as usize].partners.get(&local).map_or(&[], |partners| partners)
    }

    /// Returns the number of terms of three threads. The views are those of the first and second, the first
    /// and third, and the second and third thread.
    pub fn terms_of_three(&self, [early, _, later]: [ViewId; 3]) -> usize {
        usize::from(self.views[early as usize].terms[0]) + self.views[later as usize].shape.terms()
    }

    /// Returns the meet of three views.
    pub fn shape_of_three(&self, views: [ViewId; 3]) -> Result<Shape, Impossible> {
        let (shared, threads) = self.terms_by_thread(views);
        Shape::meet(shared, threads, views.map(|id| &*self.views[id as usize].shape))
    }

    /// Returns the shared terms, and the terms of each of three threads.
    pub fn ranges_of_three(&self, views: [ViewId; 3]) -> (Range<usize>, [Range<usize>; 3]) {
        let (shared, threads) = self.terms_by_thread(views);
        let mut next = shared;
        let ranges = threads.map(|terms| {
            next += terms;
            next - terms..next
        });
        (0..shared, ranges)
    }

    fn terms_by_thread(&self, [early, _, later]: [ViewId; 3]) -> (usize, [usize; 3]) {
        let later = &self.views[later as usize];
        let [second, third] = later.terms;
        (later.offset(0), [self.views[early as usize].terms[0], second, third].map(usize::from))
    }

    /// Returns whether a step of a thread may change the view of two other threads. The views are those of
    /// the thread with each.
    pub fn may_interfere(&self, [one, other]: [ViewId; 2], local: u32) -> bool {
        let of = |id: ViewId| {
            let (known, thread) = (&self.views[id as usize], self.place(id, local));
            (known.has_visible_step[thread], known.visible_to_peer[thread])
        };
        let ((one_steps, one_visible), (other_steps, other_visible)) = (of(one), of(other));
        one_steps && other_steps && (one_visible || other_visible)
    }

    /// Returns the invariant of the certificate.
    pub fn invariant(&self, obligation: Obligation, ordered: bool) -> Invariant {
        let views = self.views.iter().map(|known| View {
            shared: known.shared as usize,
            locals: known.locals.map(|local| local as usize),
            shape: known.shape.entries().collect(),
            labels: known.shape.cell_labels().to_vec(),
        });
        Invariant {
            question: obligation,
            ordered,
            shared: self.shared.items.clone(),
            locals: self.locals.items.clone(),
            views: views.collect(),
        }
    }
}
