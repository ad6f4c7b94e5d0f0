//! One random execution: at each step a random enabled thread moves, with a random call and random picks.
//!
//! A simulation stores choices only; states are computed again where they are needed. The same seed gives the
//! same simulation.

use fastrand::Rng;
use linchpin_semantics::{
    Blocked, CallChoice, Client, Cut, Fault, Machine, NoEvents, Outcome, Picks, State, ThreadId,
};

/// The choices of a step: the thread, the call of an idle thread, and the picks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub thread: ThreadId,
    /// `None`: the thread continues its pending call.
    pub call: Option<CallChoice>,
    pub picks: Vec<u32>,
}

/// A random execution.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The picks of the initial state: hash functions, choices in `init`.
    pub start: Vec<u32>,
    pub moves: Vec<Move>,
    pub end: End,
}

/// Why a simulation ended.
#[derive(Clone, Debug)]
pub enum End {
    /// The simulation reached its length.
    Long,
    /// All calls were made, and returned.
    Finished,
    /// The last move is a fault.
    Fault(Box<Fault>),
    /// No thread can move. For each pending call, what it waits for.
    Stuck(Vec<(ThreadId, Blocked)>),
    /// Every move leaves the instance.
    Cut(Cut),
    /// There is no initial state within the bounds.
    NoStart(Outcome),
}

/// The length of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    pub steps: usize,
    /// The limit on calls; `None` means unlimited.
    pub calls: Option<usize>,
}

/// Runs a simulation.
pub fn simulate(machine: &Machine, client: &Client, seed: u64, length: Length) -> Simulation {
    let mut rng = Rng::with_seed(seed);
    let mut calls_left = length.calls.unwrap_or(usize::MAX);
    let mut simulation = Simulation { start: Vec::new(), moves: Vec::new(), end: End::Long };
    let mut state = match start(machine, &mut rng) {
        Ok((picks, state)) => {
            simulation.start = picks;
            state
        }
        Err(outcome) => {
            simulation.end = End::NoStart(outcome);
            return simulation;
        }
    };
    while simulation.moves.len() < length.steps {
        let last = simulation.moves.last().map(|last| last.thread);
        let client = (calls_left > 0).then_some(client);
        match some_move(machine, client, &state, last, &mut rng) {
            Ok(Taken { made, next, fault }) => {
                calls_left -= usize::from(made.call.is_some());
                simulation.moves.push(made);
                state = next;
                if let Some(fault) = fault {
                    simulation.end = End::Fault(fault);
                    break;
                }
            }
            Err(end) => {
                simulation.end = end;
                break;
            }
        }
    }
    simulation
}

/// Returns the initial state of a simulation. The error is never [`Outcome::Done`].
pub fn start_of(machine: &Machine, simulation: &Simulation) -> Result<State, Outcome> {
    machine.initial(&mut Picks::replay(&simulation.start))
}

/// The limit on outcomes of one step that are tried.
const MOST_OUTCOMES: usize = 64;

/// A move that was made.
struct Taken {
    made: Move,
    next: State,
    fault: Option<Box<Fault>>,
}

/// Returns a random initial state, with its picks.
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

/// Returns a random move. The last thread continues with probability 1/2, so that calls complete. Without a
/// client, only pending calls continue.
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

/// Returns a random outcome of a move; the error is the first outcome that is neither done nor a fault.
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
            // The n-th outcome replaces the previous one with probability 1/n, so all are equally likely.
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
