//! The local test: a certificate is inductive in the plain semantics, not only for reachable states.
//!
//! Views are drawn at random. Small concrete states inside them are built ([`building`]), reachable or not.
//! They have chains of two and three cells for *further on*, and copies of ages one and two behind. An
//! arbitrary pointer is null and each cell; an unknown value is every value of its type. A state of two or
//! three threads counts if every invariant of the certificate contains it with suitable ghosts. Then every
//! step of every thread is made with the plain semantics. The next state must be in every invariant again. A
//! fault is a failure, and so is an observer that accepts.
//!
//! This test contains no effect of an instruction on a view. The gate defines the meaning of views and the
//! steps of ghosts ([`local`](linchpin_certify::gate::local)).

pub mod building;
pub mod graph;
pub mod sets;

use building::{Builder, Trait};
use fastrand::Rng;
use linchpin_certify::certificate::Certificate;
use linchpin_certify::check;
use linchpin_certify::gate::local::{Instance, Local, StepVerdict};
use linchpin_certify::observer_adequacy;
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_engine::{Budget, BudgetMeter, Silent};
use linchpin_ir::program::Program;
use linchpin_ir::types::{Scalar, SlotKind, Word};
use linchpin_prove::pairs::PairsProver;
use linchpin_prove::{Analysis, Prover};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Keys of an instance.
const KEYS: Word = 3;
/// Cells of an instance. A state that is built has fewer.
const NODES: u32 = 10;

/// What was looked at.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    /// Views that were drawn.
    pub views: u64,
    /// States that were built.
    pub built: u64,
    /// Those that are in every invariant, and the choices of ghosts of these.
    pub confirmed: u64,
    pub ghosts: u64,
    /// Steps that lead to a state of every invariant again.
    pub steps: u64,
    /// Steps that cannot be made, or lead out of the instance.
    pub skipped: u64,
    pub failures: Vec<String>,
    /// Different views from which such states were built.
    pub different: u64,
    /// States in every invariant, by what is particular about them.
    pub traits: BTreeMap<Trait, u64>,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.views += other.views;
        self.built += other.built;
        self.confirmed += other.confirmed;
        self.ghosts += other.ghosts;
        self.steps += other.steps;
        self.skipped += other.skipped;
        self.failures.extend_from_slice(&other.failures);
        self.different += other.different;
        for (of, count) in &other.traits {
            *self.traits.entry(*of).or_default() += count;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { views, built, confirmed, ghosts, steps, skipped, failures, different, traits } = self;
        write!(
            f,
            "{views} views drawn, {built} states built, {confirmed} in every invariant with {ghosts} choices of ghosts, {steps} steps, \
             {skipped} skipped, {} failed; from {different} different views; {traits:?}",
            failures.len()
        )
    }
}

/// How long a long test runs: `LINCHPIN_LOCAL_SECONDS`. It is made on request only.
pub fn requested() -> Option<Duration> {
    let seconds = std::env::var("LINCHPIN_LOCAL_SECONDS").ok()?;
    let seconds = seconds.parse().unwrap_or_else(|_| panic!("`{seconds}` is not a number of seconds"));
    Some(Duration::from_secs(seconds))
}

/// A checked certificate of all that the prover can show of a program, without the gate; `None` if that is
/// nothing.
pub fn certificate(program: &Program, budget: &Budget) -> Option<Certificate> {
    let prover = PairsProver::new(program).ok()?;
    let found = [Analysis::Conformance, Analysis::Memory, Analysis::Assertions]
        .map(|analysis| prover.prove(analysis, &mut BudgetMeter::start(budget.clone()), &mut Silent));
    let certificate = prover.certificate(found.into_iter().filter_map(Result::ok).collect());
    let is_checked = !certificate.invariants.is_empty() && check(program, &certificate, &|| true).is_ok();
    is_checked.then_some(certificate)
}

/// Draws views, builds states and makes their steps as long as `go_on` says so, which sees the counts; ends
/// at the first failure.
pub fn examine(
    program: &Arc<Program>,
    certificate: &Certificate,
    rng: &mut Rng,
    mut go_on: impl FnMut(&Counts) -> bool,
) -> Counts {
    let groups = observer_adequacy::products_of(program).unwrap_or_default();
    let rooms = rooms(program, certificate, &groups);
    let builder = Builder::new(program, certificate, &groups);
    let (mut counts, mut seen) = (Counts::default(), BTreeSet::new());
    while counts.failures.is_empty() && !rooms.is_empty() && go_on(&counts) {
        let (instance, room) = &rooms[rng.usize(..rooms.len())];
        counts.views += 1;
        let Some(built) = builder.build(room.cells(), *instance, rng) else { continue };
        counts.built += 1;
        let Some(confirmed) = room.confirm(&built.pieces, built.wild) else { continue };
        counts.confirmed += 1;
        counts.different += u64::from(seen.insert(built.view));
        for of in &built.traits {
            *counts.traits.entry(*of).or_default() += 1;
        }
        counts.ghosts += u64::try_from(confirmed.ghosts()).unwrap_or(u64::MAX);
        room.steps(&confirmed, |judged| match judged {
            StepVerdict::Kept => counts.steps += 1,
            StepVerdict::Skipped => counts.skipped += 1,
            StepVerdict::Failed(why) => counts.failures.push(format!("{}\n  {}", why, built.origin)),
        });
    }
    counts
}

/// Instances of two and of three threads, with every place at which keys may be cut.
fn rooms<'r>(
    program: &'r Arc<Program>,
    certificate: &'r Certificate,
    groups: &'r [ObserverProduct],
) -> Vec<(Instance, Local<'r>)> {
    let is_key = |slot: &SlotKind| slot.scalar == Scalar::Key;
    let mut slots = program.methods.iter().flat_map(|method| &method.slots).chain(&program.globals.slots);
    let cuts = if slots.any(is_key) { 0..=KEYS } else { 0..=0 };
    let instances = cuts.flat_map(|cut| [2, 3].map(|threads| (cut, threads)));
    let room = |(cut, threads)| {
        let instance = Instance { threads, nodes: NODES, keys: KEYS.unsigned_abs(), cut };
        Some((instance, Local::new(program, certificate, groups, instance)?))
    };
    instances.filter_map(room).collect()
}
