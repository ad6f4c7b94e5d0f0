//! The validator finds errors: programs of the catalogue, each with one planted fault.

use crate::lower_rules::support::{catalogue, from_catalogue, lowered, model};
use linchpin_ir::index::Index;
use linchpin_ir::program as ir;
use linchpin_ir::program::{Access, ExprKind, LocalSet, MethodId, Op, Pc, Program};

/// The message for a program after a change to the first instruction of an operation that the change accepts.
fn after(change: impl Fn(&mut ir::Instr) -> bool) -> Vec<String> {
    let (_, path) = catalogue().into_iter().find(|(name, _)| name == "lazy_list").expect("it is there");
    let (_, mut program) = from_catalogue(&path);
    let methods: Vec<MethodId> = program.ops.iter().map(|op| op.method).collect();
    for id in methods {
        for instr in program.methods[id].code.iter_mut() {
            if change(instr) {
                return ir::validate(&program);
            }
        }
    }
    panic!("nothing was changed")
}

fn reports(faults: &[String], what: &str) {
    assert!(faults.iter().any(|fault| fault.contains(what)), "no `{what}` in {faults:#?}");
}

#[test]
fn control_that_goes_nowhere() {
    let faults = after(|instr| {
        instr.next = Pc::new(9999);
        !matches!(instr.op, Op::Branch { .. } | Op::Return(_))
    });
    reports(&faults, "control goes nowhere");
}

#[test]
fn a_local_that_is_not_live() {
    let faults = after(|instr| {
        let used = matches!(instr.op, Op::Lock(_));
        if used {
            instr.live = LocalSet::new();
        }
        used
    });
    reports(&faults, "used later but not live");
}

#[test]
fn a_local_that_is_used_before_it_is_assigned() {
    let faults = after(|instr| {
        let Op::Load { into, .. } = &mut instr.op else { return false };
        let read_first = into.path.is_empty() && instr.access.is_step();
        if read_first {
            let cond = ir::Expr { kind: ExprKind::Constant(vec![1]), ty: into.ty };
            instr.op = Op::Assert(cond);
        }
        read_first
    });
    reports(&faults, "may not have been assigned");
    reports(&faults, "the condition has a wrong type");
}

#[test]
fn a_rest_in_front_of_local_work() {
    let faults = after(|instr| {
        let local = matches!(instr.op, Op::Branch { .. });
        if local {
            instr.access = Access::Step { can_block: false };
        }
        local
    });
    reports(&faults, "rests in front of local work");
}

#[test]
fn a_lock_that_says_it_cannot_block() {
    let faults = after(|instr| {
        let lock = matches!(instr.op, Op::Lock(_));
        if lock {
            instr.access = Access::Step { can_block: false };
        }
        lock
    });
    reports(&faults, "says that it cannot block");
}

#[test]
fn a_value_of_another_type() {
    let faults = after(|instr| {
        let Op::Store { value, .. } = &mut instr.op else { return false };
        value.kind = ExprKind::Constant(vec![0, 0]);
        true
    });
    reports(&faults, "a constant has a wrong type");
}

#[test]
fn slots_that_are_not_those_of_the_variables() {
    let (_, mut program) = lowered(&model("shared x: bool; shared y: bool;", "op f() { x = y; }"));
    program.globals.slots.pop();
    reports(&ir::validate(&program), "the slots are not those of the variables");
}

#[test]
fn an_init_that_rests() {
    let (_, mut program): (_, Program) =
        lowered(&model("shared x: bool; init { x = true; }", "op f() { x = false; }"));
    let init = program.init;
    for instr in program.methods[init].code.iter_mut().filter(|instr| matches!(instr.op, Op::Store { .. })) {
        instr.access = Access::Step { can_block: false };
    }
    reports(&ir::validate(&program), "rests");
}
