//! Small random objects in the modelling language, by seed.
//!
//! Two kinds, so that some objects are meaningful and some are unexpected. **Skeletons** are algorithms like
//! those of the catalogue with holes in them ([`template`]): how memory is managed, which of several ways is
//! taken, what is forgotten; some get further slips, or statements that have nothing to do with the rest
//! ([`slips`]). **Free** objects ([`free`]) are random statements whose specification is the same text run at
//! once.
//!
//! Everything is a function of the seed. What is drawn is a well-typed object: a draw that is not is thrown
//! away, and the next one is made.

mod free;
mod slips;
mod template;

use crate::reductions::model::{Text, complaint};
use fastrand::Rng;
use linchpin_engine::model::Model;
use linchpin_frontend::syntax::{format, parse};
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use std::collections::BTreeSet;
use template::Draw;

/// Threads, cells, values (and keys).
pub type Size = (u32, u32, u32);

/// What was drawn for one seed.
pub struct Object {
    pub seed: u64,
    /// The skeleton's name, or `free`.
    pub family: &'static str,
    pub text: String,
    pub size: Size,
}

impl Object {
    /// The object of a seed.
    pub fn drawn(seed: u64) -> Object {
        let mut rng = Rng::with_seed(seed);
        for _ in 0..ATTEMPTS {
            let drawn = attempt(&mut rng, seed);
            let setting = Setting { threads: drawn.size.0, ..Setting::default() };
            if Text::new(drawn.text.as_str()).compile(&setting).is_ok() {
                return drawn;
            }
        }
        panic!("no object of seed {seed} in {ATTEMPTS} attempts")
    }

    /// Whether some operation says where it takes effect, and may: operations that meet have no points of
    /// their own.
    pub fn has_points(&self) -> bool {
        !self.text.contains(": SynchronousQueue;")
            && self.text.split_whitespace().any(|word| word.starts_with("lin"))
    }
}

/// Some slips leave no program; many in a row never do.
const ATTEMPTS: usize = 100;

struct Skeleton {
    name: &'static str,
    template: &'static str,
    /// At these its states are few.
    sizes: &'static [Size],
}

macro_rules! skeleton {
    ($name:literal, $sizes:expr) => {
        Skeleton { name: $name, template: include_str!(concat!("skeletons/", $name, ".txt")), sizes: &$sizes }
    };
}

const SKELETONS: &[Skeleton] = &[
    skeleton!("stack", [(2, 2, 1), (2, 1, 2), (3, 1, 1)]),
    skeleton!("locked_stack", [(2, 2, 2), (3, 1, 1), (2, 3, 1)]),
    skeleton!("tagged_stack", [(2, 2, 1), (2, 1, 2)]),
    skeleton!("two_lock_queue", [(2, 3, 1), (2, 2, 2)]),
    skeleton!("buffer", [(2, 1, 2), (3, 1, 1)]),
    skeleton!("waiting_buffer", [(2, 1, 2), (3, 1, 1)]),
    skeleton!("box", [(2, 3, 2), (3, 2, 1), (3, 3, 1)]),
    skeleton!("counter", [(2, 1, 1), (3, 1, 1)]),
    skeleton!("slots", [(2, 1, 2), (2, 1, 1)]),
    skeleton!("lossy", [(2, 1, 2), (2, 1, 3), (3, 1, 1)]),
    skeleton!("forgetful", [(2, 2, 2), (2, 3, 2), (2, 2, 3)]),
    skeleton!("pair", [(2, 1, 2), (2, 1, 2), (2, 1, 1), (3, 1, 1)]),
    skeleton!("queue_lock", [(2, 3, 1), (3, 3, 1)]),
    skeleton!("flag_lock", [(2, 1, 1), (3, 1, 1)]),
    skeleton!("bag", [(2, 1, 2), (3, 1, 1)]),
    skeleton!("hazard", [(2, 2, 2), (2, 3, 1), (3, 2, 1)]),
    skeleton!("sticky", [(2, 3, 2), (3, 3, 1), (3, 2, 2)]),
    skeleton!("replace", [(2, 3, 2), (2, 2, 2)]),
    skeleton!("cache", [(2, 1, 2), (3, 1, 1)]),
    skeleton!("collection", [(2, 1, 2), (3, 1, 1)]),
    skeleton!("maximum", [(2, 1, 2), (3, 1, 2)]),
    skeleton!("hashed", [(2, 1, 1), (2, 1, 2)]),
    skeleton!("private", [(2, 2, 2), (2, 2, 1), (3, 2, 1)]),
    skeleton!("helping", [(2, 2, 1), (2, 2, 2)]),
    skeleton!("spares", [(2, 2, 2), (2, 2, 1), (3, 2, 1)]),
    skeleton!("node_locks", [(2, 2, 1), (2, 3, 2)]),
    skeleton!("chain", [(2, 2, 1), (2, 3, 1)]),
    skeleton!("copied", [(2, 3, 1), (2, 3, 2)]),
    skeleton!("doubly", [(2, 2, 1), (2, 2, 2), (3, 2, 1)]),
    skeleton!("element_locks", [(2, 1, 1), (2, 1, 2), (3, 1, 1)]),
];

const FREE_SIZES: &[Size] = &[(2, 2, 2), (2, 2, 1), (3, 2, 1)];

fn attempt(rng: &mut Rng, seed: u64) -> Object {
    let (family, size, text) = if rng.u32(0..3) == 0 {
        let size = FREE_SIZES[rng.usize(0..FREE_SIZES.len())];
        ("free", size, free::object(rng, size.0))
    } else {
        let skeleton = &SKELETONS[rng.usize(0..SKELETONS.len())];
        let size = skeleton.sizes[rng.usize(0..skeleton.sizes.len())];
        // Some objects are as they should be, most others wrong in one place or two.
        let slips = [0, 0, 10, 25][rng.usize(0..4)];
        (skeleton.name, size, Draw::new(rng, slips).fill(skeleton.template))
    };
    let mut text = formatted(text);
    match rng.u32(0..8) {
        0 => text = slips::slip(rng, &text),
        1 => text = slips::intrude(rng, &text),
        _ => {}
    }
    Object { seed, family, text: formatted(text), size }
}

/// As the formatter writes it, if it can be read.
fn formatted(text: String) -> String {
    let (tree, problems) = parse(SourceMap::default().add("drawn.lin", text.as_str()), &text);
    if problems.is_empty() { format(&tree, &text) } else { text }
}

#[test]
fn every_way_to_fill_a_skeleton_is_an_object() {
    let mut rng = Rng::with_seed(0);
    for skeleton in SKELETONS {
        for slips in [0, 0, 10, 25, 50].repeat(8) {
            let text = formatted(Draw::new(&mut rng, slips).fill(skeleton.template));
            if let Err(problem) = Text::new(text.as_str()).compile(&Setting::default()) {
                panic!("{} is not an object:\n{}\n{text}", skeleton.name, complaint(&problem));
            }
        }
    }
}

#[test]
fn every_free_object_is_one() {
    let mut rng = Rng::with_seed(0);
    for _ in 0..300 {
        let text = free::object(&mut rng, 2);
        if let Err(problem) = Text::new(text.as_str()).compile(&Setting::default()) {
            panic!("no object:\n{}\n{text}", complaint(&problem));
        }
    }
}

#[test]
fn seeds_give_objects_of_every_family() {
    let families: BTreeSet<&str> = (0..400).map(|seed| Object::drawn(seed).family).collect();
    assert_eq!(families.len(), SKELETONS.len() + 1, "{families:?}");
    assert_eq!(Object::drawn(7).text, Object::drawn(7).text);
}
