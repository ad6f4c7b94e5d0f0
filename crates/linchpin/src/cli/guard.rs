//! The guard of a budget: a thread that measures the whole command, from its first moment on.
//!
//! Every hundredth of a second the guard looks at the clock, at the memory of the process and at interrupts. When a limit is reached it asks for
//! the end ([`Stop`]): whatever searches, counts, reads or judges looks at that, and ends with what it knows. Work that does not end
//! within a grace period of time or memory is ended with the process: the guard prints what was known so far, says which limit was
//! passed, and exits with code 3, or with 1 if a violation was known. So no work can pass the budget, also none that never looks.

use super::budget::memory_in_use;
use super::ending::{Ending, Failure};
use super::values::{MemorySize, TimeLimit};
use linchpin_engine::Budget;
use linchpin_engine::stop::{Cause, Stop};
use linchpin_report::verdicts::duration_text;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// After the time is over results are still put together and written; for this long at least, or a quarter of the time.
const LEAST_GRACE: Duration = Duration::from_millis(700);
/// The same of memory, in bytes.
const LEAST_SPARE: u64 = 64 << 20;

/// Interrupts of the process (Ctrl-C). The first one ends the work, which then tells what it has; a second one ends the program.
#[derive(Clone)]
pub struct Interrupts(Arc<AtomicBool>);

impl Interrupts {
    /// Listens from now on; without a handler an interrupt just ends the program.
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

    pub fn have_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Measures a command, or a part of it with a budget of its own, until it is dropped.
pub struct Guard {
    pub budget: Budget,
    watched: Arc<Watched>,
}

/// What the guard and the command share.
struct Watched {
    started: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    stop: Arc<Stop>,
    /// `None`: the work is over, and what it found is being told.
    so_far: Mutex<Option<SoFar>>,
}

/// What is known so far.
#[derive(Clone, Debug)]
struct SoFar {
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
            so_far: Mutex::new(Some(SoFar { text: String::new(), ending: Ending::Unknown })),
        });
        let (watching, interrupts) = (watched.clone(), interrupts.clone());
        std::thread::spawn(move || watching.watch(&interrupts));
        let budget = Budget { time: watched.time, memory: watched.memory, stop, memory_in_use };
        Guard { budget, watched }
    }

    /// Keeps what is known, for the case that the rest has to be ended from outside.
    pub fn keep(&self, text: &str, ending: Ending) {
        if let Some(so_far) = &mut *self.watched.lock() {
            so_far.text = text.into();
            so_far.ending = if ending == Ending::Violated { ending } else { Ending::Unknown };
        }
    }

    /// The work is over: from here on results are told, and nobody ends the process any more.
    pub fn finish(&self) {
        *self.watched.lock() = None;
    }

    /// The limit that ended the work, if one did.
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
    fn lock(&self) -> MutexGuard<'_, Option<SoFar>> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, interrupts: &Interrupts) {
        loop {
            let elapsed = self.started.elapsed();
            // The system is asked only where somebody wants to know.
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
                Some(so_far) if no_memory => self.end(Cause::Memory, so_far),
                Some(so_far) if no_time => self.end(Cause::Time, so_far),
                Some(_) => {}
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    fn limit_text(&self, cause: Cause) -> String {
        match cause {
            Cause::Interrupted => "interrupted".into(),
            Cause::Time => {
                let seconds = self.time.unwrap_or_default().as_secs_f64();
                let text = if seconds < 10.0 { format!("{seconds:.1} s") } else { duration_text(seconds) };
                format!("the time of {text} is over")
            }
            Cause::Memory => {
                format!("the memory of {} MiB is used up", self.memory.unwrap_or_default() >> 20)
            }
        }
    }

    /// Ends the process. The caller holds the lock, so nothing is being told at the same time.
    fn end(&self, cause: Cause, so_far: &SoFar) -> ! {
        let mut out = anstream::stdout();
        let _ = out.write_all(so_far.text.as_bytes()).and_then(|()| out.flush());
        let failure =
            Failure::unknown(format!("{}, in work that could not be stopped", self.limit_text(cause)))
                .help("what was asked is not answered: raise the limit, or ask of something smaller");
        let _ = writeln!(anstream::stderr(), "{failure}");
        std::process::exit(i32::from(so_far.ending.code()));
    }
}
