//! The definitions, executed one assignment and one map at a time: the references of the fast code.

use linchpin_tvl::{Atom, Formula, Individual, Kleene, Literal, Structure, Var, Vocabulary};
use std::collections::BTreeMap;

pub type Env = BTreeMap<Var, Individual>;

/// The value of a formula, by recursion over the formula alone.
pub fn value(s: &Structure, formula: &Formula, env: &Env) -> Kleene {
    let with = |x: Var, u: Individual| {
        let mut env = env.clone();
        env.insert(x, u);
        env
    };
    match formula {
        Formula::Constant(value) => *value,
        Formula::Nullary(p) => s.nullary(*p),
        Formula::Unary(p, x) => s.unary(*p, env[x]),
        Formula::Binary(p, x, y) => s.binary(*p, env[x], env[y]),
        Formula::Equal(x, y) if x == y => Kleene::True,
        Formula::Equal(x, y) if env[x] != env[y] => Kleene::False,
        Formula::Equal(x, _) => {
            if s.is_summary(env[x]) {
                Kleene::Unknown
            } else {
                Kleene::True
            }
        }
        Formula::Not(inner) => !value(s, inner, env),
        Formula::And(parts) => parts.iter().map(|part| value(s, part, env)).min().unwrap_or(Kleene::True),
        Formula::Or(parts) => parts.iter().map(|part| value(s, part, env)).max().unwrap_or(Kleene::False),
        Formula::Exists(x, inner) => {
            s.individuals().map(|u| value(s, inner, &with(*x, u))).max().unwrap_or(Kleene::False)
        }
        Formula::Forall(x, inner) => {
            s.individuals().map(|u| value(s, inner, &with(*x, u))).min().unwrap_or(Kleene::True)
        }
        Formula::Closure(closure) => {
            let all: Vec<Individual> = s.individuals().collect();
            let mut path: Vec<Vec<Kleene>> = all
                .iter()
                .map(|u| {
                    let row = all.iter().map(|v| {
                        let mut env = with(closure.from, *u);
                        env.insert(closure.to, *v);
                        value(s, &closure.step, &env)
                    });
                    row.collect()
                })
                .collect();
            for k in 0..all.len() {
                for i in 0..all.len() {
                    for j in 0..all.len() {
                        path[i][j] = path[i][j] | (path[i][k] & path[k][j]);
                    }
                }
            }
            path[env[&closure.start].index()][env[&closure.end].index()]
        }
    }
}

/// Whether a closed formula is true of a two-valued structure.
pub fn satisfies(s: &Structure, closed: &Formula) -> bool {
    value(s, closed, &Env::new()) == Kleene::True
}

/// All maps from the individuals of one structure to those of another.
pub fn maps(from: &Structure, to: &Structure) -> Vec<Vec<Individual>> {
    let mut maps = vec![Vec::new()];
    for _ in from.individuals() {
        maps = maps
            .into_iter()
            .flat_map(|map: Vec<Individual>| {
                to.individuals().map(move |image| map.iter().copied().chain([image]).collect())
            })
            .collect();
    }
    maps
}

/// Whether a map is an embedding, by the definition.
pub fn is_embedding(vocabulary: &Vocabulary, c: &Structure, s: &Structure, map: &[Individual]) -> bool {
    let f = |u: Individual| map[u.index()];
    let pairs = || c.individuals().flat_map(|u| c.individuals().map(move |v| (u, v)));
    s.individuals().all(|image| map.contains(&image))
        && pairs().all(|(u, v)| c.equal(u, v).refines(s.equal(f(u), f(v))))
        && vocabulary.nullary().all(|p| c.nullary(p).refines(s.nullary(p)))
        && vocabulary.unary().all(|p| c.individuals().all(|u| c.unary(p, u).refines(s.unary(p, f(u)))))
        && vocabulary
            .binary()
            .all(|p| pairs().all(|(u, v)| c.binary(p, u, v).refines(s.binary(p, f(u), f(v)))))
}

/// Whether a structure embeds in another, by trying all maps.
pub fn embeds(vocabulary: &Vocabulary, c: &Structure, s: &Structure) -> bool {
    maps(c, s).iter().any(|map| is_embedding(vocabulary, c, s, map))
}

/// A constraint that nothing has checked: its head may repeat a variable.
pub struct RawConstraint {
    pub body: Formula,
    pub head: Literal,
}

/// Coerce by its description in the literature; `None` if the structure is inconsistent.
pub fn coerce(constraints: &[RawConstraint], mut s: Structure) -> Option<Structure> {
    loop {
        let before = s.clone();
        for RawConstraint { body, head } in constraints {
            let mut free: Vec<Var> = head.atom.formula().free_variables().collect();
            free.extend(body.free_variables().filter(|x| !free.contains(x)).collect::<Vec<_>>());
            for env in assignments(&s, &free) {
                if value(&s, body, &env) != Kleene::True {
                    continue;
                }
                match value(&s, &head.formula(), &env) {
                    Kleene::True => {}
                    Kleene::False => return None,
                    Kleene::Unknown => match head.atom {
                        Atom::Nullary(p) => s.set_nullary(p, head.positive.into()),
                        Atom::Unary(p, x) => s.set_unary(p, env[&x], head.positive.into()),
                        Atom::Binary(p, x, y) => s.set_binary(p, env[&x], env[&y], head.positive.into()),
                        // Unknown only of a summary and itself: all pairs are equal, or none is.
                        Atom::Equal(x, _) if head.positive => s.set_summary(env[&x], false),
                        Atom::Equal(..) => return None,
                    },
                }
            }
        }
        if s == before {
            return Some(s);
        }
    }
}

pub fn assignments(s: &Structure, vars: &[Var]) -> Vec<Env> {
    let mut envs = vec![Env::new()];
    for x in vars {
        envs = envs
            .into_iter()
            .flat_map(|env| {
                s.individuals().map(move |u| {
                    let mut env = env.clone();
                    env.insert(*x, u);
                    env
                })
            })
            .collect();
    }
    envs
}
