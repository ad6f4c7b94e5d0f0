//! The views found so far: symbolic states, each with the join of all shapes that were found for it.
//!
//! Views are kept in buckets, by what the two threads share: only those of one bucket can meet.

use super::plan::Plan;
use super::scene::{Scene, Side};
use super::shape::{MOST_TERMS, Shape};
use linchpin_core::certify::certificate::{Invariant, LocalState, Question, SharedState, View};
use linchpin_core::ir::OpId;
use rustc_hash::FxHashMap;
use std::hash::Hash;

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
        let number = self.items.len() as u32;
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
    pub shape: Shape,
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

#[derive(Default)]
struct Bucket {
    views: FxHashMap<(u32, u32), ViewId>,
    /// With whom each local state was seen.
    partners: FxHashMap<u32, Vec<u32>>,
}

impl Views {
    pub fn new() -> Views {
        Views { shared: Numbers::new(), locals: Numbers::new(), views: Vec::new(), buckets: Vec::new() }
    }

    /// Adds what is known of two threads of a scene; gives the view's number if it is new or has grown, and nothing at all if it has
    /// too many terms. The states named are likely those of the scene.
    pub fn add(
        &mut self,
        plan: &Plan,
        scene: &Scene,
        threads: [usize; 2],
        likely: Option<(u32, [u32; 2])>,
        cause: Option<Cause>,
    ) -> Result<Option<ViewId>, TooManyTerms> {
        let shared = match likely {
            Some((shared, _)) if scene.has_shared(self.shared.get(shared)) => shared,
            _ => self.shared.number(scene.shared_state()),
        };
        let mut number = |at: usize| match likely {
            Some((_, locals)) if scene.has_local(threads[at], self.locals.get(locals[at])) => locals[at],
            _ => self.locals.number(scene.local_state(threads[at])),
        };
        let (a, b) = (number(0), number(1));
        if self.buckets.len() <= shared as usize {
            self.buckets.resize_with(shared as usize + 1, Bucket::default);
        }
        let [first, second] = threads;
        let (a, b, first, second) = if a <= b { (a, b, first, second) } else { (b, a, second, first) };
        let terms = scene.pair_terms(plan, first, second);
        if terms.len() > MOST_TERMS {
            return Err(TooManyTerms);
        }
        let bucket = &mut self.buckets[shared as usize];
        if let Some(&id) = bucket.views.get(&(a, b)) {
            let known = &mut self.views[id as usize];
            let mut grew = known.shape.join(&scene.shape, &terms);
            if a == b {
                grew |= known.shape.join(&scene.shape, &scene.pair_terms(plan, second, first));
            }
            return Ok(grew.then_some(id));
        }
        let id = self.views.len() as ViewId;
        bucket.views.insert((a, b), id);
        bucket.partners.entry(a).or_default().push(b);
        let mut shape = scene.shape.project(&terms);
        if a == b {
            shape.join(&scene.shape, &scene.pair_terms(plan, second, first));
        } else {
            bucket.partners.entry(b).or_default().push(a);
        }
        // The threads of the scene may stand in another order than those of the view that it was made from.
        let turned = cause.zip(likely).is_some_and(|(cause, (_, locals))| {
            self.views.get(cause.from as usize).is_some_and(|from| from.locals[0] != locals[0])
        });
        self.views.push(Known {
            crossed: turned != (first != threads[0]),
            shared,
            locals: [a, b],
            shape,
            acts: [false; 2],
            felt: [false; 2],
            open: false,
            grown: false,
            in_round: false,
            cause,
        });
        Ok(Some(id))
    }

    pub fn find(&self, shared: u32, a: u32, b: u32) -> Option<ViewId> {
        self.buckets[shared as usize].views.get(&(a.min(b), a.max(b))).copied()
    }

    /// The local states with which another was seen.
    pub fn partners(&self, shared: u32, local: u32) -> &[u32] {
        self.buckets[shared as usize].partners.get(&local).map_or(&[], |partners| partners)
    }

    /// The shape of a view; it is reversed if this is not its first local state.
    pub fn side(&self, id: ViewId, first: u32) -> Side<'_> {
        let known = &self.views[id as usize];
        Side { shape: &known.shape, reversed: known.locals[0] != first }
    }

    /// Whether a step of a thread may change the view of two others, of which these are its views with them.
    pub fn act(&self, one: ViewId, other: ViewId, local: u32) -> bool {
        let of = |id: ViewId| {
            let known = &self.views[id as usize];
            let thread = usize::from(known.locals[0] != local);
            (known.acts[thread], known.felt[thread])
        };
        let ((acts, felt), (also_acts, also_felt)) = (of(one), of(other));
        acts && also_acts && (felt || also_felt)
    }

    pub fn invariant(&self, question: Question, ordered: bool) -> Invariant {
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
