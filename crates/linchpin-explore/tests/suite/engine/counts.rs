//! How large instances are. The numbers are the product of the step rules, the normal forms and the pruning;
//! a change needs a reason, which belongs into the message of the commit that makes it.

use crate::engine::support::{Instance, Size};
use linchpin_explore::{MonitorKind, ViolationKind};

/// Model, size, whether by points; states, nodes of the product, transitions.
type Row = (&'static str, Size, bool, usize, usize, u64);

const ROWS: &[Row] = &[
    ("treiber_stack", (2, 2, 1), false, 114, 114, 282),
    ("treiber_stack", (2, 2, 2), false, 397, 397, 1138),
    ("treiber_stack", (2, 2, 2), true, 397, 397, 1138),
    ("treiber_stack", (2, 3, 2), true, 1941, 1941, 5234),
    ("treiber_stack_tagged", (2, 2, 2), false, 7422, 7998, 18616),
    ("treiber_stack_reuse", (2, 1, 1), false, 123, 127, 296),
    ("ms_queue", (2, 2, 2), false, 1254, 1254, 3116),
    ("ms_queue_tagged", (2, 2, 1), false, 3251, 3271, 6930),
    ("two_lock_queue", (2, 2, 2), false, 1376, 1460, 3476),
    ("coarse_list", (2, 4, 2), false, 1036, 1120, 3180),
    ("bounded_queue", (2, 4, 1), false, 1646, 1826, 3896),
    ("michael_list_hp", (2, 3, 1), false, 9654, 10322, 22304),
    ("register_k", (3, 1, 1), false, 3669, 5931, 20754),
    ("counter", (2, 1, 1), false, 251, 289, 702),
];

#[test]
fn instances_are_as_large_as_they_were() {
    let measured: Vec<Row> = ROWS
        .iter()
        .map(|&(model, size, by_points, ..)| {
            let instance = Instance::of(model, size);
            let client = instance.general();
            let method = if by_points { instance.points() } else { MonitorKind::Refinement };
            let (_, summary) = instance.search(&client, Some(method), &[ViolationKind::Inconsistent]);
            assert!(summary.found.is_empty(), "{model} {size:?}");
            (model, size, by_points, summary.states, summary.nodes, summary.transitions)
        })
        .collect();
    let table = |rows: &[Row]| rows.iter().map(|row| format!("    {row:?},\n")).collect::<String>();
    assert_eq!(table(&measured), table(ROWS), "measured:\n{}", table(&measured));
}
