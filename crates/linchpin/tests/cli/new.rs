//! `new`: a first model for every specification of the library.

use crate::{linchpin_in, scratch, scratch_with};
use snapbox::str;
use std::fs;

const SPECIFICATIONS: [&str; 11] = [
    "Stack",
    "Queue",
    "BoundedQueue",
    "SynchronousQueue",
    "Deque",
    "Set",
    "Map",
    "PQueue",
    "Register",
    "Counter",
    "Lock",
];

#[test]
fn every_first_model_checks_runs_and_is_formatted() {
    let directory = scratch("new_each");
    for spec in SPECIFICATIONS {
        let name = format!("my_{}", spec.to_lowercase());
        let file = format!("{name}.lin");
        linchpin_in(&directory).args(["new", &name, "--spec", spec]).assert().code(0).stderr_eq("");
        let text = fs::read_to_string(directory.join(&file)).expect("it was written");
        assert!(!text.contains("MyModel") && !text.contains("my_model"), "{text}");
        linchpin_in(&directory).args(["ir", &file]).assert().code(0).stderr_eq("");
        linchpin_in(&directory).args(["run", &file, "--seed", "1"]).assert().code(0).stderr_eq("");
        linchpin_in(&directory).args(["fmt", "--check", &file]).assert().code(0).stdout_eq("").stderr_eq("");
    }
}

#[test]
fn it_says_what_to_do_next_and_overwrites_nothing() {
    let directory = scratch("new_twice");
    linchpin_in(&directory).args(["new", "fast-queue", "--spec", "Queue"]).assert().code(0).stdout_eq(str![
        [r#"
wrote fast-queue.lin; next: `linchpin run fast-queue.lin`

"#]
    ]);
    linchpin_in(&directory).args(["new", "fast-queue", "--spec", "Stack"]).assert().code(2).stderr_eq(str![
        [r#"
error: `fast-queue.lin` already exists
  help: choose another name, or remove the file

"#]
    ]);
    let text = fs::read_to_string(directory.join("fast-queue.lin")).expect("it was written");
    assert!(text.contains("object FastQueue: Queue;"), "{text}");
}

#[test]
fn names_and_specifications_that_do_not_do() {
    let directory = scratch_with("new_bad", "file", "");
    linchpin_in(&directory).args(["new", "2fast", "--spec", "Queue"]).assert().code(2).stderr_eq(str![[r#"
error: `2fast` cannot name an object
  help: use a letter, then letters, digits and `_`: `my_queue`

"#]]);
    linchpin_in(&directory).args(["new", "no/such/place", "--spec", "Queue"]).assert().code(2).stderr_eq(
        str![[r#"
error: no directory to write `no/such/place.lin` into

"#]],
    );
    linchpin_in(&directory).args(["new", "x", "--spec", "Quue"]).assert().code(2).stderr_eq(str![[r#"
error: invalid value 'Quue' for '--spec <SPEC>'
  [possible values: Stack, Queue, BoundedQueue, SynchronousQueue, Deque, Set, Map, PQueue, Register, Counter, Lock]

  tip: a similar value exists: 'Queue'

For more information, try '--help'.

"#]]);
    linchpin_in(&directory).args(["new", "x"]).assert().code(2).stderr_eq(str![[r#"
error: the following required arguments were not provided:
  --spec <SPEC>

Usage: linchpin new --spec <SPEC> <NAME>

For more information, try '--help'.

"#]]);
}
