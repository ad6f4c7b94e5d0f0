//! Derived updates give what the definition gives in the state after the step.

use crate::naive::{self, Env, assignments};
use crate::random::{Small, cases};
use crate::states::{Core, Kind};
use crate::update::random_update;
use fastrand::Rng;
use linchpin_tvl::{
    Atom, Binary, Change, Formula, Individual, Kleene, PathUpdate, Structure, Unary, Update, Var, Vocabulary,
};

fn with_derived(s: &Structure, p: Unary, x: Var, definition: &Formula) -> Structure {
    let mut result = s.clone();
    for u in s.individuals() {
        result.set_unary(p, u, naive::value(s, definition, &Env::from([(x, u)])));
    }
    result
}

/// The twin: the definition, evaluated again after the step.
#[test]
fn a_derived_update_is_the_definition_after_the_step() {
    let small = Small::new(1, 2, 1);
    let core = Small { unary: vec![small.unary[0]], ..Small::new(1, 2, 1) };
    let derived = small.unary[1];
    let [x] = Var::first();
    let (mut rules, mut changed, mut steps) = (0, 0, 0u64);
    for seed in 0..cases(2_500) {
        let mut rng = Rng::with_seed(seed);
        let definition = core.formula(&mut rng, &[x], 4);
        let mut update = random_update(&core, &mut rng);
        update.derive(Atom::Unary(derived, x), &definition).expect("few variables");
        rules += u32::from(update.changed().any(|p| p == linchpin_tvl::Predicate::Unary(derived)));
        for _ in 0..12 {
            let size = rng.usize(1..=3);
            let state = small.filled(size, &mut || rng.bool().into());
            let before = with_derived(&state, derived, x, &definition);
            let after = update.apply(&before);
            assert_eq!(after, with_derived(&after, derived, x, &definition), "seed {seed}: {definition:?}");
            let moved = before.individuals().any(|u| before.unary(derived, u) != after.unary(derived, u));
            changed += u32::from(moved);
            steps += 1;
        }
    }
    assert!(
        rules > 1_000 && changed > 2_000,
        "{rules} rules, {changed} of {steps} steps change the predicate"
    );
}

/// A step that does not touch the definition keeps the predicate, also where it is unknown.
#[test]
fn what_is_not_touched_stays() {
    let small = Small::new(0, 2, 2);
    let [x, y] = Var::first();
    let mut update = Update::new();
    let set = Change::Set(Formula::FALSE);
    update.change(Atom::Binary(small.binary[0], x, y), set).expect("a rule");
    let definition = small.binary[1].of(x, y).for_some(y);
    update.derive(Atom::Unary(small.unary[0], x), &definition).expect("few variables");
    assert_eq!(update.changed().count(), 1);
}

/// A field without cycles, and its paths.
struct Lists {
    vocabulary: Vocabulary,
    cell: Unary,
    target: Unary,
    next: Binary,
    path: Binary,
}

impl Lists {
    fn new() -> Lists {
        let mut vocabulary = Vocabulary::new();
        let fits = "a few predicates";
        let cell = vocabulary.add_unary("cell").expect(fits);
        let target = vocabulary.add_unary("target").expect(fits);
        let next = vocabulary.add_binary("next").expect(fits);
        let path = vocabulary.add_binary("path").expect(fits);
        Lists { vocabulary, cell, target, next, path }
    }

    fn write(&self) -> PathUpdate {
        let [x] = Var::first();
        PathUpdate { is_cell: self.cell.of(x), cell: x, is_target: self.target.of(x), target: x }
    }

    fn with_paths(&self, s: &Structure) -> Structure {
        let [x, y] = Var::first();
        let mut result = s.clone();
        for env in assignments(s, &[x, y]) {
            result.set_binary(self.path, env[&x], env[&y], naive::value(s, &self.next.star(x, y), &env));
        }
        result
    }
}

#[test]
fn edge_rules_are_the_closure() {
    let lists = Lists::new();
    let mut update = Update::new();
    lists.write().add_to(&mut update, lists.next, lists.path).expect("few variables");
    let closes = lists.write().closes_a_cycle(lists.path).expect("few variables");
    let kind =
        Kind { vocabulary: lists.vocabulary.clone(), core: vec![Core::Forest(lists.next)], derived: vec![] };
    let [x] = Var::first();
    let (mut writes, mut cycles) = (0, 0);
    for size in 1..=5 {
        kind.each(size, &mut |s| {
            let all: Vec<Individual> = s.individuals().collect();
            let targets = || all.iter().map(|u| Some(*u)).chain([None]);
            for (c, d) in all.iter().flat_map(|c| targets().map(move |d| (*c, d))) {
                let mut before = lists.with_paths(s);
                before.set_unary(lists.cell, c, Kleene::True);
                if let Some(d) = d {
                    before.set_unary(lists.target, d, Kleene::True);
                }
                let after = update.apply(&before);
                for u in &all {
                    for v in &all {
                        let expected =
                            if *u == c { Some(*v) == d } else { s.binary(lists.next, *u, *v).must() };
                        assert_eq!(after.binary(lists.next, *u, *v), expected.into());
                    }
                }
                let cyclic = naive::satisfies(&after, &lists.next.plus(x, x).for_some(x));
                assert_eq!(naive::satisfies(&before, &closes), cyclic);
                if cyclic {
                    cycles += 1;
                } else {
                    assert_eq!(after, lists.with_paths(&after), "{before:?}");
                    writes += 1;
                }
            }
        });
    }
    assert!(writes > 500 && cycles > 250, "{writes} writes, {cycles} cycles");
}
