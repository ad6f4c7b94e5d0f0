//! The naive search: every order of steps, level by level, with the states of each level and the faults met
//! so far.

use linchpin_engine::model::Compiled;
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::{Scalar, Word};
use linchpin_semantics::{Bounds, Client, FaultProperty, Machine, NoEvents, Outcome, Picks, State, ThreadId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ages that never wrap within the depths searched here: plain counting.
pub const GROWING: Option<u32> = Some(1 << 20);

/// What is reached, by depth; states without their ages.
pub struct Levels {
    levels: Vec<Level>,
}

#[derive(Default)]
struct Level {
    states: BTreeSet<Vec<Word>>,
    faults: BTreeSet<FaultProperty>,
}

impl Levels {
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    pub fn faults(&self) -> BTreeSet<FaultProperty> {
        self.levels.iter().flat_map(|level| level.faults.iter().copied()).collect()
    }

    /// The first depth within which not the same is reached. What is new with growing ages may be old without
    /// them: what counts is what is reached within so many steps.
    pub fn difference(&self, growing: &Levels) -> Option<String> {
        let (mut few, mut many) = (BTreeSet::new(), BTreeSet::new());
        let (mut few_faults, mut many_faults) = (BTreeSet::<FaultProperty>::new(), BTreeSet::new());
        for level in 0..self.levels.len().max(growing.levels.len()) {
            if let Some(renamed) = self.levels.get(level) {
                few.extend(&renamed.states);
                few_faults.extend(&renamed.faults);
            }
            if let Some(growing) = growing.levels.get(level) {
                many.extend(&growing.states);
                many_faults.extend(&growing.faults);
            }
            if few != many {
                let (lost, added) = (many.difference(&few).count(), few.difference(&many).count());
                return Some(format!("within {level} steps, {lost} states are lost and {added} added"));
            }
            if few_faults != many_faults {
                return Some(format!(
                    "within {level} steps, faults {few_faults:?} instead of {many_faults:?}"
                ));
            }
        }
        None
    }
}

pub fn compiled(text: &str) -> Result<Compiled, String> {
    let mut sources = SourceMap::default();
    let root = sources.add("given.lin", text);
    let checked = check(&mut sources, &std::collections::BTreeMap::new(), root, &Setting::default());
    let typed = checked.program.ok_or_else(|| format!("{:?}", checked.diagnostics))?;
    let program = lower(&sources, &typed).map_err(|findings| format!("{findings:?}"))?;
    Ok(Compiled { sources: Arc::new(sources), program: Arc::new(program) })
}

/// Until nothing is new or the depth is reached; nothing where there are more states than that.
pub fn levels(
    program: &Arc<Program>,
    bounds: &Bounds,
    client: &Client,
    depth: usize,
    states: usize,
) -> Option<Levels> {
    let machine = Machine::new(program, bounds).expect("runs");
    let mut start = machine.initial(&mut Picks::new()).expect("begins");
    machine.normalise(&mut start);
    let mut seen = BTreeSet::from([key(&machine, &start)]);
    let mut frontier = vec![start];
    let mut levels = Vec::new();
    while !frontier.is_empty() && levels.len() < depth {
        let mut level = Level::default();
        level.states.extend(frontier.iter().map(|state| without_ages(&machine, state)));
        if frontier.iter().any(|state| !machine.leaks(state).is_empty()) {
            level.faults.insert(FaultProperty::MemorySafe);
        }
        let mut next_frontier = Vec::new();
        for state in &frontier {
            for next in successors(&machine, client, state, &mut level.faults) {
                if seen.insert(key(&machine, &next)) {
                    next_frontier.push(next);
                }
            }
        }
        levels.push(level);
        if seen.len() > states {
            return None;
        }
        frontier = next_frontier;
    }
    Some(Levels { levels })
}

fn successors(
    machine: &Machine,
    client: &Client,
    state: &State,
    faults: &mut BTreeSet<FaultProperty>,
) -> Vec<State> {
    // What is leaked is a fault already: other faults count up to the first one.
    if !machine.leaks(state).is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for thread in machine.bounds().thread_ids() {
        let mut run = |action: &mut Step<'_>| {
            let mut picks = Picks::new();
            loop {
                picks.restart();
                let mut next = state.clone();
                match action(&mut next, &mut picks) {
                    Outcome::Done => {
                        machine.normalise(&mut next);
                        found.push(next);
                    }
                    Outcome::Fault(fault) => {
                        faults.insert(fault.kind.property());
                    }
                    _ => {}
                }
                if !picks.advance() {
                    return;
                }
            }
        };
        step_of(machine, client, state, thread, &mut run);
    }
    found
}

/// One way to go on from a state.
type Step<'a> = dyn FnMut(&mut State, &mut Picks) -> Outcome + 'a;

fn step_of(
    machine: &Machine,
    client: &Client,
    state: &State,
    thread: ThreadId,
    run: &mut dyn FnMut(&mut Step<'_>),
) {
    if !machine.is_idle(state, thread) {
        run(&mut |next, picks| machine.step(next, thread, picks, &mut NoEvents));
    }
    for call in client.calls(machine, state, thread) {
        let position = call.next_position;
        run(&mut |next, picks| {
            machine.call(next, thread, call.op, &call.args, position, picks, &mut NoEvents)
        });
    }
}

fn key(machine: &Machine, state: &State) -> Vec<Word> {
    let mut words = Vec::new();
    machine.flatten(state, &mut words);
    words
}

/// A state with all ages 0. Names are given once more, since they may depend on ages.
fn without_ages(machine: &Machine, state: &State) -> Vec<Word> {
    let mut state = state.clone();
    machine.for_each_slot(&mut state, &mut |kind, word| {
        if kind.scalar == Scalar::Age {
            *word = 0;
        }
    });
    machine.normalise(&mut state);
    key(machine, &state)
}
