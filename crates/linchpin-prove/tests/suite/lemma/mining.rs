//! Mining against naive evaluation on all states, and against what is known of the catalogue.

use super::naive::{self, holds};
use super::{all_samples, bounds, compiled, mined, mined_from, presence, printed};
use crate::prove::QUICK;
use linchpin_engine::{Budget, Silent};
use linchpin_explore::samples::BoundedSamples;
use linchpin_portfolio::{catalogue, lemmas_of, lemmas_text, prove_with};
use linchpin_prove::lemma::vocabulary::{literals, places};
use linchpin_prove::lemma::{Lemma, Printer, Scene};
use linchpin_semantics::{Client, Machine};
use std::collections::BTreeSet;

#[test]
fn a_literal_is_mined_iff_it_holds_in_every_state() {
    for (model, nodes) in [("treiber_stack", 2), ("ms_queue", 3), ("lazy_list", 3), ("lock_free_list", 3)] {
        let compiled = compiled(model);
        let program = &compiled.program;
        let bounds = bounds(nodes, 1);
        let machine = Machine::new(program, &bounds).expect("a machine");
        let client = Client::general(program, &bounds).expect("a client");
        let states = naive::states(&machine, &client);
        let pool = mined(&compiled, &bounds, None);
        assert!(pool.sampled.is_complete, "{model}");
        let mined: BTreeSet<&Lemma> = pool.always().collect();
        let printer = Printer { program, sources: &compiled.sources };
        let (mut kept, mut dropped) = (0, 0);
        for place in places(program) {
            // At a rest that no thread reaches everything holds, and nothing is mined.
            let is_reached = pool.at(place).next().is_some();
            for literal in literals(program, place) {
                let lemma = Lemma::always(place, literal);
                let verdicts = states.iter().map(|state| holds(&machine, state, &lemma));
                let Some(everywhere) = verdicts.collect::<Option<Vec<bool>>>() else { continue };
                let everywhere = everywhere.into_iter().all(|holds| holds) && is_reached;
                assert_eq!(everywhere, mined.contains(&lemma), "{model}: {}", printer.lemma(&lemma));
                if everywhere { kept += 1 } else { dropped += 1 }
            }
        }
        assert!(kept > 10 && dropped > 50, "{model}: {kept} kept, {dropped} dropped");
    }
}

#[test]
fn no_sample_falsifies_a_mined_lemma() {
    let key = presence("key", Some(&["marked"]));
    for (model, nodes, presence) in [("lazy_list", 3, Some(&key)), ("ms_queue", 3, None)] {
        let compiled = compiled(model);
        let pool = mined(&compiled, &bounds(nodes, 1), presence);
        let printer = Printer { program: &compiled.program, sources: &compiled.sources };
        assert!(pool.implications().count() > 100, "{model}");
        for sample in all_samples(&compiled, &bounds(nodes, 1), presence) {
            let scene = Scene::new(&sample);
            for lemma in pool.always().chain(pool.implications()) {
                assert!(scene.holds(lemma), "{model}: {}", printer.lemma(lemma));
            }
        }
    }
}

#[test]
fn a_further_sample_drops_what_it_falsifies() {
    let compiled = compiled("treiber_stack");
    // With one cell there is never a second one.
    let mut pool = mined(&compiled, &bounds(1, 1), None);
    let before = printed(&compiled, &pool);
    let link = "lemma cell: cell.next == null;";
    assert!(before.contains(link), "{before:#?}");
    let dropped: usize =
        all_samples(&compiled, &bounds(2, 1), None).iter().map(|sample| pool.refine(sample)).sum();
    let after = printed(&compiled, &pool);
    assert!(!after.contains(link) && after.is_subset(&before));
    assert_eq!(dropped, before.len() - after.len());
}

#[test]
fn mining_is_deterministic() {
    let compiled = compiled("lazy_list");
    let key = presence("key", Some(&["marked"]));
    let once = mined(&compiled, &bounds(3, 1), Some(&key));
    let again = mined(&compiled, &bounds(3, 1), Some(&key));
    let list =
        |pool: &super::LemmaPool| pool.always().chain(pool.implications()).cloned().collect::<Vec<Lemma>>();
    assert_eq!(list(&once), list(&again));
}

/// The lemmas that proofs of the lazy list are made of (CMP lists, section 5; AMP 9.7) are among the mined
/// ones.
#[test]
fn the_lemmas_of_the_lazy_list_are_found() {
    let compiled = compiled("lazy_list");
    let key = presence("key", Some(&["marked"]));
    let first = BoundedSamples::new(&compiled.program, &bounds(4, 2), 3_000).expect("bounds");
    let found = printed(&compiled, &mined_from(first, &compiled, Some(&key)));
    let place = |op: &str, text: &str| {
        let file = compiled.sources.file(compiled.program.object_span.file);
        let from = file.text.find(&format!("op {op}")).expect("the operation");
        let at = from + file.text[from..].find(text).expect("the line");
        format!("lemma {op} at {}", file.text[..at].matches('\n').count() + 1)
    };
    let unlink = place("remove", "pred.next = curr.next");
    for lemma in [
        format!("{unlink}: curr.marked;"),
        format!("{unlink}: held(pred.lock);"),
        format!("{unlink}: held(curr.lock);"),
        format!("{unlink}: !pred.marked;"),
        format!("{unlink}: pred.next == curr;"),
        format!("{}: private(node);", place("add", "pred.next = node")),
        format!("{}: on_key -> !took_effect;", place("add", "pred.next = node")),
        format!("{unlink}: on_key -> took_effect;"),
        "lemma cell: !cell.marked && !private(cell) -> reachable(cell);".into(),
        "lemma cell: cell.next != null -> cell.key < cell.next.key;".into(),
    ] {
        let alike: Vec<&String> = found.iter().filter(|other| other.starts_with(&lemma[..16])).collect();
        assert!(found.contains(&lemma), "not found: {lemma}\n{alike:#?}");
    }
    // An unlinked node may be reached by a walk.
    assert!(
        !found.iter().any(|lemma| lemma.starts_with("lemma contains") && lemma.ends_with(": !curr.marked;"))
    );
}

/// What a proof of a set prints is true in every state of an instance, by the naive evaluator. One instance
/// has a key more than those from which the lemmas were mined.
#[test]
fn the_lemmas_of_a_proof_hold_in_every_state() {
    for (model, nodes, keys) in [("fine_list", 4, 3), ("lazy_list", 4, 2)] {
        let entry = catalogue::find(model).expect("a model of the catalogue");
        let proving = prove_with(entry, None, None, &QUICK, &Budget::default(), &mut Silent).expect("a set");
        let lemmas = lemmas_of(&proving, &Budget::default()).expect("samples");
        let compiled = &proving.compiled;
        let program = &compiled.program;
        let bounds = bounds(nodes, keys);
        let machine = Machine::new(program, &bounds).expect("a machine");
        let client = Client::general(program, &bounds).expect("a client");
        let states = naive::states(&machine, &client);
        for (lemma, text) in lemmas.iter().zip(lemmas_text(compiled, &lemmas)) {
            let is_true = |state| holds(&machine, state, lemma) != Some(false);
            assert!(states.iter().all(is_true), "{model}: {text}");
        }
        assert!(lemmas.len() > 20, "{model}: {} lemmas", lemmas.len());
    }
}

/// The invariant of the lazy list names what `remove` knows where it unlinks.
#[test]
fn the_invariant_of_the_lazy_list_is_printed() {
    let entry = catalogue::find("lazy_list").expect("a model of the catalogue");
    let proving = prove_with(entry, None, None, &QUICK, &Budget::default(), &mut Silent).expect("a set");
    let lemmas = lemmas_of(&proving, &Budget::default()).expect("samples");
    let lines = lemmas_text(&proving.compiled, &lemmas);
    for known in
        ["curr.marked;", "!pred.marked;", "held(pred.lock);", "pred.next == curr;", "reachable(pred);"]
    {
        let is_there =
            |line: &String| line.starts_with("lemma remove") && line.ends_with(&format!(": {known}"));
        assert!(lines.iter().any(is_there), "{known}\n{}", lines.join("\n"));
    }
    // A reader may stand on a removed cell.
    assert!(!lines.iter().any(|line| line.starts_with("lemma contains") && line.ends_with("!curr.marked;")));
}
