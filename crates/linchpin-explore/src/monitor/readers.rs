//! Readers in a box: what the relation → does to the results that pending readers may have had.
//!
//! Let ρ(s) be what a reader returns at state s and M the results that it may have had at earlier states; M ∩ ρ(s) = ∅. When
//! some call takes the specification from s to s′, the reader may have been just before it: M′ = (M ∪ ρ(s)) \ ρ(s′). A
//! reader may return r at (s, M) iff r ∈ M ∪ ρ(s). One box lies in another if their states and what is done agree and each
//! M is a subset; everything that follows is monotone in M.

use super::configuration::{Configuration, Readers};
use super::sequential::{ResultId, ResultSetId, SpecId};
use super::{Monitor, pending_call};
use linchpin_ir::index::byte_of;
use linchpin_semantics::SpecError;

impl Monitor<'_> {
    /// The threads whose pending calls are readers.
    pub(super) fn readers(&self, pending: &[u32]) -> Readers {
        let mut readers = Readers::default();
        for thread in 0..self.threads {
            if pending_call(pending, thread).is_some_and(|call| self.is_reader(self.sequential.op_of(call))) {
                readers.insert(thread);
            }
        }
        readers
    }

    /// The configuration after calls that are no readers took effect.
    pub(super) fn after(
        &mut self,
        pending: &[u32],
        readers: Readers,
        before: &Configuration,
        spec: SpecId,
        done: impl IntoIterator<Item = (usize, ResultId)>,
    ) -> Result<Configuration, SpecError> {
        let mut next = before.clone();
        for (thread, result) in done {
            next = next.with_done(spec, thread, result);
        }
        if spec != before.spec {
            for reader in readers.iter() {
                let Some(call) = pending_call(pending, reader) else { continue };
                let then = self.sequential.answers(before.spec, call, reader)?;
                let now = self.sequential.answers(spec, call, reader)?;
                let past = self.sequential.union_without(before.past(reader), then, now);
                next.set_past(reader, past);
            }
        }
        Ok(next)
    }

    /// Whether a reader may return a result in a configuration.
    pub(super) fn may_return(
        &mut self,
        pending: &[u32],
        configuration: &Configuration,
        reader: usize,
        result: ResultId,
    ) -> Result<bool, SpecError> {
        if self.sequential.results_of(configuration.past(reader)).contains(&result) {
            return Ok(true);
        }
        let Some(call) = pending_call(pending, reader) else { return Ok(false) };
        let now = self.sequential.answers(configuration.spec, call, reader)?;
        Ok(self.sequential.results_of(now).contains(&result))
    }

    /// Whether one box lies in another.
    pub(super) fn lies_in(&self, inner: &Configuration, outer: &Configuration, readers: Readers) -> bool {
        inner.spec == outer.spec
            && (0..self.threads).all(|thread| {
                inner.column(thread) == outer.column(thread)
                    || readers.contains(thread)
                        && self.sequential.is_subset(inner.past(thread), outer.past(thread))
            })
    }

    /// How many results readers may have had, in all.
    pub(super) fn number_past(&self, configuration: &Configuration, readers: Readers) -> usize {
        readers.iter().map(|reader| self.sequential.results_of(configuration.past(reader)).len()).sum()
    }
}

impl super::Sequential<'_> {
    pub fn results_of(&self, set: ResultSetId) -> &[ResultId] {
        &self.result_sets[set.0 as usize]
    }

    /// What a reader may return at a state.
    fn answers(
        &mut self,
        spec: SpecId,
        call: super::CallId,
        thread: usize,
    ) -> Result<ResultSetId, SpecError> {
        let key = (spec, call, byte_of(thread));
        if let Some(&known) = self.answers.get(&key) {
            return Ok(known);
        }
        let results = self.alone(spec, call, thread)?.iter().map(|(_, result)| *result).collect();
        let set = self.result_set(results);
        self.answers.insert(key, set);
        Ok(set)
    }

    /// (past ∪ then) \ now.
    fn union_without(&mut self, past: ResultSetId, then: ResultSetId, now: ResultSetId) -> ResultSetId {
        let without = self.results_of(now);
        let both = self.results_of(past).iter().chain(self.results_of(then));
        let set = both.filter(|result| !without.contains(result)).copied().collect();
        self.result_set(set)
    }

    fn is_subset(&self, small: ResultSetId, large: ResultSetId) -> bool {
        let large = self.results_of(large);
        self.results_of(small).iter().all(|result| large.contains(result))
    }
}
