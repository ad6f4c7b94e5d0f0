//! What instructions and steps may touch.

use crate::lower_rules::support::{lowered, model};
use linchpin_ir::program::footprint::{Footprint, of_step};
use linchpin_ir::program::{Access, Program};

/// The footprints of the steps of the operation `f`, in order.
fn footprints(program: &Program) -> Vec<Footprint> {
    let op = program.ops.iter().find(|op| &*op.name == "f").expect("it is there");
    let method = &program.methods[op.method];
    let steps = method.code.entries().filter(|(_, instr)| matches!(instr.access, Access::Step { .. }));
    steps.map(|(pc, _)| of_step(program, method, pc)).collect()
}

fn of(declarations: &str, op: &str) -> Vec<Footprint> {
    footprints(&lowered(&model(declarations, op)).1)
}

#[test]
fn reads_of_one_place_do_not_conflict_and_a_write_does() {
    let steps = of("shared x: bool; shared y: bool;", "op f() -> bool { x = true; y = x; return x; }");
    let [write_x, read_x, write_y, read_again] = steps.as_slice() else { panic!("four steps") };
    assert!(write_x.conflicts_with(read_x) && read_x.conflicts_with(write_x));
    assert!(write_x.conflicts_with(write_x));
    assert!(!read_x.conflicts_with(read_again));
    assert!(!write_y.conflicts_with(read_again));
}

#[test]
fn elements_are_apart_where_their_positions_are_constant() {
    let steps = of(
        "shared a: [bool; 3]; word Link { on: bool, off: bool } shared l: Link;",
        "op f(i: 0..3) { a[0] = true; a[1] = true; a[i] = true; l.on = true; l.off = true; l = Link {}; }",
    );
    let [first, second, any, on, off, whole] = steps.as_slice() else { panic!("six steps") };
    assert!(!first.conflicts_with(second));
    assert!(any.conflicts_with(first) && any.conflicts_with(second));
    assert!(!on.conflicts_with(off));
    assert!(whole.conflicts_with(on) && whole.conflicts_with(off));
    assert!(!whole.conflicts_with(any));
}

#[test]
fn fields_are_apart_and_cells_are_not() {
    let steps = of(
        "struct Node { a: bool, b: bool, next: *Node } shared p: *Node; op poke() { p = null; p.next = null; }",
        "op f() { p.a = true; p.next.a = true; p.b = true; }",
    );
    let [read_p, write_a, read_p_again, read_next, write_other_a, _, write_b] = steps.as_slice() else {
        panic!("seven steps")
    };
    assert!(write_a.conflicts_with(write_other_a));
    assert!(!write_a.conflicts_with(write_b));
    assert!(!read_p.conflicts_with(read_p_again));
    assert!(!read_next.conflicts_with(write_b));
}

#[test]
fn an_atomic_block_touches_all_that_is_in_it() {
    let steps = of(
        "shared x: bool; shared y: bool; shared l: lock;",
        "op f() { atomic { if x { y = true; } } l.lock(); y = false; x = y; }",
    );
    let [block, lock, write_y, ..] = steps.as_slice() else { panic!("steps") };
    assert!(block.conflicts_with(write_y));
    assert!(!block.conflicts_with(lock));
    assert!(lock.conflicts_with(lock));
}

#[test]
fn allocation_conflicts_with_allocation() {
    let steps = of(
        "memory pool; struct Node { a: bool } shared x: bool;",
        "op f() { let n = new Node { a: true }; free(n); x = true; }",
    );
    let [new, write, free, other] = steps.as_slice() else { panic!("four steps") };
    assert!(new.conflicts_with(free));
    assert!(!new.conflicts_with(other) && !write.conflicts_with(other));
}
