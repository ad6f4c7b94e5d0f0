//! Specifications: initial states, outcomes, faults.

use crate::steps_and_laws::support::*;
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::OpId;
use linchpin_ir::types::{NONE, Word};
use linchpin_semantics::*;

/// Returns an object that does nothing, with a specification.
fn spec(name: &str, definition: &str, ops: &str) -> SpecMachine {
    let text = format!("object O: {name};\n{definition}\n{ops}");
    SpecMachine::new(&program(&text, &Setting::default()), &Bounds::default()).expect("a specification")
}

fn call(op: usize, args: &[Word], thread: usize) -> Participant<'_> {
    Participant { op: OpId::new(op), args, thread: ThreadId::new(thread) }
}

/// Returns each outcome as text: the state, the results.
fn ways(
    spec: &SpecMachine,
    state: &SpecState,
    participants: &[Participant],
) -> Vec<(String, Vec<Option<Vec<Word>>>)> {
    let show = |outcome: SpecOutcome| {
        let values: Vec<String> =
            spec.values(&outcome.state).iter().map(|(_, value)| value.to_string()).collect();
        let results =
            outcome.results.iter().map(|result| result.as_ref().map(|words| words.to_vec())).collect();
        (values.join(", "), results)
    };
    spec.outcomes(state, participants).expect("no error").into_iter().map(show).collect()
}

fn first(spec: &SpecMachine) -> SpecState {
    let states = spec.initial().expect("no error");
    assert_eq!(states.len(), 1);
    states[0].clone()
}

fn then(spec: &SpecMachine, state: &SpecState, participant: Participant) -> SpecState {
    let mut all = spec.outcomes(state, &[participant]).expect("no error");
    assert_eq!(all.len(), 1);
    all.remove(0).state
}

#[test]
fn a_queue() {
    let queue = spec(
        "Queue",
        "",
        "shared n: int; op enq(v: data) { n = 0; } op deq() -> data? { n = 0; return none; }",
    );
    let state = first(&queue);
    assert_eq!(ways(&queue, &state, &[call(1, &[], 0)]), [("[]".into(), vec![Some(vec![NONE])])]);
    let state = then(&queue, &then(&queue, &state, call(0, &[1], 0)), call(0, &[2], 1));
    assert_eq!(ways(&queue, &state, &[call(1, &[], 0)]), [("[2]".into(), vec![Some(vec![1])])]);
    let other = then(&queue, &then(&queue, &state, call(1, &[], 0)), call(1, &[], 0));
    assert_eq!(other, first(&queue), "equal states are equal words");
    assert!(ways(&queue, &state, &[call(0, &[1], 0), call(1, &[], 1)]).is_empty(), "no rendezvous");
}

/// A runner keeps a state between questions. Its answers do not depend on the questions before.
#[test]
fn a_runner_answers_as_the_machine_does() {
    let pqueue = spec(
        "PQueue<0..2>",
        "",
        "shared n: int; op add(item: data, priority: 0..2) { n = 0; } op remove_min() -> data? { n = 0; return none; }",
    );
    let mut states = vec![first(&pqueue)];
    for (item, priority) in [(1, 1), (2, 0), (1, 0), (2, 0)] {
        let after = then(&pqueue, &states[states.len() - 1], call(0, &[item, priority], 0));
        states.push(after);
    }
    let mut runner = SpecRunner::new(&pqueue);
    let (put, take) = (call(0, &[1, 1], 0), call(1, &[], 0));
    for (one, other) in states.iter().flat_map(|one| states.iter().map(move |other| (one, other))) {
        for (state, participant) in [(one, take), (one, put), (other, take), (other, put), (one, take)] {
            let all = pqueue.outcomes(state, &[participant]).expect("no error");
            assert_eq!(runner.outcomes(state, &[participant], &mut |_| true), Ok(all.clone()));
            let is_one = |results: &Results| results[0].as_deref() == Some(&[1][..]);
            let ones: Vec<SpecOutcome> = all.into_iter().filter(|outcome| is_one(&outcome.results)).collect();
            assert_eq!(runner.outcomes(state, &[participant], &mut |results| is_one(results)), Ok(ones));
        }
    }
}

#[test]
fn when_and_several_clauses() {
    let bounded = spec(
        "B",
        "spec B { state n: int; op inc() when n < 1 { n += 1; } op inc() when n > 5 { n = 0; } op dec() when n > 0 { n -= 1; } }",
        "shared m: int; op inc() { m = 0; } op dec() { m = 0; }",
    );
    let state = first(&bounded);
    assert!(ways(&bounded, &state, &[call(1, &[], 0)]).is_empty());
    let state = then(&bounded, &state, call(0, &[], 0));
    assert!(ways(&bounded, &state, &[call(0, &[], 0)]).is_empty());
    assert_eq!(ways(&bounded, &state, &[call(1, &[], 0)]), [("0".into(), vec![None])]);
}

#[test]
fn every_candidate_is_allowed() {
    let pqueue = spec(
        "PQueue<0..2>",
        "",
        "shared n: int; op add(item: data, priority: 0..2) { n = 0; } op remove_min() -> data? { n = 0; return none; }",
    );
    let mut state = first(&pqueue);
    for (item, priority) in [(1, 1), (2, 0), (1, 0), (2, 0)] {
        state = then(&pqueue, &state, call(0, &[item, priority], 0));
    }
    let results: Vec<_> =
        ways(&pqueue, &state, &[call(1, &[], 0)]).into_iter().map(|(_, results)| results).collect();
    assert_eq!(results.len(), 2, "either of the least, each once");
    assert!(results.contains(&vec![Some(vec![1])]) && results.contains(&vec![Some(vec![2])]));
}

#[test]
fn a_rendezvous_in_either_order() {
    let exchange = spec(
        "SynchronousQueue",
        "",
        "shared n: int; op enq(v: data) { n = 0; } op deq() -> data { loop { n = 0; } }",
    );
    let state = first(&exchange);
    assert!(ways(&exchange, &state, &[call(0, &[1], 0)]).is_empty(), "not alone");
    assert_eq!(
        ways(&exchange, &state, &[call(0, &[2], 0), call(1, &[], 1)]),
        [("".into(), vec![None, Some(vec![2])])]
    );
    assert_eq!(
        ways(&exchange, &state, &[call(1, &[], 1), call(0, &[2], 0)]),
        [("".into(), vec![Some(vec![2]), None])]
    );
    assert!(ways(&exchange, &state, &[call(0, &[2], 0), call(0, &[1], 1)]).is_empty());
}

#[test]
fn an_error_in_a_specification_is_told() {
    let broken =
        spec("E", "spec E { state n: 0..2; op f() { n += 1; } }", "shared m: int; op f() { m = 0; }");
    let state = then(&broken, &first(&broken), call(0, &[], 0));
    match broken.outcomes(&state, &[call(0, &[], 0)]) {
        Err(SpecError::Fault(fault)) => {
            assert_eq!(fault.message, "`n + 1` is 2, which is not in 0..=1");
            assert_eq!(fault.site, Site::Clause(0));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn sets_are_equal_whatever_the_order() {
    let set = spec(
        "Set<data>",
        "",
        "shared n: int; op add(x: data) -> bool { n = 0; return true; } op remove(x: data) -> bool { n = 0; return true; }
         op contains(x: data) -> bool { n = 0; return true; }",
    );
    let state = first(&set);
    let one_two = then(&set, &then(&set, &state, call(0, &[1], 0)), call(0, &[2], 0));
    let two_one = then(&set, &then(&set, &state, call(0, &[2], 0)), call(0, &[1], 0));
    assert_eq!(one_two, two_one);
    assert_eq!(ways(&set, &one_two, &[call(0, &[1], 0)]), [("{1, 2}".into(), vec![Some(vec![0])])]);
}
