//! Readers: how the relation → changes the results that pending readers may have had.
//!
//! Let ρ(s) be the results of a reader at state s, and M the results that it may have had at earlier states;
//! M ∩ ρ(s) = ∅. When some call takes the specification from s to s′, the reader may have taken effect just
//! before: M′ = (M ∪ ρ(s)) \ ρ(s′). A reader may return r at (s, M) iff r ∈ M ∪ ρ(s). One box lies in another
//! if their states and done calls agree and each M is a subset. All operations are monotone in M.

use super::configuration::{Configuration, Readers};
use super::linearizability::{Linearizer, pending_call};
use super::spec_table::{CallId, ResultId, ResultSetId, SpecId, SpecTable};
use linchpin_ir::index::byte_of;
use linchpin_semantics::SpecError;

impl Linearizer<'_, '_> {
    /// Returns the threads whose pending calls are readers.
    pub(super) fn readers(&self, pending: &[u32]) -> Readers {
        let mut readers = Readers::default();
        for thread in 0..self.tables.threads {
            if pending_call(pending, thread).is_some_and(|call| self.is_reader(self.tables.spec.op_of(call)))
            {
                readers.insert(thread);
            }
        }
        readers
    }

    /// Returns the configuration after the effect of calls that are not readers.
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
                let then = self.tables.spec.reader_results(before.spec, call, reader)?;
                let now = self.tables.spec.reader_results(spec, call, reader)?;
                let past = self.tables.spec.union_without(before.past(reader), then, now);
                next.set_past(reader, past);
            }
        }
        Ok(next)
    }

    /// Checks whether a reader may return a result in a configuration.
    pub(super) fn may_return(
        &mut self,
        pending: &[u32],
        configuration: &Configuration,
        reader: usize,
        result: ResultId,
    ) -> Result<bool, SpecError> {
        if self.tables.spec.results_of(configuration.past(reader)).contains(&result) {
            return Ok(true);
        }
        let Some(call) = pending_call(pending, reader) else { return Ok(false) };
        let now = self.tables.spec.reader_results(configuration.spec, call, reader)?;
        Ok(self.tables.spec.results_of(now).contains(&result))
    }

    /// Checks whether one box lies in another.
    pub(super) fn lies_in(&self, inner: &Configuration, outer: &Configuration, readers: Readers) -> bool {
        inner.spec == outer.spec
            && (0..self.tables.threads).all(|thread| {
                inner.column(thread) == outer.column(thread)
                    || readers.contains(thread)
                        && self.tables.spec.is_subset(inner.past(thread), outer.past(thread))
            })
    }

    /// Returns the number of results that readers may have had.
    pub(super) fn number_past(&self, configuration: &Configuration, readers: Readers) -> usize {
        readers.iter().map(|reader| self.tables.spec.results_of(configuration.past(reader)).len()).sum()
    }
}

impl SpecTable<'_> {
    pub fn results_of(&self, set: ResultSetId) -> &[ResultId] {
        &self.result_sets[set.0 as usize]
    }

    /// Returns the results of a reader at a state.
    fn reader_results(
        &mut self,
        spec: SpecId,
        call: CallId,
        thread: usize,
    ) -> Result<ResultSetId, SpecError> {
        let key = (spec, call, byte_of(thread));
        if let Some(&known) = self.reader_results.get(&key) {
            return Ok(known);
        }
        let results = self.alone(spec, call, thread)?.iter().map(|(_, result)| *result).collect();
        let set = self.result_set(results);
        self.reader_results.insert(key, set);
        Ok(set)
    }

    /// Returns (past ∪ then) \ now.
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
