//! Verdicts, explanations and limits on small histories.

use crate::objects::{Object, Op};
use linchpin_order::stop::{Cause, Stop};
use linchpin_order::{
    Broken, Budget, CallId, Consistency, Ending, Explanation, History, Limit, Outcome, OutcomesOf,
    Specification, Strategy, Verdict, Witness, check, examine, linearizable,
};

fn stuck(object: Object, history: &History<Op, Option<u8>>) -> Verdict<Vec<u8>, Option<u8>> {
    check(&object, history, Consistency::Linearizable, Ending::Stuck, Budget::default())
}

/// A take that waits on an empty queue may wait for ever; one that waits although there is a value may not.
#[test]
fn a_stuck_call_needs_a_justification() {
    let empty = History::builder().call(0, Op::Take(0)).build().expect("well-formed");
    let Verdict::Legal(Witness::Stuck(justifications)) = stuck(Object::BlockingQueue, &empty) else {
        panic!("the queue is empty");
    };
    assert_eq!((justifications.len(), justifications[0].call), (1, CallId::new(0)));
    let full = History::builder().call(0, Op::Put(7)).ret(0, None).call(1, Op::Take(0)).build();
    let full = full.expect("well-formed");
    let Verdict::Illegal(Explanation::Unjustified { call, ends, omitted }) =
        stuck(Object::BlockingQueue, &full)
    else {
        panic!("a value is there");
    };
    assert_eq!((call, omitted), (CallId::new(1), 0));
    assert_eq!(ends[0].results, [Some(7)]);
    assert!(linearizable(&Object::BlockingQueue, &full).is_legal(), "the take may still return");
}

/// A call of a rendezvous that returned needs a partner, and two waiting partners justify neither.
#[test]
fn a_rendezvous_needs_a_partner() {
    let alone = History::builder().call(0, Op::Put(1)).ret(0, None).call(1, Op::Take(0)).build();
    let verdict = linearizable(&Object::Rendezvous, &alone.expect("well-formed"));
    let Verdict::Illegal(Explanation::NoOrder { dead_ends, .. }) = verdict else {
        panic!("the take begins too late");
    };
    assert_eq!(dead_ends[0].ways[0].broken, Broken::NoPartner);
    let both = History::builder().call(0, Op::Put(1)).call(1, Op::Take(0));
    assert!(stuck(Object::Rendezvous, &both.clone().build().expect("well-formed")).is_illegal());
    let met = both.ret(1, Some(1)).ret(0, None).build().expect("well-formed");
    let Verdict::Legal(Witness::Order(order)) = linearizable(&Object::Rendezvous, &met) else {
        panic!("the two calls overlap");
    };
    assert_eq!(order.effects.len(), 1);
}

/// The three weaker properties allow what linearizability forbids.
#[test]
fn properties_differ() {
    let late = History::builder().call(0, Op::Put(1)).ret(0, None).call(1, Op::Look(0)).ret(1, None).build();
    let late = late.expect("well-formed");
    let holds = |consistency| {
        check(&Object::Register, &late, consistency, Ending::Open, Budget::default()).is_legal()
    };
    assert!(!holds(Consistency::Linearizable) && !holds(Consistency::Quiescent));
    assert!(holds(Consistency::Sequential), "the two threads are independent");
}

#[test]
fn a_budget_and_a_request_end_the_search() {
    let mut builder = History::builder();
    for thread in 0..8 {
        builder = builder.call(thread, Op::Put(1));
    }
    for thread in 0..8 {
        builder = builder.ret(thread, None);
    }
    let history = builder.build().expect("well-formed");
    let few = Budget { configurations: 3, stop: None };
    let verdict = check(&Object::Queue, &history, Consistency::Linearizable, Ending::Open, few);
    assert!(matches!(verdict, Verdict::Unknown(out) if out.limit == Limit::Configurations), "{verdict:?}");
    let stop = Stop::default();
    stop.ask(Cause::Interrupted);
    let stopped = Budget { stop: Some(&stop), ..Budget::default() };
    let verdict = check(&Object::Queue, &history, Consistency::Linearizable, Ending::Open, stopped);
    assert!(matches!(verdict, Verdict::Unknown(out) if out.limit == Limit::Stopped), "{verdict:?}");
}

/// A counter that fails beyond its bound.
struct Bounded;

impl Specification for Bounded {
    type State = u8;
    type Op = ();
    type Ret = u8;
    type Error = &'static str;

    fn initial(&self) -> Result<Vec<u8>, &'static str> {
        Ok(vec![0])
    }

    fn outcomes(&self, state: &u8, _ops: &[&()]) -> OutcomesOf<Bounded> {
        if *state == 2 {
            return Err("beyond 2");
        }
        Ok(vec![Outcome { state: state + 1, results: vec![state + 1] }])
    }

    fn fits(&self, _op: &(), given: &u8, returned: &u8) -> bool {
        *returned == 0 || given == returned
    }
}

/// An error of the specification is passed on; a result that the specification does not know fits any
/// outcome.
#[test]
fn errors_of_the_specification_are_passed_on() {
    let run = |results: &[u8]| {
        let builder = results.iter().fold(History::builder(), |b, &result| b.call(0, ()).ret(0, result));
        let history = builder.build().expect("well-formed");
        let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
        examine(&Bounded, &history, consistency, ending, Strategy::Whole, Budget::default())
            .map(|answer| (answer.verdict.is_legal(), answer.configurations))
    };
    assert_eq!(run(&[1, 2]), Ok((true, 3)));
    assert_eq!(run(&[0, 2]), Ok((true, 3)));
    assert_eq!(run(&[2, 2]), Ok((false, 1)));
    assert_eq!(run(&[1, 2, 3]), Err("beyond 2"));
}
