//! The bounds of an instance: a limit for everything that the language leaves unbounded.

use linchpin_ir::index::Index;
use linchpin_ir::types::{Word, word_of};

linchpin_ir::index_types! {
    /// A thread, numbered from 0.
    pub struct ThreadId;
    /// A cell of the heap, numbered from 0; a pointer to it is its number plus one.
    pub struct CellId;
}

/// The largest number of threads: a condition variable has a bit for each.
pub const MAX_THREADS: u32 = 31;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub threads: u32,
    /// The largest number of cells that are allocated at one time.
    pub nodes: u32,
    /// Arguments of type `data` are 1 to `values`.
    pub values: u32,
    /// Arguments of type `key` are 1 to `keys`.
    pub keys: u32,
    /// The bound on `int`: an execution in which an `int` leaves −`ints` to `ints` is cut.
    pub ints: Word,
    /// The modulus of ages. `None`: ages only grow.
    pub ages: Option<u32>,
    /// The largest depth of nested calls of recursive functions.
    pub depth: u32,
    /// Whether a waiting thread may wake up without a notification.
    pub spurious: bool,
    /// Whether given hash functions are arbitrary too.
    pub any_hashes: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            threads: 2,
            nodes: 4,
            values: 2,
            keys: 2,
            ints: 100,
            ages: None,
            depth: 16,
            spurious: false,
            any_hashes: false,
        }
    }
}

impl Bounds {
    pub fn thread_ids(&self) -> impl DoubleEndedIterator<Item = ThreadId> + use<> {
        (0..self.threads as usize).map(ThreadId::new)
    }
}

impl ThreadId {
    /// Returns the word for the thread in a slot.
    #[inline]
    pub fn word(self) -> Word {
        debug_assert!(Word::try_from(self.0).is_ok(), "threads are few");
        self.0.cast_signed()
    }
}

impl CellId {
    /// Returns the cell that a pointer leads to; `None` for `null`.
    #[inline]
    pub fn of_pointer(pointer: Word) -> Option<CellId> {
        usize::try_from(pointer).ok()?.checked_sub(1).map(CellId::new)
    }

    #[inline]
    pub fn pointer(self) -> Word {
        word_of(self.index()) + 1
    }
}
