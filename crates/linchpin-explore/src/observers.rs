//! Observers are tried before they are trusted: run beside the specification, none may accept what it allows.
//!
//! **What is searched.** Every sequence of calls that the specification allows and in which no value of type `data` is an argument
//! twice, with the observer beside it: breadth first over (state of the specification, location, values used). The observer's
//! variables stand for the first values, in order; one value more stands for all others. That is enough where values
//! are only copied; where they are more than that, and for specifications whose states do not end, it is a test and no
//! proof, as an observer that accepts too much can only keep a proof from being found.

use linchpin_engine::model::{Compiled, RequestError};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::Program;
use linchpin_ir::program::observer::{Event, LocationId, ObservedValue, Observer};
use linchpin_ir::types::{TypeId, TypeKind, Word, word_of};
use linchpin_judge::history::observed_event;
use linchpin_semantics::{
    Bounds, CallChoice, Client, Participant, SpecError, SpecMachine, SpecState, ThreadId,
};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

/// More states than a specification that is worth observing has with so few values.
const MOST_STATES: usize = 20_000;

/// Refuses a model with an observer that accepts what its specification allows.
pub fn try_observers(compiled: &Compiled) -> Result<(), RequestError> {
    let findings = wrong_observers(&compiled.program);
    if findings.is_empty() {
        return Ok(());
    }
    Err(RequestError::Model { sources: compiled.sources.clone(), findings })
}

/// Each observer that accepts a legal sequence, with a shortest one.
fn wrong_observers(program: &Arc<Program>) -> Vec<Diagnostic> {
    let tried = program.spec.observers.iter().filter_map(|observer| {
        let trial = Trial::new(program, observer)?;
        let accepted = trial.accepted_sequence().ok()??;
        let calls: Vec<String> = accepted.iter().map(|event| trial.text(event)).collect();
        let title = format!("the observer `{}` accepts what the specification allows", observer.name);
        let label = format!("accepts {}", calls.join(", "));
        let diagnostic = Diagnostic::error(title, observer.span, label);
        Some(diagnostic.help("an observer accepts what must not happen; let this lead somewhere else"))
    });
    tried.collect()
}

/// One observer beside the specification.
struct Trial<'o> {
    program: Arc<Program>,
    observer: &'o Observer,
    machine: SpecMachine,
    calls: Vec<CallChoice>,
    /// Of the observer's variables.
    values: Vec<Word>,
}

/// A state of both.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Product {
    state: SpecState,
    location: LocationId,
    used: BTreeSet<Word>,
}

impl<'o> Trial<'o> {
    /// `None` where the client cannot list the calls: then nothing is tried.
    fn new(program: &Arc<Program>, observer: &'o Observer) -> Option<Trial<'o>> {
        let bounds =
            Bounds { threads: 1, values: number_of(observer.variables.len()) + 1, ..Bounds::default() };
        let mut open = (**program).clone();
        open.roles.clear();
        let program = Arc::new(open);
        let machine = SpecMachine::new(&program, &bounds).ok()?;
        let Client::General(general) = Client::general(&program, &bounds).ok()? else { return None };
        let calls = general.choices(ThreadId::new(0), 0).to_vec();
        let values = (1..=word_of(observer.variables.len())).collect();
        Some(Trial { program, observer, machine, calls, values })
    }

    /// A shortest sequence of the specification that the observer accepts.
    fn accepted_sequence(&self) -> Result<Option<Vec<Event>>, SpecError> {
        let initial = self.machine.initial()?.into_iter();
        let first = |state| Product { state, location: LocationId::new(0), used: BTreeSet::new() };
        // Each with the event that led to it and where that came from.
        let mut found: Vec<(Product, Option<(usize, Event)>)> =
            initial.map(|state| (first(state), None)).collect();
        let mut known: HashSet<Product> = found.iter().map(|(product, _)| product.clone()).collect();
        let mut open: VecDeque<usize> = (0..found.len()).collect();
        while let Some(at) = open.pop_front() {
            for (next, event) in self.successors(&found[at].0.clone())? {
                let is_accepting = self.observer.locations[next.location.index()].accepting;
                if !known.insert(next.clone()) {
                    continue;
                }
                open.push_back(found.len());
                found.push((next, Some((at, event))));
                if is_accepting {
                    return Ok(Some(history(&found)));
                }
                if found.len() > MOST_STATES {
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    fn successors(&self, from: &Product) -> Result<Vec<(Product, Event)>, SpecError> {
        let mut all = Vec::new();
        for call in &self.calls {
            let params = &self.program.ops[call.op].params;
            let values: Vec<Word> = self.parts(params, &call.args, TypeKind::Data);
            let mut used = from.used.clone();
            if !values.into_iter().all(|value| used.insert(value)) {
                continue;
            }
            let participant = Participant { op: call.op, args: &call.args, thread: ThreadId::new(0) };
            for outcome in self.machine.outcomes(&from.state, &[participant])? {
                let result = outcome.results.first().and_then(Option::as_deref);
                let event = observed_event(&self.program, &self.values, call.op, &call.args, result);
                let location = self.observer.step(from.location, &event);
                all.push((Product { state: outcome.state, location, used: used.clone() }, event));
            }
        }
        Ok(all)
    }

    /// The arguments that are of this kind.
    fn parts(&self, params: &[TypeId], args: &[Word], kind: TypeKind) -> Vec<Word> {
        let types = &self.program.types;
        let mut rest = args;
        let mut all = Vec::new();
        for param in params {
            let (own, others) = rest.split_at(types.width(*param).min(rest.len()));
            rest = others;
            if types.kind(*param) == kind {
                all.extend_from_slice(own);
            }
        }
        all
    }

    /// `push(a)`, `pop() -> none`.
    fn text(&self, event: &Event) -> String {
        let value = |seen: &ObservedValue| match seen {
            ObservedValue::Variable(at) => self.observer.variables[*at].to_string(),
            ObservedValue::Other => "_".into(),
            ObservedValue::Absent => "none".into(),
            ObservedValue::Constant(word) => word.to_string(),
        };
        let args: Vec<String> = event.args.iter().map(value).collect();
        let call = format!("`{}({})", self.program.ops[event.op].name, args.join(", "));
        match &event.result {
            Some(result) => format!("{call} -> {}`", value(result)),
            None => format!("{call}`"),
        }
    }
}

/// The events that lead to what was found last.
fn history(found: &[(Product, Option<(usize, Event)>)]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut at = found.len() - 1;
    while let Some((before, event)) = &found[at].1 {
        events.push(event.clone());
        at = *before;
    }
    events.reverse();
    events
}
