//! The calls of an abstract trace, for the explorer.
//!
//! Every call has different values. The analysis covers executions in which no value is added twice; for a
//! program that only copies data these suffice. The state of a thread contains an argument of a small type as
//! long as the argument is live.

use crate::alarm::Call;
use crate::pairs::program::AnalyzedProgram;
use linchpin_certify::certificate::{LocalState, Slot, Symbol};
use linchpin_ir::heap::{HeapScalar, HeapType};
use linchpin_ir::program::OpId;
use linchpin_ir::types::{Word, word_of};

/// The calls of each thread so far.
pub struct CallSkeleton<'p> {
    program: &'p AnalyzedProgram<'p>,
    threads: Vec<Vec<Begun>>,
    values: Word,
}

struct Begun {
    call: Call,
    is_open: bool,
    /// The rest of the thread at its last step.
    at: Option<u16>,
}

/// The two threads of a view.
const PAIR: usize = 2;

impl<'p> CallSkeleton<'p> {
    pub fn new(program: &'p AnalyzedProgram<'p>) -> CallSkeleton<'p> {
        CallSkeleton { program, threads: (0..PAIR).map(|_| Vec::new()).collect(), values: 0 }
    }

    /// Returns a third thread that can have this state: inside such a call, between calls, or a new thread.
    pub fn interferer(&mut self, local: &LocalState, op: Option<OpId>) -> usize {
        let open = |calls: &Vec<Begun>| calls.last().is_some_and(|call| call.is_open);
        let inside = |calls: &Vec<Begun>| {
            calls.last().is_some_and(|last| {
                last.is_open && local.at.is_some() && Some(last.call.op) == op && last.at != local.at
            })
        };
        let others = || self.threads.iter().enumerate().skip(PAIR);
        let found =
            others().find(|(_, calls)| inside(calls)).or_else(|| others().find(|(_, calls)| !open(calls)));
        if let Some((thread, _)) = found {
            return thread;
        }
        self.threads.push(Vec::new());
        self.threads.len() - 1
    }

    /// Records a step of a thread from this state, in a call of this operation.
    pub fn step(&mut self, thread: usize, local: &LocalState, op: Option<OpId>, ends: bool) {
        let is_inside = local.at.is_some()
            && self.threads[thread].last().is_some_and(|last| last.is_open && Some(last.call.op) == op);
        if !is_inside && let Some(op) = op {
            let call = self.call(op);
            self.threads[thread].push(Begun { call, is_open: true, at: None });
        }
        self.learn(thread, local);
        if let Some(last) = self.threads[thread].last_mut() {
            last.is_open = !ends;
            last.at = local.at;
        }
    }

    /// Takes arguments of the current call from the state of its thread.
    pub fn learn(&mut self, thread: usize, local: &LocalState) {
        let (Some(at), Some(last)) = (local.at, self.threads[thread].last_mut()) else { return };
        let rest = &self.program.rests[at as usize];
        if rest.op != last.call.op {
            return;
        }
        let (method, _) = self.program.method(rest.op);
        for (arg, param) in last.call.args.iter_mut().zip(&method.params) {
            let own = Slot { local: *param, part: 0 };
            let known = rest.slots.iter().zip(&local.slots).find(|(slot, _)| slot.slot == own);
            if let Some((_, Symbol::Small(value))) = known {
                *arg = Word::from(*value);
            }
        }
    }

    /// Returns the calls of all threads with at least one call.
    pub fn calls(self) -> Vec<Vec<Call>> {
        let calls = |begun: Vec<Begun>| begun.into_iter().map(|begun| begun.call).collect::<Vec<_>>();
        self.threads.into_iter().map(calls).filter(|calls| !calls.is_empty()).collect()
    }

    fn call(&mut self, op: OpId) -> Call {
        let (method, _) = self.program.method(op);
        let mut args = Vec::new();
        for param in &method.params {
            args.push(match &method.locals[*param].ty {
                HeapType::Scalar(HeapScalar::Bool) => 0,
                HeapType::Scalar(HeapScalar::Small { low, .. }) => word_of(*low),
                _ => {
                    self.values += 1;
                    self.values
                }
            });
        }
        Call { op, args }
    }
}
