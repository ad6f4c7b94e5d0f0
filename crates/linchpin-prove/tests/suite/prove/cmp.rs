//! The compositional method: right sets have certificates that the checker accepts, wrong ones have none, and
//! a certificate that says more than is true is refused.

use super::sets::program;
use super::{Text, budget};
use crate::local::sets::{Counts, examine};
use fastrand::Rng;
use linchpin_certify::cmp::check;
use linchpin_certify::cmp::window::{Materials, each_step};
use linchpin_certify::cmp_certificate::{CellName, Claim, CmpCertificate, Fact, PointerName, RestLemma};
use linchpin_certify::sets::{self, SetError, SetRefusal};
use linchpin_engine::{Budget, BudgetMeter};
use linchpin_explore::hunt::initial_cells;
use linchpin_explore::samples::BoundedSamples;
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_judge::replay::fingerprint;
use linchpin_portfolio::catalogue::{Group, entries};
use linchpin_portfolio::method_of;
use linchpin_prove::cmp::{CmpFound, CmpProver, CmpStopped};
use linchpin_prove::lemma::{Lemma, PoolLimits, mine};
use linchpin_report::cmp_certificate_file::CmpCertificateFile;
use linchpin_semantics::Bounds;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const RIGHT: [&str; 4] = ["coarse_list", "fine_list", "vechev_yahav_set_dcas", "optimistic_list"];

/// The lemmas that a small instance supports.
fn mined(program: &Arc<Program>, prover: &CmpProver) -> BTreeMap<RestLemma, Lemma> {
    let nodes = initial_cells(program) + 2;
    let bounds = Bounds { threads: 2, nodes, values: 2, keys: 2, ..Bounds::default() };
    let samples = BoundedSamples::new(program, &bounds, 20_000).expect("bounds in which the model runs");
    let pool = mine(program, &samples, None, PoolLimits::default(), &Budget::default()).expect("samples");
    prover.usable(pool.always())
}

fn search(program: &Arc<Program>, seconds: u64) -> Result<CmpFound, CmpStopped> {
    let prover = CmpProver::new(program).map_err(|_| CmpStopped::NoWitness)?;
    let lemmas: Vec<RestLemma> = mined(program, &prover).into_keys().collect();
    prover.prove(&lemmas, &mut BudgetMeter::start(budget(Some(Duration::from_secs(seconds)))))
}

fn certificate(name: &str) -> (Arc<Program>, CmpCertificate) {
    let program = program(&Text::of_catalogue(name));
    let found = search(&program, 100).unwrap_or_else(|stopped| panic!("{name}: {stopped:?}"));
    (program, found.certificate)
}

#[test]
fn right_sets_are_accepted_by_the_checker() {
    for name in RIGHT {
        let (program, certificate) = certificate(name);
        let proved =
            check(&program, &certificate, &|| true).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        // Freedom from deadlock is not a property of this method.
        assert_eq!(proved, [Property::Linearizable, Property::MemorySafe, Property::Assertions], "{name}");
        let text = CmpCertificateFile::new(name, fingerprint(&program), &certificate).to_text();
        let read = CmpCertificateFile::parse(&text.expect("it is JSON")).and_then(|file| file.certificate());
        assert_eq!(read, Ok(certificate), "{name}: the file says the same");
    }
}

/// Windows leave no step of another thread out: from states of several threads, each in the views, every
/// step of the plain semantics leads to states in the views.
#[test]
fn views_are_inductive_for_all_threads() {
    for name in ["coarse_list", "fine_list", "vechev_yahav_set_dcas"] {
        let (program, certificate) = certificate(name);
        let enough = |counts: &Counts| counts.confirmed < 300 && counts.drawn < 60_000;
        let counts = examine(&program, &certificate.views, &mut Rng::with_seed(24), enough);
        assert!(counts.failures.is_empty(), "{name}: {}", counts.failures.join("\n"));
        assert!(counts.confirmed == 300 && counts.steps > 300, "{name}: {counts}");
    }
}

#[test]
fn wrong_sets_have_no_certificate() {
    let mut tried = 0;
    for entry in entries().iter().filter(|entry| entry.group == Group::Wrong) {
        let program = program(&Text::new(entry.name, entry.text));
        if method_of(&program).name() != "sets" {
            continue;
        }
        tried += 1;
        match search(&program, 60) {
            Ok(_) => panic!("`{}` is wrong, and has a certificate", entry.name),
            Err(CmpStopped::Exhausted(_)) => panic!("`{}`: out of time", entry.name),
            Err(CmpStopped::Failed { .. } | CmpStopped::NoWitness) => {}
        }
    }
    assert!(tried >= 15, "only {tried} wrong sets");
}

/// What may fool the method: each object differs from a right one in one place. Locks that are missing, and
/// checks that are missing, show in the windows of the other threads only.
#[test]
fn one_wrong_place_is_noticed() {
    let mutations = [
        ("coarse_list", "    list_lock.lock();\n    lin;\n    defer list_lock.unlock();\n", ""),
        ("coarse_list", "if curr.key == k { return false; }", "if curr.key == k { return true; }"),
        ("fine_list", "pred.next = curr.next;", "pred.next = curr;"),
        (
            "fine_list",
            "        curr.lock.lock();\n",
            "        curr.lock.lock();\n        pred.lock.unlock();\n        pred.lock.lock();\n",
        ),
        (
            "optimistic_list",
            "if node == pred { return pred.next == curr; }",
            "if node == pred { return true; }",
        ),
        ("optimistic_list", "return false;\n}", "return true;\n}"),
        ("optimistic_list", "        pred.lock.lock();\n        defer pred.lock.unlock();\n", ""),
        (
            "lazy_list",
            "!pred.marked && !curr.marked && pred.next == curr",
            "!curr.marked && pred.next == curr",
        ),
        ("lazy_list", "return curr.key == k && !curr.marked;", "return curr.key == k && curr.marked;"),
        ("vechev_yahav_set", "mark: true", "mark: false"),
    ];
    for (name, right, wrong) in mutations {
        let text = Text::of_catalogue(name);
        let changed = text.text.replacen(right, wrong, 1);
        assert_ne!(text.text, changed, "{name} has `{right}`");
        let program = program(&Text::new(name, changed));
        assert!(search(&program, 100).is_err(), "{name}: `{wrong}`");
    }
}

/// Views, edges and lemmas of a certificate support each other: without one of them the rest is refused.
#[test]
fn a_certificate_without_one_part_is_refused() {
    let (program, whole) = certificate("fine_list");
    let mut rng = Rng::with_seed(24);
    for _ in 0..20 {
        let mut less = whole.clone();
        match rng.bool() {
            true => drop(less.views.threads.swap_remove(rng.usize(..less.views.threads.len()))),
            false => drop(less.views.edges.swap_remove(rng.usize(..less.views.edges.len()))),
        }
        assert!(check(&program, &less, &|| true).is_err());
    }
    let refused = |what: &str, keep: &dyn Fn(&Fact) -> bool| {
        let mut less = whole.clone();
        less.lemmas.retain(|lemma| keep(&lemma.conclusion.fact));
        assert!(less.lemmas.len() < whole.lemmas.len(), "{what}");
        assert!(check(&program, &less, &|| true).is_err(), "{what}");
    };
    refused("no lemmas", &|_| false);
    refused("no lemmas of locks", &|fact| !matches!(fact, Fact::Holds(_)));
    let is_link = |pointer: &PointerName| !matches!(pointer, PointerName::Null | PointerName::To(_));
    refused("no lemmas of neighbours", &|fact| !matches!(fact, Fact::Same(a, b) if is_link(a) || is_link(b)));
}

/// A lemma that is false, or that the views do not show, is refused. So it cannot exclude a step.
#[test]
fn lemmas_that_are_not_shown_are_refused() {
    let (program, whole) = certificate("fine_list");
    for lemma in &whole.lemmas {
        let mut forged = whole.clone();
        let conclusion = Claim { is_positive: !lemma.conclusion.is_positive, ..lemma.conclusion };
        // Keys of one side compare either way, so both may be shown.
        if matches!(conclusion.fact, Fact::Less(..) | Fact::SameKey(..)) {
            continue;
        }
        forged.lemmas.push(RestLemma { conclusion, ..lemma.clone() });
        let refused = check(&program, &forged, &|| true).expect_err("a negated lemma");
        assert!(matches!(refused, SetError::Refused(SetRefusal::Lemma { .. })), "{lemma:?}: {refused:?}");
    }
    // What no view knows is not shown.
    let mut forged = whole.clone();
    let first = whole.lemmas.first().expect("it has lemmas").clone();
    let fact = Fact::Same(PointerName::SecondOf(CellName::Shared(0)), PointerName::Null);
    forged.lemmas.push(RestLemma { conclusion: Claim { fact, is_positive: false }, ..first });
    let refused = check(&program, &forged, &|| true).expect_err("two cells behind the root");
    assert!(matches!(refused, SetError::Refused(SetRefusal::Lemma { .. })), "{refused:?}");
}

/// Without lemmas another thread may be anywhere: on linked, removed and private cells, on cells of the kept
/// thread or others, in a call on the watched key or not, before its event or behind it.
#[test]
fn windows_leave_nothing_out() {
    let (program, whole) = certificate("fine_list");
    let layout = SetLayout::of(&program).expect("it is a set");
    let witness = sets::witness(&layout, &whole.views).expect("it has a root");
    let mut materials = Materials::default();
    whole.views.threads.iter().for_each(|view| materials.add_view(view));
    whole.views.edges.iter().for_each(|edge| materials.add_edge(edge));
    let (mut windows, mut places, mut ghosts, mut keys, mut held) =
        (0, BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut unfollowed = 0;
    let _ = each_step(&layout, &witness, &[], &materials, &|| true, &mut |window, effect| {
        windows += 1;
        unfollowed += usize::from(effect.is_err());
        places.extend(window.cells.iter().map(|cell| cell.label.place));
        keys.extend(window.cells.iter().map(|cell| cell.label.class));
        held.extend(window.cells.iter().map(|cell| cell.mine));
        ghosts.insert(window.ghost);
        true
    });
    assert!(windows > 100 && unfollowed > 0, "{windows} windows, {unfollowed} not followed");
    assert_eq!((places.len(), keys.len(), held.len()), (3, 5, 2), "{places:?} {keys:?}");
    assert_eq!(ghosts.len(), 3, "{ghosts:?}");
}

/// Waiting for ever is not linearizable: without the order of locks this is not claimed.
#[test]
fn without_an_order_of_locks_nothing_is_linearizable() {
    let (program, mut whole) = certificate("fine_list");
    whole.views.deadlock_free = false;
    let proved = check(&program, &whole, &|| true).expect("the rest is shown");
    assert_eq!(proved, [Property::MemorySafe, Property::Assertions]);
}

/// The paper wants the cell of `p2` locked at lines 11 and 12 of `Remove`, and figure 3a never locks it.
#[test]
fn the_erratum_of_the_paper_is_not_mined() {
    let program = program(&Text::of_catalogue("fine_list"));
    let prover = CmpProver::new(&program).unwrap_or_else(|_| panic!("it is a set"));
    let lemmas = mined(&program, &prover);
    let remove = program.ops.entries().find(|(_, op)| &*op.name == "remove").map(|(id, _)| id);
    let at_writes = || lemmas.keys().filter(|lemma| Some(lemma.op) == remove);
    let locked: Vec<_> =
        at_writes().filter(|lemma| matches!(lemma.conclusion.fact, Fact::Holds(_))).collect();
    // `pred` and `curr` are locked; three pointers are live: the third is the paper's `p2`.
    assert_eq!(locked.iter().filter(|lemma| lemma.conclusion.is_positive).count(), 2, "{locked:?}");
}
