//! Canonical abstraction, joins and the store.

use crate::naive;
use crate::random::{Small, cases};
use fastrand::Rng;
use linchpin_tvl::{Abstraction, Individual, Inserted, Join, Kleene, Store, Structure};

fn abstraction(small: &Small) -> Abstraction {
    Abstraction { nullary: small.nullary.clone(), unary: vec![small.unary[0]] }
}

/// The blurred structure is the tightest one with the individuals that the abstraction predicates allow.
#[test]
fn blur_is_a_tight_embedding_and_canonical() {
    let small = Small::new(1, 2, 1);
    let abstraction = abstraction(&small);
    for seed in 0..cases(1_500) {
        let mut rng = Rng::with_seed(seed);
        let s = small.structure(&mut rng, 0..=4);
        let blurred = abstraction.blur(&s);
        assert_eq!(abstraction.blur(&blurred), blurred, "seed {seed}");
        let mut order: Vec<Individual> = s.individuals().collect();
        rng.shuffle(&mut order);
        assert_eq!(abstraction.blur(&s.permuted(&order)), blurred, "seed {seed}: depends on the order");
        let value = |s: &Structure, u| s.unary(small.unary[0], u);
        let mut values: Vec<Kleene> = s.individuals().map(|u| value(&s, u)).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(blurred.size(), values.len(), "seed {seed}");
        let image =
            |u| blurred.individuals().find(|w| value(&blurred, *w) == value(&s, u)).expect("its group");
        let map: Vec<Individual> = s.individuals().map(image).collect();
        assert!(naive::is_embedding(&small.vocabulary, &s, &blurred, &map), "seed {seed}");
        assert!(is_tight(&small, &s, &blurred, &map), "seed {seed}");
    }
}

fn is_tight(small: &Small, s: &Structure, t: &Structure, map: &[Individual]) -> bool {
    let sources = |image: Individual| s.individuals().filter(move |u| map[u.index()] == image);
    let common = |values: Vec<Kleene>| values.into_iter().reduce(Kleene::join);
    let unary = small.unary.iter().all(|p| {
        t.individuals().all(|w| common(sources(w).map(|u| s.unary(*p, u)).collect()) == Some(t.unary(*p, w)))
    });
    let binary = small.binary.iter().all(|p| {
        t.individuals().all(|w| {
            t.individuals().all(|v| {
                let pairs = sources(w).flat_map(|a| sources(v).map(move |b| s.binary(*p, a, b)));
                common(pairs.collect()) == Some(t.binary(*p, w, v))
            })
        })
    });
    let summaries = t
        .individuals()
        .all(|w| t.is_summary(w) == (sources(w).count() > 1 || sources(w).any(|u| s.is_summary(u))));
    unary && binary && summaries
}

#[test]
fn a_join_stands_for_both() {
    let small = Small::new(1, 2, 1);
    let abstraction = abstraction(&small);
    let mut joined = 0;
    for seed in 0..cases(3_000) {
        let mut rng = Rng::with_seed(seed);
        let left = abstraction.blur(&small.structure(&mut rng, 1..=3));
        let right = abstraction.blur(&small.structure(&mut rng, 1..=3));
        let join = abstraction.join(&left, &right);
        assert_eq!(join.is_some(), abstraction.congruent(&left, &right));
        let Some(join) = join else { continue };
        let identity: Vec<Individual> = left.individuals().collect();
        assert!(left.embeds_by(&join, &identity) && right.embeds_by(&join, &identity), "seed {seed}");
        assert_eq!(abstraction.blur(&join), join, "seed {seed}: the join is not canonical");
        assert_eq!(Some(&join), abstraction.join(&right, &left).as_ref(), "seed {seed}");
        joined += 1;
    }
    assert!(joined > 200, "only {joined} pairs were congruent");
}

/// What the store keeps stands for everything that was inserted, and grows only when it has to.
#[test]
fn the_store_keeps_what_is_inserted() {
    let small = Small::new(1, 2, 2);
    let abstraction = abstraction(&small);
    for (seed, join) in (0..cases(40)).flat_map(|seed| [Join::Isomorphic, Join::Partial].map(|j| (seed, j))) {
        let mut rng = Rng::with_seed(seed);
        let mut store = Store::new(&small.vocabulary, abstraction.clone(), join);
        let inserted: Vec<Structure> = (0..60).map(|_| small.structure(&mut rng, 0..=3)).collect();
        for s in &inserted {
            let blurred = abstraction.blur(s);
            let (Inserted::New(id) | Inserted::Widened(id) | Inserted::Known(id)) =
                store.insert(s).expect("few structures");
            let stored = store.get(id).expect("it was inserted");
            match join {
                Join::Isomorphic => assert_eq!(stored, blurred, "seed {seed}"),
                Join::Partial => assert!(abstraction.congruent(&stored, &blurred), "seed {seed}"),
            }
            assert_eq!(store.insert(s), Ok(Inserted::Known(id)), "seed {seed}");
        }
        let stored: Vec<Structure> = store.ids().filter_map(|id| store.get(id)).collect();
        assert_eq!(stored.len(), store.len());
        for s in &inserted {
            assert!(stored.iter().any(|t| s.embeds(t)), "seed {seed}: a structure is lost");
        }
        let blurred: std::collections::HashSet<Structure> =
            inserted.iter().map(|s| abstraction.blur(s)).collect();
        match join {
            Join::Isomorphic => assert_eq!(store.len(), blurred.len(), "seed {seed}"),
            Join::Partial => {
                let congruent = stored
                    .iter()
                    .enumerate()
                    .any(|(i, s)| stored[..i].iter().any(|t| abstraction.congruent(s, t)));
                assert!(!congruent, "seed {seed}: two stored structures are congruent");
            }
        }
    }
}
