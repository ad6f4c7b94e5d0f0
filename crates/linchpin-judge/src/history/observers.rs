//! Observers over the operations of one execution, in the order in which these take effect (Observers, section 3).
//!
//! [`Watching`] is all observers of a specification, each with every choice of different values for its variables. An observer speaks
//! of sequences in which no value is an argument twice: from the first repetition on nothing is said any more.
//!
//! [`observed`] judges an execution by its definition. An operation takes effect at its annotated point; at a tentative point it may, and one
//! of an operation without points does at some moment of its call. What it returns is looked up; where the execution ends before that, it may be
//! anything. The execution is a violation if *every* choice of moments lets some observer accept, or leaves a call without its one point.

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
    /// By operation: what a call may return.
    results: Vec<Vec<Vec<Word>>>,
}

/// One observer with different values for its variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instance {
    /// Its number in the specification.
    pub observer: usize,
    pub values: Vec<Word>,
}

/// Where the observers stand. Equal iff what they will say is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Watched {
    /// Bits of the values that were arguments, and of all that were seen; the location of each instance.
    Differentiated { used: u32, seen: u32, locations: Vec<LocationId> },
    /// Some value was an argument twice.
    Repeated,
}

/// Why observers cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotWatched {
    NoObservers,
    /// Operations that happen together have no order.
    Rendezvous,
    /// A result of this operation is of a type whose values cannot be listed.
    Result(Arc<str>),
    /// There are too many values for the observers' variables.
    TooMany,
    /// Each speaks of more values than there are: this many are enough for one.
    TooFew(u32),
}

/// An execution in which the observers find something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// In the order in which they take effect.
    pub calls: Vec<ObservedCall>,
    pub reason: Found,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// With the last of the calls.
    Accepts {
        observer: Arc<str>,
        /// The variables and their values.
        variables: Vec<(Arc<str>, Word)>,
        /// Where the observer stands after each of the calls.
        locations: Vec<Arc<str>>,
    },
    /// Without an observer: the call of this thread does not pass one point.
    Points { thread: ThreadId, error: PointError },
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ObservedCall {
    pub thread: ThreadId,
    pub op: OpId,
    pub args: Vec<Word>,
    /// `None` if it had not returned.
    pub result: Option<Vec<Word>>,
}

/// More values, and more instances, than anybody watches.
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

    /// The observers that speak of more values than there are: these watch nothing.
    pub fn idle(&self) -> impl Iterator<Item = &Arc<str>> {
        let watches = |at: usize| self.instances.iter().any(|instance| instance.observer == at);
        let all = self.program.spec.observers.iter().enumerate();
        all.filter(move |(at, _)| !watches(*at)).map(|(_, observer)| &observer.name)
    }

    /// What a call of the operation may return.
    pub fn results(&self, op: OpId) -> &[Vec<Word>] {
        &self.results[op.index()]
    }

    pub fn initial(&self) -> Watched {
        let locations = vec![LocationId::new(0); self.instances.len()];
        Watched::Differentiated { used: 0, seen: 0, locations }
    }

    /// After an operation takes effect with this result; or the number of an instance that accepts.
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

    /// The values among words of these types.
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

/// An operation that takes effect, as an observer with these values for its variables sees it.
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

/// Whether every choice of the moments at which the calls take effect is a violation; one of them, if so.
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
            // A call that is done cannot be what an observer accepts now.
            let accepted = judge.accepted.remove(&thread).filter(|_| error != PointError::SecondPoint);
            let points =
                || Observed { calls: Vec::new(), reason: Found::Points { thread, error: error.clone() } };
            return Ok(Some(accepted.unwrap_or_else(points)));
        }
        pasts = judge.closed(after);
    }
    Ok(None)
}

/// What may have happened: where the observers stand and which pending calls have taken effect, with an order that leads there.
type Pasts = BTreeMap<Key, Vec<ObservedCall>>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    watched: Watched,
    done: BTreeSet<ThreadId>,
}

struct Judge<'w, 'p> {
    watching: &'w Watching<'p>,
    pending: BTreeMap<ThreadId, ObservedCall>,
    /// With which effect of a thread's call an observer accepted last.
    accepted: BTreeMap<ThreadId, Observed>,
}

impl Judge<'_, '_> {
    /// Adds what calls without points can do.
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

    /// Every way in which the thread's call takes effect and no observer accepts.
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

/// The words of each of these types.
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

/// A value as an observer sees it.
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

/// Every way to choose so many different values.
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
