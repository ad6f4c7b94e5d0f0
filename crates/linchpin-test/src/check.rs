//! Runs a test: reads the environment, chooses the way, and ends with what was covered or with a failure.

use crate::case::{Case, Way};
use crate::outcome::{Covered, Failed, Failure, REPLAY, Replay};
use crate::verdicts::Verdicts;
use crate::way;
use std::env;
use std::sync::Arc;
use std::time::Duration;

/// The environment variable with the time limit of each test, in seconds.
const BUDGET: &str = "LINCHPIN_BUDGET";

/// Runs a test in the way that the program was built for.
pub(crate) fn run(mut case: Case) -> Result<Covered, Box<Failed>> {
    if case.options.name.is_empty() {
        let thread = std::thread::current();
        case.options.name = thread.name().filter(|name| *name != "main").unwrap_or("test").to_string();
    }
    let name = case.options.name.clone();
    let refused = |why: String| Box::new(Failed::refused(&name, why));
    if let Ok(text) = env::var(BUDGET) {
        let seconds = text.trim_end_matches('s').parse().ok().filter(|seconds: &f64| seconds.is_finite());
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds < 1e9);
        let Some(seconds) = seconds else {
            return Err(refused(format!("`{BUDGET}={text}` is not a number of seconds, such as `30s`")));
        };
        case.options.budget = Duration::from_secs_f64(seconds);
    }
    let way = Way::built();
    if case.options.only.is_some_and(|only| only != way) {
        return Ok(Covered::skipped(&case.options.name, way));
    }
    let case = Arc::new(case);
    let mut verdicts = Verdicts::new(&case);
    let asked = env::var(REPLAY).ok().and_then(|text| Replay::parse(&text, &case.options.name));
    match (asked, way) {
        (Some(Replay::Record(path)), _) => {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| refused(format!("cannot read `{}`: {error}", path.display())))?;
            let record = crate::saved::parse(&case.interface, &text)
                .map_err(|why| refused(format!("`{}`: {why}", path.display())))?;
            match verdicts.judge(&record) {
                Err(fault) => {
                    let failure = Failure { fault, record, replay: Replay::Record(path), notes: Vec::new() };
                    Err(Box::new(Failed::new(&case, way, failure)))
                }
                Ok(()) => Ok(verdicts.covered(way)),
            }
        }
        (asked, Way::Threads) => {
            if asked.is_some() {
                let why = "the failure is a schedule of another way: run `cargo linchpin test --way shuttle`";
                return Err(refused(why.into()));
            }
            way::threads::run(&case, &mut verdicts)
        }
        #[cfg(linchpin_way = "shuttle")]
        (asked, Way::Shuttle) => way::shuttle::run(&case, &mut verdicts, asked),
        #[allow(unreachable_patterns, reason = "which ways are built depends on the configuration")]
        (_, way) => Err(refused(format!("the way {way} is not built into this program"))),
    }
}
