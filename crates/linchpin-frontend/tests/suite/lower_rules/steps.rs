//! What is a step: one small model for each rule of the language's section on steps.

use crate::lower_rules::support::steps;

/// Another operation assigns everything: nothing is constant.
const NODE: &str =
    "struct Node { val: 0..9, next: *Node } shared head: *Node; shared x: 0..9; shared y: 0..9;
    op poke(v: 0..9) { x = v; y = v; head = null; head.val = v; head.next = null; }";

#[test]
fn each_shared_read_is_an_access_from_left_to_right() {
    insta::assert_snapshot!(steps(NODE, "op f() -> bool { return x == y; }"), @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  t1 = x                                                    line 4
                  → 2
             2  t2 = y                                                    line 4  [t1]
                  return t1 == t2
        ");
}

#[test]
fn an_assignment_evaluates_the_right_side_then_the_place_then_writes() {
    insta::assert_snapshot!(steps(NODE, "op f() { head.next.val = x; }"), @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = x                                                    line 4
                  → 2
             2  t2 = head                                                 line 4  [t1]
                  → 3
             3  t3 = t2.next                                              line 4  [t1, t2]
                  → 4
             4  t3.val = t1                                               line 4  [t1, t3]
                  return
        ");
}

#[test]
fn an_operand_that_can_fail_is_evaluated_before_a_later_access() {
    insta::assert_snapshot!(steps(NODE, "op f(v: 0..9?) -> bool { return v.unwrap() == x; }"), @"
        op f(v: 0..=8?) -> bool    no points: takes effect at any step
           call   t1 = v.unwrap()
                  → 1
             1  t2 = x                                                    line 4  [t1]
                  return t1 == t2
        ");
}

#[test]
fn a_primitive_finds_its_place_first() {
    insta::assert_snapshot!(steps(NODE, "op f() -> bool { return cas(head.next.val, x, y); }"), @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  t2 = head                                                 line 4
                  → 2
             2  t3 = t2.next                                              line 4  [t2]
                  → 3
             3  t4 = x                                                    line 4  [t3]
                  → 4
             4  t5 = y                                                    line 4  [t3, t4]
                  → 5
             5  t1 = cas(t3.val, t4, t5)                                  line 4  [t3, t4, t5]
                  return t1
        ");
}

#[test]
fn an_update_is_a_read_and_a_write_of_a_place_found_once() {
    insta::assert_snapshot!(steps(NODE, "op f() { x += 1; head.next.val -= 1; }"), @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = x                                                    line 4
                  → 2
             2  x = t1 + 1                                                line 4  [t1]
                  → 3
             3  t2 = head                                                 line 4
                  → 4
             4  t3 = t2.next                                              line 4  [t2]
                  → 5
             5  t4 = t3.val                                               line 4  [t3]
                  → 6
             6  t3.val = t4 - 1                                           line 4  [t3, t4]
                  return
        ");
}

#[test]
fn an_element_of_a_shared_sequence_is_set_like_a_variable() {
    insta::assert_snapshot!(steps(
            "shared s: seq<bool>; shared i: 0..2; shared b: bool; op poke(v: bool) { i = 1; b = v; }",
            "op f() { s[i] = b; }",
        ), @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = b                                                    line 3
                  → 2
             2  t2 = i                                                    line 3  [t1]
                  → 3
             3  s[t2] = t1                                                line 3  [t1, t2]
                  return
        ");
}

#[test]
fn a_word_is_one_location_and_so_is_a_field_of_it() {
    insta::assert_snapshot!(
        steps(
            "word Pair { a: bool, b: bool } shared p: Pair;",
            "op f() -> bool { let q = p; p.b = q.a; return p.a; }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  q = p                                                     line 3
                  → 2
             2  p.b = q.a                                                 line 3  [q]
                  → 3
             3  t1 = p.a                                                  line 3
                  return t1
        "
    );
}

#[test]
fn a_wait_is_two_accesses() {
    insta::assert_snapshot!(
        steps(
            "shared l: lock; shared c: condvar; shared x: bool; op poke(v: bool) { x = v; }",
            "op f() { l.lock(); while x { c.wait(l); } l.unlock(); }",
        ),
        @"
        op f()    no points: takes effect at any step
           call   → 1
             1  l.lock()                                                  can block  line 3
                  → 2
             2  t1 = x                                                    line 3
                  if t1: → 3
                  else: → 5
             3  c.wait(l): release and wait                               line 3
                  → 4
             4  c.wait(l): notified, take it again                        can block  line 3
                  → 2
             5  l.unlock()                                                line 3
                  return
        "
    );
}

#[test]
fn a_new_cell_comes_with_its_fields_where_nobody_sees_it() {
    insta::assert_snapshot!(steps(NODE, "op f() { head = new Node { val: x, next: head }; }"), @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t2 = x                                                    line 4
                  → 2
             2  t3 = head                                                 line 4  [t2]
                  t1 = new Node { val: t2, next: t3 }
                  → 3
             3  head = t1                                                 line 4  [t1]
                  return
        ");
}

#[test]
fn where_cells_are_used_again_each_initial_write_is_an_access() {
    let pool = format!("memory pool; {NODE}");
    insta::assert_snapshot!(steps(&pool, "op f() { let n = new Node { val: x, next: null }; free(n); }"), @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = x                                                    line 4
                  → 2
             2  n = new Node {}                                           can block  line 4  [t1]
                  → 3
             3  n.val = t1                                                line 4  [n, t1]
                  → 4
             4  n.next = null                                             line 4  [n]
                  → 5
             5  free(n)                                                   line 4  [n]
                  return
        ");
    insta::assert_snapshot!(
        steps("memory manual; shared a: *[bool];", "op f() { a = new [true; 3]; }"),
        @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = new [false; 3]                                       can block  line 3
                  t2 = 0
                  if t2 < 3: → 2
                  else: → 3
             2  t1[t2] = true                                             line 3  [t1, t2]
                  t2 = t2 + 1
                  if t2 < 3: → 2
                  else: → 3
             3  a = t1                                                    line 3  [t1]
                  return
        "
    );
    insta::assert_snapshot!(
        steps("memory pool; struct Row { on: [bool; 2] }", "op f() { free(new Row { on: [true, false] }); }"),
        @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = new Row {}                                           can block  line 3
                  → 2
             2  t1.on[0] = true                                           line 3  [t1]
                  → 3
             3  t1.on[1] = false                                          line 3  [t1]
                  → 4
             4  free(t1)                                                  line 3  [t1]
                  return
        "
    );
}

#[test]
fn methods_of_shared_collections_are_accesses_and_of_local_ones_local() {
    insta::assert_snapshot!(
        steps(
            "shared s: seq<bool>;",
            "op f() -> bool {
                let mine: seq<bool> = [];
                if s.is_empty() { return false; }
                mine.push_back(s.pop_front());
                for b in s { mine.push_back(b); }
                return mine.len() == 1 && mine.pop_back();
            }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   mine = []
                  → 1
             1  t1 = s.is_empty()                                         line 5  [mine]
                  if t1: return false
                  else: → 2
             2  t2 = s.pop_front()                                        line 6  [mine]
                  mine.push_back(t2)
                  → 3
             3  t3 = s                                                    line 7  [mine]
                  if 0 < t3.len():
                    t4 = 0
                    → a
                  else: → b
               a:
                  b = t3[t4]
                  mine.push_back(b)
                  if t4 + 1 < t3.len():
                    t4 = t4 + 1
                    → a
                  else: → b
               b:
                  t5 = mine.len() == 1
                  if t5:
                    t5 = mine.pop_back()
                  return t5
        "
    );
}

#[test]
fn an_operand_is_not_changed_by_a_later_one() {
    insta::assert_snapshot!(
        steps("", "op f() -> bool { let s: seq<bool> = [true]; return s.len() == 1 && s.pop_back() == s.is_empty(); }"),
        @"
        op f() -> bool    no points: takes effect at any step
           call   s = [true]
                  t1 = s.len() == 1
                  if t1:
                    t2 = s.pop_back()
                    return t2 == s.is_empty()
                  else: return t1
        "
    );
    insta::assert_snapshot!(
        steps("local n: int; fn next() -> int { n += 1; return n; }", "op f() -> bool { return n + next() == n; }"),
        @"
        op f() -> bool    no points: takes effect at any step
           call   t1 = n
                  n = n + 1
                  return t1 + n == n
        "
    );
}

#[test]
fn one_step_can_block_if_any_part_of_it_can_be_disabled() {
    insta::assert_snapshot!(
        steps(
            "shared l: lock; shared s: set<bool>; shared x: bool; op poke(v: bool) { s.add(v); }",
            "op f() {
                let b = choose s;
                x = b;
                atomic { if x { l.lock(); } }
                atomic { x = choose bool; }
            }",
        ),
        @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = s                                                    can block  line 4
                  b = choose t1
                  → 2
             2  x = b                                                     line 5  [b]
                  → 3
             3  atomic                                                    can block  line 6
                  t2 = x
                  if t2:
                    l.lock()
                  → 4
             4  atomic                                                    line 7
                  t3 = choose bool
                  x = t3
                  return
        "
    );
}
