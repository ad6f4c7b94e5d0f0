//! Objects over plain Rust types: total, blocking, nondeterministic, and with a rendezvous.

use linchpin_order::{
    About, Call, ContainerCall, History, Outcome, OutcomesOf, RegisterCall, Registers, Removal, Sequential,
    Specification, Structure,
};
use std::convert::Infallible;
use std::sync::LazyLock;

/// An operation with its argument; a take ignores its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Put(u8),
    Take(u8),
    Look(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// `Take` removes the oldest value.
    Queue,
    /// `Take` removes the newest value.
    Stack,
    /// `Put` writes, the others read.
    Register,
    /// `Put` adds, `Take` removes, `Look` checks its argument.
    Set,
    /// As a queue, but `Take` waits for a value.
    BlockingQueue,
    /// As a queue, but `Put` may lose its value.
    LossyQueue,
    /// `Put` takes effect together with a `Take`, which returns its value.
    Rendezvous,
    /// `Take` removes any value.
    Bag,
    /// `Take` removes a value with the smallest [rank].
    PriorityQueue,
}

/// The rank of a value of a priority queue: two values have the same.
pub fn rank(value: u8) -> i64 {
    i64::from(value / 2)
}

pub const ALL: [Object; 9] = [
    Object::Queue,
    Object::Stack,
    Object::Register,
    Object::Set,
    Object::BlockingQueue,
    Object::LossyQueue,
    Object::Rendezvous,
    Object::Bag,
    Object::PriorityQueue,
];

/// The kinds of a rendezvous: `Put` and `Take`.
static MEETINGS: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| vec![vec![0, 1]]);

impl Object {
    fn with(state: &[u8], value: u8) -> Vec<u8> {
        [state, &[value]].concat()
    }
}

impl Sequential for Object {
    type State = Vec<u8>;
    type Op = Op;
    type Ret = Option<u8>;

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![Vec::new()]
    }

    fn outcomes(&self, state: &Vec<u8>, op: &Op) -> Vec<(Vec<u8>, Option<u8>)> {
        let take = |at: Option<usize>| match at {
            Some(at) => {
                let mut state = state.clone();
                let value = state.remove(at);
                vec![(state, Some(value))]
            }
            None => vec![(state.clone(), None)],
        };
        let first = (!state.is_empty()).then_some(0);
        let place = |value| state.iter().position(|other| *other == value);
        match (self, *op) {
            (Object::Rendezvous, _) => vec![],
            (Object::Register, Op::Put(value)) => vec![(vec![value], None)],
            (Object::Register, _) => vec![(state.clone(), state.last().copied())],
            (Object::Set, Op::Put(value)) if place(value).is_some() => vec![(state.clone(), None)],
            (Object::Set, Op::Put(value)) => {
                let mut state = Object::with(state, value);
                state.sort();
                vec![(state, Some(value))]
            }
            (Object::Set, Op::Take(value)) => take(place(value)),
            (Object::Set, Op::Look(value)) => vec![(state.clone(), place(value).map(|_| value))],
            (Object::LossyQueue, Op::Put(value)) => {
                vec![(Object::with(state, value), None), (state.clone(), None)]
            }
            (Object::Bag | Object::PriorityQueue, Op::Put(value)) => {
                let mut state = Object::with(state, value);
                state.sort();
                vec![(state, None)]
            }
            (Object::Bag | Object::PriorityQueue, Op::Take(_)) if !state.is_empty() => {
                let least = |at: &usize| *self == Object::Bag || rank(state[*at]) == rank(state[0]);
                (0..state.len()).filter(least).flat_map(|at| take(Some(at))).collect()
            }
            (_, Op::Put(value)) => vec![(Object::with(state, value), None)],
            (Object::Stack, Op::Take(_)) => take(state.len().checked_sub(1)),
            (Object::BlockingQueue, Op::Take(_)) if state.is_empty() => vec![],
            (_, Op::Take(_)) => take(first),
            (_, Op::Look(_)) => vec![(state.clone(), state.first().copied())],
        }
    }

    fn are_alike(&self, one: &Op, other: &Op) -> bool {
        match (one, other) {
            (Op::Take(_), Op::Take(_)) if !matches!(self, Object::Set) => true,
            (Op::Look(_), Op::Look(_)) if !matches!(self, Object::Set) => true,
            _ => one == other,
        }
    }

    fn is_idle(&self, op: &Op, returned: &Option<u8>) -> bool {
        match (self, op) {
            (Object::Rendezvous, _) => false,
            (_, Op::Look(_)) => true,
            (Object::Queue | Object::Stack | Object::Bag | Object::PriorityQueue, Op::Take(_)) => {
                returned.is_none()
            }
            _ => false,
        }
    }

    fn key(&self, op: &Op) -> Option<u64> {
        let (Op::Put(value) | Op::Take(value) | Op::Look(value)) = *op;
        (*self == Object::Set).then_some(u64::from(value))
    }

    fn kind(&self, op: &Op) -> u32 {
        match op {
            Op::Put(_) => 0,
            Op::Take(_) => 1,
            Op::Look(_) => 2,
        }
    }

    fn takes_effect_alone(&self, _op: &Op) -> bool {
        *self != Object::Rendezvous
    }

    fn rendezvous(&self) -> &[Vec<u32>] {
        match self {
            Object::Rendezvous => &MEETINGS,
            _ => &[],
        }
    }

    fn outcomes_together(&self, state: &Vec<u8>, ops: &[&Op]) -> Vec<(Vec<u8>, Vec<Option<u8>>)> {
        match (self, ops) {
            (Object::Rendezvous, [Op::Put(value), Op::Take(_)]) => {
                vec![(state.clone(), vec![None, Some(*value)])]
            }
            _ => vec![],
        }
    }
}

/// An object that describes its structure.
pub struct Structured(pub Object);

impl Specification for Structured {
    type State = Vec<u8>;
    type Op = Op;
    type Ret = Option<u8>;
    type Error = Infallible;

    fn initial(&self) -> Result<Vec<Vec<u8>>, Infallible> {
        Specification::initial(&self.0)
    }

    fn outcomes(&self, state: &Vec<u8>, ops: &[&Op]) -> OutcomesOf<Structured> {
        let outcomes: Vec<Outcome<_, _>> = Specification::outcomes(&self.0, state, ops)?;
        Ok(outcomes)
    }

    fn is_idle(&self, op: &Op, returned: &Option<u8>) -> bool {
        Sequential::is_idle(&self.0, op, returned)
    }

    fn are_alike(&self, one: &Op, other: &Op) -> bool {
        Sequential::are_alike(&self.0, one, other)
    }

    fn kind(&self, op: &Op) -> u32 {
        Sequential::kind(&self.0, op)
    }

    fn takes_effect_alone(&self, op: &Op) -> bool {
        Sequential::takes_effect_alone(&self.0, op)
    }

    fn rendezvous(&self) -> &[Vec<u32>] {
        Sequential::rendezvous(&self.0)
    }

    fn structure(&self, history: &History<Op, Option<u8>>) -> Structure {
        let calls = || history.calls().iter().map(|call| self.role(call)).collect();
        let has_look = history.calls().iter().any(|call| matches!(call.op, Op::Look(_)));
        match self.0 {
            Object::Queue if !has_look => Structure::Container { calls: calls(), removal: Removal::Oldest },
            Object::Stack if !has_look => Structure::Container { calls: calls(), removal: Removal::Newest },
            Object::Queue | Object::Stack => Structure::Container { calls: calls(), removal: Removal::Other },
            Object::Bag | Object::PriorityQueue if !has_look => {
                let rank_of = |op: &Op| match op {
                    Op::Put(value) if self.0 == Object::PriorityQueue => rank(*value),
                    _ => 0,
                };
                let ranks = history.calls().iter().map(|call| rank_of(&call.op)).collect();
                Structure::Unordered { calls: calls(), ranks }
            }
            Object::Register => {
                let role = |call: &Call<Op, Option<u8>>| match (call.op, &call.returned) {
                    (Op::Put(value), _) => RegisterCall::Write(u32::from(value)),
                    (_, None) => RegisterCall::Read(None),
                    (_, Some(returned)) => RegisterCall::Read(Some(u32::from(returned.result.unwrap_or(0)))),
                };
                Structure::Register(Registers {
                    calls: history.calls().iter().map(role).collect(),
                    initial: 0,
                })
            }
            _ => Specification::structure(&self.0, history),
        }
    }
}

impl Structured {
    fn role(&self, call: &Call<Op, Option<u8>>) -> ContainerCall {
        ContainerCall {
            kind: Sequential::kind(&self.0, &call.op),
            is_put: matches!(call.op, Op::Put(_)),
            about: match (call.op, &call.returned) {
                (Op::Put(value), _) => About::Value(u32::from(value)),
                (_, None) => About::Anything,
                (_, Some(returned)) => {
                    returned.result.map_or(About::Nothing, |value| About::Value(u32::from(value)))
                }
            },
        }
    }
}
