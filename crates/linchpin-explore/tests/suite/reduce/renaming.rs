//! Renaming threads and values: steps commute with a renaming of threads, and a renaming of values misses
//! nothing.

use super::support::*;
use linchpin_explore::reduce::{ThreadSymmetry, rename_data, rename_threads};
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
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

/// Returns the action of a thread under its new name.
fn by(names: &[ThreadId], action: &Action) -> Action {
    match action {
        Action::Step(thread) => Action::Step(names[thread.index()]),
        Action::Call(thread, call) => Action::Call(names[thread.index()], call.clone()),
    }
}

#[test]
fn steps_do_not_see_which_thread_is_which() {
    let mut symmetric = 0;
    let catalogue = models().into_iter().map(|path| (path.to_string_lossy().into_owned(), model(&path, 3)));
    for (path, (program, bounds)) in catalogue.chain([("churn".into(), churn(3))]) {
        let machine = Machine::new(&program, &bounds).unwrap_or_else(|list| panic!("{path:?} {list:?}"));
        let Ok(client) = Client::general(&program, &bounds) else { continue };
        let Ok(symmetry) = ThreadSymmetry::of(&machine) else { continue };
        symmetric += 1;
        let mut random = fastrand::Rng::with_seed(7);
        let mut state =
            machine.initial(&mut Picks::new()).unwrap_or_else(|outcome| panic!("{path:?} {outcome:?}"));
        for _ in 0..40 {
            let mut names: Vec<ThreadId> = bounds.thread_ids().collect();
            random.shuffle(&mut names);
            let renamed = |state: &State| {
                let mut state = state.clone();
                rename_threads(&machine, &symmetry, &mut state, &names);
                state
            };
            let other = renamed(&state);
            let all = actions(&machine, &client, &state);
            for action in &all {
                let image = |(outcome, after): (Outcome, State)| match outcome {
                    Outcome::Done => ("done".into(), normal_form(&machine, &renamed(&after))),
                    other => up_to_names(&machine, (other, after)),
                };
                let expected: BTreeSet<_> =
                    outcomes(&machine, &state, action).into_iter().map(image).collect();
                assert_eq!(
                    successors(&machine, &other, &by(&names, action)),
                    expected,
                    "{path:?}: {action:?}"
                );
            }
            let next: Vec<State> = (all.iter().flat_map(|action| outcomes(&machine, &state, action)))
                .filter_map(|(outcome, after)| outcome.is_done().then_some(after))
                .collect();
            let Some(next) = random.choice(next) else { break };
            state = next;
        }
    }
    assert!(symmetric > 20, "only {symmetric} models are symmetric");
}

#[test]
fn renaming_data_renames_everything() {
    let text = "
    object O: S;
    spec S { state y: data; op put(v: data) {} op get() -> data { return y; } }
    struct Node { val: data }
    hash h(x: data) -> 0..2;
    shared cell: *Node;
    shared seen: set<data>;
    shared where_is: 0..2;
    op put(v: data) { let n = new Node { val: v }; cell = n; seen.add(v); where_is = h(v); }
    op get() -> data { return cell.val; }";
    let bounds = Bounds { values: 2, ..Bounds::default() };
    let subject = machine(text, &bounds);
    let state = subject.initial(&mut Picks::replay(&[1])).expect("h(1) = 1, h(2) = 0");
    let mut run = Runner { machine: subject, state };
    run.whole(0, "put", &[1]);
    assert_eq!(run.shared(), "cell = n1, seen = {1}, where_is = 1");
    rename_data(&run.machine, &mut run.state, &[2, 1]);
    run.machine.normalise(&mut run.state);
    assert_eq!(run.whole(0, "get", &[]), "2");
    assert_eq!(run.shared(), "cell = n1, seen = {2}, where_is = 1");
    run.whole(0, "put", &[2]);
    assert_eq!(run.shared(), "cell = n2, seen = {2}, where_is = 1", "the function went along");
    run.whole(0, "put", &[1]);
    assert_eq!(run.shared(), "cell = n3, seen = {1, 2}, where_is = 0");
}
