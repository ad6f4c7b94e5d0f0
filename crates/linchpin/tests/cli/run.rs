//! `run`: the same seed gives the same execution, drawn the same way.

use crate::{linchpin, linchpin_in, scratch_with};
use snapbox::{Data, file, str};

/// With bounds of their own, since those of the models' checks are not what is tested here.
fn run(arguments: &str, expected: Data) {
    linchpin().arg("run").args(arguments.split(' ')).assert().code(0).stderr_eq("").stdout_eq(expected);
}

#[test]
fn a_stack() {
    run("treiber_stack --seed 1 --threads 2 --nodes 3 --values 2", file!["runs/treiber_stack.txt"]);
}

#[test]
fn a_list_with_locks_and_marks() {
    run("lazy_list --seed 1 --threads 2 --nodes 5 --keys 2", file!["runs/lazy_list.txt"]);
}

#[test]
fn a_queue_with_conditions() {
    run(
        "bounded_queue --seed 1 --threads 2 --nodes 4 --values 2 --set CAP=1",
        file!["runs/bounded_queue.txt"],
    );
}

#[test]
fn a_doubly_linked_list() {
    run("snark_deque --seed 1 --threads 2 --nodes 3 --values 1", file!["runs/snark_deque.txt"]);
}

#[test]
fn reused_cells_with_ages() {
    run("ms_queue_tagged --seed 1 --threads 2 --nodes 3 --values 1", file!["runs/ms_queue_tagged.txt"]);
}

#[test]
fn an_error_ends_the_execution_with_exit_code_1() {
    const NULL: &str = "\
//! Forgets that a stack can be empty.
object Hasty: Stack;
struct Node { val: data, next: *Node }
shared head: *Node;
op push(v: data) {
    loop {
        let top = head;
        if cas(head, top, new Node { val: v, next: top }) { return; }
    }
}
op pop() -> data? {
    loop {
        let top = head;
        if cas(head, top, top.next) { return top.val; }
    }
}
check { threads: 2, nodes: 3, values: 1; memory_safe: violated; }
";
    let directory = scratch_with("run_fault", "hasty.lin", NULL);
    linchpin_in(&directory)
        .args(["run", "hasty.lin", "--seed", "2"])
        .assert()
        .code(1)
        .stderr_eq("")
        .stdout_eq(file!["runs/hasty.txt"]);
}

#[test]
fn the_seed_is_told_and_repeats_the_run() {
    let output = |arguments: &[&str]| {
        let assert = linchpin().args(["run", "treiber_stack"]).args(arguments).assert().code(0);
        String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
    };
    let first = output(&[]);
    let seed = first
        .split("--seed ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next())
        .expect("a seed is printed");
    assert_eq!(output(&["--seed", seed]), first);
}

#[test]
fn a_run_can_be_short() {
    linchpin().args(["run", "register_k", "--seed", "1", "--steps", "3"]).assert().code(0).stdout_eq(str![[
        r#"
RegisterK: Register<0..K>(0), one random execution
3 threads, K = 4; repeat with --seed 1

      t0                            │ t1                            │ t2
 ───────────────────────────────────┼───────────────────────────────┼───────────────────────────────
    ┆   bit = [true, false, false, false]
   1                                │                               │ read()
                                    │                               │ 28  while !bit[up] { up += 1;
                                    │                               │       }
                                    │                               │     bit[0] is true
                                    │                               │ → 0
   2                                │ read()                        │
                                    │ 28  while !bit[up] { up += 1; │
                                    │       }                       │
                                    │     bit[0] is true            │
                                    │ → 0                           │
   3                                │                               │ read()
                                    │                               │ 28  while !bit[up] { up += 1;
                                    │                               │       }
                                    │                               │     bit[0] is true
                                    │                               │ → 0

Ended after 3 steps, as requested: every call has returned.

"#
    ]]);
}
