//! The sequential specification by numbers: states, calls and results are interned, outcomes remembered.

use super::digest::{digest, digested, low_half};
use super::observing::Observing;
use crate::reduce::{Renaming, ThreadSymmetry, rename_spec_data, rename_spec_threads};
use indexmap::IndexSet;
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::{Scalar, SlotKind, TypeId, Word, word_of};
use linchpin_judge::history::{Watching, as_returned};
use linchpin_semantics::{Participant, SpecError, SpecMachine, SpecState, ThreadId, portable};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SpecId(pub u32);

/// An operation with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResultId(pub u32);

/// A set of results; 0 is the empty one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResultSetId(pub u32);

/// The next state and the result of each participant.
pub type Outcome = (SpecId, Vec<ResultId>);

pub struct Sequential<'p> {
    machine: &'p SpecMachine,
    /// Observers, if these are in the place of the specification.
    observing: Option<Observing<'p>>,
    /// Heads of the largest rendezvous.
    largest_clause: usize,
    names_caller: bool,
    states: IndexSet<SpecState, FxBuildHasher>,
    calls: IndexSet<(OpId, Box<[Word]>), FxBuildHasher>,
    results: IndexSet<Box<[Word]>, FxBuildHasher>,
    /// Sorted.
    pub(super) result_sets: IndexSet<Box<[ResultId]>, FxBuildHasher>,
    outcomes: FxHashMap<(SpecId, Box<[(CallId, usize)]>), Arc<[Outcome]>>,
    /// Of one call by itself, which is what is asked most.
    alone: FxHashMap<(SpecId, CallId, u8), Arc<[(SpecId, ResultId)]>>,
    /// Of a reader: what it may return.
    pub(super) answers: FxHashMap<(SpecId, CallId, u8), ResultSetId>,
    renamed: FxHashMap<(SpecId, Renaming), SpecId>,
    renamed_calls: FxHashMap<(CallId, Renaming), CallId>,
    renamed_results: FxHashMap<(OpId, ResultId, Renaming), ResultId>,
    /// By state: which values occur.
    values: FxHashMap<SpecId, u64>,
    bytes: usize,
}

impl<'p> Sequential<'p> {
    pub fn new(machine: &'p SpecMachine) -> Sequential<'p> {
        Sequential {
            machine,
            observing: None,
            largest_clause: machine.program().spec.clauses.iter().map(|c| c.heads.len()).max().unwrap_or(1),
            names_caller: machine.program().spec.names_caller(),
            states: IndexSet::default(),
            calls: IndexSet::default(),
            results: IndexSet::default(),
            result_sets: std::iter::once(Box::default()).collect(),
            outcomes: FxHashMap::default(),
            alone: FxHashMap::default(),
            answers: FxHashMap::default(),
            renamed: FxHashMap::default(),
            renamed_calls: FxHashMap::default(),
            renamed_results: FxHashMap::default(),
            values: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// With observers in the place of the specification.
    pub fn observing(machine: &'p SpecMachine, watching: Watching<'p>) -> Sequential<'p> {
        Sequential { observing: Some(Observing::new(watching)), ..Sequential::new(machine) }
    }

    pub fn initial(&mut self) -> Result<Vec<SpecId>, SpecError> {
        if let Some(observing) = &self.observing {
            let initial = observing.initial();
            return Ok(vec![self.state(initial)]);
        }
        Ok(self.machine.initial()?.into_iter().map(|s| self.state(s)).collect())
    }

    pub fn call(&mut self, op: OpId, args: &[Word]) -> CallId {
        CallId(number_of(self.calls.insert_full((op, args.into())).0))
    }

    pub fn result(&mut self, words: &[Word]) -> ResultId {
        ResultId(number_of(self.results.insert_full(words.into()).0))
    }

    pub fn result_set(&mut self, mut results: Vec<ResultId>) -> ResultSetId {
        results.sort_unstable();
        results.dedup();
        ResultSetId(number_of(self.result_sets.insert_full(results.into()).0))
    }

    /// Whether an operation never changes the state.
    pub fn only_reads(&self, op: OpId) -> bool {
        self.machine.program().spec.only_reads(op)
    }

    pub fn op_of(&self, call: CallId) -> OpId {
        self.calls[call.0 as usize].0
    }

    /// Every way in which the calls of these threads take effect at one moment.
    pub fn outcomes(
        &mut self,
        from: SpecId,
        participants: &[(CallId, usize)],
    ) -> Result<Arc<[Outcome]>, SpecError> {
        let key = (from, participants.into());
        if let Some(known) = self.outcomes.get(&key) {
            return Ok(known.clone());
        }
        let group: Vec<Participant<'_>> = participants
            .iter()
            .map(|&(call, thread)| {
                let (op, args) = &self.calls[call.0 as usize];
                Participant { op: *op, args, thread: ThreadId::new(thread) }
            })
            .collect();
        let from = &self.states[from.0 as usize];
        let mut words = Vec::new();
        match (&self.observing, &group[..]) {
            (Some(observing), [one]) => {
                let outcomes = observing.outcomes(from, one.op, one.args);
                words.extend(outcomes.into_iter().map(|(state, result)| (state, vec![result])));
            }
            (Some(_), _) => {}
            (None, _) => {
                for outcome in self.machine.outcomes(from, &group)? {
                    let state = outcome.state;
                    let program = self.machine.program();
                    let as_object =
                        |(part, result): (&Participant<'_>, _)| as_returned(program, part.op, result);
                    let results: Vec<Vec<Word>> = group.iter().zip(outcome.results).map(as_object).collect();
                    words.push((state, results));
                }
            }
        }
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(words.len());
        for (state, results) in words {
            let state = self.state(state);
            outcomes.push((state, results.iter().map(|r| self.result(r)).collect()));
        }
        outcomes.sort();
        outcomes.dedup();
        let outcomes: Arc<[Outcome]> = outcomes.into();
        self.bytes += 80 + 40 * outcomes.len();
        self.outcomes.insert(key, outcomes.clone());
        Ok(outcomes)
    }

    /// Every way in which one call takes effect by itself.
    pub fn alone(
        &mut self,
        from: SpecId,
        call: CallId,
        thread: usize,
    ) -> Result<Arc<[(SpecId, ResultId)]>, SpecError> {
        if let Some(known) = self.alone.get(&(from, call, byte_of(thread))) {
            return Ok(known.clone());
        }
        let outcomes = self.outcomes(from, &[(call, thread)])?;
        let alone: Arc<[(SpecId, ResultId)]> =
            outcomes.iter().filter_map(|(spec, results)| Some((*spec, *results.first()?))).collect();
        self.alone.insert((from, call, byte_of(thread)), alone.clone());
        self.bytes += 48 + 8 * alone.len();
        Ok(alone)
    }

    /// The groups of two or more waiting calls that may take effect together: as many as a rendezvous has heads.
    pub fn rendezvous(&self, waiting: &[(CallId, usize)]) -> Vec<Vec<(CallId, usize)>> {
        self.groups(waiting, |(_, thread)| *thread)
    }

    /// The groups of members of different threads that are as large as a rendezvous may be. Members come in the order of their
    /// threads.
    pub fn groups<T: Clone>(&self, members: &[T], thread: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
        let mut groups: Vec<Vec<T>> = Vec::new();
        if self.largest_clause < 2 {
            return groups;
        }
        let mut last: Vec<Vec<T>> = members.iter().map(|member| vec![member.clone()]).collect();
        for _ in 1..self.largest_clause {
            let mut larger = Vec::new();
            for group in &last {
                // Each group once: who comes next is of a thread behind all of the group's.
                let behind = |member: &&T| group.iter().all(|other| thread(other) < thread(member));
                let with = |member: &T| [group.as_slice(), std::slice::from_ref(member)].concat();
                larger.extend(members.iter().filter(behind).map(with));
            }
            groups.extend(larger.iter().cloned());
            last = larger;
        }
        groups
    }

    pub fn has_rendezvous(&self) -> bool {
        self.largest_clause > 1
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether what a call does may depend on its thread.
    pub fn names_caller(&self) -> bool {
        self.names_caller
    }

    /// Whether states of the specification can name threads.
    pub fn names_threads(&self) -> bool {
        let spec = &self.machine.program().spec;
        let types = &self.machine.program().types;
        let names = |ty: TypeId| holds_thread(types, ty, &mut Vec::new());
        spec.globals.variables.iter().any(|variable| names(variable.ty))
    }

    /// Whether arguments or results can name threads.
    pub fn calls_name_threads(&self) -> bool {
        let program = self.machine.program();
        let types = program.ops.iter().flat_map(|op| op.params.iter().chain(&op.result));
        types.into_iter().any(|ty| holds_thread(&program.types, *ty, &mut Vec::new()))
    }

    /// A state under other names: of threads if there is a symmetry, and of values.
    pub fn rename_state(
        &mut self,
        state: SpecId,
        renaming: Renaming,
        threads: Option<&ThreadSymmetry>,
        number_of_threads: usize,
    ) -> SpecId {
        let occurring = self.values_of_state(state);
        let data = (1..16)
            .filter(|value| occurring >> value & 1 == 1)
            .map(|value| renaming.data & 15 << (4 * value));
        let renaming =
            Renaming { threads: if threads.is_some() { renaming.threads } else { 0 }, data: data.sum() };
        if let Some(&known) = self.renamed.get(&(state, renaming)) {
            return known;
        }
        let mut renamed = self.states[state.0 as usize].clone();
        if renaming.data != 0 {
            let name = |value: Word| renaming.value(value).unwrap_or(value);
            renamed = match &self.observing {
                Some(observing) => observing.renamed(&renamed, name),
                None => rename_spec_data(&self.machine, &renamed, &(1..=15).map(name).collect::<Vec<_>>()),
            };
        }
        if let Some(symmetry) = threads.filter(|_| self.observing.is_none()) {
            let names: Vec<ThreadId> =
                (0..number_of_threads).map(|thread| ThreadId::new(renaming.thread(thread))).collect();
            renamed = rename_spec_threads(&self.machine, symmetry, &renamed, &names);
        }
        let renamed = self.state(renamed);
        self.renamed.insert((state, renaming), renamed);
        self.bytes += 40;
        renamed
    }

    pub fn rename_call(&mut self, call: CallId, renaming: Renaming) -> CallId {
        if let Some(&known) = self.renamed_calls.get(&(call, renaming)) {
            return known;
        }
        let renamed = self.call_under(call, renaming);
        self.renamed_calls.insert((call, renaming), renamed);
        self.bytes += 32;
        renamed
    }

    pub fn rename_result(&mut self, op: OpId, result: ResultId, renaming: Renaming) -> ResultId {
        if let Some(&known) = self.renamed_results.get(&(op, result, renaming)) {
            return known;
        }
        let renamed = self.result_under(op, result, renaming);
        self.renamed_results.insert((op, result, renaming), renamed);
        self.bytes += 36;
        renamed
    }

    fn call_under(&mut self, call: CallId, renaming: Renaming) -> CallId {
        let (op, args) = self.calls[call.0 as usize].clone();
        let program = self.machine.program().clone();
        let mut renamed = Vec::with_capacity(args.len());
        let mut rest = &args[..];
        for &param in &program.ops[op].params {
            if rest.is_empty() {
                break;
            }
            // Each argument takes what its type takes; with collections that is not known before it is read.
            let widths = 0..=rest.len();
            let value = widths.rev().find_map(|width| {
                let words = portable::rename(&program.types, param, &rest[..width], &mut namer(renaming))?;
                Some((width, words))
            });
            let Some((width, words)) = value else { break };
            renamed.extend(words);
            rest = &rest[width..];
        }
        self.call(op, &renamed)
    }

    fn result_under(&mut self, op: OpId, result: ResultId, renaming: Renaming) -> ResultId {
        let program = self.machine.program().clone();
        let Some(ty) = program.ops[op].result else { return result };
        let words = self.results[result.0 as usize].clone();
        match portable::rename(&program.types, ty, &words, &mut namer(renaming)) {
            Some(renamed) => self.result(&renamed),
            None => result,
        }
    }

    /// The values that occur in a state.
    pub fn values_of_state(&mut self, state: SpecId) -> u64 {
        let (machine, states, observing) = (self.machine, &self.states, &self.observing);
        *self.values.entry(state).or_insert_with(|| {
            let mut values = 0;
            if let Some(observing) = observing {
                return observing.values(&states[state.0 as usize]);
            }
            machine
                .for_each_word(&states[state.0 as usize], &mut |slot, word| values |= value_bit(slot, word));
            values
        })
    }

    /// The values among the arguments of a call.
    pub fn values_of_call(&self, call: CallId) -> u64 {
        let (op, args) = &self.calls[call.0 as usize];
        let params = &self.machine.program().ops[*op].params;
        let slots = params.iter().flat_map(|param| self.machine.program().types.slots(*param));
        values_of(slots.collect(), args)
    }

    pub fn values_of_result(&self, op: OpId, result: ResultId) -> u64 {
        let program = self.machine.program();
        let Some(ty) = program.ops[op].result else { return 0 };
        values_of(program.types.slots(ty), &self.results[result.0 as usize])
    }

    /// What a result looks like to somebody who knows no values.
    pub fn look_of_result(&self, op: OpId, result: ResultId) -> u64 {
        let program = self.machine.program();
        let words = &self.results[result.0 as usize];
        let blind = |slot: SlotKind, word: Word| if value_bit(slot, word) == 0 { word } else { 1 };
        let seen =
            program.ops[op].result.and_then(|ty| portable::rename(&program.types, ty, words, &mut { blind }));
        low_half(digest(seen.unwrap_or_default().into_iter().map(digested)))
    }

    /// Digests of what numbers stand for: the same in every run, whatever came first.
    pub fn digest_of_state(&self, state: SpecId) -> u128 {
        digest(self.states[state.0 as usize].words().iter().copied().map(digested))
    }

    pub fn digest_of_call(&self, call: CallId) -> u128 {
        let (op, args) = &self.calls[call.0 as usize];
        digest([op.index() as u64].into_iter().chain(args.iter().copied().map(digested)))
    }

    pub fn digest_of_result(&self, result: ResultId) -> u128 {
        digest(self.results[result.0 as usize].iter().copied().map(digested))
    }

    fn state(&mut self, state: SpecState) -> SpecId {
        let (index, fresh) = self.states.insert_full(state);
        if fresh {
            self.bytes += 96;
        }
        SpecId(number_of(index))
    }
}

fn namer(renaming: Renaming) -> impl FnMut(SlotKind, Word) -> Word {
    move |slot, word| match slot.scalar {
        Scalar::Data => renaming.value(word).unwrap_or(word),
        Scalar::Thread if word >= 0 => word_of(renaming.thread(word.cast_unsigned() as usize)),
        _ => word,
    }
}

fn value_bit(slot: SlotKind, word: Word) -> u64 {
    if slot.scalar == Scalar::Data && (1..64).contains(&word) { 1 << word } else { 0 }
}

/// With collections the slots do not line up with the words: then every word that could be a value counts as one.
fn values_of(slots: Vec<SlotKind>, words: &[Word]) -> u64 {
    if slots.len() == words.len() && !slots.iter().any(|slot| matches!(slot.scalar, Scalar::Collection(_))) {
        return slots.iter().zip(words).fold(0, |values, (slot, word)| values | value_bit(*slot, *word));
    }
    words.iter().filter(|word| (1..64).contains(*word)).fold(0, |values, word| values | 1 << word)
}

fn holds_thread(types: &linchpin_ir::types::TypeTable, ty: TypeId, open: &mut Vec<TypeId>) -> bool {
    use linchpin_ir::types::TypeKind;
    if open.contains(&ty) {
        return false;
    }
    open.push(ty);
    types.slots(ty).iter().any(|slot| match slot.scalar {
        Scalar::Thread | Scalar::Lock | Scalar::Condvar => true,
        Scalar::Collection(of) => match types.kind(of) {
            TypeKind::Seq(t) | TypeKind::Set(t) | TypeKind::Bag(t) => holds_thread(types, t, open),
            TypeKind::Map(k, v) => holds_thread(types, k, open) || holds_thread(types, v, open),
            _ => false,
        },
        _ => false,
    })
}
