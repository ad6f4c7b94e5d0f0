//! Instructions. Control goes to [`Instr::next`] unless the instruction says otherwise.

use super::{CollectionMethod, ContextId, Expr, LocalId, LocalPlace, MethodId, Pc, Place, Target};
use crate::source::Span;
use crate::types::{StructId, TypeId};

#[derive(Clone, Debug)]
pub struct Instr {
    pub op: Op,
    /// The next instruction; meaningless for [`Op::Branch`] and [`Op::Return`].
    pub next: Pc,
    pub access: Access,
    /// The locals that are live in front of this instruction.
    pub live: LocalSet,
    pub span: Span,
    pub context: ContextId,
}

/// Whether a thread rests in front of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    Local,
    /// The access of a step. `can_block`: some instruction of the step can be disabled: a lock, an `await`,
    /// the second half of a `wait`, `new` in pool and manual memory, a `choose` that may have no candidate.
    Step {
        can_block: bool,
    },
}

impl Access {
    pub fn is_step(self) -> bool {
        matches!(self, Access::Step { .. })
    }
}

#[derive(Clone, Debug)]
pub enum Op {
    // Local work.
    Assign {
        to: LocalPlace,
        value: Expr,
    },
    Branch {
        cond: Expr,
        then: Pc,
        otherwise: Pc,
    },
    /// One outcome for each candidate for which `cond` holds (it may read `into`); with none the step is
    /// disabled.
    Choose {
        into: LocalId,
        from: Candidates,
        cond: Option<Expr>,
    },
    Assert(Expr),
    /// False: the execution is discarded.
    Assume(Expr),
    /// False: the step that it is part of is disabled, without effect.
    Await(Expr),
    Lin {
        maybe: bool,
        of: Option<Expr>,
        cond: Option<Expr>,
    },
    /// A call of a recursive function: a new frame.
    Call {
        method: MethodId,
        args: Vec<Expr>,
        into: Option<LocalPlace>,
    },
    Return(Vec<Expr>),

    // Memory. Local where others cannot see it.
    Load {
        into: LocalPlace,
        from: Place,
    },
    Store {
        to: Place,
        value: Expr,
    },
    /// Fields that are not named get their defaults (`gc`, `manual`) or keep what the cell held (`pool`). In
    /// `pool` and `manual` memory no field is named here: each initial write is a store of its own.
    New {
        into: LocalPlace,
        of: StructId,
        fields: Vec<(usize, Expr)>,
    },
    NewArray {
        into: LocalPlace,
        element: TypeId,
        value: Expr,
        len: Expr,
    },
    /// The length of an array never changes: always local.
    ArrayLen {
        into: LocalPlace,
        array: Expr,
    },
    Free(Expr),
    /// A method of a collection, shared or local.
    Collection {
        into: Option<LocalPlace>,
        on: Target,
        method: CollectionMethod,
        args: Vec<Expr>,
    },

    // Primitives.
    Cas {
        into: Option<LocalPlace>,
        place: Place,
        old: Expr,
        new: Expr,
    },
    CmpXchg {
        into: Option<LocalPlace>,
        place: Place,
        old: Expr,
        new: Expr,
    },
    Dcas {
        into: Option<LocalPlace>,
        places: Box<[Place; 2]>,
        olds: Box<[Expr; 2]>,
        news: Box<[Expr; 2]>,
    },
    Swap {
        into: Option<LocalPlace>,
        place: Place,
        value: Expr,
    },
    FetchAdd {
        into: Option<LocalPlace>,
        place: Place,
        value: Expr,
    },
    LoadLinked {
        into: Option<LocalPlace>,
        place: Place,
    },
    StoreConditional {
        into: Option<LocalPlace>,
        place: Place,
        value: Expr,
    },
    Lock(Place),
    Unlock(Place),
    TryLock {
        into: Option<LocalPlace>,
        place: Place,
    },
    IsLocked {
        into: Option<LocalPlace>,
        place: Place,
    },
    /// Releases the lock and joins the waiters.
    WaitBegin {
        condvar: Place,
        lock: Place,
    },
    /// Enabled once notified and the lock is free; takes the lock.
    WaitEnd {
        condvar: Place,
        lock: Place,
    },
    Notify {
        condvar: Place,
        all: bool,
    },
    /// An atomic block begins: the access of its step; does nothing itself. Up to `end` nothing rests. A
    /// block that is only left by jumps has no end, and names itself.
    Atomic {
        end: Pc,
    },
}

/// What `choose` runs over.
#[derive(Clone, Debug)]
pub enum Candidates {
    Bool,
    /// Both ends included.
    Range(Expr, Expr),
    Threads,
    /// The distinct elements of a collection (the keys of a map).
    Elements(Expr),
}

/// A set of locals of one method.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LocalSet {
    bits: Vec<u64>,
}

impl LocalSet {
    pub fn new() -> LocalSet {
        LocalSet::default()
    }

    /// Whether it was not there before.
    pub fn insert(&mut self, local: LocalId) -> bool {
        let (word, bit) = LocalSet::position(local);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let fresh = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        fresh
    }

    pub fn remove(&mut self, local: LocalId) {
        let (word, bit) = LocalSet::position(local);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits &= !bit;
        }
        // Equal sets have equal representations.
        while self.bits.last() == Some(&0) {
            self.bits.pop();
        }
    }

    /// Whether it grew.
    pub fn union_with(&mut self, other: &LocalSet) -> bool {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        let mut grew = false;
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = LocalId> {
        use crate::index::Index;
        let words = self.bits.iter().enumerate();
        words.flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| LocalId::new(word * 64 + bit))
        })
    }

    pub fn contains(&self, local: LocalId) -> bool {
        let (word, bit) = LocalSet::position(local);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    fn position(local: LocalId) -> (usize, u64) {
        use crate::index::Index;
        (local.index() / 64, 1 << (local.index() % 64))
    }
}
