//! Measures steps a second of random walks on a model: alone, and with copy, normal form and key.
//!
//! `cargo run --release -p linchpin-semantics --example step_rate -- models/correct/treiber_stack.lin
//! [threads] [seconds]`

use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::Word;
use linchpin_semantics::{Bounds, Client, Machine, NoEvents, Outcome, Picks, State, ThreadId};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: step_rate MODEL [threads] [seconds]");
        return ExitCode::from(2);
    };
    let threads = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(2);
    let seconds = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(1.0);
    match measure(&path, threads, Duration::from_secs_f64(seconds)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn measure(path: &str, threads: u32, time: Duration) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut sources = SourceMap::default();
    let root = sources.add(path, text);
    let setting = Setting { threads, ..Setting::default() };
    let modules: BTreeMap<String, String> = BTreeMap::new();
    let typed = check(&mut sources, &modules, root, &setting).program.ok_or("the model has errors")?;
    let program = Arc::new(lower(&sources, &typed).map_err(|_| "the model cannot be lowered")?);
    let bounds = Bounds { threads, ..Bounds::default() };
    let machine = Machine::new(&program, &bounds).map_err(|_| "the model cannot be run")?;
    let client = Client::general(&program, &bounds).map_err(|_| "the model cannot be called")?;
    for (what, search) in [("steps", false), ("steps with copy, normal form and key", true)] {
        let (steps, elapsed) = walk(&machine, &client, time, search)?;
        println!("{:>12.0} {what} a second", steps as f64 / elapsed.as_secs_f64());
    }
    Ok(())
}

/// Walks at random. Restarts where no step is possible.
fn walk(machine: &Machine, client: &Client, time: Duration, search: bool) -> Result<(u64, Duration), String> {
    let begin = machine.initial(&mut Picks::new()).map_err(|outcome| format!("init: {outcome:?}"))?;
    let mut random = fastrand::Rng::with_seed(1);
    let (mut state, mut work) = (begin.clone(), State::default());
    let mut key: Vec<Word> = Vec::new();
    let mut picks = Picks::new();
    let (mut steps, mut failures) = (0, 0);
    let start = Instant::now();
    while steps % 1024 != 0 || start.elapsed() < time {
        let thread = ThreadId::new(random.usize(..machine.bounds().threads as usize));
        work.clone_from(&state);
        picks.clear();
        let outcome = if machine.is_idle(&work, thread) {
            let calls: Vec<_> = client.calls(machine, &work, thread).collect();
            let Some(call) = calls.get(random.usize(..calls.len().max(1))) else { continue };
            machine.call(
                &mut work,
                thread,
                call.op,
                &call.args,
                call.next_position,
                &mut picks,
                &mut NoEvents,
            )
        } else {
            machine.step(&mut work, thread, &mut picks, &mut NoEvents)
        };
        steps += 1;
        if outcome == Outcome::Done {
            failures = 0;
            std::mem::swap(&mut state, &mut work);
            if search {
                machine.normalise(&mut state);
                machine.flatten(&state, &mut key);
            } else if steps % 64 == 0 {
                machine.collect_keeping_names(&mut state);
            }
        } else {
            failures += 1;
            if failures > 20 {
                state.clone_from(&begin);
            }
        }
    }
    Ok((steps, start.elapsed()))
}
