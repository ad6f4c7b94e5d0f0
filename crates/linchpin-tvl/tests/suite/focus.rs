//! Focus keeps γ and makes the formula definite.

use crate::naive::{self, assignments};
use crate::random::{Small, cases};
use fastrand::Rng;
use linchpin_tvl::{Focus, FocusError, Formula, Kleene, Var};

#[test]
fn focus_keeps_gamma_and_makes_the_formula_definite() {
    let small = Small::new(1, 1, 1);
    let states = small.states(1..=3);
    let [x, y] = Var::first();
    let (mut focused, mut refused, mut inside) = (0, 0, 0);
    for seed in 0..cases(220) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 1..=2);
        // Conjunctions that first name an individual, as a step does, and arbitrary formulas.
        let formula = match rng.bool() {
            true => small.unary[0].of(x).and(small.binary[0].of(x, y)),
            false => small.formula(&mut rng, &[x], 2),
        };
        let cases = match Focus::on(formula.clone()).cases(&s) {
            Ok(cases) => cases,
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        focused += 1;
        for case in &cases {
            let free: Vec<Var> = formula.free_variables().collect();
            for env in assignments(case, &free) {
                assert!(naive::value(case, &formula, &env).is_definite(), "seed {seed}: {formula:?}");
            }
        }
        for c in &states {
            let before = c.embeds(&s);
            let after = cases.iter().any(|case| c.embeds(case));
            assert_eq!(before, after, "seed {seed}: {formula:?}");
            inside += u64::from(before);
        }
    }
    assert!(focused > 100 && inside > 2_000, "focused {focused}, refused {refused}, states {inside}");
}

#[test]
fn two_summaries_have_no_finite_split() {
    let small = Small::new(0, 0, 1);
    let [x, y] = Var::first();
    let mut s = small.empty(2);
    let all: Vec<_> = s.individuals().collect();
    all.iter().for_each(|u| s.set_summary(*u, true));
    s.set_binary(small.binary[0], all[0], all[1], Kleene::Unknown);
    let edge = Focus::on(small.binary[0].of(x, y));
    assert!(matches!(edge.cases(&s), Err(FocusError::Summaries(_))));
    assert_eq!(Focus::on(Formula::equal(x, y)).cases(&s), Err(FocusError::Equality));
    assert_eq!(Focus::on(Formula::UNKNOWN).cases(&s), Err(FocusError::Constant));
    s.set_summary(all[0], false);
    assert_eq!(edge.cases(&s).map(|cases| cases.len()), Ok(3));
}

/// A case that sharpening rejects stands for no state, so it is not split further.
#[test]
fn sharpening_drops_cases() {
    let small = Small::new(0, 2, 0);
    let [x] = Var::first();
    let mut s = small.empty(1);
    let u = s.individuals().next().expect("one individual");
    s.set_unary(small.unary[0], u, Kleene::Unknown);
    s.set_unary(small.unary[1], u, Kleene::Unknown);
    let both = Focus::on(small.unary[0].of(x).and(small.unary[1].of(x)));
    assert_eq!(both.cases(&s).map(|cases| cases.len()), Ok(3));
    let keep =
        &mut |case: linchpin_tvl::Structure| (case.unary(small.unary[0], u) == Kleene::True).then_some(case);
    assert_eq!(both.sharpened_cases(&s, keep).map(|cases| cases.len()), Ok(2));
}
