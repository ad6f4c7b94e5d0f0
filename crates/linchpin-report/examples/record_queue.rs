//! Records what real queues did under threads, and judges it: crossbeam's two, and one with a mistake.
//!
//! `cargo run --release -p linchpin-report --example record_queue [DIRECTORY]` writes the histories into the
//! directory too, for `linchpin history DIRECTORY/seg_queue.jsonl --spec Queue`.
//!
//! A recorder in any language works the same way. Take a stamp from one counter before each call and after
//! each return. Keep the lines of each thread apart, and sort them by their stamps at the end. The stamps lie
//! outside of the calls. So calls that do not overlap may appear to overlap, and never the other way round:
//! every violation that is found is real.

use crossbeam_queue::{ArrayQueue, SegQueue};
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::Word;
use linchpin_judge::history::{Budget, Ending};
use linchpin_report::line::Palette;
use linchpin_report::recorded::view::View;
use linchpin_report::recorded::{HistoryQuery, judge, lines, read};
use linchpin_semantics::{Bounds, SpecMachine};
use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

const THREADS: u64 = 4;
const CALLS: u64 = 5_000;

/// What is to be recorded.
trait Queue: Sync {
    fn enq(&self, value: u64);
    fn deq(&self) -> Option<u64>;
}

impl Queue for SegQueue<u64> {
    fn enq(&self, value: u64) {
        self.push(value);
    }

    fn deq(&self) -> Option<u64> {
        self.pop()
    }
}

impl Queue for ArrayQueue<u64> {
    fn enq(&self, value: u64) {
        // There is room for all values at once.
        let _ = self.push(value);
    }

    fn deq(&self) -> Option<u64> {
        self.pop()
    }
}

/// Looks at the first element, and removes the first element: not always the same one.
#[derive(Default)]
struct Hasty {
    items: Mutex<VecDeque<u64>>,
}

impl Queue for Hasty {
    fn enq(&self, value: u64) {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).push_back(value);
    }

    fn deq(&self) -> Option<u64> {
        let first = self.items.lock().unwrap_or_else(PoisonError::into_inner).front().copied();
        std::thread::yield_now();
        self.items.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        first
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1);
    let spec = specification()?;
    let queues: [(&str, &dyn Queue); 3] = [
        ("seg_queue", &SegQueue::new()),
        ("array_queue", &ArrayQueue::new(usize::try_from(THREADS * CALLS)?)),
        ("hasty_queue", &Hasty::default()),
    ];
    for (name, queue) in queues {
        let text = record(queue);
        if let Some(directory) = &directory {
            std::fs::write(format!("{directory}/{name}.jsonl"), &text)?;
        }
        println!("{}", judged(name, &text, &spec)?);
    }
    Ok(())
}

/// Lets the threads loose on a queue, and gives the history as lines.
fn record(queue: &dyn Queue) -> String {
    let clock = AtomicU64::new(0);
    let stamp = || clock.fetch_add(1, Ordering::SeqCst);
    let one_thread = |thread: u64| {
        let mut random = fastrand::Rng::with_seed(thread);
        let mut lines = Vec::new();
        for call in 0..CALLS {
            if random.bool() {
                let value = thread * CALLS + call;
                let before = stamp();
                queue.enq(value);
                let after = stamp();
                lines.push((before, format!(r#"{{"thread": {thread}, "call": "enq", "args": [{value}]}}"#)));
                lines.push((after, format!(r#"{{"thread": {thread}, "return": "enq"}}"#)));
            } else {
                let before = stamp();
                let value = queue.deq();
                let after = stamp();
                let value = value.map_or("null".to_string(), |value| value.to_string());
                lines.push((before, format!(r#"{{"thread": {thread}, "call": "deq"}}"#)));
                lines.push((after, format!(r#"{{"thread": {thread}, "return": "deq", "result": {value}}}"#)));
            }
        }
        lines
    };
    let mut lines = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || one_thread(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    lines.sort();
    lines.iter().map(|(_, line)| format!("{line}\n")).collect()
}

/// The library's queue. A program has an object; nothing of it is used but its operations.
fn specification() -> Result<SpecMachine, Box<dyn Error>> {
    let mut sources = SourceMap::default();
    let text = "object Recorded: Queue; op enq(v: data) { loop {} } op deq() -> data? { loop {} }";
    let root = sources.add("queue.lin", text);
    let checked = check(&mut sources, &BTreeMap::new(), root, &Setting::default());
    let typed = checked.program.ok_or("the model has errors")?;
    let program = lower(&sources, &typed).map_err(|_| "the model cannot be lowered")?;
    let bounds = Bounds { ints: Word::MAX - 1, ..Bounds::default() };
    Ok(SpecMachine::new(&Arc::new(program), &bounds).map_err(|_| "the specification cannot be run")?)
}

/// The verdict and its reasons.
fn judged(name: &str, text: &str, spec: &SpecMachine) -> Result<String, Box<dyn Error>> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let (lines, findings) = lines::parse(file, text, &|| true).ok_or("it was ended")?;
    if !findings.is_empty() {
        return Err("a line is not in the format".into());
    }
    let recorded = read(&sources, spec.program(), &lines, &|| true).map_err(|_| "no history of a queue")?;
    let recorded = recorded.ok_or("it was ended")?;
    let question =
        HistoryQuery::new(Property::Linearizable, Ending::Open).ok_or("no property of a history")?;
    let started = Instant::now();
    let judged = judge(spec, &recorded, question, Budget::default());
    let seconds = started.elapsed().as_secs_f64();
    let view = View { spec, recorded: &recorded, palette: Palette::Plain };
    let reasons = if judged.verdict() == "violated" { view.reasons(&judged, 100) } else { String::new() };
    let answers = view.verdicts(std::slice::from_ref(&judged));
    Ok(format!("{}{answers}  {seconds:.2} s\n{reasons}", view.heading(name, "Queue")))
}
