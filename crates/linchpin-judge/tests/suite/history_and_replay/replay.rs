//! Replay: a trace that shows its claim is confirmed. Every other trace is refused with the reason.

use crate::history_and_replay::support::naive;
use crate::history_and_replay::support::program;
use crate::history_and_replay::support::sequential::Sequential;
use crate::history_and_replay::support::subject::{Subject, call, planned, step, wait};
use linchpin_ir::index::Index;
use linchpin_ir::property::Property::*;
use linchpin_judge::history::{Consistency, Ending, Explanation, PointError};
use linchpin_judge::replay::{ClaimNotShown, InvalidChoice, ReplayError, fingerprint, replay};
use linchpin_judge::replay::{Counterexample, Evidence, Observation, PointsRefuted};
use linchpin_judge::trace::{Action, Choice, Claim, Fingerprint, Trace, TraceClient};
use linchpin_semantics::{Blocked, Bounds, FaultKind, ThreadId};

/// Between looking and taking another thread may take the same element. A constant, only to be told apart.
const RACY: &str = "object Racy: Queue;
    const SPARE = 3;
    shared items: seq<data>;
    op enq(v: data) { items.push_back(v); lin; }
    op deq() -> data? {
        let empty = items.is_empty();
        lin if empty;
        if empty { return none; }
        let v = items[0];
        items.pop_front();
        lin;
        return v;
    }";

/// Two locks, taken in both orders.
const CROSSED: &str = "object Crossed: Register<0..=1>(0);
    shared a: lock;
    shared b: lock;
    shared value: 0..=1;
    op write(v: 0..=1) { a.lock(); b.lock(); value = v; b.unlock(); a.unlock(); }
    op read() -> 0..=1 { b.lock(); a.lock(); let v = value; a.unlock(); b.unlock(); return v; }";

/// Blocks exactly where its specification does.
const BLOCKING: &str = "object Blocking: BoundedQueue(1);
    shared items: seq<data>;
    op enq(v: data) { atomic { await items.is_empty(); items.push_back(v); } lin; }
    op deq() -> data { let v: data; atomic { await !items.is_empty(); v = items.pop_front(); } lin; return v; }";

/// `deq` spins on a flag that no operation sets.
const SPINNING: &str = "object Spinning: BoundedQueue(2);
    shared items: seq<data>;
    shared ready: bool;
    op enq(v: data) { ready = false; items.push_back(v); }
    op deq() -> data { while !ready {} return items.pop_front(); }";

/// Each thread has a register of its own.
const REPLICAS: &str = "object Replicas: Register<0..=1>(0);
    shared other: bool;
    local mine: 0..=1;
    op write(v: 0..=1) { other = true; mine = v; }
    op read() -> 0..=1 { other = false; return mine; }";

/// A lock made of a flag.
const FLAG: &str = "object Flag: Register<0..=1>(0);
    shared busy: bool;
    shared value: 0..=1;
    op write(v: 0..=1) { while !cas(busy, false, true) {} value = v; busy = false; }
    op read() -> 0..=1 { return value; }";

fn small() -> Bounds {
    Bounds { threads: 2, nodes: 2, values: 2, ..Bounds::default() }
}

fn violates(property: linchpin_ir::property::Property) -> Claim {
    Claim::Violates(property)
}

fn refusal(result: Result<Counterexample, ReplayError>) -> ReplayError {
    match result {
        Err(refused) => refused,
        Ok(found) => panic!("{:?}", found.evidence()),
    }
}

fn not_shown(result: Result<Counterexample, ReplayError>) -> ClaimNotShown {
    match refusal(result) {
        ReplayError::ClaimNotShown(why) => why,
        other => panic!("{other}"),
    }
}

/// Two threads take the same element.
fn same_element_twice() -> Vec<Choice> {
    let mut choices =
        vec![call(0, "enq", &[1]), call(0, "enq", &[2]), call(0, "deq", &[]), call(1, "deq", &[])];
    choices.extend([step(0), step(1), step(0), step(1)]);
    choices
}

#[test]
fn a_history_without_a_legal_order() {
    let subject = Subject::new(RACY, small());
    let found = subject.replay(violates(Linearizable), same_element_twice()).expect("1 is taken twice");
    let Evidence::Inconsistent(inconsistency) = found.evidence() else { panic!("{:?}", found.evidence()) };
    assert_eq!((inconsistency.consistency, inconsistency.ending), (Consistency::Linearizable, Ending::Open));
    assert!(
        matches!(&inconsistency.explanation, Explanation::NoOrder { dead_ends, .. } if !dead_ends.is_empty())
    );
    assert_eq!(found.history().calls().len(), 4);
    assert_eq!(found.moments().len(), 8);
    // What a printer needs: places and values of accesses, calls, points, results, the states between.
    let last = found.moments().last().expect("a last moment");
    let shown: Vec<String> = last.observations.iter().map(|seen| format!("{seen:?}")).collect();
    assert!(
        matches!(&last.observations[0], Observation::Access(access) if access.place == "items"),
        "{shown:?}"
    );
    assert!(matches!(last.observations[1], Observation::Lin { maybe: false, .. }), "{shown:?}");
    assert!(
        matches!(&last.observations[2], Observation::Return { result, .. } if *result == [1]),
        "{shown:?}"
    );
    assert!(found.moments().iter().all(|moment| moment.after.is_some()));
    let items = linchpin_ir::program::GlobalId::new(0);
    let after = last.after.as_ref().expect("a state");
    assert_eq!(found.machine().global(after, items).to_string(), "[]");
    assert_eq!(found.trace().choices, same_element_twice());
}

#[test]
fn a_prefix_that_shows_nothing_yet() {
    let subject = Subject::new(RACY, small());
    let mut choices = same_element_twice();
    choices.pop();
    let why = not_shown(subject.replay(violates(Linearizable), choices));
    assert!(matches!(why, ClaimNotShown::Legal(_)), "{why}");
}

#[test]
fn random_executions_are_confirmed_too() {
    let subject = Subject::new(RACY, small());
    let found = subject.find(violates(Linearizable), 20);
    assert!(matches!(found.evidence(), Evidence::Inconsistent(_)));
    let found = subject.find(violates(Assertions), 20);
    let Evidence::Fault(fault) = found.evidence() else { panic!("{:?}", found.evidence()) };
    assert!(matches!(fault.kind, FaultKind::Index { .. } | FaultKind::Empty), "{fault:?}");
    assert!(found.moments().last().is_some_and(|last| last.after.is_none()));
    // An error is one of its own kind, and of no other.
    let why = not_shown(subject.replay(violates(MemorySafe), found.trace().choices.clone()));
    assert!(matches!(why, ClaimNotShown::OtherEnd), "{why}");
    let why = not_shown(subject.replay(violates(Linearizable), found.trace().choices.clone()));
    assert!(matches!(why, ClaimNotShown::OtherEnd), "{why}");
    let why = not_shown(subject.replay(violates(MemorySafe), same_element_twice()));
    assert!(matches!(why, ClaimNotShown::NoFault), "{why}");
}

#[test]
fn what_was_altered_is_refused() {
    let subject = Subject::new(RACY, small());
    let original = subject.trace(violates(Linearizable), same_element_twice());
    assert!(replay(&subject.program, &original).is_ok());
    let altered = |change: &dyn Fn(&mut Trace)| {
        let mut trace = original.clone();
        change(&mut trace);
        refusal(replay(&subject.program, &trace)).to_string()
    };
    for (change, expected) in [
        (
            &(|trace: &mut Trace| trace.instance.model = "Other".into()) as &dyn Fn(&mut Trace),
            "the trace is of object `Other`, not of `Racy`",
        ),
        (
            &|trace| trace.instance.constants[0].1 = 4,
            "constant `SPARE` is 4 in the trace and 3 in the program",
        ),
        (
            &|trace| trace.instance.constants.clear(),
            "the program has constant `SPARE`, but the trace does not set it",
        ),
        (
            &|trace| trace.instance.constants.push(("MORE".into(), 1)),
            "the trace sets constant `MORE`, but the program has no such constant",
        ),
        (
            &|trace| trace.instance.fingerprint = Fingerprint(7),
            "the model has changed since the trace was made",
        ),
        (
            &|trace| trace.initial = vec![0],
            "the initial state is invalid: the step needs different nondeterministic choices",
        ),
        (&|trace| trace.choices[0].thread = ThreadId::new(5), "choice 1 is invalid: there is no such thread"),
        (
            &|trace| trace.choices[0].action = Action::Call(planned("enq", &[3])),
            "choice 1 is invalid: the client does not make this call here",
        ),
        (
            &|trace| trace.choices[0].action = Action::Call(planned("push", &[1])),
            "choice 1 is invalid: the client does not make this call here",
        ),
        (
            &|trace| trace.choices[0].action = Action::Step,
            "choice 1 is invalid: the thread has no pending call",
        ),
        (
            &|trace| trace.choices[4].action = Action::Call(planned("enq", &[1])),
            "choice 5 is invalid: the thread makes a call while its last call is pending",
        ),
        (
            &|trace| trace.choices[4].action = Action::Wait,
            "choice 5 is invalid: the thread waits in the trace, but it can move",
        ),
        (
            &|trace| trace.choices[5].picks = vec![1],
            "choice 6 is invalid: the step needs different nondeterministic choices",
        ),
        (&|trace| trace.claim = violates(DeadlockFree), "the execution does not show the claim: "),
        (
            &|trace| trace.claim = violates(Assertions),
            "the execution does not show the claim: the execution has no fault",
        ),
        (
            &|trace| trace.claim = violates(WaitFree),
            "the execution does not show the claim: the claim needs a cycle",
        ),
        (
            &|trace| trace.instance.bounds.values = 1,
            "choice 2 is invalid: the client does not make this call",
        ),
        (&|trace| trace.choices.truncate(6), "the execution does not show the claim: the history is legal"),
    ] {
        let said = altered(change);
        assert!(said.starts_with(expected), "{said}");
    }
    let schedule = TraceClient::Schedule { prefix: vec![], threads: vec![vec![planned("enq", &[])], vec![]] };
    let said = altered(&|trace| trace.instance.client = schedule.clone());
    assert_eq!(
        said,
        "the schedule of the trace does not fit the program: it calls `enq` with invalid arguments"
    );
    let schedule = TraceClient::Schedule { prefix: vec![], threads: vec![vec![]] };
    let said = altered(&|trace| trace.instance.client = schedule.clone());
    assert_eq!(
        said,
        "the schedule of the trace does not fit the program: it has 1 threads, but the instance has 2"
    );
}

/// No change of the choices gives a wrong counterexample: every accepted trace is judged again.
#[test]
fn random_alterations_are_refused_or_judged_anew() {
    let subject = Subject::new(RACY, small());
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut choices = same_element_twice();
        for _ in 0..rng.usize(1..4) {
            let (a, b) = (rng.usize(..choices.len()), rng.usize(..choices.len()));
            match rng.u32(..3) {
                0 => choices.swap(a, b),
                1 => choices[a].thread = choices[b].thread,
                _ => choices[a].action = choices[b].action.clone(),
            }
        }
        match subject.replay(violates(Linearizable), choices) {
            Err(_) => refused += 1,
            Ok(found) => {
                accepted += 1;
                let (history, open) = (found.history(), Ending::Open);
                let is_legal = naive::is_legal(Sequential::Queue, history, Consistency::Linearizable, open);
                assert!(!is_legal, "{seed}: {history:?}");
            }
        }
    }
    assert!(refused > 100 && accepted > 10, "{refused} {accepted}");
}

#[test]
fn a_changed_model_has_another_fingerprint() {
    let original = fingerprint(&program(RACY));
    assert_eq!(original, fingerprint(&program(&format!("// A comment, and\n\n// lines.\n{RACY}"))));
    assert_eq!(original.to_string().parse(), Ok(original));
    for (from, to) in [
        ("items[0]", "items[1]"),
        ("SPARE = 3", "SPARE = 4"),
        ("if empty { return none; }", "if !empty { return none; }"),
        ("lin if empty;", ""),
        ("Racy", "Race"),
        ("items.pop_front();", ""),
        ("data?", "data ?"),
    ] {
        let changed = RACY.replace(from, to);
        assert_ne!(changed, RACY);
        assert_eq!(fingerprint(&program(&changed)) == original, from == "data?", "{from}");
    }
}

#[test]
fn a_deadlock_and_who_waits_for_whom() {
    let subject = Subject::new(CROSSED, small());
    let choices = vec![call(0, "write", &[1]), step(0), call(1, "read", &[]), step(1)];
    let found =
        subject.replay(violates(DeadlockFree), choices.clone()).expect("each holds what the other wants");
    let Evidence::Deadlock(deadlock) = found.evidence() else { panic!("{:?}", found.evidence()) };
    let texts: Vec<&str> = deadlock.threads.iter().map(|thread| &*thread.text).collect();
    assert_eq!(texts, ["waits for `b`, which t1 holds", "waits for `a`, which t0 holds"]);
    let holder = |at: usize| match deadlock.threads[at].waits_for {
        Some(Blocked::Lock { holder, .. }) => holder,
        _ => None,
    };
    assert_eq!((holder(0), holder(1)), (Some(ThreadId::new(1)), Some(ThreadId::new(0))));
    assert!(matches!(deadlock.explanation, Explanation::Unjustified { .. }));
    let why = not_shown(subject.replay(violates(DeadlockFree), choices[..3].to_vec()));
    assert!(matches!(why, ClaimNotShown::NotStuck), "{why}");
    // Consistency properties judge stuck executions in the same way.
    let found = subject.replay(violates(Linearizable), choices).expect("the calls could have happened");
    assert!(matches!(found.evidence(), Evidence::Inconsistent(i) if i.ending == Ending::Stuck));
}

#[test]
fn a_call_that_may_wait_is_no_deadlock() {
    let alone = Bounds { threads: 1, ..small() };
    let subject = Subject::new(BLOCKING, alone);
    let empty = vec![call(0, "deq", &[])];
    let why = not_shown(subject.replay(violates(DeadlockFree), empty.clone()));
    assert!(matches!(why, ClaimNotShown::Justified(_)), "{why}");
    let why = not_shown(subject.replay(violates(Linearizable), empty.clone()));
    assert!(matches!(why, ClaimNotShown::Legal(_)), "{why}");
    let why = not_shown(subject.replay(Claim::RefutesPoints, empty));
    assert!(matches!(why, ClaimNotShown::PointsHold), "{why}");
}

/// Spinning for ever is as stuck as waiting.
#[test]
fn a_deadlock_of_spinning_threads() {
    let subject = Subject::new(SPINNING, Bounds { threads: 1, ..small() });
    let full = vec![call(0, "enq", &[1]), step(0), call(0, "deq", &[])];
    let found = subject.replay(violates(DeadlockFree), full).expect("1 is there and never taken");
    let Evidence::Deadlock(deadlock) = found.evidence() else { panic!("{:?}", found.evidence()) };
    assert_eq!(deadlock.threads.len(), 1);
    assert_eq!(deadlock.threads[0].waits_for, None);
    let why = not_shown(subject.replay(violates(DeadlockFree), vec![call(0, "deq", &[])]));
    assert!(matches!(why, ClaimNotShown::Justified(_)), "{why}");
    // Another thread may go on and on: too many states to see that this call never completes.
    let subject = Subject::new(SPINNING, small());
    let why = not_shown(
        subject.replay(violates(DeadlockFree), vec![call(0, "enq", &[1]), step(0), call(0, "deq", &[])]),
    );
    assert!(matches!(why, ClaimNotShown::PerhapsStuck { .. }), "{why}");
}

#[test]
fn memory_errors() {
    let text = "object Faulty: Register<0..=1>(0); memory manual;
        struct Node { value: 0..=1 }
        shared node: *Node;
        op write(v: 0..=1) {
            if v == 0 { node = null; return; }
            let n = new Node {};
            n.value = v;
            let old = node;
            node = n;
            if old != null { free(old); free(old); }
        }
        op read() -> 0..=1 { return node.value; }";
    let subject = Subject::new(text, small());
    let choices = vec![call(0, "read", &[]), step(0)];
    let null = subject.replay(violates(MemorySafe), choices).expect("`node` is null at first");
    assert!(matches!(null.evidence(), Evidence::Fault(fault) if fault.kind == FaultKind::NullAccess));

    let found = subject.find(violates(MemorySafe), 14);
    assert!(matches!(found.evidence(), Evidence::Fault(_) | Evidence::Leak(_)));
    let leaks = (0..400).find_map(|seed| {
        let choices = subject.walk(seed, 10);
        let prefixes = (0..=choices.len()).map(|length| choices[..length].to_vec());
        prefixes
            .filter_map(|prefix| subject.replay(violates(MemorySafe), prefix).ok())
            .find(|found| matches!(found.evidence(), Evidence::Leak(cells) if cells.len() == 1))
    });
    assert!(leaks.is_some(), "writing 0 loses the node");
    let frees = (0..400).find_map(|seed| {
        let found = subject.replay(violates(MemorySafe), subject.walk(seed, 14)).ok()?;
        matches!(found.evidence(), Evidence::Fault(f) if matches!(f.kind, FaultKind::DoubleFree(_)))
            .then_some(())
    });
    assert!(frees.is_some(), "writing 1 twice frees twice");
}

/// The object is right and its annotation is not.
#[test]
fn points_are_refuted_without_the_object() {
    let text = BLOCKING.replace("items.push_back(v); } lin; }", "items.push_back(v); } }");
    assert_ne!(text, BLOCKING);
    let early = "object Early: Queue;
        shared items: seq<data>;
        shared noise: bool;
        op enq(v: data) { noise = true; lin; items.push_back(v); }
        op deq() -> data? { let v: data?; atomic { if !items.is_empty() { v = items.pop_front(); } } lin; return v; }";
    let subject = Subject::new(early, small());
    let choices = vec![call(0, "enq", &[1]), call(1, "deq", &[])];
    let found = subject.replay(Claim::RefutesPoints, choices.clone()).expect("1 is not there yet");
    let Evidence::PointsRefuted(PointsRefuted::Event { moment: 1, refutation }) = found.evidence() else {
        panic!("{:?}", found.evidence())
    };
    assert!(matches!(refutation.reason, PointError::ResultDiffers { .. }), "{refutation:?}");
    let why = not_shown(subject.replay(violates(Linearizable), choices));
    assert!(matches!(why, ClaimNotShown::Legal(_)), "{why}");
    // Where a call has no point it is free.
    let subject = Subject::new(&text, small());
    let why = not_shown(subject.replay(Claim::RefutesPoints, vec![call(0, "enq", &[1]), step(0)]));
    assert!(matches!(why, ClaimNotShown::PointsHold), "{why}");
}

#[test]
fn consistency_at_the_end_of_a_schedule() {
    let subject = Subject::new(REPLICAS, small()).with_schedule(&[&[("write", &[1])], &[("read", &[])]]);
    let choices = vec![call(0, "write", &[1]), call(1, "read", &[])];
    assert!(subject.replay(violates(Linearizable), choices.clone()).is_ok());
    let found = subject.replay(violates(QuiescentlyConsistent), choices.clone()).expect("the write was over");
    assert!(matches!(found.evidence(), Evidence::Inconsistent(i) if i.consistency == Consistency::Quiescent));
    let why = not_shown(subject.replay(violates(SequentiallyConsistent), choices.clone()));
    assert!(matches!(why, ClaimNotShown::Legal(_)), "{why}");
    // Before its end, a schedule says nothing about sequential consistency.
    let why = not_shown(subject.replay(violates(SequentiallyConsistent), choices[..1].to_vec()));
    assert!(matches!(why, ClaimNotShown::NotOver), "{why}");
    // Calls that are not in the schedule, or not yet.
    let refused = refusal(subject.replay(violates(Linearizable), vec![call(0, "read", &[])]));
    assert!(
        matches!(refused, ReplayError::InvalidChoice { choice: Some(0), reason: InvalidChoice::NotCalled }),
        "{refused}"
    );

    // One thread that does not see its own write.
    let forgetful = REPLICAS.replace("mine = v;", "mine = 0;");
    let subject = Subject::new(&forgetful, Bounds { threads: 1, ..small() })
        .with_schedule(&[&[("write", &[1]), ("read", &[])]]);
    let choices = vec![call(0, "write", &[1]), call(0, "read", &[])];
    assert!(subject.replay(violates(SequentiallyConsistent), choices.clone()).is_ok());
    let general = Subject::new(&forgetful, Bounds { threads: 1, ..small() });
    let why = not_shown(general.replay(violates(SequentiallyConsistent), choices));
    assert!(matches!(why, ClaimNotShown::NoEnd), "{why}");
}

#[test]
fn spinning_for_ever() {
    let subject = Subject::new(FLAG, small());
    let stalled = vec![call(0, "write", &[1]), call(1, "write", &[0]), step(1)];
    for property in [LockFree, ObstructionFree, WaitFree, Terminating] {
        let found =
            subject.replay_cycle(violates(property), stalled.clone(), 2).expect("t1 alone never ends");
        let Evidence::Endless(endless) = found.evidence() else { panic!("{:?}", found.evidence()) };
        assert_eq!((endless.property, endless.start), (property, 2));
        assert!(endless.starved.contains(&ThreadId::new(1)));
    }
    let why = not_shown(subject.replay_cycle(violates(StarvationFree), stalled.clone(), 2));
    assert!(matches!(why, ClaimNotShown::CycleIsUnfair), "{why}");
    let why = not_shown(subject.replay_cycle(violates(WaitFree), stalled.clone(), 1));
    assert!(matches!(why, ClaimNotShown::CycleIsOpen), "{why}");
    let why = not_shown(subject.replay_cycle(violates(WaitFree), stalled.clone(), 3));
    assert!(matches!(why, ClaimNotShown::NoCycle), "{why}");
    let why = not_shown(subject.replay_cycle(violates(WaitFree), stalled, 9));
    assert!(matches!(why, ClaimNotShown::NoCycle), "{why}");

    // t0 writes again and again, and t1 always looks at the wrong moment: fair, and yet t1 starves.
    let mut choices = vec![call(0, "write", &[1]), call(1, "write", &[0]), step(0), step(0)];
    choices.extend([call(0, "write", &[1]), step(1), step(0), step(0)]);
    for property in [StarvationFree, WaitFree] {
        let found = subject.replay_cycle(violates(property), choices.clone(), 4).expect("t1 starves");
        let Evidence::Endless(endless) = found.evidence() else { panic!("{:?}", found.evidence()) };
        assert_eq!(endless.starved, [ThreadId::new(1)]);
    }
    for property in [LockFree, ObstructionFree, Terminating] {
        let why = not_shown(subject.replay_cycle(violates(property), choices.clone(), 4));
        assert!(matches!(why, ClaimNotShown::CycleMakesProgress), "{why}");
    }
}

/// A thread that returns and calls again does not starve, though it is busy whenever the cycle begins.
#[test]
fn progress_for_ever() {
    let subject = Subject::new(FLAG, small());
    let round = [call(0, "write", &[1]), step(0), step(0)];
    let choices = [&round[..], &round, &round[..1]].concat();
    for property in [LockFree, ObstructionFree, WaitFree, StarvationFree, Terminating] {
        let why = not_shown(subject.replay_cycle(violates(property), choices.clone(), 4));
        assert!(matches!(why, ClaimNotShown::CycleMakesProgress), "{why}");
    }
}

/// Waiting for a lock is spinning, except for `terminating`.
#[test]
fn waiting_for_ever() {
    let subject = Subject::new(CROSSED, small());
    let choices = vec![call(0, "write", &[1]), step(0), call(1, "write", &[0]), wait(1)];
    for property in [LockFree, ObstructionFree, WaitFree] {
        assert!(subject.replay_cycle(violates(property), choices.clone(), 3).is_ok(), "{property}");
    }
    let why = not_shown(subject.replay_cycle(violates(Terminating), choices.clone(), 3));
    assert!(matches!(why, ClaimNotShown::CycleMakesProgress), "{why}");
    let why = not_shown(subject.replay_cycle(violates(StarvationFree), choices, 3));
    assert!(matches!(why, ClaimNotShown::CycleIsUnfair), "{why}");
    let deadlock = vec![call(0, "write", &[1]), step(0), call(1, "read", &[]), step(1), wait(0)];
    assert!(subject.replay_cycle(violates(StarvationFree), deadlock, 4).is_ok());
}

#[test]
fn recursion_without_end() {
    let text = "object Deep: Register<0..=1>(0);
        shared value: 0..=1;
        fn sink(v: 0..=1) { value = v; sink(v); }
        op write(v: 0..=1) { sink(v); }
        op read() -> 0..=1 { return value; }";
    let subject = Subject::new(text, Bounds { threads: 1, depth: 3, ..small() });
    let mut choices = vec![call(0, "write", &[1])];
    let found = loop {
        match subject.replay(violates(Terminating), choices.clone()) {
            Ok(found) => break found,
            Err(refused) => assert!(choices.len() < 9, "{refused}"),
        }
        choices.push(step(0));
    };
    assert!(matches!(found.evidence(), Evidence::Recursion { depth: 3, .. }), "{:?}", found.evidence());
}

/// A thread that waits for a cell is outside the scope, and not stuck.
#[test]
fn a_thread_that_waits_for_a_cell_is_not_stuck() {
    let text = "object Marked: Stack;
        struct Node { val: data, next: *Node }
        shared marked: bool;
        shared head: *Node;
        op push(v: data) { marked = true; marked = false; let n = new Node { val: v }; n.next = head; head = n; }
        op pop() -> data? { let top = head; if top == null { return none; } head = top.next; return top.val; }";
    let subject = Subject::new(text, Bounds { threads: 1, nodes: 1, ..small() });
    let choices = subject.walk(1, 200);
    assert!(choices.len() < 200, "the thread never waits");
    let why = not_shown(subject.replay(violates(DeadlockFree), choices));
    assert!(matches!(why, ClaimNotShown::NotStuck), "{why}");
}
