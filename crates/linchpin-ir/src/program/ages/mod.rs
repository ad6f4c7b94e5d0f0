//! Where ages come from: the condition under which unbounded ages keep a bounded search finite and exact.
//!
//! An age lives in a *location* (a slot of a shared variable or of a cell), its *home*; locals hold copies.
//! **Assumptions:**
//!
//! 1. A location's age is written only by a `cas`, `cmpxchg` or `dcas` of the word that contains it. The
//!    written age is the expected one or its successor. `init` and the creation of a cell may write any age.
//! 2. A copy is compared only with copies of the same home, and expected only by a `cas` on its home.
//! 3. A copy that is kept, compared or expected is the age that was read, or its successor.
//!
//! **Claim.** Renaming is exact. **Proof.** Let `c` be the present age of a location. By 1 it never falls and
//! grows by one. So a copy as read is at most `c`, and a copy incremented once (3) is at most `c + 1`. Let
//! `d` be the difference of two ages of a location. A program can only ask three questions:
//!
//! - of two copies as read (or `c`), whether `d` is −1, 0 or 1;
//! - of an incremented copy and a copy as read, whether `d` is 0 or 1;
//! - of two incremented copies, whether `d` is 0 (further increments are not allowed).
//!
//! Call two states *alike* if these answers agree, together with the sign of `d`. Each step keeps this:
//!
//! - A read copies `c`.
//! - An increment of a copy `x` to `x + 1` asks for less than before: the answers about `x + 1` are among
//!   those about `x`.
//! - A `cas` that succeeds writes `c` or `c + 1`. A copy as read is at most `c`. Its difference to `c + 1` is
//!   −1 if it equals `c`, and less otherwise. An incremented copy is at most `c + 1`. It equals `c + 1` if it
//!   was one ahead of `c`, and is less otherwise.
//!
//! Closing gaps of two and more to two, location by location, keeps all answers. So a state and its renaming
//! are alike and have alike successors (`linchpin-semantics`, `ages`).
//!
//! **Analysis** ([`analysis`], [`copies`]). Forward over the graph of a method. For each slot of a frame it
//! computes the age's home, the instruction that read it, and the increments since. It also names the value.
//! **Rules** ([`rules`]): what breaks the assumptions.
//!
//! **What could defeat the analysis**, and why it does not:
//!
//! - *An instruction that reads runs again* (a loop): its earlier value is another value under the same
//!   definition. So running it first removes the definition from all slots that carry it. The same holds for
//!   names.
//! - *The path of a pointer changes*: a home is a slot that holds a pointer. A write to this slot makes what
//!   was read through it `Mixed`. So does resting where the pointer is dead (it then reads as null). For a
//!   waiting caller, dead means what the call does not keep.
//! - *A place is written by other means*: `swap`, `sc` and plain writes are rejected. So is an initial write
//!   of `new` in pool and manual memory, which is a plain write. Without it, pool memory keeps a cell's ages
//!   over reuse. Manual memory resets them, so there no cell with an age may be freed. `new` of an array
//!   writes its elements, so there only `init` may create arrays with ages. In gc memory a cell disappears
//!   only when no live pointer leads to it, so no copy of its ages is left.
//! - *Ages hide*: in collections (which compare), behind `none` in the same slot, in arrays and `local`
//!   variables. The first two and the last are rejected; a value read from an array by an index is `Mixed`.
//! - *Two pointers lead to one cell*: the renaming goes by the cell, not by the pointer. The analysis takes
//!   them for two homes, and rejects more.
//! - *Values of recursive functions*: parameters and results are `Mixed`. Other functions are inlined.
//!
//! A program that breaks a rule counts its ages modulo a bound that the scope of a verdict names. No prover
//! takes it.

mod analysis;
mod copies;
mod rules;

use super::{MethodId, Pc, Program};
use crate::index::{Index, IndexVec};
use crate::source::Span;
use crate::types::{Scalar, SlotKind};
use analysis::Analysis;

/// Where a copy of an age was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AgeOrigin {
    /// A slot of the shared variables.
    Global(usize),
    /// A slot of the cell that a slot of the same frame points to.
    Cell { pointer: usize, offset: usize },
    /// No longer known: nothing looks at it any more.
    Forgotten,
}

/// The live copies of ages in a frame, wherever a thread rests or waits for a call: frame slot and origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgeOrigins {
    methods: IndexVec<MethodId, Vec<Vec<(usize, AgeOrigin)>>>,
}

impl AgeOrigins {
    /// In front of an instruction; of a call, while it runs.
    pub fn at(&self, method: MethodId, pc: Pc) -> &[(usize, AgeOrigin)] {
        self.methods.get(method).and_then(|method| method.get(pc.index())).map_or(&[], |copies| copies)
    }
}

/// The first place that breaks the condition, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgeMisuse {
    pub span: Span,
    pub reason: &'static str,
}

/// Whether any value of the program holds an age.
pub fn uses_ages(program: &Program) -> bool {
    let is_age = |slot: &SlotKind| slot.scalar == Scalar::Age;
    program.globals.slots.iter().any(is_age)
        || program.types.ids().any(|id| program.types.slots(id).iter().any(is_age))
}

/// The origins of all live copies, or the first place where the condition does not hold.
pub fn age_origins(program: &Program) -> Result<AgeOrigins, AgeMisuse> {
    rules::where_ages_lie(program)?;
    let mut methods: IndexVec<MethodId, _> = IndexVec::new();
    for (id, method) in program.methods.entries() {
        let runs_alone = id == program.init || Some(id) == program.thread_init;
        methods.push(if runs_alone { Vec::new() } else { Analysis { program, method }.run()? });
    }
    Ok(AgeOrigins { methods })
}
