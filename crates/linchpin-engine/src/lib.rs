//! What every engine is given, and what it tells while it runs. Engines know nothing of terminals, files or exit codes.

mod amounts;
mod forecast;
pub mod model;
mod together;
pub mod verdict;

pub use amounts::{BoundRange, MemorySize, TimeLimit};
pub use forecast::{forecast, whole};
pub use linchpin_order::stop;
pub use together::{guarded, lock, together};

use linchpin_order::stop::{Cause, Stop};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a run may use. A search that reaches a limit ends as `unknown`, never as `holds`.
#[derive(Clone, Debug)]
pub struct Budget {
    pub time: Option<Duration>,
    /// Bytes of the whole process.
    pub memory: Option<u64>,
    /// Asked from outside to stop at the next occasion: by an interrupt, or by whoever measures the whole command.
    pub stop: Arc<Stop>,
    /// The memory that the process holds now, if the system tells.
    pub memory_in_use: fn() -> Option<u64>,
}

/// Why a run ended before its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    Time(Duration),
    Memory(u64),
    Interrupted,
    /// More states than the search can number.
    States(usize),
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub states: usize,
    pub transitions: u64,
    pub depth: usize,
    /// Found but not yet expanded.
    pub frontier: usize,
    pub bytes: u64,
    pub elapsed: Duration,
    /// The number of states when it will have ended, if the levels let anybody guess.
    pub forecast: Option<u64>,
    /// What it may use.
    pub memory: Option<u64>,
    pub time: Option<Duration>,
    /// How far it is with its schedules, where there are any.
    pub schedules: Option<Schedules>,
    /// How long it will take, where that is known from what it took so far.
    pub left: Option<Duration>,
}

/// How far a run has come with its schedules.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Schedules {
    /// Judged.
    pub done: u64,
    /// Searched now, in one search.
    pub at_once: u64,
    pub of: u64,
}

/// Hears of progress a few times a second.
pub trait Listener {
    fn progress(&mut self, progress: &Progress);
}

/// Hears nothing.
pub struct Silent;

impl Listener for Silent {
    fn progress(&mut self, _: &Progress) {}
}

/// Adds to what it hears how far the schedules are, and tells it on.
pub struct OfSchedules<'l> {
    pub listener: &'l mut dyn Listener,
    pub schedules: Schedules,
}

impl Listener for OfSchedules<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.listener.progress(&Progress { schedules: Some(self.schedules), ..*progress });
    }
}

/// The workers that the machine has cores for.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A budget that has begun to be used.
pub struct BudgetMeter {
    budget: Budget,
    started: Instant,
    told: Instant,
    looked: Instant,
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
const BETWEEN_TELLING: Duration = Duration::from_millis(200);

impl BudgetMeter {
    pub fn start(budget: Budget) -> BudgetMeter {
        let now = Instant::now();
        BudgetMeter { budget, started: now, told: now, looked: now }
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether it is time for a look: a few dozen times a second.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = now - self.looked >= BETWEEN_LOOKS;
        if is_due {
            self.looked = now;
        }
        is_due
    }

    /// Whether somebody outside wants it to stop.
    pub fn is_stopped(&self) -> bool {
        self.budget.stop.is_asked()
    }

    /// Whether to stop; `held` is what the engine itself knows that it holds or is about to.
    pub fn exhausted(&self, held: usize) -> Option<Exhausted> {
        match self.budget.stop.cause() {
            Some(Cause::Interrupted) => return Some(Exhausted::Interrupted),
            Some(Cause::Time) => return Some(Exhausted::Time(self.budget.time.unwrap_or(self.elapsed()))),
            Some(Cause::Memory) => {
                return Some(Exhausted::Memory(self.budget.memory.unwrap_or(held as u64)));
            }
            None => {}
        }
        if let Some(limit) = self.budget.time
            && self.started.elapsed() >= limit
        {
            return Some(Exhausted::Time(limit));
        }
        if let Some(limit) = self.budget.memory {
            let in_use = (self.budget.memory_in_use)().unwrap_or(0).max(held as u64);
            if in_use >= limit {
                return Some(Exhausted::Memory(limit));
            }
        }
        None
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn tell(&mut self, listener: &mut dyn Listener, progress: impl FnOnce(Duration) -> Progress) {
        let now = Instant::now();
        if now - self.told >= BETWEEN_TELLING {
            self.told = now;
            listener.progress(&progress(now - self.started));
        }
    }
}
