//! Tests the meaning of views: every state of a random execution is composed of the views of the invariant.
//!
//! The execution uses the plain semantics with three threads. No value of an observer variable is an argument
//! twice. The observers run on the events of the linearization points, as defined in the
//! [certificate](linchpin_certify::certificate). After each step each two threads must be in a view, in
//! either order. Parts that the views leave open are not compared: any pointer matches an arbitrary pointer,
//! and relations of cells behind it are skipped. Keys are cut into two classes at a random key, and each
//! cell's label is compared.

mod memory;
mod tightened;

use crate::local::graph::relation;
use crate::prove::{Text, proving};
use fastrand::Rng;
use linchpin_certify::certificate::{
    AgeOrigin, BEFORE, Certificate, Effect, FAR_BEFORE, FREE, GARBAGE, Invariant, LocalState, NULL,
    Obligation, Rest, Returned, SharedState, Slot, Symbol, View,
};
use linchpin_certify::observer_adequacy;
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_ir::heap::{HeapProgram, ProofMethod};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::program::observer::{Event, ObservedValue};
use linchpin_ir::program::{MemoryKind, OpId, Program};
use linchpin_ir::types::{NONE, TypeId, TypeKind, UNDEFINED, Word, word_of};
use linchpin_semantics::{Bounds, CellId, Events, Machine, Outcome, Picks, State, Status, ThreadId};
use std::collections::BTreeSet;
use std::sync::Arc;

const THREADS: u32 = 3;
const WALKS: usize = 25;
const STEPS: usize = 60;
const KEYS: u32 = 3;

const MODELS: [&str; 8] = [
    "treiber_stack",
    "coarse_stack_manual",
    "two_lock_queue",
    "ms_queue",
    "treiber_stack_tagged",
    "coarse_pqueue_buckets",
    "coarse_pqueue_list",
    "bucket_lock_pqueue",
];

#[test]
fn every_state_of_random_executions_is_made_up_of_the_views() {
    for name in MODELS {
        let attempt = proving(&Text::of_catalogue(name), None, None);
        let certificate = attempt.certificate.as_ref().unwrap_or_else(|| panic!("`{name}` is proved"));
        let program = &attempt.compiled.program;
        let heap = HeapProgram::of(program, ProofMethod::Pairs).expect("it is taken");
        let groups = observer_adequacy::products(program, heap.spec()).expect("the observers are known");
        let mut rng = Rng::with_seed(11);
        let mut states = 0;
        for invariant in &certificate.invariants {
            let Obligation::Observers(at) = invariant.question else { continue };
            let mut world = World::new(program, certificate, invariant, &groups[at]);
            for _ in 0..WALKS {
                world.cut = rng.i32(0..=word_of(KEYS));
                states += world.walk(&mut rng);
            }
        }
        assert!(states > WALKS * STEPS / 2, "only {states} states of `{name}` were looked at");
    }
}

/// A program, an invariant and the observers that it is about.
struct World<'w> {
    program: &'w Arc<Program>,
    machine: Machine,
    rests: &'w [Rest],
    invariant: &'w Invariant,
    group: &'w ObserverProduct,
    dead: BTreeSet<u16>,
    /// The fields of a cell that are its data and its pointer; the slot of the pointer in the latter.
    data: usize,
    link: (usize, usize),
    /// The field that is the label, if there is one, and its type.
    label: Option<(usize, TypeId)>,
    /// Keys up to this one are of the first class.
    cut: Word,
}

/// The auxiliary information beside a state.
#[derive(Clone)]
struct Ghost {
    location: u16,
    used: u8,
    threads: Vec<Call>,
    /// Where memory is asked for.
    watched: Option<Watched>,
}

/// The watched cell, if there is one, and its owner.
#[derive(Clone, Copy)]
struct Watched {
    cell: Option<usize>,
    /// A shared variable leads to it.
    shared: bool,
    answers: Option<ThreadId>,
    /// Its data was not written since it was allocated, if that is known.
    undefined: Option<bool>,
}

#[derive(Clone)]
struct Call {
    effect: Effect,
    args: Vec<Word>,
}

/// What happens within one step.
#[derive(Default)]
struct Heard {
    points: Vec<bool>,
    returned: Option<Vec<Word>>,
}

impl Events for Heard {
    fn returned(&mut self, _: ThreadId, _: OpId, result: &[Word]) {
        self.returned = Some(result.to_vec());
    }

    fn lin(&mut self, _: ThreadId, maybe: bool) {
        self.points.push(maybe);
    }
}

/// The walk has come to where the observers can no longer accept.
struct Over;

impl<'w> World<'w> {
    fn new(
        program: &'w Arc<Program>,
        certificate: &'w Certificate,
        invariant: &'w Invariant,
        group: &'w ObserverProduct,
    ) -> World<'w> {
        let values = number_of(group.variables) + 1;
        let bounds = Bounds { threads: THREADS, nodes: 6, values, keys: KEYS, ..Bounds::default() };
        let machine = Machine::new(program, &bounds).unwrap_or_else(|_| panic!("it compiles"));
        let types = &program.types;
        let node = types.structs.iter().next().expect("there are cells");
        let data =
            node.fields.iter().position(|field| types.kind(field.ty) == TypeKind::Data).expect("with data");
        let is_pointer = |ty: TypeId| matches!(types.kind(ty), TypeKind::Pointer(_));
        let link = (node.fields.iter().enumerate())
            .find_map(|(at, field)| {
                let parts = types.record(field.ty).map_or(&[][..], |word| &word.fields);
                let part = parts.iter().position(|part| is_pointer(part.ty));
                let whole = is_pointer(field.ty).then_some(0);
                whole.or(part.map(|part| types.field_offset(field.ty, part))).map(|slot| (at, slot))
            })
            .expect("that are linked");
        let label = node.fields.iter().enumerate().find_map(|(at, field)| {
            let kind = types.kind(field.ty);
            let is_small = matches!(kind, TypeKind::Bool | TypeKind::Enum(_) | TypeKind::Range { .. });
            (is_small || kind == TypeKind::Key).then_some((at, field.ty))
        });
        let dead = group.dead(program);
        let rests = &certificate.rests;
        World { program, machine, rests, invariant, group, dead, data, link, label, cut: 0 }
    }

    /// Of an invariant about observers of a certificate.
    fn of(
        program: &'w Arc<Program>,
        certificate: &'w Certificate,
        at: usize,
        groups: &'w [ObserverProduct],
    ) -> World<'w> {
        let invariant = &certificate.invariants[at];
        let Obligation::Observers(group) = invariant.question else { panic!("it is about memory") };
        World::new(program, certificate, invariant, &groups[group])
    }

    /// Whether each two threads of these states are in a view as they were before one view was changed.
    fn still_holds(&self, before: &World, view: usize, reached: &[(State, Ghost)]) -> bool {
        let old = &before.invariant.views[view];
        reached.iter().all(|(state, ghost)| {
            pairs()
                .filter(|pair| before.contains(old, state, ghost, *pair))
                .all(|pair| self.has(state, ghost, pair))
        })
    }

    /// One random execution; how many states were in the views.
    fn walk(&self, rng: &mut Rng) -> usize {
        let mut states = 0;
        self.along(rng, |state, ghost, _| {
            self.check(state, ghost);
            states += 1;
        });
        states
    }

    /// The states of random executions.
    fn reached(&self, rng: &mut Rng) -> Vec<(State, Ghost)> {
        let mut reached = Vec::new();
        for _ in 0..WALKS {
            self.along(rng, |state, ghost, _| reached.push((state.clone(), ghost.clone())));
        }
        reached
    }

    /// One random execution, state by state, each with the thread whose step led there.
    fn along(&self, rng: &mut Rng, mut visit: impl FnMut(&State, &Ghost, Option<ThreadId>)) {
        let mut state = self.machine.initial(&mut Picks::new()).unwrap_or_else(|_| panic!("it begins"));
        let idle = Call { effect: Effect::Waiting, args: Vec::new() };
        let mut ghost = Ghost { location: 0, used: 0, threads: vec![idle; THREADS as usize], watched: None };
        visit(&state, &ghost, None);
        for _ in 0..STEPS {
            let thread = ThreadId::new(rng.usize(..THREADS as usize));
            let (mut next, mut after, mut heard) = (state.clone(), ghost.clone(), Heard::default());
            let outcome = if self.machine.is_idle(&state, thread) {
                let op = OpId::new(rng.usize(..self.program.ops.len()));
                let args = self.arguments(op, &mut after, rng);
                after.threads[thread.index()] = Call { effect: Effect::Waiting, args: args.clone() };
                self.machine.call(&mut next, thread, op, &args, 0, &mut Picks::new(), &mut heard)
            } else {
                self.machine.step(&mut next, thread, &mut Picks::new(), &mut heard)
            };
            match outcome {
                Outcome::Done => {}
                Outcome::Disabled(_) => continue,
                _ => return,
            }
            let op = self.op_of(&state, &next, thread, &heard);
            if self.follow(&next, &mut after, thread, op, &heard).is_err() {
                return;
            }
            (state, ghost) = (next, after);
            visit(&state, &ghost, Some(thread));
        }
    }

    fn arguments(&self, op: OpId, ghost: &mut Ghost, rng: &mut Rng) -> Vec<Word> {
        let mut args = Vec::new();
        for param in &self.program.ops[op].params {
            match self.program.types.kind(*param) {
                TypeKind::Key => {
                    args.push(rng.i32(1..=word_of(KEYS)));
                    continue;
                }
                TypeKind::Range { low, high } => {
                    args.push(word_of(rng.i64(low..=high)));
                    continue;
                }
                _ => {}
            }
            let variable = rng.usize(..=self.group.variables);
            let is_fresh = variable < self.group.variables && ghost.used >> variable & 1 == 0;
            if is_fresh {
                ghost.used |= 1 << variable;
            }
            args.push(if is_fresh { word_of(variable) + 1 } else { word_of(self.group.variables) + 1 });
        }
        args
    }

    /// The operation that the thread is in, or was in.
    fn op_of(&self, before: &State, after: &State, thread: ThreadId, heard: &Heard) -> OpId {
        for state in [before, after] {
            if let Status::Busy { op, .. } = self.machine.status(state, thread) {
                return op;
            }
        }
        let has_result = heard.returned.as_ref().is_some_and(|result| !result.is_empty());
        let fits = |op: &OpId| self.program.ops[*op].result.is_some() == has_result;
        self.program.ops.ids().find(fits).expect("some operation was called")
    }

    /// The points and the return of a step.
    fn follow(
        &self,
        state: &State,
        ghost: &mut Ghost,
        thread: ThreadId,
        op: OpId,
        heard: &Heard,
    ) -> Result<(), Over> {
        let at = thread.index();
        for &maybe in &heard.points {
            let effect = ghost.threads[at].effect;
            ghost.threads[at].effect = match (effect, maybe) {
                (Effect::Done(_) | Effect::Due, _) => effect,
                (_, false) => Effect::Due,
                (_, true) => {
                    let event = self.event(op, &ghost.threads[at].args, Some(Symbol::Absent));
                    let to = self.group.step(ghost.location, &event);
                    Effect::Tentative { right: self.group.accepting(to).is_none() }
                }
            };
        }
        if ghost.threads[at].effect == Effect::Due
            && let Some(result) = self.result(state, thread, op, heard)
        {
            let event = self.event(op, &ghost.threads[at].args, result);
            ghost.location = self.group.step(ghost.location, &event);
            assert!(self.group.accepting(ghost.location).is_none(), "an observer accepts a real execution");
            if self.group.variables > 1 && self.dead.contains(&ghost.location) {
                return Err(Over);
            }
            ghost.threads[at].effect = Effect::Done(result.unwrap_or(Symbol::Unknown));
        }
        if heard.returned.is_some() {
            ghost.threads[at] = Call { effect: Effect::Waiting, args: Vec::new() };
        }
        Ok(())
    }

    /// What a call whose point was passed returns, if it is clear; `Some(None)`: nothing.
    fn result(&self, state: &State, thread: ThreadId, op: OpId, heard: &Heard) -> Option<Option<Symbol>> {
        if let Some(result) = &heard.returned {
            return Some(result.first().map(|word| self.data_symbol(*word)));
        }
        let rest = self.rest(state, thread)?;
        debug_assert_eq!(rest.op, op);
        match rest.returned {
            Returned::Nothing => Some(None),
            Returned::None => Some(Some(Symbol::Absent)),
            Returned::Slot(slot) => Some(Some(self.data_symbol(self.word(state, thread, slot)))),
            Returned::DataOf(slot) => {
                let cell = pointed(self.word(state, thread, slot))?;
                Some(Some(self.data_symbol(self.data_of(state, cell))))
            }
            Returned::Unclear => None,
        }
    }

    fn event(&self, op: OpId, args: &[Word], result: Option<Symbol>) -> Event {
        let seen = |symbol: Symbol| match symbol {
            Symbol::Tracked(variable) => ObservedValue::Variable(usize::from(variable)),
            Symbol::Absent => ObservedValue::Absent,
            _ => ObservedValue::Other,
        };
        let args = self.program.ops[op].params.iter().zip(args);
        let args = args.map(|(param, word)| match self.program.types.kind(*param) {
            TypeKind::Data => seen(self.data_symbol(*word)),
            _ => ObservedValue::Constant(self.label_of(*param, *word)),
        });
        let args = args.collect();
        Event { op, args, result: result.map(seen) }
    }

    fn data_symbol(&self, word: Word) -> Symbol {
        match word {
            NONE => Symbol::Absent,
            UNDEFINED => Symbol::Undefined,
            word if (1..=word_of(self.group.variables)).contains(&word) => Symbol::Tracked(byte_of(word - 1)),
            _ => Symbol::Other,
        }
    }

    /// The label that a value is: itself, or the class of a key.
    fn label_of(&self, ty: TypeId, word: Word) -> Word {
        if self.program.types.kind(ty) == TypeKind::Key { Word::from(word > self.cut) } else { word }
    }

    /// The bit of a cell's label; all of them if its field has no value.
    fn labels(&self, state: &State, cell: usize) -> u8 {
        let Some((field, ty)) = self.label else { return u8::MAX };
        let cell = self.machine.cell(state, CellId::new(cell));
        let word = cell.and_then(|cell| self.machine.field_words(cell, field)).map_or(UNDEFINED, |w| w[0]);
        let least = match self.program.types.kind(ty) {
            TypeKind::Range { low, .. } => word_of(low),
            _ => 0,
        };
        if word == UNDEFINED { u8::MAX } else { 1 << (self.label_of(ty, word) - least) }
    }

    fn rest(&self, state: &State, thread: ThreadId) -> Option<&Rest> {
        let Status::Busy { op, pc, .. } = self.machine.status(state, thread) else { return None };
        self.rests.iter().find(|rest| rest.op == op && rest.pc == pc)
    }

    fn word(&self, state: &State, thread: ThreadId, slot: Slot) -> Word {
        let Status::Busy { method, .. } = self.machine.status(state, thread) else { return UNDEFINED };
        let ty = self.program.methods[method].locals[slot.local].ty;
        let offset =
            self.program.types.record(ty).map_or(0, |_| self.program.types.field_offset(ty, slot.part));
        let words = self.machine.local_words(state, thread, slot.local).unwrap_or(&[]);
        words.get(offset).copied().unwrap_or(UNDEFINED)
    }

    fn data_of(&self, state: &State, cell: usize) -> Word {
        let cell = self.machine.cell(state, CellId::new(cell));
        cell.and_then(|cell| self.machine.field_words(cell, self.data)).map_or(UNDEFINED, |words| words[0])
    }

    /// The word in the pointer field of a cell, at a slot of it.
    fn link_word(&self, state: &State, cell: usize, slot: usize) -> Option<Word> {
        let cell = self.machine.cell(state, CellId::new(cell))?;
        self.machine.field_words(cell, self.link.0).and_then(|words| words.get(slot).copied())
    }

    /// Each two threads must be in a view.
    fn check(&self, state: &State, ghost: &Ghost) {
        if self.invariant.ordered {
            for cell in self.machine.cells(state).map(|cell| cell.id.index()) {
                if let Some(next) = self.link_word(state, cell, self.link.1).and_then(pointed) {
                    let (label, behind) = (self.labels(state, cell), self.labels(state, next));
                    assert!(label == u8::MAX || behind == u8::MAX || label <= behind, "{state:?}");
                }
            }
        }
        for pair in pairs() {
            let effect = ghost.threads[pair[0].index()].effect;
            assert!(self.has(state, ghost, pair), "threads {pair:?} of\n{state:?}\n{effect:?}");
        }
    }

    /// Whether two threads are in a view, in either order.
    fn has(&self, state: &State, ghost: &Ghost, pair: [ThreadId; 2]) -> bool {
        let orders = [pair, [pair[1], pair[0]]];
        let views = &self.invariant.views;
        views.iter().any(|view| orders.iter().any(|pair| self.contains(view, state, ghost, *pair)))
    }

    fn contains(&self, view: &View, state: &State, ghost: &Ghost, pair: [ThreadId; 2]) -> bool {
        let shared = &self.invariant.shared[view.shared];
        if shared.location != ghost.location || shared.used != ghost.used {
            return false;
        }
        let answers = |local: usize| self.invariant.locals[local].answers;
        if let Some(watched) = ghost.watched
            && (shared.watch.shared != watched.shared
                || watched.undefined.is_some_and(|undefined| undefined != shared.watch.undefined)
                || view.locals.map(answers) != pair.map(|thread| watched.answers == Some(thread)))
        {
            return false;
        }
        let mut nodes: Vec<Option<Node>> = (0..self.sentinels()).map(|at| Some(Node::Sentinel(at))).collect();
        self.shared_fits(shared, state, ghost, &mut nodes)
            && pair.iter().zip(view.locals).all(|(thread, local)| {
                self.local_fits(&self.invariant.locals[local], state, ghost, *thread, &mut nodes)
            })
            && self.shape_fits(view, state, &nodes)
    }

    fn sentinels(&self) -> usize {
        if self.program.memory == MemoryKind::Gc { 1 } else { 3 }
    }

    fn shared_fits(
        &self,
        shared: &SharedState,
        state: &State,
        ghost: &Ghost,
        nodes: &mut Vec<Option<Node>>,
    ) -> bool {
        let (mut part, mut locks) = (0, 0);
        for (id, variable) in self.program.globals.variables.entries() {
            let words = self.machine.global_words(state, id);
            for (ty, offset) in self.parts(variable.ty, 0) {
                let fits = if self.program.types.kind(ty) == TypeKind::Lock {
                    locks += 1;
                    // The holder's number, from one on.
                    (words[offset] >= 1) == (shared.held >> (locks - 1) & 1 == 1)
                } else {
                    self.fits(shared.globals[part], ty, words[offset], nodes)
                };
                if !fits {
                    return false;
                }
                part += 1;
            }
        }
        for (variable, there) in shared.tracked.iter().enumerate() {
            let holds = |cell: &usize| self.data_of(state, *cell) == word_of(variable) + 1;
            let is_manual = self.program.memory == MemoryKind::Manual;
            let cells = self.machine.cells(state).filter(|cell| !(is_manual && cell.is_freed));
            let holder = match ghost.watched {
                Some(watched) => watched.cell,
                None => cells.map(|cell| cell.id.index()).find(holds),
            };
            match (there, holder) {
                (false, Some(_)) => return false,
                (false, None) => {}
                // A collected cell is not there any more.
                (true, holder) => nodes.push(holder.map(Node::Cell)),
            }
        }
        true
    }

    /// The parts of a type, element by element and field by field, and where they are.
    fn parts(&self, ty: TypeId, offset: usize) -> Vec<(TypeId, usize)> {
        let types = &self.program.types;
        match types.kind(ty) {
            TypeKind::Array(element, len) => {
                let width = types.width(element);
                (0..len as usize).flat_map(|at| self.parts(element, offset + at * width)).collect()
            }
            _ => match types.record(ty) {
                Some(record) => (0..record.fields.len())
                    .flat_map(|at| self.parts(record.fields[at].ty, offset + types.field_offset(ty, at)))
                    .collect(),
                None => vec![(ty, offset)],
            },
        }
    }

    fn local_fits(
        &self,
        local: &LocalState,
        state: &State,
        ghost: &Ghost,
        thread: ThreadId,
        nodes: &mut Vec<Option<Node>>,
    ) -> bool {
        let call = &ghost.threads[thread.index()];
        let (Some(at), Status::Busy { op, method, pc }) = (local.at, self.machine.status(state, thread))
        else {
            return local.at.is_none() && self.machine.is_idle(state, thread);
        };
        let rest = &self.rests[usize::from(at)];
        if rest.op != op || rest.pc != pc || local.effect != call.effect {
            return false;
        }
        let params = &self.program.methods[method].params;
        for (slot, symbol) in rest.slots.iter().zip(&local.slots) {
            let ty = self.program.methods[method].locals[slot.slot.local].ty;
            let part = self.program.types.record(ty).map_or(ty, |word| word.fields[slot.slot.part].ty);
            let mut word = self.word(state, thread, slot.slot);
            // Only the views keep values that no later instruction reads. The ghost has the arguments.
            if !self.program.methods[method].code[pc].live.contains(slot.slot.local) {
                match params.iter().position(|param| *param == slot.slot.local) {
                    Some(param) => word = call.args[param],
                    None => {
                        nodes.extend((*symbol == Symbol::Cell).then_some(None));
                        continue;
                    }
                }
            }
            let fits = match (symbol, slot.origin) {
                (Symbol::Current | Symbol::Stale, Some(origin)) => {
                    let present = self.present_age(state, thread, origin);
                    present.is_none_or(|present| (present == word) == (*symbol == Symbol::Current))
                }
                _ => self.fits(*symbol, part, word, nodes),
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// The age at a place now.
    fn present_age(&self, state: &State, thread: ThreadId, origin: AgeOrigin) -> Option<Word> {
        let types = &self.program.types;
        let age_slot = |ty: TypeId| {
            let fields = &types.record(ty)?.fields;
            let part = fields.iter().position(|field| types.kind(field.ty) == TypeKind::Age)?;
            Some(types.field_offset(ty, part))
        };
        match origin {
            AgeOrigin::Shared(part) => {
                let holds = |global: &linchpin_ir::program::Global| {
                    (global.offset..global.offset + types.width(global.ty)).contains(&part)
                };
                let (id, global) =
                    self.program.globals.variables.entries().find(|(_, global)| holds(global))?;
                self.machine.global_words(state, id).get(part - global.offset).copied()
            }
            AgeOrigin::Cell(pointer) => {
                let cell = pointed(self.word(state, thread, pointer))?;
                let node = types.structs.iter().next()?;
                self.link_word(state, cell, age_slot(node.fields[self.link.0].ty)?)
            }
        }
    }

    /// Whether a word is of a class; a pointer to a cell becomes a node.
    fn fits(&self, symbol: Symbol, ty: TypeId, word: Word, nodes: &mut Vec<Option<Node>>) -> bool {
        let is_pointer = matches!(self.program.types.kind(ty), TypeKind::Pointer(_));
        match symbol {
            Symbol::Unknown | Symbol::Garbage => true,
            Symbol::Null => is_pointer && pointed(word).is_none(),
            Symbol::Cell => {
                let cell = pointed(word).filter(|_| is_pointer);
                nodes.push(cell.map(Node::Cell));
                cell.is_some()
            }
            Symbol::Small(number) => word == Word::from(number),
            Symbol::Key(class) => word == UNDEFINED || self.label_of(ty, word) == Word::from(class),
            Symbol::Other | Symbol::Undefined => {
                matches!(self.data_symbol(word), Symbol::Other | Symbol::Undefined)
            }
            // Undefined data of the watched cell: in a pool the cell still holds its old data.
            Symbol::Tracked(_) if self.group.variables == 0 => self.data_symbol(word) != Symbol::Absent,
            symbol => self.data_symbol(word) == symbol,
        }
    }

    /// Returns whether each two nodes have a relation that the view allows. Skips relations through arbitrary
    /// pointers.
    fn shape_fits(&self, view: &View, state: &State, nodes: &[Option<Node>]) -> bool {
        let count = nodes.len();
        let at = |a: usize, b: usize| a * count - a * (a + 1) / 2 + b - a - 1;
        let is_wild = |node: usize| {
            self.sentinels() > GARBAGE
                && node > GARBAGE
                && view.shape[at(GARBAGE, node)] & (BEFORE | FAR_BEFORE) != 0
        };
        if view.shape.len() != count * count.saturating_sub(1) / 2 {
            return false;
        }
        for (node, labels) in nodes[self.sentinels()..].iter().zip(&view.labels) {
            if let Some(Node::Cell(cell)) = node
                && labels & self.labels(state, *cell) == 0
            {
                return false;
            }
        }
        for a in 0..count {
            for b in a + 1..count {
                let (Some(x), Some(y)) = (nodes[a], nodes[b]) else { continue };
                if is_wild(a) || is_wild(b) || a == GARBAGE || b == GARBAGE {
                    continue;
                }
                if view.shape[at(a, b)] & self.relation(state, x, y) == 0 {
                    return false;
                }
            }
        }
        true
    }

    fn relation(&self, state: &State, a: Node, b: Node) -> u8 {
        let next = |node: &Node| match *node {
            Node::Sentinel(_) => None,
            Node::Cell(cell) => {
                let view = self.machine.cell(state, CellId::new(cell))?;
                if view.is_freed {
                    return Some(Node::Sentinel(FREE));
                }
                let word = self.link_word(state, cell, self.link.1)?;
                Some(pointed(word).map_or(Node::Sentinel(NULL), Node::Cell))
            }
        };
        let distance = |from: Node, to: Node| {
            std::iter::successors(Some(from), next).take(32).position(|node| node == to)
        };
        relation(distance(a, b), distance(b, a))
    }
}

/// Each two threads, in both orders.
fn pairs() -> impl Iterator<Item = [ThreadId; 2]> {
    let all = || (0..THREADS as usize).map(ThreadId::new);
    all().flat_map(move |first| {
        all().filter(move |second| *second != first).map(move |second| [first, second])
    })
}

/// A node of the graph of a view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Sentinel(usize),
    Cell(usize),
}

/// The number of the cell behind a pointer.
fn pointed(word: Word) -> Option<usize> {
    usize::try_from(word).ok()?.checked_sub(1)
}
