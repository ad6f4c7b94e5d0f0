//! The compositional method, as the command line tells it.

use crate::{linchpin, linchpin_in, scratch, scratch_with};
use snapbox::str;
use std::fs;

#[test]
fn a_proof_by_one_thread_is_saved_and_checked() {
    let directory = scratch("cmp_certificate");
    let prove = ["prove", "fine_list", "--method", "cmp", "--certificate", "list.json"];
    linchpin_in(&directory).args(prove).assert().code(0).stdout_eq(str![[r#"
fine_list any number of threads, nodes and values; sequentially consistent memory
  linearizable  holds
  assertions    holds
  memory-safe   holds
[..] constraints in [..] s, checked in [..] s
[..] lemmas kept, mined in [..] s
compared with small instances in [..] s
...
certificate: list.json

"#]]);
    let certify = || linchpin_in(&directory).args(["certify", "fine_list", "list.json"]).assert();
    certify().code(0);
    let text = fs::read_to_string(directory.join("list.json")).expect("it was written");
    let none = text.find("\"lemmas\":[").expect("it has lemmas") + "\"lemmas\":[".len();
    let end = none + text[none..].find("]],\"views\"").expect("and views") + 1;
    fs::write(directory.join("list.json"), [&text[..none], &text[end..]].concat()).expect("it is a file");
    certify().code(2).stdout_eq("");
    fs::write(directory.join("list.json"), text.replace("cmp-certificate/1", "cmp-certificate/0"))
        .expect("it is a file");
    let refused = String::from_utf8(certify().code(2).get_output().stderr.clone()).expect("it is text");
    assert!(refused.contains("unsupported certificate format `linchpin-cmp-certificate/0`"), "{refused}");
}

#[test]
fn the_loop_is_shown_round_by_round() {
    let shown = linchpin().args(["prove", "coarse_list", "--method", "cmp", "--explain"]).assert().code(0);
    let text = String::from_utf8(shown.get_output().stdout.clone()).expect("it is text");
    for part in ["round 1: ", "another thread: ", "added: lemma ", "nothing is left after ", " are needed:"] {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
    assert!(text.contains("held(list_lock)"), "one lock guards all:\n{text}");
}

#[test]
fn without_lemmas_there_is_a_counterexample_of_the_abstraction() {
    let shown =
        linchpin().args(["prove", "coarse_list", "--method", "cmp", "--lemmas", "none"]).assert().code(3);
    let text = String::from_utf8(shown.get_output().stdout.clone()).expect("it is text");
    assert!(text.contains("the counterexample of the abstraction"), "{text}");
}

/// Figure 3a of the paper never locks the cell of `p2`, though its section 5 says so.
#[test]
fn lemmas_of_a_user_are_judged() {
    let lemmas = "// `tmp#5` is the paper's `p2`.
lemma add at 37: curr == node.next;
lemma add at 37: pred.next == curr;
lemma add at 37: held(pred.lock);
lemma add at 37: private(node);
lemma remove at 58#2: pred.next == curr;
lemma remove at 58#2: curr.next == tmp#5;
lemma remove at 58#2: held(pred.lock);
lemma remove at 58#2: held(curr.lock);
lemma remove at 58#2: reachable(tmp#5);
lemma remove at 58#2: pred != tmp#5;
lemma remove at 58#2: held(tmp#5.lock);
lemma cell: cell.next != null -> cell.key < cell.next.key;
";
    let directory = scratch_with("cmp_lemmas", "mine.lem", lemmas);
    let prove = |file: &'static str| {
        linchpin_in(&directory).args(["prove", "fine_list", "--method", "cmp", "--lemmas", file]).assert()
    };
    prove("mine.lem").code(0).stdout_eq(str![[r#"
fine_list any number of threads, nodes and values; sequentially consistent memory
  linearizable  holds
  assertions    holds
  memory-safe   holds
...
lemma add at 37: curr == node.next;  needed
lemma add at 37: pred.next == curr;  needed
lemma add at 37: held(pred.lock);  needed
lemma add at 37: private(node);  needed
lemma remove at 58#2: pred.next == curr;  needed
lemma remove at 58#2: curr.next == tmp#5;  needed
lemma remove at 58#2: held(pred.lock);  needed
lemma remove at 58#2: held(curr.lock);  needed
lemma remove at 58#2: reachable(tmp#5);  needed
lemma remove at 58#2: pred != tmp#5;  redundant
lemma remove at 58#2: held(tmp#5.lock);  false
  1  t0: add(1)
...
  12  t0: remove, line 58: curr.next
lemma cell: cell.next != null -> cell.key < cell.next.key;  not used: it is not in front of a write, or has other words

"#]]);
    prove("nothing.lem").code(2);
    let wrong = scratch_with("cmp_wrong_lemmas", "wrong.lem", "lemma remove at 1: held(pred.lock);");
    let judged = ["prove", "fine_list", "--method", "cmp", "--lemmas", "wrong.lem"];
    linchpin_in(&wrong).args(judged).assert().code(2).stdout_eq("");
    linchpin().args(["prove", "fine_list", "--explain"]).assert().code(2).stdout_eq("");
}
