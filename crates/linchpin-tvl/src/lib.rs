//! Three-valued logical structures and canonical abstraction.
//!
//! A state of a program is a logical structure: its cells, threads and values are individuals, and predicates
//! say how they are related. A *three-valued* structure stands for many states: a summary stands for any
//! number of individuals, and a value may be unknown. This crate has what an analysis of programs with
//! unbounded heaps and any number of threads needs:
//!
//! - [`Kleene`] logic, [`Vocabulary`], [`Structure`], [`Formula`] and their values;
//! - embedding: which states a structure stands for ([`Structure::embeds`]);
//! - canonical abstraction and joins ([`Abstraction`], [`Store`]);
//! - the parts of an abstract step: [`Focus`], [`Constraints::coerce`], [`Update`], and again
//!   [`Abstraction::blur`];
//! - constraints from definitions ([`Definition`]) and [`schema`]ta, and derived updates
//!   ([`Update::derive`], [`PathUpdate`]).
//!
//! It knows nothing of programs. The method is that of Sagiv, Reps and Wilhelm.
//!
//! A list of any length, whose first cell is taken off:
//!
//! ```
//! use linchpin_tvl::{schema, Abstraction, Atom, Change, Constraints, Definition, Focus, Functionality};
//! use linchpin_tvl::{Kleene, Structure, Update, Var, Vocabulary};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut vocabulary = Vocabulary::new();
//! let head = vocabulary.add_unary("head")?;
//! let has_next = vocabulary.add_unary("has[next]")?;
//! let next = vocabulary.add_binary("next")?;
//! let path = vocabulary.add_binary("path")?;
//! let [x, y] = Var::first();
//! let lists = [schema::functional(next), schema::path(next, path), schema::end_of_path(has_next, path)];
//! let clauses = [schema::unique(head), lists.concat()].concat();
//! let has = Definition::conjunction(Atom::Unary(has_next, x), &[y], [schema::edge(next, x, y)])?;
//! let known = Functionality { functional: [next].into(), ..Default::default() };
//! let constraints = clauses.iter().flat_map(|clause| clause.constraints());
//! let constraints: Constraints = constraints.chain(has.constraints(&known)?).collect();
//!
//! // The head, and one or more cells behind it.
//! let mut list = Structure::new(&vocabulary, 2)?;
//! let cells: Vec<_> = list.individuals().collect();
//! let (first, rest) = (cells[0], cells[1]);
//! list.set_summary(rest, true);
//! list.set_unary(head, first, Kleene::True);
//! list.set_unary(has_next, first, Kleene::True);
//! list.set_unary(has_next, rest, Kleene::Unknown);
//! list.set_binary(path, first, first, Kleene::True);
//! list.set_binary(path, first, rest, Kleene::True);
//! list.set_binary(path, rest, rest, Kleene::Unknown);
//! list.set_binary(next, first, rest, Kleene::Unknown);
//! list.set_binary(next, rest, rest, Kleene::Unknown);
//!
//! // head := head.next
//! let target = head.of(y).and(next.of(y, x)).for_some(y);
//! let mut step = Update::new();
//! step.change(Atom::Unary(head, x), Change::Set(target))?;
//! let focus = Focus::on(head.of(x).and(next.of(x, y)));
//! let cases = focus.sharpened_cases(&list, &mut |case| constraints.coerce(case))?;
//! let after: Vec<Structure> = cases.iter().map(|case| step.apply(case)).collect();
//!
//! // Either one cell was behind the head, or more. The new head leads to all others.
//! assert_eq!(after.iter().map(Structure::size).collect::<Vec<_>>(), [2, 3]);
//! let lost = head.of(x).and(!head.of(y)).and(!path.of(x, y)).and(!path.of(y, x));
//! let lost = lost.for_some(x).for_some(y);
//! assert!(after.iter().all(|state| state.evaluate(&lost, &Default::default()) == Some(Kleene::False)));
//!
//! let abstraction = Abstraction { nullary: vec![], unary: vec![head] };
//! assert_eq!(abstraction.blur(&after[1]).size(), 2);
//! # Ok(())
//! # }
//! ```

mod abstraction;
mod clause;
mod constraint;
mod definition;
mod difference;
mod embedding;
mod evaluate;
mod focus;
mod formula;
mod kleene;
mod literal;
pub mod schema;
mod store;
mod structure;
mod update;
mod vocabulary;

pub use abstraction::Abstraction;
pub use clause::Clause;
pub use constraint::{Constraint, Constraints, RepeatedVariable};
pub use definition::{Definition, Functionality, MalformedDefinition};
pub use difference::{DifferenceError, PathUpdate};
pub use evaluate::Assignment;
pub use focus::{Focus, FocusError};
pub use formula::{Closure, Formula, TooManyVariables, Var};
pub use kleene::Kleene;
pub use literal::{Atom, Literal};
pub use store::{Inserted, Join, Store, StoreIsFull, StructureId};
pub use structure::{Individual, Structure, TooManyIndividuals};
pub use update::{Change, MalformedRule, Update};
pub use vocabulary::{Binary, Nullary, Predicate, TooManyPredicates, Unary, Vocabulary};
