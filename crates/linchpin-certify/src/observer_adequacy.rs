//! Adequacy of observers: the observers that an object must satisfy to be linearizable.
//!
//! - **Claim.** If no observer of [`products`] accepts an execution in which every call takes effect once,
//!   with its result, the object is linearizable.
//! - **Assumptions.** Lemma 1 (Observers, appendix A). Let every value be added at most once. A sequence of
//!   operations is one of a stack (a queue) exactly if none of these observers accepts. *Creation*: a value
//!   is removed that was not added. *Loss*: a removal finds nothing while a value is present. *Duplication*:
//!   a value is removed twice. For a stack *lifo*: of two present values the first added is removed. For a
//!   queue *fifo*: the last added is removed. For a priority queue *urgency*: of two present values the one
//!   with the greater priority is removed.
//! - **Proof.** Data independence (theorem 1): a program that only copies data treats equal values like
//!   different values. So executions in which every value is added at most once suffice.
//! - **Keys as priorities** are unboundedly many. A heap program only copies and compares them. Cut the keys
//!   into two classes: keys up to some key `t`, and keys above it. Keys of different classes compare like
//!   their classes; keys of one class compare either way. Every execution is an execution of the program on
//!   classes, for every `t`. If values with priorities `p < q` violate urgency, then for `t = p` they violate
//!   it with the classes 0 and 1. So it suffices to observe urgency of class 0 before class 1.
//! - **Sources.** The observers of the specification are used. An observer defined here is added if none of
//!   these covers it. The automata decide this ([`covers`]): both run side by side on every event.
//! - **Tests.** In the suite of `linchpin-prove`, `prove::models` proves no wrong model of the catalogue, and
//!   `random_proofs` compares proofs with searches of small instances.

use linchpin_ir::heap::{HeapProgram, ProofMethod, SpecShape};
use linchpin_ir::index::Index;
use linchpin_ir::program::observer::{
    Event, Location, LocationId, ObservedValue, Observer, ObserverStep, Pattern,
};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeKind, Word};
use std::collections::{BTreeSet, VecDeque};

/// Observers that run side by side over the same variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObserverProduct {
    pub observers: Vec<Observer>,
    pub variables: usize,
}

/// The number of classes of keys.
pub const KEY_CLASSES: u8 = 2;

/// The maximal number of locations of a product.
const MOST_LOCATIONS: usize = 1 << 15;

/// Returns the products that show linearizability: all observers of one variable together, each other
/// observer alone. `None` if no adequate observers are known for the specification.
pub fn products(program: &Program, shape: SpecShape) -> Option<Vec<ObserverProduct>> {
    let mut observers = program.spec.observers.clone();
    for wanted in required(program, shape)? {
        if !observers.iter().any(|observer| covers(program, observer, &wanted)) {
            observers.push(wanted);
        }
    }
    let (single, several): (Vec<Observer>, Vec<Observer>) =
        observers.into_iter().partition(|observer| observer.variables.len() <= 1);
    let first = ObserverProduct {
        observers: single.into_iter().chain(priority_recorder(program, shape)).collect(),
        variables: 1,
    };
    let rest = several.into_iter().map(|observer| {
        let variables = observer.variables.len();
        ObserverProduct { observers: vec![observer], variables }
    });
    let products: Vec<ObserverProduct> = std::iter::once(first).chain(rest).collect();
    let fits = |product: &ObserverProduct| product.size().is_some() && product.variables <= 8;
    products.iter().all(fits).then_some(products)
}

/// Returns the products of a program; `None` if the method does not support the program.
pub fn products_of(program: &Program) -> Option<Vec<ObserverProduct>> {
    let heap = HeapProgram::of(program, ProofMethod::Pairs).ok()?;
    products(program, heap.spec())
}

impl ObserverProduct {
    /// Returns the number of combinations of locations; `None` if there are too many.
    fn size(&self) -> Option<usize> {
        let size = self.observers.iter().try_fold(1_usize, |size, o| size.checked_mul(o.locations.len()));
        size.filter(|size| *size <= MOST_LOCATIONS)
    }

    /// Returns the location after an event.
    pub fn step(&self, from: u16, event: &Event) -> u16 {
        let mut left = usize::from(from);
        let mut to = 0;
        let mut weight = 1;
        for observer in &self.observers {
            let count = observer.locations.len();
            to += weight * observer.step(LocationId::new(left % count), event).index();
            left /= count;
            weight *= count;
        }
        // No product has more locations than [`MOST_LOCATIONS`].
        u16::try_from(to).unwrap_or(u16::MAX)
    }

    /// Returns an observer that accepts at a location.
    pub fn accepting(&self, location: u16) -> Option<&Observer> {
        let mut left = usize::from(location);
        self.observers.iter().find(|observer| {
            let at = left % observer.locations.len();
            left /= observer.locations.len();
            observer.locations[at].accepting
        })
    }

    /// Returns the locations from which no observer can accept.
    pub fn dead(&self, program: &Program) -> BTreeSet<u16> {
        let events = events(program, self.variables);
        let mut edges = Vec::new();
        let mut seen = BTreeSet::from([0]);
        let mut open = VecDeque::from([0]);
        while let Some(from) = open.pop_front() {
            for event in &events {
                let to = self.step(from, event);
                edges.push((from, to));
                if seen.insert(to) {
                    open.push_back(to);
                }
            }
        }
        let mut alive: BTreeSet<u16> =
            seen.iter().copied().filter(|location| self.accepting(*location).is_some()).collect();
        loop {
            let before = alive.len();
            alive.extend(
                edges.iter().filter(|(_, to)| alive.contains(to)).map(|(from, _)| *from).collect::<Vec<_>>(),
            );
            if alive.len() == before {
                return seen.difference(&alive).copied().collect();
            }
        }
    }
}

/// Returns whether `observer` accepts whenever `wanted` does, as long as no value is added twice.
pub fn covers(program: &Program, observer: &Observer, wanted: &Observer) -> bool {
    if observer.variables.len() != wanted.variables.len() {
        return false;
    }
    let events = events(program, wanted.variables.len());
    let start = (LocationId::new(0), LocationId::new(0));
    let mut seen = BTreeSet::from([start]);
    let mut open = VecDeque::from([start]);
    while let Some((ours, theirs)) = open.pop_front() {
        for event in &events {
            let (ours, theirs) = (observer.step(ours, event), wanted.step(theirs, event));
            if observer.locations[ours.index()].accepting {
                continue;
            }
            if wanted.locations[theirs.index()].accepting {
                return false;
            }
            if seen.insert((ours, theirs)) {
                open.push_back((ours, theirs));
            }
        }
    }
    true
}

/// Returns every event over these variables.
pub fn events(program: &Program, variables: usize) -> Vec<Event> {
    let data: Vec<ObservedValue> =
        std::iter::once(ObservedValue::Other).chain((0..variables).map(ObservedValue::Variable)).collect();
    let mut all = Vec::new();
    for (op, operation) in program.ops.entries() {
        let mut lists: Vec<Vec<ObservedValue>> = vec![Vec::new()];
        for param in &operation.params {
            let values: Vec<ObservedValue> = match finite(program, *param) {
                Some(values) => values.into_iter().map(ObservedValue::Constant).collect(),
                None => data.clone(),
            };
            let longer = |list: &Vec<ObservedValue>| -> Vec<Vec<ObservedValue>> {
                values.iter().map(|value| [&list[..], &[*value]].concat()).collect()
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        let results: Vec<Option<ObservedValue>> = match operation.result {
            Some(_) => std::iter::once(ObservedValue::Absent).chain(data.iter().copied()).map(Some).collect(),
            None => vec![None],
        };
        for args in &lists {
            all.extend(results.iter().map(|result| Event { op, args: args.clone(), result: *result }));
        }
    }
    all
}

/// Returns the values of a finite type, or the classes of keys.
fn finite(program: &Program, ty: linchpin_ir::types::TypeId) -> Option<Vec<Word>> {
    let (low, high) = match program.types.kind(ty) {
        TypeKind::Bool => (0, 1),
        TypeKind::Enum(id) => (0, i64::try_from(program.types.enums[id].variants.len()).ok()? - 1),
        TypeKind::Range { low, high } => (low, high),
        TypeKind::Key => (0, i64::from(KEY_CLASSES) - 1),
        _ => return None,
    };
    Some((low..=high).filter_map(|value| Word::try_from(value).ok()).collect())
}

/// Returns an observer that never accepts, and records the priority of the value. The position of the value
/// depends on its priority, and the locations of a product separate the views.
fn priority_recorder(program: &Program, shape: SpecShape) -> Option<Observer> {
    if shape != SpecShape::PriorityQueue {
        return None;
    }
    let (add, operation) = program.ops.entries().find(|(_, operation)| operation.result.is_none())?;
    let priorities = finite(program, *operation.params.get(1)?)?;
    let names: Vec<String> =
        std::iter::once("start".into()).chain(priorities.iter().map(|p| format!("added({p})"))).collect();
    let steps = priorities.iter().enumerate().map(|(at, priority)| ObserverStep {
        from: LocationId::new(0),
        op: add,
        args: vec![Pattern::Variable(0), Pattern::Constant(*priority)],
        result: None,
        to: LocationId::new(at + 1),
        span: program.spec.span,
    });
    Some(Observer {
        name: "priority".into(),
        variables: vec!["a".into()],
        locations: names
            .iter()
            .map(|name| Location { name: name.as_str().into(), accepting: false })
            .collect(),
        steps: steps.collect(),
        span: program.spec.span,
    })
}

/// Returns the observers of Lemma 1.
fn required(program: &Program, shape: SpecShape) -> Option<Vec<Observer>> {
    // The shapes have two operations: one adds values, the other returns them.
    let (removes, adds): (Vec<OpId>, Vec<OpId>) =
        program.ops.ids().partition(|op| program.ops[*op].result.is_some());
    let ([add], [remove]) = (&adds[..], &removes[..]) else { return None };
    let writer = Writer { add: *add, remove: *remove, span: program.spec.span };
    let params = program.ops[*add].params.len();
    let any_priority: &[Pattern] = if params == 2 { &[Pattern::Any] } else { &[] };
    let mut all =
        vec![writer.creation(any_priority), writer.loss(any_priority), writer.duplication(any_priority)];
    match shape {
        SpecShape::Stack => all.push(writer.order("lifo", 0, 1)),
        SpecShape::Queue => all.push(writer.order("fifo", 1, 0)),
        SpecShape::PriorityQueue => {
            let priorities = finite(program, *program.ops[*add].params.get(1)?)?;
            for (at, urgent) in priorities.iter().enumerate() {
                all.extend(priorities[at + 1..].iter().map(|patient| writer.urgency(*urgent, *patient)));
            }
        }
        SpecShape::Set => return None,
    }
    Some(all)
}

/// Builds observers for an object that adds and removes values.
struct Writer {
    add: OpId,
    remove: OpId,
    span: Span,
}

impl Writer {
    fn creation(&self, priority: &[Pattern]) -> Observer {
        let steps = [self.added(0, 0, priority, 1), self.removed(0, Pattern::Variable(0), 2)];
        self.observer("creation", &["a"], &["start", "over", "violated"], steps)
    }

    fn loss(&self, priority: &[Pattern]) -> Observer {
        let steps = [
            self.added(0, 0, priority, 1),
            self.removed(1, Pattern::Variable(0), 2),
            self.removed(1, Pattern::Absent, 3),
            self.added(1, 0, priority, 2),
        ];
        self.observer("loss", &["a"], &["start", "inside", "over", "violated"], steps)
    }

    fn duplication(&self, priority: &[Pattern]) -> Observer {
        let steps = [
            self.added(0, 0, priority, 1),
            self.removed(1, Pattern::Variable(0), 2),
            self.added(1, 0, priority, 3),
            self.removed(2, Pattern::Variable(0), 4),
            self.added(2, 0, priority, 3),
        ];
        let locations = ["start", "inside", "outside", "over", "violated"];
        self.observer("duplication", &["a"], &locations, steps)
    }

    /// Accepts if the wrong one of two present values is removed; the values are added in the order of their
    /// numbers.
    fn order(&self, name: &str, wrong: usize, right: usize) -> Observer {
        let steps = [
            self.added(0, 0, &[], 1),
            self.added(0, 1, &[], 3),
            self.added(1, 1, &[], 2),
            self.removed(1, Pattern::Variable(0), 3),
            self.added(1, 0, &[], 3),
            self.removed(2, Pattern::Variable(wrong), 4),
            self.removed(2, Pattern::Variable(right), 3),
            self.added(2, 0, &[], 3),
            self.added(2, 1, &[], 3),
        ];
        self.observer(name, &["a", "b"], &["start", "first", "both", "over", "violated"], steps)
    }

    fn urgency(&self, urgent: Word, patient: Word) -> Observer {
        let (p, q, any) = (&[Pattern::Constant(urgent)], &[Pattern::Constant(patient)], &[Pattern::Any]);
        let steps = [
            self.added(0, 0, p, 1),
            self.added(0, 1, q, 2),
            self.added(0, 0, any, 4),
            self.added(0, 1, any, 4),
            self.added(1, 1, q, 3),
            self.added(1, 1, any, 4),
            self.removed(1, Pattern::Variable(0), 4),
            self.added(1, 0, any, 4),
            self.added(2, 0, p, 3),
            self.added(2, 0, any, 4),
            self.removed(2, Pattern::Variable(1), 4),
            self.added(2, 1, any, 4),
            self.removed(3, Pattern::Variable(1), 5),
            self.removed(3, Pattern::Variable(0), 4),
            self.added(3, 0, any, 4),
            self.added(3, 1, any, 4),
        ];
        let locations = ["start", "urgent", "patient", "both", "over", "violated"];
        self.observer(&format!("urgency({urgent}, {patient})"), &["a", "b"], &locations, steps)
    }

    fn added(&self, from: usize, variable: usize, priority: &[Pattern], to: usize) -> ObserverStep {
        let args = [&[Pattern::Variable(variable)], priority].concat();
        let (from, to) = (LocationId::new(from), LocationId::new(to));
        ObserverStep { from, op: self.add, args, result: None, to, span: self.span }
    }

    fn removed(&self, from: usize, result: Pattern, to: usize) -> ObserverStep {
        let (from, to) = (LocationId::new(from), LocationId::new(to));
        ObserverStep { from, op: self.remove, args: Vec::new(), result: Some(result), to, span: self.span }
    }

    fn observer<const N: usize>(
        &self,
        name: &str,
        variables: &[&str],
        locations: &[&str],
        steps: [ObserverStep; N],
    ) -> Observer {
        Observer {
            name: name.into(),
            variables: variables.iter().map(|name| (*name).into()).collect(),
            locations: locations
                .iter()
                .map(|name| Location { name: (*name).into(), accepting: *name == "violated" })
                .collect(),
            steps: steps.into(),
            span: self.span,
        }
    }
}
