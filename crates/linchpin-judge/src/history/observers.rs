//! Observers over the operations of one execution, in the order in which the operations take effect
//! (Observers, section 3).
//!
//! [`Watching`] holds all observers of a specification, each with every choice of different values for its
//! variables. An observer judges only sequences in which no value is an argument twice. After the first
//! repetition it accepts nothing.
//!
//! [`observed`] judges an execution by the definition. An operation takes effect at its annotated point. At a
//! tentative point it may take effect. An operation without points takes effect at some moment of its call.
//! Its result is the result that the call returns; any result if the execution ends before the return. The
//! execution is a violation if for *every* choice of moments some observer accepts, or a call does not have
//! exactly one point.

use super::points::{PointError, PointEvent};
use super::record::Event;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::observer;
use linchpin_ir::program::observer::{LocationId, ObservedValue};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{NONE, TypeId, TypeKind, Word, word_of};
use linchpin_semantics::{Bounds, ThreadId, results};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The observers of a specification, with values chosen for their variables.
#[derive(Clone, Debug)]
pub struct Watching<'p> {
    program: &'p Program,
    instances: Vec<Instance>,
    /// The possible results of each operation.
    results: Vec<Vec<Vec<Word>>>,
}

/// An observer with different values for its variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instance {
    /// The number of the observer in the specification.
    pub observer: usize,
    pub values: Vec<Word>,
}

/// The locations of all observers. Equal iff they will accept the same continuations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Watched {
    /// The set of values that were arguments, the set of all values seen, and the location of each instance.
    Differentiated { used: u32, seen: u32, locations: Vec<LocationId> },
    /// A value was an argument twice.
    Repeated,
}

/// Why observers cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotWatched {
    NoObservers,
    /// Operations that take effect together have no order.
    Rendezvous,
    /// The result type of this operation has too many values to list.
    Result(Arc<str>),
    /// There are too many values for the observers' variables.
    TooMany,
    /// Each observer has more variables than there are values. This number of values suffices for one
    /// observer.
    TooFew(u32),
}

/// An execution that the observers reject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The calls in the order in which they take effect.
    pub calls: Vec<ObservedCall>,
    pub reason: Found,
}

/// Why the observers reject an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// An observer accepts with the last call.
    Accepts {
        observer: Arc<str>,
        /// The variables and their values.
        variables: Vec<(Arc<str>, Word)>,
        /// The location of the observer after each call.
        locations: Vec<Arc<str>>,
    },
    /// The call of this thread does not pass exactly one point.
    Points { thread: ThreadId, error: PointError },
}

/// A call that takes effect.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ObservedCall {
    pub thread: ThreadId,
    pub op: OpId,
    pub args: Vec<Word>,
    /// `None` if the call did not return.
    pub result: Option<Vec<Word>>,
}

/// The largest numbers of values and of instances.
const MOST_VALUES: u32 = 30;
const MOST_INSTANCES: usize = 1 << 12;

impl<'p> Watching<'p> {
    pub fn new(program: &'p Program, bounds: &Bounds) -> Result<Watching<'p>, NotWatched> {
        let observers = &program.spec.observers;
        if observers.is_empty() {
            return Err(NotWatched::NoObservers);
        }
        if program.spec.has_rendezvous {
            return Err(NotWatched::Rendezvous);
        }
        if bounds.values > MOST_VALUES {
            return Err(NotWatched::TooMany);
        }
        let mut instances = Vec::new();
        for (at, observer) in observers.iter().enumerate() {
            let choices = choices(observer.variables.len(), word_of(bounds.values));
            if instances.len() + choices.len() > MOST_INSTANCES {
                return Err(NotWatched::TooMany);
            }
            instances.extend(choices.into_iter().map(|values| Instance { observer: at, values }));
        }
        if instances.is_empty() {
            let fewest = observers.iter().map(|observer| observer.variables.len()).min().unwrap_or(0);
            return Err(NotWatched::TooFew(number_of(fewest)));
        }
        let of_op = |op: &linchpin_ir::program::Operation| {
            results(program, bounds, op.result).ok_or_else(|| NotWatched::Result(op.name.clone()))
        };
        let results = program.ops.iter().map(of_op).collect::<Result<Vec<_>, _>>()?;
        Ok(Watching { program, instances, results })
    }

    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Returns the observers with more variables than there are values. They have no instance.
    pub fn idle(&self) -> impl Iterator<Item = &Arc<str>> {
        let watches = |at: usize| self.instances.iter().any(|instance| instance.observer == at);
        let all = self.program.spec.observers.iter().enumerate();
        all.filter(move |(at, _)| !watches(*at)).map(|(_, observer)| &observer.name)
    }

    /// Returns the possible results of the operation.
    pub fn results(&self, op: OpId) -> &[Vec<Word>] {
        &self.results[op.index()]
    }

    pub fn initial(&self) -> Watched {
        let locations = vec![LocationId::new(0); self.instances.len()];
        Watched::Differentiated { used: 0, seen: 0, locations }
    }

    /// Returns the locations after an operation takes effect with this result; the error is the number of an
    /// instance that accepts.
    pub fn step(&self, from: &Watched, op: OpId, args: &[Word], result: &[Word]) -> Result<Watched, usize> {
        let Watched::Differentiated { used, seen, locations } = from else { return Ok(Watched::Repeated) };
        let (mut used, mut seen) = (*used, *seen);
        let operation = &self.program.ops[op];
        for value in self.data(&operation.params, args) {
            if used >> value & 1 == 1 {
                return Ok(Watched::Repeated);
            }
            used |= 1 << value;
        }
        seen |= used;
        for value in self.data(operation.result.as_slice(), result) {
            seen |= 1 << value;
        }
        let mut next = Vec::with_capacity(locations.len());
        for (at, (instance, from)) in self.instances.iter().zip(locations).enumerate() {
            let observer = &self.program.spec.observers[instance.observer];
            let event = event(self.program, &instance.values, op, args, Some(result));
            let to = observer.step(*from, &event);
            if observer.locations[to.index()].accepting {
                return Err(at);
            }
            next.push(to);
        }
        Ok(Watched::Differentiated { used, seen, locations: next })
    }

    /// Returns the values of type `data` among words of these types.
    fn data(&self, types: &[TypeId], words: &[Word]) -> Vec<u32> {
        let values = parts(self.program, types, words).into_iter().filter_map(|(ty, words)| {
            let is_data = match self.program.types.kind(ty) {
                TypeKind::Option(of) => self.program.types.kind(of) == TypeKind::Data,
                kind => kind == TypeKind::Data,
            };
            let word = words.first().filter(|word| is_data && **word > 0)?;
            u32::try_from(*word).ok().filter(|value| *value <= MOST_VALUES)
        });
        values.collect()
    }
}

/// Returns the event of an operation for an observer with these values for its variables.
pub fn event(
    program: &Program,
    values: &[Word],
    op: OpId,
    args: &[Word],
    result: Option<&[Word]>,
) -> observer::Event {
    let operation = &program.ops[op];
    let args = parts(program, &operation.params, args)
        .into_iter()
        .map(|(ty, words)| seen(program, values, ty, words));
    let result = operation.result.zip(result).map(|(ty, words)| seen(program, values, ty, words));
    observer::Event { op, args: args.collect(), result }
}

/// Returns a violation if every choice of the moments at which the calls take effect is one; `None`
/// otherwise.
pub fn observed(
    program: &Program,
    bounds: &Bounds,
    events: &[PointEvent],
) -> Result<Option<Observed>, NotWatched> {
    let watching = Watching::new(program, bounds)?;
    let mut judge = Judge { watching: &watching, pending: BTreeMap::new(), accepted: BTreeMap::new() };
    let mut pasts =
        BTreeMap::from([(Key { watched: watching.initial(), done: BTreeSet::new() }, Vec::new())]);
    for (at, event) in events.iter().enumerate() {
        let before = pasts;
        let (thread, error, after) = match event {
            PointEvent::Client(Event::Call { thread, op, args }) => {
                let result = events[at..].iter().find_map(|later| match later {
                    PointEvent::Client(Event::Return { thread: other, result }) if other == thread => {
                        Some(result.clone())
                    }
                    _ => None,
                });
                let call = ObservedCall { thread: *thread, op: *op, args: args.clone(), result };
                judge.pending.insert(*thread, call);
                judge.accepted.remove(thread);
                (*thread, PointError::NoCall, before)
            }
            PointEvent::Lin { thread, maybe } => {
                let is_done = before.keys().all(|key| key.done.contains(thread));
                let mut after = judge.all_effects(&before, *thread);
                if *maybe {
                    after.extend(before);
                }
                let error = if is_done { PointError::SecondPoint } else { PointError::NotEnabled };
                (*thread, error, after)
            }
            PointEvent::Client(Event::Return { thread, .. }) => {
                judge.pending.remove(thread);
                let mut after = Pasts::new();
                for (mut key, calls) in before {
                    if key.done.remove(thread) {
                        after.entry(key).or_insert(calls);
                    }
                }
                (*thread, PointError::NoPoint, after)
            }
        };
        if after.is_empty() {
            // An observer cannot accept now with a call that is done.
            let accepted = judge.accepted.remove(&thread).filter(|_| error != PointError::SecondPoint);
            let points =
                || Observed { calls: Vec::new(), reason: Found::Points { thread, error: error.clone() } };
            return Ok(Some(accepted.unwrap_or_else(points)));
        }
        pasts = judge.closed(after);
    }
    Ok(None)
}

/// The possible pasts: the locations of the observers, the pending calls that have taken effect, and an order
/// that leads there.
type Pasts = BTreeMap<Key, Vec<ObservedCall>>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    watched: Watched,
    done: BTreeSet<ThreadId>,
}

struct Judge<'w, 'p> {
    watching: &'w Watching<'p>,
    pending: BTreeMap<ThreadId, ObservedCall>,
    /// The last acceptance of an observer with the effect of each thread's call.
    accepted: BTreeMap<ThreadId, Observed>,
}

impl Judge<'_, '_> {
    /// Adds the pasts in which calls without points take effect.
    fn closed(&mut self, mut pasts: Pasts) -> Pasts {
        let program = self.watching.program;
        let is_free = |call: &&ObservedCall| program.ops[call.op].free_point;
        let free: Vec<ThreadId> = self.pending.values().filter(is_free).map(|call| call.thread).collect();
        let mut open: Vec<(Key, Vec<ObservedCall>)> = pasts.clone().into_iter().collect();
        while let Some((key, calls)) = open.pop() {
            for thread in &free {
                for (key, calls) in self.effects(&key, &calls, *thread) {
                    if !pasts.contains_key(&key) {
                        pasts.insert(key.clone(), calls.clone());
                        open.push((key, calls));
                    }
                }
            }
        }
        pasts
    }

    fn all_effects(&mut self, pasts: &Pasts, thread: ThreadId) -> Pasts {
        pasts.iter().flat_map(|(key, calls)| self.effects(key, calls, thread)).collect()
    }

    /// Returns the pasts after the thread's call takes effect and no observer accepts.
    fn effects(&mut self, key: &Key, calls: &[ObservedCall], thread: ThreadId) -> Pasts {
        let mut after = Pasts::new();
        let Some(call) = self.pending.get(&thread).filter(|_| !key.done.contains(&thread)).cloned() else {
            return after;
        };
        let results =
            call.result.clone().map_or_else(|| self.watching.results(call.op).to_vec(), |one| vec![one]);
        for result in results {
            let calls: Vec<ObservedCall> = calls.iter().chain([&call]).cloned().collect();
            match self.watching.step(&key.watched, call.op, &call.args, &result) {
                Ok(watched) => {
                    let mut done = key.done.clone();
                    done.insert(thread);
                    after.insert(Key { watched, done }, calls);
                }
                Err(instance) => {
                    let accepted = self.explained(instance, calls, &result);
                    self.accepted.insert(thread, accepted);
                }
            }
        }
        after
    }

    fn explained(&self, instance: usize, calls: Vec<ObservedCall>, last: &[Word]) -> Observed {
        let program = self.watching.program;
        let Instance { observer, values } = &self.watching.instances[instance];
        let observer = &program.spec.observers[*observer];
        let mut at = LocationId::new(0);
        let mut locations = Vec::new();
        for call in &calls {
            let result = call.result.as_deref().unwrap_or(last);
            at = observer.step(at, &event(program, values, call.op, &call.args, Some(result)));
            locations.push(observer.locations[at.index()].name.clone());
        }
        let variables = observer.variables.iter().cloned().zip(values.iter().copied()).collect();
        Observed { calls, reason: Found::Accepts { observer: observer.name.clone(), variables, locations } }
    }
}

/// Splits words into the words of each of these types.
fn parts<'w>(program: &Program, types: &[TypeId], words: &'w [Word]) -> Vec<(TypeId, &'w [Word])> {
    let mut rest = words;
    let mut all = Vec::with_capacity(types.len());
    for ty in types {
        let (own, others) = rest.split_at(program.types.width(*ty).min(rest.len()));
        rest = others;
        all.push((*ty, own));
    }
    all
}

/// Returns the view of an observer on a value.
fn seen(program: &Program, values: &[Word], ty: TypeId, words: &[Word]) -> ObservedValue {
    let word = words.first().copied().unwrap_or(NONE);
    match program.types.kind(ty) {
        TypeKind::Option(_) if word == NONE => ObservedValue::Absent,
        TypeKind::Option(of) => seen(program, values, of, words),
        TypeKind::Data => values
            .iter()
            .position(|value| *value == word)
            .map_or(ObservedValue::Other, ObservedValue::Variable),
        _ => ObservedValue::Constant(word),
    }
}

/// Returns all lists of different values, one for each variable.
fn choices(variables: usize, values: Word) -> Vec<Vec<Word>> {
    let mut all = vec![Vec::new()];
    for _ in 0..variables {
        let longer = |chosen: &Vec<Word>| {
            let free = (1..=values).filter(|value| !chosen.contains(value));
            free.map(|value| [&chosen[..], &[value]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
