//! The lemma room: notation, mining, weakening.

mod mining;
mod naive;
mod notation;
mod weakening;

use linchpin_engine::Budget;
use linchpin_engine::model::{Compiled, Model};
use linchpin_engine::samples::{Presence, Sample, Samples};
use linchpin_explore::samples::BoundedSamples;
use linchpin_ir::interface::Setting;
use linchpin_portfolio::catalogue;
use linchpin_prove::lemma::{LemmaPool, PoolLimits, Printer, mine};
use linchpin_semantics::Bounds;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

fn compiled(model: &str) -> Compiled {
    let entry = catalogue::find(model).expect("a model of the catalogue");
    entry.compile(&Setting::default()).expect("a model without errors")
}

fn bounds(nodes: u32, values: u32) -> Bounds {
    Bounds { threads: 2, nodes, values, keys: values, ..Bounds::default() }
}

fn presence(key: &str, mark: Option<&[&str]>) -> Presence {
    let path = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
    Presence { key: path(&[key]), mark: mark.map(path) }
}

fn samples(compiled: &Compiled, bounds: &Bounds) -> BoundedSamples {
    BoundedSamples::new(&compiled.program, bounds, 200_000).expect("bounds in which the model runs")
}

fn mined(compiled: &Compiled, bounds: &Bounds, presence: Option<&Presence>) -> LemmaPool {
    mined_from(samples(compiled, bounds), compiled, presence)
}

fn mined_from(samples: BoundedSamples, compiled: &Compiled, presence: Option<&Presence>) -> LemmaPool {
    mine(&compiled.program, &samples, presence, PoolLimits::default(), &Budget::default()).expect("samples")
}

fn all_samples(compiled: &Compiled, bounds: &Bounds, presence: Option<&Presence>) -> Vec<Sample> {
    let mut all = Vec::new();
    let sampled = samples(compiled, bounds).for_each(presence, &Budget::default(), &mut |sample| {
        all.push(sample.clone());
        ControlFlow::Continue(())
    });
    assert!(sampled.expect("samples").is_complete);
    all
}

/// The lemmas of a pool in their notation.
fn printed(compiled: &Compiled, pool: &LemmaPool) -> BTreeSet<String> {
    let printer = Printer { program: &compiled.program, sources: &compiled.sources };
    pool.always().chain(pool.implications()).map(|lemma| printer.lemma(lemma)).collect()
}
