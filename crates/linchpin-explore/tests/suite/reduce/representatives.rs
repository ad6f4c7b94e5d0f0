//! The laws of [`Canonicalizer`]: the encoding of the shared part serves all orders of the threads, and
//! states equal up to renaming have one representative.

use super::support::*;
use linchpin_explore::reduce::{
    Canonicalizer, DataSymmetry, Scratch, StateSymmetry, ThreadSymmetry, rename_data, rename_threads,
};
use linchpin_ir::index::{Index, byte_of};
use linchpin_ir::program::{MemoryKind, Program};
use linchpin_ir::types::{Word, word_of};
use linchpin_semantics::*;
use std::sync::Arc;

const THREADS: u32 = 3;

/// Two threads that have met hold the same cells and values, without a shared name. A third may hold one of
/// them.
const EXCHANGER: &str = "
object Exchanger: Exchanger;
spec Exchanger {
    op give(v: data) {}
    op take() {}
    op hand_over(v: data) {}
}
struct Offer { val: data, next: *Offer }
shared slot: *Offer = null;
shared spare: *Offer = null;
op give(v: data) {
    let n = new Offer { val: v, next: null };
    if cas(slot, null, n) {
        let seen = slot;
        slot = null;
        let first = n.next;
        let last = n.next;
    }
}
op take() {
    let seen = slot;
    let rest = spare;
    if seen != null {
        let v = seen.val;
        seen.next = rest;
        let again = seen.next;
        slot = null;
        spare = again;
        let w = seen.val;
        spare = null;
        let last = seen.next;
    }
}
op hand_over(v: data) {
    let n = new Offer { val: v, next: null };
    spare = n;
    let seen = slot;
    spare = null;
    n.next = seen;
    let v2 = n.val;
    let last = n.next;
}
";

/// A program that names one of the threads that have signed.
const SIGNERS: &str = "
object Signers: Signers;
spec Signers { op sign() {} }
shared signed: thread?;
shared count: 0..3;
op sign() {
    signed = me;
    let seen = count;
    let again = count;
}
";

struct Subject {
    name: String,
    machine: Machine,
    client: Client,
    canonicalizer: Canonicalizer,
    threads: Option<ThreadSymmetry>,
    exchanges_data: bool,
}

impl Subject {
    fn new(name: &str, program: &Arc<Program>, bounds: &Bounds) -> Option<Subject> {
        let machine = Machine::new(program, bounds).unwrap_or_else(|list| panic!("{name} {list:?}"));
        let client = Client::general(program, bounds).ok()?;
        let number = bounds.threads as usize;
        let threads = ThreadSymmetry::of(&machine).ok().filter(ThreadSymmetry::is_shallow);
        let alike = |a: usize, b: usize| client.are_alike(ThreadId::new(a), ThreadId::new(b));
        let class = |at: usize| byte_of((0..at).find(|earlier| alike(*earlier, at)).unwrap_or(at));
        let data = DataSymmetry::of(&machine).ok().map(|symmetry| symmetry.fixed);
        let mut exchange = StateSymmetry { data, ..StateSymmetry::nothing(number) };
        if threads.is_some() {
            exchange.threads = (0..number).map(class).collect();
        }
        let canonicalizer = Canonicalizer::new(&machine, exchange, threads.as_ref(), client.positions());
        let exchanges_data = data == Some(0);
        Some(Subject { name: name.to_string(), machine, client, canonicalizer, threads, exchanges_data })
    }

    fn all() -> Vec<Subject> {
        let catalogue =
            models().into_iter().map(|path| (path.to_string_lossy().into_owned(), model(&path, THREADS)));
        let bounds = Bounds { threads: THREADS, nodes: 3, values: 3, ..Bounds::default() };
        let setting = linchpin_ir::interface::Setting { threads: THREADS, ..Default::default() };
        let own = [("exchanger", EXCHANGER), ("signers", SIGNERS)]
            .map(|(name, text)| (name.to_string(), (program(text, &setting), bounds.clone())));
        catalogue
            .chain(own)
            .filter_map(|(name, (program, bounds))| Subject::new(&name, &program, &bounds))
            .collect()
    }

    /// Returns the states of random executions.
    fn states(&self, seeds: u64, steps: usize) -> Vec<State> {
        let mut states = Vec::new();
        for seed in 0..seeds {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut state = initial(&self.machine);
            for _ in 0..steps {
                let mut next: Vec<State> = Vec::new();
                for action in actions(&self.machine, &self.client, &state) {
                    let results = outcomes(&self.machine, &state, &action).into_iter();
                    next.extend(results.filter(|(outcome, _)| outcome.is_done()).map(|(_, after)| after));
                }
                if next.is_empty() {
                    break;
                }
                state = next.swap_remove(random.usize(..next.len()));
                self.canonicalizer.prepare(&mut state);
                states.push(state.clone());
            }
        }
        states
    }

    /// Returns the least encoding over the orders of linked ties, by brute force.
    fn representative(&self, scratch: &mut Scratch, state: &State) -> Vec<u8> {
        self.canonicalizer.arrange(scratch, state);
        let order = scratch.order().to_vec();
        let linked: Vec<Vec<u8>> = scratch
            .ties()
            .iter()
            .filter(|tie| tie.linked)
            .map(|tie| self.canonicalizer.places(*tie).to_vec())
            .collect();
        let mut orders = vec![order];
        for places in linked {
            let exchanged = |order: &Vec<u8>| permuted(order, &places);
            orders = orders.iter().flat_map(exchanged).collect();
        }
        let written = |order: &Vec<u8>| {
            let mut bytes = Vec::new();
            self.canonicalizer.write_arranged(scratch, state, order, &mut bytes);
            bytes
        };
        orders.iter().map(written).min().expect("there is an order")
    }
}

/// Returns every order of the threads at some places.
fn permuted(order: &[u8], places: &[u8]) -> Vec<Vec<u8>> {
    let Some((first, rest)) = places.split_first() else { return vec![order.to_vec()] };
    let with = |other: &u8| {
        let mut order = order.to_vec();
        order.swap(*first as usize, *other as usize);
        permuted(&order, rest)
    };
    places.iter().flat_map(with).collect()
}

#[test]
fn what_is_shared_is_written_once_for_all_orders() {
    let all = permuted(&[0, 1, 2], &[0, 1, 2]);
    assert_eq!(all.len(), 6);
    for subject in Subject::all() {
        let (mut scratch, mut fresh) = (Scratch::default(), Scratch::default());
        for state in subject.states(3, 40) {
            subject.canonicalizer.arrange(&mut scratch, &state);
            for order in &all {
                let (mut bytes, mut plain) = (Vec::new(), Vec::new());
                let renaming = subject.canonicalizer.write_arranged(&mut scratch, &state, order, &mut bytes);
                let expected = subject.canonicalizer.write(&mut fresh, &state, order, &mut plain);
                assert_eq!((renaming, bytes), (expected, plain), "{}: {order:?}", subject.name);
            }
        }
    }
}

#[test]
fn names_do_not_show_in_representatives() {
    let (mut compared, mut linked, mut tied) = (0, 0, 0);
    for subject in Subject::all() {
        // Unreachable cells that only pointers among themselves distinguish may be kept twice.
        if subject.machine.program().memory != MemoryKind::Gc {
            continue;
        }
        let bounds = subject.machine.bounds().clone();
        let mut random = fastrand::Rng::with_seed(11);
        let mut scratch = Scratch::default();
        for state in subject.states(4, 50) {
            let here = subject.representative(&mut scratch, &state);
            for tie in scratch.ties() {
                linked += u32::from(tie.linked);
                tied += u32::from(!tie.linked);
            }
            let free: Vec<Vec<u8>> = scratch
                .ties()
                .iter()
                .filter(|tie| !tie.linked)
                .flat_map(|tie| permuted(scratch.order(), subject.canonicalizer.places(*tie)))
                .collect();
            let order = scratch.order().to_vec();
            let mut written = |order: &[u8]| {
                let mut bytes = Vec::new();
                subject.canonicalizer.write(&mut scratch, &state, order, &mut bytes);
                bytes
            };
            let plain = written(&order);
            for other in free {
                assert_eq!(written(&other), plain, "{}: an unlinked tie changes the encoding", subject.name);
            }
            let mut renamed = state.clone();
            if subject.exchanges_data {
                let mut values: Vec<Word> = (1..=word_of(bounds.values)).collect();
                random.shuffle(&mut values);
                rename_data(&subject.machine, &mut renamed, &values);
            }
            if let Some(symmetry) = &subject.threads {
                let mut names: Vec<ThreadId> = bounds.thread_ids().collect();
                random.shuffle(&mut names);
                let is_alike =
                    |(at, name): (usize, &ThreadId)| subject.client.are_alike(ThreadId::new(at), *name);
                if names.iter().enumerate().all(is_alike) {
                    rename_threads(&subject.machine, symmetry, &mut renamed, &names);
                }
            }
            assert_eq!(
                subject.representative(&mut scratch, &renamed),
                here,
                "{}: the representative depends on names",
                subject.name
            );
            compared += 1;
        }
    }
    assert!(compared > 3000 && linked > 50 && tied > 300, "{compared} states, {linked} and {tied} ties");
}
