//! Schedules judged one by one after a violation: against each schedule searched by itself, with nothing of
//! the machinery that runs and groups them; and what makes failures equal.

use crate::engine::support::{Instance, Size, Text, findings, seconds, unlimited};
use linchpin_engine::Silent;
use linchpin_engine::verdict::{Failures, Finding, Verdict};
use linchpin_explore::{
    ClientRequest, Failure, Judges, MonitorKind, Reductions, Request, Restriction, Schedule, Search,
    SearchProblem, ViolationKind, schedules,
};
use linchpin_ir::property::Property;
use linchpin_judge::replay::replay;
use linchpin_judge::trace::Trace;
use linchpin_semantics::Client;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

const GENERIC: &[Restriction] = &[Restriction::GenericValues];

#[derive(Clone)]
struct Scope {
    size: Size,
    steps: RangeInclusive<u32>,
    preadds: u32,
    restrictions: &'static [Restriction],
}

impl Scope {
    fn request(&self, properties: &[Property], jobs: usize) -> Request {
        let (threads, nodes, values) = self.size;
        let client = ClientRequest::Schedules {
            steps: self.steps.clone(),
            preadds: self.preadds..=self.preadds,
            restrictions: self.restrictions.to_vec(),
        };
        Request {
            threads: threads..=threads,
            nodes: Some(nodes..=nodes),
            values: values..=values,
            keys: values..=values,
            ints: 4,
            client,
            properties: properties.to_vec(),
            keep_going: true,
            jobs,
            ..Request::default()
        }
    }

    fn schedules(&self, instance: &Instance) -> Vec<Schedule> {
        let Client::General(general) = instance.general() else { panic!("the general client") };
        let program = instance.machine.program();
        let of_length = |steps: u32| {
            let (threads, preadds) = (self.size.0 as usize, self.preadds as usize);
            schedules(program, &general, threads, steps as usize, preadds, self.restrictions)
        };
        self.steps.clone().flat_map(of_length).collect()
    }
}

/// How the plain searches judge a property.
fn question(property: Property) -> (MonitorKind, ViolationKind) {
    match property {
        Property::Linearizable => (MonitorKind::Refinement, ViolationKind::Inconsistent),
        Property::SequentiallyConsistent => (MonitorKind::ProgramOrder, ViolationKind::Inconsistent),
        Property::QuiescentlyConsistent => (MonitorKind::Quiescence, ViolationKind::Inconsistent),
        Property::DeadlockFree => (MonitorKind::Refinement, ViolationKind::Deadlocked),
        Property::MemorySafe => (MonitorKind::Refinement, ViolationKind::MemoryUnsafe),
        Property::Assertions => (MonitorKind::Refinement, ViolationKind::AssertionFails),
        other => panic!("{other} is about cycles"),
    }
}

/// By number of steps of its shortest violation: how many schedules violate a property.
fn plainly(instance: &Instance, scope: &Scope, property: Property) -> (u64, BTreeMap<usize, u64>) {
    let (method, kind) = question(property);
    let mut lengths = BTreeMap::new();
    let all = scope.schedules(instance);
    for schedule in &all {
        let client = schedule.client();
        let (_, summary) =
            instance.reduced_search(&client, Some(method.clone()), &[kind], Reductions::NONE, 1);
        let moves = summary.found.values().min().copied().or_else(|| spinning(instance, &client, property));
        if let Some(moves) = moves {
            *lengths.entry(moves).or_default() += 1;
        }
    }
    (all.len() as u64, lengths)
}

/// The moves to an end at which calls spin that must not wait for ever.
fn spinning(instance: &Instance, client: &Client, property: Property) -> Option<usize> {
    let (method, kind) = question(property);
    let judges = match kind {
        ViolationKind::Inconsistent => Judges::Consistency,
        ViolationKind::Deadlocked => Judges::Deadlock,
        _ => return None,
    };
    let mut search = Search::new(SearchProblem {
        machine: &instance.machine,
        client,
        spec: &instance.spec,
        monitor: Some(method),
        wanted: Vec::new(),
        reductions: Reductions::NONE,
        jobs: 1,
        most_levels: None,
        most_nodes: None,
        planted: None,
    });
    search.is_exhaustive = true;
    search.run(&unlimited(), &mut Silent).expect("it can be searched");
    let node = search.unjustified(judges, &unlimited(), &mut Silent).expect("there is a graph");
    node.map(|node| search.level_of(node))
}

fn failures(finding: &Finding) -> &Failures {
    finding.failures.as_ref().expect("it was asked to go on")
}

/// Returns the text of a finding, without its time.
fn told(finding: &Finding) -> Vec<(u64, String)> {
    let told = |group: &linchpin_engine::verdict::FailureGroup| {
        (group.schedules, format!("{:?}", group.counterexample.trace()))
    };
    failures(finding).groups.iter().map(told).collect()
}

fn compare(text: &Text, scope: &Scope, properties: &[Property]) -> Vec<Finding> {
    let instance = Instance::new(text, scope.size);
    let found = findings(text, &scope.request(properties, 1), &unlimited());
    let by_three = findings(text, &scope.request(properties, 3), &unlimited());
    for (finding, other) in found.iter().zip(&by_three) {
        let property = finding.property();
        assert_eq!(told(finding), told(other), "{property}: whatever the number of workers");
        assert_eq!(finding.effort.states, other.effort.states, "{property}");
        let (number, lengths) = plainly(&instance, scope, property);
        let failures = failures(finding);
        assert_eq!((failures.schedules, failures.judged), (number, number), "{property}");
        assert_eq!(failures.failing, lengths.values().sum::<u64>(), "{property}: schedules that fail");
        let in_groups: u64 = failures.groups.iter().map(|group| group.schedules).sum();
        assert_eq!(in_groups, failures.failing, "{property}: each in one group");
        let traces = || failures.groups.iter().map(|group| group.counterexample.trace());
        assert!(traces().map(|trace| trace.choices.len()).is_sorted(), "{property}: the shortest first");
        // Threads that spin may come to where they go round some steps later.
        let stems: Vec<usize> = traces().map(|trace| trace.cycle.unwrap_or(trace.choices.len())).collect();
        assert_eq!(stems.iter().min(), lengths.keys().next(), "{property}: a shortest one of all");
        let is_known = |trace: &Trace| trace.cycle.is_some() || lengths.contains_key(&trace.choices.len());
        assert!(traces().all(is_known), "{property}");
        let kinds: Vec<Failure> =
            failures.groups.iter().map(|group| Failure::of(&group.counterexample)).collect();
        let is_new = |at: usize| !kinds[..at].contains(&kinds[at]);
        assert!((0..kinds.len()).all(is_new), "{property}: no two groups are equal");
        for group in &failures.groups {
            let trace = group.counterexample.trace();
            replay(instance.machine.program(), trace).expect("every counterexample replays");
        }
        assert_eq!(matches!(finding.verdict(), Verdict::Violated(_)), failures.failing > 0, "{property}");
    }
    found
}

fn groups(findings: &[Finding], property: Property) -> Vec<u64> {
    let finding = findings.iter().find(|finding| finding.property() == property).expect("it was asked");
    failures(finding).groups.iter().map(|group| group.schedules).collect()
}

const CONSISTENCIES: [Property; 3] =
    [Property::Linearizable, Property::SequentiallyConsistent, Property::QuiescentlyConsistent];

#[test]
fn sets() {
    let scope = Scope { size: (2, 5, 3), steps: 1..=3, preadds: 0, restrictions: &[] };
    let text = Text::of("lock_free_list_original");
    let found = compare(&text, &scope, &[Property::Linearizable, Property::MemorySafe]);
    // Whatever the key, and whatever is done with other keys, it is the same failure.
    assert_eq!(groups(&found, Property::Linearizable), [3]);
    assert!(groups(&found, Property::MemorySafe).is_empty());
}

#[test]
fn queues_that_wait() {
    let scope = Scope { size: (3, 5, 3), steps: 3..=4, preadds: 0, restrictions: GENERIC };
    let found = compare(&Text::of("synchronous_dual_queue"), &scope, &CONSISTENCIES);
    assert!(!groups(&found, Property::Linearizable).is_empty());
}

#[test]
fn priority_queues() {
    let scope = Scope { size: (2, 7, 4), steps: 3..=3, preadds: 1, restrictions: &Restriction::ALL };
    let found = compare(&Text::of("simple_tree"), &scope, &CONSISTENCIES);
    assert!(!groups(&found, Property::QuiescentlyConsistent).is_empty());
}

/// Two mistakes in two lines, and a lock that is forgotten.
#[test]
fn errors_by_their_place_and_deadlocks_by_where_they_wait() {
    let text = Text::new(
        "object Careless: Stack;
        shared guard: lock;
        shared item: data?;
        shared spare: data?;
        op push(v: data) {
            guard.lock();
            if item != none { spare = item; }
            item = v;
            guard.unlock();
        }
        op pop() -> data? {
            if item == none { assert spare == none; return none; }
            guard.lock();
            let x = item;
            assert x != none;
            item = none;
            if spare != none { return x; }
            guard.unlock();
            return x;
        }",
    );
    let scope = Scope { size: (2, 1, 3), steps: 2..=4, preadds: 0, restrictions: GENERIC };
    let properties = [Property::Assertions, Property::DeadlockFree];
    let found = compare(&text, &scope, &properties);
    assert_eq!(groups(&found, Property::Assertions).len(), 2, "two lines");
    assert!(groups(&found, Property::DeadlockFree).len() > 1, "push waits, or pop, or both");
}

/// Ends at which calls spin are found schedule by schedule too.
#[test]
fn ends_at_which_calls_spin() {
    let deaf = Text::new(
        "object Deaf: SynchronousQueue;
        shared bell: bool;
        shared item: data?;
        op enq(v: data) { while !bell {} item = v; }
        op deq() -> data { while item == none {} bell = true; return item.unwrap(); }",
    );
    let scope = Scope { size: (2, 1, 2), steps: 2..=2, preadds: 0, restrictions: GENERIC };
    for property in [Property::DeadlockFree, Property::Linearizable] {
        let found = findings(&deaf, &scope.request(&[property], 1), &unlimited());
        assert_eq!(groups(&found, property), [1], "an enq beside a deq; two enqs may wait");
        assert_eq!(failures(&found[0]).judged, 3);
    }
}

/// What was not judged is said, and a violation that is known stays one.
#[test]
fn a_budget_that_ends() {
    let scope = Scope { size: (3, 8, 5), steps: 3..=4, preadds: 1, restrictions: &[] };
    let text = Text::of("lock_free_list_original");
    let found = findings(&text, &scope.request(&[Property::Linearizable], 2), &seconds(2));
    let failures = failures(&found[0]);
    assert!(failures.judged < failures.schedules);
    assert!(!matches!(found[0].verdict(), Verdict::Holds));
}
