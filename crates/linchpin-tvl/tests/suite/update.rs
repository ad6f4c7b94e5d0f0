//! An update overapproximates: the state after a step is in the structure after it.

use crate::naive::{self, assignments};
use crate::random::{Small, cases};
use fastrand::Rng;
use linchpin_tvl::{Atom, Change, Formula, Individual, Kleene, MalformedRule, Structure, Update, Var};

#[test]
fn an_update_overapproximates() {
    let small = Small::new(1, 1, 1);
    let states = small.states(1..=3);
    let (mut inside, mut definite) = (0u64, 0u64);
    for seed in 0..cases(250) {
        let mut rng = Rng::with_seed(seed);
        let update = random_update(&small, &mut rng);
        let s = small.structure(&mut rng, 1..=3);
        let after = update.apply(&s);
        definite += u64::from(after.individuals().all(|u| after.unary(small.unary[0], u).is_definite()));
        for c in states.iter().filter(|c| c.embeds(&s)) {
            assert!(update.apply(c).embeds(&after), "seed {seed}: {update:?}");
            inside += 1;
        }
    }
    assert!(inside > 2_000 && definite > 40, "{inside} {definite}");
}

/// The values after an update are those of the rules, before it.
#[test]
fn an_update_is_its_rules() {
    let small = Small::new(1, 1, 1);
    let [x, y] = Var::first();
    let rules = [Atom::Nullary(small.nullary[0]), Atom::Unary(small.unary[0], x)];
    for seed in 0..cases(500) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 1..=3);
        for of in rules.into_iter().chain([Atom::Binary(small.binary[0], x, y)]) {
            let vars: Vec<Var> = of.formula().free_variables().collect();
            let (lost, gained) = (small.formula(&mut rng, &vars, 2), small.formula(&mut rng, &vars, 2));
            let mut update = Update::new();
            update.change(of, Change::Edit { lost: lost.clone(), gained: gained.clone() }).expect("a rule");
            let after = update.apply(&s);
            for env in assignments(&s, &vars) {
                let old = naive::value(&s, &of.formula(), &env);
                let lost = naive::value(&s, &lost, &env);
                let gained = naive::value(&s, &gained, &env);
                let expected = (old & !lost) | gained;
                assert_eq!(naive::value(&after, &of.formula(), &env), expected, "seed {seed}");
            }
        }
    }
}

#[test]
fn malformed_rules_are_refused() {
    let small = Small::new(0, 1, 1);
    let [x, y] = Var::first();
    let mut update = Update::new();
    let set = |formula| Change::Set(formula);
    let unary = Atom::Unary(small.unary[0], x);
    let loops = Atom::Binary(small.binary[0], x, x);
    assert_eq!(update.change(Atom::Equal(x, y), set(Formula::TRUE)), Err(MalformedRule::Equality));
    assert_eq!(update.change(loops, set(Formula::TRUE)), Err(MalformedRule::RepeatedParameter));
    let free = update.change(unary, set(small.unary[0].of(y)));
    assert_eq!(free, Err(MalformedRule::FreeVariable));
    assert_eq!(update, Update::new());
}

/// New individuals, and individuals that are forgotten.
#[test]
fn individuals_come_and_go() {
    let small = Small::new(1, 2, 2);
    for seed in 0..cases(300) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 0..=4);
        let (more, new) = s.add_individual().expect("few individuals");
        assert!(!more.is_summary(new) && more.size() == s.size() + 1);
        assert!(small.unary.iter().all(|p| more.unary(*p, new) == Kleene::False));
        let edges =
            |p| more.individuals().all(|u| !more.binary(p, u, new).may() && !more.binary(p, new, u).may());
        assert!(small.binary.iter().all(|p| edges(*p)));
        assert_eq!(more.retain(|u| u != new), s, "seed {seed}");
    }
    let full = Structure::new(&small.vocabulary, Structure::MOST_INDIVIDUALS).expect("fits");
    assert!(full.add_individual().is_err());
    assert!(Structure::new(&small.vocabulary, Structure::MOST_INDIVIDUALS + 1).is_err());
}

/// 64 individuals use every bit of a row.
#[test]
fn the_largest_universe_works() {
    let small = Small::new(0, 1, 1);
    let [x, y] = Var::first();
    let mut s = small.empty(64);
    let all: Vec<Individual> = s.individuals().collect();
    for pair in all.windows(2) {
        s.set_binary(small.binary[0], pair[0], pair[1], Kleene::True);
    }
    s.set_unary(small.unary[0], all[0], Kleene::True);
    let connected = small.unary[0].of(x).and(small.binary[0].star(x, y)).for_some(x).for_each(y);
    assert_eq!(s.evaluate(&connected, &Default::default()), Some(Kleene::True));
    s.set_binary(small.binary[0], all[40], all[41], Kleene::Unknown);
    assert_eq!(s.evaluate(&connected, &Default::default()), Some(Kleene::Unknown));
}

pub fn random_update(small: &Small, rng: &mut Rng) -> Update {
    let [x, y] = Var::first();
    let mut update = Update::new();
    let rules = [Atom::Nullary(small.nullary[0]), Atom::Unary(small.unary[0], x)];
    for of in rules.into_iter().chain([Atom::Binary(small.binary[0], x, y)]) {
        let vars: Vec<Var> = of.formula().free_variables().collect();
        let change = match rng.u8(0..3) {
            0 => continue,
            1 => Change::Set(small.formula(rng, &vars, 2)),
            _ => {
                let lost = small.formula(rng, &vars, 2);
                Change::Edit { lost, gained: small.formula(rng, &vars, 2) }
            }
        };
        update.change(of, change).expect("parameters are the only free variables");
    }
    update
}
