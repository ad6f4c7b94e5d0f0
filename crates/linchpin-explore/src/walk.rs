//! One random execution: at each step some thread that can move does, with some call and some picks.
//!
//! A walk is its choices only; states are computed again wherever they are wanted. The same seed gives the same walk.

use fastrand::Rng;
use linchpin_semantics::{
    Blocked, CallChoice, Client, Cut, Fault, Machine, NoEvents, Outcome, Picks, State, ThreadId,
};

/// The choices of a step: who moves, what an idle thread calls, which of the outcomes that the language leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub thread: ThreadId,
    /// `None`: the thread's pending call goes on.
    pub call: Option<CallChoice>,
    pub picks: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct Walk {
    /// The picks of the initial state: hash functions, choices in `init`.
    pub start: Vec<u32>,
    pub moves: Vec<Move>,
    pub end: End,
}

/// Why a walk ended.
#[derive(Clone, Debug)]
pub enum End {
    /// It was as long as it was asked to be.
    Long,
    /// Every call that may be made was made, and returned.
    Finished,
    /// The last move is an error.
    Fault(Box<Fault>),
    /// No thread can move; what those with a pending call wait for.
    Stuck(Vec<(ThreadId, Blocked)>),
    /// Every move leaves the instance.
    Cut(Cut),
    /// There is no initial state within the bounds.
    NoStart(Outcome),
}

/// How long a walk may be.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    pub steps: usize,
    /// Calls in all; `None`: no limit.
    pub calls: Option<usize>,
}

pub fn walk(machine: &Machine, client: &Client, seed: u64, length: Length) -> Walk {
    let mut rng = Rng::with_seed(seed);
    let mut calls_left = length.calls.unwrap_or(usize::MAX);
    let mut walk = Walk { start: Vec::new(), moves: Vec::new(), end: End::Long };
    let mut state = match start(machine, &mut rng) {
        Ok((picks, state)) => {
            walk.start = picks;
            state
        }
        Err(outcome) => {
            walk.end = End::NoStart(outcome);
            return walk;
        }
    };
    while walk.moves.len() < length.steps {
        let last = walk.moves.last().map(|last| last.thread);
        let client = (calls_left > 0).then_some(client);
        match some_move(machine, client, &state, last, &mut rng) {
            Ok(Taken { made, next, fault }) => {
                calls_left -= usize::from(made.call.is_some());
                walk.moves.push(made);
                state = next;
                if let Some(fault) = fault {
                    walk.end = End::Fault(fault);
                    break;
                }
            }
            Err(end) => {
                walk.end = end;
                break;
            }
        }
    }
    walk
}

/// The state in which a walk begins. The error is never [`Outcome::Done`].
pub fn start_of(machine: &Machine, walk: &Walk) -> Result<State, Outcome> {
    machine.initial(&mut Picks::replay(&walk.start))
}

/// Beyond this many outcomes of one step the others are left alone.
const MOST_OUTCOMES: usize = 64;

struct Taken {
    made: Move,
    next: State,
    fault: Option<Box<Fault>>,
}

fn start(machine: &Machine, rng: &mut Rng) -> Result<(Vec<u32>, State), Outcome> {
    let mut picks = Picks::new();
    let mut starts = Vec::new();
    let mut refused = Outcome::Discarded;
    for _ in 0..MOST_OUTCOMES {
        picks.restart();
        match machine.initial(&mut picks) {
            Ok(state) => starts.push((picks.chosen().collect(), state)),
            Err(outcome) => refused = outcome,
        }
        if !picks.advance() {
            break;
        }
    }
    if starts.is_empty() { Err(refused) } else { Ok(starts.swap_remove(rng.usize(..starts.len()))) }
}

/// The thread that moved last goes on half of the time, so that calls do not drag on for ever. Without a client pending
/// calls go on and no new ones are made.
fn some_move(
    machine: &Machine,
    client: Option<&Client>,
    state: &State,
    last: Option<ThreadId>,
    rng: &mut Rng,
) -> Result<Taken, End> {
    let mut threads: Vec<ThreadId> = machine.bounds().thread_ids().collect();
    rng.shuffle(&mut threads);
    if let Some(position) = threads.iter().position(|thread| Some(*thread) == last).filter(|_| rng.bool()) {
        threads.swap(0, position);
    }
    let mut waiting = Vec::new();
    let mut cut = None;
    for thread in threads {
        let offered = client.map(|client| client.calls(machine, state, thread));
        let mut calls: Vec<Option<&CallChoice>> = offered.into_iter().flatten().map(Some).collect();
        rng.shuffle(&mut calls);
        if !machine.is_idle(state, thread) {
            calls.push(None);
        }
        for call in calls {
            match attempt(machine, state, thread, call, rng) {
                Ok(taken) => return Ok(taken),
                Err(Outcome::Disabled(blocked)) if call.is_none() => waiting.push((thread, blocked)),
                Err(Outcome::Cut(which)) => cut = Some(which),
                Err(_) => {}
            }
        }
    }
    if client.is_none() && machine.bounds().thread_ids().all(|thread| machine.is_idle(state, thread)) {
        return Err(End::Finished);
    }
    waiting.sort_by_key(|(thread, _)| *thread);
    Err(cut.map_or(End::Stuck(waiting), End::Cut))
}

/// One of the outcomes of a move, if there is any but a refusal.
fn attempt(
    machine: &Machine,
    state: &State,
    thread: ThreadId,
    call: Option<&CallChoice>,
    rng: &mut Rng,
) -> Result<Taken, Outcome> {
    let mut picks = Picks::new();
    let mut found = 0;
    let mut taken = Err(Outcome::Discarded);
    for _ in 0..MOST_OUTCOMES {
        picks.restart();
        let mut next = state.clone();
        let outcome = match call {
            Some(CallChoice { op, args, next_position }) => {
                machine.call(&mut next, thread, *op, args, *next_position, &mut picks, &mut NoEvents)
            }
            None => machine.step(&mut next, thread, &mut picks, &mut NoEvents),
        };
        let fault = match outcome {
            Outcome::Done => Some(None),
            Outcome::Fault(fault) => Some(Some(fault)),
            refused => {
                if taken.is_err() {
                    taken = Err(refused);
                }
                None
            }
        };
        if let Some(fault) = fault {
            found += 1;
            // The n-th outcome takes the place of the one before with probability 1/n: all are equally likely.
            if rng.usize(..found) == 0 {
                let made = Move { thread, call: call.cloned(), picks: picks.chosen().collect() };
                taken = Ok(Taken { made, next, fault });
            }
        }
        if !picks.advance() {
            break;
        }
    }
    taken
}
