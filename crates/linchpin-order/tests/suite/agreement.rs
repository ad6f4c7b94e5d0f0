//! The search and its deciders against the permutations of all calls, and against each other.

use crate::brute_force::{ObjectHistory, is_legal, is_order};
use crate::objects::{ALL, Object, Structured};
use crate::random::{Recipe, history};
use fastrand::Rng;
use linchpin_order::{
    Answer, Budget, CallId, Consistency, Ending, Explanation, Strategy, Verdict, Witness, examine,
    first_break,
};

const CONSISTENCIES: [Consistency; 4] =
    [Consistency::Linearizable, Consistency::Sequential, Consistency::Quiescent, Consistency::Barrier];
const STRATEGIES: [Strategy; 4] = [Strategy::Whole, Strategy::Apart, Strategy::ApartAlways, Strategy::Sweep];

fn answer(
    object: Object,
    history: &ObjectHistory,
    consistency: Consistency,
    ending: Ending,
    strategy: Strategy,
) -> Answer<Vec<u8>, Option<u8>> {
    let budget = Budget::default();
    let Ok(answers) = examine(&Structured(object), history, consistency, ending, strategy, budget);
    assert!(!matches!(answers.verdict, Verdict::Unknown(_)));
    answers
}

/// Every verdict is that of the definitions, with every strategy, and every witness is an order by the
/// definitions.
#[test]
fn the_search_agrees_with_brute_force() {
    let mut rng = Rng::with_seed(21);
    for object in ALL {
        let mut counts = [0, 0];
        for round in 0..120 {
            let recipe = Recipe {
                object,
                threads: 3,
                calls: 6,
                values: 3,
                has_look: true,
                is_changed: round % 2 == 0,
            };
            // A container has no `Look`.
            let history = without_looks(object, history(&mut rng, &recipe));
            for consistency in CONSISTENCIES {
                for ending in [Ending::Open, Ending::Stuck] {
                    let expected = is_legal(object, &history, consistency, ending);
                    for strategy in STRATEGIES {
                        let verdict = answer(object, &history, consistency, ending, strategy).verdict;
                        let case = (object, consistency, ending, strategy, &history);
                        assert_eq!(verdict.is_legal(), expected, "{case:?}");
                        if let Verdict::Legal(Witness::Order(order)) = verdict {
                            let effects: Vec<Vec<CallId>> =
                                order.effects.into_iter().map(|effect| effect.calls).collect();
                            assert!(
                                is_order(object, &history, consistency, &effects),
                                "{case:?}: {effects:?}"
                            );
                        }
                    }
                    counts[usize::from(expected)] += 1;
                }
            }
        }
        assert!(counts.iter().all(|count| *count > 40), "{object:?}: {counts:?}");
    }
}

/// Drops `Look` from the histories of containers.
fn without_looks(object: Object, history: ObjectHistory) -> ObjectHistory {
    use crate::objects::Op;
    use linchpin_order::{Event, History};
    if !matches!(object, Object::Queue | Object::Stack) {
        return history;
    }
    let mut events: Vec<(usize, Event<Op, Option<u8>>)> = Vec::new();
    for call in history.calls().iter().filter(|call| !matches!(call.op, Op::Look(_))) {
        events.push((call.called, Event::Call { thread: call.thread, op: call.op }));
        if let Some(returned) = &call.returned {
            events.push((returned.event, Event::Return { thread: call.thread, result: returned.result }));
        }
    }
    events.sort_by_key(|(at, _)| *at);
    History::from_events(events.into_iter().map(|(_, event)| event)).expect("the history is well-formed")
}

/// Longer histories of a keyed object: the verdict is that of the plain search, and an explanation names one
/// key.
#[test]
fn keys_apart_agree_with_the_whole() {
    let mut rng = Rng::with_seed(3);
    let mut counts = [0, 0];
    for round in 0..60 {
        let object = Object::Set;
        // Without the order of real time the plain search visits too many configurations of a long history.
        for (consistency, calls) in
            [(Consistency::Linearizable, 60), (Consistency::Quiescent, 10), (Consistency::Barrier, 10)]
        {
            let recipe =
                Recipe { object, threads: 4, calls, values: 5, has_look: true, is_changed: round % 2 == 0 };
            let history = history(&mut rng, &recipe);
            let [whole, apart] = [Strategy::Whole, Strategy::ApartAlways]
                .map(|strategy| answer(object, &history, consistency, Ending::Open, strategy).verdict);
            assert_eq!(whole.is_legal(), apart.is_legal(), "{consistency:?}: {history:?}");
            counts[usize::from(whole.is_legal())] += 1;
            if let (Consistency::Linearizable, Verdict::Illegal(why)) = (consistency, apart) {
                let Explanation::NoOrder { among: Some(calls), .. } = why else { panic!("no key: {why:?}") };
                let values: Vec<_> = calls
                    .iter()
                    .map(|&call| linchpin_order::Sequential::key(&object, &history.call(call).op))
                    .collect();
                assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{values:?}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// The first break is the end of the shortest illegal prefix.
#[test]
fn the_first_break_ends_the_shortest_illegal_prefix() {
    let mut rng = Rng::with_seed(8);
    let mut found = 0;
    for object in ALL {
        for _ in 0..60 {
            let recipe = Recipe { object, threads: 3, calls: 7, values: 3, has_look: true, is_changed: true };
            let history = history(&mut rng, &recipe);
            let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
            let Ok(answer) =
                examine(&object, &history, consistency, ending, Strategy::default(), Budget::default());
            let Verdict::Illegal(why) = answer.verdict else { continue };
            let Ok(first) = first_break(&object, &history, &why, Budget::default());
            let first = first.expect("the budget suffices").event;
            let shortest = (0..=history.events())
                .find(|&events| !is_legal(object, &prefix(&history, events), consistency, ending));
            assert_eq!(shortest, Some(first + 1), "{history:?}");
            found += 1;
        }
    }
    assert!(found > 100, "{found}");
}

fn prefix(history: &ObjectHistory, events: usize) -> ObjectHistory {
    use linchpin_order::{Event, History};
    let mut some = Vec::new();
    for call in history.calls().iter() {
        some.push((call.called, Event::Call { thread: call.thread, op: call.op }));
        let returned = call.returned.iter();
        some.extend(returned.map(|r| (r.event, Event::Return { thread: call.thread, result: r.result })));
    }
    some.retain(|(at, _)| *at < events);
    some.sort_by_key(|(at, _)| *at);
    History::from_events(some.into_iter().map(|(_, event)| event)).expect("the history is well-formed")
}
