//! Questions from a state: what is found replays, and "no" is the answer of the bounded engine too.

use crate::session;
use linchpin_engine::{Budget, BudgetMeter};
use linchpin_explore::moves::state_space;
use linchpin_interactive::question::{Answer, Control, Limits, Origin, Question, search};
use linchpin_interactive::{Session, save};
use linchpin_ir::property::Property;
use linchpin_judge::replay::{ClaimNotShown, ReplayError, replay};
use linchpin_judge::trace::Claim;
use linchpin_report::trace_file::TraceFile;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn asked(session: &Session, question: Question) -> Answer {
    search(&Origin::of(session), question, Limits::default(), &Control::default())
}

fn line_of(session: &Session, text: &str) -> usize {
    let compiled = &session.instance.compiled;
    let file = compiled.sources.file(compiled.program.object_span.file);
    1 + file.text.lines().position(|line| line.contains(text)).expect("a line of the model")
}

#[test]
fn a_violation_is_found_and_replays() {
    let mut session = session("treiber_stack_reuse", 2, 2);
    let Answer::Found { more, shows } = asked(&session, Question::Violation) else { panic!("a violation") };
    assert_eq!(shows, "not linearizable, confirmed by replay");
    session.extend(more).expect("the execution that was found");
    let found = save::counterexample(&session).expect("a counterexample");
    assert_eq!(found.trace().claim, Claim::Violates(Property::Linearizable));
    assert!(session.configurations().expect("few").is_refuted());
    assert!(matches!(asked(&session, Question::Violation), Answer::Refused(_)));
    session.back().expect("one step back");
    assert!(matches!(asked(&session, Question::Violation), Answer::Found { more, .. } if more.len() == 1));
}

#[test]
fn a_correct_object_has_no_violation() {
    let session = session("treiber_stack", 2, 1);
    assert!(matches!(asked(&session, Question::Violation), Answer::None { states, .. } if states > 20));
}

#[test]
fn a_deadlock_is_found_only_where_the_specification_forbids_it() {
    let wrong = session("fine_list_locks_backwards", 2, 4);
    let answer = asked(&wrong, Question::Violation);
    assert!(matches!(&answer, Answer::Found { shows, .. } if shows.contains("deadlock-free")), "{answer:?}");
    // Every thread waits for an item, as the specification says.
    let correct = session("synchronous_queue", 2, 2);
    let answer = asked(&correct, Question::Violation);
    assert!(!matches!(answer, Answer::Found { .. }), "{answer:?}");
}

#[test]
fn a_line_is_reached_by_a_shortest_execution() {
    let mut session = session("treiber_stack", 2, 2);
    let line = line_of(&session, "cas(head, top, next)");
    let Answer::Found { more, .. } = asked(&session, Question::Line(line)) else { panic!("it is reached") };
    let steps = more.len();
    assert!(steps >= 3, "a push comes first");
    session.extend(more).expect("the execution that was found");
    assert_eq!(session.moments().len(), steps);
    let Answer::Refused(why) = asked(&session, Question::Line(1)) else { panic!("a comment has no step") };
    assert!(why.starts_with("no step is at line 1; the nearest line"), "{why}");
}

#[test]
fn a_limit_and_a_cancellation_are_unknown() {
    let session = session("ms_queue", 2, 3);
    let limits = Limits { states: 50, time: Duration::from_secs(60) };
    let answer = search(&Origin::of(&session), Question::Violation, limits, &Control::default());
    assert!(matches!(&answer, Answer::Unknown { why, .. } if why.contains("50 states")), "{answer:?}");
    let control = Control::default();
    control.cancelled.store(true, Ordering::Relaxed);
    let answer = search(&Origin::of(&session), Question::Violation, Limits::default(), &control);
    assert!(matches!(&answer, Answer::Unknown { why, .. } if why == "cancelled"), "{answer:?}");
    let limits = Limits { states: 1_000_000, time: Duration::ZERO };
    let answer = search(&Origin::of(&session), Question::Violation, limits, &Control::default());
    assert!(matches!(&answer, Answer::Unknown { why, .. } if why.contains("seconds")), "{answer:?}");
}

#[test]
fn a_trace_that_claims_nothing_is_never_a_counterexample() {
    let mut session = session("treiber_stack_reuse", 2, 2);
    let Answer::Found { more, .. } = asked(&session, Question::Violation) else { panic!("a violation") };
    session.extend(more).expect("the execution that was found");
    let text = save::trace_text(&session).expect("a trace");
    let replayed = |text: &str| {
        let trace = TraceFile::parse(text).and_then(|file| file.trace()).expect("a trace");
        replay(&session.instance.compiled.program, &trace)
    };
    assert!(replayed(&text).is_ok());
    // The same execution, without the claim.
    let nothing = text.replace("\"violates\": \"linearizable\"", "\"violates\": \"nothing\"");
    assert_ne!(nothing, text);
    let refused = replayed(&nothing).map(|_| ());
    assert!(matches!(refused, Err(ReplayError::ClaimNotShown(ClaimNotShown::NothingClaimed))), "{refused:?}");
}

/// A pending `contains` may have seen a key that is gone again. So one state of the object has several sets
/// of configurations, and a question about violations must keep them apart.
#[test]
fn states_with_different_configurations_are_kept_apart() {
    let session = session("coarse_list", 2, 3);
    let Answer::None { states, .. } = asked(&session, Question::Violation) else { panic!("it is correct") };
    let meter = BudgetMeter::start(Budget::default());
    let (machine, client) = (&session.instance.machine, &session.instance.client);
    let space = state_space(machine, client, 200_000, &meter).expect("a start").expect("a small space");
    assert!(states > space.states.len(), "{states} and {}", space.states.len());
}
