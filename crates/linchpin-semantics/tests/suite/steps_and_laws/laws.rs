//! The laws of normal forms, on random executions of every model of the catalogue.

use crate::steps_and_laws::support::*;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::{MemoryKind, Program};
use linchpin_ir::types::Word;
use linchpin_semantics::*;
use std::collections::BTreeSet;
use std::sync::Arc;

fn flat(machine: &Machine, state: &State) -> Vec<Word> {
    let mut words = Vec::new();
    machine.flatten(state, &mut words);
    words
}

fn normal_form(machine: &Machine, state: &State) -> Vec<Word> {
    let mut state = state.clone();
    machine.normalise(&mut state);
    flat(machine, &state)
}

/// Returns the outcomes of an action, up to names.
fn successors(machine: &Machine, state: &State, action: &Action) -> BTreeSet<(String, Vec<Word>)> {
    outcomes(machine, state, action).into_iter().map(|outcome| up_to_names(machine, outcome)).collect()
}

fn up_to_names(machine: &Machine, (outcome, after): (Outcome, State)) -> (String, Vec<Word>) {
    match outcome {
        Outcome::Done => ("done".into(), normal_form(machine, &after)),
        Outcome::Fault(fault) => {
            (format!("{:?} at {:?} {:?}", fault.property(), fault.site, fault.pc), Vec::new())
        }
        Outcome::Disabled(blocked) => (format!("disabled by bound: {}", blocked.by_bound()), Vec::new()),
        Outcome::Cut(cut) => (format!("{cut:?}"), Vec::new()),
        Outcome::Discarded => ("discarded".into(), Vec::new()),
    }
}

/// Returns the reachable cells: follows the values of everything that is live. The reference.
fn naive_reachable(machine: &Machine, state: &State) -> BTreeSet<CellId> {
    let program = machine.program();
    let mut work: Vec<Value> = program.globals.variables.ids().map(|id| machine.global(state, id)).collect();
    for thread in machine.bounds().thread_ids() {
        work.extend(program.thread_vars.ids().map(|var| machine.thread_var(state, thread, var)));
        let frames = machine.frames(state, thread);
        work.extend(frames.into_iter().flat_map(|frame| frame.locals).map(|(_, value)| value));
    }
    let mut found = BTreeSet::new();
    while let Some(value) = work.pop() {
        match value {
            Value::Pointer(cell) if found.insert(cell) => {
                let view = machine.cell(state, cell).expect("no pointer leads nowhere");
                work.extend(machine.fields(state, view).into_iter().map(|(_, value)| value));
            }
            Value::Record(_, fields) => work.extend(fields.into_iter().map(|(_, value)| value)),
            Value::List(items) | Value::Bag(items) => work.extend(items),
            Value::Map(entries) => work.extend(entries.into_iter().flat_map(|(key, value)| [key, value])),
            _ => {}
        }
    }
    found
}

/// A program with what the catalogue rarely has: pointers in callers' frames, in sets and maps, and links to
/// cells.
const CHURN: &str = "
object Churn: S;
spec S { op push() {} op pop() {} op sum() -> 0..9 { return choose 0..9; } op note() {} op forget() {} op link() -> bool { return choose bool; } }
struct Node { n: 0..9, next: *Node }
word Entry { at: *Node, names: seq<*Node> }
shared head: *Node;
shared seen: set<*Node>;
shared counts: map<*Node, 0..9>;
shared groups: bag<Entry>;
local mine: seq<*Node>;
op push() { let n = new Node { n: 1, next: head }; head = n; }
op pop() { let top = head; if top == null { return; } head = top.next; }
fn add_up(n: *Node) -> int {
    if n == null { return 0; }
    let rest = add_up(n.next);
    n.n = 2;
    return n.n + rest;
}
op sum() -> 0..9 { return add_up(head) % 10; }
op note() {
    let top = head;
    if top == null { return; }
    seen.add(top);
    counts.insert(top, 3);
    mine.push_back(top);
    groups.add(Entry { at: top, names: mine });
}
op forget() { seen.clear(); counts.clear(); groups.clear(); mine = []; }
op link() -> bool {
    let top = head;
    if top == null { return false; }
    let n = ll(top.n);
    return sc(top.n, 9 - n);
}";

fn churn(threads: u32) -> (Arc<Program>, Bounds) {
    let bounds = Bounds { threads, nodes: 4, depth: 4, ..Bounds::default() };
    (program(CHURN, &Setting { threads, ..Setting::default() }), bounds)
}

fn walk(path: &str, (program, bounds): (Arc<Program>, Bounds), seed: u64, steps: usize) -> usize {
    let machine = Machine::new(&program, &bounds).unwrap_or_else(|list| panic!("{path:?} {list:?}"));
    let client = Client::general(&program, &bounds).unwrap_or_else(|list| panic!("{path:?} {list:?}"));
    let mut random = fastrand::Rng::with_seed(seed);
    let mut state =
        machine.initial(&mut Picks::new()).unwrap_or_else(|outcome| panic!("{path:?} {outcome:?}"));
    let mut done = 0;
    for _ in 0..steps {
        let mut normal = state.clone();
        machine.normalise(&mut normal);
        let form = flat(&machine, &normal);

        let mut twice = normal.clone();
        machine.normalise(&mut twice);
        assert_eq!(flat(&machine, &twice), form, "{path:?}: not idempotent");

        let restored = machine.restore(&form).expect("a flattened state");
        assert_eq!(flat(&machine, &restored), form, "{path:?}: not restored");
        let here = machine.restore(&flat(&machine, &state)).expect("a flattened state");
        assert_eq!(normal_form(&machine, &here), form, "{path:?}: a state with garbage is not restored");

        let mut collected = state.clone();
        machine.collect_keeping_names(&mut collected);
        assert_eq!(normal_form(&machine, &collected), form, "{path:?}: collection changed the state");
        let reachable = naive_reachable(&machine, &state);
        assert_eq!(naive_reachable(&machine, &normal).len(), reachable.len(), "{path:?}");
        let cells: BTreeSet<CellId> = machine.cells(&collected).map(|cell| cell.id).collect();
        if program.memory == MemoryKind::Gc {
            assert_eq!(cells, reachable, "{path:?}: exactly what can be reached is left");
        } else {
            let allocated = machine.cells(&state).filter(|cell| !cell.is_freed).map(|cell| cell.id);
            let lost: Vec<CellId> = allocated.filter(|cell| !reachable.contains(cell)).collect();
            assert_eq!(machine.leaks(&state), lost, "{path:?}");
            assert_eq!(machine.leaks(&normal).len(), lost.len(), "{path:?}");
        }

        let all = actions(&machine, &client, &state);
        for action in &all {
            let expected = successors(&machine, &state, action);
            assert_eq!(expected, successors(&machine, &normal, action), "{path:?}: {action:?} sees names");
            assert_eq!(
                expected,
                successors(&machine, &restored, action),
                "{path:?}: {action:?} after restoring"
            );
        }
        let mut next: Vec<State> = Vec::new();
        for action in &all {
            let results = outcomes(&machine, &state, action).into_iter();
            next.extend(results.filter(|(outcome, _)| outcome.is_done()).map(|(_, after)| after));
        }
        if next.is_empty() {
            break;
        }
        state = next.swap_remove(random.usize(..next.len()));
        // Normal forms and states with garbage alternate at random.
        if random.bool() {
            machine.normalise(&mut state);
        }
        done += 1;
    }
    done
}

#[test]
fn normal_forms_of_the_catalogue() {
    let mut steps = 0;
    for path in models() {
        for seed in 0..4 {
            // Some objects have roles for exactly two threads.
            let larger = model(&path, 2 + (seed % 2) as u32);
            let fits = Client::general(&larger.0, &larger.1).is_ok();
            let instance = if fits { larger } else { model(&path, 2) };
            steps += walk(&path.to_string_lossy(), instance, seed, 60);
        }
    }
    for seed in 0..30 {
        steps += walk("churn", churn(2 + (seed % 2) as u32), seed, 80);
    }
    assert!(steps > 3000, "the walks end too early: {steps}");
}
