//! Predicts whether a running search will finish in its budget. A search that will not is stopped early.
//!
//! There are two estimates of the number of states. The estimate from smaller instances is rather too small.
//! The estimate from levels ([`linchpin_engine::forecast`]) is early on wrong by up to a factor of ten. A
//! search is stopped if for some time the first estimate has been far above the budget, at the rate so far.
//! Without the first, the second counts, after half of the budget.

use linchpin_engine::stop::Cause;
use linchpin_engine::{Budget, Listener, Progress};

pub struct Outlook<'a> {
    budget: &'a Budget,
    /// The number of states, estimated from smaller instances.
    growth: Option<u64>,
    /// The number of hopeless reports in a row.
    hopeless: u32,
    /// The reason of the stop: the expected states, and their seconds.
    pub given_up: Option<(u64, f64)>,
}

/// The factor above the budget at which a search is stopped: by smaller instances, and by its levels. The
/// rate changes during a search. In the first levels most states are new and must be written. In the last
/// levels most are known, or cut at the node bound. For the Treiber stack with two threads, 12 nodes and
/// three values, the second half took a third of the time of the first.
const BY_GROWTH: [(f64, f64); 2] = [(3.0, 0.25), (2.0, 0.5)];
const BY_LEVELS: [(f64, f64); 1] = [(3.0, 0.5)];
/// The number of hopeless reports in a row. A search reports a few times a second.
const TIMES: u32 = 10;

impl<'a> Outlook<'a> {
    pub fn new(budget: &'a Budget, growth: Option<u64>) -> Outlook<'a> {
        Outlook { budget, growth, hopeless: 0, given_up: None }
    }

    /// Returns the seconds and bytes of a number of states, at the present rate.
    fn need(states: u64, progress: &Progress) -> (f64, f64) {
        let factor = states as f64 / progress.states.max(1) as f64;
        (progress.elapsed.as_secs_f64() * factor, progress.bytes as f64 * factor)
    }
}

impl Listener for Outlook<'_> {
    fn progress(&mut self, progress: &Progress) {
        let (margins, states) = match (self.growth, progress.forecast) {
            (Some(states), _) => (&BY_GROWTH[..], states),
            (None, Some(states)) => (&BY_LEVELS[..], states),
            (None, None) => return,
        };
        let (seconds, bytes) = Outlook::need(states, progress);
        let limit = self.budget.time.map_or(f64::INFINITY, |limit| limit.as_secs_f64());
        let memory = self.budget.memory.map_or(f64::INFINITY, |limit| limit as f64);
        let used = progress.elapsed.as_secs_f64() / limit;
        let is_hopeless = margins.iter().any(|(margin, patience)| {
            used > *patience && (seconds > margin * limit || bytes > margin * memory)
        });
        self.hopeless = if is_hopeless { self.hopeless + 1 } else { 0 };
        if self.hopeless >= TIMES {
            self.given_up = Some((states, seconds));
            self.budget.stop.ask(Cause::Interrupted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn budget() -> Budget {
        Budget {
            time: Some(Duration::from_secs(100)),
            memory: None,
            stop: Default::default(),
            memory_in_use: || None,
        }
    }

    fn after(seconds: u64, states: usize, forecast: Option<u64>) -> Progress {
        Progress { states, forecast, elapsed: Duration::from_secs(seconds), ..Progress::default() }
    }

    #[test]
    fn only_what_stays_hopeless_is_given_up() {
        let budget = budget();
        let mut outlook = Outlook::new(&budget, None);
        let tell = |outlook: &mut Outlook<'_>, progress: Progress, times: u32| {
            (0..times).for_each(|_| outlook.progress(&progress));
            outlook.given_up
        };
        assert_eq!(tell(&mut outlook, after(60, 1_000, Some(4_000)), 50), None, "within the margin");
        assert_eq!(tell(&mut outlook, after(10, 1_000, Some(90_000)), 50), None, "too early");
        assert_eq!(tell(&mut outlook, after(60, 1_000, None), 50), None, "there is no guess");
        outlook.hopeless = 0;
        assert_eq!(tell(&mut outlook, after(60, 1_000, Some(10_000)), TIMES - 1), None, "not for long");
        assert_eq!(tell(&mut outlook, after(60, 1_000, Some(10_000)), 1), Some((10_000, 600.0)));
        assert!(budget.stop.is_asked());
    }

    #[test]
    fn smaller_instances_are_heeded_first() {
        let budget = budget();
        let mut outlook = Outlook::new(&budget, Some(40_000));
        (0..TIMES).for_each(|_| outlook.progress(&after(30, 3_000, Some(5_000))));
        assert_eq!(outlook.given_up, Some((40_000, 400.0)));
    }

    #[test]
    fn less_far_above_is_hopeless_when_half_is_used() {
        let budget = budget();
        let mut outlook = Outlook::new(&budget, Some(25_000));
        (0..TIMES).for_each(|_| outlook.progress(&after(30, 3_000, None)));
        assert_eq!(outlook.given_up, None, "the rate may still rise");
        (0..TIMES).for_each(|_| outlook.progress(&after(64, 6_400, None)));
        assert_eq!(outlook.given_up, Some((25_000, 250.0)));
    }
}
