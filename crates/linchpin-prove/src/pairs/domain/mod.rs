//! The abstract domain: sets of relations between cells, shapes, and symbolic values.
//!
//! Arrows: `relation` ← `shape` ← `meet`, `heap`; `value` uses the numbers of terms.

#[cfg(test)]
mod forests;
pub mod heap;
#[cfg(test)]
mod meaning;
mod meet;
pub mod relation;
pub mod shape;
pub mod value;
