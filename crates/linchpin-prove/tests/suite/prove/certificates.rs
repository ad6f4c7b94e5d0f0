//! Certificates: they are read as they were written. The checker refuses a certificate with a missing,
//! tightened or malformed part.

use crate::prove::{Text, proving};
use fastrand::Rng;
use linchpin_certify as certify;
use linchpin_certify::CheckError;
use linchpin_certify::certificate::{AgeOrigin, Certificate, Symbol};
use linchpin_ir::property::Property;
use linchpin_judge::replay::fingerprint;
use linchpin_portfolio::ProofResult;
use linchpin_report::certificate_file::CertificateFile;

/// Garbage-collected, manual, with locks, with labels in order.
const MODELS: [&str; 4] = ["treiber_stack", "coarse_queue_manual", "two_lock_queue_gc", "coarse_pqueue_list"];
/// With ages.
const TAGGED: &str = "treiber_stack_tagged";

fn certified(name: &str) -> (ProofResult, Certificate) {
    let proving = proving(&Text::of_catalogue(name), None, None);
    let certificate = proving.certificate.clone().unwrap_or_else(|| panic!("`{name}` is proved"));
    (proving, certificate)
}

/// Returns the result of the checker without the gate.
fn check(proving: &ProofResult, certificate: &Certificate) -> Result<Vec<Property>, CheckError> {
    certify::check(&proving.compiled.program, certificate, &|| true)
}

#[test]
fn a_file_says_what_the_certificate_says() {
    for name in MODELS.into_iter().chain([TAGGED]) {
        let (proving, certificate) = certified(name);
        let fingerprint = fingerprint(&proving.compiled.program);
        let text =
            CertificateFile::new(name, fingerprint, "pairs", &certificate).to_text().expect("it is JSON");
        let file = CertificateFile::parse(&text).expect("it is a certificate");
        assert_eq!(file.fingerprint(), Ok(fingerprint));
        let read = file.certificate().expect("it has all parts");
        assert_eq!(read, certificate);
        assert!(check(&proving, &read).is_ok_and(|proofs| proofs.contains(&Property::Linearizable)));
    }
}

#[test]
fn a_certificate_without_one_of_its_views_is_refused() {
    let mut rng = Rng::with_seed(1);
    for name in MODELS {
        let (proving, certificate) = certified(name);
        for _ in 0..12 {
            let mut less = certificate.clone();
            let at = rng.usize(..less.invariants.len());
            let views = &mut less.invariants[at].views;
            let gone = views.remove(rng.usize(..views.len()));
            assert!(check(&proving, &less).is_err(), "{name} without {gone:?}");
        }
    }
}

/// A certificate that still passes without a relation is an invariant too; most do not pass.
#[test]
fn a_certificate_with_a_tighter_view_is_mostly_refused() {
    let mut rng = Rng::with_seed(2);
    let (mut refused, mut tried) = (0, 0);
    for name in MODELS {
        let (proving, certificate) = certified(name);
        for _ in 0..20 {
            let mut tighter = certificate.clone();
            let at = rng.usize(..tighter.invariants.len());
            let views = &mut tighter.invariants[at].views;
            let view = rng.usize(..views.len());
            let shape = &mut views[view].shape;
            let loose: Vec<usize> = (0..shape.len()).filter(|at| shape[*at].count_ones() > 1).collect();
            let Some(&at) = rng.choice(&loose) else { continue };
            shape[at] &= shape[at] - 1;
            tried += 1;
            refused += usize::from(check(&proving, &tighter).is_err());
        }
    }
    assert!(refused * 10 >= tried * 8, "only {refused} of {tried} are refused");
}

#[test]
fn labels_are_not_trusted() {
    let (proving, certificate) = certified("coarse_pqueue_list");
    let (mut refused, mut tried) = (0, 0);
    for at in 0..certificate.invariants.len() {
        assert!(certificate.invariants[at].ordered);
        for view in (0..certificate.invariants[at].views.len()).step_by(17) {
            let mut tighter = certificate.clone();
            let labels = &mut tighter.invariants[at].views[view].labels;
            let Some(set) = labels.iter_mut().find(|set| set.count_ones() > 1) else { continue };
            *set &= *set - 1;
            tried += 1;
            refused += usize::from(check(&proving, &tighter).is_err());
        }
    }
    assert!(tried > 5 && refused * 10 >= tried * 8, "only {refused} of {tried} are refused");
    let mut nonsense = certificate.clone();
    nonsense.invariants[0].views[0].labels.push(1);
    assert!(matches!(check(&proving, &nonsense), Err(CheckError::Malformed(_))));
    // Without the order, urgent values need not come first.
    let mut unordered = certificate;
    unordered.invariants.iter_mut().for_each(|invariant| invariant.ordered = false);
    assert!(check(&proving, &unordered).is_err());
    let (stack, mut ordered) = certified("treiber_stack");
    ordered.invariants[0].ordered = true;
    assert!(check(&stack, &ordered).is_err());
}

#[test]
fn an_empty_certificate_proves_nothing() {
    let (proving, mut certificate) = certified("treiber_stack");
    certificate.invariants.clear();
    assert_eq!(check(&proving, &certificate), Ok(Vec::new()));
    let (_, mut certificate) = certified("treiber_stack");
    for invariant in &mut certificate.invariants {
        invariant.views.clear();
    }
    assert!(matches!(check(&proving, &certificate), Err(CheckError::Broken(_))));
}

#[test]
fn a_certificate_of_another_program_is_refused() {
    let (stack, _) = certified("treiber_stack");
    let (_, queue) = certified("two_lock_queue_gc");
    assert!(check(&stack, &queue).is_err());
}

/// An age with a wrong origin must not be compared with the age at that place.
#[test]
fn ages_from_elsewhere_are_not_trusted() {
    let (proving, mut certificate) = certified(TAGGED);
    let mut changed = 0;
    for slot in certificate.rests.iter_mut().flat_map(|rest| &mut rest.slots) {
        if slot.origin.is_some() {
            slot.origin = Some(AgeOrigin::Shared(7));
            changed += 1;
        }
    }
    assert!(changed > 0 && check(&proving, &certificate).is_err());
}

/// Slots that are forgotten beside a stale age are not needed by a step.
#[test]
fn as_much_is_forgotten_as_is_said() {
    let (proving, certificate) = certified(TAGGED);
    let forgotten = |certificate: &Certificate| {
        let slots = certificate.rests.iter().flat_map(|rest| &rest.slots);
        slots.filter(|slot| slot.until_stale.is_some()).count()
    };
    assert!(forgotten(&certificate) > 0);
    let mut less = certificate.clone();
    less.rests.iter_mut().flat_map(|rest| &mut rest.slots).for_each(|slot| slot.until_stale = None);
    assert!(check(&proving, &less).is_err());
    let mut more = certificate;
    for rest in &mut more.rests {
        let age = rest.slots.iter().find(|slot| slot.origin.is_some()).map(|slot| slot.slot);
        rest.slots.iter_mut().for_each(|slot| slot.until_stale = age);
    }
    assert!(check(&proving, &more).is_err());
}

#[test]
fn nonsense_is_refused_and_never_a_panic() {
    let mut rng = Rng::with_seed(3);
    let (proving, certificate) = certified("two_lock_queue_gc");
    for _ in 0..100 {
        let mut nonsense = certificate.clone();
        let at = rng.usize(..nonsense.invariants.len());
        let invariant = &mut nonsense.invariants[at];
        let view = rng.usize(..invariant.views.len());
        match rng.u8(..10) {
            0 => invariant.views[view].shared = usize::MAX,
            1 => invariant.views[view].locals[0] = invariant.locals.len(),
            2 => invariant.views[view].shape.clear(),
            3 => invariant.views[view].shape.push(255),
            4 => invariant.views.push(invariant.views[view].clone()),
            5 => invariant.shared[0].location = u16::MAX,
            6 => invariant.shared[0].tracked.push(true),
            7 => invariant.locals.iter_mut().for_each(|local| local.at = Some(999)),
            8 => {
                let local = rng.usize(..invariant.locals.len());
                let slots = &mut invariant.locals[local].slots;
                slots.iter_mut().for_each(|slot| *slot = Symbol::Tracked(200));
            }
            _ => nonsense.rests.truncate(1),
        }
        if nonsense != certificate {
            assert!(check(&proving, &nonsense).is_err());
        }
    }
}

#[test]
fn a_file_with_letters_changed_is_no_proof() {
    let mut rng = Rng::with_seed(4);
    let (proving, certificate) = certified("treiber_stack");
    let fingerprint = fingerprint(&proving.compiled.program);
    let text =
        CertificateFile::new("treiber_stack", fingerprint, "pairs", &certificate).to_text().expect("JSON");
    for _ in 0..60 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..3 {
            let at = rng.usize(..bytes.len());
            bytes[at] = rng.alphanumeric() as u8;
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let Ok(file) = CertificateFile::parse(&text) else { continue };
        let Ok(changed) = file.certificate() else { continue };
        // Every accepted certificate was checked. The test is that reading and checking end.
        let _ = check(&proving, &changed);
    }
}
