//! Which calls a client allows, and when.

use crate::steps_and_laws::support::*;
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_semantics::*;

const TEXT: &str = "
    object O: S;
    enum Mode { Slow, Fast }
    spec S { op arrive(m: Mode) {} op depart() {} op query(v: data?, on: bool) {} }
    shared n: int;
    op arrive(m: Mode) { n += 1; }
    op depart() { n -= 1; }
    op query(v: data?, on: bool) { n = n; }";

fn names(machine: &Machine, client: &Client, state: &State, thread: usize) -> Vec<String> {
    let name = |call: &CallChoice| format!("{}{:?}", machine.program().ops[call.op].name, call.args);
    client.calls(machine, state, ThreadId::new(thread)).map(name).collect()
}

#[test]
fn without_roles_any_call_any_time() {
    let bounds = Bounds { values: 2, ..Bounds::default() };
    let machine = machine(TEXT, &bounds);
    let client = Client::general(machine.program(), &bounds).expect("finite arguments");
    let calls = names(&machine, &client, &initial(&machine), 1);
    assert_eq!(calls.len(), 2 + 1 + 3 * 2);
    assert_eq!(calls[..3], ["arrive[0]", "arrive[1]", "depart[]"]);
}

#[test]
fn roles_say_what_comes_next() {
    let text = format!("{TEXT} role user = arrive depart; role auditor: 1 = query;");
    let bounds = Bounds { values: 1, threads: 3, ..Bounds::default() };
    let mut run = Runner::new(&text, &bounds);
    let client = Client::general(run.machine.program(), &bounds).expect("roles for three threads");
    assert_eq!(names(&run.machine, &client, &run.state, 0), ["arrive[0]", "arrive[1]"]);
    assert_eq!(names(&run.machine, &client, &run.state, 2).len(), 4);
    assert!(client.are_alike(ThreadId::new(0), ThreadId::new(1)));
    assert!(!client.are_alike(ThreadId::new(1), ThreadId::new(2)));
    let thread = ThreadId::new(0);
    let call = client.calls(&run.machine, &run.state, thread).next().expect("a call").clone();
    let outcome =
        perform(&run.machine, &mut run.state, &Action::Call(thread, call), &mut Picks::new(), &mut NoEvents);
    assert_eq!(outcome, Outcome::Done);
    assert!(names(&run.machine, &client, &run.state, 0).is_empty(), "busy");
    run.finish(0);
    assert_eq!(names(&run.machine, &client, &run.state, 0), ["depart[]"]);
}

#[test]
fn roles_must_fit_the_threads() {
    let text = format!("{TEXT} role one: 1 = arrive; role two: 2 = query;");
    let program = program(&text, &Setting::default());
    for (threads, fits) in [(2, false), (3, true), (4, false)] {
        let bounds = Bounds { threads, ..Bounds::default() };
        assert_eq!(Client::general(&program, &bounds).is_ok(), fits, "{threads} threads");
    }
}

#[test]
fn a_schedule_with_calls_made_before() {
    let bounds = Bounds::default();
    let mut run = Runner::new(TEXT, &bounds);
    let (arrive, depart) = (op(&run.machine, "arrive"), op(&run.machine, "depart"));
    let client = Client::schedule(&[(arrive, vec![0])], &[vec![(depart, vec![])], vec![(arrive, vec![1])]]);
    let mut made = Vec::new();
    loop {
        let all = actions(&run.machine, &client, &run.state);
        if made.len() < 2 {
            assert!(
                all.iter()
                    .all(|action| matches!(action, Action::Step(t) | Action::Call(t, _) if t.index() == 0))
            );
        }
        let Some(action) = all.last() else { break };
        let outcome = perform(&run.machine, &mut run.state, action, &mut Picks::new(), &mut NoEvents);
        assert_eq!(outcome, Outcome::Done);
        made.push(action.clone());
    }
    let caller = |action: &Action| match action {
        Action::Call(thread, _) => Some(thread.index()),
        Action::Step(_) => None,
    };
    let calls: Vec<usize> = made.iter().filter_map(caller).collect();
    assert_eq!(calls, [0, 1, 0]);
    assert!(bounds.thread_ids().all(|thread| client.is_finished(&run.machine, &run.state, thread)));
    assert_eq!(run.shared(), "n = 1");
}
