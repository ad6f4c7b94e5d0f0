//! Random sequences of calls, points and returns, about half of them legal: results come from the
//! specification at random moments, and now and then from nowhere.

use crate::engine::support::{Text, bounds};
use fastrand::Rng;
use linchpin_explore::ClientEvent;
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::OpId;
use linchpin_ir::types::{NONE, Word};
use linchpin_semantics::{Participant, SpecMachine, SpecState, ThreadId};

/// A specification, and what its operations may take and give.
pub struct Subject {
    pub name: &'static str,
    pub spec: SpecMachine,
    ops: Vec<(Vec<Vec<Word>>, Vec<Vec<Word>>)>,
}

pub const THREADS: u32 = 3;

/// Every specification; operations with `lin` in their text are those that the texts here say.
pub fn subjects() -> Vec<Subject> {
    let values = || vec![vec![1], vec![2]];
    let maybe = || vec![vec![NONE], vec![1], vec![2]];
    let nothing = || vec![vec![]];
    let flag = || vec![vec![0], vec![1]];
    let digits = || vec![vec![0], vec![1], vec![2]];
    let entries = || vec![vec![1, 0], vec![2, 0], vec![1, 1], vec![2, 1]];
    let subject = |name, text: &str, ops| {
        let setting = Setting { threads: THREADS, ..Setting::default() };
        let program = Text::new(format!("{text} shared x: bool;")).compiled(&setting).program;
        let spec = SpecMachine::new(&program, &bounds((THREADS, 1, 2))).expect("the bounds fit");
        Subject { name, spec, ops }
    };
    vec![
        subject(
            "Stack",
            "object O: Stack; op push(v: data) { x = true; lin; } op pop() -> data? { x = true; lin; return none; }",
            vec![(values(), nothing()), (nothing(), maybe())],
        ),
        subject(
            "Queue",
            "object O: Queue; op enq(v: data) { x = true; lin; } op deq() -> data? { return none; }",
            vec![(values(), nothing()), (nothing(), maybe())],
        ),
        subject(
            "Register",
            "object O: Register<0..=2>(0); op write(v: 0..=2) {} op read() -> 0..=2 { x = true; lin maybe; return 0; }",
            vec![(digits(), nothing()), (nothing(), digits())],
        ),
        subject(
            "Set",
            "object O: Set<data>; op add(y: data) -> bool { x = true; lin; return true; }
            op remove(y: data) -> bool { x = true; lin; return true; }
            op contains(y: data) -> bool { return true; }",
            vec![(values(), flag()), (values(), flag()), (values(), flag())],
        ),
        subject(
            "BoundedQueue",
            "object O: BoundedQueue(1); op enq(v: data) { x = true; lin; } op deq() -> data { loop { x = false; } }",
            vec![(values(), nothing()), (nothing(), values())],
        ),
        subject(
            "PQueue",
            "object O: PQueue<0..2>; op add(item: data, priority: 0..2) {}
            op remove_min() -> data? { x = true; lin; return none; }",
            vec![(entries(), nothing()), (nothing(), maybe())],
        ),
        subject(
            "SynchronousQueue",
            "object O: SynchronousQueue; op enq(v: data) {} op deq() -> data? { return none; }",
            vec![(values(), nothing()), (nothing(), maybe())],
        ),
    ]
}

struct Pending {
    op: OpId,
    args: Vec<Word>,
    given: Option<Vec<Word>>,
}

/// So many moves of random threads; of `lies` results and points one is made up.
pub fn events(rng: &mut Rng, subject: &Subject, moves: usize, lies: u32) -> Vec<ClientEvent> {
    let initial = subject.spec.initial().expect("it begins");
    let mut state = initial[rng.usize(..initial.len())].clone();
    let mut pending: Vec<Option<Pending>> = (0..THREADS).map(|_| None).collect();
    let mut seen = Vec::new();
    for _ in 0..moves {
        let at = rng.usize(..pending.len());
        let thread = ThreadId::new(at);
        if rng.u32(..4 * lies) == 0 {
            seen.push(ClientEvent::Lin { thread, maybe: rng.bool() });
        }
        match &pending[at] {
            None => {
                let op = rng.usize(..subject.ops.len());
                let args = pick(rng, &subject.ops[op].0);
                let op = OpId::new(op);
                seen.push(ClientEvent::Call { thread, op, args: args.as_slice().into() });
                pending[at] = Some(Pending { op, args, given: None });
            }
            Some(call) => {
                let lie = (rng.u32(..lies) == 0).then(|| pick(rng, &subject.ops[call.op.index()].1));
                if let Some(result) = lie.or(call.given.clone()) {
                    seen.push(ClientEvent::Return { thread, op: call.op, result: result.as_slice().into() });
                    pending[at] = None;
                } else {
                    take_effect(rng, &subject.spec, &mut state, &mut pending, at, &mut seen);
                }
            }
        }
    }
    seen
}

/// One pending call, or two that meet, in one of the ways that the specification has.
fn take_effect(
    rng: &mut Rng,
    spec: &SpecMachine,
    state: &mut SpecState,
    pending: &mut [Option<Pending>],
    first: usize,
    seen: &mut Vec<ClientEvent>,
) {
    let second = rng.usize(..pending.len());
    for group in [vec![first], vec![first, second]] {
        let waiting = |at: &usize| pending[*at].as_ref().filter(|call| call.given.is_none());
        let calls: Vec<&Pending> = group.iter().filter_map(waiting).collect();
        if calls.len() < group.len() || (group.len() == 2 && first == second) {
            continue;
        }
        let participants: Vec<Participant<'_>> = group
            .iter()
            .zip(&calls)
            .map(|(&at, call)| Participant { op: call.op, args: &call.args, thread: ThreadId::new(at) })
            .collect();
        let outcomes = spec.outcomes(state, &participants).expect("it is in order");
        if outcomes.is_empty() {
            continue;
        }
        let outcome = outcomes[rng.usize(..outcomes.len())].clone();
        *state = outcome.state;
        for (&at, result) in group.iter().zip(outcome.results) {
            if let Some(call) = &mut pending[at] {
                call.given = Some(result.map(Vec::from).unwrap_or_default());
            }
            if rng.u32(..8) != 0 {
                seen.push(ClientEvent::Lin { thread: ThreadId::new(at), maybe: rng.u32(..3) == 0 });
            }
        }
        return;
    }
}

fn pick(rng: &mut Rng, from: &[Vec<Word>]) -> Vec<Word> {
    from[rng.usize(..from.len())].clone()
}
