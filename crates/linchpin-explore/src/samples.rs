//! Samples for provers: the reachable states of a small instance, breadth first, with ghosts.
//!
//! States keep the names of their cells, so that a ghost can name cells. There are no reductions: each state
//! counts with each of its ghosts. The search shares no code with the search for violations.

use linchpin_engine::model::RequestError;
use linchpin_engine::samples::{Presence, Sample, SampleCell, SampleThread, SampleValue, Sampled, Samples};
use linchpin_engine::{Budget, BudgetMeter};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::Index;
use linchpin_ir::program::{LocalId, OpId, Operation, Pc, Program};
use linchpin_ir::types::{KEY_MAX, KEY_MIN, Pointee, Scalar, SlotKind, TypeId, TypeKind, Word};
use linchpin_semantics::{
    Bounds, CallChoice, CellId, CellView, Client, Events, Machine, Outcome, Picks, State, Status, ThreadId,
    Value,
};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The states of one instance.
pub struct BoundedSamples {
    machine: Machine,
    client: Client,
    /// The limit on states for each watched key.
    most_states: usize,
}

impl BoundedSamples {
    /// Prepares an instance. At most `most_states` states are given for each watched key.
    pub fn new(
        program: &Arc<Program>,
        bounds: &Bounds,
        most_states: usize,
    ) -> Result<BoundedSamples, RequestError> {
        let refuse = |findings: Vec<Diagnostic>| {
            let titles: Vec<String> = findings.into_iter().map(|finding| finding.title).collect();
            RequestError::Message {
                text: format!("no states can be sampled: {}", titles.join("; ")),
                help: "choose other bounds".into(),
            }
        };
        let machine = Machine::new(program, bounds).map_err(refuse)?;
        let client = Client::general(program, machine.bounds()).map_err(refuse)?;
        Ok(BoundedSamples { machine, client, most_states })
    }

    /// Returns the keys that can be watched: the arguments of type `key` or `data`.
    fn keys(&self) -> Vec<Word> {
        let of = |op: &Operation| match op.params.as_slice() {
            [only] => Some(self.machine.program().types.kind(*only)),
            _ => None,
        };
        let mut kinds = self.machine.program().ops.iter().map(of);
        let bounds = self.machine.bounds();
        let most = match kinds.next().flatten() {
            Some(TypeKind::Key) => bounds.keys,
            Some(TypeKind::Data) => bounds.values,
            _ => 0,
        };
        (1..=most).filter_map(|key| Word::try_from(key).ok()).collect()
    }
}

/// One step of an execution to a sample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampledStep {
    pub thread: ThreadId,
    pub op: OpId,
    /// Where the thread rested, or the arguments of the call that it begins.
    pub from: StepStart,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepStart {
    Rest(Pc),
    Call(Box<[Word]>),
}

impl BoundedSamples {
    /// Returns a shortest execution to a sample that is wanted; `None` if there is none in the limits.
    pub fn execution_to(
        &self,
        wanted: &mut dyn FnMut(&Sample) -> bool,
        budget: &Budget,
    ) -> Option<Vec<SampledStep>> {
        let meter = BudgetMeter::start(budget.clone());
        let run = Run { samples: self, watch: None, meter: &meter };
        let mut stop = |sample: &Sample| match wanted(sample) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        run.explore(&mut stop).1
    }
}

impl Samples for BoundedSamples {
    fn for_each(
        &self,
        presence: Option<&Presence>,
        budget: &Budget,
        receive: &mut dyn FnMut(&Sample) -> ControlFlow<()>,
    ) -> Result<Sampled, RequestError> {
        let mut total = Sampled { states: 0, is_complete: true };
        let meter = BudgetMeter::start(budget.clone());
        let watches: Vec<Option<(Word, &Presence)>> = match presence {
            Some(presence) => self.keys().into_iter().map(|key| Some((key, presence))).collect(),
            None => vec![None],
        };
        for watch in watches {
            let run = Run { samples: self, watch, meter: &meter };
            let (sampled, stopped_at) = run.explore(receive);
            total.states += sampled.states;
            total.is_complete &= sampled.is_complete;
            if stopped_at.is_some() {
                break;
            }
        }
        Ok(total)
    }
}

/// The ghosts of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Ghosts {
    published: BTreeSet<usize>,
    threads: Vec<CallGhost>,
}

/// The ghost of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct CallGhost {
    /// The call names the watched key.
    is_on_key: bool,
    has_seen_in: bool,
    has_seen_out: bool,
    /// Events and definite points.
    took_effect: bool,
    /// The call passed a `lin maybe`, or another thread's `lin of`: it is not known whether it took effect.
    is_unclear: bool,
}

struct Run<'r> {
    samples: &'r BoundedSamples,
    watch: Option<(Word, &'r Presence)>,
    meter: &'r BudgetMeter,
}

impl Run<'_> {
    /// Returns what was given. If the receiver stopped, returns the execution to the last sample.
    fn explore(
        &self,
        receive: &mut dyn FnMut(&Sample) -> ControlFlow<()>,
    ) -> (Sampled, Option<Vec<SampledStep>>) {
        let machine = &self.samples.machine;
        let mut seen: FxHashSet<(Vec<Word>, Ghosts)> = FxHashSet::default();
        let mut queue: VecDeque<(State, Ghosts)> = VecDeque::new();
        // For each state in the order of the queue, the state before it and the step.
        let mut origins: Vec<Option<(usize, SampledStep)>> = Vec::new();
        let mut sampled = Sampled { states: 0, is_complete: true };
        let mut words = Vec::new();
        let mut add = |state: State,
                       ghosts: Ghosts,
                       origin: Option<(usize, &SampledStep)>,
                       queue: &mut VecDeque<(State, Ghosts)>,
                       origins: &mut Vec<Option<(usize, SampledStep)>>| {
            machine.flatten(&state, &mut words);
            if seen.insert((words.clone(), ghosts.clone())) {
                queue.push_back((state, ghosts));
                origins.push(origin.map(|(from, step)| (from, step.clone())));
            }
        };
        let mut picks = Picks::new();
        loop {
            picks.restart();
            if let Ok(mut state) = machine.initial(&mut picks) {
                machine.collect_keeping_names(&mut state);
                let threads = vec![CallGhost::default(); machine.bounds().threads as usize];
                let published = self.published(&state, &BTreeSet::new(), &BTreeSet::new());
                add(state, Ghosts { published, threads }, None, &mut queue, &mut origins);
            }
            if !picks.advance() {
                break;
            }
        }
        while let Some((state, ghosts)) = queue.pop_front() {
            if sampled.states >= self.samples.most_states || self.meter.exhausted(0).is_some() {
                sampled.is_complete = false;
                break;
            }
            let number = sampled.states;
            sampled.states += 1;
            if receive(&self.sample(&state, &ghosts)).is_break() {
                sampled.is_complete = false;
                return (sampled, Some(execution(&origins, number)));
            }
            for thread in machine.bounds().thread_ids() {
                let mut each = |call: Option<&CallChoice>, step: &SampledStep| {
                    self.each_way(&state, &ghosts, thread, call, &mut |s, g| {
                        add(s, g, Some((number, step)), &mut queue, &mut origins);
                    });
                };
                if machine.is_idle(&state, thread) {
                    for call in self.samples.client.calls(machine, &state, thread) {
                        let from = StepStart::Call(call.args.clone());
                        each(Some(call), &SampledStep { thread, op: call.op, from });
                    }
                } else if let Status::Busy { op, pc, .. } = machine.status(&state, thread) {
                    each(None, &SampledStep { thread, op, from: StepStart::Rest(pc) });
                }
            }
        }
        (sampled, None)
    }

    /// Makes a step with all its picks.
    fn each_way(
        &self,
        state: &State,
        ghosts: &Ghosts,
        thread: ThreadId,
        call: Option<&CallChoice>,
        done: &mut dyn FnMut(State, Ghosts),
    ) {
        let machine = &self.samples.machine;
        let was_in = self.watched_cell(state, &ghosts.published).is_some();
        let mut picks = Picks::new();
        loop {
            picks.restart();
            let mut next = state.clone();
            let mut events = StepEvents::default();
            let outcome = match call {
                Some(call) => {
                    let position = call.next_position;
                    machine.call(&mut next, thread, call.op, &call.args, position, &mut picks, &mut events)
                }
                None => machine.step(&mut next, thread, &mut picks, &mut events),
            };
            if outcome == Outcome::Done {
                let mut after = ghosts.clone();
                if let Some(call) = call {
                    let is_on_key = self.watch.is_some_and(|(key, _)| call.args.first() == Some(&key));
                    after.threads[thread.index()] = CallGhost {
                        is_on_key,
                        has_seen_in: was_in,
                        has_seen_out: !was_in,
                        ..CallGhost::default()
                    };
                }
                machine.collect_keeping_names(&mut next);
                after.published = self.published(&next, &ghosts.published, &events.allocated);
                let is_in = self.watched_cell(&next, &after.published).is_some();
                for (other, ghost) in after.threads.iter_mut().enumerate() {
                    if other == thread.index() {
                        ghost.took_effect |= is_in != was_in && self.watch.is_some();
                    } else {
                        ghost.has_seen_in |= is_in;
                        ghost.has_seen_out |= !is_in;
                    }
                }
                if self.watch.is_none() {
                    for (target, maybe) in events.points {
                        let ghost = &mut after.threads[target.index()];
                        if maybe || target != thread {
                            ghost.is_unclear = true
                        } else {
                            ghost.took_effect = true
                        }
                    }
                }
                for other in machine.bounds().thread_ids() {
                    if machine.is_idle(&next, other) {
                        after.threads[other.index()] = CallGhost::default();
                    }
                }
                done(next, after);
            }
            if !picks.advance() {
                return;
            }
        }
    }

    /// Returns the published cells after a step.
    fn published(
        &self,
        state: &State,
        before: &BTreeSet<usize>,
        allocated: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let machine = &self.samples.machine;
        let alive: BTreeSet<usize> = machine.cells(state).map(|cell| cell.id.index()).collect();
        let kept = before.intersection(&alive).filter(|cell| !allocated.contains(cell)).copied();
        let mut found: BTreeSet<usize> = kept.collect();
        let mut open: Vec<usize> = found.iter().copied().collect();
        open.extend(self.roots(state));
        self.close(state, open, &mut found);
        found
    }

    /// Returns the cells that shared variables point to.
    fn roots(&self, state: &State) -> Vec<usize> {
        let machine = &self.samples.machine;
        let globals = machine.program().globals.variables.entries();
        let pointers = globals.flat_map(|(id, variable)| {
            pointers_in(machine.program(), variable.ty, machine.global_words(state, id))
        });
        pointers.collect()
    }

    /// Adds everything that is reachable from the open cells.
    fn close(&self, state: &State, mut open: Vec<usize>, found: &mut BTreeSet<usize>) {
        let machine = &self.samples.machine;
        let mut done = BTreeSet::new();
        while let Some(cell) = open.pop() {
            if !done.insert(cell) {
                continue;
            }
            found.insert(cell);
            if let Some(view) = machine.cell(state, CellId::new(cell)) {
                open.extend(pointers_of_cell(machine, &view));
            }
        }
    }

    /// Returns the cell with the watched key that makes the key present.
    fn watched_cell(&self, state: &State, published: &BTreeSet<usize>) -> Option<usize> {
        let (key, presence) = self.watch?;
        let machine = &self.samples.machine;
        let mut reachable = BTreeSet::new();
        self.close(state, self.roots(state), &mut reachable);
        let is_present = |cell: &usize| {
            let Some(view) = machine.cell(state, CellId::new(*cell)) else { return false };
            let fields = record_of(machine.fields(state, view), &BTreeMap::new());
            let at =
                |path: &[Arc<str>]| path.iter().try_fold(&fields, |value, name| value.field(name)).cloned();
            let has_key = matches!(at(&presence.key), Some(SampleValue::Number(own)) if own == key);
            let is_marked =
                presence.mark.as_ref().is_some_and(|mark| at(mark) == Some(SampleValue::Bool(true)));
            has_key && !is_marked
        };
        reachable.intersection(published).copied().find(is_present)
    }

    fn sample(&self, state: &State, ghosts: &Ghosts) -> Sample {
        let machine = &self.samples.machine;
        let program = machine.program();
        let names: BTreeMap<usize, usize> =
            machine.cells(state).enumerate().map(|(at, cell)| (cell.id.index(), at)).collect();
        let cells = machine.cells(state).map(|cell| SampleCell {
            fields: record_of(machine.fields(state, cell), &names),
            is_published: ghosts.published.contains(&cell.id.index()),
        });
        let shared = program.globals.variables.ids().map(|id| convert(&machine.global(state, id), &names));
        let threads = machine.bounds().thread_ids().filter_map(|thread| {
            let Status::Busy { op, method, pc } = machine.status(state, thread) else { return None };
            if method != program.ops[op].method {
                return None;
            }
            let ghost = ghosts.threads[thread.index()];
            let frame = machine.frames(state, thread).into_iter().next()?;
            let local = |(id, value): &(LocalId, Value)| (*id, convert(value, &names));
            let seen = |bit: bool| Some(bit).filter(|_| ghost.is_on_key);
            let is_known = if self.watch.is_some() {
                ghost.is_on_key
            } else {
                !ghost.is_unclear && !program.ops[op].free_point
            };
            Some(SampleThread {
                thread: thread.index(),
                op,
                rest: pc,
                locals: frame.locals.iter().map(local).collect(),
                took_effect: Some(ghost.took_effect).filter(|_| is_known),
                has_seen_in: seen(ghost.has_seen_in),
                has_seen_out: seen(ghost.has_seen_out),
            })
        });
        let watched = self.watched_cell(state, &ghosts.published);
        Sample {
            shared: shared.collect(),
            cells: cells.collect(),
            threads: threads.collect(),
            is_in: self.watch.map(|_| watched.is_some()),
            watched: watched.and_then(|cell| names.get(&cell).copied()),
        }
    }
}

/// What happens in a step.
#[derive(Default)]
struct StepEvents {
    allocated: BTreeSet<usize>,
    points: Vec<(ThreadId, bool)>,
}

impl Events for StepEvents {
    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.points.push((target, maybe));
    }

    fn allocated(&mut self, cell: CellId) {
        self.allocated.insert(cell.index());
    }
}

/// Returns the cells that the pointers of a value lead to.
fn pointers_in<'w>(
    program: &Program,
    ty: TypeId,
    words: &'w [Word],
) -> impl Iterator<Item = usize> + use<'w> {
    pointers(program.types.slots(ty), words)
}

fn pointers_of_cell(machine: &Machine, cell: &CellView) -> Vec<usize> {
    let types = &machine.program().types;
    match cell.pointee {
        Pointee::Struct(id) => {
            let slots: Vec<SlotKind> =
                types.structs[id].fields.iter().flat_map(|field| types.slots(field.ty)).collect();
            pointers(slots, cell.words).collect()
        }
        Pointee::Array(element) => {
            let slots = types.slots(element);
            let all = cell.words.chunks(slots.len().max(1));
            all.flat_map(|words| pointers(slots.clone(), words)).collect()
        }
    }
}

fn pointers(slots: Vec<SlotKind>, words: &[Word]) -> impl Iterator<Item = usize> + use<'_> {
    let is_pointer = |slot: &SlotKind| matches!(slot.scalar, Scalar::Pointer);
    let pairs = slots.into_iter().zip(words);
    pairs
        .filter(move |(slot, _)| is_pointer(slot))
        .filter_map(|(_, word)| CellId::of_pointer(*word).map(Index::index))
}

fn record_of(fields: Vec<(String, Value)>, names: &BTreeMap<usize, usize>) -> SampleValue {
    SampleValue::Record(
        fields.into_iter().map(|(name, value)| (name.into(), convert(&value, names))).collect(),
    )
}

fn convert(value: &Value, names: &BTreeMap<usize, usize>) -> SampleValue {
    match value {
        Value::Null => SampleValue::Null,
        Value::Bool(value) => SampleValue::Bool(*value),
        Value::Number(word) if *word == KEY_MIN => SampleValue::KeyMin,
        Value::Number(word) if *word == KEY_MAX => SampleValue::KeyMax,
        Value::Number(word) => SampleValue::Number(*word),
        Value::KeyMin => SampleValue::KeyMin,
        Value::KeyMax => SampleValue::KeyMax,
        Value::Pointer(cell) => {
            names.get(&cell.index()).map_or(SampleValue::Other, |at| SampleValue::Cell(*at))
        }
        Value::Record(_, fields) => SampleValue::Record(
            fields.iter().map(|(name, value)| (name.clone(), convert(value, names))).collect(),
        ),
        Value::Lock(holder) => SampleValue::Lock(holder.map(Index::index)),
        Value::Undefined
        | Value::None
        | Value::Variant(..)
        | Value::Thread(_)
        | Value::List(_)
        | Value::Bag(_)
        | Value::Map(_)
        | Value::Condvar(_)
        | Value::Unit => SampleValue::Other,
    }
}

/// The steps to the state with this number.
fn execution(origins: &[Option<(usize, SampledStep)>], number: usize) -> Vec<SampledStep> {
    let mut steps = Vec::new();
    let mut at = number;
    while let Some(Some((before, step))) = origins.get(at) {
        steps.push(step.clone());
        at = *before;
    }
    steps.reverse();
    steps
}
