//! Renaming ages location by location loses nothing and adds nothing: within any number of steps, the states
//! reached with ages renamed are those reached with ages that only grow, once ages are looked away from. And
//! a model that breaks the rules is not renamed.

mod objects;
mod random;
mod rules;
mod search;

use linchpin_engine::model::Model;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::program::ages::{age_origins, uses_ages};
use linchpin_portfolio::catalogue;
use linchpin_semantics::{Bounds, Client};
use search::{GROWING, levels};
use std::sync::Arc;

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
        let search = |ages| {
            let client = Client::general(&program, &bounds(ages)).expect("calls");
            levels(&program, &bounds(ages), &client, depth, usize::MAX).expect("small")
        };
        let difference = search(None).difference(&search(GROWING));
        assert_eq!(difference, None, "{model}");
    }
}

/// The renaming is what keeps the search finite: without it every level has new states.
#[test]
fn renamed_ages_close_the_search() {
    let program = program("treiber_stack_tagged");
    let bounds = Bounds { threads: 2, nodes: 1, values: 1, ages: None, ..Bounds::default() };
    let client = Client::general(&program, &bounds).expect("calls");
    let all = levels(&program, &bounds, &client, 400, usize::MAX).expect("small");
    assert!(all.depth() < 400, "it ends after {} levels", all.depth());
}

fn program(model: &str) -> Arc<Program> {
    let entry = catalogue::find(model).expect("in the catalogue");
    let Ok(compiled) = entry.compile(&Setting::default()) else { panic!("{model} has errors") };
    compiled.program
}
