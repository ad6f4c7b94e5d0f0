//! An oracle of bounded verdicts: one schedule at a time, nothing merged, nothing reduced, everything judged
//! by its definition.
//!
//! For each schedule of a scope the whole graph of concrete states is built with the plain machine. Stuck
//! states, weakly fair cycles and recursion are read off that graph, thread by thread; histories are judged
//! by every order of their calls. The engine, which searches all schedules at once, must say of each property
//! what the schedules say together.
//!
//! | file | what it has |
//! |---|---|
//! | `objects` | random objects and scopes |
//! | `judging` | what the schedules of a scope say together |
//! | `orders` | a history by brute force |
//! | `comparison` | the engine beside that, and differences by cause |
//! | `endless`, `model` | shared with the tests of reductions |
//! | `precedence` | shared with the tests of histories |

mod comparison;
mod judging;
mod objects;
mod orders;

use crate::reductions::model::{Text, complaint};
use comparison::Tally;
use linchpin_engine::model::Model;
use linchpin_explore::{ClientRequest, Request};
use linchpin_ir::interface::Setting;
use linchpin_portfolio::catalogue::entries;
use objects::Drawn;
use std::time::{Duration, Instant};

fn on_random_objects(seeds: impl Iterator<Item = u64>, until: impl Fn() -> bool, tally: &mut Tally) {
    for seed in seeds {
        if until() {
            break;
        }
        let drawn = Drawn::of(seed);
        let model = Text::new(drawn.text.as_str());
        let setting = Setting { threads: *drawn.request.threads.start(), ..Setting::default() };
        if let Err(problem) = model.compile(&setting) {
            panic!("seed {seed} is not an object:\n{}\n{}", complaint(&problem), drawn.text);
        }
        tally.compare(&format!("seed {seed}\n{}", drawn.text), &model, &drawn.request);
        tally.compare(
            &format!("seed {seed}\n{}", drawn.text),
            &model,
            &Request { client: ClientRequest::General, ..drawn.request },
        );
    }
}

/// The schedule models of the catalogue with two threads and two calls, or three.
fn on_the_catalogue(steps: u32, until: impl Fn() -> bool, tally: &mut Tally) {
    for entry in entries() {
        if until() {
            break;
        }
        let model = Text::of(entry);
        let Ok(compiled) = model.compile(&Setting::default()) else { continue };
        let mut asked: Vec<Request> = Vec::new();
        for block in &compiled.program.checks {
            let block = Request::of_check(block).0;
            if let ClientRequest::Schedules { restrictions, .. } = &block.client {
                let client = ClientRequest::Schedules {
                    steps: 2..=steps,
                    preadds: 0..=1,
                    restrictions: restrictions.clone(),
                };
                let (values, keys) = (1..=2, 1..=2);
                asked.push(Request { threads: 2..=2, values, keys, client, preemptions: None, ..block });
            }
        }
        asked.dedup();
        if let Some(request) = asked.first() {
            tally.compare(entry.name, &model, request);
        }
    }
}

#[test]
fn random_objects() {
    let mut tally = Tally::default();
    on_random_objects(0..90, || false, &mut tally);
    tally.judge(150);
}

#[test]
fn the_catalogue() {
    let mut tally = Tally::default();
    on_the_catalogue(2, || false, &mut tally);
    tally.judge(20);
}

/// As many objects as there is time for: `LINCHPIN_ORACLE_SECONDS`, from the seed `LINCHPIN_ORACLE_FIRST` on.
#[test]
fn long_as_many_as_there_is_time_for() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let Some(seconds) = number("LINCHPIN_ORACLE_SECONDS").map(Duration::from_secs) else { return };
    let started = Instant::now();
    let mut tally = Tally::default();
    on_the_catalogue(3, || started.elapsed() > seconds / 3, &mut tally);
    let first = number("LINCHPIN_ORACLE_FIRST").unwrap_or(0);
    on_random_objects(first.., || started.elapsed() > seconds, &mut tally);
    tally.judge(1);
}
