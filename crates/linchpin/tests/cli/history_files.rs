//! `history`: every message about a bad file.

use crate::history::{LEGAL, history, refused};
use crate::{linchpin_in, scratch};
use snapbox::str;
use std::fs;

pub const TORN: &str = r#"{"thread": 1, "call": "enq", "args": [7]}
{"thread": 2, "call": "deq"}
{"thread": 1, "return": "en"#;

#[test]
fn a_torn_last_line() {
    refused("history_torn", TORN).stderr_eq(str![[r#"
error: the last line is incomplete
 --> h.jsonl:3:27
  |
3 | {"thread": 1, "return": "en
  |                           ^ the object does not end
  |
  = help: remove the line: the recording program ended while it wrote; its call is then pending

error: `h.jsonl` has an error

"#]]);
    // With its end of line, and in the middle.
    refused("history_torn_ended", &format!("{TORN}\n{LEGAL}")).stderr_eq(str![[r#"
error: incomplete line
 --> h.jsonl:3:27
  |
3 | {"thread": 1, "return": "en
  |                           ^ the object does not end
  |
  = help: remove the line: the recording program ended while it wrote; its call is then pending

error: t1 calls `enq` while its call of `enq` is pending
 --> h.jsonl:4:15
  |
1 | {"thread": 1, "call": "enq", "args": [7]}
  |               ------ this call has not returned
...
4 | {"thread": 1, "call": "enq", "args": [7]}
  |               ^^^^^^ the second call
  |
  = help: give overlapping calls different threads: a thread makes one call at a time

error: t2 calls `deq` while its call of `deq` is pending
 --> h.jsonl:5:15
  |
2 | {"thread": 2, "call": "deq"}
  |               ------ this call has not returned
...
5 | {"thread": 2, "call": "deq"}
  |               ^^^^^^ the second call
  |
  = help: give overlapping calls different threads: a thread makes one call at a time

error: `h.jsonl` has 3 errors

"#]]);
}

#[test]
fn an_unmatched_return() {
    refused("history_unmatched", "{\"thread\": \"Bob\", \"return\": \"deq\", \"result\": 1}\n").stderr_eq(
        str![[r#"
error: Bob returns, but it has no pending call
 --> h.jsonl:1:19
  |
1 | {"thread": "Bob", "return": "deq", "result": 1}
  |                   ^^^^^^^^ no earlier call of this thread
  |
  = help: write the line of the call before this line: lines are in the order of time

error: `h.jsonl` has an error

"#]],
    );
    let twice = format!("{LEGAL}{{\"thread\": 2, \"return\": \"deq\", \"result\": 7}}\n");
    refused("history_returns_twice", &twice).stderr_eq(str![[r#"
error: t2 returns, but it has no pending call
 --> h.jsonl:5:15
  |
4 | {"thread": 2, "return": "deq", "result": 7}
  |               -------- the last call returned here
5 | {"thread": 2, "return": "deq", "result": 7}
  |               ^^^^^^^^ the second return
  |
  = help: write the line of the call before this line: lines are in the order of time

error: `h.jsonl` has an error

"#]]);
    let other = r#"{"thread": 1, "call": "enq", "args": [7]}
{"thread": 1, "return": "deq", "result": 7}
"#;
    refused("history_returns_other", other).stderr_eq(str![[r#"
error: t1 returns from `deq`, but its pending call is `enq`
 --> h.jsonl:2:15
  |
1 | {"thread": 1, "call": "enq", "args": [7]}
  |               ------ the pending call
2 | {"thread": 1, "return": "deq", "result": 7}
  |               ^^^^^^^^ not the pending operation

error: `h.jsonl` has an error

"#]]);
}

#[test]
fn a_call_while_another_is_pending() {
    let text = r#"{"thread": 1, "call": "enq", "args": [7]}
{"thread": 1, "call": "deq"}
"#;
    refused("history_calls_twice", text).stderr_eq(str![[r#"
error: t1 calls `deq` while its call of `enq` is pending
 --> h.jsonl:2:15
  |
1 | {"thread": 1, "call": "enq", "args": [7]}
  |               ------ this call has not returned
2 | {"thread": 1, "call": "deq"}
  |               ^^^^^^ the second call
  |
  = help: give overlapping calls different threads: a thread makes one call at a time

error: `h.jsonl` has an error

"#]]);
}

#[test]
fn an_unknown_operation() {
    refused("history_unknown_operation", "{\"thread\": 1, \"call\": \"enqueue\", \"args\": [7]}\n")
        .stderr_eq(str![[r#"
error: `Queue` has no operation `enqueue`
 --> h.jsonl:1:15
  |
1 | {"thread": 1, "call": "enqueue", "args": [7]}
  |               ^^^^^^ not an operation
  |
  = help: did you mean `enq`?

error: `h.jsonl` has an error

"#]]);
    refused("history_unknown_far", "{\"thread\": 1, \"call\": \"insert_before\"}\n").stderr_eq(str![[r#"
error: `Queue` has no operation `insert_before`
 --> h.jsonl:1:15
  |
1 | {"thread": 1, "call": "insert_before"}
  |               ^^^^^^ not an operation
  |
  = help: the operations are `enq`, `deq`

error: `h.jsonl` has an error

"#]]);
}

#[test]
fn the_wrong_number_of_values() {
    let text = r#"{"thread": 1, "call": "enq"}
{"thread": 2, "call": "deq", "args": [1]}
{"thread": 3, "call": "enq", "args": [1]}
{"thread": 3, "return": "enq", "result": 5}
{"thread": 4, "call": "deq"}
{"thread": 4, "return": "deq"}
"#;
    refused("history_number_of_values", text).stderr_eq(str![[r#"
error: `enq` takes 1 value, not 0
 --> h.jsonl:1:1
  |
1 | {"thread": 1, "call": "enq"}
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the wrong number of values
  |
  = help: "args": [data]

error: `deq` takes no value, not 1
 --> h.jsonl:2:30
  |
2 | {"thread": 2, "call": "deq", "args": [1]}
  |                              ^^^^^^ the wrong number of values
  |
  = help: remove `args`

error: `enq` returns nothing
 --> h.jsonl:4:32
  |
4 | {"thread": 3, "return": "enq", "result": 5}
  |                                ^^^^^^^^ expected no result
  |
  = help: remove `result`

error: `deq` returns a value, but the line has no `result`
 --> h.jsonl:6:1
  |
6 | {"thread": 4, "return": "deq"}
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `result`
  |
  = help: "result": data?; write `none` as null

error: `h.jsonl` has 4 errors

"#]]);
}

#[test]
fn values_of_the_wrong_type() {
    let text = r#"{"thread": 1, "call": "enq", "args": [true]}
{"thread": 2, "call": "enq", "args": [1.5]}
{"thread": 3, "call": "enq", "args": [null]}
{"thread": 4, "call": "deq"}
{"thread": 4, "return": "deq", "result": [1]}
"#;
    refused("history_types", text).stderr_eq(str![[r#"
error: `enq` takes a whole number or a text, not true
 --> h.jsonl:1:30
  |
1 | {"thread": 1, "call": "enq", "args": [true]}
  |                              ^^^^^^ the type is `data`

error: `enq` takes a whole number or a text, not the number 1.5
 --> h.jsonl:2:30
  |
2 | {"thread": 2, "call": "enq", "args": [1.5]}
  |                              ^^^^^^ the type is `data`

error: `enq` takes a whole number or a text, not null
 --> h.jsonl:3:30
  |
3 | {"thread": 3, "call": "enq", "args": [null]}
  |                              ^^^^^^ the type is `data`

error: `deq` returns a whole number or a text, not a list
 --> h.jsonl:5:32
  |
5 | {"thread": 4, "return": "deq", "result": [1]}
  |                                ^^^^^^^^ the type is `data?`

error: `h.jsonl` has 4 errors

"#]]);
    let text = r#"{"thread": 1, "call": "write", "args": [12]}
{"thread": 2, "call": "read"}
{"thread": 2, "return": "read", "result": "red"}
"#;
    history("history_ranges", text, &["--spec", "Register<0..=9>(0)"]).code(2).stderr_eq(str![[r#"
error: `write` takes a number from 0 to 9, not the number 12
 --> h.jsonl:1:32
  |
1 | {"thread": 1, "call": "write", "args": [12]}
  |                                ^^^^^^ the type is `0..=9`

error: `read` returns a number from 0 to 9, not the text "red"
 --> h.jsonl:3:33
  |
3 | {"thread": 2, "return": "read", "result": "red"}
  |                                 ^^^^^^^^ the type is `0..=9`

error: `h.jsonl` has 2 errors

"#]]);
}

#[test]
fn lines_that_are_none() {
    let text = r#"[1, 2]
{"thread": 1}
{"call": "enq", "args": [1]}
{"thread": [1], "call": "enq", "args": [1]}
{"thread": 1, "call": 5}
{"thread": 1, "call": "enq", "args": 1}
{"thread": 1, "call": "enq", "arg": [1]}
{"thread": 1, "call": "enq", "return": "enq"}
{"thread": 1, "call": "deq", "result": 1}
{"thread": 1, "return": "deq", "args": [1]}
{"thread": 1, "call" "deq"}
"#;
    refused("history_lines", text).stderr_eq(str![[r#"
error: expected an object, found a list
 --> h.jsonl:1:1
  |
1 | [1, 2]
  | ^^^^^^ expected a call or a return
  |
  = help: such as {"thread": 1, "call": "enq", "args": [7]} or {"thread": 1, "return": "enq"}

error: neither a call nor a return
 --> h.jsonl:2:1
  |
2 | {"thread": 1}
  | ^^^^^^^^^^^^^ `call` and `return` are missing
  |
  = help: such as {"thread": 1, "call": "enq", "args": [7]} or {"thread": 1, "return": "enq"}

error: the field `thread` is missing
 --> h.jsonl:3:1
  |
3 | {"call": "enq", "args": [1]}
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `thread`
  |
  = help: such as {"thread": 1, "call": "enq", "args": [7]} or {"thread": 1, "return": "enq"}

error: expected a number or a text for `thread`, found a list
 --> h.jsonl:4:2
  |
4 | {"thread": [1], "call": "enq", "args": [1]}
  |  ^^^^^^^^ not the name of a thread
  |
  = help: such as {"thread": 1, "call": "enq", "args": [7]} or {"thread": 1, "return": "enq"}

error: expected the name of an operation for `call`, found the number 5
 --> h.jsonl:5:15
  |
5 | {"thread": 1, "call": 5}
  |               ^^^^^^ not the name of an operation
  |
  = help: such as {"thread": 1, "call": "enq", "args": [7]} or {"thread": 1, "return": "enq"}

error: expected a list for `args`, found the number 1
 --> h.jsonl:6:30
  |
6 | {"thread": 1, "call": "enq", "args": 1}
  |                              ^^^^^^ not a list
  |
  = help: write a single argument as a list: "args": [7]

error: unknown field `arg`
 --> h.jsonl:7:30
  |
7 | {"thread": 1, "call": "enq", "arg": [1]}
  |                              ^^^^^ not a field of an event
  |
  = help: use the fields `thread`; `call` and `args`, or `return` and `result`; `time`, which is ignored

error: a line is a call or a return, not both
 --> h.jsonl:8:30
  |
8 | {"thread": 1, "call": "enq", "return": "enq"}
  |                              ^^^^^^^^ the second event
  |
  = help: write two lines

error: a call has no `result`
 --> h.jsonl:9:30
  |
9 | {"thread": 1, "call": "deq", "result": 1}
  |                              ^^^^^^^^ not here
  |
  = help: write the result into the line of the return

error: a return has no `args`
  --> h.jsonl:10:32
   |
10 | {"thread": 1, "return": "deq", "args": [1]}
   |                                ^^^^^^ not here
   |
   = help: write the result as `result`

error: `h.jsonl` has 11 errors

"#]]);
}

#[test]
fn files_that_are_none() {
    refused("history_empty", "\n\n").stderr_eq(str![[r#"
error: `h.jsonl` has no events
  help: write one JSON object on each line, a call or a return: see `linchpin history --help`

"#]]);
    let directory = scratch("history_no_file");
    let run =
        |file: &str| linchpin_in(&directory).args(["history", file, "--spec", "Queue"]).assert().code(2);
    run("nothing.jsonl").stderr_eq(str![[r#"
error: no file `nothing.jsonl`

"#]]);
    run(".").stderr_eq(str![[r#"
error: `.` is a directory, not a history

"#]]);
    fs::write(directory.join("latin.jsonl"), b"{}\n\"gr\xf6\xdfe\"\n").expect("a test can write a file");
    run("latin.jsonl").stderr_eq(str![[r#"
error: `latin.jsonl` is not UTF-8 text: byte 6 (line 2) does not start a character
  help: save the history as UTF-8

"#]]);
}
