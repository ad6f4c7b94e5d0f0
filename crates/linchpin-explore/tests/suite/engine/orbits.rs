//! With symmetry a search keeps one state of each orbit: counted again by renaming every state that the naive
//! explorer reaches in every way, and with any number of workers.

use crate::engine::naive::{key, reachable_states};
use crate::engine::support::{Instance, Size};
use linchpin_explore::reduce::{DataSymmetry, ThreadSymmetry, rename_data, rename_threads};
use linchpin_explore::{MonitorKind, Reductions, ViolationKind};
use linchpin_ir::index::Index;
use linchpin_ir::types::{Word, word_of};
use linchpin_semantics::{Client, State, ThreadId};
use std::collections::BTreeSet;

const SYMMETRY: Reductions = Reductions { symmetry: true, partial_order: false };

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let insert = |order: Vec<usize>| {
        (0..=order.len()).map(move |at| [&order[..at], &[*first], &order[at..]].concat()).collect::<Vec<_>>()
    };
    permutations(rest).into_iter().flat_map(insert).collect()
}

/// Every way to exchange threads that are alike, and values.
struct Group {
    threads: Vec<Vec<ThreadId>>,
    values: Vec<Vec<Word>>,
    symmetry: Option<ThreadSymmetry>,
}

impl Group {
    fn of(instance: &Instance, client: &Client) -> Group {
        let machine = &instance.machine;
        let number = machine.bounds().threads as usize;
        let symmetry = ThreadSymmetry::of(machine).ok().filter(ThreadSymmetry::is_shallow);
        let all = permutations(&(0..number).collect::<Vec<_>>());
        let is_alike = |order: &Vec<usize>| {
            let alike = |(a, b): (usize, &usize)| client.are_alike(ThreadId::new(a), ThreadId::new(*b));
            order.iter().enumerate().all(alike)
        };
        let identity = vec![(0..number).map(ThreadId::new).collect::<Vec<_>>()];
        let names = |order: &Vec<usize>| order.iter().map(|t| ThreadId::new(*t)).collect();
        let threads = match symmetry {
            Some(_) => all.iter().filter(|order| is_alike(order)).map(names).collect(),
            None => identity,
        };
        let values: Vec<usize> = (1..=machine.bounds().values as usize).collect();
        let exchanges = matches!(client, Client::General(_))
            && DataSymmetry::of(machine).is_ok_and(|symmetry| symmetry.fixed == 0);
        let orders = if exchanges { permutations(&values) } else { vec![values] };
        let values = orders.iter().map(|order| order.iter().map(|v| word_of(*v)).collect()).collect();
        Group { threads, values, symmetry }
    }

    /// The least name of an orbit.
    fn least(&self, instance: &Instance, state: &State) -> Vec<Word> {
        let renamed = |threads: &Vec<ThreadId>, values: &Vec<Word>| {
            let mut renamed = state.clone();
            rename_data(&instance.machine, &mut renamed, values);
            if let Some(symmetry) = &self.symmetry {
                rename_threads(&instance.machine, symmetry, &mut renamed, threads);
            }
            key(&instance.machine, &renamed)
        };
        let all = self.threads.iter().flat_map(|t| self.values.iter().map(move |v| (t, v)));
        all.map(|(threads, values)| renamed(threads, values)).min().unwrap_or_default()
    }
}

fn compare(name: &str, instance: &Instance, client: &Client, is_exact: bool) {
    let group = Group::of(instance, client);
    let states = reachable_states(&instance.machine, client);
    let orbits: BTreeSet<Vec<Word>> = states.iter().map(|state| group.least(instance, state)).collect();
    for jobs in [1, 2] {
        let (search, summary) =
            instance.reduced_search(client, None, &[ViolationKind::AssertionFails], SYMMETRY, jobs);
        let mut kept = BTreeSet::new();
        search.for_each_node(&mut |state, _| {
            kept.insert(group.least(instance, state));
        });
        assert!(kept == orbits, "{name}: other orbits");
        if is_exact {
            assert_eq!(summary.states, orbits.len(), "{name}: an orbit is kept twice");
        }
        let is_trivial = group.threads.len() * group.values.len() == 1;
        assert!(is_trivial || summary.states < states.len(), "{name}: nothing was saved");
    }
}

#[test]
fn with_the_general_client() {
    // In a pool, unreachable cells differ in more than their meaning: an orbit may be kept twice.
    let instances: [(&str, Size, bool); 16] = [
        ("treiber_stack", (2, 2, 2), true),
        ("treiber_stack", (3, 2, 2), true),
        ("treiber_stack", (3, 3, 2), true),
        ("treiber_stack", (2, 3, 3), true),
        ("treiber_stack_reuse", (2, 1, 2), false),
        ("treiber_stack_tagged", (2, 1, 2), false),
        ("ms_queue", (2, 3, 2), true),
        ("ms_queue", (3, 2, 1), true),
        ("dglm_queue", (2, 2, 2), true),
        ("two_lock_queue", (2, 3, 2), true),
        ("michael_list_hp", (2, 3, 1), false),
        ("coarse_list", (3, 3, 1), true),
        ("lazy_list", (2, 4, 2), true),
        ("register_k", (3, 1, 1), true),
        ("counter", (3, 1, 1), true),
        ("snark_deque", (2, 2, 2), true),
    ];
    for (model, size, is_exact) in instances {
        let instance = Instance::of(model, size);
        compare(&format!("{model} {size:?}"), &instance, &instance.general(), is_exact);
    }
}

#[test]
fn with_schedules() {
    let queue = Instance::of("bounded_queue", (3, 3, 2));
    let client = queue.schedule(&[("enq", &[1])], &[&[("enq", &[2])], &[("deq", &[])], &[("deq", &[])]]);
    compare("bounded_queue", &queue, &client, true);
    let stack = Instance::of("elimination_stack", (2, 4, 2));
    let client = stack.schedule(&[], &[&[("push", &[2])], &[("push", &[2])]]);
    compare("elimination_stack", &stack, &client, true);
}

/// The whole search is the same for any number of workers: levels, nodes, transitions, what is found.
#[test]
fn any_number_of_workers_counts_the_same() {
    let instances: [(&str, Size); 4] = [
        ("treiber_stack", (3, 3, 2)),
        ("ms_queue", (2, 4, 2)),
        ("treiber_stack_reuse", (2, 2, 2)),
        ("register_k", (3, 1, 1)),
    ];
    for (model, size) in instances {
        let instance = Instance::of(model, size);
        let client = instance.general();
        for method in [MonitorKind::Refinement, instance.points()] {
            for reductions in [SYMMETRY, Reductions::ALL] {
                let run = |jobs| {
                    let wanted = [ViolationKind::Inconsistent, ViolationKind::Deadlocked];
                    let (_, summary) =
                        instance.reduced_search(&client, Some(method.clone()), &wanted, reductions, jobs);
                    (summary.states, summary.nodes, summary.transitions, summary.depth, summary.found)
                };
                assert_eq!(run(1), run(3), "{model} {size:?} {method:?} {reductions:?}");
            }
        }
    }
}
