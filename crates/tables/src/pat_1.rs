//! PAT, table 1: linearizability by refinement, with no reduction, symmetry, partial order reduction, and
//! both.
//!
//! Ours call any operation for ever; PAT's do not, as its own figures show (see the note), so each instance
//! is measured with one call a process as well. A figure of PAT's is the number of states and the seconds
//! that they took; where it has none, it ran out of 32 GB.

use crate::measure::{Instance, grouped, measure};
use crate::rolling::Rolling;
use linchpin_explore::Reductions;
use std::time::Duration;

type Figure = Option<(u64, &'static str)>;

struct Row {
    algorithm: &'static str,
    processes: u32,
    model: Model,
    /// By [`WAYS`].
    figures: [Figure; 4],
}

/// Our model of an algorithm, and what its size means there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Model {
    Register(u32),
    Counter(u32),
    CounterByPoints(u32),
    /// Three items; a node more, for the dummy.
    Queue,
    /// Two slots.
    BuggyQueue,
    /// The root and its children.
    Snzi(u32),
}

const WAYS: [(&str, Reductions); 4] = [
    ("none", Reductions::NONE),
    ("symmetry", Reductions { symmetry: true, partial_order: false }),
    ("partial order", Reductions { symmetry: false, partial_order: true }),
    ("both", Reductions::ALL),
];

const fn row(algorithm: &'static str, processes: u32, model: Model, figures: [Figure; 4]) -> Row {
    Row { algorithm, processes, model, figures }
}

const TABLE: [Row; 29] = [
    row(
        "4-valued register",
        3,
        Model::Register(4),
        [Some((9_338, "0.40")), Some((4_938, "1.46")), Some((2_443, "0.38")), Some((1_498, "0.36"))],
    ),
    row(
        "4-valued register",
        4,
        Model::Register(4),
        [Some((186_316, "8.96")), Some((36_440, "26.3")), Some((32_222, "5.22")), Some((7_845, "4.00"))],
    ),
    row(
        "4-valued register",
        5,
        Model::Register(4),
        [Some((4_032_362, "377")), Some((228_560, "717")), Some((457_101, "123")), Some((33_944, "64"))],
    ),
    row(
        "4-valued register",
        6,
        Model::Register(4),
        [None, Some((1_292_755, "21747")), Some((7_028_550, "3935")), Some((134_461, "1609"))],
    ),
    row("4-valued register", 7, Model::Register(4), [None, None, None, Some((484_723, "53110"))]),
    row(
        "3-valued register",
        4,
        Model::Register(3),
        [Some((52_381, "2.72")), Some((10_764, "7.42")), Some((12_028, "1.63")), Some((3_114, "1.27"))],
    ),
    row(
        "5-valued register",
        4,
        Model::Register(5),
        [Some((507_082, "22.7")), Some((96_184, "73.5")), Some((71_021, "12.7")), Some((16_377, "8.66"))],
    ),
    row(
        "6-valued register",
        4,
        Model::Register(6),
        [Some((1_160_625, "49.2")), Some((215_620, "195")), Some((138_053, "34.9")), Some((30_636, "19.1"))],
    ),
    row(
        "7-valued register",
        4,
        Model::Register(7),
        [Some((2_352_897, "107")), Some((430_595, "370")), Some((245_634, "60.8")), Some((52_908, "31.4"))],
    ),
    row(
        "counter of size 4",
        3,
        Model::Counter(4),
        [Some((3_674, "0.31")), Some((669, "0.44")), Some((2_910, "0.36")), Some((556, "0.30"))],
    ),
    row(
        "counter of size 4",
        4,
        Model::Counter(4),
        [Some((124_558, "7.63")), Some((5_935, "6.93")), Some((101_037, "11.8")), Some((4_879, "5.59"))],
    ),
    row(
        "counter of size 4",
        5,
        Model::Counter(4),
        [Some((5_970_298, "673")), Some((59_977, "409")), Some((4_853_123, "1074")), Some((53_115, "389"))],
    ),
    row(
        "counter of size 4",
        6,
        Model::Counter(4),
        [None, Some((694_620, "52187")), None, Some((636_815, "53010"))],
    ),
    row(
        "counter of size 2",
        5,
        Model::Counter(2),
        [Some((4_569_968, "490")), Some((49_947, "351")), Some((3_766_611, "825")), Some((42_999, "298"))],
    ),
    row(
        "counter of size 3",
        5,
        Model::Counter(3),
        [Some((5_665_598, "637")), Some((58_083, "419")), Some((4_645_898, "985")), Some((51_932, "357"))],
    ),
    row(
        "counter of size 5",
        5,
        Model::Counter(5),
        [Some((6_002_458, "659")), Some((60_124, "398")), Some((4_874_975, "1030")), Some((53_670, "391"))],
    ),
    row(
        "counter of size 4 (points)",
        3,
        Model::CounterByPoints(4),
        [Some((535, "0.06")), Some((114, "0.23")), Some((198, "0.11")), Some((62, "0.04"))],
    ),
    row(
        "counter of size 4 (points)",
        4,
        Model::CounterByPoints(4),
        [Some((9_165, "0.25")), Some((536, "0.41")), Some((2_796, "0.41")), Some((320, "0.28"))],
    ),
    row(
        "counter of size 4 (points)",
        5,
        Model::CounterByPoints(4),
        [Some((190_367, "5.40")), Some((2_495, "9.13")), Some((52_510, "6.74")), Some((877, "4.79"))],
    ),
    row(
        "counter of size 4 (points)",
        6,
        Model::CounterByPoints(4),
        [Some((4_536_325, "147")), Some((11_221, "454")), Some((1_165_367, "168")), Some((4_488, "262"))],
    ),
    row(
        "counter of size 4 (points)",
        7,
        Model::CounterByPoints(4),
        [None, Some((48_918, "30184")), None, Some((28_652, "27593"))],
    ),
    row(
        "counter of size 2 (points)",
        5,
        Model::CounterByPoints(2),
        [Some((175_747, "5.08")), Some((2_384, "8.7")), Some((48_604, "6.3")), Some((875, "4.86"))],
    ),
    row(
        "counter of size 3 (points)",
        5,
        Model::CounterByPoints(3),
        [Some((189_527, "5.72")), Some((2_490, "8.5")), Some((52_270, "6.3")), Some((885, "4.9"))],
    ),
    row(
        "counter of size 5 (points)",
        5,
        Model::CounterByPoints(5),
        [Some((190_367, "5.35")), Some((2_495, "8.32")), Some((52_510, "6.37")), Some((877, "4.66"))],
    ),
    row(
        "queue of size 3",
        3,
        Model::Queue,
        [Some((181_591, "10.2")), Some((31_637, "14.6")), Some((76_283, "18.6")), Some((15_267, "8.45"))],
    ),
    row("queue of size 3", 4, Model::Queue, [None, Some((1_417_457, "3173")), None, Some((773_064, "2068"))]),
    row(
        "buggy queue of size 2",
        3,
        Model::BuggyQueue,
        [Some((86_736, "4.23")), Some((74_920, "33")), Some((74_920, "0.93")), Some((477, "0.36"))],
    ),
    row(
        "SNZI of size 2",
        2,
        Model::Snzi(2),
        [Some((17_629, "0.90")), Some((8_824, "1.6")), Some((6_406, "1.44")), Some((3_461, "1.03"))],
    ),
    row("SNZI of size 3", 3, Model::Snzi(3), [None, None, None, Some((3_524_553, "5224"))]),
];

/// The longest that one search may take: with both reductions, for these are to end; without one of them; and
/// with `--long`.
const TIME: Duration = Duration::from_secs(600);
const TIME_WITHOUT: Duration = Duration::from_secs(20);
const LONG_TIME: Duration = Duration::from_secs(1800);

/// Prints the table, each row as soon as it is measured.
pub fn print(long: bool, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    tell("PAT, table 1: linearizability with and without reductions\n\n");
    let columns = [
        ("algorithm", 26),
        ("processes", 9),
        ("reductions", 14),
        ("PAT's states", 12),
        ("seconds", 8),
        ("ours", 8),
        ("states", 12),
        ("seconds", 8),
    ];
    let limit = |reductions| match (long, reductions == Reductions::ALL) {
        (true, _) => LONG_TIME,
        (false, true) => TIME,
        (false, false) => TIME_WITHOUT,
    };
    let mut table = Rolling::new(&columns, tell);
    for row in &TABLE {
        let (mut algorithm, mut processes) = (row.algorithm.to_string(), row.processes.to_string());
        let mut tell = |way: &str, figure: Figure, instance: Instance| -> Result<(), String> {
            let (states, seconds) = figure
                .map_or(("—".into(), "—".into()), |(states, seconds)| (grouped(states), seconds.into()));
            let mut cells = vec![
                std::mem::take(&mut algorithm),
                std::mem::take(&mut processes),
                way.into(),
                states,
                seconds,
            ];
            let ours = measure(&instance, limit(instance.reductions))?;
            cells.extend([ours.verdict.into(), ours.states_text(), ours.seconds_text()]);
            table.row(&cells);
            Ok(())
        };
        let instance = row.model.instance(row.processes);
        for ((way, reductions), figure) in WAYS.into_iter().zip(row.figures) {
            tell(way, figure, Instance { reductions, ..instance.clone() })?;
        }
        if let Some(endings) = row.model.compared_with_one_call() {
            tell("both, one call", row.figures[3], Instance { one_call: Some(endings), ..instance })?;
        }
    }
    let limits = [Reductions::ALL, Reductions::NONE].map(|reductions| limit(reductions).as_secs());
    let [both, without] = limits;
    table.text(&format!("\n{NOTE}\n\nThe limit was {both} s with both reductions, {without} s otherwise.\n"));
    Ok(())
}

const NOTE: &str = "\
A dash: out of memory (32 GB there), or of time (here). Registers have one writer, the other processes read. The queue is
the one of Michael and Scott with three items and two values; the buggy one violates linearizability, and states
are those until the first violation. Granularity differs: our steps are single accesses with all local work in them, a call
takes its first access along, and the indicator's retries are single steps.

Clients differ too. Ours call for ever. PAT's do not, although its text says that any operation is called. By points,
its counters of size 4 and 5 with 5 processes have the same number of states in all four columns. So none of its
executions ever fills the larger one. Without points the fifth place adds half a per cent. Its registers grow with K as
a power of K below 5, without reductions too. Under calls for ever the bits alone have 2^K - 1 contents. With one call
a process (\"one call\") our counters level off as PAT's do, and our registers grow as its do. With calls for ever ours
has more states than PAT in some rows: registers of 5 values and more, counters by points, the queue, the indicator of
size 3. There ours answers a larger question; compare the line with one call. Of the indicator that is one query, or one arrival and its departure.";

impl Model {
    /// Where PAT's processes do not seem to call for ever (see the note): the operations that end what the
    /// one call began.
    fn compared_with_one_call(self) -> Option<&'static [&'static str]> {
        match self {
            Model::Register(_) | Model::Counter(_) | Model::CounterByPoints(_) | Model::Queue => Some(&[]),
            Model::Snzi(_) => Some(&["depart"]),
            Model::BuggyQueue => None,
        }
    }

    fn instance(self, processes: u32) -> Instance {
        let of = |model: &'static str, constant: &'static str, size: u32| Instance {
            nodes: None,
            constants: vec![(constant, i64::from(size))],
            ..Instance::new(model, [processes, 1, 1])
        };
        match self {
            Model::Register(values) => of("register_k", "K", values),
            Model::Counter(size) => of("counter", "SIZE", size),
            Model::CounterByPoints(size) => Instance { lin_points: true, ..of("counter", "SIZE", size) },
            Model::Queue => Instance::new("ms_queue", [processes, 4, 2]),
            Model::BuggyQueue => Instance { values: 2, ..of("shann_queue", "SIZE", 2) },
            Model::Snzi(size) => Instance { nodes: Some(size - 1), ..of("snzi", "SIZE", size) },
        }
    }
}
