//! `history`: verdicts and their reasons, specifications, results for programs.

use crate::history_files::TORN;
use crate::{linchpin_in, scratch_with};
use snapbox::cmd::OutputAssert;
use snapbox::str;
use std::fs;
use std::path::Path;

pub const LEGAL: &str = r#"{"thread": 1, "call": "enq", "args": [7]}
{"thread": 2, "call": "deq"}
{"thread": 1, "return": "enq"}
{"thread": 2, "return": "deq", "result": 7}
"#;

/// Runs `history h.jsonl` on a text, with more arguments.
pub fn history(test: &str, text: &str, arguments: &[&str]) -> OutputAssert {
    let directory = scratch_with(test, "h.jsonl", text);
    linchpin_in(&directory).args(["history", "h.jsonl"]).args(arguments).assert()
}

/// Returns the message for a bad history of a queue.
pub fn refused(test: &str, text: &str) -> OutputAssert {
    history(test, text, &["--spec", "Queue"]).code(2).stdout_eq("")
}

#[test]
fn a_legal_history_and_an_order() {
    history("history_legal", LEGAL, &["--spec", "Queue"]).code(0).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as Queue: 4 events, 2 calls, 2 threads, none pending
  linearizable  holds
  3 configurations, [..] s

A legal order (linearizable)
  enq(7)     t1, lines 1 and 3
  deq() → 7  t2, lines 2 and 4
  final state: items = []

"#]]);
    history("history_legal_quiet", LEGAL, &["--spec", "Queue", "--quiet"]).code(0).stderr_eq("").stdout_eq(
        str![[r#"
  linearizable  holds

"#]],
    );
}

/// The documentation shows what the program prints.
#[test]
fn the_worked_example() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/history.md"));
    let text = text.expect("the documentation");
    let (_, example) = text.split_once("## A worked example").expect("an example");
    let lines = block(example, "```json\n");
    let console = block(example, "```console\n");
    let (command, output) = console.split_once('\n').expect("a command");
    assert_eq!(command, "$ linchpin history lines.jsonl --spec Queue");
    let directory = scratch_with("history_worked_example", "lines.jsonl", lines);
    let shown = linchpin_in(&directory).args(["history", "lines.jsonl", "--spec", "Queue"]).assert().code(1);
    let shown = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    assert_eq!(without_time(&shown), without_time(output));

    let torn = block(&text, "```console\n$ linchpin history torn.jsonl --spec Queue\n");
    let directory = scratch_with("history_torn_example", "torn.jsonl", TORN);
    linchpin_in(&directory)
        .args(["history", "torn.jsonl", "--spec", "Queue"])
        .assert()
        .code(2)
        .stderr_eq(torn);
}

fn block<'t>(text: &'t str, start: &str) -> &'t str {
    let (_, rest) = text.split_once(start).expect("a block");
    rest.split_once("```").expect("its end").0
}

/// Without the line of what it took.
fn without_time(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains(" configuration")).map(str::trim_end).collect()
}

#[test]
fn properties() {
    // In the order of time 1 came first; in the order of each thread 2 may have.
    let late = r#"{"thread": 0, "call": "enq", "args": [1]}
{"thread": 0, "return": "enq"}
{"thread": 1, "call": "enq", "args": [2]}
{"thread": 1, "return": "enq"}
{"thread": 0, "call": "deq"}
{"thread": 0, "return": "deq", "result": 2}
"#;
    let all = [
        "--spec",
        "Queue",
        "--quiet",
        "--property",
        "linearizable",
        "--property",
        "sequentially-consistent",
        "--property",
        "quiescently-consistent",
    ];
    history("history_properties", late, &all).code(1).stderr_eq("").stdout_eq(str![[r#"
  linearizable             violated
  sequentially-consistent  holds
  quiescently-consistent   violated

"#]]);
    let one = ["--spec", "Queue", "--property", "sequentially-consistent"];
    history("history_sequential", late, &one).code(0).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as Queue: 6 events, 3 calls, 2 threads, none pending
  sequentially-consistent  holds
  6 configurations, [..] s

A legal order (sequentially-consistent)
  enq(2)     t1, lines 3 and 4
  enq(1)     t0, lines 1 and 2
  deq() → 2  t0, lines 5 and 6
  final state: items = [1]

"#]]);
    let none = ["--spec", "Queue", "--property", "memory-safe"];
    history("history_no_property", late, &none).code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value 'memory-safe' for '--property <P>'
  [possible values: linearizable, sequentially-consistent, quiescently-consistent, barrier-consistent]

For more information, try '--help'.

"#]]);
}

#[test]
fn pending_calls_may_have_happened_or_wait() {
    let text = r#"{"thread": "producer", "call": "enq", "args": ["a"]}
{"thread": "consumer", "call": "deq"}
{"thread": "consumer", "return": "deq", "result": "a"}
{"thread": "consumer", "call": "deq"}
"#;
    let spec = ["--spec", "BoundedQueue(1)"];
    history("history_pending", text, &spec).code(0).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as BoundedQueue(1): 4 events, 3 calls, 2 threads, 2 pending
  linearizable  holds
  3 configurations, [..] s

A legal order (linearizable)
  enq("a")     producer, line 1, pending
  deq() → "a"  consumer, lines 2 and 3
  final state: items = []

"#]]);
    // Calls that never return: no call added "a".
    history("history_stuck", text, &[&spec[..], &["--stuck"]].concat()).code(1).stderr_eq("").stdout_eq(
        str![[r#"
h.jsonl as BoundedQueue(1): 4 events, 3 calls, 2 threads, 2 pending
  linearizable  violated
  1 configuration, [..] s

Not linearizable

No order of the calls is legal
  producer  enq("a") …   ├───────────────┄  line 1, pending
  consumer  deq() → "a"      ├───┤          lines 2 and 3
  consumer  deq() …                  ├───┄  line 4, pending
  at the beginning (items = [])
    consumer's deq() is not enabled

"#]],
    );
    let waits = "{\"thread\": 1, \"call\": \"deq\"}\n";
    history("history_waits", waits, &[&spec[..], &["--stuck"]].concat()).code(0).stderr_eq("").stdout_eq(
        str![[r#"
h.jsonl as BoundedQueue(1): 1 event, 1 call, 1 thread, 1 pending
  linearizable  holds
  1 configuration, [..] s

Every pending call may wait
  deq() of t1 is disabled after a legal order of the other calls, at items = []

"#]],
    );
    let could_go_on = format!("{LEGAL}{{\"thread\": 1, \"call\": \"enq\", \"args\": [1]}}\n");
    history("history_could_go_on", &could_go_on, &[&spec[..], &["--stuck"]].concat())
        .code(1)
        .stderr_eq("")
        .stdout_eq(str![[r#"
h.jsonl as BoundedQueue(1): 5 events, 3 calls, 2 threads, 1 pending
  linearizable  violated
  3 configurations, [..] s

Not linearizable

  enq(1) of t1 never returns, although the specification enables it:
    after enq(7), deq() → 7 (items = []) it is enabled

"#]]);
}

#[test]
fn a_budget_that_is_too_small() {
    let arguments = ["--spec", "Queue", "--configurations", "2"];
    history("history_budget", LEGAL, &arguments).code(3).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as Queue: 4 events, 2 calls, 2 threads, none pending
  linearizable  unknown  stopped after 2 configurations
  2 configurations, [..] s

"#]]);
}

#[test]
fn specifications_of_the_library() {
    let set = r#"{"thread": 1, "call": "add", "args": ["pear"]}
{"thread": 1, "return": "add", "result": true}
{"thread": 1, "call": "contains", "args": ["apple"]}
{"thread": 1, "return": "contains", "result": true}
"#;
    history("history_set", set, &["--spec", "Set"]).code(1).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as Set: 4 events, 2 calls, 1 thread, none pending
  linearizable  violated
  2 configurations, [..] s

The history is linearizable up to line 3.
Line 4 breaks it: t1 returns from contains("apple") → true

No order of the calls is legal
  t1  add("pear") → true        ├───┤              lines 1 and 2
  t1  contains("apple") → true          ├───┤      lines 3 and 4
  after add("pear") → true (items = {"pear"})
    t1's contains("apple") must return false, but returned true

"#]]);
    // Numbers come before texts.
    let least = r#"{"thread": 1, "call": "add", "args": ["x", "high"]}
{"thread": 1, "return": "add"}
{"thread": 1, "call": "add", "args": ["y", -5]}
{"thread": 1, "return": "add"}
{"thread": 1, "call": "remove_min"}
{"thread": 1, "return": "remove_min", "result": "y"}
"#;
    history("history_pqueue", least, &["--spec", "PQueue", "--quiet"]).code(0).stderr_eq("").stdout_eq(str![
        [r#"
  linearizable  holds

"#]
    ]);
    let lock = r#"{"thread": "a", "call": "acquire"}
{"thread": "b", "call": "acquire"}
{"thread": "b", "return": "acquire"}
{"thread": "a", "return": "acquire"}
"#;
    history("history_lock", lock, &["--spec", "Lock"]).code(1).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as Lock: 4 events, 2 calls, 2 threads, none pending
  linearizable  violated
  3 configurations, [..] s

The history is linearizable up to line 3.
Line 4 breaks it: a returns from acquire()

No order of the calls is legal
  a  acquire()  ├───────────┤      lines 1 and 4
  b  acquire()      ├───┤          lines 2 and 3
  after acquire() (owner = b)
    a's acquire() is not enabled
  after acquire() (owner = a)
    b's acquire() is not enabled

"#]]);
    history("history_spec_misspelt", LEGAL, &["--spec", "Quue"]).code(2).stderr_eq(str![[r#"
error: no specification `Quue` in the library
  help: did you mean `Queue`?

"#]]);
    history("history_spec_far", LEGAL, &["--spec", "Tree"]).code(2).stderr_eq(str![[r#"
error: no specification `Tree` in the library
  help: the specifications are `Stack`, `Queue`, `BoundedQueue`, `SynchronousQueue`, `Deque`, `Set`, `Map`, `PQueue`, `Register`, `Counter`, `Lock`, `AlternatingQueue`

"#]]);
    history("history_spec_no_argument", LEGAL, &["--spec", "BoundedQueue"]).code(2).stderr_eq(str![[r#"
error: `BoundedQueue` takes 1 argument, not 0
  --> --spec:1:1
   |
 1 | BoundedQueue
   | ^^^^^^^^^^^^ the wrong number of arguments here
   |
  ::: specs.lin:98:6
   |
98 | spec BoundedQueue(capacity: int) {
   |      ------------ defined here
   |
   = help: give arguments for `capacity`

error: `BoundedQueue` has an error

"#]]);
}

#[test]
fn specifications_of_a_file() {
    const SPECS: &str = "\
//! Two specifications.
enum Light { Red, Green }
word Pair<T> { first: T, light: Light }
spec Lamp { state now: Light; op turn(to: Light) { now = to; } op look() -> Light { return now; } }
spec Cell<T>(most: int) {
    state pairs: seq<Pair<T>>;
    op put(p: Pair<T>) when pairs.len() < most { pairs.push_back(p); }
    op all() -> seq<Pair<T>> { return pairs; }
}
";
    let lamp = r#"{"thread": 1, "call": "look"}
{"thread": 1, "return": "look", "result": "Green"}
"#;
    let directory = scratch_with("history_spec_file", "h.jsonl", lamp);
    fs::write(directory.join("own.lin"), SPECS).expect("a test can write a file");
    let run = |spec: &str| linchpin_in(&directory).args(["history", "h.jsonl", "--spec", spec]).assert();
    run("own.lin::Lamp").code(1).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as own.lin::Lamp: 2 events, 1 call, 1 thread, none pending
  linearizable  violated
  1 configuration, [..] s

The history is linearizable up to line 1.
Line 2 breaks it: t1 returns from look() → Green

No order of the calls is legal
  t1  look() → Green  ├───┤      lines 1 and 2
  at the beginning (now = Red)
    t1's look() must return Red, but returned Green

"#]]);
    run("own.lin").code(2).stdout_eq("").stderr_eq(str![[r#"
error: `own.lin` has 2 specifications
  help: name one: `own.lin::Lamp`

"#]]);
    run("own.lin::Lmp").code(2).stdout_eq("").stderr_eq(str![[r#"
error: no specification `Lmp` in `own.lin`
  help: did you mean `Lamp`?

"#]]);
    run("other.lin").code(2).stdout_eq("").stderr_eq(str![[r#"
error: no file `other.lin`

"#]]);
    let cell = r#"{"thread": 1, "call": "put", "args": [{"first": "x", "light": "Green"}]}
{"thread": 1, "return": "put"}
{"thread": 1, "call": "all"}
{"thread": 1, "return": "all", "result": [{"first": "x", "light": "Red"}]}
"#;
    fs::write(directory.join("h.jsonl"), cell).expect("a test can write a file");
    run("own.lin::Cell<data>(3)").code(1).stderr_eq("").stdout_eq(str![[r#"
h.jsonl as own.lin::Cell<data>(3): 4 events, 2 calls, 1 thread, none pending
  linearizable  violated
  2 configurations, [..] s

The history is linearizable up to line 3.
Line 4 breaks it: t1 returns from all() → [Pair<data> { first: "x", light: Red }]

No order of the calls is legal
  t1  put(Pair<data> { first: "x", light: Green })     ├───┤              lines 1 and 2
  t1  all() → [Pair<data> { first: "x", light: Red }]          ├───┤      lines 3 and 4
  after put(Pair<data> { first: "x", light: Green }) (pairs = [Pair<data> { first: "x", light: Green }])
    t1's all() must return [Pair<data> { first: "x", light: Green }], but returned [Pair<data> { first: "x", light: Red }]

"#]]);
    fs::write(directory.join("h.jsonl"), lamp.replace("Green", "Blue")).expect("a test can write a file");
    run("own.lin::Lamp").code(2).stdout_eq("").stderr_eq(str![[r#"
error: `look` returns "Red" or "Green", not the text "Blue"
 --> h.jsonl:2:33
  |
2 | {"thread": 1, "return": "look", "result": "Blue"}
  |                                 ^^^^^^^^ the type is `Light`

error: `h.jsonl` has an error

"#]]);
    fs::write(
        directory.join("numbers.lin"),
        "spec Odd { op take(x: data) -> bool { return ord(x) % 2 == 1; } }\n",
    )
    .expect("a test can write a file");
    run("numbers.lin").code(2).stdout_eq("").stderr_eq(str![[r#"
error: this specification uses the number of a value
 --> numbers.lin:1:39
  |
1 | spec Odd { op take(x: data) -> bool { return ord(x) % 2 == 1; } }
  |                                       ^^^^^^^^^^^^^^^^^^^^^^^ recorded values may have an order, but no numbers
  |
  = help: compare the values themselves

error: `numbers.lin` has an error

"#]]);
}

/// A model is its object's specification.
#[test]
fn the_specification_of_a_model() {
    let directory = scratch_with("history_spec_model", "h.jsonl", LEGAL);
    linchpin_in(&directory).args(["new", "mine", "--spec", "Queue"]).assert().code(0);
    linchpin_in(&directory)
        .args(["history", "h.jsonl", "--spec", "mine.lin", "--quiet"])
        .assert()
        .code(0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
  linearizable  holds

"#]]);
}

#[test]
fn results_for_programs() {
    let directory = scratch_with("history_json", "h.jsonl", LEGAL);
    let run = |file: &str| {
        let arguments = ["history", file, "--spec", "Queue", "--json", "-"];
        let output = linchpin_in(&directory).args(arguments).assert().stderr_eq("");
        let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let result = run("h.jsonl");
    assert_eq!(result["format"], "linchpin/1");
    assert_eq!(result["model"], "Queue");
    assert_eq!(result["history"], "h.jsonl");
    let only = &result["results"][0];
    assert_eq!(only["property"], "linearizable");
    assert_eq!(only["verdict"], "holds");
    assert_eq!(only["scope"]["kind"], "history");
    assert_eq!(only["scope"]["events"], 4);
    assert_eq!(
        only["order"],
        serde_json::json!([
            [{ "thread": 1, "call": "enq", "args": [7], "lines": [1, 3] }],
            [{ "thread": 2, "call": "deq", "args": [], "lines": [2, 4], "result": 7 }],
        ])
    );
    let wrong = LEGAL.replace("\"result\": 7", "\"result\": \"seven\"");
    fs::write(directory.join("wrong.jsonl"), wrong).expect("a test can write a file");
    let result = run("wrong.jsonl");
    let only = &result["results"][0];
    assert_eq!(only["verdict"], "violated");
    assert_eq!(only["first_break"], serde_json::json!({ "event": 4, "line": 4 }));
    let stopped = &only["explanation"]["longest_orders"][0]["cannot_follow"][0][0];
    assert_eq!(stopped["result"], "seven");

    let arguments = ["history", "h.jsonl", "--spec", "Queue", "--quiet", "--json", "out.json"];
    linchpin_in(&directory).args(arguments).assert().code(0);
    let text = fs::read_to_string(directory.join("out.json")).expect("it was written");
    assert!(text.contains("\"verdict\": \"holds\""), "{text}");
}

/// Tens of thousands of lines: two producers and two consumers in turn.
#[test]
fn a_long_history() {
    let mut text = String::new();
    for round in 0..5000 {
        let (a, b) = (2 * round, 2 * round + 1);
        let lines = [
            format!(r#"{{"thread": 0, "call": "enq", "args": [{a}]}}"#),
            format!(r#"{{"thread": 1, "call": "enq", "args": [{b}]}}"#),
            r#"{"thread": 2, "call": "deq"}"#.to_string(),
            r#"{"thread": 1, "return": "enq"}"#.to_string(),
            r#"{"thread": 0, "return": "enq"}"#.to_string(),
            format!(r#"{{"thread": 2, "return": "deq", "result": {b}}}"#),
            r#"{"thread": 3, "call": "deq"}"#.to_string(),
            format!(r#"{{"thread": 3, "return": "deq", "result": {a}}}"#),
        ];
        text += &(lines.join("\n") + "\n");
    }
    history("history_long", &text, &["--spec", "Queue", "--quiet"]).code(0).stdout_eq(str![[r#"
  linearizable  holds

"#]]);
    // One value comes out twice, near the end.
    let last = r#"{"thread": 3, "return": "deq", "result": 9990}"#;
    let wrong = text.replace(last, &last.replace("9990", "9980"));
    history("history_long_wrong", &wrong, &["--spec", "Queue", "--quiet"]).code(1).stdout_eq(str![[r#"
  linearizable  violated

"#]]);
}

/// One quiescent moment at a time is weaker than all of them.
#[test]
fn one_barrier_and_all_quiescent_moments() {
    let text = r#"{"thread": 1, "call": "add", "args": [1]}
{"thread": 1, "return": "add", "result": true}
{"thread": 1, "call": "contains", "args": [1]}
{"thread": 1, "return": "contains", "result": false}
{"thread": 1, "call": "remove", "args": [1]}
{"thread": 1, "return": "remove", "result": true}
"#;
    let ask = ["--spec", "Set", "--property", "barrier-consistent", "--quiet"];
    history("history_one_barrier", text, &ask).code(0).stderr_eq("").stdout_eq(str![[r#"
  barrier-consistent  holds

"#]]);
    let ask = ["--spec", "Set", "--property", "quiescently-consistent", "--quiet"];
    history("history_all_moments", text, &ask).code(1).stderr_eq("").stdout_eq(str![[r#"
  quiescently-consistent  violated

"#]]);
}
