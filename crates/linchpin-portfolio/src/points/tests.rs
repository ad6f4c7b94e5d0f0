//! Mined points against the explorer's judgement of points.

use super::judge::{Points, Role, SpecTable};
use super::record::Record;
use super::sites::{points_of, sites};
use super::*;
use crate::catalogue;
use crate::embedded::TextModel;
use fastrand::Rng;
use linchpin_engine::Silent;
use linchpin_explore::check;

/// A model of the catalogue without its points.
fn without_points(model: &str) -> Compiled {
    let entry = catalogue::find(model).expect("a model of the catalogue");
    let text = sites(entry.text).text.replace(" points;", "").replace(" points: violated;", "");
    assert!(points_of(&text).is_empty());
    TextModel { name: format!("{model}.lin"), text }
        .compile(&Setting::default())
        .expect("a model without errors")
}

fn mine_model(compiled: &Compiled) -> Mined {
    mine(compiled, &Budget::default(), &mut Silent).expect("a model that runs")
}

#[test]
fn the_points_of_stacks_and_queues_are_found() {
    for model in ["treiber_stack", "ms_queue", "two_lock_queue", "dglm_queue"] {
        let compiled = without_points(model);
        let Mined { found: Found::Points(points), time, .. } = mine_model(&compiled) else {
            panic!("{model}: no points");
        };
        assert!(points.free.is_empty(), "{model}");
        assert!(points.states > 500, "{model}: {} states", points.states);
        assert!(time < Duration::from_secs(60), "{model}: {time:?}");
        assert_eq!(points.sites.len(), points_of(&points.text).len());
        // What is printed is a model whose formatted text is itself.
        let mut sources = SourceMap::default();
        let root = sources.add("model", points.text.as_str());
        let (tree, errors) = parse(root, &points.text);
        assert!(errors.is_empty(), "{model}");
        assert_eq!(format(&tree, &points.text), points.text, "{model}");
    }
}

#[test]
fn points_of_the_source_come_first_and_wrong_ones_are_replaced() {
    let source = |model: &str| {
        let entry = catalogue::find(model).expect("a model of the catalogue");
        entry.compile(&Setting::default()).expect("a model without errors")
    };
    let right = mine_model(&source("treiber_stack"));
    assert!(matches!(right.found, Found::Source(_)));
    assert_eq!(right.tried, 0);
    // `enq` claims to take effect before others can see its node.
    let Found::Points(points) = mine_model(&source("two_lock_queue_early_point")).found else {
        panic!("no points");
    };
    assert!(points.free.is_empty());
}

#[test]
fn an_object_that_is_not_linearizable_has_no_points() {
    for model in ["treiber_stack_reuse", "treiber_stack_as_fifo", "coarse_list_contains_inserts"] {
        let found = mine_model(&without_points(model)).found;
        assert!(matches!(found, Found::Nothing | Found::NotLinearizable(_)), "{model}");
    }
}

#[test]
fn an_operation_without_a_point_of_its_own_stays_free() {
    let Found::Points(points) = mine_model(&without_points("lazy_list")).found else { panic!("no points") };
    assert_eq!(points.free, ["contains"]);
}

/// Random sets of points: the judgement on recorded executions agrees with the explorer's.
#[test]
fn recorded_executions_are_judged_as_the_explorer_judges() {
    let mut rng = Rng::with_seed(11);
    let (mut refuted, mut confirmed) = (0, 0);
    for model in ["treiber_stack", "two_lock_queue", "coarse_list"] {
        let compiled = without_points(model);
        let base = Annotated {
            name: format!("{model}.lin"),
            text: compiled.sources.file(compiled.program.object_span.file).text.to_string(),
            modules: compiled.sources.clone(),
        };
        let sites = sites(&base.text);
        let instrumented = Instrumented::new(&sites, &base, &Setting::default()).expect("candidates");
        let bounds = bounds(&instrumented);
        let machine = Machine::new(&instrumented.program, &bounds).expect("a machine");
        let client = Client::general(&instrumented.program, &bounds).expect("a client");
        let spec = SpecMachine::new(&instrumented.program, &bounds).expect("a specification");
        let mut record = Record::default();
        // Candidates whose conditions can fail are not of interest here.
        if record.simulate(&instrumented, &machine, &client, &|| true).is_err() {
            record = Record::default();
        }
        let mut table = SpecTable::new(&spec);
        for _ in 0..25 {
            let choice: Choice = (0..rng.usize(1..5))
                .map(|_| CandidateId::from(rng.usize(..instrumented.candidates.len())))
                .collect::<BTreeSet<CandidateId>>()
                .into_iter()
                .filter(|at| !instrumented.candidates[at.index()].condition.contains('.'))
                .map(|at| (at, if rng.u8(..4) == 0 { Role::Maybe } else { Role::Point }))
                .collect();
            let model = Annotated { text: annotate(&sites, &instrumented, &choice), ..base_of(&base) };
            let Ok(compiled) = model.compile(&Setting::default()) else { continue };
            if choice.is_empty() {
                continue;
            }
            let mut points = Points {
                roles: vec![Role::Unused; instrumented.candidates.len()],
                free: compiled.program.ops.iter().map(|op| op.free_point).collect(),
            };
            set(&mut points, &choice);
            let request = Request {
                threads: bounds.threads..=bounds.threads,
                nodes: Some(bounds.nodes..=bounds.nodes),
                values: bounds.values..=bounds.values,
                keys: bounds.keys..=bounds.keys,
                lin_points: true,
                properties: vec![Property::Linearizable],
                ..Request::default()
            };
            let findings = check(&model, &request, &Budget::default(), &mut Silent).expect("a search");
            match &findings[0].annotation {
                Some(Annotation::Refuted(counterexample)) => {
                    let last = record.executions.len();
                    record.add_trace(&instrumented, &machine, counterexample.trace()).expect("an execution");
                    let execution = record.executions[last].clone();
                    assert!(!table.accepts(&execution, &points, &mut record), "{}", model.text);
                    refuted += 1;
                }
                Some(Annotation::Confirmed) => {
                    for execution in record.executions.clone() {
                        assert!(table.accepts(&execution, &points, &mut record), "{}", model.text);
                    }
                    confirmed += 1;
                }
                _ => {}
            }
        }
    }
    assert!(refuted > 20 && confirmed > 0, "{refuted} refuted, {confirmed} confirmed");
}

fn base_of(base: &Annotated) -> Annotated {
    Annotated { name: base.name.clone(), text: String::new(), modules: base.modules.clone() }
}
