//! Compares states with the ghosts of observers: their locations, and the effects of calls.
//!
//! The *program's own points* decide. Passing `lin` makes the call due. It takes effect there or in a later
//! step of its thread, up to its return, with a guessed result. The call must return this result. So each
//! state is paired with a *set* of ghosts, one for each guess. `lin maybe` is a point for the result `none`
//! that leaves the observers unchanged. A ghost is dropped if an observer accepts, a call takes effect twice,
//! or a call returns another result.
//!
//! - *Claim.* The set is never empty, and some ghost of it puts the state into the views.
//! - *Exceptions.* Views end where a product of several variables can no longer accept. The value of a
//!   variable is an argument at most once: an edge that passes it again leaves the product (data
//!   independence, [`observer_adequacy`](crate::observer_adequacy)).
//! - *Test.* The seeded faults `gate-observer-accepts` and `gate-any-result`.

use super::gamma::{Called, Classes, Ghosts, Views, key_class};
use super::graph::Graph;
use super::observed_step::Label;
use super::product::{self, Numbers, Search, To};
use super::refused::GateRefused;
use crate::certificate::{Effect, Invariant, Rest, Symbol};
use crate::observer_adequacy::ObserverProduct;
use linchpin_ir::program::observer::{Event, ObservedValue};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{NONE, TypeId, TypeKind, Word};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

/// One guess of the effects.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ghost {
    pub location: u16,
    pub used: u8,
    pub calls: SmallVec<[Called; 3]>,
}

/// The ghosts of one product of observers.
pub struct Observing<'o> {
    program: &'o Program,
    product: &'o ObserverProduct,
    classes: Classes,
    ghosts: Numbers<Ghost>,
    /// Sets of ghosts, as lists of their numbers.
    sets: Numbers<Vec<u32>>,
    steps: FxHashMap<(u32, u32), To>,
}

/// Compares all states with the views of an invariant about a product of observers.
pub fn compare(
    graph: &Graph,
    rests: &[Rest],
    invariant: &Invariant,
    product: &ObserverProduct,
    search: &Search,
) -> Result<(), GateRefused> {
    let program = graph.layout.program;
    let dead = if product.variables > 1 { product.dead(program) } else { BTreeSet::new() };
    for variables in assignments(product.variables, graph.bounds.values) {
        for cut in graph.cuts() {
            let classes = Classes { variables: variables.clone(), cut };
            let views = Views::new(graph.layout, rests, invariant, classes.clone());
            let mut observing = Observing::new(program, product, classes);
            observing.compare(graph, &views, invariant, &dead, search)?;
        }
    }
    Ok(())
}

impl<'o> Observing<'o> {
    pub fn new(program: &'o Program, product: &'o ObserverProduct, classes: Classes) -> Observing<'o> {
        Observing {
            program,
            product,
            classes,
            ghosts: Numbers::new(),
            sets: Numbers::new(),
            steps: FxHashMap::default(),
        }
    }

    /// Returns the possible ghosts after a step; `None` if the step leaves the product.
    pub fn after(&mut self, ghost: &Ghost, label: &Label) -> Option<Vec<Ghost>> {
        let number = self.ghosts.of(ghost.clone());
        let set = self.sets.of(vec![number]);
        match self.step(set, label) {
            To::Left => None,
            To::Wrong => Some(Vec::new()),
            To::State(set) => {
                let numbers = self.sets.get(set).iter();
                Some(numbers.map(|number| self.ghosts.get(*number).clone()).collect())
            }
        }
    }

    fn compare(
        &mut self,
        graph: &Graph,
        views: &Views,
        invariant: &Invariant,
        dead: &BTreeSet<u16>,
        search: &Search,
    ) -> Result<(), GateRefused> {
        let question = invariant.question;
        let idle = Called { op: None, args: SmallVec::new(), effect: Effect::Waiting };
        let first = Ghost { location: 0, used: 0, calls: smallvec![idle; graph.layout.threads] };
        let first = self.ghosts.of(first);
        let first = self.sets.of(vec![first]);
        let initial: Vec<(u32, u32)> = graph.initial.iter().map(|node| (*node, first)).collect();
        let step = |_: u32, set: u32, edge: &super::graph::Edge| {
            if let Some(to) = self.steps.get(&(set, edge.label)) {
                return *to;
            }
            let to = self.step(set, &graph.labels[edge.label as usize]);
            self.steps.insert((set, edge.label), to);
            to
        };
        let pairs = product::pairs(graph, &initial, step, search).map_err(|stopped| {
            stopped.refuse(graph, |node, label| GateRefused::Observer {
                question,
                execution: graph.execution_to(node, Some(&graph.labels[label as usize])),
            })
        })?;
        for of_node in pairs.chunk_by(|a, b| a.0 == b.0) {
            let node = of_node[0].0;
            if node % 1024 == 0 && !(search.go_on)() {
                return Err(GateRefused::Interrupted);
            }
            let mut scene = views.scene(graph.record(node));
            let mut known: FxHashMap<u32, Option<[usize; 2]>> = FxHashMap::default();
            for (_, set) in of_node {
                let mut worst = None;
                let is_inside = self.sets.get(*set).iter().any(|number| {
                    let ghost = self.ghosts.get(*number);
                    if dead.contains(&ghost.location) {
                        return true;
                    }
                    let outside = known.entry(*number).or_insert_with(|| {
                        let Ghost { location, used, calls } = ghost;
                        let ghosts = Ghosts { location: *location, used: *used, calls, watched: None };
                        views.outside(&mut scene, &ghosts)
                    });
                    worst = worst.or(*outside);
                    outside.is_none()
                });
                if !is_inside {
                    let threads = worst.unwrap_or([0, 1]);
                    return Err(GateRefused::Outside {
                        question,
                        threads,
                        execution: graph.execution_to(node, None),
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the set of ghosts after a step.
    fn step(&mut self, set: u32, label: &Label) -> To {
        let mut after: BTreeSet<u32> = BTreeSet::new();
        for number in self.sets.get(set).clone() {
            let mut ghost = self.ghosts.get(number).clone();
            if let Some((op, args)) = &label.call {
                let args = self.symbols(&self.program.ops[*op].params, args);
                for symbol in &args {
                    if let Symbol::Tracked(variable) = symbol {
                        if ghost.used >> variable & 1 == 1 {
                            return To::Left;
                        }
                        ghost.used |= 1 << variable;
                    }
                }
                // A call of an operation without points may take effect anywhere.
                let effect = if self.program.ops[*op].free_point { Effect::Due } else { Effect::Waiting };
                ghost.calls[label.thread] = Called { op: Some(*op), args, effect };
            }
            let mut open = vec![ghost];
            for (thread, maybe) in &label.points {
                open = open.into_iter().flat_map(|ghost| self.point(ghost, *thread, *maybe)).collect();
            }
            open = open.into_iter().flat_map(|ghost| self.take_effect(ghost, label.thread)).collect();
            if let Some((op, result)) = &label.returned {
                let result = self.result(*op, result);
                open.retain(|ghost| match ghost.calls[label.thread].effect {
                    Effect::Done(said) => said == result,
                    Effect::Tentative { right } => right && result == Symbol::Absent,
                    Effect::Waiting | Effect::Due => false,
                });
                for ghost in &mut open {
                    ghost.calls[label.thread] =
                        Called { op: None, args: SmallVec::new(), effect: Effect::Waiting };
                }
            }
            after.extend(open.into_iter().map(|ghost| self.ghosts.of(ghost)));
        }
        if after.is_empty() { To::Wrong } else { To::State(self.sets.of(after.into_iter().collect())) }
    }

    /// Makes a thread pass a point; `None` if the ghost is dropped.
    fn point(&self, mut ghost: Ghost, thread: usize, maybe: bool) -> Option<Ghost> {
        let call = ghost.calls.get(thread)?;
        let effect = match (call.effect, maybe) {
            (Effect::Done(_) | Effect::Due, true) => return Some(ghost),
            // A call takes effect once.
            (Effect::Done(_), false) => return None,
            (Effect::Due, false) => {
                let is_free = call.op.is_some_and(|op| self.program.ops[op].free_point);
                return is_free.then_some(ghost);
            }
            (Effect::Waiting | Effect::Tentative { .. }, false) => Effect::Due,
            (Effect::Waiting | Effect::Tentative { .. }, true) => {
                let to = self.product.step(ghost.location, &event(call, Symbol::Absent)?);
                let right = self.product.accepting(to).is_none();
                // A tentative point must not move an observer: views cannot express this.
                if right && to != ghost.location {
                    return None;
                }
                Effect::Tentative { right }
            }
        };
        ghost.calls[thread].effect = effect;
        Some(ghost)
    }

    /// Lets a due call take effect with each result, or wait. No observer may accept.
    fn take_effect(&self, ghost: Ghost, thread: usize) -> Vec<Ghost> {
        let mut all = Vec::new();
        let call = &ghost.calls[thread];
        if let (Effect::Due, Some(op)) = (call.effect, call.op) {
            for result in self.results(op) {
                let Some(event) = event(call, result) else { continue };
                let to = self.product.step(ghost.location, &event);
                if self.product.accepting(to).is_none() {
                    let mut done = ghost.clone();
                    done.location = to;
                    done.calls[thread].effect = Effect::Done(result);
                    all.push(done);
                }
            }
        }
        all.push(ghost);
        all
    }

    /// Returns the classes of results; [`Symbol::Unknown`] for an operation without a result.
    fn results(&self, op: OpId) -> Vec<Symbol> {
        let Some(ty) = self.program.ops[op].result else { return vec![Symbol::Unknown] };
        let types = &self.program.types;
        let (inner, is_optional) = match types.kind(ty) {
            TypeKind::Option(inner) => (inner, true),
            _ => (ty, false),
        };
        let mut all: Vec<Symbol> = is_optional.then_some(Symbol::Absent).into_iter().collect();
        let (low, high) = match types.kind(inner) {
            TypeKind::Bool => (0, 1),
            TypeKind::Range { low, high } => (low, high),
            TypeKind::Enum(id) => (0, i64::try_from(types.enums[id].variants.len()).unwrap_or(0) - 1),
            TypeKind::Key => {
                all.extend([Symbol::Key(0), Symbol::Key(1)]);
                return all;
            }
            _ => {
                let variables = (0_u8..).zip(&self.classes.variables).map(|(at, _)| Symbol::Tracked(at));
                all.extend(variables);
                all.push(Symbol::Other);
                return all;
            }
        };
        all.extend((low..=high).filter_map(|value| i8::try_from(value).ok()).map(Symbol::Small));
        all
    }

    fn result(&self, op: OpId, words: &[Word]) -> Symbol {
        match (self.program.ops[op].result, words.first()) {
            (Some(ty), Some(word)) => {
                let inner = match self.program.types.kind(ty) {
                    TypeKind::Option(inner) => inner,
                    _ => ty,
                };
                self.symbol(inner, *word)
            }
            _ => Symbol::Unknown,
        }
    }

    /// Returns the classes of values of these types.
    pub fn symbols(&self, types: &[TypeId], words: &[Word]) -> SmallVec<[Symbol; 2]> {
        types.iter().zip(words).map(|(ty, word)| self.symbol(*ty, *word)).collect()
    }

    fn symbol(&self, ty: TypeId, word: Word) -> Symbol {
        match self.program.types.kind(ty) {
            _ if word == NONE => Symbol::Absent,
            TypeKind::Key => Symbol::Key(u8::from(key_class(&self.classes, word) == 1)),
            TypeKind::Data => {
                let variable = self.classes.variables.iter().position(|value| *value == word);
                let variable = variable.and_then(|at| u8::try_from(at).ok());
                variable.map_or(Symbol::Other, Symbol::Tracked)
            }
            _ => i8::try_from(word).map_or(Symbol::Unknown, Symbol::Small),
        }
    }
}

/// Returns the event of a call with this result.
fn event(call: &Called, result: Symbol) -> Option<Event> {
    let seen = |symbol: &Symbol| match symbol {
        Symbol::Tracked(variable) => ObservedValue::Variable(usize::from(*variable)),
        Symbol::Absent => ObservedValue::Absent,
        Symbol::Small(number) => ObservedValue::Constant(i32::from(*number)),
        Symbol::Key(class) => ObservedValue::Constant(i32::from(*class)),
        _ => ObservedValue::Other,
    };
    let result = (result != Symbol::Unknown).then(|| seen(&result));
    Some(Event { op: call.op?, args: call.args.iter().map(seen).collect(), result })
}

/// Returns every choice of different values for the variables. Values beyond the last value are never
/// arguments.
fn assignments(variables: usize, values: u32) -> Vec<Vec<Word>> {
    let values = Word::try_from(values).unwrap_or(0).max(Word::try_from(variables).unwrap_or(0));
    let mut all: Vec<Vec<Word>> = vec![Vec::new()];
    for _ in 0..variables {
        let longer = |list: &Vec<Word>| {
            let fresh = (1..=values).filter(|value| !list.contains(value));
            fresh.map(|value| [&list[..], &[value]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
