//! Accesses to shared memory that are local: constants and owned cells.

use crate::lower_rules::support::steps;

/// Another operation assigns everything: what is local is owned.
const STACK: &str = "struct Node { val: bool, next: *Node } shared head: *Node;
    op poke(v: bool) { head.val = v; head.next = null; head = null; }";

#[test]
fn a_variable_that_no_operation_assigns_is_a_constant() {
    insta::assert_snapshot!(
        steps("shared size: 0..9; shared x: 0..9; init { size = 3; }", "op f() { x = size; }"),
        @"
        op f()    no points: takes effect at any step
           call   t1 = size
                  → 1
             1  x = t1                                                    line 3  [t1]
                  return
        "
    );
}

#[test]
fn a_field_that_no_operation_assigns_outside_new_is_a_constant() {
    let tree =
        "struct Count { n: 0..9, limit: 0..9 } struct Tree { count: Count, up: *Tree } shared root: *Tree;";
    insta::assert_snapshot!(
        steps(tree, "op f() -> bool { let t = root; t.count.n = 1; return t.up.count.limit == t.count.n; }"),
        @"
        op f() -> bool    no points: takes effect at any step
           call   t = root
                  → 1
             1  t.count.n = 1                                             line 3  [t]
                  t1 = t.up
                  t2 = t1.count.limit
                  → 2
             2  t3 = t.count.n                                            line 3  [t, t2]
                  return t2 == t3
        "
    );
    insta::assert_snapshot!(
        steps(&format!("memory pool; {tree}"), "op f() -> bool { return root.up == null; }"),
        @"
        op f() -> bool    no points: takes effect at any step
           call   t1 = root
                  → 1
             1  t2 = t1.up                                                line 3  [t1]
                  return t2 == null
        "
    );
}

#[test]
fn the_elements_of_an_array_are_constant_together() {
    insta::assert_snapshot!(
        steps("shared a: [bool; 2]; shared b: [bool; 2];", "op f() { b[0] = a[1]; if b[1] { b[0] = a[0]; } }"),
        @"
        op f()    no points: takes effect at any step
           call   t1 = a[1]
                  → 1
             1  b[0] = t1                                                 line 3  [t1]
                  → 2
             2  t2 = b[1]                                                 line 3
                  if t2:
                    t3 = a[0]
                    → 3
                  else: return
             3  b[0] = t3                                                 line 3  [t3]
                  return
        "
    );
}

#[test]
fn a_new_cell_is_owned_until_a_cas_stores_it() {
    insta::assert_snapshot!(
        steps(
            STACK,
            "op f(v: bool) {
                let n = new Node { val: v };
                loop {
                    n.next = head;
                    if cas(head, n.next, n) { n.val = true; return; }
                    n.val = false;
                }
            }",
        ),
        @"
        op f(v: bool)    no points: takes effect at any step
           call   n = new Node { val: v }
                  → 1
             1  t1 = head                                                 line 7  [n]
                  n.next = t1
                  t3 = n.next
                  → 2
             2  t2 = cas(head, t3, n)                                     line 8  [n, t3]
                  if t2: → 3
                  else:
                    n.val = false
                    → 1
             3  n.val = true                                              line 8  [n]
                  return
        "
    );
}

#[test]
fn the_outcome_of_a_cas_may_be_kept_in_a_variable() {
    insta::assert_snapshot!(
        steps(
            STACK,
            "op f() {
                let n = new Node {};
                let done = cas(head, null, n);
                if !done { n.val = true; }
                n.next = null;
            }",
        ),
        @"
        op f()    no points: takes effect at any step
           call   n = new Node {}
                  → 1
             1  done = cas(head, null, n)                                 line 6  [n]
                  if not done:
                    n.val = true
                  → 2
             2  n.next = null                                             line 8  [n]
                  return
        "
    );
}

#[test]
fn a_copy_ends_ownership_and_a_comparison_does_not() {
    insta::assert_snapshot!(
        steps(
            STACK,
            "op f() -> bool {
                let n = new Node {};
                let same = n == head;
                n.val = true;
                let m = n;
                n.val = false;
                return same;
            }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   n = new Node {}
                  → 1
             1  t1 = head                                                 line 6  [n]
                  same = n == t1
                  n.val = true
                  m = n
                  → 2
             2  n.val = false                                             line 9  [n, same]
                  return same
        "
    );
}

#[test]
fn an_inlined_call_keeps_ownership() {
    insta::assert_snapshot!(
        steps(
            "struct Node { val: bool, next: *Node } shared head: *Node;
            op poke(v: bool) { head.val = v; head.next = null; head = null; }
            fn fresh(v: bool) -> *Node { let n = new Node {}; n.val = v; return n; }
            fn link(n: *Node, to: *Node) { n.next = to; }",
            "op f() {
                let n = fresh(true);
                link(n, null);
                n.val = false;
                head = n;
                n.val = true;
            }",
        ),
        @"
        op f()    no points: takes effect at any step
           call   n_2 = new Node {}
                  n_2.val = true
                  n = n_2
                  n.next = null
                  n.val = false
                  → 1
             1  head = n                                                  line 10  [n]
                  → 2
             2  n.val = true                                              line 11  [n]
                  return
        "
    );
}

#[test]
fn a_parameter_that_its_function_assigns_is_a_copy() {
    insta::assert_snapshot!(
        steps(
            "struct Node { val: bool, next: *Node } shared head: *Node;
            op poke(v: bool) { head.val = v; head.next = null; head = null; }
            fn publish(n: *Node) { if n == null { n = head; } head = n; }",
            "op f() { let n = new Node {}; publish(n); n.val = true; }",
        ),
        @"
        op f()    no points: takes effect at any step
           call   n = new Node {}
                  n_2 = n
                  if n_2 == null: → 1
                  else: → 2
             1  n_2 = head                                                line 4 in publish  [n]
                  → 2
             2  head = n_2                                                line 4 in publish  [n, n_2]
                  → 3
             3  n.val = true                                              line 5  [n]
                  return
        "
    );
}

#[test]
fn a_cell_is_not_owned_where_a_stale_pointer_may_lead_to_it() {
    insta::assert_snapshot!(
        steps(&format!("memory pool; {STACK}"), "op f() { let n = new Node {}; n.val = true; free(n); }"),
        @"
        op f()    no points: takes effect at any step
           call   → 1
             1  n = new Node {}                                           can block  line 4
                  → 2
             2  n.val = true                                              line 4  [n]
                  → 3
             3  free(n)                                                   line 4  [n]
                  return
        "
    );
}

#[test]
fn what_is_returned_while_it_is_still_used_is_no_longer_owned() {
    insta::assert_snapshot!(
        steps(
            "struct Node { val: bool, next: *Node } shared head: *Node;
            op poke(v: bool) { head.val = v; head.next = null; head = null; }
            fn leaky() -> *Node { let n = new Node {}; defer head = n; return n; }",
            "op f() { let m = leaky(); m.val = true; }",
        ),
        @"
        op f()    no points: takes effect at any step
           call   n = new Node {}
                  m = n
                  → 1
             1  head = n                                                  line 4 in leaky  [m, n]
                  → 2
             2  m.val = true                                              line 5  [m]
                  return
        "
    );
}
