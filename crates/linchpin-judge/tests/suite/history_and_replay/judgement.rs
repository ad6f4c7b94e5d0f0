//! The judgement of one history against every permutation of its calls.

use crate::history_and_replay::support::naive;
use crate::history_and_replay::support::random;
use crate::history_and_replay::support::sequential::Sequential;
use crate::history_and_replay::support::{restricted, spec_machine};
use linchpin_ir::index::Index;
use linchpin_judge::history::{
    Broken, Budget, Consistency, Ending, Event, Explanation, History, Judgement, LegalOrder, Strategy,
    Witness, examine, judge, linearizable,
};
use linchpin_semantics::SpecMachine;
use std::collections::BTreeMap;

const CONSISTENCIES: [Consistency; 4] =
    [Consistency::Linearizable, Consistency::Sequential, Consistency::Quiescent, Consistency::Barrier];
const ENDINGS: [Ending; 2] = [Ending::Open, Ending::Stuck];

const STRATEGIES: [Strategy; 3] = [Strategy::Whole, Strategy::Apart, Strategy::ApartAlways];

#[test]
fn agrees_with_every_permutation() {
    let mut answers: BTreeMap<(String, Consistency, String, bool), u32> = BTreeMap::new();
    for spec in Sequential::ALL {
        let machine = spec_machine(&spec.text());
        for seed in 0..400 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (threads, calls) = (rng.usize(2..=3), rng.usize(1..=6));
            let lies = [2, 5, 12][rng.usize(..3)];
            let history = random::history(&mut rng, machine.program(), spec, threads, calls, lies);
            for consistency in CONSISTENCIES {
                for ending in ENDINGS {
                    let case = Case { machine: &machine, spec, history: &history, consistency, ending };
                    let expected = case.agrees(&format!("{spec:?} {seed}"));
                    *answers
                        .entry((format!("{spec:?}"), consistency, format!("{ending:?}"), expected))
                        .or_default() += 1;
                }
            }
        }
    }
    for (kind, count) in &answers {
        assert!(*count >= 30, "only {count} of 400 for {kind:?}: the test says little");
    }
    assert_eq!(answers.len(), Sequential::ALL.len() * 16);
}

/// Containers whose values are all different, as pairs of values see them best: more calls, more of them at a
/// time.
#[test]
fn containers_agree_with_every_permutation() {
    let containers = [
        Sequential::Stack,
        Sequential::Queue,
        Sequential::Deque,
        Sequential::Bounded(1),
        Sequential::Bounded(2),
    ];
    let mut illegal = 0;
    for spec in containers {
        let machine = spec_machine(&spec.text());
        for seed in 0..250 {
            let mut rng = fastrand::Rng::with_seed(seed + 5000);
            let (threads, calls) = (rng.usize(2..=4), rng.usize(4..=7));
            let lies = [3, 8, 20][rng.usize(..3)];
            let history = random::distinct(&mut rng, machine.program(), spec, threads, calls, lies);
            for (consistency, ending) in [
                (Consistency::Linearizable, Ending::Open),
                (Consistency::Linearizable, Ending::Stuck),
                (Consistency::Quiescent, Ending::Open),
            ] {
                let case = Case { machine: &machine, spec, history: &history, consistency, ending };
                illegal += u32::from(!case.agrees(&format!("distinct {spec:?} {seed}")));
            }
        }
    }
    assert!(illegal > 500, "only {illegal} are illegal: the test says little");
}

/// A history that is judged in every way, and by the oracle.
struct Case<'a> {
    machine: &'a SpecMachine,
    spec: Sequential,
    history: &'a History,
    consistency: Consistency,
    ending: Ending,
}

impl Case<'_> {
    /// Whether the oracle says that it is legal.
    fn agrees(&self, name: &str) -> bool {
        let Case { machine, spec, history, consistency, ending } = *self;
        let expected = naive::is_legal(spec, history, consistency, ending);
        for strategy in STRATEGIES {
            let case = format!("{name} {consistency:?} {ending:?} {strategy:?}\n{:#?}", history.events());
            let answer = examine(machine, history, consistency, ending, strategy, Budget::default());
            match &answer.expect("no fault").verdict {
                Judgement::Legal(witness) => {
                    assert!(expected, "{case}");
                    check_witness(spec, history, witness, &case);
                    if let Witness::Order(order) = witness {
                        let order: Vec<_> = order.effects.iter().map(|effect| effect.calls.clone()).collect();
                        assert!(naive::keeps_precedence(history, consistency, &order), "{case}");
                    }
                }
                Judgement::Illegal(explanation) => {
                    assert!(!expected, "{case}");
                    check_explanation(machine, spec, history, explanation, &case);
                    if let Explanation::NoOrder { among: Some(calls), .. } = explanation {
                        let blamed = restricted(machine.program(), history, calls);
                        assert!(
                            !naive::is_legal(spec, &blamed, consistency, Ending::Open),
                            "{calls:?} {case}"
                        );
                    }
                }
                Judgement::Unknown(limit) => panic!("{limit:?}: {case}"),
            }
        }
        expected
    }
}

/// A witness is a sequential execution with the results that were returned.
fn check_witness(spec: Sequential, history: &History, witness: &Witness, case: &str) {
    match witness {
        Witness::Order(order) => check_order(spec, history, order, case),
        Witness::Stuck(justifications) => {
            let calls: Vec<_> = justifications.iter().map(|j| j.call).collect();
            assert_eq!(calls, history.pending().collect::<Vec<_>>(), "{case}");
            justifications.iter().for_each(|j| check_order(spec, history, &j.order, case));
        }
    }
}

fn check_order(spec: Sequential, history: &History, order: &LegalOrder, case: &str) {
    let mut states = vec![spec.initial()];
    for effect in &order.effects {
        let calls: Vec<_> = effect.calls.iter().map(|&id| history.call(id)).collect();
        for (call, result) in calls.iter().zip(&effect.results) {
            assert!(call.returned.as_ref().is_none_or(|r| r.result == *result), "{case}");
        }
        let asked: Vec<_> = calls.iter().map(|call| (call.op.index(), &call.args[..])).collect();
        states = (states.iter().flat_map(|state| spec.effects(state, &asked)))
            .filter(|(_, results)| *results == effect.results)
            .map(|(state, _)| state)
            .collect();
        assert!(!states.is_empty(), "{order:?} {case}");
    }
}

/// What an explanation says is broken is broken.
fn check_explanation(
    machine: &SpecMachine,
    spec: Sequential,
    history: &History,
    explanation: &Explanation,
    case: &str,
) {
    match explanation {
        Explanation::NoOrder { among, dead_ends, omitted } => {
            assert!(!dead_ends.is_empty() && (*omitted == 0 || dead_ends.len() == 8), "{case}");
            for end in dead_ends {
                check_order(spec, history, &end.order, case);
                let named = end.order.effects.iter().flat_map(|effect| &effect.calls);
                let named = named.chain(end.ways.iter().flat_map(|way| &way.calls));
                assert!(
                    among.as_ref().is_none_or(|calls| named.clone().all(|id| calls.contains(id))),
                    "{case}"
                );
                let taken = |call| end.order.effects.iter().any(|effect| effect.calls.contains(&call));
                assert!(!end.ways.is_empty(), "{case}");
                for way in &end.ways {
                    assert!(way.calls.iter().all(|&call| !taken(call)), "{case}");
                    assert!(way.calls.iter().any(|&call| !history.call(call).is_pending()), "{case}");
                    match &way.broken {
                        Broken::NotEnabled | Broken::NoPartner => {}
                        Broken::Results(allowed) => {
                            assert!(!allowed.is_empty(), "{case}");
                            for results in allowed {
                                let mut pairs = way.calls.iter().zip(results);
                                let differs = pairs.any(|(&call, result)| {
                                    history.call(call).returned.as_ref().is_some_and(|r| r.result != *result)
                                });
                                assert!(differs, "{case}");
                            }
                        }
                    }
                }
                assert_eq!(
                    machine.values(&end.order.state).len(),
                    machine.program().spec.globals.variables.len()
                );
            }
        }
        Explanation::Unjustified { call, ends, .. } => {
            assert!(history.call(*call).is_pending() && !ends.is_empty(), "{case}");
            for end in ends {
                check_order(spec, history, &end.order, case);
                assert!(!end.results.is_empty(), "{case}");
            }
        }
    }
}

/// The three properties are related as the definitions say.
#[test]
fn linearizable_implies_the_other_two() {
    for spec in Sequential::ALL {
        let machine = spec_machine(&spec.text());
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed + 10_000);
            let history = random::history(&mut rng, machine.program(), spec, 3, 7, 9);
            let says = |consistency| {
                judge(&machine, &history, consistency, Ending::Stuck, Budget::default())
                    .expect("no fault")
                    .is_legal()
            };
            if says(Consistency::Linearizable) {
                assert!(says(Consistency::Sequential), "{spec:?} {seed}");
                assert!(says(Consistency::Quiescent), "{spec:?} {seed}");
            }
            if says(Consistency::Quiescent) {
                assert!(says(Consistency::Barrier), "{spec:?} {seed}");
            }
        }
    }
}

/// A prefix of a linearizable history is linearizable.
#[test]
fn linearizability_is_closed_under_prefixes() {
    for spec in Sequential::ALL {
        let machine = spec_machine(&spec.text());
        for seed in 0..60 {
            let mut rng = fastrand::Rng::with_seed(seed + 20_000);
            let history = random::history(&mut rng, machine.program(), spec, 3, 8, 9);
            let mut was_legal = true;
            for length in 0..=history.events().len() {
                let prefix =
                    History::new(machine.program(), history.events()[..length].to_vec()).expect("a prefix");
                let is_legal =
                    linearizable(&machine, &prefix, Budget::default()).expect("no fault").is_legal();
                assert!(was_legal || !is_legal, "{spec:?} {seed}");
                was_legal = is_legal;
            }
        }
    }
}

/// A few thousand events at modest contention are no trouble, legal or not.
#[test]
fn long_histories() {
    for spec in [Sequential::Stack, Sequential::Queue, Sequential::Set, Sequential::Register] {
        let machine = spec_machine(&spec.text());
        let says = |history: &History| linearizable(&machine, history, Budget::default()).expect("no fault");
        let long = |threads| {
            let mut rng = fastrand::Rng::with_seed(0);
            let history = random::history(&mut rng, machine.program(), spec, threads, 1500, u32::MAX);
            assert!(history.events().len() > 2900);
            history
        };
        assert!(says(&long(3)).is_legal(), "{spec:?}");
        let history = long(2);
        let with_lies = (0..20).map(|at| with_a_lie(&machine, spec, &history, 300 + at * 100));
        let illegal = with_lies.filter(|history| says(history).is_illegal()).count();
        assert!(illegal >= 5, "{spec:?}: {illegal}");
    }
}

/// The history with the first result at or after an event exchanged for another one of its operation.
fn with_a_lie(machine: &SpecMachine, spec: Sequential, history: &History, from: usize) -> History {
    let mut events = history.events().to_vec();
    let lie = history.calls().iter().find_map(|call| {
        let returned = call.returned.as_ref().filter(|returned| returned.event >= from)?;
        let others = spec.operations().swap_remove(call.op.index()).1;
        let result = others.into_iter().find(|other| *other != returned.result)?;
        Some((returned.event, Event::Return { thread: call.thread, result }))
    });
    let (at, lie) = lie.expect("a call with a result");
    events[at] = lie;
    History::new(machine.program(), events).expect("as well-formed as before")
}

#[test]
fn a_budget_that_is_too_small_is_said() {
    let machine = spec_machine(&Sequential::Queue.text());
    let mut rng = fastrand::Rng::with_seed(3);
    let history = random::history(&mut rng, machine.program(), Sequential::Queue, 3, 30, u32::MAX);
    let budget = Budget { configurations: 5, ..Budget::default() };
    let judgement = linearizable(&machine, &history, budget).expect("no fault");
    assert!(matches!(judgement, Judgement::Unknown(limit) if limit.configurations == 5), "{judgement:?}");
}
