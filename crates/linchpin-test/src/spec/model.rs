//! Specifications in plain Rust: a state, and what each operation does to it.

use super::call::Call;
use super::explain::explain;
use super::{Judged, Oracle, Question};
use crate::ledger::Ledger;
use crate::object::Interface;
use crate::record;
use crate::value::{Argument, Datum, Parts, Reply};
use linchpin_order::{Budget, Event, History, Sequential, Verdict, check};
use std::fmt::Debug;
use std::hash::Hash;

/// A specification in plain Rust: any [`Sequential`] over calls by name.
///
/// [`model`] makes one of closures. Implement [`Sequential`] where the specification is nondeterministic, or
/// has a rendezvous.
pub trait SequentialModel: Sequential<Op = Call, Ret = Datum, State: Debug> + Send + Sync + 'static {
    /// Returns the name for reports.
    fn name(&self) -> String {
        "the model".into()
    }

    /// Returns the operations, if the model knows them. The test compares them with those of the object.
    fn operations(&self) -> Option<Vec<String>> {
        None
    }

    /// Checks that an operation adds something, so that it may be a pre-add.
    fn adds(&self, _operation: &str) -> bool {
        true
    }
}

type Guard<S> = Box<dyn Fn(&S) -> bool + Send + Sync>;
type Act<S> = Box<dyn Fn(&mut S, &mut Parts) -> Datum + Send + Sync>;

struct Step<S> {
    name: String,
    /// `None`: the operation never waits.
    guard: Option<Guard<S>>,
    act: Act<S>,
    adds: bool,
}

/// A deterministic specification made of closures.
pub struct Model<S> {
    initial: Box<dyn Fn() -> S + Send + Sync>,
    steps: Vec<Step<S>>,
    ledger: &'static Ledger,
}

/// Begins a specification in plain Rust.
///
/// ```
/// use linchpin_test::{Value, model};
/// use std::collections::VecDeque;
///
/// let queue = model(VecDeque::new)
///     .adding("enq", |items, value: Value| items.push_back(value))
///     .op("deq", |items, ()| items.pop_front());
/// # let _: linchpin_test::Spec = queue.into();
/// ```
pub fn model<S>(initial: impl Fn() -> S + Send + Sync + 'static) -> Model<S>
where
    S: Clone + Eq + Hash + Debug + 'static,
{
    Model { initial: Box::new(initial), steps: Vec::new(), ledger: Ledger::leaked() }
}

impl<S: Clone + Eq + Hash + Debug + 'static> Model<S> {
    /// Adds an operation that can always take effect.
    pub fn op<A: Argument, R: Reply>(
        self,
        name: &str,
        act: impl Fn(&mut S, A) -> R + Send + Sync + 'static,
    ) -> Model<S> {
        self.step(name, None, act, false)
    }

    /// Adds an operation that can always take effect, and that may be a pre-add.
    pub fn adding<A: Argument, R: Reply>(
        self,
        name: &str,
        act: impl Fn(&mut S, A) -> R + Send + Sync + 'static,
    ) -> Model<S> {
        self.step(name, None, act, true)
    }

    /// Adds an operation that waits until `guard` holds.
    pub fn waiting<A: Argument, R: Reply>(
        self,
        name: &str,
        guard: impl Fn(&S) -> bool + Send + Sync + 'static,
        act: impl Fn(&mut S, A) -> R + Send + Sync + 'static,
    ) -> Model<S> {
        self.step(name, Some(Box::new(guard)), act, false)
    }

    fn step<A: Argument, R: Reply>(
        mut self,
        name: &str,
        guard: Option<Guard<S>>,
        act: impl Fn(&mut S, A) -> R + Send + Sync + 'static,
        adds: bool,
    ) -> Model<S> {
        let act: Act<S> = Box::new(move |state, parts| act(state, A::make(parts)).datum());
        self.steps.push(Step { name: name.into(), guard, act, adds });
        self
    }

    fn find(&self, operation: &str) -> Option<&Step<S>> {
        self.steps.iter().find(|step| step.name == operation)
    }
}

impl<S: Clone + Eq + Hash + Debug + 'static> Sequential for Model<S> {
    type State = S;
    type Op = Call;
    type Ret = Datum;

    fn initial(&self) -> Vec<S> {
        vec![(self.initial)()]
    }

    fn outcomes(&self, state: &S, call: &Call) -> Vec<(S, Datum)> {
        let Some(step) = self.find(&call.operation) else { return Vec::new() };
        if step.guard.as_ref().is_some_and(|guard| !guard(state)) {
            return Vec::new();
        }
        let mut state = state.clone();
        let result = (step.act)(&mut state, &mut Parts::new(&call.parts, self.ledger));
        vec![(state, result)]
    }
}

impl<S: Clone + Eq + Hash + Debug + 'static> SequentialModel for Model<S> {
    fn operations(&self) -> Option<Vec<String>> {
        Some(self.steps.iter().map(|step| step.name.clone()).collect())
    }

    fn adds(&self, operation: &str) -> bool {
        self.find(operation).is_some_and(|step| step.adds)
    }
}

/// Judges records by a model.
pub(super) struct ModelOracle<M>(pub M);

impl<M: SequentialModel> Oracle for ModelOracle<M> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn check(&self, interface: &Interface) -> Result<(), String> {
        let Some(known) = self.0.operations() else { return Ok(()) };
        match interface.operations.iter().find(|operation| !known.contains(&operation.name)) {
            Some(missing) => Err(format!(
                "{} has no operation `{}`: its operations are `{}`",
                self.0.name(),
                missing.name,
                known.join("`, `")
            )),
            None => Ok(()),
        }
    }

    fn adds(&self, operation: &str) -> bool {
        self.0.adds(operation)
    }

    fn judge(&self, question: Question) -> Judged {
        let Question { interface, record, consistency, ending } = question;
        let events = record.events.iter().map(|(thread, event)| match event {
            record::Event::Call { operation, parts } => {
                let operation = interface.operations[*operation].name.clone();
                let op = Call { operation, thread: *thread, parts: parts.clone() };
                Event::Call { thread: *thread, op }
            }
            record::Event::Return(datum) => Event::Return { thread: *thread, result: datum.clone() },
        });
        let history: History<Call, Datum> = match History::from_events(events) {
            Ok(history) => history,
            Err(malformed) => return Judged::Unknown(malformed.to_string()),
        };
        match check(&self.0, &history, consistency, ending, Budget::default()) {
            Verdict::Legal(_) => Judged::Legal,
            Verdict::Illegal(why) => Judged::Illegal(explain(&history, &why)),
            Verdict::Unknown(limit) => {
                Judged::Unknown(format!("the judge stopped after {} configurations", limit.configurations))
            }
        }
    }
}
