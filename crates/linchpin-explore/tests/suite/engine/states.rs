//! The states that a search keeps are those that the naive explorer reaches, with a monitor and without.

use crate::engine::naive::{key, reachable};
use crate::engine::support::{Instance, Size};
use linchpin_explore::{MonitorKind, ViolationKind};
use linchpin_semantics::Client;
use std::collections::BTreeSet;

fn compare(name: &str, instance: &Instance, client: &Client, least: usize) {
    let expected = reachable(&instance.machine, client);
    assert!(expected.len() >= least, "{name}: only {} states, too few to tell anything", expected.len());
    for monitor in [None, Some(MonitorKind::Refinement)] {
        let (search, summary) = instance.search(client, monitor.clone(), &[ViolationKind::AssertionFails]);
        assert!(summary.found.is_empty(), "{name}: {:?}", summary.found);
        assert_eq!(summary.states, expected.len(), "{name}, {monitor:?}");
        let mut kept = BTreeSet::new();
        search.for_each_node(&mut |state, _| {
            kept.insert(key(&instance.machine, state));
        });
        assert!(kept == expected, "{name}, {monitor:?}: other states");
    }
}

#[test]
fn with_the_general_client() {
    // Garbage, pools, manual memory, versions, locks, roles, two words at once; right and wrong.
    let instances: [(&str, Size); 13] = [
        ("treiber_stack", (2, 2, 1)),
        ("treiber_stack", (2, 1, 2)),
        ("treiber_stack_reuse", (2, 1, 1)),
        ("treiber_stack_reuse", (2, 2, 1)),
        ("treiber_stack_tagged", (2, 1, 2)),
        ("ms_queue", (2, 2, 1)),
        ("ms_queue_reuse", (2, 2, 1)),
        ("two_lock_queue", (2, 2, 1)),
        ("michael_list_hp", (1, 3, 1)),
        ("coarse_list", (2, 3, 1)),
        ("register_k", (3, 1, 1)),
        ("counter", (2, 1, 1)),
        ("snark_deque", (2, 2, 1)),
    ];
    for (model, size) in instances {
        let instance = Instance::of(model, size);
        compare(&format!("{model} {size:?}"), &instance, &instance.general(), 20);
    }
}

#[test]
fn with_schedules() {
    let queue = Instance::of("bounded_queue", (2, 3, 2));
    let client = queue.schedule(&[("enq", &[1])], &[&[("enq", &[2]), ("deq", &[])], &[("deq", &[])]]);
    compare("bounded_queue", &queue, &client, 50);
    let array = Instance::of("herlihy_wing_queue", (2, 1, 2));
    let client = array.schedule(&[], &[&[("enq", &[1]), ("enq", &[2])], &[("deq", &[]), ("deq", &[])]]);
    compare("herlihy_wing_queue", &array, &client, 30);
    let stack = Instance::of("elimination_stack", (2, 4, 2));
    let client = stack.schedule(&[("push", &[1])], &[&[("push", &[2])], &[("pop", &[])]]);
    compare("elimination_stack", &stack, &client, 20);
    let list = Instance::of("michael_list_hp", (2, 3, 1));
    let client = list.schedule(&[], &[&[("add", &[1])], &[("remove", &[1])]]);
    compare("michael_list_hp", &list, &client, 20);
}
