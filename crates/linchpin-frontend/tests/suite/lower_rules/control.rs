//! Control: calls, loops, ways out, atomic blocks.

use crate::lower_rules::support::steps;

#[test]
fn a_deferred_statement_runs_on_every_way_out_last_first() {
    insta::assert_snapshot!(
        steps(
            "shared x: 0..9; shared a: 0..9; shared b: 0..9; op poke(v: 0..9) { x = v; }",
            "op f() -> bool {
                loop {
                    defer a = 1;
                    if x == 0 { break; }
                    defer b = 2;
                    if x == 1 { continue; }
                    if x == 2 { return x == 3; }
                }
                return false;
            }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  t1 = x                                                    line 6
                  if t1 == 0: → 2
                  else: → 3
             2  a = 1                                                     line 5
                  return false
             3  t1 = x                                                    line 8
                  if t1 == 1: → 4
                  else: → 6
             4  b = 2                                                     line 7
                  → 5
             5  a = 1                                                     line 5
                  → 1
             6  t1 = x                                                    line 9
                  if t1 == 2: → 7
                  else: → 10
             7  t1 = x                                                    line 9
                  t2 = t1 == 3
                  → 8
             8  b = 2                                                     line 7  [t2]
                  → 9
             9  a = 1                                                     line 5  [t2]
                  return t2
            10  b = 2                                                     line 7
                  → 11
            11  a = 1                                                     line 5
                  → 1
        "
    );
}

#[test]
fn a_deferred_statement_sees_the_variables_as_they_then_are() {
    insta::assert_snapshot!(
        steps("shared x: 0..9;", "op f() -> bool { let i = 1; defer x = i; i = 2; return i == 2; }"),
        @"
        op f() -> bool    no points: takes effect at any step
           call   i = 1
                  i = 2
                  t1 = i == 2
                  → 1
             1  x = i                                                     line 3  [i, t1]
                  return t1
        "
    );
}

#[test]
fn an_atomic_block_is_one_access_and_may_be_left_by_return() {
    insta::assert_snapshot!(
        steps(
            "shared x: 0..9; shared y: 0..9; shared l: lock;",
            "op f() -> bool {
                l.lock();
                defer l.unlock();
                atomic {
                    if x == y { return true; }
                    atomic { x = y; }
                }
                return false;
            }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  l.lock()                                                  can block  line 4
                  → 2
             2  atomic                                                    line 6
                  t1 = x
                  t2 = y
                  if t1 == t2: → 3
                  else:
                    t2 = y
                    x = t2
                    → 4
             3  l.unlock()                                                line 5
                  return true
             4  l.unlock()                                                line 5
                  return false
        "
    );
}

#[test]
fn an_await_is_one_step() {
    let shared = "shared x: bool; shared fixed: bool; struct Node { done: bool } shared p: *Node; fn test() -> bool { return x; }";
    insta::assert_snapshot!(
        steps(
            shared,
            "op f(v: bool) {
                await v;
                await fixed;
                await !x;
                await test() == v;
                let q = p;
                await q == null || q.done;
                x = true;
                p = new Node {};
                p.done = true;
            }",
        ),
        @"
        op f(v: bool)    no points: takes effect at any step
           call   → 1
             1  await v                                                   can block  line 4  [v]
                  t1 = fixed
                  → 2
             2  await t1                                                  can block  line 5  [v, t1]
                  → 3
             3  t2 = x                                                    can block  line 6  [v]
                  await !t2
                  → 4
             4  t2 = x                                                    can block  line 2 in test  [v]
                  await t2 == v
                  → 5
             5  q = p                                                     line 8
                  → 6
             6  atomic                                                    can block  line 9  [q]
                  t3 = q == null
                  if not t3:
                    t3 = q.done
                  await t3
                  → 7
             7  x = true                                                  line 10
                  t4 = new Node {}
                  → 8
             8  p = t4                                                    line 11  [t4]
                  → 9
             9  t5 = p                                                    line 12
                  → 10
            10  t5.done = true                                            line 12  [t5]
                  return
        "
    );
}

#[test]
fn inside_atomic_an_await_reads_as_much_as_it_likes() {
    insta::assert_snapshot!(
        steps("shared x: bool; shared y: bool;", "op f() { atomic { await x && !y || y == x; x = y; } }"),
        @"
        op f()    no points: takes effect at any step
           call   → 1
             1  atomic                                                    can block  line 3
                  t1 = x
                  if t1:
                    t2 = y
                    if t2: → a
                    else: → b
                  else: → a
               a:
                  t2 = y
                  t1 = x
                  await t2 == t1
                  → b
               b:
                  t2 = y
                  x = t2
                  return
        "
    );
}

#[test]
fn the_right_side_of_a_connective_is_read_only_where_it_is_needed() {
    insta::assert_snapshot!(
        steps(
            "shared x: bool; shared y: bool; op poke(v: bool) { x = v; y = v; }",
            "op f(v: bool) -> bool { if v || x && !y { return v && v; } return x || y; }",
        ),
        @"
        op f(v: bool) -> bool    no points: takes effect at any step
           call   if v: return v && v
                  else: → 1
             1  t1 = x                                                    line 3  [v]
                  if t1: → 2
                  else: → 3
             2  t2 = y                                                    line 3  [v]
                  if t2: → 3
                  else: return v && v
             3  t3 = x                                                    line 3
                  if t3: return t3
                  else: → 4
             4  t3 = y                                                    line 3
                  return t3
        "
    );
}

#[test]
fn a_match_tests_its_arms_in_order_and_the_last_needs_no_test() {
    insta::assert_snapshot!(
        steps(
            "enum Hue { Red, Green, Blue } shared hue: Hue; shared x: 0..9; op poke(v: Hue) { hue = v; }",
            "op f() {
                match hue { Hue::Red => { x = 1; } Hue::Green => {} Hue::Blue => { x = 2; } }
                match x { 1 => { x = 3; } _ => { x = 4; } }
            }",
        ),
        @"
        op f()    no points: takes effect at any step
           call   → 1
             1  t1 = hue                                                  line 4
                  if t1 == Hue::Red: → 2
                  else if t1 == Hue::Green: → 4
                  else: → 3
             2  x = 1                                                     line 4
                  → 4
             3  x = 2                                                     line 4
                  → 4
             4  t2 = x                                                    line 5
                  if t2 == 1: → 5
                  else: → 6
             5  x = 3                                                     line 5
                  return
             6  x = 4                                                     line 5
                  return
        "
    );
}

#[test]
fn the_bounds_of_a_loop_are_evaluated_once() {
    insta::assert_snapshot!(
        steps(
            "shared x: 0..4; shared y: bool; op poke(v: 0..4) { x = v; }",
            "op f(n: 0..4) {
                for i in 0..x { y = i == n; }
                for i in (1..=n).rev() { y = true; }
                for i in 0..n { n = 0; }
                for i in 0..3 { i += 1; y = i == 2; }
            }",
        ),
        @"
        op f(n: 0..=3)    no points: takes effect at any step
           call   → 1
             1  t1 = x                                                    line 4  [n]
                  if 0 < t1:
                    i = 0
                    → 2
                  else if 1 <= n:
                    i_2 = n
                    → 3
                  else:
                    t2 = n
                    if 0 < t2:
                      i_3 = 0
                      → a
                    else: → b
               a:
                  n = 0
                  if i_3 + 1 < t2:
                    i_3 = i_3 + 1
                    → a
                  else: → b
               b:
                  t3 = 0
                  i_4 = t3
                  i_4 = i_4 + 1
                  → 4
             2  y = i == n                                                line 4  [n, t1, i]
                  if i + 1 < t1:
                    i = i + 1
                    → 2
                  else if 1 <= n:
                    i_2 = n
                    → 3
                  else:
                    t2 = n
                    if 0 < t2:
                      i_3 = 0
                      → a
                    else: → b
               a:
                  n = 0
                  if i_3 + 1 < t2:
                    i_3 = i_3 + 1
                    → a
                  else: → b
               b:
                  t3 = 0
                  i_4 = t3
                  i_4 = i_4 + 1
                  → 4
             3  y = true                                                  line 5  [n, i_2]
                  if 1 < i_2:
                    i_2 = i_2 - 1
                    → 3
                  else:
                    t2 = n
                    if 0 < t2:
                      i_3 = 0
                      → a
                    else: → b
               a:
                  n = 0
                  if i_3 + 1 < t2:
                    i_3 = i_3 + 1
                    → a
                  else: → b
               b:
                  t3 = 0
                  i_4 = t3
                  i_4 = i_4 + 1
                  → 4
             4  y = i_4 == 2                                              line 7  [i_4, t3]
                  if t3 < 2:
                    t3 = t3 + 1
                    i_4 = t3
                    i_4 = i_4 + 1
                    → 4
                  else: return
        "
    );
}

#[test]
fn threads_are_visited_in_order() {
    insta::assert_snapshot!(
        steps("shared seen: [bool; threads];", "op f() { for t in threads { seen[t] = true; } }"),
        @"
        op f()    no points: takes effect at any step
           call   t = thread 0
                  → 1
             1  seen[t] = true                                            line 3  [t]
                  if ord(t) < 1:
                    t = [thread 0, thread 1][ord(t) + 1]
                    → 1
                  else: return
        "
    );
}

#[test]
fn self_is_a_place_found_once() {
    insta::assert_snapshot!(
        steps(
            "struct Cell { n: 0..9 } shared cells: [Cell; 3]; shared at: 0..3;
            op poke(v: 0..3) { at = v; }
            impl Cell { fn bump(self, by: 0..3) -> bool { let old = self.n; return cas(self.n, old, old + by); } }",
            "op f() -> bool { return cells[at].bump(at); }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  t2 = at                                                   line 5
                  → 2
             2  t3 = at                                                   line 5  [t2]
                  → 3
             3  old = cells[t2].n                                         line 4 in Cell::bump  [t2, t3]
                  → 4
             4  t1 = cas(cells[t2].n, old, old + t3)                      line 4 in Cell::bump  [t2, t3, old]
                  return t1
        "
    );
    insta::assert_snapshot!(
        steps(
            "word Pair { a: 0..9, b: 0..9 }
            impl Pair { fn swap(self) -> bool { let a = self.a; self.a = self.b; self.b = a; return self.a < a; } }",
            "op f() -> bool { let p = Pair { a: 1, b: 2 }; return p.a == 1 && p.swap() && p.swap(); }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   p = Pair { a: 1, b: 2 }
                  t1 = p.a == 1
                  if t1:
                    a = p.a
                    p.a = p.b
                    p.b = a
                    t1 = p.a < a
                    if t1:
                      a = p.a
                      p.a = p.b
                      p.b = a
                      return p.a < a
                    else: return t1
                  else: return t1
        "
    );
}

#[test]
fn the_variables_of_a_function_are_shared_by_its_calls() {
    insta::assert_snapshot!(
        steps(
            "shared x: 0..9; op poke(v: 0..9) { x = v; } fn twice(n: 0..5) -> int { let m = x; return n + m; }",
            "op f() -> bool { return twice(1) == twice(2); }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  m = x                                                     line 2 in twice
                  t1 = 1 + m
                  → 2
             2  m = x                                                     line 2 in twice  [t1]
                  t2 = 2 + m
                  return t1 == t2
        "
    );
}

#[test]
fn a_recursive_function_is_a_method_in_two_variants() {
    insta::assert_snapshot!(
        steps(
            "struct Node { val: bool, next: *Node } shared head: *Node;
            op poke() { head = null; }
            fn len(n: *Node) -> int { if n == null { return 0; } return 1 + len(n.next); }",
            "op f() -> bool { head.next = null; let n = len(head); atomic { return len(head) == n; } }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   → 1
             1  t1 = head                                                 line 5
                  → 2
             2  t1.next = null                                            line 5  [t1]
                  → 3
             3  t1 = head                                                 line 5
                  n = len(t1)
                  → 4
             4  atomic                                                    line 5  [n]
                  t1 = head
                  t2 = len(t1)
                  return t2 == n

        fn len(n: *Node) -> int
           call   if n == null: return 0
                  else: → 1
             1  t2 = n.next                                               line 4  [n]
                  t1 = len(t2)
                  return 1 + t1

        fn len(n: *Node) -> int    within one step
           call   if n == null: return 0
                  else:
                    t2 = n.next
                    t1 = len(t2)
                    return 1 + t1
        "
    );
}

#[test]
fn choices_are_local_work() {
    insta::assert_snapshot!(
        steps(
            "shared x: 0..4;",
            "op f() -> bool {
                x = choose 0..3;
                let s: set<int> = [1, 2];
                let n = choose e in s where s.all(|g| e <= g);
                x = n;
                return choose bool;
            }",
        ),
        @"
        op f() -> bool    no points: takes effect at any step
           call   t1 = choose 0..=2
                  → 1
             1  x = t1                                                    can block  line 4  [t1]
                  s = [1, 2]
                  n = choose n in s where s.all(|g| n <= g)
                  → 2
             2  x = n                                                     line 7  [n]
                  t2 = choose bool
                  return t2
        "
    );
}

#[test]
fn a_loop_without_work_stays_a_loop() {
    insta::assert_snapshot!(steps("shared x: bool;", "op f(v: bool) { if v { loop {} } x = v; }"), @"
        op f(v: bool)    no points: takes effect at any step
           call   if v: → a
                  else: → 1
               a:
                  → → a
             1  x = v                                                     line 3  [v]
                  return
        ");
}
