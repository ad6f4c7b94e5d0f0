//! Random histories, about half of them legal: results come from an execution of the specification at random
//! moments, and now and then from nowhere.

use super::sequential::{Sequential, Values};
use fastrand::Rng;
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{Word, word_of};
use linchpin_judge::history::{Event, History};
use linchpin_semantics::ThreadId;

struct Pending {
    op: usize,
    args: Vec<Word>,
    given: Option<Vec<Word>>,
}

/// `lies`: of so many results one is made up.
pub fn history(
    rng: &mut Rng,
    program: &Program,
    spec: Sequential,
    threads: usize,
    calls: usize,
    lies: u32,
) -> History {
    made_of(rng, program, spec, (threads, calls, lies), |rng, operations, op, _| {
        operations[op].0[rng.usize(..operations[op].0.len())].clone()
    })
}

/// As [`history`], of a specification whose values are arbitrary: no two calls put in the same one.
pub fn distinct(
    rng: &mut Rng,
    program: &Program,
    spec: Sequential,
    threads: usize,
    calls: usize,
    lies: u32,
) -> History {
    made_of(rng, program, spec, (threads, calls, lies), |_, operations, op, made| {
        let takes_value = operations[op].0.iter().any(|args| !args.is_empty());
        if takes_value { vec![word_of(made) + 1] } else { vec![] }
    })
}

fn made_of(
    rng: &mut Rng,
    program: &Program,
    spec: Sequential,
    (threads, calls, lies): (usize, usize, u32),
    arguments: impl Fn(&mut Rng, &[(Values, Values)], usize, usize) -> Vec<Word>,
) -> History {
    let operations = spec.operations();
    let mut events = Vec::new();
    let mut pending: Vec<Option<Pending>> = (0..threads).map(|_| None).collect();
    let mut state = spec.initial();
    let mut made = 0;
    // Calls that are not enabled stay pending, so moves may run out before calls do.
    for _ in 0..calls * 12 {
        if made == calls && rng.u32(..8) == 0 {
            break;
        }
        let thread = rng.usize(..threads);
        match &mut pending[thread] {
            None if made < calls => {
                let op = rng.usize(..operations.len());
                let args = arguments(rng, &operations, op, made);
                let call =
                    Event::Call { thread: ThreadId::new(thread), op: OpId::new(op), args: args.clone() };
                events.push(call);
                pending[thread] = Some(Pending { op, args, given: None });
                made += 1;
            }
            None => {}
            Some(call) => {
                let results = &operations[call.op].1;
                let result = if rng.u32(..lies) == 0 {
                    Some(results[rng.usize(..results.len())].clone())
                } else {
                    call.given.clone().filter(|_| rng.bool())
                };
                if let Some(result) = result {
                    events.push(Event::Return { thread: ThreadId::new(thread), result });
                    pending[thread] = None;
                }
            }
        }
        if rng.bool() {
            take_effect(rng, spec, &mut state, &mut pending);
        }
    }
    History::new(program, events).expect("well-formed by construction")
}

/// One pending call, or two that meet.
fn take_effect(rng: &mut Rng, spec: Sequential, state: &mut Vec<Word>, pending: &mut [Option<Pending>]) {
    let waiting: Vec<usize> = (0..pending.len())
        .filter(|&t| pending[t].as_ref().is_some_and(|call| call.given.is_none()))
        .collect();
    if waiting.is_empty() {
        return;
    }
    let first = waiting[rng.usize(..waiting.len())];
    let second = waiting[rng.usize(..waiting.len())];
    let together = if first == second { vec![first] } else { vec![first, second] };
    for group in [together, vec![first]] {
        let calls: Vec<_> =
            group.iter().filter_map(|&t| pending[t].as_ref()).map(|c| (c.op, &c.args[..])).collect();
        let effects = spec.effects(state, &calls);
        if effects.is_empty() {
            continue;
        }
        let (after, results) = effects[rng.usize(..effects.len())].clone();
        *state = after;
        for (&thread, result) in group.iter().zip(results) {
            if let Some(call) = &mut pending[thread] {
                call.given = Some(result);
            }
        }
        return;
    }
}
