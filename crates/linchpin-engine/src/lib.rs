//! The contract of all engines: budget, progress, findings, models. Engines use no terminal, no files, no
//! exit codes.

mod amounts;
mod forecast;
pub mod model;
pub mod samples;
pub mod state_space;
mod together;
pub mod verdict;

pub use amounts::{BoundRange, MemorySize, TimeLimit};
pub use forecast::{forecast, settled_forecast, whole};
pub use linchpin_order::stop;
pub use together::{guarded, lock, together};

use linchpin_order::stop::{Cause, Stop};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits of a run. A search that reaches a limit ends as `unknown`, never as `holds`.
///
/// The default has no limits: `Budget { time: Some(limit), ..Budget::default() }` limits the time alone.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Wall-clock limit. `None`: unlimited.
    pub time: Option<Duration>,
    /// Limit of the process memory in bytes. `None`: unlimited.
    pub memory: Option<u64>,
    /// Request to stop, set from outside: by an interrupt, or by the guard of the whole command.
    pub stop: Arc<Stop>,
    /// Probe of the process memory in bytes. The default probe returns `None`: then only the engine's own
    /// estimate counts against the limit.
    pub memory_in_use: fn() -> Option<u64>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { time: None, memory: None, stop: Arc::default(), memory_in_use: || None }
    }
}

/// The limit that ended a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    Time(Duration),
    /// Memory limit in bytes.
    Memory(u64),
    Interrupted,
    /// More states than the search can number.
    States(usize),
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub states: usize,
    pub transitions: u64,
    pub depth: usize,
    /// Number of states found but not yet expanded.
    pub frontier: usize,
    /// Memory of the search in bytes.
    pub bytes: u64,
    pub elapsed: Duration,
    /// Estimated number of states of the finished search. `None`: no estimate.
    pub forecast: Option<u64>,
    /// Memory limit in bytes. `None`: unlimited.
    pub memory: Option<u64>,
    /// Time limit. `None`: unlimited.
    pub time: Option<Duration>,
    /// Progress through the schedules. `None`: the client has no schedules.
    pub schedules: Option<Schedules>,
    /// Estimated remaining time, from the time of finished schedules. `None`: no estimate.
    pub left: Option<Duration>,
}

/// Progress of a run through its schedules.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Schedules {
    /// Number of judged schedules.
    pub done: u64,
    /// Number of schedules in the current search.
    pub at_once: u64,
    /// Number of all schedules.
    pub of: u64,
}

/// Receives progress a few times a second.
pub trait Listener {
    fn progress(&mut self, progress: &Progress);
}

/// A listener that ignores progress.
pub struct Silent;

impl Listener for Silent {
    fn progress(&mut self, _: &Progress) {}
}

/// A listener that adds the progress through the schedules and forwards to another listener.
pub struct OfSchedules<'l> {
    pub listener: &'l mut dyn Listener,
    pub schedules: Schedules,
}

impl Listener for OfSchedules<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.listener.progress(&Progress { schedules: Some(self.schedules), ..*progress });
    }
}

/// Returns the number of cores, the default number of workers.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Measures a run against its budget.
pub struct BudgetMeter {
    budget: Budget,
    started: Instant,
    last_report: Instant,
    last_poll: Instant,
}

const POLL_INTERVAL: Duration = Duration::from_millis(20);
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

impl BudgetMeter {
    /// Starts the clock.
    pub fn start(budget: Budget) -> BudgetMeter {
        let now = Instant::now();
        BudgetMeter { budget, started: now, last_report: now, last_poll: now }
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns whether the caller should check the limits now: true once every 20 ms.
    pub fn should_poll(&mut self) -> bool {
        let now = Instant::now();
        let is_due = now - self.last_poll >= POLL_INTERVAL;
        if is_due {
            self.last_poll = now;
        }
        is_due
    }

    /// Returns whether a stop was requested from outside.
    pub fn is_stopped(&self) -> bool {
        self.budget.stop.is_asked()
    }

    /// Returns the limit that is reached, if any. `held` is the memory in bytes that the engine holds or will
    /// allocate next.
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

    /// Returns the budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Reports progress to the listener, at most once every 200 ms.
    pub fn report(&mut self, listener: &mut dyn Listener, progress: impl FnOnce(Duration) -> Progress) {
        let now = Instant::now();
        if now - self.last_report >= REPORT_INTERVAL {
            self.last_report = now;
            listener.progress(&progress(now - self.started));
        }
    }
}
