//! Coerce keeps the states that satisfy the constraints, and does what its description says.

use crate::naive::{self, RawConstraint};
use crate::random::{Small, cases};
use fastrand::Rng;
use linchpin_tvl::{Atom, Constraint, Constraints, Formula, Kleene, RepeatedVariable, Structure, Var};

fn states_of<'a>(states: &'a [Structure], law: &'a Formula) -> impl Iterator<Item = &'a Structure> {
    states.iter().filter(move |c| c.evaluate(law, &Default::default()) == Some(Kleene::True))
}

#[test]
fn coerce_keeps_the_states_that_satisfy_the_constraints() {
    let small = Small::new(1, 1, 1);
    let states = small.states(1..=3);
    let [x, y, z] = Var::first();
    let (mut sharper, mut discarded, mut inside) = (0, 0, 0);
    for seed in 0..cases(100) {
        let mut rng = Rng::with_seed(seed);
        let mut raw = Vec::new();
        while raw.len() < 2 {
            let head = small.literal(&mut rng, &[x, y]);
            let body = small.formula(&mut rng, &[x, y, z], 2);
            if !head.atom.repeats_a_variable() {
                raw.push(RawConstraint { body, head });
            }
        }
        let constraints: Vec<Constraint> = raw
            .iter()
            .map(|raw| Constraint::new(raw.body.clone(), raw.head).expect("no variable is repeated"))
            .collect();
        let law = Formula::all(constraints.iter().map(Constraint::formula));
        let constraints = Constraints::new(constraints);
        let models: Vec<&Structure> = states_of(&states, &law).collect();
        for _ in 0..4 {
            let s = small.structure(&mut rng, 1..=3);
            let coerced = constraints.coerce(s.clone());
            assert_eq!(coerced, naive::coerce(&raw, s.clone()), "seed {seed}");
            sharper += u32::from(coerced.as_ref().is_some_and(|coerced| *coerced != s));
            discarded += u32::from(coerced.is_none());
            for c in &models {
                let before = c.embeds(&s);
                assert_eq!(before, coerced.as_ref().is_some_and(|s| c.embeds(s)), "seed {seed}");
                inside += u32::from(before);
            }
        }
    }
    assert!(sharper > 30 && discarded > 50 && inside > 1_000, "{sharper} {discarded} {inside}");
}

#[test]
fn a_constraint_fires_only_where_its_body_is_true() {
    let small = Small::new(0, 2, 0);
    let [x] = Var::first();
    let rule = Constraint::new(small.unary[0].of(x), Atom::Unary(small.unary[1], x).holds()).expect("one");
    let constraints = Constraints::new([rule]);
    let mut s = small.empty(1);
    let u = s.individuals().next().expect("one individual");
    s.set_unary(small.unary[0], u, Kleene::Unknown);
    s.set_unary(small.unary[1], u, Kleene::Unknown);
    assert_eq!(constraints.coerce(s.clone()), Some(s.clone()));
    s.set_unary(small.unary[0], u, Kleene::True);
    let coerced = constraints.coerce(s).expect("consistent");
    assert_eq!(coerced.unary(small.unary[1], u), Kleene::True);
}

/// Thesis, 7.6.1, footnote 7: true of all states, and yet it deletes the edges between cells of a summary.
#[test]
fn a_head_that_repeats_a_variable_loses_states() {
    let small = Small::new(0, 1, 1);
    let (circ, next) = (small.unary[0], small.binary[0]);
    let [v, w] = Var::first();
    let wrong = RawConstraint { body: !circ.of(v), head: Atom::Binary(next, v, v).fails() };
    assert_eq!(Constraint::new(wrong.body.clone(), wrong.head), Err(RepeatedVariable));
    let body = (!circ.of(v)).and(Formula::equal(v, w));
    let right = Constraint::new(body, Atom::Binary(next, v, w).fails()).expect("two variables");
    // Both say the same of states.
    let raw = wrong.body.clone().implies(wrong.head.formula()).for_each(v);
    let states = small.states(1..=3);
    for c in &states {
        assert_eq!(naive::satisfies(c, &raw), naive::satisfies(c, &right.formula()));
    }
    // A summary of cells off every cycle, with edges among them.
    let mut s = small.empty(1);
    let u = s.individuals().next().expect("one individual");
    s.set_summary(u, true);
    s.set_binary(next, u, u, Kleene::Unknown);
    let law = right.formula();
    let lost = |coerced: Option<Structure>| {
        let inside = states_of(&states, &law).filter(|c| c.embeds(&s));
        inside.filter(|c| !coerced.as_ref().is_some_and(|s| c.embeds(s))).count()
    };
    assert_eq!(lost(Constraints::new([right.clone()]).coerce(s.clone())), 0);
    assert!(lost(naive::coerce(&[wrong], s.clone())) > 0);
}

#[test]
fn never_discards() {
    let small = Small::new(0, 1, 0);
    let [x] = Var::first();
    let constraints = Constraints::new([Constraint::never(small.unary[0].of(x))]);
    let mut s = small.empty(2);
    assert!(constraints.coerce(s.clone()).is_some());
    let u = s.individuals().next().expect("two individuals");
    s.set_unary(small.unary[0], u, Kleene::True);
    assert_eq!(constraints.coerce(s), None);
}
