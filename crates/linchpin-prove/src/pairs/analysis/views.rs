//! The views found so far: symbolic states, each with the join of all shapes that were found for it.
//!
//! Views are kept in buckets, by what the two threads share: only those of one bucket can meet.

use super::change::Changes;
use super::plan::Plan;
use super::scene::{UnpackedView, local_terms};
use super::shape::{Impossible, MOST_TERMS, Shape, Term, term_of};
use linchpin_certify::certificate::{Invariant, LocalState, Obligation, SharedState, Symbol, View};
use linchpin_ir::index::number_of;
use linchpin_ir::program::OpId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;
use std::ops::Range;

/// A number for each of some things.
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

pub type ViewId = u32;

/// A view; of its two threads the one with the smaller state comes first.
pub struct Known {
    pub shared: u32,
    pub locals: [u32; 2],
    /// Boxed: most of what is asked of a view is asked of the rest.
    pub shape: Box<Shape>,
    /// How many terms there are of what is shared, and its threads have.
    pub shared_terms: u8,
    pub terms: [u8; 2],
    /// Whether no step of another thread changes what is known of its first, of its second thread.
    pub bystanders: [bool; 2],
    /// Whether a step of its first, of its second thread can be seen by others.
    pub acts: [bool; 2],
    /// And whether the other one, or what they share, feels it.
    pub felt: [bool; 2],
    /// Its own steps are to be made.
    pub open: bool,
    /// It has grown since its triples were tried.
    pub grown: bool,
    /// Its triples are being tried.
    pub in_round: bool,
    pub cause: Option<Cause>,
    /// Its first thread is the second one of the view that it was first found from.
    pub crossed: bool,
    /// What steps of its first, of its second thread change.
    pub changes: [Changes; 2],
}

impl Known {
    /// Where the terms of one of its threads begin.
    pub fn offset(&self, thread: usize) -> usize {
        usize::from(self.shared_terms) + if thread == 0 { 0 } else { usize::from(self.terms[0]) }
    }

    /// The terms of one of its threads.
    pub fn terms_at(&self, thread: usize) -> Range<Term> {
        let first = term_of(self.offset(thread));
        first..first + self.terms[thread]
    }
}

/// Where a view was first found: a step of this thread, seen in this view or by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    pub from: ViewId,
    pub actor: u32,
    /// The thread that moved is none of the view's two.
    pub by_third: bool,
    /// Whose call the thread that moved was in, or began; not known of a step that no scene came of.
    pub op: Option<OpId>,
    /// That call returned.
    pub ends: bool,
}

/// A view would have more terms than a shape.
pub struct TooManyTerms;

pub struct Views {
    pub shared: Numbers<SharedState>,
    pub locals: Numbers<LocalState>,
    pub views: Vec<Known>,
    buckets: Vec<Bucket>,
}

/// What two threads of a scene are: their states, in the scene's order, and their view if it is new or has grown.
pub struct Added {
    pub shared: u32,
    pub locals: [u32; 2],
    pub grown: Option<ViewId>,
}

/// Where two threads come from: the states that they likely have, or had.
#[derive(Clone, Copy)]
pub struct Origin {
    pub shared: u32,
    pub locals: [u32; 2],
    pub cause: Cause,
}

#[derive(Default)]
struct Bucket {
    views: FxHashMap<(u32, u32), ViewId>,
    /// With whom each local state was seen, and in which view.
    partners: FxHashMap<u32, Vec<(u32, ViewId)>>,
}

/// Some terms of a shape, in the order of a view; in the other order too where its two threads are in the same state.
struct Part<'s> {
    shape: &'s Shape,
    /// None for all of them as they stand.
    terms: Option<(&'s [Term], Option<&'s [Term]>)>,
}

impl Part<'_> {
    fn shape(&self) -> Shape {
        match self.terms {
            None => self.shape.clone(),
            Some((terms, turned)) => {
                let mut shape = self.shape.project(terms);
                if let Some(turned) = turned {
                    shape.join(self.shape, turned);
                }
                shape
            }
        }
    }

    fn join_into(&self, known: &mut Shape) -> bool {
        match self.terms {
            None => known.join_whole(self.shape),
            Some((terms, turned)) => {
                known.join(self.shape, terms) | turned.is_some_and(|turned| known.join(self.shape, turned))
            }
        }
    }
}

impl Views {
    pub fn new() -> Views {
        Views { shared: Numbers::new(), locals: Numbers::new(), views: Vec::new(), buckets: Vec::new() }
    }

    /// Adds what is known of two threads of a scene; nothing at all if they have too many terms.
    pub fn add(
        &mut self,
        plan: &Plan,
        scene: &UnpackedView,
        threads: [usize; 2],
        origin: Option<Origin>,
    ) -> Result<Added, TooManyTerms> {
        let shared = self.shared_number(scene, origin.map(|origin| origin.shared));
        let local = |at: usize| (threads[at], origin.map(|origin| origin.locals[at]));
        let locals = [local(0), local(1)].map(|(thread, likely)| self.local_number(scene, thread, likely));
        let [first, second] = if locals[0] <= locals[1] { threads } else { [threads[1], threads[0]] };
        let terms = scene.terms(plan, &[first, second]);
        if terms.len() > MOST_TERMS {
            return Err(TooManyTerms);
        }
        let turned = (locals[0] == locals[1]).then(|| scene.terms(plan, &[second, first]));
        let found = Part { shape: &scene.shape, terms: Some((&terms, turned.as_deref())) };
        let grown = self.enter(shared, locals, found, origin);
        Ok(Added { shared, locals, grown })
    }

    /// Adds two threads of which this is the shape.
    pub fn add_whole(
        &mut self,
        shared: u32,
        locals: [u32; 2],
        shape: &Shape,
        origin: Origin,
    ) -> Option<ViewId> {
        self.enter(shared, locals, Part { shape, terms: None }, Some(origin))
    }

    /// Adds two threads of which these are the terms, and those of what they share, in a shape.
    pub fn add_some(
        &mut self,
        shared: u32,
        locals: [u32; 2],
        shape: &Shape,
        of_shared: &[Term],
        [first, second]: [&[Term]; 2],
        origin: Origin,
    ) -> Option<ViewId> {
        let in_order = |one: &[Term], other: &[Term]| {
            of_shared.iter().chain(one).chain(other).copied().collect::<SmallVec<[Term; MOST_TERMS]>>()
        };
        let terms = if locals[0] <= locals[1] { in_order(first, second) } else { in_order(second, first) };
        let turned = (locals[0] == locals[1]).then(|| in_order(second, first));
        let found = Part { shape, terms: Some((&terms, turned.as_deref())) };
        self.enter(shared, locals, found, Some(origin))
    }

    /// The numbers of what is shared and of a thread's state; these they likely are.
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

    /// The view's number if it is new or has grown.
    fn enter(
        &mut self,
        shared: u32,
        locals: [u32; 2],
        found: Part,
        origin: Option<Origin>,
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
        // The threads may stand in another order than those of the view that they come from.
        let turned = origin.is_some_and(|Origin { locals, cause, .. }| {
            self.views.get(cause.from as usize).is_some_and(|from| from.locals[0] != locals[0])
        });
        let states = [a, b].map(|local| self.locals.get(local));
        let (shape, terms) = (found.shape(), states.map(local_terms));
        let changes = |symbol: &Symbol| matches!(symbol, Symbol::Cell | Symbol::Current);
        self.views.push(Known {
            shared_terms: term_of(shape.terms() - terms[0] - terms[1]),
            terms: terms.map(term_of),
            bystanders: states.map(|state| !state.slots.iter().any(changes)),
            crossed: turned != (a != locals[0]),
            shared,
            locals: [a, b],
            shape: Box::new(shape),
            acts: [false; 2],
            felt: [false; 2],
            open: false,
            grown: false,
            in_round: false,
            cause: origin.map(|origin| origin.cause),
            changes: Default::default(),
        });
        Some(id)
    }

    /// Keeps what the steps of a thread of a view change.
    pub fn keep_changes(&mut self, id: ViewId, actor: usize, changes: Changes) {
        let known = &mut self.views[id as usize];
        for thread in if known.locals[0] == known.locals[1] { 0..2 } else { actor..actor + 1 } {
            known.acts[thread] |= !changes.all.is_empty();
            known.felt[thread] |= changes.all.iter().any(|change| change.felt.is_some());
        }
        known.changes[actor] = changes;
    }

    /// Which of the threads of a view is in this state.
    pub fn place(&self, id: ViewId, local: u32) -> usize {
        usize::from(self.views[id as usize].locals[0] != local)
    }

    /// Whether a third thread, which has no terms, adds nothing to the view of two: its views with each of them allow whatever theirs does.
    pub fn adds_nothing(&self, view: ViewId, with: [ViewId; 2]) -> bool {
        let known = &self.views[view as usize];
        let (shape, [shared, second]) = (&known.shape, [0, 1].map(|thread| known.offset(thread)));
        let wide = with.map(|id| &self.views[id as usize].shape);
        wide[0].covers(shape, shared, shared) && wide[1].covers(shape, shared, second)
    }

    /// How many terms a thread has in this state.
    pub fn terms_of(&self, local: u32) -> usize {
        local_terms(self.locals.get(local))
    }

    pub fn find(&self, shared: u32, a: u32, b: u32) -> Option<ViewId> {
        self.buckets[shared as usize].views.get(&(a.min(b), a.max(b))).copied()
    }

    /// The local states with which another was seen, and the views.
    pub fn partners(&self, shared: u32, local: u32) -> &[(u32, ViewId)] {
        self.buckets[shared as usize].partners.get(&local).map_or(&[], |partners| partners)
    }

    /// How many terms three threads have together, whose states stand in order; their views are of the first and the second, of
    /// the first and the third, and of the second and the third.
    pub fn terms_of_three(&self, [early, _, later]: [ViewId; 3]) -> usize {
        usize::from(self.views[early as usize].terms[0]) + self.views[later as usize].shape.terms()
    }

    /// The shape of these.
    pub fn shape_of_three(&self, views: [ViewId; 3]) -> Result<Shape, Impossible> {
        let (shared, threads) = self.terms_by_thread(views);
        Shape::meet(shared, threads, views.map(|id| &*self.views[id as usize].shape))
    }

    /// The terms of what is shared, and of each of the three.
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

    /// Whether a step of a thread may change the view of two others, of which these are its views with them.
    pub fn act(&self, [one, other]: [ViewId; 2], local: u32) -> bool {
        let of = |id: ViewId| {
            let (known, thread) = (&self.views[id as usize], self.place(id, local));
            (known.acts[thread], known.felt[thread])
        };
        let ((acts, felt), (also_acts, also_felt)) = (of(one), of(other));
        acts && also_acts && (felt || also_felt)
    }

    pub fn invariant(&self, question: Obligation, ordered: bool) -> Invariant {
        let views = self.views.iter().map(|known| View {
            shared: known.shared as usize,
            locals: known.locals.map(|local| local as usize),
            shape: known.shape.entries().collect(),
            labels: known.shape.cell_labels().to_vec(),
        });
        Invariant {
            question,
            ordered,
            shared: self.shared.items.clone(),
            locals: self.locals.items.clone(),
            views: views.collect(),
        }
    }
}
