//! Friggens, tables 6.8 to 6.11: the largest instances for which lock-freedom was verified.
//!
//! Published are Spin's memory (in MB, of 4.5 GB) and time on the author's machine; ours are measured here,
//! with as many workers as there are cores. One larger instance is added to each table.

use crate::length::Length;
use crate::measure::{Instance, measure, triple_text};
use linchpin_ir::property::Property;
use linchpin_report::table::{Table, TableCell};
use std::time::Duration;

pub struct Limits {
    table: &'static str,
    algorithm: &'static str,
    model: &'static str,
    /// Threads, nodes, values; megabytes and seconds of Spin.
    rows: &'static [([u32; 3], u32, u32)],
    /// How long the instance takes that is [`BEYOND`] them.
    beyond: Length,
}

/// The instance beyond the published rows.
const BEYOND: [u32; 3] = [4, 4, 2];
/// The time limit of one instance.
const TIME: Duration = Duration::from_secs(1800);

pub const TABLE_6_8: Limits = Limits {
    table: "6.8",
    algorithm: "Treiber stack",
    model: "treiber_stack",
    rows: &[
        ([3, 4, 2], 3210, 42),
        ([6, 2, 1], 3279, 51),
        ([2, 4, 6], 3867, 57),
        ([3, 3, 7], 4083, 76),
        ([5, 2, 5], 4184, 97),
        ([5, 3, 1], 4254, 87),
        ([4, 4, 1], 4294, 91),
        ([7, 1, 6], 4364, 116),
    ],
    beyond: Length::Short,
};

pub const TABLE_6_9: Limits = Limits {
    table: "6.9",
    algorithm: "MS queue",
    model: "ms_queue",
    rows: &[
        ([4, 3, 1], 3164, 46),
        ([4, 2, 7], 3264, 52),
        ([2, 4, 4], 3315, 40),
        ([2, 5, 2], 3347, 36),
        ([3, 3, 4], 3695, 64),
        ([5, 2, 2], 4129, 100),
    ],
    beyond: Length::Short,
};

pub const TABLE_6_10: Limits = Limits {
    table: "6.10",
    algorithm: "DGLM queue",
    model: "dglm_queue",
    rows: &[
        ([2, 5, 2], 3143, 29),
        ([3, 3, 5], 3815, 68),
        ([6, 2, 1], 4237, 118),
        ([5, 2, 4], 4378, 112),
        ([2, 4, 5], 4443, 74),
    ],
    beyond: Length::Short,
};

pub const TABLE_6_11: Limits = Limits {
    table: "6.11",
    algorithm: "LMS queue",
    model: "lms_queue",
    rows: &[([4, 2, 7], 3007, 63), ([2, 4, 3], 3336, 50), ([2, 6, 1], 3565, 56), ([3, 3, 2], 3639, 77)],
    beyond: Length::Long,
};

pub fn print(limits: &Limits, long: bool) -> Result<String, String> {
    let mut table = Table::new(["instance", "Spin MB", "time", "ours", "states", "MB", "seconds"]);
    let published = limits.rows.iter().map(|(triple, megabytes, seconds)| {
        (*triple, megabytes.to_string(), format!("{seconds} s"), Length::Short)
    });
    let beyond = (BEYOND, "—".to_string(), "—".to_string(), limits.beyond);
    for (triple, megabytes, seconds, length) in published.chain([beyond]) {
        let mut cells = vec![triple_text(triple), megabytes, seconds];
        if length.is_left_out(long) {
            cells.push("long: --long".into());
        } else {
            let instance = Instance { property: Property::LockFree, ..Instance::new(limits.model, triple) };
            let ours = measure(&instance, TIME)?;
            cells.extend([ours.verdict.into(), ours.states_text(), ours.memory_text(), ours.seconds_text()]);
        }
        table.row(cells.into_iter().map(TableCell::plain));
    }
    let title = format!("Friggens, table {}: lock-freedom of the {}", limits.table, limits.algorithm);
    let note = "\nThe last instance is beyond the published ones. Ours: symmetry and partial order reduction, all cores.\n";
    Ok(format!("{title}\n\n{table}{note}"))
}
