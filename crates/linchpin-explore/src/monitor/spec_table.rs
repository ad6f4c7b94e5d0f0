//! The sequential specification by interned numbers: states, calls and results are interned, outcomes are
//! cached.

use super::digest::{digest, digested, low_half};
use super::observer_spec::ObserverSpec;
use crate::reduce::{Renaming, ThreadSymmetry, rename_spec_data, rename_spec_threads};
use indexmap::IndexSet;
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::{Scalar, SlotKind, TypeId, Word, word_of};
use linchpin_judge::history::{Watching, as_returned};
use linchpin_semantics::{Participant, SpecError, SpecMachine, SpecState, ThreadId, portable};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// A state of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SpecId(pub u32);

/// An operation with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallId(pub u32);

/// The result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResultId(pub u32);

/// A set of results; 0 is the empty set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResultSetId(pub u32);

/// The next state and the result of each participant.
pub type Outcome = (SpecId, Vec<ResultId>);

/// The specification, or observers in its place.
pub struct SpecTable<'p> {
    machine: &'p SpecMachine,
    /// The observers in the place of the specification; `None`: the specification itself.
    observers: Option<ObserverSpec<'p>>,
    /// The number of heads of the largest rendezvous.
    largest_clause: usize,
    names_caller: bool,
    states: IndexSet<SpecState, FxBuildHasher>,
    calls: IndexSet<(OpId, Box<[Word]>), FxBuildHasher>,
    results: IndexSet<Box<[Word]>, FxBuildHasher>,
    /// The results of each set, sorted.
    pub(super) result_sets: IndexSet<Box<[ResultId]>, FxBuildHasher>,
    outcomes: FxHashMap<(SpecId, Box<[(CallId, usize)]>), Arc<[Outcome]>>,
    /// The outcomes of one call by itself, which are needed most often.
    alone: FxHashMap<(SpecId, CallId, u8), Arc<[(SpecId, ResultId)]>>,
    /// The results of a reader.
    pub(super) reader_results: FxHashMap<(SpecId, CallId, u8), ResultSetId>,
    renamed: FxHashMap<(SpecId, Renaming), SpecId>,
    renamed_calls: FxHashMap<(CallId, Renaming), CallId>,
    renamed_results: FxHashMap<(OpId, ResultId, Renaming), ResultId>,
    /// For each state a mask of the values that occur.
    values: FxHashMap<SpecId, u64>,
    bytes: usize,
}

impl<'p> SpecTable<'p> {
    pub fn new(machine: &'p SpecMachine) -> SpecTable<'p> {
        SpecTable {
            machine,
            observers: None,
            largest_clause: machine.program().spec.clauses.iter().map(|c| c.heads.len()).max().unwrap_or(1),
            names_caller: machine.program().spec.names_caller(),
            states: IndexSet::default(),
            calls: IndexSet::default(),
            results: IndexSet::default(),
            result_sets: std::iter::once(Box::default()).collect(),
            outcomes: FxHashMap::default(),
            alone: FxHashMap::default(),
            reader_results: FxHashMap::default(),
            renamed: FxHashMap::default(),
            renamed_calls: FxHashMap::default(),
            renamed_results: FxHashMap::default(),
            values: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// Returns a table with observers in the place of the specification.
    pub fn with_observers(machine: &'p SpecMachine, watching: Watching<'p>) -> SpecTable<'p> {
        SpecTable { observers: Some(ObserverSpec::new(watching)), ..SpecTable::new(machine) }
    }

    /// Returns the initial states.
    pub fn initial(&mut self) -> Result<Vec<SpecId>, SpecError> {
        if let Some(observers) = &self.observers {
            let initial = observers.initial();
            return Ok(vec![self.state(initial)]);
        }
        Ok(self.machine.initial()?.into_iter().map(|s| self.state(s)).collect())
    }

    /// Interns a call.
    pub fn call(&mut self, op: OpId, args: &[Word]) -> CallId {
        CallId(number_of(self.calls.insert_full((op, args.into())).0))
    }

    /// Interns a result.
    pub fn result(&mut self, words: &[Word]) -> ResultId {
        ResultId(number_of(self.results.insert_full(words.into()).0))
    }

    /// Interns a set of results.
    pub fn result_set(&mut self, mut results: Vec<ResultId>) -> ResultSetId {
        results.sort_unstable();
        results.dedup();
        ResultSetId(number_of(self.result_sets.insert_full(results.into()).0))
    }

    /// Checks whether an operation never changes the state.
    pub fn only_reads(&self, op: OpId) -> bool {
        self.machine.program().spec.only_reads(op)
    }

    pub fn op_of(&self, call: CallId) -> OpId {
        self.calls[call.0 as usize].0
    }

    /// Returns the outcomes of calls that take effect together.
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
        match (&self.observers, &group[..]) {
            (Some(observers), [one]) => {
                let outcomes = observers.outcomes(from, one.op, one.args);
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

    /// Returns the outcomes of one call by itself.
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

    /// Returns the groups of two or more waiting calls that may take effect together. A group has at most as
    /// many calls as a rendezvous has heads.
    pub fn rendezvous(&self, waiting: &[(CallId, usize)]) -> Vec<Vec<(CallId, usize)>> {
        self.groups(waiting, |(_, thread)| *thread)
    }

    /// Returns the groups of two or more members of different threads, up to the size of the largest
    /// rendezvous. `members` are in the order of their threads.
    pub fn groups<T: Clone>(&self, members: &[T], thread: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
        let mut groups: Vec<Vec<T>> = Vec::new();
        if self.largest_clause < 2 {
            return groups;
        }
        let mut last: Vec<Vec<T>> = members.iter().map(|member| vec![member.clone()]).collect();
        for _ in 1..self.largest_clause {
            let mut larger = Vec::new();
            for group in &last {
                // Each group once: the next member has a larger thread than all members of the group.
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

    /// Checks whether the effect of a call may depend on its thread.
    pub fn names_caller(&self) -> bool {
        self.names_caller
    }

    /// Checks whether states of the specification can name threads.
    pub fn names_threads(&self) -> bool {
        let spec = &self.machine.program().spec;
        let types = &self.machine.program().types;
        let names = |ty: TypeId| holds_thread(types, ty, &mut Vec::new());
        spec.globals.variables.iter().any(|variable| names(variable.ty))
    }

    /// Checks whether arguments or results can name threads.
    pub fn calls_name_threads(&self) -> bool {
        let program = self.machine.program();
        let types = program.ops.iter().flat_map(|op| op.params.iter().chain(&op.result));
        types.into_iter().any(|ty| holds_thread(&program.types, *ty, &mut Vec::new()))
    }

    /// Renames values of a state; with a symmetry also threads.
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
            renamed = match &self.observers {
                Some(observers) => observers.renamed(&renamed, name),
                None => rename_spec_data(self.machine, &renamed, &(1..=15).map(name).collect::<Vec<_>>()),
            };
        }
        if let Some(symmetry) = threads.filter(|_| self.observers.is_none()) {
            let names: Vec<ThreadId> =
                (0..number_of_threads).map(|thread| ThreadId::new(renaming.thread(thread))).collect();
            renamed = rename_spec_threads(self.machine, symmetry, &renamed, &names);
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
            // The width of an argument follows from its type. With collections the width is known only after
            // reading.
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

    /// Returns a mask of the values that occur in a state.
    pub fn values_of_state(&mut self, state: SpecId) -> u64 {
        let (machine, states, observers) = (self.machine, &self.states, &self.observers);
        *self.values.entry(state).or_insert_with(|| {
            let mut values = 0;
            if let Some(observers) = observers {
                return observers.values(&states[state.0 as usize]);
            }
            machine
                .for_each_word(&states[state.0 as usize], &mut |slot, word| values |= value_bit(slot, word));
            values
        })
    }

    /// Returns a mask of the values among the arguments of a call.
    pub fn values_of_call(&self, call: CallId) -> u64 {
        let (op, args) = &self.calls[call.0 as usize];
        let params = &self.machine.program().ops[*op].params;
        let slots = params.iter().flat_map(|param| self.machine.program().types.slots(*param));
        values_of(slots.collect(), args)
    }

    /// Returns a mask of the values that occur in a result.
    pub fn values_of_result(&self, op: OpId, result: ResultId) -> u64 {
        let program = self.machine.program();
        let Some(ty) = program.ops[op].result else { return 0 };
        values_of(program.types.slots(ty), &self.results[result.0 as usize])
    }

    /// Returns a hash of a result that ignores which values occur.
    pub fn colour_of_result(&self, op: OpId, result: ResultId) -> u64 {
        let program = self.machine.program();
        let words = &self.results[result.0 as usize];
        let blind = |slot: SlotKind, word: Word| if value_bit(slot, word) == 0 { word } else { 1 };
        let seen =
            program.ops[op].result.and_then(|ty| portable::rename(&program.types, ty, words, &mut { blind }));
        low_half(digest(seen.unwrap_or_default().into_iter().map(digested)))
    }

    /// Returns a digest of a state's contents: the same in every run.
    pub fn digest_of_state(&self, state: SpecId) -> u128 {
        digest(self.states[state.0 as usize].words().iter().copied().map(digested))
    }

    /// Returns a digest of a call's contents.
    pub fn digest_of_call(&self, call: CallId) -> u128 {
        let (op, args) = &self.calls[call.0 as usize];
        digest([op.index() as u64].into_iter().chain(args.iter().copied().map(digested)))
    }

    /// Returns a digest of a result's contents.
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

/// Returns a mask of the values among words. With collections the slots do not match the words. Then every
/// word that could be a value counts as a value.
fn values_of(slots: Vec<SlotKind>, words: &[Word]) -> u64 {
    if slots.len() == words.len() && !slots.iter().any(|slot| matches!(slot.scalar, Scalar::Collection(_))) {
        return slots.iter().zip(words).fold(0, |values, (slot, word)| values | value_bit(*slot, *word));
    }
    words.iter().filter(|word| (1..64).contains(*word)).fold(0, |values, word| values | 1 << word)
}

/// Checks whether values of a type can name threads. `open` holds the types that are being visited.
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
