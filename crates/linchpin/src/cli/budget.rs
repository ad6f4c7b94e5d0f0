//! What a run may use, and how far it has come: time, memory, interrupts, the line on a terminal.

use super::values::{MemorySize, TimeLimit};
use linchpin::engine::{Budget, Listener, Progress};
use linchpin::report::verdicts::{duration_text, grouped, rounded};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The budget of the options. The first interrupt (Ctrl-C) ends the search, which then tells what it has; a second one
/// ends the program.
pub fn budget(timeout: Option<TimeLimit>, memory: Option<MemorySize>) -> Budget {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Without a handler an interrupt just ends the program.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    Budget {
        time: timeout.map(|limit| limit.duration),
        memory: memory.map(|size| size.bytes),
        stop,
        memory_in_use,
    }
}

/// The resident set of this process, where the system tells.
fn memory_in_use() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// A line on standard error, if that is a terminal.
pub struct ProgressLine {
    is_terminal: bool,
    is_shown: bool,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        ProgressLine { is_terminal: std::io::stderr().is_terminal(), is_shown: false }
    }

    /// Takes the line away, so that results stand alone.
    pub fn clear(&mut self) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
            self.is_shown = false;
        }
    }
}

impl Listener for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        if !self.is_terminal {
            return;
        }
        let seconds = progress.elapsed.as_secs_f64().max(0.001);
        let rate = (progress.states as f64 / seconds) as u64;
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[2K  {} states, {} a second, depth {}, {} to go on from, {} MiB{}",
            grouped(progress.states as u64),
            grouped(rate),
            progress.depth,
            grouped(progress.frontier as u64),
            progress.bytes >> 20,
            outlook(progress)
        );
        self.is_shown = true;
    }
}

/// How much is still to come, and whether it will fit.
fn outlook(progress: &Progress) -> String {
    let Some(states) = progress.forecast else { return String::new() };
    let factor = states as f64 / progress.states.max(1) as f64;
    let seconds = progress.elapsed.as_secs_f64() * factor;
    let bytes = progress.bytes as f64 * factor;
    let left = (seconds - progress.elapsed.as_secs_f64()).max(0.0);
    let too_large = progress.memory.is_some_and(|limit| bytes > limit as f64);
    let too_long = progress.time.is_some_and(|limit| seconds > limit.as_secs_f64());
    let fits = match (too_large, too_long) {
        (true, _) => "; will not fit the memory",
        (false, true) => "; will not fit the time",
        (false, false) if progress.memory.is_some() || progress.time.is_some() => "; fits so far",
        (false, false) => "",
    };
    format!(
        ", of about {}: {} left, {} MiB{fits}",
        rounded(states),
        duration_text(left),
        (bytes as u64) >> 20
    )
}
