//! One worker's view of the monitor that all workers share: answers that it has heard before it remembers.
//!
//! The monitor is behind a lock; a worker's memory has a fixed size and is overwritten, so a question may be asked again.

use super::monitor::{CallId, Event, Look, Monitor, MonitorId, REJECTED, ResultId, UNWATCHED};
use super::successors::ClientEvent;
use crate::reduce::Renaming;
use linchpin_engine::lock;
use linchpin_ir::index::byte_of;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::SpecError;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

/// The monitor, if there is one, for all workers.
pub type Shared<'p> = Option<Mutex<Monitor<'p>>>;

pub struct MonitorCache<'s, 'p> {
    shared: &'s Shared<'p>,
    watches_points: bool,
    calls: FxHashMap<(OpId, SmallVec<[Word; 4]>), CallId>,
    results: FxHashMap<SmallVec<[Word; 4]>, ResultId>,
    moves: Memory<(MonitorId, Event), MonitorId>,
    renamed: Memory<(MonitorId, Renaming), MonitorId>,
    coverings: Memory<(MonitorId, MonitorId), bool>,
    looks: Memory<MonitorId, Arc<Look>>,
}

impl<'s, 'p> MonitorCache<'s, 'p> {
    pub fn new(shared: &'s Shared<'p>) -> MonitorCache<'s, 'p> {
        let watches_points = shared.as_ref().is_some_and(|monitor| lock(monitor).watches_points());
        MonitorCache {
            shared,
            watches_points,
            calls: FxHashMap::default(),
            results: FxHashMap::default(),
            moves: Memory::new(),
            renamed: Memory::new(),
            coverings: Memory::new(),
            looks: Memory::new(),
        }
    }

    /// Whether an annotated point is visible.
    pub fn watches_points(&self) -> bool {
        self.watches_points
    }

    /// The monitor's state after what was seen.
    pub fn observe(&mut self, from: MonitorId, seen: &[ClientEvent]) -> Result<MonitorId, SpecError> {
        let Some(shared) = self.shared else { return Ok(UNWATCHED) };
        if from == REJECTED {
            return Ok(REJECTED);
        }
        let mut at = from;
        for seen in seen {
            let Some(event) = self.event(shared, seen) else { continue };
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

    pub fn look(&mut self, state: MonitorId) -> Arc<Look> {
        if let Some(known) = self.looks.get(&state) {
            return known.clone();
        }
        let look = self.shared.as_ref().map(|shared| lock(shared).look(state)).unwrap_or_default();
        self.looks.put(state, look.clone());
        look
    }

    /// What a state stands for, the same in every run.
    pub fn digest(&mut self, state: MonitorId) -> u128 {
        self.shared.as_ref().map_or(0, |shared| lock(shared).digest(state))
    }

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

    /// Whether what `large` rejects, `small` rejects: the closure of `small` is a subset.
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

    /// Whether an execution may end in a monitor state; `None`: nobody knows, or it is too late to ask.
    pub fn is_legal_end(&mut self, state: MonitorId) -> Result<Option<bool>, SpecError> {
        match self.shared {
            Some(shared) if state != REJECTED => lock(shared).is_legal_end(state).map(Some),
            _ => Ok(None),
        }
    }

    fn event(&mut self, shared: &Mutex<Monitor<'p>>, seen: &ClientEvent) -> Option<Event> {
        use linchpin_ir::index::Index;
        match seen {
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

/// Remembers what was put last in each of its places.
struct Memory<K, V> {
    places: Vec<Option<(K, V)>>,
}

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

    /// Grows where two keys meet, up to a size that caches still serve.
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
        // The number of places is a power of two, and counts what lies in memory: the place is never cut short.
        let place = hasher.finish() & (self.places.len() as u64 - 1);
        usize::try_from(place).unwrap_or(0)
    }
}
