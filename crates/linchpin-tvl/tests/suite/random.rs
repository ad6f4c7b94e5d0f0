//! Random structures and formulas over a small vocabulary, and all its small two-valued structures.

use fastrand::Rng;
use linchpin_tvl::{
    Atom, Binary, Closure, Formula, Kleene, Literal, Nullary, Structure, Unary, Var, Vocabulary,
};

/// One or two predicates of each kind.
pub struct Small {
    pub vocabulary: Vocabulary,
    pub nullary: Vec<Nullary>,
    pub unary: Vec<Unary>,
    pub binary: Vec<Binary>,
}

impl Small {
    pub fn new(nullary: usize, unary: usize, binary: usize) -> Small {
        let mut vocabulary = Vocabulary::new();
        let fits = "a few predicates fit";
        let nullary = (0..nullary).map(|i| vocabulary.add_nullary(format!("n{i}")).expect(fits)).collect();
        let unary = (0..unary).map(|i| vocabulary.add_unary(format!("u{i}")).expect(fits)).collect();
        let binary = (0..binary).map(|i| vocabulary.add_binary(format!("b{i}")).expect(fits)).collect();
        Small { vocabulary, nullary, unary, binary }
    }

    pub fn empty(&self, size: usize) -> Structure {
        Structure::new(&self.vocabulary, size).expect("a few individuals fit")
    }

    /// All two-valued structures of `sizes` individuals.
    pub fn states(&self, sizes: std::ops::RangeInclusive<usize>) -> Vec<Structure> {
        let mut states = Vec::new();
        for size in sizes {
            let values = self.nullary.len() + self.unary.len() * size + self.binary.len() * size * size;
            states.extend((0..1u64 << values).map(|number| {
                let mut number = number;
                self.filled(size, &mut || {
                    let value = Kleene::from(number & 1 == 1);
                    number >>= 1;
                    value
                })
            }));
        }
        states
    }

    /// A structure with these values, and no summary.
    pub fn filled(&self, size: usize, next: &mut dyn FnMut() -> Kleene) -> Structure {
        let mut s = self.empty(size);
        let all: Vec<_> = s.individuals().collect();
        for p in &self.nullary {
            s.set_nullary(*p, next());
        }
        for p in &self.unary {
            all.iter().for_each(|u| s.set_unary(*p, *u, next()));
        }
        for p in &self.binary {
            all.iter().for_each(|u| all.iter().for_each(|v| s.set_binary(*p, *u, *v, next())));
        }
        s
    }

    /// A three-valued structure, each value unknown with the given odds.
    pub fn structure(&self, rng: &mut Rng, sizes: std::ops::RangeInclusive<usize>) -> Structure {
        let size = rng.usize(sizes);
        let odds = rng.f64();
        let mut s = self.filled(size, &mut || {
            if rng.f64() < odds { Kleene::Unknown } else { Kleene::from(rng.bool()) }
        });
        for u in s.individuals() {
            s.set_summary(u, rng.bool());
        }
        s
    }

    /// A formula whose free variables are among `vars`.
    pub fn formula(&self, rng: &mut Rng, vars: &[Var], depth: usize) -> Formula {
        let bound: [Var; 5] = Var::first();
        if depth == 0 || rng.u8(0..4) == 0 {
            return self.atom(rng, vars).formula();
        }
        let part = |rng: &mut Rng| self.formula(rng, vars, depth - 1);
        match rng.u8(0..8) {
            0 => !part(rng),
            1 | 2 => part(rng).and(part(rng)),
            3 | 4 => part(rng).or(part(rng)),
            kind @ (5 | 6) => {
                let x = bound[rng.usize(0..bound.len())];
                let inner = self.formula(rng, &[vars, &[x]].concat(), depth - 1);
                if kind == 5 { inner.for_some(x) } else { inner.for_each(x) }
            }
            _ if vars.is_empty() => self.atom(rng, vars).formula(),
            _ => {
                let (from, to) = (bound[rng.usize(0..2)], bound[rng.usize(2..4)]);
                let step = self.formula(rng, &[vars, &[from, to]].concat(), depth - 1);
                let (start, end) = (vars[rng.usize(0..vars.len())], vars[rng.usize(0..vars.len())]);
                Formula::Closure(Box::new(Closure { from, to, step, start, end }))
            }
        }
    }

    pub fn atom(&self, rng: &mut Rng, vars: &[Var]) -> Atom {
        let var = |rng: &mut Rng| vars[rng.usize(0..vars.len())];
        loop {
            match rng.u8(0..5) {
                0 if !self.nullary.is_empty() => {
                    return Atom::Nullary(self.nullary[rng.usize(0..self.nullary.len())]);
                }
                1 if !vars.is_empty() && !self.unary.is_empty() => {
                    return Atom::Unary(self.unary[rng.usize(0..self.unary.len())], var(rng));
                }
                2 | 3 if !vars.is_empty() && !self.binary.is_empty() => {
                    return Atom::Binary(self.binary[rng.usize(0..self.binary.len())], var(rng), var(rng));
                }
                4 if !vars.is_empty() => return Atom::Equal(var(rng), var(rng)),
                _ => {}
            }
        }
    }

    pub fn literal(&self, rng: &mut Rng, vars: &[Var]) -> Literal {
        let atom = self.atom(rng, vars);
        if rng.bool() { atom.holds() } else { atom.fails() }
    }
}

/// How many random cases a law is checked on.
pub fn cases(short: u64) -> u64 {
    if std::env::var_os("LINCHPIN_LONG_TESTS").is_some() { short * 50 } else { short }
}
