//! Sequential specifications: [`Sequential`] for plain Rust types, and [`Specification`] with everything that
//! the search can use.
//!
//! A specification says which results calls may have when they take effect one after the other. It may be
//! nondeterministic (several outcomes) and partial (no outcome: the call must wait).

use crate::call::CallMap;
use crate::history::History;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;

/// A sequential specification over plain Rust types. Only the first two functions are needed.
///
/// ```
/// use linchpin_order::Sequential;
///
/// /// A lock. An acquire has no outcome, so it must wait, while the lock is held.
/// struct Lock;
/// enum Op { Acquire, Release }
///
/// impl Sequential for Lock {
///     type State = bool;
///     type Op = Op;
///     type Ret = ();
///
///     fn initial(&self) -> Vec<bool> {
///         vec![false]
///     }
///
///     fn outcomes(&self, held: &bool, op: &Op) -> Vec<(bool, ())> {
///         match op {
///             Op::Acquire if *held => vec![],
///             Op::Acquire => vec![(true, ())],
///             Op::Release => vec![(false, ())],
///         }
///     }
/// }
/// assert_eq!(Lock.outcomes(&true, &Op::Acquire), []);
/// ```
pub trait Sequential {
    /// The state of the specification.
    type State: Clone + Eq + Hash;
    /// An operation with its arguments.
    type Op;
    /// The result of an operation. The order fixes the order of results in explanations.
    type Ret: Clone + Ord;

    /// Returns the initial states; usually one.
    fn initial(&self) -> Vec<Self::State>;

    /// Returns every way in which the operation can take effect in a state. No outcome means that the call
    /// must wait.
    ///
    /// The same arguments must always give the same outcomes in the same order.
    fn outcomes(&self, state: &Self::State, op: &Self::Op) -> Vec<(Self::State, Self::Ret)>;

    /// Checks that a call that returned `returned` may have had the outcome `given`. By default the two are
    /// equal.
    fn fits(&self, _op: &Self::Op, given: &Self::Ret, returned: &Self::Ret) -> bool {
        given == returned
    }

    /// Checks that a call with this result leaves every state as it is, and takes effect alone.
    ///
    /// `false` is always correct. `true` makes the search shorter.
    fn is_idle(&self, _op: &Self::Op, _returned: &Self::Ret) -> bool {
        false
    }

    /// Returns the key of an operation, if the specification is keyed; `None` is always correct.
    ///
    /// In a keyed specification the state is a product with one factor for each key. Each operation reads and
    /// writes only the factor of its key. A long history is judged key by key if every operation in it has a
    /// key.
    fn key(&self, _op: &Self::Op) -> Option<u64> {
        None
    }

    /// Checks that two operations have the same outcomes in every state. `false` is always correct; `true`
    /// for equal operations makes the search shorter.
    fn are_alike(&self, _one: &Self::Op, _other: &Self::Op) -> bool {
        false
    }

    /// Returns the structure of a history, which lets a long history be decided in log-linear time. By
    /// default the keys, if every operation has a [key](Sequential::key).
    fn structure(&self, history: &History<Self::Op, Self::Ret>) -> Structure {
        let keys: Option<Vec<u64>> = history.calls().iter().map(|call| self.key(&call.op)).collect();
        let Some(keys) = keys else { return Structure::Opaque };
        let mut numbers = rustc_hash::FxHashMap::default();
        let number = |key: u64| {
            let next = crate::call::number_of(numbers.len());
            *numbers.entry(key).or_insert(next)
        };
        Structure::Keyed { keys: keys.into_iter().map(number).collect(), cells: None }
    }

    /// Returns the kind of an operation, for [`rendezvous`](Sequential::rendezvous).
    fn kind(&self, _op: &Self::Op) -> u32 {
        0
    }

    /// Checks that calls of this operation can take effect alone, not only in a rendezvous.
    fn takes_effect_alone(&self, _op: &Self::Op) -> bool {
        true
    }

    /// Returns each combination of [kinds](Sequential::kind) of which calls can take effect together. Each
    /// list is sorted.
    fn rendezvous(&self) -> &[Vec<u32>] {
        &[]
    }

    /// Returns every way in which the operations of a rendezvous can take effect together, with one result
    /// for each.
    fn outcomes_together(
        &self,
        _state: &Self::State,
        _ops: &[&Self::Op],
    ) -> Vec<(Self::State, Vec<Self::Ret>)> {
        Vec::new()
    }
}

/// A way in which calls take effect together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome<State, Ret> {
    /// The state after the effect.
    pub state: State,
    /// One result for each call.
    pub results: Vec<Ret>,
}

/// A sequential specification that can fail and that can describe its [`Structure`]. Every [`Sequential`] is
/// one.
pub trait Specification {
    type State: Clone + Eq + Hash;
    /// An operation with its arguments.
    type Op;
    type Ret: Clone + Ord;
    /// An error of the specification itself. It ends the judgement without a verdict.
    type Error;

    fn initial(&self) -> Result<Vec<Self::State>, Self::Error>;

    /// Returns every way in which the operations take effect together; one operation, or those of a
    /// rendezvous.
    ///
    /// The same arguments must always give the same outcomes in the same order. The search computes states
    /// again.
    fn outcomes(&self, state: &Self::State, ops: &[&Self::Op]) -> OutcomesOf<Self>;

    /// Returns the [outcomes](Specification::outcomes) that give each operation what its call `returned`, in
    /// the same order; anything for a pending call. A specification that need not compute the other outcomes
    /// is faster.
    fn outcomes_returning(
        &self,
        state: &Self::State,
        ops: &[&Self::Op],
        returned: &[Option<&Self::Ret>],
    ) -> OutcomesOf<Self> {
        let fits = |outcome: &Outcome<Self::State, Self::Ret>| {
            let calls = ops.iter().zip(&outcome.results).zip(returned);
            calls
                .into_iter()
                .all(|((op, given), returned)| returned.is_none_or(|returned| self.fits(op, given, returned)))
        };
        Ok(self.outcomes(state, ops)?.into_iter().filter(fits).collect())
    }

    /// As [`Sequential::fits`].
    fn fits(&self, _op: &Self::Op, given: &Self::Ret, returned: &Self::Ret) -> bool {
        given == returned
    }

    /// As [`Sequential::is_idle`].
    fn is_idle(&self, _op: &Self::Op, _returned: &Self::Ret) -> bool {
        false
    }

    /// As [`Sequential::kind`].
    fn kind(&self, _op: &Self::Op) -> u32 {
        0
    }

    /// As [`Sequential::takes_effect_alone`].
    fn takes_effect_alone(&self, _op: &Self::Op) -> bool {
        true
    }

    /// As [`Sequential::rendezvous`].
    fn rendezvous(&self) -> &[Vec<u32>] {
        &[]
    }

    /// Returns about how many words of 4 bytes a state takes. The search keeps states up to 64 MiB.
    fn words(&self, _state: &Self::State) -> usize {
        64
    }

    /// Checks that two operations have the same outcomes in every state. `false` is always correct.
    fn are_alike(&self, _one: &Self::Op, _other: &Self::Op) -> bool {
        false
    }

    /// Lets one call take effect, and gives it its result. A completed call gets what it `returned`, a
    /// pending call anything. `None` if this is impossible, or if the specification is not sure.
    ///
    /// The search never asks. A decider asks when it has an order of all calls.
    fn advance(
        &self,
        state: Self::State,
        op: &Self::Op,
        returned: Option<&Self::Ret>,
    ) -> Result<Option<(Self::State, Self::Ret)>, Self::Error> {
        let outcomes = self.outcomes_returning(&state, &[op], &[returned])?.into_iter();
        let mut results =
            outcomes.filter_map(|Outcome { state, results }| Some((state, results.into_iter().next()?)));
        Ok(results.next())
    }

    /// Returns the structure of the history, if the specification knows one.
    fn structure(&self, _history: &History<Self::Op, Self::Ret>) -> Structure {
        Structure::Opaque
    }
}

/// The outcomes of a [`Specification`], or its error.
pub type OutcomesOf<S> =
    Result<Vec<Outcome<<S as Specification>::State, <S as Specification>::Ret>>, <S as Specification>::Error>;

/// A property of a specification that lets a long history be taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Structure {
    /// Nothing is promised.
    Opaque,
    /// The key of each call. The state is a product with one factor for each key. Each operation reads and
    /// writes the factor of its key only.
    ///
    /// So a sequential execution is legal iff, for each key, its calls with that key are.
    Keyed {
        keys: CallMap<u32>,
        /// The calls as calls of a register or a log for each key; `None` if a factor is neither.
        cells: Option<Cells>,
    },
    /// The role of each call of a register. Writes return nothing, and reads return the state.
    ///
    /// So a legal sequential execution stays legal without a write and all reads of its value.
    Register(Registers),
    /// The role of each call of a log.
    ///
    /// The state is a sequence. A start replaces the sequence by its value, an append adds its value at the
    /// end, and a read returns the sequence. Only reads return something. No call waits.
    Log(Logs),
    /// The role of each call of a container, such as a queue, a stack or a deque.
    ///
    /// The state is a sequence. An operation puts its value in at one end, takes a value out at one end, or
    /// finds the sequence empty and changes nothing. It may wait for a value, or for the length to be below a
    /// constant. It does not look at values. So:
    ///
    /// - *Projection.* Take from a legal sequential execution all calls about some values, and any calls that
    ///   found the container empty. The result is legal.
    /// - *Renaming.* Whether an execution is legal does not depend on which values are which.
    Container { calls: CallMap<ContainerCall>, removal: Removal },
    /// The role of each call of an unordered container, such as a bag or a priority queue.
    ///
    /// The state is a multiset. An operation puts its value in, takes a value of the smallest rank out, or
    /// finds the multiset empty and changes nothing. It may wait for a value.
    /// [*Projection*](Structure::Container) holds.
    Unordered {
        calls: CallMap<ContainerCall>,
        /// The rank of the value of each put. Other calls have any rank.
        ranks: CallMap<i64>,
    },
}

/// Which value leaves a container first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Removal {
    /// The value that was put in first. Puts do not wait.
    Oldest,
    /// The value that was put in last. Puts do not wait.
    Newest,
    /// Any other rule, or puts that wait for room.
    Other,
}

/// The calls of an object for each key of a map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cells {
    Registers(Registers),
    Logs(Logs),
}

/// The calls of a log, or of one log for each key. The log is empty at the beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Logs {
    pub calls: CallMap<LogCall>,
}

/// The role of a call of a log. Values have numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogCall {
    Start(u32),
    Append(u32),
    /// The values that were read; `None` if the call is pending.
    Read(Option<Arc<[u32]>>),
}

/// The calls of a register, or of one register for each key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    pub calls: CallMap<RegisterCall>,
    /// The number of the initial value.
    pub initial: u32,
}

/// The role of a call of a register. Values have numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegisterCall {
    Write(u32),
    /// The value that was read; `None` if the call is pending.
    Read(Option<u32>),
}

/// The role of a call of a container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContainerCall {
    /// The number of the operation. Calls with equal numbers act alike.
    pub kind: u32,
    /// `true` if the call puts a value in; `false` if it takes one out, or finds none.
    pub is_put: bool,
    pub about: About,
}

/// The value that a call of a container is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// The number of the value.
    Value(u32),
    /// The call found the container empty.
    Nothing,
    /// The call is pending, and may take any value.
    Anything,
}

impl<S: Sequential> Specification for S {
    type State = S::State;
    type Op = S::Op;
    type Ret = S::Ret;
    type Error = Infallible;

    fn initial(&self) -> Result<Vec<S::State>, Infallible> {
        Ok(Sequential::initial(self))
    }

    fn outcomes(&self, state: &S::State, ops: &[&S::Op]) -> OutcomesOf<S> {
        Ok(match ops {
            [op] => {
                let outcomes = Sequential::outcomes(self, state, op).into_iter();
                outcomes.map(|(state, result)| Outcome { state, results: vec![result] }).collect()
            }
            _ => {
                let outcomes = self.outcomes_together(state, ops).into_iter();
                outcomes.map(|(state, results)| Outcome { state, results }).collect()
            }
        })
    }

    fn fits(&self, op: &S::Op, given: &S::Ret, returned: &S::Ret) -> bool {
        Sequential::fits(self, op, given, returned)
    }

    fn is_idle(&self, op: &S::Op, returned: &S::Ret) -> bool {
        Sequential::is_idle(self, op, returned)
    }

    fn kind(&self, op: &S::Op) -> u32 {
        Sequential::kind(self, op)
    }

    fn takes_effect_alone(&self, op: &S::Op) -> bool {
        Sequential::takes_effect_alone(self, op)
    }

    fn rendezvous(&self) -> &[Vec<u32>] {
        Sequential::rendezvous(self)
    }

    fn are_alike(&self, one: &S::Op, other: &S::Op) -> bool {
        Sequential::are_alike(self, one, other)
    }

    fn structure(&self, history: &History<S::Op, S::Ret>) -> Structure {
        Sequential::structure(self, history)
    }
}
