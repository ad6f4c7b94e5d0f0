//! Alarms: the explorer first tries the calls of the abstract trace. An unconfirmed alarm stays in the
//! report.

use crate::prove::{Text, budget};
use linchpin_engine::Silent;
use linchpin_engine::verdict::{Annotation, Scope, Verdict};
use linchpin_ir::property::Property;
use linchpin_portfolio::{ProofResult, SearchedInstance, prove};
use linchpin_prove::alarm::AlarmKind;
use std::time::Duration;

fn settled(model: &Text, property: Property, settling: Duration) -> ProofResult {
    prove(model, Some(&[property]), Some(settling), &budget(None), &mut Silent)
        .unwrap_or_else(|_| panic!("`{}` has no errors", model.name))
}

const SHORT: Duration = Duration::from_secs(10);

/// The calls of the trace suffice.
#[test]
fn the_calls_of_the_trace_show_it() {
    for (name, property) in [
        ("treiber_stack_as_fifo", Property::Linearizable),
        ("treiber_stack_tagged_as_fifo", Property::Linearizable),
        ("ms_queue_as_lifo", Property::Linearizable),
        ("treiber_stack_omits_data", Property::MemorySafe),
    ] {
        let proving = settled(&Text::of_catalogue(name), property, SHORT);
        let finding = &proving.findings[0];
        assert!(matches!(finding.verdict(), Verdict::Violated(_)), "{name}: {:?}", finding.verdict());
        let [alarmed] = &proving.alarms[..] else { panic!("{name}: one alarm") };
        assert!(
            matches!(&alarmed.shown_by, Some(SearchedInstance::Calls(_))),
            "{name}: {:?}",
            alarmed.shown_by
        );
        assert!(!alarmed.trace.steps.is_empty(), "{name}");
    }
}

/// An error beyond the calls of the trace is found in the remaining time.
#[test]
fn more_than_the_calls_of_the_trace_is_tried() {
    for (name, property) in [
        ("treiber_stack_reuse", Property::Linearizable),
        ("ms_queue_reuse", Property::Linearizable),
        ("ms_queue_swapped", Property::MemorySafe),
    ] {
        let proving = settled(&Text::of_catalogue(name), property, SHORT);
        assert!(matches!(proving.findings[0].verdict(), Verdict::Violated(_)), "{name}");
        assert!(proving.alarms[0].shown_by.is_some(), "{name}");
    }
}

/// Wrong points on a right object (Observers, table 2): the annotation is refuted, the object holds in an
/// instance, and nothing is proved.
#[test]
fn wrong_points_are_refuted_annotations() {
    for name in ["two_lock_queue_early_point", "ms_queue_early_empty"] {
        let proving = settled(&Text::of_catalogue(name), Property::Linearizable, SHORT);
        let finding = &proving.findings[0];
        assert!(matches!(finding.annotation, Some(Annotation::Refuted(_))), "{name}");
        assert!(matches!(finding.verdict(), Verdict::Holds), "{name}: {:?}", finding.verdict());
        assert!(matches!(finding.scope(), Scope::Bounded(_)), "{name} is not proved");
        assert!(proving.certificate.is_none(), "{name} has no certificate");
    }
}

/// The pop of undefined data ends the execution with a fault, so the loss after it never happens.
#[test]
fn an_unconfirmed_alarm_stays_open() {
    let model = Text::of_catalogue("treiber_stack_omits_data");
    let proving = settled(&model, Property::Linearizable, Duration::from_secs(1));
    assert!(matches!(proving.findings[0].verdict(), Verdict::Unknown(_)));
    let [alarmed] = &proving.alarms[..] else { panic!("one alarm") };
    assert_eq!(alarmed.shown_by, None);
    assert!(matches!(alarmed.searched.first(), Some(SearchedInstance::Calls(_))), "{:?}", alarmed.searched);
    let names: Vec<&str> = alarmed.trace.steps.iter().filter_map(|moment| moment.op.as_deref()).collect();
    assert_eq!(names, ["push", "push", "pop", "pop", "pop", "pop"]);
    let moved: Vec<&str> =
        alarmed.trace.steps.iter().flat_map(|moment| &moment.observed).map(|moved| &*moved.to).collect();
    assert_eq!(moved, ["inside"]);
}

/// The method tracks one cell for each value: a second cell is an alarm of the prover.
#[test]
fn two_cells_with_one_value_are_an_alarm() {
    let text = "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared spare: *Node; shared guard: lock;
        op push(v: data) {
            let n = new Node { val: v };
            let m = new Node { val: v };
            guard.lock(); lin; n.next = head; head = n; spare = m; guard.unlock();
        }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }";
    let proving = settled(&Text::new("two_cells", text), Property::Linearizable, Duration::from_millis(100));
    let kinds: Vec<&AlarmKind> = proving.alarms.iter().map(|alarmed| &alarmed.trace.alarm.kind).collect();
    assert_eq!(kinds, [&AlarmKind::SecondHolder]);
}

/// A fault under `assertions` is an alarm of the prover, with its own kind, and an execution is found for it.
#[test]
fn faults_are_alarms_of_their_kinds() {
    for (name, fault, kind) in [
        ("assertion", "assert top == null;", AlarmKind::AssertFails),
        ("range", "let small: 0..2 = 1; small = small + 1;", AlarmKind::OutOfRange),
        ("unlock", "other.unlock();", AlarmKind::NotHolder),
    ] {
        let text = format!(
            "
            object O: Stack;
            struct Node {{ val: data, next: *Node }}
            shared head: *Node; shared guard: lock; shared other: lock;
            op push(v: data) {{
                let n = new Node {{ val: v }};
                guard.lock(); lin; n.next = head; head = n; guard.unlock();
            }}
            op pop() -> data? {{
                guard.lock(); lin; defer guard.unlock();
                let top = head;
                if top == null {{ return none; }}
                {fault}
                head = top.next;
                return top.val;
            }}"
        );
        let proving = settled(&Text::new(name, text), Property::Assertions, SHORT);
        let kinds: Vec<&AlarmKind> = proving.alarms.iter().map(|alarmed| &alarmed.trace.alarm.kind).collect();
        assert_eq!(kinds, [&kind], "{name}");
        assert!(matches!(proving.findings[0].verdict(), Verdict::Violated(_)), "{name}");
    }
}
