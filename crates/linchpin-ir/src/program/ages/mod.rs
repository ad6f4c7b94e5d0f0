//! Where ages come from: the condition under which unbounded ages keep a bounded search finite and exact.
//!
//! An age lives in a *location* (a slot of a shared variable or of a cell), its *home*; locals hold copies. Suppose that
//!
//! 1. a location's age is written only by a `cas`, `cmpxchg` or `dcas` of the word that it lies in, with the very age that
//!    this expects there or its successor (`init` may write anything, and so may the first making of a cell);
//! 2. a copy is compared only with copies of the same home, and expected only by a `cas` on its home;
//! 3. a copy that is kept, compared or expected is the age that was read, or its successor.
//!
//! **Why renaming is exact then.** Let `c` be the present age of a location. By 1 it never falls and steps by one, so a copy as it was
//! read is at most `c`, and one stepped once (3) at most `c + 1`. Write `d` for the difference of two ages of a location. A program can
//! only ask, of two copies as read (or `c`), whether `d` is −1, 0 or 1; of a stepped one and one as read, whether it is 0 or
//! 1; of two stepped ones, whether it is 0: more steps are not allowed. Call two states *alike* if these answers agree, together with
//! the sign of `d`. Each step keeps this:
//!
//! - a read copies `c`;
//! - a step of a copy `x` to `x + 1` asks for less than before: the answers about `x + 1` are among those about `x`;
//! - a `cas` that succeeds writes `c` or `c + 1`. A copy as read is at most `c`, so its difference to `c + 1` is −1 if it equals `c` and
//!   less otherwise; a stepped one is at most `c + 1`, so it equals `c + 1` if it was one ahead of `c` and is less otherwise.
//!
//! Closing gaps of two and more to two, location by location, keeps all answers, so a state and its renaming are alike and
//! have alike successors (`linchpin-semantics`, `ages`).
//!
//! **Analysis** ([`analysis`], [`copies`]). Forward over the graph of a method, for each slot of a frame what age it holds: its home, the instruction
//! that read it, how often it was stepped since, and a name for the value. **Rules** ([`rules`]): what breaks the condition.
//!
//! **How it could be fooled**, and why it is not:
//!
//! - *An instruction that reads is run again* (a loop): what it read before is another value under the same definition. So running it
//!   first takes the definition away from all slots that carry it; so it is with names.
//! - *The way a pointer leads changes*: a home is a slot that holds a pointer. A write to this slot, and resting where the pointer is dead (it
//!   then reads as null), makes what was read through it `Mixed`. For a caller that waits, dead is what the call does not keep.
//! - *A place is written by other means*: `swap`, `sc` and plain writes are refused, and so is an initial write of `new` in pool and manual
//!   memory, which comes as a plain write. Without one, pool memory keeps a cell's ages over reuse. Manual memory resets them, so there no
//!   cell with an age is freed; and `new` of an array writes its elements, so there no array with ages is made but by `init`. In gc a cell
//!   is gone only when no live pointer leads to it, so no copy of its ages is left.
//! - *Ages hide*: in collections (which compare), behind `none` in the same slot, in arrays and `local` variables. The first two and the last are
//!   refused; what comes out of an array by an index is `Mixed`.
//! - *Two pointers lead to one cell*: the renaming goes by the cell, not by the pointer; the analysis takes them for two homes, and refuses more.
//! - *Values of recursive functions*: parameters and results are `Mixed`. Other functions are inlined.
//!
//! A program that breaks a rule counts its ages modulo a bound that the scope of a verdict names, and no prover takes it.

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
pub enum Origin {
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
    methods: IndexVec<MethodId, Vec<Vec<(usize, Origin)>>>,
}

impl AgeOrigins {
    /// In front of an instruction; of a call, while it runs.
    pub fn at(&self, method: MethodId, pc: Pc) -> &[(usize, Origin)] {
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
