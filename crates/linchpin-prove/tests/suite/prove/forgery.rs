//! Forgery: certificates for wrong objects, made by a prover that cheats, and right certificates with a
//! change. The checker refuses each, or every property that it shows holds in a small instance.
//!
//! The prover cheats by ignoring alarms ([`PairsProver::ignoring`]): its views are closed under every step
//! except the forbidden ones. So only the checker can refuse. It also cheats by editing rests
//! ([`PairsProver::editing_rests`]): missing slots, wrong results, wrong origins of ages.

mod objects;

use crate::prove::{Text, budget};
use fastrand::Rng;
use linchpin_certify::certificate::{AgeOrigin, Certificate, Rest, Returned, Symbol};
use linchpin_certify::check as checked;
use linchpin_engine::model::Model;
use linchpin_engine::verdict::{Limit, Verdict};
use linchpin_engine::{BudgetMeter, Silent};
use linchpin_explore::{Request, check};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{Op, Program};
use linchpin_ir::property::Property;
use linchpin_prove::alarm::AlarmKind;
use linchpin_prove::pairs::PairsProver;
use linchpin_prove::{Analysis, Failure, Prover};
use objects::WRONG;
use std::time::Duration;

/// Right objects, whose certificates are changed.
const RIGHT: [&str; 5] = [
    "treiber_stack",
    "treiber_stack_tagged",
    "two_lock_queue_gc",
    "coarse_stack_manual",
    "coarse_pqueue_list",
];

/// The results of the checker for forged certificates.
#[derive(Default, Debug)]
struct Tally {
    tried: usize,
    refused: usize,
    /// Accepted, and all claims hold.
    harmless: usize,
    lies: Vec<String>,
}

impl Tally {
    fn judge(&mut self, model: &Text, program: &Program, certificate: &Certificate, how: &str) {
        self.tried += 1;
        let Ok(claims) = checked(program, certificate, &|| true) else {
            self.refused += 1;
            return;
        };
        let lies: Vec<String> = claims
            .into_iter()
            .filter(|claim| is_violated(model, *claim))
            .map(|claim| format!("{}, {how}: `{claim}` is accepted", model.name))
            .collect();
        if lies.is_empty() {
            self.harmless += 1;
        }
        self.lies.extend(lies);
    }
}

/// Whether a small instance violates the property.
fn is_violated(model: &Text, property: Property) -> bool {
    let compiled = model.compile(&Setting::default()).unwrap_or_else(|_| panic!("{} has errors", model.name));
    let methods = compiled.program.methods.iter().flat_map(|method| method.code.iter());
    let allocates = methods.into_iter().any(|instr| matches!(instr.op, Op::New { .. }));
    let request = Request {
        threads: 2..=2,
        nodes: allocates.then_some(4..=4),
        values: 2..=2,
        keys: 2..=2,
        properties: vec![property],
        ..Request::default()
    };
    let answer = check(model, &request, &budget(Some(Duration::from_secs(60))), &mut Silent);
    let Ok(answer) = answer else { panic!("{}: it cannot be checked", model.name) };
    answer.iter().any(|finding| {
        // The checker alone does not exclude vacuity; the gate does.
        let is_vacuous = matches!(finding.verdict(), Verdict::Unknown(Limit::Vacuous(_)));
        let is_cut = matches!(finding.verdict(), Verdict::Unknown(_)) && !is_vacuous;
        assert!(!is_cut, "{}: `{property}` was not decided", model.name);
        finding.property() == property && matches!(finding.verdict(), Verdict::Violated(_))
    })
}

/// Returns a certificate for each analysis alone, with the alarms that had to be ignored. An analysis without
/// a certificate is left out.
fn forged(program: &Program, say: &dyn Fn(&mut Rest)) -> Vec<(Certificate, Vec<AlarmKind>)> {
    let analyses = [Analysis::Conformance, Analysis::Memory, Analysis::Assertions];
    analyses.into_iter().filter_map(|analysis| forged_answer(program, say, analysis)).collect()
}

fn forged_answer(
    program: &Program,
    say: &dyn Fn(&mut Rest),
    analysis: Analysis,
) -> Option<(Certificate, Vec<AlarmKind>)> {
    let mut ignored: Vec<AlarmKind> = Vec::new();
    loop {
        let prover = PairsProver::new(program).ok()?.ignoring(ignored.clone()).editing_rests(say);
        let mut meter = BudgetMeter::start(budget(Some(Duration::from_secs(20))));
        match prover.prove(analysis, &mut meter, &mut Silent) {
            Ok(found) => return Some((prover.certificate(vec![found]), ignored)),
            Err(Failure::Alarm(trace)) if !ignored.contains(&trace.alarm.kind) => {
                ignored.push(trace.alarm.kind.clone());
            }
            Err(_) => return None,
        }
    }
}

/// One way to cheat with rests.
type Lie = (&'static str, fn(&mut Rest, &mut Rng));

const LIES: [Lie; 6] = [
    ("with true rests", |_, _| {}),
    ("with results of nothing", |rest, _| rest.returned = Returned::Nothing),
    ("with results that are unclear", |rest, _| rest.returned = Returned::Unclear),
    ("with results of none", |rest, _| rest.returned = Returned::None),
    ("without a slot", |rest, rng| {
        if !rest.slots.is_empty() {
            rest.slots.remove(rng.usize(..rest.slots.len()));
        }
    }),
    ("with ages from elsewhere", |rest, rng| {
        for slot in &mut rest.slots {
            if slot.origin.is_some() {
                slot.origin = Some(AgeOrigin::Shared(rng.usize(..4)));
            }
        }
    }),
];

fn program(model: &Text) -> std::sync::Arc<Program> {
    model.compile(&Setting::default()).unwrap_or_else(|_| panic!("{} has errors", model.name)).program
}

#[test]
fn wrong_objects_are_wrong_in_the_stated_way() {
    for wrong in WRONG {
        let model = Text::new(wrong.name, wrong.text);
        if wrong.violates != "points" {
            let property = wrong.violates.parse().expect("a property");
            assert!(is_violated(&model, property), "{} does not violate {property}", wrong.name);
        }
    }
}

#[test]
fn forged_certificates_of_wrong_objects_prove_nothing_false() {
    let mut tally = Tally::default();
    let mut cheated = 0;
    for wrong in WRONG {
        let model = Text::new(wrong.name, wrong.text);
        let program = program(&model);
        for (how, lie) in LIES {
            let seed = std::cell::Cell::new(7_u64);
            let say = |rest: &mut Rest| {
                seed.set(seed.get() + 1);
                lie(rest, &mut Rng::with_seed(seed.get()));
            };
            for (certificate, ignored) in forged(&program, &say) {
                cheated += usize::from(!ignored.is_empty());
                tally.judge(&model, &program, &certificate, how);
            }
        }
    }
    eprintln!("forged: {} tried, {} refused, {} harmless", tally.tried, tally.refused, tally.harmless);
    assert!(tally.lies.is_empty(), "{}", tally.lies.join("\n"));
    assert!(cheated * 3 > tally.tried, "the prover cheated in {cheated} of {} only", tally.tried);
}

#[test]
fn changed_certificates_of_right_objects_prove_nothing_false() {
    let mut rng = Rng::with_seed(3);
    let mut tally = Tally::default();
    for name in RIGHT {
        let model = Text::of_catalogue(name);
        let program = program(&model);
        let answers = forged(&program, &|_| {});
        assert!(
            answers.len() == 3 && answers.iter().all(|(_, ignored)| ignored.is_empty()),
            "`{name}` is proved"
        );
        let mut certificate = answers[0].0.clone();
        certificate.invariants.extend(answers[1..].iter().flat_map(|(answer, _)| answer.invariants.clone()));
        for _ in 0..30 {
            let mut changed = certificate.clone();
            let how = change(&mut changed, &mut rng);
            tally.tried += 1;
            // The object is right, so every accepted claim is true. The test is that few are accepted.
            tally.refused += usize::from(checked(&program, &changed, &|| true).is_err());
            let _ = how;
        }
    }
    eprintln!("changed: {} tried, {} refused", tally.tried, tally.refused);
    assert!(tally.refused * 10 >= tally.tried * 7, "{tally:?}");
}

/// Changes one thing.
fn change(certificate: &mut Certificate, rng: &mut Rng) -> &'static str {
    let at = rng.usize(..certificate.invariants.len());
    let invariant = &mut certificate.invariants[at];
    match rng.u8(..6) {
        0 => {
            let view = rng.usize(..invariant.views.len());
            invariant.views.remove(view);
            "without a view"
        }
        1 => {
            let shared = rng.usize(..invariant.shared.len());
            invariant.shared[shared].location ^= 1;
            "an observer elsewhere"
        }
        2 => {
            let local = rng.usize(..invariant.locals.len());
            let slots = &mut invariant.locals[local].slots;
            if let Some(slot) = slots.iter_mut().find(|slot| **slot != Symbol::Unknown) {
                *slot = Symbol::Null;
            }
            "another value"
        }
        3 => {
            let local = rng.usize(..invariant.locals.len());
            invariant.locals[local].holds ^= 1;
            "another lock"
        }
        4 => {
            let rest = rng.usize(..certificate.rests.len());
            certificate.rests[rest].slots.pop();
            "without a slot"
        }
        _ => {
            let view = rng.usize(..invariant.views.len());
            if let Some(set) = invariant.views[view].shape.iter_mut().find(|set| set.count_ones() > 1) {
                *set &= *set - 1;
            }
            "a tighter shape"
        }
    }
}

/// The reason for which the checker refuses the certificate that a prover without obligations finds for a
/// wrong object.
fn refusal(name: &str, analysis: Analysis) -> Option<String> {
    let wrong = WRONG.iter().find(|wrong| wrong.name == name).expect("a wrong object");
    let program = program(&Text::new(wrong.name, wrong.text));
    let (certificate, _) = forged_answer(&program, &|_| {}, analysis)?;
    checked(&program, &certificate, &|| true).err().map(|error| error.to_string())
}

/// Each obligation of the checker by itself refuses a certificate: without the obligation the reason would be
/// another one.
#[test]
fn each_obligation_is_the_reason_of_a_refusal() {
    use Analysis::{Assertions, Conformance, Memory};
    for (name, analysis, reason) in [
        ("stack_as_queue", Conformance, "the observer `fifo` may accept"),
        ("second_point", Conformance, "a call may take effect twice"),
        ("no_point", Conformance, "a call may return without having taken effect"),
        ("tentative_too_early", Conformance, "an observer may accept at a tentative point"),
        ("reads_what_it_freed", Conformance, "a call may return another result than its point predicts"),
        ("keeps_the_lock", Conformance, "a call may return with a lock"),
        ("locks_crosswise", Conformance, "threads may wait for each other's locks"),
        ("never_ends", Conformance, "local work may not end"),
        ("no_null_check", Memory, "the pointer may be null"),
        ("reads_what_it_freed", Memory, "the cell may be free"),
        ("frees_a_private_cell_twice", Memory, "the cell may be free already"),
        ("drops_a_private_cell", Memory, "a cell may be lost"),
        ("returns_the_undefined", Memory, "the result may be undefined"),
        ("copies_the_undefined", Memory, "an undefined value may be stored in a cell"),
        ("compares_an_undefined_key", Memory, "the key of a cell may be undefined"),
        ("failing_assertion", Assertions, "the assertion may fail"),
        ("index_out_of_bounds", Assertions, "the index may be out of bounds"),
        ("leaves_its_range", Assertions, "a value may leave its range"),
        ("unlocks_twice", Assertions, "the thread may not hold the lock"),
    ] {
        assert_eq!(refusal(name, analysis).as_deref(), Some(reason), "{name}, {analysis:?}");
    }
}

/// A stack whose cells have labels in no order.
const LABELLED: &str = "
    object O: Stack;
    struct Node { val: data, tag: bool, next: *Node }
    shared head: *Node; shared guard: lock;
    op push(v: data) {
        let tag = choose bool;
        let n = new Node { val: v, tag };
        guard.lock(); lin; n.next = head; head = n; guard.unlock();
    }
    op pop() -> data? {
        guard.lock(); lin; defer guard.unlock();
        let top = head;
        if top == null { return none; }
        head = top.next;
        return top.val;
    }";

/// A certificate of a right object that claims more than is true, or less than it must.
#[test]
fn false_claims_of_a_right_object_are_the_reason_of_a_refusal() {
    let program = program(&Text::new("labelled", LABELLED));
    let (certificate, ignored) =
        forged_answer(&program, &|_| {}, Analysis::Conformance).expect("a certificate");
    assert!(ignored.is_empty() && checked(&program, &certificate, &|| true).is_ok());
    let refused = |certificate: &Certificate| checked(&program, certificate, &|| true).err();
    let mut ordered = certificate.clone();
    ordered.invariants.iter_mut().for_each(|invariant| invariant.ordered = true);
    let reason = refused(&ordered).map(|error| error.to_string());
    assert_eq!(reason.as_deref(), Some("the order of the cells may be lost"));
    let mut silent = certificate.clone();
    silent.rests.iter_mut().for_each(|rest| rest.returned = Returned::Nothing);
    let reason = refused(&silent).map(|error| error.to_string());
    assert_eq!(reason.as_deref(), Some("a rest predicts no result for an operation with a result"));
}
