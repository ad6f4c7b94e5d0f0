//! Hunts: growing instances until a violation, or until the budget ends.

use crate::engine::support::{Text, seconds, unlimited};
use linchpin_engine::verdict::{Finding, Limit, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_explore::hunt::{Hunted, PROPERTIES, hunt};
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue;
use linchpin_semantics::Bounds;
use std::time::Duration;

fn hunted(model: &str, budget: &Budget) -> Hunted {
    hunt(&Text::of(model), budget, &mut Silent).unwrap_or_else(|_| panic!("{model} can be hunted in"))
}

fn violated(hunted: &Hunted) -> Vec<Property> {
    let is_violated = |finding: &&Finding| matches!(finding.verdict(), Verdict::Violated(_));
    hunted.findings.iter().filter(is_violated).map(Finding::property).collect()
}

fn bounds(hunted: &Hunted) -> Bounds {
    hunted.scope.as_ref().expect("there is a scope").bounds.clone()
}

#[test]
fn a_violation_ends_the_hunt_near_a_smallest_instance() {
    for (model, property, most_nodes) in [
        ("treiber_stack_reuse", Property::Linearizable, 2),
        ("ms_queue_reuse", Property::Linearizable, 2),
        ("ms_queue_next_reset", Property::Linearizable, 3),
        ("lock_free_list_original", Property::Linearizable, 3),
        ("snark_deque", Property::Linearizable, 3),
    ] {
        let hunted = hunted(model, &unlimited());
        assert!(violated(&hunted).contains(&property), "{model}");
        assert_eq!(hunted.next, None, "{model}: nothing comes after a violation");
        let bounds = bounds(&hunted);
        assert!(bounds.threads == 2 && bounds.nodes <= most_nodes, "{model}: {bounds:?}");
        assert!(hunted.states > 0);
    }
}

#[test]
fn without_a_violation_the_last_finished_instance_counts() {
    let hunted = hunted("treiber_stack", &seconds(2));
    assert_eq!(hunted.findings.len(), PROPERTIES.len());
    for finding in &hunted.findings {
        assert!(matches!(finding.verdict(), Verdict::Holds), "{:?}", finding.verdict());
    }
    assert!(hunted.next.is_some(), "there is always a larger one");
    assert!(bounds(&hunted).nodes > 1, "it came further than the first instance");
}

#[test]
fn a_hunt_without_time_knows_nothing() {
    let hunted = hunted("treiber_stack_reuse", &Budget { time: Some(Duration::ZERO), ..unlimited() });
    assert_eq!(hunted.findings.len(), PROPERTIES.len());
    for finding in &hunted.findings {
        assert!(matches!(finding.verdict(), Verdict::Unknown(Limit::Time(_))), "{:?}", finding.verdict());
    }
}

#[test]
fn every_model_can_be_hunted_in() {
    let short = Budget { time: Some(Duration::from_millis(30)), ..unlimited() };
    catalogue::entries().iter().for_each(|entry| drop(hunted(entry.name, &short)));
}

#[test]
fn roles_that_take_two_threads_are_never_given_three() {
    let hunted = hunted("mailbox", &unlimited());
    assert_eq!((bounds(&hunted).threads, hunted.next.as_deref()), (2, None), "nothing else of it can grow");
    assert!(hunted.findings.iter().all(|finding| matches!(finding.verdict(), Verdict::Holds)));
}
