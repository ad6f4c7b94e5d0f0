//! Per-worker cache in front of the shared monitor. Fixed size; entries may be overwritten.
//!
//! The shared monitor is behind a lock. A worker asks it only where its own cache has no entry.

use super::{
    CallId, ClientEvent, Event, Monitor, MonitorId, MonitorSignature, REJECTED, ResultId, UNWATCHED,
};
use crate::reduce::Renaming;
use linchpin_engine::lock;
use linchpin_ir::index::{Index, byte_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::SpecError;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

/// The monitor that all workers share; `None` for a search without a monitor.
pub type SharedMonitor<'p> = Option<Mutex<Monitor<'p>>>;

/// The cache of one worker.
pub struct MonitorCache<'s, 'p> {
    shared: &'s SharedMonitor<'p>,
    watches_points: bool,
    calls: FxHashMap<(OpId, SmallVec<[Word; 4]>), CallId>,
    results: FxHashMap<SmallVec<[Word; 4]>, ResultId>,
    moves: Memory<(MonitorId, Event), MonitorId>,
    renamed: Memory<(MonitorId, Renaming), MonitorId>,
    coverings: Memory<(MonitorId, MonitorId), bool>,
    signatures: Memory<MonitorId, Arc<MonitorSignature>>,
}

impl<'s, 'p> MonitorCache<'s, 'p> {
    pub fn new(shared: &'s SharedMonitor<'p>) -> MonitorCache<'s, 'p> {
        let watches_points = shared.as_ref().is_some_and(|monitor| lock(monitor).watches_points());
        MonitorCache {
            shared,
            watches_points,
            calls: FxHashMap::default(),
            results: FxHashMap::default(),
            moves: Memory::new(),
            renamed: Memory::new(),
            coverings: Memory::new(),
            signatures: Memory::new(),
        }
    }

    /// Checks whether annotated points are visible to the monitor.
    pub fn watches_points(&self) -> bool {
        self.watches_points
    }

    /// Returns the monitor state after events.
    pub fn observe(&mut self, from: MonitorId, events: &[ClientEvent]) -> Result<MonitorId, SpecError> {
        let Some(shared) = self.shared else { return Ok(UNWATCHED) };
        if from == REJECTED {
            return Ok(REJECTED);
        }
        let mut at = from;
        for event in events {
            let Some(event) = self.event(shared, event) else { continue };
            at = match self.moves.get(&(at, event)) {
                Some(&known) => known,
                None => {
                    let to = lock(shared).advance(at, event)?.unwrap_or(REJECTED);
                    self.moves.put((at, event), to);
                    to
                }
            };
            if at == REJECTED {
                return Ok(REJECTED);
            }
        }
        Ok(at)
    }

    /// Returns what a monitor state looks like without names.
    pub fn signature(&mut self, state: MonitorId) -> Arc<MonitorSignature> {
        if let Some(known) = self.signatures.get(&state) {
            return known.clone();
        }
        let signature = self.shared.as_ref().map(|shared| lock(shared).signature(state)).unwrap_or_default();
        self.signatures.put(state, signature.clone());
        signature
    }

    /// Returns a digest of a state's contents: the same in every run.
    pub fn digest(&mut self, state: MonitorId) -> u128 {
        self.shared.as_ref().map_or(0, |shared| lock(shared).digest(state))
    }

    /// Renames a monitor state.
    pub fn renamed(&mut self, state: MonitorId, renaming: Renaming) -> MonitorId {
        let Some(shared) = self.shared else { return state };
        if state == REJECTED || state == UNWATCHED {
            return state;
        }
        if let Some(&known) = self.renamed.get(&(state, renaming)) {
            return known;
        }
        let renamed = lock(shared).renamed(state, renaming);
        self.renamed.put((state, renaming), renamed);
        renamed
    }

    /// Checks whether `large` accepts every future that `small` accepts.
    pub fn covers(&mut self, large: MonitorId, small: MonitorId) -> bool {
        let Some(shared) = self.shared else { return false };
        if small == REJECTED || large == REJECTED {
            return small == REJECTED;
        }
        if let Some(&known) = self.coverings.get(&(large, small)) {
            return known;
        }
        let covers = lock(shared).covers(large, small).unwrap_or(false);
        self.coverings.put((large, small), covers);
        covers
    }

    /// Checks whether an execution may end in a monitor state; `None`: there is no monitor, or it has
    /// rejected.
    pub fn is_legal_end(&mut self, state: MonitorId) -> Result<Option<bool>, SpecError> {
        match self.shared {
            Some(shared) if state != REJECTED => lock(shared).is_legal_end(state).map(Some),
            _ => Ok(None),
        }
    }

    fn event(&mut self, shared: &Mutex<Monitor<'p>>, event: &ClientEvent) -> Option<Event> {
        match event {
            ClientEvent::Call { thread, op, args } => {
                let call = match self.calls.get(&(*op, args.clone())) {
                    Some(&call) => call,
                    None => {
                        let call = lock(shared).call(*op, args);
                        self.calls.insert((*op, args.clone()), call);
                        call
                    }
                };
                Some(Event::Call { thread: byte_of(thread.index()), call })
            }
            ClientEvent::Return { thread, result, .. } => {
                let result = match self.results.get(result) {
                    Some(&known) => known,
                    None => {
                        let number = lock(shared).result(result);
                        self.results.insert(result.clone(), number);
                        number
                    }
                };
                Some(Event::Return { thread: byte_of(thread.index()), result })
            }
            ClientEvent::Lin { .. } if !self.watches_points => None,
            ClientEvent::Lin { thread, maybe } => {
                Some(Event::Lin { thread: byte_of(thread.index()), maybe: *maybe })
            }
        }
    }
}

/// A hash table with one entry for each place: a new entry overwrites the old one.
struct Memory<K, V> {
    places: Vec<Option<(K, V)>>,
}

/// The least and the largest number of places.
const SMALLEST: usize = 1 << 8;
const LARGEST: usize = 1 << 17;

impl<K: Hash + Eq + Clone, V: Clone> Memory<K, V> {
    fn new() -> Memory<K, V> {
        Memory { places: vec![None; SMALLEST] }
    }

    fn get(&self, key: &K) -> Option<&V> {
        match &self.places[self.place(key)] {
            Some((known, value)) if known == key => Some(value),
            _ => None,
        }
    }

    /// Inserts an entry. Grows on a collision, up to a size that fits processor caches.
    fn put(&mut self, key: K, value: V) {
        let place = self.place(&key);
        if self.places[place].is_some() && self.places.len() < LARGEST {
            let old = std::mem::take(&mut self.places);
            self.places = vec![None; old.len() * 4];
            for (key, value) in old.into_iter().flatten() {
                let place = self.place(&key);
                self.places[place] = Some((key, value));
            }
        }
        let place = self.place(&key);
        self.places[place] = Some((key, value));
    }

    fn place(&self, key: &K) -> usize {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        // The number of places is a power of two and fits `usize`, so the conversion loses nothing.
        let place = hasher.finish() & (self.places.len() as u64 - 1);
        usize::try_from(place).unwrap_or(0)
    }
}
