//! How far a run has come: the line on a terminal, and the memory that the process holds.

use linchpin_engine::{Listener, Progress, Schedules, whole};
use linchpin_report::verdicts::{duration_text, grouped, rounded};
use std::io::{IsTerminal, Write};

/// The resident set of this process, where the system tells.
pub fn memory_in_use() -> Option<u64> {
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
        let _ = write!(std::io::stderr(), "\r\x1b[2K  {}", line(progress));
        self.is_shown = true;
    }
}

/// How far it has come, and what is still to come.
fn line(progress: &Progress) -> String {
    let seconds = progress.elapsed.as_secs_f64().max(0.001);
    let rate = whole(progress.states as f64 / seconds);
    let (states, memory) = (grouped(progress.states as u64), progress.bytes >> 20);
    let mut line = progress.schedules.map_or(String::new(), schedules_text);
    line += &format!("{states} states, {} a second", grouped(rate));
    if progress.left.is_none() {
        line += &format!(", depth {}, {} to go on from", progress.depth, grouped(progress.frontier as u64));
    }
    line + &format!(", {memory} MiB{}", outlook(progress))
}

/// Schedules that are searched in one search come to their end together, so none of them is done before.
fn schedules_text(schedules: Schedules) -> String {
    let Schedules { done, at_once, of } = schedules;
    let at_once = if at_once > 1 { format!(", {} at once", grouped(at_once)) } else { String::new() };
    format!("{} of {} schedules done{at_once}: ", grouped(done), grouped(of))
}

/// How much is still to come, and whether it will fit. Of several searches it speaks of the one that runs.
fn outlook(progress: &Progress) -> String {
    if let Some(left) = progress.left {
        let too_long = progress.time.is_some_and(|limit| progress.elapsed + left > limit);
        let fits = if too_long { "; will not fit the time" } else { "" };
        return format!(", about {} left{fits}", duration_text(left.as_secs_f64()));
    }
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
    format!(", of about {}: {} left, {} MiB{fits}", rounded(states), duration_text(left), whole(bytes) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn schedules_at_once_are_not_done_before_the_search_is() {
        let progress = Progress {
            states: 12_000,
            depth: 9,
            frontier: 300,
            bytes: 5 << 20,
            elapsed: Duration::from_secs(2),
            forecast: Some(24_000),
            schedules: Some(Schedules { done: 270, at_once: 7_838, of: 8_108 }),
            ..Progress::default()
        };
        assert_eq!(
            line(&progress),
            "270 of 8,108 schedules done, 7,838 at once: 12,000 states, 6,000 a second, depth 9, 300 to go on \
             from, 5 MiB, of about 24,000: 2 s left, 10 MiB"
        );
    }

    #[test]
    fn schedules_one_by_one_tell_the_time_left() {
        let progress = Progress {
            states: 12_000,
            bytes: 5 << 20,
            elapsed: Duration::from_secs(2),
            schedules: Some(Schedules { done: 270, at_once: 1, of: 8_108 }),
            left: Some(Duration::from_secs(58)),
            time: Some(Duration::from_secs(30)),
            ..Progress::default()
        };
        assert_eq!(
            line(&progress),
            "270 of 8,108 schedules done: 12,000 states, 6,000 a second, 5 MiB, about 58 s left; will not fit the time"
        );
    }
}
