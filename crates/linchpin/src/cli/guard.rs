//! The guard of a budget: a thread that measures the whole command from its start.
//!
//! Every 10 ms the guard polls the clock, the memory of the process and interrupts. At a limit the guard
//! requests a stop ([`Stop`]). All work polls the request and ends with partial results.
//!
//! Claim: no command exceeds its budget by more than the grace. Argument: if work does not end within the
//! grace, the guard prints the partial results and the limit and ends the process. The exit code is 3, or 1
//! after a violation. Guarding tests: `tests/cli/budgets.rs`.

use super::budget::memory_in_use;
use super::ending::{Ending, Failure};
use super::values::{MemorySize, TimeLimit};
use linchpin_engine::Budget;
use linchpin_engine::stop::{Cause, Stop};
use linchpin_report::quantities::duration_text;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Least grace for formatting and writing results after the time limit. The grace is at least a quarter of
/// the limit.
const LEAST_GRACE: Duration = Duration::from_millis(700);
/// Least grace of memory in bytes. The grace is at least a quarter of the limit.
const LEAST_SPARE: u64 = 64 << 20;

/// Interrupts of the process (Ctrl-C). The first interrupt stops the work, the second one ends the process.
#[derive(Clone)]
pub struct Interrupts(Arc<AtomicBool>);

impl Interrupts {
    /// Installs the handler. If that fails, an interrupt ends the process.
    pub fn listen() -> Interrupts {
        let is_interrupted = Arc::new(AtomicBool::new(false));
        let flag = is_interrupted.clone();
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        Interrupts(is_interrupted)
    }

    /// Returns whether an interrupt arrived.
    pub fn have_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Measures a command, or a part of a command with its own budget, until the guard is dropped.
pub struct Guard {
    pub budget: Budget,
    watched: Arc<Watched>,
}

/// Data shared by the guard thread and the command.
struct Watched {
    started: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    stop: Arc<Stop>,
    /// Partial results. `None`: the work is finished.
    partial: Mutex<Option<PartialResult>>,
}

/// The results so far.
#[derive(Clone, Debug)]
struct PartialResult {
    text: String,
    ending: Ending,
}

impl Guard {
    pub fn new(interrupts: &Interrupts, timeout: Option<TimeLimit>, memory: Option<MemorySize>) -> Guard {
        let stop = Arc::new(Stop::default());
        let watched = Arc::new(Watched {
            started: Instant::now(),
            time: timeout.map(|limit| limit.duration),
            memory: memory.map(|size| size.bytes),
            stop: stop.clone(),
            partial: Mutex::new(Some(PartialResult { text: String::new(), ending: Ending::Unknown })),
        });
        let (watching, interrupts) = (watched.clone(), interrupts.clone());
        std::thread::spawn(move || watching.watch(&interrupts));
        let budget = Budget { time: watched.time, memory: watched.memory, stop, memory_in_use };
        Guard { budget, watched }
    }

    /// Stores partial results, in case the guard has to end the process.
    pub fn keep(&self, text: &str, ending: Ending) {
        if let Some(partial) = &mut *self.watched.lock() {
            partial.text = text.into();
            partial.ending = if ending == Ending::Violated { ending } else { Ending::Unknown };
        }
    }

    /// Ends the measurement. From now on the command prints its results.
    pub fn finish(&self) {
        *self.watched.lock() = None;
    }

    /// Returns the limit that stopped the work. `None`: not stopped.
    pub fn ended_by(&self) -> Option<String> {
        self.watched.stop.cause().map(|cause| self.watched.limit_text(cause))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Watched {
    fn lock(&self) -> MutexGuard<'_, Option<PartialResult>> {
        self.partial.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, interrupts: &Interrupts) {
        loop {
            let elapsed = self.started.elapsed();
            // The memory is probed only if there is a limit.
            let bytes = self.memory.and_then(|_| memory_in_use()).unwrap_or(0);
            let over = self.time.filter(|limit| elapsed >= *limit).map(|_| Cause::Time);
            let over = over.or(self.memory.filter(|limit| bytes >= *limit).map(|_| Cause::Memory));
            let over = interrupts.have_come().then_some(Cause::Interrupted).or(over);
            if let Some(cause) = over {
                self.stop.ask(cause);
            }
            let no_time = self.time.is_some_and(|limit| elapsed >= limit + LEAST_GRACE.max(limit / 4));
            let no_memory =
                self.memory.is_some_and(|limit| bytes >= limit.saturating_add(LEAST_SPARE.max(limit / 4)));
            match &*self.lock() {
                None => return,
                Some(partial) if no_memory => self.end(Cause::Memory, partial),
                Some(partial) if no_time => self.end(Cause::Time, partial),
                Some(_) => {}
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn limit_text(&self, cause: Cause) -> String {
        match cause {
            Cause::Interrupted => "interrupted".into(),
            Cause::Time => {
                let seconds = self.time.unwrap_or_default().as_secs_f64();
                let text = if seconds < 10.0 { format!("{seconds:.1} s") } else { duration_text(seconds) };
                format!("the time limit of {text} is reached")
            }
            Cause::Memory => {
                format!("the memory limit of {} MiB is reached", self.memory.unwrap_or_default() >> 20)
            }
        }
    }

    /// Ends the process. The caller holds the lock, so the command does not print at the same time.
    fn end(&self, cause: Cause, partial: &PartialResult) -> ! {
        let mut out = anstream::stdout();
        let _ = out.write_all(partial.text.as_bytes()).and_then(|()| out.flush());
        let failure =
            Failure::unknown(format!("{}, in work that could not be stopped", self.limit_text(cause)))
                .help("raise the limit, or use smaller bounds");
        let _ = writeln!(anstream::stderr(), "{failure}");
        std::process::exit(i32::from(partial.ending.code()));
    }
}
