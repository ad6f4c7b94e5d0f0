//! A naive evaluator of lemmas on the states of the plain semantics: by the names of the state's views,
//! without samples.

use linchpin_prove::lemma::{Atom, Lemma, Operand, Place, Root, Term};
use linchpin_semantics::{CellId, Client, Machine, NoEvents, Outcome, Picks, State, Status, ThreadId, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Every state of an instance, in normal form.
pub fn states(machine: &Machine, client: &Client) -> Vec<State> {
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::new();
    let mut all = Vec::new();
    let mut add = |mut state: State, queue: &mut VecDeque<State>| {
        machine.normalise(&mut state);
        let mut words = Vec::new();
        machine.flatten(&state, &mut words);
        if seen.insert(words) {
            queue.push_back(state);
        }
    };
    let start = machine.initial(&mut Picks::new()).expect("an initial state");
    add(start, &mut queue);
    while let Some(state) = queue.pop_front() {
        for thread in machine.bounds().thread_ids() {
            let mut outcomes: Vec<State> = Vec::new();
            if machine.is_idle(&state, thread) {
                for call in client.calls(machine, &state, thread) {
                    let mut next = state.clone();
                    let (picks, events) = (&mut Picks::new(), &mut NoEvents);
                    let position = call.next_position;
                    let done = machine.call(&mut next, thread, call.op, &call.args, position, picks, events);
                    outcomes.extend(Some(next).filter(|_| done == Outcome::Done));
                }
            } else {
                let mut next = state.clone();
                let done = machine.step(&mut next, thread, &mut Picks::new(), &mut NoEvents);
                outcomes.extend(Some(next).filter(|_| done == Outcome::Done));
            }
            for next in outcomes {
                add(next, &mut queue);
            }
        }
        all.push(state);
    }
    all
}

/// Whether a lemma without premises and without ghosts holds in a state. `None`: it has a ghost.
pub fn holds(machine: &Machine, state: &State, lemma: &Lemma) -> Option<bool> {
    let readers: Vec<Reader> = match lemma.place {
        Place::Rest(op, rest) => machine
            .bounds()
            .thread_ids()
            .filter(|thread| match machine.status(state, *thread) {
                Status::Busy { op: own, pc, .. } => own == op && pc == rest,
                Status::Idle => false,
            })
            .map(Reader::Thread)
            .collect(),
        Place::EveryCell => machine.cells(state).map(|cell| Reader::Cell(cell.id)).collect(),
    };
    let naive = Naive { machine, state };
    let mut all = true;
    for reader in readers {
        let truth = naive.atom(reader, &lemma.conclusion.atom)?;
        all &= truth == Some(lemma.conclusion.is_positive);
    }
    Some(all)
}

#[derive(Clone, Copy)]
enum Reader {
    Thread(ThreadId),
    Cell(CellId),
}

struct Naive<'n> {
    machine: &'n Machine,
    state: &'n State,
}

impl Naive<'_> {
    /// The outer `None`: a ghost. The inner: no value.
    fn atom(&self, reader: Reader, atom: &Atom) -> Option<Option<bool>> {
        Some(match atom {
            Atom::Equal(left, right) => self.pair(reader, left, right).map(|(left, right)| left == right),
            Atom::Less(left, right) => self.pair(reader, left, right).and_then(|(left, right)| {
                let rank = |value: Value| match value {
                    Value::KeyMin => Some(i64::MIN),
                    Value::KeyMax => Some(i64::MAX),
                    Value::Number(number) => Some(i64::from(number)),
                    _ => None,
                };
                Some(rank(left)? < rank(right)?)
            }),
            Atom::Flag(term) => match self.read(reader, term) {
                Some(Value::Bool(flag)) => Some(flag),
                _ => None,
            },
            Atom::Held(term) => match (self.read(reader, term), reader) {
                (Some(Value::Lock(holder)), Reader::Thread(thread)) => Some(holder == Some(thread)),
                (Some(Value::Lock(holder)), Reader::Cell(_)) => Some(holder.is_some()),
                _ => None,
            },
            Atom::Reachable(term) => match self.read(reader, term) {
                Some(Value::Pointer(cell)) => Some(self.reachable().contains(&cell)),
                _ => None,
            },
            _ => return None,
        })
    }

    fn pair(&self, reader: Reader, left: &Operand, right: &Operand) -> Option<(Value, Value)> {
        let value = |operand: &Operand| match operand {
            Operand::Null => Some(Value::Null),
            Operand::KeyMin => Some(Value::KeyMin),
            Operand::KeyMax => Some(Value::KeyMax),
            Operand::Term(term) => self.read(reader, term),
        };
        let (left, right) = (value(left)?, value(right)?);
        let has_value = |value: &Value| !matches!(value, Value::Undefined | Value::None);
        (has_value(&left) && has_value(&right)).then_some((left, right))
    }

    fn read(&self, reader: Reader, term: &Term) -> Option<Value> {
        let mut value = match (term.root, reader) {
            (Root::Local(local), Reader::Thread(thread)) => {
                let frames = self.machine.frames(self.state, thread);
                frames.first()?.locals.iter().find(|(id, _)| *id == local)?.1.clone()
            }
            (Root::Shared(global), _) => self.machine.global(self.state, global),
            (Root::Cell, Reader::Cell(cell)) => Value::Pointer(cell),
            _ => return None,
        };
        for name in &term.fields {
            value = match value {
                Value::Pointer(cell) => {
                    let cell = self.machine.cell(self.state, cell)?;
                    let fields: BTreeMap<String, Value> =
                        self.machine.fields(self.state, cell).into_iter().collect();
                    fields.get(&**name)?.clone()
                }
                Value::Record(_, fields) => {
                    fields.into_iter().find(|(field, _)| field == name).map(|(_, value)| value)?
                }
                _ => return None,
            };
        }
        Some(value)
    }

    fn reachable(&self) -> BTreeSet<CellId> {
        let mut text: Vec<Value> = self
            .machine
            .program()
            .globals
            .variables
            .ids()
            .map(|id| self.machine.global(self.state, id))
            .collect();
        let mut found = BTreeSet::new();
        while let Some(value) = text.pop() {
            match value {
                Value::Record(_, fields) => text.extend(fields.into_iter().map(|(_, value)| value)),
                Value::Pointer(cell) if found.insert(cell) => {
                    if let Some(view) = self.machine.cell(self.state, cell) {
                        text.extend(self.machine.fields(self.state, view).into_iter().map(|(_, v)| v));
                    }
                }
                _ => {}
            }
        }
        found
    }
}
