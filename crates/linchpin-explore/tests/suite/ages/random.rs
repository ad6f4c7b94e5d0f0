//! Random objects, with ages renamed and with ages as plain numbers.
//!
//! A schedule of few calls is run in every order. Wherever ages are renamed, the states of each depth must be
//! those that plain numbers give once ages are looked away from, faults included; and the bounded search must
//! say of assertions and of memory what plain numbers show. An object that breaks the rules is not renamed:
//! its ages have a bound, and the search names it.
//!
//! The suite tests the first objects; with `LINCHPIN_LONG_TESTS` it tests more.

use crate::ages::objects::Object;
use crate::ages::search::{GROWING, Levels, compiled, levels};
use linchpin_engine::model::{Compiled, Model, RequestError};
use linchpin_engine::verdict::Verdict;
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{ClientRequest, Request, check};
use linchpin_ir::index::Index;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::OpId;
use linchpin_ir::program::ages::age_origins;
use linchpin_ir::property::Property;
use linchpin_judge::trace::PlannedCall;
use linchpin_semantics::{Bounds, Client, FaultProperty, Machine};
use std::ops::Range;

const SOME: u64 = 3000;
const ALL: u64 = 40_000;
/// Larger ones are left out.
const STATES: usize = 4000;
const DEPTH: usize = 200;

#[test]
fn some_random_objects() {
    agreement_on(0..SOME);
}

#[test]
fn long_all_random_objects() {
    if std::env::var_os("LINCHPIN_LONG_TESTS").is_some() {
        agreement_on(0..ALL);
    }
}

#[derive(Default, Debug)]
struct Seen {
    renamed: u32,
    modulo: u32,
    too_large: u32,
    violated: u32,
}

fn agreement_on(seeds: Range<u64>) {
    let mut seen = Seen::default();
    let mut differences = Vec::new();
    for seed in seeds {
        let object = Object::drawn(seed);
        let compiled =
            compiled(&object.text).unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{}", object.text));
        if let Some(difference) = difference(&object, &compiled, &mut seen) {
            differences.push((seed, difference, object.text));
        }
    }
    println!("{seen:?}, {} differ", differences.len());
    let seeds: Vec<u64> = differences.iter().map(|(seed, ..)| *seed).collect();
    if let Some((seed, difference, text)) = differences.iter().min_by_key(|(.., text)| text.len()) {
        panic!("{} differ: {seeds:?}\nseed {seed}: {difference}\n{text}", seeds.len());
    }
    assert!(seen.renamed > seen.modulo / 4 && seen.violated > seen.renamed / 20, "one-sided: {seen:?}");
}

fn difference(object: &Object, compiled: &Compiled, seen: &mut Seen) -> Option<String> {
    let program = &compiled.program;
    let bounds = |ages| Bounds { threads: object.threads, nodes: 3, values: 1, ages, ..Bounds::default() };
    let keeps_rules = age_origins(program).is_ok();
    let planned = |op: &usize| PlannedCall { op: format!("op{op}"), args: Vec::new() };
    let planned = object.calls.iter().map(|thread| thread.iter().map(planned).collect()).collect();
    let request = Request {
        threads: object.threads..=object.threads,
        nodes: Some(3..=3),
        values: 1..=1,
        client: ClientRequest::Calls { threads: planned },
        properties: vec![Property::MemorySafe, Property::Assertions],
        ..Request::default()
    };
    if !keeps_rules {
        seen.modulo += 1;
        let machine = Machine::new(program, &bounds(None)).expect("runs");
        return machine.bounds().ages.is_none().then(|| "no bound on ages is named".into());
    }
    let calls = |op: &usize| (OpId::new(*op), Vec::new());
    let calls: Vec<Vec<_>> = object.calls.iter().map(|thread| thread.iter().map(calls).collect()).collect();
    let client = Client::schedule(&[], &calls);
    let search = |ages| levels(program, &bounds(ages), &client, DEPTH, STATES);
    let (Some(renamed), Some(growing)) = (search(None), search(GROWING)) else {
        seen.too_large += 1;
        return None;
    };
    seen.renamed += 1;
    seen.violated += u32::from(!growing.faults().is_empty());
    renamed.difference(&growing).or_else(|| judged_otherwise(compiled, &request, &growing))
}

/// The bounded search finds the faults that plain numbers show, and no others.
fn judged_otherwise(compiled: &Compiled, request: &Request, growing: &Levels) -> Option<String> {
    let budget = Budget { time: None, memory: None, stop: Default::default(), memory_in_use: || None };
    let findings = match check(&Given(compiled.clone()), request, &budget, &mut Silent) {
        Ok(findings) => findings,
        Err(_) => return Some("the search refuses it".into()),
    };
    findings.iter().find_map(|finding| {
        let fault = match finding.property() {
            Property::Assertions => FaultProperty::Assertions,
            _ => FaultProperty::MemorySafe,
        };
        let found = matches!(finding.verdict(), Verdict::Violated(_));
        let shown = growing.faults().contains(&fault);
        (found != shown)
            .then(|| format!("{:?}: the search says {found}, plain numbers {shown}", finding.property()))
    })
}

struct Given(Compiled);

impl Model for Given {
    fn compile(&self, _: &Setting) -> Result<Compiled, RequestError> {
        Ok(self.0.clone())
    }
}
