//! An execution that grows by one move at a time.

use crate::configurations::{Configurations, Unknown};
use linchpin_engine::model::Compiled;
use linchpin_explore::moves::{self, Moves, Possible};
use linchpin_explore::simulate::Move;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_judge::history::{Event, History, Malformed};
use linchpin_judge::replay::{End, Execution, InvalidChoice, Observation, TraceStep};
use linchpin_judge::trace::{Action, Choice, PlannedCall};
use linchpin_semantics::{Bounds, Client, Machine, Outcome, SpecMachine, State};
use std::fmt;
use std::sync::Arc;

/// Limit on steps of an execution.
pub const MOST_STEPS: usize = 2_000;

/// An instance: what does not change during a session.
pub struct Instance {
    pub compiled: Compiled,
    pub machine: Machine,
    pub client: Client,
    pub spec: SpecMachine,
    /// Sizes as text: `2 threads, 3 nodes`.
    pub bounds_text: String,
    /// `MODEL` as the command line names it.
    pub model: String,
    /// The initial states, with the picks that lead to each.
    pub starts: Vec<(Vec<u32>, State)>,
}

/// Why there is no session.
#[derive(Debug)]
pub enum NoSession {
    /// The bounds do not fit the model.
    Instance(Vec<Diagnostic>),
    /// `init` never ends within the bounds.
    NoStart(Outcome),
}

impl Instance {
    /// Makes the instance of a compiled model.
    pub fn new(
        compiled: Compiled,
        bounds: &Bounds,
        bounds_text: String,
        model: String,
    ) -> Result<Instance, NoSession> {
        let program = &compiled.program;
        let machine = Machine::new(program, bounds).map_err(NoSession::Instance)?;
        let client = Client::general(program, bounds).map_err(NoSession::Instance)?;
        let spec = SpecMachine::new(program, bounds).map_err(NoSession::Instance)?;
        let starts = moves::initial_states(&machine).map_err(NoSession::NoStart)?;
        Ok(Instance { compiled, machine, client, spec, bounds_text, model, starts })
    }
}

/// An execution by hand.
pub struct Session {
    pub instance: Arc<Instance>,
    /// The number of the initial state.
    start: usize,
    initial: State,
    moments: Vec<TraceStep>,
    end: Option<End>,
    /// Choices that were taken back; the last one comes first again.
    taken_back: Vec<Choice>,
}

/// Why a move was not made.
#[derive(Clone, Debug)]
pub enum Refused {
    /// There is no move with this number.
    NoSuchMove {
        number: usize,
        moves: usize,
    },
    NoSuchStart {
        number: usize,
        starts: usize,
    },
    /// The execution has [`MOST_STEPS`] steps.
    TooLong,
    /// The semantics refuses the choice.
    Invalid(InvalidChoice),
    /// Nothing can be taken back, or nothing was.
    NothingThere,
}

impl Session {
    /// Begins in the first initial state.
    pub fn new(instance: Arc<Instance>) -> Result<Session, Refused> {
        let mut session = Session {
            instance,
            start: 0,
            initial: State::default(),
            moments: Vec::new(),
            end: None,
            taken_back: Vec::new(),
        };
        session.run(0, Vec::new())?;
        Ok(session)
    }

    /// Returns the number of the initial state.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the picks of the initial state.
    pub fn start_picks(&self) -> &[u32] {
        &self.instance.starts[self.start].0
    }

    pub fn initial(&self) -> &State {
        &self.initial
    }

    pub fn moments(&self) -> &[TraceStep] {
        &self.moments
    }

    /// Returns why the execution cannot continue. `None`: it can.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Returns the present state; after a fault, the state before it.
    pub fn state(&self) -> &State {
        self.moments.iter().rev().find_map(|moment| moment.after.as_ref()).unwrap_or(&self.initial)
    }

    pub fn choices(&self) -> Vec<Choice> {
        self.moments.iter().map(|moment| moment.choice.clone()).collect()
    }

    /// Returns every move that is possible now. There is none after the end.
    pub fn moves(&self) -> Moves {
        if self.end.is_some() {
            return Moves::default();
        }
        moves::moves(&self.instance.machine, &self.instance.client, self.state())
    }

    /// Makes the move with this number, from 0.
    pub fn make(&mut self, number: usize) -> Result<(), Refused> {
        let moves = self.moves().possible;
        let Possible { made, .. } =
            moves.get(number).ok_or(Refused::NoSuchMove { number, moves: moves.len() })?;
        self.extend(vec![self.choice(made)])?;
        self.taken_back.clear();
        Ok(())
    }

    /// Makes several choices; all or none.
    pub fn extend(&mut self, more: Vec<Choice>) -> Result<(), Refused> {
        let mut choices = self.choices();
        choices.extend(more);
        self.run(self.start, choices)
    }

    /// Takes the last step back.
    pub fn back(&mut self) -> Result<(), Refused> {
        self.back_to(self.moments.len().checked_sub(1).ok_or(Refused::NothingThere)?)
    }

    /// Takes back all steps after this number of steps.
    pub fn back_to(&mut self, steps: usize) -> Result<(), Refused> {
        let mut choices = self.choices();
        if steps >= choices.len() {
            return Err(Refused::NothingThere);
        }
        let removed = choices.split_off(steps);
        self.run(self.start, choices)?;
        self.taken_back.extend(removed.into_iter().rev());
        Ok(())
    }

    /// Makes the step again that was taken back last.
    pub fn again(&mut self) -> Result<(), Refused> {
        let choice = self.taken_back.last().cloned().ok_or(Refused::NothingThere)?;
        self.extend(vec![choice])?;
        self.taken_back.pop();
        Ok(())
    }

    /// Returns whether a step was taken back.
    pub fn can_go_again(&self) -> bool {
        !self.taken_back.is_empty()
    }

    /// Begins in another initial state, without steps.
    pub fn begin_at(&mut self, number: usize) -> Result<(), Refused> {
        let starts = self.instance.starts.len();
        if number >= starts {
            return Err(Refused::NoSuchStart { number, starts });
        }
        self.run(number, Vec::new())?;
        self.taken_back.clear();
        Ok(())
    }

    /// Returns the events of the execution, each with its step.
    pub fn events(&self) -> Vec<(usize, Event)> {
        let of_moment = |(at, moment): (usize, &TraceStep)| {
            let thread = moment.choice.thread;
            let event = |seen: &Observation| match seen {
                Observation::Call { op, args } => Some(Event::Call { thread, op: *op, args: args.clone() }),
                Observation::Return { result, .. } => Some(Event::Return { thread, result: result.clone() }),
                _ => None,
            };
            moment.observations.iter().filter_map(event).map(|event| (at, event)).collect::<Vec<_>>()
        };
        self.moments.iter().enumerate().flat_map(of_moment).collect()
    }

    pub fn history(&self) -> Result<History, Malformed> {
        let events = self.events().into_iter().map(|(_, event)| event).collect();
        History::new(&self.instance.compiled.program, events)
    }

    /// Returns what the specification may have done so far.
    pub fn configurations(&self) -> Result<Configurations, Unknown> {
        let spec = &self.instance.spec;
        let mut all = Configurations::initial(spec)?;
        for (_, event) in self.events() {
            all = all.after(spec, &event)?;
        }
        Ok(all)
    }

    /// Returns a move as a choice of a trace.
    pub fn choice(&self, made: &Move) -> Choice {
        choice_of(&self.instance, made)
    }

    /// Replaces the execution.
    fn run(&mut self, start: usize, choices: Vec<Choice>) -> Result<(), Refused> {
        if choices.len() > MOST_STEPS {
            return Err(Refused::TooLong);
        }
        let instance = self.instance.clone();
        let picks = &instance.starts[start].0;
        let mut execution =
            Execution::start(&instance.machine, &instance.client, picks).map_err(Refused::Invalid)?;
        let initial = execution.state().clone();
        let made = choices.iter().map(|choice| execution.make(choice)).collect::<Result<_, _>>();
        self.moments = made.map_err(Refused::Invalid)?;
        self.end = execution.end().cloned();
        (self.start, self.initial) = (start, initial);
        Ok(())
    }
}

/// Returns a move as a choice of a trace.
pub fn choice_of(instance: &Instance, made: &Move) -> Choice {
    let action = match &made.call {
        Some(call) => Action::Call(PlannedCall {
            op: instance.compiled.program.ops[call.op].name.to_string(),
            args: call.args.to_vec(),
        }),
        None => Action::Step,
    };
    Choice { thread: made.thread, action, picks: made.picks.clone() }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoSuchMove { moves: 0, .. } => f.write_str("no move is possible here"),
            Refused::NoSuchMove { number, moves } => {
                write!(f, "there is no move {}; the moves are 1 to {moves}", number + 1)
            }
            Refused::NoSuchStart { number, starts } => {
                write!(f, "there is no initial state {}; they are 1 to {starts}", number + 1)
            }
            Refused::TooLong => write!(f, "an execution by hand has at most {MOST_STEPS} steps"),
            Refused::Invalid(why) => write!(f, "the move is not possible: {why}"),
            Refused::NothingThere => f.write_str("there is no such step"),
        }
    }
}
