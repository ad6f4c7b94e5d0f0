//! Friggens, tables 6.2 to 6.6: the largest instances (threads, nodes, values) that Spin verified to be
//! linearizable in 4.5 GB, with its compressions and with TopSpin; by annotated points, as there.
//!
//! Below the published rows, without published columns, are the instances that Friggens asks for (6.1.3) and
//! no tool reached.

use crate::length::Length;
use crate::measure::{Instance, measure, triple_text};
use crate::rolling::Rolling;
use std::time::Duration;

/// A published table.
pub struct Published {
    title: &'static str,
    model: &'static str,
    /// How the figures were made; each is memory in MB and time.
    columns: [&'static str; 3],
    rows: &'static [Row],
    wanted: &'static [([u32; 3], Length)],
}

type Figure = Option<(&'static str, &'static str)>;

struct Row {
    triple: [u32; 3],
    figures: [Figure; 3],
}

const SPIN: [&str; 3] = ["Spin", "-DCOLLAPSE", "-DMA"];
const TOPSPIN: [&str; 3] = ["Spin", "-DMA", "TopSpin"];

const fn row(triple: [u32; 3], figures: [Figure; 3]) -> Row {
    Row { triple, figures }
}

pub const TABLE_6_2: Published = Published {
    title: "table 6.2: Treiber stack, bounded verification",
    model: "treiber_stack",
    columns: SPIN,
    rows: &[
        row([3, 4, 3], [Some(("2,983", "59 s")), Some(("2,298", "89 s")), Some(("1,471", "10.4 min"))]),
        row([4, 3, 4], [Some(("3,228", "74 s")), Some(("2,392", "115 s")), Some(("1,396", "10.2 min"))]),
        row([2, 6, 2], [Some(("3,256", "46 s")), Some(("2,933", "80 s")), Some(("957", "12.6 min"))]),
        row([7, 2, 1], [Some(("4,023", "119 s")), Some(("3,214", "191 s")), Some(("1,873", "14.4 min"))]),
        row([6, 2, 4], [Some(("4,282", "122 s")), Some(("3,413", "209 s")), Some(("1,547", "14.0 min"))]),
        row([2, 5, 5], [None, None, Some(("2,865", "80.5 min"))]),
        row([6, 2, 7], [None, None, Some(("2,896", "39.7 min"))]),
        row([5, 3, 2], [None, None, Some(("3,153", "24.0 min"))]),
        row([4, 3, 6], [None, None, Some(("3,390", "37.2 min"))]),
        row([3, 4, 4], [None, None, Some(("3,596", "38.5 min"))]),
        row([3, 6, 1], [None, None, Some(("3,755", "28.3 min"))]),
    ],
    wanted: &[([4, 5, 3], Length::Short), ([5, 6, 4], Length::Long)],
};

pub const TABLE_6_3: Published = Published {
    title: "table 6.3: MS queue, bounded verification",
    model: "ms_queue",
    columns: SPIN,
    rows: &[
        row([2, 4, 5], [Some(("3,050", "48 s")), Some(("2,506", "76 s")), Some(("1,493", "19.3 min"))]),
        row([3, 3, 4], [Some(("3,122", "60 s")), Some(("2,230", "95 s")), Some(("925", "9.8 min"))]),
        row([5, 2, 1], [Some(("3,249", "75 s")), Some(("2,162", "114 s")), Some(("876", "9.9 min"))]),
        row([4, 3, 1], [Some(("3,627", "80 s")), Some(("2,422", "123 s")), Some(("1,110", "12.0 min"))]),
        row([4, 2, 7], [Some(("3,880", "83 s")), Some(("2,648", "134 s")), Some(("650", "10.9 min"))]),
        row([2, 7, 1], [Some(("4,482", "57 s")), Some(("3,205", "95 s")), Some(("3,202", "38.8 min"))]),
        row([3, 3, 7], [None, None, Some(("3,279", "63.3 min"))]),
        row([3, 4, 2], [None, None, Some(("3,332", "46.2 min"))]),
        row([3, 5, 1], [None, None, Some(("3,635", "43.0 min"))]),
        row([5, 2, 3], [None, None, Some(("4,080", "91.8 min"))]),
        row([2, 5, 3], [None, None, Some(("4,164", "73.5 min"))]),
        row([2, 4, 7], [None, None, Some(("4,192", "89.3 min"))]),
    ],
    wanted: &[([4, 5, 3], Length::Long)],
};

pub const TABLE_6_4: Published = Published {
    title: "table 6.4: DGLM queue, bounded verification",
    model: "dglm_queue",
    columns: SPIN,
    rows: &[
        row([5, 2, 2], [Some(("2,574", "58 s")), Some(("1,728", "90 s")), Some(("631", "7.4 min"))]),
        row([3, 3, 5], [Some(("2,911", "61 s")), Some(("2,093", "92 s")), Some(("1,086", "9.7 min"))]),
        row([2, 7, 1], [Some(("3,505", "49 s")), Some(("2,518", "70 s")), Some(("3,076", "29.2 min"))]),
        row([2, 4, 6], [Some(("4,194", "66 s")), Some(("3,373", "113 s")), Some(("2,852", "34.5 min"))]),
        row([3, 5, 1], [None, Some(("3,082", "145 s")), Some(("2,047", "18.0 min"))]),
        row([3, 3, 6], [None, Some(("3,262", "155 s")), Some(("1,628", "17.8 min"))]),
        row([5, 2, 3], [None, Some(("3,335", "197 s")), Some(("1,136", "17.2 min"))]),
        row([3, 4, 2], [None, Some(("3,517", "164 s")), Some(("2,202", "21.5 min"))]),
        row([3, 3, 7], [None, None, Some(("2,307", "29.7 min"))]),
        row([6, 2, 1], [None, None, Some(("2,632", "47.7 min"))]),
        row([4, 3, 2], [None, None, Some(("2,806", "34.5 min"))]),
        row([5, 2, 7], [None, None, Some(("3,126", "97.0 min"))]),
    ],
    wanted: &[([4, 5, 3], Length::Long)],
};

pub const TABLE_6_5: Published = Published {
    title: "table 6.5: LMS queue, bounded verification",
    model: "lms_queue",
    columns: SPIN,
    rows: &[
        row([3, 3, 2], [Some(("1,872", "34 s")), Some(("1,231", "50 s")), Some(("276", "4.7 min"))]),
        row([2, 4, 4], [Some(("3,279", "46 s")), Some(("2,478", "78 s")), Some(("1,598", "20.0 min"))]),
        row([2, 5, 2], [Some(("3,741", "48 s")), Some(("2,652", "78 s")), Some(("2,376", "24.0 min"))]),
        row([5, 2, 3], [Some(("4,487", "102 s")), Some(("2,409", "168 s")), Some(("41", "14.1 min"))]),
        row([5, 2, 4], [None, Some(("4,093", "241 s")), Some(("49", "19.2 min"))]),
        row([3, 3, 3], [None, Some(("4,190", "176 s")), Some(("733", "17.8 min"))]),
        row([3, 4, 1], [None, Some(("4,381", "177 s")), Some(("1,482", "20.3 min"))]),
        row([6, 2, 7], [None, None, Some(("728", "23.5 h"))]),
        row([4, 3, 1], [None, None, Some(("2,172", "114.3 min"))]),
        row([7, 2, 1], [None, None, Some(("2,455", "130.0 h"))]),
        row([2, 4, 5], [None, None, Some(("3,006", "55.5 min"))]),
        row([3, 3, 6], [None, None, Some(("3,585", "180.0 min"))]),
    ],
    wanted: &[([4, 5, 3], Length::Long)],
};

pub const TABLE_6_6: Published = Published {
    title: "table 6.6: Treiber stack, bounded verification with symmetry reduction",
    model: "treiber_stack",
    columns: TOPSPIN,
    rows: &[
        row([3, 4, 3], [Some(("2,983", "59 s")), Some(("1,471", "10.4 min")), Some(("607", "10 s"))]),
        row([4, 3, 4], [Some(("3,228", "74 s")), Some(("1,396", "10.2 min")), Some(("199", "4 s"))]),
        row([2, 6, 2], [Some(("3,256", "46 s")), Some(("957", "12.6 min")), Some(("1,945", "24 s"))]),
        row([7, 2, 1], [Some(("4,023", "119 s")), Some(("1,873", "14.4 min")), Some(("10", "0 s"))]),
        row([6, 2, 4], [Some(("4,282", "122 s")), Some(("1,547", "14.0 min")), Some(("30", "1 s"))]),
        row([6, 2, 7], [None, Some(("2,896", "39.7 min")), Some(("70", "2 s"))]),
        row([5, 3, 2], [None, Some(("3,153", "24.0 min")), Some(("107", "3 s"))]),
        row([4, 3, 6], [None, Some(("3,390", "37.2 min")), Some(("625", "14 s"))]),
        row([3, 4, 4], [None, Some(("3,596", "38.5 min")), Some(("1,856", "30 s"))]),
        row([3, 6, 1], [None, Some(("3,755", "28.3 min")), Some(("1,282", "20 s"))]),
        row([7, 3, 3], [None, None, Some(("2,611", "96 s"))]),
        row([3, 5, 2], [None, None, Some(("2,672", "44 s"))]),
        row([2, 5, 4], [None, Some(("1,270", "23.8 min")), Some(("3,225", "42 s"))]),
        row([7, 4, 1], [None, None, Some(("3,359", "110 s"))]),
        row([5, 3, 7], [None, None, Some(("3,389", "93 s"))]),
        row([5, 4, 2], [None, None, Some(("3,746", "525 s"))]),
        row([4, 4, 3], [None, None, Some(("3,847", "79 s"))]),
        row([3, 4, 5], [None, None, Some(("3,849", "68 s"))]),
        row([6, 3, 5], [None, None, Some(("3,981", "127 s"))]),
    ],
    wanted: &[([4, 5, 3], Length::Short), ([5, 6, 4], Length::Long)],
};

impl Published {
    pub fn model(&self) -> &'static str {
        self.model
    }

    /// The instances that each tool verified.
    pub fn verified(&self) -> impl Iterator<Item = (&'static str, Vec<[u32; 3]>)> {
        self.columns.into_iter().enumerate().map(|(at, tool)| {
            let rows = self.rows.iter().filter(|row| row.figures[at].is_some());
            (tool, rows.map(|row| row.triple).collect())
        })
    }
}

/// The time limit of one instance.
const TIME: Duration = Duration::from_secs(1800);

/// Prints the table, each row as soon as it is measured.
pub fn print(published: &Published, long: bool, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    tell(&format!("Friggens, {}\n\n", published.title));
    let memory = published.columns.map(|tool| format!("{tool} MB"));
    let mut columns = vec![("instance", 8)];
    memory.iter().for_each(|heading| columns.extend([(heading.as_str(), 6), ("time", 9)]));
    columns.extend([("ours", 12), ("states", 11), ("MB", 5), ("seconds", 7)]);
    let mut table = Rolling::new(&columns, tell);
    let published_rows = published.rows.iter().map(|row| (row.triple, row.figures, Length::Short));
    let wanted = published.wanted.iter().map(|(triple, length)| (*triple, [None; 3], *length));
    for (triple, figures, length) in published_rows.chain(wanted) {
        let mut cells = vec![triple_text(triple)];
        for figure in figures {
            let (memory, time) = figure.unwrap_or(("—", "—"));
            cells.extend([memory.to_string(), time.to_string()]);
        }
        if length.is_left_out(long) {
            cells.push("long: --long".into());
        } else {
            let instance = Instance { lin_points: true, ..Instance::new(published.model, triple) };
            let ours = measure(&instance, TIME)?;
            cells.extend([ours.verdict.into(), ours.states_text(), ours.memory_text(), ours.seconds_text()]);
        }
        table.row(&cells);
    }
    table.text(
        "\nA dash: out of memory (4.5 GB), or not reported. Ours: annotated points, symmetry and partial order reduction, all\n\
         cores; MB is what the states take.\n",
    );
    Ok(())
}
