//! Reductions change nothing but the cost: symmetry, partial order and jobs against the plain search, on
//! random objects and on the catalogue.

mod agree;
mod catalogue;
pub mod endless;
pub mod model;
mod objects;
mod progress;
mod random;
mod statistics;
mod traps;
