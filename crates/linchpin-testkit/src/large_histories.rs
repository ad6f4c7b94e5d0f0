//! Long histories that are linearizable by construction: threads make calls, each takes effect in the
//! specification at one moment between its call and its return.

use fastrand::Rng;
use linchpin_ir::index::Index;
use linchpin_ir::program::OpId;
use linchpin_ir::types::{Word, word_of};
use linchpin_judge::history::{Event, History, as_returned};
use linchpin_semantics::{Participant, SpecMachine, SpecState, ThreadId};

pub struct Recipe {
    pub threads: usize,
    pub calls: usize,
    /// A thread without a call begins one in one of this many moments. Larger numbers make fewer calls
    /// overlap.
    pub pause: u32,
    /// About how many elements there are: operation 0 adds, operation 1 removes.
    pub elements: usize,
    /// Arguments of operation 0 are all different, or so many.
    pub values: Option<u32>,
    /// The words of an operation's argument, from the next value.
    pub args: fn(rng: &mut Rng, op: usize, value: Word) -> Vec<Word>,
}

enum Thread {
    Idle,
    Called { op: OpId, args: Vec<Word> },
    Done { result: Vec<Word> },
}

/// The events, all calls returned.
pub fn events(rng: &mut Rng, spec: &SpecMachine, recipe: &Recipe) -> Vec<Event> {
    let program = spec.program();
    let mut state = spec.initial().expect("no fault").remove(0);
    let mut threads: Vec<Thread> = (0..recipe.threads).map(|_| Thread::Idle).collect();
    let mut events = Vec::new();
    let (mut made, mut elements, mut value) = (0, 0usize, 0);
    while made < recipe.calls || threads.iter().any(|thread| !matches!(thread, Thread::Idle)) {
        let at = rng.usize(..threads.len());
        let thread = ThreadId::new(at);
        match &mut threads[at] {
            Thread::Idle if made == recipe.calls || rng.u32(..recipe.pause) > 0 => {}
            Thread::Idle => {
                let adds = rng.usize(..2 * recipe.elements.max(1)) >= elements;
                let others = program.ops.len() > 2 && rng.u32(..3) == 0;
                let op = if others { rng.usize(2..program.ops.len()) } else { usize::from(!adds) };
                match op {
                    0 => elements += 1,
                    1 => elements = elements.saturating_sub(1),
                    _ => {}
                }
                value = recipe.values.map_or(value + 1, |values| rng.i32(1..=word_of(values)));
                let args = (recipe.args)(rng, op, value);
                let op = OpId::new(op);
                events.push(Event::Call { thread, op, args: args.clone() });
                threads[at] = Thread::Called { op, args };
                made += 1;
            }
            Thread::Called { op, args } => {
                let (op, args) = (*op, std::mem::take(args));
                threads[at] = match effect(rng, spec, &mut state, thread, op, &args) {
                    Some(result) => Thread::Done { result },
                    None => Thread::Called { op, args },
                };
            }
            Thread::Done { result } => {
                events.push(Event::Return { thread, result: std::mem::take(result) });
                threads[at] = Thread::Idle;
            }
        }
    }
    events
}

/// Exchanges the results of two calls of one operation, the second the first after some event that returned
/// something else.
pub fn with_swapped_results(events: &[Event], spec: &SpecMachine, op: usize, from: usize) -> Vec<Event> {
    let history = History::new(spec.program(), events.to_vec()).expect("a history");
    let mut returns = history.calls().iter().filter(|call| call.op.index() == op).filter_map(|call| {
        let returned = call.returned.as_ref().filter(|returned| returned.event >= from)?;
        Some((returned.event, returned.result.clone()))
    });
    let (first, one) = returns.next().expect("a call after this event");
    let (second, other) = returns.find(|(_, result)| *result != one).expect("another result");
    let mut events = events.to_vec();
    for (at, result) in [(first, other), (second, one)] {
        events[at] = Event::Return { thread: events[at].thread(), result };
    }
    events
}

fn effect(
    rng: &mut Rng,
    spec: &SpecMachine,
    state: &mut SpecState,
    thread: ThreadId,
    op: OpId,
    args: &[Word],
) -> Option<Vec<Word>> {
    let mut outcomes = spec.outcomes(state, &[Participant { op, args, thread }]).expect("no fault");
    if outcomes.is_empty() {
        return None;
    }
    let outcome = outcomes.swap_remove(rng.usize(..outcomes.len()));
    *state = outcome.state;
    let result = outcome.results.into_iter().next().flatten();
    Some(as_returned(spec.program(), op, result))
}
