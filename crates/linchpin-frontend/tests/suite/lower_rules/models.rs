//! The steps of the catalogue. What a person sees by `linchpin ir` is pinned for every model that fits a few
//! pages, the numbers of steps and slots for all.

use crate::lower_rules::support::{catalogue, from_catalogue};
use linchpin_frontend::lower::warnings;
use linchpin_ir::program as ir;
use std::fmt::Write;

/// Longer ones repeat inlined text; their sizes are enough.
const MOST_LINES: usize = 400;

#[test]
fn steps_of_the_catalogue() {
    let mut numbers = String::new();
    for (name, path) in catalogue() {
        let (sources, program) = from_catalogue(&path);
        for op in program.ops.iter() {
            let method = &program.methods[op.method];
            let steps = method.code.iter().filter(|instr| instr.access.is_step()).count();
            let (op, slots) = (&op.name, method.slots.len());
            writeln!(numbers, "{name:26} {op:12} {steps:3} steps {slots:3} slots")
                .expect("a string takes all");
        }
        let printed = ir::print(&sources, &program);
        if printed.lines().count() <= MOST_LINES {
            insta::assert_snapshot!(name.as_str(), printed);
        }
        assert!(warnings(&program).is_empty(), "{name} has an operation that never returns");
    }
    insta::assert_snapshot!("numbers", numbers);
}
