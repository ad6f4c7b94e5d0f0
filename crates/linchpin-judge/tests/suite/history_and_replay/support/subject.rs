//! A model with bounds and a client: executions by hand and at random, for `replay`.

use super::program;
use fastrand::Rng;
use linchpin_ir::program::Program;
use linchpin_ir::types::Word;
use linchpin_judge::replay::Counterexample;
use linchpin_judge::replay::{Execution, ReplayError, fingerprint, replay};
use linchpin_judge::trace::{Action, Choice, Claim, Instance, PlannedCall, Trace, TraceClient};
use linchpin_semantics::{Bounds, Client, Machine, NoEvents, Picks, State, ThreadId};
use std::sync::Arc;

pub struct Subject {
    pub program: Arc<Program>,
    pub instance: Instance,
}

impl Subject {
    pub fn new(text: &str, bounds: Bounds) -> Subject {
        let program = program(text);
        let instance = Instance {
            model: program.name.to_string(),
            fingerprint: fingerprint(&program),
            bounds,
            constants: program.constants.iter().map(|c| (c.name.to_string(), c.value)).collect(),
            client: TraceClient::General,
            fair: false,
        };
        Subject { program, instance }
    }

    /// Sets a fixed list of calls for each thread.
    pub fn with_schedule(mut self, threads: &[&[(&str, &[Word])]]) -> Subject {
        let planned = |calls: &&[(&str, &[Word])]| calls.iter().map(|(op, args)| planned(op, args)).collect();
        self.instance.client =
            TraceClient::Schedule { prefix: Vec::new(), threads: threads.iter().map(planned).collect() };
        self
    }

    pub fn trace(&self, claim: Claim, choices: Vec<Choice>) -> Trace {
        Trace { instance: self.instance.clone(), claim, initial: Vec::new(), choices, cycle: None }
    }

    pub fn replay(&self, claim: Claim, choices: Vec<Choice>) -> Result<Counterexample, ReplayError> {
        replay(&self.program, &self.trace(claim, choices))
    }

    /// As [`Subject::replay`], with a cycle that begins at choice `cycle`.
    pub fn replay_cycle(
        &self,
        claim: Claim,
        choices: Vec<Choice>,
        cycle: usize,
    ) -> Result<Counterexample, ReplayError> {
        replay(&self.program, &Trace { cycle: Some(cycle), ..self.trace(claim, choices) })
    }

    /// Runs random executions of the general client until one shows the claim. Returns its shortest prefix
    /// that does.
    pub fn find(&self, claim: Claim, steps: usize) -> Counterexample {
        for seed in 0..400 {
            let choices = self.walk(seed, steps);
            let prefixes = (0..=choices.len()).map(|length| choices[..length].to_vec());
            if let Some(found) = prefixes.filter_map(|prefix| self.replay(claim, prefix).ok()).next() {
                return found;
            }
        }
        panic!("no execution of {} shows {claim:?}", self.program.name)
    }

    /// Returns a random execution.
    pub fn walk(&self, seed: u64, steps: usize) -> Vec<Choice> {
        let mut rng = Rng::with_seed(seed);
        let machine = Machine::new(&self.program, &self.instance.bounds).expect("a machine");
        let client = Client::general(&self.program, &self.instance.bounds).expect("a client");
        let mut execution = Execution::start(&machine, &client, &[]).expect("a first state");
        let mut choices = Vec::new();
        for _ in 0..steps {
            let mut possible = moves(&machine, &client, execution.state());
            rng.shuffle(&mut possible);
            let Some(choice) = possible.into_iter().find(|choice| execution.make(choice).is_ok()) else {
                break;
            };
            choices.push(choice);
            if execution.end().is_some() {
                break;
            }
        }
        choices
    }
}

pub fn planned(op: &str, args: &[Word]) -> PlannedCall {
    PlannedCall { op: op.into(), args: args.to_vec() }
}

pub fn call(thread: usize, op: &str, args: &[Word]) -> Choice {
    choice(thread, Action::Call(planned(op, args)))
}

pub fn step(thread: usize) -> Choice {
    choice(thread, Action::Step)
}

pub fn wait(thread: usize) -> Choice {
    choice(thread, Action::Wait)
}

fn choice(thread: usize, action: Action) -> Choice {
    use linchpin_ir::index::Index;
    Choice { thread: ThreadId::new(thread), action, picks: Vec::new() }
}

/// Everything that can be tried next.
fn moves(machine: &Machine, client: &Client, state: &State) -> Vec<Choice> {
    let mut all = Vec::new();
    for thread in machine.bounds().thread_ids() {
        let mut each_way = |action: Action, run: &dyn Fn(&mut State, &mut Picks)| {
            let mut picks = Picks::new();
            loop {
                picks.restart();
                run(&mut state.clone(), &mut picks);
                all.push(Choice { thread, action: action.clone(), picks: picks.chosen().collect() });
                if !picks.advance() {
                    break;
                }
            }
        };
        if !machine.is_idle(state, thread) {
            each_way(Action::Step, &|state, picks| {
                let _ = machine.step(state, thread, picks, &mut NoEvents);
            });
        }
        for call in client.calls(machine, state, thread) {
            let name = &machine.program().ops[call.op].name;
            each_way(Action::Call(planned(name, &call.args)), &|state, picks| {
                let position = call.next_position;
                let _ = machine.call(state, thread, call.op, &call.args, position, picks, &mut NoEvents);
            });
        }
    }
    all
}
