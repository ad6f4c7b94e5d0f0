//! The library's observers (Observers, lemma 1). If no value is added twice, some observer accepts a sequence
//! of operations iff the specification does not allow it.
//!
//! The sequences and their results are random. The specifications are those of the library. Each observer
//! runs with every choice of different values for its variables.

use fastrand::Rng;
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::observer::{Event, LocationId, ObservedValue, Observer};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::{NONE, Word};
use linchpin_semantics::{Bounds, Participant, SpecMachine, SpecState, ThreadId};
use std::collections::BTreeMap;
use std::sync::Arc;

const VALUES: Word = 4;
const LONGEST: usize = 9;
const TRACES: usize = 4_000;

/// An operation with its arguments, and what it is said to return.
#[derive(Clone, Debug)]
struct Step {
    op: OpId,
    args: Vec<Word>,
    result: Option<Word>,
}

#[test]
fn observers_of_the_stack_accept_just_what_it_forbids() {
    agree("object O: Stack; op push(v: data) {} op pop() -> data? { return none; }", &[]);
}

#[test]
fn observers_of_the_queue_accept_just_what_it_forbids() {
    agree("object O: Queue; op enq(v: data) {} op deq() -> data? { return none; }", &[]);
}

#[test]
fn observers_of_the_priority_queue_accept_just_what_it_forbids() {
    let text = "object O: PQueue<0..3>; op add(item: data, priority: 0..3) {}
                op remove_min() -> data? { return none; }";
    agree(text, &[0, 1, 2]);
}

/// Both judges on random sequences; each verdict must have been met.
fn agree(text: &str, priorities: &[Word]) {
    let program = program(text);
    let machine = SpecMachine::new(&program, &Bounds { values: VALUES as u32, ..Bounds::default() });
    let machine = machine.expect("the specification compiles");
    let mut rng = Rng::with_seed(7);
    let (mut allowed, mut forbidden) = (0, 0);
    for _ in 0..TRACES {
        let trace = random_trace(&program, priorities, &mut rng);
        let legal = legal_prefix(&machine, &trace);
        let accepted =
            program.spec.observers.iter().filter_map(|observer| first_acceptance(observer, &trace));
        let accepted = accepted.min().unwrap_or(trace.len());
        assert_eq!(legal, accepted, "of {trace:?}");
        if legal == trace.len() {
            allowed += 1;
        } else {
            forbidden += 1;
        }
    }
    assert!(
        allowed > 50 && forbidden > 50,
        "{allowed} allowed and {forbidden} forbidden sequences tell little"
    );
}

/// Adds each value once at most; results are random, rather often what is still there.
fn random_trace(program: &Program, priorities: &[Word], rng: &mut Rng) -> Vec<Step> {
    let (add, remove) = (OpId::new(0), OpId::new(1));
    assert!(program.ops[add].result.is_none() && program.ops[remove].result.is_some());
    let mut fresh: Vec<Word> = (1..=VALUES).collect();
    let mut inside: Vec<Word> = Vec::new();
    let mut trace = Vec::new();
    for _ in 0..rng.usize(1..=LONGEST) {
        if rng.bool() && !fresh.is_empty() {
            let item = fresh.swap_remove(rng.usize(..fresh.len()));
            inside.push(item);
            let mut args = vec![item];
            args.extend(rng.choice(priorities));
            trace.push(Step { op: add, args, result: None });
        } else {
            let likely = match rng.u8(..4) {
                0 => inside.first(),
                1 => inside.last(),
                2 => rng.choice(&inside),
                _ => None,
            };
            let result = match likely {
                Some(value) => *value,
                None if inside.is_empty() || rng.u8(..4) == 0 => NONE,
                None => rng.i32(1..=VALUES),
            };
            inside.retain(|value| *value != result);
            trace.push(Step { op: remove, args: Vec::new(), result: Some(result) });
        }
    }
    trace
}

/// How many steps the specification allows.
fn legal_prefix(machine: &SpecMachine, trace: &[Step]) -> usize {
    let mut states: Vec<SpecState> = machine.initial().expect("the specification begins");
    for (at, step) in trace.iter().enumerate() {
        let participant = Participant { op: step.op, args: &step.args, thread: ThreadId::new(0) };
        let mut next = Vec::new();
        for state in &states {
            for outcome in machine.outcomes(state, &[participant]).expect("the specification is sound") {
                let result = outcome.results[0].as_ref().map(|words| words[0]);
                if result == step.result {
                    next.push(outcome.state);
                }
            }
        }
        if next.is_empty() {
            return at;
        }
        states = next;
    }
    trace.len()
}

/// The first step at which the observer accepts, for the choice of its variables that accepts earliest.
fn first_acceptance(observer: &Observer, trace: &[Step]) -> Option<usize> {
    // One value more than is ever added stands for all that never come.
    choices(observer.variables.len(), VALUES + 1)
        .iter()
        .filter_map(|choice| accepts(observer, choice, trace))
        .min()
}

fn accepts(observer: &Observer, choice: &[Word], trace: &[Step]) -> Option<usize> {
    let data = |value: Word| {
        choice.iter().position(|known| *known == value).map_or(ObservedValue::Other, ObservedValue::Variable)
    };
    let mut location = LocationId::new(0);
    for (at, step) in trace.iter().enumerate() {
        let mut args = step.args.iter();
        let item = args.next().map(|item| data(*item));
        let args = item.into_iter().chain(args.map(|priority| ObservedValue::Constant(*priority))).collect();
        let result = step.result.map(|value| if value == NONE { ObservedValue::Absent } else { data(value) });
        location = observer.step(location, &Event { op: step.op, args, result });
        if observer.locations[location.index()].accepting {
            return Some(at);
        }
    }
    None
}

/// Every list of so many different values.
fn choices(variables: usize, values: Word) -> Vec<Vec<Word>> {
    let mut all = vec![Vec::new()];
    for _ in 0..variables {
        all = all
            .iter()
            .flat_map(|choice: &Vec<Word>| {
                let others = (1..=values).filter(|value| !choice.contains(value));
                others.map(|value| [&choice[..], &[value]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

fn program(text: &str) -> Arc<Program> {
    let mut sources = SourceMap::default();
    let root = sources.add("o.lin", text);
    let modules: BTreeMap<String, String> = BTreeMap::new();
    let checked = check(&mut sources, &modules, root, &Setting::default());
    let typed = checked.program.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    Arc::new(lower(&sources, &typed).expect("it lowers"))
}
