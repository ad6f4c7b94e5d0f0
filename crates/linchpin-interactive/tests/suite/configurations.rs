//! The configurations are empty exactly where the judge finds no order.

use crate::session;
use linchpin_judge::history::{Budget, Judgement, linearizable};

/// Random executions; the two answers are compared after each step. Wrong models are walked more often, so
/// that both answers occur.
#[test]
fn configurations_agree_with_the_judge() {
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut legal, mut refuted) = (0, 0);
    for (model, walks) in [
        ("treiber_stack", 10),
        ("ms_queue", 10),
        ("treiber_stack_reuse", 60),
        ("lazy_list", 8),
        ("treiber_stack_as_fifo", 40),
        ("ms_queue_early_empty", 60),
    ] {
        for _ in 0..walks {
            let mut session = session(model, 2, 2);
            for _ in 0..60 {
                let moves = session.moves().possible;
                if moves.is_empty() {
                    break;
                }
                session.make(rng.usize(..moves.len())).expect("a possible move");
                let configurations = session.configurations().expect("few configurations");
                let history = session.history().expect("a history");
                let judged = linearizable(&session.instance.spec, &history, Budget::default());
                match judged.expect("a specification without faults") {
                    Judgement::Legal(_) => {
                        legal += 1;
                        assert!(!configurations.is_refuted(), "{model}: {history:?}");
                    }
                    Judgement::Illegal(_) => {
                        refuted += 1;
                        assert!(configurations.is_refuted(), "{model}: {history:?}");
                    }
                    Judgement::Unknown(_) => {}
                }
            }
        }
    }
    assert!(legal > 1_000 && refuted > 10, "both answers occur: {legal} and {refuted}");
}

/// Every result that the judge refuses is refused here: results of real executions, one of them changed.
#[test]
fn changed_results_are_refuted_alike() {
    use linchpin_interactive::configurations::Configurations;
    use linchpin_judge::history::{Event, History};
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut legal, mut refuted) = (0, 0);
    for model in ["treiber_stack", "ms_queue", "lazy_list"] {
        for _ in 0..60 {
            let mut session = session(model, 3, 3);
            for _ in 0..rng.usize(10..60) {
                let moves = session.moves().possible;
                if moves.is_empty() {
                    break;
                }
                session.make(rng.usize(..moves.len())).expect("a possible move");
            }
            let mut events: Vec<Event> = session.events().into_iter().map(|(_, event)| event).collect();
            let with_result: Vec<usize> = (0..events.len())
                .filter(|at| matches!(&events[*at], Event::Return { result, .. } if !result.is_empty()))
                .collect();
            if with_result.is_empty() {
                continue;
            }
            let other = with_result[rng.usize(..with_result.len())];
            let source = with_result[rng.usize(..with_result.len())];
            let Event::Return { result: given, .. } = events[source].clone() else { continue };
            if let Event::Return { result, .. } = &mut events[other] {
                *result = given;
            }
            let program = &session.instance.compiled.program;
            let Ok(history) = History::new(program, events.clone()) else { continue };
            let spec = &session.instance.spec;
            let mut configurations = Configurations::initial(spec).expect("a start");
            for event in &events {
                configurations = configurations.after(spec, event).expect("few configurations");
            }
            match linearizable(spec, &history, Budget::default()).expect("a specification") {
                Judgement::Legal(_) => {
                    legal += 1;
                    assert!(!configurations.is_refuted(), "{model}: {history:?}");
                }
                Judgement::Illegal(_) => {
                    refuted += 1;
                    assert!(configurations.is_refuted(), "{model}: {history:?}");
                }
                Judgement::Unknown(_) => {}
            }
        }
    }
    assert!(legal > 10 && refuted > 10, "both answers occur: {legal} and {refuted}");
}
