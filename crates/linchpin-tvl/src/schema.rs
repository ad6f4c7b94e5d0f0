//! Schemata of constraints: families of clauses that hold in every concrete state of a certain kind.
//!
//! Each schema names its assumptions and its proof. The tests enumerate small two-valued structures for each,
//! and check that Coerce with the schema alone keeps γ. **Guarding tests**: `schemata`.

use crate::clause::Clause;
use crate::formula::Var;
use crate::literal::{Atom, Literal};
use crate::vocabulary::{Binary, Unary};

/// `p` holds of at most one individual. This is an assumption about `p`, not a consequence.
pub fn unique(p: Unary) -> Vec<Clause> {
    let [x, y] = Var::first();
    vec![Clause::implication([on(p, x), on(p, y)], same(x, y))]
}

/// `f` has at most one target for each source. An assumption about `f`.
pub fn functional(f: Binary) -> Vec<Clause> {
    let [x, y, z] = Var::first();
    vec![Clause::implication([edge(f, x, y), edge(f, x, z)], same(y, z))]
}

/// `f` has at most one source for each target. An assumption about `f`.
pub fn inverse_functional(f: Binary) -> Vec<Clause> {
    let [x, y, z] = Var::first();
    vec![Clause::implication([edge(f, x, z), edge(f, y, z)], same(x, y))]
}

/// No individual has two of these predicates. An assumption about them.
pub fn exclusive(predicates: &[Unary]) -> Vec<Clause> {
    let [x] = Var::first();
    let pairs = predicates
        .iter()
        .enumerate()
        .flat_map(|(i, p)| predicates[i + 1..].iter().map(move |q| Clause::new([!on(*p, x), !on(*q, x)])));
    pairs.collect()
}

/// Each individual with `whole` has one of `parts`. An assumption about them.
pub fn covered(whole: Unary, parts: &[Unary]) -> Vec<Clause> {
    let [x] = Var::first();
    vec![Clause::new(parts.iter().map(|part| on(*part, x)).chain([!on(whole, x)]))]
}

/// `f` leads from individuals with `source` to individuals with `target`. An assumption about `f`.
pub fn typed(f: Binary, source: Unary, target: Unary) -> Vec<Clause> {
    let [x, y] = Var::first();
    let from = Clause::implication([edge(f, x, y)], on(source, x));
    vec![from, Clause::implication([edge(f, x, y)], on(target, y))]
}

/// `path` is the reflexive transitive closure of `f`.
///
/// **Assumptions**: `f` is functional and has no cycle. **Proofs**:
/// - *reflexive*, *step*, *transitive*: of every closure.
/// - *antisymmetric*: paths from *x* to *y* and back, with *x* ≠ *y*, are a cycle.
/// - *acyclic*: an edge from *x* to *y* and a path back are a cycle, also if *x* = *y*.
/// - *forwards*: a path from *x* to *z* ≠ *x* begins with an edge, which leads to *y*, the one target of *x*.
///   The rest of the path leads from *y* to *z*.
/// - *linear*: of two paths from *x*, each is determined by its length, since `f` is functional. So the
///   shorter one is the beginning of the longer one, and the rest leads from one end to the other. ∎
pub fn path(f: Binary, path: Binary) -> Vec<Clause> {
    let [x, y, z] = Var::first();
    vec![
        Clause::implication([same(x, y)], edge(path, x, y)),
        Clause::implication([edge(f, x, y)], edge(path, x, y)),
        Clause::implication([edge(path, x, y), edge(path, y, z)], edge(path, x, z)),
        Clause::implication([edge(path, x, y), edge(path, y, x)], same(x, y)),
        Clause::new([!edge(f, x, y), !edge(path, y, x)]),
        Clause::new([!edge(path, x, z), !edge(f, x, y), same(x, z), edge(path, y, z)]),
        Clause::new([!edge(path, x, y), !edge(path, x, z), edge(path, y, z), edge(path, z, y)]),
    ]
}

/// An individual without an edge leads to itself only. `has` is "there is an edge of `f`".
///
/// **Assumption**: `path` is the reflexive transitive closure of `f`. **Proof**: a path to another individual
/// begins with an edge. ∎
pub fn end_of_path(has: Unary, path: Binary) -> Vec<Clause> {
    let [x, y] = Var::first();
    vec![Clause::implication([edge(path, x, y), !on(has, x)], same(x, y))]
}

/// `circ` is "on a cycle of `f`" (appendix A.5.1 and A.5.2).
///
/// **Proofs**: an edge from *x* to itself is a cycle at *x*; edges from *x* to *y* and back are one too. ∎
pub fn circular(f: Binary, circ: Unary) -> Vec<Clause> {
    let [x, y] = Var::first();
    vec![
        Clause::new([on(circ, x), !same(x, y), !edge(f, x, y)]),
        Clause::new([on(circ, x), !edge(f, x, y), !edge(f, y, x)]),
    ]
}

/// `reach` is "a path of `f` leads here from the individual with `root`" (appendix A.5.3 to A.5.5).
///
/// **Assumptions**: `root` is unique, `f` is functional, `circ` is "on a cycle of `f`". **Proofs**:
/// - *no edge back to the root*: a reachable *y* has a path from the root *x*; an edge from *y* to *x* makes
///   a cycle at *x*.
/// - *reachable targets*: the path to *x* and the edge from *x* to *y* are a path to *y*.
/// - *one reachable source*: let edges lead from the reachable *x* and *z* to *y*, with *x* ≠ *z*. Both lie
///   on the one walk that begins at the root and follows `f`. Say that *x* comes first; then the walk goes on
///   from *x* to *y*, and later comes to *z* and to *y* again. So *y* is on a cycle. ∎
pub fn reachable(f: Binary, root: Unary, reach: Unary, circ: Unary) -> Vec<Clause> {
    let [x, y, z] = Var::first();
    let back = [on(root, x), !on(circ, x), on(reach, y)];
    let two = [on(reach, x), on(reach, z), !on(circ, y), edge(f, x, y), !same(x, z)];
    vec![
        Clause::implication(back, !edge(f, y, x)),
        Clause::implication([on(reach, x), edge(f, x, y)], on(reach, y)),
        Clause::implication(two, !edge(f, z, y)),
    ]
}

/// The literal `p(x)`.
pub fn on(p: Unary, x: Var) -> Literal {
    Atom::Unary(p, x).holds()
}

/// The literal `f(x, y)`.
pub fn edge(f: Binary, x: Var, y: Var) -> Literal {
    Atom::Binary(f, x, y).holds()
}

/// The literal `x = y`.
pub fn same(x: Var, y: Var) -> Literal {
    Atom::Equal(x, y).holds()
}
