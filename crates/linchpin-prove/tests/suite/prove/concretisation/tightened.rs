//! Changed certificates: whatever the checker accepts is an invariant.

use super::{Ghost, World};
use crate::prove::{Text, proving};
use fastrand::Rng;
use linchpin_certify::certificate::{Certificate, Invariant};
use linchpin_certify::{check, observer_adequacy};
use linchpin_ir::heap::{HeapProgram, ProofMethod};
use linchpin_ir::property::Property;
use linchpin_semantics::State;

/// Tightenings of one certificate that are tried.
const TIGHTENINGS: usize = 24;

/// Whatever the checker accepts is an invariant. Entries of views are tightened at random, in the prover's
/// certificate and in a loosened one. An accepted certificate contains every reached state. A refused
/// certificate need not, and often does not.
#[test]
fn a_tightened_certificate_is_refused_or_holds_of_all_states() {
    let mut rng = Rng::with_seed(17);
    let (mut accepted, mut refused, mut caught) = (0, 0, 0);
    for name in ["coarse_stack", "treiber_stack", "coarse_queue_manual", "two_lock_queue_gc"] {
        let attempt = proving(&Text::of_catalogue(name), Some(&[Property::Linearizable]), None);
        let certificate = attempt.certificate.as_ref().unwrap_or_else(|| panic!("`{name}` is proved"));
        let program = &attempt.compiled.program;
        let heap = HeapProgram::of(program, ProofMethod::Pairs).expect("it is taken");
        let groups = observer_adequacy::products(program, heap.spec()).expect("the observers are known");
        let is_accepted = |certificate: &Certificate| check(program, certificate, &|| true).is_ok();
        let reached: Vec<Vec<(State, Ghost)>> = (0..certificate.invariants.len())
            .map(|at| World::of(program, certificate, at, &groups).reached(&mut rng))
            .collect();
        // Loosen the certificate where the checker still accepts: an invariant that no prover wrote.
        let mut loose = certificate.clone();
        let mut loosened = Vec::new();
        for _ in 0..TIGHTENINGS {
            let at = rng.usize(..loose.invariants.len());
            let mut looser = loose.clone();
            let changed = change(&mut looser.invariants[at], &mut rng, |set, one| set | one);
            if let Some(entry) = changed.filter(|_| is_accepted(&looser)) {
                loose = looser;
                loosened.push((at, entry));
            }
        }
        for number in 0..TIGHTENINGS {
            let before = if number % 2 == 0 { certificate } else { &loose };
            let mut tighter = before.clone();
            let undone = loosened.get(rng.usize(..=loosened.len())).filter(|_| number % 4 == 1);
            let (at, Entry { view, .. }) = match undone {
                Some(&(at, entry)) => {
                    let of_prover = certificate.invariants[at].views[entry.view].shape[entry.place];
                    tighter.invariants[at].views[entry.view].shape[entry.place] = of_prover;
                    (at, entry)
                }
                None => {
                    let at = rng.usize(..tighter.invariants.len());
                    let less = |set: u8, one: u8| if set == one { set } else { set & !one };
                    match change(&mut tighter.invariants[at], &mut rng, less) {
                        Some(entry) => (at, entry),
                        None => continue,
                    }
                }
            };
            let old = World::of(program, before, at, &groups);
            let holds = World::of(program, &tighter, at, &groups).still_holds(&old, view, &reached[at]);
            if is_accepted(&tighter) {
                accepted += 1;
                assert!(holds, "{name}: view {view} of invariant {at} is too tight, and was accepted");
            } else {
                refused += 1;
                caught += usize::from(!holds);
            }
        }
    }
    let counts =
        format!("{accepted} accepted, {refused} refused, {caught} of these not so of a reached state");
    assert!(accepted > 5 && refused > 30 && caught > 10, "{counts}: this tells little");
}

/// Of the shape of a view.
#[derive(Clone, Copy)]
struct Entry {
    view: usize,
    place: usize,
}

/// Changes an entry with one relation; which one, if that made a difference.
fn change(invariant: &mut Invariant, rng: &mut Rng, with: impl Fn(u8, u8) -> u8) -> Option<Entry> {
    // Most entries are of one relation.
    for _ in 0..100 {
        let view = rng.usize(..invariant.views.len());
        let shape = &mut invariant.views[view].shape;
        if shape.is_empty() {
            continue;
        }
        let place = rng.usize(..shape.len());
        let changed = with(shape[place], 1 << rng.u8(..6));
        if changed != shape[place] {
            shape[place] = changed;
            return Some(Entry { view, place });
        }
    }
    None
}
