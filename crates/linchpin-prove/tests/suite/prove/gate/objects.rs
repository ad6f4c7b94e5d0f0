//! Wrong objects with empty or full certificates: the gate judges their executions.

use super::{CLAIMS, program};
use crate::prove::{QUICK, Text};
use linchpin_certify::certificate::{
    ANY, Certificate, Effect, Invariant, LocalState, Obligation, Rest, Returned, SharedState, Symbol, View,
    WatchedCell,
};
use linchpin_certify::gate::{GateOptions, GateRefused, GateReport, examine};
use linchpin_certify::observer_adequacy;
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_ir::index::byte_of;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use std::collections::BTreeSet;

const NOTHING: Certificate = Certificate { rests: Vec::new(), invariants: Vec::new() };

/// A register that says it is a queue: what was put in last is taken out again and again.
const REGISTER: &str = "
    object Register: Queue;
    struct Node { val: data, next: *Node }
    shared top: *Node;
    op enq(v: data) { let n = new Node { val: v }; top = n; lin; }
    op deq() -> data? {
        let t = top;
        lin;
        if t == null { return none; }
        return t.val;
    }";

fn examined(text: &str, claims: &[Property]) -> Result<GateReport, GateRefused> {
    examine(&program(&Text::new("wrong", text)), &NOTHING, claims, &QUICK, &|| true)
}

#[test]
fn a_register_is_no_queue_whatever_the_views_contain() {
    let program = program(&Text::new("register", REGISTER));
    let everything = everything(&program);
    assert!(everything.size() > 1_000);
    let judged = |claims: &[Property]| examine(&program, &everything, claims, &QUICK, &|| true);
    assert!(matches!(judged(&CLAIMS), Err(GateRefused::Refinement { .. })));
    // The observers see it too.
    assert!(matches!(judged(&[Property::MemorySafe]), Err(GateRefused::Observer { .. })));
    assert!(examined(REGISTER, &[Property::MemorySafe]).is_ok());
}

/// With a right object the same views contain every state: what refuses above is not the views.
#[test]
fn views_of_everything_contain_everything() {
    let program = program(&Text::of_catalogue("treiber_stack"));
    let everything = everything(&program);
    let judged = examine(&program, &everything, &CLAIMS, &QUICK, &|| true);
    assert!(judged.is_ok(), "{judged:?}");
}

#[test]
fn faults_refuse_what_they_are_faults_of() {
    let body = |first: &str| {
        format!(
            "object Faulty: Stack;
            memory pool;
            struct Node {{ val: data, next: *Node }}
            shared head: *Node; shared used: bool;
            op push(v: data) {{ let n = new Node {{ val: v }}; lin; {first} }}
            op pop() -> data? {{ used = true; lin; return none; }}"
        )
    };
    let refused = |text: &str, property: Property| match examined(text, &[property]) {
        Err(GateRefused::Fault { property: named, .. }) => {
            assert_eq!(named, property);
            true
        }
        _ => false,
    };
    let null = body("let h = head; h.val = v;");
    assert!(refused(&null, Property::MemorySafe) && !refused(&null, Property::Assertions));
    let lost = body("");
    assert!(refused(&lost, Property::MemorySafe) && !refused(&lost, Property::Assertions));
    let twice = body("free(n); free(n);");
    assert!(refused(&twice, Property::MemorySafe));
    let asserted = body("free(n); assert head != null;");
    assert!(refused(&asserted, Property::Assertions) && !refused(&asserted, Property::MemorySafe));
}

#[test]
fn a_deadlock_is_found() {
    let text = "
        object Locked: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared a: lock; shared b: lock;
        op push(v: data) { a.lock(); b.lock(); lin; b.unlock(); a.unlock(); }
        op pop() -> data? { b.lock(); a.lock(); lin; a.unlock(); b.unlock(); return none; }";
    // A call that waits for ever is not linearizable either.
    for property in [Property::DeadlockFree, Property::Linearizable] {
        assert!(matches!(examined(text, &[property]), Err(GateRefused::Deadlock { .. })), "{property}");
    }
}

#[test]
fn what_never_happens_is_vacuous() {
    let object = |init: &str, push: &str, pop: &str| {
        format!(
            "object Idle: Stack;
            struct Node {{ val: data, next: *Node }}
            shared head: *Node;
            init {{ {init} }}
            op push(v: data) {{ {push} }}
            op pop() -> data? {{ {pop} }}"
        )
    };
    let claims = [Property::MemorySafe];
    let right = "head = null; lin; return none;";
    assert!(examined(&object("", "head = null; lin;", right), &claims).is_ok());
    let vacuous = |text: &str, name: &str| match examined(text, &claims) {
        Err(GateRefused::Vacuous { operation, kind, up_to }) => {
            assert_eq!((&*operation, up_to.threads), (name, 3), "{kind}");
            kind
        }
        other => panic!("{other:?}"),
    };
    let stuck = object("", "await head != null; lin;", right);
    assert_eq!(vacuous(&stuck, "push"), "completes");
    let never =
        object("", "head = null; lin;", "let h = head; lin; if h != null { return h.val; } return none;");
    assert_eq!(vacuous(&never, "pop"), "returns a value");
    let always = object(
        "",
        "head = null; lin;",
        "let h = head; let r: data? = none; lin; if h != null { r = h.val; } return r;",
    );
    assert_eq!(vacuous(&always, "pop"), "returns a value");
    let never_begins = object("assume head != null;", "head = null; lin;", right);
    assert!(matches!(examined(&never_begins, &claims), Err(GateRefused::InitNeverEnds)));
}

#[test]
fn limits_are_said() {
    let program = program(&Text::of_catalogue("treiber_stack"));
    let few = GateOptions { first_states: 50, ..QUICK };
    let unfinished = examine(&program, &NOTHING, &CLAIMS, &few, &|| true);
    assert!(matches!(unfinished, Err(GateRefused::Unfinished { .. })));
    let stopped = examine(&program, &NOTHING, &CLAIMS, &QUICK, &|| false);
    assert_eq!(stopped, Err(GateRefused::Interrupted));
}

/// Views that contain every state of a program without locks: nothing is remembered of variables, and
/// everything else is there in every way.
fn everything(program: &Program) -> Certificate {
    let mut rests = Vec::new();
    for (op, operation) in program.ops.entries() {
        for (pc, instr) in program.methods[operation.method].code.entries() {
            if instr.access.is_step() {
                rests.push(Rest { op, pc, slots: Vec::new(), returned: Returned::Unclear });
            }
        }
    }
    let groups = observer_adequacy::products_of(program).expect("the observers are known");
    let observed = groups.iter().enumerate().map(|(at, group)| {
        let effects = |local: LocalState| {
            let tracked = (0..byte_of(group.variables)).map(Symbol::Tracked);
            let results = tracked.chain([Symbol::Unknown, Symbol::Absent, Symbol::Other]);
            let effects = results.map(Effect::Done).chain([
                Effect::Waiting,
                Effect::Due,
                Effect::Tentative { right: true },
                Effect::Tentative { right: false },
            ]);
            effects.map(|effect| LocalState { effect, ..local.clone() }).collect::<Vec<_>>()
        };
        let locals = locals(rests.len()).into_iter().flat_map(|local| match local.at {
            Some(_) => effects(local),
            None => vec![local],
        });
        let mut shared = Vec::new();
        for location in locations(program, group) {
            for used in 0..1_u8 << group.variables {
                for there in 0..1_u8 << group.variables {
                    let tracked = (0..group.variables).map(|at| there >> at & 1 == 1).collect();
                    shared.push(shared_state(program, location, used, tracked));
                }
            }
        }
        invariant(Obligation::Observers(at), shared, locals.collect())
    });
    Certificate { invariants: observed.collect(), rests: rests.clone() }
}

fn locals(rests: usize) -> Vec<LocalState> {
    let at = (0..).take(rests).map(Some).chain([None]);
    let local = |at| LocalState { at, effect: Effect::Waiting, holds: 0, answers: false, slots: Vec::new() };
    at.map(local).collect()
}

fn shared_state(program: &Program, location: u16, used: u8, tracked: Vec<bool>) -> SharedState {
    let globals = vec![Symbol::Unknown; program.globals.slots.len()];
    SharedState { location, used, held: 0, globals, tracked, watch: WatchedCell::default() }
}

/// Every shared state with every two threads; any relation between the cells.
fn invariant(question: Obligation, shared: Vec<SharedState>, locals: Vec<LocalState>) -> Invariant {
    let mut views = Vec::new();
    for (number, state) in shared.iter().enumerate() {
        // Under garbage collection there is one sentinel.
        let terms = 1 + state.tracked.iter().filter(|there| **there).count();
        for first in 0..locals.len() {
            for second in first..locals.len() {
                let shape = vec![ANY; terms * (terms - 1) / 2];
                views.push(View { shared: number, locals: [first, second], shape, labels: Vec::new() });
            }
        }
    }
    Invariant { question, ordered: false, shared, locals, views }
}

fn locations(program: &Program, group: &ObserverProduct) -> BTreeSet<u16> {
    let events = observer_adequacy::events(program, group.variables);
    let mut known = BTreeSet::from([0]);
    let mut open = vec![0];
    while let Some(from) = open.pop() {
        for to in events.iter().map(|event| group.step(from, event)) {
            if group.accepting(to).is_none() && known.insert(to) {
                open.push(to);
            }
        }
    }
    known
}
