//! The instances on which Linchpin and Spin are compared, and what the comparison should show.

use crate::problem::{Bounds, Model, Question};
use crate::spin::{Grain, Purpose, Room, Search, Variant};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Instance {
    pub model: Model,
    pub bounds: Bounds,
    pub question: Question,
    /// Room for the fused model, then for one access a step, where that is measured in every run.
    pub room: Room,
    pub room_of_accesses: Option<Room>,
    pub wanted: Wanted,
}

/// What the run should show, if anything: so many times less than Spin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wanted {
    pub states: Option<f64>,
    pub cpu: Option<f64>,
    /// More states than this, and the Promela model is not what a competent user of Spin would write.
    pub states_of_spin: Option<u64>,
}

/// The hash table has a slot for each state at least, the depth half as much again as was reached.
pub const INSTANCES: [Instance; 4] = [
    Instance {
        model: Model::TreiberStack,
        bounds: Bounds { threads: 3, nodes: 4, values: 3 },
        question: Question::LinearizationPoints,
        room: Room { depth: 1_500_000, slots: 23 },
        room_of_accesses: None,
        wanted: Wanted { states: Some(100.0), cpu: Some(20.0), states_of_spin: Some(7_100_000) },
    },
    Instance {
        model: Model::TreiberStack,
        bounds: Bounds { threads: 4, nodes: 3, values: 4 },
        question: Question::LinearizationPoints,
        room: Room { depth: 750_000, slots: 22 },
        room_of_accesses: None,
        wanted: Wanted { states: Some(100.0), cpu: Some(20.0), states_of_spin: None },
    },
    Instance {
        model: Model::MsQueue,
        bounds: Bounds { threads: 4, nodes: 3, values: 1 },
        question: Question::LinearizationPoints,
        room: Room { depth: 900_000, slots: 22 },
        room_of_accesses: None,
        wanted: Wanted { states: None, cpu: Some(10.0), states_of_spin: None },
    },
    Instance {
        model: Model::TreiberStack,
        bounds: Bounds { threads: 3, nodes: 4, values: 2 },
        question: Question::LockFree,
        room: Room { depth: 1_500_000, slots: 23 },
        room_of_accesses: Some(Room { depth: 7_500_000, slots: 25 }),
        wanted: Wanted { states: Some(20.0), cpu: Some(1.0), states_of_spin: None },
    },
];

impl Instance {
    /// Spin's searches of this instance: the fused one, which ratios are taken of, is the first.
    pub fn searches(&self) -> Vec<Search> {
        let search = |grain, room| Search {
            model: self.model,
            bounds: self.bounds,
            question: self.question,
            variant: Variant::Plain,
            grain,
            room,
            purpose: Purpose::Measurement,
        };
        let accesses = self.room_of_accesses.map(|room| search(Grain::Accesses, room));
        [search(Grain::Fused, self.room)].into_iter().chain(accesses).collect()
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.model.name(), self.bounds, self.question)
    }
}
