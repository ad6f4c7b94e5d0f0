//! Schedules against all ways to hand out calls: none is missing up to an exchange of threads, none stands
//! there twice, and restrictions leave out exactly what they name.

use crate::engine::support::Instance;
use linchpin_explore::{Restriction, Schedule, ScheduleLists, schedules};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{Client, ThreadId};
use std::collections::BTreeSet;

type Call = (OpId, Vec<Word>);

/// Every way to give each of so many calls to some thread, each thread at least one; threads in the order of
/// their lists.
fn all_up_to_exchange(choices: &[Call], threads: usize, steps: usize) -> BTreeSet<Vec<Vec<Call>>> {
    let mut all = vec![vec![Vec::new(); threads]];
    for _ in 0..steps {
        let mut longer = Vec::new();
        for lists in &all {
            for thread in 0..threads {
                for call in choices {
                    let mut lists: Vec<Vec<Call>> = lists.clone();
                    lists[thread].push(call.clone());
                    longer.push(lists);
                }
            }
        }
        all = longer;
    }
    let in_order = |mut lists: Vec<Vec<Call>>| {
        lists.sort();
        lists
    };
    all.into_iter().filter(|lists| lists.iter().all(|list| !list.is_empty())).map(in_order).collect()
}

fn generated(
    instance: &Instance,
    threads: usize,
    steps: usize,
    preadds: usize,
    restrictions: &[Restriction],
) -> Vec<Schedule> {
    let Client::General(general) = instance.general() else { panic!("the general client") };
    schedules(instance.machine.program(), &general, threads, steps, preadds, restrictions)
}

fn choices(instance: &Instance) -> Vec<Call> {
    let Client::General(general) = instance.general() else { panic!("the general client") };
    let choices = general.choices(ThreadId::new(0), 0).iter();
    choices.map(|choice| (choice.op, choice.args.to_vec())).collect()
}

#[test]
fn each_way_once() {
    for (model, threads, most) in [("treiber_stack", 1, 3), ("treiber_stack", 2, 4), ("ms_queue", 3, 4)] {
        let instance = Instance::of(model, (number_of(threads), 3, 2));
        for steps in 0..=most {
            let expected = all_up_to_exchange(&choices(&instance), threads, steps);
            let generated = generated(&instance, threads, steps, 0, &[]);
            let in_order = |schedule: &Schedule| {
                let mut lists = schedule.threads.clone();
                lists.sort();
                lists
            };
            let found: BTreeSet<_> = generated.iter().map(in_order).collect();
            assert_eq!(found.len(), generated.len(), "{model}: none twice");
            assert!(found == expected, "{model}, {threads} threads, {steps} calls");
            assert_eq!(found.is_empty(), steps < threads);
        }
    }
}

#[test]
fn pre_adds_carry_the_first_values() {
    let instance = Instance::of("treiber_stack", (2, 3, 2));
    let push = choices(&instance)[0].0;
    for schedule in generated(&instance, 2, 2, 2, &[]) {
        assert_eq!(schedule.preadds, [(push, vec![1]), (push, vec![2])]);
    }
    assert!(generated(&instance, 2, 2, 3, &[]).is_empty(), "there is no third value");
}

#[test]
fn restrictions_leave_out_what_they_name() {
    let instance = Instance::of("treiber_stack", (2, 3, 3));
    let push = choices(&instance)[0].0;
    let all = generated(&instance, 2, 3, 1, &[]);
    let pushes = |schedule: &Schedule| -> Vec<Word> {
        let own = schedule.threads.iter().flatten();
        schedule.preadds.iter().chain(own).filter(|call| call.0 == push).map(|call| call.1[0]).collect()
    };
    let is_generic = |schedule: &&Schedule| pushes(schedule).iter().zip(1..).all(|(&value, k)| value == k);
    let is_dominated = |schedule: &&Schedule| 4 - pushes(schedule).len() <= pushes(schedule).len();
    for (restriction, expected) in [
        (Restriction::GenericValues, all.iter().filter(is_generic).cloned().collect::<Vec<_>>()),
        (Restriction::AddsDominate, all.iter().filter(is_dominated).cloned().collect()),
    ] {
        assert!(!expected.is_empty() && expected.len() < all.len());
        assert_eq!(generated(&instance, 2, 3, 1, &[restriction]), expected, "{}", restriction.name());
    }
    let queue = Instance::of("simple_linear", (2, 1, 2));
    let restricted = generated(&queue, 2, 2, 0, &[Restriction::DistinctPriorities]);
    let adds = |schedule: &Schedule| -> Vec<Word> {
        let mut ranks: Vec<Word> = schedule
            .threads
            .iter()
            .flatten()
            .filter(|(op, _)| op.index() == 0)
            .map(|(_, args)| args[1])
            .collect();
        ranks.sort();
        ranks
    };
    let ranks: BTreeSet<Vec<Word>> = restricted.iter().map(adds).collect();
    assert_eq!(ranks, BTreeSet::from([vec![], vec![0], vec![0, 1]]));
}

/// Table 1 of COLLECT: by kind of collection, the schedules of configurations A, B, D and E (C has those of
/// B).
#[test]
fn as_many_as_are_published() {
    let priorities = &Restriction::ALL[..];
    let generic = &[Restriction::GenericValues][..];
    let columns = [(2, 2, 2, 0), (3, 2, 2, 1), (4, 3, 3, 1), (5, 3, 4, 1)];
    for (model, restrictions, is_synchronous, expected) in [
        ("coarse_list", &[][..], false, [63, 270, 8_108, 322_930]),
        ("unbounded_queue", generic, false, [9, 18, 58, 166]),
        ("synchronous_queue", generic, true, [9, 25, 83, 223]),
        ("skip_queue", priorities, false, [7, 25, 156, 1_096]),
    ] {
        for ((values, most_threads, most_steps, most_preadds), expected) in columns.into_iter().zip(expected)
        {
            let (most_steps, most_preadds) = match (is_synchronous, most_preadds) {
                (true, 1) => (most_steps + 1, 0),
                (_, preadds) => (most_steps, preadds),
            };
            let mut sum = 0;
            for threads in 1..=most_threads {
                let instance = Instance::of(model, (threads, 8, values));
                let Client::General(general) = instance.general() else { panic!("the general client") };
                let program = instance.machine.program();
                for (steps, preadds) in (1..=most_steps).flat_map(|s| (0..=most_preadds).map(move |p| (s, p)))
                {
                    let threads = threads as usize;
                    let general = &general;
                    let lists = ScheduleLists { program, general, threads, restrictions };
                    sum += lists.number(steps, preadds, &mut || true).number;
                }
            }
            assert_eq!(sum, expected, "{model}, {values} values");
        }
    }
}
