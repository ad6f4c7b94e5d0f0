//! Embedding, and the embedding theorem: a formula says nothing wrong of the states of a structure.

use crate::naive::{self, assignments};
use crate::random::{Small, cases};
use fastrand::Rng;
use linchpin_tvl::{Assignment, Formula, Kleene, Var};

#[test]
fn embeddings_are_those_of_the_definition() {
    let small = Small::new(1, 1, 1);
    let states = small.states(1..=2);
    let mut found = 0;
    for seed in 0..cases(300) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 1..=3);
        let t = small.structure(&mut rng, 1..=3);
        for c in states.iter().chain([&t]) {
            let expected = naive::embeds(&small.vocabulary, c, &s);
            let map = c.embedding(&s);
            assert_eq!(map.is_some(), expected, "seed {seed}");
            if let Some(map) = map {
                assert!(naive::is_embedding(&small.vocabulary, c, &s, &map), "seed {seed}");
                found += 1;
            }
            for map in naive::maps(c, &s) {
                let expected = naive::is_embedding(&small.vocabulary, c, &s, &map);
                assert_eq!(c.embeds_by(&s, &map), expected, "seed {seed}");
            }
        }
    }
    assert!(found > 1_000, "only {found} embeddings were found");
}

#[test]
fn values_of_formulas_are_those_of_the_definition() {
    let small = Small::new(1, 2, 2);
    let [x, y, z] = Var::first();
    let mut seen = [0u32; 3];
    for seed in 0..cases(4_000) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 1..=4);
        let formula = small.formula(&mut rng, &[x, y, z], 4);
        for env in assignments(&s, &[x, y, z]) {
            let assignment = env.iter().fold(Assignment::new(), |all, (var, u)| all.with(*var, *u));
            let value = naive::value(&s, &formula, &env);
            assert_eq!(s.evaluate(&formula, &assignment), Some(value), "seed {seed}: {formula:?}");
            seen[value as usize] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 1_000), "one-sided: {seen:?}");
}

#[test]
fn a_formula_with_an_unassigned_variable_has_no_value() {
    let small = Small::new(0, 1, 0);
    let s = small.empty(1);
    let [x, y] = Var::first();
    let u = s.individuals().next().expect("one individual");
    let formula = small.unary[0].of(y);
    assert_eq!(s.evaluate(&formula, &Assignment::new().with(x, u)), None);
    assert_eq!(s.evaluate(&formula, &Assignment::new().with(y, u)), Some(Kleene::False));
    assert_eq!(s.evaluate(&Formula::TRUE, &Assignment::new()), Some(Kleene::True));
}

/// For each two-valued structure with an embedding in a structure.
#[test]
fn embedding_theorem() {
    let small = Small::new(0, 1, 1);
    let states = small.states(1..=3);
    let [x, y] = Var::first();
    let (mut checked, mut definite) = (0u64, 0u64);
    for seed in 0..cases(250) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 1..=2);
        let formulas: Vec<Formula> = (0..3).map(|_| small.formula(&mut rng, &[x, y], 3)).collect();
        for c in &states {
            let Some(map) = c.embedding(&s) else { continue };
            for formula in &formulas {
                for env in assignments(c, &[x, y]) {
                    let concrete = env.iter().fold(Assignment::new(), |all, (var, u)| all.with(*var, *u));
                    let image = |all: Assignment, (var, u): (&Var, &_)| {
                        let u: &linchpin_tvl::Individual = u;
                        all.with(*var, map[u.index()])
                    };
                    let abstract_ = env.iter().fold(Assignment::new(), image);
                    let here = c.evaluate(formula, &concrete).expect("all variables are assigned");
                    let there = s.evaluate(formula, &abstract_).expect("all variables are assigned");
                    assert!(here.refines(there), "seed {seed}: {formula:?}");
                    checked += 1;
                    definite += u64::from(there.is_definite());
                }
            }
        }
    }
    assert!(checked > 10_000 && definite > checked / 20, "checked {checked}, definite {definite}");
}

/// Renaming free variables does not change the value, whatever the binders are called. If two variables
/// become one, the value may say more: `x = x` is true also of a summary.
#[test]
fn renaming_keeps_the_value() {
    let small = Small::new(1, 2, 2);
    let [x, y, z, v, w] = Var::first();
    for seed in 0..cases(2_000) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 1..=3);
        let formula = small.formula(&mut rng, &[x, y], 4);
        let targets = [x, y, z, v, w];
        let map = [(x, targets[rng.usize(0..5)]), (y, targets[rng.usize(0..5)])];
        let renamed = formula.renamed(&map).expect("few variables");
        for env in assignments(&s, &targets) {
            let before = [(x, env[&map[0].1]), (y, env[&map[1].1])].into();
            let (old, new) = (naive::value(&s, &formula, &before), naive::value(&s, &renamed, &env));
            let merged = map[0].1 == map[1].1;
            assert!(old == new || (merged && new.refines(old)), "seed {seed}: {formula:?} is {renamed:?}");
        }
    }
}
