//! The progress line on a terminal, and the memory probe of the process.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linchpin_engine::{Listener, Progress, Schedules, whole};
use linchpin_report::line::display_width;
use linchpin_report::quantities::{duration_text, grouped, rounded};
use std::collections::VecDeque;

/// Returns the resident set of this process in bytes. `None`: the system gives no figure.
pub fn memory_in_use() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

/// A line on standard error, cut to the width of the terminal. Without a terminal there is no line.
pub struct ProgressLine {
    bar: ProgressBar,
    estimates: Estimates,
    /// Text in front of the figures: the search that they belong to.
    title: String,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(&format!("{:INDENT$}{{wide_msg}}", "")) {
            bar.set_style(style);
        }
        ProgressLine { bar, estimates: Estimates::default(), title: String::new() }
    }

    /// Begins the figures of another search.
    pub fn begin(&mut self, title: String) {
        self.estimates = Estimates::default();
        self.title = title;
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Listener for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        let forecast = self.estimates.stable(progress.forecast);
        let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| width.0.into());
        let room = width.map_or(usize::MAX, |width: usize| width.saturating_sub(INDENT));
        self.bar.set_message(line(&self.title, &Progress { forecast, ..*progress }, room));
        self.bar.tick();
    }
}

/// The last estimates of the final number of states, without repetitions.
#[derive(Default)]
struct Estimates(VecDeque<u64>);

impl Estimates {
    /// Number of estimates that must agree before one is shown.
    const AGREEING: usize = 4;

    /// Returns the estimate if the last estimates differ by at most a factor of two. So a displayed estimate
    /// never jumps by more than this factor.
    fn stable(&mut self, estimate: Option<u64>) -> Option<u64> {
        let Some(estimate) = estimate else {
            self.0.clear();
            return None;
        };
        if self.0.back() != Some(&estimate) {
            self.0.push_back(estimate);
        }
        while self.0.len() > Self::AGREEING {
            self.0.pop_front();
        }
        let (least, most) = (self.0.iter().min()?, self.0.iter().max()?);
        (self.0.len() == Self::AGREEING && most / 2 <= *least).then_some(estimate)
    }
}

/// Blanks in front of the line.
const INDENT: usize = 2;

/// Formats progress, the important figures first. Figures at the end for which there is no room are left out.
fn line(title: &str, progress: &Progress, room: usize) -> String {
    let seconds = progress.elapsed.as_secs_f64().max(0.001);
    let rate = whole(progress.states as f64 / seconds);
    let mut line = title.to_string() + &progress.schedules.map_or(String::new(), schedules_text);
    line += &format!("{} states", grouped(progress.states as u64));
    line += &outlook(progress);
    let mut figures = vec![format!("{}/s", grouped(rate))];
    if progress.left.is_none() {
        figures.push(format!("depth {}", progress.depth));
        figures.push(format!("{} to expand", grouped(progress.frontier as u64)));
    }
    figures.push(format!("{} MiB", progress.bytes >> 20));
    for figure in figures {
        if display_width(&line) + display_width(&figure) + 2 > room {
            break;
        }
        line += &format!(", {figure}");
    }
    line
}

/// Schedules of one search end together, so none of them is done before the search ends.
fn schedules_text(schedules: Schedules) -> String {
    let Schedules { done, at_once, of } = schedules;
    let at_once = if at_once > 1 { format!(", {} at once", grouped(at_once)) } else { String::new() };
    format!("{} of {} schedules done{at_once}: ", grouped(done), grouped(of))
}

/// Formats the estimated rest of the current search and whether the rest exceeds a limit.
fn outlook(progress: &Progress) -> String {
    let (elapsed, time) = (progress.elapsed.as_secs_f64(), progress.time.map(|limit| limit.as_secs_f64()));
    if let Some(left) = progress.left {
        let left = left.as_secs_f64();
        let exceeds =
            if time.is_some_and(|limit| elapsed + left > limit) { " (over the time limit)" } else { "" };
        return format!(", about {} left{exceeds}", duration_text(left));
    }
    let Some(states) = progress.forecast else { return String::new() };
    let factor = states as f64 / progress.states.max(1) as f64;
    let left = (elapsed * (factor - 1.0)).max(0.0);
    let bytes = progress.bytes as f64 * factor;
    let exceeds = match (progress.memory.is_some_and(|limit| bytes > limit as f64), time) {
        (true, _) => " (over the memory limit)",
        (false, Some(limit)) if elapsed + left > limit => " (over the time limit)",
        (false, _) => "",
    };
    format!(" of about {}, {} left{exceeds}", rounded(states), duration_text(left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn progress() -> Progress {
        Progress {
            states: 12_000,
            depth: 9,
            frontier: 300,
            bytes: 5 << 20,
            elapsed: Duration::from_secs(2),
            ..Progress::default()
        }
    }

    #[test]
    fn schedules_at_once_are_not_done_before_the_search_is() {
        let schedules = Some(Schedules { done: 270, at_once: 7_838, of: 8_108 });
        let progress = Progress { forecast: Some(24_000), schedules, ..progress() };
        assert_eq!(
            line("", &progress, usize::MAX),
            "270 of 8,108 schedules done, 7,838 at once: 12,000 states of about 24,000, 2 s left, 6,000/s, depth 9, \
             300 to expand, 5 MiB"
        );
    }

    #[test]
    fn schedules_one_by_one_give_the_time_left() {
        let progress = Progress {
            schedules: Some(Schedules { done: 270, at_once: 1, of: 8_108 }),
            left: Some(Duration::from_secs(58)),
            time: Some(Duration::from_secs(30)),
            ..progress()
        };
        assert_eq!(
            line("", &progress, usize::MAX),
            "270 of 8,108 schedules done: 12,000 states, about 58 s left (over the time limit), 6,000/s, 5 MiB"
        );
    }

    #[test]
    fn figures_without_room_are_left_out_as_a_whole() {
        let progress = Progress { forecast: Some(24_000), ..progress() };
        assert_eq!(line("", &progress, 52), "12,000 states of about 24,000, 2 s left, 6,000/s");
        assert_eq!(line("", &progress, 59), "12,000 states of about 24,000, 2 s left, 6,000/s, depth 9");
    }

    #[test]
    fn a_limit_that_the_estimate_exceeds_is_named() {
        let progress = Progress { forecast: Some(24_000), memory: Some(8 << 20), ..progress() };
        assert!(
            line("", &progress, usize::MAX)
                .starts_with("12,000 states of about 24,000, 2 s left (over the memory limit), ")
        );
    }

    #[test]
    fn an_estimate_is_shown_when_the_last_ones_agree() {
        let mut estimates = Estimates::default();
        let shown: Vec<Option<u64>> = [100, 1_000_000, 900, 900, 800, 1_000, 1_100, 1_300, 5_000]
            .map(|estimate| estimates.stable(Some(estimate)))
            .into();
        let expected = [None, None, None, None, None, None, Some(1_100), Some(1_300), None];
        assert_eq!(shown, expected);
        assert_eq!(estimates.stable(None), None);
        assert_eq!(estimates.stable(Some(1_300)), None, "the estimates begin again");
    }

    #[test]
    fn the_memory_of_the_process_is_known_here() {
        assert!(memory_in_use().is_none_or(|bytes| bytes > 1 << 20));
    }
}
