//! Renaming ages location by location loses nothing and adds nothing: within any number of steps, the states reached with
//! ages renamed are those reached with ages that only grow, once ages are looked away from. And a model that breaks the rules is not renamed.

use linchpin::catalogue;
use linchpin::explore::Model;
use linchpin_core::ir::Program;
use linchpin_core::ir::ages::{age_origins, uses_ages};
use linchpin_core::lower::lower;
use linchpin_core::semantics::{Bounds, Client, Machine, NoEvents, Outcome, Picks, State};
use linchpin_core::source::SourceMap;
use linchpin_core::types::{Scalar, Word};
use linchpin_core::typing::{Setting, check};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ages that never wrap within the depths searched here: plain counting.
const GROWING: Option<u32> = Some(1 << 20);

#[test]
fn renamed_ages_reach_what_growing_ages_reach() {
    for (model, nodes, values, depth) in [
        ("treiber_stack_tagged", 2, 1, 34),
        ("treiber_stack_tagged", 1, 2, 34),
        ("ms_queue_tagged", 2, 1, 30),
    ] {
        let program = program(model);
        assert!(uses_ages(&program) && age_origins(&program).is_ok(), "{model} keeps the rules");
        let bounds = |ages| Bounds { threads: 2, nodes, values, ages, ..Bounds::default() };
        let renamed = levels(&program, &bounds(None), depth);
        let growing = levels(&program, &bounds(GROWING), depth);
        // What is new with growing ages may be old without them: what counts is what is reached within so many steps.
        let (mut few, mut many) = (BTreeSet::new(), BTreeSet::new());
        for (level, growing) in growing.iter().enumerate() {
            few.extend(renamed.get(level).into_iter().flatten().cloned());
            many.extend(growing.iter().cloned());
            assert!(few == many, "{model}: within {level} steps");
        }
    }
}

/// The renaming is what keeps the search finite: without it every level has new states.
#[test]
fn renamed_ages_close_the_search() {
    let program = program("treiber_stack_tagged");
    let bounds = Bounds { threads: 2, nodes: 1, values: 1, ages: None, ..Bounds::default() };
    let all = levels(&program, &bounds, 400);
    assert!(all.len() < 400, "it ends after {} levels", all.len());
}

#[test]
fn a_model_that_breaks_the_rules_counts_modulo_a_bound() {
    let text = catalogue::find("treiber_stack_tagged").expect("in the catalogue").text;
    let broken = text.replace(", age: top.age + 1", "");
    assert_ne!(broken, text, "the age is stepped in the model");
    let program = compiled(&broken).expect("the age has a default");
    assert!(age_origins(&program).is_err(), "a constant is no successor");
    let bounds = Bounds { threads: 2, nodes: 2, values: 1, ages: None, ..Bounds::default() };
    let machine = Machine::new(&program, &bounds).expect("runs");
    assert!(machine.bounds().ages.is_some(), "the bound is named");
}

fn program(model: &str) -> Arc<Program> {
    let entry = catalogue::find(model).expect("in the catalogue");
    let Ok(compiled) = entry.compile(&Setting::default()) else { panic!("{model} has errors") };
    compiled.program
}

fn compiled(text: &str) -> Option<Arc<Program>> {
    let mut sources = SourceMap::default();
    let root = sources.add("broken.lin", text);
    let checked = check(&mut sources, &std::collections::BTreeMap::new(), root, &Setting::default());
    lower(&sources, &checked.program?).ok().map(Arc::new)
}

/// The states that are new at each depth, without their ages, until there are none or the depth is reached.
fn levels(program: &Arc<Program>, bounds: &Bounds, depth: usize) -> Vec<BTreeSet<Vec<Word>>> {
    let machine = Machine::new(program, bounds).expect("runs");
    let client = Client::general(program, bounds).expect("calls");
    let mut start = machine.initial(&mut Picks::new()).expect("begins");
    machine.normalise(&mut start);
    let mut seen = BTreeSet::from([key(&machine, &start)]);
    let mut frontier = vec![start];
    let mut levels = Vec::new();
    while !frontier.is_empty() && levels.len() < depth {
        levels.push(frontier.iter().map(|state| without_ages(&machine, state)).collect());
        let mut next_frontier = Vec::new();
        for state in &frontier {
            for next in successors(&machine, &client, state) {
                if seen.insert(key(&machine, &next)) {
                    next_frontier.push(next);
                }
            }
        }
        frontier = next_frontier;
    }
    levels
}

fn successors(machine: &Machine, client: &Client, state: &State) -> Vec<State> {
    let mut found = Vec::new();
    for thread in machine.bounds().thread_ids() {
        let mut run = |action: &mut dyn FnMut(&mut State, &mut Picks) -> Outcome| {
            let mut picks = Picks::new();
            loop {
                picks.restart();
                let mut next = state.clone();
                if action(&mut next, &mut picks).is_done() {
                    machine.normalise(&mut next);
                    found.push(next);
                }
                if !picks.advance() {
                    return;
                }
            }
        };
        if !machine.is_idle(state, thread) {
            run(&mut |next, picks| machine.step(next, thread, picks, &mut NoEvents));
        }
        for call in client.calls(machine, state, thread) {
            let position = call.next_position;
            run(&mut |next, picks| {
                machine.call(next, thread, call.op, &call.args, position, picks, &mut NoEvents)
            });
        }
    }
    found
}

fn key(machine: &Machine, state: &State) -> Vec<Word> {
    let mut words = Vec::new();
    machine.flatten(state, &mut words);
    words
}

/// A state with all ages 0. Names are given once more, since they may depend on ages.
fn without_ages(machine: &Machine, state: &State) -> Vec<Word> {
    let mut state = state.clone();
    machine.for_each_slot(&mut state, &mut |kind, word| {
        if kind.scalar == Scalar::Age {
            *word = 0;
        }
    });
    machine.normalise(&mut state);
    key(machine, &state)
}
