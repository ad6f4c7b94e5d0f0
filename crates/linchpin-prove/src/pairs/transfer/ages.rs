//! Ages: the effect of a write on the copies of an age.

use super::decide::split;
use super::run::{AbstractRun, Case, Cases, Context};
use crate::alarm::AlarmKind;
use crate::pairs::domain::shape::Term;
use crate::pairs::domain::value::{AgePlace, Value};
use linchpin_certify::certificate::SAME;
use linchpin_ir::heap::layout::SharedPart;
use linchpin_ir::program::OpId;
use smallvec::smallvec;

/// Returns the place of the age in this part of the shared variables.
pub fn age_place(part: usize) -> AgePlace {
    SharedPart::try_from(part).map_or(AgePlace::Lost, AgePlace::Shared)
}

/// The kind of a write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// `init`, which runs alone.
    Init,
    Store,
    /// A successful `cas` or `cmpxchg`.
    Cas,
}

impl Writer {
    pub fn plain(op: Option<OpId>) -> Writer {
        op.map_or(Writer::Init, |_| Writer::Store)
    }

    pub fn cas(op: Option<OpId>) -> Writer {
        op.map_or(Writer::Init, |_| Writer::Cas)
    }
}

/// The effect of a write on the copies of an age.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AgeWrite {
    Unchanged,
    Stepped,
    /// The copies become unknown.
    Reset,
}

impl Context<'_> {
    /// Returns the effect of a write on an age; `None` for a wrong write, unless its alarm is ignored. Only a
    /// `cas` may write an age: a current copy of this age, or its successor.
    pub fn age_write(
        &self,
        value: Value,
        writer: Writer,
        is_here: impl Fn(AgePlace) -> bool,
    ) -> Option<AgeWrite> {
        let is_ignored = self.ignored.contains(&AlarmKind::WrongAge);
        match (writer, value) {
            (Writer::Init, _) => Some(AgeWrite::Reset),
            (Writer::Cas, Value::Age { current, stepped, of }) if is_here(of) && (current || is_ignored) => {
                Some(if stepped { AgeWrite::Stepped } else { AgeWrite::Unchanged })
            }
            (Writer::Cas | Writer::Store, _) => is_ignored.then_some(AgeWrite::Reset),
        }
    }
}

impl AbstractRun {
    /// Makes the copies of the ages of these places stale, or unknown.
    pub fn write_age(&mut self, is_here: impl Fn(AgePlace) -> bool, effect: AgeWrite) {
        self.scene.aged = true;
        let others = self.scene.threads.iter_mut().flat_map(|thread| thread.slots.iter_mut());
        for value in self.env.iter_mut().chain(others) {
            if let Value::Age { current, of, .. } = value
                && is_here(*of)
            {
                *current = false;
                if effect == AgeWrite::Reset {
                    *value = Value::Unknown;
                }
            }
        }
    }

    /// Steps the age of a cell's pointer. Splits the run where it is undecided whether a copy belongs to this
    /// cell.
    pub fn step_age_of(mut self: Case, cell: Term, effect: AgeWrite) -> Cases {
        self.scene.aged = true;
        let mut holders: Vec<Term> = Vec::new();
        let others = self.scene.threads.iter().flat_map(|thread| thread.slots.iter());
        for value in self.env.iter().chain(others) {
            if let Value::Age { current: true, of: AgePlace::Cell(holder), .. } = value
                && !holders.contains(holder)
            {
                holders.push(*holder);
            }
        }
        let mut runs: Cases = smallvec![self];
        for holder in holders {
            let mut all = Cases::new();
            for run in runs {
                for (mut run, same) in split(run, holder, cell, SAME) {
                    if same {
                        run.write_age(|age_of| age_of == AgePlace::Cell(holder), effect);
                    }
                    all.push(run);
                }
            }
            runs = all;
        }
        runs
    }
}
