//! Lowering and semantics against a naive reading of the same program, on random programs and on the
//! catalogue.
//!
//! See [`agreement`] for what must be equal, [`reference`] for the naive reading, [`random_programs`] for the
//! programs.

use fastrand::Rng;
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing;
use linchpin_frontend::typing::hir;
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::interface::OpId;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::{TypeId, TypeKind, TypeTable};
use linchpin_report::render::render;
use linchpin_semantics::Bounds;
use linchpin_testkit::reference::{self, Call, Limits, Value};
use linchpin_testkit::{agreement, random_programs};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SEEDS: u32 = 400;
/// Cells in pool and manual memory: few, so that they are used again.
const NODES: u32 = 3;

#[test]
fn random_programs_end_alike() {
    let mut tally = Tally::default();
    let limits = Limits { nodes: NODES as usize, states: 3000, accesses: 80, all_schedules: true };
    for seed in (0..SEEDS).map(u64::from) {
        let mut rng = Rng::with_seed(seed);
        let subject = Subject::new("random.lin", random_programs::program(seed), &BTreeMap::new());
        let shape: &[usize] = [&[2, 2][..], &[2, 1], &[1, 1]][(seed % 3) as usize];
        let calls = subject.random_calls(&mut rng, shape);
        tally.add(&format!("seed {seed}"), subject.compare(limits, &calls));
    }
    tally.judge(SEEDS as usize * 9 / 10);
    let Tally { compared, by_schedule, .. } = tally;
    assert!(by_schedule * 3 >= compared, "only {by_schedule} of {compared} programs depend on the schedule");
}

#[test]
fn the_catalogue_ends_alike() {
    let mut tally = Tally::default();
    let limits = Limits { nodes: 4, states: 1500, accesses: 120, all_schedules: true };
    let modules = catalogue();
    for (name, text) in modules.iter().filter(|(_, text)| text.contains("\nobject ")) {
        let subject = Subject::new(name, text.clone(), &modules);
        let mut rng = Rng::with_seed(name.len() as u64);
        for shape in [[1, 1], [2, 1]] {
            let calls = subject.random_calls(&mut rng, &shape);
            tally.add(name, subject.compare(limits, &calls));
        }
    }
    tally.judge(modules.len());
}

/// What became of the comparisons.
#[derive(Default)]
struct Tally {
    compared: usize,
    by_schedule: usize,
    differences: Vec<String>,
}

enum Comparison {
    Equal { depends_on_schedule: bool },
    Different(String),
    TooLarge,
}

impl Tally {
    fn add(&mut self, name: &str, comparison: Comparison) {
        match comparison {
            Comparison::TooLarge => {}
            Comparison::Equal { depends_on_schedule } => {
                self.compared += 1;
                self.by_schedule += usize::from(depends_on_schedule);
            }
            Comparison::Different(report) => self.differences.push(format!("{name}\n{report}")),
        }
    }

    fn judge(&self, least: usize) {
        let Tally { compared, differences, .. } = self;
        let shown = differences.iter().take(3).cloned().collect::<Vec<_>>().join("\n");
        assert!(differences.is_empty(), "{} differ, among them:\n{shown}", differences.len());
        assert!(*compared >= least, "only {compared} were small enough to compare; expected {least}");
    }
}

/// A model, checked and lowered.
struct Subject {
    text: String,
    sources: SourceMap,
    program: hir::Program,
    lowered: Arc<linchpin_ir::program::Program>,
}

impl Subject {
    fn new(name: &str, text: String, modules: &BTreeMap<String, String>) -> Subject {
        let mut sources = SourceMap::default();
        let root = sources.add(name, text.as_str());
        let checked = typing::check(&mut sources, modules, root, &Setting::default());
        let refused = |sources: &SourceMap, problems: &[linchpin_ir::diagnostic::Diagnostic]| {
            let shown: Vec<String> = problems.iter().map(|problem| render(sources, problem, false)).collect();
            format!("{text}\n{}", shown.join("\n"))
        };
        let program =
            checked.program.unwrap_or_else(|| panic!("{}", refused(&sources, &checked.diagnostics)));
        let lowered =
            lower(&sources, &program).unwrap_or_else(|problems| panic!("{}", refused(&sources, &problems)));
        Subject { text, sources, program, lowered: Arc::new(lowered) }
    }

    fn compare(&self, limits: Limits, calls: &[Vec<Call>]) -> Comparison {
        let Some(reference) = reference::explore(&self.program, limits, calls) else {
            return Comparison::TooLarge;
        };
        // The naive reading does not know which variables are dead, so it has no bound under garbage
        // collection.
        let is_collected = self.program.memory == hir::MemoryKind::Gc;
        let nodes = if is_collected { 64 } else { number_of(limits.nodes) };
        let bounds = Bounds { nodes, ints: 1_000_000, ages: Some(1 << 16), ..Bounds::default() };
        let fused = agreement::explore_fused(&self.lowered, &bounds, calls);
        assert!(
            fused.cut == 0 && !(is_collected && fused.out_of_cells),
            "the bounds are too narrow:\n{}",
            self.text
        );
        match agreement::difference(&self.sources, &fused, &reference) {
            Some(report) => Comparison::Different(format!("{}\n{calls:?}\n{report}", self.text)),
            None => {
                let limits = Limits { all_schedules: false, ..limits };
                let first = reference::explore(&self.program, limits, calls);
                Comparison::Equal { depends_on_schedule: first.is_some_and(|first| first != reference) }
            }
        }
    }

    /// As many calls for each thread as `shape` says.
    fn random_calls(&self, rng: &mut Rng, shape: &[usize]) -> Vec<Vec<Call>> {
        let program = &self.program;
        let mut call = || {
            let op = OpId::new(rng.usize(0..program.ops.len()));
            let args = program.ops[op].params.iter().map(|&ty| argument(&program.types, ty, rng)).collect();
            Call { op, args }
        };
        shape.iter().map(|&calls| (0..calls).map(|_| call()).collect()).collect()
    }
}

fn argument(types: &TypeTable, ty: TypeId, rng: &mut Rng) -> Value {
    match types.kind(ty) {
        TypeKind::Bool => Value::Bool(rng.bool()),
        TypeKind::Data | TypeKind::Key => Value::Number(rng.i64(1..=2)),
        TypeKind::Range { low, high } => Value::Number(rng.i64(low..=high.min(low + 3))),
        kind => panic!("no operation here takes {kind:?}"),
    }
}

/// The models by name.
fn catalogue() -> BTreeMap<String, String> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let directories = ["correct", "wrong"].map(|directory| models.join(directory));
    let files =
        directories.iter().flat_map(|directory| directory.read_dir().expect("the catalogue is there"));
    let paths: Vec<PathBuf> = files.map(|entry| entry.expect("an entry can be read").path()).collect();
    let named = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "lin"));
    named
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a model is text"))
        })
        .collect()
}
