//! Small random objects that `pairs` supports, by seed.
//!
//! An object is a *skeleton*, a right object like those of the catalogue, with *decorations* and *mutations*.
//! Decorations are statements about their own variables, right or wrong; mutations are slips. The seed
//! determines everything. A draw with a type error is discarded, and the next is made.

mod decorations;
mod mutations;
mod set_decorations;

use crate::random_proofs::judging::Text;
use fastrand::Rng;
use linchpin_engine::model::Model;
use linchpin_ir::interface::Setting;

/// What was drawn for one seed.
pub struct Object {
    pub seed: u64,
    pub skeleton: &'static str,
    /// What was done to it, in order.
    pub changes: Vec<&'static str>,
    pub text: Text,
    /// Cells that `init` makes.
    pub cells: u32,
}

impl Object {
    /// The stack, queue or priority queue of a seed.
    pub fn drawn(seed: u64) -> Object {
        Object::of(seed, draw)
    }

    /// The set of a seed.
    pub fn drawn_set(seed: u64) -> Object {
        Object::of(seed, draw_set)
    }

    fn of(seed: u64, draw: impl Fn(&mut Rng, u64) -> Object) -> Object {
        let mut rng = Rng::with_seed(seed);
        for _ in 0..ATTEMPTS {
            let object = draw(&mut rng, seed);
            if object.text.compile(&Setting::default()).is_ok() {
                return object;
            }
        }
        panic!("no object of seed {seed} in {ATTEMPTS} attempts")
    }
}

/// Many draws have a type error; many in a row never do.
const ATTEMPTS: usize = 1000;

macro_rules! skeletons {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("skeletons/", $name, ".txt")))),*]
    };
}

const SKELETONS: &[(&str, &str)] = skeletons![
    "treiber",
    "treiber_tagged",
    "treiber_tagged_and_helped",
    "treiber_two_ages",
    "coarse_tagged",
    "coarse_stack",
    "coarse_queue",
    "two_lock_queue",
    "ms_queue",
    "buckets",
    "coarse_buckets",
    "sorted_list",
    "swapped_list",
];

const SETS: &[(&str, &str)] = skeletons![
    "sets/coarse",
    "sets/fine",
    "sets/optimistic",
    "sets/lazy",
    "sets/lock_free",
    "sets/reachable",
    "sets/ends_in_null",
    "sets/unordered",
];

fn draw_set(rng: &mut Rng, seed: u64) -> Object {
    let (skeleton, template) = SETS[rng.usize(0..SETS.len())];
    let mut lines: Vec<String> = filled(rng, template).lines().map(String::from).collect();
    let mut changes = Vec::new();
    for _ in 0..[0, 0, 0, 1, 2][rng.usize(0..5)] {
        changes.push(set_decorations::decorate(rng, &mut lines));
    }
    for _ in 0..[0, 0, 1, 1, 1, 2][rng.usize(0..6)] {
        changes.push(mutations::mutate(rng, &mut lines, &mutations::SET_NAMES));
    }
    let cells = cells(&lines);
    Object { seed, skeleton, changes, text: Text(lines.join("\n") + "\n"), cells }
}

fn draw(rng: &mut Rng, seed: u64) -> Object {
    let (skeleton, template) = SKELETONS[rng.usize(0..SKELETONS.len())];
    let mut lines: Vec<String> = filled(rng, template).lines().map(String::from).collect();
    let mut changes = Vec::new();
    for number in 0..[0, 1, 1, 2, 2, 3][rng.usize(0..6)] {
        changes.push(decorations::decorate(rng, &mut lines, number));
    }
    for _ in 0..[0, 0, 1, 1, 2][rng.usize(0..5)] {
        changes.push(mutations::mutate(rng, &mut lines, &mutations::NAMES));
    }
    if rng.u32(0..8) == 0 {
        changes.push(decorations::crowd(rng, &mut lines));
    }
    let cells = cells(&lines);
    Object { seed, skeleton, changes, text: Text(lines.join("\n") + "\n"), cells }
}

/// The skeletons of sets with the first alternative of each hole: right objects.
pub fn right_sets() -> Vec<Object> {
    let right = SETS.iter().map(|(skeleton, template)| {
        let text = chosen(template, |_| 0);
        let cells = cells(&text.lines().map(String::from).collect::<Vec<_>>());
        Object { seed: 0, skeleton, changes: Vec::new(), text: Text(text), cells }
    });
    right.collect()
}

/// A skeleton with one alternative of each hole `«a¦b»`, and `FREE` and `PRIORITY` as its choices want them.
fn filled(rng: &mut Rng, template: &str) -> String {
    let text = chosen(template, |alternatives| rng.usize(0..alternatives));
    let collected = !text.contains("memory pool;") && !text.contains("memory manual;");
    let (priority, least) = if text.contains("PQueue<key>") { ("key", "key::MIN") } else { ("0..3", "0") };
    let is_kept = |line: &&str| !(collected && line.contains("FREE("));
    let text: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    text.replace("FREE(", "free(").replace("PRIORITY", priority).replace("LEAST", least)
}

/// A template with one alternative of each hole, chosen by the number of alternatives.
fn chosen(template: &str, mut choose: impl FnMut(usize) -> usize) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, hole)) = rest.split_once('«') {
        let Some((hole, after)) = hole.split_once('»') else { panic!("an open hole: {hole}") };
        let alternatives: Vec<&str> = hole.split('¦').collect();
        text.push_str(before);
        text.push_str(alternatives[choose(alternatives.len())]);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// How many cells `init` makes: each `new` in it runs once.
fn cells(lines: &[String]) -> u32 {
    let from_init = lines.iter().skip_while(|line| !line.starts_with("init {"));
    let init = from_init.take_while(|line| !line.starts_with('}'));
    init.map(|line| u32::try_from(line.matches("new ").count()).unwrap_or(0)).sum()
}

/// Lines of operations that are whole statements.
fn statements(lines: &[String]) -> Vec<usize> {
    let mut inside = false;
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !line.starts_with([' ', '}']) {
            inside = line.starts_with("op ");
        }
        let text = line.trim();
        let is_whole = text.matches('{').count() == text.matches('}').count();
        if inside && line.starts_with(' ') && is_whole && text.ends_with([';', '}']) {
            found.push(at);
        }
    }
    found
}

#[test]
fn seeds_give_objects_with_every_skeleton_and_change() {
    use std::collections::BTreeSet;
    let objects: Vec<Object> = (0..400).map(Object::drawn).collect();
    let skeletons: BTreeSet<&str> = objects.iter().map(|object| object.skeleton).collect();
    assert_eq!(skeletons.len(), SKELETONS.len(), "{skeletons:?}");
    let changes: BTreeSet<&str> = objects.iter().flat_map(|object| object.changes.clone()).collect();
    let missing: Vec<_> = decorations::names().filter(|name| !changes.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(Object::drawn(7).text.0, objects[7].text.0);
    let sets: Vec<Object> = (0..200).map(Object::drawn_set).collect();
    let skeletons: BTreeSet<&str> = sets.iter().map(|object| object.skeleton).collect();
    assert_eq!(skeletons.len(), SETS.len(), "{skeletons:?}");
}
