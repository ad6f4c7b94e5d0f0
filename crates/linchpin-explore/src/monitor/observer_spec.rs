//! Observers in the place of the specification. A *state* is the locations of all observers. A call may take
//! effect with every result with which no observer accepts.
//!
//! So the criterion of points judges observers too. It guesses the result of a call at its point, and drops
//! wrong guesses. It rejects an execution when every choice of tentative points lets some observer accept.

use linchpin_ir::index::Index;
use linchpin_ir::program::OpId;
use linchpin_ir::program::observer::LocationId;
use linchpin_ir::types::{Word, word_of};
use linchpin_judge::history::{ObserverInstance, Watched, Watching};
use linchpin_semantics::SpecState;
use rustc_hash::FxHashMap;

/// The observers of a specification.
pub struct ObserverSpec<'p> {
    watching: Watching<'p>,
    numbers: FxHashMap<(usize, Vec<Word>), usize>,
}

/// The words of a state in which some value has been an argument twice.
const REPEATED: &[Word] = &[];

impl<'p> ObserverSpec<'p> {
    pub fn new(watching: Watching<'p>) -> ObserverSpec<'p> {
        let number =
            |(at, instance): (usize, &ObserverInstance)| ((instance.observer, instance.values.clone()), at);
        let numbers = watching.instances().iter().enumerate().map(number).collect();
        ObserverSpec { watching, numbers }
    }

    pub fn initial(&self) -> SpecState {
        pack(&self.watching.initial())
    }

    /// Returns the outcomes of a call with which no observer accepts.
    pub fn outcomes(&self, from: &SpecState, op: OpId, args: &[Word]) -> Vec<(SpecState, Vec<Word>)> {
        let from = unpack(from);
        let outcome = |result: &Vec<Word>| {
            let to = self.watching.step(&from, op, args, result).ok()?;
            Some((pack(&to), result.clone()))
        };
        self.watching.results(op).iter().filter_map(outcome).collect()
    }

    /// Returns a mask of the values that a state depends on. Values that no observer has seen are
    /// interchangeable.
    pub fn values(&self, state: &SpecState) -> u64 {
        match unpack(state) {
            Watched::Differentiated { seen, .. } => u64::from(seen),
            Watched::Repeated => 0,
        }
    }

    /// Renames the values that were seen. The others get the names that are left, in their order.
    pub fn renamed(&self, state: &SpecState, name: impl Fn(Word) -> Word) -> SpecState {
        let Watched::Differentiated { used, seen, locations } = unpack(state) else { return state.clone() };
        let most = self.watching.instances().iter().flat_map(|i| i.values.iter().copied()).max().unwrap_or(0);
        let most = most.max(Word::try_from(31 - seen.leading_zeros().min(31)).unwrap_or(0));
        let is_seen = |value: Word| seen >> value & 1 == 1;
        let taken: Vec<Word> = (1..=most).filter(|value| is_seen(*value)).map(&name).collect();
        let mut left = (1..).filter(|name| !taken.contains(name));
        let names: Vec<Word> = (1..=most)
            .map(|value| if is_seen(value) { name(value) } else { left.next().unwrap_or(value) })
            .collect();
        let named = |value: Word| names[value.cast_unsigned() as usize - 1];
        let bits = |set: u32| {
            (1..=most).filter(|value| set >> value & 1 == 1).fold(0, |bits, value| bits | 1 << named(value))
        };
        let mut moved = locations.clone();
        for (instance, location) in self.watching.instances().iter().zip(&locations) {
            let values = instance.values.iter().map(|value| named(*value)).collect();
            if let Some(to) = self.numbers.get(&(instance.observer, values)) {
                moved[*to] = *location;
            }
        }
        pack(&Watched::Differentiated { used: bits(used), seen: bits(seen), locations: moved })
    }
}

fn pack(watched: &Watched) -> SpecState {
    let words = match watched {
        Watched::Repeated => REPEATED.to_vec(),
        Watched::Differentiated { used, seen, locations } => {
            let head = [used.cast_signed(), seen.cast_signed()].into_iter();
            head.chain(locations.iter().map(|location| word_of(location.index()))).collect()
        }
    };
    SpecState::of_words(words)
}

fn unpack(state: &SpecState) -> Watched {
    match state.words() {
        [used, seen, locations @ ..] => Watched::Differentiated {
            used: used.cast_unsigned(),
            seen: seen.cast_unsigned(),
            locations: locations.iter().map(|word| LocationId::new(word.cast_unsigned() as usize)).collect(),
        },
        _ => Watched::Repeated,
    }
}
