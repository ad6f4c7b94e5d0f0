//! Certificates of proofs of list-based sets: views of one thread, and views of one edge.
//!
//! One arbitrary key k is watched. A *thread view* describes one thread and the cells that it names, exactly:
//! different numbers are different cells. An *edge view* describes any published cell and its successor, as
//! one thread sees them. A state is in the certificate if the following holds for each key k. Each thread has a
//! view. Each edge has a view for each thread, and one for no thread.
//!
//! **Ghosts.** Some facts are not part of a state. They are functions of the execution.
//!
//! - The abstract set has k if a linked cell with key k has small fields in [`SetCertificate::present`].
//! - A cell is *published* once a chain of pointers led to it from a shared variable or a published cell.
//! - A cell is *fresh* for a thread with a pending call if the cell was linked since the last reset. A call
//!   resets. So does each step that begins at a `lock()`.
//! - An *event* is a step after which the abstract set differs in k.
//!
//! This module contains data only: a prover writes certificates, the checker and the gate read them.

use linchpin_ir::program::{GlobalId, OpId, Pc};

/// The version of the format.
pub const SET_CERTIFICATE_VERSION: u32 = 2;

/// A certificate that an object is a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetCertificate {
    /// The shared pointer to the first cell of the list. A witness.
    pub root: GlobalId,
    /// The small fields of a linked cell whose key is in the set, sorted. A witness.
    pub present: Vec<SmallFields>,
    /// The certificate claims that locks are taken in the order of keys.
    pub deadlock_free: bool,
    /// Views keep what is known of chains of cells that are not in the set. A witness.
    pub chains: bool,
    pub threads: Vec<ThreadView>,
    pub edges: Vec<EdgeView>,
}

impl SetCertificate {
    /// Returns the number of views.
    pub fn size(&self) -> usize {
        self.threads.len() + self.edges.len()
    }
}

/// The values of the small fields of a cell as one number in mixed radix. The first field is the lowest
/// digit. A digit is a value minus the least value of its field. Fields count in the order of their
/// declaration, parts of a word in the order of the word; pointers, keys and locks do not count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SmallFields(pub u16);

/// The class of a key, relative to the watched key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum KeyClass {
    Min,
    Below,
    Watched,
    Above,
    Max,
}

/// Where a cell is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CellPlace {
    /// Never published.
    Private,
    /// A chain of pointers leads from the root to the cell.
    Linked,
    /// Published, and not linked.
    Unlinked,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CellLabel {
    pub class: KeyClass,
    pub fields: SmallFields,
    pub place: CellPlace,
}

/// The ghost of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CallGhost {
    /// No call is pending; in an edge view: no thread.
    None,
    /// A call on another key is pending.
    Other,
    /// A call on the watched key is pending and made no event yet. The bits: the key was in the set, or out
    /// of the set, at some moment of the call.
    Watched { seen_in: bool, seen_out: bool },
    /// The pending call on the watched key made its event.
    Done,
}

/// A thread, the shared pointers, and the cells that they name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ThreadView {
    /// The place where the thread rests; `None` if it is idle.
    pub at: Option<(OpId, Pc)>,
    pub ghost: CallGhost,
    /// The abstract set has the watched key.
    pub is_in: bool,
    /// A bit for each shared lock that the thread holds, in the order of their declaration.
    pub locks: u32,
    /// The shared pointers, in the order of their declaration.
    pub shared: Vec<SlotValue>,
    /// The parts of all locals, in order; empty for an idle thread. A local that is not live has its default.
    pub slots: Vec<SlotValue>,
    pub cells: Vec<CellFact>,
}

/// The value of one part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SlotValue {
    Null,
    /// A `key` without a value.
    Undefined,
    /// `none`.
    Absent,
    /// A truth value (0 or 1), an enum, a range or an `int`.
    Number(i16),
    Key(KeyClass),
    /// A pointer to the cell with this number.
    Cell(u8),
}

/// What a thread view says about a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CellFact {
    pub label: CellLabel,
    /// The thread holds the lock of the cell.
    pub mine: bool,
    pub fresh: bool,
    pub next: NextFact,
}

/// The pointer of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NextFact {
    Unknown,
    Null,
    Cell(u8),
    /// One or more pointers lead from the cell to the cell with this number. The small fields of each cell
    /// strictly between the two are not in [`SetCertificate::present`]. It may have a number or none.
    Chain(u8),
}

/// A published cell and its successor, as a thread with this ghost sees them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeView {
    pub ghost: CallGhost,
    pub is_in: bool,
    pub from: EdgeEnd,
    /// `None`: the pointer is null.
    pub to: Option<EdgeEnd>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeEnd {
    pub label: CellLabel,
    /// Always false if the ghost is [`CallGhost::None`].
    pub fresh: bool,
}
