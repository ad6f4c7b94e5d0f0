//! Tests observers against their specification: no observer may accept a sequence that the specification
//! allows.
//!
//! **Searched sequences.** All sequences of calls that the specification allows and in which no value of type
//! `data` is an argument twice. The search is breadth-first over (state of the specification, location,
//! values used). The variables of the observer are the first values, in order. One more value stands for all
//! others. That is complete where values are only copied. Elsewhere, and for specifications with infinitely
//! many states, it is a test, not a proof. An observer that accepts too much can only prevent a proof.

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

/// The limit on states of one test.
const MOST_STATES: usize = 20_000;

/// Checks that no observer accepts a sequence that its specification allows.
pub fn try_observers(compiled: &Compiled) -> Result<(), RequestError> {
    let findings = wrong_observers(&compiled.program);
    if findings.is_empty() {
        return Ok(());
    }
    Err(RequestError::Model { sources: compiled.sources.clone(), findings })
}

/// Returns a diagnostic for each observer that accepts a legal sequence, with a shortest one.
fn wrong_observers(program: &Arc<Program>) -> Vec<Diagnostic> {
    let tried = program.spec.observers.iter().filter_map(|observer| {
        let trial = Trial::new(program, observer)?;
        let accepted = trial.accepted_sequence().ok()??;
        let calls: Vec<String> = accepted.iter().map(|event| trial.text(event)).collect();
        let title =
            format!("the observer `{}` accepts a sequence that the specification allows", observer.name);
        let label = format!("accepts {}", calls.join(", "));
        let diagnostic = Diagnostic::error(title, observer.span, label);
        Some(diagnostic.help("change the observer so that this sequence leads to another location"))
    });
    tried.collect()
}

/// The test of one observer.
struct Trial<'o> {
    program: Arc<Program>,
    observer: &'o Observer,
    machine: SpecMachine,
    calls: Vec<CallChoice>,
    /// The values of the observer's variables.
    values: Vec<Word>,
}

/// A state of the specification and of the observer.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Product {
    state: SpecState,
    location: LocationId,
    used: BTreeSet<Word>,
}

impl<'o> Trial<'o> {
    /// Returns `None` where the client cannot list the calls. Then the observer is not tested.
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

    /// Returns a shortest sequence of the specification that the observer accepts.
    fn accepted_sequence(&self) -> Result<Option<Vec<Event>>, SpecError> {
        let initial = self.machine.initial()?.into_iter();
        let first = |state| Product { state, location: LocationId::new(0), used: BTreeSet::new() };
        // Each product state with its predecessor and the event between them.
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

    /// Returns the arguments of a kind.
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

    /// Formats an event: `push(a)`, `pop() -> none`.
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

/// Returns the events that lead to the last product state.
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
