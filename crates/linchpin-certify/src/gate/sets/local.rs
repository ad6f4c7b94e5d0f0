//! Single steps from any state of a certificate for sets, for the *local test*.
//!
//! A certificate is inductive if every step of the plain semantics leads from each of its states to one of
//! its states. The gate tests this for reachable states. Here a test provides its own state, with its ghosts.
//! [`SetLocal::confirm`] decides whether the state is in the certificate for every watched key at once, and
//! [`SetLocal::steps`] makes each step and compares again.
//!
//! Doc-hidden: only tests use it.

use super::super::graph::{self, AGES};
use super::super::layout::{Layout, Short, StateRecord};
use super::super::local::StepVerdict;
use super::super::naming;
use super::super::observed_step::{Move, StepListener};
use super::super::text;
use super::gamma::{self, SetViews};
use super::ghosts::{CellSet, Ghost, Watch};
use super::one_key::OneKey;
use crate::set_certificate::SetCertificate;
use linchpin_ir::index::Index;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_semantics::{Bounds, CallChoice, Client, Machine, Outcome, Picks, Pieces, State, ThreadId};
use std::sync::Arc;

pub use super::ghosts::Call;

/// A program in an instance, with a certificate.
pub struct SetLocal<'l> {
    layout: Layout<'l>,
    machine: Machine,
    views: SetViews<'l>,
    certificate: &'l SetCertificate,
    present: Vec<Vec<i64>>,
    /// The specification, by watched key from 1 on.
    specs: Vec<OneKey>,
    calls: Vec<CallChoice>,
}

/// Ghosts of a state: those that do not depend on the watched key, and the call of each thread with its key.
#[derive(Clone, Debug)]
pub struct Guess {
    /// The published cells, one bit each.
    pub published: CellSet,
    /// For each thread the fresh cells.
    pub fresh: Vec<CellSet>,
    /// For each pending call its key, and its ghost if this key is watched.
    pub calls: Vec<Option<(Word, Call)>>,
}

/// A state that is in the certificate for every watched key.
pub struct Confirmed {
    state: State,
    order: Vec<usize>,
    shorts: Vec<Short>,
    /// The ghost for each watched key, from 1 on.
    ghosts: Vec<Ghost>,
    idle: Vec<bool>,
}

impl<'l> SetLocal<'l> {
    /// Prepares a certificate; `None` for a program that the gate does not support.
    pub fn new(
        program: &'l Arc<Program>,
        certificate: &'l SetCertificate,
        (threads, nodes, keys): (u32, u32, u32),
    ) -> Option<SetLocal<'l>> {
        let layout = Layout::new(program, threads).ok()?;
        let bounds = Bounds { threads, nodes, values: keys, keys, ages: Some(AGES), ..Bounds::default() };
        let machine = Machine::new(program, &bounds).ok()?;
        let Ok(Client::General(client)) = Client::general(program, &bounds) else { return None };
        let specs = (1..=keys).map(|key| OneKey::new(program, &bounds, Word::try_from(key).ok()?).ok());
        Some(SetLocal {
            views: SetViews::new(&layout, certificate),
            present: gamma::present(&layout, certificate),
            specs: specs.collect::<Option<Vec<_>>>()?,
            calls: client.choices(ThreadId::new(0), 0).to_vec(),
            layout,
            machine,
            certificate,
        })
    }

    /// Returns the kinds of the slots of a cell.
    pub fn slots(&self) -> &[linchpin_ir::types::SlotKind] {
        &self.layout.cells.slots
    }

    /// Returns the state of these pieces; `None` if it is outside of the certificate for some watched key, or
    /// some cell is unreachable.
    pub fn confirm(&self, pieces: &Pieces, guess: &Guess) -> Option<Confirmed> {
        let state = self.machine.assemble(pieces)?;
        let (order, shorts) = self.record(&state)?;
        if order.len() != pieces.cells.len() || order.iter().enumerate().any(|(at, cell)| at != *cell) {
            return None;
        }
        let record = StateRecord::new(&self.layout, &shorts);
        let ghosts = self.watches().map(|watch| {
            let call = |of: &Option<(Word, Call)>| match of {
                None => Call::Idle,
                Some((key, call)) if *key == watch.key => *call,
                Some(_) => Call::Other,
            };
            let ghost = Ghost {
                published: guess.published,
                fresh: guess.fresh.iter().copied().collect(),
                calls: guess.calls.iter().map(call).collect(),
            };
            let is_inside = self.views.outside(record, &ghost, watch.facts(record), watch.key).is_none();
            is_inside.then_some(ghost)
        });
        let ghosts = ghosts.collect::<Option<Vec<_>>>()?;
        let idle = pieces.threads.iter().map(Option::is_none).collect();
        Some(Confirmed { state, order, shorts, ghosts, idle })
    }

    /// Makes every step of every thread, and reports the verdict on each.
    pub fn steps(&self, from: &Confirmed, mut report: impl FnMut(StepVerdict)) {
        for thread in (0..self.layout.threads).map(ThreadId::new) {
            let is_idle = from.idle[thread.index()];
            let calls = self.calls.iter().map(Some).filter(|_| is_idle);
            for call in calls.chain((!is_idle).then_some(None)) {
                let mut picks = Picks::new();
                loop {
                    picks.restart();
                    report(self.step(from, thread, call, &mut picks));
                    if !picks.advance() {
                        break;
                    }
                }
            }
        }
    }

    fn step(
        &self,
        from: &Confirmed,
        thread: ThreadId,
        call: Option<&CallChoice>,
        picks: &mut Picks,
    ) -> StepVerdict {
        let mut state = from.state.clone();
        let mut reached = [];
        let mut listener = StepListener::<true>::new(&mut reached);
        let outcome = match call {
            Some(CallChoice { op, args, .. }) => {
                self.machine.call(&mut state, thread, *op, args, 0, picks, &mut listener)
            }
            None => self.machine.step(&mut state, thread, picks, &mut listener),
        };
        let seen = listener.end(thread, call.map(|call| (call.op, call.args.clone())));
        let before = StateRecord::new(&self.layout, &from.shorts);
        let numbers = naming::as_numbered(&self.layout);
        let failed = |why: String| {
            let label = text::label(self.layout.program, &seen.label);
            StepVerdict::Failed(format!("{why}\n  from {}\n  by {label}", text::record(before, &numbers)))
        };
        match outcome {
            Outcome::Done => {}
            Outcome::Fault(fault) => {
                let property = graph::property_of(fault.property());
                let is_claimed = matches!(property, Property::MemorySafe | Property::Assertions);
                return if is_claimed { failed(fault.message.clone()) } else { StepVerdict::Skipped };
            }
            Outcome::Disabled(_) | Outcome::Cut(_) | Outcome::Discarded => return StepVerdict::Skipped,
        }
        let Some((order, shorts)) = self.record(&state) else { return StepVerdict::Skipped };
        let after = StateRecord::new(&self.layout, &shorts);
        let threads = naming::as_numbered(&self.layout);
        let moved = Move::new((&threads, &from.order), (&threads, &order), &seen, true);
        for (watch, ghost) in self.watches().zip(&from.ghosts) {
            let facts = (watch.facts(before), watch.facts(after));
            let next = match watch.step(ghost, (before, after), facts, &seen.label, &moved) {
                Ok(next) => next,
                Err(what) => return failed(what),
            };
            if let Some(missing) = self.views.outside(after, &next, watch.facts(after), watch.key) {
                let key = watch.key;
                let to = text::record(after, &numbers);
                return failed(format!("{missing:?} for key {key}, {ghost:?}, then {next:?}\n  to {to}"));
            }
        }
        StepVerdict::Kept
    }

    fn watches(&self) -> impl Iterator<Item = Watch<'_>> {
        (1..).zip(&self.specs).map(|(key, spec)| Watch {
            key,
            root: self.certificate.root,
            present: &self.present,
            spec,
        })
    }

    /// Returns the reachable cells of a state in the order of their numbers, and the record of the state.
    fn record(&self, state: &State) -> Option<(Vec<usize>, Vec<Short>)> {
        let threads = naming::as_numbered(&self.layout);
        let mut order = naming::order(&self.layout, &self.machine, state, &[], &threads);
        order.sort_unstable();
        let mut shorts = Vec::new();
        self.layout.write(&self.machine, state, (&order, &threads), &[], &mut shorts)?;
        Some((order, shorts))
    }
}
