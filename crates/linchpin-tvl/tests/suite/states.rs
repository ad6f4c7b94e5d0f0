//! All two-valued structures of a kind: what a predicate of a program can look like, and what is derived.

use linchpin_tvl::{Assignment, Atom, Binary, Formula, Individual, Kleene, Structure, Unary, Vocabulary};

/// How a core predicate can look.
#[derive(Clone, Copy)]
pub enum Core {
    /// Any set.
    Set(Unary),
    /// At most one individual.
    Unique(Unary),
    /// At most one target for each source.
    Function(Binary),
    /// And at most one source for each target.
    Injection(Binary),
    /// A function without cycles.
    Forest(Binary),
}

pub struct Kind {
    pub vocabulary: Vocabulary,
    /// The first one is taken up to renaming if it is a function.
    pub core: Vec<Core>,
    /// Derived predicates, each from those before it.
    pub derived: Vec<(Atom, Formula)>,
}

type Edges = Vec<(usize, usize)>;

impl Kind {
    /// Calls `see` with each state of so many individuals, up to renaming of individuals.
    pub fn each(&self, size: usize, see: &mut dyn FnMut(&Structure)) {
        let start = Structure::new(&self.vocabulary, size).expect("a few individuals");
        self.fill(0, &start, see);
    }

    fn fill(&self, index: usize, s: &Structure, see: &mut dyn FnMut(&Structure)) {
        let all: Vec<Individual> = s.individuals().collect();
        let Some(core) = self.core.get(index) else { return see(&self.with_derived(s)) };
        match *core {
            Core::Set(p) | Core::Unique(p) => {
                for set in 0u32..1 << all.len() {
                    if matches!(core, Core::Unique(_)) && set.count_ones() > 1 {
                        continue;
                    }
                    let mut s = s.clone();
                    all.iter().for_each(|u| s.set_unary(p, *u, (set >> u.index() & 1 == 1).into()));
                    self.fill(index + 1, &s, see);
                }
            }
            Core::Function(p) | Core::Injection(p) | Core::Forest(p) => {
                for edges in relations(*core, all.len(), index == 0) {
                    let mut s = s.clone();
                    edges.iter().for_each(|(u, v)| s.set_binary(p, all[*u], all[*v], Kleene::True));
                    self.fill(index + 1, &s, see);
                }
            }
        }
    }

    fn with_derived(&self, s: &Structure) -> Structure {
        let mut s = s.clone();
        for (of, formula) in &self.derived {
            let before = s.clone();
            let value = |assignment: Assignment| {
                before.evaluate(formula, &assignment).expect("parameters are the free variables")
            };
            match *of {
                Atom::Nullary(p) => s.set_nullary(p, value(Assignment::new())),
                Atom::Unary(p, x) => {
                    before.individuals().for_each(|u| s.set_unary(p, u, value(Assignment::new().with(x, u))));
                }
                Atom::Binary(p, x, y) => {
                    for u in before.individuals() {
                        for v in before.individuals() {
                            s.set_binary(p, u, v, value(Assignment::new().with(x, u).with(y, v)));
                        }
                    }
                }
                Atom::Equal(..) => unreachable!("equality is not derived"),
            }
        }
        s
    }

    /// How many states of so many individuals there are.
    pub fn count(&self, size: usize) -> usize {
        let choices = self.core.iter().enumerate().map(|(index, core)| match core {
            Core::Set(_) => 1 << size,
            Core::Unique(_) => size + 1,
            Core::Function(_) | Core::Injection(_) | Core::Forest(_) => {
                relations(*core, size, index == 0).len()
            }
        });
        choices.product()
    }

    /// Some states of up to `most` individuals: all, or `limit` of them, evenly.
    pub fn sample(&self, most: usize, limit: usize) -> Vec<Structure> {
        let mut states = Vec::new();
        (1..=most).for_each(|size| self.each(size, &mut |s| states.push(s.clone())));
        let stride = states.len().div_ceil(limit).max(1);
        states.into_iter().step_by(stride).collect()
    }
}

fn relations(core: Core, size: usize, up_to_renaming: bool) -> Vec<Edges> {
    let permutations = if up_to_renaming { permutations(size) } else { Vec::new() };
    let mut result = Vec::new();
    // Target `size` is none.
    let mut function = vec![0; size];
    loop {
        let injective = (0..size).all(|u| function[u] == size || !function[..u].contains(&function[u]));
        let acyclic = (0..size).all(|u| {
            let mut at = u;
            (0..=size).any(|_| {
                at = if at == size { size } else { function[at] };
                at == size
            })
        });
        let wanted = match core {
            Core::Injection(_) => injective,
            Core::Forest(_) => acyclic,
            _ => true,
        };
        let smallest = || {
            permutations.iter().all(|to| {
                let image = |v: usize| if v == size { size } else { to[v] };
                let mut renamed = vec![size; size];
                (0..size).for_each(|u| renamed[to[u]] = image(function[u]));
                function <= renamed
            })
        };
        if wanted && smallest() {
            result.push((0..size).filter(|u| function[*u] < size).map(|u| (u, function[u])).collect());
        }
        let Some(u) = (0..size).find(|u| function[*u] < size) else { return result };
        function[u] += 1;
        function[..u].fill(0);
    }
}

fn permutations(size: usize) -> Vec<Vec<usize>> {
    let mut result = vec![Vec::new()];
    for next in 0..size {
        result = result
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=next).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, next);
                    order
                })
            })
            .collect();
    }
    result
}
